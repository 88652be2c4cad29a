#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every pair of formulation and integrator down one step of the stairs at a step so fine that edges are met within
0.13 mm: 5e-4 of the range from one reference, so any two pairs within 1e-3; and the PUMA task to its end with the
explicit methods, which rough.py ends at 2.1 s."""
import unittest

from support_rough import RoughTest


class RoughSlow(RoughTest):
    limit = 600  # 24,000 steps take 2 to 12 s on an idle machine; others may be at work on it

    def test_stairs(self):
        reference = self.stairs_reference()
        for formulation, integrator in self.pairs():
            step = 1e-2 if integrator == "bdf" else 2.5e-5
            with self.subTest(formulation=formulation, integrator=integrator):
                self.assertWithin(self.stairs(formulation, integrator, step), reference, 5e-4)

    def test_puma(self):
        reference = self.puma_reference(8)
        for formulation, integrator in self.pairs():
            if integrator in self.PUMA_STEPS:
                with self.subTest(formulation=formulation, integrator=integrator):
                    self.assertWithin(self.puma(formulation, integrator, 8), reference, 5e-4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
