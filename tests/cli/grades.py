#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The grade of a run on every surface of the command: JSON, summary, standard error, exit code, result file."""
import json
import math
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
        # whole percents, not 1e+02
        self.assertRegex(result.stdout, r"grade +wrong \(audit within \d+ % of the energy that moves\)")
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

    def test_without_mass(self):
        """a driven mechanism needs no mass, and is judged by how far its constraints hold"""
        (self.dir / "k.yaml").write_text(
            "hooke: 1\nplanar: xy\nbodies: {crank: {mass: 0, com: [0.1, 0, 0]}, rod: {mass: 0, com: [0.4, 0, 0]},"
            " slider: {mass: 0, com: [0.7, 0, 0]}}\njoints:\n"
            "  O: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z, motion: {angle: 6*t}}\n"
            "  A: {type: revolute, between: [crank, rod], at: [0.2, 0, 0], axis: z}\n"
            "  B: {type: revolute, between: [rod, slider], at: [0.7, 0, 0], axis: z}\n"
            "  G: {type: prismatic, between: [ground, slider], at: [0.7, 0, 0], axis: x}\n"
            'record: ["joint.G.position"]\nrun: {time: 1, step: 0.01}\n')
        value = self.run_json("k.yaml")
        self.assertEqual((value["grade"], value["warnings"]), ("good", []))
        expected = 0.2 * math.cos(6) + math.sqrt(0.25 - (0.2 * math.sin(6)) ** 2) - 0.7
        self.assertLess(abs(value["final"]["joint.G.position"] - expected), 1e-12)

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
