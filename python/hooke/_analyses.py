# SPDX-License-Identifier: Apache-2.0
"""What is found about a model beside its motion: small motions and modes, equilibria, ranges, forces of actuators, parameters by data."""
from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
import numpy.typing as npt

from ._options import Path, sim_options
from ._table import Array, Recording, Table

if TYPE_CHECKING:
    from ._model import Model
    from ._simulation import Simulation

Complex = npt.NDArray[np.complex128]
Names = Union[str, Sequence[str], None]
Data = Union[Path, Mapping[str, Any]]


def _tuple(names: Names) -> tuple[str, ...]:
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


@dataclass
class Quantity:
    """A state, an input or an output of linear equations."""
    name: str
    """as a channel, or as the input is called"""
    unit: str
    """"rad"; "" where there is none"""
    value: float
    """that the equations are about"""


@dataclass
class Mode:
    """A solution exp(value t) of linear equations; of a pair the one with a positive imaginary part."""
    value: complex
    """the eigenvalue, 1/s"""
    name: str
    """the state that takes part most"""
    body: str
    """the body with the largest share of the kinetic energy; "" when none moves"""
    share: float
    """this share, 0 to 1"""
    shape: Complex
    """of the states; the largest motion of a body has the phase 0"""
    multiplier: complex
    """over a period: exp(value T)"""

    @property
    def frequency(self) -> float:
        """Hz"""
        return self.value.imag / (2 * math.pi)

    @property
    def damping(self) -> float:
        """-Re/|value|: 0 undamped, negative where it grows, NaN for the value 0"""
        return -self.value.real / abs(self.value) if self.value else math.nan


class Modes(Sequence[Mode]):
    """Small motions about a state, dx/dt = A x + B u, y = C x + D u, and their modes by frequency. `Model.modes` and
    `Simulation.modes` make it. Large models, whose equations are sparse, have modes but no matrices: these are None."""

    def __init__(self, sim: "Simulation", channels: Names, inputs: Names, period: float, frame: Optional[str]) -> None:
        self._sim = sim
        self._handle, matrices, variables, modes, self.dof, self.acceleration, self.roughness = sim._linear(
            _tuple(channels), _tuple(inputs), float(period), frame)
        self.states, self.inputs, self.outputs = ([Quantity(*q) for q in group] for group in variables)
        n, nu, ny = len(self.states), len(self.inputs), len(self.outputs)
        self.A, self.B, self.C, self.D = (
            None if m is None else np.frombuffer(m).reshape(rows, cols)
            for m, rows, cols in zip(matrices, (n, n, ny, ny), (n, nu, n, nu)))
        self._modes = [Mode(complex(re, im), name, body, share, np.frombuffer(x)[:n] + 1j * np.frombuffer(x)[n:], complex(mre, mim))
                       for re, im, name, body, share, mre, mim, x in modes]
        self.eigenvalues: Complex = np.array([m.value for m in self._modes], dtype=np.complex128)

    def __getitem__(self, i: Any) -> Any:
        return self._modes[i]

    def __iter__(self) -> Iterator[Mode]:
        return iter(self._modes)

    def __len__(self) -> int:
        return len(self._modes)

    def frequency(self, hz: npt.ArrayLike) -> Complex:
        """C (2 pi i f - A)^-1 B + D at frequencies in Hz: an array (frequencies, outputs, inputs)."""
        f = np.ascontiguousarray(np.atleast_1d(hz), dtype=np.float64)
        real = np.empty((len(f), len(self.outputs), len(self.inputs)))
        imag = np.empty_like(real)
        self._sim._frequency(self._handle, f, real, imag)
        return real + 1j * imag

    def step(self, time: float, rows: int = 601) -> tuple[Array, Array]:
        """Times from 0 to `time`, and what the outputs do when an input goes from 0 to 1 at 0: an array (times, outputs, inputs)."""
        if not time > 0.0 or rows < 2:
            raise ValueError(f"expected a time above 0 and at least 2 rows, found {time} and {rows}")
        y = np.empty((rows, len(self.outputs), len(self.inputs)))
        self._sim._steps(self._handle, rows, time / (rows - 1), y)
        return np.linspace(0.0, time, rows), y

    def __repr__(self) -> str:
        lines = [f"<hooke.Modes: {self.dof} degrees of freedom, {len(self.states)} states>", f"{'Hz':>12} {'damping':>10}  moves most"]
        lines += [f"{m.frequency:12.6g} {m.damping:10.5f}  {m.name}" + (f", {m.body} {100 * m.share:.0f} %" if m.body else "") for m in self]
        return "\n".join(lines)


class Statics(Table):
    """Equilibria, one or a path over a load: a mapping from channels to arrays over the points. `Model.statics` makes it."""

    def __init__(self, found: tuple[str, list[str], list[tuple[float, int, int, float, float, bytes]]], title: str) -> None:
        self.formulation, channels, points = found
        super().__init__([(name, "", "") for name in channels], title)
        self.load: Array = np.array([p[0] for p in points])
        self.stable: list[Optional[bool]] = [None if p[1] < 0 else bool(p[1]) for p in points]
        self.limit: npt.NDArray[np.bool_] = np.array([bool(p[2]) for p in points])
        self.residual: Array = np.array([p[3] for p in points])
        self.softest: Array = np.array([p[4] for p in points])
        self._values = np.array([np.frombuffer(p[5]) for p in points]).reshape(len(points), len(channels))

    def _column(self, number: int) -> Array:
        found: Array = self.load if number < 0 else self._values[:, number]
        return found

    def __repr__(self) -> str:
        return f"<hooke.Statics {self.title!r}: {len(self.load)} points, {len(self)} channels>"


