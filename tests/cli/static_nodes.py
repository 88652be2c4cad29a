#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Static nodes: bodies without mass that springs, dampers and beams hold. Statics, modes and motion against springs in
series, dampers in series and a beam without mass; jumps of loads leave no ringing; what cannot treat them says so."""
import json
import math
import unittest

from support import CommandTest

G, MASS = 9.81, 2.0
SPRINGS = ((300.0, 0.9), (600.0, 1.0), (400.0, 0.9))  # stiffness, free length
SERIES = 1.0 / sum(1.0 / k for k, _ in SPRINGS)
FREE = sum(length for _, length in SPRINGS)


def series(springs, more="", start=""):
    """a load under springs one below the other, drawn 1 m long; nodes without mass between them"""
    n = len(springs)
    lines = ["hooke: 1", f"gravity: [0, 0, {-G}]", 'record: ["body.*.position", "body.*.velocity", "energy.*"]', "bodies:"]
    lines += [f"  n{i}: {{}}" for i in range(1, n)]
    lines += [f"  load: {{mass: {MASS}, com: [0, 0, -3]}}", "forces:"]
    at = [-3.0 * i / n for i in range(n + 1)]
    for i, (k, length) in enumerate(springs):
        a, b = "ground" if i == 0 else f"n{i}", "load" if i == n - 1 else f"n{i + 1}"
        lines.append(f"  s{i}: {{type: spring_damper, between: [{a}, {b}], ends: [[0, 0, {at[i]!r}], [0, 0, {at[i + 1]!r}]], "
                     f"stiffness: {k!r}, length: {length!r}}}")
    return "\n".join(lines) + f"\n{more}{start}run: {{time: 0.5, step: 0.005, formulation: redundant}}\n"


# a load that slides on two dampers in series
DAMPERS = f"""\
hooke: 1
bodies: {{n: {{com: [0, 0, -1]}}, load: {{mass: {MASS}, com: [0, 0, -2], inertia: [1, 1, 1]}}}}
joints:
  a: {{type: prismatic, between: [ground, n], at: [0, 0, -1], axis: z}}
  b: {{type: prismatic, between: [ground, load], at: [0, 0, -2], axis: z}}
forces:
  c: {{type: spring_damper, between: [ground, n], ends: [[0, 0, 0], [0, 0, -1]], damping: 6}}
  d: {{type: spring_damper, between: [n, load], ends: [[0, 0, -1], [0, 0, -2]], damping: 12}}
start: {{b: {{velocity: 0.5}}}}
record: ["joint.*"]
run: {{time: 1, step: 0.01, formulation: redundant}}
"""

# a load on the end of a beam without mass: nodes b.0 .. b.2, of which b.1 is static
BEAM = """\
hooke: 1
signals: {P: {input: 1}}
points: {A: [0, 0, 0], B: [1, 0, 0]}
bodies: {tip: {mass: 2, com: [1, 0, 0], inertia: [0.01, 0.01, 0.01]}}
beams:
  b: {from: A, to: B, up: z, elements: 2, mass: none, clamp: {start: ground, end: tip},
      section: {EA: 1e6, GA: 1e5, GJ: 100, EI: 2000, mass: 1}}
