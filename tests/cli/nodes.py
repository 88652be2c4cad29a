#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nodes without rotation: point masses that nothing turns have three unknowns in every formulation, and move as the same
masses with six coordinates do; statics, modes and momentum against closed forms; what turns a node is refused by name."""
import json
import math
import unittest

from support import CommandTest

FORMULATIONS = ("hybrid", "topological", "recursive", "global", "partition", "redundant")
G, MASS, STEP, STIFF = 9.81, 0.2, 0.5, 400.0


def line(n, rotation="auto", planar=False, more=""):
    """n masses on springs between two points at one height, drawn straight"""
    lines = ["hooke: 1", f"gravity: [0, 0, {-G}]", *(["planar: xz"] if planar else []), 'record: ["body.*.position"]',
             "bodies:"]
    lines += [f"  p{i}: {{mass: {MASS}, com: [{STEP * i}, 0, 0], rotation: {rotation}}}" for i in range(1, n + 1)]
    lines.append("forces:")
    for i in range(n + 1):
        a, b = "ground" if i == 0 else f"p{i}", "ground" if i == n else f"p{i + 1}"
        lines.append(f"  s{i}: {{type: spring_damper, between: [{a}, {b}], ends: [[{STEP * i}, 0, 0], [{STEP * (i + 1)}, "
                     f"0, 0]], stiffness: {STIFF}, length: {STEP}, damping: 0.2}}")
    return "\n".join(lines) + "\n" + more


def catenary(n):
    """places of the masses at rest: springs that carry the weight below them, from the symmetry of the line"""
    def shape(pull):
        """width between the ends for a horizontal force, and the places"""
        x, z, at = 0.0, 0.0, []
        for i in range(n + 1):
            up = MASS * G * (0.5 * n - i)
            force = math.hypot(pull, up)
            long = STEP + force / STIFF
            x, z = x + long * pull / force, z - long * up / force
            at.append((x, z))
        return x, at
    low, high = 1e-3, 1e3
    for _ in range(200):
        mid = 0.5 * (low + high)
        low, high = (mid, high) if shape(mid)[0] < STEP * (n + 1) else (low, mid)
    return shape(mid)[1]


def hanging(n):
    """a chain of n masses that hangs straight, its springs of length STEP under the load"""
    lines = ["hooke: 1", f"gravity: [0, 0, {-G}]", "bodies:"]
    lines += [f"  p{i}: {{mass: {MASS}, com: [0, 0, {-STEP * i}]}}" for i in range(1, n + 1)]
    lines.append("forces:")
    for i in range(n):
        a = "ground" if i == 0 else f"p{i}"
        lines.append(f"  s{i}: {{type: spring_damper, between: [{a}, p{i + 1}], ends: [[0, 0, {-STEP * i}], "
                     f"[0, 0, {-STEP * (i + 1)}]], stiffness: {STIFF}, length: {STEP - MASS * G * (n - i) / STIFF!r}}}")
    return "\n".join(lines) + "\n"


# a rod with a mass on its end by a ball, and two more on rods of fixed length
MIXED = """\
hooke: 1
gravity: [0, 0, -9.81]
bodies:
  rod: {mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}
  a: {mass: 0.5, com: [1, 0, 0], rotation: none}
  b: {mass: 0.3, com: [2, 0, 0], rotation: none}
  c: {mass: 0.3, com: [2, 1, 0], rotation: none}
joints:
  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: y}
  ball: {type: spherical, between: [rod, a], at: [1, 0, 0]}
  rope: {type: distance, between: [a, b], ends: [[1, 0, 0], [2, 0, 0]]}
  rope2: {type: distance, between: [b, c], ends: [[2, 0, 0], [2, 1, 0]]}
forces:
  s: {type: spring_damper, between: [c, ground], ends: [[2, 1, 0], [2, 1, 2]], stiffness: 50, damping: 0.1}
