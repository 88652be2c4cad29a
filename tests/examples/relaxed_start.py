#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""start: {relax: ...}: loads bias the start against penalties per unit of mass, closed forms; constraints and named
values hold as ever."""
import math
import unittest

from support import ExampleTest

HANGING = """
hooke: 1
gravity: [0, 0, -10]
bodies:
  a: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}
  b: {mass: 3, com: [1, 0, 0], inertia: [1, 1, 1]}
joints:
  a: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: z}
  b: {type: prismatic, between: [ground, b], at: [1, 0, 0], axis: z}
forces:
  s: {type: joint_spring, joint: a, stiffness: 50}
start: {relax: {stiffness: 100, rate_stiffness: 4}BESIDE}
run: {time: 1.0e-12, step: 1.0e-12}
record: ["joint.*"]
"""

ROPE = """
hooke: 1
gravity: [0, 0, -10]
bodies:
  left: {mass: 1, com: [0, 0, 0]}
  right: {mass: 4, com: [1, 0, 0]}
joints:
  link: {type: distance, between: [left, right], ends: [[0, 0, 0], [1, 0, 0]]}
  hook: {type: spherical, between: [ground, left], at: [0, 0, 0]}
start: {relax: {stiffness: K}}
run: {time: 1.0e-12, step: 1.0e-12}
record: ["body.*.position"]
"""


class RelaxedStart(ExampleTest):
    def start(self, text):
        return self.run_model(self.variant(text))["final"]

    def test_springs_and_weights(self):
        """k m x + K x = -m g; rates v = a / k_v at these positions. The metric has 1e-7 of the largest mass besides"""
        end = self.start(HANGING.replace("BESIDE", ""))
        x = -20 / (100 * 2 + 50)
        self.assertNear(end["joint.a.position"], x, 2e-8)
        self.assertNear(end["joint.b.position"], -10 / 100, 2e-8)
        self.assertNear(end["joint.a.velocity"], (-10 - 25 * x) / 4, 1e-6)
        self.assertNear(end["joint.b.velocity"], -10 / 4, 1e-6)

    def test_named_values_hold(self):
        end = self.start(HANGING.replace("BESIDE", ", joint.a: {position: 0.3, velocity: -1}"))
        self.assertNear(end["joint.a.position"], 0.3, 1e-9)
        self.assertNear(end["joint.a.velocity"], -1, 1e-8)
        self.assertNear(end["joint.b.position"], -10 / 100, 2e-8)

    def test_constraints_hold(self):
        """a weight on a rope: k u = tangential part of g, u the way along the circle's chord"""
        for stiffness in (1000.0, 30.0):
            end = self.start(ROPE.replace("K", str(stiffness)))
            x, z = end["body.right.position.x"], end["body.right.position.z"]
            self.assertNear(math.hypot(x, z), 1.0, 1e-12)
            # force k (drawing - place) + g, across the rope
            across = (stiffness * (1 - x)) * -z + (stiffness * (0 - z) - 10) * x
            self.assertNear(across, 0.0, 1e-6 * stiffness)
            self.assertLess(z, -0.009)

    def test_example(self):
        """a soft hold starts near the place of rest, a stiff one at the drawing"""
        _, soft = self.run_series("loosely-drawn.yaml")
        _, stiff = self.run_series("loosely-drawn.yaml", "--set", "hold=1e6")
        rest = stiff["joint.hinge.angle"][-1]
        self.assertGreater(rest, 0.03)
        self.assertNear(soft["joint.hinge.angle"][0], rest, 0.02 * rest)
        self.assertNear(stiff["joint.hinge.angle"][0], 0, 1e-3 * rest)

    def test_refusals(self):
        for text, words in (("{stiffness: -1}", "must be"), ("{stiff: 1}", "did you mean 'stiffness'"),
                            ("5", "relax")):
            path = self.variant(HANGING.replace("{stiffness: 100, rate_stiffness: 4}BESIDE", text))
            self.assertIn(words, self.command("run", path, code=3).stderr)


if __name__ == "__main__":
    unittest.main()
