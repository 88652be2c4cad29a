#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jumps of signals are hit exactly, however many there are; those nobody reads cost nothing; a resumed run hits the
same ones."""
import unittest

from support import SHORT, ExampleTest

ROD = """\
hooke: 1
gravity: [0, 0, -9.81]
parameters: {f: 1}
bodies: {rod: {mass: 1, com: [0.5, 0, 0], inertia: {xx: 1e-3, yy: 1/12, zz: 1/12}}}
joints: {hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: y}}
signals: {pwm: "sin(f*t) > 0.5"}
events: {lock: {when: "t >= 0.5037", fix: hinge}}
record: ["joint.hinge.angle", "signal.pwm"]
run: {time: 1, step: 0.05}
"""

CART = """\
hooke: 1
parameters: {f: 1000}
bodies: {a: {mass: 1, com: [0, 0, 0]}}
joints: {j: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}}
signals: {pwm: "sin(2*pi*f*t) > 0"}
forces: {push: {type: joint_force, joint: j, value: pwm}}
events: {lock: {when: "t >= T", fix: j}}
record: ["joint.j.*"]
run: {time: 1, step: 0.01}
"""


class Jumps(ExampleTest):
    def test_unread_signal_costs_nothing(self):
        values = [self.run_series(self.variant(ROD), "--set", f"f={f}") for f in (1, 1e6)]
        self.assertEqual(values[0][0]["steps"], values[1][0]["steps"])
        self.assertEqual(values[0][1]["joint.hinge.angle"], values[1][1]["joint.hinge.angle"])
        self.assertIn(0.5037, values[1][1]["t"])

    def test_more_than_a_list_could_hold(self):
        # a square wave on 1 kg: exact with constant forces between the jumps; then a lock behind the last of them
        f, lock, end = 2000 if SHORT else 100000, 0.75037, 0.76
        summary, run = self.run_series(self.variant(CART.replace("T", str(lock))), "--set", f"f={f}",
                                       "--output-every", 0.01, "--time", end)
        jumps = 2 * f * end
        self.assertGreaterEqual(summary["steps"], jumps)
        self.assertLess(summary["steps"], jumps + 300)
        self.assertNear(run["joint.j.velocity"][75], 0.375, 1e-9)
        self.assertNear(run["joint.j.position"][-1], lock * lock / 4, 0.2 / f)
        self.assertNear(run["joint.j.velocity"][-1], 0, 1e-12)

    def test_resumed(self):
        text = CART.replace("T", "9").replace("sin(2*pi*f*t) > 0", "(sin(2*pi*f*t) > 0.3) + fmod(f*t, 1.7)")
        model = self.variant(text)
        _, whole = self.run_series(model, "--set", "f=37.3", "--time", 0.6)
        self.run_model(model, "--set", "f=37.3", "--time", 0.31, "--checkpoint", "c")
        _, rest = self.run_series(model, "--set", "f=37.3", "--time", 0.6, "--resume", "c")
        n = len(rest["t"])
        for name, values in rest.items():
            self.assertEqual(values, whole[name][-n:], name)

    def test_rows_at_jumps(self):
        # a row at the time of a jump shows what the signal is at that time
        text = CART.replace("T", "9").replace('"joint.j.*"', '"signal.*", "joint.j.*"')
        for condition, value in (("t >= 0.5", 1), ("t > 0.5", 0)):
            for method in ((), ("--integrator", "dopri5")):
                _, run = self.run_series(self.variant(text.replace("sin(2*pi*f*t) > 0", condition)), *method)
                self.assertEqual(run["t"], sorted(set(run["t"])))
                self.assertEqual(run["signal.pwm"][run["t"].index(0.5)], value, (condition, method))
                self.assertNear(run["joint.j.velocity"][-1], 0.5, 1e-9, (condition, method))


if __name__ == "__main__":
    unittest.main()
