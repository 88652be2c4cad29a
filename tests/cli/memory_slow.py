#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every verb without memory: every one of its allocations fails, alone and with all that come after it."""
import unittest

from support import SHORT
from support_sweep import Sweep, cases


@unittest.skipIf(SHORT, "a sanitizer's malloc cannot be made to fail")
class Memory(unittest.TestCase):
    def test_every_allocation(self):
        sweep, total, lines = Sweep(), 0, []
        self.addCleanup(sweep.close)
        for words, options in cases():
            for once in (False, True):
                runs, complaints, _ = sweep.sweep(*words, once=once, **options)
                total += runs
                lines += [f"hooke {' '.join(words)} ({'one failure' if once else 'all from there on'}): {c}" for c in complaints]
        print(f"{total} runs without memory, {len(lines)} of them bad")
        self.assertEqual(lines, [])


if __name__ == "__main__":
    unittest.main()
