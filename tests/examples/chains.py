#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Taut and spinning chains: the tangent that leaves out geometric stiffness leads away there, so the
exact one must take over by itself, in few iterations and without a refused step."""
import json
import unittest

from support import EXAMPLES, ExampleTest

# formulations that choose, and those that always have the exact tangent
CHOOSING = ("hybrid", "topological", "global", "recursive")
EXACT = ("partition", "redundant")


def chain(points, end="", gravity=-9.81, rest=""):
    """links of 0.1 kg between points of the plane xz"""
    text = [f"hooke: 1\ntitle: A chain\nplanar: xz\ngravity: [0, 0, {gravity}]\nbodies:"]
    ends = list(zip(points, points[1:]))
    for i, ((x, z), (u, w)) in enumerate(ends):
        text.append(f"  l{i}: {{mass: 0.1, com: [{(x + u) / 2!r}, 0, {(z + w) / 2!r}], "
                    "inertia: {yy: 2.08333333333e-05}}")
    text.append("joints:")
    for i, ((x, z), _) in enumerate(ends):
        text.append(f"  j{i}: {{type: revolute, between: [{f'l{i - 1}' if i else 'ground'}, l{i}], "
                    f"at: [{x!r}, 0, {z!r}], axis: y}}")
    return "\n".join(text + [end, rest, "record: ['joint.j0.*', 'energy.*']", "run: {time: 1, step: 0.01}\n"])


def hanging(n):
    """both ends held, drawn as a V, at rest in equilibrium"""
    points = [(0.03 * i, -0.04 * min(i, n - i)) for i in range(n + 1)]
    return chain(points, f"  end: {{type: revolute, between: [l{n - 1}, ground], "
                 f"at: [{points[-1][0]!r}, 0, 0], axis: y}}", rest="start: {equilibrium: true}")


def pulled(n):
    """a straight chain under 10 kN, struck at its root"""
    x = 0.05 * n
    return chain([(0.05 * i, 0.0) for i in range(n + 1)],
                 f"forces:\n  pull: {{type: spring_damper, between: [l{n - 1}, ground], "
                 f"ends: [[{x!r}, 0, 0], [{x + 1!r}, 0, 0]], stiffness: 20000, length: 0.5}}",
                 rest="start: {j0: {rate: 0.3}}")


def spinning(n):
    """a straight chain that turns about its root without gravity"""
    return chain([(0.05 * i, 0.0) for i in range(n + 1)], gravity=0, rest="start: {j0: {rate: 20}}")


class Chains(ExampleTest):
    def steps(self, text, formulation, most, time, *args):
        """run; at most `most` iterations per step and no refused step"""
        r = self.run_model(self.variant(text), "-f", formulation, "--time", time, *args)
        self.assertEqual(r["rejected"], 0, formulation)
        self.assertLessEqual(r["iterations"], most * r["steps"], formulation)
        return r

    def test_hanging(self):
        for f in CHOOSING + EXACT:
            for n in (40, 200) if f != "partition" else (40,):
                r = self.steps(hanging(n), f, 3.0, 0.5)
                self.assertLess(abs(r["energy"]["balance_error_J"]), 1e-9)
                self.assertEqual(r["grade"], "good")  # round-off is no motion

    def test_pulled(self):
        for f in CHOOSING:
            self.steps(pulled(40), f, 4.4 if f == "global" else 3.2, 0.5)

    def test_spinning(self):
        for f in CHOOSING:
            r = self.steps(spinning(10), f, 4.5 if f == "global" else 3.0, 0.3)
            # it turns as one: 20 rad/s
            self.assertAlmostEqual(r["final"]["joint.j0.angle"], 6.0, delta=3e-2 if f == "global" else 1e-6)

    def test_loops(self):
        """where both tangents do, they give the same motion"""
        for f in CHOOSING:
            runs = [self.run_model(EXAMPLES / "iltis-suspension.yaml", "-f", f, "--time", 0.1,
                                   "--option", f"tangent={t}") for t in ("material", "exact")]
            self.assertEqual([r["rejected"] for r in runs], [0, 0], f)
            self.assertLessEqual(runs[1]["iterations"], runs[0]["iterations"], f)
            for key, value in runs[0]["final"].items():
                self.assertAlmostEqual(runs[1]["final"][key], value, delta=1e-4 * max(1, abs(value)),
                                       msg=f"{f} {key}")

    def test_resumed(self):
        """which tangent is in use, and for how long, is part of a checkpoint"""
        model = self.variant(pulled(10))
        for f in CHOOSING:
            out = {}
            keep = self.dir / "state.hkc"
            for name, args in (("whole", ["--time", 0.6]), ("first", ["--time", 0.23, "--checkpoint", keep]),
                               ("second", ["--time", 0.6, "--resume", keep])):
                file = self.dir / f"{f}-{name}.csv"
                r = self.run_model(model, "-f", f, "--output", file, *args)
                out[name] = r, file.read_text().splitlines()
            self.assertEqual(out["first"][1] + out["second"][1][1:], out["whole"][1], f)
            for key in ("steps", "rejected", "iterations", "final", "energy"):
                self.assertEqual(json.dumps(out["second"][0][key]), json.dumps(out["whole"][0][key]), f)


if __name__ == "__main__":
    unittest.main()
