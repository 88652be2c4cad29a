#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/motor-crank.yaml: a motor with an electric and a thermal side. Closed forms on a plain rotor (run-up,
stall, no load), balances of charge, power and heat on the slider-crank, all integrators, resumed runs."""
import cmath
import math
import unittest

from support import ExampleTest

EXAMPLE = "motor-crank.yaml"
INTEGRATORS = ("trapezoidal", "generalized_alpha", "hht", "multistep", "sdirk", "bdf", "rk4", "dopri5")

U, K, R, L, J = 12.0, 0.2, 0.5, 0.01, 0.004
ROTOR = f"""
hooke: 1
title: rotor
bodies: {{rotor: {{mass: 1, com: [0, 0, 0], inertia: {{diagonal: [0.01, 0.01, {J}]}}}}}}
joints: {{shaft: {{type: revolute, between: [ground, rotor], at: [0, 0, 0], axis: z}}}}
nodes: {{supply: {{type: electric, value: {U}}}}}
network: {{motor: {{type: dc_motor, joint: shaft, between: [supply, ground], constant: {K}, resistance: {R}, inductance: INDUCTANCE}}}}
run: {{time: 0.2, step: 0.001, formulation: redundant, integrator: trapezoidal}}
"""


def exact(t):
    """rate and current of the plain rotor: J w' = k i, L i' = U - R i - k w, from rest"""
    b, c = R / L, K * K / (J * L)
    s1, s2 = ((-b + sign * cmath.sqrt(b * b - 4 * c)) / 2 for sign in (1, -1))
    # w = U/k (1 + (s2 e^(s1 t) - s1 e^(s2 t))/(s1 - s2))
    w = U / K * (1 + (s2 * cmath.exp(s1 * t) - s1 * cmath.exp(s2 * t)) / (s1 - s2))
    i = J / K * U / K * s1 * s2 * (cmath.exp(s1 * t) - cmath.exp(s2 * t)) / (s1 - s2)
    return w.real, i.real


def trapezoid(t, y):
    return sum((y[i] + y[i + 1]) / 2 * (t[i + 1] - t[i]) for i in range(len(t) - 1))


class Motor(ExampleTest):
    def rotor(self, inductance=L):
        return self.variant(ROTOR.replace("INDUCTANCE", repr(inductance)))

    def test_run_up(self):
        path = self.rotor()
        for integrator, within in (("bdf", 2e-4), ("dopri5", 1e-5), ("rk4", 1e-5), ("sdirk", 2e-3)):
            final = self.run_model(path, "--integrator", integrator, "--time", 0.05)["final"]
            w, i = exact(0.05)
            self.assertNear(final["joint.shaft.rate"], w, within * U / K, integrator)
            self.assertNear(final["network.motor.current"], i, within * U / R, integrator)

    def test_order(self):
        path = self.rotor()
        w, i = exact(0.05)
        for integrator, order in (("trapezoidal", 2), ("generalized_alpha", 2), ("multistep", 2), ("sdirk", 3),
                                  ("rk4", 4), ("abm2", 2)):
            errors = {"rate": [], "current": []}
            for step in (1e-3, 5e-4, 2.5e-4):
                final = self.run_model(path, "--integrator", integrator, "--time", 0.05, "--step", step)["final"]
                errors["rate"].append(abs(final["joint.shaft.rate"] - w))
                errors["current"].append(abs(final["network.motor.current"] - i))
            for what, list_ in errors.items():
                self.assertOrder(list_[1:], order, 0.25, f"{integrator}, {what}")

    def test_no_load_and_stall(self):
        path = self.rotor()
        final = self.run_model(path, "--time", 5, "--step", 0.01)["final"]
        self.assertNear(final["joint.shaft.rate"], U / K, 1e-6, "no-load speed")
        self.assertNear(final["network.motor.current"], 0, 1e-6, "no-load current")
        stalled = self.variant(ROTOR.replace("INDUCTANCE", repr(L)).replace("axis: z}", "axis: z, motion: {angle: 0}}"))
        for t in (0.02, 1.0):
            final = self.run_model(stalled, "--time", t, "--step", 1e-4)["final"]
            self.assertNear(final["network.motor.current"], U / R * (1 - math.exp(-R * t / L)), 1e-4, "stall current")
            self.assertNear(final["network.motor.torque"], K * final["network.motor.current"], 1e-12, "stall torque")

    def test_without_inductance(self):
        # the current is algebraic: one time constant J R/k^2
        path = self.rotor(0)
        tau = J * R / K**2
        for integrator in INTEGRATORS + ("abm2",):
            final = self.run_model(path, "--time", 0.05, "--step", 2.5e-4, "--integrator", integrator)["final"]
            w = U / K * (1 - math.exp(-0.05 / tau))
            self.assertNear(final["joint.shaft.rate"], w, 3e-5 * U / K, integrator)
            self.assertNear(final["network.motor.current"], (U - K * final["joint.shaft.rate"]) / R, 1e-8, integrator)
        value = self.run_model(path, "--time", 1e-9)["final"]
        self.assertNear(value["network.motor.current"], U / R, 1e-6, "solved for at the start")

    def test_integrators_agree(self):
        best = self.run_model(EXAMPLE, "--integrator", "dopri5", "--time", 0.5, "--option", "rtol=1e-9")["final"]
        for integrator in INTEGRATORS:
            value = self.run_model(EXAMPLE, "--integrator", integrator, "--time", 0.5, "--step", 2.5e-4)
            final = value["final"]
            self.assertEqual(value["status"], "ok")
            self.assertNear(final["joint.shaft.rate"], best["joint.shaft.rate"], 0.05, integrator)
            self.assertNear(final["network.motor.current"], best["network.motor.current"], 0.05, integrator)
            self.assertNear(final["node.case.temperature"], best["node.case.temperature"], 1e-3, integrator)

    def test_steps_by_error(self):
        w, i = exact(0.05)
        for integrator in ("trapezoidal", "generalized_alpha", "multistep", "sdirk"):
            value = self.run_model(self.rotor(), "--integrator", integrator, "--time", 0.05, "--option",
                                   "step_control=error", "--option", "rtol=1e-7", "--option", "atol=1e-7")
            self.assertNear(value["final"]["joint.shaft.rate"], w, 2e-4 * w, integrator)
            self.assertNear(value["final"]["network.motor.current"], i, 2e-4 * w, integrator)

    def test_balances(self):
        value, run = self.run_series(EXAMPLE, "--integrator", "trapezoidal", "--step", 2.5e-4, "--time", 1)
        self.assertEqual((value["bodies"], value["dof"], value["redundant"]), (3, 1, 0))
        current, case = run["network.motor.current"], run["node.case.temperature"]
        for i, terminal in zip(current, run["node.terminal.voltage"]):
            self.assertNear(terminal, 24 - 0.05 * i, 1e-9, "the lead's voltage")
        t = run["t"]
        power = [u * i for u, i in zip(run["node.terminal.voltage"], current)]
        loss = trapezoid(t, run["network.motor.loss"])
        magnetic = 0.5 * 2e-3 * current[-1]**2
        self.assertNear(trapezoid(t, power), value["energy"]["supplied_J"] + loss + magnetic, 0.02, "electric power")
        self.assertNear(150 * (case[-1] - case[0]), loss - trapezoid(t, run["network.cooling.flow"]), 1e-3, "heat")

    def test_audit(self):
        errors = [abs(self.run_model(EXAMPLE, "--integrator", "trapezoidal", "--time", 0.5, "--step", h)
                      ["energy"]["balance_error_J"]) for h in (2e-3, 1e-3, 5e-4)]
        self.assertOrder(errors, 2, 0.4, "the audit")

    def test_other_formulations(self):
        # one degree of freedom: the same numbers in all formulations
        w, i = exact(0.05)
        for formulation in ("hybrid", "global", "topological", "recursive", "partition"):
            for integrator, order in (("trapezoidal", 2), ("rk4", 4)):
                errors = []
                for step in (5e-4, 2.5e-4):
                    value = self.run_model(self.rotor(), "--formulation", formulation, "--integrator", integrator,
                                           "--time", 0.05, "--step", step)
                    self.assertEqual((value["status"], value["rejected"]), ("ok", 0), formulation)
                    errors.append(abs(value["final"]["joint.shaft.rate"] - w) / w +
                                  abs(value["final"]["network.motor.current"] - i) / i)
                self.assertOrder(errors, order, 0.25, f"{formulation}, {integrator}")
        # without a choice the first of the table
        text = ROTOR.replace("INDUCTANCE", "0").replace("formulation: redundant, ", "")
        self.assertEqual(self.run_model(self.variant(text))["formulation"], "hybrid")
        for method in ("ggl", "fuhrer_leimkuhler", "overdetermined"):
            result = self.command("run", "--json", self.rotor(), "--option", f"stabilisation={method}", code=2)
            self.assertIn("scalar unknowns", result.stderr)
        self.assertEqual(self.run_model(self.rotor(), "--option", "stabilisation=baumgarte")["status"], "ok")

    def test_mirrored(self):
        # the same motor in a mirrored instance turns the mirror image the same way
        text = """
hooke: 1
components:
  drive:
    bodies: {rotor: {mass: 1, com: [0, 1, 0], inertia: {diagonal: [0.01, 0.01, 0.004]}}}
    joints: {shaft: {type: revolute, between: [ground, rotor], at: [0, 1, 0], axis: z}}
    network: {motor: {type: dc_motor, joint: shaft, between: [supply, ground], constant: 0.2, resistance: 0.5}}
nodes: {supply: {type: electric, value: 12}}
instances:
  left:  {component: drive, connect: {supply: supply}}
  right: {component: drive, mirror: y, connect: {supply: supply}}
run: {time: 0.1, step: 0.001}
"""
        final = self.run_model(self.variant(text))["final"]
        self.assertNear(final["joint.left.shaft.rate"], final["joint.right.shaft.rate"], 1e-12)
        self.assertNear(final["network.left.motor.current"], final["network.right.motor.current"], 1e-12)
        self.assertGreater(final["joint.left.shaft.rate"], 10)


if __name__ == "__main__":
    unittest.main()
