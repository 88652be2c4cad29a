# SPDX-License-Identifier: Apache-2.0
"""Types of a model whose functions are written in Python: laws, force elements, signals, controllers.

Keyword-only parameters of a function are the keys of the type in a model."""
from __future__ import annotations

import inspect
import math
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional, Union, get_args, get_origin

import numpy as np
import numpy.typing as npt

from . import _core
from ._table import Array

# kinds and properties of keys, as hooke/plugin.h has them
_REAL, _INT, _BOOL, _CHOICE, _TEXT, _SIGNAL = 1, 2, 3, 4, 5, 6
_REQUIRED = 1
_KeyRow = tuple[str, int, int, float, float, float, str, str, str, Any]


@dataclass(frozen=True)
class Key:
    """More about a key of a type: `stiffness: Annotated[float, hooke.Key("N/m", least=0)]`."""
    unit: str = ""
    """its unit"""
    text: str = ""
    """a line for people"""
    least: float = -math.inf
    """the least number that is allowed"""
    most: float = math.inf
    """and the largest one"""


class _Follows:
    """Marks keys that may be signals."""


Signal = Annotated[float, _Follows()]
"""The annotation of a key that may be a number, an expression or a signal of the model; the function is given its present value."""


class Frame:
    """A marker in motion, in world axes: what a force element sees of a body."""

    __slots__ = ("axes", "position", "angular_velocity", "velocity")

    def __init__(self, numbers: Array) -> None:
        self.axes: Array = numbers[:9].reshape(3, 3)
        """its axes as columns"""
        self.position: Array = numbers[9:12]
        """its origin, m"""
        self.angular_velocity: Array = numbers[12:15]
        """rad/s"""
        self.velocity: Array = numbers[15:18]
        """of the origin, m/s"""

    def __repr__(self) -> str:
        return f"Frame(position={self.position.tolist()}, velocity={self.velocity.tolist()})"


@dataclass
class Load:
    """What a force element may return where a force alone does not say everything.

    Without energy and powers, all that the element does counts as supplied. With one of them, those that are left out are 0:
    power of the load = supplied - dissipated - d(energy)/dt."""
    force: Union[float, npt.ArrayLike] = 0.0
    """on the coordinate of a joint, or the three components on the (second) body, N"""
    torque: npt.ArrayLike = (0.0, 0.0, 0.0)
    """the three components on the (second) body, N*m"""
    energy: Optional[float] = None
    """stored, J"""
    dissipated: Optional[float] = None
    """W"""
    supplied: Optional[float] = None
    """W"""
    outputs: Sequence[float] = ()
    """values of the outputs that the type has"""
    slopes: Optional[tuple[Any, Any]] = None
    """of a type with `slopes=True`: the slopes over place and over rate. On a joint two numbers; on bodies two matrices of 6 x 6, rows
    (torque, force), columns (turn, shift) of the second body relative to the first"""


class Type:
    """A type of a model whose function is one of Python. `hooke.law`, `hooke.element`, `hooke.signal` and `hooke.controller` make it;
    models take it in `modules`. Called, it is the function itself."""

    def __init__(self, kind: str, function: Callable[..., Any], name: Optional[str], called: Callable[..., Any],
                 positional: int, count: int, *, slopes: bool = False, conserves: bool = False, outputs: Sequence[str] = (),
                 units: Sequence[str] = (), inputs: int = 0, start: Sequence[float] = ()) -> None:
        self.name = name or function.__name__
        if not re.fullmatch("[a-z][a-z0-9_]*", self.name):
            raise ValueError(f"the name of a type has small letters, digits and _, found {self.name!r}; name='...' gives it another one")
        self.kind = kind
        self.function = function
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__qualname__ = function.__qualname__
        self.keys = _keys(function)
        text = (inspect.getdoc(function) or f"{kind} of a program").splitlines()[0]
        self._core = _core.Type(kind, self.name, text, called, self.keys, positional, count, slopes, conserves, len(outputs),
                                " ".join(outputs), " ".join(u or "1" for u in units), inputs, [float(x) for x in start])

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.function(*args, **keywords)

    def __repr__(self) -> str:
        return f"<hooke.Type {self.name!r}: {self.kind}>"

    def __reduce__(self) -> str:
        # as functions are pickled: by their place in a module
        return self.__qualname__


