#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Couplings of joint coordinates in every formulation: the planetary gear and the differential against closed forms,
speeds and torques; a relation that bends, by order and audit."""
import math
import unittest

from support import ExampleTest

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")


class Planetary(ExampleTest):
    def test_speeds_and_torques(self):
        """I w' + d w = A cos(2 t) for the carrier; all else by Willis's equation"""
        zs, zr, zp, mod, Js, Jc, mp, Jp, d, wr = 24, 60, 18, 0.01, 0.004, 0.05, 1.2, 0.01, 0.8, 0.5
        k = zr / zs
        inertia = Js * (1 + k) ** 2 + Jc + mp * (mod * (zs + zp)) ** 2 + Jp * (1 - zr / zp) ** 2
        A, T = 0.6 * (1 + k), 0.5
        size = A / (d * d + 4 * inertia * inertia)
        w = lambda t: size * (d * math.cos(2 * t) + 2 * inertia * math.sin(2 * t) - d * math.exp(-d * t / inertia))
        rate = (A * math.cos(2 * T) - d * w(T)) / inertia
        motor = 0.6 * math.cos(2 * T)
        sun = Js * (1 + k) * rate - motor        # torque of the inner mesh on the sun
        tooth = -sun * zp / zs                   # on the planet, by the mesh with the ring
        pin = Jp * (1 - zr / zp) * rate - sun * zp / zs
        expected = {"joint.arm.rate": w(T), "joint.sun.rate": (1 + k) * w(T) - k * wr,
                    "joint.pin.rate": -zr / zp * (w(T) - wr), "joint.inner.torque.1": sun,
                    "joint.inner.torque.2": -tooth, "joint.inner.torque.3": -sun, "joint.outer.torque.1": pin,
                    "joint.outer.torque.2": -pin * zr / zp, "joint.outer.torque.3": pin * zr / zp,
                    "joint.ring.drive": pin * zr / zp}
        for f in FORMULATIONS:
            found = self.run_model("planetary.yaml", "--formulation", f, "--time", T, "--step", 1e-3)
            self.assertLess(abs(found["energy"]["balance_error_J"]), 1e-5, f)
            for name, value in expected.items():
                self.assertAlmostEqual(found["final"][name], value, delta=2e-5 * max(1, abs(value)), msg=f"{f} {name}")


class Differential(ExampleTest):
    def test_speeds_and_torques(self):
        """two unknown rates, by Runge and Kutta"""
        n, r, m, T = 3.5, 0.05, 4, 1.2
        a, b, c = 0.02 + m * r * r, 0.02 + 9 * 0.005, 0.01 * n * n / 4

        def slope(w):
            f = (T * n / 2 - m * 9.81 * r, T * n / 2 - 9 * 0.05 * w[1])
            det = (a + c) * (b + c) - c * c
            return (((b + c) * f[0] - c * f[1]) / det, ((a + c) * f[1] - c * f[0]) / det)

        w, h = (0.0, 0.0), 1e-3
        for _ in range(500):
            k1 = slope(w)
            k2 = slope([w[i] + h / 2 * k1[i] for i in (0, 1)])
            k3 = slope([w[i] + h / 2 * k2[i] for i in (0, 1)])
            k4 = slope([w[i] + h * k3[i] for i in (0, 1)])
            w = tuple(w[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) for i in (0, 1))
        acc = slope(w)
        out = 0.02 * acc[0] + m * r * (9.81 + r * acc[0])
        expected = {"joint.left.rate": w[0], "joint.right.rate": w[1], "joint.input.rate": n * (w[0] + w[1]) / 2,
                    "joint.dynamo.rate": 3 * w[1], "joint.slide.velocity": r * w[0],
                    "joint.axle.torque.2": out, "joint.axle.torque.3": out, "joint.axle.torque.1": -2 * out / n,
                    "joint.lift.force.2": m * (9.81 + r * acc[0]), "joint.lift.torque.1": -m * r * (9.81 + r * acc[0]),
                    "joint.belt.torque.2": 0.005 * 3 * acc[1] + 0.05 * 3 * w[1]}
        for f in FORMULATIONS:
            found = self.run_model("differential.yaml", "--formulation", f, "--time", 0.5, "--step", 1e-3)
            self.assertLess(abs(found["energy"]["balance_error_J"]), 2e-3, f)
            for name, value in expected.items():
                self.assertAlmostEqual(found["final"][name], value, delta=2e-4 * max(1, abs(value)), msg=f"{f} {name}")


if __name__ == "__main__":
    unittest.main()
