# SPDX-License-Identifier: Apache-2.0
"""A straight beam of Bernoulli elements along x, with consistent masses, as CalculiX writes its matrices: NAME.inp, .dof, .sti and
.mas for `hooke reduce`. Used by tests and examples.

    write(folder / "rod", length=0.3, elements=12, E=2e11, nu=0.3, rho=7800, width=0.01, height=0.02)

The section is `width` along y and `height` along z, or a circle of diameter `width`; sets of nodes: start, end, middle.
"""
import math
from pathlib import Path


def section(width, height):
    """area, torsion constant, second moments about y and z; without a height: those of a circle"""
    if height is None:
        r = width / 2
        return math.pi * r**2, math.pi * r**4 / 2, math.pi * r**4 / 4, math.pi * r**4 / 4
    a, b = max(width, height), min(width, height)
    return width * height, a * b**3 * (1 / 3 - 0.21 * b / a * (1 - b**4 / (12 * a**4))), width * height**3 / 12, height * width**3 / 12


def element(length, E, G, rho, area, J, Iy, Iz):
    """stiffness and mass of one element, 12 x 12; unknowns x y z rx ry rz of both nodes"""
    K = [[0.0] * 12 for _ in range(12)]
    M = [[0.0] * 12 for _ in range(12)]

    def add(X, index, block):
        for r, i in enumerate(index):
            for c, j in enumerate(index):
                X[i][j] += block[r][c]

    m = rho * area * length
    add(K, (0, 6), [[E * area / length * s for s in row] for row in ((1, -1), (-1, 1))])
    add(M, (0, 6), [[m / 6 * s for s in row] for row in ((2, 1), (1, 2))])
    add(K, (3, 9), [[G * J / length * s for s in row] for row in ((1, -1), (-1, 1))])
    add(M, (3, 9), [[rho * (Iy + Iz) * length / 6 * s for s in row] for row in ((2, 1), (1, 2))])
    for index, sign, I in (((1, 5, 7, 11), 1, Iz), ((2, 4, 8, 10), -1, Iy)):
        s = (1, sign * length, 1, sign * length)
        k = ((12, 6, -12, 6), (6, 4, -6, 2), (-12, -6, 12, -6), (6, 2, -6, 4))
        c = ((156, 22, 54, -13), (22, 4, 13, -3), (54, 13, 156, -22), (-13, -3, -22, 4))
        add(K, index, [[E * I / length**3 * k[i][j] * s[i] * s[j] for j in range(4)] for i in range(4)])
        add(M, index, [[m / 420 * c[i][j] * s[i] * s[j] for j in range(4)] for i in range(4)])
    return K, M


def write(name, length, elements, E, nu, rho, width, height=None, start=(0.0, 0.0, 0.0)):
    n = elements + 1
    area, J, Iy, Iz = section(width, height)
    parts = element(length / elements, E, E / (2 * (1 + nu)), rho, area, J, Iy, Iz)
    for ending, part in zip(("sti", "mas"), parts):
        full = {}
        for e in range(elements):
            for i in range(12):
                for j in range(12):
                    if part[i][j]:
                        at = (6 * e + i, 6 * e + j)
                        full[at] = full.get(at, 0.0) + part[i][j]
        lines = [f"{i + 1} {j + 1} {x:.17e}" for (i, j), x in sorted(full.items()) if i <= j]
        Path(f"{name}.{ending}").write_text("\n".join(lines) + "\n")
    places = [(start[0] + length * i / elements, start[1], start[2]) for i in range(n)]
    lines = ["*NODE", *(f"{i + 1}, {x:.17g}, {y:.17g}, {z:.17g}" for i, (x, y, z) in enumerate(places))]
    for label, node in (("start", 1), ("end", n), ("middle", n // 2 + 1)):
        lines += [f"*NSET, NSET={label}", str(node)]
    Path(f"{name}.inp").write_text("\n".join(lines) + "\n")
    Path(f"{name}.dof").write_text("".join(f"{i + 1}.{k + 1}\n" for i in range(n) for k in range(6)))
