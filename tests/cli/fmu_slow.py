#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FMUs: their sources by the compilers that are installed, and a thousand states. Importers of others: scripts/fmi-study."""
import os
import random
import shutil
import subprocess
import unittest

from support import HOOKE, SOURCE, CommandTest
from support_fmu import Fmu, bits


class Studies(CommandTest):
    def compile(self, sources, compiler, *flags):
        files = [os.path.join(r, f) for r, _, names in os.walk(sources) for f in names if f.endswith(".c")]
        out = self.dir / f"{os.path.basename(compiler)}.so"
        listing = self.dir / "files.txt"
        listing.write_text("\n".join(files))
        done = subprocess.run([compiler, "-std=c17", "-O0", "-shared", "-Wall", "-Wextra", "-Wpedantic", *flags, f"-I{sources}", f"@{listing}", "-o", out, "-lm"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr[:3000]), (0, ""))
        return out

    def test_sources_compile_without_a_warning(self):
        """with a C compiler and libm alone; what they compute is what the program inside computes"""
        self.hooke("export", "fmu", SOURCE / "examples/double-four-bar.yaml", "-q", "-o", self.dir / "x.fmu", "--time", "0.1")
        for compiler, flags in (("gcc", ["-fPIC", "-Wl,--no-undefined"]), ("clang", ["-fPIC", "-Wl,--no-undefined"]), ("x86_64-w64-mingw32-gcc", ["-static-libgcc"])):
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


if __name__ == "__main__":
    print(f"command: {HOOKE}")
    unittest.main()
