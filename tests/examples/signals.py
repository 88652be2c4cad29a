#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/signals.yaml: every kind of signal against its formula, and the motion in all formulations."""
import math
import unittest

from support import ExampleTest

EXAMPLE = "signals.yaml"
FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")
MASK = (1 << 64) - 1
GOLDEN = 0x9e3779b97f4a7c15


def mix(z):
    z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & MASK
    return z ^ (z >> 31)


def even(z):
    return (z >> 11) * 2.0**-52 - 1.0


def cell(seed, row, k, normal):
    z = mix((mix((seed * GOLDEN + row + 1) & MASK) + k * GOLDEN) & MASK)
    if not normal:
        return math.sqrt(3) * even(z)
    return 0.5 * sum(even(mix((z + i * GOLDEN) & MASK)) for i in range(12))


def pink(t, hold, seed):
    """sixteen rows of held values, each twice as long as the one before"""
    return sum(cell(seed, j, math.floor(t / (hold * 2**j)), True) for j in range(16)) / 4


def smooth(t, hold, seed, amplitude):
    """value, rate and acceleration of a cubic B-spline"""
    k = math.floor(t / hold)
    u = t / hold - k
    c = [cell(seed, 0, k + i, False) for i in (-1, 0, 1, 2)]
    weights = (((1 - u)**3, 3 * u**3 - 6 * u**2 + 4, -3 * u**3 + 3 * u**2 + 3 * u + 1, u**3),
               (-3 * (1 - u)**2, 9 * u**2 - 12 * u, -9 * u**2 + 6 * u + 3, 3 * u**2),
               (6 * (1 - u), 18 * u - 12, 6 - 18 * u, 6 * u))
    scale = amplitude * math.sqrt(315 / 151) / 6
    return [scale / hold**i * sum(a * b for a, b in zip(c, w)) for i, w in enumerate(weights)]


def lines(t, rows):
    for (a, x), (b, y) in zip(rows, rows[1:]):
        if a <= t <= b:
            return x + (y - x) * (t - a) / (b - a)
    return rows[-1][1]


def quintic(u):
    u = min(max(u, 0), 1)
    return u**3 * (10 - 15 * u + 6 * u * u)


POINTS = [(0, 0), (0.3, 1), (0.7, -1), (1, 0)]
FORMULAS = {
    "formula": lambda t: 0.5 * math.sin(3 * t) + (t >= 0.5),
    "step": lambda t: 2 * quintic((t - 0.2) / 0.1),
    "ramp": lambda t: 3 * min(max(t - 0.1, 0), 0.5),
    "sine": lambda t: 0.5 * math.sin(4 * math.pi * t + math.pi / 6),
    "cosine": lambda t: 0.5 * (1 - math.cos(2 * math.pi * min(t, 0.5))),
    "pulse": lambda t: float(t % 0.25 < 0.1),
    "sweep": lambda t: math.sin(2 * math.pi * (8**t - 1) / math.log(8)),
    "pace": lambda t: 2 * math.pi * 8**t * math.cos(2 * math.pi * (8**t - 1) / math.log(8)),
    "fourier": lambda t: (0.3 + math.cos(2 * math.pi * t) + 0.2 * math.cos(6 * math.pi * t)
                          - 0.5 * math.sin(4 * math.pi * t)),
    "noise": lambda t: pink(t, 0.05, 3),
    "shaking": lambda t: smooth(t, 0.1, 4, 0.01)[0],
    "points": lambda t: lines(t, POINTS),
    "wind.x": lambda t: lines(t, [(0, 0), (0.5, 1), (1, 0)]),
    "wind.y": lambda t: lines(t, [(0, 1), (0.5, 0.5), (1, 0)]),
    "wind.z": lambda t: lines(t, [(0, 0), (0.5, 0), (1, 1)]),
    "teeth": lambda t: 0.4 * (t % 0.2)**2,
    "beats": lambda t: lines(t % 0.5, POINTS),
    "all": lambda t: (0.5 * math.sin(4 * math.pi * t + math.pi / 6) + 1 - math.cos(2 * math.pi * min(t, 0.5))
                      + 0.1 * t),
}


STATES = {"travel", "calm", "quick", "speed", "lag", "swing", "control"}  # signal_states.py
MEMORY = {"held", "trend", "echo", "passed", "hit", "brake"}  # signal_memory.py


class Signals(ExampleTest):
    def test_values(self):
        # rows of the grid alone: at a jump they depend on the last bit of the time
        _, rows = self.run_series(EXAMPLE, "--step", 0.0137, "--time", 0.95, "--integrator", "trapezoidal")
        seen = {name[len("signal."):] for name in rows if name.startswith("signal.")}
        self.assertEqual(seen, set(FORMULAS) | {"curve", "hill"} | STATES | MEMORY)
        for x, y in zip(rows["joint.rail.position"], rows["signal.travel"]):
            self.assertNear(x, y, 1e-8)  # the method's own rule for positions, to its tolerance
        for name, formula in FORMULAS.items():
            for t, y in zip(rows["t"], rows["signal." + name]):
                if abs(t / 0.0137 - round(t / 0.0137)) > 1e-6:
                    continue
                self.assertNear(y, formula(t), 1e-12, f"{name} at {t}")

    def test_motion_from_noise(self):
        # the driven table follows the curve, its rate and its acceleration
        _, rows = self.run_series(EXAMPLE, "--step", 0.0137, "--time", 0.95)
        for t, x, v, f in zip(*(rows[k] for k in ("t", "joint.shake.position", "joint.shake.velocity",
                                                  "joint.shake.drive"))):
            y = smooth(t, 0.1, 4, 0.01)
            self.assertNear(x, y[0], 1e-12)
            self.assertNear(v, y[1], 1e-11)
            self.assertNear(f, y[2], 1e-9)  # a mass of 1 kg

    def test_formulations(self):
        ends = [self.run_model(EXAMPLE, "--formulation", f, "--integrator", "trapezoidal")["final"]
                for f in FORMULATIONS]
        for end in ends[1:]:
            self.assertNear(end["joint.rail.position"], ends[0]["joint.rail.position"], 1e-8)
            self.assertNear(end["joint.rail.velocity"], ends[0]["joint.rail.velocity"], 1e-7)

    def test_impulse(self):
        # jumps end steps exactly: the impulse of a force is its integral, and the last rows are exact
        model = self.variant("""hooke: 1
signals:
  f: {periodic: {of: {pulse: {width: 0.11, start: 0.07, to: 3}}, period: 0.31}}
  g: {random: {hold: 0.0371, seed: 11}}
bodies: {a: {mass: 1, com: [0, 0, 0]}}
joints: {x: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}}
forces: {p: {type: force, on: a, value: [f + g, 0, 0]}}
run: {time: 1, step: 0.01, formulation: hybrid, integrator: trapezoidal}
""")
        end = self.run_model(model)["final"]
        noise = sum(cell(11, 0, k, False) * (min(1, (k + 1) * 0.0371) - k * 0.0371) for k in range(27))
        pulses = 3 * 0.11 * 3
        self.assertNear(end["joint.x.velocity"], noise + pulses, 1e-12)


if __name__ == "__main__":
    unittest.main()
