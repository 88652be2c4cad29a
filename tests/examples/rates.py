#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prescribed rates and accelerations: no drift in the rate, positions that are the integral of the signal, the drive
of a prescribed position, jumps with their impulses, start values, and runs that are resumed."""
import json
import math
import unittest

from support import SHORT, ExampleTest, orders

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")

ROTOR = """\
hooke: 1
gravity: [0, 0, -9.81]
bodies: {rotor: {mass: 2, com: [0.3, 0, 0], inertia: [0.01, 0.02, 0.03]}}
joints: {axle: {type: revolute, between: [ground, rotor], at: [0, 0, 0], axis: y, motion: {MOTION}}}
start: {axle: {START}}
record: ["joint.axle.*", "energy.*"]
run: {time: 16, step: 0.01}
"""
CART = """\
hooke: 1
bodies: {a: {mass: 1, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}
joints: {j: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x, KEYS}}
signals: {s: SIGNAL}
start: {j: {START}}
record: ["joint.j.position", "joint.j.velocity", "joint.j.drive", "energy.*"]
run: {time: 1, step: 0.01}
"""


class Rates(ExampleTest):
    def rotor(self, motion, start="angle: 0.5"):
        return self.variant(ROTOR.replace("MOTION", motion).replace("START", start))

    def cart(self, signal, keys="motion: {velocity: s}", start="position: 0.25"):
        return self.variant(CART.replace("SIGNAL", signal).replace("KEYS", keys).replace("START", start))

    def test_hundred_turns(self):
        # 102 turns; the rate is that of the signal to round-off, and so is the angle
        model = self.rotor("rate: 40")
        for formulation in FORMULATIONS:
            for integrator in ("trapezoidal",) if SHORT else ("trapezoidal", "generalized_alpha", "rk4"):
                what = (formulation, integrator)
                value, run = self.run_series(model, "-f", formulation, "-i", integrator, "--output-every", 1)
                self.assertEqual(value["grade"], "good", what)
                for t, rate, angle in zip(run["t"], run["joint.axle.rate"], run["joint.axle.angle"]):
                    self.assertNear(rate, 40, 4e-11, what)
                    self.assertNear(angle, 0.5 + 40 * t, 1e-10, what)

    def test_drive(self):
        # a crank by its angle, by its rate, by its acceleration: one motion and one torque
        text = self.text("slider-crank-driven.yaml")
        angle = text[text.index("  turn: "):].split("\n")[0]
        models = [self.variant(text, "angle.yaml")]
        for key, turn in (("rate", "if(t < run_up, speed*t/run_up, speed)"),
                          ("acceleration", "if(t < run_up, speed/run_up, 0)")):
            models.append(self.variant(text.replace(angle, f'  turn: "{turn}"').replace("{angle: turn}", f"{{{key}: turn}}"),
                                       f"{key}.yaml"))
        for formulation in FORMULATIONS[::3] if SHORT else FORMULATIONS:
            runs = [self.run_series(m, "-f", formulation)[1] for m in models]
            for run in runs[1:]:
                for name in ("joint.crank.angle", "joint.crank.rate", "joint.crank.drive", "joint.guide.position"):
                    worst = max(abs(a - b) for a, b in zip(run[name], runs[0][name]))
                    self.assertLess(worst, 1e-11, (formulation, name))

    def test_integral(self):
        # the position is the integral of the signal, whatever it is, from the start value on
        w = 30.0
        profile = "{table: [[0, 0], [0.2, 1], [0.5, 1], [0.9, -1], [1, -1]]}"
        for signal, place in ((f'"sin({w}*t)"', lambda t: (1 - math.cos(w * t)) / w),
                              ('"exp(-3*t)*t^5"', None),
                              ('{sweep: {from: 1, to: 40, duration: 1}}', None),
                              (profile, lambda t: 0.1 + (t - 0.2) if 0.2 < t < 0.5 else None),
                              ("{derivative: {of: base}}\n  base: \"sin(3*t)\"", lambda t: math.sin(3 * t))):
            model = self.variant(CART.replace("{s: SIGNAL}", f"\n  s: {signal}").replace("START", "position: 0.25")
                                 .replace("KEYS", "motion: {velocity: s}"))
            _, run = self.run_series(model)
            _, fine = self.run_series(model, "--step", 1e-3, "--output-every", 0.01)
            for i, t in enumerate(run["t"]):
                self.assertNear(run["joint.j.position"][i], fine["joint.j.position"][i], 2e-14, (signal, t))
                if place and place(t) is not None:
                    self.assertNear(run["joint.j.position"][i], 0.25 + place(t), 2e-14, (signal, t))
        # the slopes of a rate by rows are not rounded: trapezoids are what is written
        _, run = self.run_series(self.cart(profile))
        for t, v, f in zip(run["t"], run["joint.j.velocity"], run["joint.j.drive"]):
            if 0 < t < 0.2:
                self.assertNear(v, 5 * t, 1e-13)
                self.assertNear(f, 5, 1e-10)

    def test_jumps(self):
        # a rate that jumps: the place does not, the impulse is named and booked, the drive is finite
        for signal, energy, count in (('"2*step(t - 0.503)"', 2, 1), ("{table: [[0, 1], [0.5, 1], [0.5, 3], [1, 3]]}", 4, 1),
                                      ("{random: {seed: 3, hold: 0.3, amplitude: 1}}", None, 3)):
            model = self.cart(signal)
            for formulation in FORMULATIONS if "0.503" in signal else FORMULATIONS[:1]:
                for integrator in ("trapezoidal", "dopri5"):
                    result = self.command("run", model, "-f", formulation, "-i", integrator, "--json", "--output",
                                          self.dir / "o.csv", "--step", 0.01)
                    self.assertIn("motion of velocity: its rate jumps by", result.stderr)
                    self.assertIn(f"jumped at {count} time", result.stderr)
                    value = json.loads(result.stdout)
                    self.assertNear(value["energy"]["max_drift_J"], 0, 1e-9, (signal, formulation))
                    if energy:
                        self.assertNear(value["energy"]["supplied_J"], energy, 1e-9, (signal, formulation))

    def test_acceleration(self):
        # rate and position go on from the start values
        for signal, f in (("3", lambda t: (0.25 - 2 * t + 1.5 * t * t, 3 * t - 2, 3)),
                          ('"cos(5*t)"', lambda t: (0.25 - 2 * t + (1 - math.cos(5 * t)) / 25,
                                                    math.sin(5 * t) / 5 - 2, math.cos(5 * t)))):
            model = self.cart(signal, "motion: {acceleration: s}", "position: 0.25, velocity: -2")
            for formulation in FORMULATIONS:
                value, run = self.run_series(model, "-f", formulation, "-i", "trapezoidal", "--step", 0.01)
                for i, t in enumerate(run["t"]):
                    for name, expected in zip(("position", "velocity", "drive"), f(t)):
                        self.assertNear(run["joint.j." + name][i], expected, 1e-10, (formulation, name, t))
                self.assertNear(value["energy"]["max_drift_J"], 0, 1e-3)

    def test_start(self):
        # the start rate is that of the signal; one that is named otherwise is changed with a warning
        model = self.rotor('rate: "3*cos(t)"', "angle: 0.5, rate: 1")
        check = self.command("check", model)
        self.assertIn("start value of joint 'axle', rate conflicts with motion of joint 'axle', rate", check.stderr)
        _, run = self.run_series(model, "--time", 0.1)
        self.assertEqual(run["joint.axle.rate"][0], 3.0)
        self.assertEqual(run["joint.axle.angle"][0], 0.5)

    def test_other_coordinates(self):
        # several coordinates of one joint, lists, a measured one of a cut joint, a distance, a rotation vector
        body = "bodies: {a: {mass: 1, com: [1, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}\n"
        cases = (
            ("{type: cylindrical, between: [ground, a], at: [0, 0, 0], axis: z, motion: {rate: 9, velocity: 0.5*t}}",
             {"angle": lambda t: 9 * t, "position": lambda t: 0.25 * t * t}),
            ("{type: cylindrical, between: [ground, a], at: [0, 0, 0], axis: z, cut: always,"
             " motion: {rate: 9, velocity: 0.5*t}}",
             {"angle": lambda t: 9 * t, "position": lambda t: 0.25 * t * t}),
            ("{type: planar, between: [ground, a], at: [0, 0, 0], normal: z,"
             " motion: {velocity: [2, null], acceleration: {angle: 4}}}",
             {"position.u": lambda t: 2 * t, "angle": lambda t: 2 * t * t}),
            ("{type: universal, between: [ground, a], at: [0, 0, 0], axis: z, axis2: y, motion: {rates: [9, 3*t]}}",
             {"angles.a": lambda t: 9 * t, "angles.b": lambda t: 1.5 * t * t}),
            ("{type: screw, between: [ground, a], at: [0, 0, 0], axis: x, lead: 0.1, motion: {rate: 9}}",
             {"angle": lambda t: 9 * t}),
            ("{type: distance, between: [ground, a], ends: [[-1, 0, 0], [1, 0, 0]], length: 2.5,"
             " motion: {velocity: \"0.3*cos(t)\"}}", {"length": lambda t: 2.5 + 0.3 * math.sin(t)}),
            ("{type: general, between: [ground, a], at: [0, 0, 0], locked: [x, y, z, rx, ry],"
             " motion: {rz_rate: 9}}", {"rz": lambda t: 9 * t}))
        for joint, expected in cases:
            model = self.variant(f"hooke: 1\n{body}joints: {{j: {joint}}}\nrecord: [\"joint.j.*\"]\n"
                                 "run: {time: 2, step: 0.01, integrator: trapezoidal}\n")
            for formulation in FORMULATIONS[:2] if SHORT else FORMULATIONS:
                _, run = self.run_series(model, "-f", formulation)
                for name, f in expected.items():
                    worst = max(abs(x - f(t)) for x, t in zip(run["joint.j." + name], run["t"]))
                    self.assertLess(worst, 1e-9, (joint, formulation, name))

    def test_events(self):
        # switched on by an event, a rate goes on from where the coordinate is then
        model = self.variant("""\
