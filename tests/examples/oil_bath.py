#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/oil-bath.yaml: the thermostat switches where the closed form says, and nothing but a network runs."""
import math
import unittest

from support import ExampleTest

EXAMPLE = "oil-bath.yaml"
C, R, P, ROOM, LOW, HIGH, START = 4000.0, 0.5, 200.0, 293.15, 333.15, 338.15, 330.0


def switches(end):
    """times at which the heater goes off, on, off ...; it is on at the start"""
    t, temperature, on, out = 0.0, START, True, []
    while True:
        final, goal = (ROOM + P * R, HIGH) if on else (ROOM, LOW)
        t += R * C * math.log((final - temperature) / (final - goal))
        if t > end:
            return out
        out.append(t)
        temperature, on = goal, not on


class OilBath(ExampleTest):
    def test_switching_times(self):
        for step in (2, 0.5):
            _, run = self.run_series(EXAMPLE, "--step", step)
            on = run["network.heater.on"]
            # off in the row of the start: a thermostat decides at the end of a step
            self.assertEqual(on[:2], [0, 1])
            found = [run["t"][i] for i in range(2, len(on)) if on[i] != on[i - 1]]
            expected = switches(3000)
            self.assertIn(len(expected) - len(found), (0, 1))
            # each switch comes at the end of the step that passed its temperature, so delays add up
            for k, (x, y) in enumerate(zip(found, expected)):
                self.assertNear(x, y, 3 * step * (k + 1), f"switch {k}, step {step}")

    def test_between_the_temperatures(self):
        _, run = self.run_series(EXAMPLE)
        first = next(i for i, on in enumerate(run["network.heater.on"]) if i and on == 0)
        later = run["node.oil.temperature"][first:]
        self.assertLess(max(later), HIGH + 0.1)
        self.assertGreater(min(later), LOW - 0.1)
        for on, flow in zip(run["network.heater.on"], run["network.heater.flow"]):
            self.assertEqual(flow, P * on)

    def test_every_implicit_method_runs_it(self):
        for integrator in ("trapezoidal", "generalized_alpha", "sdirk"):
            final = self.run_model(EXAMPLE, "--integrator", integrator)["final"]
            self.assertNear(final["node.oil.temperature"], (LOW + HIGH) / 2, 2.7, integrator)


if __name__ == "__main__":
    unittest.main()
