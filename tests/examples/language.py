#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What models may say that no example says: point masses, half-prescribed joints, roads by file name, records of
things that are not there; and what a run says when a signal jumps or has no value."""
import math
import unittest

from support import ExampleTest

FORMULATIONS = ("hybrid", "recursive", "topological", "global")


class PointMasses(ExampleTest):
    """missing inertia means a point mass: it needs no rotation to move"""

    def model(self, joints="", extra="", com="[0.6, 0, -0.8]"):
        return self.variant(f"hooke: 1\ngravity: [0, 0, -10]\nbodies: {{p: {{mass: 2, com: {com}}}}}\n"
                            f"joints: {{{joints}}}\n{extra}\nrun: {{time: 0.5, step: 0.005}}\n")

    def test_a_free_one_falls(self):
        model = self.model(extra="start: {p: {velocity: [1, 0, 0]}}")
        for formulation in FORMULATIONS:
            value = self.run_model(model, "--formulation", formulation)
            self.assertEqual(value["dof"], 3, formulation)
            self.assertNear(value["final"]["body.p.position.z"], -0.8 - 1.25, 1e-12, formulation)
            self.assertNear(value["final"]["body.p.position.x"], 0.6 + 0.5, 1e-12, formulation)
        plane = self.variant(model.read_text().replace("gravity", "planar: xz\ngravity", 1))
        self.assertEqual(self.run_model(plane)["dof"], 2)

    def test_on_a_ball_it_is_a_pendulum(self):
        pin = self.run_model(self.model("j: {type: revolute, between: [ground, p], at: [0, 0, 0], axis: y}"))
        for joint in ("j: {type: spherical, between: [ground, p], at: [0, 0, 0]}",
                      "j: {type: distance, between: [ground, p], ends: [[0, 0, 0], [0.6, 0, -0.8]]}"):
            for formulation in FORMULATIONS:
                value = self.run_model(self.model(joint), "--formulation", formulation)
                self.assertEqual(value["dof"], 2, joint)
                for axis in "xz":
                    name = f"body.p.position.{axis}"
                    self.assertNear(value["final"][name], pin["final"][name], 1e-4, f"{joint} {formulation}")

    def test_springs_at_the_mass_do_not_turn_it(self):
        value = self.run_model(self.model(extra="forces: {s: {type: spring_damper, between: [ground, p], "
                                                "ends: [[0.6, 0, 0], [0.6, 0, -0.8]], stiffness: 800, length: 0.8}}"))
        omega = math.sqrt(800 / 2)
        self.assertNear(value["final"]["body.p.position.z"], -0.8 - 20 / 800 * (1 - math.cos(0.5 * omega)), 1e-3)

    def test_what_turns_it_is_refused(self):
        for force in ("{type: torque, on: p, value: [0, 1, 0]}",
                      "{type: force, on: p, at: [0.7, 0, -0.8], value: [0, 0, 1]}"):
            result = self.command("run", self.model(extra=f"forces: {{f: {force}}}"), code=4)
            self.assertIn("no mass resists", result.stderr)

    def test_what_nothing_determines_is_refused(self):
        """a massless rod that swings freely: the same words from every formulation, in a tree and beside a loop"""
        arm = "{mass: 1, com: [0.5, 0, 0], inertia: {diagonal: [0.1, 0.1, 0.1]}}"
        for loop in ("", "d: {type: in_plane, between: [ground, c], at: [1, 0, -1], normal: z}"):
            model = self.variant(f"""hooke: 1
bodies: {{a: {arm}, c: {arm}, rod: {{mass: 0, com: [1, 0, 0]}}}}
joints:
  a: {{type: revolute, between: [ground, a], at: [0, 0, 0], axis: y}}
  r: {{type: revolute, between: [a, rod], at: [1, 0, 0], axis: y}}
  b: {{type: revolute, between: [a, c], at: [1, 0, 0], axis: y}}
  {loop}
