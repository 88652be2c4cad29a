#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The blocks of `controllers:`: sampled ones against recursions written down here, the matrix exponential and exact
plants; state machines against their times; in every formulation, with every kind of integrator, and resumed."""
import math
import unittest

from support import ExampleTest, orders

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")
BODY = """bodies: {a: {mass: 2, com: [0, 0, 0]}}
joints: {x: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}}
record: ["controller.*", joint.x.position, joint.x.velocity]
run: {time: 1.005, step: 0.01, integrator: trapezoidal}
"""
PID = """hooke: 1
controllers:
  c: {type: pid, setpoint: 1, measurement: joint.x.position, weights: [0.7, 0.2], kp: 60, ki: 90, kd: 12, time: 0.015,
      limits: [-5, 8], HOW, period: 0.02, phase: 0.01, start: 0.5}
""" + BODY + "forces: {p: {type: force, on: a, value: [controller.c, 0, 0]}}\n"
# an outer loop of 0.07 s around one of 0.01 s: 7*0.01 and 0.07 differ in their last bit
CASCADE = """hooke: 1
controllers:
  outer: {type: transfer_function, input: 1 - joint.x.position, numerator: [4, -3.5], denominator: [1, -0.5],
          discrete: true, period: 0.07}
  inner: {type: pid, input: controller.outer - joint.x.velocity, kp: 20, ki: 30, period: 0.01}
""" + BODY + "forces: {p: {type: force, on: a, value: [controller.inner, 0, 0]}}\n"
SPACE = """hooke: 1
signals: {u: "cos(5*t)"}
controllers:
  c: {type: state_space, input: [u, "0.3 + t"], A: a.csv, B: b.csv, C: "c.csv", D: [[0, 0.5], [0, 0]], outputs: [one, two],
      start: [1, -1, 0.5], period: 0.04}
""" + BODY + "forces: {p: {type: force, on: a, value: [controller.c.one, 0, 0]}}\n"
A = [[0.0, 1.0, 0.0], [-50.0, -3.0, 4.0], [1.0, 0.0, -0.2]]
B = [[0.0, 1.0], [2.0, 0.0], [0.5, -1.0]]
C = [[2.0, 1.0, 0.0], [0.0, 0.0, 3.0]]
LIMITS = """hooke: 1
signals: {u: "3*sin(4*t)"}
controllers:
  adc: {type: quantiser, input: u, bits: 6, range: [-2, 2], period: 0.03}
  steps: {type: quantiser, input: u, step: 0.25, offset: 0.1, limits: [-2, 2.6]}
  below: {type: quantiser, input: u, step: 0.25, rounding: down}
  sat: {type: saturation, input: u, limits: [-1, 2], period: 0.05}
  dead: {type: dead_zone, input: u, limits: [-1, 2]}
  slow: {type: rate_limit, input: u, rates: [-4, 6], period: 0.01}
  soft: {type: rate_limit, input: u, rates: [-4, 6], time: 0.001}
  late: {type: delay, input: u, time: 0.06, period: 0.02}
  loop: {type: transfer_function, input: 1 - controller.loop, numerator: [0.5], denominator: [1, -0.5], discrete: true, period: 0.1}
""" + BODY
MACHINE = """hooke: 1
controllers:
  mode:
    type: state_machine
    outputs: {force: 4}
    variables: {speed: -1, left: -1}
    states:
      go: {transitions: [{to: brake, when: joint.x.position > 0.3}], exit: {left: t}}
      brake: {outputs: {force: -6*controller.mode.speed}, entry: {speed: joint.x.velocity}, transitions: [{to: rest, after: 0.15}]}
      rest: {outputs: {force: 0}, transitions: [{to: back, when: controller.mode.time > 0.1}]}
      back: {outputs: {force: -1}}
