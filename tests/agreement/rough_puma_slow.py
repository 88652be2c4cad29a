#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every pair of formulation and integrator on the PUMA task, explicit methods to its end too, which rough_puma.py ends at 2.1 s."""
import unittest

from support_rough import RoughTest


class Puma(RoughTest):
    WHOLE = True

    def test_puma(self):
        self.check_puma()


if __name__ == "__main__":
    unittest.main(verbosity=2)
