#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Integrator dopri5: the tolerance is met over four decades, order 5 without error control, whatever the
grid; it says when a system is too stiff for it."""
import json
import unittest

from support import EXAMPLES, ExampleTest, SHORT, orders

# end time, step of the grid, largest error over the tolerance (the error grows along the run)
MODELS = {
    "spatial-four-bar.yaml": (1.0, 0.1, 100),
    "andrews.yaml": (0.03, 0.003, 50),
    "spinning-body.yaml": (2.0, 0.5, 2),
    "double-four-bar.yaml": (0.6, 0.1, 1),
}


class Dopri5(ExampleTest):
    def final(self, model, formulation, time, step, **options):
        more = [x for k, v in options.items() for x in ("--option", f"{k}={v}")]
        value = self.run_model(model, "--formulation", formulation, "--integrator", "dopri5", "--time", time,
                               "--step", step, *more)
        # steps refused by their error are how it finds its step, and few; without control there are none
        self.assertLessEqual(value["rejected"], 0 if options.get("step_control") == "off" else 3 + 0.2 * value["steps"])
        return value["iterations"], {k: x for k, x in value["final"].items() if x is not None and
                                     (".position." in k or ".orientation." in k or k.endswith(".angle"))}

    def test_tolerance(self):
        for model, (time, step, factor) in MODELS.items():
            for formulation in ("hybrid", "partition"):
                _, reference = self.final(model, formulation, time, step, rtol=1e-12, atol=1e-13)
                work = []
                for tol in (1e-4, 1e-6, 1e-8) if SHORT else (1e-4, 1e-5, 1e-6, 1e-7, 1e-8):
                    n, found = self.final(model, formulation, time, step, rtol=tol, atol=1e-3 * tol)
                    error = max(abs(found[k] - x) for k, x in reference.items())
                    self.assertLess(error, factor * tol, f"{model}, {formulation}, tolerance {tol:g}")
                    work.append(n)
                self.assertGreater(work[-1], 2 * work[0], "tighter tolerances take more steps")

    def test_order(self):
        # joint angles of a spatial loop
        _, reference = self.final("spatial-four-bar.yaml", "hybrid", 0.2, 5e-4, step_control="off")
        for formulation in ("hybrid", "partition"):
            errors = []
            for h in (0.02, 0.01, 0.005):
                _, found = self.final("spatial-four-bar.yaml", formulation, 0.2, h, step_control="off")
                errors.append(max(abs(found[k] - x) for k, x in reference.items()))
            for order in orders(errors):
                self.assertGreater(order, 4.7, f"{formulation}: errors {errors}")

    def test_rotation_order(self):
        # a tumbling body: orientation only
        _, reference = self.final("spinning-body.yaml", "hybrid", 2, 0.005, step_control="off")
        errors = []
        for h in (0.2, 0.1, 0.05):
            _, found = self.final("spinning-body.yaml", "hybrid", 2, h, step_control="off")
            errors.append(max(abs(found[k] - x) for k, x in reference.items() if ".orientation." in k))
        for order in orders(errors):
            self.assertGreater(order, 4.7, f"errors {errors}")

    def test_grid_is_free(self):
        # the error is the tolerance's, not the grid's
        _, reference = self.final("andrews.yaml", "partition", 0.01, 0.001, rtol=1e-12, atol=1e-13)
        for step in (0.01, 0.0007):
            _, found = self.final("andrews.yaml", "partition", 0.01, step, rtol=1e-7, atol=1e-10)
            self.assertLess(max(abs(found[k] - x) for k, x in reference.items()), 2e-6, f"grid {step:g}")

    def test_driven(self):
        # everything is prescribed: no error limits the steps, and yet they resolve the work of the drive
        model = self.variant("""
hooke: 1
gravity: [0, 0, -9.81]
bodies: {rotor: {mass: 2, com: [0.3, 0, 0], inertia: [0.01, 0.02, 0.03]}}
joints: {axle: {type: revolute, between: [ground, rotor], at: [0, 0, 0], axis: y, motion: {rate: 4}}}
record: ["joint.axle.*", "energy.*"]
run: {time: 16, step: 0.5}
""")
        for formulation in ("hybrid", "topological", "redundant"):
            value = self.run_model(model, "--formulation", formulation, "--integrator", "dopri5")
            self.assertEqual(value["grade"], "good")
            self.assertLess(value["drift_percent"], 0.01)
            # half a radian a step
            self.assertLess(value["steps"], 200)
            self.assertNear(value["final"]["joint.axle.angle"], 64, 1e-9)

    def test_stiff(self):
        # stability, not accuracy, sets its step: many small ones where partition takes few
        explicit, _ = self.final("double-pendulum-stiff.yaml", "partition", 0.02, 0.001)
        implicit = self.run_model("double-pendulum-stiff.yaml", "--time", 0.02, "--step", 0.001)["iterations"]
        self.assertGreater(explicit, 5 * implicit)

    def test_bad_options(self):
        result = self.command("run", EXAMPLES / "pendulum.yaml", "--integrator", "dopri5", "--option", "rtol=0",
                              code=2)
        self.assertIn("rtol", result.stderr)
        value = json.loads(self.command("run", EXAMPLES / "pendulum.yaml", "--integrator", "dopri5", "--json",
                                        "--time", 0.1).stdout)
        self.assertEqual(value["status"], "ok")


if __name__ == "__main__":
    unittest.main()
