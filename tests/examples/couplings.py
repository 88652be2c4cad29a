#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Couplings of joint coordinates in every formulation: the planetary gear and the differential against closed forms,
speeds and torques; relations that bend, by order and audit; coordinates of cut joints; relations of rates; couplings that
give way, with play; rotors behind gears; events and resumption; what the doctor says."""
import json
import math
import unittest

from support import ExampleTest

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")

# three bodies whose second angle follows from the first and a sliding one
BEND = """hooke: 1
gravity: [0, 0, -9.81]
bodies:
  w1: {mass: 1, com: [0.3, 0, 0.1], inertia: [0.02, 0.03, 0.04]}
  w2: {mass: 2, com: [1, 0.2, -0.3], inertia: [0.08, 0.07, 0.06]}
  s: {mass: 0.5, com: [1.1, 0.5, -0.3], inertia: [0.01, 0.01, 0.01]}
joints:
  a: {type: revolute, between: [ground, w1], at: [0, 0, 0], axis: y}
  b: {type: revolute, between: [w1, w2], at: [1, 0, 0], axis: [1, 1, 0]}
  c: {type: prismatic, between: [w2, s], at: [1, 0.2, 0], axis: [0, 1, 1]}
  k: COUPLER
run: {time: 0.4, step: 0.005}
start: {a: {rate: 1}, c: {velocity: 0.3}}
"""
BENDS = {"expression": "{type: coupler, expression: joint.b.angle - 0.8*sin(1.3*joint.a.angle) - "
                       "0.2*joint.a.angle*joint.c.position}",
         "table": "{type: coupler, joints: [a, b], table: [[-1, -0.4], [0, 0], [0.5, 0.35], [1, 0.6], [2, 0.8], "
                  "[3, 0.7]]}",
         "polynomial": "{type: coupler, joints: [a, b], polynomial: [0, 0.8, -0.3, 0.05]}"}

# two wheels on the ground
PAIR = """hooke: 1
gravity: [0, 0, 0]
bodies:
  w1: {mass: 1, com: [0, 0, 0], inertia: [0.02, 0.02, 0.04]}
  w2: {mass: 2, com: [1, 0, 0], inertia: [0.08, 0.08, 0.16]}
joints:
  a: {type: revolute, between: [ground, w1], at: [0, 0, 0], axis: z}
  b: {type: revolute, between: [ground, w2], at: [1, 0, 0], axis: z}
  g: COUPLING
forces:
  m: {type: joint_torque, joint: a, value: TORQUE}
record: [joint.*, energy.*]
run: {time: 0.5, step: 0.001}
"""


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


class Bend(ExampleTest):
    def test_order_and_audit(self):
        """every formulation comes to the same motion with order 2, and its audit closes with it"""
        for kind, coupler in BENDS.items():
            model = self.variant(BEND.replace("COUPLER", coupler), kind + ".yaml")
            exact = self.run_model(model, "--integrator", "rk4", "--step", 5e-4)["final"]
            for f in FORMULATIONS if kind == "expression" else ("hybrid", "redundant"):
                errors, audit = [], []
                for h in (5e-3, 2.5e-3):
                    found = self.run_model(model, "--formulation", f, "--step", h)
                    self.assertLess(found["constraint"]["position_max"], 1e-10)
                    errors.append(max(abs(found["final"][n] - exact[n])
                                      for n in ("joint.a.angle", "joint.b.angle", "joint.c.position")))
                    audit.append(abs(found["energy"]["balance_error_J"]))
                self.assertLess(errors[1], 1e-3, f"{kind} {f}")
                self.assertGreater(errors[0] / errors[1], 3.2, f"{kind} {f} {errors}")
                self.assertLess(audit[1], 2e-3, f"{kind} {f}")

    def test_newton_is_quadratic(self):
        """the tangent of `redundant` holds the second derivatives: two iterations a step"""
        found = self.run_model(self.variant(BEND.replace("COUPLER", BENDS["expression"])), "--formulation", "redundant")
        self.assertLessEqual(found["iterations"], 2 * found["steps"])


class CutJoint(ExampleTest):
    MODEL = """hooke: 1
