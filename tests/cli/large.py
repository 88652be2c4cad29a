#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Large models: what auto takes for them, what is refused, in how much memory."""
import importlib.machinery
import importlib.util
import json
import resource
import subprocess
import unittest

from support import CommandTest, FEW, HOOKE, SHORT, SOURCE, environment

LOADER = importlib.machinery.SourceFileLoader("large_model", str(SOURCE / "bench/large-model"))
GENERATOR = importlib.util.module_from_spec(importlib.util.spec_from_loader("large_model", LOADER))
LOADER.exec_module(GENERATOR)
GB = 10 ** 9


class Large(CommandTest):
    def large(self, shape, n):
        path = self.dir / f"{shape}-{n}.yaml"
        with open(path, "w", encoding="utf-8") as file:
            GENERATOR.write(shape, n, file)
        return path

    def test_trees_and_springs(self):
        for shape, picked in (("chain", "hybrid"), ("bush", "hybrid"), ("string", "hybrid")):
            with self.subTest(shape=shape):
                run = json.loads(self.hooke("run", self.large(shape, 1000 if FEW else 5000), "--json", "--time", "0.001").stdout)
                self.assertEqual((run["status"], run["formulation"]), ("ok", picked))
                self.assertGreater(len(run["formulation_why"]), 10)

    def test_every_shape_small(self):
        # assertions watch the slots of the matrices in the builds that have them
        for shape in GENERATOR.SHAPES:
            model = self.large(shape, 12)
            for name in ("hybrid", "topological", "global", "recursive", "redundant", "partition"):
                with self.subTest(shape=shape, formulation=name):
                    self.hooke("run", model, "-f", name, "--time", "0.002")

    def test_deep_loops(self):
        # in relative coordinates this stack of four-bars does not converge: its rows drown in round-off
        for shape, picked in (("ladder", "redundant"), ("net", "hybrid")):
            with self.subTest(shape=shape):
                run = json.loads(self.hooke("run", self.large(shape, 6000), "--json").stdout)
                self.assertEqual((run["status"], run["grade"], run["formulation"]), ("ok", "good", picked))
                self.assertEqual("loops lie so deep" in run["formulation_why"], picked == "redundant")
                self.assertEqual(run["iterations"], 3)

    def test_deep_loops_by_name(self):
        result = self.hooke("run", self.large("ladder", 10000), "-f", "recursive", code=5)
        self.assertIn("take --formulation redundant", result.stderr)

    def test_refused(self):
        chain = self.large("chain", 5000)
        result = self.refused("run", chain, "-f", "topological", "--memory", "100MB")
        self.assertIn("'topological' needs at least", result.stderr)
        self.assertIn("a run may take 100 MB", result.stderr)
        self.assertRegex(result.stderr, r"these fit: .*recursive [0-9.]+ MB")
        for wrong in ("-1GB", "much", "1XB", "0"):
            self.refused("run", chain, "--memory", wrong)

    @unittest.skipIf(SHORT, "AddressSanitizer reserves more than any limit")
    def test_limit_of_the_process(self):
        chain = self.large("chain", 5000)
        result = subprocess.run(
            [HOOKE, "run", str(chain), "-f", "topological"], env=environment(), capture_output=True, text=True,
            timeout=60, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (GB // 2, GB // 2)))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("'topological' needs", result.stderr)


if __name__ == "__main__":
    unittest.main()
