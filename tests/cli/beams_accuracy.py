#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Errors of beam elements against exact answers, and their order in the size of elements: buckling, flutter under a follower
force, frequencies at rest and in rotation, flexibility of a twisted beam. The whole table: beams_accuracy_slow.py."""
import math
import sys
import unittest

from support import FEW, HOOKE, SOURCE, CommandTest

sys.path.insert(0, str(SOURCE / "scripts"))
from beam_cases import BECK, BECK_OMEGA, MICHELL, Cases, beck, line  # pylint: disable=wrong-import-position


class Accuracy(CommandTest):
    def setUp(self):
        super().setUp()
        self.cases = Cases(HOOKE, self.dir)

    def errors(self, case, element, n, expected, within=0.02):
        """the errors of a mesh are these ones, within 2 per cent"""
        found = self.cases.error(case, element, n)
        found, expected = (x if isinstance(x, (list, tuple)) else (x,) for x in (found, expected))
        for x, e in zip(found, expected):
            self.assertLess(abs(x - e), within * abs(e), (case, element, n, found))
        return found

    @unittest.skipIf(FEW, "the same path as of a thin blade")
    def test_lateral_buckling(self):
        """a blade under a load at its end gives way to the side at one load (Prandtl 1899, Michell 1899)"""
        n, expected = 8, 7.756e-4
        loads = self.cases.buckling("three_node", n)
        self.assertEqual(len(loads), 1, loads)
        self.assertLess(abs((loads[0] / MICHELL - 1) / expected - 1), 0.02)

    def test_buckling_of_a_thin_blade(self):
        """steel, 100 mm x 0.3 mm x 1 m: accelerations of its nodes are 16 decades apart. Stable before the load, unstable behind it; the
        load is that of Prandtl and Michell with the stiffness of the section, 8e-4 high with 8 intervals"""
        n, high = (4, 1.02e-2) if FEW else (8, 7.9e-4)
        width, thick, e, g = 0.1, 0.0003, 2e11, 2e11 / 2.6
        torsion = width * thick**3 / 3 * (1 - 192 / math.pi**5 * thick / width)
        critical = MICHELL * math.sqrt(e * width * thick**3 / 12 * g * torsion)
        text = line("three_node", n, f"{{shape: {{rectangle: [{thick}, {width}]}}, material: {{E: {e}, nu: 0.3, density: 7800}}}}") + f"""\
signals: {{P: {{input: {0.9 * critical}}}}}
forces: {{p: {{type: force, on: c.end, at: B, value: [0, 0, -P]}}}}
statics: {{load: P, to: {1.1 * critical}, points: 2}}
"""
        points = self.cases.ask("statics", text)["points"]
        loads = [p["load"] for p in points if p.get("bifurcation")]
        self.assertEqual(len(loads), 1, loads)
        self.assertLess(abs((loads[0] / critical - 1) / high - 1), 0.05, loads[0] / critical - 1)
        self.assertGreater(points[0]["softest"], 0.1)
        self.assertLess(points[-1]["softest"], -0.1)

    def test_flutter(self):
        """Beck's column: 8 elements of three nodes are 4.2e-4 high; the frequency there"""
        n, high, fast = (8, 6.51e-3, 5.60e-3) if FEW else (16, 4.24e-4, 3.77e-4)
        load, omega = self.cases.flutter("three_node", n)
        self.assertLess(abs((load / BECK - 1) / high - 1), 0.02)
        self.assertLess(abs((omega / BECK_OMEGA - 1) / fast - 1), 0.02)

    def test_flutter_is_flutter(self):
        """below the load no mode grows, above it one does: the tangent of the follower force is whole"""
        for load, grows in ((20.1, False), (20.3, True)):
            top = max(x.real for x in self.cases.eigenvalues(beck("three_node", 8, load), "--at", "equilibrium", "-n", "4"))
            self.assertEqual(top > 0.1, grows, (load, top))

    def test_rotating(self):
        """frequencies out of the plane of rotation at three speeds, in axes that turn"""
        for speed, expected in ((1, (3.86e-5, 2.03e-3)), (5, (-2.57e-5, 1.08e-3)), (12, (-4.99e-5, -2.08e-4))):
            if not FEW or speed == 12:
                self.errors(f"rotating {speed}", "three_node", 8, expected)

    def test_frequencies(self):
        """straight with shear, twisted, curved, clamped at both ends"""
        for case, expected in (("cantilever", (5.09e-5, 5.04e-5, 1.94e-3, -8.30e-6, 1.82e-3, 1.43e-2)),
                               ("twisted", (5.71e-5, 1.04e-3, 2.07e-3, 1.17e-2, -8.30e-6, 3.14e-2)),
                               ("arc", (1.41e-4, 1.29e-4, 1.55e-3, 2.36e-3, 1.31e-2, 1.63e-2)),
                               ("arch", (2.41e-3, 1.98e-2, 1.98e-2, 2.87e-2)))[:1 if FEW else 4]:
            self.errors(case, "three_node", 8, expected)

    @unittest.skipIf(FEW, "the same path as above")
    def test_orders(self):
        """4 of the default; finite volumes of three nodes are of order 2 in frequencies, elements of two nodes in everything"""
        for element, order in (("three_node", 4), ("finite_volume", 2), ("helicoidal", 2), ("finite_volume_two", 2)):
            a, b = (self.cases.error("cantilever", element, n)[0] for n in (6, 12))
            self.assertLess(abs(math.log2(a / b) - order), 0.25, (element, a, b))

    def test_flexibility(self):
        """MacNeal and Harder's beam, twisted by 90 degrees"""
        self.errors("flexibility", "three_node", 8, (-5.99e-5, -4.26e-4))


if __name__ == "__main__":
    unittest.main()