gravity: [0, 0, -9.81]
planar: xz
bodies:
  crank: {mass: 1, com: [0, 0, 0.1], inertia: [0.02, 0.03, 0.04]}
  rod: {mass: 2, com: [0.3, 0, 0.2], inertia: [0.02, 0.03, 0.04]}
  arm: {mass: 1, com: [1, 0, 0.2], inertia: [0.02, 0.03, 0.04]}
  fly: {mass: 1, com: [2, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  a: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: y}
  b: {type: revolute, between: [crank, rod], at: [0, 0, 0.3], axis: y}
  c: {type: revolute, between: [rod, arm], at: [1, 0, 0.5], axis: y, CUT}
  d: {type: revolute, between: [ground, arm], at: [1, 0, 0], axis: y}
  f: {type: revolute, between: [ground, fly], at: [2, 0, 0], axis: y}
  g: {type: gear, joints: [c, f], ratio: -0.7}
run: {time: 0.3, step: 0.0005}
start: {a: {rate: 3}}
record: [joint.*, energy.*]
"""

    def test_wherever_the_loop_is_cut(self):
        names = ("joint.a.angle", "joint.c.angle", "joint.f.rate", "joint.g.torque.1", "joint.g.torque.2", "joint.d.force.x")
        model = self.MODEL.replace("type: revolute, between: [ground, arm]", "type: revolute, cut: always, between: [ground, arm]")
        exact = self.run_model(self.variant(model.replace("CUT", "cut: auto")))["final"]
        for f in FORMULATIONS:
            found = self.run_model(self.variant(self.MODEL.replace("CUT", "cut: always")), "--formulation", f)["final"]
            for n in names:
                self.assertNear(found[n], exact[n], 3e-4 * max(1, abs(exact[n])), f"{f} {n}")

    def test_armature_of_a_cut_joint(self):
        rotor = ", armature: {inertia: 0.002, ratio: 6}"
        kept = self.MODEL.replace("between: [ground, arm]", "cut: always, between: [ground, arm]")
        models = [self.variant(text.replace("CUT", "cut: auto" if i else "cut: always" + rotor).replace(
            "axis: y}", "axis: y}", 1), f"{i}.yaml") for i, text in ((0, self.MODEL), (1, kept))]
        models[1].write_text(models[1].read_text().replace("cut: auto", "cut: auto" + rotor))
        found = [self.run_model(m)["final"] for m in models]
        for n in ("joint.a.angle", "joint.f.rate"):
            self.assertNear(found[0][n], found[1][n], 2e-5, n)


class Rates(ExampleTest):
    def test_closed_form(self):
        """w_a - 2 w_b = sin(3 t) with Ja = 0.04, Jb = 0.16: 2 Ja w_a + Jb w_b = 0"""
        model = self.variant(PAIR.replace("COUPLING", "{type: velocity, expression: joint.a.rate - 2*joint.b.rate - sin(3*t)}")
                             .replace("TORQUE", "0"))
        share = 1 / (1 + 4 * 0.04 / 0.16)
        for f in FORMULATIONS:
            found = self.run_model(model, "--formulation", f)
            self.assertNear(found["final"]["joint.a.rate"], share * math.sin(1.5), 1e-6, f)
            self.assertNear(found["final"]["joint.b.rate"], -0.5 * share * math.sin(1.5), 1e-6, f)
            self.assertNear(found["final"]["joint.g.multiplier"], -0.04 * 3 * share * math.cos(1.5), 1e-5, f)
            self.assertNear(found["final"]["joint.g.supplied"], found["final"]["energy.kinetic"], 1e-7, f)

    def test_knife_edge(self):
        """a sled on two slides with its edge written as an expression, and by the joint of that name"""
        text = """hooke: 1
gravity: [0, 0, 0]
bodies:
  sx: {mass: 0.1, com: [0, 0, 0]}
  sy: {mass: 0.1, com: [0, 0, 0]}
  sled: {mass: 2, com: [0.2, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  x: {type: prismatic, between: [ground, sx], axis: x}
  y: {type: prismatic, between: [sx, sy], axis: y}
  yaw: {type: revolute, between: [sy, sled], at: [0, 0, 0], axis: z}
  edge: EDGE
start: {x: {velocity: 1}, yaw: {rate: 2}}
run: {time: 0.5, step: 0.001}
"""
        edge = "{type: knife_edge, between: [ground, sled], at: [0, 0, 0], axis: x, normal: z}"
        exact = self.run_model(self.variant(text.replace("EDGE", edge)))["final"]
        expression = "{type: velocity, expression: joint.x.velocity*sin(joint.yaw.angle) - joint.y.velocity*cos(joint.yaw.angle)}"
        for f in FORMULATIONS:
            found = self.run_model(self.variant(text.replace("EDGE", expression)), "--formulation", f)
            self.assertLess(abs(found["energy"]["balance_error_J"]), 2e-5, f)
            for n in ("joint.x.position", "joint.y.position", "joint.yaw.rate"):
                self.assertNear(found["final"][n], exact[n], 2e-6, f"{f} {n}")

    def test_refused(self):
        for expression, words in (("joint.a.rate*body.w1.acceleration.x", "body.w1.acceleration.x, which is no velocity or position"),
                                  ("joint.a.angle", "reads no velocity")):
            model = self.variant(PAIR.replace("COUPLING", "{type: velocity, expression: " + expression + "}").replace("TORQUE", "0"))
            self.assertIn(words, self.command("check", model, code=3).stderr)


def rattle(k, play, end, step=2e-5):
    """the angle of the second wheel behind a gear with a compliant play, e = a + 2 b, by Runge and Kutta"""
    def slope(t, x):
        e = x[0] + 2 * x[1]
        depth = e - play / 2 if e > play / 2 else e + play / 2 if e < -play / 2 else 0.0
        return (x[2], x[3], (3 * math.sin(20 * t) - k * depth) / 0.04, -2 * k * depth / 0.16)

    x = (0.0, 0.0, 0.0, 0.0)
    add = lambda x, h, y: tuple(a + h * b for a, b in zip(x, y))
    for i in range(round(end / step)):
        t = i * step
        a = slope(t, x)
        b = slope(t + step / 2, add(x, step / 2, a))
        c = slope(t + step / 2, add(x, step / 2, b))
        d = slope(t + step, add(x, step, c))
        x = tuple(p + step / 6 * (q + 2 * r + 2 * s + u) for p, q, r, s, u in zip(x, a, b, c, d))
    return x[1]


class GivesWay(ExampleTest):
    def test_spring(self):
        """e = T/(J1 k) m (1 - cos(w t)), w^2 = k/m, 1/m = 1/J1 + 4/J2"""
        k, m = 40.0, 1 / (1 / 0.04 + 4 / 0.16)
        w = math.sqrt(k / m)
        e = 0.3 / 0.04 / w ** 2 * (1 - math.cos(0.5 * w))
        model = self.variant(PAIR.replace("COUPLING", "{type: gear, joints: [a, b], teeth: [20, 40], stiffness: 40}")
                             .replace("TORQUE", "0.3"))
        for f in FORMULATIONS:
            found = self.run_model(model, "--formulation", f, "--step", 2.5e-4)
            self.assertNear(found["final"]["joint.g_mesh.angle"], e, 2e-6, f)
            self.assertNear(found["final"]["joint.g.torque.1"], -k * e, 1e-4, f)
            self.assertNear(found["final"]["joint.g.torque.2"], -2 * k * e, 2e-4, f)
            self.assertLess(abs(found["energy"]["balance_error_J"]), 1e-5, f)

    def test_backlash(self):
        """rattle behind a play: against a fine run; rigid ends of restitution 1 keep the energy, 0.4 take the impacts'"""
        text = PAIR.replace("TORQUE", "3*sin(20*t)").replace("time: 0.5", "time: 0.3")
        soft = self.variant(text.replace("COUPLING", "{type: gear, joints: [a, b], teeth: [20, 40], backlash: 0.02, "
                                                     "stiffness: 2000}"), "soft.yaml")
        exact = rattle(2000, 0.02, 0.3)
        for f in FORMULATIONS:
            found = self.run_model(soft, "--formulation", f, "--step", 2e-4)
            self.assertNear(found["final"]["joint.b.angle"], exact, 1e-4, f)
            self.assertLess(abs(found["energy"]["balance_error_J"]), 2e-3, f)
        for bounce in (0.4, 1.0):
            rigid = self.variant(text.replace("COUPLING", "{type: gear, joints: [a, b], teeth: [20, 40], backlash: 0.02, "
                                                          f"restitution: {bounce}}}"))
            first = None
            for f in FORMULATIONS:
                found, series = self.run_series(rigid, "--formulation", f)
                first = found["final"]["joint.b.angle"] if first is None else first
                self.assertNear(found["final"]["joint.b.angle"], first, 1e-5, f)
                self.assertLess(abs(found["energy"]["balance_error_J"]), 1e-3, f)
                self.assertLess(max(abs(x) for x in series["joint.g_mesh.angle"]), 0.01 + 1e-9)
                dissipated = found["energy"]["dissipated_J"]
                self.assertTrue(dissipated < 1e-8 if bounce == 1.0 else dissipated > 1e-3, f"{f} {dissipated}")

    def test_reflected_inertia(self):
        """armature adds n^2 J to the coordinate"""
        text = PAIR.replace("  g: COUPLING\n", "").replace("TORQUE", "0.3").replace(
            "axis: z}\n  b", "axis: z, armature: {inertia: 4e-4, ratio: 10}}\n  b")
        for f in FORMULATIONS:
            found = self.run_model(self.variant(text), "--formulation", f)["final"]
            self.assertNear(found["joint.a.rate"], 0.3 / 0.08 * 0.5, 1e-4 if f == "global" else 1e-9, f)


class Chords(ExampleTest):
    def test_energy_of_natural_coordinates(self):
        """wheels of different speed lag differently along chords; the loss is of the method's order, and rows hold"""
        model = self.variant(PAIR.replace("COUPLING", "{type: gear, joints: [a, b], teeth: [20, 40]}").replace("TORQUE", "0")
                             + "start: {a: {rate: 5}}\n")
        for integrator, order, most in (("trapezoidal", 3, 3e-8), ("generalized_alpha", 2, 9e-7)):
            lost = []
            for h in (2e-3, 1e-3):
                found = self.run_model(model, "--formulation", "global", "--integrator", integrator, "--step", h)
                self.assertLess(found["constraint"]["velocity_max"], 1e-13)
                lost.append(abs(found["energy"]["balance_error_J"]))
            self.assertLess(lost[0], most)
            self.assertOrder(lost, order, 0.1, integrator)


class Doctor(ExampleTest):
    def test_gears_that_repeat_or_contradict(self):
        gear = "{type: gear, joints: [a, b], teeth: [20, 40]}"
        twice = PAIR.replace("COUPLING", gear + "\n  again: {type: belt, joints: [a, b], radii: [1, -2]}").replace("TORQUE", "0")
        self.assertIn("joint 'again': 1 of 1 equations follows from the others in coupling of joints a, b, together with 'g'",
                      self.command("check", self.variant(twice)).stdout)
        driven = PAIR.replace("COUPLING", gear).replace("TORQUE", "0").replace("axis: z}", "axis: z, motion: {angle: t}}")
        found = self.command("check", self.variant(driven), code=4).stderr
        self.assertIn("coupling of joints a, b cannot move as prescribed", found)
        self.assertIn("motion of joint 'b', angle", found)

    RING = """hooke: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  b: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}
  c: {mass: 1, com: [0, 1, 0], inertia: [1, 1, 1]}
  s: {mass: 1, com: [0, 2, 0], inertia: [1, 1, 1]}
joints:
  a: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}
  b: {type: revolute, between: [ground, b], at: [1, 0, 0], axis: z}
  c: {type: revolute, between: [ground, c], at: [0, 1, 0], axis: z}
  s: {type: prismatic, between: [ground, s], axis: z}
"""
    FOUR_BAR = """hooke: 1
planar: xy
gravity: [0, -9.81, 0]
bodies:
  crank: {mass: 1, com: [0, 0.1, 0], inertia: {zz: 0.1}}
  rod: {mass: 1, com: [0.5, 0.3, 0], inertia: {zz: 0.1}}
  arm: {mass: 1, com: [1, 0.2, 0], inertia: {zz: 0.1}}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}
  B: {type: revolute, between: [crank, rod], at: [0, 0.2, 0], axis: z}
  C: {type: revolute, between: [rod, arm], at: [1, TOP, 0], axis: z}
  D: {type: revolute, between: [ground, arm], at: [1, 0, 0], axis: z}
  g: {type: gear, joints: [A, D], ratio: RATIO}
"""

    def findings(self, text, kind):
        found = json.loads(self.command("check", self.variant(text), "--json").stdout)["findings"]
        return [(f["item"], f["text"]) for f in found if f["kind"] == kind]

    def test_locked_loops(self):
        gear = "{{type: gear, joints: [{}, {}], teeth: [20, 20]}}".format
        ring = f"  ab: {gear('a', 'b')}\n  bc: {gear('b', 'c')}\n  ca: {gear('c', 'a')}\n"
        # what hangs on the locked ones is no news
        more = "  lift: {type: rack, joints: [c, s], radius: 0.1}\n"
        says = [("ca", "'ab', 'bc', 'ca' contradict each other and hold 'a', 'b', 'c' still: with 'c' at 1 rad/s, "
                       "'a' goes at 1 rad/s by the others, at -1 rad/s by 'ca'")]
        self.assertEqual(self.findings(self.RING + ring, "locked"), says)
        self.assertEqual(self.findings(self.RING + more + ring, "locked"), says)
        two = ("  one: {type: gear, joints: [a, b], ratio: -2}\n"
               "  two: {type: gear, joints: [b, a], ratio: -2}\n")
        self.assertEqual(self.findings(self.RING + two, "locked"),
                         [("two", "'one', 'two' contradict each other and hold 'a', 'b' still: with 'b' at 1 rad/s, "
                                  "'a' goes at -2 rad/s by 'one', at -0.5 rad/s by 'two'")])
        # relations of rates
        rates = ("  one: {type: velocity, expression: joint.a.rate - 2*joint.b.rate}\n"
                 "  two: {type: velocity, expression: joint.a.rate - 4*joint.b.rate}\n")
        self.assertIn("'a' at 1 rad/s, 'b' goes at 0.5 rad/s by 'one', at 0.25 rad/s by 'two'",
                      str(self.findings(self.RING + rates, "locked")))
        # a gear that a four-bar cannot follow
        bar = self.FOUR_BAR.replace("TOP", "0.4").replace("RATIO", "-1")
        self.assertEqual(self.findings(bar, "locked"),
                         [("g", "'g' and the loop through joints C, B, A, D contradict each other and hold 'A', 'D' still: "
                                "with 'A' at 1 rad/s, 'D' goes at 0.5 rad/s by the loop, at -1 rad/s by 'g'")])

    def test_what_is_not_locked(self):
        """an even ring, one that a spring or a signal of time opens, dwells, a parallelogram"""
        gear = "{{type: gear, joints: [{}, {}], ratio: {}{}}}".format
        for ring in (f"  ab: {gear('a', 'b', -2, '')}\n  bc: {gear('b', 'c', -3, '')}\n  ca: {gear('c', 'a', '1/6', '')}\n",
                     f"  ab: {gear('a', 'b', -2, '')}\n  again: {gear('a', 'b', -3, ', stiffness: 10')}\n",
                     f"  ab: {gear('a', 'b', -2, '')}\n  t: {{type: coupler, expression: joint.a.angle + joint.b.angle - t^2}}\n",
                     f"  r: {{type: velocity, expression: joint.a.rate + joint.b.rate - 1}}\n  ab: {gear('a', 'b', -2, '')}\n",
                     f"  ab: {{type: coupler, joints: [a, b], polynomial: [0, 0, 1]}}\n  bc: {gear('b', 'c', -3, '')}\n",
                     "  hold: {type: coupler, joints: [a], coefficients: [1]}\n"):
            self.assertEqual(self.findings(self.RING + ring, "locked"), [], ring)
        self.assertEqual(self.findings(self.FOUR_BAR.replace("TOP", "0.2").replace("RATIO", "1"), "locked"), [])

    def test_overdriven(self):
        """motions on both sides of a gear: by name, whether they agree or not"""
        gear = "  ab: {type: gear, joints: [a, b], ratio: -2}\n"
        both = (self.RING + gear).replace("at: [0, 0, 0], axis: z}", "at: [0, 0, 0], axis: z, motion: {angle: 2*t}}")
        agree = both.replace("at: [1, 0, 0], axis: z}", "at: [1, 0, 0], axis: z, motion: {angle: -t}}")
        self.assertEqual(self.findings(agree, "redundant"),
                         [("b", "joint 'b', motion of angle: it follows from the others in joint b, together with 'ab', 'a'; "
                                "it may conflict with them later")])
        later = agree.replace("-t}", "-t + t^2}")
        self.assertIn("their accelerations at the start cannot hold together", str(self.findings(later, "conflict")))
        for text, words in ((agree.replace("{angle: -t}", "{rate: 3}"), ("motion of joint 'a', angle", "motion of joint 'b', rate")),
                            (self.RING + "  v: {type: velocity, expression: joint.a.rate - joint.b.rate}\n"
                                         "  w: {type: velocity, expression: joint.a.rate - joint.b.rate - 1}\n", ("'v'", "'w'"))):
            found = self.command("check", self.variant(text), code=4).stderr
            for word in (*words, "cannot move as prescribed: its rates conflict"):
                self.assertIn(word, found)

    def test_friction_that_nothing_presses(self):
        text = self.RING + """forces:
  pads: {type: brake, joint: c, force: FORCE, radius: 0.1, friction: {mu: 0.3}}
  plates: {type: clutch, between: [a, b], axis: z, force: FORCE, radius: 0.1, friction: {mu: 0.3}}
"""
        text = text.replace("between: [ground, s], axis: z}", "between: [ground, s], at: [0, 2, 0], axis: z, friction: {mu: 0.2}}")
        text = text.replace("at: [0, 0, 0], axis: z}", "at: [0, 0, 0], axis: z, friction: {mu: 0.2, radius: 0.1}}")

        def noted(*change):
            return [item for item, words in self.findings(text.replace(*change), "note") if "no normal force" in words]

        self.assertEqual(noted("FORCE", "0"), ["pads", "plates", "a", "s"])
        self.assertEqual(noted("FORCE", "2"), ["a", "s"])
        self.assertEqual(noted("FORCE", "sin(t)"), ["a", "s"])
        # weight across the slider, a centre of mass beside the axis, a preload
        text = text.replace("FORCE", "2")
        self.assertEqual(noted("gravity: [0, 0, 0]", "gravity: [0, -1, 0]"), [])
        self.assertEqual(noted("a: {mass: 1, com: [0, 0, 0]", "a: {mass: 1, com: [0.1, 0, 0]"), ["s"])
        self.assertEqual(noted("mu: 0.2", "preload: 1, mu: 0.2"), [])


class Switched(ExampleTest):
    TEXT = PAIR.replace("COUPLING", "{type: gear, joints: [a, b], teeth: [20, 40], active: false}").replace(
        "TORQUE", "0.3") + "events:\n  shift: {when: t >= 0.2, fix: g}\n  neutral: {when: t >= 0.4, release: g}\n"

    def test_events_and_resumption(self):
        """a gear engages at the angles it finds, and lets go; continued runs are the same bit by bit"""
        for f in ("hybrid", "redundant", "global"):
            found, series = self.run_series(self.variant(self.TEXT), "--formulation", f)
            row = round(0.3 / 0.001)
            near = min(range(len(series["t"])), key=lambda i: abs(series["t"][i] - 0.3))
            self.assertNear(series["joint.a.rate"][near], -2 * series["joint.b.rate"][near], 1e-8, f"{f} {row}")
            self.assertGreater(abs(series["joint.a.rate"][-1] + 2 * series["joint.b.rate"][-1]), 0.1, f)
            self.assertLess(abs(found["energy"]["balance_error_J"]), 1e-6, f)
            self.run_model(self.variant(self.TEXT), "--formulation", f, "--time", 0.25, "--checkpoint", self.dir / "state")
            again = self.run_model(self.variant(self.TEXT), "--formulation", f, "--resume", self.dir / "state")
            self.assertEqual(again["final"], found["final"], f)


if __name__ == "__main__":
    unittest.main()
