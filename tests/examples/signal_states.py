#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signals with states: integral, derivative, filter, transfer_function, state_space, pid; against closed forms, the
matrix exponential and an integration by hand, at the order of the method, in every formulation."""
import math
import unittest

from support import ExampleTest, orders

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")
BODY = """bodies: {a: {mass: 2, com: [0, 0, 0]}}
joints: {x: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}}
"""
LINEAR = """hooke: 1
signals:
  u: "cos(5*t)"
  area: {integral: {of: u, start: 0.5}}
  decay: {integral: {of: "-2*decay", start: 3}}
  low: {filter: {of: u, lowpass: 2, start: 0.25}}
  low2: {filter: {of: u, lowpass: 2, order: 2, damping: 0.6}}
  high: {filter: {of: u, highpass: 2}}
  high2: {filter: {of: u, highpass: 2, order: 2, damping: 0.6}}
  ratio: {transfer_function: {of: u, numerator: [2, 1, 2], denominator: [2, 6, 10]}}
  space: {state_space: {of: [u, 3], A: [[0, 1], [-5, -3]], B: [[0, 1], [1, 0]], C: [2, 1], D: [0, 0.5], start: [1, -1]}}
  rate: {derivative: {of: u, time: 0.05, start: 1}}
""" + BODY + """forces: {p: {type: force, on: a, value: [area + space, 0, 0]}}
record: ["signal.*", joint.x.position]
run: {time: 1, step: 0.01, integrator: trapezoidal}
"""
PID = """hooke: 1
signals:
  wanted: {cosine: {frequency: 1, amplitude: 0.25, cycles: 0.5}}
  error: wanted - joint.x.position
  control: {pid: {of: error, kp: 400, ki: 900, kd: 40, DIFFERENCE, limits: [-20, 20], windup: 0.05}}
""" + BODY + """forces: {p: {type: force, on: a, value: [control - 3, 0, 0]}}
record: [signal.control, joint.x.position, joint.x.velocity]
run: {time: 1, step: 0.001, integrator: trapezoidal}
"""


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def exponential(a, t):
    """e^(A t) by its series and squaring"""
    n, halvings = len(a), 20
    a = [[x * t / 2**halvings for x in row] for row in a]
    e = term = [[float(i == j) for j in range(n)] for i in range(n)]
    for k in range(1, 8):
        term = [[x / k for x in row] for row in product(term, a)]
        e = [[x + y for x, y in zip(*rows)] for rows in zip(e, term)]
    for _ in range(halvings):
        e = product(e, e)
    return e


def linear(a, b, c, d, start, t):
    """y of x' = A x + B u, y = C x + D u with u = (cos 5t, 3): the operands are states of a larger system"""
    n = len(a)
    # (x, cos 5t, sin 5t, 3)
    whole = [row + [bu[0], 0.0, bu[1]] for row, bu in zip(a, b)]
    whole += [[0.0] * n + [0.0, -5.0, 0.0], [0.0] * n + [5.0, 0.0, 0.0], [0.0] * (n + 3)]
    end = [row[0] for row in product(exponential(whole, t), [[v] for v in list(start) + [1.0, 0.0, 3.0]])]
    return sum(x * y for x, y in zip(c, end)) + d[0] * end[n] + d[1] * end[n + 2]


def exact(t):
    w, z = 4 * math.pi, 0.6
    second = [[0.0, 1.0], [-w * w, -2 * z * w]]
    forced = [[0.0, 0.0], [w * w, 0.0]]
    return {
        "area": 0.5 + math.sin(5 * t) / 5,
        "decay": 3 * math.exp(-2 * t),
        "low": linear([[-w]], [[w, 0.0]], [1.0], [0.0, 0.0], [0.25], t),
        "high": linear([[-w]], [[w, 0.0]], [-1.0], [1.0, 0.0], [0.0], t),
        "low2": linear(second, forced, [1.0, 0.0], [0.0, 0.0], [0.0, 0.0], t),
        "high2": linear(second, forced, [-1.0, -2 * z / w], [1.0, 0.0], [0.0, 0.0], t),
        # (s^2 + s/2 + 1)/(s^2 + 3 s + 5) = 1 + (-5/2 s - 4)/(s^2 + 3 s + 5)
        "ratio": linear([[0.0, 1.0], [-5.0, -3.0]], [[0.0, 0.0], [1.0, 0.0]], [-4.0, -2.5], [1.0, 0.0],
                        [0.0, 0.0], t),
        "space": linear([[0.0, 1.0], [-5.0, -3.0]], [[0.0, 1.0], [1.0, 0.0]], [2.0, 1.0], [0.0, 0.5],
                        [1.0, -1.0], t),
        "rate": linear([[-20.0]], [[20.0, 0.0]], [-20.0], [20.0, 0.0], [1.0], t),
    }


