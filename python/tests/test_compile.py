# SPDX-License-Identifier: Apache-2.0
"""Steps by a program that is compiled for the model: those of the library, whatever a program does between them."""
import os
import pathlib
import shutil

import numpy as np
import pytest

import hooke

KERNEL = next((p for p in (pathlib.Path(os.environ.get("HOOKE_BUILD", ".")) / "hooke-kernel.wasm",
                           pathlib.Path(hooke.__file__).absolute().parents[2] / "hooke-kernel.wasm") if p.exists()), None)
pytestmark = pytest.mark.skipif(KERNEL is None or not shutil.which("cc"), reason="there is no kernel to follow, or no compiler")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HOOKE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOOKE_CC", "cc")
    monkeypatch.setenv("HOOKE_KERNEL", str(KERNEL))


def close(a, b):
    return np.allclose(a, b, rtol=1e-9, atol=1e-9)


def pair(model):
    """a simulation by a program and one without"""
    methods = {"step": 0.01, "time": 2, "formulation": "hybrid", "integrator": "trapezoidal"}
    a, b = model.sim(**methods), model.sim(**methods)
    assert a.compile(), a.compiled["why"]
    return a, b


def test_between_steps(cart):
    a, b = pair(cart)
    assert not b.compiled["used"] and a.compiled["steps"] == 0
    for s in (a, b):
        s.step(10)
        s.input["push"] = 3.0
        s.step(10)
    assert a.compiled["steps"] == 19 and close(a.values(), b.values()) and close(a["body.rod.position.x"], b["body.rod.position.x"])
    # a state goes from one to the other, and back in time
    state = b.state()
    for s in (a, b):
        s.step(30)
    assert close(a.values(), b.values())
    for s in (a, b):
        s.restore(state)
        s.step_to(0.333)
        s.step(5)
    assert a.time == b.time and close(a.values(), b.values())
    assert a.copy().compiled["why"] == "nobody has asked for it"
    for s in (a, b):
        s.step(10**6)
    assert a.done and close(a.values(), b.values()) and a.grade == b.grade
    assert a.summary["iterations"] == b.summary["iterations"] and a.summary["compiled"]["used"]


def test_parameters_end_it(cart):
    a, b = pair(cart)
    for s in (a, b):
        s.step(20)
        s.parameters["c"] = 2.0
        s.step(20)
    assert a.compiled["why"] == "parameters have been changed" and a.compiled["steps"] == 19
    assert close(a.values(), b.values())


def test_runs(cart):
    methods = {"step": 0.01, "time": 1, "integrator": "trapezoidal"}
    a, b = cart.run(compile=True, **methods), cart.run(**methods)
    assert a.summary["compiled"]["used"] and "compiled" not in b.summary
    assert close(a["joint.pin.angle"], b["joint.pin.angle"]) and close(a["energy.total"], b["energy.total"])
    # another simulation of the model finds it
    assert cart.run(compile=True, **methods).summary["compiled"]["cached"]
    failed = os.environ["HOOKE_CC"] = "false"
    assert failed and "failed with code 1" in cart.run(compile=True, **methods).summary["compiled"]["why"]
