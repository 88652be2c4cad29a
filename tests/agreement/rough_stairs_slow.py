#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every pair of formulation and integrator down one step of the stairs, as rough_stairs.py; and at a step so fine that
edges are met within 0.13 mm: 5e-4 of the range from one reference, so any two pairs within 1e-3."""
import unittest

from support_rough import RoughTest


class Stairs(RoughTest):
    WHOLE = True
    limit = 600  # 24,000 steps take 2 to 12 s on an idle machine; others may be at work on it

    def test_stairs(self):
        self.check_stairs()

    def test_fine(self):
        reference = self.stairs_reference()
        for formulation, integrator in self.pairs():
            step = 1e-2 if integrator == "bdf" else 2.5e-5
            with self.subTest(formulation=formulation, integrator=integrator):
                self.assertWithin(self.stairs(formulation, integrator, step), reference, 5e-4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
