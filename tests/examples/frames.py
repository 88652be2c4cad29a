#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frames that move: start rates by frames (examples/four-blade-rotor.yaml), start values in a frame, the same motion
described in an inertial and in a moving frame of reference, by every formulation; gravity that varies, gravity of a
centre. Energies are closed in every frame."""
import math
import unittest

from support import ExampleTest, rotate

ROTOR = "four-blade-rotor.yaml"
FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")


def conjugate(q):
    return [q[0], -q[1], -q[2], -q[3]]


def about_z(angle):
    return [math.cos(angle / 2), 0, 0, math.sin(angle / 2)]


def product(a, b):
    return [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]]


class Rotor(ExampleTest):
    def test_starts_without_a_warning(self):
        for speed, rate in ((0, "40 rad/s, moving frame"), (15, "25 rad/s, moving frame"), (40, None)):
            found = self.command("check", self.variant(self.text(ROTOR)), "--set", f"frame_speed={speed}")
            self.assertEqual(found.stderr, "")
            self.assertIn(f"joint.mast.rate {rate}" if rate else "as drawn and at rest", found.stdout)
            self.assertNotIn("flap", found.stdout.split("start")[1].split("mass")[0])

    def test_same_motion_in_both_frames(self):
        """the blades flap alike; the hub's rate differs by the frame's; the turning frame costs no accuracy"""
        reference = self.run_model(ROTOR, "--time", 0.2)["final"]
        self.assertGreater(reference["joint.blade_1.flap.angle"], 0.01)
        for formulation in FORMULATIONS:
            value = self.run_model(ROTOR, "--time", 0.2, "--formulation", formulation, "--set", "frame_speed=40")
            found, energy = value["final"], value["energy"]
            for i in range(1, 5):
                self.assertNear(found[f"joint.blade_{i}.flap.angle"], reference[f"joint.blade_{i}.flap.angle"], 1e-6,
                                formulation)  # of order h^2
            self.assertNear(found["joint.mast.rate"], reference["joint.mast.rate"] - 40, 1e-4, formulation)
            self.assertNear(energy["balance_error_J"], 0, 2e-4 * energy["dissipated_J"], formulation)
            self.assertTrue(any(name.startswith("force.frame.") for name in energy["supplied_by_J"]))

    def test_at_rest_in_the_turning_frame(self):
        """at equilibrium in the turning frame nothing moves, whatever the step"""
        model = self.variant(self.text(ROTOR) + "start: {equilibrium: true, mast: {angle: 0}}\n")
        value, series = self.run_series(model, "--set", "frame_speed=40", "--step", 0.05, "--time", 1)
        self.assertEqual(value["status"], "ok")
        for i in range(1, 5):
            angle = series[f"joint.blade_{i}.flap.angle"]
            self.assertGreater(angle[0], 0.02)
            self.assertLess(max(angle) - min(angle), 1e-9)

    def test_named_rates_win(self):
        """a rate under start holds, the others stay with the frame"""
        model = self.variant(self.text(ROTOR) + "start: {mast: {rate: 12}}\n")
        found = self.command("check", model)
        self.assertEqual(found.stderr, "")
        self.assertIn("joint.mast.rate 12 rad/s, named", found.stdout)
        # a blade relative to the turning hub: its flap hinge alone moves
        text = self.text(ROTOR) + "start: {blade_2.beam: {in: hub, angular_velocity: [3, 0, 0]}}\n"
        found = self.run_model(self.variant(text), "--time", 1e-9)["final"]
        self.assertNear(found["joint.blade_2.flap.rate"], 3, 1e-6)
        self.assertNear(found["joint.blade_1.flap.rate"], 0, 1e-6)
        self.assertNear(found["joint.mast.rate"], 40, 1e-9)


class StartRates(ExampleTest):
    """a free body placed in frames inside frames, also in a mirrored instance"""

    def final(self, text):
        return self.run_model(self.variant("hooke: 1\n" + text + "\nrecord: [body.*]\nrun: {time: 1e-9, step: 1e-9}\n"))["final"]

    def test_frames_in_frames(self):
        found = self.final("""
