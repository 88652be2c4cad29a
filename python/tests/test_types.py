# SPDX-License-Identifier: Apache-2.0
"""Laws, elements, signals and controllers as functions of Python: each equal to its built-in twin; keys, exceptions, threads."""
import gc
import os
import pathlib
import pickle
import signal
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Literal

import numpy as np
import pytest

import hooke
from conftest import CART, SOURCE

MODULES = pathlib.Path(os.environ.get("HOOKE_BUILD", SOURCE / "build" / "release")) / "examples" / "modules"
built = pytest.mark.skipif(not MODULES.exists(), reason=f"the modules of the examples are not built: {MODULES} is NOT there")
FORMULATIONS = ("hybrid", "topological", "recursive", "global", "partition", "redundant")

SLIDER = """
hooke: 1
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 2, com: [0, 0, 0.1], inertia: {xx: 0.1, yy: 0.2, zz: 0.2}}
joints:
  p: {type: prismatic, between: [ground, a], at: [0, 0, 0.1], axis: z}
forces:
  s: {type: joint_spring, joint: p, zero: -0.1, spring: LAW}
record: ["joint.p.position", "joint.p.velocity", "energy.*"]
run: {time: 0.2, step: 0.001, integrator: trapezoidal}
"""

SHAFT = """
hooke: 1
bodies:
  a: {mass: 2, com: [0, 0, 0], inertia: {xx: 0.1, yy: 0.2, zz: 0.2}}
joints:
  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: x}
EXTRA
start: {p: {rate: 1}}
record: ["joint.p.angle", "joint.p.rate", "force.*", "energy.*"]
run: {time: 0.3, step: 0.005, integrator: trapezoidal}
"""

SPRING = (SOURCE / "examples" / "modules" / "spring.yaml").read_text().replace("modules: [linear_spring]\n", "")


@hooke.law
def hunt_crossley(s, rate, *, stiffness, exponent=1.5, alpha=0.0):
    """contact that dissipates in proportion to its depth"""
    return -stiffness * (-s) ** exponent * (1 - 1.5 * alpha * rate) if s < 0 else 0.0


def along(a, b, length, stiffness, damping):
    d = b.position - a.position
    l = np.linalg.norm(d)
    e = d / l
    rate = e @ (b.velocity - a.velocity)
    return d, l, e, rate, stiffness * (l - length) + damping * rate


@hooke.element
def line(t, a, b, *, length: Annotated[float, hooke.Key("m", least=0)], stiffness: hooke.Signal = 0.0, damping: hooke.Signal = 0.0):
    """a spring and damper between two points"""
    _, _, e, _, f = along(a, b, length, stiffness, damping)
    return -f * e


@hooke.element(slopes=True, outputs={"length": "m", "force": "N"})
def exact_line(t, a, b, *, length: float, stiffness: float, damping: float = 0.0):
    """the same with slopes, energies and outputs"""
    _, l, e, rate, f = along(a, b, length, stiffness, damping)
    both = np.zeros((2, 6, 6))
    # the turning of the line is left out of the slope over place, as a force's own turning may be
    both[0, 3:, 3:] = -stiffness * np.outer(e, e)
    both[1, 3:, 3:] = -damping * np.outer(e, e)
    return hooke.Load(-f * e, energy=0.5 * stiffness * (l - length) ** 2, dissipated=damping * rate**2, outputs=(l, f),
                      slopes=(both[0], both[1]))