start: {b: {velocity: [0, 0.5, 0]}}
record: ["body.*.position"]
"""


class Nodes(CommandTest):
    def file(self, text, name="model.yaml"):
        (self.dir / name).write_text(text)
        return self.dir / name

    def run_json(self, path, *args, code=0):
        return json.loads(self.hooke("run", path, "--json", *args, code=code).stdout)

    def distance(self, one, two):
        self.assertEqual(set(one), set(two))
        return max(abs(one[k] - two[k]) for k in one if k != "time")

    def test_unknowns_and_motion(self):
        for planar, each in ((False, 3), (True, 2)):
            full = self.file(line(4, "full", planar), "full.yaml")
            node = self.file(line(4, "auto", planar))
            for formulation in FORMULATIONS:
                with self.subTest(planar=planar, formulation=formulation):
                    args = ("-f", formulation, "--time", 0.2, "--step", 0.002)
                    six, three = self.run_json(full, *args), self.run_json(node, *args)
                    self.assertEqual((three["coordinates"], three["dof"], three["redundant"]), (4 * each, 4 * each, 0))
                    self.assertEqual(six["dof"], 4 * each)
                    self.assertGreaterEqual(six["coordinates"], 4 * (3 if planar else 6))
                    self.assertLess(self.distance(six["final"], three["final"]), 1e-12)
                    self.assertEqual(three["grade"], "good")

    def test_integrators(self):
        node = self.file(MIXED)
        full = self.file(MIXED.replace("rotation: none", "rotation: full"), "full.yaml")
        for integrator, bound in (("generalized_alpha", 1e-12), ("multistep", 1e-12), ("sdirk", 1e-12), ("rk4", 1e-12),
                                  ("bdf", 1e-5)):
            with self.subTest(integrator=integrator):
                args = ("-f", "redundant", "-i", integrator, "--time", 0.4, "--step", 0.004)
                one, two = self.run_json(node, *args), self.run_json(full, *args)
                self.assertEqual((one["coordinates"], two["coordinates"], one["dof"]), (15, 24, 5))
                self.assertLess(self.distance(one["final"], two["final"]), bound)
        # least squares over other equations: equal to the error of the method
        for method, bound in (("ggl", 1e-12), ("fuhrer_leimkuhler", 1e-12), ("overdetermined", 1e-6)):
            args = ("-f", "redundant", "-i", "trapezoidal", "--option", f"stabilisation={method}", "--time", 0.2,
                    "--step", 0.004)
            one, two = self.run_json(node, *args), self.run_json(full, *args)
            self.assertLess(self.distance(one["final"], two["final"]), bound)
        ends = [self.run_json(node, "-f", f, "-i", "dopri5", "--time", 0.4, "--step", 0.01)["final"] for f in FORMULATIONS]
        for end in ends[1:]:
            self.assertLess(self.distance(ends[0], end), 1e-6)

    def test_catenary(self):
        n = 6
        path = self.file(line(n))
        for formulation in FORMULATIONS:
            found = json.loads(self.hooke("statics", path, "-f", formulation, "--json").stdout)["points"][-1]["final"]
            for i, (x, z) in enumerate(catenary(n)[:-1]):
                self.assertAlmostEqual(found[f"body.p{i + 1}.position.x"], x, delta=1e-10)
                self.assertAlmostEqual(found[f"body.p{i + 1}.position.z"], z, delta=1e-10)
                self.assertAlmostEqual(found[f"body.p{i + 1}.position.y"], 0.0, delta=1e-10)

    def test_modes(self):
        """lateral: zeros of the Laguerre polynomial L_3 times g/l, twice each; along: a row of springs"""
        n = 3
        expected = [math.sqrt(G / STEP * x) for x in (0.41577455678347908, 2.2942803602790417, 6.2899450829374791)
                    for _ in range(2)]
        expected += [2 * math.sqrt(STIFF / MASS) * math.sin((2 * j - 1) * math.pi / (2 * (2 * n + 1)))
                     for j in range(1, n + 1)]
        path = self.file(hanging(n))
        for formulation in FORMULATIONS:
            modes = json.loads(self.hooke("modes", path, "-f", formulation, "--json").stdout)["modes"]
            found = sorted(2 * math.pi * m["frequency_Hz"] for m in modes)
            self.assertEqual(len(found), 3 * n)
            for a, b in zip(found, sorted(expected)):
                self.assertAlmostEqual(a / b, 1.0, delta=1e-8, msg=formulation)

    def test_momentum(self):
        """two masses on a spring, thrown: their centre falls freely, at the trapezoidal rule exactly"""
        path = self.file("hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {a: {mass: 1, com: [0, 0, 0]}, b: {mass: 3, com: "
                          "[1, 0, 0]}}\nforces: {s: {type: spring_damper, between: [a, b], ends: [[0, 0, 0], [1, 0, 0]], "
                          "stiffness: 90, length: 0.8}}\nstart: {a: {velocity: [1, 2, 3]}, b: {velocity: [0, -1, 2]}}\n"
                          'record: ["body.*.position", "body.*.velocity"]\n')
        for formulation in FORMULATIONS:
            end = self.run_json(path, "-f", formulation, "-i", "trapezoidal", "--time", 0.5, "--step", 0.01)["final"]
            for axis, v, a in (("x", 0.25, 0.0), ("y", -0.25, 0.0), ("z", 2.25, -9.81)):
                at = 0.25 * end[f"body.a.position.{axis}"] + 0.75 * end[f"body.b.position.{axis}"]
                rate = 0.25 * end[f"body.a.velocity.{axis}"] + 0.75 * end[f"body.b.velocity.{axis}"]
                self.assertAlmostEqual(at, (0.75 if axis == "x" else 0.0) + 0.5 * v + 0.125 * a, delta=1e-11)
                self.assertAlmostEqual(rate, v + 0.5 * a, delta=1e-11)

    def test_refusals(self):
        body = "hooke: 1\nbodies: {p: {mass: 1, com: [0, 0, 0], rotation: none%s}}\n%s"
        cases = (
            (", inertia: [1, 1, 1]", "", "it has a moment of inertia"),
            ("", "joints: {pin: {type: revolute, between: [ground, p], at: [0, 0, 0], axis: z}}", "the joint 'pin' holds its axes"),
            ("", "joints: {ball: {type: spherical, between: [ground, p], at: [1, 0, 0]}}",
             "the joint 'ball' acts away from its centre"),
            ("", "forces: {m: {type: torque, on: p, value: [1, 0, 0]}}", "the force 'm' acts with a moment"),
            ("", "forces: {s: {type: spring_damper, between: [ground, p], ends: [[0, 0, 1], [0, 1, 0]], stiffness: 1}}",
             "the force 's' acts away from its centre"),
            ("", "start: {p: {angular_velocity: [0, 0, 1]}}", "the start of 'p' gives it an orientation or an angular velocity"))
        for keys, more, words in cases:
            result = self.hooke("check", self.file(body % (keys, more)), code=3)
            self.assertIn(f"body 'p' cannot be without rotation: {words}", result.stderr)
            self.assertIn("model.yaml:2:", result.stderr)
        bad = self.hooke("check", self.file((body % ("", "")).replace("none", "some")), code=3)
        self.assertIn("auto none full", bad.stderr)
        told = self.hooke("check", self.file(line(1))).stdout
        self.assertIn("body 'p1' is a point mass that nothing turns: a node of three displacements, without rotation", told)


if __name__ == "__main__":
    unittest.main()
