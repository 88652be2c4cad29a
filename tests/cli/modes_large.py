#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke modes` by sparse matrices, of massless bodies, in bands of frequencies; frequencies by runs; states without modes."""
import ctypes
import math
import re
import unittest

from support import FEW, SOURCE
from support_modes import ModesTest

EXAMPLES = SOURCE / "examples"
FORMULATIONS = ("hybrid", "topological", "recursive", "global", "partition", "redundant")

# n masses in a row, each on a spring to the one before
ROW = """\
hooke: 1
parameters: {n: 320, L: 0.1}
points: {P: {repeat: n, at: [i*L, 0, 0]}}
bodies: {car: {repeat: n, mass: 0.5, com: "P_{i}", inertia: [0.001, 0.001, 0.001]}}
joints:
  slide: {repeat: n, type: prismatic, between: ["car_{i - 1}", "car_{i}"], at: "P_{i}", axis: x, first: {between: [ground, car_1]}}
forces: {spring: {repeat: n, type: joint_spring, joint: "slide_{i}", stiffness: 800, damping: c}}
"""

# a hanging chain of rods with springs and dampers in their pins
CHAIN = """\
hooke: 1
gravity: [0, 0, -9.81]
parameters: {n: 30, L: 0.05, k: 0.3}
points: {P: {repeat: n + 1, at: [0, 0, -(i - 1)*L]}}
bodies: {rod: {repeat: n, mass: 0.02, com: [0, 0, -(i - 0.5)*L], inertia: [1e-5, 1e-5, 1e-6]}}
joints:
  pin: {repeat: n, type: universal, between: ["rod_{i - 1}", "rod_{i}"], at: "P_{i}", axis: x, axis2: y, first: {between: [ground, rod_1]}}
forces: {spring: {repeat: n, type: bushing, between: ["rod_{i - 1}", "rod_{i}"], at: "P_{i}", stiffness: [0, 0, 0, k, 1.2*k, 0], damping: [0, 0, 0, 0.001, 0.001, 0], first: {between: [ground, rod_1]}}}
"""

# a load on a spring, in series with a spring and a damper side by side: a node without mass between them
MASSLESS = """\
hooke: 1
bodies:
  node: {mass: 0, com: [0, 0, 0], inertia: [0, 0, 0]}
  load: {mass: 2, com: [1, 0, 0], inertia: [1, 1, 1]}
joints:
  a: {type: prismatic, between: [ground, node], at: [0, 0, 0], axis: x}
  b: {type: prismatic, between: [ground, load], at: [1, 0, 0], axis: x}
forces:
  k2: {type: joint_spring, joint: a, stiffness: 30, damping: 5}
  k1: {type: spring_damper, between: [node, load], ends: [[0, 0, 0], [1, 0, 0]], stiffness: 50, length: 1}
"""

# a trolley whose velocity is an input, with a pendulum
TROLLEY = """\
hooke: 1
gravity: [0, 0, -9.81]
bodies: {cart: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}, bob: {mass: 1, com: [0, 0, -1], inertia: [0, 0, 0]}}
signals: {u: {input: 0.0}}
joints:
  slide: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x, motion: {velocity: u}}
  pin: {type: revolute, between: [cart, bob], at: [0, 0, 0], axis: y}
"""

# a four-bar that is almost stretched
STRETCHED = """\
hooke: 1
parameters: {lift: 1e-7}
bodies:
  a: {mass: 1, com: [0.5, lift/2, 0], inertia: [0.1, 0.1, 0.1]}
  b: {mass: 1, com: [1.5, lift, 0], inertia: [0.1, 0.1, 0.1]}
  c: {mass: 1, com: [2.5, lift/2, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}
  q: {type: revolute, between: [a, b], at: [1, lift, 0], axis: z}
  r: {type: revolute, between: [b, c], at: [2, lift, 0], axis: z}
  s: {type: revolute, between: [ground, c], at: [3, 0, 0], axis: z}
"""


def has_arpack():
    try:
        ctypes.CDLL("libarpack.so.2")
    except OSError:
        return False
    return True


