# SPDX-License-Identifier: Apache-2.0
"""Trajectories from many states and runs over parameters."""
from concurrent.futures import ProcessPoolExecutor
import multiprocessing
import time

import numpy as np
import pytest

import hooke

CHANNELS = ["joint.pin.angle", "joint.rail.position"]


def states(cart, n):
    s = cart.sim()
    out = []
    for i in range(n):
        s.input["push"] = (-1.0) ** i * i
        s.step(5)
        out.append(s.state())
    return out


def test_rollout_is_the_bits_of_steps(cart):
    start, u = states(cart, 7), np.random.default_rng(1).normal(size=(7, 40, 1))
    one = hooke.rollout(cart, start, u, channels=CHANNELS, every=4, threads=1)
    two = hooke.rollout(cart, start, u, channels=CHANNELS, every=4, threads=2)
    assert one.shape == (7, 11, 2) and np.array_equal(one, two)
    s = cart.sim()
    read = s.reader(CHANNELS)
    for i, state in enumerate(start):
        s.restore(state)
        assert np.array_equal(read(), one[i, 0])
        for k in range(40):
            s.input["push"] = u[i, k, 0]
            s.step()
        assert np.array_equal(read(), one[i, -1])


def test_rollout_from_arrays(cart):
    s = cart.sim()
    s.step(10)
    q, v = s.arrays()
    assert q.shape == v.shape == (2,)
    rng = np.random.default_rng(2)
    starts = np.concatenate([q + 0.1 * rng.normal(size=(6, 2)), v + 0.1 * rng.normal(size=(6, 2))], axis=1)
    one = hooke.rollout(cart, starts, steps=20, channels=CHANNELS, threads=1)
    two = hooke.rollout(cart, [(row[:2], row[2:]) for row in starts], steps=20, channels=CHANNELS, threads=2)
    assert np.array_equal(one, two)
    names = {name: i for i, name in enumerate(s._arrays()[0])}
    assert np.allclose(one[:, 0, 0], starts[:, names["joint.pin.angle"]], atol=1e-14)
    s.reset()
    s.set_arrays(starts[3, :2], starts[3, 2:])
    read = s.reader(CHANNELS)
    s.step(20)
    assert np.array_equal(read(), one[3, -1])
    with pytest.raises(ValueError, match="expected 4 numbers"):
        hooke.rollout(cart, np.zeros((2, 3)), steps=1, channels=CHANNELS)


def test_rollout_of_one_input_for_all(cart):
    alike = hooke.rollout(cart, [None, None], np.ones((10, 1)), channels=CHANNELS)
    assert np.array_equal(alike[0], alike[1])
    assert hooke.rollout(cart, [None], steps=3, channels=CHANNELS).shape == (1, 4, 2)
    assert hooke.rollout(cart, [], steps=3, channels=CHANNELS).shape == (0, 4, 2)


@pytest.mark.parametrize("call, kind, words", [
    (lambda m: hooke.rollout(m, [None], np.ones((1, 5, 2)), channels=CHANNELS), ValueError, "push"),
    (lambda m: hooke.rollout(m, [None], channels=CHANNELS), ValueError, "steps or inputs"),
    (lambda m: hooke.rollout(m, [None], np.ones((5, 1)), steps=6, channels=CHANNELS), ValueError, "inputs for 5"),
    (lambda m: hooke.rollout(m, [b"nonsense"] * 4, steps=1, channels=CHANNELS), hooke.HookeError, ""),
    (lambda m: hooke.rollout(m, [None], steps=1, channels=["nothing"]), hooke.HookeError, "nothing"),
    (lambda m: hooke.sweep(m, {"m": [1, 2], "c": [1]}, grid=False), ValueError, "equally long"),
])
def test_wrong_batches(cart, call, kind, words):
    with pytest.raises(kind, match=words or None):
        call(cart)


def furthest(result):
    return float(np.abs(result["joint.rail.position"]).max())


def test_sweep(cart):
    runs = hooke.sweep(cart, {"m": [1, 2], "c": [0.5, 50, "wrong"]}, measure=furthest, time=0.5)
    assert [r.parameters for r in runs][:2] == [{"m": 1, "c": 0.5}, {"m": 1, "c": 50}]
    assert runs[0].value > runs[1].value
    assert [r.error is None for r in runs] == [True, True, False] * 2 and runs[2].value is None
    assert len(hooke.sweep(cart, {"m": [1, 2], "c": [1, 2]}, grid=False, time=0.1)) == 2
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        again = hooke.sweep(cart, {"m": [1, 2], "c": [0.5]}, measure=furthest, executor=pool, time=0.5)
    assert again[0].value == runs[0].value


@pytest.mark.parametrize("count", [60, pytest.param(10000, marks=pytest.mark.slow)])
def test_nothing_leaks(cart, count):
    """memory does not grow with the number of models, simulations and results"""
    def grown(n):
        for _ in range(n):
            m = cart.variant(m=1.5)
            s = m.sim()
            s.step(2)
            s.copy().restore(s.state())
            m.run(time=0.004)
            try:
                hooke.parse("hooke: 1\nbodies: 3")
            except hooke.HookeError:
                pass
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1])

    before = grown(30)
    assert grown(count) - before < 250  # pages


def arm(example):
    """the six-link arm by torques, with one more torque that the program sets"""
    text = example("puma-by-torques.yaml").read_text()
    assert "\nforces:\n" in text and "\nsignals:" not in text or "\nsignals:\n" in text
    text = text.replace("\nsignals:\n", "\nsignals:\n  extra: {input: 0.0}\n") if "\nsignals:\n" in text else \
        text.replace("\nforces:\n", "\nsignals: {extra: {input: 0.0}}\nforces:\n")
    joint = hooke.load(example("puma-by-torques.yaml")).sim().joints[0]
    text = text.replace("\nforces:\n", f"\nforces:\n  extra_torque: {{type: joint_torque, joint: {joint}, value: extra}}\n", 1)
    return hooke.parse(text, name=str(example("puma-by-torques.yaml")))


@pytest.mark.slow
def test_a_step_from_python_costs_two_microseconds_more(example):
    """One input and ten outputs a step on the six-link arm, against steps that the extension takes in a row: what Python adds, the
    evaluation of the outputs included. The least of many tries, since other programs disturb."""
    model = arm(example)
    sim = model.sim(time=1e6)
    channels = [f"joint.{j}.{c}" for j in sim.joints[:5] for c in ("angle", "rate")]
    read, set_input, number = sim.reader(channels), sim._set_input, sim.input._find("extra")
    step, state = sim.step, sim.state()
    n, plain, looped = 200, [], []
    for _ in range(60):
        sim.restore(state)
        start = time.perf_counter()
        step(n)
        plain.append(time.perf_counter() - start)
        sim.restore(state)
        start = time.perf_counter()
        for _ in range(n):
            set_input(number, 0.0, False)
            step()
            read()
        looped.append(time.perf_counter() - start)
    more = (min(looped) - min(plain)) / n * 1e6
    print(f"{min(plain) / n * 1e6:.2f} us a step, {more:.2f} us more from Python")
    assert more < 2.0
