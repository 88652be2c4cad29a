#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke run` and `hooke check`: the JSON contract, result files, failures, Ctrl-C, checkpoints."""
import csv
import json
import math
import os
import pty
import select
import shutil
import signal
import subprocess
import time
import unittest

from support import CommandTest, HOOKE, PENDULUM, environment

KEYS = ["model", "formulation", "formulation_why", "integrator", "bodies", "coordinates", "constraints", "dof", "redundant",
        "step_s", "time_s", "steps", "rejected", "iterations", "sweeps", "impacts", "cpu_s", "real_time_factor", "energy",
        "constraint", "grade", "drift_percent", "warnings", "final", "status", "message"]
ENERGY = ["initial_J", "final_J", "max_drift_J", "supplied_J", "dissipated_J", "balance_error_J", "supplied_by_J",
          "dissipated_by_J"]
CONSTRAINT = ["position_max", "velocity_max", "acceleration_max"]


def parse(text):
    """JSON as the standard says: no NaN, no Infinity"""
    def refuse(word):
        raise ValueError(f"{word} is not JSON")
    return json.loads(text, parse_constant=refuse)


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        names, *rows = list(csv.reader(file))
    return names, [[float(x) for x in row] for row in rows]


class Contract(CommandTest):
    def check_keys(self, value):
        self.assertEqual(list(value), KEYS)
        self.assertEqual(list(value["energy"]), ENERGY)
        self.assertEqual(list(value["constraint"]), CONSTRAINT)

    def test_json(self):
        value = parse(self.hooke("run", "pendulum.yaml", "--json").stdout)
        self.check_keys(value)
        self.assertEqual((value["status"], value["message"]), ("ok", ""))
        self.assertEqual(value["model"], "pendulum.yaml")
        self.assertEqual((value["bodies"], value["dof"], value["redundant"]), (1, 1, 0))
        self.assertEqual((value["step_s"], value["time_s"], value["steps"]), (0.01, 1.0, 100))
        self.assertEqual(value["integrator"], "generalized_alpha")
        self.assertGreaterEqual(value["iterations"], 100)
        self.assertGreater(value["cpu_s"], 0)
        self.assertAlmostEqual(value["real_time_factor"] * value["cpu_s"], 1.0, places=6)
        self.assertIn("joint.pin.angle", value["final"])
        self.assertIn("body.rod.position.x", value["final"])
        self.assertAlmostEqual(value["energy"]["initial_J"] - value["energy"]["final_J"], 0, delta=1e-2)

    def test_summary_for_people(self):
        text = self.hooke("run", "pendulum.yaml").stdout
        for word in ("Pendulum", "pendulum.yaml", "hybrid", "100 steps", "energy audit", "constraints",
                     "real time", "--output"):
            self.assertIn(word, text)
        self.assertNotIn("nan", text)

    def test_quiet(self):
        result = self.hooke("run", "pendulum.yaml", "--quiet")
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    def test_model_that_cannot_be_loaded(self):
        self.model.write_text(PENDULUM.replace("mass:", "mas:"))
        result = self.hooke("run", "pendulum.yaml", "--json", code=3)
        value = parse(result.stdout)
        self.check_keys(value)
        self.assertEqual(value["status"], "failed")
        self.assertIn("'mas'", value["message"])
        self.assertIsNone(value["energy"]["final_J"])
        self.assertRegex(result.stderr, r"pendulum.yaml:6:\d+: error: ")
        value = parse(self.hooke("check", "pendulum.yaml", "--json", code=3).stdout)
        self.assertEqual(value["status"], "failed")
        self.assertIn("'mas'", value["message"])

    def test_file_that_is_not_there(self):
        result = self.hooke("run", "pendulun.yaml", "--json", code=6)
        self.assertIn("did you mean 'pendulum.yaml'?", result.stderr)
        self.assertEqual(parse(result.stdout)["status"], "failed")

    def test_standard_output_is_full(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([HOOKE, "run", self.model, "--json"], stdout=full, cwd=self.dir,
                                    stderr=subprocess.PIPE, env=environment(), check=False, timeout=60)
        self.assertEqual(result.returncode, 6)
        self.assertIn(b"standard output", result.stderr)

    def test_check(self):
        value = parse(self.hooke("check", "pendulum.yaml", "--json").stdout)
        self.assertEqual((value["status"], value["bodies"], value["joints"], value["dof"]), ("ok", 1, 1, 1))
        self.assertEqual(value["title"], "Pendulum")
        text = self.hooke("check", "pendulum.yaml").stdout
        for word in ("Pendulum", "degrees of freedom", "The model can run."):
            self.assertIn(word, text)


class Choices(CommandTest):
    def final(self, *args):
        value = parse(self.hooke("run", "pendulum.yaml", "--json", *args).stdout)
        self.assertEqual(value["status"], "ok")
        return value

    def test_command_line_goes_first(self):
        value = self.final("--integrator", "trapezoidal", "--step", "0.02", "--time", "0.5")
        self.assertEqual((value["integrator"], value["step_s"], value["time_s"], value["steps"]),
                         ("trapezoidal", 0.02, 0.5, 25))

    def test_last_step_is_shortened(self):
        value = self.final("--step", "0.3")
        self.assertEqual((value["steps"], value["time_s"]), (4, 1.0))

    def test_set(self):
        short, long = self.final("--set", "L=0.5"), self.final("--set", "L=2*2")
        self.assertNotAlmostEqual(short["final"]["joint.pin.angle"], long["final"]["joint.pin.angle"], 2)
        self.refused("run", "pendulum.yaml", "--set", "l_=3", words="'l_'")
        self.refused("run", "pendulum.yaml", "--set", "L=nonsense", words="nonsense")
        # numbers made from a faulty one are not reported as well
        (self.dir / "derived.yaml").write_text(PENDULUM.replace("-L/2", "-sqrt(L - 2)/sqrt(2 - L)"))
        for value in ("nonsense", "1..2"):
            result = self.refused("check", "derived.yaml", "--set", f"L={value}", words=value)
            self.assertEqual(result.stderr.count("error:"), 1, result.stderr)

    def test_options_of_methods(self):
        plain, damped = self.final(), self.final("--option", "rho_inf=0")
        self.assertNotEqual(plain["final"], damped["final"])
        self.assertEqual(damped["final"], self.final("--integ.rho_inf", "0")["final"])
        self.assertEqual(damped["final"], self.final("--integ.rho_inf=0")["final"])
        self.refused("run", "pendulum.yaml", "--option", "rho_info=0", words=["'rho_info'", "'rho_inf'"])
        self.refused("run", "pendulum.yaml", "--option", "rho_inf=2", words="rho_inf")
        self.refused("run", "pendulum.yaml", "--option", "rho_inf=x", words="rho_inf")
        self.refused("run", "pendulum.yaml", "-i", "trapezoidal", "--option", "rho_inf=0", words="rho_inf")

    def test_unknown_methods(self):
        self.refused("run", "pendulum.yaml", "-f", "hybird", words="did you mean 'hybrid'?")
        self.refused("run", "pendulum.yaml", "-i", "newmrak", words="did you mean 'newmark'?")
        self.model.write_text(PENDULUM.replace("step: 0.01", "step: 0.01, integrator: newmrak"))
        self.refused("run", "pendulum.yaml", code=3, words=["pendulum.yaml:11:", "'newmark'"])
        # the command line cures it
        self.final("-i", "newmark")

    def test_time_is_needed(self):
        self.model.write_text(PENDULUM.replace("run: {time: 1, step: 0.01}\n", ""))
        self.refused("run", "pendulum.yaml", words="time")
        self.final("--time", "1", "--step", "0.01")


class Results(CommandTest):
    def test_csv(self):
        text = self.hooke("run", "pendulum.yaml", "--output", "out.csv").stdout
        self.assertIn("out.csv", text)
        names, rows = read_csv(self.dir / "out.csv")
        self.assertEqual(names[0], "t")
        self.assertIn("joint.pin.angle", names)
        self.assertEqual(len(rows), 101)
        self.assertTrue(all(len(row) == len(names) for row in rows))
        self.assertEqual(rows[0][0], 0)
        self.assertEqual(rows[-1][0], 1)
        # the last row is what --json calls final
        final = parse(self.hooke("run", "pendulum.yaml", "--json").stdout)["final"]
        self.assertEqual(names[1:], list(final))
        self.assertEqual(rows[-1][1:], list(final.values()))
        # the start value holds, the pendulum swings
        angle = [row[names.index("joint.pin.angle")] for row in rows]
        self.assertAlmostEqual(angle[0], 1, places=12)
        self.assertLess(min(angle), 0)

    def test_less_often(self):
        self.hooke("run", "pendulum.yaml", "-o", "out.csv", "--output-every", "0.1")
        times = [row[0] for row in read_csv(self.dir / "out.csv")[1]]
        self.assertEqual(len(times), 11)
        for i, t in enumerate(times):
            self.assertAlmostEqual(t, 0.1 * i, places=9)

    def test_gravity_across_the_plane(self):
        self.model.write_text("hooke: 1\nplanar: xy\ngravity: [0, -9.81, -1]\nbodies:\n"
                              "  rod: {mass: 1, com: [0.5, 0, 0], inertia: {zz: 0.1}}\njoints:\n"
                              "  pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: z}\n"
                              "run: {time: 0.1, step: 0.01}\n")
        result = self.hooke("run", "pendulum.yaml")
        self.assertIn("pendulum.yaml:3:10: warning: gravity has -1 m/s^2 across the plane", result.stderr)

    def test_tolerance_below_round_off(self):
        self.hooke("run", "pendulum.yaml", "--tolerance", "1e-300")

    def test_record(self):
        self.model.write_text(PENDULUM + 'record: ["energy.*", "joint.pin.force"]\n')
        self.hooke("run", "pendulum.yaml", "-o", "out.csv")
        names, rows = read_csv(self.dir / "out.csv")
        self.assertEqual(set(names), {"t", "energy.kinetic", "energy.potential", "energy.total",
                                      "energy.supplied", "energy.dissipated", "energy.balance_error",
                                      "joint.pin.force.x", "joint.pin.force.y", "joint.pin.force.z"})
        total = names.index("energy.total")
        self.assertTrue(all(math.isfinite(row[total]) for row in rows))

    def test_record_in_any_order(self):
        """a channel has the same values whatever stands before it: alone, backwards, a part, or the whole"""
        model = PENDULUM + "forces: {s: {type: spring_damper, between: [ground, rod], ends: [[1, 0, 0], [0, 0, -L]], stiffness: 9, damping: 1}}\n"
        groups = ["body.rod.position", "body.rod.com_position", "body.rod.com_velocity", "body.rod.angular_velocity", "body.rod.acceleration",
                  "body.rod.orientation", "force.s", "energy", "joint.pin", "solver"]
        self.model.write_text(model + "record: [" + ", ".join(f'"{g}.*"' for g in groups if g != "joint.pin") + ', "joint.pin.force.*"]\n')
        self.hooke("run", "pendulum.yaml", "-o", "all.csv")
        names, rows = read_csv(self.dir / "all.csv")
        want = dict(zip(names, zip(*rows)))
        del want["t"]
        for order in (sorted(want, reverse=True), sorted(want, key=lambda n: n[::-1]), sorted(want)[::2], sorted(want)[1::3]):
            self.model.write_text(model + "record: [" + ", ".join(f'"{n}"' for n in order) + "]\n")
            self.hooke("run", "pendulum.yaml", "-o", "some.csv")
            names, rows = read_csv(self.dir / "some.csv")
            self.assertEqual(names[1:], order)
            for name, values in list(zip(names, zip(*rows)))[1:]:
                self.assertEqual(values, want[name], name)

    def test_netcdf(self):
        self.hooke("run", "pendulum.yaml", "-o", "out.nc")
        self.assertEqual((self.dir / "out.nc").read_bytes()[1:4], b"HDF")
        if not shutil.which("ncdump"):
            self.skipTest("ncdump is not installed: the NetCDF file is not read back")
        text = subprocess.run(["ncdump", "-h", self.dir / "out.nc"], text=True, capture_output=True,
                              check=True).stdout
        for word in ("time = UNLIMITED ; // (101 currently)", "double joint.pin.angle(time)",
                     'joint.pin.angle:units = "rad"', ':status = "ok"', ':grade = "good"', ':integrator = "generalized_alpha"',
                     ":step_s = 0.01", ':title = "Pendulum"', "gravity: [0, 0, -9.81]", ":summary = "):
            self.assertIn(word, text)
        text = subprocess.run(["ncdump", "-p", "17,17", "-v", "joint.pin.angle", self.dir / "out.nc"],
                              text=True, capture_output=True, check=True).stdout
        start = text.rindex("joint.pin.angle =") + 17
        numbers = text[start:text.index(";", start)].split(",")
        final = parse(self.hooke("run", "pendulum.yaml", "--json").stdout)["final"]
        self.assertEqual(float(numbers[-1]), final["joint.pin.angle"])

    def test_places_that_cannot_be_written(self):
        begin = sorted(os.listdir(self.dir))
        for name in ("missing/out.csv", "missing/out.nc"):
            result = self.refused("run", "pendulum.yaml", "-o", name, code=6, words="missing")
            self.assertEqual(result.stdout, "")
        self.refused("run", "pendulum.yaml", "-o", "/proc/out.csv", code=6)
        self.refused("run", "pendulum.yaml", "-o", "out.txt", words=".csv, .nc and .mcap")
        self.refused("run", "pendulum.yaml", "-o", "out", words=".csv, .nc and .mcap")
        self.assertEqual(sorted(os.listdir(self.dir)), begin)
        os.mkdir(self.dir / "folder.csv")
        self.refused("run", "pendulum.yaml", "-o", "folder.csv", code=6, words="directory")

    @unittest.skipIf(os.geteuid() == 0, "permissions do not bind root")
    def test_permissions(self):
        os.mkdir(self.dir / "locked", mode=0o500)
        self.refused("run", "pendulum.yaml", "-o", "locked/out.csv", code=6, words="not writable")

    def test_old_file_survives_a_run_that_cannot_start(self):
        (self.dir / "out.csv").write_text("precious")
        self.hooke("run", "pendulum.yaml", "-o", "out.csv", "-i", "nonsense", code=2)
        self.assertEqual((self.dir / "out.csv").read_text(), "precious")


class Interruption(CommandTest):
    def start(self, *args):
        process = subprocess.Popen([HOOKE, "run", "pendulum.yaml", "--time", "1e6", "--step", "1e-3", *args],
                                   cwd=self.dir, env=environment(), text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        # the part file says that the run has begun
        for _ in range(600):
            if any(p.suffix == ".part" for p in self.dir.iterdir()):
                break
            time.sleep(0.05)
        time.sleep(0.3)
        return process

    def test_results_are_kept(self):
        for number, name in ((signal.SIGINT, "a.csv"), (signal.SIGTERM, "b.csv")):
            process = self.start("-o", name, "--output-every", "0.01", "--json")
            self.assertFalse((self.dir / name).exists())
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, err)
            value = parse(out)
            self.assertEqual(value["status"], "interrupted")
            self.assertLess(value["time_s"], 1e6)
            self.assertIn(name, err)
            names, rows = read_csv(self.dir / name)
            self.assertGreater(len(rows), 1)
            self.assertTrue(all(len(row) == len(names) for row in rows))
            self.assertFalse(list(self.dir.glob("*.part")))

    def test_netcdf_is_whole(self):
        process = self.start("-o", "a.nc")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        if shutil.which("ncdump"):
            text = subprocess.run(["ncdump", "-h", self.dir / "a.nc"], text=True, capture_output=True,
                                  check=True).stdout
            self.assertIn(':status = "interrupted"', text)

    def test_old_file_survives_a_kill(self):
        (self.dir / "a.csv").write_text("precious")
        process = self.start("-o", "a.csv")
        process.kill()
        process.communicate(timeout=60)
        self.assertEqual((self.dir / "a.csv").read_text(), "precious")


class Failure(CommandTest):
    """a torque that has no value below a certain angle"""

    def setUp(self):
        super().setUp()
        self.model.write_text(PENDULUM + "forces:\n  s: {type: joint_torque, joint: pin, "
                              'value: "sqrt(0.2 + joint.pin.angle)"}\n')

    def test_results_are_kept(self):
        result = self.hooke("run", "pendulum.yaml", "-o", "out.csv", "--json", code=5)
        value = parse(result.stdout)
        self.assertEqual(value["status"], "failed")
        self.assertNotEqual(value["message"], "")
        self.assertIn("error: ", result.stderr)
        self.assertIn("out.csv", result.stderr)
        names, rows = read_csv(self.dir / "out.csv")
        self.assertGreater(len(rows), 5)
        self.assertTrue(all(len(row) == len(names) for row in rows))
        self.assertGreater(rows[-1][0], 0.05)
        self.assertLess(rows[-1][0], 1)


class Resume(CommandTest):
    def test_two_halves_are_one_whole(self):
        self.hooke("run", "pendulum.yaml", "-o", "whole.csv")
        self.hooke("run", "pendulum.yaml", "-o", "first.csv", "--time", "0.5", "--checkpoint", "state.ck")
        self.hooke("run", "pendulum.yaml", "-o", "second.csv", "--resume", "state.ck")
        whole = (self.dir / "whole.csv").read_text().splitlines()
        first = (self.dir / "first.csv").read_text().splitlines()
        second = (self.dir / "second.csv").read_text().splitlines()
        self.assertEqual(first + second[1:], whole)

    def test_every(self):
        self.hooke("run", "pendulum.yaml", "--checkpoint", "state.ck", "--every", "0.25")
        self.assertTrue((self.dir / "state.ck").exists())
        self.assertFalse(list(self.dir.glob("*.part")))

    def test_wrong_checkpoints(self):
        self.refused("run", "pendulum.yaml", "--resume", "nothing.ck", code=6, words="nothing.ck")
        (self.dir / "bad.ck").write_bytes(b"not a checkpoint at all" * 10)
        self.hooke("run", "pendulum.yaml", "--resume", "bad.ck", code=6)
        self.hooke("run", "pendulum.yaml", "--checkpoint", "state.ck")
        data = (self.dir / "state.ck").read_bytes()
        (self.dir / "cut.ck").write_bytes(data[:len(data) // 2])
        self.hooke("run", "pendulum.yaml", "--resume", "cut.ck", code=6)


class Terminal(CommandTest):
    """on a terminal: colours, and a bar for runs over a second"""

    def on_terminal(self, *args, seconds=2.0, env=None):
        try:
            main, child = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal here: {error}")
        process = subprocess.Popen([HOOKE, *args], cwd=self.dir, stderr=child, stdout=subprocess.DEVNULL,
                                   env=environment({"TERM": "xterm", "NO_COLOR": "", **(env or {})}))
        os.close(child)
        self.addCleanup(process.kill)
        text, end = b"", time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([main], [], [], 0.1)[0]:
                try:
                    data = os.read(main, 65536)
                except OSError:
                    break
                if not data:
                    break
                text += data
        process.send_signal(signal.SIGINT)
        while True:
            try:
                data = os.read(main, 65536)
            except OSError:
                break
            if not data:
                break
            text += data
        os.close(main)
        process.wait(timeout=60)
        return text.decode("utf-8", "replace")

    def test_bar(self):
        run = ["run", "pendulum.yaml", "--time", "1e6", "--step", "1e-3"]
        text = self.on_terminal(*run)
        for word in ("steps", "x real time", "left", "\r"):
            self.assertIn(word, text)
        self.assertNotIn("x real time", self.on_terminal(*run, "--no-progress", seconds=1.5))

    def test_colour(self):
        self.assertIn("\033[1;31merror:", self.on_terminal("rnu", seconds=1))
        self.assertNotIn("\033", self.on_terminal("rnu", seconds=1, env={"NO_COLOR": "1"}))
        self.assertNotIn("\033", self.on_terminal("rnu", seconds=1, env={"TERM": "dumb"}))


if __name__ == "__main__":
    unittest.main()
