#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke reduce` of bad meshes, decks, materials and matrices: each is refused with its element or node, and no file is left."""
import re
import unittest

from support import CommandTest
from support_mesh import EDGES, GMSH_EDGES, HEIGHT, LENGTH, WIDTH, Mesh

STEEL = ("--material", "steel")


class Bad(CommandTest):
    def refused(self, words, name, text, *args, code=3):
        """words: a regular expression"""
        with self.subTest(words):
            (self.dir / name).write_text(text)
            said = self.hooke("reduce", name, *args, code=code).stderr
            self.assertRegex(said, words)
            self.assertEqual(said.count("error:"), 1, said)
            self.assertEqual(list(self.dir.glob("*.nc")), [])

    def test_elements(self):
        """inside out, folded, flat, there twice, in one another, with nodes that are not there"""
        mesh = Mesh("C3D10", GMSH_EDGES)
        text = mesh.gmsh(2.2)
        row = text.split("$Elements\n")[1].splitlines()[-2]
        w = row.split()
        line, count = text[:text.index(row)].count("\n") + 1, int(text.split("$Elements\n")[1].split()[0])

        def refused(words, *nodes, code=3):
            self.refused(rf"^mesh.msh:{line}:1: error: {words}", "mesh.msh", text.replace(row, " ".join([*w[:5], *nodes])), *STEEL, code=code)
        corner, middle = w[5:9], w[9:]
        refused(f"element {w[0]} is inside out", corner[1], corner[0], *corner[2:], *(middle[i] for i in (0, 2, 1, 5, 4, 3)))
        refused(f"element {w[0]} is folded: a part of it is inside out", *corner, middle[1], middle[0], *middle[2:])
        refused(f"element {w[0]} has node {corner[1]} twice", corner[1], *corner[1:], *middle)
        refused(f"element {w[0]} has node {corner[0]} twice", *corner, corner[0], *middle[1:])
        refused("there is no node 99999, which an element names", "99999", *corner[1:], *middle, code=6)
        more = text.replace(f"$Elements\n{count}\n", f"$Elements\n{count + 1}\n")
        self.refused(f"element 999 has the nodes of element {w[0]}: it is there twice", "mesh.msh",
                     more.replace("$EndElements", " ".join(["999", *w[1:]]) + "\n$EndElements"), *STEEL)
        flat = re.sub(rf"\n({corner[0]}|{corner[1]}|{corner[2]}|{corner[3]}) \S+ \S+ \S+", r"\n\1 0.1 0.1 0.1", text)
        self.refused("element [0-9]+ is (flat|folded)", "mesh.msh", flat, *STEEL)
        self.refused("the mesh has no solid elements", "mesh.msh", text.split("$Elements")[0] + "$Elements\n0\n$EndElements\n", *STEEL)

    def test_folded(self):
        """a brick on a face that has two already, and one on the same side of a face as its neighbour"""
        nodes = [(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
        nodes += [(x + dx, y, z) for dx in (1.0, 1.2) for x, y, z in ((1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1))]
        nodes += [(x - 0.7, y, z) for x, y, z in ((1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1))]
        deck = "*NODE\n" + "".join(f"{i + 1}, {0.1 * x}, {0.1 * y}, {0.1 * z}\n" for i, (x, y, z) in enumerate(nodes)) + "*ELEMENT, TYPE=C3D8\n"
        right = "{}, 2, {}, {}, 3, 6, {}, {}, 7\n"
        first = "1, 1, 2, 3, 4, 5, 6, 7, 8\n" + right.format(2, 9, 10, 12, 11)
        self.refused("mesh.inp:24:1: error: elements 1, 2 and 3 have one face: the mesh is folded there", "mesh.inp",
                     deck + first + right.format(3, 13, 14, 16, 15), *STEEL)
        # its face to the right is the one of its neighbour
        self.refused("mesh.inp:24:1: error: element 2 lies in element 1: the mesh is folded", "mesh.inp",
                     deck + "1, 1, 2, 3, 4, 5, 6, 7, 8\n2, 17, 2, 3, 18, 20, 6, 7, 19\n", *STEEL)

    def test_pieces(self):
        """two bars that touch, with nodes of their own there"""
        mesh = Mesh("C3D20", GMSH_EDGES)
        n = len(mesh.nodes)
        places = {i: p for p, i in mesh.nodes.items()}
        places.update({i + n: (x + LENGTH, y, z) for (x, y, z), i in mesh.nodes.items()})
        mesh.elements += [[i + n for i in e] for e in mesh.elements]
        text = mesh.gmsh(2.2)
        old = text.split("$Nodes\n")[1].split("$EndNodes")[0]
        text = text.replace(old, f"{2 * n}\n" + "".join(f"{i} {x!r} {y!r} {z!r}\n" for i, (x, y, z) in places.items()))
        for args in ((), ("--interface", "root"), ("--interface", "root", "--interface", "tip")):
            self.refused(r"the model is in 2 pieces that nothing connects: node 1 is in one, node \d+ in another\n  hint: nodes \d+ and \d+ are at one place",
                         "mesh.msh", text, *STEEL, *args)

    def test_units(self):
        mesh = Mesh("C3D10", GMSH_EDGES)
        text, deck = mesh.gmsh(4.1), Mesh("C3D10", EDGES).deck()
        for factor, words in ((1000, "the body is 400 m long"), (1e-3, "the body is 0.0004 m long")):
            scaled = Mesh("C3D10", GMSH_EDGES)
            scaled.nodes = {tuple(factor * x for x in p): i for p, i in mesh.nodes.items()}
            self.refused(words, "mesh.msh", scaled.gmsh(4.1), *STEEL)
        for numbers, words in (("E=2.1e5,nu=0.3,density=7850", "sound would travel at 5.17 m/s"),
                               ("E=2.1e14,nu=0.3,density=7850", "sound would travel at 1.64e\\+05 m/s"),
                               ("E=2.1e11,nu=0.3,density=7.85e-9", "a density of 7.85e-09 kg/m3 is none of a solid"),
                               ("E=2.1e11,nu=0.3,density=7.85e6", "a density of 7.85e\\+06 kg/m3"),
                               ("E=-2.1e11,nu=0.3,density=7850", "with E = -2.1e\\+11 Pa"),
                               ("E=2.1e11,nu=0.5,density=7850", "Poisson's ratio must be")):
            self.refused(words, "mesh.msh", text, "--material", numbers)
        self.refused("sound would travel at 5.17 m/s", "mesh.inp", deck.replace("2.1e11", "2.1e5"))
        self.refused("a density of 7.85e\\+15 kg/m3", "mesh.inp", deck, "--unit", "mm")
        self.refused("the unit of a mesh is", "mesh.msh", text, *STEEL, "--unit", "feet", code=2)

    def test_materials(self):
        text = Mesh("C3D10", GMSH_EDGES).gmsh(2.2, parts=True)
        self.refused("'mesh.msh' is a mesh without a material", "mesh.msh", text)
        self.refused("the material 'stel' is not known", "mesh.msh", text, "--material", "stel", code=2)
        self.refused("the material '' is not known", "mesh.msh", text, "--material", "", code=2)
        self.refused("mesh.msh:[0-9]+:1: error: element 37 has no material", "mesh.msh", text, "--material", "left: steel")
        self.refused("material 'lift': there is no group of elements of this name\n  hint: did you mean 'left'?", "mesh.msh", text, "--material", "lift: steel")
        self.refused("material 'root': there is no group", "mesh.msh", text, "--material", "root: steel")
        self.refused("two materials, 'aluminium' the second, without a group", "mesh.msh", text, *STEEL, "--material", "aluminium", code=2)
        self.refused("element 19 of the group 'left' is in another group with a material too", "mesh.msh", text, "--material", "left: steel; left: aluminium; steel")
        deck = Mesh("C3D10", EDGES).deck()
        other = "*MATERIAL, NAME=alu\n*ELASTIC\n7e10, 0.3\n*DENSITY\n2700\n*SOLID SECTION, "
        self.refused("there is no set of elements 'f'", "mesh.inp", deck.replace("ELSET=e, MAT", "ELSET=f, MAT"), code=6)
        self.refused("there is no material 'gold'", "mesh.inp", deck.replace("MATERIAL=steel", "MATERIAL=gold"), code=6)
        self.refused("mesh.inp:156:1: error: element 1 has no material", "mesh.inp", re.sub(r"\*SOLID SECTION.*\n", other.split("*SOLID")[0], deck))
        self.refused("a material of the deck is not isotropic", "mesh.inp", deck.replace("*ELASTIC", "*ELASTIC, TYPE=ORTHO"))

    def test_interfaces(self):
        text = Mesh("C3D10", GMSH_EDGES).gmsh(4.1)
        for face, words in (("roof", "interface 'roof': there is no set of nodes 'roof'\n  hint: did you mean 'root'?"), ("r=1", "interface 'r' has 1 node, which do not fix"),
                            ("r=99999", "'99999': there is no such node"), ("beam", "leave no mode")):
            self.refused(words, "mesh.msh", text, *STEEL, "--interface", face)
        self.refused("node [0-9]+ is in two interfaces, one of them 'other'", "mesh.msh", text, *STEEL, "--interface", "root", "--interface", "other=root")

    def test_files(self):
        text, deck = Mesh("C3D20", GMSH_EDGES).gmsh(2.2), Mesh("C3D20", EDGES).deck()
        for bad, words in (("", "the file is empty"), (text[:len(text) // 2], "the file ends in the middle"), (text.replace("2.2 0 8", "4.1 1 8"), "the mesh is binary"),
                           (re.sub(r"\$Nodes\n\d+", "$Nodes\n2000000000", text), "expected a whole number, found 2e\\+09"),
                           (re.sub(r"(\$Nodes\n\d+\n1 )\S+", r"\1nan", text), "'nan' is not a number"),
                           (re.sub(r"(\$Nodes\n\d+\n1 )\S+", r"\g<1>1e400", text), "'1e400' is not a number"),
                           (re.sub(r"(\$Nodes\n\d+\n1 .*\n)2 ", r"\g<1>1 ", text), "mesh.msh:13:1: error: node 1 stands twice")):
            self.refused(words, "mesh.msh", bad, *STEEL, code=6)
        self.refused("element [0-9]+ is (flat|folded)", "mesh.msh", re.sub(r"(\$Nodes\n\d+\n1 )\S+", r"\g<1>1e5", text), *STEEL)
        for old, new, words in (("*NSET, NSET=root", "*NSET, NSET=big, GENERATE\n1, 999999999\n*NSET, NSET=root", "a range of more than ten million numbers"),
                                ("*NSET, NSET=root", "*ELSET, ELSET=big, GENERATE\n1, 999999999\n*NSET, NSET=root", "a range of more than ten million numbers"),
                                ("*MATERIAL", "*NSET, NSET=both\nroot, top\n*MATERIAL", "'top' is not a number"),
                                ("2.1e11, 0.3", "nan, 0.3", "'nan' is not a number"), ("*NODE", "*NOTE", "the deck has no nodes")):
            self.refused(words, "mesh.inp", deck.replace(old, new, 1), code=6)

    def test_matrices(self):
        """stiffness or mass that no body has"""
        mesh = Mesh("C3D20", EDGES)
        deck = mesh.deck().split("*MATERIAL")[0]
        volume = LENGTH * WIDTH * HEIGHT
        mass = "".join(f"{n}, {k}, {n}, {k}, {7850 * volume / len(mesh.nodes)}\n" for n in mesh.nodes.values() for k in (1, 2, 3))
        # every node held by a spring, or tied to the next one by springs along x, y and z, which hold rotations alone
        held = "".join(f"{n}, {k}, {n}, {k}, 2e5\n" for n in mesh.nodes.values() for k in (1, 2, 3))
        last = len(mesh.nodes)
        stiffness = "".join(f"{n}, {k}, {n}, {k}, {1e5 if n in (1, last) else 2e5}\n" + (f"{n}, {k}, {n + 1}, {k}, -1e5\n" if n < last else "")
                            for n in range(1, last + 1) for k in (1, 2, 3))
        files = ("--stiffness", "K.mtx", "--mass", "M.mtx", "--interface", "root")

        def refused(words, K, M, code=3):
            (self.dir / "K.mtx").write_text(K)
            (self.dir / "M.mtx").write_text(M)
            self.refused(words, "mesh.inp", deck, *files, code=code)
        pair = "1, 1, 2, 1, {}\n2, 1, 1, 1, {}\n"
        # its file names both triangles
        both = stiffness + "".join(f"{n + 1}, {k}, {n}, {k}, -1e5\n" for n in range(1, last) for k in (1, 2, 3))
        refused("the matrix is not symmetric: node 2 direction 1 with node 1 direction 1 has -99500 on one side and -100500 on the other",
                both + pair.format(-500, 500), mass, 6)
        refused("the matrix is not symmetric: node 2 direction 1 with node 1 direction 1 has", stiffness, mass + pair.format(1, 2), 6)
        refused("the model has 3 motions without strain, a free body has six: the lowest frequencies are", stiffness, mass)
        refused("the model is in [0-9]+ pieces that nothing connects: node 1 is in one, node 2 in another", held, mass)
        refused("K.mtx:[0-9]+:13: error: 'nan' is not a finite number", stiffness + "1, 1, 1, 1, nan\n", mass)
        refused("K.mtx:[0-9]+:1: error: an entry is .* with nodes of the deck\n.*99999", stiffness + "99999, 1, 99999, 1, 5\n", mass, 6)
        refused("M.mtx:[0-9]+:1: error: the mass has an unknown that the stiffness has not", stiffness, mass + "1, 4, 1, 4, 5\n", 6)
        refused("with fixed interfaces node [0-9]+ can still move without strain", stiffness.replace("200000.0", "100000.0"), mass)
        refused("the body is 0.4 m long and has a mass of -0.628 kg", stiffness, mass.replace(", 0.", ", -0."))
        refused("the mass of node 7 in direction 3 is -[0-9.]+: a body has none below zero", stiffness, re.sub("(?m)^7, 3, 7, 3, ", "7, 3, 7, 3, -", mass))
        refused("the stiffness of node 7 in direction 3 is -200000: a body has none below zero", re.sub("(?m)^7, 3, 7, 3, ", "7, 3, 7, 3, -", stiffness), mass)


if __name__ == "__main__":
    unittest.main()
