#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/pilot-arm.yaml at 10, 50 and 90 per cent of the lever's travel: the posture of least cost, activations of least squares that
bear arm and lever, nothing left at the joints, and runs that stay there, with and without a lag of the activation.

`pilot_arm.py --write` puts the tables of docs/theory/muscles.md in, which the test compares; `pilot_arm.py --page FILE.html` makes the page
of the arm at the three positions."""
import json
import math
import pathlib
import re
import sys
import unittest

from support import EXAMPLES, FEW, SOURCE, ExampleTest, series

EXAMPLE = "pilot-arm.yaml"
POSITIONS = (0.1, 0.5, 0.9)
COORDINATES = ("elbow.angle", "twist.angle", "wrist.angles.a", "wrist.angles.b", "lever.angle")
PAGE = SOURCE / "docs/theory/muscles.md"
MARKS = ("<!-- made by tests/examples/pilot_arm.py --write -->\n", "<!-- end of it -->\n")
FOUND = {}  # what the tests share
# angles that are comfortable, and what it costs to leave them: springs without weight
COMFORT = """
forces:
  elbow: {type: joint_spring, joint: elbow, stiffness: 1, zero: 80*deg}
  twist: {type: joint_spring, joint: twist, stiffness: 1, zero: 80*deg}
  bent: {type: joint_spring, joint: wrist.angles.a, stiffness: 2, zero: -10*deg}
  aside: {type: joint_spring, joint: wrist.angles.b, stiffness: 2, zero: 0}
  shoulder: {type: bushing, between: [ground, upper], at: shoulder, stiffness: [0, 0, 0, 1, 1, 1]}
