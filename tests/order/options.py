#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Options that bring methods back to the form in which they were published: one penalty for all rows, independent
coordinates chosen once, a fixed point without any tangent. Where both forms converge they give one solution."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from support import EXAMPLES, ExampleTest, SOURCE  # noqa: E402

HERE = SOURCE / "tests/order"


class Options(ExampleTest):
    def run_with(self, model, formulation, step, time, *options, integrator="trapezoidal", tolerance=1e-13, code=0):
        more = [x for o in options for x in ("--option", o)]
        return self.run_model(model, "--formulation", formulation, "--integrator", integrator, "--step", step, "--time",
                              time, "--tolerance", tolerance, "--substeps", "off", *more, code=code)

    def assertSame(self, a, b, within, kinds=("position",)):
        compared = 0
        for name, value in a["final"].items():
            if any(f".{kind}." in name + "." for kind in kinds):
                self.assertNear(value, b["final"][name], within, name)
                compared += 1
        self.assertGreater(compared, 1)

    def test_one_penalty(self):
        """constraints at position and at acceleration level, loops in relative and all rows in natural coordinates"""
        for integrator, alphas in (("trapezoidal", ("1e9", "1e10")), ("sdirk", ("1e4", "1e6"))):
            for formulation in ("hybrid", "global"):
                own = self.run_with(HERE / "rssr.yaml", formulation, 0.005, 0.3, integrator=integrator)
                for alpha in alphas:
                    run = self.run_with(HERE / "rssr.yaml", formulation, 0.005, 0.3, f"penalty_absolute={alpha}",
                                        integrator=integrator)
                    self.assertSame(own, run, 2e-9)
                    self.assertNotEqual(own["final"], run["final"], "the option does nothing")

    def test_small_penalty_takes_more_iterations(self):
        for formulation in ("hybrid", "global"):
            counts = [self.run_with("spatial-four-bar.yaml", formulation, 0.002, 0.1, f"penalty_absolute={alpha}",
                                    tolerance=1e-9)["iterations"] for alpha in ("1e7", "1e9")]
            self.assertGreater(counts[0], 1.2 * counts[1], formulation)

    def test_table_of_the_paper(self):
        """Cuadrado and Dopico 2003, table 1, with one penalty: the drift of the hybrid formulation to its last digit"""
        for step, drift in ((0.01, -0.01), (0.03, -0.12), (0.05, -0.34), (0.1, -1.34)):
            run = self.run_with("double-four-bar.yaml", "hybrid", step, 10, "penalty_absolute=1e9", tolerance=1e-9)
            self.assertNear(run["energy"]["max_drift_J"], drift, 0.005, f"step {step}")

    def test_coordinates_chosen_once(self):
        """every coordinate of this linkage turns back within a cycle; one that must stay independent cannot follow"""
        for formulation in ("topological", "partition"):
            text = (HERE / "triple-rocker.yaml").read_text(encoding="utf-8").replace('record: [', 'record: ["solver.*", ')
            model = self.variant(text)
            anew = self.run_with(model, formulation, 0.001, 2, tolerance=1e-9)
            self.assertEqual(anew["status"], "ok")
            self.assertGreater(anew["final"]["solver.choices"], 4, formulation)
            once = self.run_with(model, formulation, 0.001, 2, "choice=once", tolerance=1e-9, code=5)
            self.assertEqual((once["status"], once["final"]["solver.choices"]), ("failed", 0))
            self.assertLess(once["time_s"], 0.3)
            # as long as the first choice serves there is no difference
            a, b = (self.run_with(model, formulation, 0.001, 0.05, f"choice={c}") for c in ("anew", "once"))
            self.assertEqual(a["final"], b["final"])

    def test_choices_on_the_vehicle(self):
        """nothing is chosen anew on the stairs, and switching it off changes nothing"""
        for formulation in ("topological", "partition"):
            a, b = (self.run_with("iltis/ramp-and-stairs.yaml", formulation, 0.035, 4.2, f"choice={c}", tolerance=1e-8)
                    for c in ("anew", "once"))
            self.assertEqual(a["final"]["solver.choices"], 0)
            self.assertEqual(a["final"], b["final"])

    def test_plain_fixed_point(self):
        """one solution, more iterations; Newton's method cannot be asked for at the same time"""
        runs = [self.run_with("iltis-suspension.yaml", "recursive", 0.002, 0.3, f"implicit={i}", tolerance=1e-12)
                for i in ("joints", "none")]
        self.assertSame(*runs, 1e-9)
        self.assertGreater(runs[1]["iterations"], 1.2 * runs[0]["iterations"])
        # stiff feedback on the wrist: too much for it, and nothing takes over
        self.run_with("puma.yaml", "recursive", 0.01, 0.1, tolerance=1e-9)
        self.run_with("puma.yaml", "recursive", 0.01, 0.1, "implicit=none", tolerance=1e-9, code=5)
        result = self.command("run", EXAMPLES / "pendulum.yaml", "--formulation", "recursive", "--option", "implicit=none",
                              "--option", "tangent=exact", code=2)
        self.assertIn("without any tangent", result.stderr)
        self.assertIn("hint: leave out 'tangent'", result.stderr)


if __name__ == "__main__":
    unittest.main()
