#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke run --compile`: the steps of a compiled program are those of the library, with its iterations, audit, grade, channels and
checkpoints; it is made once and kept. What it cannot do, and compilers that are not there, fail or hang, are named, and the library goes on."""
import csv
import json
import os
import pathlib
import shutil
import unittest

from support import PENDULUM, SHORT, SOURCE, CommandTest

KERNEL = next((p for p in (pathlib.Path(os.environ.get("HOOKE", "hooke")).resolve().parent / "hooke-kernel.wasm",
                           SOURCE / "build/release/hooke-kernel.wasm") if p.exists()), None)
# of a sanitized build only a small model is followed
BARS = SOURCE / "examples/double-four-bar.yaml"
METHODS = ["--integrator", "trapezoidal", "--step", 0.01]

EVENTS = PENDULUM.replace("run:", "events:\n  halt: {when: \"joint.pin.angle < 0\", stop: true}\nrun:")
# a signal that bends at given times, an input, a spring that changes its branch
FORCED = PENDULUM.replace("start:", """\
signals:
  push: {table: [[0, 0], [0.205, 2], [0.4, -1], [9, 0]]}
  bias: {input: 0.5}
forces:
  motor: {type: joint_torque, joint: pin, value: push + bias}
  spring: {type: joint_spring, joint: pin, stiffness: 3, damping: 0.1}
