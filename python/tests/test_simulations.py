# SPDX-License-Identifier: Apache-2.0
"""Simulations that a program advances: inputs, states, controllers; what is wrong is an error and no crash."""
import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import hooke


def test_steps(cart):
    s = cart.sim(step=0.01, time=1)
    assert s.time == 0 and not s.done and "at 0 s" in repr(s)
    s.step()
    s.step(9)
    assert s.time == pytest.approx(0.1)
    s.step_to(0.155)
    assert s.time == 0.155
    s.step(10**6)
    assert s.done and s.time == pytest.approx(1) and s.grade == "good" and s.summary["status"] == "ok"
    # as the run has it
    r = cart.run(step=0.01, time=1)
    other = cart.sim(step=0.01, time=1)
    other.step(50)
    assert np.array_equal(other.values(), [r[c][50] for c in other.channels])
    assert other["joint.pin.angle"] == r["joint.pin.angle"][50]
    assert other.units["joint.pin.angle"] == "rad"


def test_parameters(cart):
    s, other = cart.sim(), cart.variant(c=4, m=3).sim()
    assert dict(s.parameters) == {"m": 2, "c": 0.5, "lean": 0.4} and len(s.parameters) == 3 and "lean" in repr(s.parameters)
    s.parameters["c"] = 4
    s.parameters.update(m=3)
    s.step(50)
    other.step(50)
    # positions, rates: the energies differ by what the change supplied
    places = [i for i, name in enumerate(s.channels) if name.startswith("joint.")]
    assert np.array_equal(s.values()[places], other.values()[places])
    # copies and states carry them
    state, again = s.state(), pickle.loads(pickle.dumps(s))
    assert s.copy().parameters["c"] == again.parameters["c"] == 4
    s.reset()
    s.parameters["c"] = 0.5
    s.restore(state)
    assert s.parameters["c"] == 4
    with pytest.raises(hooke.HookeError, match="mass"):
        s.parameters["m"] = -1
    assert s.parameters["m"] == 3
    with pytest.raises(KeyError, match="did you mean 'lean'"):
        s.parameters["leen"] = 1
    with pytest.raises(TypeError):
        del s.parameters["m"]


def test_inputs(cart):
    s = cart.sim()
    assert list(s.input) == ["push"] and len(s.input) == 1 and s.input["push"] == 0
    s.input["push"] = 5
    s.step(100)
    assert s.input["push"] == 5 and s["joint.rail.position"] > 0 and "push" in repr(s.input)
    s.input.jump("push", -5)
    s.input.update(push=-6.0)
    assert dict(s.input) == {"push": -6.0}
    with pytest.raises(KeyError, match="did you mean 'push'"):
        s.input["pusch"] = 1
    with pytest.raises(hooke.HookeError):
        s.input["push"] = float("nan")
    with pytest.raises(TypeError):
        s.input["push"] = "hard"
    with pytest.raises(TypeError):
        del s.input["push"]


def test_states(cart):
    s = cart.sim()
    s.input["push"] = 2
    s.step(50)
    state, read = s.state(), s.reader(s.channels)
    assert isinstance(state, bytes)
    clone, other = s.copy(), copy.deepcopy(s)
    s.step(100)
    end = read().copy()
    s.restore(state)
    assert s.time == pytest.approx(0.1)
    s.step(100)
    assert np.array_equal(read(), end)
    for copied in (clone, other, pickle.loads(pickle.dumps(clone))):
        copied.step(100)
        assert np.array_equal(copied.values(), end)
    s.reset()
    assert s.time == 0 and s.input["push"] == 0
    s.keep(10)
    s.step(10)
    s.rollback(10)
    assert s.time == 0
    with pytest.raises(hooke.HookeError):
        s.rollback(1)


def test_wrong_states(cart, pendulum):
    s = cart.sim()
    before = s.state()
    for wrong in (b"", b"x" * len(before), before[:-1], before + b"x", pendulum.sim().state()):
        with pytest.raises(hooke.HookeError):
            s.restore(wrong)
    with pytest.raises(TypeError):
        s.restore(3)
    with pytest.raises(ValueError):
        s.keep(-1)
    with pytest.raises(ValueError):
        s.step(-1)
    with pytest.raises(TypeError):
        s.step(1.5)
    with pytest.raises(hooke.HookeError):
        s.step_to(-1.0)
    with pytest.raises(hooke.HookeError, match="angel"):
        s["joint.pin.angel"]
    with pytest.raises(hooke.HookeError):
        s.reader(["nothing"])
    assert s.state() == before


