#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads along beams, places of sections and laminates in whole models against closed forms; bad input of beams."""
import json
import math
import unittest

from support import FEW, SOURCE, CommandTest

SOFT = "{EA: 4000, GA: [1200, 1200], GJ: 0.8, EI: [1, 2], mass: 1, inertia: [3e-3, 1e-3, 2e-3]}"
MODEL = """\
hooke: 1
parameters: {{q: 1e-6}}
points: {{A: [0, 0, 0], B: [1, 0, 0]}}
beams:
  c: {{from: A, to: B, elements: 4, up: z, section: {section}{extra}}}
{more}
record: ["body.c.end.position", "body.c.end.orientation", "body.c.2.position", "beam.c.*.moment"]
run: {{time: 0.0001, step: 0.0001}}
"""
CLAMPED = ", clamp: {start: ground}"
# fork supports: they hold places and the torsion, not the bending; one of them lets the end come nearer
FORKS = """joints:
  a: {type: general, between: [ground, c.start], at: A, locked: [x, y, z, rx]}
  b: {type: general, between: [ground, c.end], at: B, locked: [y, z, rx]}
"""


class Loads(CommandTest):
    def beam(self, extra=CLAMPED, section=SOFT, more="", old="", new=""):
        path = self.dir / "beam.yaml"
        text = MODEL.format(section=section, extra=extra, more=more)
        self.assertIn(old, text)
        path.write_text(text.replace(old, new) if old else text)
        return path

    def statics(self, path, *args):
        return json.loads(self.hooke("statics", path, "--json", *args).stdout)["points"][0]["final"]

    def near(self, found, expected, most, what=""):
        self.assertLess(abs(found - expected), most, (what, found, expected))

    def test_uniform(self):
        """q L^4/(8 EI) + q L^2/(2 GA) of a cantilever, 5 q L^4/(384 EI) + q L^2/(8 GA) on two supports; its own weight alike"""
        exact = 1e-6 * (1 / 8 + 1 / 2400), 1e-6 * (5 / 384 + 1 / 9600)
        load = ", loads: {w: {force: [0, 0, -q]}}"
        for extra, more in ((load, ""), ("", "gravity: [0, 0, -q]\n")):
            final = self.statics(self.beam(CLAMPED + extra, more=more))
            # two elements of three nodes: the curvature of a beam under q is quadratic, of the element linear
            self.near(-final["body.c.4.position.z"] / exact[0], 1, 3e-3, more)
            final = self.statics(self.beam(extra, more=FORKS + more))
            self.near(-final["body.c.2.position.z"] / exact[1], 1, 1e-2, more)
        self.near(self.statics(self.beam(CLAMPED + load, old="elements: 4", new="elements: 16"), )["body.c.16.position.z"] / -exact[0], 1,
                  2e-5)

    def test_small_load_settles(self):
        """under a millionth of a newton round-off of the stiff strains is larger than the load: a run begins at the equilibrium all the same"""
        path = self.beam(CLAMPED + ", loads: {w: {force: [0, 0, -q]}}", old="record:", new="start: {equilibrium: true}\nrecord:")
        final = json.loads(self.hooke("run", path, "--json").stdout)["final"]
        self.near(-final["body.c.4.position.z"] / 1e-6, 1 / 8 + 1 / 2400, 4e-4)

    def test_along(self):
        """triangle, part of the span, moments, two-node elements: exact forces and moments at the clamp"""
        for load, force, moment in (
                ("force: [0, 0, q], along: [0, 1]", 1 / 2, 1 / 3),
                ("force: [0, 0, q], along: [1, 0, 1]", 1 / 2, 1 / 4),
                ("force: [0, 0, q], from: 0.3, to: 0.9", 0.6, 0.36),
                ("force: [0, 0, q], from: 0.3, to: 0.9, along: [1, 0]", 0.3, 0.3 * 0.5),
                ("moment: [0, -q, 0]", 0, 1)):
            for element in ("three_node", "helicoidal") if "along: [1, 0]" in load else ("three_node",):
                path = self.beam(f", element: {element}, loads: {{w: {{{load}}}}}",
                                  more="joints: {root: {type: fixed, between: [ground, c.start], at: A}}\n")
                path.write_text(path.read_text().replace('record: [', 'record: ["joint.root.*", '))
                final = self.statics(path)
                self.near(final["joint.root.force.z"], -1e-6 * force, 1e-14, load)
                self.near(final["joint.root.torque.y"], 1e-6 * moment, 1e-12, load)

    def test_follower_and_signal(self):
        """a load that turns with the sections: bent to a circle its resultant is another; signals scale it"""
        text = ", loads: {w: {force: [0, 0, q], axes: AXES}}"
        final = {}
        for axes in ("world", "section"):
            path = self.beam(CLAMPED + text.replace("AXES", axes))
            final[axes] = self.statics(path, "--set", "q=10")
        # dead: the tip cannot rise above the length; follower: it comes back
        self.assertGreater(final["world"]["body.c.4.position.x"], 0.1)
        self.assertLess(final["section"]["body.c.4.position.x"], final["world"]["body.c.4.position.x"] - 0.1)
        # a vector signal and expressions of one
        for force in ("wind", "[wind.x, wind.y, wind.z]", "[0, 0, 2*q*level]"):
            path = self.beam(CLAMPED + f", loads: {{w: {{force: {force}}}}}",
                              more="signals: {wind: [0, 0, q], level: \"0.5 + t\"}\n")
            self.near(self.statics(path)["body.c.4.position.z"] / 1e-6, 1 / 8 + 1 / 2400, 4e-4, force)

    def test_mirrored_loads(self):
        """loads in the axes of the section and off the line, in a component and in its mirror image"""
        path = self.dir / "wings.yaml"
        path.write_text(f"""\
hooke: 1
components:
  wing:
    points: {{A: [0, 0.1, 0], B: [0.3, 0.9, 0.1]}}
    beams:
      b: {{from: A, to: B, elements: 4, up: z, twist: 0.4, clamp: {{start: ground}}, section: {SOFT},
          loads: {{lift: {{force: [0.1, 0.5, 2], moment: [0.1, 0.2, 0.3], axes: section, offset: [0.1, 0.02]}}, wind: {{force: [1, 1, 0]}}}}}}
instances:
  left: {{component: wing}}
  right: {{component: wing, mirror: y}}
  back: {{component: wing, mirror: x}}
record: ["body.*.b.end.position"]
run: {{time: 1e-4, step: 1e-4}}
""")
        final = self.statics(path)
        self.assertEqual(len(final), 9)
        a, b, c = ([final[f"body.{side}.b.4.position.{x}"] for x in "xyz"] for side in ("left", "right", "back"))
        self.assertGreater(a[2], 0.15)
        self.assertLess(math.dist((a[0], -a[1], a[2]), b), 1e-9)
        self.assertLess(math.dist((-a[0], a[1], a[2]), c), 1e-9)

    def test_shear_centre(self):
        """a load off the shear centre twists: theta = P e L/GJ; through it, it does not"""
        more = "forces: {p: {type: force, on: c.end, at: AT, value: [0, 0, q]}}\n"
        for at, expected in (("B", -0.1 / 0.8), ("[1, 0.1, 0]", 0)):
            final = self.statics(self.beam(section=SOFT.replace("mass: 1", "shear_centre: [0.1, 0], mass: 1"), more=more.replace("AT", at)))
            twist = 2 * final["body.c.4.orientation.x"] / final["body.c.4.orientation.w"]
            self.near(twist / 1e-6, expected, 1e-5, at)

    def test_offset_of_the_line(self):
        """a force along the line of nodes, which lies off the section's axis, bends the beam: v = N e L^2/(2 EI)"""
        more = "forces: {p: {type: force, on: c.end, at: B, value: [q, 0, 0]}}\n"
        final = self.statics(self.beam(section=SOFT.replace("mass: 1", "offset: [0, 0.05], mass: 1"), more=more))
        self.near(final["body.c.4.position.z"] / 1e-6, 0.05 / 2, 1e-6)
        self.near(final["body.c.4.position.x"] / 1e-6 - 1e6, 1 / 4000 + 0.05**2, 1e-4)

    @unittest.skipIf(FEW, "frequencies under sanitizers: tests/cli/beams.py")
    def test_coupled_frequencies(self):
        """mass off the axis on fork supports: (EI k^4 - m w^2)(GJ k^2 - I w^2) = (m e w^2)^2 with k = pi/L, I about the axis"""
        EI, GJ, m, J, e = 1.0, 0.8, 1.0, 3e-3, 0.05
        section = f"{{EA: 1e6, GA: 1e6, GJ: {GJ}, EI: [{EI}, 1e3], mass: {m}, inertia: [{J}, 1e-7, {J}], mass_centre: [{e}, 0]}}"
        path = self.beam("", section, FORKS, "elements: 4", "elements: 16")
        found = sorted(x["imag"] for x in json.loads(self.hooke("modes", path, "--json").stdout)["modes"])
        a, b = EI * math.pi**4, GJ * math.pi**2
        inertia = J + m * e * e
        # m (I - m e^2) w^4 - (m b + I a) w^2 + a b = 0
        A, B, C = m * (inertia - m * e * e), -(m * b + inertia * a), a * b
        roots = [math.sqrt((-B + s * math.sqrt(B * B - 4 * A * C)) / (2 * A)) for s in (-1, 1)]
        self.near(found[0] / roots[0], 1, 2e-4)
        self.assertLess(min(abs(x / roots[1] - 1) for x in found), 2e-3, (roots, found[:8]))
        # without the coupling it would be another
        self.assertGreater(abs(roots[0] / math.sqrt(a / m) - 1), 0.01)

    def test_bent_strip_twists(self):
        """fibres at 45 degrees from x to y of a strip that hangs down: the ends of its fibres are its stiff diagonal, it turns by -S34/S44"""
        strip = "{laminate: {width: 0.2, plies: [{angle: pi/4, thickness: 0.02}], material: {E1: 13.5e6, E2: 1e6, G12: 0.5e6, density: 1e3}}}"
        final = self.statics(self.beam(section=strip, more="forces: {p: {type: torque, on: c.end, value: [0, 1000*q, 0]}}\n"))
        twist = 2 * final["body.c.4.orientation.x"] / final["body.c.4.orientation.w"]
        bend = 2 * final["body.c.4.orientation.y"] / final["body.c.4.orientation.w"]
        # the sheet of this strip at a twentieth of its size: GJ 0.07978931, bend-twist -0.02438549
        self.near(twist / bend, 0.02438549 / 0.07978931, 1e-5)
        self.assertGreater(bend, 0)

    def test_example(self):
        """the strip of the example bends down and twists to the side of its fibres; the run is good"""
        summary = json.loads(self.hooke("run", SOURCE / "examples/laminate-strip.yaml", "--json", "--time", "0.03" if FEW else "0.3").stdout)
        self.assertEqual(summary["grade"], "good")
        if FEW:
            return
        self.assertLess(summary["final"]["body.strip.8.position.z"], -0.15)
        self.assertGreater(summary["final"]["body.strip.8.angles_xyz.x"], 0.1)

    def test_bad_input(self):
        section = "section: " + SOFT
        load = "elements: 4, loads: {w: {force: [0, 0, 1]}}"
        ply = "section: {laminate: {width: 0.1, plies: [{angle: 0, thickness: 1e-3}], material: {E1: 2e9, E2: 1e9, G12: 1e9, density: 1}}}"
        rows = [[10 if i == j else 0 for j in range(6)] for i in range(6)]
        unit, lame = str(rows), [list(r) for r in rows]
        lame[0][4] = 1
        uneven = [[20 if i == j == 0 else x for j, x in enumerate(r)] for i, r in enumerate(rows)]
        for old, new, words in (
                ("to: B", "to: B, through: [[2, 0, 0], [0.5, 0, 0.01]]", "doubles back"),
                ("to: B", "to: B, through: [2, 0, 0]", "doubles back at (2, 0, 0)"),
                ("to: B", "to: B, through: [[0.5, 0, 0], [0.5, 0, 0]]", "has no length"),
                ("to: B", "to: [0, 1e-3, 0], through: [[1, 0, 0], [1, 1e-3, 0]]", "sharp kink: it turns by"),
                ("up: z", "up: z, twist: 9", "twisted by 2.25 rad between two nodes"),
                ("elements: 4", load.replace("force", "forse"), "has no key 'forse'"),
                ("elements: 4", load.replace("force: [0, 0, 1]", "axes: section"), "neither 'force' nor 'moment'"),
                ("elements: 4", load.replace("[0, 0, 1]", "[0, 0, {pid: 1}]"), "three numbers, expressions or signals"),
                ("elements: 4", load.replace("[0, 0, 1]", "[0, 0, 1], from: 0.5, to: 0.5"), "must end behind its beginning"),
                ("elements: 4", load.replace("[0, 0, 1]", "[0, 0, 1], to: 1.5"), "'to' must be between 0 and 1"),
                ("elements: 4", load.replace("[0, 0, 1]", "[0, 0, 1], along: 2"), "two or more numbers"),
                ("elements: 4", load.replace("[0, 0, 1]", "[0, 0, 1], axes: body"), "axes"),
                ("elements: 4", load.replace("[0, 0, 1]", "[0, 0, nothing]"), "nothing"),
                ("elements: 4", "elements: 4, loads: [1]", "must be a mapping of names"),
                (section, "section: [{at: 0, EA: 1, GA: 1, GJ: 1, EI: 1, mass: 1}, {EA: 1, GA: 1, GJ: 1, EI: 1, mass: 1}]", "in rising order"),
                (section, "section: {at: 1.5, EA: 1, GA: 1, GJ: 1, EI: 1, mass: 1}", "'at' must be between 0 and 1"),
                (section, f"section: {{stiffness: {lame}, mass_matrix: {unit}}}", "'stiffness' is not symmetric: entry 1, 5 is 1, and 5, 1 is 0"),
                (section, f"section: {{stiffness: {unit}}}", "mass_matrix"),
                (section, f"section: {{stiffness: {unit}, mass_matrix: {uneven}}}", "one mass in all directions"),
                (section, section[:-1] + f", stiffness: {unit}}}", "given twice"),
                (section, ply.replace("thickness: 1e-3", "thickness: 0"), "thickness"),
                (section, ply.replace("G12: 1e9", "G12: 1e9, nu12: 1.5"), "'nu12' must be between"),
                (section, ply.replace(", material: {E1: 2e9, E2: 1e9, G12: 1e9, density: 1}", ""), "no material, and the laminate neither"),
                (section, ply.replace("E2: 1e9, ", ""), "needs the key 'E2'"),
                (section, ply.replace("[{angle: 0, thickness: 1e-3}]", "3"), "list of plies"),
                ("start: ground", "start: ground}, loads: {w: {force: [0, 0, 1]}", None),
                ("run:", "forces: {p: {type: force, on: c.99, value: [0, 0, 1]}}\nrun:", "beam 'c' has no node '99'"),
                ("run:", "forces: {p: {type: force, on: c.at(1.2), value: [0, 0, 1]}}\nrun:", "beam 'c' has no node 'at(1.2)'"),
                ("run:", "forces: {p: {type: force, on: c.at(0.6), value: [0, 0, 1]}}\nrun:", "the nearest, 'c.2', is at 0.5"),
                ("run:", "forces: {p: {type: force, on: c.middle, value: [0, 0, 1]}}\nrun:", "its nodes are 0 to 4, start, end"),
                ("hooke: 1", "hooke: 1\nplanar: xz", "bends in space")):
            path = self.beam(old=old, new=new)
            result = self.hooke("check", path, code=3 if words else 0)
            if words:
                self.assertIn(words, result.stderr, (new, result.stderr))
                self.assertRegex(result.stderr, r"beam\.yaml:\d+:\d+", result.stderr)


if __name__ == "__main__":
    unittest.main()
