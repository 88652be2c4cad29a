#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every compatible pair of formulation and integrator shows its order on step halving, against one fine
run, on a spatial loop, a free body in space, a planar loop before its singularity and the pendulum."""
import json
import math
import subprocess
import unittest

from support_agreement import AgreementTest, examples

MODELS = {  # end time, steps of the order measurement
    "pendulum.yaml": (0.5, 0.005),
    "double-four-bar.yaml": (0.5, 0.005),
    "spatial-four-bar.yaml": (0.2, 0.002),
    "spinning-body.yaml": (0.4, 0.005),
}
# error-controlled methods show their order with a step a step of the grid; tolerances are tested elsewhere
OPTIONS = {"dopri5": ["--option", "step_control=off"]}
FLOOR = 2e-11  # of the range: below this, round-off and iteration tolerance rule


def entries(kind):
    out = subprocess.run([examples.HOOKE, "list", kind, "--json"], check=True, capture_output=True,
                         text=True).stdout
    return json.loads(out)


def order_of(integrator):
    return int(integrator["detail"].split("order:")[1].split()[0]) if "order:" in (
        integrator["detail"] or "") else None


class Orders(AgreementTest):
    def error(self, found, expected):
        columns = [c for c in expected if c != "t"]
        span = max(max(expected[c]) - min(expected[c]) for c in columns)
        return max(abs(a - b) for c in columns for a, b in zip(found[c], expected[c])) / span

    def compatible(self, formulation, integrator):
        found = subprocess.run([examples.HOOKE, "run", examples.EXAMPLES / "pendulum.yaml", "--time", "0.01",
                                "--formulation", formulation, "--integrator", integrator, "--json"],
                               capture_output=True, text=True, check=False)
        if found.returncode == 2:
            self.assertIn("needs", found.stderr)  # a refusal says why
            return False
        self.assertEqual(found.returncode, 0, found.stderr)
        return True

    def test_orders(self):
        formulations = [e["name"] for e in entries("formulations")]
        integrators = {e["name"]: order_of(e) for e in entries("integrators")}
        pairs = [(f, i) for f in formulations for i in integrators if self.compatible(f, i)]
        models = dict(list(MODELS.items())[2:3]) if examples.SHORT else MODELS
        for example, (time, step) in models.items():
            reference = self.positions(example, "hybrid", "rk4", step / 40, time)
            for formulation, integrator in pairs:
                expected = integrators[integrator]
                if expected is None:
                    continue  # chosen by the local error: examples/redundant.py
                more = OPTIONS.get(integrator, [])
                with self.subTest(example=example, formulation=formulation, integrator=integrator):
                    errors = [self.error(self.positions(example, formulation, integrator, h, time, *more), reference)
                              for h in (step, step / 2)]
                    self.assertLess(errors[1], 1e-2)
                    if errors[1] > FLOOR:
                        order = math.log2(errors[0] / errors[1])
                        self.assertGreater(order, expected - 0.3, f"errors {errors}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
