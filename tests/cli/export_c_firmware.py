#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/firmware: a controller whose model is an exported step holds a load that it was not told; for a Cortex-M7 too, where a compiler is."""
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from support import SOURCE, CommandTest

KERNEL = next((p for p in (Path(os.environ.get("HOOKE", "hooke")).resolve().parent / "hooke-kernel.wasm",
                           SOURCE / "build/release/hooke-kernel.wasm") if p.exists()), None)
FOLDER = SOURCE / "examples/firmware"
FLAGS = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


@unittest.skipIf(KERNEL is None, "hooke-kernel.wasm was not built: clang, lld and wasi-libc are not there")
class Firmware(CommandTest):
    def setUp(self):
        super().setUp()
        os.environ["HOOKE_KERNEL"] = str(KERNEL)
        self.hooke("export", "c", FOLDER / "arm.yaml", "--keep", "load", "-q", "-o", self.dir / "arm.c")

    def compile(self, cc, *args):
        subprocess.run([cc, *FLAGS, "-I", self.dir, *args], check=True, timeout=120)

    def test_control(self):
        program = self.dir / "firmware"
        self.compile(shutil.which("cc"), FOLDER / "main.c", self.dir / "arm.c", "-o", program, "-lm")
        text = subprocess.run([program], check=True, capture_output=True, text=True, timeout=60).stdout
        load, error = map(float, re.fullmatch(r"load (\S+) kg, error (\S+) rad\n", text).groups())
        self.assertAlmostEqual(load, 1.6, delta=1e-3)
        self.assertLess(error, 1e-5)

    @unittest.skipIf(not shutil.which("arm-none-eabi-gcc"), "no compiler for ARM")
    def test_bare(self):
        flags = ["-DFIRMWARE_BARE", "-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard", "-c"]
        for source in (FOLDER / "main.c", self.dir / "arm.c"):
            self.compile("arm-none-eabi-gcc", *flags, source, "-o", self.dir / (source.stem + ".o"))
        wanted = subprocess.run(["arm-none-eabi-nm", "-u", self.dir / "main.o", self.dir / "arm.o"], check=True, capture_output=True, text=True).stdout
        self.assertLessEqual(set(re.findall(r"U (\S+)", wanted)) - {"memcpy", "memset"}, {f"arm_{n}" for n in (
            "make", "step", "set_input", "set_parameter", "parameter", "get_state", "set_state")} | {"sqrt"})


if __name__ == "__main__":
    unittest.main()
