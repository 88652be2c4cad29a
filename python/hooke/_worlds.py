# SPDX-License-Identifier: Apache-2.0
"""Many worlds of one model that take their steps side by side."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._options import sim_options

if TYPE_CHECKING:
    from ._model import Model

Array = npt.NDArray[np.float64]
Worlds = Optional[npt.ArrayLike]
WAYS = {"any": 0, "library": 1, "lanes": 2, "card": 3}
STATE, COORDINATES, INPUTS, PARAMETERS, OUTPUTS, TIME = range(6)
Tensor = _core.Tensor
TENSORS = {"states": STATE, "inputs": INPUTS, "outputs": OUTPUTS, "time": TIME, "coordinates": COORDINATES, "parameters": PARAMETERS}


class Batch(_core.Batch):
    """Many worlds of one model, each with its own state, inputs and parameters. They take their steps side by side: in the lanes of
    the processor's vectors and on threads, by a program that is compiled when the batch is made, or by the library where that
    cannot be (`way`, `why`). The bits of a world do not depend on the others.

    `channels`: outputs, those that the model records by default; `parameters`: names of those that differ from world to world;
    `way`: "any", "library", "lanes" or "card" (a graphics processor of NVIDIA: `card` says which, `single` that its numbers are
    floats, `warps` how many warps share the steps of 32 worlds, 0: a thread has a world of its own; states stay there, and where there is none lanes take the steps); the other options are those of `Model.sim`.

    Worlds are chosen by a mask, a number or a list of numbers; None: all. A world whose step fails is marked in `failed` and stays as it
    was before that step."""

    def __init__(self, model: "Model", worlds: int, *, channels: Optional[Sequence[str]] = None, parameters: Sequence[str] = (),
                 threads: Optional[int] = None, way: str = "any", width: int = 0,
                 card: int = 0, single: bool = False, warps: int = 0, **options: Any) -> None:
        if way not in WAYS:
            raise ValueError(f"expected way 'any', 'library', 'lanes' or 'card', found '{way}'")
        if isinstance(channels, str) or isinstance(parameters, str):
            raise TypeError("channels and parameters are lists of names")
        super().__init__(model, sim_options(**options), int(worlds), int(threads or 0), WAYS[way], int(width),
                         None if channels is None else tuple(channels), tuple(parameters) or None, int(card), int(single), int(warps))
        self.model = model
        about = self._about()
        self.worlds: int = about["worlds"]
        """how many"""
        self.way: str = about["way"]
        """"card", "lanes" or "library\""""
        self.why: str = about["why"]
        """why it is not the way that was asked for, or the fastest; "": it is"""
        self.width: int = about["width"]
        """worlds in a vector"""
        self.threads: int = about["threads"]
        """that share the worlds"""
        self.step_size: float = about["step"]
        """s"""
        self.channels: list[str] = self._names(OUTPUTS)
        """the outputs"""
        self.inputs: list[str] = self._names(INPUTS)
        """the inputs of the model"""
        self.parameters: list[str] = self._names(PARAMETERS)
        """the parameters that may differ"""
        self._sizes = {STATE: about["states"], COORDINATES: about["coordinates"] + about["velocities"], INPUTS: len(self.inputs),
                       PARAMETERS: len(self.parameters), OUTPUTS: len(self.channels), TIME: 1}
        self._nq: int = about["coordinates"]

    # --- chosen worlds

    def _chosen(self, worlds: Worlds) -> Optional[npt.NDArray[np.int32]]:
        if worlds is None:
            return None
        chosen = np.atleast_1d(np.asarray(worlds))
        if chosen.dtype == np.bool_:
            if chosen.shape != (self.worlds,):
                raise ValueError(f"expected a mask of {self.worlds} worlds, found {chosen.shape}")
            chosen = np.flatnonzero(chosen)
        if chosen.size and not np.issubdtype(chosen.dtype, np.integer):
            raise TypeError("worlds are numbers or a mask")
        if chosen.size and (chosen.min() < 0 or chosen.max() >= self.worlds):
            raise IndexError(f"worlds from 0 to {self.worlds - 1}, found {chosen.min()} to {chosen.max()}")
        return np.ascontiguousarray(chosen, dtype=np.int32)

    def _put_rows(self, what: int, values: npt.ArrayLike, worlds: Worlds) -> None:
        chosen = self._chosen(worlds)
        count, size = self.worlds if chosen is None else len(chosen), self._sizes[what]
        x = np.ascontiguousarray(values, dtype=np.float64)
        if x.shape not in ((size,), (count, size)):
            raise ValueError(f"expected the shape ({count}, {size}), or ({size},) for all alike, found {x.shape}")
        self._use(what, chosen, x, 2 if x.ndim == 1 else 1)

    def _get_rows(self, what: int, worlds: Worlds) -> Array:
        chosen = self._chosen(worlds)
        out = np.empty((self.worlds if chosen is None else len(chosen), self._sizes[what]))
        self._use(what, chosen, out, 0)
        return out

    def reset(self, worlds: Worlds = None) -> None:
        """Back to the start of the model, with its inputs; parameters stay."""
        self._reset(self._chosen(worlds))

    def set_arrays(self, q: npt.ArrayLike, v: npt.ArrayLike, worlds: Worlds = None) -> None:
        """Go on from these coordinates and velocities of the spanning tree, a row for each world or one for all; loops are closed."""
        a, b = np.asarray(q, dtype=np.float64), np.asarray(v, dtype=np.float64)
        if a.ndim != b.ndim or a.shape[:-1] != b.shape[:-1]:
            raise ValueError(f"expected as many rows of velocities as of coordinates, found {a.shape} and {b.shape}")
        if a.shape[-1:] != (self._nq,):
            raise ValueError(f"expected {self._nq} coordinates and {self._sizes[COORDINATES] - self._nq} velocities, "
                             f"found {a.shape[-1:]} and {b.shape[-1:]}")
        self._put_rows(COORDINATES, np.concatenate([a, b], axis=-1), worlds)

    def arrays(self, worlds: Worlds = None) -> tuple[Array, Array]:
        """Coordinates and velocities of the spanning tree, a row for each world."""
        both = self._get_rows(COORDINATES, worlds)
        return both[:, :self._nq], both[:, self._nq:]

    def set_inputs(self, values: npt.ArrayLike, worlds: Worlds = None) -> None:
        """Inputs, in the order of `inputs`; they count from the next step on."""
        self._put_rows(INPUTS, values, worlds)

    def set_parameters(self, values: npt.ArrayLike, worlds: Worlds = None) -> None:
        """Parameters, in the order of `parameters`, from the present time on; `reset` begins with them."""
        self._put_rows(PARAMETERS, values, worlds)

    def get_parameters(self, worlds: Worlds = None) -> Array:
        """The parameters of worlds."""
        return self._get_rows(PARAMETERS, worlds)

    def set_states(self, states: Union[bytes, npt.ArrayLike], worlds: Worlds = None) -> None:
        """States of `states`, or one of `Simulation.state` (with the same methods and step) for all."""
        if isinstance(states, (bytes, bytearray, memoryview)):
            self._put(self._chosen(worlds), bytes(states))
        else:
            self._put_rows(STATE, states, worlds)

    def states(self, worlds: Worlds = None) -> Array:
        """All that worlds need to go on with the same bits; meant for `set_states` alone."""
        return self._get_rows(STATE, worlds)

    # --- steps

    def step(self, steps: int = 1) -> None:
        """Steps of all worlds that have not failed."""
        self._roll(steps, max(1, steps), None, False, None)

    def rollout(self, steps: Optional[int] = None, inputs: Optional[npt.ArrayLike] = None, *, every: int = 1) -> Array:
        """Steps with inputs, shape (worlds, steps, inputs) or (steps, inputs) for all alike. Gives the channels before them and after
        every few: shape (worlds, steps // every + 1, channels); not numbers from where a world has failed."""
        u: Optional[Array] = None
        if inputs is not None:
            u = np.ascontiguousarray(inputs, dtype=np.float64)
            if u.ndim not in (2, 3) or u.shape[-1] != len(self.inputs) or (u.ndim == 3 and u.shape[0] != self.worlds):
                raise ValueError(f"expected inputs of the shape ({self.worlds}, steps, {len(self.inputs)}), found {u.shape}; "
                                 f"the inputs of the model are {self.inputs}")
            if steps is None:
                steps = u.shape[-2]
            if steps != u.shape[-2]:
                raise ValueError(f"{steps} steps, but inputs for {u.shape[-2]}")
        if steps is None:
            raise ValueError("steps or inputs must be given")
        if every < 1:
            raise ValueError(f"expected every how many steps, from 1, found {every}")
        out = np.empty((self.worlds, steps // every + 1, len(self.channels)))
        self._roll(steps, every, u, u is not None and u.ndim == 2, out)
        return out

    def values(self, worlds: Worlds = None) -> Array:
        """The channels of the present states, a row for each world."""
        return self._get_rows(OUTPUTS, worlds)

    @property
    def time(self) -> Array:
        """The time of each world, s."""
        return self._get_rows(TIME, None)[:, 0]

    def tensor(self, what: str) -> _core.Tensor:
        """Numbers of all worlds for libraries that know DLPack: `torch.from_dlpack(batch.tensor("outputs"))`, and so in JAX, CuPy and
        NumPy. `what`: "states", "inputs", "outputs", "time", "coordinates" or "parameters"; a row for each world.

        On a card, states, inputs and time are those of the batch itself (`live`): steps change them, and what is written to states
        or inputs counts from the next step on. Outputs are a copy on the card. All else, and everything of a batch on the
        processor, is a read-only copy. A tensor may outlive its batch."""
        if what not in TENSORS:
            raise ValueError(f"expected one of {', '.join(TENSORS)}, found '{what}'")
        return self._tensor(TENSORS[what])

    def _looked(self) -> tuple[npt.NDArray[np.int32], Array]:
        status, iterations = np.empty(self.worlds, dtype=np.int32), np.empty(self.worlds)
        self._look(status, iterations)
        return status, iterations

    @property
    def failed(self) -> npt.NDArray[np.bool_]:
        """Which worlds have failed."""
        return np.asarray(self._looked()[0] != 0)

    @property
    def iterations(self) -> Array:
        """Iterations of all steps of each world."""
        return self._looked()[1]

    def __len__(self) -> int:
        return self.worlds

    def __repr__(self) -> str:
        how = f"lanes of {self.width}" if self.way == "lanes" else "a card" if self.way == "card" else "the library"
        return f"<hooke.Batch of {self.worlds} worlds of {self.model!r}, by {how} on {self.threads} threads>"
