#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every formulation against hybrid on every smooth example: same body positions at a fine step to
1e-5 of their range, with the trapezoidal rule."""
import unittest

from support_agreement import REFUSES, SMOOTH, AgreementTest, examples, names


class Formulations(AgreementTest):
    def test_same_motion(self):
        for example, (time, step) in SMOOTH.items():
            if examples.SHORT:
                time = 0.1 * time
            reference = self.positions(example, "hybrid", "trapezoidal", step, time)
            for formulation in names("formulations"):
                if formulation == "hybrid":
                    continue
                more = []
                if (formulation, example) in REFUSES:
                    more = ["--option", "redundancy=least_squares"]
                with self.subTest(example=example, formulation=formulation):
                    found = self.positions(example, formulation, "trapezoidal", step, time, *more)
                    self.assertSame(found, reference, 1e-5, f"{formulation} on {example}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
