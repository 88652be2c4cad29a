#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke inverse`: torques equal the drives of driven runs; other actuators do the same work; played back they give the
motion; what actuators cannot do is said."""
import csv
import json
import unittest

from support import FEW, SOURCE, CommandTest

EXAMPLES = SOURCE / "examples"
# mechanisms with motions of scalar coordinates, most of them with loops
DRIVEN = ("cam.yaml", "cardan-and-cv.yaml", "five-bar-robot.yaml", "planetary.yaml", "puma.yaml", "slider-crank-driven.yaml")
FREE = ("snakeboard.yaml", "turntable.yaml", "belt-stick-slip.yaml")  # driven, with freedoms left


def read(path):
    rows = list(csv.reader(path.read_text().splitlines()))
    return {name: [float(r[i]) for r in rows[1:]] for i, name in enumerate(rows[0])}


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
            channels = [n[len("actuator."):-len(".value")] for n in tau if n != "t"]
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
            names = [n for n in tau if n != "t"]
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

    def test_what_cannot_be(self):
        path = EXAMPLES / "five-bar-robot.yaml"
        for args, code, words in (((path, "--actuator", "elbow1"), 5, "cannot give this motion"),
                                  ((path, "--actuator", "knee"), 2, "no joint for the actuator 'knee'"),
                                  ((path, "--actuator", "left.length"), 2, "no coordinate 'left.length'"),
                                  ((path, "--output", "x.nc"), 2, ".csv"), (("none.yaml",), 6, "none.yaml"),
                                  ((EXAMPLES / "pendulum.yaml",), 2, "prescribes no coordinate"),
                                  ((EXAMPLES / "cardan-and-cv.yaml", "--actuator", "joint.grip"), 2, "grip")):
            self.assertIn(words, self.hooke("inverse", *args, code=code).stderr)
        value = self.inverse(path, "--actuator", "elbow1", code=5)
        self.assertEqual(value["status"], "failed")
        self.assertIn("cannot give this motion", value["message"])
        self.assertFalse((self.dir / "x.nc").exists())
        # an instance with the name of a joint
        text = (EXAMPLES / "mirrored-axle.yaml").read_text().replace("  left:  {", "  guide: {")
        (self.dir / "axle.yaml").write_text(text.replace("mirrored-axle-gust.csv", str(EXAMPLES / "mirrored-axle-gust.csv")))
        self.inverse("axle.yaml", "--actuator", "guide.pivot", "--time", "0.004")
        self.assertIn("coordinates", self.hooke("inverse", "axle.yaml", "--actuator", "guide", code=2).stderr)
        final = self.inverse(path, "--time", "0.02")["final"]
        self.assertEqual(sorted(final), ["actuator.left.angle.value", "actuator.right.angle.value"])


if __name__ == "__main__":
    unittest.main()
