#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Friction at the stops of joints: what slides while a stop presses, impacts with friction, cams; closed forms."""
import math
import unittest

from support import FEW, ExampleTest

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "redundant", "partition")
SOME = ("hybrid", "redundant") if FEW else FORMULATIONS
RIGID, SOFT = "restitution: e", "stiffness: 2e5, damping: 400"

# a rotor turns on the end of its shaft, on which it stands or falls
ROTOR = """\
hooke: 1
gravity: [0, 0, -10]
parameters: {mu: 0.25, e: 0, w: 4, at: 0, torque: 0}
bodies:
  rotor: {mass: 2, inertia: {diagonal: [0.1, 0.1, 0.05]}, com: [0, 0, 0]}
joints:
  shaft: {type: cylindrical, between: [ground, rotor], at: [0, 0, 0], axis: z, zero: {position: at},
          limits: {position: {range: [0, null], MANNER, friction: {mu: mu, radius: 0.1}}}}
forces:
  drive: {type: joint_force, joint: shaft.angle, value: torque}
start: {shaft: {rate: w}}
record: ["joint.shaft.*", "force.*", "energy.*"]
run: {time: 1, step: 0.005, integrator: trapezoidal}
"""

# a key in its groove: a torque holds the angle of a sleeve at its stop, and the sleeve slides
KEY = """\
hooke: 1
parameters: {torque: 2}
bodies:
  sleeve: {mass: 2, inertia: {diagonal: [0.1, 0.1, 0.05]}, com: [0, 0, 0]}
joints:
  shaft: {type: cylindrical, between: [ground, sleeve], at: [0, 0, 0], axis: z,
          limits: {angle: [-1, 0], MANNER, friction: {mu: 0.2, radius: 0.1}}}
forces:
  press: {type: joint_force, joint: shaft.angle, value: torque}
start: {shaft: {velocity: 1START}}
record: ["joint.shaft.*", "force.*", "energy.*"]
run: {time: 0.3, step: 0.002, integrator: trapezoidal}
"""

# a ball falls with spin
BALL = """\
hooke: 1
gravity: [0, 0, -10]
parameters: {mu: 0.1, e: 0.5}
bodies:
  ball: {mass: 2, inertia: {diagonal: [0.008, 0.008, 0.008]}, com: [0, 0, 0]}
joints:
  air: {type: free, between: [ground, ball], at: [0, 0, 0],
        limits: {position: [null, null, [-0.2, null]], MANNER, friction: {mu: mu, radius: 0.1}}}
start: {ball: {velocity: [3, 1, 0], angular_velocity: [5, 20, 2]}}
record: ["body.ball.velocity", "body.ball.angular_velocity", "force.*", "energy.*"]
run: {time: 1.5, step: 0.0025, integrator: trapezoidal}
"""

# a disc between two walls, which it touches at opposite points
WALLS = """\
hooke: 1
gravity: [-10, 0, 0]
bodies:
  disc: {mass: 2, inertia: {diagonal: [0.01, 0.01, 0.01]}, com: [0, 0, 0]}
joints:
  plane: {type: planar, between: [ground, disc], at: [0, 0, 0], normal: z,
          limits: {position: [[-0.2, 0.05], null], restitution: 0.5, friction: {mu: 0.1, radius: 0.1}}}
start: {plane: {velocity: [3, 2], rate: 15}}
record: ["joint.*", "energy.*", "force.*"]
run: {time: 0.02, step: 0.001, integrator: trapezoidal}
"""


