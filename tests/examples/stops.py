#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stops of joints: impacts with closed forms, rest, release, several at once; examples/door-with-stop.yaml."""
import itertools
import math
import unittest

from support import ExampleTest

EXAMPLE = "door-with-stop.yaml"
FORMULATIONS = ("hybrid", "global", "topological", "recursive", "redundant", "partition")

# a block falls on a stop
SLIDER = """\
hooke: 1
gravity: [0, 0, -9.81]
parameters: {e: 0.7, h: 1, rest: 1e-6}
bodies:
  block: {mass: 2, com: [0, 0, h], inertia: {diagonal: [1, 1, 1]}}
joints:
  rail: {type: prismatic, between: [ground, block], axis: z, zero: h,
         limits: {position: [0, null], restitution: e, rest: rest}}
record: ["joint.rail.*", "energy.*"]
run: {time: 3.2, step: 0.01, integrator: trapezoidal}
"""

# it rests on the stop until the lift has grown to its weight
LIFTED = """\
hooke: 1
gravity: [0, 0, -10]
bodies:
  block: {mass: 2, com: [0, 0, 0], inertia: {diagonal: [1, 1, 1]}}
joints:
  rail: {type: prismatic, between: [ground, block], axis: z, limits: [0, 5]}
forces:
  lift: {type: joint_force, joint: rail, value: "40*t"}
record: ["joint.rail.*", "energy.*"]
run: {time: 1, step: 0.01, integrator: rk4}
"""

# two sliders, one on the other and not at right angles to it, reach their stops together
PAIR = """\
hooke: 1
parameters: {e: 0.5, f: 0.2, v: 1, w: 1}
bodies:
  a: {mass: 1, com: [0, 0, 0], inertia: {diagonal: [1, 1, 1]}}
  b: {mass: 2, com: [0, 0, 0], inertia: {diagonal: [1, 1, 1]}}
joints:
  first: {type: prismatic, between: [ground, a], axis: x, limits: {position: [null, 0.5*v], restitution: e}}
  second: {type: prismatic, between: [a, b], axis: [AXIS, 0, 1], limits: {position: [null, 0.5*w], restitution: f}}
start: {first: {velocity: v}, second: {velocity: w}}
record: ["joint.*.velocity", "energy.*"]
run: {time: 0.505, step: 0.01}
"""

# a four-bar whose rocker hits a stop
FOUR_BAR = """\
hooke: 1
planar: xz
gravity: [0, 0, -9.81]
points: {A: [0, 0, 0], B: [0, 0, 0.4], C: [0.9, 0, 0.7], D: [1, 0, 0]}
bodies:
  crank:  {mass: 1, com: [0, 0, 0.2], inertia: {yy: 0.02}}
  rod:    {mass: 2, com: [0.45, 0, 0.55], inertia: {yy: 0.15}}
  rocker: {mass: 1.5, com: [0.95, 0, 0.35], inertia: {yy: 0.07}}
joints:
  A: {type: revolute, between: [ground, crank], at: A, axis: y}
  B: {type: revolute, between: [crank, rod], at: B, axis: y}
  C: {type: revolute, between: [rod, rocker], at: C, axis: y}
  D: {type: revolute, between: [ground, rocker], at: D, axis: y, limits: {angle: [-0.1, 0.35], restitution: 0.5}}
start: {A: {rate: 3}}
record: ["joint.*.angle", "joint.*.rate", "energy.*"]
run: {time: 0.9, step: 0.0005, integrator: rk4}
"""

# a mass between compliant ends, without weight
BUFFER = """\
hooke: 1
parameters: {k: 200, m: 2, d: 0, c: 0, n: 1}
bodies:
  cart: {mass: m, com: [0, 0, 0], inertia: {diagonal: [1, 1, 1]}}
joints:
  rail: {type: prismatic, between: [ground, cart], axis: x,
         limits: {position: [-1, 0.5], stiffness: k, dissipation: d, damping: c, exponent: n}}
start: {rail: {velocity: 1}}
record: ["joint.rail.position", "joint.rail.velocity", "force.*", "energy.*"]
run: {time: 1.2, step: 0.001, integrator: rk4}
"""


