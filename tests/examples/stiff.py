#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The three stiff examples of Haug, Negrut and Iancu 1997 against their reference series; both tangents;
the limits of the explicit method; where the partition formulation must stop; a rod without weight in a loop."""
import json
import unittest

from support import EXAMPLES, ExampleTest, SHORT, series

DATA = EXAMPLES / "studies/data"
ANGLES = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")

LIGHT = """\
hooke: 1
planar: xy
gravity: [0, -9.81, 0]
parameters: {m: 1}
bodies:
  crank: {mass: 1, com: [0.05, 0.1, 0], inertia: {zz: 0.01}}
  coupler: {mass: m, com: [0.35, 0.3, 0], inertia: {zz: 0.03*m}}
  rocker: {mass: 1, com: [0.55, 0.2, 0], inertia: {zz: 0.02}}
joints:
  a: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}
  b: {type: revolute, between: [crank, coupler], at: [0.1, 0.2, 0], axis: z}
  c: {type: revolute, between: [coupler, rocker], at: [0.6, 0.4, 0], axis: z}
  d: {type: revolute, between: [ground, rocker], at: [0.5, 0, 0], axis: z}
start: {a: {rate: 3}}
run: {time: 1, step: 0.005, formulation: hybrid, integrator: trapezoidal}
"""


class Stiff(ExampleTest):
    def worst(self, model, file, columns, every, *args):
        """summary, and the largest differences from the reference series"""
        reference = series(DATA / file)
        value, run = self.run_series(model, "--output-every", every, *args)
        count = len(run["t"])
        self.assertGreater(count, 10)
        for i in range(count):
            self.assertNear(run["t"][i], reference["t"][i], 1e-9, "time")
        return value, {c: max(abs(run[c][i] - reference[r][i]) for i in range(count))
                       for c, r in columns.items()}

    def test_andrews(self):
        columns = {f"joint.{n}.angle": n for n in ANGLES}
        args = ["--step", 1e-5] + (["--time", 0.005] if SHORT else [])
        value, error = self.worst("andrews-stiff.yaml", "andrews-stiff.csv", columns, 0.00025, *args)
        self.assertEqual((value["coordinates"], value["constraints"], value["dof"]), (21, 20, 1))
        for name, e in error.items():
            self.assertLess(e, 1e-6, name)

    def test_andrews_order(self):
        columns = {"joint.beta.angle": "beta"}
        errors = [self.worst("andrews-stiff.yaml", "andrews-stiff.csv", columns, 0.00025, "--step", h)[1]
                  ["joint.beta.angle"] for h in (5e-5, 2.5e-5, 1.25e-5)]
        self.assertOrder(errors, 2, 0.1, "beta")

    def test_slider_crank(self):
        columns = {"joint.pin.angle": "theta1", "joint.pin.rate": "theta1_dot"}
        _, error = self.worst("slider-crank-stiff.yaml", "slider-crank-stiff.csv", columns, 0.001, "--step", 1e-4)
        self.assertLess(error["joint.pin.angle"], 5e-9)
        self.assertLess(error["joint.pin.rate"], 2e-6)

    def test_double_pendulum(self):
        # the fast decay at the start needs a method that damps it: L-stable
        columns = {"joint.pin.angle": "theta1", "joint.pin.rate": "theta1_dot"}
        _, error = self.worst("double-pendulum-stiff.yaml", "double-pendulum-stiff.csv", columns, 0.005,
                              "--integrator", "sdirk", "--option", "gamma=l_stable2", "--step", 1e-4)
        self.assertLess(error["joint.pin.angle"], 1e-5)
        self.assertLess(error["joint.pin.rate"], 1e-4)

    def test_tangents(self):
        # the same solution; the exact tangent never takes more iterations
        for model, h in (("double-pendulum-stiff.yaml", 1e-3), ("slider-crank-stiff.yaml", 0.0086),
                         ("andrews-stiff.yaml", 1e-4), ("andrews-stiff.yaml", 1.2e-3),
                         # behind a fold of the residual the exact derivative leads astray: it must not begin there
                         ("andrews-stiff.yaml", 2.3e-3), ("andrews-stiff.yaml", 3.5e-3), ("andrews-stiff.yaml", 6e-3)):
            found = {t: self.run_model(model, "--time", 0.035, "--step", h, "--option", f"tangent={t}",
                                       "--substeps", "off") for t in ("exact", "fv")}
            self.assertLessEqual(found["exact"]["iterations"], found["fv"]["iterations"], f"{model}, {h}")
            for name, x in found["exact"]["final"].items():
                if name.endswith(".angle"):
                    self.assertNear(found["fv"]["final"][name], x, 1e-7, f"{model}, {name}")

    def test_limits_of_iterations(self):
        # with few iterations a step the exact tangent masters steps three times as long as those that fv fails at
        for limit, h in ((4, 0.00025), (5, 0.0004), (6, 0.0005), (8, 0.0007), (10, 0.00085)):
            for tangent, step, code in (("exact", 3 * h, 0), ("fv", h, 5)):
                self.run_model("andrews-stiff.yaml", "--step", step, "--substeps", "off", "--option", f"tangent={tangent}",
                               "--option", f"max_iterations={limit}", code=code)
        # with many it is fv that goes on: the exact derivative leads to an extremum of the residual
        for tangent, code in (("exact", 5), ("fv", 0)):
            self.run_model("andrews-stiff.yaml", "--step", 0.007, "--substeps", "off", "--option", f"tangent={tangent}", code=code)

    def test_one_step_is_not_accurate(self):
        # a grade that one step over the whole run meets would say nothing
        for name, time in (("double-pendulum", 0.1), ("slider-crank", 0.1), ("andrews", 0.035)):
            study = self.dir / "study.yaml"
            text = (EXAMPLES / f"studies/state-space-table5-{name}.yaml").read_text()
            text = text[:text.index("search:")].replace("../", f"{EXAMPLES}/").replace("data/", f"{DATA}/")
            study.write_text(text)
            rows = json.loads(self.command("compare", study, "--json", "--quiet", "--integrator", "trapezoidal", "--step", time).stdout)
            self.assertTrue(any(r["status"] == "ok" for r in rows))
            for row in rows:
                self.assertLessEqual(row["steps"], 1)
                self.assertFalse(row["grades"]["accurate"], f"{name}, {row['case']}")

    def test_explicit_stops(self):
        # above its stability limit abm2 leaves the solution; partition goes on
        for model, h, time in (("double-pendulum-stiff.yaml", 3e-5, 0.01), ("slider-crank-stiff.yaml", 5e-3, 0.1),
                               ("andrews-stiff.yaml", 1e-4, 0.035)):
            args = ["--time", time, "--step", h, "--substeps", "off"]
            result = self.command("run", EXAMPLES / model, "--json", "--integrator", "abm2", *args, code=5)
            self.assertEqual(json.loads(result.stdout)["status"], "failed")
            self.assertEqual(self.run_model(model, *args)["status"], "ok")

    def test_singular_position(self):
        result = self.command("run", EXAMPLES / "double-four-bar.yaml", "--json", "--formulation", "partition",
                              code=5)
        value = json.loads(result.stdout)
        self.assertIn("cannot pass", value["message"])
        self.assertIn("pin_B1", value["message"])
        self.assertGreater(value["time_s"], 0.7)
        self.assertLess(value["time_s"], 0.73)

    def test_light_coupler(self):
        """a penalty by the lightest body alone would be too soft for the heavy ones that the loop joins: the rows of
        velocity would be left open by 1e-3 m/s with a coupler of 1e-6 kg, and the run would fail with 1e-8 kg"""
        model = self.variant(LIGHT)
        weightless = self.run_model(model, "--set", "m=0")["final"]["joint.a.angle"]
        for mass in (1e-4, 1e-6, 1e-8):
            value = self.run_model(model, "--set", f"m={mass}")
            self.assertLess(value["constraint"]["velocity_max"], 1e-7, mass)
            self.assertNear(value["final"]["joint.a.angle"], weightless, 5 * mass + 1e-6, mass)


if __name__ == "__main__":
    unittest.main()
