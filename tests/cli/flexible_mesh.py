#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flexible bodies from a mesh in the model file: examples/connecting-rod.yaml by one command, in both formulations and from a body reduced before; a rod
that is pulled; what is refused."""
import csv
import json
import math
import shutil
import time
import unittest

from support import FEW, SOURCE, CommandTest
from support_mesh import GMSH_EDGES, HEIGHT, WIDTH, Mesh

PULL, AREA = 10000.0, 0.014 * 0.008  # N, m^2 of the shank
MODEL = """\
hooke: 1
gravity: [0, 0, 0]
flexible: {rod: {data: rod.msh, material: steel, interfaces: [big_end, "small_end@0.12,0,0"], modes: 8}}
joints: {clamp: {type: fixed, between: [ground, rod.big_end], at: [0, 0, 0]}}
forces: {pull: {type: force, on: rod.small_end, at: [0.12, 0, 0], value: [10000, 0, 0]}}
start: {equilibrium: true}
record: [body.rod.small_end.position.x, flexible.rod.*]
run: {time: 0.0001, step: 0.0001}
"""


class FlexibleMesh(CommandTest):
    def setUp(self):
        super().setUp()
        shutil.copy(SOURCE / "examples/connecting-rod/rod.msh", self.dir)

    def rows(self, model, *args):
        out = self.hooke("run", model, "-o", "out.csv", "--json", *args)
        with open(self.dir / "out.csv", newline="", encoding="utf-8") as file:
            table = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
        return [dict(zip(table[0], map(float, row))) for row in table[1:] if row[0][0] in "-.0123456789"], json.loads(out.stdout)

    def test_example(self):
        """from the mesh to a page with stresses by one command; the piston moves as with a rigid rod, nearly"""
        begin = time.monotonic()
        rows, _ = self.rows(SOURCE / "examples/connecting-rod.yaml", "--report", "rod.html", "-f", "hybrid", *(("--time", 0.004) if FEW else ()))
        self.assertLess(time.monotonic() - begin, 60)
        self.assertIn('"skins":[', (self.dir / "rod.html").read_text())
        other, value = self.rows(SOURCE / "examples/connecting-rod.yaml", "-f", "redundant", "--time", 0.002 if FEW else 0.012)
        self.assertEqual(value["grade"], "good")
        self.assertGreater(len(other), 2 if FEW else 20)
        top = max(row["flexible.rod.stress"] for row in rows)
        for a, b in zip(rows, other):
            self.assertAlmostEqual(a["flexible.rod.stress"], b["flexible.rod.stress"], delta=1e-6 * top)
        for a in rows:
            angle = a["joint.bearing.angle"]
            rigid = 0.03 * math.cos(angle) + math.sqrt(0.12**2 - (0.03 * math.sin(angle)) ** 2) - 0.15
            self.assertAlmostEqual(a["joint.bore.position"], rigid, delta=2e-5)
        # the rod pulls a piston of 0.4 kg at the dead points: m r w^2 (1 + r/l) over the shank, and more where it meets the eyes
        force = 0.4 * 0.03 * (100 * math.pi) ** 2 * 1.25
        if FEW:
            return  # not at speed yet
        self.assertGreater(top, force / AREA)
        self.assertLess(top, 4 * force / AREA)

    def test_pulled(self):
        """strain energy is half of force times way; a mesh in the model and a body reduced before are the same"""
        (self.dir / "pull.yaml").write_text(MODEL)
        row = self.rows("pull.yaml")[0][0]
        way = row["body.rod.small_end.position.x"] - 0.12
        self.assertAlmostEqual(row["flexible.rod.energy"] / (0.5 * PULL * way), 1, delta=1e-6)
        # a bar of this section and length, shorter by the eyes
        self.assertTrue(0.4 < way / (PULL * 0.12 / (2.1e11 * AREA)) < 0.9, way)
        self.assertGreater(row["flexible.rod.stress"], PULL / AREA)
        self.hooke("reduce", "rod.msh", "--material", "steel", "--interface", "big_end", "--interface", "small_end@0.12,0,0", "--modes", 8, "--quiet")
        (self.dir / "pull.yaml").write_text(MODEL.replace('rod.msh, material: steel, interfaces: [big_end, "small_end@0.12,0,0"], modes: 8', "rod.nc"))
        again = self.rows("pull.yaml")[0][0]
        for name in ("flexible.rod.stress", "flexible.rod.energy"):
            self.assertAlmostEqual(again[name] / row[name], 1, delta=1e-6)

    def test_twisted(self):
        """a bar of 20 x 10 mm under a torque: von Mises stress is sqrt(3) times the shear T/(0.246 a b^2), of which one element across has 0.87"""
        (self.dir / "bar.msh").write_text(Mesh("C3D20", GMSH_EDGES).gmsh(2.2))
        (self.dir / "twist.yaml").write_text(f"""\
hooke: 1
flexible: {{bar: {{data: bar.msh, material: steel, interfaces: [root, tip], modes: 8}}}}
joints: {{clamp: {{type: fixed, between: [ground, bar.root], at: [0, {WIDTH / 2}, {HEIGHT / 2}]}}}}
forces: {{torque: {{type: torque, on: bar.tip, value: [10, 0, 0]}}}}
start: {{equilibrium: true}}
record: [flexible.bar.stress]
run: {{time: 1e-6, step: 1e-6}}
""")
        stress = self.rows("twist.yaml")[0][0]["flexible.bar.stress"]
        self.assertAlmostEqual(stress / (math.sqrt(3) * 10 / (0.246 * WIDTH * HEIGHT**2)), 0.87, delta=0.02)

    def refused(self, old, new, words):
        self.assertIn(old, MODEL)
        (self.dir / "bad.yaml").write_text(MODEL.replace(old, new))
        self.assertIn(words, self.hooke("check", "bad.yaml", code=3).stderr)

    def test_refused(self):
        self.refused("material: steel, ", "", "is a mesh without a material")
        self.refused("steel", "stel", "the material 'stel' is not known")
        self.refused("steel", "[1]", "'material' of flexible body 'rod' must be a text")
        self.refused("small_end@", "tiny_end@", "there is no set of nodes 'tiny_end'")
        self.refused('[big_end, "small_end@0.12,0,0"]', "big_end", "must be a list")
        self.hooke("reduce", "rod.msh", "--material", "steel", "--interface", "big_end", "--interface", "small_end", "--modes", 8, "--quiet")
        self.refused("rod.msh", "rod.nc", "'material' of flexible body 'rod' is for a mesh")


if __name__ == "__main__":
    unittest.main()