class Rotor(ExampleTest):
    inertia, mass, radius, gravity = 0.05, 2.0, 0.1, 10.0

    def model(self, manner):
        return self.variant(ROTOR.replace("MANNER", manner))

    def test_slows_down_and_rests(self):
        """mu N r/J, to a known time, on rigid and compliant stops, in all formulations"""
        slow = 0.25 * self.mass * self.gravity * self.radius / self.inertia
        for manner in (RIGID, SOFT):
            model = self.model(manner)
            if manner == SOFT:  # as deep as its weight presses it
                model = self.variant(model.read_text(encoding="utf-8").replace("rate: w", "rate: w, position: -1e-4"))
            for f in SOME:
                value, s = self.run_series(model, "--formulation", f)
                at = dict(zip(s["t"], s["joint.shaft.rate"]))
                # `global` has an error of its own where bodies turn fast
                off = 1e-3 if f == "global" else 2e-7
                for t in (0.1, 0.2, 0.35):
                    self.assertAlmostEqual(at[t], 4 - slow * t, delta=off, msg=(manner, f, t))
                stopped = min(t for t, x in at.items() if abs(x) < 1e-3)
                self.assertAlmostEqual(stopped, 4 / slow, delta=0.02)
                self.assertLess(abs(at[1.0]), 1e-9)
                self.assertAlmostEqual(s["joint.shaft.angle"][-1], 16 / (2 * slow), delta=3e-4)
                self.assertAlmostEqual(s["force.limits.shaft.position.friction.normal"][-1], 20, delta=1e-9)
                self.assertLess(abs(s["energy.balance_error"][-1]), 1e-3 if f == "global" else 1e-4)
                self.assertLessEqual(value["iterations"], 3 * value["steps"])

    def test_holds_below_its_cone(self):
        """mu N r = 0.5: a torque of 0.49 does not turn it, one of 0.6 turns it by (0.6 - 0.5)/J"""
        for f in SOME:
            for manner in (RIGID, SOFT):
                text = ROTOR.replace("MANNER", manner)
                if manner == SOFT:
                    text = text.replace("rate: w", "rate: w, position: -1e-4")
                model = self.variant(text)
                _, s = self.run_series(model, "--formulation", f, "--set", "w=0", "--set", "torque=0.49")
                self.assertLess(max(map(abs, s["joint.shaft.angle"])), 2e-4)  # a bristle: 1e-5 m at the radius
                self.assertLess(max(map(abs, s["joint.shaft.rate"][10:])), 1e-2)
                self.assertLess(abs(s["joint.shaft.rate"][-1]), 1e-6)
                _, s = self.run_series(model, "--formulation", f, "--set", "w=0", "--set", "torque=0.6")
                self.assertAlmostEqual(s["joint.shaft.rate"][-1], 2.0, delta=3e-3)

    def hit(self, f, **sets):
        model = self.model("restitution: e, rest: 1e-6")
        args = [x for k, v in sets.items() for x in ("--set", f"{k}={v}")]
        # it falls from 0.2 m for 0.2 s
        return self.run_series(model, "--formulation", f, "--time", 0.25, "--set", "at=0.2", *args)

    def test_impact_that_slides(self):
        """the spin changes by mu r P/J, and the energy lost is that of both motions"""
        for f in SOME:
            for e in (0, 0.5, 1):
                value, s = self.hit(f, e=e, mu=0.1, w=10)
                impulse = self.mass * (1 + e) * 2.0
                w = 10 - 0.1 * self.radius * impulse / self.inertia
                rest = 0.1 * 20 * self.radius / self.inertia * 0.05 if e == 0 else 0  # rubs on, where it rests
                after = s["joint.shaft.rate"][-1]
                self.assertAlmostEqual(after, w - rest, delta=2e-3 if f == "global" else 1e-9, msg=(f, e))
                lost = 0.5 * self.mass * 4 * (1 - e * e) + 0.5 * self.inertia * (100 - (w - rest) ** 2)
                self.assertAlmostEqual(s["energy.dissipated"][-1], lost, delta=2e-3 if f == "global" else 1e-9)
                self.assertLess(abs(s["energy.balance_error"][-1]), 2e-3 if f == "global" else 1e-9)
                self.assertEqual(value["impacts"], 1)
                # all of the impact is the joint's; what rubs while it rests is the friction's own
                by = value["energy"]["dissipated_by_J"]
                own = 0.5 * self.mass * 4 * (1 - e * e) + 0.5 * self.inertia * (100 - w * w)
                self.assertAlmostEqual(by["joint.shaft"], own, delta=2e-3 if f == "global" else 1e-9, msg=(f, e, by))

    def test_impact_that_grips(self):
        """a cone wider than the spin needs: it is at rest afterwards, and all its energy is lost"""
        for f in SOME:
            _, s = self.hit(f, e=0.5, mu=0.25, w=1)
            self.assertLess(abs(s["joint.shaft.rate"][-1]), 1e-9, msg=f)
            self.assertAlmostEqual(s["joint.shaft.velocity"][-1], 1.0 - 0.5, delta=1e-9)
            lost = 0.5 * self.mass * 4 * (1 - 0.25) + 0.5 * self.inertia
            self.assertAlmostEqual(s["energy.dissipated"][-1], lost, delta=1e-5 if f == "global" else 1e-9)

    def test_bounces_rub_like_rest(self):
        """all bounces together change the spin by mu r (impulse of gravity)/J, however many there are"""
        value, s = self.run_series(self.model("restitution: e, rest: 1e-4"), "--set", "at=0.2", "--set", "e=0.6",
                                   "--set", "w=30", "--set", "mu=0.1", "--time", 2)
        # from the first touch on: weight times time, and what it had when it came
        impulse = self.mass * (10 * (2.0 - 0.2) + 2.0)
        self.assertAlmostEqual(s["joint.shaft.rate"][-1], 30 - 0.1 * self.radius * impulse / self.inertia, delta=2e-4)
        self.assertLess(abs(s["energy.balance_error"][-1]), 1e-7)
        self.assertGreater(value["impacts"], 5)


