#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke reduce` of meshes: a beam of bricks or tetrahedra in both formats of gmsh and as a deck, against each other, a beam's theory and CalculiX;
several materials. What is wrong with a mesh: reduce_bad.py."""
import csv
import json
import math
import shutil
import subprocess
import unittest

from support import CommandTest
from support_mesh import EDGES, GMSH_EDGES, HEIGHT, LENGTH, WIDTH, Mesh

ROUNDING = 1e-8  # of the lowest frequencies: that of doubles times the square of highest over lowest


class ReduceMesh(CommandTest):
    def write(self, name, text):
        (self.dir / name).write_text(text)

    def reduce(self, name, *args):
        return json.loads(self.hooke("reduce", name, *args, "--json").stdout)

    def same(self, a, b, tolerance):
        self.assertEqual(len(a["modes"]), len(b["modes"]))
        for x, y in zip(a["modes"], b["modes"]):
            self.assertAlmostEqual(x["frequency_Hz"] / y["frequency_Hz"], 1, delta=tolerance)

    def test_formats(self):
        """gmsh 2.2, gmsh 4.1 and a deck, metres and millimetres: one body; its modes are those of a beam"""
        ends = ("--interface", "root", "--interface", "tip", "--modes", 4)
        for kind in EDGES:
            mesh = Mesh(kind, GMSH_EDGES)
            self.write("new.msh", mesh.gmsh(4.1))
            self.write("old.msh", mesh.gmsh(2.2))
            self.write("beam.inp", Mesh(kind, EDGES).deck())
            first = self.reduce("new.msh", "--material", "steel", *ends)
            self.assertEqual(first["interfaces"], ["root", "tip"])
            self.assertAlmostEqual(first["mass"], 7850 * LENGTH * WIDTH * HEIGHT, delta=1e-12)
            self.same(first, self.reduce("old.msh", "--material", "E=2.1e11,nu=0.3,density=7850", *ends), ROUNDING)
            self.same(first, self.reduce("beam.inp", *ends), ROUNDING)
            mesh.nodes = {tuple(1000 * x for x in p): n for p, n in mesh.nodes.items()}
            self.write("mm.msh", mesh.gmsh(2.2))
            self.same(self.reduce("mm.msh", "--material", "steel", "--unit", "mm", "--modes", 4), self.reduce("new.msh", "--material", "steel", "--modes", 4), ROUNDING)
            # free beam: 4.73004^2 / (2 pi L^2) sqrt(EI/m)
            bend = 4.730040745**2 / (2 * math.pi * LENGTH**2) * math.sqrt(2.1e11 * HEIGHT**2 / 12 / 7850)
            free = self.reduce("new.msh", "--material", "steel", "--modes", 4)["modes"]
            self.assertAlmostEqual(free[0]["frequency_Hz"] / bend, 1, delta=0.01)

    @unittest.skipUnless(shutil.which("ccx"), "ccx is not there")
    def test_calculix(self):
        """bricks of 20 nodes have the matrices of CalculiX"""
        self.write("beam.inp", Mesh("C3D20", EDGES).deck())
        own = self.reduce("beam.inp", "--interface", "root", "--modes", 6)
        subprocess.run(["ccx", "beam"], cwd=self.dir, check=True, capture_output=True)
        self.assertTrue((self.dir / "beam.sti").exists())
        self.same(own, self.reduce("beam.inp", "--interface", "root", "--modes", 6), ROUNDING)

    @unittest.skipUnless(shutil.which("ncdump"), "ncdump is not there")
    def test_stress(self):
        """the stress shapes of bending: on top of the beam E z w'' of the mode, at its middle"""
        self.write("beam.msh", Mesh("C3D20", GMSH_EDGES).gmsh(4.1))
        self.reduce("beam.msh", "--material", "steel", "--modes", 1, "-o", "beam.nc")

        def numbers(name):
            text = subprocess.run(["ncdump", "-p", "9,17", "-v", name, "beam.nc"], cwd=self.dir, capture_output=True, text=True, check=True).stdout
            return [float(x) for x in text.split(f" {name} =")[-1].split(";")[0].split(",")]
        node, shape, stress = numbers("node"), numbers("shape"), numbers("stress")
        places = [tuple(round(x, 9) for x in node[i:i + 3]) for i in range(0, len(node), 3)]
        top = {p[0]: i for i, p in enumerate(places) if p[1] == 0 and p[2] == HEIGHT}
        h, x = LENGTH / 8, LENGTH / 2
        w = [shape[3 * top[round(x + k * h, 9)] + 2] for k in (-2, -1, 0, 1, 2)]
        curvature = (-w[0] + 16 * w[1] - 30 * w[2] + 16 * w[3] - w[4]) / (12 * h * h)
        self.assertAlmostEqual(stress[6 * top[x]] / (-2.1e11 * HEIGHT / 2 * curvature), 1, delta=0.02)

    def test_effective_masses(self):
        """of a beam with both ends held: 0.690 of its mass is in the first modes across, 8/pi^2 in the first along, none in antisymmetric ones, and never more than all of it"""
        self.write("mesh.msh", Mesh("C3D20", GMSH_EDGES).gmsh(2.2))
        value = json.loads(self.hooke("reduce", "mesh.msh", "--material", "steel", "--interface", "root", "--interface", "tip", "--modes", 12, "--json").stdout)
        held = [m["effective_mass"] for m in value["held_modes"]]  # parts of the mass
        for axis, wanted in ((0, 8 / math.pi**2), (1, 0.690), (2, 0.690)):
            first = next(m for m in held if m[axis] > 1e-3)
            self.assertAlmostEqual(first[axis], wanted, delta=0.015)
            self.assertLess(max(first[:axis] + first[axis + 1:]), 1e-9)
            self.assertTrue(first[axis] <= sum(m[axis] for m in held) < 1)
        # the second one of flat bending is antisymmetric
        self.assertLess(max(held[2]), 1e-9)

    def test_materials(self):
        """two bars in a row, one of another material: gmsh's groups and the sections of a deck, and how far it is pulled"""
        first, second = "E=2e11,nu=0,density=8000", "E=5e10,nu=0,density=2000"
        self.write("bar.msh", Mesh("C3D20", GMSH_EDGES).gmsh(2.2, parts=True))
        mesh = Mesh("C3D20", EDGES)
        sections = "".join(f"*ELSET, ELSET={name}\n" + "".join(f"{i + 1},\n" for i in mesh.elements_of(name == "left")) for name in ("left", "right"))
        sections += "*MATERIAL, NAME=a\n*ELASTIC\n2e11, 0\n*DENSITY\n8000\n*MATERIAL, NAME=b\n*ELASTIC\n5e10, 0\n*DENSITY\n2000\n"
        sections += "*SOLID SECTION, ELSET=left, MATERIAL=a\n*SOLID SECTION, ELSET=right, MATERIAL=b\n*STEP"
        deck = mesh.deck().split("*MATERIAL")[0] + sections + "\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n5\n*END STEP\n"
        self.write("bar.inp", deck)
        ends = ("--interface", "root", "--interface", "tip", "--modes", 4)
        body = self.reduce("bar.msh", "--material", first, "--material", "right: " + second, *ends)
        self.assertAlmostEqual(body["mass"], (3 * 8000 + 5 * 2000) / 8 * LENGTH * WIDTH * HEIGHT, delta=1e-12)
        self.same(body, self.reduce("bar.inp", *ends), ROUNDING)
        self.write("pull.yaml", f"""hooke: 1
gravity: [0, 0, 0]
flexible: {{bar: {{data: bar.msh, interfaces: [root, tip], material: {{right: '{second}', rest: '{first}'}}}}}}
joints: {{clamp: {{type: fixed, between: [ground, bar.root], at: [0, {WIDTH / 2}, {HEIGHT / 2}]}}}}
forces: {{pull: {{type: force, on: bar.tip, at: [{LENGTH}, {WIDTH / 2}, {HEIGHT / 2}], value: [1000, 0, 0]}}}}
start: {{equilibrium: true}}
record: [body.bar.tip.position.x, flexible.bar.*]
run: {{time: 0.0001, step: 0.0001}}
""")
        self.hooke("run", "pull.yaml", "-o", "out.csv")
        with open(self.dir / "out.csv", newline="", encoding="utf-8") as file:
            table = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
        row = dict(zip(table[0], map(float, table[2])))
        stress = 1000 / (WIDTH * HEIGHT)
        self.assertAlmostEqual((row["body.bar.tip.position.x"] - LENGTH) / (stress * LENGTH / 8 * (3 / 2e11 + 5 / 5e10)), 1, delta=1e-6)
        self.assertAlmostEqual(row["flexible.bar.stress"] / stress, 1, delta=1e-5)
        if shutil.which("ccx"):
            subprocess.run(["ccx", "bar"], cwd=self.dir, check=True, capture_output=True)
            self.assertTrue((self.dir / "bar.sti").exists())
            self.same(body, self.reduce("bar.inp", *ends), ROUNDING)


if __name__ == "__main__":
    unittest.main()