frames:
  a: {at: [1, 0, 0], velocity: [0, 0, 2], angular_velocity: [0, 0, 3]}
  b: {in: a, at: [0, 1, 0], rotate: {axis: z, angle: 90*deg}, velocity: [1, 0, 0], angular_velocity: [1, 0, 0]}
bodies:
  p: {mass: 1, com: {in: b, at: [0, 0, 1]}, inertia: [1, 1, 1]}
  q: {mass: 1, com: [5, 5, 5], inertia: [1, 1, 1]}
""")
        # b: origin (1, 1, 0), velocity (0, 0, 2) + (0, 0, 3) x (0, 1, 0) + (1, 0, 0); w = (1, 0, 3); p one above it
        expected = {"velocity": (1 - 3 + 0, -1, 2), "angular_velocity": (1, 0, 3)}
        for name, value in expected.items():
            for x, v in zip("xyz", value):
                self.assertNear(found[f"body.p.{name}.{x}"], v, 1e-8, f"{name}.{x}")
                self.assertNear(found[f"body.q.{name}.{x}"], 0, 1e-8)

    def test_start_in_a_frame(self):
        """position, orientation and rates in a frame that moves; the velocity follows the place of the start"""
        found = self.final("""
frames:
  f: {at: [1, 0, 0], rotate: {axis: z, angle: 90*deg}, angular_velocity: [0, 0, 2]}
bodies: {p: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}
start: {p: {in: f, position: [3, 0, 0], orientation: {axis: z, angle: 30*deg}, velocity: [0, 0, 1], angular_velocity: [4, 0, 0]}}
""")
        expected = {"position": (1, 3, 0), "velocity": (-6, 0, 1), "angular_velocity": (0, 4, 2)}
        for name, value in expected.items():
            for x, v in zip("xyz", value):
                self.assertNear(found[f"body.p.{name}.{x}"], v, 1e-7, f"{name}.{x}")

    def test_mirrored(self):
        found = self.final("""
frames: {f: {angular_velocity: [0, 1, 2]}}
components:
  c: {bodies: {b: {mass: 1, com: [1, 1, 0], inertia: [1, 1, 1]}}}
instances: {l: {component: c, in: f}, r: {component: c, in: f, mirror: y}}
""")
        for name, p in (("l", (1, 1, 0)), ("r", (1, -1, 0))):
            v = (-2 * p[1], 2 * p[0], -p[0])  # w x p
            for k, x in enumerate("xyz"):
                self.assertNear(found[f"body.{name}.b.velocity.{x}"], v[k], 1e-8, f"{name}.{x}")
                self.assertNear(found[f"body.{name}.b.angular_velocity.{x}"], (0, 1, 2)[k], 1e-8)


class MovingFrame(ExampleTest):
    """two bodies on a spring and a ball, one with a full inertia, thrown and tumbling; the frame turns unevenly about z
    and its origin runs along a line. Positions go to p = X(t) + Rz(th) p_frame."""
    TEXT = """hooke: 1
parameters: {{moving: {moving}}}
signals:
  th: 0.7*t + 0.4*sin(2*t)
bodies:
  a: {{mass: 2, com: [0.2, 0.1, 0], inertia: {{xx: 0.3, yy: 0.5, zz: 0.4, xy: 0.05, yz: -0.08}}}}
  b: {{mass: 1, com: [0.9, 0, 0.1], inertia: {{xx: 0.02, yy: 0.03, zz: 0.04}}}}
  c: {{mass: 0.5, com: [0, 0, 0.8]}}
joints:
  ball: {{type: spherical, between: [a, b], at: [0.5, 0, 0]}}
forces:
  s: {{type: spring_damper, between: [a, c], ends: [[0, 0, 0.2], [0, 0, 0.8]], stiffness: 40, damping: 1, length: 0.5}}
start:
  a: {{velocity: [{va}], angular_velocity: [{wa}]}}
  b: {{angular_velocity: [{wb}]}}
  c: {{velocity: [{vc}]}}
record: [body.*, energy.*]
run:
  time: 0.6
  step: {step}
  frame: {{angular_velocity: [0, 0, "moving*(0.7 + 0.8*cos(2*t))"], velocity: ["moving*(0.3*cos(th) + 0.2*sin(th))", "moving*(0.2*cos(th) - 0.3*sin(th))", 0]}}
