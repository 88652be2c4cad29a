#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three types that only tests have (tests/extra/types), each one file and one line: a pin in a slot, an axis that stays
parallel, drag by the square of the speed. Their motion in every formulation, named either way, in the plane and mirrored,
against equations of motion written here by hand, closed forms, or another joint that says the same."""
import math
import sys
import unittest

from support_extra import FORMULATIONS, RECORD, apart, far, position, rk4, rotation, run

TIME, STEP, G = 0.4, 2.5e-4, 9.81
CLOSE = 2e-6  # of methods of second order at this step; the worst found is 6.2e-7 (pin in a slot, global)


def slot_on_ground(mass, inertia, length, angle):
    """elliptic pendulum: the pin slides along x of the ground, the centre of mass hangs `length` below it.
    x, theta from the vertical; returns where the centre of mass is after TIME"""
    def rates(_, y):
        _, th, u, w = y
        c, s = math.cos(th), math.sin(th)
        a11, a12, a22 = mass, mass * length * c, inertia + mass * length * length
        r1, r2 = mass * length * w * w * s, -mass * G * length * s
        det = a11 * a22 - a12 * a12
        return [u, w, (a22 * r1 - a12 * r2) / det, (a11 * r2 - a12 * r1) / det]
    x, th, _, _ = rk4(rates, [0.0, angle, 0.0, 0.0], TIME, 4000)
    return [x + length * math.sin(th), 0.0, -length * math.cos(th)], th - angle


def slot_on_body(mass, inertia, out, angle):
    """the pin is on the ground at the origin, the slot in the body along the line to its centre of mass: polar
    coordinates r, theta from the vertical, r'' = r theta'^2 + g cos, (I + m r^2) theta' under the moment of gravity"""
    def rates(_, y):
        r, th, u, w = y
        spin = (-mass * G * r * math.sin(th) - 2 * mass * r * u * w) / (inertia + mass * r * r)
        return [u, w, r * w * w + G * math.cos(th), spin]
    r, th, _, _ = rk4(rates, [out, angle, 0.0, 0.0], TIME, 4000)
    return [r * math.sin(th), 0.0, -r * math.cos(th)], th - angle


def turned(angle):
    """rotation matrix of a swing in the x-z plane by an angle that leads from -z to x"""
    c, s = math.cos(angle), math.sin(angle)
    return [c, 0, -s, 0, 1, 0, s, 0, c]


class PinSlot(unittest.TestCase):
    MASS, INERTIA, LENGTH, ANGLE = 2.0, 0.3, 0.6, 0.7

    def text(self, order, planar, cut="auto"):
        x, z = self.LENGTH * math.sin(self.ANGLE), -self.LENGTH * math.cos(self.ANGLE)
        slot = [1, 0, 0] if order == "[ground, rod]" else [x, 0, z]
        return f"""hooke: 1
gravity: [0, 0, -9.81]
{"planar: xz" if planar else ""}
bodies:
  rod: {{mass: {self.MASS}, com: [{x}, 0, {z}], inertia: {{xx: 0.2, yy: {self.INERTIA}, zz: 0.25}}}}
joints:
  j: {{type: pin_slot, between: {order}, at: [0, 0, 0], axis: y, slot: {slot}, cut: {cut}}}
