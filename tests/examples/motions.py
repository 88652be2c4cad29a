#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prescribed motions from data and from functions: the force of the drive, the work it does, ends of tables, and
velocities that jump."""
import json
import math
import re
import unittest

from support import SHORT, ExampleTest, orders

CART = """\
hooke: 1
bodies: {a: {mass: 1, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}
joints: {j: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x, motion: {position: s}}}
signals: {s: SIGNAL}
record: ["joint.j.position", "joint.j.velocity", "joint.j.drive", "energy.*"]
run: {time: 1, step: 0.01}
"""


class Motions(ExampleTest):
    def cart(self, signal):
        return self.variant(CART.replace("SIGNAL", signal))

    def csv(self, f, n=101, end=1.0, digits=12):
        """t.csv: t, x, xd, xdd at n rows"""
        with open(self.dir / "t.csv", "w", encoding="utf-8") as file:
            file.write("t,x,xd,xdd\n")
            for i in range(n):
                t = end * i / (n - 1)
                file.write(f"{t:.{digits}f}," + ",".join(f"{v:.{digits}f}" for v in f(t)) + "\n")

    def test_parabola(self):
        # x = t^2/2 every 10 ms on 1 kg: the drive is 1 N everywhere, the first and the last row included
        self.csv(lambda t: (t * t / 2, t, 1), digits=8)
        for keys in ("", ", interpolation: spline", ", ends: clamped, slopes: [0, 1]", ", rate: xd",
                     ", acceleration: xdd", ", rate: xd, acceleration: xdd"):
            value, run = self.run_series(self.cart("{table: t.csv, column: x" + keys + "}"))
            for f, v, t in zip(run["joint.j.drive"], run["joint.j.velocity"], run["t"]):
                self.assertNear(f, 1, 1e-9, keys)
                self.assertNear(v, t, 1e-9, keys)
            self.assertNear(value["energy"]["supplied_J"], 0.5, 1e-9)
            self.assertNear(value["energy"]["max_drift_J"], 0, 1e-9)

    def test_sine(self):
        # 1 Hz at 100 Hz: the true peak is 39.48 N
        w = 2 * math.pi
        self.csv(lambda t: (math.sin(w * t), w * math.cos(w * t), -w * w * math.sin(w * t)))
        for keys, most in (("", 0.014), (", rate: xd", 2e-3), (", rate: xd, acceleration: xdd", 2e-6)):
            value, run = self.run_series(self.cart("{table: t.csv, column: x" + keys + "}"), "--step", 0.002)
            errors = [abs(f + w * w * math.sin(w * t)) for f, t in zip(run["joint.j.drive"], run["t"])]
            self.assertLess(max(errors), most, keys)
            self.assertLess(abs(value["energy"]["max_drift_J"]), 2e-3)

    def test_last_row(self):
        # the last row of a table belongs to it, in the middle of a run and at its end, in steps of every kind
        self.csv(lambda t: (t * t / 2, t, 1))
        for interpolation in ("", ", interpolation: linear", ", interpolation: monotone"):
            model = self.cart("{table: t.csv, column: x" + interpolation + "}")
            for time in (1.5,) if SHORT and interpolation else (1, 1.5):
                for method in ((), ("--integrator", "rk4"), ("--integrator", "dopri5")):
                    _, run = self.run_series(model, "--time", time, *method)
                    k = run["t"].index(1.0)
                    self.assertNear(run["joint.j.velocity"][k], 1, 0.01, (interpolation, time, method))
                    if not interpolation:
                        self.assertNear(run["joint.j.drive"][k], 1, 1e-6, (time, method))
                    if time > 1:
                        self.assertEqual(len([t for t in run["t"] if abs(t - 1) < 1e-6]), 1)
                        self.assertNear(run["joint.j.velocity"][-1], 0, 1e-9, (interpolation, method))
                        self.assertNear(run["joint.j.position"][-1], 0.5, 1e-9, (interpolation, method))

    def test_work(self):
        # every smooth kind of motion: the energy supplied is the integral of force times rate
        w = 2 * math.pi
        self.csv(lambda t: (0.1 * math.sin(w * t), 0.1 * w * math.cos(w * t), -0.1 * w * w * math.sin(w * t)))
        for signal in ('"0.1*sin(2*pi*t)"', "{table: t.csv, column: x}", "{table: t.csv, column: x, rate: xd}",
                       "{table: t.csv, column: x, ends: periodic}", "{table: t.csv, column: x, ends: natural}",
                       "{table: t.csv, column: x, rate: xd, acceleration: xdd}",
                       "{sine: {frequency: 1, amplitude: 0.1}}", "{step: {start: 0.2, duration: 0.6, to: 0.1}}",
                       '{sum: ["0.05*t^2", {sine: {frequency: 2, amplitude: 0.01}}]}')[::3 if SHORT else 1]:
            errors = []
            for step in (0.01, 0.005):
                value, run = self.run_series(self.cart(signal), "--time", 0.8, "--step", step)
                power = [f * v for f, v in zip(run["joint.j.drive"], run["joint.j.velocity"])]
                work = sum(0.5 * step * (a + b) for a, b in zip(power, power[1:]))
                errors.append(abs(work - value["energy"]["supplied_J"]))
                self.assertLess(abs(value["energy"]["balance_error_J"]), 4 * step * step, signal)
            self.assertTrue(errors[1] < 1e-6 or orders(errors)[0] > 1.7, (signal, errors))

    def test_impulses(self):
        # rates that jump: named before the run, with their place; the energy of the impulse is booked; the state
        # behind it is that of the new rate
        self.csv(lambda t: (t * t / 2, t, 1), n=6)
        # signal, first jump, its size, their number, largest impulse on 1 kg, energy that they supply
        for signal, t, size, count, impulse, energy in (
                ('"abs(t - 0.53)"', 0.53, 2, 1, 2, 0), ('"min(t, 0.5)"', 0.5, -1, 1, 1, -0.5),
                ('"max(0, t - 0.5)"', 0.5, 1, 1, 1, 0.5), ('"if(t < 0.5, t^2, 0.25)"', 0.5, -1, 1, 1, -0.5),
                ("{ramp: {start: 0.25, slope: 2, end: 0.5}}", 0.25, 2, 2, 2, 0),
                ("{table: [[0, 0], [0.25, 1], [0.5, 1]], x: 3*t, interpolation: linear}", 1 / 12, -12, 1, 12, -72),
                ("{table: [[0, 0], [0.5, 1], [1, 3]], x: 1 - t, interpolation: linear}", 0.5, 2, 1, 2, -6),
                ("{table: t.csv, column: x, interpolation: linear}", 0.2, 0.2, 4, 0.2, 0.4),
                ("{table: [[0, 0], [0.5, 1]]}", 0.5, -2, 1, 2, -2)):
            model = self.cart(signal)
            for method in ((), ("--formulation", "global"), ("--formulation", "redundant"),
                           ("--integrator", "dopri5"))[:4 if "abs" in signal else 1]:
                result = self.command("run", model, "--output", self.dir / "o.csv", "--json", *method)
                self.assertIn(f"variant.yaml:3:96: warning: joint 'j', motion of position: its rate jumps by {size:.4g} "
                              f"m/s at t = {t:.6g} s", result.stderr)
                self.assertIn(f"jumped at {count} time", result.stderr, signal)
                self.assertIn(f"position, {impulse:.4g} N*s at", result.stderr, signal)
                value = json.loads(result.stdout)
                self.assertNear(value["energy"]["max_drift_J"], 0, 1e-8, (signal, method))
                said = float(re.search(r"supplied ([-+.e0-9]+) J", result.stderr)[1])
                self.assertNear(said, energy, 1e-8, (signal, method))
                self.assertEqual(value["grade"], "good", signal)
            self.assertIn("its rate jumps by", self.command("check", model).stderr)
        model = self.cart("{table: t.csv, column: x, interpolation: monotone}")
        self.assertIn("the acceleration of its monotone table jumps at the rows", self.command("check", model).stderr)

    def test_no_impulse(self):
        # nothing is said of motions whose rate is continuous, or ends at rest, or jumps behind the end of the run
        self.csv(lambda t: (t**3 * (10 - 15 * t + 6 * t * t), 0, 0), n=51)
        for signal in ('"t^2"', '"if(t < 0.5, t^2, t - 0.25)"', "{step: {start: 0.2, duration: 0.5}}",
                       "{table: t.csv, column: x}", "{table: t.csv, column: x, ends: clamped, slopes: [0, 0]}",
                       "{table: [[0, 0], [1, 1]]}", "{table: [[0, 0], [0.5, 1]], extrapolation: extend}",
                       "{sine: {frequency: 2}}"):
            result = self.command("run", self.cart(signal), "--time", 1.5 if "csv" in signal else 1)
            self.assertEqual(result.stderr, "", signal)


if __name__ == "__main__":
    unittest.main()
