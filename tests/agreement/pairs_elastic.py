#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs of formulation and integrator on every smooth example with springs, dampers, mounts and tyres: as in pairs.py."""
import unittest

from support_pairs import ElasticTest


class Elastic(ElasticTest):
    def test_pairs(self):
        self.check_pairs()


if __name__ == "__main__":
    unittest.main(verbosity=2)