def complementarity(M, v, e):
    """rates after the impact of all coordinates on their stops, by trying every set of stops that push"""
    det = M[0][0] * M[1][1] - M[0][1] ** 2
    inverse = [[M[1][1] / det, -M[0][1] / det], [-M[0][1] / det, M[0][0] / det]]
    for pushes in itertools.product((True, False), repeat=2):
        need = [-(1 + e[i]) * v[i] for i in range(2)]
        p = [0.0, 0.0]
        if all(pushes):
            p = [sum(M[i][j] * need[j] for j in range(2)) for i in range(2)]
        elif any(pushes):
            i = pushes.index(True)
            p[i] = need[i] / inverse[i][i]
        after = [v[i] + sum(inverse[i][j] * p[j] for j in range(2)) for i in range(2)]
        # upper stops push back
        if all(x <= 1e-12 for x in p) and all(after[i] <= -e[i] * v[i] + 1e-12 for i in range(2)):
            return after
    raise AssertionError("no solution")


class Slider(ExampleTest):
    def check_bounces(self, e, formulation, integrator="trapezoidal"):
        value, run = self.run_series(self.variant(SLIDER), "--set", f"e={e}", "--formulation", formulation,
                                     "--integrator", integrator)
        fall = math.sqrt(2 / 9.81)
        hit, speed, lost, times, within = fall, 9.81 * fall, 0.0, [], []
        # after the last rebound above 1e-6 m/s it rests
        while hit < 3.2:
            times.append(hit)
            within.append(1e-11 + 1e-12 / speed)  # a stop counts as passed 1e-13 behind it
            lost += speed ** 2 * (1 - e ** 2)  # m/2 = 1
            speed *= e
            if speed < 1e-6:
                lost += speed ** 2
                break
            hit += 2 * speed / 9.81
        self.assertEqual(value["impacts"], len(times), formulation)
        found = [t for t, x in zip(run["t"], run["joint.rail.position"]) if abs(x) < 1e-10]
        for a, b, near in list(zip(found, times, within))[:12]:
            self.assertNear(a, b, near, f"impact, {formulation}")
        energy = value["energy"]
        self.assertNear(energy["dissipated_J"], lost, 1e-10, "energy lost")
        self.assertNear(energy["max_drift_J"], 0, 1e-10, "audit")
        if e < 1:
            self.assertNear(energy["dissipated_by_J"]["joint.rail"], lost, 1e-10, "energy lost at the joint")
            end = fall * (1 + e) / (1 - e)
            rest = [i for i, t in enumerate(run["t"]) if t > end]
            self.assertTrue(rest)
            for i in rest:
                self.assertNear(run["joint.rail.position"][i], 0, 1e-11, "at rest")
                self.assertNear(run["joint.rail.velocity"][i], 0, 1e-12, "at rest")
                self.assertNear(run["joint.rail.force.z"][i], 2 * 9.81, 1e-9, "carried by the stop")
        else:
            self.assertNear(energy["final_J"], energy["initial_J"], 1e-10, "nothing lost")

    def test_closed_form(self):
        for e, formulation in zip((0, 0.3, 0.7, 1, 0.7, 0.3), FORMULATIONS):
            with self.subTest(e=e, formulation=formulation):
                self.check_bounces(e, formulation)
        for integrator in ("rk4", "dopri5", "sdirk", "generalized_alpha"):
            with self.subTest(integrator=integrator):
                self.check_bounces(0.5, "hybrid", integrator)

    def test_pile_up_costs_little(self):
        """bounces above the threshold, not above the length of a step"""
        value = self.run_model(self.variant(SLIDER), "--set", "rest=0.001")
        self.assertEqual(value["impacts"], 24)
        self.assertLess(value["iterations"], 700)

    def test_resume(self):
        """bit by bit across impacts"""
        model = self.variant(SLIDER)
        whole = self.run_model(model)
        for t in (0.7, 2.3, 2.8):
            self.run_model(model, "--time", t, "--checkpoint", "half.chk")
            again = self.run_model(model, "--resume", "half.chk")
            self.assertEqual(again["final"], whole["final"])
            self.assertEqual(again["impacts"], whole["impacts"])


