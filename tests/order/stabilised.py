#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stabilised forms of the redundant formulation: the order of every integrator on step halving, the motion of
hybrid, and the drift that tells them apart."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from support import ALL, EXAMPLES, SHORT, ExampleTest, orders  # noqa: E402

MODELS = {  # end time, step
    "pendulum.yaml": (0.5, 0.005),
    "double-four-bar.yaml": (0.5, 0.005),
    "spatial-four-bar.yaml": (0.2, 0.002),
    "spinning-body.yaml": (0.4, 0.005),
}
STAGES = ("ggl", "fuhrer_leimkuhler", "overdetermined")
IMPLICIT = {"trapezoidal": 2, "multistep": 2, "generalized_alpha": 2, "hht": 2, "newmark": 1}
EXPLICIT = {"rk4": 4, "abm2": 2, "dopri5": 5, "sdirk": 3}  # with Baumgarte's terms only


class Stabilised(ExampleTest):
    def go(self, model, method, step, time, integrator="trapezoidal", *more):
        return self.run_model(model, "--formulation", "redundant", "--integrator", integrator, "--step", step,
                              "--time", time, "--option", f"stabilisation={method}", *more)

    def reference(self, model, time, step):
        """poses of all bodies at the end of a fine run of hybrid"""
        text = f'hooke: 1\ninclude: ["{EXAMPLES / model}"]\nrecord: ["body.*.position", "body.*.orientation"]\n'
        path = self.variant(text, f"all-{model}")
        end = self.run_model(path, "--formulation", "hybrid", "--integrator", "rk4", "--step", step / 40, "--time",
                             time)["final"]
        names = [n for n in end if ".position." in n or ".orientation." in n]
        self.assertTrue(names)
        return path, {n: end[n] for n in names}

    def error(self, found, exact):
        """of positions and orientations, whose quaternions have two signs"""
        worst = 0.0
        for body in {n.rsplit(".", 1)[0] for n in exact}:
            parts = [n for n in exact if n.rsplit(".", 1)[0] == body]
            signs = (1, -1) if body.endswith(".orientation") else (1,)
            worst = max(worst, min(max(abs(found[n] - s * exact[n]) for n in parts) for s in signs))
        return worst

    def check_order(self, model, path, exact, method, integrator, order, steps, time, *more):
        errors = [self.error(self.go(path, method, h, time, integrator, *more)["final"], exact) for h in steps]
        if errors[-1] > 1e-12:
            self.assertGreater(orders(errors)[0], order - 0.3, f"{model}, {method}, {integrator}: {errors}")
        self.assertLess(errors[-1], 1e-2)

    def test_orders(self):
        # every pair of method and integrator on one model; on the others each integrator has its turn with one method
        methods = STAGES + ("baumgarte",)
        for i, (model, (time, step)) in enumerate(MODELS.items()):
            if SHORT and model != "spatial-four-bar.yaml":
                continue
            path, exact = self.reference(model, time, step)
            for k, (integrator, order) in enumerate(IMPLICIT.items()):
                for method in methods if ALL or model == "spatial-four-bar.yaml" else (methods[(i + k) % len(methods)],):
                    with self.subTest(model=model, method=method, integrator=integrator):
                        self.check_order(model, path, exact, method, integrator, order, (step, step / 2), time)
            for integrator, order in EXPLICIT.items() if ALL or model == "spatial-four-bar.yaml" else ():
                more = ("--option", "step_control=off") if integrator == "dopri5" else ()
                # constraints that decay with the gains: they must be resolved before the order shows
                more += ("--option", "baumgarte_alpha=5", "--option", "baumgarte_beta=5")
                with self.subTest(model=model, method="baumgarte", integrator=integrator):
                    self.check_order(model, path, exact, "baumgarte", integrator, order, (step, step / 2), time, *more)

    def test_drift(self):
        """index 1 drifts with t^2; Baumgarte's terms bound it; multipliers leave round-off; least squares h^3"""
        model, step = "double-four-bar.yaml", 0.005
        plain = ("--option", "baumgarte_alpha=0", "--option", "baumgarte_beta=0")

        def drift(method, h, time, integrator, *more):
            return self.go(model, method, h, time, integrator, *more)["constraint"]

        for integrator in ("trapezoidal", "abm2"):
            # the linkage is far from its singular position in these times
            early = drift("baumgarte", step, 0.25, integrator, *plain)["position_max"]
            late = drift("baumgarte", step, 0.5, integrator, *plain)["position_max"]
            held = drift("baumgarte", step, 0.5, integrator)["position_max"]
            self.assertGreater(late, 3 * early, integrator)
            self.assertLess(held, 0.4 * late, integrator)
        for method, levels in (("ggl", 2), ("fuhrer_leimkuhler", 3)):
            for integrator in ("trapezoidal", "multistep"):
                found = drift(method, step, 0.5, integrator)
                for level in ("position_max", "velocity_max", "acceleration_max")[:levels]:
                    self.assertLess(found[level], 1e-13, (method, integrator, level))
        self.assertGreater(drift("ggl", step, 0.5, "trapezoidal")["acceleration_max"], 1e-5)
        coarse, fine = (drift("overdetermined", h, 0.5, "trapezoidal") for h in (step, step / 2))
        self.assertLess(coarse["position_max"], 1e-6)
        for level, order in (("position_max", 3), ("velocity_max", 2)):
            self.assertGreater(fine[level], 1e-12)
            self.assertAlmostEqual(orders([coarse[level], fine[level]])[0], order, delta=0.2, msg=level)

    def test_long_run(self):
        """without terms the bodies leave their joints further and further, all else stays where it soon is"""
        early, late = (0.5, 1.0) if SHORT else (1, 4)

        def drift(method, gain, time, integrator="multistep"):
            more = ("--option", f"baumgarte_alpha={gain}", "--option", f"baumgarte_beta={gain}")
            return self.go("spatial-four-bar.yaml", method, 2e-3, time, integrator, *more)["constraint"]["position_max"]

        for integrator in ("trapezoidal", "multistep", "abm2"):
            plain = [drift("baumgarte", 0, t, integrator) for t in (early, late)]
            terms = [drift("baumgarte", 20, t, integrator) for t in (early, late)]
            self.assertGreater(plain[1], (1.5 if SHORT else 5) * plain[0], integrator)
            self.assertLess(terms[1], 1.01 * terms[0], integrator)
            self.assertGreater(plain[1], (3 if SHORT else 30) * terms[1], integrator)
        least = [drift("overdetermined", 0, t) for t in (early, late)]
        self.assertLess(least[1], 1.01 * least[0])
        self.assertLess(least[1], 0.05 * terms[1])
        self.assertLess(drift("ggl", 0, late), 1e-14)

    def test_same_motion(self):
        """as hybrid, where there are drives, events, rolling and redundant rows"""
        cases = (("slider-crank-driven.yaml", 1e-3, 0.3, 5e-6, ()), ("grab-and-release.yaml", 1e-3, 2.5, 2e-4, ()),
                 ("rolling-disc.yaml", 2e-3, 0.5, 5e-6, ()), ("iltis-suspension.yaml", 2e-3, 0.5, 1e-8, ()),
                 ("bricard.yaml", 2e-3, 0.5, 1e-5, ("--option", "redundancy=least_squares")))
        for model, step, time, within, more in cases[2:] if SHORT else cases:
            end = self.run_model(model, "--formulation", "hybrid", "--integrator", "trapezoidal", "--step", step,
                                 "--time", time)["final"]
            names = [n for n in end if ".position." in n]
            self.assertTrue(names, model)
            for method in STAGES + ("baumgarte",):
                with self.subTest(model=model, method=method):
                    found = self.go(model, method, step, time, "trapezoidal", *more)
                    self.assertLess(max(abs(found["final"][n] - end[n]) for n in names), within)
                    self.assertLess(found["iterations"], 2.5 * found["steps"])

    def test_reactions(self):
        """multipliers of index 1 are consistent: forces of order 2 without a projection"""
        model, time = "spatial-four-bar.yaml", 0.2
        exact = self.run_model(model, "--formulation", "hybrid", "--integrator", "rk4", "--step", 1e-4, "--time",
                               time)["final"]
        names = [n for n in exact if n.startswith("joint.") and (".force." in n or ".torque." in n)]
        size = max(abs(exact[n]) for n in names)
        for method in ("fuhrer_leimkuhler", "ggl"):
            errors = [max(abs(self.go(model, method, h, time)["final"][n] - exact[n]) for n in names) / size
                      for h in (2e-3, 1e-3)]
            self.assertLess(errors[0], 1e-2, method)
            self.assertGreater(orders(errors)[0], 1.7, f"{method}: {errors}")

    def test_refusals(self):
        args = ("run", EXAMPLES / "pendulum.yaml", "--formulation", "redundant", "--time", 0.1)
        for integrator, words in (("rk4", "one of implicit stages"), ("sdirk", "costs this integrator its order"),
                                  ("bdf", "has none")):
            for method in STAGES:
                found = self.command(*args, "--integrator", integrator, "--option", f"stabilisation={method}", code=2)
                self.assertIn(words, found.stderr)
                self.assertIn("hint: take", found.stderr)
        found = self.command(*args, "--option", "stabilisation=gll", code=2)
        self.assertIn("'gll' for stabilisation is not one of", found.stderr)
        found = self.command(*args, "--option", "baumgarte_alpha=-1", code=2)
        self.assertIn("baumgarte_alpha", found.stderr)

    def test_resume(self):
        """a run cut in two goes on to the last bit"""
        for method in STAGES + ("baumgarte",):
            args = ("--formulation", "redundant", "--integrator", "trapezoidal", "--option", f"stabilisation={method}",
                    "--option", "solver=dense")  # the sparse one remembers its pivots
            keep = self.dir / "state.hkc"
            for model, cut, time in (("double-four-bar.yaml", 0.2, 0.4), ("spatial-four-bar.yaml", 0.1, 0.2)):
                whole = self.run_model(model, "--time", time, *args)["final"]
                self.run_model(model, "--time", cut, "--checkpoint", keep, *args)
                parts = self.run_model(model, "--time", time, "--resume", keep, *args)["final"]
                self.assertEqual(whole, parts, (model, method))


if __name__ == "__main__":
    unittest.main(verbosity=2)
