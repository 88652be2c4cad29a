#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stops in every formulation: a pendulum that bounces and comes to rest, a double pendulum with limits, a gear."""
import math
import unittest

from support import ExampleTest

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "redundant", "partition")
INTEGRATORS = ("trapezoidal", "generalized_alpha", "newmark", "hht", "sdirk", "multistep", "rk4", "abm2", "dopri5", "bdf")

# a rod falls from the horizontal on a stop 60 degrees below
PENDULUM = """\
hooke: 1
planar: xz
gravity: [0, 0, -9.81]
parameters: {e: 0.5, rest: 1e-4}
bodies:
  rod: {mass: 2, com: [0.5, 0, 0], inertia: {yy: 2/12}}
joints:
  pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: y,
        limits: {angle: [null, 60*deg], restitution: e, rest: rest}}
record: ["joint.pin.*", "energy.*"]
run: {time: 4, step: 0.002, integrator: rk4}
"""

DOUBLE = """\
hooke: 1
planar: xz
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, com: [0.5, 0, 0], inertia: {yy: 0.08}}
  b: {mass: 1, com: [1.5, 0, 0], inertia: {yy: 0.08}}
joints:
  s: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y, limits: {angle: [-0.2, 1.2], restitution: 0.6}}
  k: {type: revolute, between: [a, b], at: [1, 0, 0], axis: y, limits: {angle: [0, 0.8], restitution: 0.3}}
record: ["joint.*.angle", "joint.*.rate", "energy.*"]
run: {time: 1.5, step: 0.0005, integrator: rk4}
"""


class Pendulum(ExampleTest):
    def test_restitution(self):
        """speeds before and after each impact follow from the energy; the pile-up ends at rest"""
        inertia, weight, end = 2 / 12 + 0.5, 2 * 9.81 * 0.5, math.radians(60)
        speed = math.sqrt(2 * weight * math.sin(end) / inertia)
        for e in (0, 0.3, 0.7, 1):
            for formulation in FORMULATIONS:
                value, run = self.run_series(self.variant(PENDULUM), "--set", f"e={e}", "--formulation", formulation)
                hits = [i for i, x in enumerate(run["joint.pin.angle"]) if abs(x - end) < 1e-10]
                if e:
                    rebounds = [run["joint.pin.rate"][i] for i in hits if run["joint.pin.rate"][i] < -1e-3]
                    for n, rate in enumerate(rebounds, 1):
                        self.assertNear(rate, -speed * e ** n, 1e-8, f"{formulation}: rebound {n}, e = {e}")
                    self.assertGreater(len(rebounds), 2)
                energy = value["energy"]
                self.assertNear(energy["max_drift_J"], 0, 1e-8, formulation)
                if e < 1:
                    self.assertNear(energy["dissipated_J"], weight * math.sin(end), 1e-8, "all of it is lost")
                    self.assertNear(value["final"]["joint.pin.angle"], end, 1e-11, "at rest")
                    self.assertNear(value["final"]["joint.pin.rate"], 0, 1e-11, "at rest")
                else:
                    self.assertNear(energy["dissipated_J"], 0, 1e-9, "nothing is lost")

    def test_integrators(self):
        for integrator in INTEGRATORS:
            options = ("--option", "rtol=1e-9") if integrator in ("dopri5", "bdf") else ()
            value, run = self.run_series(self.variant(PENDULUM), "--integrator", integrator, "--formulation",
                                         "redundant" if integrator == "bdf" else "hybrid", *options)
            # newmark is of order 1
            within = 0.05 if integrator == "newmark" else 1e-3
            self.assertNear(value["energy"]["dissipated_J"], 2 * 9.81 * 0.5 * math.sin(math.radians(60)),
                            10 * within, integrator)
            self.assertNear(run["joint.pin.rate"][-1], 0, 1e-9, f"{integrator}: at rest")
            self.assertNear(run["joint.pin.angle"][-1], math.radians(60), 1e-9, f"{integrator}: at rest")


# the stop of one wheel stops both
GEAR = """\
hooke: 1
bodies:
  a: {mass: 1, com: [0, 0, 0], inertia: {diagonal: [0.1, 0.1, 0.1]}}
  b: {mass: 1, com: [1, 0, 0], inertia: {diagonal: [0.3, 0.3, 0.3]}}
joints:
  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, limits: {angle: [null, 1], restitution: 0.5}}
  r: {type: revolute, between: [ground, b], at: [1, 0, 0], axis: z}
  g: {type: gear, joints: [p, r], ratio: -2}
start: {p: {rate: 2}}
record: ["joint.*.rate", "energy.*"]
run: {time: 1, step: 0.01}
"""


class Gear(ExampleTest):
    def test_formulations(self):
        for formulation in FORMULATIONS:
            value = self.run_model(self.variant(GEAR), "--formulation", formulation)
            # global holds the row of a gear to 1e-6
            within = 1e-5 if formulation == "global" else 1e-12
            self.assertNear(value["final"]["joint.p.rate"], -1, within, formulation)
            self.assertNear(value["final"]["joint.r.rate"], 0.5, within, formulation)
            self.assertNear(value["energy"]["dissipated_J"], 0.75 * 0.35, within, formulation)


class Double(ExampleTest):
    def test_formulations(self):
        first = None
        for formulation in FORMULATIONS:
            value, run = self.run_series(self.variant(DOUBLE), "--formulation", formulation)
            self.assertGreater(value["impacts"], 8)
            self.assertNear(value["energy"]["max_drift_J"], 0, 1e-6, formulation)
            for joint, (low, high) in {"s": (-0.2, 1.2), "k": (0, 0.8)}.items():
                self.assertGreater(min(run[f"joint.{joint}.angle"]), low - 1e-9)
                self.assertLess(max(run[f"joint.{joint}.angle"]), high + 1e-9)
            first = first or value
            self.assertEqual(value["impacts"], first["impacts"])
            for name in ("joint.s.angle", "joint.k.angle", "joint.k.rate"):
                self.assertNear(value["final"][name], first["final"][name], 1e-7, f"{name} {formulation}")


if __name__ == "__main__":
    unittest.main()