""" + BODY + "forces: {p: {type: force, on: a, value: [controller.mode.force, 0, 0]}}\n"


def held(x, lo, hi):
    return min(max(x, lo), hi)


def pid(how, end=1.005, h=0.02, phase=0.01):
    """position, speed and output: a mass of 2 kg, constant forces between the samples"""
    x = v = d = 0.0
    total, w_old, u, t = 0.5, None, 0.5, 0.0
    k = 0
    while True:
        # to the next sample
        goal = min(phase + k * h, end)
        s, a = goal - t, u / 2
        x, v, t = x + s * v + s * s / 2 * a, v + s * a, goal
        if t == end:
            return x, v, u
        e, w = 1 - x, 0.2 - x
        d = 0.0 if w_old is None else (0.015 * d + 12 * (w - w_old)) / (0.015 + h)
        w_old = w
        free = 60 * (0.7 - x) + total + d
        u = held(free, -5, 8)
        if how == "back_calculation":
            total += 90 * h * e + h / 0.05 * (u - free)
        elif how == "none" or (u - free) * e >= 0:
            total += 90 * h * e
        k += 1


def cascade(end=1.005, h=0.01):
    x = v = total = outer = e_old = 0.0
    for k in range(101):
        if k % 7 == 0:  # y = 0.5 y' + 4 e - 3.5 e'
            e = 1 - x
            outer, e_old = 0.5 * outer + 4 * e - 3.5 * e_old, e
        e = outer - v
        a = (20 * e + total) / 2
        total += 30 * h * e
        s = min((k + 1) * h, end) - k * h
        x, v = x + s * v + s * s / 2 * a, v + s * a
    return x, v


def product(a, b):
    return [[math.fsum(p * q for p, q in zip(row, column)) for column in zip(*b)] for row in a]


def exponential(a):
    n, halvings = len(a), 24
    a = [[x / 2**halvings for x in row] for row in a]
    term = [[float(i == j) for j in range(n)] for i in range(n)]
    # e^a - 1, so that nothing is lost beside 1
    less = [[0.0] * n for _ in range(n)]
    for k in range(1, 7):
        term = [[x / k for x in row] for row in product(term, a)]
        less = [[p + q for p, q in zip(*rows)] for rows in zip(less, term)]
    for _ in range(halvings):
        less = [[2 * p + q for p, q in zip(*rows)] for rows in zip(less, product(less, less))]
    return [[x + (i == j) for j, x in enumerate(row)] for i, row in enumerate(less)]


def space(end=1.005, h=0.04):
    """both outputs, and position and speed under the first: e^(whole h) of states and held inputs together"""
    n, m = 3, 2
    whole = exponential([[h * x for x in row + bu] for row, bu in zip(A, B)] + [[0.0] * (n + m)] * m)
    x, p, v, k = [1.0, -1.0, 0.5], 0.0, 0.0, 0
    while True:
        t = k * h
        u = [math.cos(5 * t), 0.3 + t]
        one, two = (sum(c * s for c, s in zip(row, x)) for row in C)
        one += 0.5 * u[1]
        s = min(t + h, end) - t
        p, v = p + s * v + s * s / 2 * one / 2, v + s * one / 2
        if t + h > end:
            return one, two, p, v
        x = [sum(c * s for c, s in zip(row, x + u)) for row in whole[:n]]
        k += 1


class Controllers(ExampleTest):
    def ends(self, text, *args):
        return self.run_model(self.variant(text), *args)["final"]

    def near(self, end, expected, within, what):
        self.assertNear(end["joint.x.position"], expected[0], within, what)
        self.assertNear(end["joint.x.velocity"], expected[1], 10 * within, what)

    def test_pid(self):
        for how, keys in (("back_calculation", "windup: 0.05"), ("clamping", "anti_windup: clamping"),
                          ("none", "anti_windup: none")):
            text, expected = PID.replace("HOW", keys), pid(how)
            for f in FORMULATIONS if how == "clamping" else ("hybrid",):
                end = self.ends(text, "--formulation", f)
                self.near(end, expected, 1e-11, how)
                self.assertNear(end["controller.c"], expected[2], 1e-10, how)
            for i in ("rk4", "dopri5", "generalized_alpha", "multistep", "sdirk") if how == "none" else ():
                self.near(self.ends(text, "--integrator", i), expected, 1e-8, i)
        # all three differ: the limits cut
        self.assertGreater(abs(pid("none")[0] - pid("clamping")[0]), 0.01)
        self.assertGreater(abs(pid("back_calculation")[0] - pid("clamping")[0]), 0.01)

    def test_continuous_pid(self):
        # sampled ever faster it becomes the one in continuous time
        for how in ("windup: 0.05", "anti_windup: clamping"):
            text = PID.replace("HOW", how).replace("phase: 0.01, ", "").replace("[0.7, 0.2]", "[0.7, 0]")
            goal = self.ends(text.replace("period: 0.02, ", ""), "--step", 0.0005)
            errors = [abs(self.ends(text.replace("0.02", str(h)), "--step", h)["joint.x.position"] -
                          goal["joint.x.position"]) for h in (0.002, 0.001)]
            self.assertLess(errors[1], 2e-3)
            if how.startswith("windup"):  # clamping jumps, at some time within a period
                self.assertNear(orders(errors)[0], 1, 0.25, how)

    def test_two_rates(self):
        for f in FORMULATIONS:
            self.near(self.ends(CASCADE, "--formulation", f), cascade(), 1e-11, f)

    def files(self):
        for name, rows in (("a.csv", A), ("b.csv", B), ("c.csv", C)):
            self.variant("\n".join(",".join(map(str, row)) for row in rows) + "\n", name)

    def test_state_space(self):
        self.files()
        one, two, x, v = space()
        for i in ("trapezoidal", "rk4"):
            end = self.ends(SPACE, "--integrator", i)
            self.assertNear(end["controller.c.one"], one, 1e-11)
            self.assertNear(end["controller.c.two"], two, 1e-11)
            self.near(end, (x, v), 1e-11, i)
        # not sampled, the same system follows its inputs; held inputs are half a period late
        text = SPACE.replace(", period: 0.04", "").replace("time: 1.005", "time: 1")
        smooth = self.ends(text, "--step", 0.001)
        fast = self.ends(SPACE.replace("0.04", "0.002").replace("time: 1.005", "time: 1"), "--step", 0.002)
        for port in ("one", "two"):
            self.assertNear(fast[f"controller.c.{port}"], smooth[f"controller.c.{port}"], 0.02, port)

    def test_limits(self):
        _, rows = self.run_series(self.variant(LIMITS), "--step", 0.005)
        slow = loop = 0.0
        for t, row in zip(rows["t"], range(len(rows["t"]))):
            def u(t):
                return 3 * math.sin(4 * t)

            def at(h, t=t):
                return math.floor(t / h + 1e-9) * h

            y = {name: rows["controller." + name][row] for name in ("adc", "steps", "below", "sat", "dead", "slow",
                                                                    "late", "loop")}
            if abs(t / 0.01 - round(t / 0.01)) < 1e-6:
                if round(t / 0.01):
                    slow += held(u(t) - slow, -0.04, 0.06)
                if round(t / 0.01) % 10 == 0 and round(t / 0.01):
                    loop = 0.5 * loop + 0.5 * (1 - loop)
                continue  # the last bit of the time decides
            self.assertNear(y["adc"], -2 + held(round((u(at(0.03)) + 2) * 16), 0, 63) / 16, 1e-12, f"adc at {t}")
            self.assertNear(y["steps"], held(0.1 + 0.25 * round((u(t) - 0.1) / 0.25), -2, 2.6), 1e-12, f"steps at {t}")
            self.assertNear(y["below"], 0.25 * math.floor(u(t) / 0.25), 1e-12, f"below at {t}")
            self.assertNear(y["sat"], held(u(at(0.05)), -1, 2), 1e-12, f"sat at {t}")
            self.assertNear(y["dead"], u(t) - held(u(t), -1, 2), 1e-12, f"dead at {t}")
            self.assertNear(y["slow"], slow, 1e-12, f"slow at {t}")
            self.assertNear(y["late"], u(max(0.0, at(0.02) - 0.06)), 1e-12, f"late at {t}")
            self.assertNear(y["loop"], loop, 1e-12, f"loop at {t}")
            if rows["t"][row] > 0.1:
                self.assertNear(rows["controller.soft"][row], y["slow"], 0.1, f"soft at {t}")

    def test_machine(self):
        # 4 N to 0.3 m, then a force from the speed there for 0.15 s, nothing for 0.1 s, then -1 N
        t1 = math.sqrt(0.3)
        v1 = 2 * t1
        t3, end = t1 + 0.25, 1.005
        v2, x2 = v1 - 3 * v1 * 0.15, 0.3 + 0.15 * v1 - 1.5 * v1 * 0.15**2
        s = end - t3
        x, v = x2 + 0.1 * v2 + s * v2 - s * s / 4, v2 - s / 2
        for f in FORMULATIONS:
            final = self.ends(MACHINE, "--formulation", f)
            self.near(final, (x, v), 1e-9, f)
            self.assertNear(final["controller.mode.left"], t1, 1e-10, f)
            self.assertNear(final["controller.mode.speed"], v1, 1e-9, f)
            self.assertNear(final["controller.mode.time"], end - t3, 1e-10, f)
            self.assertEqual((final["controller.mode"], final["controller.mode.back"], final["controller.mode.rest"]),
                             (4, 1, 0))
        for i in ("rk4", "dopri5", "generalized_alpha"):
            self.near(self.ends(MACHINE, "--integrator", i), (x, v), 1e-6, i)

    def test_time_since(self):
        # a condition on the time in a state is located within steps
        text = """hooke: 1
