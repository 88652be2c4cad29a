#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Beams in whole models: exact answers, converged reference values, frequencies, all formulations, the energy audit, bad
input. The elements alone: tests/elements/beams.c."""
import csv
import json
import math
import sys
import unittest

from support import FEW, SOURCE, CommandTest

sys.path.insert(0, str(SOURCE / "scripts"))
from beam_cases import ARC, arc  # pylint: disable=wrong-import-position

FORMULATIONS = ("hybrid", "topological", "recursive", "global", "partition", "redundant")
BEND = (47.15043857, 15.68480053, 53.47485879)  # tip of the 45-degree bend at P = 600, by shooting

STRAIGHT = """\
hooke: 1
parameters: {{P: 0, Y: 0, M: 0, T: 0, n: {n}}}
points: {{A: [0, 0, 0], B: [1, 0, 0]}}
beams:
  c: {{from: A, to: B, elements: n, up: z, clamp: {{start: ground}}, element: {element}, section: {section}}}
forces:
  load: {{type: force, on: c.end, at: B, value: [0, Y, P]}}
  turn: {{type: torque, on: c.end, value: [T, -M, 0]}}
record: ["body.c.{n}.position", "body.c.{n}.orientation", "beam.c.1.*"]
start: {{equilibrium: {equilibrium}}}
run: {{time: 0.0001, step: 0.0001}}
"""
SOFT = "{EA: 4000, GA: [1200, 1200], GJ: 0.8, EI: [1, 2], mass: 1, inertia: [3e-3, 1e-3, 2e-3]}"
STIFF = "{EA: 1e4, GA: 1e4, GJ: 1, EI: 1, mass: 1}"


class Beams(CommandTest):
    def straight(self, n, section=SOFT, element="three_node", equilibrium="true"):
        path = self.dir / f"straight-{n}.yaml"
        path.write_text(STRAIGHT.format(n=n, section=section, element=element, equilibrium=equilibrium))
        return path

    def final(self, path, *args):
        return json.loads(self.hooke("run", path, "--json", *args).stdout)["final"]

    def tip(self, path, n, *args, name="c"):
        final = self.final(path, *args)
        return [final[f"body.{name}.{n}.position.{x}"] for x in "xyz"]

    def test_linear_beam_is_exact_with_one_element(self):
        """P L^3/(3 EI) + P L/(GA) at a load so small that rotations do not count"""
        value = self.hooke("statics", self.straight(2, equilibrium="false"), "--set", "P=1e-6", "--json").stdout
        final = json.loads(value)["points"][0]["final"]
        self.assertLess(abs(final["body.c.2.position.z"] / 1e-6 / (1 / 3 + 1 / 1200) - 1), 1e-11)
        self.assertLess(abs(final["beam.c.1.force.z"] - 1e-6), 1e-15)
        self.assertLess(abs(final["beam.c.1.moment.y"] + 0.5e-6), 1e-15)

    @unittest.skipIf(FEW, "test_bend has the same path under sanitizers")
    def test_roll_up(self):
        """M = 2 pi EI/L: the tip comes back to the root; `hooke statics` finds the same"""
        for element, n in (("three_node", 10),) if FEW else (("three_node", 10), ("helicoidal", 5)):
            path = self.straight(n, STIFF, element, "false")
            # three nodes close the circle, and are exact within the error of the element on the way
            for part in (1.0,) if element == "three_node" else (0.25, 1.0):
                value = json.loads(self.hooke("statics", path, "--set", f"M={2 * math.pi * part}", "--json").stdout)
                final = value["points"][0]["final"]
                a = 2 * math.pi * part
                expected = (math.sin(a) / a, 0, (1 - math.cos(a)) / a)
                for x, e in zip("xyz", expected):
                    self.assertLess(abs(final[f"body.c.{n}.position.{x}"] - e), 1e-9, (element, part, x))

    def test_bend(self):
        """4 and 8 elements of three nodes: errors of the sheet, and order 4; two-node ones order 2"""
        text = (SOURCE / "examples/bent-beam.yaml").read_text()
        text = text.replace("time: 0.1, step: 0.001", "time: 1e-4, step: 1e-4")
        for element, expected, order in (("three_node", (9.2e-3, 5.9e-4), (15, 16.5)), ("helicoidal", (0.166, 0.0414), (3.9, 4.1)),
                                         ("finite_volume_two", (0.146, 0.0365), (3.9, 4.1)))[:1 if FEW else 3]:
            errors = []
            for n, e in zip((8, 16), expected):
                path = self.dir / "bend.yaml"
                path.write_text(text.replace("elements: 8", f"elements: {n}, element: {element}".replace(", ", "\n    "))
                                .replace("body.bar.8", f"body.bar.{n}"))
                errors.append(math.dist(self.tip(path, n, name="bar"), BEND))
                self.assertLess(abs(errors[-1] / e - 1), 0.02, (element, n, errors[-1]))
            self.assertTrue(order[0] < errors[0] / errors[1] < order[1], (element, errors))

    def test_bend_by_finite_volumes(self):
        """As accurate as the default. They have no potential to go down: the search goes down that of the default, and Newton's method
        ends it, in a run as in statics."""
        for n in (4, 8)[:1 if FEW else 2]:
            path = self.dir / "volume.yaml"
            path.write_text((SOURCE / "examples/bent-beam.yaml").read_text().replace("elements: 8", f"elements: {n}\n    element: finite_volume")
                            .replace("body.bar.8", f"body.bar.{n}").replace("time: 0.1, step: 0.001", "time: 1e-4, step: 1e-4"))
            tip = self.tip(path, n, name="bar")
            self.assertLess(abs(math.dist(tip, BEND) / {4: 0.127, 8: 9.18e-3}[n] - 1), 0.02, math.dist(tip, BEND))
            final = json.loads(self.hooke("statics", path, "--json").stdout)["points"][0]["final"]
            self.assertLess(math.dist([final[f"body.bar.{n}.position.{x}"] for x in "xyz"], tip), 1e-6)

    @unittest.skipIf(FEW, "beams_accuracy.py has the same path under sanitizers")
    def test_spline(self):
        """a quarter of a circle drawn as a spline through four points: first frequencies, 16 intervals"""
        path = self.dir / "spline.yaml"
        path.write_text(arc("three_node", 16).replace("through: C", "through: [C, D]").replace(
            "points: {", "points: {D: [2/pi*sin(pi/3), 2/pi*(1 - cos(pi/3)), 0], "))
        found = sorted(m["imag"] for m in json.loads(self.hooke("modes", path, "--json").stdout)["modes"])
        for x, e in zip(found, ARC[:2]):
            self.assertLess(abs(x / e - 1), 0.03, (x, e))

    def test_pendulum_in_every_formulation(self):
        """the same motion; the audit closes with the square of the step"""
        path = SOURCE / "examples/flexible-pendulum.yaml"
        first, errors = None, []
        for f in FORMULATIONS[:2] if FEW else FORMULATIONS:
            final = self.final(path, "-f", f, "--time", "0.4", "--integrator", "trapezoidal")
            first = first or final
            for name, x in final.items():
                if "position" in name:
                    self.assertLess(abs(x - first[name]), 2e-6, (f, name))
        for step in (0.005, 0.0025):
            final = self.final(path, "--time", "0.4", "--step", str(step), "--integrator", "trapezoidal")
            errors.append(abs(final["energy.balance_error"]))
        self.assertLess(errors[0], 2e-3 * abs(first["energy.potential"]))
        self.assertTrue(3.3 < errors[0] / errors[1] < 4.7, errors)

    def test_mass(self):
        """total mass and moment of inertia of a rod on a pin: one swing of a stiff one is that of a rigid bar"""
        value = json.loads(self.hooke("check", self.straight(4), "--json").stdout)
        self.assertLess(abs(value["total_mass_kg"] - 1), 1e-12)

    def test_sections(self):
        """torsion, bending and shear of shapes against closed forms: small loads on one element"""
        E, G, small = 1e9, 4e8, 1e-4
        a, b, r, s = 0.2, 0.1, 0.1, 0.0999
        thin = math.pi * (r**4 - s**4) / 4, math.pi * (r**2 - s**2)
        wide, high, web, flange = 0.1, 0.2, 0.01, 0.02
        inner = high - 2 * flange
        for shape, J, Iy, Iz, Ay, Az in (
                (f"{{rectangle: [{b}, {a}]}}", 0.228681677120 * a * b**3, b * a**3 / 12, a * b**3 / 12, 5 / 6 * a * b, 5 / 6 * a * b),
                (f"{{circle: {r}}}", math.pi * r**4 / 2, math.pi * r**4 / 4, math.pi * r**4 / 4, 0.9 * math.pi * r**2,
                 0.9 * math.pi * r**2),
                (f"{{tube: [{r}, {s}]}}", 2 * thin[0], thin[0], thin[0], thin[1] / 2, thin[1] / 2),
                (f"{{i: [{wide}, {high}, {web}, {flange}]}}", (2 * wide * flange**3 + inner * web**3) / 3,
                 (wide * high**3 - (wide - web) * inner**3) / 12, (2 * flange * wide**3 + inner * web**3) / 12,
                 5 / 3 * wide * flange, web * high)):
            path = self.straight(2, f"{{shape: {shape}, material: {{E: {E}, G: {G}, density: 1000}}}}", equilibrium="false")
            value = self.hooke("statics", path, *(x for k in "PYT" for x in ("--set", f"{k}={small}")), "--json").stdout
            final = json.loads(value)["points"][0]["final"]
            twist = 2 * final["body.c.2.orientation.x"] / final["body.c.2.orientation.w"]
            for found, expected in ((twist, 1 / (G * J)),
                                    (final["body.c.2.position.z"], 1 / (3 * E * Iy) + 1 / (G * Az)),
                                    (final["body.c.2.position.y"], 1 / (3 * E * Iz) + 1 / (G * Ay))):
                self.assertLess(abs(found / small / expected - 1), 2e-5, (shape, found / small, expected))

    def test_doctor(self):
        """nodes, mass and the frequency c/(4 L) of stretching; a note where an undamped method with long steps cannot follow that"""
        path = self.straight(4, "{EA: 4000, GA: 1200, GJ: 1, EI: 1, mass: 10}", equilibrium="false")
        text = path.read_text().replace("time: 0.0001, step: 0.0001", "time: 1, step: H, integrator: I")
        for step, integrator, rings in ((0.05, "trapezoidal", True), (0.005, "trapezoidal", False), (0.05, "generalized_alpha", False), (0.05, "rk4", False)):
            path.write_text(text.replace("H", str(step)).replace("I}", integrator + "}"))
            value = json.loads(self.hooke("check", path, "--json").stdout)
            self.assertEqual(value["mechanisms"], 1)
            self.assertEqual(value["beams"], ["c (5 nodes, 10 kg, stretches at 5 Hz and above)"])
            notes = [f for f in value["findings"] if f["item"] == "c"]
            self.assertEqual(len(notes), rings, (step, integrator, notes))
            if rings:
                self.assertIn("beam 'c' stretches at 5 Hz and above, which steps of 0.05 s do not follow", notes[0]["text"])
                self.assertIn("steps below 0.016 s", notes[0]["text"])
        self.assertRegex(self.hooke("check", path).stdout, r"beams and shells +c \(5 nodes")

    def test_energy(self):
        """bent by a moment: M^2 L/(2 EI), in equal parts; what damping takes is the integral of its power, and the audit's under
        the name of the beam"""
        path = self.straight(4)
        path.write_text(path.read_text().replace('"beam.c.1.*"', '"beam.*.energy"'))
        final = self.final(path, "--set", "M=0.5")
        self.assertLess(abs(final["beam.c.energy"] - 0.125), 1e-9)
        for k in (1, 2):
            self.assertLess(abs(final[f"beam.c.{k}.energy"] - 0.0625), 1e-9)
        swings = self.straight(4, equilibrium="false").read_text().replace("up: z", "up: z, damping: 0.02").replace("step: 0.0001", "step: 0.005")
        path.write_text(swings.replace("time: 0.0001", "time: 1").replace('"beam.c.1.*"', '"beam.c.diss*", "beam.*.dissipated"'))
        table = self.dir / "swings.csv"
        value = json.loads(self.hooke("run", path, "--set", "P=1", "--json", "--output", table).stdout)
        with open(table, newline="") as f:
            rows = list(csv.DictReader(f))
        power = [float(r["beam.c.dissipation"]) for r in rows]
        work = 0.005 * (sum(power) - 0.5 * (power[0] + power[-1]))
        taken = value["final"]["beam.c.dissipated"]
        self.assertGreater(taken, 0.01)
        self.assertLess(abs(work / taken - 1), 2e-3)
        self.assertLess(abs(taken - value["final"]["beam.c.1.dissipated"] - value["final"]["beam.c.2.dissipated"]), 1e-12)
        self.assertEqual(list(value["energy"]["dissipated_by_J"]), ["beam.c"])
        self.assertLess(abs(value["energy"]["dissipated_by_J"]["beam.c"] - taken), 1e-12)

    def test_what_is_recorded(self):
        """without `record:` the ends of a beam and its energy, however many nodes it has"""
        path = self.straight(64)
        lines = [x for x in path.read_text().splitlines() if not x.startswith("record:")]
        path.write_text("\n".join(lines) + "\n")
        names = [n for n in self.final(path) if not n.startswith(("energy.", "joint."))]
        pose = [f"position.{x}" for x in "xyz"] + [f"orientation.{x}" for x in "wxyz"]
        self.assertCountEqual(names, [f"body.c.{k}.{p}" for k in (0, 64) for p in pose] + ["beam.c.energy", "beam.c.dissipation"])
        path.write_text("\n".join(lines) + '\nrecord: ["beam.c.moment.y"]\n')
        self.assertIn("matches no channel", self.hooke("check", path, code=3).stderr)

    def test_matrices(self):
        """a section as 6x6 matrices is the one of its numbers; so is one of two equal ones"""
        rows = [[4000, 0, 0, 0, 0, 0], [0, 1200, 0, 0, 0, 0], [0, 0, 1200, 0, 0, 0], [0, 0, 0, 0.8, 0, 0], [0, 0, 0, 0, 1, 0],
                [0, 0, 0, 0, 0, 2]]
        mass = [[m if i == j else 0 for j in range(6)] for i, m in enumerate((1, 1, 1, 3e-3, 1e-3, 2e-3))]
        loads = [x for k in "PYT" for x in ("--set", f"{k}=0.3")]
        first = self.tip(self.straight(4), 4, *loads)
        for section in (f"{{stiffness: {rows}, mass_matrix: {mass}}}", f"[{SOFT}, {SOFT}, {SOFT}]"):
            self.assertLess(math.dist(self.tip(self.straight(4, section), 4, *loads), first), 1e-12)

    def test_names_of_nodes(self):
        """wing.start, wing.end and wing.at(0.5) are nodes; twice the half way is an error"""
        text = self.straight(4).read_text().replace("on: c.end, at: B", "on: c.at(0.5), at: [0.5, 0, 0]")
        path = self.dir / "at.yaml"
        path.write_text(text)
        self.assertLess(self.tip(path, 4, "--set", "P=1")[2], self.tip(self.straight(4), 4, "--set", "P=1")[2])
        path.write_text(text.replace("c.at(0.5)", "c.at(0.6)"))
        self.assertIn("c.at(0.6)", self.hooke("check", path, code=3).stderr)

    def test_components(self):
        """a twisted wing in a component, and its mirror image placed elsewhere, hang alike"""
        path = self.dir / "wings.yaml"
        path.write_text(f"""\
