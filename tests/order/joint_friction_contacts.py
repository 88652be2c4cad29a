#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Friction where joints touch at a point or carry moments: followers on cams, beads in slots, blades, balls that spin, shafts
that meet at an angle, joints with chosen free directions, against closed forms in every formulation; every type of
joint rubs or says why it does not."""
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from support import ALL, ExampleTest, FEW  # noqa: E402
from joint_friction import FORMULATIONS, G  # noqa: E402

MU = 0.25


def some(k):
    """formulations of case k of several alike ones: every other one, the others in the next case"""
    return FORMULATIONS if ALL else FORMULATIONS[k % 2:k % 2 + 1 if FEW else 6:2]


PART = """hooke: 1
gravity: [0, 0, -9.81]
bodies: {part: {mass: 2, com: [0, 0, 0], inertia: [0.02, 0.02, 0.02]}}
joints:
  rub: {JOINT, friction: {mu: 0.25, deflection: 1e-7RADIUS}}
MORE
start: {part: {START}}
record: ["body.part.*", "force.*", "energy.*"]
run: {time: 0.7, step: 1e-3, integrator: trapezoidal}
"""

DISC = """hooke: 1
gravity: [0, -9.81, 0]
bodies:
  disc: {mass: 1, com: [0, 0, 0], inertia: [1e-3, 1e-3, 1e-3]}
  follower: {mass: 2, com: [0, 0.1, 0], inertia: [1e-2, 1e-2, 1e-2]}
joints:
  shaft: {type: revolute, between: [ground, disc], at: [0, 0, 0], axis: z, motion: {angle: 8*t}}
  guide: {type: prismatic, between: [ground, follower], at: [0, 0.1, 0], axis: y}
  cam: {CAM, axis: z, between: [disc, follower], curve: {circle: 0.03, centre: [0.01, 0]}, friction: {mu: 0.25, deflection: 1e-8}}
record: ["joint.shaft.*", "force.*", "energy.*"]
run: {time: 0.25, step: 1e-3, integrator: trapezoidal}
"""

# two shafts at 20 degrees, 40 N m at the second
SHAFTS = """hooke: 1
bodies:
  a: {mass: 1, com: [0, 0, 0], inertia: [1e-3, 1e-3, 1e-3]}
  b: {mass: 1, com: [0, 0, 0], inertia: [1e-3, 1e-3, 1e-3]}
joints:
  drive: {type: revolute, between: [ground, a], axis: z, at: [0, 0, 0], motion: {angle: 20*t}}
  bearing: {type: in_line, between: [ground, b], at: END, axis: SHAFT}