controllers: {m: {type: state_machine, states: {a: {transitions: [{to: b, after: 0.3}]}, b: }}}
signals: {hit: {first_hit: {when: controller.m.b*controller.m.time > 0.1234}}}
""" + BODY.replace("record: [", "record: [signal.hit, ")
        self.assertNear(self.ends(text)["signal.hit"], 0.4234, 1e-10)

    def test_sampled_machine(self):
        text = MACHINE.replace("type: state_machine", "type: state_machine\n    period: 0.05")
        final = self.ends(text)
        # 0.3 m is passed at 0.5477 s; 0.15 s after the next instant comes the next change
        self.assertNear(final["controller.mode.left"], 0.55, 1e-12)
        self.assertNear(final["controller.mode.speed"], 1.1, 1e-12)
        self.assertNear(final["controller.mode.time"], 1.005 - 0.85, 1e-12)

    def test_resume(self):
        self.files()
        for text in (PID.replace("HOW", "windup: 0.05"), CASCADE, SPACE, MACHINE, LIMITS):
            model = self.variant(text)
            whole = self.run_model(model)["final"]
            for cut in (0.5, 0.63):
                self.run_model(model, "--time", cut, "--checkpoint", "half.ck")
                self.assertEqual(self.run_model(model, "--resume", "half.ck")["final"], whole, cut)

    def test_components(self):
        # an instance has controllers of its own, and so has each of repeated items
        text = """hooke: 1
