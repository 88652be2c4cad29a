#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hammond's rotor with one lag damper out of work: the band of speeds in which it is unstable, by Floquet multipliers and by a second computation."""
import json
import math
import unittest

from rotor import C_LAG, EXAMPLE, over_a_turn
from support import CommandTest


def growth(w):
    """the largest multiplier of the periodic equations, by squaring their matrix over a turn again and again"""
    columns, log, power = over_a_turn(w, [0] + 3 * [C_LAG], 120), 0.0, 1
    for _ in range(24):
        size = max(abs(x) for c in columns for x in c)
        columns = [[x / size for x in c] for c in columns]
        log += math.log(size) / power
        columns = [[sum(columns[k][i] * c[k] for k in range(12)) for i in range(12)] for c in columns]
        power *= 2
    return log


class RotorSlow(CommandTest):
    def stable(self, w):
        return json.loads(self.hooke("modes", EXAMPLE, "--set", "damper1=0", "--set", f"speed={w!r}", "--period", "mast",
                                     "--json").stdout)["stable"]

    def test_unstable_band(self):
        """both edges within 0.03 rad/s of those of the second computation: 22 and 32 rad/s, 210 and 306 turns a minute"""
        edges = []
        for low, high in ((20.0, 24.0), (30.0, 34.0)):
            inside = growth(low) > 0
            for _ in range(8):
                mid = (low + high) / 2
                low, high = (mid, high) if (growth(mid) > 0) == inside else (low, mid)
            edges.append((low + high) / 2)
        for edge, sign in zip(edges, (1, -1)):
            self.assertTrue(self.stable(edge - sign * 0.03), edges)
            self.assertFalse(self.stable(edge + sign * 0.03), edges)
        self.assertTrue(21.5 < edges[0] < 22.3 and 31.7 < edges[1] < 32.5, edges)


if __name__ == "__main__":
    unittest.main()