hooke: 1
bodies: {a: {mass: 1, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}
joints:
  rail: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}
  motor: {type: distance, between: [ground, a], ends: [[-1, 0, 0], [0, 0, 0]], active: false, motion: {velocity: 2}}
start: {rail: {velocity: 1}}
events: {on: {when: "t >= 0.5", fix: motor}}
record: ["joint.rail.*", "energy.*"]
run: {time: 1, step: 0.01, integrator: trapezoidal}
""")
        for formulation in FORMULATIONS:
            _, run = self.run_series(model, "-f", formulation)
            self.assertNear(run["joint.rail.position"][-1], 1.5, 1e-10, formulation)
            self.assertNear(run["joint.rail.velocity"][-1], 2.0, 1e-10, formulation)

    def test_of_the_state(self):
        # a rate that reads positions: x' = 3 (1 - x) + w cos(w t) is met at every state, its drive is that of the
        # acceleration, and the position is found by the order of the method
        w = 2.0

        def exact(t):
            # particular solution of x' + 3 x = 3 + w cos(w t)
            a, b = 3 * w / (9 + w * w), w * w / (9 + w * w)
            return 1 + a * math.cos(w * t) + b * math.sin(w * t) + (0.25 - 1 - a) * math.exp(-3 * t)
        model = self.cart(f'"3*(1 - joint.j.position) + {w}*cos({w}*t)"')
        for formulation in FORMULATIONS:
            for integrator, order in (("trapezoidal", 2), ("generalized_alpha", 2), ("rk4", 4)):
                errors = []
                for step in (0.02, 0.01):
                    value, run = self.run_series(model, "-f", formulation, "-i", integrator, "--step", step)
                    for t, x, v, f in zip(run["t"], *(run["joint.j." + n] for n in ("position", "velocity", "drive"))):
                        rate = 3 * (1 - x) + w * math.cos(w * t)
                        self.assertNear(v, rate, 1e-11, (formulation, integrator))
                        self.assertNear(f, -3 * rate - w * w * math.sin(w * t), 1e-9, (formulation, integrator))
                    errors.append(max(abs(x - exact(t)) for t, x in zip(run["t"], run["joint.j.position"])))
                    self.assertNear(value["energy"]["max_drift_J"], 0, 10 * step * step)
                self.assertNear(orders(errors)[0], order, 0.2, (formulation, integrator, errors))

    def test_resume(self):
        # a run that is stopped and resumed writes the same bytes
        for formulation in ("hybrid", "redundant") if SHORT else FORMULATIONS:
            state = formulation in ("topological", "recursive", "partition", "redundant")
            model = self.rotor('rate: "40*sin(3*t) + exp(-t)%s"' % (" - joint.axle.angle" if state else ""))
            args = ("-f", formulation, "-i", "generalized_alpha", "--step", 0.01)
            whole, parts, state = (self.dir / x for x in ("whole.csv", "parts.csv", "state"))
            self.command("run", model, *args, "--time", 2, "--output", whole)
            self.command("run", model, *args, "--time", 0.73, "--output", parts, "--checkpoint", state)
            self.command("run", model, *args, "--time", 2, "--output", parts, "--resume", state)
            self.assertEqual(whole.read_bytes(), parts.read_bytes(), formulation)
            for x in (whole, parts, state):
                x.unlink()

    def test_order(self):
        # a pendulum on a cart with a prescribed rate: the order of the method is that of positions
        text = """\
