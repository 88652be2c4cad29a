#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A motion that drives a loop past closing: every formulation and every integrator stops there and names the loop,
the gap and the motion; and a mechanism drawn at a singular position is assembled all the same."""
import math
import unittest

from support import ExampleTest

PULLED = """
hooke: 1
planar: xy
gravity: [0, -9.81, 0]
bodies:
  crank: {mass: 1, com: [0, 0.1, 0], inertia: {zz: 0.01}}
  rod: {mass: 1, com: [0.2, 0.1, 0], inertia: {zz: 0.01}}
  slider: {mass: 1, com: [0.4, 0, 0]}
joints:
  O: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}
  A: {type: revolute, between: [crank, rod], at: [0, 0.2, 0], axis: z}
  B: {type: revolute, between: [rod, slider], at: [0.4, 0, 0], axis: z}
  S: {type: prismatic, between: [ground, slider], at: [0.4, 0, 0], axis: x, motion: {position: 0.2*t}}
run: {time: 4, step: 0.01}
"""
# crank and rod in line
REACH = 0.2 + math.hypot(0.4, 0.2)
END = (REACH - 0.4) / 0.2

STRETCHED = """
hooke: 1
planar: xy
bodies:
  crank: {mass: 1, com: [0.1, 0, 0], inertia: {zz: 0.01}}
  rod: {mass: 1, com: [0.45, 0, 0], inertia: {zz: 0.01}}
  slider: {mass: 1, com: [0.7, 0, 0]}
joints:
  O: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}
  A: {type: revolute, between: [crank, rod], at: [0.2, 0, 0], axis: z}
  B: {type: revolute, between: [rod, slider], at: [0.7, 0, 0], axis: z}
  S: {type: prismatic, between: [ground, slider], at: [0.7, 0, 0], axis: x}
start: {S: {position: -0.2}}
run: {time: 0.01, step: 0.01}
"""


class PastClosing(ExampleTest):
    def stops(self, *args):
        value = self.run_model(self.variant(PULLED), *args, code=5)
        self.assertEqual(value["status"], "failed")
        self.assertNear(value["time_s"], END, 1e-4, "where it stops")
        self.assertLess(value["constraint"]["position_max"], 1e-6)
        for words in ("loop through joints B, A, O, S cannot close", "joint 'B' stays ", " mm apart",
                      "in conflict with motion of joint 'S', position (", ":13)"):
            self.assertIn(words, value["message"])

    def test_formulations(self):
        for formulation in ("hybrid", "global", "topological", "recursive", "partition", "redundant"):
            for integrator in ("generalized_alpha", "rk4"):
                with self.subTest(formulation=formulation, integrator=integrator):
                    self.stops("--formulation", formulation, "--integrator", integrator)

    def test_integrators(self):
        for integrator in ("trapezoidal", "multistep", "sdirk", "abm2", "dopri5"):
            for formulation in ("hybrid", "redundant"):
                with self.subTest(integrator=integrator, formulation=formulation):
                    self.stops("--formulation", formulation, "--integrator", integrator)
        self.stops("--formulation", "redundant", "--integrator", "bdf")

    def test_drawn_stretched(self):
        # crank and rod in one line: they fold only to second order
        value = self.run_model(self.variant(STRETCHED))
        self.assertNear(value["final"]["joint.S.position"], -0.2, 1e-9)
        # the triangle of crank, rod and the distance left
        a = math.acos((0.2 ** 2 + 0.5 ** 2 - 0.5 ** 2) / (2 * 0.2 * 0.5))
        self.assertNear(abs(value["final"]["joint.O.angle"]), a, 1e-9)


if __name__ == "__main__":
    unittest.main()
