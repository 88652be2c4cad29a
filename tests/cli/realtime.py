#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke realtime`: the same results as off line, what is told, bad usage. No test depends on how fast the machine is."""
import json
import unittest

from support import PENDULUM, SHORT, SOURCE, CommandTest, hooke

BUMP = SOURCE / "examples/iltis/cosine-bump.yaml"


class Realtime(CommandTest):
    def setUp(self):
        super().setUp()
        self.model.write_text(PENDULUM.replace("step: 0.01", "step: 0.01, integrator: trapezoidal"))

    def test_same_bits_off_line(self):
        timed, plain = self.dir / "timed.csv", self.dir / "plain.csv"
        r = hooke("realtime", BUMP, "--period", "1e-3", "--time", "0.1", "--iterations", "1", "--pace", "fast", "--output", timed, "--json")
        self.assertEqual(r.returncode, 0, r.stderr)
        told = json.loads(r.stdout)
        self.assertEqual((told["periods"], told["missed"], told["wake_us"], told["lost_rows"]), (100, 0, None, 0))
        self.assertEqual(told["fixed_iterations"], 1)
        self.assertGreater(told["accepted_early"], 0)
        self.assertGreater(told["left"], 0)
        self.assertEqual(sum(n for _, _, n in told["histograms"]["step_us"]), 100)
        self.assertLessEqual(told["step_us"]["p50"], told["step_us"]["max"])
        r = hooke("run", BUMP, "--step", "1e-3", "--time", "0.1", "--option", "fixed_iterations=1", "--output", plain)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(timed.read_bytes(), plain.read_bytes())

    def test_by_the_clock(self):
        out = self.dir / "out.nc"
        model = self.model
        r = hooke("realtime", model, "--time", "0.05", "--output", out, "--policy", "other", "--json")
        self.assertEqual(r.returncode, 0, r.stderr)
        told = json.loads(r.stdout)
        self.assertEqual((told["periods"], told["period_s"], told["schedule"], told["pace"]), (5, 0.01, "other", "clock"))
        self.assertGreater(told["wake_us"]["max"], 0)
        r = hooke("realtime", model, "--time", "0.05", "--period", "0.02", "--step", "0.01")
        self.assertIn("3 periods", r.stdout)
        self.assertIn("wake-up", r.stdout)

    def test_nothing_in_the_loop_that_waits(self):
        """with memory locked no page fault, whatever is written; where it cannot be locked, that is said"""
        for output in ("out.csv", "out.nc", "out.mcap"):
            r = hooke("realtime", BUMP, "--period", "1e-3", "--time", "0.1", "--iterations", "2", "--pace", "fast", "--output", self.dir / output, "--json")
            self.assertEqual(r.returncode, 0, r.stderr)
            told = json.loads(r.stdout)
            if told["locked"] and not SHORT:
                self.assertEqual(told["page_faults"], 0, output)
            self.assertEqual(told["locked"], "memory is not locked" not in r.stderr)
            self.assertEqual(told["lost_rows"], 0)

    def test_periods_that_no_machine_keeps(self):
        """a vehicle takes more than a microsecond a step: what follows is what was asked for"""
        for overrun in ("slip", "skip", "catch-up"):
            r = hooke("realtime", BUMP, "--period", "1e-6", "--time", "5e-5", "--overrun", overrun, "--json")
            self.assertEqual(r.returncode, 0, r.stderr)
            told = json.loads(r.stdout)
            self.assertEqual((told["periods"], told["missed"], told["overrun"]), (50, 50, overrun))
            self.assertEqual(told["skipped"] >= 50, overrun == "skip")
        kept = self.dir / "kept.csv"
        r = hooke("realtime", BUMP, "--period", "1e-6", "--time", "5e-5", "--overrun", "stop", "--output", kept)
        self.assertEqual(r.returncode, 5)
        self.assertIn("a period of 1e-06 s was missed at t = 1e-06 s", r.stderr)
        self.assertEqual(len(kept.read_text().splitlines()), 3)  # names, the start, the step that was too long

    def test_places_in_the_schedule(self):
        for policy in ("fifo", "deadline", "other"):
            r = hooke("realtime", self.model, "--time", "0.03", "--policy", policy, "--json")
            self.assertEqual(r.returncode, 0, r.stderr)
            had = json.loads(r.stdout)["schedule"]
            self.assertEqual(had == policy, not ("no fixed priority" in r.stderr or "no deadline schedule" in r.stderr), r.stderr)

    def test_wrong_usage(self):
        model = self.model
        for args, words in ((("--pace", "fst"), "--pace knows clock|fast|io"), (("--overrun", "skp"), "did you mean 'skip'"),
                            (("--policy", "rt"), "fifo|deadline|other"), (("--iterations", "0"), "from 1 to 1000"), (("--iterations", "2.5"), "whole number"),
                            (("--priority", "100"), "from 1 to 99"), (("--cpu", "-1"), "from 0 to 4095"), (("--period", "0"), "--period"),
                            (("--period", "0.003", "--step", "0.002"), "no whole number of steps"), (("--integrator", "dopri5"), "steps must have one length")):
            r = hooke("realtime", model, *args)
            self.assertEqual(r.returncode, 2, (args, r.stderr))
            self.assertIn(words, r.stderr, args)


if __name__ == "__main__":
    unittest.main()
