#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every pair of formulation and integrator on every smooth example with springs, dampers, mounts and tyres: as in
pairs.py."""
import unittest

from support_agreement import ELASTIC
from support_pairs import PairsTest


class Elastic(PairsTest):
    EXAMPLES = ELASTIC
    LENGTH = 1  # it hardly moves before

    def test_pairs(self):
        self.check_all(("engine-mounts.yaml",))


if __name__ == "__main__":
    unittest.main(verbosity=2)
