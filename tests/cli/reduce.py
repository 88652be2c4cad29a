#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke reduce`: a truss written as CalculiX and as Abaqus do, alike; a file that NetCDF's tools read; what is refused."""
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
        self.refused("the matrix is not symmetric", "--stiffness", "K.mtx", "--mass", "M.mtx", code=6)


if __name__ == "__main__":
    unittest.main()