""" + RECORD

    def check_motion(self, order, reference):
        where, angle = reference(self.MASS, self.INERTIA, self.LENGTH, self.ANGLE)
        for formulation in FORMULATIONS:
            for planar in (False, True):
                for cut in ("auto", "always"):
                    row = run(self.text(order, planar, cut), formulation, TIME, STEP)
                    what = f"{order}, {formulation}, planar {planar}, cut {cut}"
                    self.assertLess(apart(position(row, "rod"), where), CLOSE, what)
                    self.assertLess(apart(rotation(row, "rod"), turned(angle)), CLOSE, what)

    def test_slot_on_the_ground(self):
        self.check_motion("[ground, rod]", slot_on_ground)

    def test_slot_on_the_body(self):
        self.check_motion("[rod, ground]", slot_on_body)

    def test_the_two_are_not_the_same(self):
        a, _ = slot_on_ground(self.MASS, self.INERTIA, self.LENGTH, self.ANGLE)
        b, _ = slot_on_body(self.MASS, self.INERTIA, self.LENGTH, self.ANGLE)
        self.assertGreater(apart(a, b), 0.1)

    def test_refused_across_the_plane(self):
        text = self.text("[ground, rod]", True).replace("axis: y", "axis: z")
        self.assertIn("its axis must be along the normal of the plane", run(text, check=False)["error"])

    def test_hint_that_cannot_be_kept(self):
        text = self.text("[rod, ground]", False, "never")
        self.assertIn("'cut: never'", run(text, check=False)["error"])

    def test_group_without_a_way_to_the_ground(self):
        """a flying chain whose joints all lead one way: it grows from the end that reaches every body, though the
        other end is the heaviest; its motion is that of cut joints"""
        def chain(cut):
            return f"""hooke: 1
gravity: [0, 0, -9.81]
bodies:
  a: {{mass: 9, com: [0, 0, 0], inertia: {{xx: 0.2, yy: 0.3, zz: 0.25}}}}
  b: {{mass: 2, com: [1, 0, 0.2], inertia: {{xx: 0.2, yy: 0.3, zz: 0.25}}}}
  c: {{mass: 3, com: [2, 0.1, 0], inertia: {{xx: 0.2, yy: 0.3, zz: 0.25}}}}
joints:
  ab: {{type: pin_slot, between: [b, a], at: [0.5, 0, 0], axis: y, slot: x, cut: {cut}}}
  bc: {{type: pin_slot, between: [c, b], at: [1.5, 0, 0], axis: z, slot: [0.6, 0.8, 0], cut: {cut}}}
start:
  c: {{velocity: [0, 1, 2], angular_velocity: [1, 2, 3]}}
  ab: {{rate: 0.7, velocity: -0.4}}
  bc: {{rate: -1.1, velocity: 0.3}}
""" + RECORD
        for formulation in FORMULATIONS:
            tree, cut = run(chain("auto"), formulation, TIME, 1e-3), run(chain("always"), formulation, TIME, 1e-3)
            for body in "abc":
                self.assertLess(far(tree, cut, body), 2e-5, f"{formulation}: {body}")
        # all joints are in the tree: 6 + 2 + 2 coordinates, no constraint
        self.assertEqual(run(chain("never"), check=False)["error"], "")

    def test_in_a_loop(self):
        """a crank, and a rocker whose slot the crank's pin moves in; either may own the joint that closes the loop.
        The rocker's angle is the direction from its pivot to the pin"""
        for order, slot in (("[rocker, crank]", "[1, 0, 0.5]"), ("[crank, rocker]", None)):
            joint = f"{{type: pin_slot, between: {order}, at: [1, 0, 0.5], axis: y, slot: {slot or '[1, 0, 0]'}}}"
            for planar in ("", "planar: xz"):
                text = f"""hooke: 1
{planar}
gravity: [0, 0, -9.81]
bodies:
  crank: {{mass: 1, com: [1, 0, 0.25], inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
  rocker: {{mass: 2, com: [0.5, 0, 0.25], inertia: {{xx: 0.2, yy: 0.3, zz: 0.2}}}}
joints:
  drive: {{type: revolute, between: [ground, crank], at: [1, 0, 0], axis: y}}
  pivot: {{type: revolute, between: [ground, rocker], at: [0, 0, 0], axis: y}}
  pin: {joint}
start:
  drive: {{rate: 2}}
""" + RECORD
                rows = {f: run(text, f, TIME, 5e-4, options=["--option", "redundancy=least_squares"] if f == "redundant" and not planar else ())
                        for f in FORMULATIONS}
                for formulation, row in rows.items():
                    what = f"{order}, {planar}, {formulation}"
                    self.assertLess(far(row, rows[FORMULATIONS[0]], "crank"), 2e-5, what)
                    self.assertLess(far(row, rows[FORMULATIONS[0]], "rocker"), 2e-5, what)
                    if slot:
                        turn = row["joint.drive.angle"]
                        x, z = 1 + 0.5 * math.sin(turn), 0.5 * math.cos(turn)
                        self.assertAlmostEqual(row["joint.pivot.angle"], math.atan2(0.5, 1) - math.atan2(z, x), 7, what)

    def test_prescribed_and_recorded(self):
        """coordinates can be prescribed, in a mirrored instance with the same signs"""
        text = """hooke: 1
components:
  side:
    bodies:
      rod: {mass: 2, com: [0.1, 0.5, -0.4], inertia: {xx: 0.2, yy: 0.3, zz: 0.25}}
    joints:
      j: {type: pin_slot, between: [ground, rod], at: [0, 0.5, 0], axis: [0.6, 0.8, 0], slot: z, motion: {angle: 2*t^2, position: 0.3*t^2}}
instances:
  p: {component: side}
  q: {component: side, mirror: y}
""" + RECORD
        for formulation in FORMULATIONS:
            row = run(text, formulation, TIME, STEP)
            for side in "pq":
                self.assertAlmostEqual(row[f"joint.{side}.j.angle"], 2 * TIME ** 2, 7, formulation)
                self.assertAlmostEqual(row[f"joint.{side}.j.position"], 0.3 * TIME ** 2, 7, formulation)
            here, there = position(row, "p.rod"), position(row, "q.rod")
            self.assertLess(apart([here[0], -here[1], here[2]], there), 1e-9, formulation)


