# SPDX-License-Identifier: Apache-2.0
"""Bodies with a few modes from finite-element models.

    from hooke import fem
    rod = fem.reduce(K, M, nodes, interfaces={"big": big_nodes, "small": small_nodes}, modes=12, output="rod.nc")
    rod.modes[0].frequency

K and M are what scikit-fem, NGSolve or a program of your own assembles: SciPy's sparse matrices, dense arrays, or (row, column, value) lists.
"""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core

__all__ = ["Body", "Interface", "Mode", "read", "reduce", "reduce_file"]

Path = Union[str, "os.PathLike[str]"]


class Mode(NamedTuple):
    """A mode of a body."""

    frequency: float  #: Hz, of the body that nothing holds
    kind: str  #: whole (of the free body), boundary (interfaces move) or inner (interfaces fixed)
    share: float  #: part of its strain energy in shapes of its kind


class Interface(NamedTuple):
    """Nodes that move together as a rigid piece, or whose mean motion it is (average), and the place of their frame; None: their middle."""

    nodes: Sequence[int]
    place: Optional[Sequence[float]] = None
    average: bool = False


class Body(NamedTuple):
    """A body with modes."""

    mass: float
    modes: list[Mode]
    interfaces: list[str]
    output: Optional[str]  #: its file; None: none was written


def _body(found: tuple[float, list[tuple[float, str, float]], list[str]], output: Optional[str]) -> Body:
    mass, modes, interfaces = found
    return Body(mass, [Mode(*m) for m in modes], interfaces, output)


def _int(values: Any) -> npt.NDArray[np.int32]:
    return np.ascontiguousarray(values, dtype=np.int32).ravel()


def _float(values: Any) -> npt.NDArray[np.float64]:
    return np.ascontiguousarray(values, dtype=np.float64).ravel()


def _check_symmetric(rows: npt.NDArray[np.int32], columns: npt.NDArray[np.int32], values: npt.NDArray[np.float64], pairs: npt.NDArray[Any], name: str) -> None:
    """Sums over both triangles with unlike weights tell whether they are the same; the unknown with the largest difference is named."""
    size = len(pairs)
    probe = np.cos(np.arange(size))
    low, up = rows >= columns, rows <= columns
    left, right = (np.bincount(columns[low], values[low] * probe[rows[low]], size), np.bincount(rows[up], values[up] * probe[columns[up]], size))
    differs = np.abs(left - right)
    if differs.max(initial=0.0) <= 1e-9 * (np.abs(values).max() if values.size else 1) * size:
        return
    i = int(differs.argmax())
    row, column = np.zeros(size), np.zeros(size)
    np.add.at(row, columns[rows == i], values[rows == i])
    np.add.at(column, rows[columns == i], values[columns == i])
    j = int(np.abs(row - column).argmax())
    (a, b), (c, d) = pairs[i], pairs[j]
    raise ValueError(f"{name} is not symmetric: node {a} direction {b} with node {c} direction {d} has {row[j]:.9g} on one side and {column[j]:.9g} on the other")


def _entries(matrix: Any, pairs: npt.NDArray[Any], name: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """The lower triangle of a symmetric matrix; pairs: node and direction of its unknowns."""
    size = len(pairs)
    if isinstance(matrix, tuple):
        rows, columns, values = _int(matrix[0]), _int(matrix[1]), _float(matrix[2])
        return rows, columns, values
    if hasattr(matrix, "tocoo"):
        sparse = matrix.tocoo()
        shape, rows, columns, values = sparse.shape, _int(sparse.row), _int(sparse.col), _float(sparse.data)
    else:
        dense = np.asarray(matrix, dtype=np.float64)
        shape = dense.shape
        found = np.nonzero(dense)
        rows, columns, values = _int(found[0]), _int(found[1]), _float(dense[found])
    if shape != (size, size):
        raise ValueError(f"{name} must be {size} x {size}, for {size} unknowns, but it is {' x '.join(map(str, shape))}")
    if not np.isfinite(values).all():
        a, b = pairs[rows[np.flatnonzero(~np.isfinite(values))[0]]]
        raise ValueError(f"{name} of node {a} in direction {b} is not finite")
    _check_symmetric(rows, columns, values, pairs, name)
    low = rows >= columns
    return rows[low], columns[low], values[low]


def _names(interfaces: Mapping[str, Any]) -> tuple[list[str], tuple[tuple[str, npt.NDArray[np.int32]], ...]]:
    names, sets = [], []
    for name, given in interfaces.items():
        face = given if isinstance(given, Interface) else Interface(given)
        place = "" if face.place is None else "@" + ",".join(repr(float(x)) for x in face.place)
        names.append(f"{name}={name}{place}{':average' if face.average else ''}")
        sets.append((name, _int(face.nodes)))
    return names, tuple(sets)


def reduce(stiffness: Any, mass: Any, nodes: Any, *, interfaces: Optional[Mapping[str, Union[Interface, Sequence[int]]]] = None, modes: int = 10,
           unknowns: Optional[Any] = None, triangles: Optional[Any] = None, output: Optional[Path] = None) -> Body:
    """Modes of a model in matrices, written to the NetCDF file `output`.

    nodes: places, n x 3. unknowns: node and direction (0 to 2 translations, 3 to 5 rotations) of each row of the matrices; left out: three translations of
    each node in turn. interfaces: name to nodes, or to an `Interface` with a place. modes: with fixed interfaces; without interfaces those of the
    free body. triangles: nodes of the surface, for drawing. Of matrices given as (row, column, value) each pair of entries stands once.
    """
    places = np.ascontiguousarray(nodes, dtype=np.float64)
    if places.ndim != 2 or places.shape[1] != 3:
        raise ValueError(f"nodes must be n x 3, but is {' x '.join(map(str, places.shape))}")
    if unknowns is None:
        unknowns = np.array([(i, k) for i in range(len(places)) for k in range(3)])
    pairs = np.asarray(unknowns)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError("unknowns must be pairs of node and direction")
    names, sets = _names(interfaces or {})
    path = None if output is None else os.fspath(output)
    arrays = (places.ravel(), _int(pairs[:, 0]), _int(pairs[:, 1]), *_entries(stiffness, pairs, "stiffness"), *_entries(mass, pairs, "mass"),
              _int([] if triangles is None else triangles))
    return _body(_core.reduce_matrices(arrays, sets, names, modes, path), path)


def reduce_file(path: Path, *, interfaces: Sequence[str] = (), modes: int = 10, material: Optional[str] = None, unit: Optional[str] = None,
                stiffness: Optional[Path] = None, mass: Optional[Path] = None, output: Optional[Path] = None) -> Body:
    """Modes of a mesh of gmsh or of a model of CalculiX, Abaqus, Nastran or MBDyn, as `hooke reduce` does; interfaces: NAME, NAME=SET or NAME=SET@X,Y,Z, with :average or not."""
    made = None if output is None else os.fspath(output)
    files = [None if p is None else os.fspath(p) for p in (stiffness, mass)]
    return _body(_core.reduce_file(os.fspath(path), files[0], files[1], material, unit, tuple(interfaces), modes, made), made)


def read(path: Path) -> Body:
    """The body of a file."""
    return _body(_core.flexible(os.fspath(path)), os.fspath(path))
