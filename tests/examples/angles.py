#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Channels of orientation: Cardan angles in the order they name, velocities in a body's own axes, toe and camber of a wheel.
A body is started at given angles; its channels give them back, at any spin of the wheel."""
import unittest

from support import ExampleTest

MODEL = """\
hooke: 1
bodies:
  chassis: {{mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}
  wheel: {{mass: 1, com: [1, 1, 0], inertia: [1, 2, 1]}}
markers:
  W: {{on: wheel, at: [1, 1, 0], relative_to: chassis}}
  G: {{on: wheel, at: [1, 1, 0]}}
start:
  chassis: {{orientation: {chassis}, velocity: [1, 2, 3], angular_velocity: [0.1, 0.2, 0.3]}}
  wheel: {{orientation: {wheel}}}
record: ["body.*", "marker.*"]
run: {{time: 0.01, step: 0.01}}
"""


class Angles(ExampleTest):
    def start(self, chassis, wheel):
        """the channels at the start"""
        model = self.variant(MODEL.format(chassis=chassis, wheel=wheel))
        return {name: values[0] for name, values in self.run_series(model)[1].items()}

    def check_words(self, found, name, words, wanted):
        for word, value in zip(words, wanted):
            self.assertAlmostEqual(found[f"{name}.{word}"], value, delta=1e-12, msg=f"{name}.{word}")

    def test_orders(self):
        zyx = self.start("{euler: zyx, angles: [0.3, -0.2, 2.5]}", "{euler: xyz, angles: [-3, 1.2, 0.4]}")
        self.check_words(zyx, "body.chassis.angles_zyx", ("yaw", "pitch", "roll"), (0.3, -0.2, 2.5))
        self.check_words(zyx, "body.wheel.angles_xyz", "xyz", (-3, 1.2, 0.4))
        # the marker's angles are relative: those of a body like the chassis vanish
        same = "{euler: zyx, angles: [0.3, -0.2, 2.5]}"
        both = self.start(same, same)
        self.check_words(both, "marker.W.angles_zyx", ("yaw", "pitch", "roll"), (0, 0, 0))
        self.check_words(both, "marker.G.angles_zyx", ("yaw", "pitch", "roll"), (0.3, -0.2, 2.5))

    def test_own_axes(self):
        found = self.start("{euler: z, angles: [pi/2]}", "{euler: z, angles: [0]}")
        self.check_words(found, "body.chassis.local_velocity", "xyz", (2, -1, 3))
        self.check_words(found, "body.chassis.local_angular_velocity", "xyz", (0.2, -0.1, 0.3))

    def test_wheel(self):
        for spin in (0, 1, 2.5, -3):
            found = self.start("{euler: z, angles: [0.5]}", f"{{euler: zxy, angles: [0.52, -0.03, {spin}]}}")
            self.check_words(found, "marker.W.wheel", ("toe", "camber"), (0.02, -0.03))
            self.check_words(found, "marker.G.wheel", ("toe", "camber"), (0.52, -0.03))


if __name__ == "__main__":
    unittest.main()
