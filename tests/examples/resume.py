#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: a run cut in two gives, to the last bit, what the whole run gives."""
import json
import os
import signal
import subprocess
import time
import unittest

from support import EXAMPLES, ExampleTest, HOOKE, SECOND_ORDER, SHORT

# the only values in which two runs may differ
CLOCKS = ("cpu_s", "real_time_factor")


class Resume(ExampleTest):
    def halves(self, model, cut, end, *args):
        """whole run and the same run cut at a time: (summary, rows) of each"""
        path = EXAMPLES / model if isinstance(model, str) else model
        files = {k: self.dir / f"{k}.csv" for k in ("whole", "first", "second")}
        keep = self.dir / "state.hkc"
        files["second"].unlink(missing_ok=True)  # a result that is there is continued: tests/cli/resume.py
        whole = self.run_model(path, "--time", end, "--output", files["whole"], *args)
        self.run_model(path, "--time", cut, "--output", files["first"], "--checkpoint", keep, *args)
        second = self.run_model(path, "--time", end, "--output", files["second"], "--resume", keep, *args)
        rows = {k: f.read_text().splitlines() for k, f in files.items()}
        return whole, second, rows["whole"], rows["first"] + rows["second"][1:]

    def check(self, model, cut, end, *args):
        whole, second, rows, parts = self.halves(model, cut, end, *args)
        what = f"{model} cut at {cut} s {' '.join(map(str, args))}"
        self.assertEqual(len(parts), len(rows), what)
        for i, (a, b) in enumerate(zip(rows, parts)):
            if a != b:
                names, x, y = rows[0].split(","), a.split(","), b.split(",")
                k = next(j for j, (p, q) in enumerate(zip(x, y)) if p != q)
                self.fail(f"{what}: row {i}, t = {x[0]}: {names[k]} is {x[k]}, resumed {y[k]}")
        for value in (whole, second):
            for clock in CLOCKS:
                del value[clock]
        self.assertEqual(json.dumps(second), json.dumps(whole), what)

    def test_examples(self):
        self.check("double-four-bar.yaml", 0.7, 1.5)
        self.check("bricard.yaml", 0.5, 0.8)
        self.check("spatial-four-bar.yaml", 0.25, 0.5)
        self.check("spinning-body.yaml", 1, 2)
        self.check("spinning-body.yaml", 0.6, 0.7)  # while its recorded quaternion has w < 0
        self.check("slider-crank-driven.yaml", 0.4, 0.8)
        self.check("engine-mounts.yaml", 0.3, 0.6)
        self.check("andrews.yaml", 0.002, 0.004, "--step", 1e-5)

    def test_integrators(self):
        for integrator in SECOND_ORDER + ("newmark",):
            self.check("double-four-bar.yaml", 0.8, 1.6, "--integrator", integrator)
            self.check("spatial-four-bar.yaml", 0.1, 0.2, "--integrator", integrator)

    def test_a_cut_on_a_singular_position(self):
        self.check("double-four-bar.yaml", 0.7, 2, "--step", 0.05)

    def test_events(self):
        for cut in (0.5, 0.9, 1.2, 1.6, 2):
            self.check("grab-and-release.yaml", cut, 2.5)

    def test_tyres_and_jumps(self):
        for cut in (2.9, 3, 3.05):
            self.check("iltis-suspension.yaml", cut, 3.3, "--step", 0.005)
        # the left wheel is on its bump at 0.5 s
        for integrator in ("generalized_alpha", "trapezoidal"):
            self.check("mirrored-axle.yaml", 0.5, 1, "--integrator", integrator)

    def test_a_jump_of_a_signal_at_the_cut(self):
        self.check("slider-crank-driven.yaml", 0.5, 0.7)

    def test_failed_steps(self):
        # steps that had to be halved leave no trace that a checkpoint would miss
        self.check("andrews.yaml", 0.2, 0.4, "--step", 0.02)
        self.assertGreater(self.run_model("andrews.yaml", "--time", 0.2, "--step", 0.02)["rejected"], 10)

    def test_kept_pivots(self):
        # the sparse solver keeps pivots that an earlier matrix chose, also one of a refused step
        sparse = ("--formulation", "redundant", "--option", "solver=sparse")
        self.check("spatial-four-bar.yaml", 0.25, 0.5, *sparse)
        self.check("andrews.yaml", 0.2, 0.4, "--step", 0.02, *sparse)
        self.check("motor-crank.yaml", 0.1, 0.2, *sparse)
        for form in ("ggl", "fuhrer_leimkuhler"):
            self.check("spatial-four-bar.yaml", 0.05, 0.1, "--option", f"stabilisation={form}", "--integrator",
                       "trapezoidal", *sparse)
        self.check("bricard.yaml", 0.5, 0.8, "--option", "redundancy=least_squares", "--integrator", "rk4", *sparse)

    def test_more_than_once(self):
        files = [self.dir / f"{i}.csv" for i in range(5)]
        keep = self.dir / "state.hkc"
        model = EXAMPLES / "mirrored-axle.yaml"
        self.command("run", model, "--time", 1, "--output", files[4], "--quiet")
        for i in range(4):
            args = ["--resume", keep] if i else []
            self.command("run", model, "--time", 0.25 * (i + 1), "--output", files[i], "--checkpoint", keep,
                         "--quiet", *args)
        rows = [f.read_text().splitlines() for f in files]
        self.assertEqual(rows[0] + [r for part in rows[1:4] for r in part[1:]], rows[4])

    def test_checkpoints_on_the_way_change_nothing(self):
        a, b = self.dir / "a.csv", self.dir / "b.csv"
        self.run_model("grab-and-release.yaml", "--output", a)
        self.run_model("grab-and-release.yaml", "--output", b, "--checkpoint", self.dir / "c", "--every", 0.1)
        self.assertEqual(a.read_text(), b.read_text())

    def test_interrupted_and_resumed(self):
        model, end = EXAMPLES / "bricard.yaml", 20 if SHORT else 100
        whole, first, second, keep = (self.dir / n for n in ("w.csv", "f.csv", "s.csv", "k"))
        args = ["--time", str(end), "--output-every", "0.5"]
        self.command("run", model, *args, "--output", whole, "--quiet")
        process = subprocess.Popen([HOOKE, "run", model, *args, "--output", first, "--checkpoint", keep, "--json"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=dict(os.environ, NO_COLOR="1"))
        time.sleep(1.0 if SHORT else 0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        if process.returncode == 0:
            self.skipTest("the run was over before the interruption")
        self.assertEqual(process.returncode, 130, err)
        value = json.loads(out)
        self.assertEqual(value["status"], "interrupted")
        self.assertTrue(0 < value["time_s"] < end)
        self.command("run", model, *args, "--output", second, "--resume", keep, "--quiet")
        rows = whole.read_text().splitlines()
        head, tail = first.read_text().splitlines(), second.read_text().splitlines()
        # what was computed is there, and what follows is the same
        self.assertGreater(len(head), 1)
        self.assertEqual(head, rows[:len(head)])
        self.assertEqual(tail[1:], rows[len(rows) - len(tail) + 1:])
        self.assertEqual(len(head) + len(tail) - 1, len(rows))


class Mismatch(ExampleTest):
    """a checkpoint of something else is refused, with the reason"""

    def setUp(self):
        super().setUp()
        self.keep = self.dir / "state.hkc"
        self.run_model("pendulum.yaml", "--time", 1, "--checkpoint", self.keep)

    def refused(self, *args, words):
        result = self.command("run", *args, "--resume", self.keep, code=6)
        self.assertIn(words, result.stderr)

    def test_other_model(self):
        self.refused(EXAMPLES / "bricard.yaml", words="another model")

    def test_changed_bytes(self):
        good = self.keep.read_bytes()
        for at in range(0, len(good), 7):
            self.keep.write_bytes(good[:at] + bytes([good[at] ^ 16]) + good[at + 1:])
            self.command("run", EXAMPLES / "pendulum.yaml", "--resume", self.keep, code=6)
        self.keep.write_bytes(good)
        self.command("run", EXAMPLES / "pendulum.yaml", "--resume", self.keep)

    def test_a_run_that_ended_before(self):
        result = self.command("run", EXAMPLES / "pendulum.yaml", "--time", 0.5, "--resume", self.keep, code=2)
        self.assertIn("written at t = 1 s, after the end of this run at 0.5 s", result.stderr)

    def test_other_parameter(self):
        self.refused(EXAMPLES / "pendulum.yaml", "--set", "L=2", words="other parameters")

    def test_other_integrator(self):
        self.refused(EXAMPLES / "pendulum.yaml", "--integrator", "hht", words="integrator")

    def test_other_step(self):
        self.refused(EXAMPLES / "pendulum.yaml", "--step", 0.02, words="another step")

    def test_broken_file(self):
        data = self.keep.read_bytes()
        for text in (b"", data[:50], data[:-8], data + b"x", b"hello" + data[5:]):
            self.keep.write_bytes(text)
            self.refused(EXAMPLES / "pendulum.yaml", words="cannot resume")


if __name__ == "__main__":
    unittest.main()
