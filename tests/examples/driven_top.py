#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prescribed rotations of ball joints: a hundred turns at 40 rad/s, by angles, rotation vector and quaternion, in every
formulation; orientation, rates and torques against closed forms."""
import math
import unittest

from support import SHORT, ExampleTest, rotate

FORMULATIONS = "hybrid global topological recursive partition redundant".split()
TURNS = 10 if SHORT else 100
MASS, ARM = 2.0, 0.3
J = 0.10 + MASS * ARM ** 2, 0.12 + MASS * ARM ** 2, 0.03  # about the ball
SPIN, PRECESSION, TILT = 40.0, 3.0, 0.4
AXIS = 0.36, -0.48, 0.8
MOTION = "{euler: zxz, angles: [precession*t, tilt, spin*t]}"
OTHERS = {
    "vector": "{rotation: [0.36*spin*t, -0.48*spin*t, 0.8*spin*t]}",
    # of any length
    "quaternion": "{quaternion: [%s*cos(20*t), 0.36*%s*sin(20*t), -0.48*%s*sin(20*t), 0.8*%s*sin(20*t)]}"
                  % (("(2 + sin(t))",) * 4),
}


def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def multiply(p, q):
    a, b = p[1:], q[1:]
    c = cross(a, b)
    return [p[0] * q[0] - sum(x * y for x, y in zip(a, b))] + [p[0] * b[i] + q[0] * a[i] + c[i] for i in range(3)]


def about(axis, angle):
    return [math.cos(angle / 2)] + [math.sin(angle / 2) * x for x in axis]


def torque(q, w, wd):
    """of the ball on the top, world axes, for rates in body axes"""
    g = rotate([q[0], -q[1], -q[2], -q[3]], (0, 0, -9.81))
    gyro, weight = cross(w, [j * x for j, x in zip(J, w)]), cross((0, 0, ARM), [MASS * x for x in g])
    return rotate(q, [J[i] * wd[i] + gyro[i] - weight[i] for i in range(3)])


def precessing(t):
    """orientation, rates and torque by angles"""
    q = multiply(multiply(about((0, 0, 1), PRECESSION * t), about((1, 0, 0), TILT)), about((0, 0, 1), SPIN * t))
    s, c, p = math.sin(SPIN * t), math.cos(SPIN * t), PRECESSION * math.sin(TILT)
    w = p * s, p * c, PRECESSION * math.cos(TILT) + SPIN
    return q, w, torque(q, w, (p * c * SPIN, -p * s * SPIN, 0.0))


def turning(t):
    """about a fixed axis"""
    q, w = about(AXIS, SPIN * t), [SPIN * x for x in AXIS]
    return q, w, torque(q, w, (0, 0, 0))


class DrivenTop(ExampleTest):
    def check(self, model, exact, formulation, time, step=0.005):
        value, found = self.run_series(model, "--formulation", formulation, "--time", time, "--step", step)
        self.assertEqual(value["rejected"], 0, formulation)
        for i in sorted({0, 1, 2, 3, 4, len(found["t"]) // 2, len(found["t"]) - 2, len(found["t"]) - 1}):
            q, w, moment = exact(found["t"][i])
            turn = [found[f"body.top.orientation.{x}"][i] for x in "wxyz"]
            self.assertNear(abs(sum(a * b for a, b in zip(q, turn))), 1.0, 1e-12, f"{formulation}: orientation")
            for k, x in enumerate("xyz"):
                self.assertNear(found[f"body.top.local_angular_velocity.{x}"][i], w[k], 1e-6, f"{formulation}: rate {x}")
                self.assertNear(found[f"joint.ball.torque.{x}"][i], moment[k], 1e-6, f"{formulation}: torque {x}")
        return value

    def test_angles(self):
        for formulation in FORMULATIONS:
            value = self.check("driven-top.yaml", precessing, formulation, TURNS * 2 * math.pi / SPIN)
            self.assertEqual(value["grade"], "good")

    def test_vector_and_quaternion(self):
        for i, (what, motion) in enumerate(OTHERS.items()):
            model = self.variant(self.text("driven-top.yaml").replace(MOTION, motion))
            for formulation in (FORMULATIONS if what == "vector" else FORMULATIONS[i::3]):
                self.check(model, turning, formulation, TURNS * 2 * math.pi / SPIN)

    def test_cut_reversed_and_free(self):
        """the same from a cut joint, and of a joint that leaves the position free"""
        text = self.text("driven-top.yaml")
        cut = text.replace("at: [0, 0, 0],", "at: [0, 0, 0], cut: always,", 1)
        self.check(self.variant(cut), precessing, "topological", 1.0)
        free = text.replace("spherical", "free").replace(MOTION, MOTION[:-1] + ", position: [0, 0, 0]}")
        self.check(self.variant(free), precessing, "hybrid", 1.0)

    def test_work(self):
        """a spin that starts: the audit counts the work of the drive"""
        model = self.variant(self.text("driven-top.yaml").replace(MOTION, "{euler: xyz, angles: [0.3*t^2, -0.2*t^2, 5*t^2]}"))
        drift = [abs(self.run_model(model, "--time", 1, "--step", h)["energy"]["max_drift_J"]) for h in (0.01, 0.005)]
        self.assertLess(drift[1], 1e-2)
        self.assertGreater(math.log2(drift[0] / drift[1]), 1.7, drift)

    def test_refusals(self):
        text = self.text("driven-top.yaml")
        for motion, words in (("{euler: zz, angles: [t, t]}", "'euler' must be three of x, y, z"),
                              ("{angles: [t, t, t]}", "'angles' needs 'euler'"),
                              ("{rotation: [t, t]}", "'rotation' must be a list of 3 signals"),
                              ("{quaternion: [1, 0, 0, t], rotation: [t, 0, 0]}", "its rotation is prescribed twice"),
                              ("{rotation: [body.top.position.x, 0, 0]}", "reads the state of the mechanism")):
            result = self.command("run", self.variant(text.replace(MOTION, motion)), code=3)
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