def test_wrong_sizes(cart):
    s = cart.sim()
    handles = s.reader(["joint.pin.angle"])._handles
    with pytest.raises(ValueError, match="expected 1 numbers, found 2"):
        s._read(handles, np.zeros(2))
    with pytest.raises(TypeError, match="int32"):
        s._read(handles.astype(np.int64), np.zeros(1))
    with pytest.raises(hooke.HookeError):
        s._read(np.array([77], dtype=np.int32), np.zeros(1))
    with pytest.raises(hooke.HookeError):
        s._set_inputs(None, np.zeros(3), False)
    with pytest.raises(hooke.HookeError):
        s._set_input(5, 1.0, False)
    with pytest.raises(ValueError):
        s._values(np.zeros(1))
    with pytest.raises(hooke.HookeError, match="same type"):
        s._clone(cart.sim())


def test_closed(cart):
    s = cart.sim()
    read = s.reader(["joint.pin.angle"])
    s.close()
    for call in (s.step, s.state, s.values, s.reset, read, lambda: s["joint.pin.angle"], lambda: s.step_to(1.0), s.copy):
        with pytest.raises(hooke.HookeError, match="closed"):
            call()
    never = hooke.Simulation.__new__(hooke.Simulation)
    with pytest.raises(hooke.HookeError, match="never made"):
        never.step()
    assert np.isnan(never.time)


def speed_loop(model, step, **options):
    """The PI loop of examples/speed-loop.yaml, closed here: largest difference to the one inside the model."""
    s = model.sim(step=step)
    total, worst = [0.0], 0.0

    @s.controller(reads=["joint.outside.rate"], writes=["torque"], **options)
    def control(time, x):
        error = 20.0 - x[0]
        torque = 0.4 * error + 4.0 * total[0]
        total[0] += step * error
        return torque

    both = s.reader(["joint.inside.rate", "joint.outside.rate"])
    while not s.done:
        s.step()
        inside, outside = both()
        worst = max(worst, abs(inside - outside))
    return worst


def test_the_speed_loop_converges(example):
    model = hooke.load(example("speed-loop.yaml"))
    coarse, fine = (speed_loop(model, h, jump=True) for h in (2e-3, 1e-3))
    assert fine < 0.2 and coarse / fine == pytest.approx(2.0, rel=0.1)


def test_controllers(cart):
    s = cart.sim(step=0.01)
    times = []

    @s.controller(period=0.05, reads=["joint.pin.angle", "joint.pin.rate"], writes=["push"])
    def control(time, x):
        times.append(time)
        assert x.shape == (2,)
        return -10 * x[0] - x[1],

    s.step(20)
    assert np.allclose(times, [0, 0.05, 0.1, 0.15])
    with pytest.raises(TypeError, match="controllers"):
        pickle.dumps(s)

    @s.controller(writes=["push"])
    def wrong(time, x):
        return [1.0, 2.0]

    before = s.time
    with pytest.raises(ValueError, match="2 values for 1 inputs"):
        s.step(3)
    assert s.time == before
    # the step that a controller refused is free to be taken without it
    s.hook = None
    s.step()
    assert s.time > before


def test_recordings(cart):
    s, r = cart.sim(step=0.01), cart.run(step=0.01)
    kept = s.record(50, every=5)
    assert np.array_equal(kept["joint.pin.angle"], r["joint.pin.angle"][:51:5]) and np.array_equal(kept.time, r.time[:51:5])
    assert list(kept) == s.channels and kept.units == s.units and "11 rows" in repr(kept)
    assert not kept["joint.pin.angle"].flags.writeable and s.record().time[-1] == pytest.approx(2)
    with pytest.raises(ValueError):
        s.record(every=0)


def test_exceptions_in_controllers(cart):
    s = cart.sim()

    class Mine(Exception):
        pass

    @s.controller()
    def fail(time, x):
        if time > 0.01:
            raise Mine("here")

    with pytest.raises(Mine, match="here"):
        s.step(100)
    assert 0.01 < s.time < 0.02
    # a controller that steps the simulation that calls it
    other = cart.sim()
    depth = []

    @other.controller()
    def inside(time, x):
        if len(depth) < 3:
            depth.append(time)
            other.step()

    other.step()
    assert other.time == pytest.approx(4 * 0.002)


def test_cycles_are_collected(cart):
    s = cart.sim()

    @s.controller()
    def hold(time, x, keep=s):
        return None

    there = weakref.ref(s)
    del s, hold
    gc.collect()
    assert there() is None


