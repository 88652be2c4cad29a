#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Friction of surfaces that slide in several directions at once, and of threads: screws that hold themselves, sleeves,
balls, plates, points on planes and lines against closed forms, in every formulation; a loop with balls and sleeves."""
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from support import ExampleTest  # noqa: E402
from joint_friction import FORMULATIONS, G, LOOP, MU  # noqa: E402

SCREW = """hooke: 1
parameters: {factor: 1}
gravity: [0, 0, -9.81]
bodies: {load: {mass: 20, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints:
  nut: {type: screw, between: [ground, load], axis: z, at: [0, 0, 0], lead: 0.15*0.01*factor,
        friction: {type: coulomb, mu: 0.15, radius: 0.01}}
record: ["joint.nut.angle", "force.*"]
run: {time: 2, step: 5e-3, integrator: trapezoidal}
"""

# a body that rests on its centre of mass: 2 kg, inertia 0.02 kg m2 about all axes, gravity along -z, radius 0.1 m
BODY = """hooke: 1
gravity: [0, 0, -9.81]
bodies: {part: {mass: 2, com: [0, 0, 0], inertia: [0.02, 0.02, 0.02]}}
joints: {rub: {type: TYPE, between: [ground, part], AXIS friction: {type: coulomb, mu: 0.3, deflection: 1e-7RADIUS}}}
start: START
record: [RECORD, "force.*", "energy.*"]
run: {time: 0.7, step: 1e-3, integrator: trapezoidal}
"""

# a bob that does not turn, on a rod of 1 m with friction in both eyes
ROD = """hooke: 1
gravity: [0, 0, -9.81]
bodies: {bob: {mass: 2, com: [0.05, 0, -0.99875], inertia: [1e6, 1e6, 1e6]}}
joints:
  rod: {type: distance, between: [ground, bob], ends: [[0, 0, 0], [0.05, 0, -0.99875]],
        friction: {mu: 0.1, radius: 0.01, deflection: 1e-7}}
record: ["body.bob.position.x", "force.*", "energy.*"]
run: {time: 5, step: 5e-3, integrator: trapezoidal}
"""

# crank and rocker by a rod without mass, or by a coupler of 1 mg with pins
COUPLED = """hooke: 1
planar: xz
gravity: [0, 0, -9.81]
bodies:
  crank: {mass: 1, com: [0.1, 0, 0.1], inertia: [0.01, 0.01, 0.01]}
  rocker: {mass: 1.5, com: [0.8, 0, 0.25], inertia: [0.05, 0.05, 0.05]}
COUPLER
  A: {type: revolute, between: [ground, crank], axis: y, at: [0, 0, 0]}
  D: {type: revolute, between: [rocker, ground], axis: y, at: [0.8, 0, 0]}
start: {A: {rate: 8}}
record: ["joint.A.angle", "force.*", "energy.*"]
run: {time: 0.8, step: 5e-4, integrator: trapezoidal}
"""
BY_ROD = """joints:
  B: {type: distance, between: [crank, rocker], ends: [[0.2, 0, 0.2], [0.8, 0, 0.5]], friction: {mu: 0.3, radius: 0.03}}"""
BY_PINS = """  coupler: {mass: 1e-6, com: [0.5, 0, 0.35], inertia: [1e-7, 1e-7, 1e-7]}
joints:
  B: {type: revolute, between: [crank, coupler], axis: y, at: [0.2, 0, 0.2], friction: {mu: 0.3, radius: 0.03}}
  C: {type: revolute, between: [coupler, rocker], axis: y, at: [0.8, 0, 0.5], friction: {mu: 0.3, radius: 0.03}}"""

UNPRESSED = """hooke: 1
planar: xz
gravity: [0, 0, -9.81]
bodies:
  puck: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  arm: {mass: 1, com: [0, 0, 1], inertia: [1, 1, 1]}
joints:
  table: {type: planar, between: [ground, puck], normal: y, friction: {FRICTION}}
  pin: {type: revolute, between: [ground, arm], axis: y, at: [0, 0, 0], friction: {mu: 0.3, radius: 0.1}}
run: {time: 1, step: 0.1}
"""


class JointFrictionSurfaces(ExampleTest):
    def body(self, formulation, what, axis, radius, start, record, *args):
        text = BODY.replace("TYPE", what).replace("AXIS", axis + ("," if axis else "")).replace("START", start)
        text = text.replace("RADIUS", ", radius: 0.1" if radius else "").replace("RECORD", f'"{record}"')
        _, found = self.run_series(self.variant(text), "--formulation", formulation, *args)
        self.assertLess(abs(found["energy.balance_error"][-1]), 2e-3, f"{formulation} {what}")
        self.assertNear(found["force.rub.friction.normal"][-1], 2 * G, 1e-6, f"{formulation} {what}")
        return found

    def stops(self, found, channels, way, what):
        """the way is that from 1.5 m/s against mu g, along a line; then nothing moves"""
        for channel, share in zip(channels, way):
            self.assertNear(found[channel][-1], share * 1.5 ** 2 / (2 * MU * G), max(1, share) * 1e-5, f"{what} {channel}")
            self.assertNear(found[channel][-1], found[channel][-20], 1e-9, f"{what} {channel} at rest")

    def test_screw(self):
        """a nut under load holds itself where the thread is flatter than the angle of friction"""
        for formulation in FORMULATIONS:
            take = ("--formulation", formulation, "--set")
            _, found = self.run_series(self.variant(SCREW), *take, "factor=0.999999")
            self.assertLess(max(map(abs, found["joint.nut.angle"])), 1e-9, formulation)
            self.assertNear(found["force.nut.friction.normal"][-1], 20 * G, 1e-6, formulation)
            _, found = self.run_series(self.variant(SCREW), *take, "factor=1.1")
            lead, r = 0.15 * 0.01 * 1.1, 0.01
            # J + m p^2 turns by p Q - mu r Q, Q = m (g + p a)
            a = -20 * G * (lead - 0.15 * r) / (0.1 + 20 * lead * (lead - 0.15 * r))
            self.assertNear(found["joint.nut.angle"][-1], 0.5 * a * 4, 1e-4 * abs(a), formulation)

    def test_sleeve(self):
        """turning and sliding share one friction: with J = m r^2 the surface slides along a straight helix"""
        for formulation in FORMULATIONS:
            found = self.body(formulation, "cylindrical", "axis: x, at: [0, 0, 0]", True,
                              "{rub: {rate: 9, velocity: 1.2}}", "joint.rub.*")
            self.stops(found, ("joint.rub.position", ), (0.8, ), formulation)
            self.stops(found, ("joint.rub.angle", ), (0.6 / 0.1, ), formulation)

    def test_ball(self):
        """a ball turns about one line, slower by mu m g r/J, and stops"""
        for formulation in FORMULATIONS:
            found = self.body(formulation, "spherical", "at: [0, 0, 0]", True,
                              "{rub: {angular_velocity: [3, 4, 12]}}", "joint.rub.*")
            turned = 13 ** 2 / (2 * MU * 2 * G * 0.1 / 0.02)
            self.assertNear(found["joint.rub.orientation.w"][-1], math.cos(turned / 2), 6e-5, formulation)
            self.assertNear(found["joint.rub.orientation.z"][-1], 12 / 13 * math.sin(turned / 2), 6e-5, formulation)

    def test_heat(self):
        """what a ball loses heats a node"""
        text = BODY.replace("TYPE", "spherical").replace("AXIS", "at: [0, 0, 0],").replace("RADIUS", ", radius: 0.1, heats: box")
        text = text.replace("START", "{rub: {angular_velocity: [3, 4, 12]}}").replace("RECORD", '"node.*"')
        text += "nodes: {box: {type: thermal, start: 300}}\nnetwork: {iron: {type: heat_capacity, on: box, capacity: 2}}\n"
        for formulation in ("hybrid", "redundant"):
            _, found = self.run_series(self.variant(text), "--formulation", formulation)
            self.assertNear(2 * (found["node.box.temperature"][-1] - 300), 0.5 * 0.02 * 13 ** 2, 2e-3, formulation)

    def test_plate(self):
        """a plate and a point on a plane slide straight, in any direction; a point on a line"""
        for formulation in FORMULATIONS:
            found = self.body(formulation, "planar", "normal: z", False, "{rub: {velocity: [0.9, 1.2]}}", "joint.rub.*")
            self.stops(found, ("joint.rub.position.u", "joint.rub.position.v"), (0.6, 0.8), formulation)
            # x and the spin at 0.1 m: one friction for both
            found = self.body(formulation, "planar", "normal: z", True, "{rub: {velocity: [0.9, 0], rate: 12}}",
                              "joint.rub.*")
            self.stops(found, ("joint.rub.position.u", "joint.rub.angle"), (0.6, 0.8 / 0.1), formulation)
            place = ("body.part.position.x", "body.part.position.y")
            found = self.body(formulation, "in_plane", "normal: z, at: [0, 0, 0]", False,
                              "{part: {velocity: [0.9, 1.2, 0]}}", "body.part.position.*")
            self.stops(found, place, (0.6, 0.8), formulation)
            found = self.body(formulation, "in_line", "axis: y, at: [0, 0, 0]", False,
                              "{part: {velocity: [0, 1.5, 0]}}", "body.part.position.*")
            self.stops(found, place, (0, 1), formulation)

    def test_rod(self):
        """each half swing on a rod is shorter by 4 mu r/L, 2 mu r/L in each eye"""
        for formulation in FORMULATIONS:
            _, found = self.run_series(self.variant(ROD), "--formulation", formulation)
            x = found["body.bob.position.x"]
            turns = [0.05] + [a for b, a, c in zip(x, x[1:], x[2:]) if abs(a) > max(abs(b), abs(c))]
            self.assertGreater(len(turns), 4, formulation)
            for a, b in zip(turns, turns[1:]):
                self.assertNear(abs(a) - abs(b), 4 * 0.1 * 0.01, 2e-5, formulation)
            self.assertLess(max(map(abs, found["energy.balance_error"])), 2e-5, formulation)
            taken = [found[f"force.rod.friction.{eye}.dissipated"][-1] for eye in "ab"]
            self.assertNear(taken[0], taken[1], 1e-9, formulation)

    def test_rod_in_a_loop(self):
        """a rod rubs in its eyes like a coupler without mass in its pins"""
        _, pins = self.run_series(self.variant(COUPLED.replace("COUPLER", BY_PINS)), "--formulation", "redundant")
        taken = sum(pins[f"force.{pin}.friction.dissipated"][-1] for pin in "BC")
        self.assertGreater(taken, 0.1)
        for formulation in FORMULATIONS:
            text = COUPLED.replace("COUPLER", BY_ROD)
            if formulation in ("topological", "partition"):
                text = text.replace("planar: xz\n", "")
            _, rod = self.run_series(self.variant(text), "--formulation", formulation)
            # pins feel the forces across the coupler too: a share of (2 mu r/L)^2/2 = 3.6e-4 at most
            self.assertNear(rod["joint.A.angle"][-1], pins["joint.A.angle"][-1], 2e-4, formulation)
            self.assertNear(sum(rod[f"force.B.friction.{eye}.dissipated"][-1] for eye in "ab"), taken, 1e-3, formulation)

    def test_unpressed(self):
        """a plate in its own plane is pressed by nothing: the doctor says so, and is silent where there is a preload"""
        for friction, said in (("mu: 0.3", True), ("mu: 0.3, preload: 5", False)):
            result = self.command("check", self.variant(UNPRESSED.replace("FRICTION", friction)))
            self.assertEqual("friction of joint 'table' has no normal force" in result.stdout, said, friction)
            self.assertNotIn("joint 'pin' has no normal", result.stdout)

    def test_loop(self):
        """balls and sleeves in a plane loop rub like pins"""
        text = LOOP.replace("B: {type: revolute", "B: {type: spherical").replace("[crank, coupler], axis: y", "[crank, coupler]")
        text = text.replace("C: {type: revolute", "C: {type: cylindrical")
        for formulation in FORMULATIONS:
            _, pins = self.run_series(self.variant(LOOP), "--formulation", formulation)
            _, found = self.run_series(self.variant(text), "--formulation", formulation)
            self.assertNear(found["joint.A.angle"][-1], pins["joint.A.angle"][-1], 1e-10, formulation)
        text = text.replace("planar: xz\n", "")
        for formulation in FORMULATIONS:
            # the same equations where bodies have coordinates of their own; other coordinates in trees
            within = {"partition": 1e-10, "redundant": 1e-6}.get(formulation, 1.5e-4)
            _, pins = self.run_series(self.variant(LOOP), "--formulation", formulation, "--step", 5e-4)
            _, found = self.run_series(self.variant(text), "--formulation", formulation, "--step", 5e-4)
            self.assertNear(found["joint.A.angle"][-1], pins["joint.A.angle"][-1], within, formulation)
            taken = sum(found[f"force.{j}.friction.dissipated"][-1] for j in "ABCD")
            lost = found["energy.total"][0] - found["energy.total"][-1]
            self.assertNear(taken, lost, 1e-3, formulation)


if __name__ == "__main__":
    unittest.main()
