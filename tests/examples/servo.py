#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Control constraints: the overhead crane against its flat solution, by order; forces that reach their constraint after
one and two integrations more; an arm whose tip writes a triangle; a servo in the place of a motion, in loops too; what
the doctor calls it; what cannot be kept, and methods that cannot keep it."""
import json
import math
import re
import unittest

from support import ExampleTest

G = 9.81

# two masses on a line with a spring between them: the force acts on the first, the second follows a path
MASSES = """hooke: 1
bodies:
  one: {mass: 2, com: [0, 0, 0]}
  two: {mass: 3, com: [1, 0, 0]}
MORE_BODIES
joints:
  a: {type: prismatic, between: [ground, one], at: [0, 0, 0], axis: x}
  b: {type: prismatic, between: [ground, two], at: [1, 0, 0], axis: x}
MORE_JOINTS
forces:
  k: {type: spring_damper, between: [one, two], ends: [[0, 0, 0], [1, 0, 0]], stiffness: 100, damping: DAMPING}
MORE_FORCES
signals:
  w: "t^5*(126 - 420*t + 540*t^2 - 315*t^3 + 70*t^4)"
servo:
  pull: {constraint: "CONSTRAINT", through: THROUGH}
run: {time: 1, step: 0.01, formulation: redundant, integrator: multistep, stabilisation: STAB}
"""

WAY = [0, 0, 0, 0, 0, 126, -420, 540, -315, 70]


def masses(**words):
    text = MASSES
    given = {"MORE_BODIES": "", "MORE_JOINTS": "", "MORE_FORCES": "", "DAMPING": "0", "THROUGH": "a",
             "CONSTRAINT": "body.two.position.x = 1 + w", "STAB": "fuhrer_leimkuhler"}
    given.update(words)
    for word, value in given.items():
        text = text.replace(word, value)
    return text


def record(text, *channels):
    """a model that records other channels"""
    return re.sub(r"record: \[.*?\]", "record: " + json.dumps(channels), text, flags=re.DOTALL)


def derivatives(way, t, n):
    """value and n derivatives of a polynomial"""
    out = []
    for _ in range(n + 1):
        out.append(sum(c * t ** i for i, c in enumerate(way)))
        way = [i * c for i, c in enumerate(way)][1:]
    return out


def crane(t, duration=4, width=3, height=1.5, rope=4, trolley=200, load=500):
    """trolley and its force, rope force, swing: by flatness"""
    w = [d / duration ** i for i, d in enumerate(derivatives(WAY, t / duration, 4))]
    x = [width * d for d in w]
    z = [height * d for d in w]
    z[0] -= rope
    g = (G + z[2], z[3], z[4])
    n = (-z[0] * x[2], -z[1] * x[2] - z[0] * x[3], -z[2] * x[2] - 2 * z[1] * x[3] - z[0] * x[4])
    r = n[0] / g[0]
    r1 = (n[1] - r * g[1]) / g[0]
    r2 = (n[2] - 2 * r1 * g[1] - r * g[2]) / g[0]
    return x[0] + r, trolley * (x[2] + r2) + load * x[2], load * math.hypot(x[2], g[0]), math.atan2(x[2], g[0])


class Crane(ExampleTest):
    NAMES = ("joint.rail.position", "servo.x.value", "servo.z.value", "joint.swing.angle")

    def errors(self, step, *args):
        """largest errors over the run, the first tenth left out; and of the path (the trolley's force is a second
        derivative by differences, whose first values have no past)"""
        _, found = self.run_series("overhead-crane.yaml", "--step", step, *args)
        worst = [0.0] * 4
        for i, t in enumerate(found["t"]):
            if t >= 0.4:
                for k, (name, value) in enumerate(zip(self.NAMES, crane(t))):
                    worst[k] = max(worst[k], abs(abs(found[name][i]) - abs(value)))
        return worst, max(abs(e) for n in "xz" for e in found[f"servo.{n}.error"])

    def test_flat(self):
        """trolley, swing and rope force follow from the path without differences; the trolley's force has the order
        of the method"""
        found = [self.errors(h) for h in (0.02, 0.01, 0.005)]
        for f, path in found:
            for k, within in ((0, 1e-11), (2, 1e-8), (3, 1e-11)):
                self.assertLess(f[k], within, self.NAMES[k])
            self.assertLess(path, 1e-13)
        self.assertOrder([f[1] for f, _ in found], 2, 0.02, "trolley's force")
        self.assertLess(found[-1][0][1], 0.06)

    def test_integrators(self):
        found = [self.errors(h, "--integrator", "generalized_alpha", "--option", "rho_inf=0.4")[0][1]
                 for h in (0.01, 0.005)]
        self.assertOrder(found, 2, 0.1)

    def test_audit(self):
        value = self.run_model("overhead-crane.yaml", "--step", 0.01)
        # the load has been lifted by 1.5 m, by the work of the servos
        self.assertNear(value["energy"]["supplied_J"], 500 * G * 1.5, 0.02, "supplied")
        self.assertLess(abs(value["energy"]["balance_error_J"]), 0.02)


# bridge along x, trolley along y, hoist: three forces, three components of the load's place
SPATIAL = """hooke: 1
gravity: [0, 0, -9.81]
bodies:
  bridge: {mass: 400, com: [0, 0, 0]}
  trolley: {mass: 200, com: [0, 0, 0]}
  rope: {}
  load: {mass: 500, com: [0, 0, -4]}
