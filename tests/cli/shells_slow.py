#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shells with fine meshes on the benchmarks of Sze, Liu and Lo 2004, along their paths of equilibria."""
import json
import sys
import unittest

from support import SOURCE
from support_beams import BeamTest

sys.path.insert(0, str(SOURCE / "scripts"))
from shell_cases import annulus, hemisphere, roof  # pylint: disable=wrong-import-position


LIMIT = 900  # seconds; the finest mesh takes 22 s of CPU, and the machine may be busy


class Shells(BeamTest):
    def points(self, text):
        return json.loads(self.hooke("statics", self.write(text), "--json", limit=LIMIT).stdout)["points"]

    def test_hemisphere(self):
        """inward 8.178, outward 4.067 (Sze): within 0.5 % and 0.1 % with 24 x 24 elements a quarter, all points stable"""
        points = self.points(hemisphere(24))
        final = points[-1]["final"]
        self.assertTrue(all(p["stable"] for p in points))
        self.assertLess(abs((10 - final["body.s.24.0.position.y"]) / 8.178 - 1), 5e-3)
        self.assertLess(abs((final["body.s.0.0.position.x"] - 10) / 4.067 - 1), 1e-3)

    def test_annulus(self):
        """inner 13.891, outer 17.528 (Sze, one mesh): 5 x 40 and 10 x 80 elements come from below, and extrapolate to within 0.5 %"""
        found = []
        for n in (5, 10):
            final = self.points(annulus(n, 8 * n))[-1]["final"]
            found.append((final["body.s.0.0.position.z"], final[f"body.s.0.{n}.position.z"]))
        for coarse, fine, known, low in zip(*found, (13.891, 17.528), (13.78, 17.42)):
            self.assertTrue(coarse < low < fine < known, found)
            self.assertLess(abs((fine + (fine - coarse) / 3) / known - 1), 5e-3)

    def test_roof(self):
        """snaps through: extremes of the load of both thicknesses, unstable between them; 8 x 8 and 16 x 16 elements agree within 3 %"""
        for h in (12.7, 6.35):
            limits = []
            for n in (8, 16):
                points = self.points(roof(n, h))
                limits.append([p["load"] for p in points if p["limit"]])
                self.assertEqual(len(limits[-1]), 2, h)
                self.assertTrue(points[0]["stable"] and points[-1]["stable"])
                between = [p for p in points if p["softest"] < -1e-6]
                self.assertGreater(len(between), 3)
            for coarse, fine in zip(*limits):
                self.assertLess(abs(coarse / fine - 1), 0.03, (h, limits))


if __name__ == "__main__":
    unittest.main()