run: {{time: 0.1, step: 0.01}}
""")
            for formulation in self.command("list", "formulations", "--names").stdout.split():
                result = self.command("run", model, "--formulation", formulation, code=4)
                self.assertIn("no mass resists coordinate 1 of joint 'r'", result.stderr, formulation)

    def test_the_doctor_says_so(self):
        text = self.command("check", self.model()).stdout
        self.assertRegex(text, r"note\s+body 'p' is a point mass")


class Motions(ExampleTest):
    def model(self, joint, extra=""):
        return self.variant("hooke: 1\nbodies: {b: {mass: 1, com: [1, 0, 0], inertia: {diagonal: [1, 2, 2.5]}}}\n"
                            f"joints: {{j: {{between: [ground, b], at: [0, 0, 0], {joint}}}}}\n{extra}\n"
                            "run: {time: 0.5, step: 0.01}\n")

    def test_half_a_universal_joint(self):
        model = self.model("type: universal, axis: x, axis2: y, motion: {angles: [sin(t), null]}")
        value, run = self.run_series(model)
        self.assertEqual((value["dof"], value["constraints"]), (1, 1))
        for t, a in zip(run["t"], run["joint.j.angles.a"]):
            self.assertNear(a, math.sin(t), 1e-12)

    def test_locked_axes_in_a_list_may_have_signals(self):
        model = self.model("type: general, locked: [x, {y: 0.1*sin(5*t)}, z, rx, ry, rz]")
        value, run = self.run_series(model)
        self.assertEqual(value["dof"], 0)
        for t, y in zip(run["t"], run["body.b.position.y"]):
            self.assertNear(y, 0.1 * math.sin(5 * t), 1e-12)

    def test_an_axis_is_locked_once(self):
        result = self.command("run", self.model("type: general, locked: [x, x]"), code=3)
        self.assertIn("axis 'x' is locked twice", result.stderr)

    def test_a_jump_is_refused(self):
        for signal in ("0.5*step(t - 0.2)", "if(t < 0.2, 0, 0.5)"):
            model = self.model(f"type: revolute, axis: y, motion: {{angle: '{signal}'}}")
            value = self.run_model(model, code=5)
            self.assertRegex(value["message"], r"joint 'j', motion of angle jumps by 0\.5 at t = 0\.2 s")
        # a kink is none
        model = self.model("type: revolute, axis: y, motion: {angle: ramp(t - 0.2)}")
        self.assertNear(self.run_model(model)["final"]["joint.j.angle"], 0.3, 1e-12)

    def test_a_joint_is_switched_on_where_its_motion_is(self):
        joint = "type: revolute, axis: y, active: false, motion: {{angle: {}}}"
        events = "events: {on: {when: t >= 0.2, fix: j}}"
        value = self.run_model(self.model(joint.format("1 + t"), events), code=5)
        self.assertIn("motion of angle jumps by 1.2", value["message"])
        value = self.run_model(self.model(joint.format("t - 0.2"), events))
        self.assertNear(value["final"]["joint.j.angle"], 0.3, 1e-9)


class Numbers(ExampleTest):
    BODY = ("hooke: 1\nbodies: {b: {mass: 1, com: [0, 0, 0.5]}}\n"
            "joints: {p: {type: prismatic, between: [ground, b], axis: z}}\nrun: {time: 0.5, step: 0.01}\n")

    def test_the_signal_without_a_value_is_named(self):
        for text, what in (("sqrt(0.2 - t)", "not a number"), ("1/(0.2 - t)", "infinite")):
            model = self.variant(self.BODY + f"forces: {{f: {{type: joint_force, joint: p, value: '{text}'}}}}\n")
            value = self.run_model(model, code=5)
            self.assertRegex(value["message"], rf"'force\.f\.value' \(.*variant\.yaml:5:\d+\) is {what} at t = 0\.2")

    def test_one_that_only_is_recorded_does_no_harm(self):
        model = self.variant(self.BODY + "signals: {s: 'sqrt(0.2 - t)'}\nrecord: [signal.s]\n")
        self.assertIsNone(self.run_model(model)["final"]["signal.s"])

    def test_a_start_without_a_value(self):
        for text, what in (("log(t)", "infinite"), ("sqrt(t - 1)", "not a number")):
            model = self.variant(self.BODY + f"forces: {{f: {{type: joint_force, joint: p, value: '{text}'}}}}\n")
            self.assertRegex(self.command("run", model, code=4).stderr,
                             rf"'force\.f\.value' \(.*variant\.yaml:5:\d+\) is {what} at t = 0 s")
        model = self.variant(self.BODY.replace("mass: 1", "mass: 1e99") + "gravity: [0, 0, -1e250]\n")
        self.assertIn("numbers are out of range", self.command("run", model, code=4).stderr)

    def test_axes_of_any_length(self):
        for size in ("1e200", "1e-200", "3"):
            model = self.variant(self.BODY.replace("axis: z", f"axis: [0, 0, {size}]") + "gravity: [0, 0, -1]\n")
            self.assertNear(self.run_model(model)["final"]["joint.p.position"], -0.125, 1e-12, size)

    def test_too_many_steps(self):
        model = self.variant(self.BODY.replace("step: 0.01", "step: 1e-300"))
        self.assertRegex(self.command("run", model, code=3).stderr, r"variant\.yaml:4:\d+: error: .* steps are too many")
        self.command("run", model, "--step", "1e-200", code=2)

    def test_switches(self):
        result = self.command("run", self.variant(self.BODY.replace("run: {", "run: {substeps: maybe, ")), code=3)
        self.assertIn("'substeps' must be on or off", result.stderr)


class Words(ExampleTest):
    BODY = "hooke: 1\nbodies: {b: {mass: 1, com: [0, 0, 0.5]}}\nrun: {time: 0.1, step: 0.01}\n"

    def test_records_of_nothing(self):
        model = self.variant(self.BODY + "record: [body.*.position, joint.*, force.*.length, marker.*, signal.*]\n")
        self.assertEqual(sorted(self.run_model(model)["final"]), [f"body.b.position.{c}" for c in "xyz"])
        # but a name that could be meant is a mistake
        for glob in ("joint.pin.angle", "bdy.*", "body.c.*"):
            self.command("run", self.variant(self.BODY + f"record: [{glob}]\n"), code=3)

    def test_a_road_by_the_name_of_its_file(self):
        (self.dir / "road.csv").write_text("x,z\n-1,0\n1,0.2\n", encoding="utf-8")
        tyre = "forces: {{t: {{type: tyre, wheel: b, centre: [0, 0, 0.5], radius: 0.5, stiffness: 1e3, road: {}}}}}\n"
        named, table = (self.run_model(self.variant(self.BODY + tyre.format(road)))["final"]
                        for road in ("road.csv", "{table: road.csv}"))
        self.assertEqual(named, table)
        self.assertGreater(named["body.b.position.z"], 0.5)
        self.assertIn("none.csv", self.command("run", self.variant(self.BODY + tyre.format("none.csv")), code=6).stderr)


if __name__ == "__main__":
    unittest.main()
