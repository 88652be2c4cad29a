#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The iterations of sdirk, stage by stage or all stages together, with matrices of the stage or of the start of the step:
the same solution, exact in one sweep where the model is linear, refused in words where a formulation cannot."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from support import ExampleTest, SOURCE  # noqa: E402

FORMULATIONS = ("hybrid", "global", "topological")
PUBLISHED = ("simultaneous", "start")
OTHERS = (PUBLISHED, ("simultaneous", "stage"), ("stages", "start"))
HERE = SOURCE / "tests/order"

# model, step, time: a spatial loop with balls, a loop of hinges in tension, a body that tumbles, a suspension, a car
# on its ramp
CASES = (
    (HERE / "rssr.yaml", 0.005, 0.3),
    ("bricard.yaml", 0.002, 0.2),
    ("spinning-body.yaml", 0.01, 0.5),
    ("iltis-suspension.yaml", 0.005, 0.3),
    ("iltis/ramp-and-stairs.yaml", 0.005, 0.9),
)

LINEAR = """hooke: 1
gravity: [0, 0, -9.81]
bodies:
  upper: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}
  lower: {mass: 1, com: [0, 0, -1], inertia: [1, 1, 1]}
joints:
  rail: {type: prismatic, between: [ground, upper], axis: [0, 0, 1], at: [0, 0, 0]}
  slide: {type: prismatic, between: [upper, lower], axis: [0, 0, 1], at: [0, 0, -1]}
forces:
  first: {type: joint_spring, joint: rail, stiffness: 500, damping: 3}
  second: {type: joint_spring, joint: slide, stiffness: 200, damping: 1}
run: {time: 1, step: 0.02}
"""


class Iterations(ExampleTest):
    def run_iteration(self, model, formulation, kind, *args, code=0):
        return self.run_model(model, "--formulation", formulation, "--integrator", "sdirk", "--option",
                              f"iteration={kind[0]}", "--option", f"matrix={kind[1]}", "--substeps", "off", *args,
                              code=code)

    def test_same_solution(self):
        for model, step, time in CASES:
            for formulation in FORMULATIONS:
                args = ("--step", step, "--time", time, "--tolerance", 1e-12)
                first = self.run_iteration(model, formulation, ("stages", "stage"), *args)["final"]
                for kind in OTHERS:
                    final = self.run_iteration(model, formulation, kind, *args)["final"]
                    for name, value in first.items():
                        if name.endswith((".position.x", ".position.y", ".position.z", ".angle", ".orientation.w")):
                            self.assertNear(final[name], value, 1e-9, f"{model} {formulation} {kind} {name}")

    def test_linear(self):
        # one sweep solves both stages, the next finds nothing left: matrices and coupling terms are exact
        path = self.variant(LINEAR)
        for formulation in FORMULATIONS:
            value = self.run_iteration(path, formulation, PUBLISHED, "--tolerance", 1e-10)
            self.assertEqual(value["iterations"], 2 * 2 * value["steps"], formulation)

    def test_resumed(self):
        # bit for bit, with pivots of the sparse solver and multipliers
        for formulation in FORMULATIONS:
            def series(*args):
                self.run_iteration("iltis/ramp-and-stairs.yaml", formulation, PUBLISHED, "--step", 0.005, *args)
            series("--time", 0.1, "--output", "whole.csv")
            series("--time", 0.05, "--output", "out.csv", "--checkpoint", "state")
            series("--time", 0.1, "--output", "out.csv", "--resume", "state")
            self.assertEqual((self.dir / "out.csv").read_bytes(), (self.dir / "whole.csv").read_bytes(), formulation)

    def test_one_matrix_limits_the_step(self):
        # wheels that land within a step are not in a matrix of its start: the iteration fails, fresh matrices do not
        args = ("--step", 0.02, "--time", 3.5)
        for formulation in FORMULATIONS:
            self.run_iteration("iltis/ramp-and-stairs.yaml", formulation, ("simultaneous", "stage"), *args)
            self.run_iteration("iltis/ramp-and-stairs.yaml", formulation, PUBLISHED, *args, code=5)

    def test_refused(self):
        for formulation in ("partition", "redundant"):
            result = self.command("run", SOURCE / "examples/pendulum.yaml", "--integrator", "sdirk", "--formulation",
                                  formulation, "--option", "iteration=simultaneous", code=2)
            self.assertIn("'sdirk' with iteration: simultaneous or matrix: start needs accelerations of a stage with "
                          f"the matrices of their slopes, which formulation '{formulation}' does not give", result.stderr)
            self.assertRegex(result.stderr, "hybrid, global, topological|topological")
        # unknowns beside the coordinates
        result = self.command("run", SOURCE / "examples/motor-crank.yaml", "--integrator", "sdirk", "--formulation",
                              "hybrid", "--option", "matrix=start", code=2)
        self.assertRegex(result.stderr, "has no room for the [0-9]+ unknowns? of the model's nodes")


if __name__ == "__main__":
    unittest.main()
