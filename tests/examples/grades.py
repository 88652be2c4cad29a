#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Grades of runs: every example is good at its own step, random mechanisms are good at a step that resolves them and
under error control, and each of a table of deliberately bad runs is caught, with its cause and advice that helps."""
import json
import re
import subprocess
import unittest

from every_example import MODELS
from support import EXAMPLES, HOOKE, ExampleTest, SHORT
from support_random import mechanism

HEAD = "hooke: 1\ngravity: [0, 0, -9.81]\n"
ROD = HEAD + """\
bodies: {rod: {mass: 1, com: [0.5, 0, 0], inertia: {xx: 1e-3, yy: 1/12, zz: 1/12}}}
joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: y}}
"""
STIFF = ROD + "forces: {k: {type: joint_spring, joint: pin, stiffness: 1e9}}\nstart: {pin: {angle: 0.1}}\n"
SPRING = STIFF.replace("1e9", "3e3")
DAMPER = ROD + ("forces: {k: {type: joint_spring, joint: pin, stiffness: 1e3, damping: 1e4}}\n"
                "start: {pin: {angle: 0.1, rate: 10}}\n")
MASS = """\
hooke: 1
bodies: {m: {mass: 1, com: [0, 0, 0]}}
joints: {s: {type: prismatic, between: [ground, m], at: [0, 0, 0], axis: x}}
forces: {k: {type: joint_spring, joint: s, stiffness: 1e4}}
start: {s: {position: 0.01}}
"""
DOUBLE = HEAD + """\
bodies:
  a: {mass: 1, com: [0.5, 0, 0], inertia: {diagonal: [0.01, 0.1, 0.1]}}
  b: {mass: 1, com: [1.5, 0, 0], inertia: {diagonal: [0.01, 0.1, 0.1]}}
joints:
  h: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y}
  k: {type: revolute, between: [a, b], at: [1, 0, 0], axis: y}
"""
SPIN = """\
hooke: 1
bodies: {a: {mass: 1, com: [0, 0, 0], inertia: {diagonal: [1, 2, 3]}}}
start: {a: {angular_velocity: [1e-3, 50, 1e-3]}}
"""
CRANK = """\
hooke: 1
planar: xy
gravity: [0, -9.81, 0]
parameters: {r: 0.1, l: 0.3, speed: 100}
points: {pin: [0, r, 0], piston: [sqrt(l^2 - r^2), 0, 0]}
bodies:
  crank: {mass: 1, com: [0, r/2, 0], inertia: {zz: 1e-3}}
  rod: {mass: 0.5, com: [sqrt(l^2 - r^2)/2, r/2, 0], inertia: {zz: 4e-3}}
  slider: {mass: 0.8, com: piston, inertia: {zz: 1e-3}}
joints:
  main: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}
  big: {type: revolute, between: [crank, rod], at: pin, axis: z}
  small: {type: revolute, between: [rod, slider], at: piston, axis: z}
  bore: {type: prismatic, between: [ground, slider], at: piston, axis: x}
forces:
  cushion: {type: spring_damper, between: [ground, slider], ends: [[0.6, 0, 0], piston], stiffness: 2000, damping: 5, length: 0.4}
start: {main: {rate: -speed}}
"""

# the oscillator across a wagon, which rolls on at some speed
WAGON = """\
hooke: 1
parameters: {speed: 0}
bodies: {wagon: {mass: 2, com: [0, 0, 0]}, m: {mass: 1, com: [0, 0, 0]}}
joints:
  rail: {type: prismatic, between: [ground, wagon], at: [0, 0, 0], axis: x}
  s: {type: prismatic, between: [wagon, m], at: [0, 0, 0], axis: y}
