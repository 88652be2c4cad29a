#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shells and membranes in whole models: converged reference values, frequencies, formulations, the energy audit, bad input.
The elements alone: tests/elements/shells.c."""
import json
import math
import unittest

from support import FEW, SOURCE
from support_beams import BeamTest

FORMULATIONS = ("hybrid", "topological", "recursive", "global", "redundant")

# cantilever of Sze, Liu and Lo 2004; the beam's exact answers with shear 5/6: -U, W at the end shear P
CANTILEVER = """\
hooke: 1
parameters: {P: 4, M: 0, L: 10, n: 16}
shells:
  c:
    corners: [[0, 0, 0], [L, 0, 0], [L, 1, 0], [0, 1, 0]]
    elements: [n, 1]
    thickness: 0.1
    material: {E: 1.2e6, nu: 0, density: 1200}
    clamp: {u_start: ground}
    loads: {tip: {on: u_end, force: [0, 0, P], moment: [0, -M, 0]}}
record: ["body.c.*.0.position", "shell.c.1.1.*", "shell.c.energy"]
run: {time: 0.01, step: 0.001, formulation: redundant}
"""
EXACT = {1: (0.5643610, 3.0173848), 4: (3.2895094, 6.7001325)}

PLATE = """\
hooke: 1
parameters: {n: 8}
%s:
  s:
    corners: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    elements: [n, n]
    %s
    clamp: {u_start: {body: ground, type: spherical}, u_end: {body: ground, type: spherical},
            v_start: {body: ground, type: spherical}, v_end: {body: ground, type: spherical}}
