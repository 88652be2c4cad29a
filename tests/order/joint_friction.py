#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Friction in joints, pressed by their own reactions: a block on a slope, a pendulum with a rubbing bearing, a loop
with friction in all joints, in every formulation; the slopes of the normal force in the iteration; explicit methods."""
import math
import re
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from support import ExampleTest, SHORT  # noqa: E402

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")
MU, G = 0.3, 9.81

BLOCK = """hooke: 1
parameters: {angle: 0, v0: 0}
gravity: [9.81*sin(angle), 0, -9.81*cos(angle)]
bodies: {block: {mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints:
  slide: {type: prismatic, between: [ground, block], axis: x, at: [0, 0, 0], friction: {type: coulomb, mu: 0.3}}
start: {slide: {velocity: v0}}
record: ["joint.slide.*", "force.*", "solver.iterations"]
run: {time: 3, step: 5e-3, integrator: trapezoidal}
"""

PENDULUM = """hooke: 1
gravity: [0, 0, -9.81]
bodies: {bob: {mass: 1.5, com: [0, 0, -1], inertia: [1e-4, 1e-4, 1e-4]}}
joints:
  pin: {type: revolute, between: [ground, bob], axis: y, at: [0, 0, 0],
        friction: {type: coulomb, mu: 0.1, radius: 0.01, deflection: 1e-7}}
start: {pin: {angle: 0.05}}
record: ["joint.pin.*", "force.*", "energy.*"]
run: {time: 12, step: 2e-3, integrator: trapezoidal}
"""

LOOP = """hooke: 1
planar: xz
gravity: [0, 0, -9.81]
bodies:
  crank: {mass: 1, com: [0.1, 0, 0.1], inertia: [0.02, 0.02, 0.02]}
  coupler: {mass: 2, com: [0.5, 0, 0.35], inertia: [0.05, 0.05, 0.05]}
  rocker: {mass: 1.5, com: [0.8, 0, 0.25], inertia: [0.05, 0.05, 0.05]}
joints:
  A: {type: revolute, between: [ground, crank], axis: y, at: [0, 0, 0], friction: &f {mu: 0.2, radius: 0.02}}
  B: {type: revolute, between: [crank, coupler], axis: y, at: [0.2, 0, 0.2], friction: *f}
  C: {type: revolute, between: [coupler, rocker], axis: y, at: [0.8, 0, 0.5], friction: *f}
  D: {type: revolute, between: [rocker, ground], axis: y, at: [0.8, 0, 0], friction: *f}
start: {A: {rate: 8}}
record: ["joint.A.angle", "force.*", "energy.*"]
run: {time: 1, step: 1e-3, integrator: trapezoidal}
"""

# a block on a slope that a spring holds; pushed from 0.5 s on by less than mu N
REST = """hooke: 1
gravity: [0, 0, -9.81]
bodies: {block: {mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints:
  slide: {type: prismatic, between: [ground, block], axis: [0.8, 0, -0.6], at: [0, 0, 0], friction: {mu: 0.3, deflection: 1e-7}}
forces:
  spring: {type: joint_spring, joint: slide, stiffness: 400}
  push: {type: joint_force, joint: slide, value: "4*min(1, max(0, 5*t - 2.5))"}
start: {equilibrium: true}
record: ["joint.slide.*", "force.*", "energy.*"]
run: {time: 1, step: 1e-3, integrator: trapezoidal}
"""

LINKS = """hooke: 1
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  b: {mass: 1, com: [1.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  A: {type: revolute, between: [ground, a], axis: y, at: [0, 0, 0], friction: {mu: 0.5, radius: 0.6}}
  B: {type: revolute, between: [a, b], axis: y, at: [1, 0, 0], friction: {mu: 0.1, radius: 0.02}}
start: {A: {rate: 2}, B: {rate: -3}}
record: ["joint.*", "force.*"]
run: {time: 1, step: 5e-3, integrator: trapezoidal}
"""


RELEASED = """hooke: 1
gravity: [0, 0, -9.81]
bodies: {block: {mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints:
  slide: {type: prismatic, between: [ground, block], axis: x, at: [0, 0, 0], friction: {mu: 0.3, preload: 50}}
events: {apart: {when: "t >= 0.1", release: slide}}
start: {block: {velocity: [3, 0, 0]}}
record: ["body.block.velocity.x", "force.*"]
run: {time: 0.4, step: 5e-3, integrator: trapezoidal}
"""

JAM = """hooke: 1
parameters: {radius: 2}
gravity: [0, 0, -9.81]
bodies: {arm: {mass: 2, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {pin: {type: revolute, between: [ground, arm], axis: y, at: [0, 0, 0], friction: {mu: 3, radius: radius}}}
start: {pin: {rate: 3}}
run: {time: 1, step: 5e-3, integrator: trapezoidal}
"""


class JointFriction(ExampleTest):
    def go(self, text, *args):
        return self.run_series(self.variant(text), *args)

    def test_block_holds(self):
        """below the cone nothing moves in 100 s; the cone ends at atan(mu), within 1e-6"""
        for formulation in FORMULATIONS:
            take = ("--formulation", formulation, "--set")
            _, found = self.go(BLOCK, *take, f"angle={0.9 * math.atan(MU)!r}", "--time", 100, "--output-every", 0.5)
            self.assertLess(max(map(abs, found["joint.slide.position"])), 1e-9, formulation)
            self.assertNear(found["force.slide.friction.normal"][-1], 2 * G * math.cos(0.9 * math.atan(MU)), 1e-9)
            _, held = self.go(BLOCK, *take, f"angle={math.atan(MU) - 1e-6!r}", "--time", 10, "--output-every", 0.05)
            self.assertLess(max(map(abs, held["joint.slide.position"])), 1e-9, formulation)
            _, slid = self.go(BLOCK, *take, f"angle={math.atan(MU) + 1e-6!r}", "--time", 10, "--output-every", 0.05)
            slope = G * (math.cos(math.atan(MU)) + MU * math.sin(math.atan(MU))) * 1e-6
            self.assertNear(slid["joint.slide.position"][-1], slope * 50, 0.02 * slope * 50, formulation)

    def test_block_stops(self):
        """v^2/(2 mu g) = 4.247367 m from 5 m/s, at rest afterwards; up a slope and down again; at most three iterations a step"""
        for formulation in FORMULATIONS:
            value, found = self.go(BLOCK, "--formulation", formulation, "--set", "v0=5")
            self.assertNear(found["joint.slide.position"][-1], 25 / (2 * MU * G), 1e-5, formulation)
            self.assertLess(abs(found["joint.slide.velocity"][-1]), 1e-9, formulation)
            self.assertLessEqual(max(found["solver.iterations"]), 3, formulation)
            self.assertEqual(value["rejected"], 0, formulation)
            for angle in (0.9 * math.atan(MU), 1.3 * math.atan(MU)):
                value, found = self.go(BLOCK, "--formulation", formulation, "--set", f"angle={angle!r}", "--set", "v0=-3", "--time", 1.5)
                self.assertLessEqual(max(found["solver.iterations"]), 3, f"{formulation} {angle}")
                self.assertEqual(value["rejected"], 0, f"{formulation} {angle}")
                self.assertNear(min(found["joint.slide.position"]), -9 / (2 * G * (math.sin(angle) + MU * math.cos(angle))), 1e-4, formulation)

    def test_pendulum(self):
        """each half swing is shorter by 2 mu r/L: the amplitude falls along a line; then the bearing holds"""
        _, found = self.go(PENDULUM)
        angle = found["joint.pin.angle"]
        turns = [a for b, a, c in zip(angle, angle[1:], angle[2:]) if abs(a) > max(abs(b), abs(c))]
        turns = [0.05] + turns[:8]
        for a, b in zip(turns, turns[1:]):
            self.assertNear(abs(a) - abs(b), 2 * 0.1 * 0.01, 1e-5, "loss of a half swing")
        self.assertLess(max(map(abs, found["energy.balance_error"])), 1e-4)

    def test_loop(self):
        """four joints of a loop: all formulations against a fine explicit run; what friction takes is all that is lost"""
        exact = self.go(LOOP, "--formulation", "hybrid", "--integrator", "rk4", "--step", 1e-4)[1]["joint.A.angle"][-1]
        for formulation in FORMULATIONS:
            step = 1e-3 if SHORT else 5e-4
            _, found = self.go(LOOP, "--formulation", formulation, "--step", step)
            self.assertNear(found["joint.A.angle"][-1], exact, 4e-4 if SHORT else 1e-4, formulation)
            taken = sum(found[f"force.{j}.friction.dissipated"][-1] for j in "ABCD")
            self.assertNear(found["energy.dissipated"][-1], taken, 1e-9, formulation)
            lost = found["energy.total"][0] - found["energy.total"][-1]
            self.assertNear(taken, lost, 400 * step * step, formulation)

    def test_slopes(self):
        """friction as strong as the weight: the normal force costs no iterations where its slopes are known"""
        ends = {}
        for formulation, most in (("hybrid", 3.2), ("topological", 3.2), ("redundant", 3.2), ("global", 7),
                                  ("partition", 7), ("recursive", 7)):
            value, found = self.go(LINKS, "--formulation", formulation)
            self.assertLess(value["iterations"] / value["steps"], most, formulation)
            ends[formulation] = found["joint.A.angle"][-1]
        _, found = self.go(LINKS, "--formulation", "hybrid", "--step", 5e-4)
        for formulation, angle in ends.items():
            self.assertNear(angle, found["joint.A.angle"][-1], 2e-3, formulation)

    def test_released(self):
        """a joint that an event switches off does not rub on, not even by its preload"""
        for formulation in FORMULATIONS:
            _, found = self.go(RELEASED, "--formulation", formulation)
            slower = 3 - 0.3 * (50 + 2 * G) / 2 * 0.1
            self.assertNear(found["body.block.velocity.x"][-1], slower, 1e-6, formulation)
            self.assertEqual(found["force.slide.friction.normal"][-1], 0, formulation)

    def test_jam(self):
        """friction that raises its own normal force by more than itself, by mu r m L/J = 1.4 or 5.7, ends a run at once and by name"""
        for formulation in FORMULATIONS:
            for radius in (0.5, 2):
                take = ("--formulation", formulation, "--set", f"radius={radius}")
                result = self.command("run", self.variant(JAM), *take, code=5)
                self.assertIn("friction of joint 'pin' jams it", result.stderr, formulation)
                self.assertIn("make 'mu' or 'radius' of this friction smaller", result.stderr, formulation)
            # 0.86: it runs
            self.go(JAM, "--formulation", formulation, "--set", "radius=0.3", "--time", 0.1)
        self.assertIn("friction of joint 'pin' jams it", self.command("check", self.variant(JAM)).stdout)
        self.assertNotIn("jams", self.command("check", self.variant(JAM.replace("radius: 2", "radius: 0.3"))).stdout)

    def test_rests_where_sliding_would_jam(self):
        """mu r above the lever of the weight: at rest it holds, with N the weight, although it would jam if it slid"""
        resting = JAM.replace("rate: 3", "rate: 0").replace("run: {", 'record: ["joint.*", "force.*"]\nrun: {')
        for formulation in FORMULATIONS:
            for radius in (0.34, 0.5, 10):
                value, found = self.go(resting, "--formulation", formulation, "--set", f"radius={radius}", "--time", 0.5)
                self.assertLess(max(map(abs, found["joint.pin.angle"])), 1e-9, f"{formulation} {radius}")
                self.assertNear(found["force.pin.friction.normal"][-1], 2 * G, 1e-4, f"{formulation} {radius}")
                self.assertEqual(value["grade"], "good", f"{formulation} {radius}")

    def test_late_jam(self):
        """it slides while little presses it, until its own friction presses it more and more: named, with the time"""
        late = JAM.replace("rate: 3", "rate: 0").replace("run:", "forces: {load: {type: joint_torque, joint: pin, value: 12}}\nrun:")
        for formulation in FORMULATIONS:
            result = self.command("run", self.variant(late), "--formulation", formulation, "--set", "radius=0.5", code=5)
            told = re.search(r"at t = ([0-9.e-]+) s: friction of joint 'pin' jams it", result.stderr)
            self.assertIsNotNone(told, f"{formulation}: {result.stderr}")
            self.assertTrue(0.165 < float(told[1]) < 0.19, f"{formulation}: {told[1]}")

    def test_explicit(self):
        """accelerations and normal forces agree in explicit methods too"""
        _, fine = self.go(LINKS, "--step", 2e-4)
        for args in (("--integrator", "rk4", "--step", 1e-3), ("--integrator", "abm2", "--step", 5e-4)):
            for formulation in ("hybrid", "redundant", "global"):
                _, found = self.go(LINKS, "--formulation", formulation, *args)
                self.assertNear(found["joint.A.angle"][-1], fine["joint.A.angle"][-1], 1e-4, f"{formulation} {args}")
        _, found = self.go(LINKS, "--formulation", "redundant", "--integrator", "bdf")
        self.assertNear(found["joint.A.angle"][-1], fine["joint.A.angle"][-1], 1e-4)
        for integrator in ("hht", "generalized_alpha", "newmark", "sdirk"):
            _, found = self.go(LINKS, "--integrator", integrator, "--step", 1e-3)
            self.assertNear(found["joint.A.angle"][-1], fine["joint.A.angle"][-1], 2e-3, integrator)

    def test_equilibrium(self):
        """a start in equilibrium is the one without friction: it begins without a jump, and friction holds it there"""
        for formulation in FORMULATIONS:
            _, found = self.go(REST, "--formulation", formulation)
            x = found["joint.slide.position"]
            self.assertNear(x[0], 2 * G * 0.6 / 400, 1e-12, formulation)
            self.assertNear(found["force.slide.friction.normal"][0], 2 * G * 0.8, 1e-9, formulation)
            for i in range(499):
                self.assertNear(x[i], x[0], 1e-12, f"{formulation} {i}")
                self.assertLess(abs(found["force.slide.friction.force"][i]), 1e-9, f"{formulation} {i}")
            # 4 N of the 4.7 N that it holds: no farther than its bristle bends
            self.assertNear(max(x[500:]), x[0], 2e-7, formulation)
            self.assertNear(found["force.slide.friction.force"][-1], -4, 1e-3, formulation)
        words = "the equilibrium at the start is that without friction"
        self.assertIn(words, self.command("run", self.variant(REST)).stderr)
        for less in (REST.replace("start: {equilibrium: true}\n", ""), REST.replace(", friction: {mu: 0.3, deflection: 1e-7}", "")):
            self.assertNotIn(words, self.command("run", self.variant(less)).stderr)


if __name__ == "__main__":
    unittest.main()
