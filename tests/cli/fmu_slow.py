#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FMUs of ten examples in importers of others, as far as they are installed: FMPy validates and runs them, model exchange
by its CVODE, the sources by several compilers, units of PythonFMU inside a model. HOOKE_FMPY names a Python that has fmpy."""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import unittest

from support import HOOKE, SOURCE, CommandTest
from support_fmu import Fmu, bits

TEN = ("pendulum", "double-four-bar", "bricard", "motor-crank", "five-bar-robot", "flexible-pendulum", "belt-drive", "iltis/ramp-and-stairs",
       "forearm-reflex", "blade-root")
PYTHON = os.environ.get("HOOKE_FMPY") or (sys.executable if importlib.util.find_spec("fmpy") else None)
SCRIPT = """
import json, sys, fmpy
from fmpy.validation import validate_fmu
path, kind, step, stop = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
problems = validate_fmu(path)
more = dict(solver="CVode", relative_tolerance=1e-10, output_interval=step) if kind == "ModelExchange" else dict(step_size=step, output_interval=step)
r = fmpy.simulate_fmu(path, fmi_type=kind, stop_time=stop, **more)
print(json.dumps({"problems": problems, "names": r.dtype.names, "last": [float(x) for x in r[-1]]}))
"""


class Studies(CommandTest):
    def fmpy(self, path, kind, step, stop):
        done = subprocess.run([PYTHON, "-c", SCRIPT, path, kind, str(step), str(stop)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        said = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(said["problems"], [])
        return dict(zip(said["names"], said["last"]))

    @unittest.skipUnless(PYTHON, "FMPy is not installed (pip install fmpy, or HOOKE_FMPY=python-that-has-it)")
    def test_ten_examples_in_fmpy(self):
        for name in TEN:
            model = SOURCE / f"examples/{name}.yaml"
            run = json.loads(self.hooke("run", model, "--json", "--time", "0.2").stdout)
            for version in ("2", "3"):
                out = self.dir / "x.fmu"
                said = json.loads(self.hooke("export", "fmu", model, "--json", "-o", out, "--fmi", version, "--time", "0.2", "--no-sources").stdout)
                last = self.fmpy(out, "CoSimulation", run["step_s"], 0.2)
                with self.subTest(name=name, version=version):
                    for channel, value in run["final"].items():
                        self.assertEqual(bits([last[channel]]), bits([value]), channel)
                if not said["model_exchange"]:
                    print(f"note: {name}: {said['lost'][0]['text']}")
                    continue
                fine = json.loads(self.hooke("run", model, "--json", "--time", "0.2", "-i", "rk4", "--step", "5e-5").stdout)["final"]
                last = self.fmpy(out, "ModelExchange", 0.01, 0.2)
                with self.subTest(name=name, version=version, kind="ModelExchange"):
                    for channel, value in fine.items():
                        if channel in last and not channel.startswith("energy."):
                            self.assertAlmostEqual(last[channel], value, delta=1e-6 * max(1.0, abs(value)), msg=channel)

    def compile(self, sources, compiler, *flags):
        files = [os.path.join(r, f) for r, _, names in os.walk(sources) for f in names if f.endswith(".c")]
        out = self.dir / f"{os.path.basename(compiler)}.so"
        listing = self.dir / "files.txt"
        listing.write_text("\n".join(files))
        done = subprocess.run([compiler, "-O1", "-shared", "-Wall", "-Wextra", *flags, f"-I{sources}", f"@{listing}", "-o", out, "-lm"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr[:3000]), (0, ""))
        return out

    def test_sources_compile_without_a_warning(self):
        """with a C compiler and libm alone; what they compute is what the program inside computes"""
        self.hooke("export", "fmu", SOURCE / "examples/double-four-bar.yaml", "-q", "-o", self.dir / "x.fmu", "--time", "0.1")
        for compiler, flags in (("gcc", ["-fPIC", "-std=gnu17"]), ("clang", ["-fPIC", "-std=gnu17"]), ("x86_64-w64-mingw32-gcc", ["-std=gnu17"])):
            if not shutil.which(compiler):
                print(f"note: {compiler} is not installed")
                continue
            fmu = Fmu(self.dir / "x.fmu")
            self.addCleanup(fmu.close)
            library = self.compile(fmu.root / "sources", compiler, *flags)
            if "mingw" in compiler:
                continue
            finals = []
            for program in (fmu.program, library):
                fmu.load(program)
                it = fmu.instance()
                it.start(stop=0.1)
                for k in range(10):
                    it.step(k * 0.01, 0.01)
                finals.append(it.get(*fmu.outputs))
                it.free()
            for a, b in zip(*finals):
                self.assertAlmostEqual(a, b, delta=1e-12 * max(1.0, abs(a)))

    def test_a_thousand_states(self):
        """saved, restored, continued, also by another process of the importer: bit by bit"""
        import random  # pylint: disable=import-outside-toplevel
        self.hooke("export", "fmu", SOURCE / "examples/double-four-bar.yaml", "-q", "-o", self.dir / "x.fmu", "--no-sources")
        fmu = Fmu(self.dir / "x.fmu")
        self.addCleanup(fmu.close)
        it, rng, k, h = fmu.instance(), random.Random(7), 0, 0.01
        it.start(stop=1000.0)
        for _ in range(1000):
            state, n = it.save(), rng.randint(1, 3)
            run = []
            for i in range(n):
                it.step((k + i) * h, h)
                run.append(bits(it.get(*fmu.outputs)))
            it.restore(it.deserialize(it.serialize(state)) if rng.random() < 0.5 else state)
            for i in range(n):
                it.step((k + i) * h, h)
                self.assertEqual(bits(it.get(*fmu.outputs)), run[i])
            it.drop(state)
            k += n
        it.free()

    @unittest.skipUnless(os.environ.get("HOOKE_PYTHONFMU"), "PythonFMU is not installed (HOOKE_PYTHONFMU=folder of pythonfmu)")
    def test_units_of_pythonfmu(self):
        build = os.environ["HOOKE_PYTHONFMU"]
        (self.dir / "pd.py").write_text("""from pythonfmu import Fmi2Causality, Fmi2Slave, Real