class Rest(ExampleTest):
    def test_release(self):
        for formulation in FORMULATIONS:
            value, run = self.run_series(self.variant(LIFTED), "--formulation", formulation)
            self.assertEqual(value["impacts"], 0)
            for t, x, v in zip(run["t"], run["joint.rail.position"], run["joint.rail.velocity"]):
                off = max(0, t - 0.5)
                self.assertNear(x, 40 * off ** 3 / 12, 1e-12, formulation)
                self.assertNear(v, 40 * off ** 2 / 4, 1e-12, formulation)

    def test_event_beside_a_stop(self):
        """an event whose impulse pulls a coordinate off its stop; one that presses it on"""
        text = LIFTED.replace("40*t", "0").replace("events:", "").replace("forces:", """\
events:
  grab: {when: "t >= 0.25", fix: hook}
forces:""").replace("bodies:", "bodies:\n  weight: {mass: 2, com: [1, 0, SIGN*1.25], inertia: {diagonal: [1, 1, 1]}}")
        text = text.replace("joints:", """\
joints:
  guide: {type: prismatic, between: [ground, weight], axis: z}
  hook: {type: fixed, between: [block, weight], at: [1, 0, 0], active: false}""")
        text += "start: {guide: {velocity: SIGN*8}}\n"
        for sign in (1, -1):
            _, run = self.run_series(self.variant(text.replace("SIGN", str(sign))), "--time", 0.3)
            speed = [v for t, v in zip(run["t"], run["joint.rail.velocity"]) if t > 0.2501][0]
            # the weight has 8 - 10/4 = 5.5 m/s upwards, and takes the block along; downwards the stop takes all
            if sign > 0:
                self.assertNear(speed, 2.75 - 10 * 0.01, 1e-9, "pulled off")
            else:
                self.assertNear(speed, 0, 1e-9, "pressed on")


class Several(ExampleTest):
    def test_at_one_time(self):
        dropped = 0
        for axis, e, f, v, w in ((1, 0.5, 0.2, 1, 1), (1, 0, 0, 1, 1), (1, 0.9, 0, 1, 2), (-4, 0, 0.9, 2, 0.3),
                                 (-4, 0.9, 0.1, 0.2, 3), (-4, 0.5, 0.5, 1, 1)):
            c = axis / math.hypot(axis, 1)
            after = complementarity([[3, 2 * c], [2 * c, 2]], (v, w), (e, f))
            dropped += abs(after[0] + e * v) > 1e-9 or abs(after[1] + f * w) > 1e-9
            model = self.variant(PAIR.replace("AXIS", str(axis)))
            for formulation in FORMULATIONS[::3] if axis > 0 else FORMULATIONS:
                value = self.run_model(model, "--formulation", formulation, "--set", f"e={e}", "--set", f"f={f}",
                                       "--set", f"v={v}", "--set", f"w={w}")
                for joint, rate in zip(("first", "second"), after):
                    self.assertNear(value["final"][f"joint.{joint}.velocity"], rate, 1e-9, f"{axis} {e} {f}")
                self.assertNear(value["energy"]["balance_error_J"], 0, 1e-9, "audit")
        self.assertGreaterEqual(dropped, 2)


