#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An eccentric disc and a spring-loaded roller: lift, speed, contact force and the speed of lift-off against closed forms, in
every formulation; the same outline written in other ways, from inside, in space; curves that are refused; followers that lift off;
flat faces; slots."""
import json
import math
import re
import unittest

from support import EXAMPLES, SHORT, ExampleTest, series

FORMULATIONS = "hybrid global topological recursive partition redundant".split()
FEW = FORMULATIONS[::5] if SHORT else FORMULATIONS
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
        for name, table in (("polar", rows), ("points", spots)):
            (self.dir / f"{name}.csv").write_text("a,b\n" + table.replace("], [", "\n").strip("[]") + "\n")
            ways[f"curve: {{{name}: {name}.csv}}"] = (1e-8, 0.04)
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


class LiftsOff(ExampleTest):
    SPEED = 130.0

    def test_compliant(self):
        """against a fine integration of the follower alone; the audit closes"""
        k, d, w, step, end = 2e5, 0.5, self.SPEED, 4e-6, 0.04

        def pull(t, y, v):
            """acceleration of the roller on a guide above the shaft"""
            dx, dy = -E * math.cos(w * t), y - E * math.sin(w * t)
            l = math.hypot(dx, dy)
            depth, rate = R + ROLLER - l, -(dx * E * w * math.sin(w * t) + dy * (v - E * w * math.cos(w * t))) / l
            push = max(0.0, k * depth * (1 + d * rate)) if depth > 0 else 0.0
            return (push * dy / l - PRELOAD - K * (y - Y0)) / M - G, depth

        y, v, off = Y0, 0.0, []
        for i in range(round(end / step)):
            t = i * step
            a1, depth = pull(t, y, v)
            if not off and depth < 0 and t > 1e-3:
                off.append(t)
            a2 = pull(t + step / 2, y + step / 2 * v, v + step / 2 * a1)[0]
            a3 = pull(t + step / 2, y + step / 2 * (v + step / 2 * a1), v + step / 2 * a2)[0]
            a4 = pull(t + step, y + step * (v + step / 2 * a2), v + step * a3)[0]
            y += step * v + step * step / 6 * (a1 + a2 + a3)
            v += step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        self.assertTrue(off, "the reference lifts off")
        text = self.text("cam.yaml").replace("one_sided: true", f"lifts: true, limits: {{gap: [0, null], stiffness: {k}, dissipation: {d}}}")
        for formulation in FEW:
            value, found = self.run_series(self.variant(text), "--formulation", formulation, "--set", f"speed={w}", "--time", end,
                                           "--step", 5e-5)
            self.assertNear(found["joint.guide.position"][-1], y - Y0, 2e-6, formulation)
            self.assertNear(found["joint.guide.velocity"][-1], v, 2e-3, formulation)
            self.assertGreater(max(found["joint.cam.gap"]), 1e-3, "it flies")
            self.assertGreater(min(found["joint.cam.gap"]), -3e-3, "it does not sink in")
            self.assertLess(abs(value["energy"]["balance_error_J"]), 1e-3, formulation)

    def test_event_of_a_compliant_lift_off(self):
        """`when: joint.cam.gap > 0` finds the time at which a compliant contact is left: against the tappet alone"""
        k, d, w, step = 1e6, 20.0, self.SPEED, 2e-6
        sunk = (M * G + PRELOAD) / k

        def pull(t, y, v):
            depth, rate = E * math.sin(w * t) - y, E * w * math.cos(w * t) - v
            return (max(0.0, k * depth * (1 + d * rate)) if depth > 0 else 0.0) / M - G - (PRELOAD + K * y) / M

        t, y, v, left = 0.0, -sunk, E * w, None
        while left is None:
            a1 = pull(t, y, v)
            a2 = pull(t + step / 2, y + step / 2 * v, v + step / 2 * a1)
            a3 = pull(t + step / 2, y + step / 2 * (v + step / 2 * a1), v + step / 2 * a2)
            a4 = pull(t + step, y + step * (v + step / 2 * a2), v + step * a3)
            gap = y - E * math.sin(w * t)
            y += step * v + step * step / 6 * (a1 + a2 + a3)
            v += step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
            t += step
            after = y - E * math.sin(w * t)
            if after > 0:
                left = t - step * after / (after - gap)
        # later than a rigid one leaves, which is pulled at once
        self.assertTrue(0.0075 < left < 0.0095, left)
        text = self.text("cam-lift-off.yaml").replace("restitution: 0.2", f"stiffness: {k}, dissipation: {d}").replace(
            "start: {guide: {velocity: speed*e}}", f"start: {{guide: {{velocity: speed*e, position: {-sunk!r}}}}}\n"
            'events: {off: {when: "joint.cam.gap > 0", stop: true}}')
        for formulation in FEW:
            for integrator, within in (("rk4", 1e-8), ("trapezoidal", 1e-6)):
                result = self.command("run", self.variant(text), "--formulation", formulation, "--step", 2e-5, "--integrator", integrator)
                found = float(re.search(r"event 'off' has ended the run at t = (\S+) s", result.stderr).group(1))
                self.assertNear(found, left, within, f"{formulation} {integrator}")

    def test_rigid(self):
        """leaves where the cam would have to pull, flies on its spring, and comes down where the flight ends"""
        w = self.SPEED
        left = math.asin((M * G + PRELOAD) / (E * (M * w * w - K))) / w
        rest, turn = -(M * G + PRELOAD) / K, math.sqrt(K / M)
        y0, v0 = E * math.sin(w * left) - rest, E * w * math.cos(w * left)
        flight = lambda t: rest + y0 * math.cos(turn * (t - left)) + v0 / turn * math.sin(turn * (t - left))
        lo, hi = left + 2e-3, 0.03
        for _ in range(60):
            mid = (lo + hi) / 2
            lo, hi = (mid, hi) if flight(mid) > E * math.sin(w * mid) else (lo, mid)
        for formulation in FEW:
            result = self.command("run", EXAMPLES / "cam-lift-off.yaml", "--formulation", formulation, "--time", 0.026, "--step", 5e-5,
                                  "--output", self.dir / "out.csv", "--json")
            self.assertIn(f"joint 'cam', stopped gap: it leaves its stop at t = {left:.6g} s", result.stderr)
            hit = float(re.search(r"N\*s at t = (\S+) s", result.stderr).group(1))
            self.assertNear(hit, lo, 2e-7, f"{formulation}: the first impact")
            value, found = json.loads(result.stdout), series(self.dir / "out.csv")
            for t, y, gap in zip(found["t"], found["joint.guide.position"], found["joint.cam.gap"]):
                self.assertGreater(gap, -1e-9)
                if t <= left:
                    self.assertNear(y, E * math.sin(w * t), 1e-9, f"{formulation}: on the cam at {t}")
                elif t < lo:
                    self.assertNear(y, flight(t), 2e-7, f"{formulation}: in flight at {t}")
            self.assertLess(abs(value["energy"]["balance_error_J"]), 2e-5, formulation)


class FlatFace(ExampleTest):
    def test_closed_form(self):
        """y = e sin(th); the force acts where face and disc touch: torque of the drive N e cos(th), less the disc's weight"""
        text = self.text("cam-lift-off.yaml").replace("    lifts: true\n    limits: {gap: [0, null], restitution: 0.2}\n", "    one_sided: true\n")
        for formulation in FEW:
            value, found = self.run_series(self.variant(text), "--formulation", formulation, "--set", "speed=100", "--time", 0.03)
            self.assertEqual(value["warnings"], [])
            for i, t in enumerate(found["t"]):
                s, c = math.sin(100 * t), math.cos(100 * t)
                force = M * (G - 1e4 * E * s) + PRELOAD + K * E * s
                self.assertNear(found["joint.guide.position"][i], E * s, 1e-12, formulation)
                self.assertNear(found["joint.cam.force.y"][i], force, 1e-7, formulation)
                self.assertNear(found["joint.shaft.drive"][i], (force + 0.5 * G) * E * c, 1e-8, formulation)
        # an ellipse under a face that is drawn at another angle
        tilted = text.replace("curve: {circle: R, centre: [e, 0]}", 'curve: {x: "R*cos(2*pi*u)", y: "0.8*R*sin(2*pi*u)"}').replace(
            "F: [0, R, 0]", "F: [0.6*r45, r45, 0]").replace("speed: 130", "r45: R*sqrt((1 + 0.64)/2)*sqrt(2)/1.6\n  speed: 130").replace(
            "angle: pi/2", "angle: atan2(1, 0.6)").replace("axis: y}", "axis: [0.6, 1, 0]}").replace("start: {guide: {velocity: speed*e}}", "")
        found = self.run_series(self.variant(tilted), "--set", "speed=20", "--time", 0.3)[1]
        a, h = math.atan2(1, 0.6), lambda x: R * math.sqrt(math.cos(x) ** 2 + 0.64 * math.sin(x) ** 2)
        for t, y in zip(found["t"], found["joint.guide.position"]):
            self.assertNear(y - found["joint.guide.position"][0], h(a - 20 * t) - h(a), 1e-9, "support function of the ellipse")


