# SPDX-License-Identifier: Apache-2.0
"""Simulations that a program advances: inputs, channels, states, controllers."""
from __future__ import annotations

import json
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
import numpy.typing as npt

from . import _core
from ._options import SimOptions
from ._parameters import Parameters
from ._table import Array, Recording

if TYPE_CHECKING:
    from ._model import Model

Controller = Callable[[float, Array], Any]


class Inputs(MutableMapping[str, float]):
    """The inputs of a simulation by name. A value counts from the next step on."""

    __slots__ = ("_sim", "_number")

    def __init__(self, sim: "Simulation") -> None:
        self._sim = sim
        self._number = sim._input_numbers

    def _find(self, name: str) -> int:
        number = self._number.get(name)
        if number is None:
            near = _core.nearest(str(name), list(self._number))
            raise KeyError(f"no input '{name}'" + (f", did you mean '{near}'?" if near else "")
                           + ("" if self._number else "; an input is a signal of the model: signals: {u: {input: 0}}"))
        return number

    def __getitem__(self, name: str) -> float:
        return self._sim._input(self._find(name))

    def __setitem__(self, name: str, value: float) -> None:
        self._sim._set_input(self._find(name), value, False)

    def jump(self, name: str, value: float) -> None:
        """Set an input that jumps: it counts at once, as at a switch."""
        self._sim._set_input(self._find(name), value, True)

    def __delitem__(self, name: str) -> None:
        raise TypeError("a model has the inputs that it has")

    def __iter__(self) -> Iterator[str]:
        return iter(self._number)

    def __len__(self) -> int:
        return len(self._number)

    def __repr__(self) -> str:
        return f"Inputs({dict(self)})"


class Reader:
    """Chosen channels of a simulation, found once: `reader()` gives their present values, in the same array each time."""

    def __init__(self, sim: "Simulation", channels: Sequence[str]) -> None:
        self.channels = tuple(channels)
        self.values: Array = np.zeros(len(self.channels))
        self._handles = np.array([sim._handle(c) for c in self.channels], dtype=np.int32)
        self._read = sim._read

    def __call__(self) -> Array:
        self._read(self._handles, self.values)
        return self.values


class _Controllers:
    """Functions that are called before steps, each with its period."""

    def __init__(self) -> None:
        self.list: list[dict[str, Any]] = []

    def __call__(self, sim: "Simulation") -> None:
        time = sim.time
        for c in self.list:
            if c["period"]:
                # the number of the period; a little early counts, since times are sums of steps
                number = int(time / c["period"] + 1e-6)
                if number == c["number"] and time >= c["time"]:
                    continue
                c["number"], c["time"] = number, time
            found = c["function"](time, c["reader"]())
            if c["count"] or found is not None:
                values = np.atleast_1d(np.asarray(found, dtype=np.float64))
                if values.shape != (c["count"],):
                    raise ValueError(f"the controller gave {values.size} values for {c['count']} inputs")
                sim._set_inputs(c["inputs"], np.ascontiguousarray(values), c["jump"])


class Simulation(_core.Sim):
    """A simulation that the program advances. `Model.sim` makes it."""

    def __init__(self, model: "Model", options: SimOptions) -> None:
        super().__init__(model, options)
        self._complete(model, options)

    def _complete(self, model: "Model", options: SimOptions) -> None:
        self.model = model
        self._options = options
        self._input_numbers = {name: i for i, name in enumerate(self._inputs())}
        self._controllers = _Controllers()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._controllers.list:
            raise TypeError("a simulation with controllers cannot be pickled; pickle its state(), and restore(state)")
        return (_from_state, (self.model, self._options, self.state()))

    # --- inputs and channels

    @property
    def input(self) -> Inputs:
        """The inputs by name: `s.input["torque"] = 3`."""
        return Inputs(self)

    @property
    def parameters(self) -> Parameters:
        """The parameters by name: `s.parameters["k"] = 3` counts from the present time on."""
        return Parameters(self)

    def __getitem__(self, channel: str) -> float:
        return self.value(channel)

    @property
    def channels(self) -> list[str]:
        """The channels that the model records."""
        return [name for name, _, _ in self._channels()]

    @property
    def units(self) -> dict[str, str]:
        """Their units."""
        return {name: unit for name, unit, _ in self._channels()}

    def values(self) -> Array:
        """All recorded channels, in the order of `channels`."""
        out = np.empty(len(self._channels()))
        self._values(out)
        return out

    def reader(self, channels: Sequence[str]) -> Reader:
        """A function that gives these channels quickly, for loops."""
        return Reader(self, channels)

    def record(self, steps: Optional[int] = None, *, every: int = 1) -> Recording:
        """Go on for so many steps, or to the end, and keep the recorded channels after every few of them; the first row is
        the present state. Controllers are called as in `step`."""
        if every < 1:
            raise ValueError(f"expected every how many steps, from 1, found {every}")
        described = self._channels()
        rows, left = [self._row(len(described))], steps
        while not self.done and (left is None or left > 0):
            some = every if left is None else min(every, left)
            self.step(some)
            left = None if left is None else left - some
            rows.append(self._row(len(described)))
        return Recording(described, self.model.title, np.ascontiguousarray(np.array(rows).T))

    def _row(self, count: int) -> Array:
        row = np.empty(count + 1)
        row[0] = self.time
        self._values(row[1:])
        return row

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of the run so far, those of `hooke run --json`."""
        found: dict[str, Any] = json.loads(self._summary()[0])
        return found

    @property
    def grade(self) -> Optional[str]:
        """'good', 'doubtful' or 'wrong', so far."""
        return self._summary()[1]

    def __repr__(self) -> str:
        return f"<hooke.Simulation of {self.model!r} at {self.time:g} s>"

    # --- the state as two arrays

    def arrays(self) -> tuple[Array, Array]:
        """Coordinates q and velocities v of the spanning tree, as `Model.equations` has them."""
        names = self._arrays()
        q, v = np.empty(len(names[0])), np.empty(len(names[1]))
        self._place(q, v, False)
        return q, v

    def set_arrays(self, q: npt.ArrayLike, v: npt.ArrayLike) -> None:
        """Go on from these coordinates and velocities at the present time; loops are closed."""
        self._place(np.ascontiguousarray(q, dtype=np.float64), np.ascontiguousarray(v, dtype=np.float64), True)

    # --- copies

    def copy(self) -> "Simulation":
        """A simulation of its own in the same state, without controllers."""
        other = type(self).__new__(type(self))
        self._clone(other)
        other._complete(self.model, self._options)
        return other

    def __copy__(self) -> "Simulation":
        return self.copy()

    def __deepcopy__(self, memo: Any) -> "Simulation":
        return self.copy()

    # --- controllers

    def controller(self, *, period: Optional[float] = None, reads: Sequence[str] = (), writes: Sequence[str] = (),
                   jump: bool = False) -> Callable[[Controller], Controller]:
        """Have a function called before each step, or once in each `period`: with the time and the channels it `reads`, in
        an array that is used again; what it returns goes to the inputs it `writes`. Its exceptions end the step."""

        def add(function: Controller) -> Controller:
            self._controllers.list.append({
                "function": function, "period": period, "number": -1, "time": -np.inf, "reader": self.reader(reads),
                "inputs": np.array([self.input._find(name) for name in writes], dtype=np.int32), "count": len(writes),
                "jump": jump})
            self.hook = self._controllers
            return function

        return add


def _from_state(model: "Model", options: SimOptions, state: bytes) -> Simulation:
    sim = Simulation(model, options)
    sim.restore(state)
    return sim

