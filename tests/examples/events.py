#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Events: examples/grab-and-release.yaml, and impacts with closed forms."""
import math
import unittest

from support import ExampleTest

EXAMPLE = "grab-and-release.yaml"

# two sliders: one hits the other and sticks to it, later it lets go
COLLISION = """\
hooke: 1
bodies:
  first: {mass: 1, com: [0, 0, 0], inertia: {diagonal: [1, 1, 1]}}
  second: {mass: 3, com: [1, 0, 0], inertia: {diagonal: [1, 1, 1]}}
joints:
  a: {type: prismatic, between: [ground, first], axis: x}
  b: {type: prismatic, between: [ground, second], axis: x}
  hook: {type: fixed, between: [first, second], at: [0.5, 0, 0], active: false}
events:
  catch: {when: "body.first.position.x >= 0.7", fix: hook}
  leave: {when: "t >= 1", release: hook}
start:
  a: {velocity: 2}
forces:
  brake: {type: joint_force, joint: b, value: "if(t >= 1, -3, 0)"}
record: ["body.*.position.x", "body.*.velocity.x", "energy.*"]
run: {time: 2, step: 0.1}
"""


FORMULATIONS = ("hybrid", "global", "topological", "recursive", "redundant", "partition")

# a ball flies past a peg and spins; later something holds it
FLIGHT = """\
hooke: 1
bodies:
  ball: {mass: 2, com: [1, 0, 0], inertia: {diagonal: [0.01, 0.02, 0.02]}}
joints:
  hold: {between: [ground, ball], active: false, JOINT}
events:
  catch: {when: "t >= 0.5", fix: hold}
start:
  ball: {velocity: [1, 2, 0], angular_velocity: [0, 0, 3]}
record: ["body.ball.position", "body.ball.velocity", "body.ball.angular_velocity", "joint.*", "energy.*"]
run: {time: 1, step: 0.0025, integrator: trapezoidal}
"""


class GrabAndRelease(ExampleTest):
    def test_what_events_do(self):
        value, run = self.run_series(EXAMPLE)
        self.assertEqual(value["rejected"], 0)
        grab, let_go = run["t"].index(0.9), run["t"].index(1.6)
        # the elbow locks where the chain is stretched, located to round-off, and stays
        lock = next(i for i, x in enumerate(run["joint.elbow.angle"]) if x >= 0)
        self.assertLess(lock, grab)
        for angle in run["joint.elbow.angle"][lock:]:
            self.assertNear(angle, 0, 1e-9, "elbow")
        # one more row than the grid has: the locking step was cut in two
        self.assertEqual(len(run["t"]), 1252)
        # the hand stays where it grabbed, then moves on
        for i in range(grab, let_go + 1):
            for c in "xz":
                self.assertNear(run[f"marker.hand.position.{c}"][i], run[f"marker.hand.position.{c}"][grab],
                                1e-9, "hand")
                self.assertNear(run[f"marker.hand.velocity.{c}"][i], 0, 1e-9, "hand's velocity")
        self.assertGreater(math.hypot(*(run[f"marker.hand.velocity.{c}"][-1] for c in "xz")), 0.1)

    def test_what_impacts_take_is_dissipated(self):
        _, run = self.run_series(EXAMPLE)
        grab = run["t"].index(0.9)
        lost = run["energy.total"][grab - 1] - run["energy.total"][grab]
        booked = run["energy.dissipated"][grab] - run["energy.dissipated"][grab - 1]
        self.assertGreater(lost, 1)
        self.assertNear(booked, lost, 1e-3, "energy of the grab")

    def test_audit_converges(self):
        drift = [abs(self.run_model(EXAMPLE, "--step", h, "--integrator", "trapezoidal")
                     ["energy"]["max_drift_J"]) for h in (0.004, 0.002, 0.001)]
        self.assertOrder(drift, 2, 0.25, "audit")
        # of 15.8 J that friction and impacts take
        self.assertLess(drift[0], 0.01)

    def test_end_converges(self):
        angle = [self.run_model(EXAMPLE, "--step", h)["final"]["joint.shoulder.angle"]
                 for h in (0.004, 0.002, 0.001, 0.0005)]
        self.assertOrder([abs(a - b) for a, b in zip(angle, angle[1:])], 2, 0.25, "shoulder")


