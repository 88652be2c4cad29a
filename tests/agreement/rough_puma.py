#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs of formulation and integrator on the PUMA task, which grabs and lets go (support_rough.py)."""
import unittest

from support_rough import RoughTest


class Puma(RoughTest):
    def test_puma(self):
        self.check_puma()


if __name__ == "__main__":
    unittest.main(verbosity=2)
