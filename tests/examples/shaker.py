#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/shaker.yaml: a road that is a signal, against an integration of the two equations by hand; steps by the
effort of the iteration, between their bounds."""
import math
import os
import time
import unittest

from support import ExampleTest

EXAMPLE = "shaker.yaml"
M, MW, K, C, KT, CT, STROKE, F0, F1, T, G = 280, 40, 18e3, 1200, 160e3, 150, 0.014, 1, 12, 6, 9.80665
STOP, GAP = 2e9, 0.008


def post(t):
    """stroke and speed"""
    phase = 2 * math.pi * (F0 * t + (F1 - F0) * t * t / (2 * T))
    rate = 2 * math.pi * (F0 + (F1 - F0) * t / T)
    return STROKE * math.sin(phase), STROKE * math.cos(phase) * rate


def slopes(t, s):
    """wheel and body from rest under their weight, displacements from the drawing; gravity of the file"""
    zw, zb, vw, vb = s
    z, v = post(t)
    depth = z - zw
    tyre = max(0.0, KT * depth + CT * (v - vw)) if depth > 0 else 0.0
    strut = K * (zw - zb) + C * (vw - vb) + M * G - STOP * min(0.0, zb - zw + GAP)**3
    return vw, vb, (tyre - strut) / MW - 9.81, strut / M - 9.81


def by_hand(end, h=1e-4):
    z, v = post(0)
    # equilibrium with the post at its start, where it already moves
    tyre = (M + MW) * 9.81
    zw = z - (tyre - CT * v) / KT
    s, t = [zw, zw + (M * G - M * 9.81) / K, 0.0, 0.0], 0.0
    for _ in range(round(end / h)):
        k1 = slopes(t, s)
        k2 = slopes(t + h / 2, [x + h / 2 * k for x, k in zip(s, k1)])
        k3 = slopes(t + h / 2, [x + h / 2 * k for x, k in zip(s, k2)])
        k4 = slopes(t + h, [x + h * k for x, k in zip(s, k3)])
        s = [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(s, k1, k2, k3, k4)]
        t += h
    return s


class Shaker(ExampleTest):
    def test_the_road_is_the_signal(self):
        _, run = self.run_series(EXAMPLE, "--time", 1)
        for t, road, signal in zip(run["t"], run["force.tyre.road"], run["signal.post"]):
            self.assertNear(road, post(t)[0], 1e-12, "stroke")
            self.assertNear(signal, road, 1e-12, "signal")

    def test_against_a_hand_made_integration(self):
        for end in (1.5, 5.0):
            final = self.run_model(EXAMPLE, "--time", end, "--option", "step_max=0.0005")["final"]
            found = [final[f"joint.{name}_slide.{what}"] for what in ("position", "velocity") for name in ("wheel", "body")]
            for x, y, within in zip(found, by_hand(end), (1e-4, 1e-4, 2e-2, 2e-3)):
                self.assertNear(x, y, within, f"at {end} s")

    def test_formulations_agree(self):
        found = {f: self.run_model(EXAMPLE, "--formulation", f, "--time", 1, "--step", 5e-4, "--option", "step_control=off")
                 for f in ("hybrid", "global", "topological", "recursive", "partition", "redundant")}
        for f, value in found.items():
            for name in ("wheel", "body"):
                x, y = (v["final"][f"joint.{name}_slide.position"] for v in (value, found["hybrid"]))
                self.assertNear(x, y, 1e-7 if f == "recursive" else 1e-11, f)

    def test_the_tyre_leaves_the_post(self):
        _, run = self.run_series(EXAMPLE)
        self.assertEqual(min(run["force.tyre.force"]), 0)
        self.assertGreater(min(f for t, f in zip(run["t"], run["force.tyre.force"]) if t < 2), 1000)

    def test_steps_follow_the_iterations(self):
        value, run = self.run_series(EXAMPLE)
        steps = run["solver.step"][1:]
        self.assertLess(min(steps), 0.002)
        self.assertGreaterEqual(min(steps), 1e-4)
        self.assertLessEqual(max(steps), 0.005 * (1 + 1e-9))
        self.assertGreater(value["steps"], 1.2 * 6 / 0.005)
        # nothing is hard for a control that allows more iterations: all steps but the first are the longest
        easy = self.run_model(EXAMPLE, "--option", "iterations_many=6")
        self.assertLessEqual(easy["steps"], 6 / 0.005 + 2)
        # other bounds
        self.assertGreater(self.run_model(EXAMPLE, "--option", "step_max=0.002")["steps"], 6 / 0.002 - 1)
        floor = self.run_model(EXAMPLE, "--option", "step_min=0.004")
        self.assertLess(floor["steps"], value["steps"])
        self.assertGreater(floor["steps"], easy["steps"])
        # with `few` at 1 no step is easy, and none grows again
        tight = self.run_model(EXAMPLE, "--option", "iterations_few=1")
        self.assertGreater(tight["steps"], 1.5 * value["steps"])

    def test_tangents_of_every_iteration(self):
        # the motion is the same; kept tangents cost an iteration here and there
        every, keep = (self.run_model(EXAMPLE, "--option", f"jacobian={word}", "--option", "step_control=off",
                                      "--step", 0.002) for word in ("every", "keep"))
        self.assertEqual(every["steps"], keep["steps"])
        self.assertLessEqual(every["iterations"], keep["iterations"])
        self.assertNear(every["final"]["joint.body_slide.position"], keep["final"]["joint.body_slide.position"], 1e-8)

    def test_compressed_results_are_smaller(self):
        def size(level):
            # on a busy machine a run of more than a second saves its rows on the way, which takes place in the file
            path, tries = self.dir / f"{level}.nc", []
            while len(tries) < 5:
                begin = time.monotonic()
                self.run_model(EXAMPLE, "--output", path, "--compress", level, "--time", 2)
                tries.append(os.path.getsize(path))
                if time.monotonic() - begin < 1:
                    break
            return min(tries)

        self.assertLess(size(4), 0.7 * size(0))


if __name__ == "__main__":
    unittest.main()
