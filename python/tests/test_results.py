# SPDX-License-Identifier: Apache-2.0
"""Whole runs and their results: arrays, tables, files, the page; interrupts and threads."""
import os
import pickle
import signal
import subprocess
import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import hooke
from conftest import CART


def test_a_run(pendulum):
    r = pendulum.run(time=2, every=0.1)
    assert r.grade == "good" and r.warnings == [] and r.title == "Simple pendulum"
    assert len(r.time) == 21 and r.time[-1] == pytest.approx(2)
    assert r["joint.pin.angle"].shape == (21,) and r.units["joint.pin.angle"] == "rad"
    assert "joint.pin.angle" in r and list(r)[0] == "body.bob.position.x" and len(r) == len(r.keys())
    assert r.summary["status"] == "ok" and r.summary["steps"] == 200
    assert r.meanings["joint.pin.angle"] and r.model_text.startswith("# Simple pendulum")
    # the closed form: the energy stays
    total = r["energy.kinetic"] + r["energy.potential"]
    assert np.ptp(total) < 1e-3
    assert "201 rows" in repr(pendulum.run(time=2))


def test_arrays(pendulum):
    r = pendulum.run(time=1)
    a = r["joint.pin.angle"]
    assert np.shares_memory(a, r["joint.pin.angle"]) and not a.flags.writeable
    with pytest.raises(ValueError):
        a[0] = 1
    with pytest.raises(KeyError, match="did you mean 'joint.pin.angle'"):
        r["joint.pin.angel"]
    r.close()
    assert a[0] == pytest.approx(-np.pi / 2)
    with pytest.raises(hooke.HookeError, match="closed"):
        r["joint.pin.rate"]
    with pytest.raises(hooke.HookeError, match="closed"):
        r.html()


def test_wrong_arrays(pendulum):
    core = pendulum.run(time=0.1)._core
    with pytest.raises(TypeError, match="float64"):
        core.read(0, 0, np.zeros(3, dtype=np.float32))
    with pytest.raises((BufferError, ValueError)):
        core.read(0, 0, np.zeros(6)[::2])
    with pytest.raises(BufferError):
        core.read(0, 0, bytes(8))
    with pytest.raises(hooke.HookeError, match="no such rows"):
        core.read(0, 5, np.zeros(100))
    with pytest.raises(hooke.HookeError, match="no such rows"):
        core.read(99, 0, np.zeros(1))


def test_files(pendulum, tmp_path):
    r = pendulum.run(time=1, output=tmp_path / "a.nc", compress=1)
    r.save(tmp_path / "b.nc")
    r.save(tmp_path / "c.csv")
    for name in ("a.nc", "b.nc", "c.csv"):
        with hooke.read(tmp_path / name) as again:
            assert list(again) == list(r)
            assert all(np.array_equal(again[k], r[k]) for k in r)
            assert again.grade == ("good" if name != "c.csv" else None)
    with pytest.raises(ValueError, match=".nc or .csv"):
        r.save(tmp_path / "d.txt")
    with pytest.raises(hooke.HookeError, match="neither"):
        (tmp_path / "e.nc").write_bytes(b"\x00\x01")
        hooke.read(tmp_path / "e.nc")
    temporary = pendulum.run(time=0.1)
    folder = os.path.dirname(temporary.path)
    assert os.path.isdir(folder)
    del temporary
    assert not os.path.exists(folder)


def test_the_page(pendulum, tmp_path):
    r = pendulum.run(time=0.5, report=tmp_path / "run.html")
    assert r.html().startswith("<!doctype html>") and "hooke-data" in r.html()
    inline = r._repr_html_()
    assert inline.startswith("<iframe srcdoc=\"&lt;!doctype") and inline.count("<") == 2
    r.report(tmp_path / "later.html")
    assert (tmp_path / "later.html").stat().st_size > 100000 and (tmp_path / "run.html").exists()


def test_tables(pendulum):
    r = pendulum.run(time=0.5)
    pandas = pytest.importorskip("pandas")
    table = r.to_pandas()
    assert isinstance(table, pandas.DataFrame) and table.index.name == "time"
    assert np.array_equal(table["joint.pin.angle"].to_numpy(), r["joint.pin.angle"])


def test_xarray(pendulum):
    pytest.importorskip("xarray")
    data = pendulum.run(time=0.5).to_xarray()
    assert data["joint.pin.angle"].attrs["units"] == "rad" and data.sizes["time"] == 51


def test_pickle(pendulum):
    r = pendulum.run(time=0.5)
    again = pickle.loads(pickle.dumps(r))
    assert np.array_equal(again["joint.pin.angle"], r["joint.pin.angle"]) and again.grade == r.grade


def test_a_run_that_fails():
    """what it has done so far is kept"""
    model = hooke.parse(CART.replace("value: push", "value: sqrt(0.1 - t)"))
    with pytest.raises(hooke.HookeError) as caught:
        model.run(time=1)
    error = caught.value
    assert error.status.startswith("HK_E_") and str(error) == error.messages[0].text
    assert 0.09 < error.result.time[-1] <= 0.1


