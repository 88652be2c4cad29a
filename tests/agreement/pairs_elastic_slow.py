#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every pair of formulation and integrator on every smooth example with springs, dampers, mounts and tyres."""
import unittest

from support_pairs import ElasticTest


class Elastic(ElasticTest):
    WHOLE = True

    def test_pairs(self):
        self.check_pairs()


if __name__ == "__main__":
    unittest.main(verbosity=2)