class Collision(ExampleTest):
    def test_sticking_impact(self):
        _, run = self.run_series(self.variant(COLLISION), "--integrator", "trapezoidal")
        # caught at 0.35 s: momentum 2 N s over 4 kg; the loss is 1.5 J of 2 J
        i = next(k for k, v in enumerate(run["body.second.velocity.x"]) if v > 0)
        self.assertNear(run["t"][i], 0.35, 1e-9, "time of the impact")
        self.assertNear(run["body.first.velocity.x"][i], 0.5, 1e-9, "velocity")
        self.assertNear(run["body.second.velocity.x"][i], 0.5, 1e-9, "velocity")
        self.assertNear(run["energy.kinetic"][i], 0.5, 1e-9, "energy")
        self.assertNear(run["energy.dissipated"][i], 1.5, 1e-9, "loss")
        # they travel together until 1 s, then the second is braked with 1 m/s^2
        k = run["t"].index(1)
        self.assertNear(run["body.first.position.x"][k], 0.7 + 0.5 * 0.65, 1e-9, "first at 1 s")
        self.assertNear(run["body.first.position.x"][-1], 0.7 + 0.5 * 1.65, 1e-9, "first at 2 s")
        self.assertNear(run["body.second.velocity.x"][-1], 0.5 - 1, 1e-9, "second's velocity")
        self.assertNear(run["body.second.position.x"][-1], 1 + 0.5 * 1.65 - 0.5, 1e-9, "second at 2 s")
        for e in run["energy.balance_error"]:
            self.assertNear(e, 0, 1e-9, "audit")

    def test_fixing_a_joint_that_is_there(self):
        # a spinning bar whose pivot locks: all its energy goes
        text = """\
hooke: 1
bodies: {bar: {mass: 2, com: [0.5, 0, 0], inertia: {zz: 0.1, xx: 0.1, yy: 0.1}}}
joints: {pin: {type: revolute, between: [ground, bar], at: [0, 0, 0], axis: z}}
events: {stop: {when: "t >= 0.5", fix: pin}, go: {when: "t >= 0.8", release: pin}}
start: {pin: {rate: 3}}
run: {time: 1, step: 0.1}
"""
        value, run = self.run_series(self.variant(text))
        i = run["t"].index(0.5)
        self.assertNear(run["joint.pin.angle"][i], 1.5, 1e-12, "angle")
        self.assertNear(run["joint.pin.rate"][i], 0, 1e-12, "rate")
        self.assertNear(value["final"]["joint.pin.angle"], 1.5, 1e-12, "angle at the end")
        self.assertNear(value["energy"]["dissipated_J"], 0.5 * (0.1 + 2 * 0.25) * 9, 1e-9, "loss")
        self.assertNear(value["energy"]["balance_error_J"], 0, 1e-9, "audit")

    def test_an_event_at_the_start(self):
        text = COLLISION.replace("body.first.position.x >= 0.7", "t >= 0")
        value, run = self.run_series(self.variant(text), "--time", 0.5)
        self.assertNear(run["body.second.velocity.x"][0], 0.5, 1e-9, "velocity")
        self.assertNear(value["energy"]["balance_error_J"], 0, 1e-9, "audit")
        self.assertNear(value["energy"]["dissipated_J"], 1.5, 1e-9, "loss")

    def tyre_model(self, stop):
        """a wheel that travels over an edge and is stopped at x = stop; damped so much that it stays on the
        road: the force of a damped tyre jumps at touch-down, which steps of fixed length do not resolve"""
        (self.dir / "road.csv").write_text("x,z\n0,0\n1,0\n1,0.05\n2,0.1\n2.5,0.2\n9,0.2\n")
        return self.variant(f"""\
hooke: 1
gravity: [0, 0, -9.81]
bodies:
  wheel: {{mass: 10, com: [0, 0, 0.5], inertia: {{diagonal: [1, 1, 1]}}}}
joints:
  plane: {{type: planar, between: [ground, wheel], at: [0, 0, 0.5], normal: y}}
  hold: {{type: in_plane, between: [ground, wheel], at: [0, 0, 0.5], normal: x, active: false}}
forces:
  tyre: {{type: tyre, wheel: wheel, radius: 0.5, stiffness: 20000, damping: 900, road: {{table: road.csv}}}}
events:
  stop: {{when: "body.wheel.position.x >= {stop}", fix: hold}}
start:
  body.wheel: {{velocity: [1, 0, 0]}}
record: ["body.wheel.position", "body.wheel.velocity", "force.tyre.*", "energy.*"]
run: {{time: 4, step: 0.002}}
""")

    def test_a_tyre_meets_an_event(self):
        errors = []
        for h in (0.002, 0.001, 0.0005):
            value = self.run_model(self.tyre_model(2.35), "--step", h)
            self.assertNear(value["final"]["body.wheel.position.x"], 2.35, 1e-6, "place")
            self.assertNear(value["final"]["body.wheel.velocity.x"], 0, 1e-9, "speed")
            errors.append(abs(value["energy"]["max_drift_J"]))
        # the kinetic energy of the way is gone
        self.assertGreater(value["energy"]["dissipated_J"], 5)
        self.assertLess(errors[-1], 0.01)

    def test_an_edge_and_an_event_in_one_step(self):
        # the edge lifts 30 J into the tyre: booked once, whichever comes first
        for stop in (1.0003, 1.001, 1.0015):
            value = self.run_model(self.tyre_model(stop))
            self.assertNear(value["final"]["body.wheel.position.x"], stop, 1e-6, "place")
            self.assertNear(value["energy"]["balance_error_J"], 0, 0.1, f"audit, stop at {stop} m")


