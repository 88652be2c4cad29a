# SPDX-License-Identifier: Apache-2.0
"""Models: from files, texts and dictionaries; the doctor; whole runs."""
from __future__ import annotations

import html
import json
import math
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Optional, Union

from . import _core
from ._analyses import Modes, Names, Reach, Statics, inverse
from ._equations import Equations
from ._options import EQUILIBRIUM, KINEMATICS, STEADY, Pairs, Path, SimOptions, Value, pairs, sim_options
from ._result import Result
from ._simulation import Simulation
from ._table import Recording
from ._types import Type

Module = Union[Path, Type]
Modules = tuple[Union[str, Type], ...]

Progress = Union[bool, Callable[[float, float, int], Any], None]


def _plain(value: Any) -> Any:
    """What a model does not know: arrays, numbers of NumPy, paths."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a model cannot hold a {type(value).__name__}: {value!r}")


def _checked(value: Any, place: str) -> Any:
    """A copy of a dictionary's content, with keys that are texts; types stand as their names."""
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, (str, int)) or isinstance(key, bool):
                hint = " (PyYAML's safe_load takes the keys `on` and `off` for True and False; hooke.load reads files)" if isinstance(key, bool) else ""
                raise TypeError(f"{place or 'the model'}: a key must be a text, found {key!r}{hint}")
        return {str(k): _checked(v, f"{place}.{k}" if place else str(k)) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_checked(v, f"{place}[{i}]") for i, v in enumerate(value)]
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Type):
        return value.name
    return _checked(_plain(value), place)


def _types_in(value: Any) -> Iterator[Type]:
    """The types that stand in a dictionary: `"type": magnet`."""
    if isinstance(value, Type):
        yield value
    elif isinstance(value, Mapping):
        for v in value.values():
            yield from _types_in(v)
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from _types_in(v)


def _modules(modules: Iterable[Module]) -> Modules:
    """Shared libraries by their paths, and types; each once."""
    found: dict[Union[str, Type], None] = {}
    for one in modules:
        if not isinstance(one, (Type, str, os.PathLike)):
            raise TypeError(f"expected the path of a module or a type of hooke.law, hooke.element and so on, found {one!r}")
        found[one if isinstance(one, Type) else os.fspath(one)] = None
    names = [t.name for t in found if isinstance(t, Type)]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two types have the name '{name}'")
    return tuple(found)


class Check(Mapping[str, Any]):
    """What the doctor found: a mapping, which a notebook shows as a table."""

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content

    def __getitem__(self, key: str) -> Any:
        return self._content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    @property
    def ok(self) -> bool:
        """Can the model run?"""
        return bool(self._content["status"] == "HK_OK")

    def __repr__(self) -> str:
        c = self._content
        lines = [f"{c['bodies']} bodies, {c['joints']} joints, {c['forces']} forces, {c['dof']} degrees of freedom, "
                 f"{c['redundant']} redundant constraints"]
        lines += [f"{f['kind']}: {f['text']}" for f in c["findings"]]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        c = self._content
        rows = [(k, str(c[k])) for k in ("bodies", "joints", "forces", "coordinates", "constraints", "dof", "redundant",
                                         "total_mass")]
        rows += [(f["kind"], f["text"]) for f in c["findings"]]
        cells = "".join(f"<tr><td>{html.escape(a)}</td><td>{html.escape(b)}</td></tr>" for a, b in rows)
        return f"<table>{cells}</table>"


