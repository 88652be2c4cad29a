#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The methods of formulation `partition`: each shows the integrators' order on step halving against a fine
run of `hybrid`, goes through changes of its coordinates, stops at a singular position with a message, resumes
to the last bit, and refuses the integrators it has nothing for."""
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from support import ALL, EXAMPLES, ExampleTest, SHORT, SOURCE  # noqa: E402

IMPLICIT = ("partition", "splitting", "augmented_newton", "tangent_plane")
EXPLICIT = ("partition", "tangent_plane", "null_space")
ROCKER = SOURCE / "tests/order/triple-rocker.yaml"
# smooth models: end time, step
MODELS = {
    "double-four-bar.yaml": (0.4, 0.005),
    "spatial-four-bar.yaml": (0.2, 0.002),
    "bricard.yaml": (0.5, 0.01),
    "iltis-suspension.yaml": (0.2, 0.002),
}
FLOOR = 2e-11  # of the range: round-off and the iteration's tolerance


class Methods(ExampleTest):
    def positions(self, model, step, time, *args):
        path = model if isinstance(model, pathlib.Path) else EXAMPLES / model
        variant = self.variant(f'hooke: 1\ninclude: ["{path}"]\nrecord: ["body.*.position"]\n')
        return self.run_series(variant, "--step", step, "--time", time, "--output-every", time / 10,
                               "--tolerance", 1e-12, *args)[1]

    def partition(self, method, integrator):
        return ("--formulation", "partition", "--option", f"method={method}", "--integrator", integrator)

    def error(self, found, expected):
        columns = [c for c in expected if c != "t"]
        self.assertEqual(len(found["t"]), len(expected["t"]))
        span = max(max(expected[c]) - min(expected[c]) for c in columns)
        return max(abs(a - b) for c in columns for a, b in zip(found[c], expected[c])) / span

    def test_orders(self):
        pairs = [(m, i, o) for m in IMPLICIT for i, o in (("trapezoidal", 2), ("sdirk", 3))]
        pairs += [(m, i, o) for m in EXPLICIT for i, o in (("rk4", 4), ("abm2", 2))]
        models = MODELS if ALL and not SHORT else dict(list(MODELS.items())[:2])  # all in check-all
        for model, (time, step) in models.items():
            reference = self.positions(model, step / 40, time, "--formulation", "hybrid", "--integrator", "rk4")
            for method, integrator, order in pairs:
                with self.subTest(model=model, method=method, integrator=integrator):
                    errors = [self.error(self.positions(model, h, time, *self.partition(method, integrator)),
                                         reference) for h in (step, step / 2)]
                    self.assertLess(errors[1], 5e-3)
                    if errors[1] > FLOOR:
                        self.assertGreater(math.log2(errors[0] / errors[1]), order - 0.3, f"errors {errors}")

    def test_coordinates_are_changed(self):
        # no coordinate of the triple rocker serves for a whole cycle
        reference = self.positions(ROCKER, 0.0001, 1.0, "--formulation", "hybrid", "--integrator", "rk4")
        for method, integrator in [(m, "sdirk") for m in IMPLICIT] + [(m, "rk4") for m in EXPLICIT]:
            with self.subTest(method=method, integrator=integrator):
                found = self.positions(ROCKER, 0.001, 1.0, *self.partition(method, integrator))
                self.assertLess(self.error(found, reference), 1e-3)

    def test_start_of_the_paper(self):
        # another start of the iteration, the same solution; where nothing is stiff it is the better one
        for method, integrator in ((m, i) for m in ("partition", "tangent_plane") for i in ("trapezoidal", "hht", "sdirk")):
            found = [self.run_model("spatial-four-bar.yaml", *self.partition(method, integrator), "--step", 0.005, "--time", 0.2,
                                    "--tolerance", 1e-12, *more) for more in ((), ("--option", "start=paper", "--option", "guards=off"))]
            for name, x in found[0]["final"].items():
                if ".position" in name or ".angle" in name:
                    self.assertNear(found[1]["final"][name], x, 1e-10, f"{method}, {integrator}, {name}")
            self.assertLess(found[1]["iterations"], 0.85 * found[0]["iterations"])
        # no degree of freedom: nothing to begin with
        self.run_model("slider-crank-driven.yaml", *self.partition("partition", "trapezoidal"), "--time", 0.05, "--option", "start=paper")

    def test_moving_constraints(self):
        reference = self.positions("slider-crank-driven.yaml", 0.001, 0.4, "--formulation", "hybrid")
        for method, integrator in [(m, "trapezoidal") for m in IMPLICIT] + [(m, "rk4") for m in EXPLICIT]:
            found = self.positions("slider-crank-driven.yaml", 0.001, 0.4, *self.partition(method, integrator))
            self.assertLess(self.error(found, reference), 1e-10, method)

    def test_stiff_examples(self):
        # the same solution as the method of the paper, whatever is unknown in the iteration
        for model, h in (("double-pendulum-stiff.yaml", 1e-4), ("slider-crank-stiff.yaml", 1e-3),
                         ("andrews-stiff.yaml", 1e-4)):
            runs = {m: self.run_model(model, "--time", 0.01, "--step", h, "--option", f"method={m}",
                                      "--tolerance", 1e-12, "--substeps", "off") for m in IMPLICIT}
            for name, x in runs["partition"]["final"].items():
                if name.endswith(".angle"):
                    self.assertNear(runs["augmented_newton"]["final"][name], x, 1e-10, f"{model} {name}")
                    for m in ("splitting", "tangent_plane"):
                        self.assertNear(runs[m]["final"][name], x, 1e-4 * (1 + abs(x)), f"{model} {name} {m}")

    def test_singular_position(self):
        for method, integrator in [(m, "trapezoidal") for m in IMPLICIT] + [("null_space", "rk4")]:
            value = self.run_model("double-four-bar.yaml", *self.partition(method, integrator), "--step", 0.005,
                                   code=5)
            self.assertEqual(value["status"], "failed", method)
            self.assertIn("cannot pass", value["message"], method)
            self.assertIn("pin_B1", value["message"], method)
            self.assertGreater(value["time_s"], 0.7, method)
            self.assertLess(value["time_s"], 0.73, method)

    def test_resume(self):
        for method, integrator in [(m, "trapezoidal") for m in IMPLICIT] + [("null_space", "abm2")]:
            args = (*self.partition(method, integrator), "--step", 0.002)
            keep, whole, parts = (self.dir / n for n in ("state.hkc", "whole.csv", "parts.csv"))
            self.run_model(ROCKER, "--time", 0.8, "--output", whole, *args)
            self.run_model(ROCKER, "--time", 0.4, "--checkpoint", keep, *args)
            parts.unlink(missing_ok=True)
            self.run_model(ROCKER, "--time", 0.8, "--resume", keep, "--output", parts, *args)
            rows = whole.read_text().splitlines()
            self.assertEqual(parts.read_text().splitlines()[1:], rows[-len(parts.read_text().splitlines()) + 1:],
                             method)

    def test_refusals(self):
        for method, integrator, words in (("null_space", "trapezoidal", "explicit steps only"),
                                          ("null_space", "sdirk", "explicit steps only"),
                                          ("splitting", "rk4", "a way to solve implicit steps"),
                                          ("augmented_newton", "dopri5", "a way to solve implicit steps")):
            result = self.command("run", EXAMPLES / "pendulum.yaml", *self.partition(method, integrator), code=2)
            self.assertIn(words, result.stderr)
            self.assertIn("hint", result.stderr)
        result = self.command("run", EXAMPLES / "pendulum.yaml", "--formulation", "partition", "--option",
                              "method=spliting", code=2)
        self.assertIn("splitting", result.stderr)


if __name__ == "__main__":
    unittest.main()
