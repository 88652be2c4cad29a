#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A spring whose ends coincide has no direction: `check` and a run name it when its law gives a force there, and a run that
stays there is not good."""
import json
import unittest

from support import ExampleTest

SPRING = """
hooke: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
forces:
  spring: {type: spring_damper, between: [a, b], ends: [[0, 0, 0], [0, 0, 0]], stiffness: 100, KEYS}
run: {time: 0.1, step: 0.01}
record: ["body.b.position"]
"""
WORDS = ("force 'spring': its ends are at the same place at t = 0 s, so that its force of -50 N has no direction and does "
         "not act")


class CoincidentEnds(ExampleTest):
    def spring(self, keys):
        return self.variant(SPRING.replace("KEYS", keys))

    def findings(self, keys):
        result = self.command("check", self.spring(keys), "--json")
        value = json.loads(result.stdout)
        return [(f["kind"], f["item"], f["text"]) for f in value["findings"]], result.stderr

    def test_check(self):
        found, stderr = self.findings("length: 0.5")
        self.assertEqual(found, [("direction", "spring", WORDS)])
        self.assertIn("variant.yaml:8:3: warning: " + WORDS, stderr)
        self.assertIn("name the direction by 'along'", stderr)
        # without a force there, or with a direction, there is nothing to say
        for keys in ("length: 0", "damping: 3", "length: 0.5, along: x"):
            self.assertEqual(self.findings(keys), ([], ""), keys)

    def test_run(self):
        result = self.command("run", self.spring("length: 0.5"), "--json")
        value = json.loads(result.stdout)
        self.assertIn(WORDS, result.stderr)
        self.assertEqual(value["grade"]["grade"] if isinstance(value["grade"], dict) else value["grade"], "doubtful")
        self.assertIn("force 'spring' had no direction in 10 steps, first at t = 0.01 s", json.dumps(value["warnings"]))
        for keys in ("length: 0", "length: 0.5, along: x"):
            value = self.run_model(self.spring(keys))
            self.assertEqual(value["warnings"], [], keys)


if __name__ == "__main__":
    unittest.main()