class SwitchedOn(ExampleTest):
    """Joints that are constraints only hold what they find, along axes of the first body."""

    def flights(self, joint, check):
        model = self.variant(FLIGHT.replace("JOINT", joint))
        for f in FORMULATIONS:
            with self.subTest(joint=joint, formulation=f):
                value, run = self.run_series(model, "--formulation", f)
                self.assertNear(value["energy"]["balance_error_J"], 0, 2e-5, "audit")
                self.assertLess(value["constraint"]["position_max"], 1e-9)
                check(value, run, run["t"].index(0.5))

    def test_a_rope_keeps_the_length_it_then_has(self):
        # caught at (1.5, 1): the velocity along the rope, 3.5/sqrt(3.25), is lost; the rest goes round
        r, turned = math.sqrt(3.25), 2 / 3.25 * 0.5
        end = math.atan2(1, 1.5) + turned

        def check(value, run, i):
            for x in run["joint.hold.length"][i:]:
                self.assertNear(x, r, 1e-6, "length")
            self.assertNear(value["energy"]["dissipated_J"], 3.5**2 / 3.25, 1e-6, "loss")
            self.assertNear(value["final"]["body.ball.position.x"], r * math.cos(end), 1e-6, "x")
            self.assertNear(value["final"]["body.ball.position.y"], r * math.sin(end), 1e-6, "y")

        for length in ("", ", length: 3"):
            self.flights("type: distance, ends: [[0, 0, 0], [1, 0, 0]]" + length, check)

    def test_planes_and_lines_keep_their_direction(self):
        # the ball has turned by 1.5 rad when they catch it
        for joint, v, loss, spin in (("type: in_plane, at: [1, 0, 0], normal: x", (0, 2), 1, 3),
                                     ("type: in_line, at: [1, 0, 0], axis: x", (1, 0), 4, 3),
                                     ("type: general, at: [1, 0, 0], locked: [x]", (0, 2), 1, 3),
                                     ("type: general, at: [1, 0, 0], locked: [x, rx, ry, rz]", (0, 2), 1.09, 0)):
            def check(value, run, i, v=v, loss=loss, spin=spin):
                at = {c: run[f"body.ball.position.{c}"] for c in "xy"}
                self.assertNear(at["x"][i], 1.5, 1e-6, "where it is caught")
                self.assertNear(at["x"][-1], 1.5 + 0.5 * v[0], 1e-6, "x")
                self.assertNear(at["y"][-1], 1 + 0.5 * v[1], 1e-6, "y")
                self.assertNear(value["final"]["body.ball.angular_velocity.z"], spin, 1e-4, "spin")
                self.assertNear(value["energy"]["dissipated_J"], loss, 1e-6, "loss")

            self.flights(joint, check)

    def test_a_rope_let_go_and_caught_again(self):
        text = FLIGHT.replace("active: false, JOINT", "type: distance, ends: [[0, 0, 0], [1, 0, 0]]").replace(
            "events:", 'events:\n  leave: {when: "t >= 0.25", release: hold}')
        for f in FORMULATIONS:
            with self.subTest(formulation=f):
                value, run = self.run_series(self.variant(text), "--formulation", f)
                leave, catch = run["t"].index(0.25), run["t"].index(0.5)
                for x in run["joint.hold.length"][:leave + 1]:
                    self.assertNear(x, 1, 1e-8, "length at first")
                # tangent at 0.25 s with 2 m/s (the start has lost 1 m/s along the rope)
                for x in run["joint.hold.length"][catch:]:
                    self.assertNear(x, math.hypot(1, 0.5), 1e-6, "length after the catch")


if __name__ == "__main__":
    unittest.main()
