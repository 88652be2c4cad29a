#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reactions of formulation `partition` are those of `hybrid` to the integrator's order, on every smooth example,
spatial ones included (the double four-bar before its singularity)."""
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from support import EXAMPLES, ExampleTest, SHORT  # noqa: E402

# end time, step
MODELS = {
    "pendulum.yaml": (0.5, 0.005),
    "double-four-bar.yaml": (0.6, 0.005),
    "andrews.yaml": (0.002, 2e-5),
    "andrews-stiff.yaml": (0.005, 5e-5),
    "slider-crank-stiff.yaml": (0.05, 0.001),
    "slider-crank-driven.yaml": (0.3, 0.002),
    "spatial-four-bar.yaml": (0.2, 0.002),
    "bricard.yaml": (0.5, 0.005),
    "puma.yaml": (0.2, 0.005),
    "iltis-suspension.yaml": (0.2, 0.002),
    "mirrored-axle.yaml": (0.6, 0.002),
}
FLOOR = 1e-9  # of the largest reaction: round-off and the iteration's tolerance


class Reactions(ExampleTest):
    def reactions(self, model, step, time, *args):
        variant = self.variant(f'hooke: 1\ninclude: ["{EXAMPLES / model}"]\n'
                               'record: ["joint.*.force", "joint.*.torque"]\n')
        return self.run_series(variant, "--step", step, "--time", time, "--output-every", time / 10,
                               "--tolerance", 1e-12, *args)[1]

    def error(self, found, expected):
        """largest difference, of forces and of torques each by the largest one of the model"""
        worst = 0.0
        for kind in (".force.", ".torque."):
            columns = [c for c in expected if kind in c]
            top = max((abs(x) for c in columns for x in expected[c]), default=0.0)
            if top > 1e-6:
                worst = max(worst, max(abs(a - b) for c in columns for a, b in zip(found[c], expected[c])) / top)
        self.assertEqual(len(found["t"]), len(expected["t"]))
        return worst

    def test_reactions(self):
        for model, (time, step) in list(MODELS.items())[6:8] if SHORT else MODELS.items():
            with self.subTest(model=model):
                fine = self.reactions(model, step / 32, time, "--formulation", "hybrid", "--integrator", "sdirk")
                errors = [self.error(self.reactions(model, h, time, "--formulation", "partition", "--integrator",
                                                    "trapezoidal"), fine) for h in (step, step / 2)]
                self.assertLess(errors[1], 5e-3)
                if errors[1] > FLOOR:
                    self.assertGreater(math.log2(errors[0] / errors[1]), 1.7, f"errors {errors}")


if __name__ == "__main__":
    unittest.main()