run: {time: 0.01, step: 0.001}
"""


class Shells(BeamTest):
    def statics(self, path, *args):
        return json.loads(self.hooke("statics", path, "--json", *args).stdout)["points"][-1]["final"]

    def frequencies(self, path, *args):
        modes = json.loads(self.hooke("modes", path, "--json", *args).stdout)["modes"]
        return [m["frequency_Hz"] for m in modes]

    def test_cantilever_under_shear(self):
        """order 2 to the exact answers of the beam; section forces at the root"""
        path = self.write(CANTILEVER)
        for P, (U, W) in list(EXACT.items())[1 if FEW else 0:]:
            errors = []
            for n in (6, 12):
                final = self.statics(path, "--set", f"P={P}", "--set", f"n={n}")
                errors.append(final[f"body.c.{n}.0.position.z"] / W - 1)
            self.assertLess(abs(errors[1]), 3e-3)
            self.assertTrue(3.5 < errors[0] / errors[1] < 4.5, errors)
            self.assertLess(abs((10 - final["body.c.12.0.position.x"]) / U - 1), 6e-3)
        # moment in the middle of the first element: P times the lever to the tip, about the axis y
        x = 0.5 * (final["body.c.0.0.position.x"] + final["body.c.1.0.position.x"])
        lever = final["body.c.12.0.position.x"] - x
        self.assertLess(abs(abs(final["shell.c.1.1.moment.xx"]) / (4 * lever) - 1), 8e-3)

    def test_roll_up(self):
        """M = 2 pi EI/L bends a strip to a full circle: with damping, to rest; the gap closes with order 2"""
        text = CANTILEVER.replace("moment: [0, -M, 0]", 'moment: [0, "-50*pi/3*min(t/30, 1)", 0]')
        text = text.replace("density: 1200", "density: 1").replace("clamp:", "damping: 3\n    clamp:")
        path = self.write(text.replace("time: 0.01, step: 0.001", "time: 75, step: 0.75"))
        gaps = []
        for n in (12, 24):
            final = self.final(path, "--set", "L=12", "--set", "P=0", "--set", f"n={n}")
            gaps.append(math.hypot(final[f"body.c.{n}.0.position.x"], final[f"body.c.{n}.0.position.z"]))
            width = max(final[f"body.c.{i}.0.position.z"] for i in range(n + 1))
        self.assertLess(gaps[1], 0.03 * 12)
        self.assertTrue(3.5 < gaps[0] / gaps[1] < 4.5, gaps)
        self.assertLess(abs(width / (12 / math.pi) - 1), 0.02)

    def test_plate_frequencies(self):
        """simply supported: Kirchhoff's (i^2 + j^2) pi/2 sqrt(D/m)/a^2, from below with order 2"""
        path = self.write(PLATE % ("shells", "thickness: 0.005\n    material: {E: 7e10, nu: 0.3, density: 2700}"))
        exact = math.pi * math.sqrt(7e10 * 0.005**3 / 12 / 0.91 / (2700 * 0.005))
        ratio = [self.frequencies(path, "--number", "1", "--set", f"n={n}")[0] / exact - 1 for n in ((8,) if FEW else (8, 12))]
        self.assertTrue(-0.010 < ratio[0] < -0.007, ratio)
        if not FEW:
            self.assertTrue(1.9 < ratio[0] / ratio[1] < 2.6, ratio)

    def test_membrane_frequencies(self):
        """pi sqrt(2) sqrt(T/(rho h))/a; lumped masses give 0.98090 and 0.99519 of it with 8 and 16 elements"""
        path = self.write(PLATE % ("membranes", "thickness: 5e-4\n    material: {E: 4e9, nu: 0.3, density: 1200}\n    prestress: 1000"))
        exact = math.sqrt(2 * 1000 / 0.6) / 2
        for n, known in ((8, 0.98090),) if FEW else ((8, 0.98090), (16, 0.99519)):
            self.assertLess(abs(self.frequencies(path, "--number", "1", "--set", f"n={n}")[0] / exact - known), 1e-5)

    def test_formulations_agree(self):
        """the flapping plate: the same motion in all formulations, and an audit that closes"""
        path = SOURCE / "examples/flapping-plate.yaml"
        time = ("--time", "0.05")
        finals = {}
        for name in ("hybrid", "redundant") if FEW else FORMULATIONS:
            summary = self.summary(path, "--formulation", name, *time)
            self.assertEqual(summary["grade"], "good")
            self.assertLess(summary["drift_percent"], 0.5)
            finals[name] = summary["final"]
        tip = [f"body.plate.8.1.position.{x}" for x in "xyz"]
        for name, final in finals.items():
            for x in tip:
                self.assertLess(abs(final[x] - finals["redundant"][x]), 1e-6, name)

    def test_bad_input(self):
        """each fault is named with the element, node or key, at its place"""
        good = CANTILEVER
        cases = (
            ("thickness: 0.1", "thickness: 100", "beam.yaml:7:16: error: shell 'c' is 100 m thick"),
            ("[L, 1, 0], [0, 1, 0]]", "[0, 1, 0], [L, 1, 0]]", "element 1.1 of shell 'c' has no area, or crosses itself"),
            ("[L, 1, 0], [0, 1, 0]]\n    elements: [n, 1]", "[1, 0.1, 0], [0, 1, 0]]\n    elements: [1, 1]",
             "element 1.1 of shell 'c' is folded: at its node 1.1"),
            ("[[0, 0, 0], [L, 0, 0]", "[[0, 0, 0], [0, 0, 0]", "element 1.1 of shell 'c' is folded"),
            ("clamp: {u_start: ground}", "clamp: {u_star: ground}", "has no set of nodes 'u_star'"),
            ("clamp: {u_start: ground}", "clamp: {u_start: {body: ground, type: planar}}", "needs the key 'normal'"),
            ("elements: [n, 1]", "elements: [n, 1.5]", "must be two whole numbers"),
            ("material: {E: 1.2e6, nu: 0, density: 1200}", "", "shell 'c' needs the key 'material'"),
            ("E: 1.2e6, nu: 0", "E: 1.2e6, G: 1e5", "belong to no plate"),
            ("thickness: 0.1", "thickness: 0.1\n    enhanced: 3", "must be 0, 4, 5 or 7, found 3"),
            ("[0, 1, 0]]\n", "[0, 1, 0]]\n    surface: [u, v, 0]\n", "has both 'corners' and 'surface'"),
        )
        for old, new, message in cases:
            self.assertIn(old, good)
            path = self.write(good.replace(old, new))
            result = self.hooke("check", path, code=3)
            self.assertIn(message, result.stderr)
        # one message for all joints of a side
        self.assertEqual(result.stderr.count("error:"), 1)
        path = self.write(good.replace("run:", "markers: {P: {on: c.99.0, at: [0, 0, 0]}}\nrun:"))
        self.assertIn("shell 'c' has no node '99.0'", self.hooke("check", path, code=3).stderr)
        path = self.write(good.replace("E: 1.2e6", "E: 1.2"))
        self.assertIn("are the units right?", self.hooke("check", path).stderr)


if __name__ == "__main__":
    unittest.main()
