#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/hanging-chain.yaml: what is repeated is what one would have written out, bit by bit; lists and texts from
the command line; a large model is read in a time that grows with its size only."""
import math
import time
import unittest

from support import ExampleTest

EXAMPLE = "hanging-chain.yaml"
MASS = (0.30, 0.25, 0.20, 0.15, 0.10, 0.05)


class HangingChain(ExampleTest):
    def written_out(self, n):
        """the same chain, each item by itself"""
        length = 1.2 / n
        text = ["hooke: 1", "gravity: [0, 0, -9.80665]", f"parameters: {{L: {length!r}}}", "frames:",
                '  chain: {rotate: {axis: y, angle: "-atan2(-0.6, 0.8)"}}']
        rod = range(1, n + 1)
        text += [f"  f{i}: {{in: chain, at: [{i - 1}*L, 0, 0]}}" for i in rod] + ["bodies:"]
        text += [f"  b{i}: {{mass: {MASS[i - 1]}, com: {{in: f{i}, at: [L/2, 0, 0]}}, axes: chain, inertia: {{diagonal: "
                 f"[{MASS[i - 1]}*L^2/1200, {MASS[i - 1]}*L^2/12, {MASS[i - 1]}*L^2/12]}}}}" for i in rod] + ["joints:"]
        text += [f"  p{i}: {{type: universal, between: [{f'b{i - 1}' if i > 1 else 'ground'}, b{i}], at: f{i}, "
                 "axis: chain.y, axis2: chain.z}" for i in rod] + ["forces:"]
        text += [f"  {k}{i}: {{type: joint_spring, joint: p{i}.angles.{k}, spring: {{polynomial: [0, 0.02, 0, 0.1]}}, "
                 "damping: 2e-3}" for k in "ab" for i in rod] + ["start:"]
        text += [f"  p{i}: {{rates: [0, 0.2*{i}]}}" for i in rod]
        text += [f"markers: {{tip: {{on: b{n}, at: {{in: f{n}, at: [L, 0, 0]}}}}}}", "record: [marker.tip.position]",
                 "run: {time: 0.3, step: 0.005}"]
        return self.variant("\n".join(text))

    def test_same_as_written_out(self):
        for n in (1, 2, 6):
            found = self.run_model(EXAMPLE, "--set", f"n={n}", "--time", 0.3)["final"]
            expected = self.run_model(self.written_out(n))["final"]
            for name, value in expected.items():
                self.assertEqual(found[name], value, f"{n} rods, {name}")

    def test_set_lists_and_texts(self):
        """hanging straight down, without weight in one rod, with another law"""
        value = self.run_model(EXAMPLE, "--set", "along=[0,0,-1]", "--set", "mass.3=0.5", "--time", 0.005)
        self.assertNear(value["final"]["marker.tip.position.z"], -1.2, 1e-4)
        value = self.run_model(EXAMPLE, "--set", "down=[0,0,0]", "--set", "rubber=2*s", "--time", 0.005)
        self.assertNear(math.hypot(*(value["final"][f"marker.tip.position.{x}"] for x in "xyz")), 1.2, 1e-4)
        self.assertIn("'sofd'", self.command("run", self.variant(self.text(EXAMPLE)), "--set", "rubber=sofd", code=3).stderr)

    def test_many(self):
        """ten times as many instances take about ten times as long to read (a step is refused before it is made)"""
        model = self.variant("""hooke: 1
components:
  cell:
    bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}
    joints: {j: {type: revolute, between: [ground, b], at: [0, 0, 1], axis: y}}
    forces: {s: {type: joint_spring, joint: j, stiffness: 10 + 0.001*i}}
parameters: {n: 1}
instances: {c: {repeat: n, component: cell, at: [i, 0, 0]}}
run: {time: 1, step: 0.01, formulation: none}
""")
        times = []
        for n in (2000, 20000):
            began = time.monotonic()
            self.assertIn("none", self.command("run", model, "--set", f"n={n}", code=3).stderr)
            times.append(time.monotonic() - began)
        self.assertLess(times[1], 30 * times[0] + 0.5)


if __name__ == "__main__":
    unittest.main()
