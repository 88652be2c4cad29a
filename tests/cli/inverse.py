#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke inverse`: torques equal the drives of driven runs; other actuators do the same work; played back they give the
motion; what actuators cannot do is said."""
import csv
import json
import unittest

from support import FEW, SOURCE, CommandTest

EXAMPLES = SOURCE / "examples"
# one prescribed joint, two inputs that turn it: torque u + 2 w
ARM = """hooke: 1
planar: xy
gravity: [0, -9.81, 0]
bodies: {arm: {mass: 2, com: [0.5, 0, 0], inertia: {zz: 0.1}}}
signals: {u: {input: 0.3}, w: {input: 0}}
joints: {pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: z, motion: {angle: "sin(3*t)"}}}
forces:
  f: {type: joint_torque, joint: pin, value: FIRST}
  g: {type: joint_torque, joint: pin, value: 2*w}
record: ["joint.*"]
run: {time: 0.5, step: 0.05}
"""
# mechanisms with motions of scalar coordinates, most of them with loops
DRIVEN = ("cam.yaml", "cardan-and-cv.yaml", "five-bar-robot.yaml", "planetary.yaml", "puma.yaml", "slider-crank-driven.yaml")
FREE = ("snakeboard.yaml", "turntable.yaml", "belt-stick-slip.yaml")  # driven, with freedoms left


def read(path):
    rows = list(csv.reader(path.read_text().splitlines()))
    return {name: [float(r[i]) for r in rows[1:]] for i, name in enumerate(rows[0])}


def read_after(test, *args):
    test.hooke(*args, "--output", "tau.csv")
    return read(test.dir / "tau.csv")


class Inverse(CommandTest):
    def inverse(self, *args, code=0):
        return json.loads(self.hooke("inverse", *args, "--json", code=code).stdout)

    def test_torques_are_those_of_the_drives(self):
        compared = 0
        for name in DRIVEN[:3] if FEW else DRIVEN:
            time = ("--time", "0.05")
            text = (EXAMPLES / name).read_text()
            if "motion: {angle" not in text and "motion: {rate" not in text:
                continue
            self.hooke("inverse", EXAMPLES / name, *time, "--output", "tau.csv")
            tau = read(self.dir / "tau.csv")
            channels = [n[len("actuator."):-len(".value")] for n in tau if n.startswith("actuator.")]
            self.assertTrue(channels)
            self.hooke("run", EXAMPLES / name, *time, "--output", "run.csv")
            run = read(self.dir / "run.csv")
            for c in channels:
                joint = c.rsplit(".", 1)[0]
                key = next((k for k in (f"joint.{joint}.drive", f"joint.{c}.drive", f"joint.{joint}.{c.rsplit('.', 1)[1]}_drive")
                            if k in run), None)
                if key is None:
                    continue
                size = max(1e-3, max(abs(x) for x in run[key]))
                for a, b in zip(tau[f"actuator.{c}.value"], run[key]):
                    self.assertLess(abs(a - b), 1e-9 * size, (name, c))
                compared += 1
        for name in FREE[:1] if FEW else FREE:
            self.assertGreater(self.inverse(EXAMPLES / name, *time)["rows"], 3)
        self.assertGreaterEqual(compared, 1 if FEW else 4)

    def test_other_actuators_do_the_same_work(self):
        """power of the elbows' torques is that of the motors'; more actuators need less torque"""
        path, time = EXAMPLES / "five-bar-robot.yaml", ("--time", "0.3")
        text = path.read_text().replace("five-bar-robot.csv", str(EXAMPLES / "five-bar-robot.csv"))
        text = text.replace('record: [', 'record: ["joint.*.rate", "joint.*.drive", ')
        (self.dir / "r.yaml").write_text(text)
        self.hooke("run", "r.yaml", *time, "--output", "run.csv")
        run = read(self.dir / "run.csv")
        sums = {}
        for actuators in (("elbow1", "elbow2"), ("joint.wrist.angle", "left"), ("elbow1", "elbow2", "left", "right")):
            args = [w for a in actuators for w in ("--actuator", a)]
            self.hooke("inverse", "r.yaml", *time, *args, "--output", "tau.csv")
            tau = read(self.dir / "tau.csv")
            names = [n for n in tau if n.startswith("actuator.")]
            self.assertEqual(len(names), len(actuators))
            for k in range(len(tau["t"])):
                work = sum(tau[n][k] * run[f"joint.{n.split('.')[1]}.rate"][k] for n in names)
                drives = sum(run[f"joint.{j}.drive"][k] * run[f"joint.{j}.rate"][k] for j in ("left", "right"))
                self.assertLess(abs(work - drives), 1e-8)
            sums[actuators] = sum(x * x for n in names for x in tau[n])
        self.assertLess(sums["elbow1", "elbow2", "left", "right"], sums["elbow1", "elbow2"])

    def test_played_back(self):
        """torques at the elbows as table signals, motors off: the hand goes the same way, the nearer the shorter the steps"""
        path = EXAMPLES / "five-bar-robot.yaml"
        base = path.read_text().replace("five-bar-robot.csv", str(EXAMPLES / "five-bar-robot.csv"))
        end, errors = "0.2", []
        for step in ("0.01", "0.005"):
            (self.dir / "r.yaml").write_text(base)
            self.hooke("inverse", "r.yaml", "--time", end, "--step", step, "--output", "tau.csv", "--actuator", "elbow1",
                       "--actuator", "elbow2")
            driven = json.loads(self.hooke("run", "r.yaml", "--time", end, "--step", "0.001", "--json").stdout)["final"]
            start = json.loads(self.hooke("run", "r.yaml", "--time", "1e-9", "--step", "1e-9", "--json").stdout)["final"]
            free = base.replace(", motion: {angle: left}", "").replace(", motion: {angle: right}", "")
            signals = "".join(f"  {e}: {{table: tau.csv, column: actuator.{e}.angle.value}}\n" for e in ("elbow1", "elbow2"))
            free = free.replace("signals:\n", "signals:\n" + signals)
            free = free.replace("record:", "forces:\n  f1: {type: joint_torque, joint: elbow1, value: elbow1}\n"
                                "  f2: {type: joint_torque, joint: elbow2, value: elbow2}\n"
                                f"start: {{left: {{angle: {start['joint.left.angle']!r}, rate: {start['joint.left.rate']!r}}}, "
                                f"right: {{angle: {start['joint.right.angle']!r}, rate: {start['joint.right.rate']!r}}}}}\nrecord:")
            (self.dir / "free.yaml").write_text(free)
            played = json.loads(self.hooke("run", "free.yaml", "--time", end, "--step", step, "--json").stdout)["final"]
            errors.append(max(abs(played[f"body.hand.position.{x}"] - driven[f"body.hand.position.{x}"]) for x in "xy"))
        self.assertLess(errors[0], 2e-3)
        self.assertLess(errors[1], 0.4 * errors[0] + 1e-9)

    def arm(self, section, *args, code=0, first="u"):
        (self.dir / "arm.yaml").write_text(ARM.replace("FIRST", first) + section)
        return self.hooke("inverse", "arm.yaml", *args, "--output", "tau.csv", code=code)

    def arm_values(self, section, *args):
        self.arm(section, *args)
        tau = read(self.dir / "tau.csv")
        return list(zip(tau["actuator.u.value"], tau["actuator.w.value"]))

    def test_inputs_ranges_and_what_is_least(self):
        """torque T = u + 2 w of one joint: the shares in closed form"""
        (self.dir / "drive.yaml").write_text(ARM.replace("FIRST", "u - u"))
        torque = read_after(self, "inverse", "drive.yaml")["actuator.pin.angle.value"]
        self.assertGreater(max(torque) - min(torque), 5)
        both = "inverse: {actuators: [{input: u, range: [-40, 40]}, {input: w, range: [-10, 10], weight: W}], minimise: LEAST}\n"

        def shares(least, weight=1):
            return self.arm_values(both.replace("LEAST", least).replace("W", str(weight)))
        # least squares of values, of shares of the ranges (u/40, w/10), of powers (u r, 2 w r)
        for least, weight, first, second in (("torque", 1, 1 / 5, 2 / 5), ("torque", 2, 1 / 2, 1 / 4),
                                             ("activation", 1, 1600 / 2000, 100 * 2 / 2000), ("energy", 1, 1 / 2, 1 / 4)):
            for t, (u, w) in zip(torque, shares(least, weight)):
                size = max(map(abs, torque))
                self.assertLess(abs(u - first * t), 1e-8 * size if least != "energy" else 1e-6 * size, least)
                self.assertLess(abs(u + 2 * w - t), 1e-9 * size)
        # the second ends at 1: the first takes the rest; the command line wins
        values = self.arm_values(both.replace("LEAST", "torque").replace("W", "1"), "--actuator", "u", "--actuator", "w=-1:1")
        for t, (u, w) in zip(torque, values):
            wanted = max(-1.0, min(1.0, 2 * t / 5))
            self.assertLess(abs(w - wanted), 1e-9)
            self.assertLess(abs(u - (t - 2 * wanted)), 1e-9 * max(map(abs, torque)))
        value = json.loads(self.arm("", "--actuator", "u", "--actuator", "w=-1:1", "--json").stdout)
        self.assertGreater(value["saturated"]["w"], 3)
        self.assertNotIn("u", value["saturated"])
        # too weak both of them
        stderr = self.arm("", "--actuator", "u=-3:3", "--actuator", "w=-1:1", code=5).stderr
        self.assertRegex(stderr, r"within their ranges: .* % of the forces are left")
        share = (abs(torque[0]) - 5) / abs(torque[0])
        left = float(stderr.split("ranges: ")[1].split(" %")[0])
        self.assertLess(abs(left - 100 * share), 1.0)

    def test_bad_actuators(self):
        for section, code, words in (
                ("inverse: {actuators: [{input: u, joint: pin}]}", 3, "one of 'joint' and 'input'"),
                ("inverse: {actuators: [{input: v}]}", 3, "no input 'v'"),
                ("inverse: {actuators: [knee]}", 3, "no joint 'knee'"),
                ("inverse: {actuators: [{input: u, range: [3, 1]}]}", 3, "leave no room"),
                ("inverse: {actuators: [{input: u, weight: 0}]}", 3, "weight"),
                ("inverse: {actuators: u}", 3, "must be a list"),
                ("inverse: {minimise: pain}", 3, "pain"),
                ("inverse: {actors: [u]}", 3, "actuators"),
                ("inverse: {actuators: [u, w], minimise: activation}", 2, "needs the range of actuator 'signal.u'"),
                ("inverse: {actuators: [u, u]}", 2, "named twice")):
            self.assertIn(words, self.arm(section + "\n", code=code).stderr, section)
            self.assertFalse((self.dir / "tau.csv").exists())
        for args, words in ((("--actuator", "u=1"), "no range"), (("--actuator", "u=2:1"), "no range"), (("--minimise", "pain",), "pain")):
            self.assertIn(words, self.arm("", *args, code=2).stderr)
        stderr = self.arm("inverse: {actuators: [u]}\n", code=3, first="u^2").stderr
        self.assertIn("do not depend on it linearly", stderr)
        self.assertIn("arm.yaml:5:", stderr)

    def test_inputs_are_elbows(self):
        """torques of inputs at the elbows of a closed loop are those of actuators there"""
        text = (EXAMPLES / "five-bar-robot.yaml").read_text().replace("five-bar-robot.csv", str(EXAMPLES / "five-bar-robot.csv"))
        text = text.replace("signals:\n", "signals:\n  ua: {input: 0}\n  ub: {input: 0}\n")
        text += ("forces:\n  f1: {type: joint_torque, joint: elbow1, value: ua}\n  f2: {type: joint_torque, joint: elbow2, value: -3*ub}\n")
        (self.dir / "r.yaml").write_text(text)
        joints = read_after(self, "inverse", "r.yaml", "--time", "0.1", "--actuator", "elbow1", "--actuator", "elbow2")
        inputs = read_after(self, "inverse", "r.yaml", "--time", "0.1", "--actuator", "ua", "--actuator", "signal.ub")
        for k in range(len(joints["t"])):
            self.assertLess(abs(joints["actuator.elbow1.angle.value"][k] - inputs["actuator.ua.value"][k]), 1e-9)
            self.assertLess(abs(joints["actuator.elbow2.angle.value"][k] + 3 * inputs["actuator.ub.value"][k]), 1e-9)

    def test_what_cannot_be(self):
        path = EXAMPLES / "five-bar-robot.yaml"
        for args, code, words in (((path, "--actuator", "elbow1"), 5, "cannot give this motion"),
                                  ((path, "--actuator", "knee"), 2, "no joint for the actuator 'knee'"),
                                  ((path, "--actuator", "left.length"), 2, "no coordinate 'left.length'"),
                                  ((path, "--output", "x.txt"), 2, ".csv"), (("none.yaml",), 6, "none.yaml"),
                                  ((EXAMPLES / "pendulum.yaml",), 2, "prescribes no coordinate"),
                                  ((EXAMPLES / "cardan-and-cv.yaml", "--actuator", "joint.grip"), 2, "grip")):
            self.assertIn(words, self.hooke("inverse", *args, code=code).stderr)
        value = self.inverse(path, "--actuator", "elbow1", code=5)
        self.assertEqual(value["status"], "failed")
        self.assertIn("cannot give this motion", value["message"])
        self.assertFalse((self.dir / "x.txt").exists())
        # an instance with the name of a joint
        text = (EXAMPLES / "mirrored-axle.yaml").read_text().replace("  left:  {", "  guide: {")
        (self.dir / "axle.yaml").write_text(text.replace("mirrored-axle-gust.csv", str(EXAMPLES / "mirrored-axle-gust.csv")))
        self.inverse("axle.yaml", "--actuator", "guide.pivot", "--time", "0.004")
        self.assertIn("coordinates", self.hooke("inverse", "axle.yaml", "--actuator", "guide", code=2).stderr)
        final = self.inverse(path, "--time", "0.02")["final"]
        self.assertEqual(sorted(final), ["actuator.left.angle.value", "actuator.right.angle.value"])


if __name__ == "__main__":
    unittest.main()