"""

    def model(self, moving, step):
        o, V = (1.5, (0.3, 0.2, 0)) if moving else (0, (0, 0, 0))  # at t = 0

        def relative(v, p):
            return ", ".join(repr(x) for x in (v[0] - V[0] + o * p[1], v[1] - V[1] - o * p[0], v[2]))

        def spin(w):
            return ", ".join(repr(x) for x in (w[0], w[1], w[2] - o))
        return self.variant(self.TEXT.format(
            moving=moving, step=step, va=relative((0.5, -0.3, 0.4), (0.2, 0.1, 0)), wa=spin((1, -2, 0.5)),
            wb=spin((-1, 0.5, 2)), vc=relative((0, 0.8, 0.1), (0, 0, 0.8))))

    def place(self, final, body, moving, t):
        """position and orientation in the inertial frame"""
        p = [final[f"body.{body}.position.{x}"] for x in "xyz"]
        q = [final[f"body.{body}.orientation.{x}"] for x in "wxyz"]
        if moving:
            turn = about_z(0.7 * t + 0.4 * math.sin(2 * t))
            p = [a + b for a, b in zip(rotate(turn, p), (0.3 * t, 0.2 * t, 0))]
            q = product(turn, q)
        return p, q

    def test_every_formulation(self):
        fine = ("--integrator", "dopri5", "--formulation", "recursive", "--option", "step_control=error", "--option",
                "rtol=1e-11", "--option", "atol=1e-11")
        exact = self.run_model(self.model(0, 1e-2), *fine)["final"]
        value = self.run_model(self.model(1, 1e-2), *fine)
        self.assertLess(abs(value["energy"]["balance_error_J"]), 1e-8)
        cases = [(value, 1e-8)]
        cases += [(self.run_model(self.model(1, 1e-3), "--formulation", f), 2e-5) for f in FORMULATIONS]
        for value, within in cases:
            for body in "abc":
                (p, q), (p0, q0) = self.place(value["final"], body, True, 0.6), self.place(exact, body, False, 0.6)
                self.assertLess(math.dist(p, p0), within, body)
                if body != "c":
                    self.assertLess(2 * math.hypot(*product(q, conjugate(q0))[1:]), within, body)
            self.assertLess(abs(value["energy"]["balance_error_J"]), 2e-5)
            self.assertGreater(abs(value["energy"]["supplied_J"]), 0.1)  # the frame does work

    def test_about_another_point(self):
        """a frame that turns about a point: a mass at rest in an inertial frame runs round that point"""
        value = self.run_model(self.variant("""hooke: 1
bodies: {p: {mass: 1, com: [2, 0, 0]}}
start: {p: {velocity: [0, -3, 0]}}
run: {time: 0.5, step: 0.01, integrator: dopri5, formulation: recursive, step_control: error, rtol: 1e-12, atol: 1e-12, frame: {angular_velocity: [0, 0, 3], at: [1, 0, 0]}}
"""))["final"]
        self.assertNear(value["body.p.position.x"], 1 + math.cos(1.5), 1e-9)
        self.assertNear(value["body.p.position.y"], -math.sin(1.5), 1e-9)

    def test_refused(self):
        head = "hooke: 1\nbodies: {p: {mass: 1, com: [2, 0, 0]}}\nrun: {time: 1, step: 0.1, frame: "
        for frame, words in (("{angular_velocity: [0, 0, body.p.position.x]}}", "variant.yaml:3:60: error: "
                              "'angular_velocity' of the frame must be a function of time"),
                             ("{angular: [0, 0, 1]}}", "has no key 'angular'"), ("hub}", "must be a mapping"),
                             ("{velocity: [0, 0]}}", "'velocity' must be a list of 3")):
            self.assertIn(words, self.command("check", self.variant(head + frame + "\n"), code=3).stderr)


class Gravity(ExampleTest):
    @staticmethod
    def simpson(f, a, b):
        return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b))

    def test_signals(self):
        """a mass thrown in a lift: g(t) = -9 - 4 sin(3 t) along z, 2 along x; its work is supplied"""
        text = """hooke: 1
