#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/double-four-bar.yaml: ten passages through the singular position, whichever joints are
cut; positions against the exact reduction."""
import itertools
import math
import unittest

from support import ExampleTest, SECOND_ORDER, SHORT, series

EXAMPLE = "double-four-bar.yaml"
REFERENCE = series("double-four-bar.csv")
# energy drift in J at each step in s: Cuadrado and Dopico 2003 print -0.01, -0.12, -0.34, -1.34
DRIFT = {0.01: -0.0137, 0.03: -0.1228, 0.05: -0.3403, 0.1: -1.3428}

# three ways to pin coupler1, coupler2 and the middle crank together at B1
AT_B1 = [[("pin_B1", "coupler1", "middle"), ("pin_C1", "middle", "coupler2")],
         [("pin_B1", "coupler1", "middle"), ("pin_C1", "coupler1", "coupler2")],
         [("pin_B1", "coupler2", "middle"), ("pin_C1", "coupler1", "coupler2")]]
OTHERS = [("pin_A0", "ground", "left"), ("pin_A1", "ground", "middle"), ("pin_A2", "ground", "right"),
          ("pin_B0", "left", "coupler1"), ("pin_B2", "coupler2", "right")]


def is_tree(edges):
    group = {}

    def find(x):
        while group.get(x, x) != x:
            x = group[x]
        return x
    for _, a, b in edges:
        a, b = find(a), find(b)
        if a == b:
            return False
        group[a] = b
    return len(edges) == 5


def trees():
    """all choices of two joints to cut, over the three ways to join at B1"""
    for pins in AT_B1:
        joints = OTHERS + pins
        for cut in itertools.combinations(joints, 2):
            if is_tree([j for j in joints if j not in cut]):
                yield joints, {c[0] for c in cut}


class DoubleFourBar(ExampleTest):
    def cut_model(self, joints, cut):
        """the example with these joints, cut where we say"""
        text = self.text(EXAMPLE)
        head, rest = text.split("joints:\n")
        places = dict(pin_A0="A0", pin_A1="A1", pin_A2="A2", pin_B0="B0", pin_B1="B1", pin_C1="B1",
                      pin_B2="B2")
        lines = [f"  {n}: {{type: revolute, between: [{a}, {b}], at: {places[n]}, axis: z, "
                 f"cut: {'always' if n in cut else 'never'}}}\n" for n, a, b in joints]
        return self.variant(head + "joints:\n" + "".join(lines) + "\nmarkers:" +
                            rest.split("\nmarkers:")[1])

    def check_drift(self, model, h, what):
        value = self.run_model(model, "--step", h, "--substeps", "off", "--formulation", "hybrid",
                               "--integrator", "trapezoidal")
        self.assertEqual((value["rejected"], value["steps"]), (0, math.ceil(10 / h - 1e-9)), what)
        self.assertEqual([value[k] for k in ("bodies", "coordinates", "constraints", "dof", "redundant")],
                         [5, 5, 4, 1, 0], what)
        self.assertNear(value["energy"]["max_drift_J"], DRIFT[h], 0.001, f"drift at {h} s, {what}")
        self.assertLess(value["constraint"]["position_max"], 1e-9)
        self.assertLess(value["constraint"]["velocity_max"], 1e-8)

    def test_drift_of_the_paper(self):
        for h in DRIFT:
            self.check_drift(EXAMPLE, h, "as it is")

    def test_drift_whichever_joints_are_cut(self):
        all_trees = list(trees())
        self.assertEqual(len(all_trees), 47)
        for joints, cut in all_trees[::20] if SHORT else all_trees:
            model = self.cut_model(joints, cut)
            for h in DRIFT:
                self.check_drift(model, h, f"cut at {sorted(cut)}")

    def test_cut_hints_are_followed(self):
        joints, cut = next(t for t in trees() if t[1] == {"pin_A0", "pin_B2"})
        text = self.command("check", self.cut_model(joints, cut)).stdout
        self.assertRegex(text, r"2 cut: pin_A0, pin_B2")

    def test_positions_through_ten_singular_passages(self):
        # at 10 ms the angle is 6.6e-4 rad off at most, over five turns
        steps = (0.01,) if SHORT else (0.01, 0.005, 0.0025)
        errors = []
        for h in steps:
            _, run = self.run_series(EXAMPLE, "--step", h)
            rows = self.at(run, REFERENCE["t"], h)
            errors.append(max(abs(-run["joint.pin_A0.angle"][i] - th)
                              for i, th in zip(rows, REFERENCE["theta"])))
        self.assertLess(errors[0], 7e-4)
        self.assertOrder(errors, 2, 0.05, "angle")

    def test_orders_before_the_first_passage(self):
        n = 13  # to 0.6 s
        for integrator in SECOND_ORDER:
            errors = []
            for h in (0.01, 0.005, 0.0025, 0.00125):
                _, run = self.run_series(EXAMPLE, "--step", h, "--time", 0.6, "--integrator", integrator)
                rows = self.at(run, REFERENCE["t"][:n], h)
                errors.append(max(math.hypot(run["marker.B0.position.x"][i] - x,
                                             run["marker.B0.position.y"][i] - y)
                                  for i, x, y in zip(rows, REFERENCE["B0_x"], REFERENCE["B0_y"])))
            self.assertOrder(errors, 2, 0.02, integrator)

    def test_velocities_before_the_first_passage(self):
        n = 13
        _, run = self.run_series(EXAMPLE, "--step", 0.001, "--time", 0.6)
        for i, k in zip(self.at(run, REFERENCE["t"][:n], 0.001), range(n)):
            self.assertNear(run["marker.B0.velocity.x"][i], REFERENCE["B0_vx"][k], 1e-5, "B0 vx")
            self.assertNear(run["marker.B0.velocity.y"][i], REFERENCE["B0_vy"][k], 1e-5, "B0 vy")

    def test_all_cranks_stay_parallel(self):
        _, run = self.run_series(EXAMPLE, "--step", 0.05)
        for a, b, c in zip(*(run[f"joint.pin_A{i}.angle"] for i in range(3))):
            self.assertNear(b, a, 1e-8, "middle crank")
            self.assertNear(c, a, 1e-8, "right crank")


if __name__ == "__main__":
    unittest.main()