joints:
  rails: {type: prismatic, between: [ground, bridge], at: [0, 0, 0], axis: x}
  cross: {type: prismatic, between: [bridge, trolley], at: [0, 0, 0], axis: y}
  swing: {type: universal, between: [trolley, rope], at: [0, 0, 0], axis: x, axis2: y}
  hoist: {type: prismatic, between: [rope, load], at: [0, 0, -4], axis: z}
signals:
  s: t/4
  w: "s^5*(126 - 420*s + 540*s^2 - 315*s^3 + 70*s^4)"
servo:
  x: {constraint: "body.load.position.x = 3*w", through: rails}
  y: {constraint: "body.load.position.y = 2*w*(3 - 2*w)", through: cross}
  z: {constraint: "body.load.position.z = 1.5*w - 4", through: hoist}
record: ["servo.*", "joint.*.position", "energy.*"]
run: {time: 4, step: 0.02, formulation: redundant, stabilisation: fuhrer_leimkuhler, integrator: multistep}
"""


class SpatialCrane(ExampleTest):
    def exact(self, t):
        """places of bridge and trolley, forces"""
        w = [d / 4 ** i for i, d in enumerate(derivatives(WAY, t / 4, 4))]
        # the square of w, by Leibniz's rule
        w2 = [sum(math.comb(n, k) * w[k] * w[n - k] for k in range(n + 1)) for n in range(5)]
        path = ([3 * d for d in w], [6 * a - 4 * b for a, b in zip(w, w2)], [1.5 * d for d in w])
        z = [path[2][0] - 4, *path[2][1:]]
        g = (G + z[2], z[3], z[4])
        out = []
        for x, mass in ((path[0], 600), (path[1], 200)):
            n = (-z[0] * x[2], -z[1] * x[2] - z[0] * x[3], -z[2] * x[2] - 2 * z[1] * x[3] - z[0] * x[4])
            r = n[0] / g[0]
            r1 = (n[1] - r * g[1]) / g[0]
            r2 = (n[2] - 2 * r1 * g[1] - r * g[2]) / g[0]
            out += [x[0] + r, mass * (x[2] + r2) + 500 * x[2]]
        return *out, 500 * math.hypot(path[0][2], path[1][2], g[0])

    def errors(self, step):
        _, found = self.run_series(self.variant(SPATIAL), "--step", step)
        names = ("joint.rails.position", "servo.x.value", "joint.cross.position", "servo.y.value", "servo.z.value")
        worst = [0.0] * 5
        for i, t in enumerate(found["t"]):
            if t >= 0.8:
                for k, (name, value) in enumerate(zip(names, self.exact(t))):
                    worst[k] = max(worst[k], abs(found[name][i] - value))
        return worst

    def test_flat(self):
        """two of three components are out of reach at once: rank 1; places and rope to round-off, forces at order 2"""
        found = [self.errors(h) for h in (0.02, 0.01)]
        for k, within in ((0, 1e-10), (2, 1e-10), (4, 1e-7)):
            self.assertLess(max(f[k] for f in found), within)
        for k in (1, 3):
            self.assertOrder([f[k] for f in found], 2, 0.1)
        out = json.loads(self.command("check", self.variant(SPATIAL), "--json").stdout)
        self.assertIn("servos: mixed realisation, rank 1 of 3, index 5", [f["text"] for f in out["findings"]])


class Masses(ExampleTest):
    def errors(self, step, damping, *args):
        """place and force of the first mass: e = x1 - x2 satisfies d e' + k e = m2 x2''"""
        model = self.variant(masses(DAMPING=str(damping)))
        _, found = self.run_series(model, "--step", step, *args)
        worst = [0.0, 0.0]
        for i, t in enumerate(found["t"]):
            w = derivatives(WAY, t, 9)
            # of a polynomial: sum (-d/k D)^n m2/k w'', and what decays from e = 0
            part = lambda w, j: sum((-damping / 100) ** n * 3 / 100 * w[2 + n + j] for n in range(8 - j))
            e = [part(w, j) for j in (0, 1, 2)]
            if damping:
                for j in (0, 1, 2):
                    e[j] -= part(derivatives(WAY, 0, 9), 0) * math.exp(-100 * t / damping) * (-100 / damping) ** j
            if t >= 0.2:
                worst[0] = max(worst[0], abs(found["joint.a.position"][i] - w[0] - e[0]))
                worst[1] = max(worst[1], abs(found["servo.pull.value"][i] - 2 * (w[2] + e[2]) - 3 * w[2]))
        return worst

    def test_spring(self):
        """index 5: the place of the first mass follows without differences, the force by two of them"""
        found = [self.errors(h, 0) for h in (0.01, 0.005)]
        self.assertLess(max(f[0] for f in found), 1e-12)
        self.assertOrder([f[1] for f in found], 2, 0.1)

    def test_damper(self):
        """index 4: a motion of its own is left"""
        found = [self.errors(h, 5) for h in (0.004, 0.002)]
        for k in (0, 1):
            self.assertOrder([f[k] for f in found], 2, 0.1)

    def words(self, text, code=0):
        out = json.loads(self.command("check", self.variant(text), "--json", code=code).stdout)
        return [f["text"] for f in out["findings"] if f["kind"] == "servo"]

    def test_doctor(self):
        """what acts at once, through a damper, through a spring, and through a mass and two springs"""
        for found, expected in ((self.words(masses(THROUGH="b")), "orthogonal realisation, rank 1 of 1, index 3"),
                                (self.words(masses(DAMPING="5")), "tangent realisation, rank 0 of 1, index 4"),
                                (self.words(masses()), "tangent realisation, rank 0 of 1, index 5")):
            self.assertEqual(found, ["servos: " + expected])
        crane_words = [f["text"] for f in json.loads(self.command(
            "check", self.source("overhead-crane.yaml"), "--json").stdout)["findings"] if f["kind"] == "servo"]
        self.assertEqual(crane_words, ["servos: mixed realisation, rank 1 of 2, index 5"])

    def source(self, name):
        return self.variant(self.text(name), name)

    def refused(self, text, *words, args=()):
        out = self.command("run", self.variant(text), *args, code=4)
        for w in words:
            self.assertIn(w, out.stderr)
        self.assertRegex(out.stderr, r"variant.yaml:\d+:\d+: error")

    def test_refused(self):
        """out of reach, above the index of the methods, not consistent at the start"""
        three = masses(MORE_BODIES="  three: {mass: 1, com: [2, 0, 0]}",
                       MORE_JOINTS="  c: {type: prismatic, between: [ground, three], at: [2, 0, 0], axis: x}",
                       MORE_FORCES="  k2: {type: spring_damper, between: [two, three], ends: [[1, 0, 0], [2, 0, 0]], "
                                   "stiffness: 100}", CONSTRAINT="joint.c.position = w")
        self.refused(three, "index above 5", "servo 'pull'")
        self.refused(three.replace("through: a", "through: b"), "stabilisation: fuhrer_leimkuhler",
                     args=("--option", "stabilisation=projection"))
        self.refused(masses(STAB="projection"), "tangent realisation, rank 0 of 1, index 5",
                     "stabilisation: fuhrer_leimkuhler", "servo 'pull'")
        self.refused(masses(), "lets the forces of servo 'pull' ring", "multistep",
                     args=("--integrator", "trapezoidal"))
        self.refused(masses(CONSTRAINT="body.two.position.x = 1 + 0.5*t^2 + w"), "actuators do not reach", "start from rest")
        for f in ("hybrid", "global", "topological", "recursive", "partition"):
            out = self.command("run", self.variant(masses(THROUGH="b")), "--formulation", f, code=2)
            self.assertIn(f"formulation '{f}' cannot treat servo 'pull'", out.stderr)
            self.assertIn("redundant", out.stderr)


