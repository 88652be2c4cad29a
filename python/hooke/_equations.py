# SPDX-License-Identifier: Apache-2.0
"""The equations of motion of a model at any state, in the coordinates of its spanning tree."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Optional

import numpy as np
import numpy.typing as npt

from . import _core
from ._table import Array

if TYPE_CHECKING:
    from ._model import Model
    from ._simulation import Simulation


class Equations(_core.Eval):
    """M dv/dt + Phi_q^T lambda = Q + tau with constraints Phi = 0. `Model.equations` makes it, at the start of the model."""

    def __init__(self, model: "Model") -> None:
        super().__init__(model)
        self.model = model
        self.coordinates, self.velocities, self.constraints, self.frames = self._names()

    def _given(self, values: Optional[npt.ArrayLike]) -> Optional[Array]:
        return None if values is None else np.ascontiguousarray(values, dtype=np.float64)

    def _frame(self, name: str) -> int:
        try:
            return self.frames.index(name)
        except ValueError:
            near = _core.nearest(name, self.frames)
            raise KeyError(f"no frame '{name}'" + (f", did you mean '{near}'?" if near else "")) from None

    def _velocity(self, name: str) -> int:
        try:
            return self.velocities.index(name)
        except ValueError:
            near = _core.nearest(name, self.velocities)
            raise KeyError(f"no velocity '{name}'" + (f", did you mean '{near}'?" if near else "")) from None

    # --- the state

    def set_input(self, name: str, value: float) -> None:
        """Set an input of the model. It stays until it is set again, or a state is taken from a simulation."""
        if not self._input(name, value):
            raise KeyError(f"no input '{name}'")

    def set(self, q: npt.ArrayLike, v: Optional[npt.ArrayLike] = None, *, time: float = 0.0) -> None:
        """Choose the state; without velocities it is at rest."""
        self._set(time, np.ascontiguousarray(q, dtype=np.float64), self._given(v))

    def take(self, sim: "Simulation") -> None:
        """Take the present state of a simulation of this model."""
        self._take(sim)

    def project(self) -> None:
        """Close the loops: the nearest state at which the constraints hold."""
        self._call("project", 0)

    @property
    def q(self) -> Array:
        """The coordinates."""
        out = np.empty(len(self.coordinates))
        self._call("get", 0, out, None)
        return out

    @property
    def v(self) -> Array:
        """The velocities."""
        out = np.empty(len(self.velocities))
        self._call("get", 0, None, out)
        return out

    @property
    def time(self) -> float:
        """The time, s."""
        return self._energy()[0]

    def plus(self, q: npt.ArrayLike, d: npt.ArrayLike) -> Array:
        """Coordinates that follow by an increment in the directions of the velocities."""
        out = np.empty(len(self.coordinates))
        self._call("plus", 0, self._given(q), self._given(d), out)
        return out

    def minus(self, to: npt.ArrayLike, start: npt.ArrayLike) -> Array:
        """The increment between two positions."""
        out = np.empty(len(self.velocities))
        self._call("minus", 0, self._given(to), self._given(start), out)
        return out

    # --- dynamics

    def mass(self) -> Array:
        """The mass matrix of the tree."""
        out = np.empty((len(self.velocities), len(self.velocities)))
        self._call("mass", 0, out)
        return out

    def inverse(self, a: Optional[npt.ArrayLike] = None) -> Array:
        """Inverse dynamics: what must act beside the forces of the model for these accelerations; none: the bias forces."""
        out = np.empty(len(self.velocities))
        self._call("inverse", 0, self._given(a), out)
        return out

    def forward(self, tau: Optional[npt.ArrayLike] = None) -> Array:
        """Forward dynamics: the accelerations under the forces of the model and these, with all constraints."""
        out = np.empty(len(self.velocities))
        self._call("forward", 0, self._given(tau), out, None)
        return out

    def multipliers(self, tau: Optional[npt.ArrayLike] = None) -> Array:
        """The multipliers of the constraints there."""
        out = np.empty(len(self.constraints))
        self._call("forward", 0, self._given(tau), np.empty(len(self.velocities)), out)
        return out

    def drives(self, names: Sequence[str], a: Optional[npt.ArrayLike] = None) -> Array:
        """Inverse dynamics of mechanisms with loops: the forces of drives at these velocities ("joint.crank.rate") that, with the forces of
        the constraints, give these accelerations, which the constraints must allow; none: zero."""
        which = np.array([self._velocity(name) for name in names], dtype=np.int32)
        out = np.empty(len(which))
        self._drives(self._given(a), which, out)
        return out

    def energy(self) -> tuple[float, float]:
        """Kinetic and potential energy, J."""
        return self._energy()[1:]

    # --- frames and constraints

    def pose(self, frame: str) -> tuple[Array, Array]:
        """Axes of a frame ("marker.tip", "body.arm") as columns, and its origin, m."""
        axes, origin = np.empty((3, 3)), np.empty(3)
        self._call("pose", self._frame(frame), axes, origin)
        return axes, origin

    def twist(self, frame: str) -> tuple[Array, Array]:
        """Angular velocity and velocity of the origin of a frame, world axes."""
        angular, linear = np.empty(3), np.empty(3)
        self._call("twist", self._frame(frame), angular, linear)
        return angular, linear

    def acceleration(self, frame: str, a: Optional[npt.ArrayLike] = None) -> tuple[Array, Array]:
        """Angular acceleration and acceleration of the origin of a frame, at these accelerations of the coordinates."""
        angular, linear = np.empty(3), np.empty(3)
        self._call("acceleration", self._frame(frame), self._given(a), angular, linear)
        return angular, linear

    def jacobian(self, frame: str) -> Array:
        """Three rows of angular velocity and three of velocity of a frame over the velocities."""
        out = np.empty((6, len(self.velocities)))
        self._call("jacobian", self._frame(frame), out)
        return out

    def residual(self) -> tuple[Array, Array, Array]:
        """How far the constraints are from holding: values, rates, accelerations at dv/dt = 0."""
        n = len(self.constraints)
        out = np.empty(n), np.empty(n), np.empty(n)
        self._call("residual", 0, *out)
        return out

    def constraint_jacobian(self) -> Array:
        """Phi_q."""
        out = np.empty((len(self.constraints), len(self.velocities)))
        self._call("constraint_jacobian", 0, out)
        return out
