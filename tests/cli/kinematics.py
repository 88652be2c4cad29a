#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke kinematics`: motions without masses against closed forms, in every formulation; working ranges; bad input."""
import csv
import json
import math
import unittest

from support import FEW, SOURCE, CommandTest

FORMULATIONS = ("hybrid", "topological", "recursive", "global", "partition", "redundant")
EXAMPLES = SOURCE / "examples"


def four_bar(b, c, d=(1, 0), motion=", motion: {angle: 2*t + 0.3*t^2}", more=""):
    """bars between the origin and d by way of b and c, without masses"""
    return f"""\
hooke: 1
planar: xy
bodies: {{crank: {{}}, rod: {{}}, rocker: {{}}}}
joints:
  a: {{type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z{motion}}}
  b: {{type: revolute, between: [crank, rod], at: [{b[0]}, {b[1]}, 0], axis: z}}
  c: {{type: revolute, between: [rod, rocker], at: [{c[0]}, {c[1]}, 0], axis: z}}
  d: {{type: revolute, between: [ground, rocker], at: [{d[0]}, {d[1]}, 0], axis: z}}
forces: {{load: {{type: torque, on: rocker, value: [0, 0, 5]}}}}
record: ["joint.*.angle", "joint.*.rate", "joint.a.*", "joint.*.force", "body.rod.angular_acceleration"]
run: {{time: 1, step: 0.05}}
{more}"""


def rocker(turn, b, c, d):
    """angle of the rocker against its drawing, by the two circles about the crank pin and d"""
    x, y = b[0] * math.cos(turn) - b[1] * math.sin(turn), b[0] * math.sin(turn) + b[1] * math.cos(turn)
    l2, l3 = math.dist(b, c), math.dist(c, d)
    ex, ey = d[0] - x, d[1] - y
    s = math.hypot(ex, ey)
    along = (l2 * l2 - l3 * l3 + s * s) / (2 * s)
    side = math.copysign(math.sqrt(l2 * l2 - along * along),
                         (d[0] - b[0]) * (c[1] - b[1]) - (d[1] - b[1]) * (c[0] - b[0]))
    cx, cy = x + (along * ex - side * ey) / s, y + (along * ey + side * ex) / s
    return math.remainder(math.atan2(cy - d[1], cx - d[0]) - math.atan2(c[1] - d[1], c[0] - d[0]), 2 * math.pi)


