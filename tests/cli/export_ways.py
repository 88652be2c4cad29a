#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One model, all ways: the library, its program in C, worlds in lanes and worlds on a card (one that is none: tests/device/card). Those that
are made of the followed step have the same bits; the library's numbers are the same to round-off, and so are audit and grade of a run with
a compiled program. Here for one model; export_ways_slow.py has twenty."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from export_c import KERNEL, MAIN
from support import HOOKE, SHORT, SOURCE, CommandTest

PACKAGE = Path(HOOKE).resolve().parent / "python"
sys.path.insert(0, str(PACKAGE))

CARD = os.environ.get("HOOKE_CARD", "")
CC = shutil.which("tcc") or shutil.which("cc")
STEPS, WORLDS = 20, 5


@unittest.skipIf(KERNEL is None, "hooke-kernel.wasm was not built: clang, lld and wasi-libc are not there")
@unittest.skipIf(SHORT, "numbers: the release build has them")
@unittest.skipIf(not list(PACKAGE.glob("hooke/_core*.so")), "the Python package was not built")
class Ways(CommandTest):
    models = ["pendulum"]
    runs = False # tests/cli/compile.py has them
    formulation, integrator = "hybrid", "trapezoidal"

    def setUp(self):
        super().setUp()
        os.environ.update(HOOKE_KERNEL=str(KERNEL), HOOKE_CACHE=str(self.dir / "cache"), HOOKE_CUDA=CARD, HOOKE_NVRTC=CARD)
        (self.dir / "cache").mkdir(mode=0o700)

    def methods(self):
        return ["--formulation", self.formulation, "--integrator", self.integrator]

    def program(self, model):
        """outputs of the program in C after the steps, and the length of a step"""
        source, program = self.dir / "program.c", self.dir / "program.x"
        self.hooke("export", "c", model, "-q", "-o", source, *self.methods(), limit=200)
        step = float(re.search(r"_STEP (\S+)", source.with_suffix(".h").read_text())[1])
        (self.dir / "main.c").write_text(MAIN.replace("NAME", "program"))
        subprocess.run([CC, "-std=c11", source, self.dir / "main.c", "-o", program, "-lm"], check=True, timeout=300)
        text = subprocess.run([program, str(STEPS)], check=True, capture_output=True, timeout=60).stdout
        got = json.loads(text, parse_int=float)  # -0 is a number with a sign
        return got, step

    def batch(self, model, way, names, step):
        """outputs of worlds after the steps: the first from the start of the model, the others with other velocities"""
        import hooke
        b = hooke.Batch(hooke.load(str(model)), WORLDS, channels=names, way=way, formulation=self.formulation, integrator=self.integrator, step=step)
        self.assertEqual((b.way, b.why), (way, ""))
        q, v = b.arrays([1, 2, 3, 4])
        b.set_arrays(q, v + 0.01 * (1 + abs(v)) * [[1], [2], [3], [-1]], [1, 2, 3, 4])
        rows = b.rollout(STEPS, every=STEPS)
        self.assertFalse(b.failed.any())
        return rows[:, -1, :]

    def compare(self, name):
        model = SOURCE / f"examples/{name}.yaml"
        program, step = self.program(model)
        want = json.loads(self.hooke("run", model, "--json", "--substeps", "off", "--step", repr(step), "--time", repr(STEPS * step), *self.methods()).stdout)
        names = [k for k in program if k in want["final"]]
        self.assertTrue(names)
        lanes, card = self.batch(model, "lanes", names, step), self.batch(model, "card", names, step)
        off = 0.0
        for i, k in enumerate(names):
            self.assertEqual(float(lanes[0, i]).hex(), float(program[k]).hex(), f"lanes, {k}")
            off = max(off, abs(program[k] - want["final"][k]) / (1 + abs(want["final"][k])))
        self.assertEqual(lanes.tobytes(), card.tobytes(), "card")
        self.assertGreater(abs(lanes[1:] - lanes[0]).max(), 0.0)
        return off, len(names), len(want["final"])

    def compare_run(self, name):
        """audit and grade of a run; False: the library takes its steps"""
        args = ["run", SOURCE / f"examples/{name}.yaml", "--json", *self.methods(), "--time", self.time_of(name)]
        want = json.loads(self.hooke(*args).stdout)
        got = json.loads(self.hooke(*args, "--compile", limit=300).stdout)
        self.assertEqual(got["grade"], want["grade"])
        scale = 1.0 + max(abs(x) for x in want["energy"].values() if isinstance(x, (int, float)))
        for k, x in want["energy"].items():
            if isinstance(x, (int, float)):
                self.assertAlmostEqual(got["energy"][k], x, delta=1e-8 * scale, msg=k)
        return got["compiled"]

    def time_of(self, name):
        text = (SOURCE / f"examples/{name}.yaml").read_text()
        step = re.search(r"step: ([0-9.e-]+)", text)
        return 100 * float(step[1]) if step else 0.5

    def say(self, text):
        if "-v" in sys.argv:
            print(text, flush=True)

    def test_ways(self):
        for name in self.models:
            with self.subTest(name):
                off, n, of = self.compare(name)
                self.say(f"{name}: {n} of {of} channels, the same bits; library within {off:.1e}")
                self.assertLess(off, 1e-9)
                if not self.runs:
                    continue
                compiled = self.compare_run(name)
                self.say(f"{name}: {compiled['steps']} steps of a run, the same grade")
                self.assertTrue(compiled["used"], compiled["why"])


if __name__ == "__main__":
    unittest.main()
