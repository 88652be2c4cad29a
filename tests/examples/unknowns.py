#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Networks, equations and controllers with states beside every formulation: the same motion at the order of the method,
cut in two and resumed, large, and refused by name where an explicit method cannot follow."""
import json
import unittest

from support import EXAMPLES, ExampleTest

FORMULATIONS = ("hybrid", "topological", "global", "recursive", "partition", "redundant")

# model, end, step, channels, step of rk4
MODELS = (("motor-crank.yaml", 0.05, 1e-3, ("joint.shaft.angle", "network.motor.current"), 5e-4),
          ("hot-damper.yaml", 0.1, 4e-3, ("joint.slide.position", "node.case.temperature"), 2e-3),
          ("pid-arm.yaml", 0.1, 2.5e-3, ("joint.elbow.angle", "network.elbow_sum.value"), 5e-4),
          ("hydraulic-crane.yaml", 0.1, 2e-3, ("joint.O.angle", "node.a.pressure"), 1e-3))

STIFF = """hooke: 1
bodies: {rotor: {mass: 1, com: [0, 0, 0], inertia: {diagonal: [1, 1, 0.01]}}}
joints: {shaft: {type: revolute, between: [ground, rotor], at: [0, 0, 0], axis: z}}
nodes: {supply: {type: electric, value: 12}}
network:
  motor: {type: dc_motor, joint: shaft, between: [supply, ground], constant: 0.2, resistance: 0.5, inductance: 1e-5}
run: {time: 0.01, step: 1e-3, integrator: rk4}
"""

# an arm whose joint a voltage turns that a signal makes of its own angle
SERVO = """hooke: 1
gravity: [0, 0, -9.81]
bodies: {arm: {mass: 1, com: [0.3, 0, 0], inertia: {diagonal: [0.01, 0.03, 0.03]}}}
joints: {pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y}}
signals: {volts: "100*(0.5 - joint.pin.angle) - 10*joint.pin.rate"}
nodes: {supply: {type: electric, value: volts}, inner: {type: electric}}
network:
  lead:  {type: resistor, between: [supply, inner], resistance: 0.1}
  motor: {type: dc_motor, joint: pin, between: [inner, ground], constant: 0.5, resistance: 0.5, inductance: 1e-3}
record: ["joint.pin.angle", "node.*", "network.motor.current"]
run: {time: 0.2, step: 0.005, integrator: trapezoidal}
"""


def rod(n):
    """heat along a rod of n pieces from a motor at one end"""
    nodes = ", ".join(f"n{i}: {{type: thermal, start: 300}}" for i in range(n))
    parts = "".join(f"  c{i}: {{type: heat_capacity, on: n{i}, capacity: 2}}\n" for i in range(n))
    parts += "".join(f"  r{i}: {{type: thermal_resistance, between: [n{i}, n{i + 1}], resistance: 0.05}}\n"
                     for i in range(n - 1))
    return STIFF.replace("{supply: {type: electric, value: 12}}",
                         "{supply: {type: electric, value: 12}, " + nodes + "}").replace(
        "inductance: 1e-5}", "inductance: 1e-3, heats: n0}\n" + parts).replace("rk4", "trapezoidal") + "record: ['node.n0.temperature', 'joint.*']\n"


class Unknowns(ExampleTest):
    def error(self, model, reference, channels, *args):
        value = self.run_model(model, *args)
        self.assertEqual((value["status"], value["rejected"]), ("ok", 0), f"{model} {args}")
        return max(abs(value["final"][c] / reference[c] - 1) for c in channels)

    def test_formulations(self):
        for model, end, step, channels, explicit in MODELS:
            best = self.run_model(model, "-f", "hybrid", "-i", "dopri5", "--time", end, "--option", "rtol=1e-11", "--option",
                                  "atol=1e-11")["final"]
            for f in FORMULATIONS:
                what = ("-f", f, "--time", end)
                errors = [self.error(model, best, channels, *what, "-i", "trapezoidal", "--step", h) for h in (step / 2, step / 4)]
                self.assertOrder(errors, 2, 0.25, f"{model}, {f}")
                self.assertLess(self.error(model, best, channels, *what, "-i", "rk4", "--step", explicit), 1e-6, f"{model}, {f}")

    def test_refused_pair(self):
        """what an integrator needs that a formulation does not give is refused, with unknowns as without"""
        for f, i, word in (("recursive", "sdirk", "constraints at acceleration level"), ("hybrid", "bdf", "system of first order")):
            result = self.command("run", EXAMPLES / "pid-arm.yaml", "-f", f, "-i", i, code=2)
            self.assertIn(f"integrator '{i}' needs", result.stderr)
            self.assertIn(word, result.stderr)

    def test_stiff(self):
        """the winding settles in 20 us: rk4 follows it below 55.7 us, abm2 below 40 us"""
        model = self.variant(STIFF)
        for f in ("hybrid", "redundant"):
            result = self.command("run", model, "-f", f, code=3)
            self.assertIn("variant.yaml:7:", result.stderr)
            self.assertIn("the current of 'motor' settles in 2e-05 s: integrator 'rk4' needs steps below 5.6e-05 s", result.stderr)
        for i, works, fails in (("rk4", 5.4e-5, 5.7e-5), ("abm2", 3.9e-5, 4.1e-5)):
            self.assertEqual(self.run_model(model, "-i", i, "--step", works)["status"], "ok")
            self.assertIn(f"'{i}' needs steps below", self.command("run", model, "-i", i, "--step", fails, code=3 if i == "rk4" else 2).stderr)
        # implicit methods and error control take it
        self.assertEqual(self.run_model(model, "-i", "trapezoidal")["rejected"], 0)
        self.assertEqual(self.run_model(model, "-i", "dopri5")["status"], "ok")

    def test_resume(self):
        for model, cut, end in (("motor-crank.yaml", 0.02, 0.04), ("pid-arm.yaml", 0.1, 0.2)):
            for f in FORMULATIONS:
                keep, args = self.dir / "state.hkc", ("-f", f, "-i", "generalized_alpha")
                whole = self.run_model(model, *args, "--time", end)
                self.run_model(model, *args, "--time", cut, "--checkpoint", keep)
                second = self.run_model(model, *args, "--time", end, "--resume", keep)
                self.assertEqual(json.dumps(second["final"]), json.dumps(whole["final"]), f"{model}, {f}")

    def test_held_node(self):
        """a node held by a signal that reads the mechanism is in the tangent: with the loop left out, none converges"""
        model = self.variant(SERVO)
        angle = []
        for f in FORMULATIONS[:5]:
            value = self.run_model(model, "-f", f)
            self.assertEqual(value["rejected"], 0, f)
            self.assertLessEqual(value["iterations"], 4 * value["steps"], f)
            angle.append(value["final"]["joint.pin.angle"])
        for f, a in zip(FORMULATIONS, angle):
            self.assertNear(a, angle[0], 1e-4, f)

    def test_large(self):
        """a thousand unknowns by the sparse path"""
        model = self.variant(rod(1000))
        final = [self.run_model(model, "-f", f, "--time", 0.005)["final"] for f in ("hybrid", "redundant")]
        for name, value in final[1].items():
            self.assertNear(final[0][name], value, 1e-8 * max(1, abs(value)), name)
        self.assertGreater(final[0]["node.n0.temperature"], 300.1)


if __name__ == "__main__":
    unittest.main()