class Slot(ExampleTest):
    TEXT = """hooke: 1
planar: xy
gravity: [0, -9.81, 0]
bodies:
  pin: {mass: 1, com: [0.3, 0.09, 0], inertia: {zz: 0.01}}
joints:
  slot: {type: cam, between: [ground, pin], ends: [[0, 0, 0], [0.3, 0.09, 0]], axis: z, curve: CURVE}
record: [body.pin.position, energy.*]
run: {time: 0.8, step: 0.002, integrator: trapezoidal}
"""
    OPEN = '{x: "u - 0.5", y: "(u - 0.5)^2", open: true}'

    def test_parabola(self):
        """a pin slides along an open curve, from expressions and from a file; beyond its ends the curve goes on straight"""
        places = [-0.5 + i / 40 for i in range(41)]
        (self.dir / "slot.csv").write_text("x,y\n" + "".join(f"{x!r},{x * x!r}\n" for x in places))
        last = []
        for curve in (self.OPEN, "{points: slot.csv, open: true}"):
            for formulation in FEW:
                value, found = self.run_series(self.variant(self.TEXT.replace("CURVE", curve)), "--formulation", formulation)
                for x, y in zip(found["body.pin.position.x"], found["body.pin.position.y"]):
                    self.assertNear(y, x * x, 1e-10 if "u" in curve[:8] else 1e-7, f"{formulation}: on the curve")
                self.assertLess(abs(value["energy"]["balance_error_J"]), 1e-5, formulation)
                last.append(found["body.pin.position.x"][-1])
        self.assertLess(max(last) - min(last), 3e-6, "formulations and ways agree")
        self.assertLess(min(last), -0.1, "it has gone through the middle")
        short = self.variant(self.TEXT.replace("CURVE", '{x: "0.5*u - 0.1", y: "(0.5*u - 0.1)^2", open: true}'))
        found = self.run_series(short)[1]
        for x, y in zip(found["body.pin.position.x"], found["body.pin.position.y"]):
            self.assertNear(y, x * x if x > -0.1 else 0.01 - 0.2 * (x + 0.1), 1e-10, "straight beyond its end")
        self.assertLess(min(found["body.pin.position.x"]), -0.2, "it leaves the slot")

    def test_refused(self):
        (self.dir / "one.csv").write_text("x\n1\n2\n3\n")
        for curve, words, code in (("{circle: 1, open: true}", "this curve is closed", 3), ("{points: one.csv}", "the file has no curve", 3),
                                   ("{points: none.csv, open: true}", "cannot read", 6)):
            self.assertIn(words, self.command("check", self.variant(self.TEXT.replace("CURVE", curve)), code=code).stderr)
        flat = self.TEXT.replace("type: cam,", "type: flat_cam, angle: 1,")
        for curve, words in ((self.OPEN, "a flat face needs a closed curve"),
                             ('{polar: "0.3*(1 + 0.3*cos(3*angle))"}', "a flat face does not reach its curve at")):
            self.assertIn(words, self.command("check", self.variant(flat.replace("CURVE", curve)), code=3).stderr)


if __name__ == "__main__":
    unittest.main()