def same(ours, theirs, close):
    """Every channel of the first that the second has, within `close` of its size. Work over time is left out: elements that
    say how their power depends on one deformation have it more exactly."""
    compared = [c for c in theirs if c in ours and not c.endswith(("dissipated", "supplied", "balance_error"))]
    assert compared
    for c in compared:
        assert np.abs(ours[c] - theirs[c]).max() <= close * max(1.0, np.abs(theirs[c]).max()), c


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_law_is_its_twin(formulation):
    ours = hooke.parse(SLIDER.replace("LAW", "{hunt_crossley: {stiffness: 1e6, alpha: 0.3}}"), modules=[hunt_crossley])
    twin = hooke.parse(SLIDER.replace("LAW", '"-1e6*max(-s, 0)^1.5*(1 - 1.5*0.3*sdot)"'))
    same(ours.run(formulation=formulation), twin.run(formulation=formulation), 1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_an_element_is_its_twin(formulation):
    options = {"formulation": formulation, "time": 0.3, "tolerance": 1e-13}
    if formulation == "global":  # its projections weigh with the tangent, which has the turning of the force when it is found by differences
        options["options"] = {"projection": False}
    twin = hooke.parse(SPRING.replace("linear_spring", "spring_damper")).run(**options)
    ours = hooke.parse(SPRING.replace("linear_spring", "line"), modules=[line]).run(**options)
    same({c: ours[c] for c in ours if c.startswith("joint")}, {c: twin[c] for c in twin if c.startswith("joint")}, 1e-9)
    # with slopes of its own it takes as many iterations, and its books are those of the spring
    exact = hooke.parse(SPRING.replace("linear_spring", "exact_line"), modules=[exact_line]).run(**options)
    same(exact, twin, 1e-9)
    assert exact["force.spring.dissipated"][-1] == pytest.approx(twin["force.spring.dissipated"][-1], rel=1e-6)
    assert exact.summary["iterations"] == twin.summary["iterations"] and exact.grade == "good"


def test_laws_with_energy_and_slopes():
    """a law of s alone that knows its potential stores it; slopes spare evaluations"""
    calls = []

    @hooke.law(slopes=True, energy=lambda s, *, k: 0.5 * k * s * s)
    def known(s, *, k: float):
        calls.append(s)
        return k * s, k, 0.0

    @hooke.law
    def plain(s, *, k: float):
        calls.append(s)
        return k * s

    twin = hooke.parse(SLIDER.replace("LAW", '"300*s"')).run()
    same(hooke.parse(SLIDER.replace("LAW", "{known: {k: 300}}"), modules=[known]).run(), twin, 1e-11)
    few = len(calls)
    calls.clear()
    lossy = hooke.parse(SLIDER.replace("LAW", "{plain: {k: 300}}"), modules=[plain]).run()
    assert len(calls) > 2 * few
    assert np.allclose(lossy["joint.p.position"], twin["joint.p.position"], atol=1e-9)
    assert np.abs(lossy["energy.dissipated"]).max() > 0.1 and lossy.grade == "good"


def test_elements_on_one_body_and_on_joints():
    @hooke.element(on="joint", outputs={"torque": "N*m"})
    def drag(t, s, rate, *, c: float):
        return hooke.Load(-c * rate * abs(rate), dissipated=c * abs(rate) ** 3, outputs=[-c * rate * abs(rate)])

    twin = hooke.parse(SHAFT.replace("EXTRA", 'forces: {f: {type: joint_torque, joint: p, value: "-0.2*joint.p.rate*abs(joint.p.rate)"}}')).run()
    ours = hooke.parse(SHAFT.replace("EXTRA", "forces: {f: {type: drag, joint: p, c: 0.2}}"), modules=[drag]).run()
    for c in ("joint.p.angle", "joint.p.rate"):
        assert np.abs(ours[c] - twin[c]).max() < 1e-9
    assert np.allclose(ours["force.f.torque"], twin["force.f.torque"], atol=1e-9) and ours.grade == "good"
    assert ours["energy.dissipated"][-1] == pytest.approx(-twin["energy.supplied"][-1], rel=1e-4)

    @hooke.element(on="body")
    def blow(t, a, *, push: hooke.Signal):
        """a jet fixed to the body"""
        return push * a.axes[:, 1], 0.1 * push * a.axes[:, 0]

    place = 'on: a, at: [0, 0, 0.5]'
    twin = hooke.parse(SHAFT.replace("EXTRA", f"""signals: {{u: 2*cos(9*t)}}
forces:
  f: {{type: force, {place}, value: [0, u, 0], axes: body}}
  m: {{type: torque, on: a, value: ["0.1*u", 0, 0], axes: body}}""")).run()
    ours = hooke.parse(SHAFT.replace("EXTRA", f"signals: {{u: 2*cos(9*t)}}\nforces: {{f: {{type: blow, {place}, push: u}}}}"), modules=[blow]).run()
    for c in ("joint.p.angle", "joint.p.rate"):
        assert np.abs(ours[c] - twin[c]).max() < 1e-9 and np.abs(twin[c]).max() > 0.1
    assert ours["energy.supplied"][-1] == pytest.approx(twin["energy.supplied"][-1], rel=1e-5) and ours.grade == "good"


def test_signals_in_a_feedback():
    @hooke.signal(unit="N*m")
    def pull(t, *, of: hooke.Signal, rate: hooke.Signal, gain: float = 1.0):
        return -gain * np.tanh(of) - 0.1 * rate + 0.5 * np.sin(10 * t)

    twin = hooke.parse(SHAFT.replace("EXTRA", """forces:
  f: {type: joint_torque, joint: p, value: "-3*tanh(joint.p.angle) - 0.1*joint.p.rate + 0.5*sin(10*t)"}""")).run()
    ours = hooke.parse(SHAFT.replace("EXTRA", """network: {w: {type: pull, of: joint.p.angle, rate: joint.p.rate, gain: 3}}
forces: {f: {type: joint_torque, joint: p, value: network.w.value}}"""), modules=[pull]).run()
    assert np.abs(twin["joint.p.angle"]).max() > 0.05
    for c in ("joint.p.angle", "joint.p.rate"):
        assert np.abs(ours[c] - twin[c]).max() < 1e-8, c


@built
def test_controllers_of_a_model():
    @hooke.controller(states=[0.0])
    def mine(t, u, x, *, kp: float, ki: float):
        return kp * u[0] + ki * x[0], x + 0.01 * u

    @hooke.controller(inputs=2, outputs=["sum", "difference"])
    def mixed(t, u):
        return u[0] + u[1], u[0] - u[1]

    def closed(kind, more=""):
        return SHAFT.replace("EXTRA", f"""controllers:
  c: {{type: {kind}, input: 3 - joint.p.rate, kp: 2, ki: 10, period: 0.01}}{more}
forces: {{f: {{type: joint_torque, joint: p, value: controller.c - 0.3*joint.p.rate}}}}""")

    twin = hooke.parse(closed("pi_controller"), modules=[MODULES / "pi_controller.so"]).run()
    ours = hooke.parse(closed("mine", "\n  d: {type: mixed, input: [joint.p.rate, joint.p.angle], period: 0.01}").replace(
        '"force.*"', '"force.*", "controller.*"'), modules=[mine, mixed])
    r = ours.run()
    assert np.abs(r["joint.p.rate"] - twin["joint.p.rate"]).max() < 1e-12
    assert "controller.d.difference" in r and np.abs(r["controller.d.difference"]).max() > 0.1
    # states of controllers are part of the state
    s = ours.sim()
    s.step(20)
    state = s.state()
    s.step(20)
    end = s.values()
    s.restore(state)
    s.step(20)
    assert np.array_equal(s.values(), end)


@built
def test_shared_libraries_by_path(tmp_path):
    path = MODULES / "linear_spring.so"
    r = hooke.load(SOURCE / "examples" / "modules" / "spring.yaml", modules=[path]).run(time=0.1)
    assert r["force.spring.length"].size == 21
    # an integrator of a module is known to simulations too
    m = hooke.load(SOURCE / "examples" / "pendulum.yaml", modules=[str(MODULES / "average.so")])
    s = m.sim(integrator="average")
    s.step(5)
    s.copy().step(5)
    with pytest.raises(hooke.HookeError, match="No such file"):
        hooke.load(SOURCE / "examples" / "pendulum.yaml", modules=[tmp_path / "nothing.so"])
    with pytest.raises(hooke.HookeError, match="is no module|cannot load"):
        hooke.load(SOURCE / "examples" / "pendulum.yaml", modules=[SOURCE / "README.md"])
    with pytest.raises(TypeError, match="path of a module"):
        hooke.Model({}, modules=[3])


def test_keys():
    seen = {}

    @hooke.element(on="joint")
    def all_kinds(t, s, rate, *, a: float, n: int = 3, yes: bool = True, how: Literal["soft", "hard"] = "hard", label: str = "none",
                  u: hooke.Signal = 2.5, k: Annotated[float, hooke.Key("N", "a force", least=0, most=5)] = 1.0):
        seen.update(a=a, n=n, yes=yes, how=how, label=label, u=round(u, 3), k=k)  # signals are moved to find slopes
        return 0.0

    def made(keys):
        seen.clear()
        hooke.parse(SHAFT.replace("EXTRA", "forces: {f: {type: all_kinds, joint: p, %s}}" % keys), modules=[all_kinds])
        return seen

    assert made("a: 1.5") == {"a": 1.5, "n": 3, "yes": True, "how": "hard", "label": "none", "u": 2.5, "k": 1.0}
    assert made("a: 2, n: 7, yes: false, how: soft, label: name, u: 1 + 3, k: 5") == {
        "a": 2.0, "n": 7, "yes": False, "how": "soft", "label": "name", "u": 4.0, "k": 5.0}
    for keys, words in (("n: 1", "'a'"), ("a: 1, how: wrong", "soft"), ("a: 1, k: 6", "5"), ("a: 1, b: 2", "'b'")):
        with pytest.raises(hooke.HookeError, match=words):
            made(keys)
    assert all_kinds(0.0, 0.0, 0.0, a=1.0) == 0.0 and "all_kinds" in repr(all_kinds)


@pytest.mark.parametrize("make, kind, words", [
    (lambda: hooke.law(lambda: 0.0), TypeError, "function of"),
    (lambda: hooke.element(on="moon"), ValueError, "moon"),
    (lambda: hooke.law(lambda s, **more: 0.0), TypeError, "keys have names"),
    (lambda: hooke.law(energy=lambda s: 0.0)(lambda s, rate: 0.0), TypeError, "rate"),
    (lambda: hooke.Model({}, modules=[hunt_crossley, hooke.law(name="hunt_crossley")(lambda s: s)]), ValueError, "two types"),
    (lambda: hooke.Model({}, modules=[hooke.law(name="Big")(lambda s: s)]), ValueError, "small letters"),
    (lambda: hooke.Model({}, modules=[hooke.law(name="linear")(lambda s: s)]), hooke.HookeError, "already"),
    (lambda: hooke._core.Type(), TypeError, ""),
    (lambda: hooke._core.Type("law", "x", "t", None, [], 1, 999, False, False, 0, "", "", 0, []), ValueError, "too many"),
])
def test_wrong_types(make, kind, words):
    with pytest.raises(kind, match=words or None):
        make()


def test_wrong_annotations():
    def odd(s, *, a: list):
        return s

    def default(s, *, a: float = "three"):
        return s

    def word(s, *, a: Literal["x"] = "y"):
        return s

    for function, words in ((odd, "'a'"), (default, "three"), (word, "none of its words")):
        with pytest.raises(TypeError, match=words):
            hooke.law(function)


@pytest.mark.parametrize("said, kind, words", [
    (None, TypeError, "expected a number"), ("text", TypeError, "expected a number"), ([1.0, 2.0], TypeError, "expected a number")])
def test_wrong_forces_of_laws(said, kind, words):
    law = hooke.law(name="odd")(lambda s, rate: said)
    model = hooke.parse(SLIDER.replace("LAW", "{odd: {}}"), modules=[law])
    with pytest.raises(kind, match=words):
        model.run(time=0.01)


@pytest.mark.parametrize("said, kind, words", [
    (1.0, ValueError, "three numbers"), ([1, 2], ValueError, "three numbers"), (hooke.Load([1, 2, 3], outputs=[1]), ValueError, "1 outputs"),
    (([1, 2, 3], [1, 2]), ValueError, "three numbers"), (hooke.Load([1, 2, 3], slopes=None), None, "")])
def test_wrong_loads(said, kind, words):
    odd = hooke.element(name="odd")(lambda t, a, b: said)
    text = SPRING.replace("type: linear_spring", "type: odd").replace(", stiffness: 200, damping: 3, length: 1.2", "")
    if kind is None:
        assert hooke.parse(text, modules=[odd]).run(time=0.01).grade
        return
    with pytest.raises(kind, match=words):
        hooke.parse(text, modules=[odd])


def test_slopes_are_checked():
    """slopes that are not those of the force are refused when the model is read"""
    @hooke.element(on="joint", slopes=True)
    def wrong(t, s, rate):
        return hooke.Load(-5 * s, slopes=(+5.0, 0.0))

    with pytest.raises(hooke.HookeError, match="slopes differ"):
        hooke.parse(SHAFT.replace("EXTRA", "forces: {f: {type: wrong, joint: p}}"), modules=[wrong])
    remembers = iter(range(10**9))

    @hooke.element(on="joint")
    def counting(t, s, rate):
        return float(next(remembers))

    with pytest.raises(hooke.HookeError, match="different forces"):
        hooke.parse(SHAFT.replace("EXTRA", "forces: {f: {type: counting, joint: p}}"), modules=[counting])


class Mine(Exception):
    pass


def failing(kind):
    """a model with a function of each kind that raises once it is armed, and the switch"""
    armed = []

    def check():
        if armed:
            raise Mine("here")

    if kind == "law":
        @hooke.law
        def odd(s, rate):
            check()
            return 100.0 * s
        return hooke.parse(SLIDER.replace("LAW", "{odd: {}}"), modules=[odd]), armed
    if kind == "element":
        @hooke.element(on="joint")
        def odd(t, s, rate):
            check()
            return -s
        extra = "forces: {f: {type: odd, joint: p}}"
    elif kind == "signal":
        @hooke.signal
        def odd(t):
            check()
            return t
        extra = "network: {w: {type: odd}}\nforces: {f: {type: joint_torque, joint: p, value: network.w.value}}"
    else:
        @hooke.controller()
        def odd(t, u):
            check()
            return u
        extra = "controllers: {c: {type: odd, input: t, period: 0.01}}\nforces: {f: {type: joint_torque, joint: p, value: controller.c}}"
    return hooke.parse(SHAFT.replace("EXTRA", extra), modules=[odd]), armed


@pytest.mark.parametrize("kind", ["law", "element", "signal", "controller"])
def test_exceptions_come_out_and_nothing_is_lost(kind):
    model, armed = failing(kind)
    s, undisturbed = model.sim(), model.sim()
    s.step(5)
    before, time = s.state(), s.time
    armed.append(1)
    for call in (lambda: s.step(30), lambda: s.step_to(s.time + 0.05), model.run, model.sim, s.copy):
        try:
            call()
            assert call == s.copy  # clones are made without evaluations
        except Mine as error:
            assert str(error) == "here" and error.__traceback__.tb_next
    with pytest.raises(Mine):
        hooke.rollout(model, [before], steps=5, channels=["joint.p.velocity" if kind == "law" else "joint.p.rate"])
    armed.clear()
    # the simulation stands where it stood, and goes on as if nothing had been
    assert s.time == time
    undisturbed.step(25)
    s.step(20)
    assert np.array_equal(s.values(), undisturbed.values())
    assert model.run().grade == "good"


def test_exceptions_when_a_model_is_made():
    @hooke.element(on="joint")
    def odd(t, s, rate):
        raise Mine("at once")

    with pytest.raises(Mine, match="at once"):
        hooke.parse(SHAFT.replace("EXTRA", "forces: {f: {type: odd, joint: p}}"), modules=[odd])
    # and nothing of it is left for the next call
    assert hooke.parse(CART).run(time=0.01).grade


def test_keyboard_interrupt_in_a_function():
    @hooke.element(on="joint")
    def pressed(t, s, rate):
        if t > 0.05 and not done:
            done.append(t)
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):
                pass
        return 0.0

    done = []
    s = hooke.parse(SHAFT.replace("EXTRA", "forces: {f: {type: pressed, joint: p}}"), modules=[pressed]).sim()
    with pytest.raises(KeyboardInterrupt):
        s.step(1000)
    assert s.time <= 0.06
    s.step(10)


