#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All elements of beams on all cases with exact answers, with 8 and 16 intervals: their orders, and the table of
docs/results/beams.md."""
import subprocess
import sys
import unittest

from support import HOOKE, SOURCE, CommandTest

sys.path.insert(0, str(SOURCE / "scripts"))
from beam_cases import ELEMENTS, TABLE, Cases  # pylint: disable=wrong-import-position


class Accuracy(CommandTest):
    def test_orders(self):
        """4 of the default throughout; 4 and 2 of finite volumes with three nodes; 2 with two nodes"""
        cases = Cases(HOOKE, self.dir)
        for case in TABLE:
            for element in ELEMENTS:
                static = case in ("bend", "michell", "flexibility")
                order = 4 if element == "three_node" or (element == "finite_volume" and static) else 2
                a, b = (cases.error(case, element, n) for n in (8, 16))
                a, b = (x if isinstance(x, list) else [x] for x in (a, b))
                # the first answer; errors of two signs may cancel in one mesh, in rotation and of finite volumes
                if case.startswith("rotating") or element == "finite_volume" and not static:
                    self.assertLess(abs(b[0]), abs(a[0]) / 1.9**order * 1.5, (case, element, a, b))
                else:
                    self.assertTrue(1.85**order < a[0] / b[0] < 2.2**order, (case, element, a, b))

    def test_table(self):
        """the page says what comes out"""
        result = subprocess.run([SOURCE / "scripts/make-results", "--check", "--hooke", HOOKE, "beams-accuracy"],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