class Rest(ExampleTest):
    def test_events(self):
        """the hoist holds the load until it is let go; a servo that is off does not count"""
        text = masses(THROUGH="b", STAB="projection", CONSTRAINT="joint.b.position = 0") \
            .replace("through: b}", "through: b, active: true}\n  late: {constraint: \"joint.a.position = 0\", through: a, "
                     "active: false}\nevents: {go: {when: \"t >= 0.5\", release: pull}}\n"
                     "start: {a: {velocity: 1}}\nrecord: [\"servo.*\", \"joint.*\", \"energy.*\"]")
        value, found = self.run_series(self.variant(text), "--step", 0.001)
        w = math.sqrt(100 / 2)
        for i, t in enumerate(found["t"]):
            if t < 0.4995:
                self.assertNear(found["joint.a.position"][i], math.sin(w * t) / w, 1e-4)
                self.assertNear(found["servo.pull.value"][i], -100 * math.sin(w * t) / w, 2e-2)
            elif t > 0.5005:
                self.assertEqual(found["servo.pull.value"][i], 0)
            self.assertEqual(found["servo.late.value"][i], 0)
        # momentum is kept from then on
        i = found["t"].index(0.6)
        momentum = [2 * a + 3 * b for a, b in zip(found["joint.a.velocity"], found["joint.b.velocity"])]
        self.assertNear(momentum[-1], momentum[i], 1e-9)
        self.assertLess(abs(value["energy"]["balance_error_J"]), 1e-4)

    def test_resumed(self):
        """bit by bit"""
        state, crane_file = self.dir / "half.state", self.variant(self.text("overhead-crane.yaml"), "crane.yaml")
        whole = self.run_model(crane_file)["final"]
        self.run_model(crane_file, "--time", 2, "--checkpoint", state)
        self.assertEqual(self.run_model(crane_file, "--resume", state)["final"], whole)

    def test_other_analyses(self):
        """those that cannot treat servos say so at their place; modes of index 3 have the motion that is left"""
        model = self.variant(masses(THROUGH="b", STAB="projection", CONSTRAINT="joint.b.position = 0"))
        for verb in ("statics", "inverse"):
            out = self.command(verb, model, code=3)
            self.assertRegex(out.stderr, r"variant.yaml:\d+:3: error: the [a-z ]+ does not treat servo 'pull'")
        modes = json.loads(self.command("modes", model, "--json").stdout)["modes"]
        self.assertEqual(len(modes), 1)
        self.assertNear(modes[0]["frequency_Hz"], math.sqrt(100 / 2) / (2 * math.pi), 1e-8)
        out = self.command("modes", self.variant(masses(CONSTRAINT="joint.b.position = 0")), code=3)
        self.assertIn("does not treat servo 'pull'", out.stderr)
        out = self.command("run", self.variant(masses() + "start: {equilibrium: true}\n"), code=3)
        self.assertIn("the equilibrium does not treat servo 'pull'", out.stderr)


