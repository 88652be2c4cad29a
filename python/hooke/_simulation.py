# SPDX-License-Identifier: Apache-2.0
"""Simulations that a program advances: inputs, channels, states, controllers."""
from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
import numpy.typing as npt

from . import _core
from ._analyses import Modes, Names
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
        self.bodies, joints, self.nodes = self._parts()
        self.joints = [name for name, _ in joints]
        self._coordinates = [count for _, count in joints]

    def __reduce__(self) -> tuple[Any, ...]:
        if self._controllers.list:
            raise TypeError("a simulation with controllers cannot be pickled; pickle its state(), and restore(state)")
        return (_from_state, (self.model, self._options, self.state()))

    def modes(self, *, channels: Names = None, inputs: Names = None, period: float = 0.0, frame: Optional[str] = None) -> Modes:
        """Small motions about the present state; see `Model.modes`."""
        return Modes(self, channels, inputs, period, frame)

    def compile(self, limit: float = 0.0) -> bool:
        """From now on a program that a C compiler makes of this model takes the steps, where that can be; it is kept for the next
        simulation of the model. True: it does. Else the library goes on, and `compiled["why"]` says why. `limit`: seconds that the
        compiler may take, by default 120."""
        self._compile(float(limit))
        return bool(self.compiled["used"])

    @property
    def compiled(self) -> dict[str, Any]:
        """Who takes the steps: used, cached, compiler, seconds, steps (taken by the program), refused (left to the library), why."""
        names = ("used", "cached", "compiler", "seconds", "steps", "refused", "why")
        return dict(zip(names, self._compiled() or (False, False, "", 0.0, 0, 0, "nobody has asked for it")))

    # --- inputs and channels

    @property
    def input(self) -> Inputs:
        """The inputs by name: `s.input["torque"] = 3`."""
        return Inputs(self)

    @property
    def parameters(self) -> Parameters:
        """The parameters by name: `s.parameters["k"] = 3` counts from the present time on."""
        return Parameters(self)

    def rebind(self, model: "Model") -> None:
        """Go on with another model from the present state: one of the same bodies, joints, forces and signals with other numbers."""
        self._rebind(model)
        self.model = model

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

    def _repr_html_(self) -> str:
        """The page of the next step: the mechanism as it stands."""
        formulation, integrator, step, _, substeps, tolerance, memory, options, start = self._options
        ahead = (formulation, integrator, step, self.time + float(self.summary["step_s"]), substeps, tolerance, memory, options, start)
        return self.model._result(ahead, state=self.state())._repr_html_()

    # --- bodies and joints

    def _number(self, name: str, kind: str) -> int:
        names = {"body": self.bodies, "joint": self.joints, "node": self.nodes}[kind]
        try:
            return names.index(name)
        except ValueError:
            near = _core.nearest(str(name), names)
            raise KeyError(f"no {kind} '{name}'" + (f", did you mean '{near}'?" if near else "")) from None

    def node(self, name: str) -> float:
        """The value of a node of a network: a voltage, pressure, temperature."""
        value = np.empty(1)
        self._part("node", self._number(name, "node"), value, None)
        return float(value[0])

    def pose(self, body: str) -> tuple[Array, Array]:
        """Axes of a body as columns, and its origin, m."""
        axes, origin = np.empty((3, 3)), np.empty(3)
        self._part("pose", self._number(body, "body"), origin, axes)
        return axes, origin

    def twist(self, body: str) -> tuple[Array, Array]:
        """Angular velocity of a body and the velocity of its origin, world axes."""
        angular, linear = np.empty(3), np.empty(3)
        self._part("twist", self._number(body, "body"), linear, angular)
        return angular, linear

    def joint(self, name: str) -> tuple[Array, Array]:
        """Coordinates and rates of a joint: m, rad; m/s, rad/s."""
        number = self._number(name, "joint")
        count = self._coordinates[number]
        coordinates, rates = np.empty(count), np.empty(count)
        self._part("joint", number, coordinates, rates)
        return coordinates, rates

    def reaction(self, joint: str) -> tuple[Array, Array]:
        """Force and torque of a joint on its second body."""
        force, torque = np.empty(3), np.empty(3)
        self._part("reaction", self._number(joint, "joint"), force, torque)
        return force, torque

    def restart(self, coordinates: Optional[Mapping[str, Any]] = None, rates: Optional[Mapping[str, Any]] = None, *,
                bodies: Optional[Mapping[str, Mapping[str, npt.ArrayLike]]] = None, nodes: Optional[Mapping[str, float]] = None) -> None:
        """Go on from these coordinates and rates of joints (numbers, or one for each coordinate of the joint), from `position`,
        `axes` (as columns), `velocity` and `angular_velocity` of bodies, from values of nodes. Loops are closed, what is not given stays near to where it is;
        time and inputs stay. `reset` before it begins at time 0."""
        given: dict[str, list[Optional[Array]]] = {}
        for place, values in enumerate((coordinates or {}, rates or {})):
            for name, value in values.items():
                given.setdefault(name, [None, None])[place] = np.ascontiguousarray(np.atleast_1d(np.asarray(value, dtype=np.float64)))
        for name, (q, v) in given.items():
            number = self._number(name, "joint")
            for array in (q, v):
                if array is not None and array.shape != (self._coordinates[number],):
                    raise ValueError(f"expected {self._coordinates[number]} numbers for the joint '{name}', found {array.size}")
            self._part("set_joint", number, q, v)
        for name, wanted in (bodies or {}).items():
            self._set_body(self._number(name, "body"), *_of_body(name, wanted))
        for name, value in (nodes or {}).items():
            self._part("set_node", self._number(name, "node"), np.array([value], dtype=np.float64), None)
        self._restart()

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


def _of_body(name: str, wanted: Mapping[str, npt.ArrayLike]) -> list[Optional[Array]]:
    """Where a body shall be and how it shall move, in the order of the library."""
    keys = ("position", "axes", "velocity", "angular_velocity")
    for key in wanted:
        if key not in keys:
            raise KeyError(f"body '{name}': no '{key}'; there are {', '.join(keys)}")
    return [np.ascontiguousarray(wanted[key], dtype=np.float64) if key in wanted else None for key in keys]


def _from_state(model: "Model", options: SimOptions, state: bytes) -> Simulation:
    sim = Simulation(model, options)
    sim.restore(state)
    return sim

