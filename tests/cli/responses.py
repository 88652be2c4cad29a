#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke modes --bode --step-response --matrices`: answers over frequency and time against closed forms and small steps of runs."""
import cmath
import csv
import math
import shutil
import subprocess
import unittest

from support import CommandTest

# 2 x'' + 4 x' + 50 x = 3 u
CART = """\
hooke: 1
bodies: {cart: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {slide: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x}}
signals: {u: {input: 0.0}}
forces:
  spring: {type: joint_spring, joint: slide, stiffness: 50, damping: 4}
  pull: {type: joint_force, joint: slide, value: 3*u}
"""

# two rods hang; torques on both joints
RODS = """\
hooke: 1
gravity: [0, 0, -9.81]
parameters: {eps: 0}
bodies:
  a: {mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01]}
  b: {mass: 2, com: [0.1, 0, -1.4], inertia: [0.1, 0.2, 0.01]}
joints:
  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y}
  r: {type: revolute, between: [a, b], at: [0, 0, -1], axis: y}
signals: {u: {input: eps}, w: {input: 0}}
forces:
  damp: {type: joint_spring, joint: p, damping: 0.3}
  damp2: {type: joint_spring, joint: r, damping: 0.2}
  push: {type: joint_torque, joint: p, value: u}
  pull: {type: joint_torque, joint: r, value: 2*w}
start: {equilibrium: true}
record: [joint.p.angle, body.b.position.x]
run: {time: 3, step: 0.005, integrator: dopri5}
"""


class Responses(CommandTest):
    def table(self, name):
        with open(self.dir / name, encoding="utf-8", newline="") as f:
            rows = list(csv.reader(f))
        return rows[0], [[float(x) for x in row] for row in rows[1:]]

    def test_closed_form(self):
        (self.dir / "c.yaml").write_text(CART)
        channels = ("--channel", "joint.slide.position", "--channel", "body.cart.acceleration.x")
        self.hooke("modes", "c.yaml", *channels, "--bode", "b.csv", "--step-response", "s.csv", "--time", "4")
        head, rows = self.table("b.csv")
        self.assertEqual(head, ["frequency_Hz", "joint.slide.position / u magnitude", "joint.slide.position / u phase_deg",
                                "body.cart.acceleration.x / u magnitude", "body.cart.acceleration.x / u phase_deg"])
        self.assertLess(rows[0][0], 0.08)
        self.assertGreater(rows[-1][0], 7.9)
        for f, size, phase, size2, phase2 in rows:
            s = 2j * math.pi * f
            h = 1.5 / (s * s + 2 * s + 25)
            for y, m, p in ((h, size, phase), (h * s * s, size2, phase2)):
                self.assertLess(abs(cmath.rect(m, math.radians(p)) - y), 1e-9 * abs(y) + 1e-12, f)
        self.assertLess(abs(rows[-1][2] + 180), 4)  # the phase goes on: no jump to 180
        w = math.sqrt(24)
        _, rows = self.table("s.csv")
        self.assertEqual((len(rows), rows[-1][0]), (601, 4))
        for t, x, a in rows:
            y = 0.06 * (1 - math.exp(-t) * (math.cos(w * t) + math.sin(w * t) / w))
            self.assertLess(abs(x - y), 1e-11, t)
            self.assertLess(abs(a - (1.5 - 25 * y - 2 * 0.06 * math.exp(-t) * 25 / w * math.sin(w * t))), 1e-9, t)

    def test_small_step_of_a_run(self):
        """the run answers to a small step as the linear equations do, but for what is not linear: a tenth, a tenth"""
        (self.dir / "r.yaml").write_text(RODS)
        self.hooke("modes", "r.yaml", "--input", "u", "--channel", "joint.p.angle", "--channel", "body.b.position.x",
                   "--step-response", "s.csv", "--time", "3")
        head, rows = self.table("s.csv")
        self.assertEqual(head[1:], ["joint.p.angle / u", "body.b.position.x / u"])
        off = []
        for eps in (1e-2, 1e-3):
            # the run begins at the equilibrium without the step
            (self.dir / "j.yaml").write_text(RODS.replace("u: {input: eps}", "u: {expression: \"if(t > 0, eps, 0)\"}"))
            self.hooke("run", "j.yaml", "--set", f"eps={eps}", "-o", "r.csv", "-q")
            _, run = self.table("r.csv")
            off.append(max(abs((r[k] - run[0][k]) / eps - s[k]) for r, s in zip(run, rows) for k in (1, 2)))
        size = max(abs(r[1]) for r in rows)
        self.assertLess(off[0], 5e-3 * size)
        self.assertLess(off[1], 0.2 * off[0])

    def test_pictures(self):
        (self.dir / "c.yaml").write_text(CART + "modes: {channels: joint.slide.*, between: [0.1, 10]}\n")
        for name in ("b.svg", "b.png", "b.html"):
            self.hooke("modes", "c.yaml", "--bode", name, "--step-response", "s" + name)
        text = (self.dir / "b.svg").read_text()
        for words in ("f [Hz]", ">dB<", ">deg<", ">0.1<", ">1<", "joint.slide.position / u"):
            self.assertIn(words, text)
        self.assertIn("<svg", (self.dir / "b.html").read_text())
        self.assertIn("t [s]", (self.dir / "sb.svg").read_text())
        self.assertTrue((self.dir / "b.png").read_bytes().startswith(b"\x89PNG"))

    @unittest.skipUnless(shutil.which("ncdump"), "no ncdump")
    def test_matrices_as_netcdf(self):
        (self.dir / "c.yaml").write_text(CART.replace("spring:", "pre: {type: joint_force, joint: slide, value: 5}\n  spring:"))
        self.hooke("modes", "c.yaml", "--at", "equilibrium", "--channel", "energy.potential", "--matrices", "m.nc")
        text = subprocess.run(["ncdump", "-p", "9,9", "m.nc"], cwd=self.dir, capture_output=True, text=True, check=True).stdout
        flat = " ".join(text.split())
        for words in ("double A(state, state_again)", 'state_name = "joint.slide.position", "joint.slide.velocity"',
                      'state_unit = "m", "m/s"', "state_value = 0.1, 0", 'output_unit = "J"', "B = 0, 1.5", "C = 5, 0", "A = 0, 1, -25, -2"):
            self.assertIn(words, flat)
        # no outputs: no C
        self.hooke("modes", "c.yaml", "--matrices", "m.nc")
        text = subprocess.run(["ncdump", "-h", "m.nc"], cwd=self.dir, capture_output=True, text=True, check=True).stdout
        self.assertNotIn("double C", text)

    def test_bad_input(self):
        (self.dir / "c.yaml").write_text(CART)
        for args, words in ((("--bode", "b.txt"), "must end in one of: .svg"), (("--bode", "b.svg"), "no outputs"),
                            (("--step-response", "b.svg", "--time", "0"), "--time"), (("--matrices", "m.mat"), ".m .nc"),
                            (("--bode", "b.svg", "--channel", "*"), "too many"),
                            (("--bode", "b.svg", "--vary", "k=1"), "one state")):
            self.assertIn(words, self.hooke("modes", "c.yaml", *args, code=2).stderr)
        (self.dir / "c.yaml").write_text(CART.replace("{input: 0.0}", "{expression: t}"))
        self.assertIn("no inputs", self.hooke("modes", "c.yaml", "--channel", "joint.slide.position", "--bode", "b.csv", code=2).stderr)
        self.assertFalse(list(self.dir.glob("b.*")))


if __name__ == "__main__":
    unittest.main()