class Loop(ExampleTest):
    def test_formulations_agree(self):
        model = self.variant(FOUR_BAR)
        first = None
        for formulation in FORMULATIONS:
            value, run = self.run_series(model, "--formulation", formulation)
            self.assertGreaterEqual(value["impacts"], 3)
            self.assertLess(abs(value["energy"]["max_drift_J"]), 1e-8)
            self.assertLess(value["constraint"]["velocity_max"], 1e-9)
            hit = [i for i, x in enumerate(run["joint.D.angle"]) if abs(x - 0.35) < 1e-9][0]
            # row of the impact, and the last one before it
            lost = run["energy.dissipated"][hit]
            if first is None:
                first = value, run["t"][hit], lost
                # M (v+ - v-) along the motion: the energy falls by 1 - e^2
                kinetic = run["energy.kinetic"][hit]
                self.assertNear(lost / (lost + kinetic), 1 - 0.5 ** 2, 1e-9, "energy lost")
            self.assertNear(run["t"][hit], first[1], 1e-8, "time")
            self.assertNear(lost, first[2], 1e-8, "energy lost")
            for name, x in value["final"].items():
                if name.startswith("joint."):
                    self.assertNear(x, first[0]["final"][name], 1e-8, f"{name}, {formulation}")


class Compliant(ExampleTest):
    def test_half_sine(self):
        """contact lasts pi sqrt(m/k), depth v sqrt(m/k); then it flies back"""
        value, run = self.run_series(self.variant(BUFFER))
        w = 10.0
        for t, x in zip(run["t"], run["joint.rail.position"]):
            into = t - 0.5
            exact = t if into < 0 else 0.5 + math.sin(w * into) / w if into < math.pi / w else 0.5 - into + math.pi / w
            self.assertNear(x, exact, 2e-8, f"t = {t}")
        self.assertNear(value["energy"]["max_drift_J"], 0, 1e-5, "audit")

    def test_dissipation(self):
        """Hunt and Crossley: d v0 = ln((1 + d v0)/(1 - d e v0)) - d e v0, whatever the exponent"""
        for d, n in ((0.4, 1), (0.4, 1.5), (1.2, 2)):
            value, _ = self.run_series(self.variant(BUFFER), "--set", f"d={d}", "--set", f"n={n}",
                                       "--time", 1.8)
            e = -value["final"]["joint.rail.velocity"]
            self.assertLess(e, 0.99)
            self.assertNear(math.log((1 + d) / (1 - d * e)) - d * e, d, 1e-5, f"d = {d}, n = {n}: e = {e}")
            lost = value["energy"]["dissipated_by_J"]["force.limits.rail.position"]
            self.assertNear(lost, 1 - e ** 2, 1e-5, "energy lost")

    def test_order(self):
        """steps end where a compliant stop is touched and left: methods keep their order over the kink of its force"""
        text = SLIDER.replace("restitution: e, rest: rest", "stiffness: 2e4").replace("-9.81", "-10")
        fall, v, w, sag = math.sqrt(0.2), math.sqrt(20), 100, 1e-3
        t = 1.3 - fall - 2 * (math.pi - math.atan(v / w / sag)) / w
        expected = v * t - 5 * t * t
        for integrator, steps, order, within in (("rk4", (0.002, 0.001, 0.0005), 5, 0.4), ("trapezoidal", (0.002, 0.001, 0.0005), 2, 0.1)):
            errors = [abs(self.run_model(self.variant(text), "--integrator", integrator, "--step", h, "--time", 1.3)["final"]["joint.rail.position"] - expected)
                      for h in steps]
            self.assertOrder(errors, order, within, integrator)
        for formulation in FORMULATIONS:
            value = self.run_model(self.variant(text), "--integrator", "rk4", "--formulation", formulation, "--step", 0.0005, "--time", 1.3)
            self.assertNear(value["final"]["joint.rail.position"], expected, 1e-7, formulation)
            self.assertNear(value["energy"]["max_drift_J"], 0, 1e-6, formulation)

    def test_never_pulls(self):
        _, run = self.run_series(self.variant(BUFFER), "--set", "c=60", "--formulation", "redundant")
        self.assertLessEqual(max(run["force.limits.rail.position.force"]), 0)
        self.assertGreater(max(run["joint.rail.position"]), 0.5)