class Orthogonal(ExampleTest):
    def test_motion(self):
        """through its own joint a servo is the motion of that joint: drives, reactions, supplied energy; in a loop, in
        a robot of two loops"""
        for name, joints, run in (("slider-crank-driven.yaml", ("crank",), ()),
                                  ("five-bar-robot.yaml", ("left", "right"), ("--time", 0.5))):
            text, section = self.text(name), "servo:\n"
            for j in joints:
                found = re.search(r"( +" + j + r":.*?), motion: \{angle: ([^}]+)\}", text)
                text = text.replace(found.group(0), found.group(1))
                section += f'  keep_{j}: {{constraint: "joint.{j}.angle = {found.group(2)}", through: {j}}}\n'
            text = record(text, "servo.*", "joint.*", "body.*.position")
            model = self.variant(text + section, name)
            self.variant(self.text("five-bar-robot.csv"), "five-bar-robot.csv")
            driven = self.variant(record(self.text(name), "joint.*", "body.*.position"), "driven.yaml")
            for i in ("multistep", "trapezoidal"):
                args = ("--formulation", "redundant", "--integrator", i, *run)
                _, a = self.run_series(driven, *args)
                _, b = self.run_series(model, *args)
                size = max(abs(x) for j in joints for x in a[f"joint.{j}.drive"])
                for column, values in a.items():
                    words = column.split(".")
                    if len(words) == 4 and words[1] in joints and words[2] == "torque":
                        continue  # a drive is part of its joint's reaction, a servo is not
                    to = f"servo.keep_{words[1]}.{'value' if words[2] == 'drive' else 'supplied'}" \
                        if column not in b else column
                    for x, y in zip(values, b[to]):
                        self.assertNear(y, x, 1e-9 * max(1, size), f"{name} {i} {column}")

    def test_triangle(self):
        """torques of both motors by Lagrange's equations, order 2, the path to round-off; all integrators"""
        # the strokes as in the model: corners, and s of the stroke
        corners = ((0.5, 0.5), (0.2, 0.5), (0.35, 0.76), (0.5, 0.5))
        way = [0, 0, 0, 0, 35, -84, 70, -20]

        def torques(t):
            k = min(int(t), 2)
            w = derivatives(way, t - k, 2)
            p = [[a + (b - a) * w[0], (b - a) * w[1], (b - a) * w[2]] for a, b in zip(corners[k], corners[k + 1])]
            (x, xd, xdd), (y, yd, ydd) = p
            a = 0.5
            c = (x * x + y * y - 2 * a * a) / (2 * a * a)
            q2 = math.acos(c)
            q1 = math.atan2(y, x) - math.atan2(a * math.sin(q2), a * (1 + c))
            s1, c1, s12, c12 = math.sin(q1), math.cos(q1), math.sin(q1 + q2), math.cos(q1 + q2)
            J = ((-a * s1, -a * s12), (a * c1, a * c12))  # by q1 and by q1 + q2
            det = J[0][0] * J[1][1] - J[0][1] * J[1][0]
            solve = lambda u, v: ((J[1][1] * u - J[0][1] * v) / det, (J[0][0] * v - J[1][0] * u) / det)
            w1, w2 = solve(xd, yd)
            a1, a2 = solve(xdd + a * (c1 * w1 ** 2 + c12 * w2 ** 2), ydd + a * (s1 * w1 ** 2 + s12 * w2 ** 2))
            m1, m2, i1, i2 = 2, 1, 2 * a * a / 12, a * a / 12
            cc, ss = math.cos(q2), math.sin(q2)
            t12 = (i2 + m2 * a * a / 4) * a2 + m2 * a * a / 2 * (cc * a1 + ss * w1 ** 2) + m2 * G * a / 2 * c12
            t1 = (i1 + m1 * a * a / 4 + m2 * a * a) * a1 + m2 * a * a / 2 * (cc * a2 - ss * w2 ** 2) + \
                (m1 / 2 + m2) * G * a * c1
            return t1 + t12, t12

        def error(step, *args):
            _, found = self.run_series("triangle-arm.yaml", "--step", step, *args)
            worst = 0.0
            for i, t in enumerate(found["t"]):
                x, y = found["servo.x.value"][i], found["servo.y.value"][i]
                worst = max(worst, abs(x + y - torques(t)[0]), abs(x - y - torques(t)[1]))
            return worst, max(abs(e) for n in "xy" for e in found[f"servo.{n}.error"])

        for args in ((), ("--integrator", "trapezoidal"), ("--integrator", "rk4")):
            found = error(0.01, *args)
            self.assertLess(found[0], 1e-9, args)  # nothing is free: positions, rates and accelerations are exact
            self.assertLess(found[1], 1e-12, args)
        self.assertLess(error(0.05, "--integrator", "bdf", "--option", "rtol=1e-8", "--option", "atol=1e-10")[0], 1e-5)


if __name__ == "__main__":
    unittest.main()
