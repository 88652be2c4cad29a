#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The energy audit: it converges with the method, its quadrature does not show, and the books say who supplied and
who dissipated what."""
import math
import unittest

from support import ExampleTest, SHORT, orders

# examples, longest of three steps, end: motors, motions, roads, dampers and events among them
ORDER_TWO = (("motor-crank.yaml", 0.002, 0.5), ("hot-damper.yaml", 0.01, 0.5), ("engine-mounts.yaml", 0.002, 0.1),
             ("iltis-suspension.yaml", 0.004, 1), ("puma.yaml", 0.01, 0.5), ("mirrored-axle.yaml", 0.005, 0.5),
             ("static-node.yaml", 0.005, 0.5), ("andrews.yaml", 0.0002, 0.01), ("five-bar-robot.yaml", 0.01, 0.5),
             ("double-pendulum-stiff.yaml", 0.001, 0.05), ("slider-crank-stiff.yaml", 0.001, 0.05),
             ("grab-and-release.yaml", 0.005, 0.5), ("pendulum.yaml", 0.02, 0.5),
             ("shaker.yaml", 0.004, 0.6, "-i", "trapezoidal", "--option", "step_control=off"))

BLOCK = """\
hooke: 1
gravity: [0, 0, -9.81]
bodies: {a: {mass: 2, com: [0.1, 0.2, 0.3], inertia: {diagonal: [0.1, 0.2, 0.15]}}}
start: {a: {angular_velocity: [1, -0.7, 0.4], velocity: [0.3, 0.2, -0.1]}}
"""
SLIDE = """\
hooke: 1
bodies: {a: {mass: 2, com: [0, 0, 0], inertia: {diagonal: [0.1, 0.2, 0.15]}}}
joints: {j: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}}
start: {j: {velocity: 0.5}}
"""
RUN = "run: {time: 0.8, step: 0.02, integrator: rk4}\n"
# forces whose work the audit integrates; the motion itself is good to order 4 with rk4
WORK = {
    "damper": SLIDE + "forces: {f: {type: spring_damper, between: [ground, a], ends: [[-1, 0, 0], [0, 0, 0]],"
              ' stiffness: 50, damper: {expression: "4*sdot + 3*sdot^3"}}}\n',
    "damper at an angle": BLOCK + "forces: {f: {type: spring_damper, between: [ground, a], ends: [[-1, 0, 0], "
                          "[0.1, 0, 0.2]], stiffness: 80, damping: 3}}\n",
    "damper along an axis": BLOCK + "forces: {f: {type: spring_damper, between: [a, ground], along: [0, 0.6, 0.8], "
                            "ends: [[0.1, 0, 0.2], [1, 0, 0]], stiffness: 80, damping: 3}}\n",
    "bushing": BLOCK + "forces: {f: {type: bushing, between: [ground, a], at: [0, 0, 0], stiffness: [50, 60, 70, 3, 4,"
               " 5], damping: [3, 4, 5, 0.2, 0.3, 0.4]}}\n",
    "moving spring": SLIDE + "forces: {f: {type: joint_spring, joint: j, stiffness: 50, damping: 2, "
                     'zero: "0.1*sin(5*t)"}}\n',
    "motor": SLIDE + 'forces: {f: {type: joint_force, joint: j, value: "3*cos(4*t)"}}\n',
    "force": BLOCK + 'forces: {f: {type: force, on: a, at: [0, 0.2, 0], value: ["2*sin(3*t)", 1, "cos(4*t)"]}}\n',
    "force of body axes": BLOCK + 'forces: {f: {type: force, on: a, at: [0, 0.2, 0], axes: body, '
                          'value: ["2*sin(3*t)", 1, 4]}}\n',
    "torque": BLOCK + 'forces: {f: {type: torque, on: a, axes: body, value: [0.3, "0.2*sin(4*t)", -0.1]}}\n',
    "road": BLOCK + "forces: {f: {type: tyre, wheel: a, radius: 0.36, stiffness: 300, damping: 1, "
            'road: "0.05*sin(3*x) + 0.03*cos(4*t)"}}\n',
    "road, normal": BLOCK + "forces: {f: {type: tyre, wheel: a, radius: 0.36, stiffness: 300, damping: 1, direction: "
                    'normal, road: "0.05*sin(3*x) + 0.03*cos(4*t)"}}\n',
}
# reads a channel: the middle of its value is that of a parabola, linear in the first step
WORK_OF_ORDER_3 = {
    "control": SLIDE + 'forces: {f: {type: joint_force, joint: j, value: "-20*joint.j.position - joint.j.velocity^3"}}\n',
}
# a motor and a load, whose work cancels in the sum
PRESS = """\
hooke: 1
bodies: {a: {mass: 2, com: [0, 0, 0], inertia: {diagonal: [0.1, 0.2, 0.15]}}}
joints: {j: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x, motion: {position: "0.1*sin(6*t)"}}}
forces: {load: {type: joint_force, joint: j, value: "-40*joint.j.velocity"}}
run: {time: 1, step: 0.005}
"""


if SHORT:
    ORDER_TWO = ORDER_TWO[::5]
    WORK = {name: WORK[name] for name in ("damper along an axis", "moving spring", "road, normal")}


class Audit(ExampleTest):
    def drifts(self, model, steps, *more):
        return [abs(self.run_model(model, "--step", h, *more)["energy"]["max_drift_J"]) for h in steps]

    def test_order_of_examples(self):
        for name, step, end, *more in ORDER_TWO:
            drift = self.drifts(name, (step, step / 2, step / 4), "--time", end, *more)
            self.assertOrder(drift, 2, 0.1, name)

    def test_a_driven_mechanism(self):
        # nothing is integrated: what is left is the work of the drive in the first step
        drift = self.drifts("slider-crank-driven.yaml", (0.01, 0.005), "--time", 0.8)
        self.assertGreater(orders(drift)[0], 2.9)

    def test_quadrature(self):
        for order, models in ((4, WORK), (3, WORK_OF_ORDER_3)):
            for name, text in models.items():
                drift = self.drifts(self.variant(text + RUN), (0.01, 0.005))
                self.assertGreater(orders(drift)[0], order - 0.3, (name, drift))

    def test_books(self):
        for name, step, end, *more in ORDER_TWO:
            e = self.run_model(name, "--step", step, "--time", end, *more)["energy"]
            for word in ("supplied", "dissipated"):
                total = sum(e[f"{word}_by_J"].values())
                self.assertNear(total, e[f"{word}_J"], 1e-9 * (1 + abs(e["initial_J"])), (name, word))

    def test_who_supplied_what(self):
        value, run = self.run_series(self.variant(PRESS))
        by = value["energy"]["supplied_by_J"]
        # integral of 40 v^2 over a second, v = 0.6 cos(6 t)
        loss = -40 * 0.36 * (0.5 + math.sin(12) / 24)
        self.assertEqual(sorted(by), ["force.load", "joint.j"])
        self.assertNear(by["force.load"], loss, 1e-5)
        self.assertNear(by["joint.j"] + by["force.load"], value["energy"]["supplied_J"], 1e-12)
        # drive and energy of the motion are recorded without being asked for, and agree
        work = sum(0.5 * 0.005 * (a * b + c * d) for a, b, c, d in
                   zip(run["joint.j.drive"], run["joint.j.velocity"], run["joint.j.drive"][1:],
                       run["joint.j.velocity"][1:]))
        self.assertNear(work, by["joint.j"], 2e-4)
        self.assertNear(run["joint.j.supplied"][-1], by["joint.j"], 0)

    def test_controlled_steps(self):
        # rows within steps have the books of their time
        _, fixed = self.run_series(self.variant(PRESS), "--step", 0.001)
        value, run = self.run_series(self.variant(PRESS), "--option", "step_control=error", "--option", "rtol=1e-8",
                                     "--option", "atol=1e-10")
        for i, t in enumerate(run["t"]):
            k = fixed["t"].index(t) if t in fixed["t"] else None
            if k is not None:
                self.assertNear(run["joint.j.supplied"][i], fixed["joint.j.supplied"][k], 2e-5, t)
        self.assertNear(sum(value["energy"]["supplied_by_J"].values()), value["energy"]["supplied_J"], 1e-9)

    def test_events_and_jumps(self):
        # what a lock takes out is the loss of the events; a jump of the motion's velocity is work of the motion
        by = self.run_model("grab-and-release.yaml")["energy"]["dissipated_by_J"]
        self.assertGreater(by["events"], 1)
        text = PRESS.replace('"0.1*sin(6*t)"', '"if(t < 0.5, 0, 2*(t - 0.5))"').replace("-40*joint.j.velocity", "0")
        by = self.run_model(self.variant(text))["energy"]["supplied_by_J"]
        self.assertEqual(list(by), ["joint.j"])
        self.assertNear(by["joint.j"], 0.5 * 2 * 4, 1e-9)


if __name__ == "__main__":
    unittest.main()
