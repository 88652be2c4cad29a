#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A motion that drives a loop past closing: every formulation and every integrator stops there and names the loop,
the gap and the motion; and a mechanism drawn at a singular position is assembled all the same."""
import json
import math
import re
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

# the rocker of a six-bar press locks before the crank has turned round
PRESS = """
hooke: 1
planar: xy
gravity: [0, -9.81, 0]
points: {O: [0, 0, 0], A: [0, 0.42, 0], B: [0.5, 0.25, 0], D: [0.5, -0.15, 0], P: [0.8, -0.15, 0]}
bodies:
  crank: {mass: 5, com: [0, 0.21, 0], inertia: {zz: 0.02}}
  coupler: {mass: 6, com: [0.25, 0.175, 0], inertia: {zz: 0.15}}
  rocker: {mass: 8, com: [0.5, 0.05, 0], inertia: {zz: 0.1}}
  link: {mass: 5, com: [0.6, 0, 0], inertia: {zz: 0.1}}
  ram: {mass: 30, com: [0.8, -0.15, 0], inertia: {zz: 0.3}}
joints:
  motor: {type: revolute, between: [ground, crank], at: O, axis: z, motion: {angle: 2*pi*t}}
  A: {type: revolute, between: [crank, coupler], at: A, axis: z}
  B: {type: revolute, between: [coupler, rocker], at: B, axis: z}
  D: {type: revolute, between: [ground, rocker], at: D, axis: z}
  B2: {type: revolute, between: [rocker, link], at: B, axis: z}
  P: {type: revolute, between: [link, ram], at: P, axis: z}
  guide: {type: prismatic, between: [ground, ram], at: P, axis: x}
run: {time: 3, step: 0.001, formulation: hybrid}
"""

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
        reached = float(re.match(r"at t = ([-0-9.e]+) s: ", value["message"])[1])
        self.assertNear(reached, END, 1e-4, "where it stops")
        # the parts of the last step, which creep up to infinite speeds, do not count
        self.assertLessEqual(value["time_s"], reached + 1e-8)  # the message has nine figures
        self.assertGreater(value["time_s"], END - 0.01)
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

    def test_a_press_that_locks(self):
        result = self.command("run", self.variant(PRESS), "--json", code=5)
        value = json.loads(result.stdout)
        self.assertIn("loop through joints B, A, motor, D cannot close", value["message"])
        self.assertIn("hint: the motion asks for a position that the loop cannot reach, at or past a dead point",
                      result.stderr)
        self.assertNotIn("--step", result.stderr)
        # steps in parts near the dead point had supplied 8.4e7 J
        self.assertNear(value["time_s"], 0.148, 1e-12)
        self.assertEqual(value["steps"], 148)
        energy = value["energy"]
        self.assertLess(max(abs(energy["supplied_J"]), abs(energy["final_J"])), 2000)
        self.assertLess(value["constraint"]["velocity_max"], 1e-9)

    def test_drawn_stretched(self):
        # crank and rod in one line: they fold only to second order
        value = self.run_model(self.variant(STRETCHED))
        self.assertNear(value["final"]["joint.S.position"], -0.2, 1e-9)
        # the triangle of crank, rod and the distance left
        a = math.acos((0.2 ** 2 + 0.5 ** 2 - 0.5 ** 2) / (2 * 0.2 * 0.5))
        self.assertNear(abs(value["final"]["joint.O.angle"]), a, 1e-9)


if __name__ == "__main__":
    unittest.main()