gravity: [2, 0, "-9 - lift"]
signals: {lift: 4*sin(3*t)}
bodies: {p: {mass: 3, com: [0, 0, 0]}}
start: {p: {velocity: [0, 1, 5]}}
run: {time: 0.8, step: 0.002}
"""
        t = 0.8
        z = 5 * t - 4.5 * t * t - 4 * (t / 3 - math.sin(3 * t) / 9)
        for formulation in FORMULATIONS:
            value = self.run_model(self.variant(text), "--formulation", formulation)
            self.assertNear(value["final"]["body.p.position.z"], z, 1e-5, formulation)
            self.assertNear(value["final"]["body.p.position.x"], t * t, 1e-5, formulation)
            self.assertNear(value["energy"]["balance_error_J"], 0, 1e-4, formulation)
            # the component that is a number has a potential, the other one supplies its work
            work = sum(self.simpson(lambda s: (-27 - 12 * math.sin(3 * s)) * (5 - 9 * s - 4 / 3 * (1 - math.cos(3 * s))),
                                    k / 100, (k + 1) / 100) for k in range(80))
            self.assertNear(value["energy"]["supplied_J"], work, 1e-4, formulation)

    def test_of_the_state(self):
        """gravity that grows with the height of a body is an oscillator, in every formulation"""
        text = """hooke: 1
gravity: [0, 0, -16*body.p.position.z]
bodies: {p: {mass: 3, com: [0, 0, 1]}}
run: {time: 1, step: 0.002}
"""
        for formulation in FORMULATIONS:
            value = self.run_model(self.variant(text), "--formulation", formulation)
            self.assertNear(value["final"]["body.p.position.z"], math.cos(4), 3e-5, formulation)
            self.assertNear(value["energy"]["balance_error_J"], 0, 1e-3, formulation)

    def test_of_a_centre(self):
        """an orbit of eccentricity 0.5 closes after its period and keeps its energy"""
        text = """hooke: 1
parameters: {mu: 4, e: 0.5}
points: {sun: [0.5, 0, 0]}
gravity: {centre: sun, mu: mu}
bodies: {p: {mass: 2, com: [1, 0, 0], inertia: [1, 1, 1]}}
start: {p: {velocity: [0, sqrt(mu*(1 + e)/0.5), 0]}}
run: {time: 3.141592653589793, step: 0.01, integrator: dopri5, step_control: error, rtol: 1e-10, atol: 1e-10}
"""
        for formulation in ("recursive", "hybrid"):
            value = self.run_model(self.variant(text), "--formulation", formulation)
            self.assertNear(value["final"]["body.p.position.x"], 1, 1e-7, formulation)
            self.assertNear(value["final"]["body.p.position.y"], 0, 1e-7, formulation)
            self.assertNear(value["energy"]["initial_J"], -4, 1e-9)  # -mu m / (2 a), a = 0.5/(1 - e)
            self.assertNear(value["energy"]["final_J"], -4, 1e-7)
            self.assertEqual(value["energy"]["supplied_J"], 0)
        for formulation in FORMULATIONS:
            value = self.run_model(self.variant(text.replace("integrator: dopri5, step_control: error, rtol: 1e-10, atol: 1e-10", "integrator: trapezoidal")
                                                .replace("0.01", "5e-4")), "--formulation", formulation)
            self.assertNear(value["final"]["body.p.position.x"], 1, 1e-3, formulation)

    def test_refused(self):
        head = "hooke: 1\nbodies: {p: {mass: 1, com: [2, 0, 0]}}\ngravity: "
        for text, words in (("{centre: [0, 0, 0]}", "needs the key 'mu'"), ("{mu: 1, center: [0, 0, 0]}", "'centre'"),
                            ("{centre: [2, 0, 0], mu: 1}", "is at the centre of gravity"), ("[0, 0]", "list of 3"),
                            ('[0, 0, "9*tt"]', "unknown name 'tt'")):
            self.assertIn(words, self.command("check", self.variant(head + text + "\n"), code=3).stderr)


if __name__ == "__main__":
    unittest.main()
