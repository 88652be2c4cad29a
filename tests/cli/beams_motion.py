#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Beams in motion against converged references: the spin-up of Simo and Vu-Quoc (1986), a free beam in space."""
import json
import math
import unittest

from support import FEW, CommandTest

# tip in the axes that turn with the root, by polynomials of order 6 and a Gauss integrator of order 4; step halving changes 3e-9
SPIN_UP = {3: (-2.72828857e-3, -0.217267359), 6: (-1.69712495e-2, -0.543596400)}

ARM = """\
hooke: 1
parameters: {w: 2*pi/15}
bodies: {hub: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}
joints:
  axle: {type: revolute, between: [ground, hub], at: [0, 0, 0], axis: z, motion: {angle: "0.4*(t^2/2 + (cos(w*t) - 1)/w^2)"}}
beams:
  arm: {from: [0, 0, 0], to: [10, 0, 0], elements: 8, up: z, clamp: {start: hub},
        section: {EA: 2.8e7, GA: 1e7, GJ: 1.4e4, EI: 1.4e4, mass: 1.2, inertia: [1.2e-3, 6e-4, 6e-4]}}
record: ["body.arm.8.position", "joint.axle.angle"]
run: {time: 6, step: 0.005, integrator: trapezoidal}
"""

FREE = """\
hooke: 1
beams:
  b: {from: [0, 0, 0], to: [1, 0, 0], elements: 8, up: z,
      section: {EA: 4000, GA: 1200, GJ: 0.8, EI: [1, 2], mass: 1, inertia: [3e-3, 1e-3, 2e-3]}}
start:
START
record: ["body.*.com_velocity", "energy.*"]
run: {time: 1, step: 0.01, integrator: trapezoidal}
"""


class Beams(CommandTest):
    def summary(self, text, *args):
        path = self.dir / "beam.yaml"
        path.write_text(text)
        return json.loads(self.hooke("run", path, "--json", *args).stdout)

    def test_spin_up(self):
        """8 intervals, h = 0.005 s: 3.3e-5 m up to 6 s"""
        for t, expected in list(SPIN_UP.items())[:1 if FEW else None]:
            final = self.summary(ARM, "--time", str(t))["final"]
            a = final["joint.axle.angle"]
            x, y = final["body.arm.8.position.x"], final["body.arm.8.position.y"]
            turned = x * math.cos(a) + y * math.sin(a) - 10, y * math.cos(a) - x * math.sin(a)
            self.assertLess(math.dist(turned, expected), 5e-5, (t, turned))

    @unittest.skipIf(FEW, "long under sanitizers; check-all has it there")
    def test_free_beam(self):
        """energy of order 2 over 1 s of flight; linear momentum to round-off"""
        start = []
        for k in range(9):
            s = k / 8
            v = (0, 3 * s, -2 * s + 1.5 * (2 * s - 1)**2)  # (1, 2, 3) x p, and a bending motion
            start.append(f"  b.{k}: {{velocity: [{v[0]}, {v[1]}, {v[2]}], angular_velocity: [1, {2 - 6 * (2 * s - 1)}, 3]}}")
        text = FREE.replace("START", "\n".join(start))
        weights = [1 / 24] + [1 / 6, 1 / 12] * 3 + [1 / 6, 1 / 24]
        errors = []
        for step in (0.01, 0.005, 0.0025):
            summary = self.summary(text, "--step", str(step))
            final, energy = summary["final"], summary["energy"]
            self.assertLess(abs(energy["initial_J"] - 1.910753), 1e-6)
            errors.append(energy["max_drift_J"])
            for i, x in enumerate("xyz"):
                p = sum(w * final[f"body.b.{k}.com_velocity.{x}"] for k, w in enumerate(weights))
                p0 = sum(w * (0, 3 * k / 8, -k / 4 + 1.5 * (k / 4 - 1)**2)[i] for k, w in enumerate(weights))
                self.assertLess(abs(p - p0), 1e-9)
        for a, b in zip(errors, errors[1:]):
            self.assertTrue(3.5 < a / b < 4.6, errors)


if __name__ == "__main__":
    unittest.main()