hooke: 1
gravity: [0, 0, -9.81]
bodies:
  cart: {mass: 1, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}
  rod: {mass: 1, com: [0, 0, -0.5], inertia: {xx: 0.1, yy: 0.1, zz: 0.01}}
joints:
  rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x, motion: {MOTION}}
  pin: {type: revolute, between: [cart, rod], at: [0, 0, 0], axis: y}
record: ["joint.*"]
run: {time: 1, step: 0.01}
"""
        for formulation, integrator, order in (("hybrid", "trapezoidal", 2), ("partition", "generalized_alpha", 2),
                                               ("redundant", "rk4", 4), ("topological", "sdirk", 3)):
            ends, by_place = [], []
            for step in (0.02, 0.01, 0.005):
                for to, motion in ((ends, 'velocity: "cos(4*t)"'), (by_place, 'position: "sin(4*t)/4"')):
                    _, run = self.run_series(self.variant(text.replace("MOTION", motion)), "-f", formulation, "-i",
                                             integrator, "--step", step)
                    to.append(run["joint.pin.angle"][-1])
            found = orders([abs(a - b) for a, b in zip(ends, ends[1:])])[0]
            self.assertNear(found, order, 0.3, (formulation, integrator))
            self.assertNear(ends[-1], by_place[-1], 1e-11, (formulation, integrator))


if __name__ == "__main__":
    unittest.main()