JOINT
forces: {load: {type: torque, on: b, value: LOAD}}
record: ["joint.drive.*", "force.*", "energy.*"]
run: {time: 0.04, step: 1e-3, integrator: trapezoidal}
"""

# one of each type of joint; those below cannot rub, by these words
TYPES = {
    "revolute": "at: [0, 0, 0], axis: y", "prismatic": "at: [0, 0, 0], axis: y", "cylindrical": "at: [0, 0, 0], axis: y",
    "screw": "at: [0, 0, 0], axis: z, lead: 0.01", "universal": "at: [0, 0, 0], axis: x, axis2: y",
    "constant_velocity": "at: [0, 0, 0], axis: x", "spherical": "at: [0, 0, 0]", "planar": "normal: z",
    "distance": "ends: [[0, 0, 1], [0, 0, 0]]", "in_line": "at: [0, 0, 0], axis: x", "in_plane": "at: [0, 0, 0], normal: z",
    "general": "at: [0, 0, 0], locked: [x, z, rx]", "gimbal": "axis: x",
    "cam": "ends: [[0, 0, -1], [0, 0, 0]], axis: y, curve: {circle: 1}",
    "flat_cam": "ends: [[0, 0, -1], [0, 0, 0]], axis: y, angle: -pi/2, curve: {circle: 1}",
    "rolling": "at: [0, 0, 0], axis: y, normal: z, radius: 0.3", "rolling_ball": "at: [0, 0, 0], normal: z, radius: 0.3",
    "rolling_on_cylinder": "ends: [[0, 0, -1], [0, 0, 0]], axis: y, cylinder: 0.7, radius: 0.3",
    "knife_edge": "at: [0, 0, 0], axis: x, normal: z"}
COUPLED = "it couples coordinates of joints; these have friction, and the coupling 'slip'"
SILENT = {
    "fixed": ("at: [0, 0, 0]", "nothing moves in it"), "free": ("", "nothing holds its bodies together"),
    "gear": ("joints: [p, q], ratio: 2", COUPLED), "rack": ("joints: [p, q], radius: 1", COUPLED),
    "belt": ("joints: [p, q], radii: [1, 2]", COUPLED), "differential": ("joints: [p, q, q]", COUPLED),
    "coupler": ("joints: [p, q], factors: [1, 2]", COUPLED), "velocity": ("expression: joint.p.rate", COUPLED)}
NO_RADIUS = ("prismatic", "in_line", "in_plane", "cam", "flat_cam", "knife_edge")


def vector(x):
    return "[" + ", ".join(f"{a:.17g}" for a in x) + "]"


class JointFrictionContacts(ExampleTest):
    def part(self, formulation, joint, start, radius="", more="", planar=False):
        text = PART.replace("JOINT", joint + ", between: [ground, part]").replace("RADIUS", radius and f", radius: {radius}")
        text = text.replace("START", start).replace("MORE", more)
        if planar:
            text = text.replace("gravity", "planar: xz\ngravity")
        _, found = self.run_series(self.variant(text), "--formulation", formulation)
        self.assertLess(abs(found["energy.balance_error"][-1]), 2e-3, f"{formulation} {joint}")
        return found

    def stops(self, found, way, what, speed=1.5):
        """from a speed against mu g, along a line; then at rest"""
        for axis, share in zip("xyz", way):
            x = found[f"body.part.position.{axis}"]
            self.assertNear(x[-1], share * speed ** 2 / (2 * MU * G), 1e-5, f"{what} {axis}")
            self.assertNear(x[-1], x[-20], 1e-8, f"{what} {axis} at rest")
        self.assertNear(found["force.rub.friction.normal"][-1], 2 * G, 1e-6, what)

    def test_chosen_directions(self):
        """free directions of a general joint slide together, locked ones press"""
        for k, (locked, start, way, radius) in enumerate((
                ("[z, rx, ry, rz]", "velocity: [0.6, 0.8, 0]", (0.6, 0.8), ""),
                ("[y, z, ry, rz]", "velocity: [0.8, 0, 0], angular_velocity: [6, 0, 0]", (0.8, 0), 0.1),
                ("[z, rx, ry]", "velocity: [0.6, 0, 0], angular_velocity: [0, 0, 8]", (0.6, 0), 0.1))):
            for formulation in some(k):
                found = self.part(formulation, f"type: general, at: [0, 0, 0], locked: {locked}", start, radius)
                self.stops(found, way, f"{formulation} {locked}", 1.0)

    def test_moments_press(self):
        """a carriage that is kept from turning alone is pressed by its moments over the radius"""
        more = "forces: {turn: {type: torque, on: part, value: [3, 0, 4]}, hold: {type: force, on: part, at: [0, 0, 0], value: [0, 0, 2*9.81]}}"
        for formulation in FORMULATIONS:
            found = self.part(formulation, "type: general, at: [0, 0, 0], locked: [rx, ry, rz]", "velocity: [0.9, 1.2, 0]",
                              0.5, more)
            self.assertNear(found["force.rub.friction.normal"][-1], 5 / 0.5, 1e-9, formulation)
            self.assertNear(found["body.part.velocity.x"][-1], 0.6 * (1.5 - MU * 5 * 0.7), 1e-6, formulation)

    def test_slot(self):
        """a bead in a straight slot, a blade on its plane, a ball that spins on a plane and on a cylinder"""
        slot = "type: cam, ends: [[-5, 0, 0], [0, 0, 0]], axis: y, curve: {points: [[0, 0], [2, 0], [5, 0], [8, 0], [10, 0]], open: true}"
        blade = "type: knife_edge, at: [0, 0, 0], axis: x, normal: y"
        for k, (joint, start, way) in enumerate(((slot, "1.5, 0, 0", (1, 0)), (slot, "1.2, 0.9, 0", (0.8, 0.6)), (blade, "1.5, 0, 0", (1, 0)))):
            for formulation in some(k):
                self.stops(self.part(formulation, joint, f"velocity: [{start}]"), way, f"{formulation} {joint} {start}")
        for k, ball in enumerate(("rolling_ball, at: [0, 0, 0], normal: z, radius: 0.3",
                                  "rolling_on_cylinder, ends: [[0, 0, -1], [0, 0, 0]], axis: y, cylinder: 0.7, radius: 0.3")):
            for formulation in some(k):
                found = self.part(formulation, "type: " + ball, "angular_velocity: [0, 0, 10]", 0.05)
                # it stands still and turns slower by mu m g r/J; coordinates of points turn with (w h)^2/12
                self.assertNear(found["body.part.angular_velocity.z"][-1], 10 - 0.7 * MU * 2 * G * 0.05 / 0.02,
                                2e-4 if formulation == "global" else 1e-5, f"{formulation} {ball}")
        self.stops(self.part("hybrid", slot, "velocity: [1.5, 0, 0]", planar=True), (1, 0), "slot in a plane")

    def test_cam(self):
        """a follower on an eccentric disc: normal force and torque of the shaft in closed form"""
        w, e = 8, 0.01
        for k, tip in enumerate((0, 0.012, None)):
            s = 0.03 + (tip or 0)

            def height(t):
                return e * math.sin(w * t) + (s if tip is None else math.sqrt(s ** 2 - (e * math.cos(w * t)) ** 2))

            end = 0.03 if tip is None else math.sqrt(s ** 2 - e ** 2)
            cam = (f"type: cam, radius: {tip}" if tip is not None else "type: flat_cam, angle: pi/2") + f", ends: [[0, 0, 0], [0, {end!r}, 0]]"
            for formulation in some(k):
                _, found = self.run_series(self.variant(DISC.replace("CAM", cam)), "--formulation", formulation)
                for i in range(20, len(found["t"]), 23):
                    normal, p, f = self.dragged(found["t"][i], height, tip, s)
                    what = f"{formulation} {tip} {found['t'][i]}"
                    self.assertNear(found["force.cam.friction.normal"][i], normal, 1e-3, what)
                    self.assertNear(found["joint.shaft.torque.z"][i], p[0] * f[1] - p[1] * f[0], 1e-5, what)
                self.assertLess(abs(found["energy.balance_error"][-1]), 1e-7, formulation)

    def dragged(self, t, height, tip, s, w=8, m=2, e=0.01, h=1e-4):
        """normal force, contact and force on the follower: the disc, which turns to the left, drags it against its tangent"""
        acc = (height(t + h) - 2 * height(t) + height(t - h)) / h ** 2
        centre = (e * math.cos(w * t), e * math.sin(w * t))
        n = (0, 1) if tip is None else (-centre[0] / s, (height(t) - centre[1]) / s)
        along = (-n[1], n[0])
        normal = m * (G + acc) / (n[1] + MU * along[1])
        return normal, [centre[i] + 0.03 * n[i] for i in range(2)], [normal * (n[i] + MU * along[i]) for i in range(2)]

    def test_shafts(self):
        """a constant-velocity joint, and one from a ball and a gimbal: friction of the torque that they carry"""
        bend, r, length, load = math.radians(20), 0.05, 0.5, 40
        shaft = (math.sin(bend), 0, math.cos(bend))
        rub = f"axis: z, axis2: {vector(shaft)}, friction: {{mu: 0.2, radius: {r}, deflection: 1e-8}}}}"
        kinds = {True: "  cv: {type: constant_velocity, between: [a, b], at: [0, 0, 0], " + rub,
                 False: "  ball: {type: spherical, between: [a, b], at: [0, 0, 0]}\n  cv: {type: gimbal, between: [a, b], " + rub}
        for pulls, joint in kinds.items():
            normal = load / r
            for _ in range(100):
                # moment about the line halfway between the shafts; the bearing balances what is across the second shaft
                moment = (load + 0.2 * normal * r * math.sin(bend / 2)) / math.cos(bend / 2)
                force = (moment * math.sin(bend / 2) + 0.2 * normal * r * math.cos(bend / 2)) / length
                normal = math.hypot(force if pulls else 0, moment / r)
            torque = moment * math.cos(bend / 2) + 0.2 * normal * r * math.sin(bend / 2)
            text = SHAFTS.replace("JOINT", joint).replace("END", vector([length * x for x in shaft]))
            text = text.replace("SHAFT", vector(shaft)).replace("LOAD", vector([-load * x for x in shaft]))
            for formulation in FORMULATIONS:
                _, found = self.run_series(self.variant(text), "--formulation", formulation)
                self.assertNear(found["force.cv.friction.normal"][-1], normal, 1e-5 * normal, f"{formulation} {pulls}")
                self.assertNear(found["joint.drive.torque.z"][-1], torque, 1e-6 * torque, f"{formulation} {pulls}")
                lost = (torque - load) * 20 * 0.04
                self.assertNear(found["force.cv.friction.dissipated"][-1], lost, 1e-5 * lost, f"{formulation} {pulls}")

    def test_driven_rod(self):
        """a rod whose length is prescribed as it is drawn rubs like one of that length"""
        ways = {}
        for motion in ("", "motion: {length: sqrt(2)}, "):
            for formulation in ("hybrid", "redundant"):
                rod = f"type: distance, ends: [[-1, 0, 1], [0, 0, 0]], {motion}"
                found = self.part(formulation, rod.rstrip(", "), "velocity: [0, 1.5, 0]", 0.2)
                ways[formulation, motion] = found["body.part.position.y"][-1]
        for way in ways.values():
            self.assertNear(way, ways["redundant", ""], 1e-6)

    def test_heat(self):
        """what a bead in a slot loses heats a node"""
        text = PART.replace("JOINT", "type: general, at: [0, 0, 0], locked: [z, rx, ry, rz], between: [ground, part]")
        text = text.replace("RADIUS", ", heats: box").replace("START", "velocity: [0.9, 1.2, 0]").replace("MORE", "")
        text = text.replace('"body.part.*"', '"node.*"')
        text += "nodes: {box: {type: thermal, start: 300}}\nnetwork: {iron: {type: heat_capacity, on: box, capacity: 2}}\n"
        _, found = self.run_series(self.variant(text))
        self.assertNear(2 * (found["node.box.temperature"][-1] - 300), 0.5 * 2 * 1.5 ** 2, 1e-4)

    def test_every_type(self):
        """every type of joint rubs, or is refused with a reason"""
        listed = [line.split()[0] for line in self.command("list", "joints").stdout.splitlines() if line.strip()]
        self.assertEqual(sorted(listed), sorted([*TYPES, *SILENT]))
        frame = ("hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n  part: {mass: 2, com: [0, 0, 0], inertia: [0.02, 0.02, 0.02]}\n"
                 "joints:\n  rub: {type: TYPE, MORE, friction: {mu: 0.3RADIUS}}\nrun: {time: 2e-3, step: 1e-3}\nrecord: ['force.*']\n")
        for name, keys in TYPES.items():
            radius = "" if name in NO_RADIUS else ", radius: 0.01"
            text = frame.replace("TYPE", name).replace("MORE", keys + ", between: [ground, part]").replace("RADIUS", radius)
            _, found = self.run_series(self.variant(text))
            self.assertTrue([c for c in found if c.startswith("force.rub.friction") and c.endswith("normal")], name)
        for name, (keys, words) in SILENT.items():
            more = ", between: [ground, part]" if words is not COUPLED else ""
            text = frame.replace("TYPE", name).replace("MORE", (keys + more).lstrip(", ")).replace("RADIUS", "")
            if words is COUPLED:
                text = text.replace("  rub:", "  p: {type: revolute, between: [ground, part], at: [0, 0, 0], axis: x}\n  rub:")
            result = self.command("check", self.variant(text), code=3)
            self.assertIn(f"a {name} joint has no friction: {words}", result.stderr, name)
        for name, keys in (("rolling", "at: [0, 0, 0], axis: y, normal: z, radius: 0.3"), ("general", "at: [0, 0, 0], locked: [x, y, z, rx, ry, rz]"),
                           ("cam", TYPES["cam"] + ", lifts: true, limits: {gap: [0, null]}")):
            text = frame.replace("TYPE", name).replace("MORE", keys + ", between: [ground, part]").replace("RADIUS", ", radius: 0.01")
            if name == "rolling":
                text = text.replace("gravity", "planar: xz\ngravity")
            self.assertIn(f"a {name} joint has no friction: ", self.command("check", self.variant(text), code=3).stderr)


if __name__ == "__main__":
    unittest.main()
