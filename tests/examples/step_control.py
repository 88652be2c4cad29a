#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps of free length: control by local error and by iterations, rows from dense output, events located
within a step, on the example models."""
import math
import unittest

from events import COLLISION
from support import ALL, EXAMPLES, ExampleTest, SHORT, series

GIVEN = ("generalized_alpha", "trapezoidal", "hht", "multistep", "sdirk")
FORMULATIONS = ("hybrid", "partition", "redundant", "global", "topological")


def options(**values):
    return [x for k, v in values.items() for x in ("--option", f"{k}={v}")]


def wanted(name):
    return ".position." in name or ".orientation." in name or name.endswith(".angle")


def worst(found, reference):
    """largest difference over all rows and positions"""
    return max(abs(a - b) for k in reference if wanted(k) for a, b in zip(found[k], reference[k]))


class Tolerance(ExampleTest):
    """rows every 10 ms, most of them within steps, against dopri5 at 1e-12"""

    def reference(self, model, end, step, formulation="hybrid"):
        _, rows = self.run_series(model, "--formulation", formulation, "--integrator", "dopri5", "--time", end,
                                  "--step", step, *options(rtol=1e-12, atol=1e-13))
        return rows

    def errors(self, model, end, step, integrator, formulation, tolerances, reference):
        out, steps = [], []
        for tol in tolerances:
            value, rows = self.run_series(model, "--formulation", formulation, "--integrator", integrator, "--time",
                                          end, "--step", step, *options(step_control="error", rtol=tol, atol=0.01 * tol))
            self.assertEqual(rows["t"], reference["t"])
            out.append(worst(rows, reference))
            steps.append(value["steps"])
        return out, steps

    def check(self, model, end, step, integrator, formulation, reference, factor, order):
        tolerances = (1e-4, 1e-5, 1e-6, 1e-7) if ALL and not SHORT else (1e-4, 1e-6)
        what = f"{model}, {formulation}, {integrator}"
        errors, steps = self.errors(model, end, step, integrator, formulation, tolerances, reference)
        for tol, error in zip(tolerances, errors):
            self.assertLess(error, factor * tol ** (order / (order + 1)), f"{what} at {tol:g}: {errors}")
        # a local error of h^(p+1): a tolerance of a hundredth takes 100^(1/(p+1)) times the steps
        gain = math.log(steps[-1] / steps[0]) / math.log(tolerances[0] / tolerances[-1])
        self.assertNear(gain, 1 / (order + 1), 0.07, f"{what}: steps {steps}")

    def test_implicit_methods(self):
        reference = self.reference("double-four-bar.yaml", 0.6, 0.01)
        for integrator in GIVEN:
            self.check("double-four-bar.yaml", 0.6, 0.01, integrator, "hybrid", reference,
                       1, 3 if integrator == "sdirk" else 2)

    def test_formulations(self):
        for model, end in (("double-four-bar.yaml", 0.6), ("spatial-four-bar.yaml", 0.5)):
            reference = self.reference(model, end, 0.01)
            # each formulation on one of them, in check-all on both
            for formulation in FORMULATIONS if ALL else FORMULATIONS[model.startswith("s")::2]:
                self.check(model, end, 0.01, "generalized_alpha", formulation, reference, 10, 2)

    def test_rows_of_dopri5(self):
        # within its steps as good as at their ends
        for model, end, step, factor in (("double-four-bar.yaml", 0.6, 0.01, 3), ("spinning-body.yaml", 2, 0.01, 30),
                                         ("spatial-four-bar.yaml", 1, 0.01, 100), ("andrews.yaml", 0.03, 0.0003, 100)):
            reference = self.reference(model, end, step)
            for tol in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8) if ALL and not SHORT else (1e-4, 1e-6, 1e-8):
                value, rows = self.run_series(model, "--integrator", "dopri5", "--time", end, "--step", step,
                                              "--formulation", "hybrid", *options(rtol=tol, atol=1e-3 * tol))
                self.assertLess(worst(rows, reference), factor * tol, f"{model} at {tol:g}")
            self.assertEqual(len(rows["t"]), len(reference["t"]))

    def test_rows_of_bdf(self):
        # local errors are below the tolerance; along the run they add up, in the spatial loop by the same factor of a
        # hundred as with dopri5
        for model, end, factor in (("double-four-bar.yaml", 0.6, 15), ("spatial-four-bar.yaml", 0.5, 150)):
            reference = self.reference(model, end, 0.01)
            for tol in (1e-4, 1e-6, 1e-8):
                _, rows = self.run_series(model, "--formulation", "redundant", "--integrator", "bdf", "--time", end,
                                          "--step", 0.01, *options(rtol=tol, atol=1e-2 * tol))
                self.assertLess(worst(rows, reference), factor * tol, f"{model} at {tol:g}")


class Rows(ExampleTest):
    def test_the_grid_changes_nothing(self):
        # what is recorded has no influence on the run, to the last bit
        for integrator in GIVEN + ("dopri5", "abm2", "newmark"):
            ends = []
            for step in (0.5, 0.01, 0.007):
                value = self.run_model("spatial-four-bar.yaml", "--integrator", integrator, "--time", 0.5, "--step",
                                       step, "--output", self.dir / "x.csv",
                                       *options(step_control="error", rtol=1e-5, step_min=1e-9))
                ends.append((value["steps"], value["rejected"], value["iterations"], value["final"], value["energy"]))
            self.assertEqual(ends[0], ends[1], integrator)
            self.assertEqual(ends[0], ends[2], integrator)

    def test_rows_are_on_the_constraints(self):
        # the hand of the closed loop stays in its place between steps as at their ends
        _, rows = self.run_series("double-four-bar.yaml", "--time", 0.6, "--step", 0.001, "--integrator", "dopri5")
        for x, y in zip(rows["marker.B0.position.x"], rows["marker.B0.position.y"]):
            self.assertNear(x * x + y * y, 1, 1e-12, "length of the left rod")
        value, rows = self.run_series("spatial-four-bar.yaml", "--time", 0.5, "--step", 0.001, "--integrator",
                                      "dopri5", *options(rtol=1e-4), "--formulation", "partition")
        self.assertLess(value["constraint"]["position_max"], 1e-9)
        self.assertLess(value["steps"], 100)

    def test_work_between_steps(self):
        # the audit of rows within steps is as good as that at their ends
        value, rows = self.run_series("slider-crank-driven.yaml", "--step", 0.001,
                                      *options(step_control="error", rtol=1e-7))
        most = max(abs(x) for x in rows["energy.balance_error"])
        self.assertLess(most, 1e-5 * max(rows["energy.supplied"]))

    def test_steps_do_not_follow_the_grid(self):
        value, rows = self.run_series("double-four-bar.yaml", "--time", 0.6, "--step", 0.001, "--integrator", "dopri5")
        self.assertEqual(len(rows["t"]), 601)
        self.assertLess(value["steps"], 40)
        self.assertEqual(rows["t"][123], 0.123)

    def test_limits(self):
        few = self.run_model("double-four-bar.yaml", "--time", 0.6, "--integrator", "dopri5")
        many = self.run_model("double-four-bar.yaml", "--time", 0.6, "--integrator", "dopri5", *options(step_max=0.01))
        self.assertGreaterEqual(many["steps"], 60)
        self.assertLess(few["steps"], 30)
        result = self.command("run", EXAMPLES / "double-four-bar.yaml", "--integrator", "dopri5", "--time", 0.6,
                              *options(step_min=0.05, rtol=1e-9), code=5)
        self.assertIn("the tolerance asks for steps below 0.05 s", result.stderr)

    def test_stiff_systems_take_long_steps(self):
        # the step follows what is seen of the motion, not the rate of decay of what is not
        rows = ("double-pendulum-stiff.yaml", "--time", 2, "--step", 0.001)
        implicit = self.run_model(*rows, *options(step_control="error", rtol=1e-5))
        explicit = self.run_model(*rows, "--integrator", "dopri5", *options(rtol=1e-5))
        self.assertLess(10 * implicit["steps"], explicit["steps"])
        for name in ("joint.pin.angle", "joint.elbow.angle"):
            if name in explicit["final"]:
                self.assertNear(implicit["final"][name], explicit["final"][name], 1e-2, name)


class Events(ExampleTest):
    METHODS = (("generalized_alpha", "hybrid"), ("multistep", "partition"), ("dopri5", "hybrid"), ("bdf", "redundant"),
               ("sdirk", "hybrid"))

    def test_collision(self):
        # free flight is integrated exactly: what is left is how well the time of the impact is found
        for integrator, formulation in self.METHODS:
            # the hook holds what guides hold already
            more = options(redundancy="least_squares") if formulation == "redundant" else []
            value, run = self.run_series(self.variant(COLLISION), "--integrator", integrator, "--formulation",
                                         formulation, *options(step_control="error"), *more)
            what = f"{formulation}, {integrator}"
            i = next(k for k, v in enumerate(run["body.second.velocity.x"]) if v > 1e-3)
            self.assertNear(run["t"][i], 0.35, 1e-12, f"time of the impact, {what}")
            self.assertNear(run["body.first.position.x"][i], 0.7, 1e-12, f"place, {what}")
            self.assertNear(run["energy.dissipated"][i], 1.5, 1e-9, f"loss, {what}")
            # the event by time has its own row, and is hit exactly
            self.assertIn(1.0, run["t"])
            k = run["t"].index(1)
            self.assertNear(run["body.first.position.x"][k], 0.7 + 0.5 * 0.65, 1e-9, f"first at 1 s, {what}")
            # flights without force are straight lines, which every method has exactly, but for 3e-10 of the impact's
            # velocities (penalties); the brake after 1 s is a parabola, on which bdf starts with order 1: one local error,
            # rtol of 1.3 m
            within = 2e-6 if integrator == "bdf" else 1e-9
            self.assertNear(run["body.second.position.x"][-1], 1 + 0.5 * 1.65 - 0.5, within, f"second at 2 s, {what}")
            for e in run["energy.balance_error"]:
                self.assertNear(e, 0, 1e-6, f"audit, {what}")
            # rows of the grid before and after it are there
            self.assertEqual([t for t in run["t"] if t < 0.36], [0, 0.1, 0.2, 0.3, run["t"][i]])

    def test_a_condition_that_holds_for_a_moment(self):
        # x >= 0.7 and x <= 0.705: the flight is one long step of which this is a small part
        text = COLLISION.replace('"body.first.position.x >= 0.7"', '"body.first.position.x >= 0.7 and t < 0.6"')
        _, run = self.run_series(self.variant(text), "--integrator", "dopri5")
        i = next(k for k, v in enumerate(run["body.second.velocity.x"]) if v > 1e-3)
        self.assertNear(run["t"][i], 0.35, 1e-12, "time of the impact")

    def test_grab_and_release(self):
        _, fine = self.run_series("grab-and-release.yaml", "--integrator", "dopri5", *options(rtol=1e-11, atol=1e-12))
        lock = next(i for i, x in enumerate(fine["joint.elbow.angle"]) if x >= 0)
        for integrator, formulation in self.METHODS:
            tol = 1e-7
            value, run = self.run_series("grab-and-release.yaml", "--integrator", integrator, "--formulation",
                                         formulation, *options(step_control="error", rtol=tol))
            what = f"{formulation}, {integrator}"
            at = next(i for i, x in enumerate(run["joint.elbow.angle"]) if x >= 0)
            self.assertNear(run["t"][at], fine["t"][lock], 1e-5, f"time of the lock, {what}")
            self.assertNear(run["joint.shoulder.angle"][-1], fine["joint.shoulder.angle"][-1], 3e-4, what)
            self.assertLess(abs(value["energy"]["balance_error_J"]), 1e-3, what)

    def test_edges_of_a_road(self):
        # the energy of stairs under a wheel is booked; the wheels reach each edge at their own time
        model = EXAMPLES / "iltis/ramp-and-stairs.yaml"
        for args in (["--integrator", "dopri5"], options(step_control="error", rtol=1e-5),
                     ["--formulation", "redundant", "--integrator", "bdf", *options(rtol=1e-5)]):
            if (SHORT or not ALL) and "redundant" in args:
                continue
            value = self.run_model(model, *args)
            self.assertLess(abs(value["energy"]["balance_error_J"]), 0.5, str(args))
            self.assertGreater(value["energy"]["supplied_J"], 1000)


class Rest(ExampleTest):
    def test_a_system_at_rest_is_not_jumped_over(self):
        # in equilibrium on a flat road, which at the end is as high as at the start: nothing but looking
        # on the way tells that there are stairs
        for args in (["--integrator", "dopri5"], options(step_control="error", rtol=1e-4),
                     ["--formulation", "redundant", "--integrator", "bdf", *options(rtol=1e-4)])[:3 if ALL else 2]:
            value, run = self.run_series(EXAMPLES / "iltis/ramp-and-rounded-stairs.yaml", *args)
            self.assertGreater(value["steps"], 500, str(args))
            self.assertGreater(max(run["body.chassis.position.z"]), 1.4, str(args))


class Iterations(ExampleTest):
    def test_steps_grow_and_shrink(self):
        model = "andrews.yaml"
        fixed = self.run_model(model, "--time", 0.02, "--step", 1e-4)
        free = self.run_model(model, "--time", 0.02, "--step", 1e-4, *options(step_control="iterations"))
        self.assertLess(free["steps"], fixed["steps"])
        short = self.run_model(model, "--time", 0.02, "--step", 1e-4,
                               *options(step_control="iterations", iterations_few=1, iterations_many=2))
        self.assertGreater(short["steps"], free["steps"])
        self.assertLess(short["iterations"] / short["steps"], free["iterations"] / free["steps"])

    def test_failed_steps(self):
        value = self.run_model("andrews.yaml", "--step", 0.02, *options(step_control="iterations"))
        self.assertEqual(value["status"], "ok")
        self.assertGreater(value["rejected"], 0)

    def test_rows(self):
        _, run = self.run_series("double-four-bar.yaml", "--time", 0.5, "--integrator", "multistep",
                                 "--formulation", "redundant", *options(step_control="iterations"))
        self.assertEqual(run["t"], [round(0.01 * k, 2) for k in range(51)])


class Jacobian(ExampleTest):
    """tangents kept within a step: the same motion, the same order"""

    def test_same_motion(self):
        for model, end in (("spatial-four-bar.yaml", 0.5), ("double-four-bar.yaml", 0.6), ("andrews.yaml", 0.01)):
            step = 1e-5 if model == "andrews.yaml" else 0.001
            runs = [self.run_series(model, "--formulation", "redundant", "--integrator", "multistep", "--time", end,
                                    "--step", step, *options(jacobian=j))[1] for j in ("every", "keep")]
            self.assertLess(worst(runs[1], runs[0]), 1e-6, model)

    def test_order(self):
        reference = self.run_model("spatial-four-bar.yaml", "--integrator", "dopri5", "--time", 0.4,
                                   *options(rtol=1e-12, atol=1e-13))["final"]
        errors = []
        for h in (0.002, 0.001, 0.0005):
            final = self.run_model("spatial-four-bar.yaml", "--formulation", "redundant", "--integrator", "multistep",
                                   "--time", 0.4, "--step", h, *options(jacobian="keep"))["final"]
            errors.append(max(abs(final[k] - reference[k]) for k in reference if wanted(k)))
        self.assertOrder(errors, 2, 0.15, "multistep")


class Refusals(ExampleTest):
    def refused(self, words, *args):
        result = self.command("run", EXAMPLES / "pendulum.yaml", *args, code=2)
        self.assertIn(words, result.stderr)

    def test_methods_that_cannot(self):
        self.refused("it does not know its error", "--integrator", "rk4", *options(step_control="error"))
        self.refused("it does not iterate", "--integrator", "abm2", *options(step_control="iterations"))
        self.refused("it chooses its steps itself", "--integrator", "bdf", "--formulation", "redundant",
                     *options(step_control="off"))

    def test_values(self):
        self.refused("rtol", *options(rtol=0))
        self.refused("step_control", *options(step_control="maybe"))
        self.refused("step_min", *options(step_min=-1))


if __name__ == "__main__":
    unittest.main()