class ModesLarge(ModesTest):
    # --- sparse matrices ---

    @unittest.skipUnless(has_arpack(), "ARPACK is not installed")
    def test_row_of_masses(self):
        """closed form of n masses on springs: 2 sqrt(k/m) sin((2 j - 1) pi/(2 (2 n + 1))); slowest, near, between"""
        n = 320
        (self.dir / "r.yaml").write_text(ROW.replace("damping: c", "damping: 0"))
        exact = [80 * math.sin((2 * j - 1) * math.pi / (2 * (2 * n + 1))) for j in range(1, n + 1)]
        value = self.modes("r.yaml", "--number", "6")
        self.assertTrue(value["sparse"])
        self.assertEqual(value["dof"], n)
        for m, w in zip(value["modes"], exact, strict=False):
            self.near(complex(m["real"], m["imag"]), 1j * w, 1e-9)
        self.assertEqual(value["modes"][0]["body"], f"car_{n}")  # the free end
        middle = self.values("r.yaml", "--near", "6.5", "--number", "4")
        nearest = sorted(sorted(exact, key=lambda w: abs(w - 2 * math.pi * 6.5))[:4])
        self.assertEqual(len(middle), 4)
        for z, w in zip(middle, nearest):
            self.near(z, 1j * w, 1e-9)
        band = self.values("r.yaml", "--between", "3:4")
        inside = [w for w in exact if 3 <= w / (2 * math.pi) <= 4]
        self.assertGreater(len(inside), 12)
        self.assertEqual(len(band), len(inside))
        for z, w in zip(band, inside):
            self.near(z, 1j * w, 1e-9)

    @unittest.skipUnless(has_arpack(), "ARPACK is not installed")
    def test_sparse_is_full(self):
        """gravity, dampers, loops, free bodies: the same as by full matrices"""
        (self.dir / "c.yaml").write_text(CHAIN)
        cases = [("c.yaml",), (EXAMPLES / "double-four-bar.yaml", "--at", "equilibrium"),
                 (EXAMPLES / "spatial-four-bar.yaml", "--at", "equilibrium"),
                 (EXAMPLES / "iltis/ramp-and-stairs.yaml", "--at", "equilibrium")]
        for args in cases[:1] if FEW else cases:
            full = [z for z in self.values(*args, "--sparse", "off") if z]
            found = [z for z in self.values(*args, "--sparse", "on", "--number", "10") if z]
            self.assertGreaterEqual(len(found), min(4, len(full)))
            for z in found:
                self.near(z, min(full, key=lambda x: abs(x - z)), 2e-8)
        self.hooke("modes", "c.yaml", "--sparse", "on", "--number", "3", "--output", "s.csv")
        self.assertEqual(len((self.dir / "s.csv").read_text().splitlines()), 3 * 32 + 1)

    @unittest.skipUnless(has_arpack(), "ARPACK is not installed")
    def test_slowest_far_below_the_stiffest(self):
        """a joint that is a thousand times as stiff as it need be: the first shift lies above all modes, and goes down"""
        (self.dir / "r.yaml").write_text(ROW.replace("damping: c", "damping: 0").replace(
            "forces: {", "forces: {stiff: {type: joint_spring, joint: slide_1, stiffness: 8e11}, "))
        found = self.values("r.yaml", "--number", "4", "--sparse", "on", "--set", "n=41")
        self.assertEqual(len(found), 4)
        for j, z in enumerate(found):
            self.near(z, 80j * math.sin((2 * j + 1) * math.pi / (2 * 81)), 1e-7)

    def test_what_sparse_matrices_do_not_know(self):
        (self.dir / "t.yaml").write_text("hooke: 1\nbodies: {top: {mass: 1, com: [0, 0, 0], inertia: [0.02, 0.02, 0.03]}}\njoints: {ball: "
                                         "{type: spherical, between: [ground, top], at: [0, 0, 0]}}\nstart: {top: {angular_velocity: [0, 0, 10]}}\n")
        self.assertIn("bodies that turn", self.hooke("modes", "t.yaml", "--sparse", "on", code=3).stderr)
        self.assertIn("rows on velocities", self.hooke("modes", EXAMPLES / "whipple-bicycle.yaml", "--set", "v=0", "--sparse", "on",
                                                       code=3).stderr)
        self.assertIn("are sparse", self.hooke("modes", EXAMPLES / "hanging-chain.yaml", "--at", "equilibrium", "--sparse", "on",
                                               "--matrices", "x.m", code=2).stderr)
        self.assertFalse((self.dir / "x.m").exists())

    # --- motions without mass ---

    def test_massless(self):
        """2 s^2 (80 + 5 s) + 50 (30 + 5 s) = 10 (s + 15) (s^2 + s + 10): three finite eigenvalues, the rest infinite"""
        (self.dir / "m.yaml").write_text(MASSLESS)
        found = self.values("m.yaml")
        self.assertEqual(len(found), 2)
        self.near(found[0], -15, 1e-9)
        self.near(found[1], -0.5 + 1j * math.sqrt(9.75), 1e-9)
        # two springs in series, 200 N/m and 2 kg; a standard linear solid beside
        found = self.values(EXAMPLES / "static-node.yaml", "--at", "equilibrium")
        self.assertEqual(len(found), 3)
        self.near(found[1], 10j, 1e-9)
        for z in (found[0], found[2]):  # 2 z^2 + 250 + 300 * 12 z/(300 + 12 z)
            self.near((2 * z * z + 250) * (300 + 12 * z) + 3600 * z, 0, 1e-5)
        self.assertIn("no states", self.hooke("modes", "m.yaml", "--matrices", "x.m", code=2).stderr)

    # --- frequencies of mechanisms ---

    def test_double_four_bar(self):
        """three uprights and two couplers of 1 kg and 1 m: (3/3 + 2) f'' = (3/2 + 2) g f, in every formulation"""
        path, exact = EXAMPLES / "double-four-bar.yaml", math.sqrt(3.5 * 9.81 / 3)
        for f in FORMULATIONS[::5] if FEW else FORMULATIONS:
            low, high = self.values(path, "--at", "equilibrium", "-f", f)
            self.near(low, -exact, 1e-8)
            self.near(high, exact, 1e-8)

    @unittest.skipIf(FEW, "many runs; under sanitizers in check-all")
    def test_spatial_four_bar(self):
        """by runs: time between crossings of the rest position, for two small swings, extrapolated to none; in every formulation"""
        path = EXAMPLES / "spatial-four-bar.yaml"
        first = self.values(path, "--at", "equilibrium")[0].imag
        for f in FORMULATIONS[1:2] if FEW else FORMULATIONS[1:]:
            self.near(self.values(path, "--at", "equilibrium", "-f", f)[0].imag, first, 1e-8)
        text = path.read_text()
        self.hooke("statics", path, "--output", "rest.csv")
        names, row = [line.split(",") for line in (self.dir / "rest.csv").read_text().splitlines()[:2]]
        angle = float(row[names.index("joint.pin_A0.angle")])
        frequency = []
        for swing in (0.02, 0.01):
            (self.dir / "swing.yaml").write_text(re.sub(r"\nstart:(\n  .*)*", "\nstart: {pin_A0: {angle: %r, rate: 0}}" % (angle + swing), text))
            self.hooke("run", "swing.yaml", "-i", "rk4", "--step", "0.0005", "--time", "3", "--output", "run.csv", "-q")
            rows = [line.split(",") for line in (self.dir / "run.csv").read_text().splitlines()]
            at = rows[0].index("joint.pin_A0.angle")
            frequency.append(self.crossings([(float(r[0]), float(r[at]) - angle) for r in rows[1:]]))
        # the error goes with the square of the swing
        self.near((4 * frequency[1] - frequency[0]) / 3, first, 1e-6)

    @staticmethod
    def crossings(points):
        """angular frequency from the first and the last pass upwards through zero"""
        times = []
        for (t0, x0), (t1, x1) in zip(points, points[1:]):
            if x0 < 0 <= x1:
                times.append(t0 - x0 * (t1 - t0) / (x1 - x0))
        return 2 * math.pi * (len(times) - 1) / (times[-1] - times[0])

    # --- states without modes, inputs without columns ---

    def test_bands_of_full_matrices(self):
        path = EXAMPLES / "double-pendulum-stiff.yaml"
        every = self.modes(path, "--at", "equilibrium")["modes"]
        last = every[-1]["frequency_Hz"]
        band = self.modes(path, "--at", "equilibrium", "--between", f"{0.9 * last}:{1.1 * last}")["modes"]
        self.assertEqual(band, every[-1:])
        self.assertEqual(self.modes(path, "--at", "equilibrium", "--near", f"{last}", "--number", "1")["modes"], every[-1:])

    def test_nothing_to_find(self):
        (self.dir / "s.yaml").write_text(STRETCHED)
        (self.dir / "t.yaml").write_text(TROLLEY)
        for args, code, words in (((EXAMPLES / "slider-crank-driven.yaml",), 3, "no modes"),
                                  (("t.yaml", "--between", "100:101"), 5, "no mode has a frequency between"),
                                  (("t.yaml", "--matrices", "x.m"), 3, "prescribes a position or a rate"),
                                  (("t.yaml", "--between", "2:1"), 2, "--between"),
                                  (("t.yaml", "--near", "0"), 2, "--near"), (("t.yaml", "--sparse", "maybe"), 2, "--sparse"),
                                  (("t.yaml", "--near", "1", "--between", "1:2"), 2, "--near")):
            self.assertIn(words, self.hooke("modes", *args, code=code).stderr)
            self.assertFalse((self.dir / "x.m").exists())
        self.assertIn("almost loses its rank", self.hooke("modes", "s.yaml").stderr)
        self.assertNotIn("rank", self.hooke("modes", "s.yaml", "--set", "lift=0.1").stderr)
        # an acceleration may be an input: f'' = -g f + u
        (self.dir / "a.yaml").write_text(TROLLEY.replace("velocity: u", "acceleration: u"))
        self.hooke("modes", "a.yaml", "--matrices", "x.m")
        self.assertIn("B(2, :) = [1]", (self.dir / "x.m").read_text())


if __name__ == "__main__":
    unittest.main()
