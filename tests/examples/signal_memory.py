#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signals that remember: sample, latch, first_hit, after, delay; against their exact solutions, at the order of the
method, in every formulation, with every kind of integrator, over rejected steps and in resumed runs."""
import math
import unittest

from support import ExampleTest, orders

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")
BODY = """bodies: {a: {mass: 2, com: [0, 0, 0]}}
joints: {x: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}}
record: ["signal.*", joint.x.position, joint.x.velocity]
"""
# a digital controller with an integral of its own: y_k = y_(k-1) + T u_(k-1)
SAMPLED = """hooke: 1
signals:
  held: {sample: {of: joint.x.position, period: 0.03}}
  rate: {sample: {of: joint.x.velocity, period: 0.03}}
  sum: {sample: {of: 1 - held, period: 0.03, numerator: [0, 0.03], denominator: [1, -1]}}
  late: {sample: {of: t, period: 0.1, phase: 0.05, start: -1}}
""" + BODY + """forces: {p: {type: force, on: a, value: [30*(1 - held) - 10*rate + 20*sum, 0, 0]}}
run: {time: 1, step: 0.01, integrator: trapezoidal}
"""
LATCHED = """hooke: 1
signals:
  back: {latch: {when: joint.x.position > 0.7, reset: joint.x.position < 0.2}}
  hit: {first_hit: {when: joint.x.position > 0.7}}
  speed: {latch: {when: t > 0.33, of: joint.x.velocity}}
  switched: {after: {when: joint.x.position > 0.7, of: "5 + t", before: -1}}
""" + BODY + """forces: {p: {type: force, on: a, value: [10 - 20*back, 0, 0]}}
run: {time: 2, step: 0.01, integrator: trapezoidal}
"""
DELAYED = """hooke: 1
signals:
  ago: {delay: {of: joint.x.position, time: 0.2}}
  wave: {delay: {of: "sin(7*t)", time: 0.1}}
  jump: {delay: {of: step(t - 0.137), time: 0.25}}
