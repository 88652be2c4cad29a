#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prescribed rotations go on for ever: a hundred turns of every joint with an angle, in every formulation, from the
tree and cut; `general` by locked axes and by motions, about one axis and about three."""
import math
import unittest

from support import SHORT, SOURCE, ExampleTest, orders, rotate

FORMULATIONS = "hybrid global topological recursive partition redundant".split()
TURNS = 10 if SHORT else 100
ARM = """
hooke: 1
bodies:
  arm: {mass: 2, com: [0.3, 0, 0], inertia: [0.1, 0.2, 0.3]}
joints:
  hub: {type: general, between: [ground, arm], at: [0, 0, 0], %s}
run: {time: 100, step: 0.1}
"""
PLANE = "hooke: 1\nplanar: xy\n" + ARM.split("hooke: 1\n")[1]
OTHERS = """
hooke: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 2, com: [0.3, 0, 0], inertia: [0.1, 0.2, 0.3]}
  b: {mass: 2, com: [0.3, 0, 1], inertia: [0.1, 0.2, 0.3]}
  c: {mass: 2, com: [0.3, 0, 2], inertia: [0.1, 0.2, 0.3]}
  d: {mass: 2, com: [0.3, 0, 3], inertia: [0.1, 0.2, 0.3]}
  e: {mass: 2, com: [0.3, 0, 4], inertia: [0.1, 0.2, 0.3]}
joints:
  a: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, motion: {angle: "2*pi*t"}}
  b: {type: cylindrical, between: [ground, b], at: [0, 0, 1], axis: z, motion: {angle: "2*pi*t"}}
  c: {type: planar, between: [ground, c], at: [0, 0, 2], normal: z, motion: {angle: "2*pi*t"}}
  d: {type: universal, between: [ground, d], at: [0, 0, 3], axis: z, axis2: y, motion: {angles.a: "2*pi*t"}}
  e: {type: screw, between: [ground, e], at: [0, 0, 4], axis: z, lead: 0.01, motion: {angle: "2*pi*t"}}
run: {time: 100, step: 0.1}
"""


class Turning(ExampleTest):
    def turn(self, model, joint):
        """ends of the runs with each formulation"""
        for formulation in FORMULATIONS:
            with self.subTest(formulation=formulation, joint=joint):
                found = self.run_model(model, "--formulation", formulation, "--time", TURNS)
                self.assertEqual(found["rejected"], 0)
                self.assertNear(found["final"][joint], 2 * math.pi * TURNS, 1e-8, "angle")
                yield found["final"]

    def test_general(self):
        rotations = 'locked: [x, y, z, rx, ry, {rz: "2*pi*t"}]', 'locked: [x, y, z, rx, ry], motion: {rz: "2*pi*t"}'
        for text in [ARM % r for r in rotations] + [PLANE % 'locked: {x: true, y: true, rz: "2*pi*t"}']:
            for final in self.turn(self.variant(text), "joint.hub.rz"):
                at = [final[f"body.arm.position.{x}"] for x in "xyz"]
                self.assertLess(math.dist(at, (0.3, 0, 0)), 1e-8)
                self.assertNear(final["joint.hub.rz_rate"], 2 * math.pi, 1e-7, "rate")

    def test_others(self):
        for text in (OTHERS, OTHERS.replace("motion:", "cut: always, motion:")):
            model = self.variant(text)
            for final in self.turn(model, "joint.a.angle"):
                for other in ("joint.b.angle", "joint.c.angle", "joint.d.angles.a", "joint.e.angle"):
                    self.assertNear(final[other], 2 * math.pi * TURNS, 1e-8, other)

    def test_three_axes(self):
        """the orientation is that of the prescribed rotation vector, however long"""
        model = self.variant(ARM % 'locked: {x: , y: , z: , rx: "2*sin(2*t)", ry: "1.5*t", rz: "3*t"}')
        vector = 2 * math.sin(14.0), 10.5, 21.0
        angle = math.hypot(*vector)
        turn = [math.cos(angle / 2)] + [math.sin(angle / 2) * x / angle for x in vector]
        for formulation in FORMULATIONS:
            with self.subTest(formulation=formulation):
                final = self.run_model(model, "--formulation", formulation, "--time", 7)["final"]
                at = [final[f"body.arm.position.{x}"] for x in "xyz"]
                self.assertLess(math.dist(at, rotate(turn, (0.3, 0, 0))), 1e-8)
                for axis, x in zip("xyz", vector):
                    self.assertNear(final[f"joint.hub.r{axis}"], x, 1e-8, axis)

    def test_free_axes(self):
        """formulations agree, and the audit counts the work that moves the axes of springs: 1.6 J"""
        model = SOURCE / "tests/agreement/turned.yaml"
        ends = []
        for formulation in FORMULATIONS:
            drift = []
            for h in (0.01, 0.005, 0.0025):
                found = self.run_model(model, "--formulation", formulation, "--integrator", "trapezoidal", "--step", h)
                drift.append(abs(found["energy"]["max_drift_J"]))
                self.assertEqual(found["rejected"], 0)
            with self.subTest(formulation=formulation):
                self.assertLess(drift[-1], 0.05)
                self.assertGreater(min(orders(drift)), 1.7, drift)
            ends.append(found["final"])
        for end in ends[1:]:
            for name in end:
                if name.startswith("body.") and ".position." in name:
                    self.assertNear(end[name], ends[0][name], 1e-3, name)
        self.assertGreater(abs(ends[0]["joint.hub.rx"]) + abs(ends[0]["joint.hub.ry"]), 0.01)


if __name__ == "__main__":
    unittest.main()
