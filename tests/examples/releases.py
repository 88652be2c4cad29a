#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Events that set a motion free which no mass resists: `check` names them before, a run when it happens; also the motions of
mechanisms of any size."""
import json
import unittest

from support import ExampleTest

FORMULATIONS = "hybrid global topological recursive partition redundant".split()

ROD = """
hooke: 1
gravity: [0, 0, -9.81]
bodies:
  rod: {mass: 1, com: [0.5, 0, 0], inertia: {xx: XX, yy: 1/12, zz: 1/12}}
joints:
  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: y}
events: {a: {when: "WHEN", release: hinge}}
run: {time: 0.5, step: 0.01}
"""

# released one by one nothing happens, but the rod between the two falls out
PAIR = """
hooke: 1
bodies:
  rod: {mass: 1, com: [0.5, 0, 0], inertia: {xx: 0, yy: 1/12, zz: 1/12}}
joints:
  left: {type: fixed, between: [ground, rod], at: [0, 0, 0]}
  right: {type: fixed, between: [ground, rod], at: [1, 0, 0]}
events:
  first: {when: "t >= 0.1", release: left}
  second: {when: "t >= 0.2", release: right}
run: {time: 0.5, step: 0.01, formulation: redundant}
"""

TINY = """
hooke: 1
gravity: [0, 0, -9.81]
parameters: {L: 1}
bodies:
  rod: {mass: 1, com: [0, 0, -L/2], inertia: {xx: L^2/12, yy: L^2/12, zz: L^2/1000}}
joints:
  pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: y}
run: {time: 1, step: 0.01}
"""


class Releases(ExampleTest):
    def findings(self, text, *options, code=0):
        value = json.loads(self.command("check", self.variant(text), "--json", *options, code=code).stdout)
        return [(f["kind"], f["item"], f["text"]) for f in value["findings"]]

    def rod(self, xx, when="t >= 0.2"):
        return ROD.replace("XX", xx).replace("WHEN", when)

    def test_check_names_event_body_and_axis(self):
        self.assertEqual(self.findings(self.rod("0")), [
            ("release", "a", "event 'a' releases 'hinge': then body 'rod' can turn about its x axis, which no mass resists")])
        self.assertIn("can run until such a release", self.command("check", self.variant(self.rod("0"))).stdout)
        self.assertEqual(self.findings(self.rod("1e-3")), [])
        # an event that releases the same joint again is not a second finding
        again = self.rod("0").replace("events: {", 'events: {f: {when: "t >= 0.1", fix: hinge}, b: {when: "t >= 0.3", release: hinge}, ')
        self.assertEqual([f[1] for f in self.findings(again)], ["b"])

    def test_events_that_do_it_together(self):
        found = self.findings(PAIR)
        self.assertEqual([f[:2] for f in found if f[0] == "release"], [("release", "second")])
        self.assertIn("releases 'right', after the events before it: then body 'rod' can turn about its x axis",
                      [f[2] for f in found if f[0] == "release"][0])

    def test_runs_say_so(self):
        words = "event 'a' has released joint 'hinge' at t = {} s: body 'rod' can turn about its x axis, which no mass resists"
        for formulation in FORMULATIONS:
            value = self.run_model(self.variant(self.rod("0")), "--formulation", formulation, code=5)
            self.assertEqual(value["message"], words.format("0.2"), formulation)
        # at the start
        error = self.command("run", self.variant(self.rod("0", "joint.hinge.angle >= 0")), code=5).stderr
        self.assertIn(words.format("0"), error)
        self.run_model(self.variant(self.rod("1e-3")))

    def test_any_size(self):
        for size in ("1e-100", "1e-12", "1e-3", "1e3", "1e12", "1e100"):
            self.assertEqual(self.findings(TINY, "--set", f"L={size}"), [], size)
        # inertias below the smallest normal number: one motion, one finding
        found = self.findings(TINY, "--set", "L=1e-160", code=4)
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0][2], "the inertia that resists coordinate 1 of joint 'pin', .*, is too small to compute with")


if __name__ == "__main__":
    unittest.main()
