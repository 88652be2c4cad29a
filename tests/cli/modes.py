#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke modes`: eigenvalues against closed forms and published values, in every formulation; matrices; bad input."""
import json
import math
import unittest

from support import FEW, PENDULUM, SOURCE, hooke
from support_modes import ModesTest

FORMULATIONS = ("hybrid", "topological", "recursive", "global", "partition", "redundant")
EXAMPLES = SOURCE / "examples"

# Benchmark bicycle at 0, 5 and 10 m/s: eigenvalues of M x'' + v C1 x' + (g K0 + v^2 K2) x = 0 with the matrices that
# Meijaard, Papadopoulos, Ruina and Schwab (2007) publish to 14 digits
BICYCLE = {"M": ((80.81722, 2.31941332208709), (2.31941332208709, 0.29784188199686)),
           "K0": ((-80.95, -2.59951685249872), (-2.59951685249872, -0.80329488458618)),
           "K2": ((0, 76.59734589573222), (0, 2.65431523794604)),
           "C1": ((0, 33.86641391492494), (-0.85035641456978, 1.68540397397560))}

# a symmetric top that spins freely about its axis
TOP = """\
hooke: 1
bodies:
  top: {mass: 1, com: [0, 0, 0], inertia: [0.02, 0.02, 0.03]}
joints:
  ball: {type: spherical, between: [ground, top], at: [0, 0, 0]}
start:
  top: {angular_velocity: [0, 0, 10]}
"""

# a mass on a spring that a motor without inductance pulls: one velocity, one value of a node
CIRCUIT = """\
hooke: 1
bodies: {cart: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {slide: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x}}
signals: {u: {input: 0.0}}
forces:
  spring: {type: joint_spring, joint: slide, stiffness: 50, damping: 4}
  pull: {type: joint_force, joint: slide, value: 3*u}
"""


def determinant(matrices, v, z):
    g = 9.81
    a = [[matrices["M"][i][j] * z * z + v * matrices["C1"][i][j] * z + g * matrices["K0"][i][j]
          + v * v * matrices["K2"][i][j] for j in range(2)] for i in range(2)]
    return a[0][0] * a[1][1] - a[0][1] * a[1][0]


def polish(matrices, v, z):
    """the root of the determinant nearest to z, by Newton's iteration"""
    for _ in range(60):
        h = 1e-6 * max(1, abs(z))
        slope = (determinant(matrices, v, z + h) - determinant(matrices, v, z - h)) / (2 * h)
        step = determinant(matrices, v, z) / slope
        z -= step
        if abs(step) < 1e-15 * abs(z):
            break
    return z


