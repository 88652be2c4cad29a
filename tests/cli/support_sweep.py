# SPDX-License-Identifier: Apache-2.0
"""Sweeps over failing allocations: every verb of the command with allocation n failing, for many n. The work is done
by support_memory.c, which is preloaded."""
import pathlib
import re
import shutil
import subprocess
import tempfile

from support import HOOKE, SOURCE, environment

# a model with something of everything that the reader knows, small enough to run thousands of times
MODEL = """\
hooke: 1
title: Everything
gravity: [0, 0, -9.81]
parameters: {L: 1, k: 2000*L}
points: {hub: [0, 0, 0.5]}
frames:
  tilted: {rotate: {x: [1, 0, 0], z: [0, 0.1, 1]}}
components:
  arm:
    parameters: {m: 2, c: 10}
    points: {pivot: [0, 0.2, 0.5], tip: [0, 0.7, 0.5]}
    bodies:
      rod: {mass: m, com: [0, 0.5, 0.5], inertia: {diagonal: [0.1, 0.01, 0.1], axes: tilted}, shape: {rod: [pivot, tip], radius: 0.03}}
    frames:
      tilted: {rotate: {x: [1, 0, 0], z: [0, 0.1, 1]}}
    joints:
      pivot: {type: revolute, between: [hull, rod], at: pivot, axis: x}
    forces:
      spring: {type: spring_damper, between: [hull, rod], ends: [[0, 0.2, 0.8], tip], spring: {polynomial: [0, 100, 5]}, damping: c}
    markers:
      end: {on: rod, at: tip}
bodies:
  hull: {mass: 20, com: hub, inertia: [1, 2, 3], shape: [{box: [1, 0.3, 0.2]}, {mesh: cube.stl}]}
  bob: {mass: 1, com: [0.5, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
instances:
  left: {component: arm, connect: {hull: hull}, parameters: {m: 3}}
  right: {component: arm, connect: {hull: hull}, mirror: y}
joints:
  guide: {type: general, between: [ground, hull], at: hub, locked: [y, rx, ry, rz]}
  pin: {type: revolute, between: [hull, bob], at: hub, axis: y}
  rope: {type: distance, between: [ground, bob], ends: [[2, 0, 0], [0.5, 0, 0]]}
signals:
  gust: {table: gust.csv, x: "t", column: moment, interpolation: monotone}
  wave: "sin(3*t)*joint.pin.rate"
forces:
  bed: {type: bushing, between: [ground, hull], at: hub, stiffness: [k, k, k, 9, 9, 9], damping: [1, 1, 1, 1, 1, 1]}
  wind: {type: torque, on: hull, value: [gust, 0, wave]}
nodes:
  case: {type: thermal, start: 293}
  ambient: {type: thermal, value: 293}
network:
  mass: {type: heat_capacity, on: case, capacity: 150}
  cooling: {type: thermal_resistance, between: [case, ambient], resistance: 2}
events:
  grab: {when: "t >= 0.012", fix: left.pivot}
start:
  left.pivot: {angle: 0.1}
record: ["body.*.position", "joint.*.angle", "marker.left.end.*", "energy.*", "signal.gust", "node.*"]
run: {time: 0.03, step: 0.01}
"""
FILES = {
    # without the parts that some formulations have no room for
    "plain.yaml": re.sub(r"nodes:.*?(?=events:)", "", MODEL, flags=re.S).replace(', "node.*"', ""),
    "gust.csv": "x, moment\n0, 0\n0.01, 2\n0.02, 1\n1, 0\n",
    "cube.stl": "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n",
    "study.yaml": "study: 1\ntitle: Short\nmodel: plain.yaml\nformulations: [hybrid, recursive]\nintegrators: [trapezoidal]\ntime: 0.02\nsteps: [0.01]\n"
                  "reference: {file: ref.csv, time: t}\nmeasures:\n  sup: {sup_norm: energy.total, column: e}\n  last: {final: energy.kinetic}\n"
                  "grades:\n  right: {sup: 1e9}\n",
    "ref.csv": "t, e\n0, 1\n0.01, 1\n0.02, 1\n",
}