hooke: 1
gravity: [0, 0, -9.81]
components:
  wing:
    points: {{A: [0, 0.1, 0], B: [0.3, 0.9, 0.1], C: [0.1, 0.5, 0]}}
    beams:
      b: {{from: A, to: B, through: C, elements: 4, up: z, twist: 0.4, clamp: {{start: ground}}, section: {SOFT}}}
instances:
  left: {{component: wing}}
  right: {{component: wing, mirror: y, at: [1, 2, 3]}}
record: ["body.*.position"]
start: {{equilibrium: true}}
run: {{time: 1e-4, step: 1e-4}}
""")
        final = self.final(path)
        for k in range(5):
            a, b = ([final[f"body.{side}.b.{k}.position.{x}"] for x in "xyz"] for side in ("left", "right"))
            self.assertLess(math.dist((a[0] + 1, 2 - a[1], a[2] + 3), b), 1e-9)
        self.assertLess(final["body.left.b.4.position.z"], 0.1 - 0.3)

    def test_bad_input(self):
        good = self.straight(4).read_text()
        section = good[good.index("section: "):good.index("}}\nforces")] + "}"
        for old, new, words in (
                ("to: B", "to: A", "beam 'c' has no length"),
                ("elements: n", "elements: 3", "3 is odd"),
                ("elements: n", "elements: 0", "elements"),
                ("up: z", "up: x", "'up' of beam 'c' lies along it"),
                ("GJ: 0.8", "GJ: -1", "GJ"),
                ("EI: [1, 2]", "EI: [1, 0]", "'EI' must be positive"),
                ("on: c.end", "on: c.9", "c.9"),
                ("start: ground", "start: nobody", "nobody"),
                ("section: {EA", "section: {E: 1, EA", "E"),
                (section, "section: {shape: {circle: 0.1}}", "needs both 'shape' and 'material'"),
                (section, "section: {shape: {tube: [0.1, 0.2]}, material: {E: 1e9, density: 1}}", "smaller than its outer radius"),
                (section, "section: {stiffness: [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 2, 0], "
                          "[0, 0, 0, 2, 1, 0], [0, 0, 0, 0, 0, 1]], mass_matrix: 1}", "not positive definite"),
                ("hooke: 1", "hooke: 1\nplanar: xz", "bends in space")):
            self.assertIn(old, good)
            path = self.dir / "bad.yaml"
            path.write_text(good.replace(old, new))
            result = self.hooke("check", path, code=3)
            self.assertIn(words, result.stderr, (new, result.stderr))
            self.assertIn("bad.yaml:", result.stderr)


if __name__ == "__main__":
    unittest.main()