class Modes(ModesTest):
    def test_pendulum_in_every_formulation(self):
        (self.dir / "p.yaml").write_text(PENDULUM)
        expected = math.sqrt(9.81 * 0.5 / (1 / 12 + 0.25))
        for f in FORMULATIONS:
            value = self.modes("p.yaml", "--at", "equilibrium", "-f", f)
            self.assertEqual((value["status"], value["dof"], value["formulation"], value["at"]), ("ok", 1, f, "equilibrium"))
            self.assertEqual(len(value["modes"]), 1)
            mode = value["modes"][0]
            self.near(mode["imag"], expected, 1e-10)
            self.near(mode["frequency_Hz"], expected / (2 * math.pi), 1e-10)
            self.assertLess(abs(mode["damping_ratio"]), 1e-9)
            self.assertEqual((mode["name"], mode["body"]), ("joint.pin.angle", "rod"))
            self.assertLess(value["acceleration"], 1e-8)

    def test_double_pendulum(self):
        """two equal point masses on threads of length 1: w^2 = g (2 -+ sqrt(2))"""
        (self.dir / "d.yaml").write_text(
            "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {a: {mass: 1, com: [0, 0, -1], inertia: [0, 0, 0]},"
            " b: {mass: 1, com: [0, 0, -2], inertia: [0, 0, 0]}}\njoints: {p: {type: revolute, between: [ground, a], at:"
            " [0, 0, 0], axis: y}, r: {type: revolute, between: [a, b], at: [0, 0, -1], axis: y}}\n")
        found = self.values("d.yaml")
        for z, sign in zip(found, (-1, 1)):
            self.near(z, 1j * math.sqrt(9.81 * (2 + sign * math.sqrt(2))), 1e-10)

    def test_spinning_top(self):
        """free top: in body axes nutation (C/A - 1) spin; orientations turn with the body, at the spin and their sum"""
        (self.dir / "t.yaml").write_text(TOP)
        for f in FORMULATIONS[:1] if FEW else FORMULATIONS:
            found = [z.imag for z in self.values("t.yaml", "-f", f) if z]
            self.assertEqual(len(found), 2)
            self.near(found[0], 5, 1e-9)
            self.near(found[1], 10, 1e-9)

    def test_benchmark_bicycle(self):
        path = EXAMPLES / "whipple-bicycle.yaml"
        for v in (5,) if FEW else (0, 5, 10):
            for f in ("hybrid",) if v != 5 or FEW else FORMULATIONS:
                value = self.modes(path, "--set", f"v={v}", "-f", f)
                found = [complex(m["real"], m["imag"]) for m in value["modes"] if m["real"] or m["imag"]]
                self.assertEqual((value["dof"], value["states"]), (3, 10))
                self.assertEqual(len(found), 4 if v == 0 else 3)
                for z in found:
                    self.near(z, polish(BICYCLE, v, z), 1e-8)
        # published at 5 m/s
        found = [z for z in self.values(path, "--at", "steady") if z]
        for z, expected in zip(found, (-14.07838969279822, -0.32286642900409, -0.77534188219585 + 4.46486771378823j)):
            self.near(z, expected, 1e-8)

    def test_flutter(self):
        """Ziegler's column: stable below (7/2 - sqrt(2)) k/l, growing above"""
        path, critical = EXAMPLES / "ziegler-column.yaml", 3.5 - math.sqrt(2)
        for f in ("hybrid",) if FEW else ("hybrid", "redundant", "global"):
            growth = [max(z.real for z in self.values(path, "--set", "lean=0", "--set", f"P={critical + d}", "-f", f))
                      for d in (-1e-6, 1e-6)]
            self.assertLess(growth[0], 1e-6)
            self.assertGreater(growth[1], 1e-4)
        self.assertIn("flutters", self.hooke("modes", path, "--set", "lean=0", "--set", "P=2.2").stdout)

    def test_vehicle_is_the_same_in_every_formulation(self):
        path = EXAMPLES / "iltis/ramp-and-stairs.yaml"
        first = self.values(path, "--at", "equilibrium", "-f", "redundant")
        self.assertEqual(len([z for z in first if z]), 7)
        for f in ("hybrid",) if FEW else FORMULATIONS[:5]:
            found = self.values(path, "--at", "equilibrium", "-f", f)
            self.assertEqual(len(found), len(first))
            for z, expected in zip(found, first):
                self.near(z, expected, 1e-8)

    def test_every_example_has_an_answer(self):
        """modes, or that nothing is free to move"""
        for path in sorted(EXAMPLES.glob("*.yaml"))[:: 9 if FEW else 3]:
            result = hooke("modes", path)
            self.assertTrue(result.returncode == 0 or "no modes" in result.stderr or "does not treat servo" in result.stderr, path)

    def test_at_a_time(self):
        """a pendulum that passes the lowest point has the frequency of that point, at the speed it has"""
        (self.dir / "p.yaml").write_text(PENDULUM)
        value = self.modes("p.yaml", "--at", "0.25")
        self.assertGreater(value["acceleration"], 1)
        self.assertIn("no equilibrium", self.hooke("modes", "p.yaml", "--at", "0.25").stderr)
        self.assertEqual(self.hooke("modes", "p.yaml", "--at", "0.25", "-q").stderr, "")

    def test_matrices(self):
        """2 x'' + 4 x' + 50 x = 3 u"""
        (self.dir / "c.yaml").write_text(CIRCUIT)
        self.hooke("modes", "c.yaml", "--matrices", "abcd.m", "--channel", "joint.slide.position", "--channel",
                   "body.cart.acceleration.x")
        text = (self.dir / "abcd.m").read_text()
        self.assertIn("states = {'joint.slide.position' 'joint.slide.velocity'};", text)
        self.assertIn("inputs = {'u'};", text)
        rows = {}
        for line in text.splitlines():
            if "(" in line and ", :) = [" in line:
                rows[line.split(",")[0]] = [float(x) for x in line.split("[")[1].rstrip("];").split()]
        for key, expected in {"A(1": (0, 1), "A(2": (-25, -2), "B(1": (0,), "B(2": (1.5,), "C(1": (1, 0), "C(2": (-25, -2),
                              "D(1": (0,), "D(2": (1.5,)}.items():
            for x, y in zip(rows[key], expected):
                self.assertLess(abs(x - y), 1e-9, key)
        mode = self.modes("c.yaml")["modes"][0]
        self.near(complex(mode["real"], mode["imag"]), -1 + 1j * math.sqrt(24), 1e-10)
        self.near(mode["damping_ratio"], 0.2, 1e-10)

    def test_section_of_the_model(self):
        """what the command line does not say stands in the model, with its parameters; the command line wins"""
        section = ("parameters: {k: 50, T: 0.5}\nmodes: {at: 2*T, between: [0.1, 4*k], inputs: u, number: ceil(k/50),\n"
                   "  channels: ['joint.slide.p*', body.cart.velocity], vary: {k: 50:100:2}}\n")
        text = CIRCUIT.replace("stiffness: 50", "stiffness: k").replace("{u: {input: 0.0}}", "{w: {input: 1}, u: {input: 0.0}}")
        (self.dir / "s.yaml").write_text(text + section)
        rows = self.modes("s.yaml")
        self.assertEqual([(r["parameters"]["k"], r["at"], len(r["modes"])) for r in rows], [(50, "1", 1), (100, "1", 1)])
        self.assertEqual([r["parameters"]["k"] for r in self.modes("s.yaml", "--vary", "k=60,70,80")], [60, 70, 80])
        self.assertEqual(self.modes("s.yaml", "--at", "equilibrium", "--set", "T=3")[0]["at"], "equilibrium")
        (self.dir / "s.yaml").write_text(text + section.replace(", vary: {k: 50:100:2}", ""))
        self.assertEqual(self.modes("s.yaml")["at"], "1")
        self.hooke("modes", "s.yaml", "--matrices", "s.m")
        text_m = (self.dir / "s.m").read_text()
        self.assertIn("inputs = {'u'};", text_m)
        self.assertIn("outputs = {'joint.slide.position' 'body.cart.velocity.x' 'body.cart.velocity.y'", text_m)
        self.assertIn("no mode has a frequency between 10 and 20 Hz",
                      self.modes("s.yaml", "--between", "10:20", code=5)["message"])
        for bad, words in (("at: noon", "s.yaml:9:15: error: 'at' cannot be"), ("at: -1", "must not be negative"),
                           ("number: 1.5", "whole number"), ("between: 3", "list of numbers"), ("chanels: [a]", "did you mean 'channels'"),
                           ("vary: k", "mapping"), ("vary: {k: soft}", "soft"), ("inputs: {a: 1}", "text")):
            (self.dir / "s.yaml").write_text(text + "parameters: {k: 50}\nmodes: {  " + bad + "}\n")
            self.assertIn(words, self.hooke("modes", "s.yaml", code=3).stderr)
        for bad, words in (("inputs: v", "no input 'v'"), ("vary: {k: 1:2}", "not understood"), ("between: [3, 1]", "--between"),
                           ("channels: nothing", "nothing")):
            (self.dir / "s.yaml").write_text(text + "parameters: {k: 50}\nmodes: {" + bad + "}\n")
            self.assertIn(words, self.hooke("modes", "s.yaml", code=2).stderr)

    def test_nothing_moves(self):
        (self.dir / "n.yaml").write_text(CIRCUIT.replace("prismatic", "fixed").replace(", axis: x", "").split("forces:")[0])
        self.assertIn("no modes", self.hooke("modes", "n.yaml", code=3).stderr)

    def test_shapes_are_drawn(self):
        """a four-bar and a page: mode 1 of the chain of two masses moves both alike, mode 2 against each other"""
        (self.dir / "two.yaml").write_text(
            "hooke: 1\nbodies:\n  a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
            "  b: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}\njoints:\n"
            "  x: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}\n"
            "  y: {type: prismatic, between: [ground, b], at: [1, 0, 0], axis: x}\nforces:\n"
            "  l: {type: joint_spring, joint: x, stiffness: 1}\n  r: {type: joint_spring, joint: y, stiffness: 1}\n"
            "  m: {type: spring_damper, between: [a, b], ends: [[0, 0, 0], [1, 0, 0]], stiffness: 1}\n"
            'record: ["joint.*.position"]\n')
        self.hooke("modes", "two.yaml", "--output", "s.csv", "--report", "s.html")
        rows = [[float(x) for x in line.split(",")] for line in (self.dir / "s.csv").read_text().splitlines()[1:]]
        largest = max(abs(r[1]) for r in rows)
        self.assertGreater(largest, 0.01)
        for t, x, y in rows:
            self.assertLess(abs(x - y if t < 0.999 else x + y), 1e-9, t)
        self.assertIn("</html>", (self.dir / "s.html").read_text())
        # loops stay closed
        self.hooke("modes", EXAMPLES / "spatial-four-bar.yaml", "--report", "f.html")

    def test_loci(self):
        """the bicycle steadies itself between about 4.3 and 6 m/s"""
        path = EXAMPLES / "whipple-bicycle.yaml"
        rows = json.loads(self.hooke("modes", path, "--vary", "v=4,5,7", "--json").stdout)
        growth = [max(m["real"] for m in r["modes"]) for r in rows]
        self.assertEqual([r["parameters"]["v"] for r in rows], [4, 5, 7])
        self.assertGreater(growth[0], 0)
        self.assertEqual(growth[1], 0)  # heading and place are free
        self.assertGreater(growth[2], 0)
        text = self.hooke("modes", path, "--vary", "v=4:5:2").stdout.splitlines()
        self.assertEqual(text[0].split()[:2], ["v", "mode"])
        self.assertIn("one state", self.hooke("modes", path, "--vary", "v=4", "--report", "x.html", code=2).stderr)
        self.assertIn("nothing", self.hooke("modes", path, "--vary", "nothing=4", code=2).stderr)

    def test_floating_capacitors(self):
        """the common value of nodes that no storage ties to the reference is solved for: no state, no mode of its own"""
        text = ("hooke: 1\nnodes: {a: {type: electric, start: 3}, b: {type: electric, start: 1}, s: {type: electric, value: 12}}\n"
                "network:\n  r1: {type: resistor, between: [s, a], resistance: 2}\n"
                "  c: {type: capacitor, between: [a, b], capacitance: 0.1}\n"
                "  r2: {type: resistor, between: [b, ground], resistance: 3}\n")
        (self.dir / "f.yaml").write_text(text)
        for f in ("hybrid", "redundant"):
            value = self.modes("f.yaml", "-f", f)
            self.assertEqual((value["states"], len(value["modes"])), (1, 1), f)
            self.near(value["modes"][0]["real"], -1 / (0.1 * 5), 1e-9)

    def test_corners_are_said(self):
        """a stop without gap: stiff to one side only"""
        (self.dir / "s.yaml").write_text(CIRCUIT.replace("pull:", "hit: {type: joint_force, joint: slide, value: "
                                                          "'max(0, -1000*joint.slide.position)'}\n  pull:"))
        self.assertIn("not smooth", self.hooke("modes", "s.yaml").stderr)

    def test_bad_input(self):
        (self.dir / "p.yaml").write_text(PENDULUM)
        (self.dir / "bad.yaml").write_text(PENDULUM.replace("mass:", "mas:"))
        for args, code, words in ((("p.yaml", "--at", "noon"), 2, "--at must be"), (("p.yaml", "--at", "-1"), 2, "--at"),
                                  (("p.yaml", "--number", "0"), 2, "--number"),
                                  (("p.yaml", "--channel", "nothing"), 2, "nothing"),
                                  (("p.yaml", "--matrices", "x.txt"), 2, ".m"), (("bad.yaml",), 3, "mas"),
                                  (("p.yaml", "-f", "best"), 2, "best"), (("none.yaml",), 6, "none.yaml")):
            self.assertIn(words, self.hooke("modes", *args, code=code).stderr)
        value = self.modes("bad.yaml", code=3)
        self.assertEqual((value["status"], value["modes"], value["dof"]), ("failed", [], None))
        self.assertIn("mas", value["message"])
        self.assertEqual(len(self.modes(EXAMPLES / "puma-by-torques.yaml", "--number", "2")["modes"]), 2)


if __name__ == "__main__":
    unittest.main()
