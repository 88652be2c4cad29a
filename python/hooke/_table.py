# SPDX-License-Identifier: Apache-2.0
"""Channels over time: what a result and a recording have in common."""
from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from . import _core

if TYPE_CHECKING:
    import pandas
    import xarray

Array = npt.NDArray[np.float64]


class Table(Mapping[str, Array]):
    """A mapping from channels to read-only arrays, one number for each row."""

    def __init__(self, channels: Sequence[tuple[str, str, str]], title: str) -> None:
        self._described = channels
        self._number = {name: i for i, (name, _, _) in enumerate(channels)}
        self.title = title

    @abstractmethod
    def _column(self, number: int) -> Array:
        """The values of a channel, of the time for -1."""

    def __getitem__(self, channel: str) -> Array:
        number = self._number.get(channel)
        if number is None and channel in ("t", "time"):
            number = -1
        if number is None:
            near = _core.nearest(str(channel), list(self._number))
            raise KeyError(f"no channel '{channel}'" + (f", did you mean '{near}'?" if near else ""))
        return self._column(number)

    def __iter__(self) -> Iterator[str]:
        return iter(self._number)

    def __len__(self) -> int:
        return len(self._number)

    def __contains__(self, channel: object) -> bool:
        return channel in self._number

    @property
    def time(self) -> Array:
        """The times of the rows, s."""
        return self._column(-1)

    @property
    def units(self) -> dict[str, str]:
        """The unit of each channel."""
        return {name: unit for name, unit, _ in self._described}

    @property
    def meanings(self) -> dict[str, str]:
        """What each channel means."""
        return {name: text for name, _, text in self._described}

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with the channels as columns and the time as index."""
        import pandas
        return pandas.DataFrame(dict(self), index=pandas.Index(self.time, name="time"))

    def to_xarray(self) -> "xarray.Dataset":
        """A dataset with one variable per channel over the dimension `time`, units and meanings as attributes."""
        import xarray
        variables = {name: ("time", self[name], {"units": unit, "long_name": text}) for name, unit, text in self._described}
        return xarray.Dataset(variables, {"time": ("time", self.time, {"units": "s"})}, {"title": self.title})


class Recording(Table):
    """What `Simulation.record` gives."""

    def __init__(self, channels: Sequence[tuple[str, str, str]], title: str, rows: Array) -> None:
        super().__init__(channels, title)
        self._rows = rows  # the time, then the channels: one line each
        self._rows.flags.writeable = False

    def _column(self, number: int) -> Array:
        found: Array = self._rows[number + 1]
        return found

    def __repr__(self) -> str:
        return f"<hooke.Recording {self.title!r}: {self._rows.shape[1]} rows, {len(self)} channels>"