record: ["joint.*"]
run: {time: 0.1, step: 0.001}
"""


def over_length(x):
    return math.exp((x - 0.95)**2 - 40 * (x - 0.95)**4)


def solve(matrix, right):
    """linear equations, by elimination with pivots"""
    n = len(right)
    rows = [list(r) + [b] for r, b in zip(matrix, right)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[p] = rows[p], rows[k]
        for i in range(n):
            if i != k:
                f = rows[i][k] / rows[k][k]
                rows[i] = [a - f * b for a, b in zip(rows[i], rows[k])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


class Arm(ExampleTest):
    """the commands; muscles are those of the model file, in its order"""

    @property
    def muscles(self):
        return re.findall(r"^  (\w+): {type: muscle", self.text("pilot-arm/arm.yaml"), re.M)

    def numbers(self, kind):
        """a number of every muscle: force, length"""
        return [float(x) for x in re.findall(rf"type: muscle.* {kind}: ([0-9.]+),", self.text("pilot-arm/arm.yaml"))]

    def json(self, verb, *args):
        return json.loads(self.command(verb, *args, "--json").stdout)

    def springs(self, collective):
        """the posture by another way: the equilibrium of springs of the same costs, without weight, the lever held"""
        arm = "hooke: 1\n" + self.text("pilot-arm/arm.yaml")
        text = arm[:arm.index("forces:\n")].replace("gravity: [0, 0, -9.81]", "gravity: [0, 0, 0]")
        text = text.replace("zero: drawn}", f"zero: drawn, motion: {{angle: lowest + {collective}*(highest - lowest)}}}}")
        point = self.json("statics", self.variant(text + COMFORT, "posture.yaml"))["points"][0]
        self.assertTrue(point["stable"])
        return point["final"]

    def held(self, where, name):
        """the example with this posture as its start; shoulder, elbow and twist are all of its freedoms"""
        turned = [where["joint.shoulder.orientation." + k] for k in "wxyz"]
        start = (f"start:\n  joint.shoulder: {{orientation: {turned}}}\n  joint.elbow: {{angle: {where['joint.elbow.angle']!r}}}\n"
                 f"  joint.twist: {{angle: {where['joint.twist.angle']!r}}}\n\nrecord:")
        text = re.sub(r"start:.*?\nrecord:", start, self.text(EXAMPLE), flags=re.S)
        return self.variant(text.replace("pilot-arm/arm.yaml", str(EXAMPLES / "pilot-arm/arm.yaml")), name)

    def lists(self, a, lengths=None):
        sets = ["--set", f"a=[{','.join(map(repr, a))}]"]
        return sets + (["--set", f"l=[{','.join(map(repr, lengths))}]"] if lengths else [])

    def row(self, path, *args):
        """channels at the start"""
        self.command("run", path, "--time", 1e-6, "--step", 1e-6, "--quiet", "--output", self.dir / "row.csv", *args)
        return {k: v[0] for k, v in series(self.dir / "row.csv").items()}

    def found(self, collective):
        """posture, activations, what is left at the joints, a run of two seconds; looked for once"""
        if collective not in FOUND:
            FOUND[collective] = self.find(collective)
        return FOUND[collective]

    def find(self, collective):
        path, at = EXAMPLES / EXAMPLE, ["--set", f"collective={collective}", "--set", "stretch=0", "--set", "rate=0", "--time", 0.002]
        self.command("inverse", path, *at, "--quiet", "--output", self.dir / "inverse.csv")
        where = {k: v[0] for k, v in series(self.dir / "inverse.csv").items()}
        a = [where[f"actuator.{m}.value"] for m in self.muscles]
        lengths = [where[f"force.{m}.length"] for m in self.muscles]
        joints = [x for j in ("elbow", "twist", "wrist.angles.a", "wrist.angles.b", "lever") for x in ("--actuator", j)]
        left = self.json("inverse", path, *at, *self.lists(a), *joints, "--minimise", "torque")["final"]
        free, away = self.held(where, "free.yaml"), 0.0
        for lag in ([], ["--set", "rise=0.02", "--set", "fall=0.06"]):
            run = self.run_model(free, "--set", "pull=0", "--time", 2, "--step", 0.004, *self.lists(a, lengths), *lag)
            away = max(away, *(abs(run["final"][f"joint.{c}"] - where[f"joint.{c}"]) for c in COORDINATES))
        return {"where": where, "a": a, "left": max(map(abs, left.values())), "lengths": lengths, "run": run, "away": away}

    def page(self, target):
        """one page of all positions"""
        results = []
        for collective in POSITIONS:
            f = self.found(collective)
            results.append(self.dir / f"at-{100 * collective:.0f}.nc")
            self.command("run", self.held(f["where"], "at.yaml"), "--set", "pull=0", "--time", 0.1, "--quiet", "--output", results[-1], *self.lists(f["a"], f["lengths"]))
        self.command("report", *results, "--quiet", "--output", target)


class PilotArm(Arm):
    @unittest.skipIf(FEW, "pages are for the release build")
    def test_page(self):
        self.page(self.dir / "arm.html")
        text = (self.dir / "arm.html").read_text(encoding="utf-8")
        for collective in POSITIONS:
            self.assertIn(f"at-{100 * collective:.0f}.nc", text)
        self.assertEqual(text.count('"glyph":"spindle"'), 3 * len(self.muscles))

    @unittest.skipIf(FEW, "numbers are for the release build")
    def test_tables_of_the_page(self):
        """and what they say: nothing is left at the joints, the arm stays"""
        page = PAGE.read_text(encoding="utf-8")
        written = page[page.index(MARKS[0]) + len(MARKS[0]):page.index(MARKS[1])]
        self.assertEqual(written, tables(self), "run tests/examples/pilot_arm.py --write")

    def test_posture_by_springs(self):
        """the task with its costs finds what statics finds with springs"""
        for collective in (0.5,) if FEW else POSITIONS:
            where, springs = self.found(collective)["where"], self.springs(collective)
            for c in (*COORDINATES, *("shoulder.orientation." + k for k in "wxyz")):
                self.assertNear(where["joint." + c], springs["joint." + c], 1e-8, c)

    def test_holds(self):
        for collective in (0.5,) if FEW else POSITIONS:
            f = self.found(collective)
            self.assertNear(math.degrees(f["where"]["joint.lever.angle"]), 5 + 30 * collective, 1e-9, collective)
            self.assertLess(f["left"], 1e-9)
            self.assertLess(f["away"], 1e-9)
            self.assertEqual(f["run"]["grade"], "good")
            self.assertTrue(all(0 <= x <= 1 for x in f["a"]))

    @unittest.skipIf(FEW, "numbers are for the release build")
    def test_least_squares_by_hand(self):
        """lengths and energies of neighbouring positions give moment arms and weights; the activations bear these, and no others within
        their limits have a smaller sum of squares (Karush, Kuhn and Tucker: a = A'mu where it is not at a limit, A'mu <= 0 where it is 0)"""
        f = self.found(0.5)
        where, force, best = f["where"], self.numbers("force"), self.numbers("length")
        still, h, slopes, weights = 1.6 * (1 - math.exp(-1)), 1e-4, [], []
        for axis in range(5):
            ends = []
            for sign in (-1, 1):
                there = dict(where)
                if axis < 3:  # a small turn of the shoulder, q (1, e h/2)
                    w, x, y, z = (where["joint.shoulder.orientation." + k] for k in "wxyz")
                    e = [sign * h / 2 * (axis == i) for i in range(3)]
                    q = (w - x * e[0] - y * e[1] - z * e[2], x + w * e[0] + y * e[2] - z * e[1], y + w * e[1] + z * e[0] - x * e[2], z + w * e[2] + x * e[1] - y * e[0])
                    there.update({"joint.shoulder.orientation." + k: c / math.hypot(*q) for k, c in zip("wxyz", q)})
                else:
                    there[("joint.elbow.angle", "joint.twist.angle")[axis - 3]] += sign * h
                ends.append(self.row(self.held(there, "near.yaml"), *self.lists(f["a"])))
            slopes.append([(ends[1][f"force.{m}.length"] - ends[0][f"force.{m}.length"]) / (2 * h) for m in self.muscles])
            weights.append((ends[1]["energy.potential"] - ends[0]["energy.potential"]) / (2 * h))
        # - sum a f dl/dq = dE/dq, with the elastic part of the muscles in E
        unit = [f0 * over_length(l / l0) * still for f0, l, l0 in zip(force, f["lengths"], best)]
        A = [[-u * s for u, s in zip(unit, row)] for row in slopes]
        for row, weight in zip(A, weights):
            self.assertNear(sum(x * a for x, a in zip(row, f["a"])), weight, 1e-5, "moments")
        acting = [i for i, a in enumerate(f["a"]) if a > 1e-9]
        self.assertGreater(len(acting), 5)
        square = [[sum(p[i] * q[i] for i in acting) for q in A] for p in A]
        mu = solve(square, [sum(p[i] * f["a"][i] for i in acting) for p in A])
        for i, a in enumerate(f["a"]):
            pulls = sum(m * row[i] for m, row in zip(mu, A))
            if i in acting:
                self.assertNear(a, pulls, 1e-6, self.muscles[i])
            else:
                self.assertLess(pulls, 1e-6, self.muscles[i])

    def test_numbers_of_the_example(self):
        """those of the file are those found; it is pulled, and comes back"""
        f, text = self.found(0.5), self.text(EXAMPLE)
        for key, found in (("a", f["a"]), ("l", f["lengths"])):
            given = [float(x) for x in re.search(rf"^  {key}: \[(.*?)\]", text, re.M | re.S).group(1).split(",")]
            for g, x, m in zip(given, found, self.muscles, strict=True):
                self.assertNear(g, x, 1e-6, (key, m))
        _, run = self.run_series(EXAMPLE)
        lever = run["joint.lever.angle"]
        self.assertLess(min(lever), lever[0] - 0.03)
        self.assertNear(lever[-1], lever[0], 1e-4, "back")

    def test_formulations(self):
        path = EXAMPLES / EXAMPLE
        finals = [self.run_model(path, "--time", 0.6, "--formulation", f)["final"] for f in (("hybrid", "redundant") if FEW else (
            "hybrid", "global", "topological", "recursive", "partition", "redundant"))]
        for final in finals[1:]:
            for c in COORDINATES:
                self.assertNear(final[f"joint.{c}"], finals[0][f"joint.{c}"], 2e-5, c)


def tables(case):
    """posture and muscles at the three positions, as Markdown"""
    found = [case.found(c) for c in POSITIONS]
    lines = ["| | " + " | ".join(f"{100 * c:.0f} %" for c in POSITIONS) + " |", "| --- |" + " --- |" * len(POSITIONS)]

    def line(name, values):
        lines.append(f"| {name} | " + " | ".join(values) + " |")
    for name, c in (("elbow", "elbow.angle"), ("twist of the forearm", "twist.angle"), ("wrist, towards the palm", "wrist.angles.a"), ("wrist, towards the thumb", "wrist.angles.b"),
                    ("lever", "lever.angle")):
        line(f"{name}, degrees", [f"{math.degrees(f['where']['joint.' + c]):.1f}" for f in found])
    line("shoulder from the drawing, degrees", [f"{math.degrees(2 * math.acos(min(1, f['where']['joint.shoulder.orientation.w']))):.1f}" for f in found])
    line("largest moment left at a joint", ["below 1e-9 N m" if f["left"] < 1e-9 else f"{f['left']:.1e} N m" for f in found])
    line("away after 2 s, with and without lag", ["below 1e-9 rad" if f["away"] < 1e-9 else f"{f['away']:.1e} rad" for f in found])
    line("sum of squared activations", [f"{sum(a * a for a in f['a']):.4f}" for f in found])
    for i, m in enumerate(case.muscles):
        line(f"`{m}`", [f"{f['a'][i]:.3f}" if f["a"][i] > 1e-9 else "0" for f in found])
    return "\n" + "\n".join(lines) + "\n\n"


def write(case):
    page = PAGE.read_text(encoding="utf-8")
    begin, end = page.index(MARKS[0]) + len(MARKS[0]), page.index(MARKS[1])
    PAGE.write_text(page[:begin] + tables(case) + page[end:], encoding="utf-8")


def main():
    """without tests: tables or a page"""
    case = Arm("found")
    case.setUp()
    if "--write" in sys.argv:
        write(case)
    else:
        case.page(pathlib.Path(sys.argv[sys.argv.index("--page") + 1]).resolve())
    case.doCleanups()


if __name__ == "__main__":
    if "--write" in sys.argv or "--page" in sys.argv:
        main()
    else:
        unittest.main()
