#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every pair of formulation and integrator on every smooth mechanism: as pairs.py, which takes a few for each."""
import unittest

from support_pairs import PairsTest


class Pairs(PairsTest):
    WHOLE = True

    def test_pairs(self):
        self.check_pairs()


if __name__ == "__main__":
    unittest.main(verbosity=2)
