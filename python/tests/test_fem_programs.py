# SPDX-License-Identifier: Apache-2.0
"""hooke.fem: one mesh of second-order tetrahedra by scikit-fem, by CalculiX and by Hooke's own elements; frequencies agree."""
import shutil
import subprocess

import numpy as np
import pytest

from hooke import fem

E, NU, DENSITY = 2.1e11, 0.3, 7850.0
SIZE = (0.3, 0.04, 0.02)


def assembled(points, intorder):
    """stiffness, mass, places and unknowns by scikit-fem; the mass with `intorder`; and the elements in the order of decks"""
    skfem = pytest.importorskip("skfem", reason="scikit-fem is not installed")
    from skfem.helpers import dot
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    mesh = skfem.MeshTet.init_tensor(*(np.linspace(0, side, n) for side, n in zip(SIZE, points)))
    element = skfem.ElementVector(skfem.ElementTetP2())
    basis = skfem.Basis(mesh, element, intorder=4)
    stiffness = linear_elasticity(*lame_parameters(E, NU)).assemble(basis)
    mass = skfem.BilinearForm(lambda u, v, w: DENSITY * dot(u, v)).assemble(skfem.Basis(mesh, element, intorder=intorder))
    unknowns = np.zeros((basis.N, 2), dtype=int)
    places = []
    for table in (basis.nodal_dofs, basis.edge_dofs):
        for column in table.T:
            unknowns[column] = [(len(places), k) for k in range(3)]
            places.append(basis.doflocs[:, column[0]])
    at = {tuple(np.round(p, 9)): i for i, p in enumerate(places)}
    edges = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
    cells = []
    for corners in mesh.t.T:
        p = mesh.p[:, corners].T
        if np.linalg.det(p[1:] - p[0]) < 0:
            p = p[[0, 2, 1, 3]]
        cells.append([at[tuple(np.round(x, 9))] for x in [*p, *((p[a] + p[b]) / 2 for a, b in edges)]])
    return stiffness, mass, np.array(places), unknowns, cells


def deck(places, cells, ends):
    lines = ["*NODE, NSET=all"] + [f"{i + 1}, {x:.12e}, {y:.12e}, {z:.12e}" for i, (x, y, z) in enumerate(places)] + ["*ELEMENT, TYPE=C3D10, ELSET=e"]
    lines += [f"{i + 1}, " + ", ".join(str(n + 1) for n in cell) for i, cell in enumerate(cells)]
    for name, nodes in ends.items():
        lines += [f"*NSET, NSET={name}"] + [f"{n + 1}," for n in nodes]
    lines += ["*MATERIAL, NAME=steel", "*ELASTIC", f"{E}, {NU}", "*DENSITY", f"{DENSITY}", "*SOLID SECTION, ELSET=e, MATERIAL=steel",
              "*STEP", "*FREQUENCY, SOLVER=MATRIXSTORAGE", "5", "*END STEP"]
    return "\n".join(lines) + "\n"


def test_programs(tmp_path):
    # CalculiX integrates the mass of these elements with four points (of degree 2), scikit-fem and Hooke exactly
    exact = assembled((7, 3, 2), 4)
    stiffness, mass, places, unknowns, cells = exact
    ends = {"root": np.flatnonzero(places[:, 0] < 1e-9), "tip": np.flatnonzero(places[:, 0] > SIZE[0] - 1e-9)}
    (tmp_path / "bar.inp").write_text(deck(places, cells, ends))

    def hertz(body):
        return [m.frequency for m in body.modes]
    own = fem.reduce_file(tmp_path / "bar.inp", interfaces=["root", "tip"], modes=6)
    other = fem.reduce(stiffness, mass, places, unknowns=unknowns, interfaces=ends, modes=6)
    assert hertz(own) == pytest.approx(hertz(other), rel=1e-7)
    assert own.mass == pytest.approx(DENSITY * np.prod(SIZE), rel=1e-12)
    if not shutil.which("ccx"):
        pytest.skip("ccx is not there")
    subprocess.run(["ccx", "bar"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "bar.sti").exists()
    ccx = fem.reduce_file(tmp_path / "bar.inp", interfaces=["root", "tip"], modes=6)
    coarse = fem.reduce(stiffness, assembled((7, 3, 2), 2)[1], places, unknowns=unknowns, interfaces=ends, modes=6)
    assert hertz(ccx) == pytest.approx(hertz(coarse), rel=1e-7)
