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
        # at a fine tolerance: the two predict in different ways and leave different errors of the iteration
        fine = ("pendulum.yaml", "--time", 1, "--tolerance", "1e-13")
        a = self.run_model(*fine)
        b = self.run_model(*fine, "--integrator", "hht", "--option", "alpha=0")
        self.assertNear(b["final"]["joint.pin.angle"], a["final"]["joint.pin.angle"], 1e-12, "angle")

    @staticmethod
    def leading_error(step, end):
        """largest distance of the bob that the trapezoidal rule makes by its leading error: the rule solves
        y' = F + step^2/12 F'' (two derivatives in time) up to step^4; here by rk4 beside the closed form"""
        def slope(y):
            th, w = y
            g = 9.81
            f, df = -g * math.sin(th), -g * math.cos(th) * w
            ddf = g * math.sin(th) * w * w - g * math.cos(th) * f
            return w + step * step / 12 * df, f + step * step / 12 * ddf

        y, h, worst, per = (-0.5 * math.pi, 0.0), 1e-3, 0.0, 100  # the reference has a row each 0.1 s
        for i in range(round(end / h) + 1):
            if i % per == 0:
                worst = max(worst, math.hypot(math.sin(y[0]) - REFERENCE["x"][i // per],
                                              -math.cos(y[0]) - REFERENCE["y"][i // per]))
            k1 = slope(y)
            k2 = slope([a + 0.5 * h * b for a, b in zip(y, k1)])
            k3 = slope([a + 0.5 * h * b for a, b in zip(y, k2)])
            k4 = slope([a + h * b for a, b in zip(y, k3)])
            y = [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]
        return worst

    def test_small_steps_reach_the_closed_form(self):
        """as near as the rule's own leading error, and no nearer"""
        if SHORT:
            self.skipTest("long")
        expected = self.leading_error(0.0005, 10)
        self.assertNear(self.errors("trapezoidal", (0.0005,), 10)[0], expected, 1e-3 * expected, "distance")

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
