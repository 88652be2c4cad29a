#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs of formulation and integrator where the road falls away: the suspension drops off a kerb (support_rough.py)."""
import unittest

from support_rough import RoughTest


class Kerb(RoughTest):
    def test_kerb(self):
        self.check_kerb()


if __name__ == "__main__":
    unittest.main(verbosity=2)