def test_progress_and_exceptions(cart):
    told = []
    cart.run(time=200, step=1e-3, every=1, progress=lambda time, end, steps: told.append((time, end, steps)))
    assert all(end == 200 for _, end, _ in told)

    class Stop(Exception):
        pass

    def stop(time, end, steps):
        raise Stop

    with pytest.raises(Stop):
        cart.run(time=1e6, every=1e4, progress=stop)
    # nothing is lost: the model runs again
    assert cart.run(time=0.01).grade


def test_bars(cart, monkeypatch, capsys):
    """with tqdm there is a bar, without it nothing is shown"""
    made = []

    class Bar:
        def __init__(self, total, unit, bar_format):
            self.total, self.n, self.closed = total, 0.0, False
            made.append(self)

        def update(self, by):
            self.n += by

        def close(self):
            self.closed = True

    fake = types.ModuleType("tqdm.auto")
    fake.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", fake)
    cart.run(time=200, step=1e-3, every=1, progress=True)
    assert [(b.total, b.n, b.closed) for b in made] == [(200, 200, True)]
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    cart.run(time=0.01, progress=True)
    monkeypatch.undo()
    pytest.importorskip("tqdm")
    cart.run(time=200, step=1e-3, every=1, progress=True)
    assert "200/200 s" in capsys.readouterr().err


INTERRUPTED = """
import signal, sys, threading, time, os, hooke
m = hooke.load(sys.argv[1])
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    if sys.argv[2] == "run":
        m.run(time=1e7, every=1e5)
    else:
        m.sim(time=1e7).step(10**12)
except KeyboardInterrupt:
    m.run(time=0.1)
    print("interrupted")
"""


LONG = """
import os, signal, sys, threading, time, hooke
n = 1000
bodies = {f"b{i}": {"mass": 1, "com": [i + 0.5, 0, 0], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}} for i in range(n)}
joints = {f"j{i}": {"type": "revolute", "between": [f"b{i - 1}" if i else "ground", f"b{i}"], "at": [i, 0, 0], "axis": "y"} for i in range(n)}
# springs across the chain: its matrix is full, and a step takes long
forces = {f"f{i}": {"type": "spring_damper", "between": [f"b{i}", f"b{n - 1 - i}"], "ends": [[i + 0.5, 0, 1], [n - i - 0.5, 0, 1]],
                    "stiffness": 1} for i in range(n // 2)}
model = hooke.Model(gravity=[0, 0, -9.81], bodies=bodies, joints=joints, forces=forces, run={"time": 1, "step": 0.01})
sim = model.sim(formulation="hybrid") if sys.argv[1] == "step" else None
calls = {"sim": lambda: model.sim(formulation="hybrid"), "run": lambda: model.run(formulation="hybrid"), "step": lambda: sim.step()}
pressed = []

def press():
    time.sleep(0.1)
    pressed.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=press).start()
try:
    calls[sys.argv[1]]()
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", time.process_time() - pressed[0])
if sim:
    assert sim.time == 0.0
    sim.step()
    assert sim.time > 0.0
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["sim", "run", "step"])
def test_keyboard_interrupt_of_long_work(how):
    """the start of a large model, and a single long step, which is taken back, end within half a second of processor time"""
    out = subprocess.run([sys.executable, "-c", LONG, how], capture_output=True, text=True, timeout=200)
    words = out.stdout.split()
    assert words and words[0] == "interrupted" and float(words[1]) < 0.5, out.stdout + out.stderr


@pytest.mark.parametrize("how", ["run", "step"])
def test_keyboard_interrupt(example, how):
    out = subprocess.run([sys.executable, "-c", INTERRUPTED, str(example("pendulum.yaml")), how], capture_output=True,
                         text=True, timeout=60)
    assert out.stdout == "interrupted\n", out.stderr


def test_threads(pendulum):
    expected = pendulum.run(time=2)["joint.pin.angle"]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: pendulum.run(time=2)["joint.pin.angle"], range(8)))
    assert all(np.array_equal(x, expected) for x in found)


def test_one_thread_at_a_time(cart):
    s = cart.sim(time=1e6)
    errors = []

    def work():
        try:
            s.step(20000)
        except hooke.HookeError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(errors) <= 1 and all("at work already" in e for e in errors)
    assert s.time == pytest.approx(40.0 * (2 - len(errors)))


def test_fork(pendulum):
    r, s = pendulum.run(time=0.5), pendulum.sim()
    child = os.fork()
    if child == 0:
        ok = False
        try:
            s.step(10)
            ok = r["joint.pin.rate"].size == 51 and pendulum.run(time=0.1).grade == "good"
        finally:
            os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert r["joint.pin.angle"].size == 51 and signal.getsignal(signal.SIGINT)