components:
  axis:
    parameters: {gain: 1}
    bodies: {a: {mass: 2, com: [0, 0, 0]}}
    joints: {x: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}}
    controllers:
      error: {type: sample, input: 1 - joint.x.position, period: 0.01}
      c: {type: pid, input: controller.error, kp: 10*gain, period: 0.01}
    forces: {p: {type: joint_force, joint: x, value: controller.c}}
instances: {left: {component: axis}, right: {component: axis, mirror: x, parameters: {gain: 3}}}
controllers: {s: {repeat: 2, type: saturation, input: i*controller.left.c, limits: [-100, 100]}}
record: ["controller.*", "joint.*.position"]
run: {time: 0.005, step: 0.005}
"""
        end = self.ends(text)
        self.assertEqual((end["controller.left.c"], end["controller.right.c"]), (10, 30))
        self.assertEqual((end["controller.s_1"], end["controller.s_2"]), (10, 20))
        self.assertNear(end["joint.right.x.position"], 3 * end["joint.left.x.position"], 1e-15)

    def test_sizes(self):
        # the largest that are allowed, and one more
        self.variant("\n".join(",".join("-1" if i == j else "0" for j in range(201)) for i in range(201)), "large.csv")
        self.variant("\n".join(",".join("-1" if i == j else "0" for j in range(200)) for i in range(200)), "full.csv")
        self.variant("1\n" * 200, "ones.csv")
        text = """hooke: 1