class Model(_core.Model):
    """A compiled model. `hooke.load` and `hooke.parse` make it from a file and a text; here it is made from a dictionary,
    or from keywords, with the keys of a model file: `Model(hooke=1, bodies={...}, joints={...})`. `modules`: shared libraries by
    their paths, and types made by `hooke.law`, `hooke.element`, `hooke.signal` and `hooke.controller`."""

    def __init__(self, content: Optional[Mapping[str, Any]] = None, /, *, set: Optional[Mapping[str, Value]] = None,
                 name: str = "(program)", modules: Iterable[Module] = (), **sections: Any) -> None:
        tree = {**(dict(content) if content else {}), **sections}
        tree.setdefault("hooke", 1)
        self._make("build", _checked(tree, ""), name, pairs(set), _modules([*modules, *_types_in(tree)]))

    def _make(self, how: str, source: Any, name: Optional[str], sets: Pairs, modules: Modules = ()) -> None:
        super().__init__(how, source, name, sets, tuple(m._core if isinstance(m, Type) else m for m in modules))
        self._source = (how, source, name, sets, modules)
        self._lock = threading.Lock()
        self._working = False
        self._spare: list[Model] = []

    @classmethod
    def _from(cls, how: str, source: Any, name: Optional[str], sets: Pairs, modules: Modules = ()) -> "Model":
        model = cls.__new__(cls)
        model._make(how, source, name, sets, modules)
        return model

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self)._from, self._source)

    def __copy__(self) -> "Model":
        return self  # a model never changes

    def __deepcopy__(self, memo: Any) -> "Model":
        return self

    def __repr__(self) -> str:
        sets = "".join(f", {k}={v}" for k, v in self._source[3])
        return f"<hooke.Model {self.title or self.path!r}{sets}>"

    def variant(self, **parameters: Value) -> "Model":
        """The same model with other values of its parameters."""
        how, source, name, sets, modules = self._source
        return self._from(how, source, name, tuple({**dict(sets), **dict(pairs(parameters))}.items()), modules)

    def yaml(self) -> str:
        """The model as the text of a model file."""
        how, source, *_ = self._source
        if how == "build":
            return _core.yaml(source)
        if how == "parse":
            return str(source)
        with open(source, encoding="utf-8") as f:
            return f.read()

    def check(self) -> Check:  # type: ignore[override]
        """Assemble the model and examine it."""
        with self._idle() as model:
            return Check(_core.Model.check(model))

    def sim(self, *, step: Optional[float] = None, time: Optional[float] = None, formulation: Optional[str] = None,
            integrator: Optional[str] = None, substeps: Optional[bool] = None, tolerance: Optional[float] = None,
            memory: Optional[float] = None, options: Optional[Mapping[str, Any]] = None) -> Simulation:
        """A simulation that the program advances. What is not given is as the model says."""
        return Simulation(self, sim_options(formulation, integrator, step, time, substeps, tolerance, memory, options))

    def equations(self) -> Equations:
        """The equations of motion at any state: mass matrix, forces, accelerations, Jacobians."""
        return Equations(self)

    def run(self, *, time: Optional[float] = None, step: Optional[float] = None, formulation: Optional[str] = None,
            integrator: Optional[str] = None, substeps: Optional[bool] = None, tolerance: Optional[float] = None,
            memory: Optional[float] = None, options: Optional[Mapping[str, Any]] = None, every: float = 0.0,
            output: Optional[Path] = None, compress: int = 0, report: Optional[Path] = None,
            progress: Progress = None, state: Optional[bytes] = None, compile: bool = False) -> Result:
        """A whole run. Its results are in `output` (.nc or .csv), or in a file that ends with the Result. `every`: seconds
        between recorded rows. `progress`: True for a bar (tqdm, where it is installed), or a function of time, end, steps.
        `state`: of `Simulation.state`, to go on from. `compile`: a program that a C compiler makes of the model takes the steps where it
        can, see `Simulation.compile`; `result.summary["compiled"]` says who took them. A run that fails raises HookeError, whose `result` has the rows so far."""
        chosen = sim_options(formulation, integrator, step, time, substeps, tolerance, memory, options)
        return self._result(chosen, every, output, compress, report, progress, state, compile)

    def _said(self, section: str, key: str) -> Optional[str]:
        """What the model's section of an analysis gives for a key."""
        return next(iter(self._setting(section, key)), None)

    def modes(self, *, at: Union[str, float, None] = None, channels: Names = None, inputs: Names = None, period: float = 0.0,
              frame: Optional[str] = None, formulation: Optional[str] = None, integrator: Optional[str] = None,
              step: Optional[float] = None, options: Optional[Mapping[str, Any]] = None) -> Modes:
        """Small motions about a state: the linear equations and their modes. `at`: "start", "equilibrium", "steady", or a time to
        which the model is simulated. `channels`: outputs y, with * and ?. `inputs`: those of the model, by default all. `period`: of a
        motion that repeats itself. `frame`: a joint from whose turning axes things are seen. What is not given is as the model's
        section `modes` says."""
        at = at if at is not None else self._said("modes", "at") or "start"
        words = {"start": 0, "equilibrium": EQUILIBRIUM, "steady": STEADY}
        time = None if at in words else float(at)
        sim = Simulation(self, sim_options(formulation, integrator, step, time or 1e-3, options=options,
                                           start=words.get(str(at), 0)))
        if time:
            sim.step_to(time)
        return sim.modes(channels=self._setting("modes", "channels") if channels is None else channels,
                         inputs=self._setting("modes", "inputs") if inputs is None else inputs, period=period,
                         frame=frame or self._said("modes", "frame"))

    def statics(self, *, load: Optional[str] = None, to: Optional[float] = None, points: Optional[int] = None,
                nearest: Optional[bool] = None, formulation: Optional[str] = None, options: Optional[Mapping[str, Any]] = None,
                output: Optional[Path] = None, report: Optional[Path] = None) -> Statics:
        """Equilibria: one, or a path of them over an input that is the load, from its own value to `to`, past limit loads. `nearest`:
        begin at the equilibrium nearest to the drawing, stable or not. What is not given is as the model's section `statics` says."""
        load = load or self._said("statics", "load")
        to = to if to is not None else float(self._said("statics", "to") or 1.0)
        points = points if points is not None else int(self._said("statics", "points") or 20)
        nearest = nearest if nearest is not None else self._said("statics", "nearest") == "true"
        with self._idle() as model:
            found = model._statics(sim_options(formulation, options=options), load, float(to), int(points), bool(nearest),
                                   os.fspath(output) if output else None, os.fspath(report) if report else None)
        return Statics(found, self.title)

    def inverse(self, actuators: Names = None, *, minimise: Optional[str] = None, time: Optional[float] = None,
                step: Optional[float] = None, formulation: Optional[str] = None, integrator: Optional[str] = None,
                options: Optional[Mapping[str, Any]] = None) -> Recording:
        """Forces of actuators that give the prescribed motion, over the whole run: channels `actuator.NAME.value`. `actuators`:
        coordinates of joints and inputs; by default those of the model's section `inverse`, else all that is prescribed.
        `minimise`: "torque", "activation" or "energy", where there are more than needed."""
        return inverse(self.sim(step=step, time=time, formulation=formulation, integrator=integrator, options=options), actuators, minimise)

    def kinematics(self, *, time: Optional[float] = None, step: Optional[float] = None, formulation: Optional[str] = None,
                   every: float = 0.0, output: Optional[Path] = None, report: Optional[Path] = None) -> Result:
        """Positions, velocities, accelerations and reactions along prescribed motions: a run in which bodies need no mass."""
        return self._result(sim_options(formulation, None, step, time, start=KINEMATICS), every, output, 0, report)

    def reach(self, coordinate: str, *, low: float = -math.inf, high: float = math.inf) -> Reach:
        """How far a coordinate of a joint goes both ways from the drawing, to its dead points."""
        with self._idle() as model:
            return Reach(model._reach(coordinate, float(low), float(high)))

    def _result(self, chosen: SimOptions, every: float = 0.0, output: Optional[Path] = None, compress: int = 0, report: Optional[Path] = None,
                progress: Progress = None, state: Optional[bytes] = None, compile: bool = False) -> Result:
        folder = None if output else tempfile.TemporaryDirectory(prefix="hooke-")
        path = os.fspath(output) if output else os.path.join(str(folder and folder.name), "result.nc")
        with _bar(progress) as tell, self._idle() as model, _kept(state) as resume:
            status, summary, grade, warnings = model._run(chosen, path, float(every), os.fspath(report) if report else None,
                                                          int(compress), "hooke (Python)", tell, resume, int(compile))
        result = Result(path, folder=folder, outcome=(json.loads(summary), grade, [w[0] for w in warnings]))
        if status == "HK_OK":
            return result
        said = result.summary.get("message") or status
        error = _core.HookeError(said)
        error.status = status
        error.messages = [_core.Message(("error", None, 0, 0, said, None))]
        error.result = result
        raise error

    def _repr_html_(self) -> str:
        """The page of the model at its start, or what is wrong with it."""
        try:
            return self.sim()._repr_html_()
        except _core.HookeError as error:
            return f"<p><b>{html.escape(repr(self))}</b></p><pre>{html.escape(str(error))}</pre>"

    @contextmanager
    def _idle(self) -> Iterator["Model"]:
        """This model, or a copy of it while another thread runs it."""
        with self._lock:
            mine = not self._working
            self._working = True
            model = self if mine else self._spare.pop() if self._spare else None
        if model is None:
            model = self._from(*self._source)
        try:
            yield model
        finally:
            with self._lock:
                if mine:
                    self._working = False
                else:
                    self._spare.append(model)