def _key(owner: str, parameter: inspect.Parameter, hint: Any) -> _KeyRow:
    """A keyword of a function as a key of its type."""
    def wrong(why: str) -> TypeError:
        return TypeError(f"the key '{parameter.name}' of '{owner}': {why}")

    key, follows = Key(), False
    words: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *more = get_args(hint)
        follows = any(isinstance(m, _Follows) for m in more)
        key = next((m for m in more if isinstance(m, Key)), key)
    default = None if parameter.default is inspect.Parameter.empty else parameter.default
    flags = _REQUIRED if parameter.default is inspect.Parameter.empty else 0
    number = math.nan
    extra: Any = None
    if get_origin(hint) is Literal:
        kind, words = _CHOICE, get_args(hint)
        if not all(isinstance(w, str) and w and " " not in w for w in words):
            raise wrong("a choice has words without spaces")
        if not flags:
            if default not in words:
                raise wrong(f"{default!r} is none of its words")
            number = float(words.index(default))
        extra = tuple(words)
    elif hint is str:
        kind, extra = _TEXT, default
    elif hint in (bool, int, float):
        kind = _SIGNAL if follows else {bool: _BOOL, int: _INT, float: _REAL}[hint]
        if not flags:
            if not isinstance(default, (bool, int, float, np.number)):
                raise wrong(f"expected a number as default, found {default!r}")
            number = float(default)
        elif follows:
            number = 0.0
    else:
        raise wrong(f"expected float, int, bool, str, Literal[...] or hooke.Signal, found {hint!r}")
    limits = (key.least, key.most) if math.isfinite(key.least) or math.isfinite(key.most) else (0.0, 0.0)
    return (parameter.name, kind, flags, number, max(limits[0], -1e300), min(limits[1], 1e300), key.unit, " ".join(words), key.text, extra)


def _keys(function: Callable[..., Any]) -> list[_KeyRow]:
    """The keyword-only parameters of a function."""
    name = getattr(function, "__name__", "function")
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise TypeError(f"an annotation of '{name}' cannot be resolved: {error}") from None
    return [_key(name, p, hints.get(p.name, float)) for p in inspect.signature(function).parameters.values()
            if p.kind is inspect.Parameter.KEYWORD_ONLY]


