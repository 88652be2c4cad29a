#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flexible bodies in whole models: exact answers, beams where deflections are small, the rigid limit, methods against each
other, the energy audit, start values, bad input. The element alone: tests/elements/modal.c; reductions: tests/cli/reduce.py."""
import csv
import json
import math
import sys
import unittest

from support import FEW, SOURCE, CommandTest

sys.path.insert(0, str(SOURCE / "scripts"))
import beam_deck  # pylint: disable=wrong-import-position

ROD = {"length": 1.0, "elements": 12, "E": 2e11, "nu": 0.3, "rho": 7800.0, "width": 0.02, "height": 0.02}
MU, EI = 7800 * 0.02**2, 2e11 * 0.02**4 / 12

SUPPORTED = """\
hooke: 1
gravity: [0, 0, -9.81]
flexible: {rod: {data: rod.nc}}
joints:
  left: {type: revolute, between: [ground, rod.start], at: [0, 0, 0], axis: y}
  right: {type: general, between: [ground, rod.end], at: [1, 0, 0], locked: [y, z]}
start: {equilibrium: true}
record: [body.rod.middle.position.z, flexible.rod.*, joint.left.force.z, joint.right.force.z]
run: {time: 0.0001, step: 0.0001}
"""

FLIGHT = """\
hooke: 1
gravity: [0, 0, -9.81]
flexible: {rod: {data: rod.nc, modes: 6, q: [0.01], frame: {at: [0.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: 0.8}}}}
start: {rod: {angular_velocity: [1, 2, 5]}}
record: [body.rod.end.position, body.rod.end.orientation, flexible.rod.*, energy.*]
run: {time: 0.1, step: 0.0005, integrator: trapezoidal}
"""

RIGID = """\
hooke: 1
gravity: [0, 0, -9.81]
parameters: {{L: 1}}
{body}
joints:
  pin: {{type: revolute, between: [ground, {end}], at: [0, 0, 0], axis: [0, 1, 0.3]}}
start: {{pin: {{angle: 0.3, rate: 2}}}}
record: [joint.pin.*, energy.*]
run: {{time: 0.2, step: 0.002, integrator: rk4}}
"""


ARM = """\
hooke: 1
parameters: {n: 5, U: %.17g}
flexible: {arm: {data: arm.nc, modes: 12, stiffening: true}}
joints:
  hub: {type: revolute, between: [ground, arm.start], at: [0, 0, 0], axis: z, motion: {rate: n*U}}
run: {time: 0.1, step: 0.0001}
"""
SPIN_UP = """\
hooke: 1
parameters: {n: %g}
flexible: {arm: {data: arm.nc, stiffening: %s}}
joints:
  hub: {type: revolute, between: [ground, arm.start], at: [0, 0, 0], axis: z, motion: {angle: n*(t^2/30 + 15/(4*pi^2)*(cos(2*pi*t/15) - 1))}}
