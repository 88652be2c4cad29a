#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two shafts at 20 degrees: a constant-velocity joint turns them alike, a universal joint does not; speeds and torques
of both against their closed forms, in every formulation, from the tree, cut, and by a gimbal with a ball or a sliding
point."""
import math
import unittest

from support import SHORT, ExampleTest

FORMULATIONS = "hybrid global topological recursive partition redundant".split()
BEND, SPEED, J = math.radians(20), 10.0, 0.02
OUT = math.cos(BEND), 0.0, math.sin(BEND)
CV = "cv:      {type: constant_velocity, between: [c_in, c_out], at: C, axis: x, axis2: out}"
WAYS = {
    "tree": CV,
    "cut": CV.replace("}", ", cut: always}"),
    "the other way round": CV.replace("[c_in, c_out]", "[c_out, c_in]").replace("axis: x, axis2: out", "axis: out, axis2: x"),
    "gimbal and ball": "cv: {type: gimbal, between: [c_in, c_out], at: C, axis: x, axis2: out}\n"
                       "  ball: {type: spherical, between: [c_in, c_out], at: C}",
}


def cardan(t):
    """speed of the driven shaft and torque of the drive"""
    s, c, th = math.sin(BEND) ** 2, math.cos(BEND), SPEED * t
    down = 1 - s * math.sin(th) ** 2
    speed, rate = SPEED * c / down, SPEED ** 2 * c * s * math.sin(2 * th) / down ** 2
    return speed, J * speed * rate / SPEED


def along(found, body, i):
    return sum(found[f"body.{body}.angular_velocity.{x}"][i] * e for x, e in zip("xyz", OUT))


class CardanAndCv(ExampleTest):
    def check(self, model, formulation, what):
        found = self.run_series(model, "--formulation", formulation, "--time", 0.1 if SHORT else 0.35, "--step", 0.005)[1]
        for i, t in enumerate(found["t"]):
            speed, torque = cardan(t)
            self.assertNear(along(found, "u_out", i), speed, 1e-8, f"{what}: universal, speed at {t}")
            self.assertNear(found["joint.drive_u.drive"][i], torque, 1e-7, f"{what}: universal, torque at {t}")
            self.assertNear(along(found, "c_out", i), SPEED, 1e-8, f"{what}: speed at {t}")
            self.assertNear(found["joint.drive_c.drive"][i], 0.0, 1e-7, f"{what}: torque at {t}")
        # the contrast itself: 6 % up and down
        if not SHORT:
            speeds = [along(found, "u_out", i) for i in range(len(found["t"]))]
            self.assertNear(min(speeds), SPEED * math.cos(BEND), 0.01, "slowest")
            self.assertNear(max(speeds), SPEED / math.cos(BEND), 0.01, "fastest")

    def test_all_formulations(self):
        for formulation in FORMULATIONS:
            self.check("cardan-and-cv.yaml", formulation, formulation)

    def test_other_ways(self):
        for i, (what, line) in enumerate(WAYS.items()):
            text = self.text("cardan-and-cv.yaml").replace(CV, line)
            for formulation in (FORMULATIONS[i], "redundant"):
                self.check(self.variant(text), formulation, f"{what}, {formulation}")

    def test_plunge(self):
        """a gimbal with a point on the first shaft: the second slides and tilts, and still turns alike about itself"""
        text = self.text("cardan-and-cv.yaml").replace(CV, """cv: {type: gimbal, between: [c_in, c_out], axis: x, axis2: out}
  slide: {type: in_line, between: [c_in, c_out], at: C, axis: x}
  pull: {type: distance, between: [ground, c_out], ends: [[-l, gap, 0], C], motion: l + 0.02*sin(9*t)}""")
        for formulation in ("hybrid", "redundant"):
            found = self.run_series(self.variant(text), "--formulation", formulation, "--time", 0.3, "--step", 0.005)[1]
            tilts = set()
            for i in range(len(found["t"])):
                up = found["body.c_out.position.z"][i] / 0.4
                axis = math.sqrt(1 - up * up), 0.0, up
                spin = sum(found[f"body.c_out.angular_velocity.{x}"][i] * e for x, e in zip("xyz", axis))
                self.assertNear(spin, SPEED, 1e-7, "speed")
                tilts.add(round(up, 2))
            self.assertGreater(len(tilts), 1, "it does not tilt")


if __name__ == "__main__":
    unittest.main()
