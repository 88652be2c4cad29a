#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/pendulum.yaml against the closed form: accuracy, orders, parameters."""
import math
import unittest

from support import ExampleTest, SECOND_ORDER, SHORT, series

REFERENCE = series("pendulum.csv")


class Pendulum(ExampleTest):
    def errors(self, integrator, steps, end, *args):
        """largest distance of the bob from its exact place, for each step"""
        times = [t for t in REFERENCE["t"] if t <= end + 1e-9]
        found = []
        for h in steps:
            value, run = self.run_series("pendulum.yaml", "--integrator", integrator, "--step", h,
                                         "--time", end, *args)
            self.assertEqual(value["rejected"], 0)
            rows = self.at(run, times, h)
            found.append(max(math.hypot(run["body.bob.position.x"][i] - x,
                                        run["body.bob.position.y"][i] - y)
                             for i, x, y in zip(rows, REFERENCE["x"], REFERENCE["y"])))
        return found

    def test_counts(self):
        value = self.run_model("pendulum.yaml", "--time", 0.1)
        self.assertEqual([value[k] for k in ("bodies", "coordinates", "constraints", "dof", "redundant")],
                         [1, 1, 0, 1, 0])

    def test_orders(self):
        end = 2 if SHORT else 10
        for integrator in SECOND_ORDER:
            self.assertOrder(self.errors(integrator, (0.01, 0.005, 0.0025), end), 2, 0.03, integrator)

    def test_newmark_is_first_order(self):
        self.assertOrder(self.errors("newmark", (0.0025, 0.00125, 0.000625), 2), 1, 0.03, "newmark")

    def test_newmark_without_dissipation_is_the_trapezoidal_rule(self):
        a = self.run_model("pendulum.yaml", "--time", 1)
        b = self.run_model("pendulum.yaml", "--time", 1, "--integrator", "newmark", "--option", "gamma=0.5")
        self.assertNear(b["final"]["joint.pin.angle"], a["final"]["joint.pin.angle"], 1e-12, "angle")

    def test_hht_without_dissipation_is_the_trapezoidal_rule(self):
        a = self.run_model("pendulum.yaml", "--time", 1)
        b = self.run_model("pendulum.yaml", "--time", 1, "--integrator", "hht", "--option", "alpha=0")
        self.assertNear(b["final"]["joint.pin.angle"], a["final"]["joint.pin.angle"], 1e-12, "angle")

    def test_small_steps_reach_the_closed_form(self):
        # the distance found at this step is 6.02e-6 m over 10 s
        if SHORT:
            self.skipTest("long")
        self.assertLess(self.errors("trapezoidal", (0.0005,), 10)[0], 6.1e-6)

    def test_rate(self):
        _, run = self.run_series("pendulum.yaml", "--step", 0.001, "--time", 1)
        for i, t in zip(self.at(run, REFERENCE["t"][:11], 0.001), range(11)):
            self.assertNear(run["joint.pin.rate"][i], REFERENCE["theta_dot"][t], 2e-5, f"rate at {t / 10} s")

    def test_set(self):
        # the period grows with the square root of the length: four times as long, half as fast
        slow = self.run_model("pendulum.yaml", "--set", "L=4", "--time", 2, "--step", 0.002)
        fast = self.run_model("pendulum.yaml", "--time", 1, "--step", 0.001)
        self.assertNear(slow["final"]["joint.pin.angle"], fast["final"]["joint.pin.angle"], 1e-9, "angle")
        # parameters may be expressions, and set each other
        rest = self.run_model("pendulum.yaml", "--set", "release=-45*deg + pi/4", "--time", 1)
        self.assertNear(rest["final"]["joint.pin.angle"], 0, 1e-14, "angle")

    def test_energy_converges_with_the_step(self):
        drift = [self.run_model("pendulum.yaml", "--step", h, "--time", 3)["energy"]["max_drift_J"]
                 for h in (0.01, 0.005, 0.0025)]
        self.assertOrder([abs(x) for x in drift], 2, 0.1, "drift")


if __name__ == "__main__":
    unittest.main()