def by_hand(filtered, end=1.0, h=2e-4):
    """the mass under its controller, by the classical method of order 4"""
    def control(t, s):
        wanted = 0.25 * (1 - math.cos(2 * math.pi * min(t, 0.5)))
        error = wanted - s[0]
        rate = (error - s[3]) / 0.02 if filtered else -s[1]
        free = 400 * error + s[2] + 40 * rate
        return min(max(free, -20), 20), free, error

    def slopes(t, s):
        y, free, error = control(t, s)
        return [s[1], (y - 3) / 2, 900 * error + (y - free) / 0.05, (error - s[3]) / 0.02]

    s, t = [0.0, 0.0, 0.0, 0.0], 0.0
    for i in range(round(end / h)):
        t = i * h
        k1 = slopes(t, s)
        k2 = slopes(t + h / 2, [a + h / 2 * b for a, b in zip(s, k1)])
        k3 = slopes(t + h / 2, [a + h / 2 * b for a, b in zip(s, k2)])
        k4 = slopes(t + h, [a + h * b for a, b in zip(s, k3)])
        s = [a + h / 6 * (p + 2 * q + 2 * r + u) for a, p, q, r, u in zip(s, k1, k2, k3, k4)]
    return s[0], s[1], control(end, s)[0]


class States(ExampleTest):
    def ends(self, text, *args):
        return self.run_model(self.variant(text), *args)["final"]

    def test_order(self):
        expected = exact(1.0)
        runs = [self.ends(LINEAR, "--step", h) for h in (0.004, 0.002, 0.001)]
        for name, value in expected.items():
            errors = [abs(end["signal." + name] - value) for end in runs]
            self.assertLess(errors[-1], 2e-4, name)
            for order in orders(errors):
                self.assertNear(order, 2, 0.15, name)

    def test_matrix_exponential(self):
        end = self.ends(LINEAR, "--integrator", "rk4", "--step", 0.0005)
        for name, value in exact(1.0).items():
            self.assertNear(end["signal." + name], value, 1e-9, name)

    def test_formulations(self):
        runs = [self.ends(LINEAR, "--formulation", f) for f in FORMULATIONS]
        for end, name in zip(runs[1:], FORMULATIONS[1:]):
            for key, value in runs[0].items():
                self.assertNear(end[key], value, 1e-8, f"{name}: {key}")

    def test_pid(self):
        for filtered, words in ((False, "rate: 0 - joint.x.velocity"), (True, "time: 0.02")):
            expected = by_hand(filtered)
            text = PID.replace("DIFFERENCE", words)
            for f in FORMULATIONS if filtered else ("hybrid", "redundant"):
                end = self.ends(text, "--formulation", f)
                self.assertNear(end["joint.x.position"], expected[0], 2e-5, f)
                self.assertNear(end["joint.x.velocity"], expected[1], 2e-4, f)
                self.assertNear(end["signal.control"], expected[2], 2e-2, f)

    def test_resume(self):
        # states are unknowns of the network: a run in two parts is the same run, bit by bit
        model = self.variant(PID.replace("DIFFERENCE", "time: 0.02"))
        whole = self.run_model(model)["final"]
        self.run_model(model, "--time", 0.4, "--checkpoint", "half.ck")
        self.assertEqual(self.run_model(model, "--resume", "half.ck")["final"], whole)


if __name__ == "__main__":
    unittest.main()
