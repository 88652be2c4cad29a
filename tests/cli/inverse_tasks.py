#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke inverse` with tasks: torques of driven runs on mechanisms with loops, torques that are played back, redundant arms
with costs, actuators elsewhere, and what cannot be done."""
import csv
import json
import math
import re
import unittest

from support import FEW, SOURCE, CommandTest

EXAMPLES = SOURCE / "examples"
# mechanisms with loops: the joint that is moved, where it stands in the file, how it moves, end and step
LOOPS = (("andrews.yaml", "beta", "K1], at: O, axis: z, zero: beta", "-0.0617138900142764496 + 40*t + 3e4*t^2", 0.003, 0.0002),
         ("spatial-four-bar.yaml", "pin_A0", "crank],   at: A0, axis: y", "3*t + 0.4*sin(5*t)", 0.2, 0.02),
         ("double-four-bar.yaml", "pin_A0", "left],     at: A0, axis: z", "0.3*sin(4*t)", 0.2, 0.02),
         ("bricard.yaml", "pin1", "rod1], at: P1, axis: y", "0.4*sin(3*t)", 0.2, 0.02),
         ("slider-crank-driven.yaml", "crank", None, None, 0.1, 0.01),
         ("five-bar-robot.yaml", "left", None, None, 0.1, 0.01))
# two links in a plane, and more of them
ARM = """hooke: 1
gravity: [0, -9.81, 0]
planar: xy
bodies:
  a: {mass: 2, com: [0.5, 0, 0], inertia: {zz: 0.1}}
  b: {mass: 1, com: [1, 0.5, 0], inertia: {zz: 0.08}}
  c: {mass: 0.5, com: [1.2, 1, 0], inertia: {zz: 0.02}}
markers: {P: {on: c, at: [1.5, 1, 0]}, elbow: {on: b, at: [1, 1, 0]}}
signals: {x: "1.5 - 0.3*sin(2*t)^2", y: "1 + 0.2*sin(3*t)"}
joints:
  ja: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}
  jb: {type: revolute, between: [a, b], at: [1, 0, 0], axis: z}
  jc: {type: revolute, between: [b, c], at: [1, 1, 0], axis: z}
