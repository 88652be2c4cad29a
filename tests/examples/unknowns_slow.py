#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Networks, equations and controllers: four models in six formulations with every integrator that can, at its order."""
import unittest

from support import ExampleTest

FORMULATIONS = ("hybrid", "topological", "global", "recursive", "partition", "redundant")

# integrator, order; those without an order choose their steps by the error
INTEGRATORS = (("trapezoidal", 2), ("newmark", 1), ("hht", 2), ("generalized_alpha", 2), ("multistep", 2), ("sdirk", 3),
               ("rk4", 4), ("abm2", 2), ("dopri5", None), ("bdf", None))

# what a formulation does not give: with unknowns as without
REFUSED = {("recursive", "sdirk"), *((f, "bdf") for f in FORMULATIONS[:5])}

# model, end, step, channels
MODELS = (("motor-crank.yaml", 0.2, 1e-3, ("joint.shaft.angle", "network.motor.current")),
          ("hot-damper.yaml", 0.4, 2e-3, ("joint.slide.position", "node.case.temperature")),
          ("pid-arm.yaml", 0.2, 5e-4, ("joint.elbow.angle", "network.elbow_sum.value")),
          ("hydraulic-crane.yaml", 0.2, 1e-3, ("joint.O.angle", "node.a.pressure")))


class Matrix(ExampleTest):
    def errors(self, model, best, channels, what, steps):
        found = []
        for h in steps:
            value = self.run_model(model, *what, "--step", h)
            self.assertEqual((value["status"], value["rejected"]), ("ok", 0), f"{model} {what}")
            found.append(max(abs(value["final"][c] / best[c] - 1) for c in channels))
        return found

    def test_matrix(self):
        for model, end, step, channels in MODELS:
            tight = ("--option", "rtol=1e-12", "--option", "atol=1e-12")
            best = self.run_model(model, "-f", "hybrid", "-i", "dopri5", "--time", end, *tight)["final"]
            for f in FORMULATIONS:
                for i, order in INTEGRATORS:
                    what = ("-f", f, "-i", i, "--time", end)
                    with self.subTest(model=model, formulation=f, integrator=i):
                        if (f, i) in REFUSED:
                            self.assertIn(f"integrator '{i}' needs", self.command("run", self.path(model), *what, code=2).stderr)
                        elif order:
                            errors = self.errors(model, best, channels, what, (step, step / 2, step / 4))
                            if errors[-1] > 1e-11:
                                self.assertOrder(errors[1:], order, 0.35, f"{model}, {f}, {i}")
                            self.assertLess(errors[-1], 2e-2, f"{model}, {f}, {i}")
                        else:
                            final = self.run_model(model, *what, "--option", "rtol=1e-8", "--option", "atol=1e-8")["final"]
                            for c in channels:
                                self.assertNear(final[c] / best[c], 1, 1e-4, f"{model}, {f}, {i}, {c}")

    def path(self, model):
        return self.variant(self.text(model), model)


if __name__ == "__main__":
    unittest.main()
