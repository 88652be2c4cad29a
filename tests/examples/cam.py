#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An eccentric disc and a spring-loaded roller: lift, speed, contact force and the speed of lift-off against closed forms, in
every formulation; the same outline written in other ways, from inside, in space; curves that are refused."""
import math
import unittest

from support import SHORT, ExampleTest

FORMULATIONS = "hybrid global topological recursive partition redundant".split()
R, E, ROLLER, M, K, PRELOAD, G = 0.03, 0.01, 0.008, 0.2, 800.0, 20.0, 9.81
CURVE = "curve: {circle: R, centre: [e, 0]}"
# r(angle) of the disc about its shaft
POLAR = "e*cos(angle) + sqrt(R^2 - e^2*sin(angle)^2)"


def radius(a):
    return E * math.cos(a) + math.sqrt(R ** 2 - E ** 2 * math.sin(a) ** 2)


def lift(angle, reach=R + ROLLER):
    """y, dy/dangle, d2y/dangle2 and the cosine of the angle of pressure"""
    s, c = math.sin(angle), math.cos(angle)
    f = math.sqrt(reach ** 2 - E ** 2 * c ** 2)
    f1 = E ** 2 * c * s / f
    return E * s + f, E * c + f1, -E * s + (E ** 2 * (c * c - s * s) - f1 ** 2) / f, f / reach


Y0 = lift(0.0)[0]


def push(angle, speed):
    """contact force"""
    y, _, bend, cosine = lift(angle)
    return (M * (bend * speed ** 2 + G) + PRELOAD + K * (y - Y0)) / cosine


class Cam(ExampleTest):
    def check(self, model, speed=100.0, formulation="hybrid", within=1e-10, force=1e-6):
        value, found = self.run_series(model, "--formulation", formulation, "--time", 0.02 if SHORT else 0.08)
        for i in range(0, len(found["t"]), 5):
            y, rate, _, _ = lift(speed * found["t"][i])
            self.assertNear(found["joint.guide.position"][i], y - Y0, within, f"{formulation}: lift")
            self.assertNear(found["joint.guide.velocity"][i], rate * speed, 1e4 * within, f"{formulation}: speed")
            size = math.hypot(found["joint.cam.force.x"][i], found["joint.cam.force.y"][i])
            self.assertNear(size, abs(push(speed * found["t"][i], speed)), force, f"{formulation}: force")
        return value

    def test_closed_form(self):
        for formulation in FORMULATIONS:
            value = self.check("cam.yaml", formulation=formulation)
            self.assertEqual((value["grade"], value["warnings"]), ("good", []))

    def test_lift_off(self):
        critical = math.sqrt((G + (PRELOAD + K * (R + ROLLER + E - Y0)) / M) / (E + E ** 2 / (R + ROLLER)))
        # the least force is the one at the top
        self.assertNear(min(push(0.001 * i, critical) for i in range(6284)), 0.0, 1e-4, "closed form")
        for speed, off in ((0.999 * critical, False), (1.001 * critical, True), (1.2 * critical, True)):
            found = self.run_model("cam.yaml", "--set", f"speed={speed!r}", "--time", 0.06)
            self.assertEqual(found["grade"], "doubtful" if off else "good")
            self.assertEqual(len(found["warnings"]), int(off), found["warnings"])
            if off:
                first = next(i for i in range(1, 200) if push(speed * 0.0005 * i, speed) < 0) * 0.0005
                self.assertIn(f"joint 'cam' lifts off at t = {first:.6g} s", str(found["warnings"]))
        groove = self.variant(self.text("cam.yaml").replace(", one_sided: true", ""))
        self.assertEqual(self.run_model(groove, "--set", "speed=150")["warnings"], [])

    def test_other_ways(self):
        """the same disc by expressions, and by splines, whose curvature is off by h^2/12 times its fourth derivative"""
        n, step = 96, math.tau / 96
        rows = ", ".join(f"[{step * i!r}, {radius(step * i)!r}]" for i in range(n))
        spots = ", ".join(f"[{E + R * math.cos(step * i)!r}, {R * math.sin(step * i)!r}]" for i in range(n))
        ways = {f'curve: {{polar: "{POLAR}"}}': (1e-10, 1e-5),
                'curve: {x: "e + R*cos(2*pi*u)", y: "-R*sin(2*pi*u)"}': (1e-10, 1e-5),  # clockwise
                f"curve: {{polar: [{rows}]}}": (1e-8, 0.04),
                f"curve: {{points: [{spots}]}}": (1e-8, 0.04)}
        for curve, (within, force) in ways.items():
            self.check(self.variant(self.text("cam.yaml").replace(CURVE, curve)), within=within, force=force)

    def test_inside_and_space(self):
        """a roller in a ring, and the disc in space, mirrored"""
        ring = self.text("cam.yaml").replace("radius: roller,", "radius: roller, inside: true,")
        ring = ring.replace("y0: sqrt((R + roller)^2 - e^2)", "y0: sqrt((R - roller)^2 - e^2)")
        found = self.run_series(self.variant(ring), "--time", 0.02)[1]
        for i, t in enumerate(found["t"]):
            y = lift(100 * t, R - ROLLER)[0] - lift(0.0, R - ROLLER)[0]
            self.assertNear(found["joint.guide.position"][i], y, 1e-10, "lift in a ring")
        space = self.text("cam.yaml").replace("planar: xy\n", "").replace("inertia: {zz: 0.5*R^2/2}", "inertia: [1.0e-4, 1.0e-4, 2.0e-4]")
        self.check(self.variant(space.replace("inertia: {zz: 1.0e-4}", "inertia: [1.0e-4, 1.0e-4, 1.0e-4]")), formulation="redundant")

    def test_refused(self):
        for curve, words in (
                ("curve: {circle: R, points: [[0, 1]]}", "'curve' is not a curve"),
                ("curve: {points: [[0, 0], [1, 0], [2, 0]]}", "the curve encloses no area"),
                ("curve: {points: [[0, 0], [1, 0], [1, 0], [0, 1]]}", "row 3 of the curve is not behind the one before it"),
                ('curve: {polar: "R*(1 + 0.1*angle)"}', "the curve does not close"),
                ('curve: {polar: "R*(1 + 0.3*cos(6*angle))"}', "does not fit into the hollow of its curve"),
                ('curve: {polar: "R + angel"}', "angel")):
            result = self.command("check", self.variant(self.text("cam.yaml").replace(CURVE, curve)), code=3)
            self.assertIn(words, result.stderr)
        kink = self.variant(self.text("cam.yaml").replace(CURVE, 'curve: {polar: "R + 0.002*abs(sin(angle))"}').replace("roller: 0.008", "roller: 0"))
        self.assertIn("the curve has a corner at angle", self.command("check", kink).stderr)
        far = self.variant(self.text("cam.yaml").replace("axis: y}", "axis: x}").replace("[e, 0]}", "[e, 0.1]}"))
        self.assertIn("joint 'cam'", self.command("run", far, code=4).stderr)


if __name__ == "__main__":
    unittest.main()
