# SPDX-License-Identifier: Apache-2.0
"""Batches: many worlds of one model, and rollouts that are compiled."""
import os
from pathlib import Path

import numpy as np
import pytest

import hooke

CHANNELS = ["joint.pin.angle", "joint.rail.position"]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """compiled programs lie in a folder of the test; the kernel may be that of the release build"""
    monkeypatch.setenv("HOOKE_CACHE", str(tmp_path / "cache"))
    kernel = Path(os.environ.get("HOOKE_SOURCE", Path(__file__).parents[2])) / "build/release/hooke-kernel.wasm"
    if kernel.exists() and "HOOKE_KERNEL" not in os.environ:
        monkeypatch.setenv("HOOKE_KERNEL", str(kernel))


def test_worlds_are_those_of_one_alone(cart):
    rng = np.random.default_rng(1)
    u = rng.normal(size=(11, 20, 1))
    q, v = 0.1 * rng.normal(size=(11, 2)), rng.normal(size=(11, 2))
    batch = hooke.Batch(cart, 11, channels=CHANNELS, threads=2)
    assert len(batch) == 11 and batch.inputs == ["push"] and batch.channels == CHANNELS
    batch.set_arrays(q, v)
    assert np.allclose(batch.arrays()[0], q, atol=1e-14)
    all_of_them = batch.rollout(inputs=u, every=5)
    assert all_of_them.shape == (11, 5, 2) and not batch.failed.any() and np.allclose(batch.time, 20 * batch.step_size)
    one = hooke.Batch(cart, 1, channels=CHANNELS)
    for i in (0, 7, 10):
        one.reset()
        one.set_arrays(q[i], v[i])
        assert np.array_equal(one.rollout(inputs=u[i], every=5)[0], all_of_them[i])
    library = hooke.Batch(cart, 11, channels=CHANNELS, way="library")
    library.set_arrays(q, v)
    assert np.allclose(library.rollout(inputs=u, every=5), all_of_them, atol=1e-9)
    assert library.way == "library" and library.why == "" and "11 worlds" in repr(library)


def test_chosen_worlds(cart):
    batch = hooke.Batch(cart, 5, channels=CHANNELS, threads=1)
    batch.set_inputs([[1.0], [2.0]], [1, 3])
    batch.step(10)
    y = batch.values()
    assert np.array_equal(y[0], y[2]) and not np.array_equal(y[1], y[3]) and (batch.iterations > 0).all()
    kept = batch.states([3])
    batch.reset(np.array([False, True, False, True, False]))
    assert np.array_equal(batch.time[[1, 3]], [0.0, 0.0]) and batch.time[0] > 0
    batch.set_states(kept, [1])
    assert np.array_equal(batch.values(1)[0], y[3])
    sim = cart.sim()
    sim.step(7)
    batch.set_states(sim.state())
    assert np.allclose(batch.values(), [[sim[c] for c in CHANNELS]] * 5, atol=1e-12)


def test_parameters_and_failures(cart):
    name = next(iter(cart.sim().parameters))
    value = cart.sim().parameters[name]
    batch = hooke.Batch(cart, 3, channels=CHANNELS, parameters=[name])
    batch.set_parameters([[value], [1.5 * value], [value]])
    batch.reset()
    assert np.array_equal(batch.get_parameters()[:, 0], [value, 1.5 * value, value])
    batch.set_inputs([1.0])
    y = batch.rollout(30)
    assert np.array_equal(y[0], y[2]) and not np.array_equal(y[0], y[1])
    sim = cart.variant(**{name: 1.5 * value}).sim()
    sim.input["push"] = 1.0
    sim.step(30)
    assert np.allclose(y[1, -1], [sim[c] for c in CHANNELS], atol=1e-9)
    batch.set_inputs([1e300], 1)
    y = batch.rollout(30)
    assert list(batch.failed) == [False, True, False]
    assert np.isnan(y[1, -1]).all() and np.array_equal(y[0], y[2]) and np.isfinite(y[0]).all()


def test_compiled_rollouts(cart):
    sim = cart.sim()
    sim.step(5)
    states = [None, sim.state(), (np.array([0.1, 0.2]), np.array([0.3, 0.4]))]
    u = np.random.default_rng(3).normal(size=(3, 20, 1))
    fast = hooke.rollout(cart, states, u, channels=CHANNELS, every=4, compile=True)
    slow = hooke.rollout(cart, states, u, channels=CHANNELS, every=4)
    assert fast.shape == slow.shape and np.allclose(fast, slow, atol=1e-9)
    assert hooke.rollout(cart, [], steps=8, every=4, channels=CHANNELS, compile=True).shape == (0, 3, 2)


class Copies:
    """asks a tensor for copies, as from_dlpack(copy=True) of newer numpys does"""
    def __init__(self, tensor):
        self.tensor, self.__dlpack_device__ = tensor, tensor.__dlpack_device__

    def __dlpack__(self, **how):
        return self.tensor.__dlpack__(**{**how, "copy": True})


def test_tensors(cart):
    batch = hooke.Batch(cart, 5, channels=CHANNELS, threads=1)
    batch.set_inputs(np.arange(5.0)[:, None])
    batch.step(10)
    y, t = np.from_dlpack(batch.tensor("outputs")), np.from_dlpack(batch.tensor("time"))
    assert np.array_equal(y, batch.values()) and np.array_equal(t, batch.time) and t.shape == (5,) and y.dtype == np.float64
    assert np.array_equal(np.from_dlpack(batch.tensor("inputs"))[:, 0], np.arange(5.0))
    assert np.array_equal(np.from_dlpack(batch.tensor("states")), batch.states())
    tensor = batch.tensor("coordinates")
    q, own = np.from_dlpack(tensor), np.from_dlpack(Copies(tensor))
    assert tensor.shape == (5, 4) and not tensor.live and tensor.__dlpack_device__() == (1, 0)
    assert np.array_equal(q, np.hstack(batch.arrays())) and np.array_equal(own, q) and not q.flags.writeable
    assert own.ctypes.data != q.ctypes.data and np.from_dlpack(tensor).ctypes.data == q.ctypes.data
    assert own.flags.writeable or np.lib.NumpyVersion(np.__version__) < "2.1.0"  # before, numpy wrote to no tensors
    kept = q.copy()
    batch.step(10)
    del batch, tensor
    assert np.array_equal(q, kept) and np.array_equal(own, kept)


