#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Friction that sticks exactly, by a lock with located switching: a mass on a belt and a block on a slope against closed forms,
stacked blocks with a stop, a loop with friction in all joints; in every formulation."""
import math
import unittest

from support import ExampleTest, SHORT

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "redundant", "partition")

BLOCK = """\
hooke: 1
parameters: {angle: 0.2, v0: 0}
gravity: [10*sin(angle), 0, -10*cos(angle)]
bodies: {block: {mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints:
  rail: {type: prismatic, between: [ground, block], axis: x, at: [0, 0, 0], friction: {mu: 0.3, stick: exact}}
start: {rail: {velocity: v0}}
record: ["joint.rail.*", "force.*", "energy.*"]
run: {time: 100, step: 0.05}
"""

# two blocks on each other; the lower one hits a stop
STACK = """\
hooke: 1
parameters: {F: 40}
gravity: [0, 0, -10]
bodies:
  a: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}
  b: {mass: 1, com: [0, 0, 1], inertia: [1, 1, 1]}
joints:
  low: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x, friction: {mu: 0.2, stick: exact},
        limits: {position: [-0.5, 0.05], restitution: 0.5}}
  up:  {type: prismatic, between: [a, b], at: [0, 0, 1], axis: x, friction: {mu: 0.3, stick: exact}}
