# SPDX-License-Identifier: Apache-2.0
"""A beam of bricks or tetrahedra, as a mesh of gmsh and as a deck of CalculiX."""
import itertools

# middles of edges, in the order of decks and of gmsh
EDGES = {"C3D10": [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
         "C3D20": [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]}
GMSH_EDGES = {"C3D10": [(0, 1), (1, 2), (2, 0), (3, 0), (2, 3), (1, 3)],
              "C3D20": [(0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 7), (5, 6), (6, 7)]}
GMSH_TYPE = {"C3D10": 11, "C3D20": 17}
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

    def elements_of(self, first):
        """numbers of the elements of the first three eighths, or of the others, from 0"""
        part = 3 * len(self.elements) // 8
        return range(part) if first else range(part, len(self.elements))

    def deck(self):
        lines = ["*NODE, NSET=all"] + [f"{n}, {x}, {y}, {z}" for (x, y, z), n in self.nodes.items()] + [f"*ELEMENT, TYPE={self.kind}, ELSET=e"]
        for i, element in enumerate(self.elements):
            words = [str(w) for w in (i + 1, *element)]
            lines += [", ".join(words[:10]) + ","] + [", ".join(words[10:])]
        for name, x in (("root", 0), ("tip", LENGTH)):
            lines += [f"*NSET, NSET={name}"] + [f"{n}," for n in self.end(x)]
        return "\n".join(lines) + "\n" + SOLID + "*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n5\n*END STEP\n"

    def gmsh(self, version, parts=False):
        """with a point for each node of the ends, in the groups root and tip; its elements in the group beam, or in left and right"""
        names = ((0, "root"), (0, "tip"), *(((3, "left"), (3, "right")) if parts else ((3, "beam"),)))
        text = f"$MeshFormat\n{version} 0 8\n$EndMeshFormat\n$PhysicalNames\n{len(names)}\n"
        text += "".join(f'{dim} {i % 2 + 1} "{name}"\n' for i, (dim, name) in enumerate(names)) + "$EndPhysicalNames\n"
        ends = [(n, 1) for n in self.end(0)] + [(n, 2) for n in self.end(LENGTH)]
        code, count = GMSH_TYPE[self.kind], len(ends) + len(self.elements)
        if version == 2.2:
            text += f"$Nodes\n{len(self.nodes)}\n" + "".join(f"{n} {x!r} {y!r} {z!r}\n" for (x, y, z), n in self.nodes.items()) + "$EndNodes\n"
            rows = [f"15 2 {g} {g} {n}" for n, g in ends] + [
                f"{code} 2 {1 + (parts and i in self.elements_of(False))} 1 " + " ".join(map(str, e)) for i, e in enumerate(self.elements)]
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
