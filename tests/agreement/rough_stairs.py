#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs of formulation and integrator down one step of the stairs, two wheels after two (support_rough.py)."""
import unittest

from support_rough import SAME, RoughTest, examples, names


class Stairs(RoughTest):
    def test_stairs(self):
        self.check_stairs()

    @unittest.skipIf(examples.SHORT, "long under sanitizers")
    def test_stairs_by_integrator(self):
        """each against a fine run, with the fastest formulation (with every formulation: rough_stairs_slow.py)"""
        fine = self.stairs_reference()
        for integrator in names("integrators"):
            formulation = "redundant" if integrator == "bdf" else "topological"
            step = 1e-2 if integrator == "bdf" else 1e-4
            with self.subTest(integrator=integrator):
                self.assertWithin(self.stairs(formulation, integrator, step), fine, SAME)


if __name__ == "__main__":
    unittest.main(verbosity=2)