def test_bodies_and_joints(cart):
    s = cart.sim()
    s.input["push"] = 3
    s.step(100)
    assert s.bodies == ["cart", "rod"] and s.joints == ["rail", "pin"] and s.nodes == []
    axes, origin = s.pose("rod")
    assert np.allclose(axes @ axes.T, np.eye(3)) and origin[0] == s["body.rod.position.x"]
    angular, linear = s.twist("rod")
    assert angular[1] == s["body.rod.angular_velocity.y"] and linear[0] == s["body.rod.velocity.x"]
    q, v = s.joint("pin")
    assert q.tolist() == [s["joint.pin.angle"]] and v.tolist() == [s["joint.pin.rate"]]
    assert s.reaction("pin")[0][2] == s["joint.pin.force.z"]
    with pytest.raises(KeyError, match="did you mean 'rod'"):
        s.pose("rodd")
    with pytest.raises(TypeError):
        s._part("nothing", 0, None, None)
    with pytest.raises(hooke.HookeError):
        s._part("pose", 99, np.zeros(3), None)
    with pytest.raises(ValueError, match="expected 9 numbers, found 3"):
        s._part("pose", 0, None, np.zeros(3))


def test_restarts(cart):
    s = cart.sim()
    s.step(50)
    time = s.time
    s.restart({"pin": 0.2}, {"pin": -1.0, "rail": [0.5]})
    assert s.joint("pin")[0][0] == pytest.approx(0.2) and s.joint("pin")[1][0] == pytest.approx(-1.0)
    assert s.joint("rail")[1][0] == pytest.approx(0.5) and s.time == time
    s.restart(bodies={"cart": {"position": [1.5, 0, 0], "velocity": [2, 0, 0]}})
    assert s.joint("rail")[0][0] == pytest.approx(1.5) and s.joint("rail")[1][0] == pytest.approx(2)
    s.step(10)
    before = s.state()
    for wrong, kind in (({"coordinates": {"pin": [1, 2]}}, ValueError), ({"coordinates": {"pn": 1}}, KeyError), ({"nodes": {"n": 1}}, KeyError),
                        ({"bodies": {"cart": {"place": [0, 0, 0]}}}, KeyError), ({"bodies": {"cart": {"position": [0, 0]}}}, ValueError),
                        ({"rates": {"pin": float("nan")}}, hooke.HookeError)):
        with pytest.raises(kind):
            s.restart(**wrong)
    assert s.state() == before


def test_nodes(example):
    s = hooke.load(example("motor-crank.yaml")).sim()
    s.step(10)
    assert s.nodes and np.isfinite(s.node(s.nodes[0]))


def test_parameters_change_during_a_run(cart):
    s, light = cart.sim(), cart.variant(m=0.5).sim()
    assert s.parameters["m"] == 2 and set(s.parameters) == {"m", "c", "lean"} and "lean" in repr(s.parameters)
    s.parameters["m"] = 0.5
    for x in (s, light):
        x.input["push"] = 1
        x.step(200)
    assert s.parameters["m"] == 0.5
    assert np.allclose(s.values()[:4], light.values()[:4], atol=1e-7)  # all but the books of energy
    s.parameters.update({"m": 3.0, "c": 0.1})
    assert dict(s.parameters) == {"m": 3.0, "c": 0.1, "lean": 0.4}
    # they are part of the state, of copies and of pickles
    copied, pickled = s.copy(), pickle.loads(pickle.dumps(s))
    for x in (s, copied, pickled):
        x.step(50)
    assert np.array_equal(s.values(), copied.values()) and np.array_equal(s.values(), pickled.values())
    with pytest.raises(KeyError, match="no parameter 'mm'"):
        s.parameters["mm"] = 1
    with pytest.raises(hooke.HookeError):
        s.parameters["m"] = float("nan")
    with pytest.raises(TypeError):
        del s.parameters["m"]
    other = cart.variant(m=5, c=2)
    s.rebind(other)
    assert s.parameters["m"] == 5 and s.model is other
    del other, cart
    gc.collect()
    s.step(5)
    with pytest.raises(hooke.HookeError):
        s.rebind(hooke.parse("hooke: 1\nbodies: {a: {mass: 1}}"))
    with pytest.raises(hooke.HookeError, match="expected a model"):
        s.rebind(3)


def test_pages(cart, pendulum):
    """models and simulations show themselves in a notebook"""
    s = pendulum.sim()
    s.step(10)
    state = s.state()
    for shown in (pendulum, s):
        page = shown._repr_html_()
        assert page.startswith("<iframe srcdoc=") and "hooke-data" in page
    assert s.state() == state
    again = pendulum.run(state=state, time=1)
    assert again.time[0] == pytest.approx(0.11) and again["joint.pin.angle"][-1] == pendulum.run(time=1)["joint.pin.angle"][-1]
    broken = hooke.parse("hooke: 1\nbodies: {a: {mass: 0}}\nrun: {time: 1, step: 0.1}")
    assert "<pre>" in broken._repr_html_() or "<iframe" in broken._repr_html_()
