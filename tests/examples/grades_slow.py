#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No good run is graded otherwise: 200 random mechanisms at a step that resolves them, those without loops in every
formulation, and 200 under error control, where neither step nor integrator are named."""
import unittest

import grades
from support import SHORT
from support_random import mechanism

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")
INTEGRATORS = ("generalized_alpha", "trapezoidal", "hht", "multistep", "rk4")


class RandomGrades(grades.Grades):
    # those of the other file run there
    test_bad_runs = test_examples = test_random_mechanisms = None

    def test_fixed_steps(self):
        for seed in range(20 if SHORT else 200):
            text = mechanism(seed)
            loop = "rod:" in text
            args = ("-f", "hybrid" if loop else FORMULATIONS[seed % 6], "-i", INTEGRATORS[seed // 6 % 5])
            with self.subTest(seed=seed, args=args):
                self.assertGood(self.value(text + "run: {time: 1, step: 0.0005}\n", *args))

    def test_error_control(self):
        for seed in range(200, 220 if SHORT else 400):
            with self.subTest(seed=seed):
                self.assertGood(self.value(mechanism(seed) + "run: {time: 1}\n"))


if __name__ == "__main__":
    unittest.main()
