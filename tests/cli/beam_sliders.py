#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bodies that run along beams: closed forms on stiff beams, a moving mass on a bridge against a modal solution, all
formulations, the energy audit, ends, bad input. The element alone: tests/elements/sliders.c."""
import json
import math
import unittest

from support import FEW, SOURCE, CommandTest

FORMULATIONS = ("hybrid", "topological", "recursive", "global", "partition", "redundant")
G = 9.81

STIFF = "{EA: 1e9, GA: 1e9, GJ: 1e8, EI: 1e8, mass: 10}"
SLOPE = """\
hooke: 1
gravity: [0, 0, -9.81]
points: {A: [0, 0, 3], B: [4, 0, 0], P: [0.4, 0, 2.7]}
bodies: {bead: {mass: 2, com: P, inertia: [0.01, 0.01, 0.01]}}
beams:
  rail:
    {from: A, to: B, elements: 8, up: z, clamp: {start: ground, end: ground}, section: SECTION,
     sliders: {s: {body: bead, at: P, stiffness: 1e7, damping: 1e4KEYS}}}
record: ["slider.*", "body.bead.com_position", "body.bead.com_velocity", "energy.*"]
run: {time: 0.6, step: 0.001}
""".replace("SECTION", STIFF)

RING = """\
hooke: 1
gravity: [0, 0, -9.81]
parameters: {a: 1, R: 0.8}
points: {A: [R, 0, 0], M: [0, 0, -R], B: [-R, 0, 0], P: [R*sin(a), 0, -R*cos(a)]}
bodies: {bead: {mass: 2, com: P, inertia: [0.01, 0.01, 0.01]}}
beams:
  ring:
    {from: A, through: M, to: B, elements: 16, up: y, clamp: {start: ground, end: ground}, section: SECTION,
     sliders: {bead: {body: bead, at: P, stiffness: 1e7, damping: 1e4}}}
record: ["slider.*", "body.bead.com_position", "energy.*"]
run: {time: 1, step: 0.001}
""".replace("SECTION", STIFF)

# a mass that a carriage draws over a bridge on two supports at a constant speed
L, EI, RHO, MASS, SPEED = 10.0, 1e6, 100.0, 200.0, 10.0
BRIDGE = f"""\
hooke: 1
parameters: {{n: 16, M: {MASS}}}
points: {{A: [0, 0, 0], B: [{L}, 0, 0]}}
bodies:
  carriage: {{mass: 1e-3, com: A, inertia: [1e-3, 1e-3, 1e-3]}}
  mass: {{mass: M, com: A, inertia: [1, 1, 1]}}
joints:
  a: {{type: general, between: [ground, bridge.start], at: A, locked: [x, y, z, rx]}}
  b: {{type: general, between: [ground, bridge.end], at: B, locked: [y, z, rx]}}
  drive: {{type: prismatic, between: [ground, carriage], at: A, axis: x, motion: {{position: {SPEED}*t}}}}
  lift: {{type: prismatic, between: [carriage, mass], at: A, axis: z}}
beams:
  bridge:
    {{from: A, to: B, elements: n, up: z, section: {{EA: 1e9, GA: 1e9, GJ: 1e6, EI: [{EI}, 1e7], mass: {RHO}, inertia: [1, 1e-3, 1]}},
      sliders: {{wheel: {{body: mass, at: A, stiffness: 1e8, damping: 4e4, range: [0, 1]}}}}}}