# two alike, one of them mirrored: the position of a cylindrical joint changes its sign
MIRRORED = """\
hooke: 1
components:
  piston:
    bodies:
      rod: {mass: 1, com: [0, 0, 0], inertia: {diagonal: [1, 1, 1]}}
    joints:
      guide: {type: cylindrical, between: [ground, rod], at: [0, 0, 0], axis: y,
              limits: {position: {range: [null, 0.5], restitution: 0.5}, angle: {range: [-1, 0.3], stiffness: 10}}}
    start: {guide: {velocity: 1, rate: 1}}
instances:
  left: {component: piston, at: [0, 1, 0]}
  right: {component: piston, at: [0, -1, 0], mirror: y}
record: ["joint.*.position", "joint.*.angle", "body.*.position.y", "energy.*"]
run: {time: 0.8, step: 0.01}
"""

# prescribed, and loaded from the start
DRIVEN = """\
hooke: 1
bodies:
  a: {mass: 1, com: [0, 0, 0], inertia: {diagonal: [1, 1, 1]}}
joints:
  rail: {type: prismatic, between: [ground, a], axis: x, KEYS}
run: {time: 1, step: 0.01}
"""


class Language(ExampleTest):
    def test_mirror(self):
        value = self.run_model(self.variant(MIRRORED))
        self.assertEqual(value["impacts"], 2)
        final = value["final"]
        self.assertNear(final["body.left.rod.position.y"] - 1, 0.5 - 0.5 * 0.3, 1e-9, "rebound")
        self.assertNear(final["body.right.rod.position.y"] + 1, -(0.5 - 0.5 * 0.3), 1e-9, "its image")
        self.assertNear(abs(final["joint.left.guide.angle"]), abs(final["joint.right.guide.angle"]), 1e-9, "angle")

    def test_doctor(self):
        for keys, words in (("motion: {position: t}, limits: [0, 0.5]", "outside of its limits; a stop cannot end"),
                            ("motion: {position: t}, limits: {position: [0, 0.5], stiffness: 9}", "works against"),
                            ("limits: {position: [0.1, 1], stiffness: 10}", "0.1 m behind its lower stop at 0.1 m")):
            for verb in ("check", "run"):
                result = self.command(verb, self.variant(DRIVEN.replace("KEYS", keys)))
                self.assertIn(words, result.stderr, f"{verb} {keys}")
        # within the range there is nothing to say
        text = DRIVEN.replace("KEYS", "motion: {position: 0.4*t}, limits: [0, 0.5]")
        self.assertNotIn("limits", self.command("run", self.variant(text)).stderr)


class Door(ExampleTest):
    def test_example(self):
        value, run = self.run_series(EXAMPLE)
        self.assertEqual(value["grade"], "good")
        self.assertGreater(value["impacts"], 5)
        top = math.radians(100)
        self.assertNear(max(run["joint.hinge.angle"]), top, 1e-9, "the post")
        self.assertNear(min(run["joint.hinge.angle"]), 0, 1e-9, "the frame")
        self.assertNear(run["joint.hinge.angle"][-1], 0, 1e-9, "shut")
        hit = [i for i, x in enumerate(run["joint.hinge.angle"]) if x > top - 1e-9][0]
        self.assertLess(run["joint.hinge.rate"][hit], -0.1)
        # the flap is taken along by its axle alone; the rubber holds it
        self.assertLess(max(map(abs, run["joint.axle.angle"])), math.radians(40))

    def test_formulations(self):
        first = None
        for formulation in ("hybrid", "redundant", "partition"):
            value = self.run_model(EXAMPLE, "--formulation", formulation, "--integrator", "dopri5", "--option",
                                   "rtol=1e-10", "--option", "atol=1e-12", "--time", 3)
            self.assertNear(value["energy"]["max_drift_J"], 0, 1e-4, formulation)
            first = first or value["final"]
            for name in ("joint.hinge.angle", "joint.hinge.rate", "joint.axle.angle"):
                self.assertNear(value["final"][name], first[name], 1e-7, name)


if __name__ == "__main__":
    unittest.main()
