#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/slider-crank-driven.yaml: a prescribed motion, against closed forms: positions, velocities,
the torque of the drive from the power balance, the audit."""
import math
import unittest

from support import EXAMPLES, ExampleTest, SECOND_ORDER

EXAMPLE = "slider-crank-driven.yaml"
R, L, SPEED, RUN_UP, LOAD = 0.1, 0.3, 20.0, 0.5, 50.0


def turn(t):
    return SPEED * t * t / (2 * RUN_UP) if t < RUN_UP else SPEED * (t - RUN_UP / 2)


def rate(t):
    return SPEED * min(t / RUN_UP, 1)


def slider(th):
    return R * math.cos(th) + math.sqrt(L**2 - (R * math.sin(th))**2)


def slider_slope(th):
    s = R * math.sin(th)
    return -s - s * R * math.cos(th) / math.sqrt(L**2 - s * s)


def energy(t):
    """kinetic and potential energy at the exact motion"""
    th, w = turn(t), rate(t)
    s = R * math.sin(th)
    root = math.sqrt(L**2 - s * s)
    spin = -R * math.cos(th) * w / root                 # of the rod, about z
    vx, vy = slider_slope(th) * w, 0.0
    ax, ay = -s * w, R * math.cos(th) * w               # pin A
    crank = 0.5 * (R**2 / 12 + R**2 / 4) * w**2
    rod = 0.5 * 2 * (((ax + vx) / 2)**2 + ((ay + vy) / 2)**2) + 0.5 * 2 * L**2 / 12 * spin**2
    return crank + rod + 0.5 * 1.5 * vx**2 + 9.81 * (1 * s / 2 + 2 * s / 2)


def drive(t, e=2e-4):
    """torque = (dE/dt + load * velocity)/rate, slopes by fourth-order differences on one side's formula"""
    slope = (8 * (energy(t + e) - energy(t - e)) - (energy(t + 2 * e) - energy(t - 2 * e))) / (12 * e)
    return (slope + LOAD * slider_slope(turn(t)) * rate(t)) / rate(t)


class SliderCrank(ExampleTest):
    def test_counts(self):
        value = self.run_model(EXAMPLE, "--time", 0.01)
        self.assertEqual((value["bodies"], value["dof"], value["redundant"]), (3, 0, 0))
        self.assertIn("The model can run", self.command("check", EXAMPLES / EXAMPLE).stdout)

    def test_positions_and_velocities(self):
        # everything is prescribed: exact at any step
        for integrator in SECOND_ORDER + ("newmark",):
            value, run = self.run_series(EXAMPLE, "--step", 0.01, "--integrator", integrator)
            self.assertEqual(value["rejected"], 0)
            for i, t in enumerate(run["t"]):
                self.assertNear(run["joint.crank.angle"][i], turn(t), 1e-9, f"crank at {t}")
                self.assertNear(run["joint.crank.rate"][i], rate(t), 1e-8, f"crank's rate at {t}")
                self.assertNear(run["joint.guide.position"][i], slider(turn(t)) - R - L, 1e-9, f"slider at {t}")
                self.assertNear(run["joint.guide.velocity"][i], slider_slope(turn(t)) * rate(t), 1e-8,
                                f"slider's velocity at {t}")

    def test_drive(self):
        _, run = self.run_series(EXAMPLE, "--step", 0.002)
        for i, t in enumerate(run["t"]):
            if t < 0.01 or abs(t - RUN_UP) < 0.001 or t > 0.999:
                continue
            self.assertNear(run["joint.crank.drive"][i], drive(t), 1e-5, f"drive at {t}")

    def test_drive_is_the_reaction_along_the_axis(self):
        _, run = self.run_series(EXAMPLE, "--step", 0.01)
        for a, b in zip(run["joint.crank.drive"], run["joint.crank.torque.z"]):
            self.assertNear(a, b, 1e-9, "drive")

    def test_guide_carries_the_side_force(self):
        # the slider does not accelerate in y: guide + rod + weight; by the rod's moment about A ...
        # the power of all reactions is that of the drive alone, so only the sum over bodies is checked:
        # forces of ground on the mechanism equal rate of momentum minus weight and load
        e = 1e-4

        def momentum(t):
            th, w = turn(t), rate(t)
            s, c = R * math.sin(th), R * math.cos(th)
            vx = slider_slope(th) * w
            return [1 * -s * w / 2 + 2 * (-s * w + vx) / 2 + 1.5 * vx, 1 * c * w / 2 + 2 * c * w / 2]
        _, run = self.run_series(EXAMPLE, "--step", 0.002)
        for i, t in enumerate(run["t"]):
            if t < 0.01 or abs(t - RUN_UP) < 0.001 or t > 0.999:
                continue
            for k, c in enumerate("xy"):
                slope = (8 * (momentum(t + e)[k] - momentum(t - e)[k])
                         - (momentum(t + 2 * e)[k] - momentum(t - 2 * e)[k])) / (12 * e)
                ground = run[f"joint.crank.force.{c}"][i] + run[f"joint.guide.force.{c}"][i]
                given = (-LOAD, -4.5 * 9.81)[k]
                self.assertNear(ground + given, slope, 1e-5, f"force {c} at {t}")

    def test_audit_converges(self):
        # the motion determines all: what is left is the work of the drive in the steps after the start and
        # after the jump, where its force is taken as linear
        for integrator in SECOND_ORDER:
            drift = [abs(self.run_model(EXAMPLE, "--step", h, "--integrator", integrator)
                         ["energy"]["max_drift_J"]) for h in (0.004, 0.002, 0.001)]
            self.assertOrder(drift, 3, 0.05, integrator)

    def test_work_of_the_drive(self):
        value = self.run_model(EXAMPLE, "--step", 0.001)
        done = energy(1.0) - energy(0.0)
        self.assertNear(value["energy"]["final_J"] - value["energy"]["initial_J"], done, 1e-9, "energy")
        self.assertNear(value["energy"]["supplied_J"], done, 2e-4, "supplied")
        self.assertEqual(value["energy"]["dissipated_J"], 0)


class SuddenMotion(ExampleTest):
    TEXT = """\
hooke: 1
bodies: {bar: {mass: 2, com: [0, 0, 0], inertia: {diagonal: [1, 1, 4]}}}
joints:
  pin: {type: revolute, between: [ground, bar], at: [0, 0, 0], axis: z, motion: {angle: "ramp(t - 0.45) - ramp(t - 1)"}}
record: ["joint.pin.*", "energy.*"]
run: {time: 1.5, step: 0.1}
"""

    def test_a_drive_that_starts_and_stops_at_once(self):
        # the drive gives 4 kg m^2 a rate of 1 rad/s at once, between two steps, and takes it back
        for integrator in SECOND_ORDER:
            _, run = self.run_series(self.variant(self.TEXT), "--integrator", integrator)
            for i, t in enumerate(run["t"]):
                moving = 0.45 <= t < 1
                self.assertNear(run["joint.pin.angle"][i], min(max(t - 0.45, 0), 0.55), 1e-9, f"angle at {t}")
                self.assertNear(run["joint.pin.rate"][i], moving, 1e-9, f"rate at {t}")
                self.assertNear(run["energy.supplied"][i], 2.0 * moving, 1e-9, f"supplied until {t}")
                self.assertNear(run["energy.dissipated"][i], 0, 1e-12, f"dissipated until {t}")
                self.assertNear(run["energy.balance_error"][i], 0, 1e-9, f"audit at {t}")
            self.assertIn(0.45, run["t"])


if __name__ == "__main__":
    unittest.main()
