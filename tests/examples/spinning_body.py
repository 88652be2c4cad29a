#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/spinning-body.yaml: a torque-free body tumbling over all orientations: energy and angular
momentum, its path, and the exact motion by Euler's equations."""
import math
import unittest

from support import ExampleTest, SECOND_ORDER, SHORT, rotate

EXAMPLE = "spinning-body.yaml"
INERTIA = (0.010, 0.022, 0.030)
START = (0.1, 6.0, 0.1)


def euler(t_end, every, n):
    """body-fixed angular velocity every so often, by n classical Runge-Kutta steps each time"""
    a, b, c = INERTIA

    def f(w):
        return ((b - c) / a * w[1] * w[2], (c - a) / b * w[2] * w[0], (a - b) / c * w[0] * w[1])
    w, h, out = START, every / n, [START]
    for k in range(round(t_end / every) * n):
        k1 = f(w)
        k2 = f([x + h / 2 * k for x, k in zip(w, k1)])
        k3 = f([x + h / 2 * k for x, k in zip(w, k2)])
        k4 = f([x + h * k for x, k in zip(w, k3)])
        w = tuple(x + h / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(w, k1, k2, k3, k4))
        if (k + 1) % n == 0:
            out.append(w)
    return out


def at_row(run, i):
    """quaternion, world and body angular velocity at a row"""
    q = [run[f"body.racket.orientation.{c}"][i] for c in "wxyz"]
    w = [run[f"body.racket.angular_velocity.{c}"][i] for c in "xyz"]
    return q, w, rotate([q[0], -q[1], -q[2], -q[3]], w)


def momentum(run, i):
    """angular momentum in world axes"""
    q, _, body = at_row(run, i)
    return rotate(q, [j * x for j, x in zip(INERTIA, body)])


class SpinningBody(ExampleTest):
    END = 3 if SHORT else 10

    def measure(self, integrator, h, end):
        """largest change of angular momentum, and of energy"""
        value, run = self.run_series(EXAMPLE, "--integrator", integrator, "--step", h, "--time", end)
        first = momentum(run, 0)
        self.assertNear(math.dist(first, [j * w for j, w in zip(INERTIA, START)]), 0, 1e-15, "start")
        change = max(math.dist(momentum(run, i), first) for i in range(len(run["t"])))
        return change, abs(value["energy"]["max_drift_J"])

    def test_energy_and_momentum_are_kept_to_the_order(self):
        for integrator in SECOND_ORDER:
            found = [self.measure(integrator, h, self.END) for h in (0.005, 0.0025, 0.00125)]
            self.assertOrder([x[0] for x in found], 2, 0.1, f"{integrator}, angular momentum")
            self.assertOrder([x[1] for x in found], 2, 0.25, f"{integrator}, energy")
            # |L| is 0.132 N m s, the energy of rotation 0.396 J
            self.assertLess(found[0][0], 1e-3)
            self.assertLess(found[0][1], 1e-3)

    def errors(self, steps, *args):
        """largest error of the body's rates, for each step"""
        exact = euler(self.END, 0.05, 100)
        found = []
        for h in steps:
            _, run = self.run_series(EXAMPLE, "--step", h, "--time", self.END, "--output-every", 0.05, *args)
            self.assertEqual(len(run["t"]), len(exact))
            found.append(max(math.dist(at_row(run, i)[2], w) for i, w in enumerate(exact)))
        return found

    def test_it_moves_as_euler_says(self):
        for integrator in SECOND_ORDER:
            errors = self.errors((0.0025, 0.00125, 0.000625), "--integrator", integrator, "--tolerance", 1e-12)
            self.assertOrder(errors, 2, 0.1, integrator)
            self.assertLess(errors[-1], 5e-5)

    def test_small_steps_gain_with_the_default_tolerance(self):
        # what the iteration leaves must never outgrow the error of the step
        self.assertOrder(self.errors((0.005, 0.0025, 0.00125, 0.000625, 0.0003125)), 2, 0.2, "default")

    def test_it_tumbles_without_singularity(self):
        value, run = self.run_series(EXAMPLE)
        self.assertEqual((value["coordinates"], value["dof"], value["rejected"]), (6, 6, 0))
        spin = [at_row(run, i)[2][1] for i in range(len(run["t"]))]
        turns = sum(1 for a, b in zip(spin, spin[1:]) if a * b < 0)
        self.assertGreaterEqual(turns, 3)
        self.assertLess(value["iterations"] / value["steps"], 4)
        for i in range(len(run["t"])):
            q = at_row(run, i)[0]
            self.assertNear(sum(c * c for c in q), 1, 1e-12, "length of the quaternion")

    def test_translation_is_uniform(self):
        value = self.run_model(EXAMPLE)
        for c, v in zip("xyz", (1, 0.5, -0.2)):
            self.assertNear(value["final"][f"body.racket.position.{c}"], 10 * v, 1e-10, f"position {c}")
            self.assertNear(value["final"][f"body.racket.velocity.{c}"], v, 1e-12, f"velocity {c}")

    def test_a_steady_spin_goes_on(self):
        # about a principal axis the motion is a plain rotation: 10 s at 6 rad/s
        value = self.run_model(EXAMPLE, "--set", "push=0")
        angle = 60.0
        q = [value["final"][f"body.racket.orientation.{c}"] for c in "wxyz"]
        exact = [math.cos(angle / 2), 0, math.sin(angle / 2), 0]
        for a, b in zip(q, exact):
            self.assertNear(a, b, 1e-10, "orientation")

    def test_recorded_orientations_do_not_flip(self):
        # thirty turns in all; bodies on balls and frames of their own too
        body = "mass: 1, inertia: {diagonal: [0.3, 0.2, 0.4]}"
        balls = self.variant(f"""
            hooke: 1
            frames: {{f: {{rotate: {{axis: [1, 2, 3], angle: 2.5}}}}}}
            bodies:
              a: {{{body}, com: [0, 0, 0], frame: f}}
              b: {{{body}, com: [1, 0, 0]}}
            joints:
              ball: {{type: spherical, between: [ground, a], at: [0, 0, 0]}}
              hand: {{type: spherical, between: [b, a], at: [0.5, 0, 0]}}
            start: {{ball: {{angular_velocity: [9, 5, 7]}}, hand: {{angular_velocity: [-8, 20, 1]}}}}
            run: {{time: 5, step: 0.002}}""")
        for model, names in ((EXAMPLE, ["body.racket"]), (balls, ["body.a", "body.b", "joint.ball", "joint.hand"])):
            run = self.run_series(model)[1]
            for name in names:
                q = list(zip(*(run[f"{name}.orientation.{c}"] for c in "wxyz")))
                for i, (a, b) in enumerate(zip(q, q[1:])):
                    self.assertGreater(sum(x * y for x, y in zip(a, b)), 0.9, f"{name}, row {i}")
                self.assertLess(min(w for w, *_ in q), -0.5, f"{name} does not turn far enough to flip")


if __name__ == "__main__":
    unittest.main()