class Pd(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.angle = 0.0
        self.rate = 0.0
        self.torque = 0.0
        self.register_variable(Real("angle", causality=Fmi2Causality.input))
        self.register_variable(Real("rate", causality=Fmi2Causality.input))
        self.register_variable(Real("torque", causality=Fmi2Causality.output))
    def do_step(self, t, h):
        self.torque = -20.0 * self.angle - 2.0 * self.rate
        return True
""")
        subprocess.run([build, "build", "-f", self.dir / "pd.py", "-d", self.dir], check=True, capture_output=True)
        common = """hooke: 1
gravity: [0, 0, -9.81]
bodies: {rod: {mass: 1, com: [0, 0, 0.5], inertia: [0.1, 0.1, 0.01]}}
joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: y}}
forces: {motor: {type: joint_torque, joint: pin, value: u}}
start: {pin: {angle: 0.2}}
record: [joint.pin.angle]
run: {time: 1, step: 0.002, integrator: trapezoidal}
"""
        (self.dir / "a.yaml").write_text(common + "signals: {u: {input: 0}}\nfmus: {pd: {file: Pd.fmu, inputs: {angle: joint.pin.angle, rate: joint.pin.rate}, outputs: {torque: u}}}\n")
        (self.dir / "b.yaml").write_text(common + "signals: {u: {sample: \"-20*joint.pin.angle - 2*joint.pin.rate\", every: 0.002}}\n")
        a, b = (json.loads(self.hooke("run", self.dir / f, "--json", "--allow-fmus").stdout)["final"]["joint.pin.angle"] for f in ("a.yaml", "b.yaml"))
        self.assertAlmostEqual(a, b, delta=1e-4)


if __name__ == "__main__":
    print(f"command: {HOOKE}")
    unittest.main()