class Sweep:
    """a folder with the model and its results, and the preloaded library"""

    allocations = 0  # of the last run of a sweep, in which nothing failed

    def __init__(self, model=MODEL):
        self.folder = tempfile.TemporaryDirectory(prefix="hooke-memory-")
        self.dir = pathlib.Path(self.folder.name)
        self.library = self.dir / "fail.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.library, SOURCE / "tests/cli/support_memory.c"], check=True)
        for name, text in {"m.yaml": model, **FILES}.items():
            (self.dir / name).write_text(text)
        for name in ("r.nc", "r.csv"):
            self.plain("run", "m.yaml", "-o", name, "--checkpoint", "c")
        for name in ("half.csv", "half.nc"):
            self.plain("run", "m.yaml", "--time", "0.02", "-o", name, "--checkpoint", "half")

    def plain(self, *args):
        return subprocess.run([HOOKE, *args], cwd=self.dir, env=environment(), check=True, capture_output=True, timeout=60)

    def sweep(self, *args, files=(), same=False, serves=False, once=False, start=1, step=1, reader=True, before=None):
        """(runs, complaints, part files left) of one command; a file that is written has an older one before it: `before`, or any text"""
        for name in files:
            path, old = self.dir / name, self.dir / (name + ".old")
            old.unlink(missing_ok=True)
            path.unlink(missing_ok=True)
            if before:
                shutil.copyfile(self.dir / before, path)
        if not serves:
            (self.dir / "stdout.new").write_bytes(self.plain(*args).stdout)
        for name in files:
            (self.dir / name).rename(self.dir / (name + ".new"))
            if before:
                shutil.copyfile(self.dir / before, self.dir / (name + ".old"))
            else:
                (self.dir / (name + ".old")).write_text("the file before\n")
        said = self.dir / "said"
        said.unlink(missing_ok=True)
        env = {"LD_PRELOAD": str(self.library), "HOOKE_FAIL_TO": str(said), "HOOKE_FAIL_FILES": ",".join(files),
               "HOOKE_FAIL_SAME": str(int(same)), "HOOKE_FAIL_SERVES": str(int(serves)), "HOOKE_FAIL_ONCE": str(int(once)),
               "HOOKE_FAIL_FROM": str(start), "HOOKE_FAIL_STEP": str(step), "HOOKE_FAIL_READER": str(int(reader))}
        subprocess.run([HOOKE, *args], cwd=self.dir, env=environment(env), check=True, timeout=3000, stdin=subprocess.DEVNULL)
        text = said.read_text(errors="replace")
        runs = re.search(r"^(\d+) runs, (\d+) bad, (\d+) allocations$", text, re.M)
        complaints = [line for line in text.splitlines() if line and line != runs[0]]
        # no part file stays behind
        parts = [p.name for p in self.dir.iterdir() if p.name.endswith(".part")]
        for name in parts:
            (self.dir / name).unlink()
        self.allocations = int(runs[3])
        return int(runs[1]), complaints, parts

    def count(self, *args, **options):
        """how many allocations a run without failures has"""
        self.sweep(*args, start=10**12, **options)
        return self.allocations

    def close(self):
        self.folder.cleanup()


def cases():
    """(words, options of sweep) for every verb"""
    yield ["run", "m.yaml", "-o", "o.csv"], {"files": ["o.csv"]}
    yield ["run", "m.yaml", "-o", "o.nc", "--checkpoint", "k"], {"files": ["o.nc", "k"]}
    yield ["run", "m.yaml", "-o", "o.nc", "--compress", "3", "--report", "o.html"], {"files": ["o.nc", "o.html"]}
    yield ["run", "m.yaml", "--report", "o.html", "--json", "--set", "L=2"], {"files": ["o.html"]}
    yield ["run", "m.yaml", "--resume", "half", "-o", "o.csv"], {"files": ["o.csv"], "before": "half.csv"}
    yield ["run", "m.yaml", "--resume", "half", "-o", "o.nc"], {"files": ["o.nc"], "before": "half.nc", "reader": False}
    for integrator, formulation in (("bdf", "redundant"), ("generalized_alpha", "global"), ("multistep", "redundant"),
                                    ("rk4", "partition"), ("sdirk", "hybrid"), ("trapezoidal", "recursive"), ("hht", "topological")):
        yield ["run", "plain.yaml", "-i", integrator, "-f", formulation, "-q"], {}
    yield ["check", "m.yaml"], {"same": True}
    yield ["check", "m.yaml", "--json"], {}
    yield ["compare", "plain.yaml", "-i", "trapezoidal,rk4", "--step", "0.01", "--time", "0.02", "-o", "o.md"], {"files": ["o.md"]}
    yield ["compare", "study.yaml", "--json"], {}
    # allocations of HDF5, in its own process, are thousands: the same ones in every verb
    yield ["plot", "r.nc", "energy.*"], {"same": True}
    yield ["plot", "r.nc", "energy.*"], {"same": True, "reader": False}
    yield ["report", "r.nc", "r.csv", "-o", "o.html"], {"files": ["o.html"], "reader": False}
    yield ["plot", "r.csv", "energy.total", "--svg", "o.svg"], {"files": ["o.svg"]}
    yield ["plot", "r.nc", "energy.total", "--png", "o.png"], {"files": ["o.png"], "reader": False}
    yield ["view", "r.nc", "r.csv", "--no-browser"], {"serves": True, "reader": False}
    for words in (["list"], ["list", "joints"], ["list", "--json"], ["info", "spring_damper"], ["info", "schema"],
                  ["info", "study-schema"], ["info", "revolute", "--json"], ["completion", "bash"], ["help"], ["help", "run"],
                  ["help", "--man"], ["help", "--json"], ["--help"], ["--version", "--json"]):
        yield words, {"same": True}