class Parallel(unittest.TestCase):
    """the same as rotations about x and y of the axis locked; the general joint says it by other rows"""
    BODY = """hooke: 1
gravity: [0, 0, -9.81]
PLANE
bodies:
  arm: {mass: 1, com: [0.1, 0, 0.1], inertia: {xx: 0.1, yy: 0.2, zz: 0.15}}
  rod: {mass: 2, com: [0.5, 0.2, -0.3], inertia: {xx: 0.3, yy: 0.5, zz: 0.4, xy: 0.03}}
joints:
  hang: {type: HANG, between: [ground, arm], at: [0, 0, 0.3]AXIS}
  j: JOINT
forces:
  pull: {type: spring_damper, between: [arm, rod], ends: [[0, 0, 0], [0.5, 0.3, 0]], stiffness: 200, damping: 3, length: 0.4}
  twist: {type: torque, on: rod, value: TWIST}
""" + RECORD

    def text(self, joint, order, flat=False):
        keys = {"parallel": "axis: z" if not flat else "axis: x", "general": "at: [0, 0, 0], locked: [rx, ry]"}
        if flat:  # an axis in the plane leaves no rotation
            keys["general"] = "at: [0, 0, 0], locked: [ry]"
        text = self.BODY.replace("JOINT", f"{{type: {joint}, between: {order}, {keys[joint]}}}")
        text = text.replace("PLANE", "planar: xz" if flat else "").replace("HANG", "revolute" if flat else "spherical")
        text = text.replace("AXIS", ", axis: y" if flat else "")
        return text.replace("TWIST", "[0, 3, 0]" if flat else "[2*sin(9*t), 3, 1.5]")

    def test_against_general(self):
        for order in ("[arm, rod]", "[rod, arm]"):
            for flat in (False, True):
                for formulation in FORMULATIONS:
                    a = run(self.text("parallel", order, flat), formulation, TIME, STEP)
                    b = run(self.text("general", order, flat), formulation, TIME, STEP)
                    what = f"{order}, {formulation}, planar {flat}"
                    self.assertLess(far(a, b), CLOSE, what)
                    self.assertLess(far(a, b, "arm"), CLOSE, what)

    def test_spin_about_the_axis_is_free(self):
        """a body without gravity: spin stays, a moment across is borne by the joint"""
        text = """hooke: 1
gravity: [0, 0, 0]
bodies:
  rod: {mass: 2, com: [0.5, 0.2, -0.3], inertia: {xx: 0.3, yy: 0.5, zz: 0.4}}
joints:
  j: {type: parallel, between: [ground, rod], axis: z}
forces:
  across: {type: torque, on: rod, value: [4, -3, 0]}
start:
  rod: {angular_velocity: [0, 0, 3]}
record: ["body.*.position", "body.*.orientation", "joint.j.torque"]
"""
        for formulation in FORMULATIONS:
            row = run(text, formulation, TIME, STEP)
            c, s = math.cos(3 * TIME), math.sin(3 * TIME)
            self.assertLess(apart(rotation(row, "rod"), [c, -s, 0, s, c, 0, 0, 0, 1]), CLOSE, formulation)
            self.assertLess(apart(position(row, "rod"), [0.5, 0.2, -0.3]), 1e-9, formulation)
            self.assertLess(apart([row[f"joint.j.torque.{k}"] for k in "xyz"], [-4, 3, 0]), 1e-4, formulation)


