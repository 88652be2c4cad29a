#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drives that read other joints: their tangents are not symmetric, and every formulation must have them whole."""
import unittest

from support import ExampleTest

FORMULATIONS = ("hybrid", "topological", "global", "recursive", "partition", "redundant")


def links(n, gain):
    """n links let go near the position in which they hang; the torque of each joint reads the rates of its neighbours, with opposite signs"""
    body = "\n".join(f"  b{i}: {{mass: 1, com: [0, 0, {-i - 0.5}], inertia: {{yy: 0.1}}}}" for i in range(n))
    joint = "\n".join(f"  j{i}: {{type: revolute, between: [{f'b{i - 1}' if i else 'ground'}, b{i}], "
                      f"at: [0, 0, {-i}], axis: y}}" for i in range(n))
    force = []
    for i in range(n):
        reads = [f"{gain}*joint.j{i + 1}.rate"] * (i + 1 < n) + [f"-{gain}*joint.j{i - 1}.rate"] * (i > 0)
        force.append(f"  t{i}: {{type: joint_torque, joint: j{i}, value: \"{' '.join(reads)}\"}}")
    return (f"hooke: 1\ntitle: Cross-feed\nplanar: xz\ngravity: [0, 0, -9.81]\nbodies:\n{body}\njoints:\n{joint}\n"
            "forces:\n" + "\n".join(force) + "\nstart: {j0: {angle: 0.2}}\nrecord: ['joint.*.angle']\n"
            "run: {time: 1, step: 0.01, integrator: trapezoidal}\n")


class Feedback(ExampleTest):
    def test_two_links(self):
        for gain in (20, 100, 500):
            model = self.variant(links(2, gain))
            angle = []
            for f in FORMULATIONS:
                r = self.run_model(model, "-f", f)
                self.assertEqual(r["rejected"], 0, f"{f}, gain {gain}")
                self.assertLessEqual(r["iterations"], 3.2 * r["steps"], f"{f}, gain {gain}")
                angle.append(r["final"]["joint.j1.angle"])
            for f, a in zip(FORMULATIONS, angle):
                self.assertAlmostEqual(a, angle[0], delta=2e-3, msg=f"{f}, gain {gain}")

    def test_every_implicit_pair(self):
        for gain in (20, 100, 500):
            model = self.variant(links(2, gain))
            for i, stages in (("newmark", 1), ("hht", 1), ("generalized_alpha", 1), ("multistep", 1), ("sdirk", 2)):
                for f in FORMULATIONS:
                    if (f, i) == ("recursive", "sdirk"):
                        continue
                    r = self.run_model(model, "-f", f, "-i", i, "--time", 0.4)
                    self.assertEqual(r["rejected"], 0, f"{f}, {i}, gain {gain}")
                    self.assertLessEqual(r["iterations"], 3.2 * stages * r["steps"], f"{f}, {i}, gain {gain}")

    def test_many(self):
        """more than forty of them"""
        model = self.variant(links(45, 30))
        for f in ("hybrid", "global", "recursive", "topological"):
            r = self.run_model(model, "-f", f, "--time", 0.1)
            self.assertEqual(r["rejected"], 0, f)
            self.assertLessEqual(r["iterations"], 5.2 * r["steps"], f)


if __name__ == "__main__":
    unittest.main()
