# SPDX-License-Identifier: Apache-2.0
"""Modes, equilibria, actuators, ranges and fits in Python: numbers by NumPy and closed forms, errors as HookeError."""
import math
import pickle

import numpy as np
import pytest
from conftest import CART

import hooke

SPRING = """
hooke: 1
parameters: {k: 50, c: 4, x0: 0.1}
bodies: {cart: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {slide: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x}}
signals: {u: {input: 0.0}}
forces:
  spring: {type: joint_spring, joint: slide, stiffness: k, damping: c}
  pull: {type: joint_force, joint: slide, value: 3*u}
start: {slide: {position: x0}}
record: [joint.slide.position]
run: {time: 2, step: 0.01}
modes: {at: equilibrium, channels: [joint.slide.position, body.cart.acceleration.x]}
"""


def test_modes_of_a_spring():
    m = hooke.parse(SPRING).modes()
    assert [q.name for q in m.states] == ["joint.slide.position", "joint.slide.velocity"]
    assert [q.unit for q in m.outputs] == ["m", "m/s^2"]
    np.testing.assert_allclose(m.A, [[0, 1], [-25, -2]], atol=1e-9)
    np.testing.assert_allclose(m.B, [[0], [1.5]], atol=1e-9)
    np.testing.assert_allclose(m.C, [[1, 0], [-25, -2]], atol=1e-9)
    np.testing.assert_allclose(m.D, [[0], [1.5]], atol=1e-9)
    np.testing.assert_allclose(m.eigenvalues, [-1 + 1j * math.sqrt(24)], atol=1e-9)
    assert m[0].damping == pytest.approx(0.2) and m[0].frequency == pytest.approx(math.sqrt(24) / 2 / math.pi)
    assert m[0].body == "cart" and m[0].share == pytest.approx(1)
    np.testing.assert_allclose(m.A @ m[0].shape, m[0].value * m[0].shape, atol=1e-9)
    assert "cart 100 %" in repr(m)
    assert hooke.parse(SPRING).modes(at="start", channels=()).outputs == []
    # the state of a simulation: the spring at its start is no equilibrium
    assert hooke.parse(SPRING).sim().modes().acceleration == pytest.approx(2.5)


def test_answers_are_those_of_the_matrices(example):
    m = hooke.load(example("speed-loop.yaml")).modes(at="start", channels=["energy.kinetic", "joint.*"])
    for f in (0.03, 1.0, 40.0):
        s = 2j * math.pi * f
        h = m.C @ np.linalg.solve(s * np.eye(len(m.A)) - m.A, m.B) + m.D
        np.testing.assert_allclose(m.frequency(f)[0], h, rtol=1e-9, atol=1e-12)
    # steps: the derivative of the answer is C (A x + B), its end -C A^-1 B + D
    s = hooke.parse(SPRING).modes()
    t, y = s.step(12.0, 1201)
    np.testing.assert_allclose(y[-1], s.D - s.C @ np.linalg.solve(s.A, s.B), atol=1e-5)
    w = math.sqrt(24)
    np.testing.assert_allclose(y[:, 0, 0], 0.06 * (1 - np.exp(-t) * (np.cos(w * t) + np.sin(w * t) / w)), atol=1e-12)


def test_equilibria(example):
    one = hooke.parse(SPRING).statics()
    assert one["joint.slide.position"] == pytest.approx([0.0], abs=1e-9) and one.stable == [True]
    path = hooke.load(example("von-mises-truss.yaml")).statics(load="P", to=2000)
    assert path.load[0] == 0 and path.load[-1] == 2000 and path.limit.sum() == 2
    assert None not in path.stable and not all(path.stable)
    assert all(len(path[name]) == len(path.load) for name in path)


def test_actuators_and_ranges(example):
    robot = hooke.load(example("five-bar-robot.yaml"))
    found = robot.inverse(["elbow1", "elbow2"])
    assert list(found) == ["actuator.elbow1.angle.value", "actuator.elbow2.angle.value"]
    assert len(found.time) == len(found["actuator.elbow1.angle.value"]) > 100
    crank = hooke.load(example("slider-crank-driven.yaml"))
    assert crank.kinematics()["joint.crank.angle"][-1] == pytest.approx(crank.run()["joint.crank.angle"][-1], rel=1e-9)
    reach = crank.reach("crank")
    assert reach.high.why == "full turn" and reach.high.value - reach.low.value == pytest.approx(2 * math.pi)
    assert len(reach["joint.crank.angle"]) > 10


def test_a_fit(tmp_path):
    m = hooke.parse(SPRING)
    r = m.variant(k=60, c=3).run()
    # a result, a file, columns
    r.save(tmp_path / "d.nc")
    for data in (r, tmp_path / "d.nc", {"t": r.time, "joint.slide.position": r["joint.slide.position"]}):
        f = hooke.fit(m, data, ["k", "c"])
        assert f["k"].value == pytest.approx(60, rel=1e-5) and f["c"].value == pytest.approx(3, rel=1e-5)
        assert f["k"].start == 50 and f.evaluations > 4 and f.rms < 1e-6
    assert f.model.run()["joint.slide.position"][-1] == pytest.approx(r["joint.slide.position"][-1], abs=1e-7)
    assert hooke.fit(m, r, {"k": (40, 55), "c": None})["k"].bound == 1
    assert pickle.loads(pickle.dumps(f["k"])) == f["k"]


def test_errors():
    m = hooke.parse(SPRING)
    for call, words in ((lambda: m.modes(channels="nothing"), "nothing"), (lambda: m.modes(inputs="v"), "no input 'v'"),
                        (lambda: m.statics(load="F"), "F"), (lambda: m.inverse(["slip"]), "slip"),
                        (lambda: m.reach("slip"), "slip"), (lambda: m.kinematics(), ""),
                        (lambda: hooke.fit(m, {"t": [0, 1], "joint.slide.position": [0, 1]}, ["q"]), "q")):
        with pytest.raises(hooke.HookeError, match=words) as caught:
            call()
        assert caught.value.messages
    for call in (lambda: m.modes(at="noon"), lambda: m.modes().step(0), lambda: hooke.fit(m, {}, ["k"]), lambda: hooke.fit(m, {"t": []}, [])):
        with pytest.raises(ValueError):
            call()
    # a model of a cart and a rod: an answer after errors
    assert len(hooke.parse(CART).modes(at="equilibrium", channels="joint.*").inputs) == 1
