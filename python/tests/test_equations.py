# SPDX-License-Identifier: Apache-2.0
"""The equations of motion: they agree with each other, with the simulation, and refuse what is wrong."""
import gc

import numpy as np
import pytest

import hooke


def test_forward_undoes_inverse(cart):
    e = cart.equations()
    assert e.velocities == ["joint.rail.velocity", "joint.pin.rate"] and len(e.coordinates) == 2
    rng = np.random.default_rng(1)
    e.set(rng.normal(size=2), rng.normal(size=2), time=0.5)
    assert e.time == 0.5
    mass, a = e.mass(), rng.normal(size=2)
    assert np.allclose(mass, mass.T) and np.all(np.linalg.eigvalsh(mass) > 0)
    tau = e.inverse(a)
    assert np.allclose(tau, mass @ a + e.inverse(), rtol=1e-13, atol=1e-13)
    assert np.allclose(e.forward(tau), a, rtol=1e-11)
    assert e.energy()[0] == pytest.approx(0.5 * e.v @ mass @ e.v)
    angular, linear = e.twist("body.rod")
    assert np.allclose(e.jacobian("body.rod") @ e.v, [*angular, *linear])
    axes, origin = e.pose("body.rod")
    assert np.allclose(axes @ axes.T, np.eye(3)) and origin.shape == (3,)
    assert np.allclose(e.minus(e.plus(e.q, [0.1, 0.2]), e.q), [0.1, 0.2])
    assert e.acceleration("body.rod", a)[1].shape == (3,)


def test_the_state_of_a_simulation(cart):
    s, e = cart.sim(), cart.equations()
    s.step(100)
    e.take(s)
    assert e.q[e.coordinates.index("joint.pin.angle")] == s["joint.pin.angle"]
    assert e.v[e.velocities.index("joint.pin.rate")] == s["joint.pin.rate"]


def test_loops(example):
    e = hooke.load(example("double-four-bar.yaml")).equations()
    e.set(e.q + 0.01)
    assert np.abs(e.residual()[0]).max() > 1e-4
    e.project()
    assert np.abs(e.residual()[0]).max() < 1e-9
    a = e.forward()
    assert np.allclose(e.constraint_jacobian() @ a + e.residual()[2], 0, atol=1e-8)
    assert e.multipliers().shape == (len(e.constraints),)


def test_misuse(cart, pendulum):
    e = cart.equations()
    for wrong in ([1.0], [[1, 2, 3]], [np.nan, 0]):
        with pytest.raises((ValueError, hooke.HookeError)):
            e.set(wrong)
    with pytest.raises(hooke.HookeError):
        e.take(pendulum.sim())
    with pytest.raises(hooke.HookeError, match="expected a simulation"):
        e.take(3)
    with pytest.raises(KeyError, match="did you mean 'body.rod'"):
        e.pose("body.rodd")
    with pytest.raises(TypeError):
        e._call("nothing", 0)
    with pytest.raises(TypeError):
        e._call("mass", 0)
    with pytest.raises(hooke.HookeError):
        e._call("mass", 0, None)
    with pytest.raises(hooke.HookeError):
        e._call("pose", 99, None, None)
    del cart
    gc.collect()
    assert e.mass().shape == (2, 2)


def test_inputs_and_drives(cart, example):
    e = cart.equations()
    still = e.forward()
    e.set_input("push", 10.0)
    assert e.forward()[0] - still[0] == pytest.approx(10 * np.linalg.inv(e.mass())[0, 0])
    with pytest.raises(KeyError, match="no input 'pull'"):
        e.set_input("pull", 1.0)
    with pytest.raises(hooke.HookeError):
        e.set_input("push", float("nan"))
    # a loop: the drive that is found gives the accelerations that were asked for
    e = hooke.load(example("double-four-bar.yaml")).equations()
    name = e.velocities[0]
    a = e.forward(np.eye(len(e.velocities))[0] * 3.0)
    assert e.drives([name], a) == pytest.approx([3.0], abs=1e-8)
    with pytest.raises(KeyError, match="no velocity"):
        e.drives(["joint.nothing.rate"])
    with pytest.raises(ValueError):
        e.drives([name], [1.0, 2.0])
