# SPDX-License-Identifier: Apache-2.0
"""hooke.fem: a beam of linear finite elements against its closed form; matrices of all kinds; what is refused."""
import math

import numpy as np
import pytest

import hooke
from hooke import fem

LENGTH, STIFFNESS, DENSITY = 2.0, (900.0, 400.0), 3.0  # m; EI about y and z, N m^2; kg/m


def beam(n):
    """Euler's beam along x in n elements with consistent masses: six unknowns a node"""
    h = LENGTH / n
    size = 6 * (n + 1)
    K, M = np.zeros((size, size)), np.zeros((size, size))
    k = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h], [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]) / h ** 3
    m = np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h], [54, 13 * h, 156, -22 * h],
                  [-13 * h, -3 * h * h, -22 * h, 4 * h * h]]) * DENSITY * h / 420
    two = np.array([[1, -1], [-1, 1]]) / h
    mass = np.array([[2, 1], [1, 2]]) * h / 6
    for e in range(n):
        a, b = 6 * e, 6 * e + 6
        # z with rotation about y turns the other way round
        for rows, turn, EI in (((a + 1, a + 5, b + 1, b + 5), 1, STIFFNESS[1]), ((a + 2, a + 4, b + 2, b + 4), -1, STIFFNESS[0])):
            sign = np.diag([1, turn, 1, turn])
            K[np.ix_(rows, rows)] += EI * sign @ k @ sign
            M[np.ix_(rows, rows)] += sign @ m @ sign
        K[np.ix_((a, b), (a, b))] += 1e7 * two
        M[np.ix_((a, b), (a, b))] += DENSITY * mass
        K[np.ix_((a + 3, b + 3), (a + 3, b + 3))] += 1e3 * two
        M[np.ix_((a + 3, b + 3), (a + 3, b + 3))] += 0.01 * mass
    nodes = [(i * h, 0, 0) for i in range(n + 1)]
    return K, M, nodes, [(i, k) for i in range(n + 1) for k in range(6)]


def test_closed_form(tmp_path):
    K, M, nodes, unknowns = beam(16)
    body = fem.reduce(K, M, nodes, unknowns=unknowns, modes=4, output=tmp_path / "beam.nc")
    assert body.mass == pytest.approx(DENSITY * LENGTH, rel=1e-12)
    roots = (4.730040744862704, 7.853204624095838)
    want = sorted((r / LENGTH) ** 2 * math.sqrt(EI / DENSITY) / (2 * math.pi) for r in roots for EI in STIFFNESS)
    assert [m.frequency for m in body.modes] == pytest.approx(want, rel=2e-4)
    assert fem.read(tmp_path / "beam.nc") == body


def test_kinds_of_matrices(tmp_path):
    """dense, lists; with interfaces at both ends the lowest modes hardly change"""
    K, M, nodes, unknowns = beam(12)
    ends = {"root": [0], "tip": fem.Interface([12], place=(LENGTH, 0, 0.1))}
    free = fem.reduce(K, M, nodes, unknowns=unknowns, modes=2)
    body = fem.reduce(K, M, nodes, unknowns=unknowns, interfaces=ends, modes=20, output=tmp_path / "a.nc")
    assert body.interfaces == ["root", "tip"] and len(body.modes) == 26
    assert [m.frequency for m in body.modes[:2]] == pytest.approx([m.frequency for m in free.modes], rel=1e-4)
    lists = [(i, j, A[i, j]) for A in (K, M) for i, j in (np.nonzero(np.tril(A)),)]
    again = fem.reduce(*lists, nodes, unknowns=unknowns, interfaces=ends, modes=20)
    assert [m.frequency for m in again.modes] == pytest.approx([m.frequency for m in body.modes], rel=1e-9)


def test_refused(tmp_path):
    K, M, nodes, unknowns = beam(4)
    with pytest.raises(ValueError, match="must be 15 x 15"):
        fem.reduce(K, M, nodes)
    with pytest.raises(ValueError, match="n x 3"):
        fem.reduce(K, M, [1, 2, 3])
    held = K.copy()
    held[1, 1] += 1e6
    with pytest.raises(hooke.HookeError, match="a free body has six"):
        fem.reduce(held, M, nodes, unknowns=unknowns)
    held[0, 7] = 1e9
    with pytest.raises(ValueError, match="stiffness is not symmetric: node . direction . with node . direction . has (1e.09|0) on one side") as caught:
        fem.reduce(held, M, nodes, unknowns=unknowns)
    assert "node 0 direction 0" in str(caught.value) and "node 1 direction 1" in str(caught.value)
    held[3, 3] = math.nan
    with pytest.raises(ValueError, match="stiffness of node 0 in direction 3 is not finite"):
        fem.reduce(held, M, nodes, unknowns=unknowns)
    with pytest.raises(hooke.HookeError, match="cannot read"):
        fem.reduce_file(tmp_path / "none.inp")
    with pytest.raises(hooke.HookeError):
        fem.read(tmp_path / "none.nc")