forces: {{weight: {{type: force, on: mass, value: [0, 0, -{MASS * G}]}}}}
record: ["slider.*", "body.bridge.*.position", "body.mass.com_position", "energy.*"]
run: {{time: 0.5, step: 0.001}}
"""


def solve(A, b):
    """small dense system"""
    n = len(b)
    A = [row[:] + [x] for row, x in zip(A, b)]
    for i in range(n):
        for j in range(i + 1, n):
            f = A[j][i] / A[i][i]
            for k in range(i, n + 1):
                A[j][k] -= f * A[i][k]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (A[i][n] - sum(A[i][k] * x[k] for k in range(i + 1, n))) / A[i][i]
    return x


def moving_mass(T, modes=5, steps=400):
    """downward deflection under the mass and in the middle at T: modes sin(k pi x/L) of the beam, the mass with its whole acceleration"""
    def rates(t, q, v):
        x, ks = SPEED * t, [(k + 1) * math.pi / L for k in range(modes)]
        f, fx, fxx = [math.sin(k * x) for k in ks], [k * math.cos(k * x) for k in ks], [-k * k * math.sin(k * x) for k in ks]
        mass = RHO * L / 2
        load = MASS * (G - 2 * SPEED * sum(a * b for a, b in zip(fx, v)) - SPEED**2 * sum(a * b for a, b in zip(fxx, q)))
        A = [[mass * (i == j) + MASS * f[i] * f[j] for j in range(modes)] for i in range(modes)]
        return solve(A, [load * f[i] - EI * ks[i]**4 * L / 2 * q[i] for i in range(modes)])
    q, v, h = [0.0] * modes, [0.0] * modes, T / steps
    for i in range(steps):
        t, ks = i * h, []
        for c in (0, 0.5, 0.5, 1):
            dq = [b + c * h * (ks[-1][1][k] if ks else 0) for k, b in enumerate(v)]
            at = [a + c * h * (ks[-1][0][k] if ks else 0) for k, a in enumerate(q)]
            ks.append((dq, rates(t + c * h, at, dq)))
        for k in range(modes):
            q[k] += h / 6 * sum(w * s[0][k] for w, s in zip((1, 2, 2, 1), ks))
            v[k] += h / 6 * sum(w * s[1][k] for w, s in zip((1, 2, 2, 1), ks))
    at = lambda x: sum(a * math.sin((k + 1) * math.pi * x / L) for k, a in enumerate(q))
    return at(SPEED * T), at(L / 2)


class Sliders(CommandTest):
    def final(self, text, *args):
        path = self.dir / "slider.yaml"
        path.write_text(text)
        return json.loads(self.hooke("run", path, "--json", *args).stdout)["final"]

    def test_straight(self):
        """down a slope: g sin a t^2/2; with drag and a drive its exponential"""
        for keys, drag, force in (("", 0, 0), (", drag: 6, force: 5", 6, 5))[1 if FEW else 0:]:
            a, t, m = G * 0.6 + force / 2, 0.2 if FEW else 0.6, 2
            final = self.final(SLOPE.replace("KEYS", keys), "--time", str(t))
            way = a * t * t / 2
            speed = a * t
            if drag:
                c = drag / m
                way, speed = a / c * (t - (1 - math.exp(-c * t)) / c), a / c * (1 - math.exp(-c * t))
            self.assertLess(abs(final["slider.rail.s.place"] - 0.5 - way), 2e-5, keys)
            self.assertLess(abs(final["slider.rail.s.speed"] - speed), 1e-4, keys)
            self.assertLess(abs(final["slider.rail.s.part"] - final["slider.rail.s.place"] / 5), 1e-12)
            if not FEW:  # the rail has come to rest
                self.assertLess(abs(final["slider.rail.s.normal"] / (2 * G * 0.8) - 1), 2e-3)
            self.assertLess(abs(final["slider.rail.s.along"] - (force - drag * final["slider.rail.s.speed"])), 1e-9)

    @unittest.skipIf(FEW, "accuracy: nothing new for sanitizers")
    def test_ring(self):
        """a bead on half a ring is a pendulum"""
        final = self.final(RING)
        a, v, h = 1.0, 0.0, 1e-3
        for _ in range(1000):
            f = lambda x: -G / 0.8 * math.sin(x)
            k1, l1 = v, f(a)
            k2, l2 = v + h / 2 * l1, f(a + h / 2 * k1)
            k3, l3 = v + h / 2 * l2, f(a + h / 2 * k2)
            k4, l4 = v + h * l3, f(a + h * k3)
            a, v = a + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
        self.assertLess(abs(final["slider.ring.bead.place"] - 0.8 * (math.pi / 2 - a)), 3e-4)
        self.assertLess(abs(final["slider.ring.bead.speed"] + 0.8 * v), 2e-3)
        self.assertLess(abs(final["slider.ring.bead.normal"] / (2 * (0.8 * v * v + G * math.cos(a))) - 1), 5e-3)

    @unittest.skipIf(FEW, "accuracy: nothing new for sanitizers")
    def test_moving_mass(self):
        """over a bridge: deflection under the mass and in the middle against modes with the mass's whole acceleration"""
        expected = moving_mass(0.5)
        final = self.final(BRIDGE)
        under, middle = -final["body.mass.com_position.z"], -final["body.bridge.8.position.z"]
        self.assertLess(abs(under / expected[0] - 1), 3e-3, (under, expected))
        self.assertLess(abs(middle / expected[1] - 1), 3e-3, (middle, expected))
        self.assertLess(abs(final["slider.bridge.wheel.place"] - 5), 2e-3)

    def test_every_formulation(self):
        """the same motion"""
        text, first = BRIDGE.replace("n: 16", "n: 8"), None
        for f in FORMULATIONS[:2] if FEW else FORMULATIONS:
            final = self.final(text, "-f", f, "--time", "0.05", "--step", "0.0005")
            first = first or final
            for name, x in final.items():
                if "position" in name:
                    self.assertLess(abs(x - first[name]), 2e-6, (f, name))

    @unittest.skipIf(FEW, "accuracy: nothing new for sanitizers")
    def test_audit(self):
        """what a bead on a soft ring gives and takes closes with the square of the step"""
        text = RING.replace(STIFF, "{EA: 1e5, GA: 1e5, GJ: 20, EI: 20, mass: 1}").replace("1e7, damping: 1e4", "1e5, damping: 30, drag: 0.5")
        text = text.replace("step: 0.001", "step: 0.001, integrator: trapezoidal")
        errors = []
        for step in (0.001, 0.0005):
            final = self.final(text, "--time", "0.3", "--step", str(step))
            errors.append(abs(final["energy.balance_error"]))
        self.assertGreater(final["energy.dissipated"], 0.05)
        self.assertLess(errors[1], 2e-3)
        self.assertTrue(3 < errors[0] / errors[1] < 5.3, errors)

    def test_ends(self):
        """a stop sends it back; where it may leave it falls"""
        if not FEW:
            stopped = self.final(SLOPE.replace("KEYS", ", force: 100"), "--time", "0.45")
            self.assertLess(stopped["slider.rail.s.speed"], -1)
            self.assertLess(stopped["slider.rail.s.place"], 5)
        left = self.final(SLOPE.replace("KEYS", ", force: 100, ends: leave"), "--time", "0.6")
        self.assertEqual(left["slider.rail.s.normal"], 0)
        self.assertEqual(left["slider.rail.s.along"], 0)
        self.assertGreater(left["body.bead.com_position.x"], 4.5)
        self.assertLess(left["body.bead.com_position.z"], -0.5)

    @unittest.skipIf(FEW, "accuracy: nothing new for sanitizers")
    def test_rails(self):
        """two lines beside a beam keep a car upright; a part of the nodes is enough"""
        keys = "sliders: {" + ", ".join(
            f"{k}: {{body: bead, at: [{x}, {y}, {2.7 + 0.75 * (0.4 - x) + 0.1}], offset: [{y}, 0.1], stiffness: 1e6, damping: 1e3, range: [0, 0.6]}}"
            for k, x, y in (("a", 0.4, 0.3), ("b", 0.4, -0.3), ("c", 0.9, 0.0))) + "}"
        start = SLOPE.index("sliders:")
        text = SLOPE[:start] + keys + SLOPE[SLOPE.index("}}}\nrecord") + 2:]
        text = text.replace("record: [", 'record: ["body.bead.angles_xyz", ').replace("up: z", "up: [0.6, 0, 0.8]")
        text = text.replace("0.1}", "0.1}")
        path = self.dir / "slider.yaml"
        path.write_text(text)
        final = json.loads(self.hooke("run", path, "--json", "--time", "0.3").stdout)["final"]
        for x in "xyz":
            self.assertLess(abs(final[f"body.bead.angles_xyz.{x}"]), 0.05)
        self.assertGreater(final["slider.rail.a.place"], 0.6)

    def test_example(self):
        """the trolley of the example crosses its bridge; the run is good"""
        summary = json.loads(self.hooke("run", SOURCE / "examples/trolley-on-a-bridge.yaml", "--json", "--time", "0.2" if FEW else "2").stdout)
        self.assertEqual(summary["grade"], "good")
        self.assertGreater(summary["final"]["slider.bridge.wheel.part"], 0.03 if FEW else 0.25)

    def test_bad_input(self):
        good = SLOPE.replace("KEYS", "")
        for old, new, words in (
                ("body: bead", "body: beed", "beed"),
                ("body: bead", "body: rail.3", "of which its body is a part"),
                ("at: P, stiff", "at: [0, 2, 0], stiff", "m away from beam 'rail'"),
                ("stiffness: 1e7", "stiffness: 0", "stiffness"),
                ("stiffness: 1e7, ", "", "needs the key 'stiffness'"),
                ("damping: 1e4", "damping: -1", "damping"),
                ("damping: 1e4", "ends: fall", "ends"),
                ("damping: 1e4", "range: [0.5, 0.2]", "'range' must be two parts of the length"),
                ("damping: 1e4", "offset: 1", "offset"),
                ("damping: 1e4", "speed: 1", "slider 's' of beam 'rail' has no key 'speed'"),
                ("elements: 8", "elements: 300", "runs over 301 nodes; at most 256"),
                ("sliders: {s:", "sliders: {3:", "3"),
                ("sliders: {s: {body: bead, at: P, stiffness: 1e7, damping: 1e4}}", "sliders: [1]", "must be a mapping")):
            self.assertIn(old, good)
            path = self.dir / "bad.yaml"
            path.write_text(good.replace(old, new))
            result = self.hooke("check", path, code=3)
            self.assertIn(words, result.stderr, (new, result.stderr))
            self.assertRegex(result.stderr, r"bad\.yaml:\d+:\d+")


if __name__ == "__main__":
    unittest.main()
