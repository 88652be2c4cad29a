# SPDX-License-Identifier: Apache-2.0
"""Hooke: multibody dynamics of mechanisms and machines.

    import hooke
    m = hooke.load("crank.yaml", set={"L": 2})
    r = m.run(time=5)
    r["joint.hinge.angle"]

docs/python.md of the project is the guide.
"""
from . import _core
from ._analyses import End, Fit, Fitted, Mode, Modes, Quantity, Reach, Statics, fit
from ._batch import SweepRun, rollout, sweep
from ._core import HookeError, Message
from ._equations import Equations
from ._model import Check, Model, load, parse
from ._result import Result, read
from ._parameters import Parameters
from ._simulation import Inputs, Reader, Simulation
from ._table import Recording
from ._worlds import Batch, Tensor
from ._types import Frame, Key, Load, Signal, Type, controller, element, law, signal

__version__: str = _core.version


def features() -> dict[str, bool]:
    """The optional libraries of this build, and which of them it has."""
    return _core.features()


__all__ = ["Batch", "Check", "End", "Equations", "Fit", "Fitted", "Frame", "HookeError", "Inputs", "Key", "Load", "Message", "Mode", "Model", "Modes", "Parameters",
           "Quantity", "Reach", "Reader", "Recording", "Result", "Signal", "Simulation", "Statics", "SweepRun", "Tensor", "Type", "__version__", "controller",
           "element", "features", "fit", "law", "load", "parse", "read", "rollout", "signal", "sweep"]