class Others(ExampleTest):
    def test_key_in_its_groove(self):
        """N = torque/radius; the sleeve slows down by mu N/m"""
        for manner, start in (("restitution: 0", ""),
                              ("stiffness: 1e4, damping: 20", ", angle: 2e-4")):
            model = self.variant(KEY.replace("MANNER", manner).replace("START", start))
            for f in SOME:
                _, s = self.run_series(model, "--formulation", f)
                self.assertAlmostEqual(s["joint.shaft.velocity"][-1], 1 - 0.2 * 20 / 2 * 0.3, delta=1e-7, msg=(f, manner))
                self.assertAlmostEqual(s["force.limits.shaft.angle.friction.normal"][-1], 20, delta=1e-8)

    def test_ball(self):
        """it bounces, slides and then rolls by (5 v + 2 r w)/7, whatever the friction and the stop"""
        for manner in ("restitution: e", "stiffness: 1e5, dissipation: 0.5"):
            model = self.variant(BALL.replace("MANNER", manner))
            for f in SOME:
                _, s = self.run_series(model, "--formulation", f)
                last = {k: v[-1] for k, v in s.items()}
                # moments about the floor stay as they were, but for the bristles and the steps
                off = 5e-3 if f == "global" else 5e-4
                self.assertAlmostEqual(last["body.ball.velocity.x"], (15 + 4) / 7, delta=off, msg=(f, manner))
                self.assertAlmostEqual(last["body.ball.velocity.y"], (5 - 1) / 7, delta=off)
                self.assertAlmostEqual(last["body.ball.angular_velocity.y"], last["body.ball.velocity.x"] / 0.1, delta=off)
                self.assertAlmostEqual(last["body.ball.angular_velocity.x"], -last["body.ball.velocity.y"] / 0.1, delta=off)

    def test_first_bounce_of_a_ball(self):
        """sliding: the impulse mu P lies against the slip, which keeps its direction; gripping: 2/7 of the slip"""
        model = self.variant(BALL.replace("MANNER", "restitution: e"))
        slip = (3 - 0.1 * 20, 1 + 0.1 * 5)
        size = math.hypot(*slip)
        for f in SOME:
            for mu in (0.03, 0.9):
                _, s = self.run_series(model, "--formulation", f, "--time", 0.3, "--set", f"mu={mu}")
                push = min(mu * 3.0 * 2, 2 * size * 2 / 7)  # at most what brings the slip to rest
                off = 1e-4 if f == "global" else 1e-9
                for i, (axis, v0) in enumerate((("x", 3.0), ("y", 1.0))):
                    after = v0 - push / 2 * slip[i] / size
                    self.assertAlmostEqual(s[f"body.ball.velocity.{axis}"][-1], after, delta=off, msg=(f, mu, axis))
                # moment of the impulse about the centre
                self.assertAlmostEqual(s["body.ball.angular_velocity.y"][-1],
                                       20 + 0.1 * push * slip[0] / size / 0.008, delta=50 * off)
                self.assertLess(abs(s["energy.balance_error"][-1]), 1e-2 if f == "global" else 1e-7)

    def test_example(self):
        """backspin: it comes back, with the velocity that the moments about the floor tell"""
        value, s = self.run_series("spinning-ball.yaml")
        self.assertAlmostEqual(s["body.ball.velocity.x"][-1], (5 * 2 - 2 * 0.11 * 60) / 7, delta=1e-9)
        self.assertGreater(value["impacts"], 10)
        self.assertEqual(value["grade"], "good")

    def test_corner(self):
        """a ball hits wall and floor at once: both cones hold, and each friction lies against its own slip"""
        m, J, r, mu, e = 2.0, 0.008, 0.1, 0.1, 0.5
        text = BALL.replace("gravity: [0, 0, -10]\n", "").replace("[null, null, [-0.2, null]], MANNER", "[[null, 0.1], null, [-0.1, null]], restitution: e")
        v, w = (1.0, 1.7, -1.0), (4.0, -19.0, 3.0)
        text = text.replace("velocity: [3, 1, 0], angular_velocity: [5, 20, 2]", f"velocity: {list(v)}, angular_velocity: {list(w)}")
        for f in SOME:
            _, s = self.run_series(self.variant(text), "--formulation", f, "--time", 0.102, "--step", 5e-4, "--set", f"mu={mu}")
            after = [s[f"body.ball.velocity.{a}"][-1] for a in "xyz"]
            spin = [s[f"body.ball.angular_velocity.{a}"][-1] for a in "xyz"]
            off = 1e-3 if f == "global" else 1e-8
            self.assertAlmostEqual(after[0], -e * v[0], delta=1e-9, msg=f)
            self.assertAlmostEqual(after[2], -e * v[2], delta=1e-9, msg=f)
            dv, dw = [b - a for a, b in zip(v, after)], [b - a for a, b in zip(w, spin)]
            # friction on the wall (y, z) and on the floor (x, y), by the moments about the centre
            wall_y, floor_y = J * dw[2] / r, J * dw[0] / r
            self.assertAlmostEqual(wall_y + floor_y, m * dv[1], delta=10 * off, msg=f)
            # slips behind the impact: at the point x + r of the wall and z - r of the floor
            on_wall = (after[1] + r * spin[2], after[2] - r * spin[1])
            on_floor = (after[0] - r * spin[1], after[1] + r * spin[0])
            wall = (wall_y, wall_y * on_wall[1] / on_wall[0])
            floor = (floor_y * on_floor[0] / on_floor[1], floor_y)
            self.assertAlmostEqual(wall[1] + floor[0], -J * dw[1] / r, delta=100 * off, msg=f)
            push_wall, push_floor = floor[0] - m * dv[0], m * dv[2] - wall[1]
            self.assertAlmostEqual(math.hypot(*wall), mu * push_wall, delta=100 * off, msg=f)
            self.assertAlmostEqual(math.hypot(*floor), mu * push_floor, delta=100 * off, msg=f)
            self.assertLess(wall_y * on_wall[0], 0)
            self.assertLess(floor_y * on_floor[1], 0)
            lost = 0.5 * m * sum(a * a - b * b for a, b in zip(v, after)) + 0.5 * J * sum(a * a - b * b for a, b in zip(w, spin))
            self.assertGreater(lost, 0)
            self.assertAlmostEqual(s["energy.dissipated"][-1], lost, delta=10 * off)

    def test_walls(self):
        """the point that slides lies towards the wall that pushes: below it is v - r w, above v + r w"""
        for f in SOME:
            _, s = self.run_series(self.variant(WALLS), "--formulation", f)
            speed = math.sqrt(9 - 2 * 10 * 0.05)
            push = 0.1 * 2 * 1.5 * speed
            self.assertAlmostEqual(s["joint.plane.velocity.v"][-1], 2 - push / 2, delta=2e-5, msg=f)
            self.assertAlmostEqual(s["joint.plane.rate"][-1], 15 - 0.1 * push / 0.01, delta=2e-2 if f == "global" else 1e-8)

    def test_mirrored(self):
        """a mirrored instance rubs like its image; the sleeve's position changes its sign, and its ends change places"""
        body = WALLS[WALLS.index("  disc:"):WALLS.index("joints:")].strip()
        joint = WALLS[WALLS.index("  plane:"):WALLS.index("start:")].strip()
        text = ("hooke: 1\ngravity: [-10, 0, 0]\ncomponents:\n  side:\n    bodies:\n      " + body +
                "\n      pin: {mass: 0.3, inertia: {diagonal: [0.002, 0.002, 0.002]}, com: [0, 0, 0]}\n    joints:\n      " + joint +
                "\n      sleeve: {type: cylindrical, between: [disc, pin], at: [0, 0, 0], axis: [1, 0.3, 0],\n"
                "               limits: {position: [-0.01, 0.03], restitution: 0.4, friction: {mu: 0.2, radius: 0.02}}}\n"
                "    start: {plane: {velocity: [3, 2], rate: 15}, sleeve: {velocity: 1, rate: 30}}\n"
                "instances:\n  left: {component: side}\n  right: {component: side, mirror: y}\n"
                'record: ["joint.*"]\nrun: {time: 0.3, step: 0.001, integrator: rk4}\n')
        _, s = self.run_series(self.variant(text))
        for name in ("plane.velocity.v", "plane.rate", "sleeve.rate", "sleeve.velocity"):
            sign = -1 if name == "sleeve.velocity" else 1
            for a, b in zip(s[f"joint.left.{name}"], s[f"joint.right.{name}"]):
                self.assertAlmostEqual(a, sign * b, delta=1e-9, msg=name)
        self.assertLess(s["joint.left.sleeve.rate"][-1], 29)

    def test_universal_joint(self):
        """one angle at its stop presses the other"""
        universal = """\
hooke: 1
bodies:
  cross: {mass: 1, inertia: {diagonal: [0.02, 0.02, 0.02]}, com: [0, 0, 0]}
joints:
  u: {type: universal, between: [ground, cross], at: [0, 0, 0], axis: z, axis2: x,
      limits: {angles: [[null, 0], null], restitution: 0, friction: {mu: 0.2, radius: 0.05}}}
forces: {press: {type: joint_force, joint: u.angles.a, value: 1.5}}
start: {u: {rates: [0, 4]}}
record: ["joint.u.*", "force.*"]
run: {time: 0.1, step: 0.002, integrator: trapezoidal}
"""
        for f in SOME:
            _, s = self.run_series(self.variant(universal), "--formulation", f)
            slow = 0.2 * 1.5 / 0.02  # the radius is that of both
            self.assertAlmostEqual(s["joint.u.rates.b"][-1], 4 - slow * 0.1, delta=1e-4 if f == "global" else 1e-7, msg=f)