@dataclass
class End:
    """An end of the range of a coordinate."""
    value: float
    """of the coordinate, rad or m"""
    why: str
    """"dead point", "full turn", "limit" or "none"""
    moves: list[str]
    """at a dead point: coordinates that move while this one stands still"""
    loops: list[str]
    """at a dead point: the loops that are singular there"""


class Reach(Mapping[str, Array]):
    """How far a coordinate goes: a mapping from the coordinates of all joints to arrays over the way. `Model.reach` makes it."""

    def __init__(self, found: tuple[Any, ...]) -> None:
        self.coordinate, self.unit, self.start, low, high, channels, rows = found
        self.low, self.high = (End(v, why, [w.strip() for w in moves.split(",") if w.strip()],
                                   [w.strip() for w in loops.split(",") if w.strip()]) for v, why, moves, loops in (low, high))
        table = np.array([np.frombuffer(r) for r in rows]).reshape(len(rows), len(channels))
        self._columns: dict[str, Array] = {name: table[:, i] for i, name in enumerate(channels)}

    def __getitem__(self, channel: str) -> Array:
        return self._columns[channel]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def inverse(sim: "Simulation", actuators: Names, minimise: Optional[str]) -> Recording:
    """Forces of actuators over the whole run of a simulation, as `actuator.NAME.value`."""
    names, table = sim._inverse(_tuple(actuators), minimise)
    rows = np.frombuffer(table).reshape(-1, len(names) + 1).T.copy()
    return Recording([(f"actuator.{name.split('.', 1)[1]}.value", "", f"force, torque or value of '{name}'") for name in names],
                     sim.model.title, rows)


@dataclass
class Fitted:
    """A parameter as the data have it."""
    name: str
    """of the parameter"""
    value: float
    """the best"""
    low: float
    """of the interval that holds the true value with 95 %; NaN where the data do not determine it"""
    high: float
    """its other end"""
    start: float
    """where the search began"""
    bound: int
    """-1 or 1: it is at its bound"""
    note: str
    """what is wrong with it; "" when nothing is"""


class Fit(Mapping[str, Fitted]):
    """Parameters by data: a mapping from names to what was found. `model` has these values. `hooke.fit` makes it."""

    def __init__(self, model: "Model", parameters: Sequence[Fitted], rms: float, evaluations: int) -> None:
        self._found = {p.name: p for p in parameters}
        self.rms = rms
        self.evaluations = evaluations
        self.model = model.variant(**{p.name: p.value for p in parameters})

    def __getitem__(self, name: str) -> Fitted:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return "\n".join([f"<hooke.Fit: rms {self.rms:.4g} after {self.evaluations} runs>"]
                         + [f"{p.name:>16} {p.value:.6g}  [{p.low:.6g}, {p.high:.6g}]" + (f"  {p.note}" if p.note else "")
                            for p in self.values()])


def _table(data: Mapping[str, Any], path: str) -> None:
    """Columns of numbers as a CSV file, the time first."""
    columns = {str(k): np.asarray(data[k], dtype=np.float64) for k in data.keys()}
    time = columns.pop("t", columns.pop("time", None))
    if time is None and isinstance(data, Table):
        time = data.time
    if time is None and hasattr(data, "index"):
        time = np.asarray(data.index, dtype=np.float64)
    if time is None:
        raise ValueError("the data have no column 't' or 'time'")
    with open(path, "w", encoding="utf-8") as f:
        f.write(",".join(["t", *columns]) + "\n")
        for row in zip(time, *columns.values()):
            f.write(",".join(repr(float(x)) for x in row) + "\n")


def fit(model: "Model", data: Data, parameters: Union[Sequence[str], Mapping[str, Optional[tuple[float, float]]]], *,
        step: Optional[float] = None, formulation: Optional[str] = None, integrator: Optional[str] = None,
        options: Optional[Mapping[str, Any]] = None) -> Fit:
    """Find parameters of a model that make its runs fit measured data: least squares, from the model's own values on.
    `data`: a file (.csv, .nc), a Result or Recording, a table of pandas, or a dictionary of columns: the time, `t`, and channels.
    `parameters`: names, or a dictionary of names and bounds, {"k": (0, 1e5), "c": None}."""
    bounds = parameters if isinstance(parameters, Mapping) else dict.fromkeys(parameters)
    wanted = tuple((name, *(float(x) for x in (b or (-math.inf, math.inf)))) for name, b in bounds.items())
    if not wanted:
        raise ValueError("nothing to find: give names of parameters")
    how, source, _, sets, _ = model._source
    with tempfile.TemporaryDirectory(prefix="hooke-") as folder, model._idle() as idle:
        if how != "load":
            source = os.path.join(folder, "model.yaml")
            with open(source, "w", encoding="utf-8") as f:
                f.write(model.yaml())
        if isinstance(data, (str, os.PathLike)):
            file = os.fspath(data)
        else:
            file = os.path.join(folder, "data.csv")
            _table(data, file)
        found, rms, evaluations = idle._fit(str(source), sim_options(formulation, integrator, step, options=options), file, wanted, sets)
    return Fit(model, [Fitted(*p) for p in found], rms, evaluations)
