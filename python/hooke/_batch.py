# SPDX-License-Identifier: Apache-2.0
"""Many simulations: trajectories from many states, runs over parameters."""
from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Optional, Protocol

import numpy as np
import numpy.typing as npt

from ._core import HookeError
from ._model import Model
from ._options import Value
from ._parameters import start_of
from ._result import Result
from ._worlds import COORDINATES, Batch

Array = npt.NDArray[np.float64]


class _Submits(Protocol):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any: ...


def rollout(model: Model, states: Sequence[Any] | Array, inputs: Optional[npt.ArrayLike] = None, *,
            channels: Sequence[str], steps: Optional[int] = None, every: int = 1, threads: Optional[int] = None,
            compile: bool = False, device: str = "cpu", **options: Any) -> Array:
    """Trajectories from many states, on several threads. A state is one of `Simulation.state`, or None for the start, or
    coordinates and velocities of `Simulation.arrays`: a tuple (q, v), or a row of an array that has both side by side.

    `inputs` has one value per state, step and input: shape (states, steps, inputs), or (steps, inputs) for all alike.
    `steps` is needed where there are no inputs. Gives the channels after every `every` steps, the first row before
    any: shape (states, steps // every + 1, channels). `options` are those of `Model.sim`.

    `compile`: by a `Batch`, several trajectories at once in the processor's vectors, with a program that is compiled the first time
    (seconds) and kept; where that cannot be by the library. The numbers of both differ by round-off. Trajectories that fail end
    in what is not a number; without `compile` they raise HookeError. `device`: "cuda" or "cuda:1" is such a `Batch` on a graphics processor
    (way "card"); where there is none, the processor takes the steps."""
    if device != "cpu":
        name, _, number = device.partition(":")
        if name != "cuda" or not (number.isdigit() or number == ""):
            raise ValueError(f"expected the device 'cpu', 'cuda' or 'cuda:1', found '{device}'")
        return _compiled(model, states, inputs, channels, steps, every, threads, {**options, "way": "card", "card": int(number or 0)})
    if compile:
        return _compiled(model, states, inputs, channels, steps, every, threads, options)
    first = model.sim(**options)
    names = list(first.input)
    u: Optional[Array] = None
    if inputs is not None:
        u = np.asarray(inputs, dtype=np.float64)
        if u.ndim == 2:
            u = np.broadcast_to(u, (len(states), *u.shape))
        if u.ndim != 3 or u.shape[0] != len(states) or u.shape[2] != len(names):
            raise ValueError(f"expected inputs of the shape ({len(states)}, steps, {len(names)}), found {u.shape}; "
                             f"the inputs of the model are {names}")
        if steps is None:
            steps = u.shape[1]
        if steps != u.shape[1]:
            raise ValueError(f"{steps} steps, but inputs for {u.shape[1]}")
    if steps is None:
        raise ValueError("steps or inputs must be given")
    count_steps = steps
    out = np.empty((len(states), steps // every + 1, len(channels)))
    count = max(1, min(threads or os.cpu_count() or 1, len(states)))
    left = itertools.count()
    counting = threading.Lock()

    def work(number: int) -> None:
        sim = first if number == 0 else model.sim(**options)
        handles = sim.reader(channels)._handles
        while True:
            with counting:
                i = next(left)
            if i >= len(states):
                return
            sim._roll(start_of(states[i]), None if u is None else np.ascontiguousarray(u[i]), count_steps, every, handles, out[i])

    if count == 1:
        work(0)
        return out
    with ThreadPoolExecutor(count) as pool:
        for done in [pool.submit(work, i) for i in range(count)]:
            done.result()
    return out


def _compiled(model: Model, states: Sequence[Any] | Array, inputs: Optional[npt.ArrayLike], channels: Sequence[str],
              steps: Optional[int], every: int, threads: Optional[int], options: dict[str, Any]) -> Array:
    """A rollout by a batch: worlds begin at the start, from bytes of a simulation, or from coordinates and velocities."""
    if len(states) == 0:
        return np.empty((0, (steps or 0) // every + 1, len(channels)))
    batch = Batch(model, len(states), channels=channels, threads=threads, **options)
    starts = [start_of(state) for state in states]
    rows = {i: x for i, x in enumerate(starts) if isinstance(x, np.ndarray)}
    for i, x in enumerate(starts):
        if x is not None and i not in rows:
            batch.set_states(x, [i])
    if rows:
        size = batch._sizes[COORDINATES]
        for x in rows.values():
            if x.shape != (size,):
                raise ValueError(f"expected {size} numbers, found {x.size}")
        batch._put_rows(COORDINATES, np.array(list(rows.values())), list(rows))
    return batch.rollout(steps, inputs, every=every)


@dataclass
class SweepRun:
    """One run of a sweep."""
    parameters: dict[str, Any]
    """what was set"""
    value: Any
    """what `measure` gave, or the Result; None when the run failed"""
    error: Optional[HookeError] = None
    """why it failed"""


def _one(model: Model, parameters: dict[str, Any], measure: Optional[Callable[[Result], Any]],
         options: dict[str, Any]) -> SweepRun:
    try:
        result = model.variant(**parameters).run(**options)
        return SweepRun(parameters, measure(result) if measure else result)
    except HookeError as error:
        return SweepRun(parameters, None, error)


def sweep(model: Model, parameters: Mapping[str, Sequence[Value]], *, measure: Optional[Callable[[Result], Any]] = None,
          executor: Optional[_Submits] = None, grid: bool = True, **options: Any) -> list[SweepRun]:
    """Runs over parameters of a model, in the order of the grid (the last parameter changes fastest), or, with
    `grid=False`, of the lists side by side. `measure` makes a value of each Result (without it the Results are kept).
    `executor`: anything with `submit`, such as a ProcessPoolExecutor (then `measure` must be a function of a module); threads
    by default. Runs that fail have an `error`; the others go on. `options` are those of `Model.run`."""
    lists = [list(v) for v in parameters.values()]
    if not grid and len({len(v) for v in lists}) > 1:
        raise ValueError(f"lists side by side must be equally long, found {[len(v) for v in lists]} values")
    rows = [dict(zip(parameters, row)) for row in (itertools.product(*lists) if grid else zip(*lists))]
    if executor is not None:
        return [f.result() for f in [executor.submit(_one, model, row, measure, options) for row in rows]]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return [f.result() for f in [pool.submit(_one, model, row, measure, options) for row in rows]]
