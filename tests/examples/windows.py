#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Events whose condition opens and closes again within a step."""
import math
import unittest

from support import ExampleTest

WHEEL = """\
hooke: 1
bodies: {wheel: {mass: 1, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}
joints: {axle: {type: revolute, between: [ground, wheel], at: [0, 0, 0], axis: z}}
start: {axle: {angle: 0.3, rate: 1}}
SIGNALS
events: {lock: {when: "WHEN", fix: axle}}
record: ["joint.axle.angle", "joint.axle.rate"]
run: {time: 10, step: 1}
"""

BALL = """\
hooke: 1
gravity: [0, 0, -10]
bodies: {ball: {mass: 1, com: [0, 0, 0]}}
joints:
  up: {type: prismatic, between: [ground, ball], at: [0, 0, 0], axis: z}
start: {up: {position: 0, velocity: 10}}
events: {catch: {when: "WHEN", fix: up}}
record: ["joint.up.position", "joint.up.velocity"]
run: {time: 2, step: 0.4}
"""

METHODS = ((), ("--integrator", "trapezoidal"), ("--integrator", "rk4"), ("--integrator", "dopri5"),
           ("--formulation", "global"), ("--formulation", "redundant"), ("--formulation", "redundant",
                                                                         "--integrator", "bdf"))


class Windows(ExampleTest):
    def locked_at(self, text, when, *args, signals=""):
        """where the wheel or the ball stands at the end; it must stand still"""
        model = self.variant(text.replace("WHEN", when).replace("SIGNALS", signals))
        _, run = self.run_series(model, *args)
        place, rate = list(run)[1:3]
        if abs(run[rate][-1]) > 1e-9:
            return None
        return run[place][-1]

    def test_windows(self):
        # 1 rad in a step: the window is a tenth, a thousandth, a millionth of it
        for method in METHODS:
            for when, at in (("joint.axle.angle > 5.1 and joint.axle.angle < 5.2", 5.1),
                             ("joint.axle.angle >= 7.777 and joint.axle.angle < 7.778", 7.777),
                             ("joint.axle.angle > 2 and not (joint.axle.angle > 2.000001)", 2)):
                found = self.locked_at(WHEEL, when, *method)
                self.assertIsNotNone(found, (when, method))
                self.assertNear(found, at, 1e-7, (when, method))

    def test_first_of_several(self):
        # the first window counts, not the condition at the end of the step; signals between
        for when, at, signals in (
                ("joint.axle.angle > 1.4 and joint.axle.angle < 1.5 or joint.axle.angle > 2", 1.4, ""),
                ("cos(joint.axle.angle - 4) > 0.999", 4 - math.acos(0.999), ""),
                ("abs(joint.axle.angle - 6.6) < 0.01", 6.59, ""),
                ("near and joint.axle.rate > 0", 3.2, 'signals: {near: "joint.axle.angle >= 3.2 and '
                                                      'joint.axle.angle <= 3.21"}'),
                ("t > 2.2 and t < 2.21 and joint.axle.rate > 0", 2.5, "")):
            found = self.locked_at(WHEEL, when, signals=signals)
            self.assertIsNotNone(found, when)
            self.assertNear(found, at, 1e-7, when)
        # none of these is ever true
        for when in ("joint.axle.angle > 5.2 and joint.axle.angle < 5.1", "cos(joint.axle.angle) > 1.001",
                     "joint.axle.angle > 20"):
            self.assertIsNone(self.locked_at(WHEEL, when), when)

    def test_turning_point(self):
        # the top of a throw, 5 m at t = 1 s, within a step from 0.8 s to 1.2 s
        for method in METHODS[:5]:
            for level in (4.9, 4.999, 4.999999):
                found = self.locked_at(BALL, f"joint.up.position > {level}", *method)
                self.assertIsNotNone(found, (level, method))
                self.assertNear(found, level, 2e-6, (level, method))
            self.assertIsNone(self.locked_at(BALL, "joint.up.position > 5.01", *method), method)


if __name__ == "__main__":
    unittest.main()