class Kinematics(CommandTest):
    def kinematics(self, *args, code=0):
        return json.loads(self.hooke("kinematics", *args, "--json", code=code).stdout)

    def range_of(self, text, name, *more):
        (self.dir / "m.yaml").write_text(text)
        return self.kinematics("m.yaml", "--range", name, *more)["range"]

    def test_four_bar_without_masses(self):
        """positions, rates, accelerations of the closed form; the drive by virtual work; the same in all formulations"""
        b, c, d = (0.3, 0), (0.9, 0.7), (1, 0)
        (self.dir / "m.yaml").write_text(four_bar(b, c))
        turn, rate, h = 2.3, 2.6, 1e-4
        at = [rocker(turn + k * h, b, c, d) for k in (-2, -1, 0, 1, 2)]
        ratio = (at[0] - 8 * at[1] + 8 * at[3] - at[4]) / (12 * h)
        first = None
        for f in FORMULATIONS[:2] if FEW else FORMULATIONS:
            value = self.kinematics("m.yaml", "-f", f)
            self.assertEqual((value["status"], value["formulation"], value["dof"]), ("ok", f, 0))
            self.assertNotIn("energy", value)
            self.assertNotIn("grade", value)
            final = value["final"]
            self.assertLess(abs(final["joint.a.angle"] - turn), 1e-12)
            self.assertLess(abs(final["joint.d.angle"] - at[2]), 1e-11)
            self.assertLess(abs(final["joint.d.rate"] - ratio * rate), 1e-9)
            self.assertLess(abs(final["joint.a.drive"] + 5 * ratio), 1e-9)
            first = first or final
            for name, x in first.items():
                self.assertLess(abs(final[name] - x), 1e-9 * max(1, abs(x)), (f, name))

    def test_examples_in_all_formulations(self):
        """what is prescribed wholly in examples: a slider-crank with its closed form, a robot with tables"""
        for path, few in ((EXAMPLES / "slider-crank-driven.yaml", 2), (EXAMPLES / "five-bar-robot.yaml", 1)):
            first = None
            for f in FORMULATIONS[:few] if FEW else FORMULATIONS:
                final = self.kinematics(path, "-f", f, "--time", 0.7, "--step", 0.01)["final"]
                first = first or final
                for name, x in first.items():
                    if not name.startswith("energy."):
                        self.assertLess(abs(final[name] - x), 1e-9 * max(1, abs(x)), (f, name))
            if few == 2:
                turn, r, l = 20 * (0.7 - 0.25), 0.1, 0.3
                slider = r * math.cos(turn) + math.sqrt(l * l - (r * math.sin(turn)) ** 2)
                self.assertLess(abs(first["joint.guide.position"] - (slider - r - l)), 1e-12)

    def test_files(self):
        (self.dir / "m.yaml").write_text(four_bar((0.3, 0), (0.9, 0.7)))
        self.hooke("kinematics", "m.yaml", "--output", "k.csv", "--report", "k.html", "--step", 0.1)
        rows = list(csv.DictReader((self.dir / "k.csv").read_text().splitlines()))
        self.assertEqual(len(rows), 11)
        self.assertIn("</html>", (self.dir / "k.html").read_text())
        self.assertIn("kinematics", self.hooke("kinematics", "m.yaml").stdout)

    def test_range_of_four_bars(self):
        """without a bar that turns over: the angles at which rod and rocker are in line; else a full turn"""
        b, c, d = (0.9, 0.3), (0.9, 0.7), (1, 0)
        r, begin = math.hypot(*b), math.atan2(b[1], b[0])
        for motion in (", motion: {angle: t}", ""):
            value = self.range_of(four_bar(b, c, d, motion), "a")
            self.assertEqual((value["coordinate"], value["unit"], value["start"]), ("joint.a.angle", "rad", 0))
            for side, span in (("low", math.dist(c, d) - math.dist(b, c)), ("high", math.dist(c, d) + math.dist(b, c))):
                exact = math.acos((r * r + 1 - span * span) / (2 * r)) - begin
                self.assertLess(abs(value[side]["value"] - exact), 1e-10)
                self.assertEqual(value[side]["stop"], "dead point")
                self.assertEqual(value[side]["moves"], ["joint.b.angle", "joint.c.angle", "joint.d.angle"])
                self.assertEqual(value[side]["singular"], "loop through joints c, b, a, d")
        value = self.range_of(four_bar((0.3, 0), (0.9, 0.7)), "joint.a.angle")
        self.assertEqual((value["low"]["stop"], value["high"]["stop"]), ("full turn", "full turn"))
        self.assertLess(abs(value["high"]["value"] - value["low"]["value"] - 2 * math.pi), 1e-12)
        self.assertEqual(value["branches"], [])
        # the rocker of the same one swings between two dead points
        value = self.range_of(four_bar((0.3, 0), (0.9, 0.7), motion=""), "d")
        l2, l3 = math.hypot(0.6, 0.7), math.hypot(0.1, 0.7)
        drawn = math.atan2(0.7, -0.1)
        for side, span in (("low", l2 + 0.3), ("high", l2 - 0.3)):
            swing = math.pi - math.acos((1 + l3 * l3 - span * span) / (2 * l3)) - drawn
            self.assertLess(abs(value[side]["value"] - swing), 1e-10)
        # limits stop it before; a parallelogram has two positions at which it may fold
        value = self.range_of(four_bar(b, c, d), "a", "--to", 0.5)
        self.assertEqual((value["high"]["value"], value["high"]["stop"]), (0.5, "limit"))
        value = self.range_of(four_bar((0, 0.3), (1, 0.3), d), "a")
        self.assertEqual(value["high"]["stop"], "full turn")
        for place, exact in zip(value["branches"], (math.pi / 2, 3 * math.pi / 2), strict=True):
            self.assertLess(abs(place["value"] - exact), 1e-7)
            self.assertIn("c, b, a, d", place["singular"])

    def test_range_of_a_slider(self):
        """drawn stretched, which is a dead point: it goes back by the whole stroke, twice the crank"""
        text = (EXAMPLES / "slider-crank-driven.yaml").read_text().replace(", motion: {angle: turn}", "")
        value = self.range_of(text, "guide", "--output", "g.csv")
        self.assertLess(abs(value["low"]["value"] + 0.2), 1e-12)
        self.assertLess(abs(value["high"]["value"]), 1e-12)
        self.assertEqual((value["low"]["stop"], value["high"]["stop"]), ("dead point", "dead point"))
        self.assertIn("joint.crank.angle", value["low"]["moves"])
        rows = list(csv.DictReader((self.dir / "g.csv").read_text().splitlines()))
        for row in rows:
            turn, x = float(row["joint.crank.angle"]), float(row["joint.guide.position"])
            self.assertLess(abs(0.1 * math.cos(turn) + math.sqrt(0.09 - (0.1 * math.sin(turn)) ** 2) - 0.4 - x), 1e-12)
        places = [float(row["joint.guide.position"]) for row in rows]
        self.assertEqual(places, sorted(places))

    def test_range_of_a_five_bar(self):
        """the other motor stands still: arm 1 goes to where the forearms are in line"""
        value = self.kinematics(EXAMPLES / "five-bar-robot.yaml", "--range", "left", "--set", "l2=0.22")["range"]
        b, l1, l2 = 0.1, 0.2, 0.22
        elbow = (b + l1 / 2, l1 * math.sqrt(3) / 2)  # right, as drawn
        begin = math.atan2(l1 * math.sqrt(3) / 2, -l1 / 2)
        first = value["start"]
        to = math.atan2(elbow[1], elbow[0] + b)
        reach = math.hypot(elbow[0] + b, elbow[1])
        swing = math.acos((l1 * l1 + reach * reach - 4 * l2 * l2) / (2 * l1 * reach))
        ends = [math.remainder(to + s * swing - begin, 2 * math.pi) for s in (1, -1)]
        self.assertLess(abs(first), 1e-12)
        for side in ("low", "high"):
            self.assertEqual(value[side]["stop"], "dead point")
            self.assertLess(min(abs(math.remainder(value[side]["value"] - e, 2 * math.pi)) for e in ends), 1e-9)

    def test_range_of_a_spatial_mechanism(self):
        """crank about y, rocker about x, coupler between them: limits of the rocker where the crank's pin, its axis and
        the coupler are in one plane, by a one-dimensional search of the closed form"""
        path = EXAMPLES / "spatial-four-bar.yaml"
        value = self.kinematics(path, "--range", "pin_B0")["range"]
        crank, bar, lean = 0.2, 0.6, math.radians(12)

        def pin(turn):  # of the rocker
            return 0.5, 0.7 + bar * math.sin(lean - turn), bar * math.cos(lean - turn)
        x, y, z = pin(0)
        coupler = math.dist((0, 0, crank), (x, y, z))

        def reach(turn, sign):  # nearest and farthest distance of the crank's circle from the pin
            x, y, z = pin(turn)
            return math.hypot(y, math.hypot(x, z) + sign * crank) - coupler
        for side, sign in (("low", 0), ("high", 1)):
            end = value[side]
            self.assertEqual(end["stop"], "dead point")
            self.assertLess(min(abs(reach(end["value"], s)) for s in (1, -1)), 1e-10, sign)
            self.assertIn("joint.pin_A0.angle", end["moves"])
        turned = self.kinematics(path, "--range", "pin_A0")["range"]
        self.assertEqual(turned["high"]["stop"], "full turn")

    def test_bad_input(self):
        whole = four_bar((0.3, 0), (0.9, 0.7))
        (self.dir / "m.yaml").write_text(whole)
        (self.dir / "free.yaml").write_text(four_bar((0.3, 0), (0.9, 0.7), motion=""))
        (self.dir / "both.yaml").write_text(whole.replace("at: [1, 0, 0], axis: z", "at: [1, 0, 0], axis: z, motion: {angle: t}"))
        (self.dir / "far.yaml").write_text(four_bar((0.9, 0.3), (0.9, 0.7), motion=", motion: {angle: t}"))
        (self.dir / "loose.yaml").write_text(whole.replace("rocker: {}", "rocker: {}, other: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}"))
        for args, code, words in ((("free.yaml",), 4, "1 freedom is not prescribed: coordinate 1 of joint 'a'"),
                                  (("loose.yaml",), 4, "body 'other'"), (("both.yaml",), 4, "in conflict with motion of joint 'a'"),
                                  (("far.yaml",), 5, "cannot reach"), (("m.yaml", "--range", "z"), 2, "'z'"),
                                  (("loose.yaml", "--range", "a"), 4, "3 more freedoms"),
                                  (("both.yaml", "--range", "b"), 4, ""), (("m.yaml", "--range", "b"), 4, "holds it fast"),
                                  (("m.yaml", "--range", "a", "--from", 1), 2, "contain the start"),
                                  (("m.yaml", "--range", "a", "--from", 1, "--to", 0), 2, "--from"),
                                  (("m.yaml", "--to", 1), 2, "--range"), (("m.yaml", "--range", "a", "--time", 1), 2, "--time"),
                                  (("m.yaml", "--range", "a", "--output", "x.nc"), 2, ".csv"), (("none.yaml",), 6, "none.yaml")):
            self.assertIn(words, self.hooke("kinematics", *args, code=code).stderr, args)
        value = self.kinematics("free.yaml", code=4)
        self.assertEqual(value["status"], "failed")
        self.assertIn("not prescribed", value["message"])
        self.assertIsNone(self.kinematics("m.yaml", "--range", "b", code=4)["range"])
        (self.dir / "par.yaml").write_text(four_bar((0, 0.3), (1, 0.3)).replace("at: [1, 0, 0], axis: z", "at: [1, 0, 0], axis: z, motion: {angle: 2*t + 0.3*t^2}"))
        self.assertIn("driven more than it can move: joint 'd'", self.hooke("kinematics", "par.yaml", "--time", 0.1).stderr)


if __name__ == "__main__":
    unittest.main()