@contextmanager
def _kept(state: Optional[bytes]) -> Iterator[Optional[str]]:
    """A state as a file for the time of a call."""
    if state is None:
        yield None
        return
    with tempfile.NamedTemporaryFile(prefix="hooke-", suffix=".state") as file:
        file.write(state)
        file.flush()
        yield file.name


@contextmanager
def _bar(progress: Progress) -> Iterator[Optional[Callable[[float, float, int], Any]]]:
    """A function to be told how far a run is."""
    if progress is not True:
        yield progress or None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    bars: list[Any] = []  # made when the end is known

    def tell(time: float, end: float, steps: int) -> None:
        if not bars:
            bars.append(tqdm(total=end, unit="s", bar_format="{l_bar}{bar}| {n:.3g}/{total:.3g} s [{elapsed}<{remaining}]"))
        bars[0].update(time - bars[0].n)

    try:
        yield tell
        for bar in bars:
            bar.update(bar.total - bar.n)
    finally:
        for bar in bars:
            bar.close()


def load(path: Path, *, set: Optional[Mapping[str, Value]] = None, modules: Iterable[Module] = ()) -> Model:
    """The model of a file. `set`: parameters to change. `modules`: shared libraries by their paths, and types of the program."""
    return Model._from("load", os.fspath(path), None, pairs(set), _modules(modules))


def parse(text: str, *, name: str = "(text)", set: Optional[Mapping[str, Value]] = None,
          modules: Iterable[Module] = ()) -> Model:
    """The model of a text. `name` stands in messages; relative paths start from its folder. `modules` as in `load`."""
    return Model._from("parse", text, name, pairs(set), _modules(modules))
