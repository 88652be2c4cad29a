#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What events do beside fixing and releasing joints: rebound, set, reset, stop, and again."""
import math
import unittest

from support import ExampleTest

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "redundant", "partition")

# a block on a rail without a stop; events do what a stop would
BLOCK = """\
hooke: 1
gravity: [0, 0, -10]
bodies:
  block: {mass: 2, com: [0, 0, 1], inertia: {diagonal: [1, 1, 1]}}
joints:
  rail: {type: prismatic, between: [ground, block], axis: z, zero: 1}
events:
  ACTIONS
record: ["joint.rail.position", "joint.rail.velocity", "signal.*", "energy.*"]
run: {time: 1.5, step: 0.01, integrator: rk4}
"""

# a double pendulum: the rate of one joint changes by an impulse in the other's bearing
CHAIN = """\
hooke: 1
planar: xz
bodies:
  a: {mass: 1, com: [0.5, 0, 0], inertia: {yy: 0.1}}
  b: {mass: 1, com: [1.5, 0, 0], inertia: {yy: 0.1}}
joints:
  s: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y}
  k: {type: revolute, between: [a, b], at: [1, 0, 0], axis: y}
start: {s: {rate: 1}, k: {rate: 2}}
events:
  hit: {when: "t >= 0", ACTION}
record: ["joint.*.rate", "energy.*"]
run: {time: 1e-6, step: 1e-6}
"""