class Cams(ExampleTest):
    """a flat tappet on an eccentric disc that turns steadily: N = m y'' + k y + weight + preload"""

    def model(self, how):
        text = self.text("cam-lift-off.yaml").replace("speed: 130 ", "speed: 60 ")
        text = text.replace("    lifts: true\n    limits: {gap: [0, null], restitution: 0.2}\n", how)
        self.assertIn(how, text)
        return self.variant(text)

    def test_drive_of_a_flat_cam(self):
        """the shaft is driven against N e cos(th) and against mu N at the height of the face"""
        R, e, m, k, preload, w, mu = 0.03, 0.01, 0.2, 800, 20, 60, 0.2
        kinds = {"rigid": "    lifts: true\n    limits: {gap: [0, null], restitution: 0, friction: {mu: 0.2}}\n",
                 "held": "    friction: {mu: 0.2}\n"}
        for kind, how in kinds.items():
            model = self.model(how)
            for f in SOME:
                _, s = self.run_series(model, "--formulation", f)
                name = "force.cam.friction" if kind == "held" else "force.limits.cam.gap.friction"
                for i in range(20, len(s["t"]), 30):
                    th = w * s["t"][i]
                    N = -m * e * w * w * math.sin(th) + k * e * math.sin(th) + m * 9.81 + preload
                    height = R + e * math.sin(th)
                    self.assertAlmostEqual(s[name + ".normal"][i], N, delta=2e-3 * N, msg=(kind, f))
                    self.assertAlmostEqual(s[name + ".slip"][i], -w * height, delta=1e-9)
                    drive = N * e * math.cos(th) + mu * N * height
                    # the weight of the disc, and a torque that the bristles take for a moment
                    self.assertAlmostEqual(s["joint.shaft.drive"][i], drive + 0.5 * 9.81 * e * math.cos(th), delta=2e-3,
                                           msg=(kind, f, s["t"][i]))
                self.assertLess(abs(s["energy.balance_error"][-1]), 2e-6)

    def test_compliant_contact(self):
        """the same tappet on a stiff contact, near the rigid one"""
        model = self.model("    lifts: true\n    limits: {gap: [0, null], stiffness: 1e6, dissipation: 20, "
                           "friction: {mu: 0.2}}\n")
        for f in SOME:
            _, s = self.run_series(model, "--formulation", f, "--set", "speed=30", "--step", "0.00025")
            th = 30 * s["t"][-1]
            N = (-0.2 * 900 + 800) * 0.01 * math.sin(th) + 0.2 * 9.81 + 20
            self.assertAlmostEqual(s["force.limits.cam.gap.friction.normal"][-1], N, delta=0.02 * N, msg=f)
            self.assertAlmostEqual(s["force.limits.cam.gap.friction.normal"][-1],
                                   s["force.limits.cam.gap.force"][-1], delta=1e-9 * N)
            self.assertAlmostEqual(s["force.limits.cam.gap.friction.force"][-1], 0.2 * N, delta=0.01 * N)


