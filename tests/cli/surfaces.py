#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Surfaces that follow bodies, in whole models: points from grids, tables and meshes, what a page is told, bad input. Mappings alone:
tests/mapping."""
import array
import base64
import json
import re
import unittest

from support import SOURCE, CommandTest

MODEL = """\
hooke: 1
bodies:
  a: {mass: 1, com: [0, 0, 0], inertia: [1, 2, 3], frame: {at: [0.1, 0, 0], rotate: {axis: z, angle: 0.7}}}
  b: {mass: 1, com: [1, 0, 0], inertia: [1, 2, 3]}
  c: {mass: 1, com: [2, 0.5, 0], inertia: [1, 2, 3]}
  p: {mass: 1, com: [1, 1, 0]}
start: {a: {angular_velocity: [1, 2, 3]}, b: {velocity: [1, 0, 0]}}
surfaces: {skin: SKIN}
run: {time: 0.01, step: 0.01}
"""


def rotate(q, v):
    w, x, y, z = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]]


class Surfaces(CommandTest):
    def page(self, path, *more):
        self.hooke("run", path, "--report", "out.html", *more)
        html = (self.dir / "out.html").read_text()
        return json.loads(re.search(r'id="hooke-data">(.*?)</script>', html, re.S)[1])["runs"][0]

    def points(self, run, surface, frame=0):
        """the points of a surface by the poses of its bodies"""
        n, poses = run["frames"]["bodies"], array.array("f", base64.b64decode(run["frames"]["pose"]["f32"]))
        x, k = [], 0
        for count in surface["counts"]:
            at = [0.0] * 3
            for _ in range(count):
                i = 7 * (frame * n + surface["bodies"][k])
                turned = rotate(poses[i + 3:i + 7], surface["offsets"][3 * k:3 * k + 3])
                for c in range(3):
                    at[c] += surface["weights"][k] * poses[i + c] + turned[c]
                k += 1
            x.append(at)
        return x

    def drawn(self, run, surface):
        first, n = surface["points"]
        mesh = array.array("f", base64.b64decode(run["mesh"]["points"]["f32"]))
        return [mesh[3 * i:3 * i + 3] for i in range(first, first + n)]

    def near(self, a, b, tolerance):
        self.assertEqual(len(a), len(b))
        self.assertLess(max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q)), tolerance)

    def test_example(self):
        """as drawn the surface is the grid; while the plate flaps, its edge at the root turns with the hub"""
        run = self.page(SOURCE / "examples/flapping-surface.yaml", "--time", "0.1")
        skin = run["scene"]["surfaces"][0]
        self.assertEqual((skin["name"], skin["points"], skin["faces"][1]), ("skin", [0, 5000], 2 * 99 * 49))
        self.near(self.points(run, skin), self.drawn(run, skin), 2e-6)
        last = len(base64.b64decode(run["frames"]["time"]["f64"])) // 8 - 1
        now = self.points(run, skin, last)
        self.assertGreater(abs(now[99][2]), 5e-3)  # the tip has moved
        for row in range(50):
            # sections of the spar stay flat: points of one station lie on a line across it, to the order of the mapping
            self.assertAlmostEqual(now[100 * row + 60][2], now[60][2], delta=1e-4)
            self.assertAlmostEqual(now[100 * row + 60][1], -0.1 + 0.2 * row / 49, delta=2e-6)

    def test_sources_of_points(self):
        (self.dir / "p.csv").write_text("z,x,y\n0.1,0.5,0.2\n-0.1,1.5,0.3\n0,1,1\n")
        (self.dir / "p.obj").write_text("v 500 200 100\nv 1500 300 -100\nv 1000 1000 0\nf 1 2 3\n")
        want = [[0.5, 0.2, 0.1], [1.5, 0.3, -0.1], [1, 1, 0]]
        for skin, faces in (("{points: p.csv, bodies: [a, b, 'c', p]}", 0), ("{points: p.obj, scale: 0.001, bodies: '*', order: 1, weight: C4}", 1)):
            (self.dir / "m.yaml").write_text(MODEL.replace("SKIN", skin))
            run = self.page("m.yaml")
            surface = run["scene"]["surfaces"][0]
            self.assertEqual(surface["faces"][1], faces)
            if faces:  # points alone are not drawn
                self.near(self.drawn(run, surface), want, 1e-6)
            self.near(self.points(run, surface), want, 1e-6)

    def test_bad_input(self):
        (self.dir / "p.csv").write_text("x,y,z\n0,0,0.5\n")
        (self.dir / "q.csv").write_text("x,y\n0,0\n")
        for skin, words in (("{points: p.csv, bodies: [p]}", "do not tell where point 1"), ("{bodies: [a]}", "needs 'points' or a 'grid'"),
                            ("{points: q.csv, bodies: [a]}", "no column z"), ("{points: p.csv, bodies: [x*]}", "no body fits 'x*'"),
                            ("{points: p.csv, bodies: [ground]}", "does not move"), ("{points: p.csv, bodies: [nobody]}", "nobody"),
                            ("{points: p.csv, bodies: []}", "names no body"), ("{points: none.csv, bodies: [a]}", "none.csv"),
                            ("{points: p.csv, bodies: [a], order: 4}", "order"), ("{grid: {at: [0, 0, 0], u: [1, 0, 0], v: [0, 1, 0], number: [1, 5]}, bodies: [a]}", "from 2 on"),
                            ("{points: p.csv, grid: {}, bodies: [a]}", "needs 'points' or a 'grid'"), ("{points: p.csv, bodies: [a], wieght: C0}", "wieght"), ("{points: p.csv, bodies: [a], reach: [1, 0, 1]}", "must be positive")):
            (self.dir / "m.yaml").write_text(MODEL.replace("SKIN", skin))
            out = self.hooke("check", "m.yaml", code=6 if "none.csv" in words else 3)
            self.assertRegex(out.stderr, r"(m\.yaml|p\.csv|q\.csv):\d+:\d+")
            self.assertIn(words, out.stderr)


if __name__ == "__main__":
    unittest.main()