record: [body.arm.end.position]
run: {time: 7.2, step: 0.01}
"""
SPINNING = {1: 3.6816, 5: 6.4495, 12: 13.1702}  # out of the plane, in units of sqrt(EI/mu)/L^2


class Flexible(CommandTest):
    def setUp(self):
        super().setUp()
        self.reduce("rod", "start", "end", "middle")

    def reduce(self, name, *faces, modes=4, **other):
        beam_deck.write(self.dir / name, **{**ROD, **other})
        faces = [x for face in faces for x in ("--interface", face)]
        self.hooke("reduce", f"{name}.inp", *faces, "--modes", modes, "--quiet")

    def rows(self, text, *args, code=0):
        (self.dir / "model.yaml").write_text(text)
        out = self.hooke("run", "model.yaml", "-o", "out.csv", "--json", *args, code=code)
        with open(self.dir / "out.csv", newline="", encoding="utf-8") as file:
            table = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
        rows = [dict(zip(table[0], map(float, row))) for row in table[1:] if row[0][0] in "-.0123456789"]
        return rows, json.loads(out.stdout)

    def test_supported_beam(self):
        """sag under its own weight, half the weight at each end, the first frequency"""
        rows, _ = self.rows(SUPPORTED)
        sag, weight = 5 * MU * 9.81 / (384 * EI), MU * 9.81
        self.assertAlmostEqual(-rows[0]["body.rod.middle.position.z"] / sag, 1, delta=1e-4)
        for end in ("left", "right"):
            self.assertAlmostEqual(rows[0][f"joint.{end}.force.z"] / weight, 0.5, delta=1e-6)
        value = json.loads(self.hooke("modes", "model.yaml", "--at", "equilibrium", "--json").stdout)
        found = min(m["frequency_Hz"] for m in value["modes"])
        self.assertAlmostEqual(found / (math.pi / 2 * math.sqrt(EI / MU)), 1, delta=1e-4)

    def test_rigid_limit(self):
        """without modes it is the rigid body"""
        inertia = "{xx: %.17g, yy: %.17g, zz: %.17g}" % (MU * 0.02**2 / 6, MU / 12, MU / 12)
        plain, _ = self.rows(RIGID.format(body=f"bodies: {{rod: {{mass: {MU}, com: [0.5, 0, 0], inertia: {inertia}}}}}", end="rod"))
        for method in ("hybrid", "redundant", "topological"):
            rows, _ = self.rows(RIGID.format(body="flexible: {rod: {data: rod.nc, modes: 0}}", end="rod.start"),
                                "--formulation", method)
            for a, b in zip(plain[::20], rows[::20]):
                self.assertAlmostEqual(a["joint.pin.angle"], b["joint.pin.angle"], delta=1e-9)
                self.assertAlmostEqual(a["energy.kinetic"], b["energy.kinetic"], delta=1e-9 * a["energy.kinetic"])

    @unittest.skipIf(FEW, "accuracy: nothing new for sanitizers")
    def test_flight(self):
        """both formulations agree, and the audit closes with the order of the method"""
        drift = []
        for step in (0.0005, 0.00025):
            runs = [self.rows(FLIGHT, "--formulation", f, "--step", step)[0] for f in ("hybrid", "redundant", "topological")]
            for rows in runs:
                drift.append(max(abs(r["energy.balance_error"]) for r in rows))
            for other, bound in zip(runs[1:], (2e-4, 5e-4)):
                worst = max(abs(a[k] - b[k]) for a, b in zip(runs[0], other) for k in a if k.startswith("body"))
                self.assertLess(worst, bound * (step / 0.0005) ** 2)
        self.assertLess(drift[0], 2e-5 * 70)
        for a, b in zip(drift[:3], drift[3:]):
            self.assertGreater(a / b, 3.4)
        self.assertAlmostEqual(runs[0][0]["flexible.rod.q1"], 0.01, delta=1e-12)
        self.assertGreater(runs[0][0]["flexible.rod.energy"], 10)

    def lowest(self, text, *args):
        (self.dir / "model.yaml").write_text(text)
        value = json.loads(self.hooke("modes", "model.yaml", "--json", *args).stdout)
        return min(m["frequency_Hz"] for m in value["modes"] if m["frequency_Hz"] > 1e-3)

    @unittest.skipIf(FEW, "accuracy: nothing new for sanitizers")
    def test_rotating_arm(self):
        """a cantilever that spins: with displacements of second order its frequencies are those of beams, without them not"""
        self.reduce("arm", "start", "end", modes=8, elements=16, width=0.03, height=0.01)
        unit = math.sqrt(2e11 * 0.03 * 0.01**3 / 12 / (7800 * 0.0003))
        for speed, exact in SPINNING.items():
            with self.subTest(speed=speed):
                found = self.lowest(ARM % unit, "--at", "steady", "--set", f"n={speed}") * 2 * math.pi / unit
                self.assertAlmostEqual(found / exact, 1, delta=4e-4)
        soft = self.lowest((ARM % unit).replace("true", "false"), "--at", "steady", "--set", "n=5") * 2 * math.pi / unit
        self.assertLess(soft, 0.93 * SPINNING[5])

    @unittest.skipIf(FEW, "accuracy: nothing new for sanitizers")
    def test_spin_up(self):
        """an arm that is spun up to 6 rad/s, its first frequency at rest being 3.8: the tip lags as that of the exact beam does; without
        stiffening it lags more, and the run says why"""
        width = math.sqrt(12 * 1.4e4 / 2.8e7)  # EA 2.8e7, EI 1.4e4, 1.2 kg/m
        self.reduce("arm", "start", "end", modes=6, length=10, elements=20, E=2.8e8 / width, nu=0.4, rho=12 / width, width=width, height=0.1)

        def lag(stiffening, speed):
            rows, value = self.rows(SPIN_UP % (speed, stiffening))
            angles = [(speed * (r["t"] ** 2 / 30 + 15 / (4 * math.pi**2) * (math.cos(2 * math.pi * r["t"] / 15) - 1)), r) for r in rows]
            return min(math.cos(a) * r["body.arm.end.position.y"] - math.sin(a) * r["body.arm.end.position.x"] for a, r in angles), value
        found, value = lag("true", 6)
        exact = -0.573761
        self.assertAlmostEqual(found / exact, 1, delta=2e-4)
        self.assertEqual((value["grade"], value["warnings"]), ("good", []))
        self.assertEqual(lag("false", 0.6)[1]["grade"], "good")
        found, value = lag("false", 6)
        self.assertLess(found, 1.1 * exact)
        self.assertEqual(value["grade"], "doubtful")
        self.assertIn("flexible body 'arm' spins so fast that its stiffness changes by ", value["warnings"][0]["text"])
        self.assertEqual(value["warnings"][0]["hint"], "say 'stiffening: true' for it")

    def test_damping(self):
        """'damping' is the damping ratio of each mode of the free body, of one number for all or of a list"""
        for given, wanted in (("0.03", [0.03] * 4), ("[0.01, 0.02, 0.3, 0.04]", [0.01, 0.02, 0.3, 0.04])):
            (self.dir / "model.yaml").write_text("hooke: 1\nflexible: {rod: {data: rod.nc, modes: 4, damping: %s}}\nrun: {time: 0.001, step: 0.0001}\n" % given)
            value = json.loads(self.hooke("modes", "model.yaml", "--json").stdout)
            found = sorted((math.hypot(m["real"], 2 * math.pi * m["frequency_Hz"]), m) for m in value["modes"] if m["frequency_Hz"] > 1)
            self.assertEqual(len(found), 4)
            ratios = [-m["real"] / size for size, m in found]
            for a, b in zip(sorted(ratios), sorted(wanted)):
                self.assertAlmostEqual(a, b, delta=1e-6)

    def test_bent_too_far(self):
        """a rod that its end load bends by half a radian is no matter for modes, and the run says so"""
        text = """hooke: 1