forces: {k: {type: joint_spring, joint: s, stiffness: 1e4}}
start: {rail: {velocity: speed}, s: {position: 0.01}}
"""


def chain(n, drop):
    """a chain of n links of 3 cm along a line that falls by `drop` a link, let go at rest"""
    text = HEAD + "planar: xz\nbodies:\n"
    for i in range(n):
        text += f"  l{i}: {{mass: 0.1, com: [{0.03 * i + 0.015}, 0, {-drop * (i + 0.5)}], inertia: {{yy: 2e-5}}}}\n"
    text += "joints:\n"
    for i in range(n):
        text += (f"  j{i}: {{type: revolute, between: [{f'l{i - 1}' if i else 'ground'}, l{i}], "
                 f"at: [{0.03 * i}, 0, {-drop * i}], axis: y}}\n")
    return text


CHAIN = chain(40, 0)
STEP = r"try --step [0-9.e-]+"
ERROR = "step_control=error"
FAST = "the step is too long for the fastest motion of the model"
EXPLICIT = "the step is too long for stiff forces with an explicit method"
TURN = "the step is too long, bodies turn by (up to )?[0-9.]+ rad in it"
PERIODS = "the step is too long(:|,) the motion has only [0-9.]+ of them for a period"
SINGULAR = "the step is too long to pass the singular position near t = "
METHOD = "the step is too long for this method"
MOMENTA = r"\|omega\| h of body '[a-z]+' is up to [0-9.]+ rad in a step, too much for momenta as states"

# name: (model, time, step, arguments, grade, cause, hint, follow the hint: the run is then good)
BAD = {
    "stiff spring": (STIFF, 0.2, 0.01, "", "wrong", FAST, ERROR, False),
    "stiff spring in other coordinates": (STIFF, 0.2, 0.01, "-f redundant", "wrong", FAST, ERROR, False),
    "spring, rk4": (SPRING, 2, 0.03, "-i rk4", "wrong", EXPLICIT, STEP, True),
    "spring, abm2": (SPRING, 2, 0.02, "-i abm2", "wrong", EXPLICIT, STEP, True),
    "spring, trapezoidal": (SPRING, 2, 0.05, "-i trapezoidal", "wrong", PERIODS, STEP, True),
    "spring, newmark": (SPRING, 2, 0.002, "-i newmark", "wrong", METHOD, STEP, False),
    "spring, hht": (SPRING, 2, 0.02, "-i hht", "wrong", FAST, STEP, True),
    "spring, sdirk": (SPRING, 2, 0.02, "-i sdirk", "wrong", FAST, STEP, True),
    "spring, multistep": (SPRING, 2, 0.01, "-i multistep --option rho_inf=0", "wrong", FAST, STEP, False),
    "slow oscillator, energy exact": (MASS, 1, 0.02, "-i trapezoidal", "wrong", PERIODS, STEP, True),
    "oscillator, newmark": (MASS, 1, 0.001, "-i newmark", "wrong", METHOD, STEP, False),
    "oscillator, generalized_alpha": (MASS, 1, 0.01, "", "wrong", FAST, STEP, True),
    "damper, trapezoidal": (DAMPER, 1, 0.01, "-i trapezoidal", "wrong", FAST, ERROR, True),
    "damper, generalized_alpha": (DAMPER, 1, 0.01, "", "wrong", FAST, ERROR, True),
    "damper, rk4": (DAMPER, 1, 0.001, "-i rk4", "wrong", EXPLICIT, STEP, False),
    "double pendulum, sdirk": (DOUBLE, 20, 0.2, "-i sdirk", "wrong", PERIODS, STEP, True),
    "double pendulum, trapezoidal": (DOUBLE, 10, 0.1, "-i trapezoidal", "wrong", TURN, STEP, True),
    "double pendulum, generalized_alpha": (DOUBLE, 10, 0.1, "", "wrong", TURN, STEP, True),
    "double pendulum, rk4": (DOUBLE, 10, 0.1, "-i rk4", "wrong", TURN, STEP, True),
    "double pendulum, newmark": (DOUBLE, 10, 0.01, "-i newmark", "wrong", METHOD, STEP, True),
    "free body, global": (SPIN, 20, 0.01, "-f global", "wrong", TURN, STEP, True),
    "free body, momenta": (SPIN, 5, 0.012, "-f redundant -i multistep", "wrong", MOMENTA, STEP, True),
    "free body, abm2": (SPIN, 5, 0.01, "-i abm2", "wrong", TURN, STEP, True),
    "free body, rk4": (SPIN, 5, 0.05, "-i rk4", "wrong", TURN, STEP, True),
    "crank, ten radians a step": (CRANK, 2, 0.1, "", "wrong", TURN, ERROR, True),
    "crank, two radians a step": (CRANK, 1, 0.02, "-i trapezoidal -f global", "wrong", TURN, STEP, True),
    "chain, recursive": (CHAIN, 1, 0.05, "-f recursive", "doubtful|wrong", "the step is too long", STEP, False),
    "chain, trapezoidal": (CHAIN, 1, 0.05, "-i trapezoidal", "doubtful|wrong", "the step is too long", STEP, False),
    "four bars": ("double-four-bar.yaml", 10, 0.05, "-f redundant -s speed=5", "wrong", SINGULAR, STEP, False),
    "four bars, newmark": ("double-four-bar.yaml", 10, 0.01, "-f global -i newmark", "wrong", METHOD, STEP, False),
    "gyroscope, newmark": ("gyroscope.yaml", 1, 0.001, "-f hybrid -i newmark", "wrong", METHOD, STEP, False),
    "gyroscope, global": ("gyroscope.yaml", 1, 0.01, "-f global", "wrong", TURN, STEP, True),
    "stiff double pendulum": ("double-pendulum-stiff.yaml", 0.2, 0.001, "", "wrong", FAST, ERROR, True),
    "motor": ("motor-crank.yaml", 4, 0.02, "", "wrong", TURN, STEP, True),
    "driven slider-crank": ("slider-crank-driven.yaml", 2, 0.05, "", "wrong", TURN, STEP, True),
    "wide tolerances": (DOUBLE, 20, 0.1, "-i dopri5 --option rtol=0.1 --option atol=0.1", "wrong",
                        "the energy that moves", "take smaller tolerances", True),
}


def lift(n, more):
    """a lift of n stages in a slanted plane, with nothing that moves it"""
    def at(x, y):
        return f"[{0.8 * x - 0.6 * y!r}, {0.6 * x + 0.8 * y!r}, 0]"
    bodies = "".join(f"  {c}{k}: {{mass: 1, com: {at(1, k + 0.5)}, inertia: {{zz: 0.4}}}}\n" for k in range(n) for c in "ab")
    pins = "".join(f"  {c}{k}: {{type: revolute, between: [{a}{k}, {b}{k + s}], at: {at(x, k + y)}, axis: z}}\n" for k in range(n)
                   for c, a, b, s, x, y in (("p", "a", "b", 0, 1, 0.5), ("u", "a", "b", 1, 2, 1), ("v", "b", "a", 1, 0, 1)) if k + s < n)
    return (f"hooke: 1\nplanar: xy\ngravity: [0, 0, 0]\nbodies:\n{bodies}joints:\n"
            f"  foot: {{type: revolute, between: [ground, a0], at: [0, 0, 0], axis: z}}\n{pins}{more}"
            'record: ["energy.*"]\nrun: {time: 0.02, step: 0.001, integrator: trapezoidal}\n')


FEW = ("spring, abm2", "slow oscillator, energy exact", "damper, generalized_alpha", "free body, momenta")


class Grades(ExampleTest):
    def value(self, model, *args):
        """`hooke run --json`, which may fail"""
        path = EXAMPLES / model if model.endswith(".yaml") else self.variant(model)
        found = subprocess.run([HOOKE, "run", path, "--json", *map(str, args)], cwd=self.dir, check=False, text=True,
                               timeout=self.limit, stdin=subprocess.DEVNULL, capture_output=True)
        self.assertIn(found.returncode, (0, 5), found.stderr)
        return json.loads(found.stdout)

    def assertGood(self, value):
        self.assertEqual((value["status"], value["grade"], value["warnings"]), ("ok", "good", []))

    def test_bad_runs(self):
        self.assertGreaterEqual(len(BAD), 30)
        for name, (model, time, step, more, grade, cause, hint, helps) in BAD.items():
            if SHORT and name not in FEW:
                continue
            with self.subTest(run=name):
                args = more.split()
                value = self.value(model, "--time", time, "--step", step, *args)
                self.assertRegex(value["grade"], f"^({grade})$")
                first = value["warnings"][0]
                self.assertRegex(first["text"], cause)
                self.assertRegex(first["hint"], hint)
                if not helps:
                    continue
                better = re.search(r"--step (\S+?),", first["hint"])
                for option in re.findall(r"--option \S+", first["hint"]):
                    args += option.split()
                args += ["--time", time, "--step", better[1] if better else step]
                value = self.value(model, *args)
                self.assertEqual(value["grade"], "good", f"{first['hint']} gave {value['warnings']}")

    def test_tall_and_at_rest(self):
        """loops are closed to round-off of places; what that moves in a tall lift is no error, and what springs move there is"""
        rest = lift(80, "start: {p1: {angle: 0.02}}\n")
        for f in ("hybrid", "global"):
            self.assertEqual(self.value(rest, "-f", f)["grade"], "good", f)
        for size in ("1e-2", "1e-8"):
            moving = lift(20, f"forces: {{k: {{type: joint_spring, joint: p1, stiffness: 3000}}}}\nstart: {{p1: {{angle: {size}}}}}\n")
            self.assertEqual(self.value(moving, "-f", "global", "-i", "newmark", "--step", "0.5", "--time", "10")["grade"], "wrong", size)

    def test_travelling(self):
        """aboard of what rolls on evenly an error is what it is at rest"""
        for speed in (0, 8):
            for step, integrator, grade in ((0.005, "semi_implicit_euler", "wrong"), (0.03, "linearly_implicit", "doubtful|wrong"),
                                            (0.0005, "linearly_implicit", "good")):
                with self.subTest(speed=speed, step=step, integrator=integrator):
                    value = self.value(WAGON, "--time", 0.4, "--step", step, "-i", integrator, "-s", f"speed={speed}")
                    self.assertRegex(value["grade"], f"^({grade})$")
        # what is less than a thousandth of the kinetic energy is only carried along
        self.assertGood(self.value(WAGON, "--time", 0.4, "--step", 0.005, "-i", "semi_implicit_euler", "-s", "speed=500"))

    def test_travelling_vehicle(self):
        """steps of which the axle's arm is off by a third"""
        value = self.value("mirrored-axle.yaml", "--time", 0.6, "--step", 0.06, "-i", "semi_implicit_euler")
        self.assertEqual(value["grade"], "wrong")

    def test_examples(self):
        """at their own steps"""
        for path in MODELS[::9] if SHORT else MODELS:
            with self.subTest(model=path.name):
                self.assertGood(self.run_model(path))

    def test_random_mechanisms(self):
        """at a step that resolves them, and where neither step nor integrator are named"""
        for seed in range(2 if SHORT else 12):
            for run in ("{time: 1, step: 0.0005}", "{time: 1}"):
                with self.subTest(seed=seed, run=run):
                    self.assertGood(self.value(mechanism(seed) + f"run: {run}\n"))


if __name__ == "__main__":
    unittest.main()