def _positional(function: Callable[..., Any], names: str, allowed: Sequence[int]) -> int:
    """How many positional parameters a function has."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
        raise TypeError(f"'{function.__name__}': keys have names, **{[p.name for p in parameters][-1]} has none")
    count = sum(p.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for p in parameters)
    if count not in allowed:
        raise TypeError(f"'{function.__name__}' must be a function of ({names}), with its keys as keyword-only parameters behind a *; "
                        f"found {count} positional ones")
    return count


_Decorator = Callable[[Callable[..., Any]], Type]


@typing.overload
def law(function: Callable[..., Any], /) -> Type: ...
@typing.overload
def law(*, name: Optional[str] = None, energy: Optional[Callable[..., float]] = None, slopes: bool = False) -> _Decorator: ...


def law(function: Optional[Callable[..., Any]] = None, /, *, name: Optional[str] = None,
        energy: Optional[Callable[..., float]] = None, slopes: bool = False) -> Union[Type, _Decorator]:
    """A law: `f(s)` or `f(s, rate)`, the force against the deformation s. It stands where laws may, by its name:
    `spring: {hertz: {stiffness: 1e7}}`.

    `energy`: the potential of a law of s alone, a function of s and the same keys; without it all work of the law counts as
    dissipated. `slopes`: the function returns force, df/ds and df/drate; otherwise they are found by differences."""
    def make(function: Callable[..., Any]) -> Type:
        count = _positional(function, "s, rate", (1, 2))
        if energy is None:
            called, numbers = function, 3 if slopes else 1
            if slopes:
                called = lambda *x, **keys: (*function(*x, **keys), 0.0)  # noqa: E731
                numbers = 4
            return Type("law", function, name, called, count, numbers, slopes=slopes)
        potential = energy
        if count != 1:
            raise TypeError(f"'{function.__name__}' depends on the rate: it has no energy of s alone")

        def both(s: float, **keys: Any) -> tuple[float, ...]:
            found = function(s, **keys)
            f, *more = found if slopes else (found, 0.0, 0.0)
            return (f, *more, potential(s, **keys))

        return Type("law", function, name, both, 1, 4, slopes=slopes, conserves=True)

    return make(function) if function is not None else make


def _nan(value: Optional[float]) -> float:
    return math.nan if value is None else float(value)


def _flat(found: Any, on: str, name: str, outputs: int, slopes: bool) -> list[float]:
    """What a force element returned, as one list: load, energy and powers, outputs, slopes."""
    load = found if isinstance(found, Load) else Load(*found) if isinstance(found, tuple) and on != "joint" else Load(found)
    if on == "joint":
        numbers = [float(load.force)]  # type: ignore[arg-type]
    else:
        torque, force = np.asarray(load.torque, dtype=np.float64), np.asarray(load.force, dtype=np.float64)
        if torque.shape != (3,) or force.shape != (3,):
            raise ValueError(f"'{name}' must give a force of three numbers, and a torque if it has one; found {found!r}")
        numbers = [*torque.tolist(), *force.tolist()]
    numbers += (_nan(load.energy), _nan(load.dissipated), _nan(load.supplied))
    if len(load.outputs) != outputs:
        raise ValueError(f"'{name}' gave {len(load.outputs)} outputs, expected {outputs}")
    numbers += map(float, load.outputs)
    if slopes:
        if load.slopes is None:
            raise ValueError(f"'{name}' has slopes=True, but gave none")
        size = 1 if on == "joint" else 6
        for slope in load.slopes:
            matrix = np.atleast_2d(np.asarray(slope, dtype=np.float64))
            if matrix.shape != (size, size):
                raise ValueError(f"'{name}' must give slopes of {size} x {size} numbers, found {matrix.shape}")
            numbers += matrix.ravel().tolist()
    return numbers


@typing.overload
def element(function: Callable[..., Any], /) -> Type: ...
@typing.overload
def element(*, on: Literal["bodies", "body", "joint"] = "bodies", name: Optional[str] = None,
            outputs: Optional[Mapping[str, str]] = None, slopes: bool = False) -> _Decorator: ...


def element(function: Optional[Callable[..., Any]] = None, /, *, on: Literal["bodies", "body", "joint"] = "bodies",
            name: Optional[str] = None, outputs: Optional[Mapping[str, str]] = None,
            slopes: bool = False) -> Union[Type, _Decorator]:
    """A force element: `forces: {m: {type: magnet, between: [a, b], ends: [p, q], strength: 3}}`.

    - on="bodies": `f(t, a, b)`, two Frames at the points `ends`; it returns the force on the second body, or force and torque, and the first body bears the opposite.
      It must depend on their relative motion alone.
    - on="body": `f(t, a)`, on the body `on:` at its point `at:` (left out: the centre of mass).
    - on="joint": `f(t, s, rate)`, the force or torque on the coordinate of `joint:`.

    A Load as the return value can say more: energy, outputs, slopes. `outputs`: names and units of outputs, which are channels
    `force.NAME.OUTPUT`. Slopes are found by differences, unless slopes=True says that the function gives them."""
    if on not in ("bodies", "body", "joint"):
        raise ValueError(f"expected on='bodies', 'body' or 'joint', found {on!r}")
    described = dict(outputs or {})

    def make(function: Callable[..., Any]) -> Type:
        frames = {"bodies": 2, "body": 1, "joint": 0}[on]
        _positional(function, {"bodies": "t, a, b", "body": "t, a", "joint": "t, s, rate"}[on], (frames + 1 if frames else 3,))
        own = name or function.__name__
        size = 1 if on == "joint" else 6
        count = size + 3 + len(described) + (2 * size * size if slopes else 0)

        def on_joint(t: float, s: float, rate: float, **keys: Any) -> list[float]:
            return _flat(function(t, s, rate, **keys), on, own, len(described), slopes)

        def on_bodies(t: float, raw: bytes, **keys: Any) -> list[float]:
            seen = [Frame(row) for row in np.frombuffer(raw).reshape(frames, 18)]
            return _flat(function(t, *seen, **keys), on, own, len(described), slopes)

        called: Callable[..., Any] = on_joint
        if frames:
            called = on_bodies
        return Type(on, function, name, called, 0, count, slopes=slopes, outputs=list(described),
                    units=list(described.values()))

    return make(function) if function is not None else make


@typing.overload
def signal(function: Callable[..., Any], /) -> Type: ...
@typing.overload
def signal(*, name: Optional[str] = None, unit: str = "") -> _Decorator: ...


def signal(function: Optional[Callable[..., Any]] = None, /, *, name: Optional[str] = None,
           unit: str = "") -> Union[Type, _Decorator]:
    """A signal `f(t)` of time and of the keys that are signals. It stands in `network:` with its name as type, and is read as
    `network.NAME.value`: `network: {w: {type: wave, of: joint.pin.angle}}`. It is asked for within each step, so that it
    may be part of a feedback."""
    def make(function: Callable[..., Any]) -> Type:
        _positional(function, "t", (1,))
        return Type("signal", function, name, function, 1, 1, outputs=["value"], units=[unit])

    return make(function) if function is not None else make


def controller(*, inputs: int = 1, outputs: Union[int, Sequence[str]] = 1, states: Sequence[float] = (),
               name: Optional[str] = None) -> _Decorator:
    """A sampled controller: `controllers: {c: {type: mine, input: [..], period: 0.01}}`, read as `controller.c`, further outputs as
    `controller.c.OUTPUT`.

    The function is called once in a period as `f(t, u, x)` with arrays of inputs and states, and returns the outputs, or the
    outputs and the new states where there are `states` (their values at the start). What it remembers must be in the states:
    steps may be taken back."""
    names = list(outputs) if not isinstance(outputs, int) else [f"y{i + 1}" for i in range(outputs)]
    count = len(states)

    def make(function: Callable[..., Any]) -> Type:
        given = _positional(function, "t, u, x" if count else "t, u", (3,) if count else (2, 3))
        own = name or function.__name__

        def sample(t: float, u: bytes, x: bytes, **keys: Any) -> Union[float, list[float]]:
            arguments = (t, np.frombuffer(u), np.frombuffer(x))[:given]
            found = function(*arguments, **keys)
            y, new = found if count else (found, ())
            values = [*np.atleast_1d(np.asarray(y, dtype=np.float64)).tolist(), *np.atleast_1d(np.asarray(new, dtype=np.float64)).tolist()]
            if len(values) != len(names) + count:
                raise ValueError(f"'{own}' gave {len(values)} numbers, expected {len(names)} outputs and {count} states")
            return values if len(values) > 1 else values[0]

        return Type("controller", function, name, sample, 1, len(names) + count, outputs=names, units=[""] * len(names),
                    inputs=inputs, start=list(states))

    return make
