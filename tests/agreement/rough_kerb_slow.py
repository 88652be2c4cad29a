#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every pair of formulation and integrator on the kerb: as rough_kerb.py, which takes a few."""
import unittest

from support_rough import RoughTest


class Kerb(RoughTest):
    WHOLE = True

    def test_kerb(self):
        self.check_kerb()


if __name__ == "__main__":
    unittest.main(verbosity=2)