controllers: {c: {type: state_space, input: 3, A: FILE, B: ones.csv, C: ones.csv, period: 0.1}}
""" + BODY
        end = self.ends(text.replace("FILE", "full.csv"))
        self.assertNear(end["controller.c"], 200 * 3 * (1 - math.exp(-1)), 1e-10)
        message = self.command("check", self.variant(text.replace("FILE", "large.csv")), code=3).stderr
        self.assertIn("large.csv:1:1: error: 'A' must have at least one row and 200 rows and columns at most", message)
        message = self.command("check", self.variant(text.replace("FILE", "full.csv").replace(", period: 0.1", "")), code=3).stderr
        self.assertIn("'controller.c' has more than 64 states", message)
        # a ring of 40 states, and 41
        for n in (40, 41):
            states = ", ".join(f"s{i}: {{outputs: {{y: {i}}}, transitions: [{{to: s{(i + 1) % n}, after: 0.01}}]}}" for i in range(n))
            text = f"hooke: 1\ncontrollers: {{c: {{type: state_machine, outputs: {{y: -1}}, states: {{{states}}}}}}}\n" + BODY
            if n == 40:
                self.assertEqual(self.ends(text)["controller.c.y"], 100 % 40)
            else:
                self.assertIn("a state machine has 1 to 40 states, found 41", self.command("check", self.variant(text), code=3).stderr)

    def test_unstable(self):
        text = "hooke: 1\ncontrollers: {c: {type: state_space, input: 1, A: [[3]], B: [1], C: [1], period: 0.1}}\n" + BODY
        self.assertNear(self.ends(text)["controller.c"], math.expm1(3) / 3, 1e-12)

    def test_servo_arm(self):
        value, rows = self.run_series("servo-arm.yaml")
        self.assertEqual(value["grade"], "good")
        line = 2 * math.pi / 4096
        modes = []
        for k, t in enumerate(rows["t"]):
            lines = rows["controller.encoder"][k] / line
            self.assertNear(lines, round(lines), 1e-9, f"encoder at {t}")
            # the encoder is at most a sample and half a line behind
            self.assertNear(rows["joint.hinge.angle"][k], rows["controller.encoder"][k],
                            line / 2 + 0.002 * abs(rows["joint.hinge.rate"][k]) + 1e-9, f"angle at {t}")
            self.assertLessEqual(abs(rows["controller.torque"][k]), 15)
            self.assertEqual(rows["force.motor.torque"][k], rows["controller.torque"][k] * rows["controller.mode.on"][k])
            if not modes or modes[-1] != rows["controller.mode"][k]:
                modes.append(rows["controller.mode"][k])
        self.assertEqual(modes, [1, 2, 3, 4, 5])
        end = value["final"]
        # 0.4 s are held after the arm was up: 'lower' begins there
        i = rows["controller.mode"].index(4)
        self.assertLess(abs(rows["t"][i] - end["controller.mode.reached"] - 0.4), 0.002 + 1e-9)
        for f in ("topological", "recursive"):
            other = self.run_model("servo-arm.yaml", "--formulation", f)["final"]
            self.assertNear(other["joint.hinge.angle"], end["joint.hinge.angle"], 1e-9, f)

    def test_reset(self):
        # an event sets a machine and a sum back to their start; the next instant is that of the period
        text = """hooke: 1
controllers:
  m: {type: state_machine, variables: {x: 7}, states: {a: {transitions: [{to: b, after: 0.1}]}, b: {entry: {x: t}}}}
  i: {type: integral, input: 1, start: 3, period: 0.1}
events: {again: {when: "t >= 0.75", reset: [controller.m, controller.i]}}
""" + BODY.replace("1.005", "0.83")
        end = self.ends(text)
        self.assertEqual((end["controller.m"], end["controller.m.x"]), (1, 7))
        self.assertNear(end["controller.m.time"], 0.08, 1e-12)
        # sampled at 0.8 for the first time: nothing has been added yet
        self.assertNear(end["controller.i"], 3, 1e-12)
        self.assertNear(self.ends(text.replace("0.83", "0.93"))["controller.i"], 3.1, 1e-12)

    def test_endless(self):
        text = MACHINE.replace("{force: -1}", "{force: -1}, transitions: [{to: rest, when: controller.mode.time < 9}]")
        text = text.replace("controller.mode.time > 0.1", "joint.x.position > 0.31")
        message = self.command("run", self.variant(text), code=5).stderr
        self.assertIn("'controller.mode' changes its state again and again at t =", message)


if __name__ == "__main__":
    unittest.main()
