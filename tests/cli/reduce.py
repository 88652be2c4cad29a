#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke reduce`: a truss written as CalculiX, Abaqus and Nastran do, alike; a body of MBDyn; a file that NetCDF's tools read; what is refused."""
import json
import math
import shutil
import subprocess
import unittest

from support import CommandTest

CELLS = 3
NODES = [(0.5 * (i // 4), 0.3 * (i % 2), 0.2 * (i // 2 % 2)) for i in range(4 * (CELLS + 1))]
SIZE = 3 * len(NODES)


def matrices():
    """a row of boxes, all nodes of a box joined by bars; masses of 1 kg and more"""
    stiffness = [[0.0] * SIZE for _ in range(SIZE)]
    for cell in range(CELLS):
        for a in range(4 * cell, 4 * cell + 8):
            for b in range(4 * cell, a):
                d = [x - y for x, y in zip(NODES[a], NODES[b])]
                k = 1e6 / math.hypot(*d) ** 3
                for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
                    for r in range(3):
                        for c in range(3):
                            stiffness[3 * i + r][3 * j + c] += sign * k * d[r] * d[c]
    return stiffness, [[(1 + 0.1 * (i // 3 % 5)) * (i == j) for j in range(SIZE)] for i in range(SIZE)]


def deck():
    lines = ["** a truss", "*HEADING", "*NODE, NSET=all"]
    lines += [f"{10 + i}, {x}, {y}, {z}" for i, (x, y, z) in enumerate(NODES)]
    lines += ["*ELEMENT, TYPE=C3D8, ELSET=e"]
    order = (0, 1, 3, 2, 4, 5, 7, 6)
    lines += [f"{c + 1}, " + ", ".join(str(10 + 4 * c + k) for k in order[:5]) + ",\n"
              + ", ".join(str(10 + 4 * c + k) for k in order[5:]) for c in range(CELLS)]
    last = 10 + len(NODES)
    lines += ["*NSET, NSET=Root", "10, 11,", "12, 13", "*NSET, NSET=tip, GENERATE", f"{last - 4}, {last - 1}, 1", "*STEP", "*END STEP"]
    return "\n".join(lines) + "\n"


def calculix(matrix):
    return "".join(f"{i + 1} {j + 1}  {matrix[i][j]:.17e}\n" for j in range(SIZE) for i in range(j + 1) if matrix[i][j])


def abaqus(matrix, both):
    return "".join(f"{10 + i // 3}, {i % 3 + 1}, {10 + j // 3}, {j % 3 + 1}, {matrix[i][j]:.17e}\n"
                   for i in range(SIZE) for j in range(SIZE) if matrix[i][j] and (both or i >= j))


def nastran_number(x, width):
    """the shortest of Nastran's ways to write x in a field: 1.5-3 is 1.5e-3"""
    digits = width - 7
    text = f"{x:.{digits}e}"
    mantissa, power = text.split("e")
    return f"{mantissa}{int(power):+d}".rjust(width)[:width]


def card(name, fields, style):
    """fields in lines of eight of 8 letters, four of 16, or in commas"""
    per = 4 if style == "large" else 8
    rows = [fields[i:i + per] for i in range(0, len(fields), per)]
    if style == "free":
        return "".join(",".join([name if i == 0 else "", *(str(x).strip() for x in row)]) + "\n" for i, row in enumerate(rows))
    width, star = (16, "*") if style == "large" else (8, "")
    return "".join(((name + star) if i == 0 else star).ljust(8) + "".join(str(x).rjust(width) for x in row) + "\n" for i, row in enumerate(rows))


def nastran(stiffness, mass, style, square=False):
    """the truss with DMIG matrices; a matrix is symmetric by one triangle, or square"""
    last = 9 + len(NODES)
    text = f"SOL 103\nCEND\n$ the ends\nSET 7 = 10 THRU 13\nSET 8 = {last - 3}, {last - 2},\n  {last - 1}, {last}\nBEGIN BULK\n"
    text += "".join(card("GRID", [10 + i, "", *(repr(x) for x in p)], style) for i, p in enumerate(NODES))
    for name, matrix in (("KAAX", stiffness), ("MAAX", mass)):
        # 8 letters are too few digits for a stiffness
        here = "large" if style == "small" and name == "KAAX" else style
        number = repr if style == "free" or name == "MAAX" else lambda x: nastran_number(x, 16)
        text += card("DMIG", [name, 0, 1 if square else 6, 2, 0, "", "", SIZE], here)
        for j in range(SIZE):
            fields = [name, 10 + j // 3, j % 3 + 1, ""]
            for i in range(0 if square else j, SIZE):
                if matrix[i][j]:
                    fields += [10 + i // 3, i % 3 + 1, number(matrix[i][j]), ""]
            text += card("DMIG", fields, here)
    return text + "ENDDATA\n"


MBDYN = """** a bar of two masses and a spring, made by hand
** RECORD GROUP 1, HEADER
**   REVISION,  NODE,  NORMAL, ATTACHMENT, CONSTRAINT, REJECTED MODES.
     REV0       2      1       0           0           0
** RECORD GROUP 2, FINITE ELEMENT NODE LIST
 12 11
** RECORD GROUP 3, INITIAL MODAL DISPLACEMENTS
 0
** RECORD GROUP 4, INITIAL MODAL VELOCITIES
 0
** RECORD GROUP 5, NODAL X COORDINATES
 1.0 -1.0
** RECORD GROUP 6, NODAL Y COORDINATES
 0 0
** RECORD GROUP 7, NODAL Z COORDINATES
 0 0
** RECORD GROUP 8, MODE SHAPES
**    NORMAL MODE SHAPE #  1
 1.0D0 0 0 0 0 0
 0 0 0 0 0 0
** RECORD GROUP 9, MODAL MASS MATRIX
 2.0
** RECORD GROUP 10, MODAL STIFFNESS MATRIX
 800.0
** RECORD GROUP 11, DIAGONAL OF LUMPED MASS MATRIX
 2 2 2 .1 .1 .1
 2 2 2 .1 .1 .1
** RECORD GROUP 12, RIGID BODY INERTIA MATRIX
 4.0
 0 0 0
 .2 0 0
 0 4.2 0
 0 0 4.2
"""


class Reduce(CommandTest):
    def setUp(self):
        super().setUp()
        self.stiffness, self.mass = matrices()
        for name, text in (("truss.inp", deck()), ("truss.sti", calculix(self.stiffness)), ("truss.mas", calculix(self.mass)),
                           ("truss.dof", "".join(f"{10 + i // 3}.{i % 3 + 1}\n" for i in range(SIZE)))):
            (self.dir / name).write_text(text)

    def reduce(self, *args, code=0):
        return json.loads(self.hooke("reduce", "truss.inp", *args, "--json", code=code).stdout)

    def test_free(self):
        """some modes and all of them; the squares of all frequencies add up to the trace of M^-1 K"""
        some, value = self.reduce("--modes", 5), self.reduce("--modes", SIZE - 6)
        for a, b in zip(some["modes"], value["modes"]):
            self.assertAlmostEqual(a["frequency_Hz"], b["frequency_Hz"], delta=1e-9 * a["frequency_Hz"])
        trace = sum(self.stiffness[i][i] / self.mass[i][i] for i in range(SIZE))
        self.assertAlmostEqual(sum((2 * math.pi * m["frequency_Hz"]) ** 2 for m in value["modes"]), trace, delta=1e-9 * trace)
        self.assertAlmostEqual(value["mass"], sum(self.mass[i][i] for i in range(SIZE)) / 3, 9)
        self.assertEqual((value["output"], value["status"]), ("truss.nc", "ok"))

    def test_interfaces(self):
        value = self.reduce("--interface", "root", "--interface", "end=tip@1.6,0.1,0.1", "--modes", 4)
        self.assertEqual(value["interfaces"], ["root", "end"])
        self.assertEqual(len(value["modes"]), 10)
        self.assertEqual({m["kind"] for m in value["modes"]}, {"boundary", "inner"})
        for both in (False, True):
            (self.dir / "K.mtx").write_text(abaqus(self.stiffness, both))
            (self.dir / "M.mtx").write_text(abaqus(self.mass, both))
            other = self.reduce("--interface", "root", "--interface", "end=tip@1.6,0.1,0.1", "--modes", 4, "--stiffness", "K.mtx",
                                "--mass", "M.mtx", "-o", "other.nc")
            for a, b in zip(value["modes"], other["modes"]):
                self.assertAlmostEqual(a["frequency_Hz"], b["frequency_Hz"], delta=1e-9 * a["frequency_Hz"])
        table = self.hooke("reduce", "truss.inp", "--interface", "root", "-n", 3).stdout
        self.assertRegex(table, r"mass [\d.]+ kg, 3 modes, interfaces root")

    def test_nastran(self):
        """in fields of 8 and 16 letters and in commas, one triangle and both"""
        value = self.reduce("--interface", "root", "--interface", "tip", "--modes", 4)
        ends = ("--interface", "root=7", "--interface", "tip=22-25", "--modes", 4, "--json")
        for style, square, tolerance in (("free", False, 1e-9), ("free", True, 1e-9), ("large", False, 1e-7), ("small", True, 1e-7)):
            (self.dir / "truss.bdf").write_text(nastran(self.stiffness, self.mass, style, square))
            other = json.loads(self.hooke("reduce", "truss.bdf", *ends).stdout)
            self.assertEqual(len(other["modes"]), len(value["modes"]))
            for a, b in zip(value["modes"], other["modes"]):
                self.assertAlmostEqual(a["frequency_Hz"], b["frequency_Hz"], delta=tolerance * a["frequency_Hz"])
        self.assertEqual(len(other["held_modes"]), 4)
        text = nastran(self.stiffness, self.mass, "free")

        def refused(old, new, words, code=6):
            self.assertIn(old, text)
            (self.dir / "truss.bdf").write_text(text.replace(old, new, 1))
            self.assertIn(words, self.hooke("reduce", "truss.bdf", code=code).stderr)
        refused("DMIG,MAAX,0,6", "DMIG,MAAX,0,2", "matrix MAAX is not square")
        refused("DMIG,KAAX,0,6,2", "DMIG,KAAX,0,6,4", "matrix KAAX is complex")
        refused("DMIG,KAAX,10,1,,10", "DMIG,KAAX,10,1,,9", "there is no grid 9")
        refused("GRID,10,,", "GRID,10,3,", "a grid has a coordinate system of its own")
        refused("GRID,11,,", "GRID,10,,", "grid 10 stands twice")
        refused("GRID,11,,", "GRID,11,,x", "is not a number")
        (self.dir / "truss.bdf").write_text(text.replace("MAAX", "XAAX"))
        self.assertIn("the file has no mass matrix", self.hooke("reduce", "truss.bdf", code=6).stderr)
        self.hooke("reduce", "truss.bdf", "--mass", "XAAX")
        self.stiffness[0][16] *= 1.1
        (self.dir / "truss.bdf").write_text(nastran(self.stiffness, self.mass, "free", True))
        self.assertIn("not symmetric: node 15 direction 2 with node 10 direction 1", self.hooke("reduce", "truss.bdf", code=6).stderr)

    def test_mbdyn(self):
        """a mode that has a rigid motion in it: the frequency is that of the free body, sqrt(2 k/m)"""
        (self.dir / "bar.fem").write_text(MBDYN)
        value = json.loads(self.hooke("reduce", "bar.fem", "--interface", "left=11", "--interface", "right=12", "--json").stdout)
        self.assertEqual(value["interfaces"], ["left", "right"])
        self.assertAlmostEqual(value["mass"], 4, 12)
        self.assertEqual(len(value["modes"]), 1)
        self.assertAlmostEqual(value["modes"][0]["frequency_Hz"], math.sqrt(2 * 800 / 2) / (2 * math.pi), 9)

        def refused(old, new, words, code=6):
            self.assertIn(old, MBDYN)
            (self.dir / "bar.fem").write_text(MBDYN.replace(old, new, 1))
            self.assertIn(words, self.hooke("reduce", "bar.fem", code=code).stderr)
        refused("** RECORD GROUP 1,", "** GROUP 1,", "there is no head")
        refused(" 12 11", " 12 12", "node 12 stands twice")
        refused(" 12 11", " 12", "record group 2 has 1 numbers, but must have 2")
        refused(" 800.0", " x", "bar.fem:24:1: error: 'x' is not a number")
        refused(" 800.0", " -800.0", "stiffness is not positive", 3)
        refused(" 1.0D0 0 0 0 0 0\n 0", " 1.0D0 0 0 0 0 0\n 1", "not independent", 3)
        refused("** RECORD GROUP 11", "** RECORD GROUP 14", "record group 11 has 0 numbers")
        refused(" 2 2 2 .1", " 2 -2 2 .1", "node 12 has a negative mass")
        refused("1.0 -1.0", "1000 -1000", "the body is 2e+03 m long", 3)

    @unittest.skipUnless(shutil.which("ncdump"), "ncdump is not there")
    def test_file(self):
        self.reduce("--interface", "root", "--interface", "tip", "--modes", 4)
        text = subprocess.run(["ncdump", "truss.nc"], cwd=self.dir, capture_output=True, text=True, check=True).stdout
        for words in ("modes = 10 ;", "interfaces = 2 ;", "nodes = 16 ;", "triangles = 28 ;", ':format = "hooke flexible body 1"'):
            self.assertIn(words, text)

    def refused(self, words, *args, code=3):
        said = self.hooke("reduce", "truss.inp", *args, code=code).stderr
        self.assertIn(words, said)
        self.assertFalse((self.dir / "truss.nc").exists())

    def change(self, name, old, new):
        path = self.dir / name
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def test_refused(self):
        self.refused("there is no set of nodes 'rot'", "--interface", "rot")
        self.refused("did you mean 'Root'?", "--interface", "rot")
        self.refused("named twice", "--interface", "a=root", "--interface", "a=tip", code=2)
        self.refused("NAME=SET@X,Y,Z", "--interface", "a=root@1,2", code=2)
        self.refused("--modes must be a count", "--modes", "1.5", code=2)
        self.refused("cannot read 'K.mtx'", "--stiffness", "K.mtx", "--mass", "K.mtx", code=6)
        self.change("truss.sti", "1 1 ", "1 99 ")
        self.refused("truss.sti:1:1: error: row or column is not the number of an unknown", code=6)
        self.change("truss.sti", "1 99 ", "1 1 ")
        self.change("truss.dof", "10.2", "9.2")
        self.refused("truss.dof:2:1: error: an unknown is 'node.direction'", code=6)
        self.change("truss.inp", "12, 13", "12, 99")
        self.refused("there is no node 99", code=6)
        self.change("truss.inp", "12, 99", "12, x")
        self.refused("'x' is not a number", code=6)
        self.change("truss.inp", "11, ", "10, ")
        self.refused("error:", code=6)

    def test_not_symmetric(self):
        self.stiffness[0][16] *= 1.1
        (self.dir / "K.mtx").write_text(abaqus(self.stiffness, True))
        (self.dir / "M.mtx").write_text(abaqus(self.mass, True))
        self.refused("the matrix is not symmetric: node 15 direction 2 with node 10 direction 1 has", "--stiffness", "K.mtx", "--mass", "M.mtx", code=6)


if __name__ == "__main__":
    unittest.main()