class Actions(ExampleTest):
    def block(self, actions, *args, signals=""):
        text = BLOCK.replace("ACTIONS", actions) + signals
        return self.run_series(self.variant(text), *args)

    def test_rebound_again(self):
        """each time that the condition becomes true: times and energies of a bouncing block"""
        for args in (("--formulation", "redundant"), ("--integrator", "dopri5")):
            value, run = self.block('bounce: {when: "joint.rail.position <= 0 and joint.rail.velocity < 0", '
                                    "rebound: rail, restitution: 0.6, again: true}", *args)
            fall = math.sqrt(0.2)
            hits = [fall]
            while hits[-1] < 1.5:
                hits.append(hits[-1] + 2 * fall * 0.6 ** len(hits))
            hits.pop()
            self.assertEqual(value["impacts"], len(hits))
            found = [t for t, x in zip(run["t"], run["joint.rail.position"]) if abs(x) < 1e-9]
            for a, b in zip(found, hits):
                self.assertNear(a, b, 1e-9, "time")
            self.assertNear(value["energy"]["dissipated_J"], 20 * (1 - 0.6 ** (2 * len(hits))), 1e-7, "energy lost")
            self.assertNear(value["energy"]["max_drift_J"], 0, 1e-7, "audit")

    def test_once(self):
        value, _ = self.block('bounce: {when: "joint.rail.position <= 0", rebound: rail.position, restitution: 1}')
        self.assertEqual(value["impacts"], 1)
        self.assertLess(value["final"]["joint.rail.position"], 0)

    def test_stop(self):
        value, run = self.block('down: {when: "joint.rail.position <= 0", stop: true}')
        self.assertNear(value["time_s"], math.sqrt(0.2), 1e-9, "end")
        self.assertEqual((value["status"], run["t"][-1]), ("ok", value["time_s"]))
        whole = value["final"]
        for args in ((), ("--integrator", "dopri5")):
            self.run_model(self.dir / "variant.yaml", *args, "--time", 0.2, "--checkpoint", "c")
            again = self.run_model(self.dir / "variant.yaml", *args, "--resume", "c")
            self.assertNear(again["final"]["joint.rail.velocity"], whole["joint.rail.velocity"], 1e-9, "resumed")
            self.assertNear(again["time_s"], math.sqrt(0.2), 1e-9, "resumed")
        # a run that has ended goes no further
        self.run_model(self.dir / "variant.yaml", "--checkpoint", "c")
        again = self.run_model(self.dir / "variant.yaml", "--resume", "c")
        self.assertEqual(again["final"], whole)

    def test_set_rate(self):
        """the energy that it takes is supplied"""
        value, run = self.block('kick: {when: "t >= 0.5", set: {rail: {velocity: 2 + t}}}')
        after = [v for t, v in zip(run["t"], run["joint.rail.velocity"]) if t > 0.505][0]
        self.assertNear(after, 2.5 - 10 * 0.01, 1e-9, "velocity")
        self.assertNear(value["energy"]["supplied_J"], 2.5 ** 2 - 5 ** 2, 1e-9, "supplied")
        self.assertNear(value["energy"]["max_drift_J"], 0, 1e-9, "audit")

    def test_set_variable(self):
        """a thrust that is switched twice; its rate is that of the force"""
        value, run = self.block('up: {when: "t >= 0.5", set: {thrust: "30 + 10*t"}}\n'
                                '  off: {when: "t >= 1", set: {thrust: 0}}',
                                signals="signals: {thrust: {variable: 20}}\n"
                                        "forces: {f: {type: joint_force, joint: rail, value: thrust}}\n")
        self.assertNear(run["joint.rail.position"][run["t"].index(0.5)], 1, 1e-12, "hovers")
        self.assertNear(run["joint.rail.velocity"][run["t"].index(1.0)], 15 / 2 * 0.5, 1e-9, "rises")
        self.assertNear(value["final"]["joint.rail.velocity"], 3.75 - 5, 1e-9, "falls")
        self.assertEqual(value["final"]["signal.thrust"], 0)
        self.assertNear(value["energy"]["max_drift_J"], 0, 1e-9, "audit")

    def test_set_parameter(self):
        """a stiffness that is a parameter, and another that follows it: two arcs of sines; what the springs hold more is supplied"""
        text = ("parameters: {k: 60, half: k/2, late: 10*k}\nforces:\n  f: {type: joint_spring, joint: rail, stiffness: k}\n"
                "  g: {type: joint_spring, joint: rail, stiffness: half}\n")

        def arc(k, x, v, t):
            w, rest = math.sqrt(k / 2), -20 / k
            return (rest + (x - rest) * math.cos(w * t) + v / w * math.sin(w * t),
                    -(x - rest) * w * math.sin(w * t) + v * math.cos(w * t))

        x, v = arc(90, 1, 0, 0.2)
        end = arc(270, x, v, 1.3)
        for args in [("--formulation", f, "--integrator", "rk4") for f in FORMULATIONS] + [("--integrator", "dopri5", "--option", "rtol=1e-10", "--option", "atol=1e-12")]:
            value, _ = self.block('stiff: {when: "t >= 0.2", set: {k: 3*k}}', "--step", 0.00125, *args, signals=text)
            self.assertNear(value["final"]["joint.rail.position"], end[0], 1e-7, str(args))
            self.assertNear(value["final"]["joint.rail.velocity"], end[1], 1e-6, str(args))
            self.assertEqual(value["final"]["signal.k"], 180)
            self.assertNear(value["energy"]["supplied_J"], 90 * x * x, 1e-7, "supplied")
            self.assertNear(value["energy"]["max_drift_J"], 0, 1e-7, "audit")

    def test_set_and_fix(self):
        """what the spring holds more is supplied, and the motion that the lock ends is dissipated"""
        value, _ = self.block('both: {when: "t >= 0.2", set: {k: 3*k}, fix: rail}', "--step", 0.00125,
                              signals="parameters: {k: 60}\nforces:\n  f: {type: joint_spring, joint: rail, stiffness: k}\n")
        w, rest = math.sqrt(30), -1 / 3
        x, v = rest + (1 - rest) * math.cos(0.2 * w), -(1 - rest) * w * math.sin(0.2 * w)
        self.assertNear(value["energy"]["supplied_J"], 60 * x * x, 1e-8, "supplied")
        self.assertNear(value["energy"]["dissipated_J"], v * v, 1e-8, "dissipated")

    def test_set_motion(self):
        """the amplitude of a motion, where its position is continuous; the impulse is supplied. So is that of a rate."""
        moves = {"position: 1 + a*sin(3*pi*t)": (3, 6 * math.pi), "velocity: 3*pi*a": (1 + 0.5 * 3 * math.pi + 3 * math.pi, 6 * math.pi)}
        for motion, (end, rate) in moves.items():
            text = BLOCK.replace("zero: 1", "zero: 1, motion: {" + motion + "}").replace("[0, 0, -10]", "[0, 0, 0]")
            text = text.replace("ACTIONS", 'more: {when: "t >= 1", set: {a: 2}}') + "parameters: {a: 0.5}\n"
            for formulation in FORMULATIONS:
                value = self.run_model(self.variant(text), "--formulation", formulation, "--step", 0.001)
                self.assertNear(value["final"]["joint.rail.position"], end, 1e-9, motion)
                self.assertEqual(value["energy"]["dissipated_J"], 0)
                self.assertNear(value["energy"]["max_drift_J"], 0, 2e-4, motion)
        # a position that would jump is refused when it comes to that
        text = text.replace("velocity: 3*pi*a", "position: 1 + a*t")
        self.assertIn("must be continuous", self.command("run", self.variant(text), code=5).stderr)

    def test_reset(self):
        """an integral and a latch begin anew"""
        for formulation in ("hybrid", "redundant"):
            value, run = self.block('again: {when: "t >= 0.5", reset: [i, late]}', "--formulation", formulation,
                                    signals="signals:\n  i: {integral: {of: 3}}\n"
                                            '  late: {latch: {when: "t >= 0.2 and t < 0.4"}}\n')
            self.assertNear(run["signal.i"][run["t"].index(0.4)], 1.2, 1e-9, "before")
            self.assertNear(value["final"]["signal.i"], 3.0, 1e-9, "after")
            self.assertEqual(run["signal.late"][run["t"].index(0.4)], 1)
            self.assertEqual(value["final"]["signal.late"], 0)

    def test_mass_metric(self):
        """M (v+ - v-) acts on the named coordinate alone"""
        # M of the stretched chain in (s, k): rods of 1 kg and 1 m with their own inertia
        inner, outer = 0.25 + 0.1, 1.5 ** 2 + 0.1
        M = [[inner + outer, 0.1 + 1.5 * 0.5], [0.1 + 1.5 * 0.5, 0.1 + 0.25]]
        before = [1, 2]
        for action, rate in (("rebound: k, restitution: 0.5", -1), ("set: {k: {rate: 7}}", 7)):
            dk = rate - 2
            ds = -M[0][1] / M[0][0] * dk
            after = [1 + ds, rate]
            gained = sum(0.5 * M[i][j] * (after[i] * after[j] - before[i] * before[j]) for i in (0, 1) for j in (0, 1))
            for formulation in FORMULATIONS:
                value = self.run_model(self.variant(CHAIN.replace("ACTION", action)), "--formulation", formulation)
                # centrifugal forces act for a microsecond
                self.assertNear(value["final"]["joint.s.rate"], after[0], 1e-4, f"{action} {formulation}")
                self.assertNear(value["final"]["joint.k.rate"], rate, 1e-4, f"{action} {formulation}")
                energy = value["energy"]
                self.assertNear(energy["supplied_J"] - energy["dissipated_J"], gained, 1e-9, "energy")
                self.assertEqual(energy["dissipated_J"] != 0, "rebound" in action)

    def test_refused(self):
        for action, words in (("set: {rail: {rate: 1}}", "no rate 'rate'"), ("set: {u: 1}", "nothing 'u'"),
                              ("set: {sine: 1}", "cannot be set"), ("reset: sine", "nothing to reset"),
                              ("reset: x", "no signal 'x'"), ("rebound: rail, restitution: 2", "between 0 and 1")):
            text = BLOCK.replace("ACTIONS", "e: {when: t > 1, " + action + "}") + "signals: {sine: sin(t)}\n"
            self.assertIn(words, self.command("check", self.variant(text), code=3).stderr, action)
        # what must be a constant names the event, the place and the parameter that it needs
        for old, new, place in (("mass: 2", "mass: m", "5:17: error: event 'e' sets parameter 'm',"),
                                ("mass: 2", "mass: twice", "sets parameter 'twice', through another one"),
                                ("zero: 1", "zero: m", "must be a constant"), ("time: 1.5", "time: m", "must be a constant")):
            text = BLOCK.replace("ACTIONS", "e: {when: t > 1, set: {m: 3}}").replace(old, new)
            text = text.replace("gravity", "parameters: {m: 2, twice: 2*m}\ngravity")
            self.assertIn(place, self.command("check", self.variant(text), code=3).stderr, place)
        text = BLOCK.replace("ACTIONS", "e: {when: t > 1, set: {list: 3}}") + "parameters: {list: [1, 2]}\n"
        self.assertIn("nothing 'list'", self.command("check", self.variant(text), code=3).stderr)


if __name__ == "__main__":
    unittest.main()