""" + BODY + """forces: {p: {type: force, on: a, value: [10 - 40*ago, 0, 0]}}
run: {time: 1, step: 0.01, integrator: trapezoidal}
"""


def digital(end=1.0, period=0.03):
    """position and speed: constant forces between the samples"""
    x = v = total = 0.0
    k = 0
    while k * period < end:
        h = min((k + 1) * period, end) - k * period
        a = (30 * (1 - x) - 10 * v + 20 * total) / 2
        total += period * (1 - x)
        x, v = x + h * v + h * h / 2 * a, v + h * a
        k += 1
    return x, v


def switched(end=2.0):
    """a force of 10 N until 0.7 m, then one of -10 N until 0.2 m, and so on"""
    x = v = t = 0.0
    a = 5.0
    while True:
        goal = 0.7 if a > 0 else 0.2
        # the first time at which the goal is passed in the right direction
        root = math.sqrt(v * v + 2 * a * (goal - x))
        times = sorted(s for s in ((-v - root) / a, (-v + root) / a) if s > 1e-12 and (v + a * s) * a > 0)
        h = min(times[0] if times else end, end - t)
        x, v, t = x + h * v + h * h / 2 * a, v + h * a, t + h
        if t >= end:
            return x, v
        a = -a


def retarded(end=1.0, delay=0.2):
    """2 x'' = 10 - 40 x(t - T) by the method of steps: polynomials, x = 0 before the start"""
    past, start = [0.0], [0.0, 0.0]  # x(t - T) on the piece as a polynomial of the time in it; x, v at its start
    for _ in range(round(end / delay)):
        accel = [(10 * (i == 0) - 40 * c) / 2 for i, c in enumerate(past)]
        now = start + [c / (i + 1) / (i + 2) for i, c in enumerate(accel)]
        rate = [i * c for i, c in enumerate(now)][1:]
        start = [sum(c * delay**i for i, c in enumerate(now)), sum(c * delay**i for i, c in enumerate(rate))]
        past = now
    return start


class Memory(ExampleTest):
    def ends(self, text, *args):
        return self.run_model(self.variant(text), *args)["final"]

    def near(self, end, expected, within, what):
        self.assertNear(end["joint.x.position"], expected[0], within, what)
        self.assertNear(end["joint.x.velocity"], expected[1], within * 10, what)

    def test_samples(self):
        for f in FORMULATIONS:
            self.near(self.ends(SAMPLED, "--formulation", f), digital(), 1e-11, f)
        for i in ("rk4", "dopri5", "generalized_alpha", "multistep", "sdirk"):
            self.near(self.ends(SAMPLED, "--integrator", i), digital(), 1e-8, i)

    def test_sampling_times(self):
        _, rows = self.run_series(self.variant(SAMPLED), "--step", 0.004)
        for t, y in zip(rows["t"], rows["signal.late"]):
            k = math.floor((t - 0.05) / 0.1 + 1e-9)
            if abs((t - 0.05) / 0.1 - k) < 1e-9:
                continue  # the last bit of the time decides
            self.assertNear(y, -1 if k < 0 else 0.05 + 0.1 * k, 1e-12, f"at {t}")

    def test_latch(self):
        for f in FORMULATIONS:
            end = self.ends(LATCHED, "--formulation", f)
            self.near(end, switched(), 1e-8, f)
            self.assertNear(end["signal.hit"], math.sqrt(1.4 / 5), 1e-9, f)
            self.assertNear(end["signal.speed"], 5 * 0.33, 1e-9, f)
            self.assertEqual(end["signal.switched"], 7)
        for i in ("rk4", "dopri5", "generalized_alpha"):
            self.near(self.ends(LATCHED, "--integrator", i), switched(), 1e-6, i)

    def test_delay(self):
        expected = retarded()
        for i, order in (("trapezoidal", 2), ("rk4", 4)):
            errors = [abs(self.ends(DELAYED, "--integrator", i, "--step", h)["joint.x.position"] - expected[0])
                      for h in (0.02, 0.01, 0.005)]
            for found in orders(errors):
                self.assertNear(found, order, 0.15, i)
            self.assertLess(errors[-1], 1e-4 if order == 2 else 1e-9, i)
        for f in FORMULATIONS:
            end = self.ends(DELAYED, "--formulation", f, "--step", 0.002)
            self.near(end, expected, 2e-5, f)
            self.assertNear(end["signal.wave"], math.sin(6.3), 1e-10)
            self.assertNear(end["signal.ago"], self.ends(DELAYED, "--time", 0.8, "--step", 0.002)["joint.x.position"],
                            1e-8)
        self.near(self.ends(DELAYED, "--integrator", "dopri5"), expected, 1e-5, "dopri5")

    def test_delayed_jump(self):
        # a jump comes out again at its time, to the last bit
        _, rows = self.run_series(self.variant(DELAYED), "--step", 0.004)
        for t, y in zip(rows["t"], rows["signal.jump"]):
            if abs(t - 0.387) > 1e-9:
                self.assertEqual(y, float(t > 0.387), f"at {t}")

    def test_too_short(self):
        model = self.variant(DELAYED)
        message = self.command("run", model, "--step", 0.5, code=3).stderr
        self.assertIn("the delay of 'ago', 0.2 s, is shorter than a step, 0.5 s", message)

    def test_resume(self):
        for text in (SAMPLED, LATCHED, DELAYED):
            for integrator in ("trapezoidal", "dopri5"):
                model = self.variant(text)
                args = ("--integrator", integrator)
                whole = self.run_model(model, *args)["final"]
                self.run_model(model, *args, "--time", 0.47, "--checkpoint", "half.ck")
                again = self.run_model(model, *args, "--resume", "half.ck")["final"]
                if integrator == "trapezoidal":
                    self.assertEqual(again, whole)
                else:
                    self.assertNear(again["joint.x.position"], whole["joint.x.position"], 1e-6)

    def test_delay_that_forgets(self):
        """more jumps within its time than it remembers: the run ends and says why"""
        text = DELAYED.replace('{delay: {of: step(t - 0.137), time: 0.25}}',
                               '{delay: {of: {pulse: {width: 1e-4, period: 2e-4}}, time: 0.2}}').replace("40*ago", "40*jump")
        said = self.command("run", self.variant(text), code=5).stderr
        self.assertRegex(said, r"'jump' \(.*variant.yaml:5:3\) is not a number at t = 0\.0512")
        self.assertIn("jumped more often within its time of 0.2 s than a delay remembers", said)


if __name__ == "__main__":
    unittest.main()
