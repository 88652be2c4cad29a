# SPDX-License-Identifier: Apache-2.0
"""Arguments that several calls share: parameters to set, options of a simulation."""
from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any, Optional, Union

Value = Union[float, int, bool, str, "list[float]", "tuple[float, ...]"]
Pairs = tuple[tuple[str, str], ...]
SimOptions = tuple[Optional[str], Optional[str], float, float, int, float, float, Pairs, int]
EQUILIBRIUM, STEADY, KINEMATICS = 1, 2, 3  # last of these: how a simulation begins, or that masses do not count
Path = Union[str, "os.PathLike[str]"]


def word(value: Any) -> str:
    """A value as a model file would have it: numbers by their shortest decimal, lists in brackets."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "true" if value else "false"
    if hasattr(value, "__len__") or hasattr(value, "tolist") and getattr(value, "ndim", 0) > 0:
        return "[" + ", ".join(word(x) for x in value) + "]"
    if hasattr(value, "__index__"):
        return str(value.__index__())
    x = float(value)
    if not math.isfinite(x):
        raise ValueError(f"expected a finite number, found {x}")
    return repr(x)


def pairs(mapping: Optional[Mapping[str, Any]]) -> Pairs:
    """A mapping as pairs of texts."""
    return tuple((str(k), word(v)) for k, v in (mapping or {}).items())


def sim_options(formulation: Optional[str] = None, integrator: Optional[str] = None, step: Optional[float] = None,
                time: Optional[float] = None, substeps: Optional[bool] = None, tolerance: Optional[float] = None,
                memory: Optional[float] = None, options: Optional[Mapping[str, Any]] = None,
                start: int = 0) -> SimOptions:
    """What a simulation is made with; None: as the model says."""
    for name, value in (("step", step), ("time", time), ("tolerance", tolerance), ("memory", memory)):
        if value is not None and not value > 0.0:
            raise ValueError(f"expected a {name} above 0, found {value}")
    return (formulation, integrator, float(step or 0.0), float(time or 0.0), -1 if substeps is None else int(substeps),
            float(tolerance or 0.0), float(memory or 0.0), pairs(options), start)