def test_wrong_use_of_tensors(cart):
    batch = hooke.Batch(cart, 2, channels=CHANNELS, way="library")
    with pytest.raises(ValueError, match="found 'velocities'"):
        batch.tensor("velocities")
    tensor = batch.tensor("outputs")
    for wrong, error in (({"stream": 1}, ValueError), ({"stream": "a"}, TypeError), ({"max_version": 1}, TypeError), ({"dl_device": (1,)}, TypeError),
                         ({"dl_device": (2, 0)}, BufferError), ({"other": 1}, TypeError)):
        with pytest.raises(error):
            tensor.__dlpack__(**wrong)
    with pytest.raises(TypeError):
        type(tensor)()
    # capsules of both kinds, which nobody takes
    assert '"dltensor_versioned"' in repr(tensor.__dlpack__(max_version=(1, 0), dl_device=(1, 0)))
    assert '"dltensor"' in repr(tensor.__dlpack__()) and '"dltensor"' in repr(tensor.__dlpack__(max_version=(0, 8)))


def test_wrong_use(cart):
    batch = hooke.Batch(cart, 2, channels=CHANNELS, way="library")
    with pytest.raises(ValueError, match="'any', 'library', 'lanes' or 'card'"):
        hooke.Batch(cart, 2, way="gpu")
    with pytest.raises(hooke.HookeError, match="unknown channel"):
        hooke.Batch(cart, 2, channels=["joint.pin.angel"])
    with pytest.raises(hooke.HookeError, match="at least one world"):
        hooke.Batch(cart, 0)
    with pytest.raises(IndexError, match="from 0 to 1"):
        batch.reset([2])
    with pytest.raises(hooke.HookeError, match="twice"):
        batch.reset([1, 1])
    with pytest.raises(ValueError, match=r"expected the shape \(2, 1\)"):
        batch.set_inputs(np.zeros((3, 1)))
    with pytest.raises(hooke.HookeError, match="finite"):
        batch.set_inputs([np.nan])
    with pytest.raises(ValueError, match="steps or inputs"):
        batch.rollout()
    with pytest.raises(ValueError, match="expected 2 coordinates"):
        batch.set_arrays([0.0], [0.0, 0.0, 0.0])
    with pytest.raises(hooke.HookeError):
        batch.set_states(b"no state")


def test_no_card(cart, monkeypatch):
    monkeypatch.setenv("HOOKE_CUDA", "/nowhere/libcuda.so.1")  # before the next test: a driver that was found stays
    batch = hooke.Batch(cart, 3, channels=CHANNELS, way="card")
    assert batch.way in ("lanes", "library") and "no driver" in batch.why or batch.way == "library"
    y = hooke.rollout(cart, [None] * 3, channels=CHANNELS, steps=4, device="cuda")
    assert np.array_equal(y, hooke.rollout(cart, [None] * 3, channels=CHANNELS, steps=4, compile=True))
    with pytest.raises(ValueError, match="'cpu', 'cuda' or 'cuda:1', found 'metal'"):
        hooke.rollout(cart, [None], channels=CHANNELS, steps=4, device="metal")


@pytest.mark.skipif("HOOKE_CARD" not in os.environ, reason="the card of the tests is named by ctest")
def test_card(cart, monkeypatch):
    for name in ("HOOKE_CUDA", "HOOKE_NVRTC"):
        monkeypatch.setenv(name, os.environ["HOOKE_CARD"])
    lanes = hooke.Batch(cart, 40, channels=CHANNELS)
    if lanes.way != "lanes":
        pytest.skip(lanes.why)
    card = hooke.Batch(cart, 40, channels=CHANNELS, way="card")
    assert card.way == "card"
    rng = np.random.default_rng(2)
    u = rng.normal(size=(40, 12, 1))
    for batch in (card, lanes):
        batch.set_arrays(0.1 * np.ones((40, 2)), np.linspace(0, 1, 80).reshape(40, 2))
    assert np.array_equal(card.rollout(inputs=u, every=4), lanes.rollout(inputs=u, every=4))
    assert np.array_equal(card.states([3, 39]), lanes.states([3, 39])) and not card.failed.any()
    y = hooke.rollout(cart, [None] * 5, u[:5], channels=CHANNELS, device="cuda")
    assert np.array_equal(y, hooke.rollout(cart, [None] * 5, u[:5], channels=CHANNELS, compile=True))
    states, time = card.tensor("states"), card.tensor("time")
    assert states.__dlpack_device__() == (2, 0) and states.live and states.shape == card.states().shape
    assert card.tensor("parameters").shape == (40, 0) and not card.tensor("outputs").live
    states.__dlpack__(max_version=(1, 0), stream=1)
    with pytest.raises(BufferError, match="read-only"):
        time.__dlpack__()
    with pytest.raises(BufferError, match="not copied"):
        states.__dlpack__(copy=True)
    with pytest.raises(BufferError, match="elsewhere"):
        states.__dlpack__(dl_device=(1, 0))
    with pytest.raises(ValueError, match="found 0"):
        states.__dlpack__(stream=0)
