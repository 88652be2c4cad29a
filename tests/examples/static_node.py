#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Static nodes: freedoms without mass that forces alone hold, against springs in series in closed form and against
the standard linear solid integrated on its own."""
import math
import unittest

from support import ExampleTest, orders

M, G, K1, K2, K0, C = 2.0, 9.81, 300.0, 600.0, 250.0, 12.0
V0, LONG = 0.5, 0.03  # speed at the start, and what the lower spring is too long


def solid(time, steps=20000):
    """load and node of m z'' = -m g - k0 z - k1 y, k1 y = c (z' - y'), by the classical Runge-Kutta rule"""
    def rate(z, w, y):
        return w, -G - (K0 * z + K1 * y) / M, w - K1 * y / C
    x, h = [0.0, V0, 0.0], time / steps
    for _ in range(steps):
        a = rate(*x)
        b = rate(*[p + 0.5 * h * q for p, q in zip(x, a)])
        c = rate(*[p + 0.5 * h * q for p, q in zip(x, b)])
        d = rate(*[p + h * q for p, q in zip(x, c)])
        x = [p + h / 6 * (s + 2 * t + 2 * u + v) for p, s, t, u, v in zip(x, a, b, c, d)]
    return x


class StaticNode(ExampleTest):
    MODEL = "static-node.yaml"

    def errors(self, integrator, steps, time=0.8):
        """largest errors in (positions of both loads, of both nodes, rates of the nodes) for each step"""
        k = 1.0 / (1.0 / K1 + 1.0 / K2)
        w = math.sqrt(k / M)
        rest = -M * G / k - LONG
        load = rest * (1 - math.cos(w * time)) + V0 / w * math.sin(w * time)
        rate = rest * w * math.sin(w * time) + V0 * math.cos(w * time)
        z, zd, y = solid(time)
        found = []
        for h in steps:
            end = self.run_model(self.MODEL, "--integrator", integrator, "--time", time, "--step", h)["final"]
            def joint(name, end=end):
                return end[f"joint.{name}_slide.position"], end[f"joint.{name}_slide.velocity"]
            found.append((max(abs(joint("load")[0] - load), abs(joint("damped")[0] - z)),
                          max(abs(joint("node")[0] - (load + LONG) * k / K1), abs(joint("elbow")[0] - y)),
                          max(abs(joint("node")[1] - rate * k / K1), abs(joint("elbow")[1] - (zd - K1 * y / C)))))
        return found

    def test_closed_forms(self):
        for integrator in ("multistep", "trapezoidal", "generalized_alpha", "hht"):
            with self.subTest(integrator=integrator):
                found = self.errors(integrator, (0.008, 0.004, 0.002))
                for i, what in enumerate(("loads", "nodes", "rates of nodes")):
                    self.assertOrder([e[i] for e in found], 2.0, within=0.25, what=what)
                self.assertLess(found[-1][0], 2e-4)
        self.assertLess(self.errors("sdirk", (0.002,))[0][1], 1e-6)

    def test_audit(self):
        drift = [abs(self.run_model(self.MODEL, "--step", h, "--integrator", "trapezoidal")["energy"]["max_drift_J"])
                 for h in (0.008, 0.004, 0.002)]
        self.assertOrder(drift, 2.0, within=0.2, what="audit")

    def test_refusals(self):
        for args, words in ((("--formulation", "hybrid"), "formulation 'hybrid' cannot treat"),
                            (("--formulation", "recursive"), "formulation 'recursive' cannot treat"),
                            (("--integrator", "rk4"), "integrator 'rk4' cannot treat")):
            result = self.command("run", self.source(), *args, code=4)
            self.assertIn("no mass resists", result.stderr)
            self.assertIn(words, result.stderr)
        loose = self.variant(self.text(self.MODEL).replace("between: [ground, node], ends: [A, B]",
                                                           "between: [ground, load], ends: [A, B]")
                             .replace("between: [node, load], ends: [B, C]", "between: [ground, load], ends: [A, C]"))
        result = self.command("run", loose, code=4)
        self.assertIn("no mass resists coordinate 1 of joint 'node_slide', and no spring or damper holds it",
                      result.stderr)
        self.assertIn("static node", self.command("check", self.source()).stdout)
        self.assertIn("no mass resists", self.command("check", loose, code=4).stderr)

    def source(self):
        return self.variant(self.text(self.MODEL), "same.yaml")


if __name__ == "__main__":
    unittest.main()
