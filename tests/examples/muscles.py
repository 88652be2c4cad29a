#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Muscles in whole models: force over length and rate against the closed form, the step of an activation, a load on a
reflex, formulations and the energy audit. The curves alone: tests/elements/muscle.c."""
import json
import math
import unittest

from support import FEW, ExampleTest, orders

EXAMPLE = "forearm-reflex.yaml"
FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")
STILL = 1.6 * (1 - math.exp(-1))  # fv(0)

# a mass on a vertical guide below a muscle of 400 N, 0.1 m and 0.3 m/s with a tendon of 0.15 m
HANGING = """
hooke: 1
gravity: [0, 0, -9.81]
parameters: {{load: 12}}
bodies: {{mass: {{mass: load, com: [0, 0, -0.25], inertia: {{diagonal: [0.1, 0.1, 0.1]}}}}}}
joints: {{guide: {{type: prismatic, between: [ground, mass], at: [0, 0, 0], axis: -z{motion}}}}}
forces:
  m: {{type: muscle, between: [ground, mass], ends: [[0, 0, 0], [0, 0, -0.25]], force: 400, length: 0.1, velocity: 0.3,
      tendon: 0.15, {keys}}}
record: ["joint.guide.*", "force.m.*", "energy.*"]
run: {{time: 1, step: 0.002, integrator: trapezoidal}}
"""


def over_length(x):
    return math.exp((x - 0.95)**2 - 40 * (x - 0.95)**4)


def over_rate(v):
    return 1.6 if v >= 1 else 1.6 - 1.6 * math.exp(0.1 / (v - 1)**2 - 1.1 / (v - 1)**4)


def passive(x):
    return 1.3 * math.atan(0.1 * (x - 0.22)**10)


class Muscles(ExampleTest):
    def json(self, verb, *args):
        return json.loads(self.command(verb, *args, "--json").stdout)

    def refused(self, path):
        return self.command("check", path, code=3).stderr

    def hanging(self, keys, motion=""):
        return self.variant(HANGING.format(keys=keys, motion=motion))

    def test_force_over_length_and_rate(self):
        """moved through its lengths and rates, at an activation of its own, with work that is booked as supplied"""
        path = self.hanging('activation: "0.4 + 0.3*sin(9*t)"', ", motion: {position: 0.02*sin(12*t)}")
        summary, run = self.run_series(path, "--time", 1)
        seen, work = [], 0.0
        for i, t in enumerate(run["t"]):
            x, v = (0.1 + 0.02 * math.sin(12 * t)) / 0.1, 0.24 * math.cos(12 * t) / 0.3
            a = 0.4 + 0.3 * math.sin(9 * t)
            f = 400 * (a * over_length(x) * over_rate(v) + passive(x))
            self.assertNear(run["force.m.force"][i], f, 1e-9 * f, "force")
            self.assertNear(run["force.m.activation"][i], a, 1e-14, "activation")
            self.assertNear(run["force.m.power"][i], -f * 0.3 * v, 1e-9 * f, "power")
            active = -(f - 400 * passive(x)) * 0.3 * v
            work += active * 0.002 * (0.5 if i in (0, len(run["t"]) - 1) else 1)
            seen.append((x, v))
        self.assertGreater(max(x for x, _ in seen), 1.19)
        self.assertLess(min(v for _, v in seen), -0.79)
        self.assertNear(run["force.m.supplied"][-1], work, 2e-3, "work")
        self.assertEqual(summary["energy"]["dissipated_J"], 0)

    def test_step_of_the_activation(self):
        """rises and falls by its own times, exponentials in closed form; of second order with the rule"""
        errors = []
        for step in (0.004, 0.002):
            path = self.hanging("activation: {points: [[0, 0.1], [0.1, 0.1], [0.1, 0.9], [0.5, 0.9], [0.5, 0.1]]}, rise: 0.03, fall: 0.08",
                                ", motion: {position: 0}")
            _, run = self.run_series(path, "--step", step)
            worst = 0.0
            for t, a in zip(run["t"], run["force.m.activation"]):
                up = 0.9 - 0.8 * math.exp(-min(max(t - 0.1, 0), 0.4) / 0.03)
                want = up if t <= 0.5 else 0.1 + (0.9 - 0.8 * math.exp(-0.4 / 0.03) - 0.1) * math.exp(-(t - 0.5) / 0.08)
                worst = max(worst, abs(a - want))
            errors.append(worst)
        self.assertLess(errors[1], 2e-4)
        self.assertGreater(orders(errors)[0], 1.9)

    def rest(self, load, activation, gain):
        """length at which a reflex holds a load, by bisection"""
        low, high = 0.09, 0.2
        for _ in range(80):
            l = 0.5 * (low + high)
            a = min(1.0, max(0.0, activation + gain * (l - 0.1)))
            f = 400 * (a * over_length(l / 0.1) * STILL + passive(l / 0.1))
            low, high = (l, high) if f < load * 9.81 else (low, l)
        return low

    def test_a_reflex_holds_a_load(self):
        """where the closed form says, in every formulation; more load, less height; without it the load drops further"""
        keys = "activation: 0.2, stretch_reflex: 30, rate_reflex: 3, rise: 0.01, fall: 0.04"
        path = self.hanging(keys)
        heights = []
        for load in (12, 20):
            want = self.rest(load, 0.2, 30) - 0.1
            for formulation in FORMULATIONS[:2] if FEW else FORMULATIONS:
                statics = self.json("statics", path, "--set", f"load={load}", "--formulation", formulation)["points"][0]
                self.assertTrue(statics["stable"])
                self.assertNear(statics["final"]["joint.guide.position"], want, 1e-10, (load, formulation))
            final = self.run_model(path, "--set", f"load={load}", "--time", 3)["final"]
            self.assertNear(final["joint.guide.position"], want, 1e-6, load)
            heights.append(want)
        self.assertGreater(heights[1], 1.5 * heights[0])
        slack = self.hanging("activation: 0.2")
        self.assertGreater(self.json("statics", slack)["points"][0]["final"]["joint.guide.position"], 3 * heights[0])

    def test_formulations_and_audit(self):
        """the example in all formulations; what is left of the energies falls with the square of the step"""
        names = ("joint.elbow.angle", "force.flexor.activation", "force.extensor.force")
        runs = {(f, h): self.run_model(EXAMPLE, "--time", 0.7, "--formulation", f, "--step", h)
                for f in (FORMULATIONS[:2] if FEW else FORMULATIONS) for h in (0.002, 0.001)}
        best = runs["hybrid", 0.001]["final"]
        for (f, h), run in runs.items():
            # each has the error of its own coordinates, of order 2
            for name in names:
                self.assertNear(run["final"][name], runs["hybrid", h]["final"][name], 0.5 * h * h * (1 + abs(best[name])), (name, f, h))
            if h == 0.002:
                drift = [abs(runs[f, x]["energy"]["balance_error_J"]) for x in (0.002, 0.001)]
                self.assertLess(drift[0], 2e-4)
                self.assertGreater(orders(drift)[0], 1.9)

    def test_integrators(self):
        """all of them carry the activation: against rk4, those of order 1 within their order"""
        finals = {}
        for entry in json.loads(self.command("list", "integrators", "--json").stdout):
            name = entry["name"]
            if not FEW or name in ("rk4", "sdirk", "bdf"):
                finals[name] = self.run_model(EXAMPLE, "--time", 0.6, "--step", 0.001, "--formulation", "redundant", "--integrator", name)["final"]
        for name, final in finals.items():
            for channel in ("joint.elbow.angle", "force.flexor.activation"):
                self.assertNear(final[channel], finals["rk4"][channel], 4e-4 if name in ("newmark", "semi_implicit_euler") else 1e-5, (name, channel))

    def test_example(self):
        """stays as drawn, gives way by some degrees, comes back"""
        _, run = self.run_series(EXAMPLE)
        at = {t: run["joint.elbow.angle"][min(range(len(run["t"])), key=lambda i, t=t: abs(run["t"][i] - t))] for t in (0.49, 1.49, 2.5)}
        self.assertLess(abs(at[0.49]), 2e-4)
        self.assertLess(at[1.49], -0.1)
        self.assertGreater(at[1.49], -0.6)
        self.assertLess(abs(at[2.5]), 1e-3)

    def test_refused(self):
        for keys, words in (("activation: 1.2", "'activation' must be between 0 and 1, found 1.2"),
                            ("activation: 0.2, rise: -1", "'rise' must not be negative"),
                            ("activation: 0.2, reflex: 3", "reflex")):
            self.assertIn(words, self.refused(self.hanging(keys)))
        self.assertIn("no length", self.refused(self.variant(HANGING.format(keys="activation: 0.2", motion="").replace("tendon: 0.15", "tendon: 0.3"))))


if __name__ == "__main__":
    unittest.main()