class Words(ExampleTest):
    def refuse(self, joint, *words):
        text = f"""\
hooke: 1
bodies: {{a: {{mass: 1, inertia: {{diagonal: [1, 1, 1]}}, com: [0, 0, 0]}}}}
joints:
  j: {{between: [ground, a], at: [0, 0, 0], {joint}}}
run: {{time: 0.1, step: 0.01}}
"""
        message = self.command("check", self.variant(text), code=3).stderr
        for w in words:
            self.assertIn(w, message)

    def test_what_cannot_rub(self):
        rub = "restitution: 0, friction: {mu: 0.2, radius: 0.1}"
        self.refuse(f"type: revolute, axis: z, limits: {{angle: [0, 1], {rub}}}", ":4:", "nothing rubs",
                    "'angle' is its only coordinate")
        self.refuse(f"type: prismatic, axis: z, limits: {{position: [0, 1], {rub}}}", "is its only coordinate")
        self.refuse(f"type: screw, axis: z, lead: 0.01, limits: {{angle: [0, 1], {rub}}}", "is its only coordinate")
        self.refuse(f"type: planar, normal: z, limits: {{angle: [0, 1], {rub}}}", "along a stop of 'angle'")
        self.refuse("type: cylindrical, axis: z, limits: {position: [0, 1], restitution: 0, friction: {mu: 0.2}}",
                    "must have 'radius', since the joint turns there")
        self.refuse("type: cylindrical, axis: z, limits: {angle: [0, 1], restitution: 0, friction: {mu: 0.2}}",
                    "must have 'radius', since its stop holds by a torque")
        self.refuse("type: cylindrical, axis: z, limits: {position: [0, 1], friction: {mu: -1, radius: 0.1}}", "'mu'")
        self.refuse("type: cylindrical, axis: z, limits: {position: [0, 1], friction: {mu: 1, preload: 3}}", "preload")

    def test_cams_that_lift_rub_at_their_stop(self):
        text = self.text("cam-lift-off.yaml")
        own = self.variant(text.replace("    lifts: true\n", "    lifts: true\n    friction: {mu: 0.1}\n"))
        self.assertIn("its friction belongs to its 'limits'", self.command("check", own, code=3).stderr)
        own = self.variant(text.replace("restitution: 0.2}", "restitution: 0.2, friction: {mu: 0.1, radius: 0.1}}"))
        self.assertIn("its surfaces have their own", self.command("check", own, code=3).stderr)


if __name__ == "__main__":
    unittest.main()
