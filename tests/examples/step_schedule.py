#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A step that follows a signal of time: where steps end, the order of methods with it, what is refused."""
import math
import unittest

from support import ExampleTest, orders

MODEL = """hooke: 1
gravity: [0, 0, -10]
parameters: {{h: 0.01}}
signals: {{wave: 1 + 0.5*sin(5*t)}}
bodies: {{p: {{mass: 1, com: [0, 0, -1]}}}}
joints: {{j: {{type: revolute, between: [ground, p], at: [0, 0, 0], axis: y}}}}
start: {{j: {{angle: 1}}}}
record: [joint.j.angle, solver.step]
run: {{time: 1, step: {step}, integrator: {integrator}, formulation: hybrid}}
"""


class Schedule(ExampleTest):
    def model(self, step, integrator="trapezoidal"):
        return self.variant(MODEL.format(step=step, integrator=integrator))

    def test_where_steps_end(self):
        value, series = self.run_series(self.model('"if(t < 0.5, 0.01, 0.1)"'))
        self.assertEqual(value["steps"], 55)
        times = series["t"]
        self.assertIn(0.5, times)
        self.assertEqual(times[-1], 1.0)
        for i, t in enumerate(times[1:51]):
            self.assertNear(t, 0.01 * (i + 1), 1e-12)
        for i, t in enumerate(times[51:]):
            self.assertNear(t, 0.6 + 0.1 * i, 1e-12)
        # a table, a longer step at the end than is left, and the command line before the model
        value, series = self.run_series(self.model("{table: [[0, 0.1], [1, 0.3]]}"))
        self.assertNear(series["t"][1], 0.1, 1e-12)
        self.assertNear(series["t"][2], 0.1 + 0.12, 1e-12)
        self.assertEqual(series["t"][-1], 1.0)
        self.assertEqual(self.run_model(self.model("h*wave"), "--step", 0.05)["steps"], 20)

    def test_order(self):
        """steps that change all the time keep the order"""
        exact = self.run_model(self.model(1e-4))["final"]["joint.j.angle"]
        for integrator in ("trapezoidal", "hht", "newmark"):
            errors = []
            for h in (0.02, 0.01, 0.005):
                final = self.run_model(self.model("h*wave", integrator), "--set", f"h={h}")["final"]
                errors.append(abs(final["joint.j.angle"] - exact))
            self.assertLess(errors[-1], 1e-2)
            self.assertGreater(min(orders(errors)), 0.9 if integrator in ("hht", "newmark") else 1.8, integrator)

    def test_resumed(self):
        """a run that goes on from a checkpoint takes the same steps"""
        model, kept = self.model('"if(t < 0.3, 0.01, 0.02)"'), self.dir / "kept"
        whole = self.run_model(model)
        self.run_model(model, "--time", 0.6, "--checkpoint", kept)
        found = self.run_model(model, "--resume", kept)
        self.assertNear(found["final"]["joint.j.angle"], whole["final"]["joint.j.angle"], 1e-10)

    def test_refused(self):
        for step, code, words in (("0.01 + 0*body.p.position.x*t", 3, "must be a number or a function of time"),
                                  ("-0.01 + t", 3, "must be positive, found -0.01 at the start"),
                                  ("0.1 - t", 5, "'run.step' is"), ("0", 3, "must be positive, found 0"),
                                  ("h*wav", 3, "'wave'")):
            self.assertIn(words, self.command("run", self.model(step), code=code).stderr, step)
        found = self.command("run", self.model("h*wave", "dopri5") , "--option", "step_control=error", code=3)
        self.assertIn("'step' follows a signal, but the error", found.stderr)


class Relative(ExampleTest):
    """channels of a marker seen from a body and from a frame"""

    def test_seen_from_a_turning_body(self):
        text = """hooke: 1
frames: {fixed: {at: [1, 0, 0], rotate: {axis: z, angle: 90*deg}}}
bodies:
  disc: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  slider: {mass: 1, com: [2, 0, 0], inertia: [1, 1, 1]}
joints:
  axis: {type: revolute, between: [ground, disc], at: [0, 0, 0], axis: z, motion: {angle: 3*t}}
  rail: {type: prismatic, between: [disc, slider], at: [2, 0, 0], axis: x, motion: {position: 0.5*t}}
markers:
  a: {on: slider, at: [2, 0, 0], relative_to: disc}
  b: {on: slider, at: [2, 0, 0], relative_to: fixed}
  c: {on: slider, at: [2, 0, 0]}
record: [marker.*]
run: {time: 0.4, step: 0.01, formulation: hybrid}
"""
        final = self.run_model(self.variant(text))["final"]
        r, turn = 2.2, 1.2

        def vector(name):
            return [final[f"marker.{name}.{x}"] for x in "xyz"]
        v = (0.5 * math.cos(turn) - 3 * r * math.sin(turn), 0.5 * math.sin(turn) + 3 * r * math.cos(turn), 0)
        expected = {"a.relative_position": (r, 0, 0), "a.relative_velocity": (0.5, 0, 0),
                    "a.relative_angular_velocity": (0, 0, 0),
                    "b.relative_position": (r * math.sin(turn), 1 - r * math.cos(turn), 0),
                    "b.relative_velocity": (v[1], -v[0], 0), "b.relative_angular_velocity": (0, 0, 3)}
        for name, value in expected.items():
            for x, e in zip(vector(name), value):
                self.assertNear(x, e, 1e-9, name)
        self.assertNear(final["marker.b.angles_zyx.yaw"], turn - math.pi / 2, 1e-9)
        self.assertNotIn("marker.c.relative_position.x", final)
        # a force may read them
        text = text.replace("record:", "forces: {f: {type: force, on: disc, value: [marker.a.relative_velocity.x, 0, 0]}}\nrecord:")
        for formulation in ("hybrid", "global", "redundant"):
            value = self.run_model(self.variant(text), "--formulation", formulation)
            self.assertNear(value["final"]["marker.a.relative_velocity.x"], 0.5, 1e-6, formulation)

    def test_refused(self):
        model = self.variant("hooke: 1\nbodies: {b: {mass: 1, com: [0, 0, 0]}}\n"
                             "markers: {m: {on: b, at: [0, 0, 0], relative_to: c}}\nrun: {time: 1, step: 1}\n")
        self.assertIn("there is no body 'c'", self.command("check", model, code=3).stderr)


if __name__ == "__main__":
    unittest.main()
