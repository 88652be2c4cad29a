#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke reduce` of meshes: a beam of bricks or tetrahedra in both formats of gmsh and as a deck, against each other, a beam's theory and CalculiX;
what is wrong with a mesh is told with its element."""
import itertools
import json
import math
import shutil
import subprocess
import unittest

from support import CommandTest

# middles of edges, in the order of decks and of gmsh
EDGES = {"C3D10": [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
         "C3D20": [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]}
GMSH_EDGES = {"C3D10": [(0, 1), (1, 2), (2, 0), (3, 0), (2, 3), (1, 3)],
              "C3D20": [(0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 7), (5, 6), (6, 7)]}
GMSH_TYPE = {"C3D10": 11, "C3D20": 17}
ROUNDING = 1e-8  # of the lowest frequencies: that of doubles times the square of highest over lowest
LENGTH, WIDTH, HEIGHT = 0.4, 0.02, 0.01
TETRA = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))
SOLID = "*MATERIAL, NAME=steel\n*ELASTIC\n2.1e11, 0.3\n*DENSITY\n7850\n*SOLID SECTION, ELSET=e, MATERIAL=steel\n"


class Mesh:
    """a beam of 8 x 1 x 1 cells"""

    def __init__(self, kind, edges):
        self.kind, self.nodes, self.elements = kind, {}, []
        for i in range(8):
            cell = [(LENGTH / 8 * (i + a), WIDTH * b, HEIGHT * c) for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
            for corners in TETRA if kind == "C3D10" else [range(8)]:
                points = [cell[k] for k in corners]
                points += [tuple((p + q) / 2 for p, q in zip(points[a], points[b])) for a, b in edges[kind]]
                self.elements.append([self.nodes.setdefault(tuple(round(x, 12) for x in p), len(self.nodes) + 1) for p in points])

    def end(self, x):
        return [n for p, n in self.nodes.items() if abs(p[0] - x) < 1e-9]

    def deck(self):
        lines = ["*NODE, NSET=all"] + [f"{n}, {x}, {y}, {z}" for (x, y, z), n in self.nodes.items()] + [f"*ELEMENT, TYPE={self.kind}, ELSET=e"]
        for i, element in enumerate(self.elements):
            words = [str(w) for w in (i + 1, *element)]
            lines += [", ".join(words[:10]) + ","] + [", ".join(words[10:])]
        for name, x in (("root", 0), ("tip", LENGTH)):
            lines += [f"*NSET, NSET={name}"] + [f"{n}," for n in self.end(x)]
        return "\n".join(lines) + "\n" + SOLID + "*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n5\n*END STEP\n"

    def gmsh(self, version):
        """with a point for each node of the ends, in the groups root and tip"""
        text = f'$MeshFormat\n{version} 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n0 1 "root"\n0 2 "tip"\n3 1 "beam"\n$EndPhysicalNames\n'
        ends = [(n, 1) for n in self.end(0)] + [(n, 2) for n in self.end(LENGTH)]
        code, count = GMSH_TYPE[self.kind], len(ends) + len(self.elements)
        if version == 2.2:
            text += f"$Nodes\n{len(self.nodes)}\n" + "".join(f"{n} {x!r} {y!r} {z!r}\n" for (x, y, z), n in self.nodes.items()) + "$EndNodes\n"
            rows = [f"15 2 {g} {g} {n}" for n, g in ends] + [f"{code} 2 1 1 " + " ".join(map(str, e)) for e in self.elements]
            return text + f"$Elements\n{count}\n" + "".join(f"{i + 1} {row}\n" for i, row in enumerate(rows)) + "$EndElements\n"
        text += "$Entities\n2 0 0 1\n1 0 0 0 1 1\n2 0 0 0 1 2\n7 0 0 0 1 1 1 1 1 0\n$EndEntities\n"
        size = len(self.nodes)
        text += f"$Nodes\n1 {size} 1 {size}\n3 7 0 {size}\n" + "".join(f"{n}\n" for n in self.nodes.values())
        text += "".join(f"{x!r} {y!r} {z!r}\n" for x, y, z in self.nodes) + f"$EndNodes\n$Elements\n3 {count} 1 {count}\n"
        label = itertools.count(1)
        for g in (1, 2):
            here = [n for n, h in ends if h == g]
            text += f"0 {g} 15 {len(here)}\n" + "".join(f"{next(label)} {n}\n" for n in here)
        text += f"3 7 {code} {len(self.elements)}\n" + "".join(f"{next(label)} " + " ".join(map(str, e)) + "\n" for e in self.elements)
        return text + "$EndElements\n"


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

    def refused(self, words, name, *args, code=3):
        said = self.hooke("reduce", name, *args, code=code).stderr
        self.assertIn(words, said)
        self.assertFalse((self.dir / name.replace(".msh", ".nc")).exists())

    def test_refused(self):
        mesh = Mesh("C3D10", GMSH_EDGES)
        text = mesh.gmsh(2.2)
        self.write("beam.msh", text)
        self.refused("'beam.msh' is a mesh without a material", "beam.msh")
        self.refused("the material 'stel' is not known", "beam.msh", "--material", "stel", code=2)
        self.refused("a density of 7.85e-09 kg/m3 is none of a solid", "beam.msh", "--material", "E=2.1e11,nu=0.3,density=7.85e-9")
        self.refused("sound would travel at 5.17 m/s", "beam.msh", "--material", "E=2.1e5,nu=0.3,density=7850")
        self.refused("Poisson's ratio must be", "beam.msh", "--material", "E=2.1e11,nu=0.5,density=7850")
        self.refused("the unit of a mesh is", "beam.msh", "--material", "steel", "--unit", "feet", code=2)
        self.refused("there is no set of nodes 'big'", "beam.msh", "--material", "steel", "--interface", "big")
        mesh.nodes = {tuple(1000 * x for x in p): n for p, n in mesh.nodes.items()}
        self.write("beam.msh", mesh.gmsh(2.2))
        self.refused("the body is 400 m long", "beam.msh", "--material", "steel")
        # elements: one inside out, one twice, one that stands alone
        row = text.split("$Elements\n")[1].splitlines()[-2]
        words = row.split()
        line = text[:text.index(row)].count("\n") + 1
        swapped = " ".join(words[:5] + [words[6], words[5], words[7], words[8], words[9], words[11], words[10], words[14], words[13], words[12]])
        self.write("beam.msh", text.replace(row, swapped))
        self.refused(f"beam.msh:{line}:1: error: element {words[0]} is inside out", "beam.msh", "--material", "steel")
        count = len(mesh.elements) + len(mesh.end(0)) + len(mesh.end(1000 * LENGTH))
        twice = text.replace(f"$Elements\n{count}\n", f"$Elements\n{count + 1}\n").replace("$EndElements", "999 " + " ".join(words[1:]) + "\n$EndElements")
        self.write("beam.msh", twice)
        self.refused(f"element 999 has the nodes of element {words[0]}", "beam.msh", "--material", "steel")
        self.write("beam.msh", text.split("$Elements")[0] + "$Elements\n0\n$EndElements\n")
        self.refused("the mesh has no solid elements", "beam.msh", "--material", "steel")


if __name__ == "__main__":
    unittest.main()
