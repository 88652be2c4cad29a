#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Histories of beams in motion against converged references, to the end: the flying beam after Simo and Vu-Quoc, the
slider-crank with an elastic rod at two speeds, the four-bar in every formulation with every integrator."""
import math
import unittest

from support_beams import FORMULATIONS, BeamTest, across
from support_motion import FLYING, flight

SLIDER = {20: (1.1e-3, 8e-7), 125: (6e-4, 3e-5)}


class Histories(BeamTest):
    def test_flying_beam(self):
        """16 intervals: 3.5e-3 m of 34 m over 15 s; order 2 in time, momenta as given"""
        found = []
        for n, h in ((8, 0.005), (16, 0.005), (16, 0.01)):
            rows = self.history(self.write(FLYING), "--set", f"n={n}", "--step", h, "--output-every", 0.25)
            found.append(flight(self, rows, n))
        for (apart, spin), (least, most), turned in zip(found, ((0.038, 0.044), (3.2e-3, 3.8e-3), (6e-3, 7.2e-3)), (1.2e-3, 1.2e-3, 5e-3)):
            self.assertTrue(least < apart < most, found)
            self.assertLess(spin, turned, found)
        self.assertTrue(3.4 < found[2][1] / found[1][1] < 4.6, found)

    def test_slider_crank(self):
        """16 intervals: the bending of the rod through one turn, and the slider within the ringing of the stretch"""
        path = self.example("flexible-slider-crank", ("elements: 8", "elements: 16"), ("body.rod.8", "body.rod.16"),
                            ("body.rod.4", "body.rod.8"))
        for speed, (bend, slide) in SLIDER.items():
            rows = self.history(path, "--set", f"W={speed}", "-i", "trapezoidal", "--step", 2e-5)
            reference, h = self.reference(f"flexible-slider-crank-{speed}"), rows[1]["t"]
            peak = max(abs(r["mid_beam"]) for r in reference)
            for r in reference:
                i = min(int(r["t"] / h), len(rows) - 2)
                a, b = rows[i], rows[i + 1]
                part = (r["t"] - a["t"]) / (b["t"] - a["t"])
                row = {k: x + part * (b[k] - x) for k, x in a.items()}
                self.assertLess(abs(abs(across(row, "rod", 0, 8, 16)) - abs(r["mid_beam"])), bend * peak, (speed, r))
                self.assertLess(abs(row["body.slider.position.x"] - r["slider_x"]), slide, (speed, r))

    def test_four_bar_with_every_method(self):
        """each formulation with each implicit method: the same turn, to the error of the method"""
        path = self.example("flexible-four-bar")
        exact = self.final(path, "-i", "sdirk", "--time", 0.02, "--step", 2.5e-5)
        for f in FORMULATIONS:
            for method, most in (("trapezoidal", 2e-6), ("generalized_alpha", 2e-6), ("hht", 2e-6), ("newmark", 5e-4), ("sdirk", 2e-7),
                                 ("multistep", 2e-5)):
                if method == "multistep" and f != "redundant" or method == "sdirk" and f not in ("hybrid", "topological", "global"):
                    continue
                final = self.final(path, "-f", f, "-i", method, "--time", 0.02, "--step", 2e-4)
                apart = max(abs(final[k] - x) for k, x in exact.items() if "position" in k)
                self.assertLess(apart, most, (f, method))


if __name__ == "__main__":
    unittest.main()
