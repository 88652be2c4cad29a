#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The order of sdirk on step halving, in positions, orientations and velocities: a pendulum, spatial loops
with a ball in the tree or cut, a tumbling free body; all three diagonals, each formulation that can."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from support import ExampleTest, SHORT, SOURCE, orders  # noqa: E402

ORDER = {"a_stable3": 3, "accurate3": 3, "l_stable2": 2}
FORMULATIONS = ("hybrid", "topological", "global")
HERE = SOURCE / "tests/order"

# model, coarsest step, time, kinds of channels that must show the order
CASES = (
    ("pendulum.yaml", 0.01, 1.0, ("position", "angle", "rate")),
    ("spatial-four-bar.yaml", 0.002, 0.4, ("position", "orientation", "rate", "rates")),
    (HERE / "rssr.yaml", 0.005, 0.5, ("position", "orientation", "velocity", "angular_velocity")),
    ("spinning-body.yaml", 0.01, 2.0, ("orientation", "angular_velocity")),
    (HERE / "triple-rocker.yaml", 0.001, 0.5, ("position", "angle", "rate")),
)


class Sdirk(ExampleTest):
    def final(self, model, formulation, gamma, step, time, *args):
        return self.run_model(model, "--formulation", formulation, "--integrator", "sdirk", "--option",
                              f"gamma={gamma}", "--step", step, "--time", time, "--tolerance", 1e-13,
                              "--substeps", "off", *args)["final"]

    def errors(self, ends, kind):
        """largest difference between successive runs over the channels of one kind"""
        names = [n for n in ends[0] if f".{kind}." in n + "."]
        return [max(abs(a[n] - b[n]) for n in names) for a, b in zip(ends, ends[1:])]

    def check(self, case, formulation, gamma, *args):
        model, step, time, kinds = case
        ends = [self.final(model, formulation, gamma, step / 2**k, time, *args) for k in range(3)]
        for kind in kinds:
            if kind == "rates" and not any(".rates." in n for n in ends[0]):
                continue
            found, = orders(self.errors(ends, kind))
            what = f"{formulation} {gamma} {model} {kind}: order {found:.3f}"
            # chance may add to the order of coarse steps, never take away
            self.assertGreater(found, ORDER[gamma] - 0.2, what)
            self.assertLess(found, ORDER[gamma] + 0.5, what)

    def test_orders(self):
        for case in CASES:
            for formulation in FORMULATIONS:
                for gamma in ("a_stable3",) if SHORT else ORDER:
                    with self.subTest(model=str(case[0]), formulation=formulation, gamma=gamma):
                        self.check(case, formulation, gamma)

    def test_singular_positions(self):
        # ten passages through the flat position in 10 s, none to another solution: the energy drifts by order 3
        for formulation, drift in (("hybrid", 7e3), ("redundant", 3e4), ("global", 1e5)):
            for step in (0.02,) if SHORT else (0.02, 0.01, 0.005):
                value = self.run_model("double-four-bar.yaml", "--formulation", formulation, "--integrator", "sdirk",
                                       "--step", step)
                self.assertNear(value["energy"]["max_drift_J"], 0, drift * step**3, f"{formulation}, step {step}")

    def test_order_without_projections(self):
        # the closures drift with the method's own error; the order stays
        for gamma in ORDER:
            case = (CASES[2][0], CASES[2][1] / 4, *CASES[2][2:])
            self.check(case, "hybrid", gamma, "--option", "projection=off")

    def test_projections_close_the_loops(self):
        def residuals(*args):
            value = self.run_model(HERE / "rssr.yaml", "--integrator", "sdirk", *args)
            return value["constraint"]["position_max"], value["constraint"]["velocity_max"]
        on, off = residuals(), residuals("--option", "projection=off")
        self.assertLess(max(on), 1e-11)
        self.assertGreater(min(off), 1e-7)

    def test_penalty_does_not_matter(self):
        ends = [self.final(HERE / "rssr.yaml", "hybrid", "a_stable3", 0.005, 0.5, "--option",
                           f"penalty_acceleration={p}") for p in ("1e2", "1e5", "1e10")]
        for end in ends[1:]:
            for name, value in end.items():
                self.assertNear(value, ends[0][name], 1e-7, name)

    def test_wrong_partner(self):
        # what would work instead is said
        result = self.command("run", SOURCE / "examples/pendulum.yaml", "--integrator", "sdirk", "--formulation",
                              "recursive", code=2)
        self.assertIn("'sdirk' needs implicit stages with constraints at acceleration level", result.stderr)
        self.assertRegex(result.stderr, "'recursive' runs with [a-z0-9_, ]*trapezoidal")
        self.assertRegex(result.stderr, "'sdirk' runs with [a-z0-9_, ]*hybrid[a-z0-9_, ]*topological")

    def test_wrong_gamma(self):
        result = self.command("run", SOURCE / "examples/pendulum.yaml", "--integrator", "sdirk", "--option",
                              "gamma=0.5", code=2)
        self.assertIn("a_stable3 accurate3 l_stable2", result.stderr)


if __name__ == "__main__":
    unittest.main()
