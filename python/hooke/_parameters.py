# SPDX-License-Identifier: Apache-2.0
"""Parameters of a simulation, which change while it runs."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, Optional

import numpy as np

from . import _core


class Parameters(MutableMapping[str, float]):
    """The parameters of a model that are numbers, by name. A value counts from the present time on, with all that follows from
    it; `update` sets several at once, all or none. What cannot change during a run is refused by name."""

    __slots__ = ("_sim", "_number")

    def __init__(self, sim: _core.Sim) -> None:
        self._sim = sim
        self._number = {name: i for i, name in enumerate(sim._parameters())}

    def _find(self, name: str) -> int:
        number = self._number.get(name)
        if number is None:
            near = _core.nearest(str(name), list(self._number))
            raise KeyError(f"no parameter '{name}'" + (f", did you mean '{near}'?" if near else ""))
        return number

    def __getitem__(self, name: str) -> float:
        return self._sim._parameter(self._find(name))

    def __setitem__(self, name: str, value: float) -> None:
        self._set({name: value})

    def _set(self, values: Mapping[str, float]) -> None:
        numbers = np.array([self._find(name) for name in values], dtype=np.int32)
        self._sim._set_parameters(numbers, np.array([float(x) for x in values.values()]))

    def update(self, other: Any = (), /, **values: float) -> None:
        """Set several at once: all of them, or none."""
        self._set({**dict(other), **values})

    def __delitem__(self, name: str) -> None:
        raise TypeError("a model has the parameters that it has")

    def __iter__(self) -> Iterator[str]:
        return iter(self._number)

    def __len__(self) -> int:
        return len(self._number)

    def __repr__(self) -> str:
        return f"Parameters({dict(self)})"


def start_of(state: Any) -> Optional[Any]:
    """A start of a trajectory as `_roll` takes it: a state in bytes, None, or one array of coordinates and velocities."""
    if state is None or isinstance(state, (bytes, bytearray, memoryview)):
        return state
    parts = [np.asarray(part, dtype=np.float64).ravel() for part in (state if isinstance(state, tuple) else (state,))]
    return np.ascontiguousarray(np.concatenate(parts))
