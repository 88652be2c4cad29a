#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A hundred thousand bodies: run or refused, in bounded memory; a signal ends a long start or step."""
import json
import os
import pty
import re
import resource
import signal
import subprocess
import time
import unittest

from large import GENERATOR
from support import CommandTest, HOOKE, environment

GB = 10 ** 9
BODIES = 100000
LIMIT = 900  # seconds; the machine may be busy
EQUILIBRIUM = "start: {equilibrium: true}\n"  # a start with the matrix of the tree


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (6 * GB, 6 * GB))


class HundredThousand(CommandTest):
    def start(self, shape, n, *args, more=""):
        path = self.dir / f"{shape}.yaml"
        with open(path, "w", encoding="utf-8") as file:
            GENERATOR.write(shape, n, file)
            file.write(more)
        return subprocess.Popen([HOOKE, "run", str(path), "--json", *args], env=environment(), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=bounded)

    def test_runs(self):
        for shape in ("chain", "tree", "bush", "ladder", "net", "string", "grid"):
            with self.subTest(shape=shape), self.start(shape, BODIES) as run:
                out, err = run.communicate(timeout=LIMIT)
                self.assertEqual(run.returncode, 0, err)
                self.assertEqual(json.loads(out)["status"], "ok")

    def test_refused(self):
        with self.start("ladder", BODIES, more=EQUILIBRIUM) as run:
            _, err = run.communicate(timeout=LIMIT)
            self.assertIn("the start of this model needs at least", err)
            self.assertIn("a run may take", err)
            self.assertNotEqual(run.returncode, 0)


class Signals(HundredThousand):
    test_runs = test_refused = None

    def test_signal_in_a_long_start(self):
        with self.start("ladder", 12000, "-f", "redundant", "--memory", "4GB", more=EQUILIBRIUM) as run:
            self.stopped(run, 5.0)

    def test_progress_in_a_long_start(self):
        """the line on a terminal says what goes on, and moves"""
        path = self.dir / "chain.yaml"
        with open(path, "w", encoding="utf-8") as file:
            GENERATOR.write("chain", 8000, file)
        main, side = pty.openpty()
        run = subprocess.Popen([HOOKE, "run", str(path), "-f", "topological"], env=dict(environment(), TERM="xterm"),
                               stdin=side, stdout=subprocess.DEVNULL, stderr=side)
        os.close(side)
        seen, end = "", time.monotonic() + LIMIT
        try:
            while len(set(re.findall(r"building the equations, ([0-9]+) s", seen))) < 2:
                self.assertLess(time.monotonic(), end, seen)
                seen += os.read(main, 4096).decode()
        finally:
            run.kill()
            run.wait()
            os.close(main)

    def test_signal_in_a_long_step(self):
        with self.start("chain", 3000, "-f", "topological", "--memory", "4GB", "--time", "1") as run:
            self.assertIn("interrupted at t", self.stopped(run, 12.0))  # its start takes 2 s, a step as long

    def stopped(self, run, after):
        """ends within a second of processor time once it has used `after` seconds and gets a signal; what it said"""
        def used():
            with open(f"/proc/{run.pid}/stat", encoding="utf-8") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / 100.0
        while run.poll() is None and used() < after:
            time.sleep(0.05)
        self.assertIsNone(run.poll(), "it ended before the signal")
        before = used()
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = now.ru_utime + now.ru_stime - children.ru_utime - children.ru_stime - before
        self.assertEqual(run.returncode, 130, err)
        self.assertEqual(json.loads(out)["status"], "interrupted")
        self.assertLess(spent, 1.0)
        return err


if __name__ == "__main__":
    unittest.main()
