#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/gyroscope.yaml: steady precession, exact: its rate and reaction, with every choice that the file names."""
import json
import math
import unittest

from support import ExampleTest, orders

EXAMPLE = "gyroscope.yaml"
M, L, I, W, G = 0.5, 0.1, 4e-4, 150.0, 9.80665
PRECESSION = M * G * L / (I * W)


def away(final, t):
    """distance of the centre of mass from where it should be"""
    exact = (L * math.cos(PRECESSION * t), L * math.sin(PRECESSION * t), 0)
    return math.dist(exact, [final[f"body.rotor.position.{x}"] for x in "xyz"])


class Gyroscope(ExampleTest):
    def test_precession(self):
        value = self.run_model(EXAMPLE)
        self.assertLess(away(value["final"], 2), 5e-3)
        self.assertGreater(PRECESSION * 2, 4 * math.pi)  # more than two rounds

    def test_order_with_every_choice(self):
        for states in ("momenta", "velocities"):
            for rotations in ("cayley", "exponential"):
                # two is promised; evenly round and round the leading terms nearly cancel with momenta and Cayley's
                # parameters, and shorter steps than 0.02 rad are needed to see what is left of them
                longest = 1.25e-4 if (states, rotations) == ("momenta", "cayley") else 5e-4
                errors = [away(self.run_model(EXAMPLE, "--time", 0.5, "--step", h, "--option", f"states={states}",
                                              "--option", f"rotations={rotations}")["final"], 0.5)
                          for h in (longest, longest / 2, longest / 4)]
                self.assertGreater(min(orders(errors)), 1.7, f"{states}, {rotations}: {errors}")

    def test_solvers_agree(self):
        features = json.loads(self.command("--version", "--json").stdout)["features"]
        solvers = ("dense", "auto", "sparse") if features["klu"] else ("dense", "auto")
        finals = [self.run_model(EXAMPLE, "--time", 0.5, "--option", f"solver={solver}")["final"] for solver in solvers]
        for other in finals[1:]:
            for name, x in finals[0].items():
                self.assertNear(other[name], x, 1e-8 * (1 + abs(x)), name)

    def test_choices_differ(self):
        # they are choices: results at a coarse step tell them apart
        finals = {(s, r): self.run_model(EXAMPLE, "--time", 0.2, "--step", 2e-3, "--option", f"states={s}", "--option",
                                         f"rotations={r}")["final"]["body.rotor.position.z"]
                  for s in ("momenta", "velocities") for r in ("cayley", "exponential")}
        self.assertNotEqual(finals["momenta", "cayley"], finals["velocities", "cayley"])
        self.assertNotEqual(finals["momenta", "cayley"], finals["momenta", "exponential"])

    def test_tangent_plane(self):
        """coordinates of a tangent plane that follows the rotor lose no more energy than its own ones do"""
        for integrator in ("trapezoidal", "generalized_alpha", "rk4"):
            for step in (0.004, 0.002, 0.001):
                drift = {m: abs(self.run_model(EXAMPLE, "--formulation", "partition", "--integrator", integrator, "--time", 1,
                                               "--step", step, "--option", f"method={m}")["energy"]["max_drift_J"])
                         for m in ("partition", "tangent_plane")}
                self.assertLess(drift["tangent_plane"], 2 * drift["partition"], f"{integrator}, {step}")

    def test_the_pivot_carries_the_weight(self):
        _, run = self.run_series(EXAMPLE, "--step", 2.5e-4, "--time", 0.2)
        k = len(run["t"]) - 1
        self.assertNear(run["joint.ball.force.z"][k], M * G, 0.02 * M * G, "weight")
        inward = -(run["joint.ball.force.x"][k] * math.cos(PRECESSION * 0.2)
                   + run["joint.ball.force.y"][k] * math.sin(PRECESSION * 0.2))
        self.assertNear(inward, M * PRECESSION**2 * L, 0.02 * M * PRECESSION**2 * L, "towards the pivot")


if __name__ == "__main__":
    unittest.main()