start:""")


# a force that follows what is known at accepted states alone
LATE = FORCED.replace("push + bias}", "push + bias + READ}")


def rows(path):
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return list(csv.reader(lines))


@unittest.skipIf(KERNEL is None, "hooke-kernel.wasm was not built: clang, lld and wasi-libc are not there")
@unittest.skipIf(shutil.which("cc") is None, "there is no C compiler")
class Compiled(CommandTest):
    def setUp(self):
        super().setUp()
        os.environ["HOOKE_KERNEL"] = str(KERNEL)
        os.environ["HOOKE_CACHE"] = str(self.dir / "cache")
        os.environ["HOOKE_CC"] = "cc"

    def write(self, text, name="model.yaml"):
        path = self.dir / name
        path.write_text(text)
        return path

    def run_model(self, model, *args):
        return json.loads(self.hooke("run", model, "--json", *args).stdout)

    def agree(self, model, *args, tolerance=1e-9):
        """two runs: their rows, all numbers of their summaries and the state at their end"""
        mine, own = self.dir / "mine.csv", self.dir / "own.csv"
        got = self.run_model(model, "--compile", "--output", mine, *args)
        want = self.run_model(model, "--output", own, *args)
        compiled = got.pop("compiled")
        self.assertTrue(compiled["used"], compiled["why"])
        self.assertNotIn("compiled", want)
        for key in ("steps", "rejected", "iterations", "grade", "warnings", "status", "time_s"):
            self.assertEqual(got[key], want[key], key)
        for key in ("initial_J", "final_J", "supplied_J", "dissipated_J"):
            self.assertAlmostEqual(got["energy"][key], want["energy"][key], delta=tolerance * (1 + abs(want["energy"][key])), msg=key)
        self.assertEqual(sorted(got["energy"]["supplied_by_J"]), sorted(want["energy"]["supplied_by_J"]))
        self.assertEqual(list(got["final"]), list(want["final"]))
        for key, value in want["final"].items():
            self.assertAlmostEqual(got["final"][key], value, delta=tolerance * (1 + abs(value)), msg=key)
        a, b = rows(mine), rows(own)
        self.assertEqual((len(a), a[0]), (len(b), b[0]))
        for k, name in enumerate(b[0]):
            size = 1 + max(abs(float(r[k])) for r in b[1:])
            for x, y in zip(a[1:], b[1:]):
                self.assertAlmostEqual(float(x[k]), float(y[k]), delta=tolerance * size, msg=f"{name} at {y[0]}")
        return compiled, want

    def test_pendulum_is_compiled_once(self):
        model = self.write(PENDULUM)
        compiled, run = self.agree(model)
        self.assertFalse(compiled["cached"])
        self.assertGreater(len(compiled["compiler"]), 3)
        # the first step was the library's too
        self.assertEqual(compiled["steps"] + 1, run["steps"])
        self.assertTrue(self.agree(model)[0]["cached"])
        # the same steps to another end
        self.assertTrue(self.run_model(model, "--compile", "--time", 2)["compiled"]["cached"])
        # another parameter is another program
        self.assertFalse(self.run_model(model, "--compile", "--set", "L=2")["compiled"]["cached"])
        text = self.hooke("run", model, "--compile").stdout
        self.assertIn("steps by a program from the cache", text)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_loops(self):
        os.environ["HOOKE_CC"] = f"{shutil.which('sh')} {self.fast()}"
        compiled, run = self.agree(BARS, *METHODS, "--time", 1, tolerance=1e-10)
        self.assertEqual(compiled["steps"] + 1, run["steps"])

    def fast(self):
        """a compiler that does not try hard"""
        path = self.dir / "fast"
        path.write_text('[ "$1" = --version ] && exec cc --version\nexec cc "$@" -O0\n')
        return path

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_signals_that_bend_and_inputs(self):
        compiled, run = self.agree(self.write(FORCED), *METHODS)
        # the library ends steps at 0.205 s, which is none of the grid
        self.assertEqual(run["steps"], 101)
        self.assertEqual(compiled["refused"], 0)
        self.assertGreaterEqual(compiled["steps"], 96)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_driven_motions_have_their_audit_from_the_library(self):
        driven = PENDULUM.replace("at: [0, 0, 0], axis: y}", "at: [0, 0, 0], axis: y, motion: {angle: 1 + 0.3*sin(2*t)}}")
        compiled, run = self.agree(self.write(driven), *METHODS)
        self.assertGreater(abs(run["energy"]["supplied_J"]), 0.1)
        self.assertGreater(compiled["steps"], 90)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_forces_that_bend(self):
        # their energy is found with the length of the step before
        self.agree(SOURCE / "examples/speed-loop.yaml", "--time", 0.05)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_checkpoints(self):
        model, end = self.write(PENDULUM), self.dir / "end.csv"
        first = self.dir / "half.ckpt"
        self.run_model(model, "--compile", "--time", 0.5, "--checkpoint", first)
        there = self.run_model(model, "--compile", "--resume", first, "--output", end)
        self.assertEqual(there["compiled"]["steps"], 49)
        whole = self.run_model(model)
        for key, value in whole["final"].items():
            self.assertAlmostEqual(there["final"][key], value, delta=1e-9 * (1 + abs(value)), msg=key)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_inputs_of_single_forces(self):
        """outputs of one force follow its inputs at the present state, whoever has found the forces of the step"""
        os.environ["HOOKE_CC"] = f"{shutil.which('sh')} {self.fast()}"
        heat, model = "network.heat.flow", SOURCE / "examples/hot-damper.yaml"
        methods = ["--formulation", "global", "--integrator", "trapezoidal", "--time", 0.02]
        _, run = self.agree(model, *methods)
        self.assertGreater(run["final"][heat], 9)
        self.assertAlmostEqual(run["final"][heat], run["final"]["force.damper.dissipation"], delta=1e-9)
        # nobody records them, and nobody keeps them
        for more in ([], ["--compile"]):
            self.assertAlmostEqual(self.run_model(model, *methods, *more)["final"][heat], run["final"][heat], delta=1e-9)
        _, run = self.agree(SOURCE / "examples/engine-mounts.yaml", "--integrator", "trapezoidal", "--time", 0.3)
        self.assertGreater(abs(run["final"]["force.unbalance.y"]), 1)
        _, run = self.agree(SOURCE / "examples/disc-brake.yaml", "--formulation", "global", "--time", 0.5, tolerance=1e-6)
        self.assertGreater(run["final"]["force.pads.normal"], 100)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_signals_that_read_accepted_states(self):
        os.environ["HOOKE_CC"] = f"{shutil.which('sh')} {self.fast()}"
        record = 'record: ["joint.*", "force.*", "signal.*", "energy.*"]\nrun:'
        for read in ("0.2*joint.pin.force.z", "energy.kinetic + 10*force.spring.dissipated"):
            with self.subTest(read):
                text = LATE.replace("bias: {input: 0.5}", f"late: {read}\n  bias: {{input: 0.5}}").replace("READ", "late")
                model = self.write(text.replace("run:", record))
                _, run = self.agree(model, *METHODS, "--time", 0.5)
                self.assertGreater(abs(run["final"]["signal.late"]), 0.1)
                # the force is that of the signal in the same row, and no step late, whoever looks at it
                for final in (run["final"], self.run_model(model, *METHODS, "--time", 0.5)["final"]):
                    all_of = final["signal.push"] + final["signal.bias"] + final["signal.late"]
                    self.assertAlmostEqual(final["force.motor.torque"], all_of, delta=1e-12 * (1 + abs(all_of)))

    def test_signals_that_read_what_programs_do_not_know(self):
        late = LATE.replace("bias: {input: 0.5}", "late: READ\n  bias: {input: 0.5}").replace("bias + READ", "bias + late")
        self.fallback("a signal reads 'solver' or 'constraint'", self.write(late.replace("READ", "solver.iterations")))
        driven = PENDULUM.replace("at: [0, 0, 0], axis: y}", "at: [0, 0, 0], axis: y, motion: {angle: 1 + 0.3*sin(2*t)}}")
        driven = driven.replace("start:", "signals: {late: joint.pin.force.z}\nforces: {pull: {type: force, on: rod, value: [late, 0, 0]}}\nstart:")
        self.fallback("signals follow reactions", self.write(driven))

    def fallback(self, words, model=None, code=0, *args):
        got = self.hooke("run", model or self.write(PENDULUM), "--json", "--compile", *args, code=code)
        run = json.loads(got.stdout)
        self.assertFalse(run["compiled"]["used"])
        self.assertIn(words, run["compiled"]["why"])
        self.assertEqual(run["status"], "ok")
        return run

    def test_what_stays_with_the_library(self):
        self.fallback("it has events", self.write(EVENTS))
        self.fallback("its steps are chosen by their error", self.write(PENDULUM.replace(", step: 0.01", "")))
        # the text says so too
        text = self.hooke("run", self.write(EVENTS), "--compile").stdout
        self.assertIn("by the library: it has events", text)

    @unittest.skipIf(SHORT, "following takes long in a sanitized build")
    def test_laws_that_remember_branches(self):
        """a clutch whose branches are noted for the grade of the run: the library goes on"""
        self.fallback("depends on the state in too many ways", SOURCE / "examples/clutch.yaml")

    def test_compilers_that_do_not_do(self):
        os.environ["HOOKE_CC"] = "/nowhere/cc"
        self.fallback("'/nowhere/cc' that HOOKE_CC names is not there")
        os.environ["HOOKE_CC"] = "false"
        self.fallback("failed with code 1")
        hangs = self.dir / "hangs"
        hangs.write_text('#!/bin/sh\n[ "$1" = --version ] && exit\nsleep 100\n')
        hangs.chmod(0o700)
        os.environ["HOOKE_CC"] = str(hangs)
        self.fallback("did not end in time", None, 0, "--compile-limit", 0.2)
        os.environ["HOOKE_CC"] = "cc"
        os.environ["HOOKE_CACHE"] = "/proc/hooke"
        self.fallback("cannot be made")
        os.environ["HOOKE_KERNEL"] = "/nowhere"
        os.environ["HOOKE_CACHE"] = str(self.dir / "cache")
        self.fallback("/nowhere")

    def test_wrong_programs_are_found_out(self):
        """one that is compiled from another text: its first step is not the library's"""
        wrong = self.dir / "wrong"
        wrong.write_text('[ "$1" = --version ] && exit\n'
                         'for a in "$@"; do case $a in *program.c) sed -i "s/HKX_STORE(0, .*/HKX_STORE(0, 0.25);/" $a;; esac; done\n'
                         'exec cc "$@"\n')
        os.environ["HOOKE_CC"] = f"{shutil.which('sh')} {wrong}"
        self.fallback("its first step differs from the library's by")

    def test_limit_without_compile(self):
        result = self.hooke("run", self.write(PENDULUM), "--compile-limit", 3, code=2)
        self.assertIn("--compile-limit is for --compile", result.stderr)


if __name__ == "__main__":
    unittest.main()