record: ["joint.*.angle", "joint.*.rate", "marker.*.position"]
run: {time: 1, step: 0.02}
"""
POINT = "tip: {marker: P, position: [x, y, null]}"


def read(path):
    rows = list(csv.reader(path.read_text().splitlines()))
    return {name: [float(r[i]) for r in rows[1:]] for i, name in enumerate(rows[0])}


def rotation_vector(w, x, y, z):
    size = math.sqrt(x * x + y * y + z * z)
    angle = 2 * math.atan2(size, w)
    return [angle * c / size if size else 0.0 for c in (x, y, z)]


class Tasks(CommandTest):
    def write(self, name, text):
        (self.dir / name).write_text(re.sub(r"([\w-]+\.csv)", lambda m: str(EXAMPLES / m[1]) if (EXAMPLES / m[1]).exists() else m[1], text))

    def table(self, *args, output="out.csv"):
        self.hooke(*args, "--quiet", "--output", output)
        return read(self.dir / output)

    def test_torques_are_those_of_the_drives(self):
        """on mechanisms with loops, of motions and of the same motions as tasks, to 1e-9"""
        for name, joint, where, motion, end, step in LOOPS[:2] if FEW else LOOPS:
            text = re.sub(r"\nstart:(\n  .*)*", "\n", (EXAMPLES / name).read_text())
            text = text.replace("record: [", f'record: ["joint.{joint}.*", ')
            if where:
                self.assertIn(where, text)
                self.write("driven.yaml", text.replace(where, f'{where}, motion: {{angle: "{motion}"}}'))
                task = f'turn: {{value: joint.{joint}.angle, equals: "{motion}"}}'
                self.write("task.yaml", f"{text}\ninverse: {{tasks: {{{task}}}, actuators: [{joint}]}}\n")
            else:
                self.write("driven.yaml", text)
            time = ("--time", str(end), "--step", str(step))
            drive = self.table("run", "driven.yaml", *time)[f"joint.{joint}.drive"]
            found = [self.table("inverse", "driven.yaml", *time)]
            found += [self.table("inverse", "task.yaml", *time)] if where else []
            size = max(map(abs, drive))
            self.assertGreater(size, 1e-3)
            for values in found:
                torque = next(v for k, v in values.items() if k.startswith(f"actuator.{joint}."))
                self.assertEqual(len(torque), len(drive))
                for a, b in zip(torque, drive):
                    self.assertLess(abs(a - b), 1e-9 * size, name)

    def replay(self, base, joints, found, step, integrator, name="replay.yaml"):
        """the model with torques as table signals, from the first positions and rates"""
        signals = "".join(f"  tau_{j}: {{table: tau.csv, column: actuator.{j}.angle.value, interpolation: spline}}\n" for j in joints)
        forces = "".join(f"  tau_{j}: {{type: joint_torque, joint: {j}, value: tau_{j}}}\n" for j in joints)
        start = "".join(f"  {j}: {{angle: {found[f'joint.{j}.angle'][0]!r}, rate: {found[f'joint.{j}.rate'][0]!r}}}\n" for j in joints)
        text = base.replace("signals:", "signals:\n" + signals + "#", 1) if "signals:\n" in base else base + "signals:\n" + signals
        self.write(name, text + "forces:\n" + forces + "start:\n" + start)
        return self.table("run", name, "--step", step, "--integrator", integrator, output="played.csv")

    def follows(self, base, joints, section, end, steps, integrator):
        """largest error of the angles at the end, for each step"""
        base = base.replace("TIME", end)
        self.write("model.yaml", base + section)
        errors = []
        for step in steps:
            found = self.table("inverse", "model.yaml", "--time", end, "--step", step, output="tau.csv")
            played = self.replay(base, joints, found, step, integrator)
            errors.append(max(abs(played[f"joint.{j}.angle"][-1] - found[f"joint.{j}.angle"][-1]) for j in joints))
        return errors

    def test_played_back_at_the_order_of_the_integrator(self):
        base = ARM.replace("signals: {x", "signals:\n  x").replace(', y: "', '\n  y: "').replace('sin(3*t)"}', 'sin(3*t)"').replace("time: 1,", "time: TIME,")
        costs = "ergonomy: {k1: {joint: ja, stiffness: 2}, k2: {joint: jc, stiffness: 1, zero: 0.3}}"
        section = f"inverse: {{tasks: {{{POINT}}}, {costs}}}\n"
        errors = self.follows(base, ("ja", "jb", "jc"), section, "0.4", ("0.02", "0.01"), "trapezoidal")
        self.assertLess(errors[0], 1e-2)
        self.assertGreater(errors[0], 1e-6)
        self.assertLess(abs(errors[0] / errors[1] - 4), 0.6, errors)

    def test_puma(self):
        """position and rotation of the hand: torques played back follow the path to 1e-6"""
        joints = [f"joint{i}" for i in range(1, 7)]
        head = f"hooke: 1\ninclude: [{EXAMPLES / 'puma/arm.yaml'}]\nmarkers: {{tool: {{on: hand, at: hand, axes: link6}}}}\n"
        run = 'record: ["joint.joint*.angle", "joint.joint*.rate", "marker.tool.position", "body.hand.orientation"]\nrun: {time: TIME, step: 0.005}\n'
        (self.dir / "start.yaml").write_text((head + run).replace("TIME", "1e-9"))
        at = json.loads(self.hooke("run", "start.yaml", "--step", "1e-9", "--json").stdout)["final"]
        p = [at[f"marker.tool.position.{x}"] for x in "xyz"]
        r = rotation_vector(*(at[f"body.hand.orientation.{x}"] for x in "wxyz"))
        section = (f'inverse: {{tasks: {{hand: {{marker: tool, position: ["{p[0]!r} - 0.1*t^3", "{p[1]!r} + 0.2*t^3", "{p[2]!r} + 0.1*t^3"], '
                   f'rotation: ["{r[0]!r} + 0.3*t^3", "{r[1]!r}", "{r[2]!r} - 0.2*t^3"]}}}}}}\n')
        base = head + run
        end = "0.5"
        self.write("model.yaml", base.replace("TIME", end) + section)
        value = json.loads(self.hooke("inverse", "model.yaml", "--json").stdout)
        self.assertEqual((value["freedoms"]["tasks"], value["actuation"]), (6, "fully"))
        found = self.table("inverse", "model.yaml", output="tau.csv")
        # the path is that of the task
        for i, x in enumerate("xyz"):
            wanted = p[i] + (-0.1, 0.2, 0.1)[i] * 0.125
            self.assertLess(abs(found[f"marker.tool.position.{x}"][-1] - wanted), 1e-10)
        turned = rotation_vector(*(found[f"body.hand.orientation.{x}"][-1] for x in "wxyz"))
        for i, d in enumerate((0.0375, 0.0, -0.025)):
            self.assertLess(abs(turned[i] - r[i] - d), 1e-9)
        played = self.replay(base.replace("TIME", end), joints, found, "0.005", "dopri5")
        for key in [f"joint.{j}.angle" for j in joints] + [f"marker.tool.position.{x}" for x in "xyz"]:
            for a, b in zip(found[key], played[key]):
                self.assertLess(abs(a - b), 1e-6, key)

    @unittest.skipIf(FEW, "long under sanitizers; check-all has it there")
    def test_other_actuators_of_a_parallel_robot(self):
        """3-RRR: torques at the platform instead of the base do the same work and follow the same path"""
        path = EXAMPLES / "three-rrr.yaml"
        base = json.loads(self.hooke("inverse", path, "--json").stdout)
        self.assertEqual((base["freedoms"]["all"], base["freedoms"]["tasks"], base["actuation"]), (3, 3, "fully"))
        first = self.table("inverse", path, "--time", "0.5")
        work = {}
        for actuators in (("hip1", "hip2", "hip3"), ("ankle1", "hip2", "knee3"), ("ankle1", "knee2", "knee3"), ("hip1", "hip2", "hip3", "knee1")):
            found = self.table("inverse", path, "--time", "0.5", *(w for a in actuators for w in ("--actuator", a)))
            work[actuators] = [sum(found[f"actuator.{a}.angle.value"][k] * found[f"joint.{a}.rate"][k] for a in actuators) for k in range(len(found["t"]))]
            for key in ("body.platform.position.x", "joint.knee2.angle"):
                self.assertLess(max(abs(a - b) for a, b in zip(found[key], first[key])), 1e-12)
        size = max(map(abs, work["hip1", "hip2", "hip3"]))
        for values in work.values():
            for a, b in zip(values, work["hip1", "hip2", "hip3"]):
                self.assertLess(abs(a - b), 1e-8 * size)
        over = json.loads(self.hooke("inverse", path, *"--actuator hip1 --actuator hip2 --actuator hip3 --actuator knee1".split(), "--json").stdout)
        self.assertEqual(over["actuation"], "over")
        under = json.loads(self.hooke("inverse", path, "--actuator", "hip1", "--actuator", "hip2", "--json", code=5).stdout)
        self.assertIn("2 actuators act on 2 of 3 freedoms", under["message"])
        # three knees cannot turn the platform of legs that are all alike
        singular = json.loads(self.hooke("inverse", path, *"--actuator knee1 --actuator knee2 --actuator knee3".split(), "--json", code=5).stdout)
        self.assertIn("3 actuators act on 2 of 3 freedoms", singular["message"])

    def test_costs_have_a_closed_form(self):
        """without gravity of tasks: the posture that springs want, the least kinetic energy, references"""
        section = f"inverse: {{tasks: {{{POINT}}}, ergonomy: {{k: {{joint: jc, stiffness: 3, zero: 0.2}}}}}}\n"
        self.write("arm.yaml", ARM + section)
        value = json.loads(self.hooke("inverse", "arm.yaml", "--json").stdout)
        self.assertEqual([value["freedoms"][k] for k in ("all", "tasks", "costs", "metric")], [3, 2, 1, 0])
        # one spring and one freedom: its joint stays where it costs nothing
        found = self.table("inverse", "arm.yaml")
        for angle, rate in zip(found["joint.jc.angle"], found["joint.jc.rate"]):
            self.assertLess(abs(angle - 0.2) + abs(rate), 1e-9)
        # the same as an expression, and as a spring of the model
        texts = (f"inverse: {{tasks: {{{POINT}}}, ergonomy: {{k: {{value: (joint.jc.angle - 0.2)^2}}}}}}\n",
                 f"forces: {{s: {{type: joint_spring, joint: jc, stiffness: 4, zero: 0.2}}}}\ninverse: {{tasks: {{{POINT}}}, ergonomy: {{k: {{spring: s}}}}}}\n")
        for text in texts:
            self.write("other.yaml", ARM + text)
            other = self.table("inverse", "other.yaml")
            for key in ("joint.ja.angle", "joint.jb.rate"):
                self.assertLess(max(abs(a - b) for a, b in zip(found[key], other[key])), 1e-8, text)
        # a spring pulls at the end of a range, whose cost k/2 m^2 x^4 holds it: 2 k m x^3 = stiffness (zero - s)
        self.write("range.yaml", ARM + f"inverse: {{tasks: {{{POINT}}}, ergonomy: {{r: {{joint: jc, range: [-1, 0.4], margin: 0.2, "
                   "stiffness: 100}, k: {joint: jc, stiffness: 3, zero: 1}}}\n")
        for s in self.table("inverse", "range.yaml")["joint.jc.angle"]:
            self.assertLess(abs(2 * 100 * 0.2 * ((s - 0.2) / 0.2) ** 3 - 3 * (1 - s)), 1e-7)

    def test_least_kinetic_energy(self):
        """without costs: rates are those of least kinetic energy, and halving the step changes little; differences are near"""
        self.write("arm.yaml", ARM + f"inverse: {{tasks: {{{POINT}}}}}\n")
        value = json.loads(self.hooke("inverse", "arm.yaml", "--json").stdout)
        self.assertEqual([value["freedoms"][k] for k in ("tasks", "costs", "metric")], [2, 0, 1])
        ends = [self.table("inverse", "arm.yaml", "--step", step)["joint.jc.angle"][-1] for step in ("0.04", "0.02", "0.01")]
        self.assertLess(abs(ends[1] - ends[2]), 0.3 * abs(ends[0] - ends[1]) + 1e-9)
        found = self.table("inverse", "arm.yaml", "--step", "0.01")
        # in the drawing: no part of the rates along n, which does not move the tip, in the mass metric
        joints, n = ((0, 0), (1, 0), (1, 1)), (1, -1, -2)
        momentum = 0.0
        for mass, inertia, x, y, moves in ((2, 0.1, 0.5, 0, 1), (1, 0.08, 1, 0.5, 2), (0.5, 0.02, 1.2, 1, 3)):
            def motion(rates):
                w = sum(rates[:moves])
                return [w, sum(-r * (y - b) for r, (a, b) in list(zip(rates, joints))[:moves]),
                        sum(r * (x - a) for r, (a, b) in list(zip(rates, joints))[:moves])]
            first, second = motion([found[f"joint.{j}.rate"][0] for j in ("ja", "jb", "jc")]), motion(n)
            momentum += inertia * first[0] * second[0] + mass * (first[1] * second[1] + first[2] * second[2])
        self.assertLess(abs(momentum), 1e-9)
        self.assertGreater(abs(found["joint.ja.rate"][0]), 0.01)
        q, v, h = found["joint.ja.angle"], found["joint.ja.rate"], 0.01
        for i in range(2, len(q) - 2):
            slope = (q[i - 2] - 8 * q[i - 1] + 8 * q[i + 1] - q[i + 2]) / (12 * h)
            self.assertLess(abs(slope - v[i]), 1e-4)
        self.write("near.yaml", ARM + f"inverse: {{tasks: {{{POINT}}}, rates: differences}}\n")
        near = self.table("inverse", "near.yaml", "--step", "0.01")
        for x, y in zip(found["marker.P.position.x"], near["marker.P.position.x"]):
            self.assertLess(abs(x - y), 1e-9)

    def test_every_formulation(self):
        """torques of a driven mechanism with loops, at elbows"""
        path, finals = EXAMPLES / "five-bar-robot.yaml", []
        actuators = ("--actuator", "elbow1", "--actuator", "elbow2", "--time", "0.05")
        for f in ("hybrid", "redundant") if FEW else ("hybrid", "global", "topological", "recursive", "partition", "redundant"):
            finals.append(json.loads(self.hooke("inverse", path, "-f", f, *actuators, "--json").stdout)["final"])
        for final in finals[1:]:
            for name, value in final.items():
                self.assertLess(abs(value - finals[0][name]), 1e-9, name)
        # joints that bind velocities alone have no positions for tasks
        self.write("sleigh.yaml", (EXAMPLES / "snakeboard.yaml").read_text() +
                   "\ninverse: {tasks: {go: {value: body.board.position.x, equals: 0}}}\n")
        self.assertIn("binds velocities alone", self.hooke("inverse", "sleigh.yaml", code=3).stderr)

    def test_axis_that_turns(self):
        """the tool points where it shall; rates are slopes of the angles; an axis that ends the other way round is said"""
        text = (EXAMPLES / "redundant-arm.yaml").read_text()
        self.write("arm.yaml", text.replace("axis: [0, 0, -1]", 'axis: ["sin(0.2*t)", "0.2*sin(t)", "-cos(0.2*t)"]'))
        found = self.table("inverse", "arm.yaml", "--time", "0.2" if FEW else "1", "--step", "0.02")
        for i, t in enumerate(found["t"]):
            w, x, y, z = (found[f"body.hand.orientation.{c}"][i] for c in "wxyz")
            d = (math.sin(0.2 * t), 0.2 * math.sin(t), -math.cos(0.2 * t))
            axis = (-2 * (x * z + w * y), -2 * (y * z - w * x), 2 * (x * x + y * y) - 1)
            for a, b in zip(axis, d):
                self.assertLess(abs(a - b / math.hypot(*d)), 1e-10)
        for j in range(1, 8):
            q, v = found[f"joint.j{j}.angle"], found[f"joint.j{j}.rate"]
            for i in range(3, len(q) - 3):
                slope = (45 * (q[i + 1] - q[i - 1]) - 9 * (q[i + 2] - q[i - 2]) + q[i + 3] - q[i - 3]) / (60 * 0.02)
                self.assertLess(abs(slope - v[i]), 1e-6)
        if FEW:
            return
        self.write("arm.yaml", text.replace("axis: [0, 0, -1]", 'axis: ["sin(0.5*t)", "0.2*sin(t)", "-cos(0.5*t)"]'))
        self.assertIn("the other way round", self.hooke("inverse", "arm.yaml", "--step", "0.01", code=5).stderr)

    def test_motions_and_tasks(self):
        """a prescribed joint beside a task and a cost: each fixes one freedom"""
        text = ARM.replace("at: [0, 0, 0], axis: z}", 'at: [0, 0, 0], axis: z, motion: {angle: "0.1*sin(2*t)"}}', 1)
        self.write("arm.yaml", text + "inverse: {tasks: {tip: {marker: P, position: [null, y, null]}}, ergonomy: {k: {joint: jc}}, actuators: [ja, jb, jc]}\n")
        value = json.loads(self.hooke("inverse", "arm.yaml", "--json").stdout)
        self.assertEqual([value["freedoms"][k] for k in ("motions", "tasks", "costs", "metric")], [1, 1, 1, 0])
        found = self.table("inverse", "arm.yaml")
        for t, angle, y in zip(found["t"], found["joint.ja.angle"], found["marker.P.position.y"]):
            self.assertLess(abs(angle - 0.1 * math.sin(2 * t)) + abs(y - 1 - 0.2 * math.sin(3 * t)), 1e-10)

    @unittest.skipIf(FEW, "long under sanitizers; check-all has it there")
    def test_obstacle(self):
        """the smallest distance of the elbow grows with the weight of the obstacle; tool and axis stay"""
        path, gaps, tips = EXAMPLES / "redundant-arm.yaml", [], []
        for avoid in (0, 1500, 5000):
            found = self.table("inverse", path, "--set", f"avoid={avoid}", "--step", "0.05", *(("--time", "2") if FEW else ()))
            gaps.append(min(found["signal.gap"]))
            tips.append(found["marker.tip.position.y"])
        self.assertGreater(gaps[1], gaps[0] + 0.03)
        self.assertGreater(gaps[2], gaps[1] + 0.03)
        self.assertLess(max(abs(a - b) for a, b in zip(tips[0], tips[2])), 1e-10)
        value = json.loads(self.hooke("inverse", path, "--json").stdout)
        self.assertEqual([value["freedoms"][k] for k in ("all", "tasks", "costs", "metric", "actuated")], [7, 5, 2, 0, 7])
        # the doctor says the same
        doctor = json.loads(self.hooke("check", path, "--json").stdout)
        self.assertEqual((doctor["freedoms"], doctor["actuation"]), (value["freedoms"], "fully"))
        self.assertIn("7: 5 by tasks, 2 by costs", self.hooke("check", path).stdout)
        # every formulation that can have the model gives the same answer
        finals = [json.loads(self.hooke("inverse", path, "--time", "0.2", "-f", f, "--json").stdout)["final"] for f in ("hybrid", "redundant")]
        self.assertEqual(finals[0], finals[1])
        if not FEW:
            self.hooke("inverse", path, "--step", "0.2", "--output", "arm.nc", "--report", "arm.html")
            self.assertIn("<html", (self.dir / "arm.html").read_text()[:200])

    def test_what_cannot_be(self):
        same = "same: {marker: P, position: [1.4, null, null]}"
        joint = 'turn: {value: joint.ja.angle, equals: 0}, turn2: {value: 2*joint.ja.angle, equals: 0.1}'
        for section, code, words in (
                (f"tasks: {{{POINT}, {same}}}", 3, "contradicts other tasks"),
                (f"tasks: {{{joint}}}", 3, "contradicts other tasks"),
                ("tasks: {tip: {marker: P, position: [4, 0, null]}}", 4, "task 'tip' cannot be done at 0 s"),
                ('tasks: {tip: {marker: P, position: ["1.5 + 2*t", 1, null]}}', 5, "task 'tip' cannot be done"),
                (f"tasks: {{{POINT}}}, actuators: [ja, jb]", 5, "cannot give this motion"),
                ("tasks: {tip: {marker: Q, position: [1, 1, 0]}}", 3, "no marker 'Q'"),
                ("tasks: {tip: {marker: P}}", 3, "needs a marker with position"),
                ("tasks: {tip: {marker: P, position: [joint.ja.angle, 1, 0]}}", 3, "function of time"),
                ("tasks: {tip: {value: joint.ja.rate, equals: 1}}", 3, "no positions"),
                ("tasks: {tip: {value: 3, equals: 1}}", 3, "must depend on channels"),
                ("tasks: {tip: {marker: P, axis: [0, 0, 0]}}", 3, "has no direction"),
                (f"tasks: {{{POINT}}}, ergonomy: {{k: {{joint: ja, marker: P}}}}", 3, "needs one of"),
                (f"tasks: {{{POINT}}}, ergonomy: {{k: {{marker: P, point: [0, 0, 0]}}}}", 3, "clearance"),
                (f"tasks: {{{POINT}}}, ergonomy: {{k: {{joint: ja, range: [0, null]}}}}", 3, "margin")):
            self.write("arm.yaml", ARM + f"inverse: {{{section}}}\n")
            if code == 3:
                self.assertIn(words, self.hooke("check", "arm.yaml", code=3).stderr, section)
            result = self.hooke("inverse", "arm.yaml", "--output", "out.csv", "--report", "out.html", code=code)
            self.assertIn(words, result.stderr, section)
            self.assertFalse((self.dir / "out.csv").exists() or (self.dir / "out.html").exists(), section)


if __name__ == "__main__":
    unittest.main()
