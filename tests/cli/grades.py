#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The grade of a run on every surface of the command: JSON, summary, standard error, exit code, result file."""
import json
import unittest

from support import PENDULUM, CommandTest

# a pendulum on a spring that the step does not resolve: the energy of the spring is lost
STIFF = PENDULUM.replace("start:", "forces: {k: {type: joint_spring, joint: pin, stiffness: 1e6}}\nstart:")


class Grades(CommandTest):
    def setUp(self):
        super().setUp()
        (self.dir / "good.yaml").write_text(PENDULUM)
        (self.dir / "wrong.yaml").write_text(STIFF)

    def run_json(self, *args, code=0):
        return json.loads(self.hooke("run", *args, "--json", code=code).stdout)

    def test_good(self):
        result = self.hooke("run", "good.yaml", "--strict")
        self.assertRegex(result.stdout, r"grade +good \(audit within [0-9.e-]+ % of the energy that moves\)")
        self.assertEqual(result.stderr, "")
        value = self.run_json("good.yaml")
        self.assertEqual((value["grade"], value["warnings"]), ("good", []))
        self.assertLess(value["drift_percent"], 1)

    def test_wrong(self):
        result = self.hooke("run", "wrong.yaml")
        self.assertRegex(result.stdout, r"grade +wrong ")
        self.assertRegex(result.stderr, r"warning: the run has (lost|created) \d+ % of the energy that moves")
        self.assertIn("hint: ", result.stderr)
        value = self.run_json("wrong.yaml")
        self.assertEqual((value["grade"], value["status"]), ("wrong", "ok"))
        self.assertGreater(value["drift_percent"], 5)
        self.assertTrue(all(set(w) == {"text", "hint"} for w in value["warnings"]))

    def test_strict(self):
        result = self.hooke("run", "wrong.yaml", "--strict", code=5)
        self.assertRegex(result.stderr, "error: the run is wrong: the run has (lost|created)")
        self.assertEqual(self.run_json("wrong.yaml", "--strict", code=5)["grade"], "wrong")
        # the quiet command still says why it fails
        self.assertIn("the run is wrong", self.hooke("run", "wrong.yaml", "-q", "--strict", code=5).stderr)
        # and that a run is wrong: one sentence
        self.assertEqual(self.hooke("run", "wrong.yaml", "-q").stderr.count("warning: "), 1)

    def test_limit(self):
        drift = self.run_json("good.yaml")["drift_percent"]
        for limit, grade in ((0.9 * drift, "wrong"), (2 * drift, "doubtful"), (5.1 * drift, "good")):
            self.assertEqual(self.run_json("good.yaml", "--drift-limit", limit)["grade"], grade)
        (self.dir / "own.yaml").write_text(PENDULUM.replace("step: 0.01", f"step: 0.01, drift_limit: {drift / 2}"))
        self.assertEqual(self.run_json("own.yaml")["grade"], "wrong")
        self.assertIn("--drift-limit", self.hooke("run", "good.yaml", "--drift-limit", "-1", code=2).stderr)

    def test_not_started(self):
        (self.dir / "bad.yaml").write_text(PENDULUM.replace("mass:", "mas:"))
        value = self.run_json("bad.yaml", code=3)
        self.assertEqual((value["grade"], value["drift_percent"], value["warnings"]), (None, None, []))

    def test_at_rest(self):
        """nothing moves: round-off is no reason for a bad grade"""
        for text in (PENDULUM.replace("angle: 1", "angle: 0"), PENDULUM.replace("[0, 0, -9.81]", "[0, 0, 0]"),
                     PENDULUM.replace("angle: 1", "angle: 1e-5")):
            (self.dir / "still.yaml").write_text(text)
            value = self.run_json("still.yaml")
            self.assertEqual(value["grade"], "good", value)

    def test_compare(self):
        """the same number as in a comparison"""
        rows = json.loads(self.hooke("compare", "wrong.yaml", "-f", "hybrid", "-i", "generalized_alpha", "--json").stdout)
        value = self.run_json("wrong.yaml")
        self.assertEqual((rows[0]["grade"], rows[0]["drift_percent"]), ("wrong", value["drift_percent"]))


if __name__ == "__main__":
    unittest.main()
