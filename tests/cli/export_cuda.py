#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke export c MODEL -o FILE.cu`: kernels for graphics processors. Compiled for the processor without a warning, they give the bits of the
program in C, for every world, whatever the grid; worlds that fail stay as they were."""
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from support import SOURCE, CommandTest
from support_fmu import CART

KERNEL = next((p for p in (Path(os.environ.get("HOOKE", "hooke")).resolve().parent / "hooke-kernel.wasm",
                           SOURCE / "build/release/hooke-kernel.wasm") if p.exists()), None)
CXX = shutil.which("c++")
SHORT = bool(os.environ.get("HOOKE_TEST_SHORT"))

# the program in C is included too: both in one file, compiled once
MAIN = """\
#include "program.c"
#undef HKX_FN
#undef HKX_HEAD
#undef HKX_TAIL
#undef HKX_TOLERANCE
namespace device {
#include "device.cu"
}
#include <cstdio>
#include <cstring>
#include <vector>
enum { WORLDS = 37, STRIDE = 40, STEPS = 25 };
int main() {
  using namespace device;
  std::vector<HKX_REAL> x(device::HKX_N * STRIDE), y(program_OUTPUTS * STRIDE + 1), other(device::HKX_N * STRIDE), u(STEPS * WORLDS * program_INPUTS + 1);
  std::vector<int> code(STRIDE, 7), turns(STRIDE, 7);
  hkx_job j = {x.data(), code.data(), turns.data(), 0, y.data(), 0, STRIDE, WORLDS, WORLDS, STEPS};
  void *arguments[] = {&j};
  hkx_reset_host(arguments, 5, 8);
  for (int w = 0; w < WORLDS; w++) x[program_COORDINATES * STRIDE + w] += HKX_REAL(0.001 * w); /* a velocity */
  std::vector<program> m(WORLDS);
  for (int w = 0; w < WORLDS; w++)
    for (int i = 0; i < device::HKX_N; i++) m[w].x[i] = x[i * STRIDE + w];
  if (program_INPUTS > 0) {
    for (int i = 0; i < STEPS * WORLDS * program_INPUTS; i++) u[i] = HKX_REAL(0.01 * (i % 11));
    j.u = u.data();
  }
  j.y = other.data();
  hkx_advance_host(arguments, 5, 8);
  j.y = y.data();
  hkx_show_host(arguments, 2, 32);
  int different = 0;
  double largest = 0, taken = 0;
  for (int w = 0; w < WORLDS; w++) {
    int all = 0;
    for (int k = 0; k < STEPS; k++) {
      for (int i = 0; i < program_INPUTS; i++) program_set_input(&m[w], i, u[(k * program_INPUTS + i) * WORLDS + w]);
      const int n = program_step(&m[w]);
      if (n > 0) all += n;
      if (n < 0) return printf("the program in C fails\\n"), 1;
    }
    double out[program_OUTPUTS + 1];
    program_outputs(&m[w], out);
    taken += all;
    different += code[w] != 0 || turns[w] != all;
    for (int i = 0; i < device::HKX_N; i++) {
      const double a = x[i * STRIDE + w], b = m[w].x[i];
      different += memcmp(&a, &b, sizeof a) != 0;
      if (i < program_COORDINATES) largest = fmax(largest, fabs(a - b));
    }
    for (int i = 0; i < program_OUTPUTS; i++) {
      const double a = y[i * STRIDE + w];
      different += memcmp(&a, &out[i], sizeof a) != 0;
    }
  }
  for (int w = WORLDS; w < STRIDE; w++) different += code[w] != 7; /* nobody's */
  printf("%d %.3e %g\\n", different, largest, taken);
  return 0;
}
"""


def waiting(text):
    """the most values of a step that wait for those that take them"""
    body = text[re.search(r"_step\([^;]*\{$", text, re.M).end():]
    lines = body[:body.index("HKX_TAIL")].split("\n")
    first, last, change = {}, {}, [0] * (len(lines) + 1)
    for k, line in enumerate(lines):
        for name in re.findall(r"\bt\d+\b", line):
            first.setdefault(name, k)
            last[name] = k
    for name, k in first.items():
        change[k] += 1
        change[last[name]] -= 1
    return max(sum(change[:k + 1]) for k in range(0, len(lines), 10))


@unittest.skipIf(KERNEL is None, "hooke-kernel.wasm was not built: clang, lld and wasi-libc are not there")
@unittest.skipIf(CXX is None, "there is no compiler of C++")
class Kernels(CommandTest):
    def setUp(self):
        super().setUp()
        os.environ["HOOKE_KERNEL"] = str(KERNEL)

    def run_both(self, model, *methods, single=False):
        self.hooke("export", "c", model, "-q", "-o", self.dir / "program.c", *methods)
        self.hooke("export", "c", model, "-q", "-o", self.dir / "device.cu", *methods, *(["--single"] if single else []))
        main = self.dir / "main.cpp"
        main.write_text(MAIN)
        subprocess.run([CXX, "-std=c++14", "-O0", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic", "-Werror", main, "-o", self.dir / "main"],
                       check=True, timeout=120)
        out = subprocess.run([self.dir / "main"], check=True, capture_output=True, text=True, timeout=60).stdout.split()
        return int(out[0]), float(out[1]), float(out[2])

    def cart(self):
        path = self.dir / "cart.yaml"
        path.write_text(CART)
        return path

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_loops(self):
        different, _, turns = self.run_both(SOURCE / "examples/spatial-four-bar.yaml", "--formulation", "hybrid", "--integrator", "trapezoidal")
        self.assertEqual(different, 0)
        self.assertGreater(turns, 25 * 37)
        # the program in C has its operations in packs, and so in another order; numbers of the state are in the same
        self.assertEqual(self.run_both(SOURCE / "examples/double-four-bar.yaml", "--formulation", "hybrid", "--integrator", "trapezoidal")[0], 0)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_inputs(self):
        self.assertEqual(self.run_both(self.cart(), "--formulation", "recursive", "--integrator", "rk4")[0], 0)
        two = self.dir / "two.yaml"
        two.write_text(CART.replace("{u: {input: 0.25}}", "{u: {input: 0.25}, turn: {input: 0}}")
                       .replace("value: u}", "value: u}\n  twist: {type: joint_torque, joint: pin, value: turn}"))
        self.assertEqual(self.run_both(two, "--formulation", "hybrid")[0], 0)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_single(self):
        different, largest, _ = self.run_both(self.cart(), "--formulation", "hybrid", single=True)
        self.assertGreater(different, 0)
        self.assertLess(largest, 1e-5)
        self.assertGreater(largest, 1e-12)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_passes(self):
        """projections are two loops of six passes each, in C as well; tests/batch/card.c compares them with lanes, where passes stand one within
        the other"""
        for integrator in ("trapezoidal", "linearly_implicit"):
            different = self.run_both(SOURCE / "examples/double-four-bar.yaml", "--formulation", "global", "--integrator", integrator)[0]
            self.assertEqual(different, 0)
            for name, begin in (("device.cu", "int hkx_step(const"), ("program.c", "int program_step(program")):
                head, found, step = (self.dir / name).read_text().partition(begin)
                self.assertTrue(found, name)
                self.assertNotIn("HKX_PASSES(6", head)
                self.assertEqual(re.findall(r"^ +HKX_PASSES\((\d+), HKX_NOT\(t\d+\)\) \{$", step, re.M), ["6", "6"], name)
                self.assertEqual(step.count("HKX_PASSES"), 2, name)

    def test_files(self):
        self.hooke("export", "c", self.cart(), "-q", "-o", self.dir / "cart.cu")
        self.assertTrue((self.dir / "cart.cu").exists())
        self.assertFalse((self.dir / "cart.h").exists())
        text = (self.dir / "cart.cu").read_text()
        self.assertIn("HKX_KERNEL(hkx_advance)", text)
        self.assertNotIn("atomic", text)
        result = self.hooke("export", "c", self.cart(), "--single", "-o", self.dir / "cart.c", code=2)
        self.assertIn("--single", result.stderr)

    @unittest.skipIf(SHORT, "the same text as in the release build")
    def test_ways(self):
        """what a way computes is not selected behind it; in lanes, where some worlds take the way and others do not, it is"""
        for integrator in ("trapezoidal", "linearly_implicit"):
            self.hooke("export", "c", SOURCE / "examples/double-four-bar.yaml", "-q", "--formulation", "hybrid", "--integrator", integrator,
                       "-o", self.dir / "bars.cu")
            step = (self.dir / "bars.cu").read_text().partition("int hkx_step(const")[2]
            self.assertGreater(step.count("HKX_UNLESS("), 5)
            waiting_for = set(re.findall(r"(t\d+) = HKX_ZERO;", step))
            selected = re.findall(r"HKX_SELECT\([^()]*, ([^(),]*), ([^(),]*)\)", step)
            self.assertEqual([pair for pair in selected if waiting_for & set(pair)], [])

    def test_fixed_numbers(self):
        """numbers of functions that are longer than an instruction has room for are read from a list"""
        self.hooke("export", "c", SOURCE / "examples/pendulum.yaml", "-q", "-o", self.dir / "double.cu")
        self.hooke("export", "c", SOURCE / "examples/pendulum.yaml", "-q", "--single", "-o", self.dir / "single.cu")
        self.hooke("export", "c", SOURCE / "examples/pendulum.yaml", "-q", "-o", self.dir / "program.c")
        double, single, program = ((self.dir / name).read_text() for name in ("double.cu", "single.cu", "program.c"))
        listed = re.search(r"HKX_FIXED double hkx_fixed\[(\d+)\] = \{([^}]*)\};", double)
        numbers = [float(x) for x in listed[2].split(",")]
        self.assertEqual(len(numbers), int(listed[1]))
        self.assertIn(0.63661977236758138, numbers)  # 2/pi, of sines
        self.assertEqual(set(map(int, re.findall(r"hkx_fixed\[(\d+)\](?! =)", double))), set(range(len(numbers))))
        for text in (single, program):
            self.assertNotIn("hkx_fixed", text)
            self.assertIn("0.63661977236758138", text)

    @unittest.skipIf(SHORT, "the same text as in the release build")
    def test_depth(self):
        """operations of a tree are written limb by limb"""
        sys.path.insert(0, str(SOURCE / "bench/gpu"))
        import models
        model = self.dir / "humanoid.yaml"
        model.write_text(models.humanoid())
        methods = ["--formulation", "hybrid", "--integrator", "linearly_implicit"]
        self.hooke("export", "c", model, "-q", "--no-packs", "-o", self.dir / "program.c", *methods)
        self.hooke("export", "c", model, "-q", "-o", self.dir / "device.cu", *methods)
        by_bodies, in_depth = (waiting((self.dir / name).read_text()) for name in ("program.c", "device.cu"))
        self.assertGreater(in_depth, 100)
        self.assertLess(in_depth, 0.85 * by_bodies)

    def test_warps(self):
        self.hooke("export", "c", self.cart(), "-q", "--warps", "3", "-o", self.dir / "cart.cu")
        text = (self.dir / "cart.cu").read_text()
        self.assertIn("HKX_BLOCK_KERNEL(hkx_advance)", text)
        self.assertEqual(text.count("HKX_WARP hkx_step_"), 3)
        # every warp goes through the same waits
        waits = {part.partition("HKX_WARP_TAIL")[0].count("HKX_WAIT") for part in text.split("HKX_WARP hkx_step_")[1:]}
        self.assertEqual(len(waits), 1)
        for wrong in ("0", "9", "2.5"):
            result = self.hooke("export", "c", self.cart(), "--warps", wrong, "-o", self.dir / "cart.cu", code=2)
            self.assertIn(f"expected a whole number from 1 to 8, found '{wrong}'", result.stderr)
        result = self.hooke("export", "c", self.cart(), "--warps", "2", "-o", self.dir / "cart.c", code=2)
        self.assertIn("--warps belongs", result.stderr)


if __name__ == "__main__":
    unittest.main()
