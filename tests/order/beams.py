#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The order of every integrator on a beam that swings and bends far, on step halving; methods that choose their steps
by the error meet it."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from support import FEW  # noqa: E402
from support_beams import BeamTest  # noqa: E402

# as soft in stretch and shear as explicit methods can follow
SOFT = """\
hooke: 1
gravity: [0, 0, -9.81]
beams:
  b: {from: [0, 0, 0], to: [1, 0, 0], elements: 2, up: z, section: {EA: 60, GA: 40, GJ: 0.5, EI: [0.5, 1], mass: 1, inertia: [0.02, 0.01, 0.01]}}
joints: {ball: {type: spherical, between: [ground, b.start], at: [0, 0, 0]}}
start: {b.2: {velocity: [0, 1, 0]}}
record: ["body.b.*.position", "body.b.*.orientation", "body.b.*.velocity"]
run: {time: 0.4, step: 0.005}
"""
# step, and order
METHODS = {"trapezoidal": (0.005, 2), "generalized_alpha": (0.005, 2), "hht": (0.005, 2), "newmark": (0.0025, 1), "sdirk": (0.0025, 3),
           "multistep": (0.0025, 2), "rk4": (0.01, 4), "abm2": (0.005, 2)}


class Orders(BeamTest):
    def ends(self, method, step, *args):
        return self.final(self.dir / "soft.yaml", "-i", method, "--step", step, "--substeps", "off", "--tolerance", 1e-13, *args)

    def test_orders(self):
        self.write(SOFT, "soft.yaml")
        exact = self.ends("rk4", 2.5e-4)
        for method, (step, order) in list(METHODS.items())[:2 if FEW else None]:
            where = ("-f", "redundant") if method == "multistep" else ()
            errors = []
            for h in (step, step / 2):
                final = self.ends(method, h, *where)
                errors.append(max(abs(final[k] - exact[k]) for k in exact))
            self.assertTrue(1.75**order < errors[0] / errors[1] < 2.4**order, (method, errors))

    @unittest.skipIf(FEW, "the same element as above")
    def test_error_control(self):
        self.write(SOFT, "soft.yaml")
        exact = self.ends("rk4", 2.5e-4)
        for method, most in (("dopri5", 3e-5), ("bdf", 3e-4)):
            final = self.final(self.dir / "soft.yaml", "-i", method)
            self.assertLess(max(abs(final[k] - exact[k]) for k in exact), most, method)


if __name__ == "__main__":
    unittest.main()
