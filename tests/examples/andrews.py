#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/andrews.yaml against the published solution, examples/andrews-a03.yaml against its series."""
import math
import unittest

from support import ExampleTest, SECOND_ORDER, SHORT, series

# Test Set for IVP Solvers, at 0.03 s: angle and rate
PUBLISHED = {
    "beta": (15.81077119629904, 1139.920302151208),
    "Theta": (-15.75637105984298, -1424.379294994111),
    "gamma": (0.04082224013073101, 11.03291221937134),
    "Phi": (-0.5347301163226948, 19.29337464421385),
    "delta": (0.5244099658805304, 0.5735699284790808),
    "Omega": (0.5347301163226948, -19.29337464421385),
    "epsilon": (1.048080741042263, 0.3231791658026955),
}


class TestSet(ExampleTest):
    def test_published_angles(self):
        # 4 microseconds are enough for the trapezoidal rule: 8.9e-6 rad; 2 for all: 3.4e-6 rad
        cases = [("trapezoidal", 4e-6)] if SHORT else [("trapezoidal", 4e-6)] + [
            (i, 2e-6) for i in SECOND_ORDER]
        for integrator, h in cases:
            value = self.run_model("andrews.yaml", "--integrator", integrator, "--step", h)
            self.assertEqual((value["bodies"], value["coordinates"], value["constraints"], value["dof"]),
                             (7, 7, 6, 1))
            self.assertEqual(value["rejected"], 0)
            for name, (angle, _) in PUBLISHED.items():
                self.assertNear(value["final"][f"joint.{name}.angle"], angle, 1e-5, f"{integrator}, {name}")

    def test_small_step(self):
        if SHORT:
            self.skipTest("long")
        value = self.run_model("andrews.yaml", "--step", 1e-6)
        for name, (angle, rate) in PUBLISHED.items():
            self.assertNear(value["final"][f"joint.{name}.angle"], angle, 1e-6, name)
            self.assertNear(value["final"][f"joint.{name}.rate"], rate, 5e-4, f"rate of {name}")
        # the motor's work is the torque times the angle turned
        work = 0.033 * (value["final"]["joint.beta.angle"] + 0.0617138900142764496)
        self.assertNear(value["energy"]["supplied_J"], work, 1e-6, "work of the motor")
        self.assertNear(value["energy"]["balance_error_J"], 0, 1e-6, "audit")

    def test_order(self):
        if SHORT:
            self.skipTest("long")
        errors = []
        for h in (16e-6, 8e-6, 4e-6):
            value = self.run_model("andrews.yaml", "--step", h)
            errors.append(abs(value["final"]["joint.beta.angle"] - PUBLISHED["beta"][0]))
        self.assertOrder(errors, 2, 0.15, "beta")

    def test_series(self):
        reference = series("andrews.csv")
        n = 11 if SHORT else 31
        _, run = self.run_series("andrews.yaml", "--step", 4e-6, "--time", reference["t"][n - 1],
                                 "--output-every", 0.001)
        self.assertEqual(len(run["t"]), n)
        for i in range(n):
            self.assertNear(run["t"][i], reference["t"][i], 1e-12, "time")
            for name in PUBLISHED:
                self.assertNear(run[f"joint.{name}.angle"][i], reference[name][i], 1e-5, f"{name} at row {i}")

    def test_angles_at_the_start(self):
        reference = series("andrews.csv")
        value = self.run_model("andrews.yaml", "--time", 1e-6)
        for name in PUBLISHED:
            self.assertNear(value["final"][f"joint.{name}.angle"], reference[name][0], 1e-7, name)
        # the published accelerations at the start are 14222.4439199541 for beta and -10666.8329399656
        self.assertNear(value["final"]["joint.beta.rate"] / 1e-6, 14222.4439199541, 1, "acceleration")
        self.assertNear(value["final"]["joint.Theta.rate"] / 1e-6, -10666.8329399656, 1, "acceleration")


class A03(ExampleTest):
    def test_series(self):
        reference = series("andrews-a03.csv")
        n = 6 if SHORT else 26
        _, run = self.run_series("andrews-a03.yaml", "--time", reference["t"][n - 1], "--output-every", 0.002)
        self.assertEqual(len(run["t"]), n)
        for i in range(n):
            self.assertNear(run["t"][i], reference["t"][i], 1e-12, "time")
            away = math.hypot(run["marker.F.position.x"][i] - reference["F_x"][i],
                              run["marker.F.position.y"][i] - reference["F_y"][i])
            self.assertLess(away, 5e-8, f"F at row {i}")

    def test_assembly_finds_the_other_angles(self):
        _, run = self.run_series("andrews-a03.yaml", "--time", 1e-5)
        self.assertEqual(run["joint.beta.angle"][0], -0.062)
        for name, angle in dict(Theta=2.1458685379941e-4, gamma=0.4552798121003702, Phi=0.22266837590302754,
                                delta=0.4873649811406329, Omega=-0.22266837590302707,
                                epsilon=1.2305474391566007).items():
            self.assertNear(run[f"joint.{name}.angle"][0], angle, 1e-12, name)
            self.assertNear(run[f"joint.{name}.rate"][0], 0, 1e-12, f"rate of {name}")


if __name__ == "__main__":
    unittest.main()
