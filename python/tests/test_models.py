# SPDX-License-Identifier: Apache-2.0
"""Models from files, texts and dictionaries; what is wrong is said with its place."""
import copy
import gc
import pickle
import re

import numpy as np
import pytest

import hooke
from conftest import SOURCE

PENDULUM = {
    "gravity": [0, -9.81, 0],
    "planar": "xy",
    "parameters": {"L": 1},
    "points": {"pivot": [0, 0, 0], "hanging": [0, "-L", 0]},
    "bodies": {"bob": {"mass": 1, "com": "hanging"}},
    "joints": {"pin": {"type": "revolute", "between": ["ground", "bob"], "at": "pivot", "axis": "z"}},
    "start": {"pin": {"angle": "-90*deg"}},
    "record": ["joint.pin.angle", "joint.pin.rate", "energy.*"],
    "run": {"time": 10, "step": 0.01, "integrator": "trapezoidal"},
}


def test_load_and_set(example):
    m = hooke.load(example("pendulum.yaml"), set={"L": 2})
    assert m.title == "Simple pendulum"
    assert m.path == str(example("pendulum.yaml"))
    slow, fast = m.run(time=1), m.variant(L=0.5).run(time=1)
    assert abs(slow["joint.pin.rate"][-1]) < abs(fast["joint.pin.rate"]).max()
    assert "L=2" in repr(m)


def test_a_dictionary_is_the_file(pendulum):
    ours, theirs = hooke.Model(PENDULUM).run(time=1), pendulum.run(time=1)
    assert np.array_equal(ours["joint.pin.angle"], theirs["joint.pin.angle"])
    # keywords, tuples, arrays and numbers of NumPy
    keys = {**PENDULUM, "gravity": np.array([0, -9.81, 0]), "points": {"pivot": (0, 0, 0), "hanging": (0, "-L", 0)},
            "bodies": {"bob": {"mass": np.float64(1), "com": "hanging"}}}
    assert np.array_equal(hooke.Model(**keys).run(time=1)["joint.pin.angle"], theirs["joint.pin.angle"])
    assert np.array_equal(hooke.Model(PENDULUM, set={"L": 2}).run(time=1).time, ours.time)


def test_errors_have_their_place(tmp_path):
    file = tmp_path / "bad.yaml"
    file.write_text("hooke: 1\nbodies:\n  rod: {mas: 1}\n")
    with pytest.raises(hooke.HookeError) as caught:
        hooke.load(file)
    error = caught.value
    assert error.status == "HK_E_MODEL"
    first = error.messages[0]
    assert (first.severity, first.file, first.line, first.column) == ("error", str(file), 3, 9)
    assert "mas" in first.text and "mass" in first.hint
    assert f"{file}:3:9: " in str(error) and "did you mean 'mass'?" in str(error)
    # it travels between processes
    again = pickle.loads(pickle.dumps(error))
    assert (again.status, again.messages, str(again)) == (error.status, error.messages, str(error))


EXAMPLES = sorted(p for p in (SOURCE / "examples").rglob("*.yaml")
                  if re.search(r"^hooke:", p.read_text(), re.M) and not re.search(r"^modules:", p.read_text(), re.M))


def plain(path):
    """A file as PyYAML reads it, with `on` and `off` as words, as they are today"""
    yaml = pytest.importorskip("yaml")

    class Modern(yaml.SafeLoader):
        yaml_implicit_resolvers = {c: [r for r in found if r[0] != "tag:yaml.org,2002:bool"]
                                   for c, found in yaml.SafeLoader.yaml_implicit_resolvers.items()}

    Modern.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("true|false"), list("tf"))
    return yaml.load(path.read_text(), Loader=Modern)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_example_as_a_dictionary(path):
    """a dictionary makes the same model as the file: the state of one fits the other, which its hash decides"""
    state = hooke.load(path).sim().state()
    built = hooke.Model(plain(path), name=str(path))
    built.sim().restore(state)
    hooke.parse(built.yaml(), name=str(path)).sim().restore(state)


def test_yaml(pendulum, example):
    assert "revolute" in hooke.Model(PENDULUM).yaml() and pendulum.yaml() == example("pendulum.yaml").read_text()
    assert hooke.parse("hooke: 1", name="x").yaml() == "hooke: 1"


@pytest.mark.parametrize("content, kind, words", [
    ({"bodies": {"rod": {"mas": 1}}}, hooke.HookeError, "mas"),
    ({"bodies": {3.5: {}}}, TypeError, "3.5"),
    ({"forces": {"f": {True: "rod"}}}, TypeError, "safe_load"),
    ({"bodies": {"rod": {"mass": object()}}}, TypeError, "object"),
    ({"bodies": {"rod": {"mass": float("nan")}}}, hooke.HookeError, "finite"),
    ({"bodies": {"rod": {"mass": "\x00"}}}, ValueError, "null"),
])
def test_wrong_dictionaries(content, kind, words):
    with pytest.raises(kind, match=words):
        hooke.Model(content)


def test_wrong_calls(example, pendulum, tmp_path):
    with pytest.raises(hooke.HookeError, match="No such file"):
        hooke.load(tmp_path / "nothing.yaml")
    with pytest.raises(hooke.HookeError, match="Q"):
        hooke.load(example("pendulum.yaml"), set={"Q": 1})
    with pytest.raises(ValueError):
        hooke.load(example("pendulum.yaml"), set={"L": float("inf")})
    with pytest.raises(ValueError, match="step above 0"):
        pendulum.run(step=-1)
    with pytest.raises(hooke.HookeError, match="formulation"):
        pendulum.run(formulation="quantum")
    with pytest.raises(TypeError):
        hooke.load(3)
    with pytest.raises(TypeError):
        hooke._core.Model()
    with pytest.raises(TypeError):
        hooke._core.Model("load", "x", None, [("a", 1)])
    never = hooke.Model.__new__(hooke.Model)
    with pytest.raises(hooke.HookeError, match="never made"):
        hooke._core.Model.check(never)
    with pytest.raises(hooke.HookeError, match="never made"):
        hooke._core.Sim(never, (None, None, 0.0, 0.0, -1, 0.0, 0.0, ()))


def test_check(example):
    report = hooke.load(example("double-four-bar.yaml")).check()
    assert report.ok and report["dof"] == 1 and report["planar"] == 1
    assert "degrees of freedom" in repr(report) and "<table>" in report._repr_html_()
    assert [f for f in report["formulations"] if f["chosen"]]
    assert set(report) >= {"bodies", "joints", "findings", "start", "total_mass", "inputs"}


def test_pickle_and_copies(pendulum):
    again = pickle.loads(pickle.dumps(pendulum.variant(L=3)))
    assert np.array_equal(again.run(time=1)["joint.pin.angle"], pendulum.variant(L=3).run(time=1)["joint.pin.angle"])
    assert copy.copy(pendulum) is pendulum and copy.deepcopy(pendulum) is pendulum


def test_objects_end_in_any_order(pendulum):
    sims = [pendulum.sim() for _ in range(3)]
    results = [pendulum.run(time=0.1) for _ in range(3)]
    del pendulum
    gc.collect()
    sims[1].step(3)
    angle = results[0]["joint.pin.angle"]
    del results, sims
    gc.collect()
    assert angle[0] == pytest.approx(-np.pi / 2)
