#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Friction in joints under integrators that choose their steps: backward differences, where the multipliers that press are
unknowns of one system, and Dormand and Prince; blocks that hold, slide and stop, a loop, its audit, a cam."""
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from support import ExampleTest  # noqa: E402
from joint_friction import BLOCK, G, LOOP, MU  # noqa: E402
from joint_friction_contacts import DISC  # noqa: E402

BDF = ("--formulation", "redundant", "--integrator", "bdf")
LAWS = ("{type: coulomb, mu: 0.3, deflection: 1e-6}", "{type: lugre, mu: 0.3, elastic: 0.8, deflection: 1e-6}",
        "{type: coulomb, mu: 0.3, stick: exact}")


class JointFrictionBdf(ExampleTest):
    def block(self, law, *args):
        text = BLOCK.replace("{type: coulomb, mu: 0.3}", law)
        self.assertNotEqual(text, BLOCK)
        return self.run_series(self.variant(text), *BDF, *args)[1]

    def test_block_stops(self):
        """from 5 m/s on the level, and then at rest"""
        for law in LAWS:
            for form in ("stabilised", "three"):
                found = self.block(law, "--set", "v0=5", "--option", f"index={form}")
                self.assertNear(found["joint.slide.position"][-1], 25 / (2 * MU * G), 3e-6, f"{law} {form}")
                self.assertLess(max(map(abs, found["joint.slide.velocity"][-100:])), 1e-9, f"{law} {form}")
                self.assertNear(found["force.slide.friction.normal"][-1], 2 * G, 1e-9, f"{law} {form}")

    def test_block_holds(self):
        """within 1e-6 of the cone it holds for 100 s, and slides beyond it"""
        cone = math.atan(MU)
        for law in LAWS:
            found = self.block(law, "--set", f"angle={cone - 1e-6!r}", "--time", 100, "--step", 1)
            self.assertLess(max(map(abs, found["joint.slide.position"])), 1e-9, law)
            angle = cone + 1e-3
            found = self.block(law, "--set", f"angle={angle!r}")
            a = G * (math.sin(angle) - MU * math.cos(angle))
            self.assertNear(found["joint.slide.position"][-1], a * 3 ** 2 / 2, 2e-5, law)

    def test_loop(self):
        """four joints that rub: both integrators agree, and the work of friction closes the audit"""
        _, fine = self.run_series(self.variant(LOOP), "--formulation", "hybrid", "--integrator", "dopri5")
        _, found = self.run_series(self.variant(LOOP), *BDF)
        self.assertNear(found["joint.A.angle"][-1], fine["joint.A.angle"][-1], 2e-5)
        for one in (fine, found):
            self.assertLess(abs(one["energy.balance_error"][-1]), 5e-5)
            self.assertLess(max(map(abs, one["energy.balance_error"])), 1e-3)
            # normal forces of rows between the ends of steps are those of the rows
            for i in (100, 333, 500):
                self.assertNear(one["force.B.friction.normal"][i], fine["force.B.friction.normal"][i], 1e-3)

    def test_cam(self):
        """a flat face on an eccentric disc, beside its closed form"""
        cam = "type: flat_cam, angle: pi/2, ends: [[0, 0, 0], [0, 0.03, 0]]"
        _, found = self.run_series(self.variant(DISC.replace("CAM", cam)), *BDF)
        for i in range(30, 250, 37):
            t = found["t"][i]
            normal = 2 * (G - 0.01 * 64 * math.sin(8 * t))
            at = (0.01 * math.cos(8 * t), 0.01 * math.sin(8 * t) + 0.03)
            self.assertNear(found["force.cam.friction.normal"][i], normal, 1e-4, f"{t}")
            self.assertNear(found["joint.shaft.torque.z"][i], at[0] * normal + at[1] * 0.25 * normal, 1e-5, f"{t}")


if __name__ == "__main__":
    unittest.main()