class Drag(unittest.TestCase):
    MASS, C = 0.8, 0.35

    def test_fall(self):
        """v = V tanh(g t / V), V = sqrt(m g / c): a point mass, in space, in the plane and mirrored"""
        limit = math.sqrt(self.MASS * G / self.C)
        fall = limit * limit / G * math.log(math.cosh(G * 1.0 / limit))
        for planar in ("", "planar: xz"):
            text = f"""hooke: 1
gravity: [0, 0, -9.81]
{planar}
components:
  drop:
    bodies:
      bob: {{mass: {self.MASS}, com: [0.3, 0.2, 1]}}
    forces:
      air: {{type: drag, on: bob, coefficient: {self.C}}}
instances:
  p: {{component: drop}}
  q: {{component: drop, mirror: y}}
record: ["body.*.position", "force.*"]
"""
            for formulation in FORMULATIONS:
                row = run(text, formulation, 1.0, STEP)
                for side, y in (("p", 0.2), ("q", -0.2)):
                    self.assertLess(apart(position(row, f"{side}.bob"), [0.3, y, 1 - fall]), CLOSE, formulation)
                    speed = limit * math.tanh(G / limit)
                    self.assertAlmostEqual(row[f"force.{side}.air.force"], self.C * speed ** 2, 5, formulation)

    def test_coasting(self):
        """without gravity, along a skew line: the way is m/c ln(1 + c v t/m); at the end of a body on a pin, the rate
        obeys J w' = -c r^3 w^2"""
        v = [3.0, -2.0, 1.5]
        size = math.sqrt(sum(x * x for x in v))
        way = self.MASS / self.C * math.log(1 + self.C * size * TIME / self.MASS)
        r, inertia, w = 0.9, 0.5 + 2 * 0.45 ** 2, 4.0
        angle = inertia / (self.C * r ** 3) * math.log(1 + self.C * r ** 3 * w * TIME / inertia)
        text = f"""hooke: 1
gravity: [0, 0, 0]
bodies:
  bob: {{mass: {self.MASS}, com: [0, 0, 0]}}
  arm: {{mass: 2, com: [1.45, 0, 0], inertia: {{xx: 0.1, yy: 0.4, zz: 0.5}}}}
joints:
  pin: {{type: revolute, between: [ground, arm], at: [1, 0, 0], axis: z}}
forces:
  air: {{type: drag, on: bob, coefficient: {self.C}}}
  tip: {{type: drag, on: arm, at: [1.9, 0, 0], coefficient: {self.C}}}
start:
  bob: {{velocity: {v}}}
  pin: {{rate: {w}}}
record: ["body.*.position", "joint.pin.angle"]
"""
        for formulation in FORMULATIONS:
            row = run(text, formulation, TIME, STEP)
            self.assertLess(apart(position(row, "bob"), [way * x / size for x in v]), CLOSE, formulation)
            self.assertAlmostEqual(row["joint.pin.angle"], angle, 5, formulation)

    def test_listed_and_explained(self):
        row = run("hooke: 1\nbodies: {b: {mass: 1, com: [0, 0, 0]}}\nforces: {f: {type: drag, on: b}}\n", check=False)
        self.assertIn("needs the key 'coefficient'", row["error"])


if __name__ == "__main__":
    sys.exit(unittest.main())