forces: {f: {type: joint_force, joint: low, value: F*sin(3*t)}}
record: ["joint.*.position", "joint.*.velocity", "energy.*"]
run: {time: 5, step: 0.005, integrator: rk4}
"""


def belt(t, k=100, v=0.1, N=10, mu=0.25, mu_static=0.4):
    """position and velocity of a mass of 1 kg on a belt: it sticks up to x0, slips about xm until it is as fast as the belt"""
    w, x0, xm = math.sqrt(k), mu_static * N / k, mu * N / k
    a = x0 - xm
    if t < x0 / v:
        return v * t, v
    slip, stick = 2 * (math.pi - math.atan(a * w / v)) / w, 2 * a / v
    t = math.fmod(t - x0 / v, slip + stick)
    if t > slip:
        return xm - a + v * (t - slip), v
    return (xm + a * math.cos(w * t) + v / w * math.sin(w * t), v * math.cos(w * t) - a * w * math.sin(w * t))


class ExactStick(ExampleTest):
    def test_belt(self):
        x, v = belt(4)
        methods = [("--formulation", f, "--integrator", "rk4") for f in FORMULATIONS]
        methods.append(("--integrator", "dopri5", "--option", "rtol=1e-11", "--option", "atol=1e-13"))
        for args in methods:
            value = self.run_model("belt-stick-slip.yaml", *args)
            self.assertNear(value["final"]["body.mass.position.x"], 1 + x, 1e-8, str(args))
            self.assertNear(value["final"]["body.mass.velocity.x"], v, 1e-8, str(args))
            self.assertNear(value["energy"]["max_drift_J"], 0, 1e-9, str(args))
        # second order in the step, switching included
        errors = [self.run_model("belt-stick-slip.yaml", "--integrator", "trapezoidal", "--step", h)["final"]["body.mass.position.x"] - 1 - x
                  for h in (0.004, 0.002, 0.001)]
        self.assertOrder([abs(e) for e in errors], 2, 0.1, "trapezoidal")

    def test_belt_series(self):
        _, run = self.run_series("belt-stick-slip.yaml", "--integrator", "rk4")
        for i, t in enumerate(run["t"]):
            x, v = belt(t)
            self.assertNear(run["body.mass.position.x"][i], 1 + x, 1e-8, f"t = {t}")
            sticks = run["force.slide.friction.slides"][i] == 0
            if sticks:
                # what holds is the spring's force, and nothing creeps
                self.assertNear(run["force.slide.friction.force"][i], 100 * x, 1e-6, f"t = {t}")
                self.assertNear(run["joint.slide.velocity"][i], 0, 1e-12, f"t = {t}")
            self.assertEqual(sticks or abs(v - 0.1) < 1e-6, abs(v - 0.1) < 1e-6)

    def test_block(self):
        """holds for ever below the cone, slides above it; stops at v^2/(2 a) and stays there"""
        model = self.variant(BLOCK)
        edge = math.atan(0.3)
        for formulation in FORMULATIONS:
            # recursive keeps its rows to the tolerance of its iteration, without drift
            still = 2e-12 if formulation == "recursive" else 1e-15
            for angle, moves in ((edge * (1 - 1e-9), False), (edge * (1 + 1e-9), True)):
                value = self.run_model(model, "--formulation", formulation, "--set", f"angle={angle!r}")
                self.assertEqual(abs(value["final"]["joint.rail.position"]) > still, moves, f"{formulation} {angle}")
                self.assertLess(value["steps"], 2010)
            # what comes to rest on its way up is held by mu_static
            up = self.variant(BLOCK.replace("mu: 0.3", "mu: 0.3, mu_static: 0.5"), "up.yaml")
            value = self.run_model(up, "--formulation", formulation, "--set", "angle=0.4", "--set", "v0=-2", "--time", 2)
            self.assertNear(value["final"]["joint.rail.position"], -0.2 / (math.sin(0.4) + 0.3 * math.cos(0.4)), 1e-12, formulation)
            a = 10 * (0.3 * math.cos(0.2) - math.sin(0.2))
            value, run = self.run_series(model, "--formulation", formulation, "--set", "v0=2", "--time", 20)
            self.assertNear(value["final"]["joint.rail.position"], 2 / a, 1e-12, formulation)
            self.assertNear(value["energy"]["dissipated_J"] + 2 * 10 * math.sin(0.2) * -2 / a, 4, 1e-11, formulation)
            self.assertNear(value["energy"]["max_drift_J"], 0, 1e-12, formulation)
            self.assertNear(value["final"]["force.rail.friction.force"], -20 * math.sin(0.2), 1e-9, formulation)
            self.assertEqual(value["steps"], 401)
            rest = [x for t, x in zip(run["t"], run["joint.rail.position"]) if t > 2.1]
            self.assertLessEqual(max(rest) - min(rest), still, formulation)

    def test_stack(self):
        """at the edge of the cone nothing chatters; slips, impacts and captures agree"""
        model = self.variant(STACK)
        for force, slips in ((5.9999, False), (6.01, True)):
            lost = []
            for args in ((), ("--integrator", "dopri5")):
                value = self.run_model(model, "--set", f"F={force}", *args)
                lost.append(value["energy"]["dissipated_J"])
                self.assertEqual(lost[-1] > 1e-12, slips, f"{force} {args}")
                self.assertLess(value["steps"], 1050)
            # controlled steps do not pass over a slip of some hundredths of a second
            self.assertNear(lost[1], lost[0], 1e-3 * lost[0], "dissipated")
        found = [self.run_model(model, "--formulation", f) for f in FORMULATIONS]
        for value in found:
            self.assertNear(value["energy"]["max_drift_J"], 0, 1e-7, "audit")
        found.append(self.run_model(model, "--integrator", "dopri5", "--option", "rtol=1e-11"))
        for value in found:
            for key in ("joint.low.position", "joint.up.position", "joint.up.velocity"):
                self.assertNear(value["final"][key], found[0]["final"][key], 1e-7, key)

    def test_resume(self):
        """a run that goes on while something sticks, bit by bit"""
        whole = self.run_model(self.variant(STACK))
        self.run_model(self.dir / "variant.yaml", "--time", 1.1, "--checkpoint", "c")
        self.assertEqual(self.run_model(self.dir / "variant.yaml", "--resume", "c")["final"], whole["final"])

    def test_loop(self):
        """joints that pass zero with the mechanism running, and all of them at rest at one time"""
        text = self.text("rubbing-four-bar.yaml").replace("friction: {", "friction: {stick: exact, ")
        found = [self.run_model(self.variant(text), "--formulation", f, "--integrator", "rk4", "--time", 1.7)
                 for f in FORMULATIONS[::3 if SHORT else 1]]
        for value in found:
            self.assertNear(value["energy"]["max_drift_J"], 0, 5e-6, "audit")
            for joint in "ABCD":
                self.assertNear(value["final"][f"joint.{joint}.angle"], found[0]["final"][f"joint.{joint}.angle"], 1e-7, joint)
        # to rest: no more steps than the grid has, but for the switching
        value = self.run_model(self.dir / "variant.yaml", "--time", 25, "--step", 0.005)
        self.assertLess(value["steps"], 5060)
        self.assertNear(value["final"]["joint.A.rate"], 0, 1e-12, "rest")

    def test_refused(self):
        for old, new, words in (("type: prismatic", "type: cylindrical", "slides in several directions"),
                                ("{mu:", "{type: lugre, mu:", "cannot stick exactly"),
                                ("at: [0, 0, 0],", "at: [0, 0, 0], motion: {velocity: 1},", "whose motion is prescribed"),
                                ("stick: exact", "mu_static: 0.4", "one coefficient")):
            text = BLOCK.replace(old, new).replace("start: {rail: {velocity: v0}}\n", "")
            if "cylindrical" in new:
                text = text.replace("{mu: 0.3", "{radius: 0.1, mu: 0.3")
            self.assertIn(words, self.command("check", self.variant(text), code=3).stderr, new)


if __name__ == "__main__":
    unittest.main()
