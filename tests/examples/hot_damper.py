#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/hot-damper.yaml: dissipated power heats a thermal node. Closed forms for known dissipation: a constant
one, and the ringing oscillator's; where its energy goes."""
import math
import unittest

from support import ExampleTest

EXAMPLE = "hot-damper.yaml"
M, K, D, X0, C, R, T0 = 2.0, 800.0, 4.0, 0.2, 5.0, 0.4, 293.15
DECAY = D / (2 * M)
OMEGA = math.sqrt(K / M - DECAY**2)


def velocity(t):
    return -X0 * K / (M * OMEGA) * math.exp(-DECAY * t) * math.sin(OMEGA * t)


def temperature(t, n=4000):
    """T0 + 1/c integral of d v^2 e^(-(t - s)/(R c)) ds, by Simpson's rule on the exact velocity"""
    def f(s):
        return D * velocity(s)**2 * math.exp(-(t - s) / (R * C))
    h = t / n
    return T0 + h / 3 * (f(0) + f(t) + 4 * sum(f(h * i) for i in range(1, n, 2))
                         + 2 * sum(f(h * i) for i in range(2, n, 2))) / C


def trapezoid(t, y):
    return sum((y[i] + y[i + 1]) / 2 * (t[i + 1] - t[i]) for i in range(len(t) - 1))


class HotDamper(ExampleTest):
    def test_closed_form(self):
        exact = temperature(1.0)
        self.assertGreater(exact, T0 + 1)
        for integrator, within in (("bdf", 1e-4), ("dopri5", 1e-5), ("rk4", 1e-5)):
            tight = ("--option", "rtol=1e-9") if integrator != "rk4" else ()
            final = self.run_model(EXAMPLE, "--time", 1, "--integrator", integrator, *tight)["final"]
            self.assertNear(final["node.case.temperature"], exact, within, integrator)

    def test_order(self):
        exact = temperature(1.0)
        for integrator, order in (("trapezoidal", 2), ("generalized_alpha", 2), ("multistep", 2), ("sdirk", 3)):
            errors = [abs(self.run_model(EXAMPLE, "--time", 1, "--integrator", integrator, "--step", h)
                          ["final"]["node.case.temperature"] - exact) for h in (2e-3, 1e-3, 5e-4)]
            self.assertOrder(errors, order, 0.3, integrator)

    def test_where_the_energy_goes(self):
        value, run = self.run_series(EXAMPLE, "--integrator", "trapezoidal", "--step", 5e-4)
        stored = C * (run["node.case.temperature"][-1] - T0)
        conducted = trapezoid(run["t"], run["network.outside.flow"])
        left = run["energy.total"][-1]
        self.assertNear(stored + conducted + left, 0.5 * K * X0**2, 2e-3, "heat stored, heat gone, motion left")
        self.assertNear(value["energy"]["dissipated_J"], stored + conducted, 2e-3)
        # the mechanical audit knows nothing of heat and is closed all the same
        self.assertLess(abs(value["energy"]["balance_error_J"]), 2e-3)
        self.assertNear(run["force.damper.dissipation"][100], D * run["force.damper.rate"][100]**2, 1e-9)

    def test_constant_power(self):
        # c dT/dt = P - (T - T0)/R: what the trapezoidal rule makes of it, to round-off
        text = self.text(EXAMPLE).replace("value: force.damper.dissipation", "value: 7.5")
        path = self.variant(text)
        step, n = 0.05, 100
        final = self.run_model(path, "--integrator", "trapezoidal", "--step", step, "--time", step * n)["final"]
        z = step / (R * C)
        discrete = T0 + 7.5 * R * (1 - ((1 - z / 2) / (1 + z / 2))**n)
        self.assertNear(final["node.case.temperature"], discrete, 1e-9, "the rule's own solution")
        self.assertNear(final["node.case.temperature"], T0 + 7.5 * R * (1 - math.exp(-n * z)), 1e-4, "exponential")
        self.assertNear(final["network.outside.flow"], (final["node.case.temperature"] - T0) / R, 1e-9)

    def test_oil_that_thins(self):
        # two-way: the damper weakens as it warms, and takes out what it heats
        text = self.text(EXAMPLE).replace("damping: d,", "damping: d*exp(-0.5*(node.case.temperature - T0)),")
        path = self.variant(text)
        value, run = self.run_series(path, "--integrator", "trapezoidal", "--step", 5e-4)
        plain = self.run_model(EXAMPLE, "--integrator", "trapezoidal", "--step", 5e-4)
        self.assertLess(value["energy"]["dissipated_J"], plain["energy"]["dissipated_J"])
        heat = C * (run["node.case.temperature"][-1] - T0) + trapezoid(run["t"], run["network.outside.flow"])
        self.assertNear(heat, value["energy"]["dissipated_J"], 5e-3)
        self.assertLess(value["iterations"], 5 * value["steps"])


if __name__ == "__main__":
    unittest.main()
