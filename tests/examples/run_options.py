#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the options of a run do to time, steps and results, on the example models."""
import math
import unittest

from support import EXAMPLES, ExampleTest, series


class Times(ExampleTest):
    def test_the_last_step_is_shortened(self):
        value, run = self.run_series("pendulum.yaml", "--time", 0.055)
        self.assertEqual(run["t"], [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.055])
        self.assertEqual((value["steps"], value["time_s"], value["step_s"]), (6, 0.055, 0.01))

    def test_a_step_longer_than_the_run(self):
        value, run = self.run_series("pendulum.yaml", "--time", 0.05, "--step", 1)
        self.assertEqual(run["t"], [0, 0.05])
        self.assertEqual(value["steps"], 1)

    def test_times_are_what_people_write(self):
        for h in (0.1, 0.01, 0.03, 0.002, 0.0125):
            _, run = self.run_series("pendulum.yaml", "--time", 3, "--step", h)
            digits = len(repr(h).split(".")[1])
            for k, t in enumerate(run["t"][:-1]):
                self.assertEqual(t, float(f"{k * h:.{digits}f}"), f"row {k}, step {h}")
            self.assertEqual(run["t"][-1], 3)

    def test_output_every(self):
        value, run = self.run_series("pendulum.yaml", "--time", 1, "--output-every", 0.25)
        self.assertEqual(run["t"], [0, 0.25, 0.5, 0.75, 1])
        self.assertEqual(value["steps"], 100)
        # between the rows of the grid: the first row at or after each time, and the end
        _, run = self.run_series("pendulum.yaml", "--time", 0.1, "--output-every", 0.035)
        self.assertEqual(run["t"], [0, 0.04, 0.07, 0.1])

    def test_time_and_step_override_the_model(self):
        value = self.run_model("bricard.yaml", "--time", 0.1, "--step", 0.01)
        self.assertEqual((value["time_s"], value["step_s"], value["steps"]), (0.1, 0.01, 10))

    def test_step_changes_results_by_its_order(self):
        x = [self.run_model("double-four-bar.yaml", "--time", 0.5, "--step", h)["final"]["marker.B0.position.x"]
             for h in (0.02, 0.01, 0.005)]
        self.assertNear(math.log2((x[0] - x[1]) / (x[1] - x[2])), 2, 0.05, "order")


class Options(ExampleTest):
    def test_set_changes_results(self):
        fast = self.run_model("double-four-bar.yaml", "--set", "speed=2", "--time", 0.5)
        self.assertNear(fast["energy"]["initial_J"] - 35.835, 1.5 * 3, 1e-9, "kinetic energy is fourfold")
        scaled = self.run_model("double-four-bar.yaml", "--set", "m=2", "--time", 0.5)
        plain = self.run_model("double-four-bar.yaml", "--time", 0.5)
        self.assertNear(scaled["energy"]["initial_J"], 2 * plain["energy"]["initial_J"], 1e-12, "energy")
        self.assertNear(scaled["final"]["marker.B0.position.x"], plain["final"]["marker.B0.position.x"], 1e-12,
                        "mass cancels")

    def test_options_of_the_integrator(self):
        def drift(*args):
            return self.run_model("double-four-bar.yaml", "--time", 3, "--integrator", "generalized_alpha",
                                  *args)["energy"]["balance_error_J"]
        strong, weak = drift("--option", "rho_inf=0"), drift("--option", "rho_inf=1")
        self.assertLess(strong, -1e-4)
        self.assertLess(abs(weak), abs(strong) / 5)
        self.assertEqual(drift("--integ.rho_inf", 0), strong)

    def test_tolerance(self):
        loose = self.run_model("spatial-four-bar.yaml", "--time", 0.2, "--tolerance", 1e-4)
        tight = self.run_model("spatial-four-bar.yaml", "--time", 0.2, "--tolerance", 1e-12)
        self.assertGreater(tight["iterations"], loose["iterations"])

    def test_the_same_run_gives_the_same_bits(self):
        a, b = self.dir / "a.csv", self.dir / "b.csv"
        for out in (a, b):
            self.run_model("mirrored-axle.yaml", "--time", 0.5, "--output", out)
        self.assertEqual(a.read_bytes(), b.read_bytes())

    def test_recording_changes_nothing(self):
        # reactions and accelerations are by-products
        text = self.text("spatial-four-bar.yaml")
        head = text[:text.index("record:")]
        full = self.variant(head + 'record: ["*"]\nrun: {time: 0.3, step: 0.001, integrator: trapezoidal}\n')
        few = self.variant(head + 'record: ["joint.pin_A0.angle"]\nrun: {time: 0.3, step: 0.001, '
                           "integrator: trapezoidal}\n", "few.yaml")
        a, b = self.run_model(full), self.run_model(few)
        self.assertEqual(a["final"]["joint.pin_A0.angle"], b["final"]["joint.pin_A0.angle"])
        self.assertEqual(a["energy"], b["energy"])
        self.assertEqual(a["iterations"], b["iterations"])


class Substeps(ExampleTest):
    # far too long a step for a crank that turns twice in a second
    STEP = ("--step", 0.2)

    def test_on_by_default(self):
        value, run = self.run_series("spatial-four-bar.yaml", *self.STEP)
        self.assertEqual(value["status"], "ok")
        self.assertGreater(value["rejected"], 0)
        # wrong, but not on its way to another solution of the equations of a step
        self.assertLess(abs(value["energy"]["max_drift_J"]), 20)
        # the parts are steps too, and rows are written where the grid is
        self.assertGreater(value["steps"], 10)
        for t in (0.2, 0.4, 1.8, 2):
            self.assertIn(t, run["t"])

    def test_off(self):
        out = self.dir / "kept.csv"
        result = self.command("run", EXAMPLES / "spatial-four-bar.yaml", *self.STEP, "--substeps", "off",
                              "--output", out, code=5)
        self.assertIn("did not converge", result.stderr)
        self.assertIn("--step", result.stderr)

    def test_results_so_far_are_kept(self):
        out = self.dir / "kept.csv"
        value = self.run_model("spatial-four-bar.yaml", "--step", 0.17, "--time", 20, "--substeps", "off",
                               "--output", out, code=5)
        self.assertEqual((value["status"], value["rejected"]), ("failed", 0))
        self.assertIn("did not converge", value["message"])
        run = series(out)
        self.assertEqual(len(run["t"]), value["steps"] + 1)
        self.assertGreaterEqual(value["steps"], 1)
        self.assertEqual(run["t"][-1], value["time_s"])


if __name__ == "__main__":
    unittest.main()