forces: {load: {type: force, on: tip, value: [0, 0, -P]}}
record: ["body.*.position", "energy.*"]
run: {time: 0.2, step: 0.002, formulation: redundant}
"""


class StaticNodes(CommandTest):
    def file(self, text, name="model.yaml"):
        (self.dir / name).write_text(text)
        return self.dir / name

    def run_json(self, path, *args):
        return json.loads(self.hooke("run", path, "--json", *args).stdout)

    def test_series(self):
        """three springs with nodes between them are one spring"""
        three = self.file(series(SPRINGS))
        one = self.file(series(((SERIES, FREE),)), "one.yaml")
        self.assertEqual(self.run_json(three)["coordinates"], 9)
        point = json.loads(self.hooke("statics", three, "--json").stdout)["points"][-1]
        self.assertTrue(point["stable"])
        z = 0.0
        for i, (k, length) in enumerate(SPRINGS):
            z -= length + MASS * G / k
            body = "load" if i == 2 else f"n{i + 1}"
            self.assertAlmostEqual(point["final"][f"body.{body}.position.z"], z, delta=1e-12)
        modes = [json.loads(self.hooke("modes", p, "--at", "equilibrium", "--json").stdout)["modes"] for p in (three, one)]
        for a, b in zip(*modes, strict=True):
            self.assertAlmostEqual(a["frequency_Hz"], b["frequency_Hz"], delta=1e-9)
        self.assertAlmostEqual(2 * math.pi * modes[0][-1]["frequency_Hz"], math.sqrt(SERIES / MASS), delta=1e-9)
        for integrator in ("generalized_alpha", "trapezoidal", "multistep", "hht", "sdirk"):
            ends = [self.run_json(p, "-i", integrator, "--tolerance", 1e-13) for p in (three, one)]
            for what in ("position.z", "velocity.z"):
                self.assertAlmostEqual(*(e["final"][f"body.load.{what}"] for e in ends), delta=1e-11, msg=integrator)
            self.assertEqual(ends[0]["grade"], "good")

    def test_start(self):
        """from an equilibrium nothing moves, also where springs carry nothing as drawn"""
        slack = series([(k, 1.0) for k, _ in SPRINGS], start="start: {equilibrium: true}\n")
        end = self.run_json(self.file(slack))["final"]
        self.assertAlmostEqual(end["body.load.position.z"], -3.0 - MASS * G / SERIES, delta=1e-10)
        result = self.hooke("run", self.file(slack.replace("true", "false")), code=4)
        self.assertIn("no mass resists free motion 1 of body 'n1', and no spring or damper holds it", result.stderr)
        self.assertIn("start: {equilibrium: true}", result.stderr)

    def test_dampers(self):
        c = 1.0 / (1.0 / 6 + 1.0 / 12)
        errors = []
        for h in (0.02, 0.01):
            end = self.run_json(self.file(DAMPERS), "--step", h)["final"]
            v = 0.5 * math.exp(-c / MASS)
            self.assertAlmostEqual(end["joint.a.velocity"], end["joint.b.velocity"] * 12 / 18, delta=1e-9)
            errors.append(abs(end["joint.b.velocity"] - v))
        self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 2.0, delta=0.2)

    def test_jump(self):
        """a load on a node jumps: the node jumps with it, and its velocity does not ring"""
        text = series(SPRINGS[:2], more='  push: {type: force, on: n1, at: [0, 0, -1.5], value: [0, "if(t > 0.1, 30, 0)", 0]}\n')
        path = self.file(text)
        for integrator in ("trapezoidal", "generalized_alpha", "multistep"):
            runs = [self.run_json(path, "-i", integrator, "--time", 0.155, "--step", h) for h in (0.005, 0.0025)]
            self.assertAlmostEqual(*(r["final"]["body.n1.velocity.y"] for r in runs), delta=0.02, msg=integrator)
            self.assertEqual([r["grade"] for r in runs], ["good", "good"])

    def test_beam(self):
        path = self.file(BEAM)
        final = json.loads(self.hooke("statics", path, "--json").stdout)["points"][-1]["final"]
        self.assertAlmostEqual(final["body.tip.position.z"] / (1 / 6000 + 1e-5), -1.0, delta=1e-7)
        ends, drifts = [], []
        for h in (0.004, 0.002, 0.001):
            run = self.run_json(path, "--step", h, "-i", "trapezoidal")
            self.assertEqual((run["coordinates"], run["dof"]), (24, 12))
            ends.append(run["final"]["body.tip.position.z"])
            drifts.append(abs(run["energy"]["max_drift_J"]))
        self.assertAlmostEqual(math.log2((ends[0] - ends[1]) / (ends[1] - ends[2])), 2.0, delta=0.4)
        self.assertAlmostEqual(math.log2(drifts[1] / drifts[2]), 2.0, delta=0.4)

    def test_refusals(self):
        path = self.file(series(SPRINGS))
        for formulation in ("hybrid", "topological", "recursive", "global", "partition"):
            result = self.hooke("run", path, "-f", formulation, code=4)
            self.assertIn(f"no mass resists free motion 1 of body 'n1', which formulation '{formulation}' cannot treat",
                          result.stderr)
            self.assertIn("'formulation: redundant'", result.stderr)
        self.assertIn("integrator 'rk4' cannot treat", self.hooke("run", path, "-i", "rk4", code=4).stderr)
        loose = self.file(series(SPRINGS).replace("[ground, n1]", "[ground, n2]").replace("[0, 0, -1.0]]", "[0, 0, -2.0]]"),
                          "loose.yaml")
        for verb in ("run", "check"):
            self.assertIn("of body 'n1', and no spring or damper holds it", self.hooke(verb, loose, code=4).stderr)
        self.assertIn("'mass' cannot be 'some'", self.hooke("check", self.file(BEAM.replace("mass: none", "mass: some")),
                                                            code=3).stderr)


if __name__ == "__main__":
    unittest.main()