flexible: {rod: {data: rod.nc, damping: 1}}
joints: {clamp: {type: fixed, between: [ground, rod.start], at: [0, 0, 0]}}
forces: {load: {type: force, on: rod.end, at: [1, 0, 0], value: [0, 0, %g]}}
start: {equilibrium: true}
run: {time: 0.002, step: 0.001}
"""
        for turn, grade in ((0.2, "good"), (0.5, "doubtful")):
            _, value = self.rows(text % (2 * EI * turn))
            self.assertEqual(value["grade"], grade)
        self.assertRegex(value["warnings"][0]["text"], "flexible body 'rod' bends by up to 0.4[789] rad, too far for modes")

    def crank(self, *args):
        """rows of the example, and the middle of the rod across its chord"""
        rows, value = self.rows((SOURCE / "examples/modal-slider-crank.yaml").read_text().replace(
            "modal-rod.nc", str(SOURCE / "examples/modal-rod.nc")), *args)
        for r in rows:
            a, b, c = ([r[f"body.rod.{p}.position.{x}"] for x in "xy"] for p in ("big_end", "middle", "small_end"))
            d = [x - y for x, y in zip(c, a)]
            r["across"] = ((b[1] - a[1]) * d[0] - (b[0] - a[0]) * d[1]) / math.hypot(*d)
        return rows, value

    @unittest.skipIf(FEW, "accuracy: nothing new for sanitizers")
    def test_slider_crank_is_that_of_beams(self):
        """the rod of the example bends as the beam of flexible-slider-crank.yaml does, through a third of a turn"""
        with open(SOURCE / "tests/data/flexible-slider-crank-20.csv", newline="", encoding="utf-8") as file:
            reference = [{k: float(x) for k, x in r.items()} for r in csv.DictReader(file)]
        rows, value = self.crank("--integrator", "trapezoidal", "--time", 0.1)
        self.assertEqual(value["grade"], "good")
        peak, h = max(abs(r["mid_beam"]) for r in reference), rows[1]["t"]
        for r in (r for r in reference if r["t"] < 0.1):
            i = min(int(r["t"] / h), len(rows) - 2)
            part = (r["t"] - rows[i]["t"]) / h
            across, slider = ((1 - part) * rows[i][k] + part * rows[i + 1][k] for k in ("across", "body.slider.position.x"))
            self.assertLess(abs(abs(across) - abs(r["mid_beam"])), 0.005 * peak, r)
            self.assertLess(abs(slider - r["slider_x"]), 5e-6, r)

    def test_slider_crank_by_both(self):
        runs = [self.crank("--formulation", f, "--time", 0.004)[0] for f in ("hybrid", "redundant", "topological")[:2 if FEW else 3]]
        for a, *others in zip(*runs):
            for b in others:
                self.assertLess(max(abs(a[k] - b[k]) for k in a if "position" in k), 1e-9)
                self.assertLess(abs(a["flexible.rod.q1"] - b["flexible.rod.q1"]), 1e-9)

    def refused(self, words, text, code=3):
        (self.dir / "bad.yaml").write_text(text)
        said = self.hooke("check", "bad.yaml", code=code).stderr
        self.assertIn(words, said)
        self.assertEqual(said.count("error:"), 1, said)

    def test_other_formulations(self):
        """those without room for inertia of elements say so"""
        for name in ("recursive", "global", "partition"):
            (self.dir / "model.yaml").write_text(FLIGHT)
            said = self.hooke("run", "model.yaml", "-f", name, code=2).stderr
            self.assertIn(f"formulation '{name}' ", said)
            self.assertIn("'rod'", said)

    def test_refused(self):
        for old, new, words in (
                ("rod.nc", "no.nc", "bad.yaml:3:24: error: cannot read 'no.nc'"),
                ("rod.nc}", "rod.nc, modes: 99}", "bad.yaml:3:39: error: 'modes' must be between 0 and 63, found 99"),
                ("rod.nc}", "rod.nc, modes: 30}", "bad.yaml:3:39: error: flexible body 'rod' asks for 30 modes, and its file has 16"),
                ("rod.nc}", "rod.nc, damping: -1}", "bad.yaml:3:41: error: 'damping' of flexible body 'rod' is -1"),
                ("rod.nc}", "rod.nc, damping: [1, 2]}", "has 2 numbers for 16 modes"),
                ("rod.nc}", "rod.nc, mods: 3}", "bad.yaml:3:32: error: flexible body 'rod' has no key 'mods'"),
                ("[ground, rod.end]", "[ground, rod]", "bad.yaml:6:3: error: the joint 'right' must act on an interface of the flexible body 'rod'"),
                ("[1, 0, 0]", "[1e-3, 0, 0]", "its file has other units of length"),
                ("rod.nc}", "rod.nc, q: 3}", "must be a list of at most 16 numbers"),
                ("rod.end]", "rod.tip]", "bad.yaml:6:44: error: flexible body 'rod' has no interface 'tip'"),
        ):
            with self.subTest(new):
                self.refused(words, SUPPORTED.replace(old, new), 6 if new == "no.nc" else 3)
        self.refused("joint 'left' has no key 'axle'", SUPPORTED.replace("axis: y", "axis: y, axle: 1"))
        self.refused("asks for 30 modes", FLIGHT.replace("modes: 6", "modes: 30"))
        (self.dir / "rod.nc").write_text("hooke: 1")
        self.refused("rod.nc", SUPPORTED, code=6)


if __name__ == "__main__":
    unittest.main()
