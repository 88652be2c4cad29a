#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every verb without memory: some of its allocations fail, one after the other; memory_slow.py takes all of them."""
import unittest

from support import SHORT
from support_sweep import Sweep, cases


@unittest.skipIf(SHORT, "a sanitizer's malloc cannot be made to fail")
class Memory(unittest.TestCase):
    def test_some_allocations(self):
        """few of each verb; other ones for one failure than for all from there on"""
        sweep, total = Sweep(), 0
        self.addCleanup(sweep.close)
        for words, options in cases():
            counted = sweep.count(*words, **options)
            for once in (False, True):
                runs, complaints, _ = sweep.sweep(*words, once=once, start=3 + once, step=max(1, counted // 4), **options)
                total += runs
                self.assertEqual(complaints, [], f"hooke {' '.join(words)}, {'one failure' if once else 'all from there on'}")
        self.assertGreater(total, 200)


if __name__ == "__main__":
    unittest.main()