def test_functions_that_use_hooke():
    """a function may run other models, not the simulation that calls it"""
    other = hooke.parse(CART)
    holder = []

    @hooke.element(on="joint")
    def nested(t, s, rate):
        if not holder:
            return 0.0
        if holder[0] == "other":
            return float(other.run(time=0.01)["energy.kinetic"][0])
        holder[0].step()
        return 0.0

    s = hooke.parse(SHAFT.replace("EXTRA", "forces: {f: {type: nested, joint: p}}"), modules=[nested]).sim()
    holder.append("other")
    s.step(2)
    holder[0] = s
    with pytest.raises(hooke.HookeError, match="at work already"):
        s.step()
    holder.clear()
    s.step()


def test_threads():
    """threads that run one model take turns in its functions, and exceptions stay in their own thread"""
    model = hooke.parse(SLIDER.replace("LAW", "{hunt_crossley: {stiffness: 1e6}}"), modules=[hunt_crossley])
    expected = model.run()["joint.p.position"]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: model.run()["joint.p.position"], range(6)))
    assert all(np.array_equal(x, expected) for x in found)
    bad = threading.local()

    @hooke.law
    def odd(s, rate):
        if getattr(bad, "on", False):
            raise Mine
        return s

    other = hooke.parse(SLIDER.replace("LAW", "{odd: {}}"), modules=[odd])

    def work(i):
        bad.on = i % 2
        try:
            other.sim().step(30)
            return "good"
        except Mine:
            return "raised"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(work, range(8))) == ["good"] * 4 + ["raised"] * 4


def test_pickle_and_dictionaries():
    model = hooke.Model(gravity=[0, 0, -9.81], bodies={"a": {"mass": 1, "com": [0, 0, 0]}},
                        joints={"p": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0], "axis": "z"}},
                        forces={"l": {"type": line, "between": ["ground", "a"], "ends": [[0.1, 0, 0], [0, 0, 0]], "length": 0.1,
                                      "stiffness": 300}}, run={"time": 0.1, "step": 0.001})
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.run()["joint.p.position"], model.run()["joint.p.position"])
    s = model.sim()
    s.step(10)
    t = pickle.loads(pickle.dumps(s))
    s.step(10), t.step(10)
    assert np.array_equal(s.values(), t.values()) and "type: line" in model.yaml()
    local = hooke.law(name="local")(lambda s: s)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(hooke.Model({}, modules=[local]))


def test_types_and_models_are_collected():
    @hooke.law
    def held(s, rate):
        return float(bool(keep))

    keep = []
    model = hooke.parse(SLIDER.replace("LAW", "{held: {}}"), modules=[held])
    keep += [model, model.sim()]
    keep[1].step(3)
    there = weakref.ref(model)
    del model, held, keep
    gc.collect()
    assert there() is None
