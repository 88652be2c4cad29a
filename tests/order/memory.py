#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws with memory (maxwell, lugre, hardening): closed forms, the state as a node, orders, energy audit, resume,
error control, agreement of the formulations."""
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from support import ExampleTest, SHORT  # noqa: E402
from support_memory import BRANCHES, BRISTLE, LOOP, LOOP_CHANNELS, LUGRE, MAXWELL, hardening, rail  # noqa: E402

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")
STEEL = dict(k=200.0, fy=3.0, Hi=20.0, Hk=30.0)
STEEL_LAW = "hardening: {stiffness: 200, yield: 3, isotropic: 20, kinematic: 30}"


class Memory(ExampleTest):
    def series(self, text, *args):
        return self.run_series(self.variant(text), *args)[1]

    def last(self, text, channel, *args):
        return self.series(text, *args)[channel][-1]

    # --- closed forms ---

    def test_ramp(self):
        """s = r t: f = k0 s + sum k tau r (1 - exp(-t/tau))"""
        model = rail("forces: {f: {type: joint_spring, joint: rail, spring: {linear: 50, %s}}}" % MAXWELL, 1, 0.02,
                     motion=', motion: {position: "0.3*t"}')
        exact = -(50 * 0.3 + sum(k * tau * 0.3 * (1 - math.exp(-1 / tau)) for k, tau in BRANCHES))
        errors = [abs(self.last(model, "force.f.force", "--step", h) - exact) for h in (0.02, 0.01, 0.005)]
        self.assertOrder(errors, 2, what="trapezoidal")
        errors = [abs(self.last(model, "force.f.force", "--integrator", "rk4", "--step", h) - exact)
                  for h in (0.02, 0.01)]
        self.assertOrder(errors, 4, within=0.3, what="rk4")

    def test_bristle(self):
        """constant speed from rest: sigma0 z = g (1 - exp(-sigma0 v t/g)); the bristle begins at 0"""
        c = BRISTLE
        v = 0.2
        g = c["coulomb"] + (c["static"] - c["coulomb"]) * math.exp(-(v / c["speed"])**2)
        model = rail("signals: {s: {ramp: {from: 0, to: 20, start: 0.01, end: 100.01}}}\n"
                     "forces: {f: {type: joint_spring, joint: rail, damper: {%s}}}" % LUGRE, 0.02, 1e-4,
                     motion=", motion: {position: s}")
        t = 0.01
        rate = c["stiffness"] * v / g
        z, zd = v / rate * (1 - math.exp(-rate * t)), v * math.exp(-rate * t)
        exact = -(c["stiffness"] * z + c["damping"] * zd + c["viscous"] * v)
        for integrator, h, within in (("trapezoidal", 1e-4, 2e-4), ("rk4", 1e-4, 1e-8), ("sdirk", 1e-4, 1e-6)):
            found = self.last(model, "force.f.force", "--integrator", integrator, "--step", h)
            self.assertNear(found, exact, within, integrator)

    def test_stop(self):
        """a block slides to rest over v^2/(2 mu g), less what the bristle gives way, and stays"""
        model = rail("forces: {f: {type: joint_spring, joint: rail, damper: {lugre: {stiffness: 1e5, damping: 600, "
                     "coulomb: 1.962}}}}\nstart: {rail: {velocity: 0.5}}", 1.0, 0.001)
        found = self.series(model)
        z = 1.962 / 1e5
        self.assertNear(found["joint.rail.position"][-1], 0.25 * 2 / (2 * 1.962) + z, 2 * z, "stopping distance")
        self.assertLess(abs(found["joint.rail.velocity"][-1]), 1e-9)

    def test_yield(self):
        """a prescribed sine: force and work of a return map in Python, at steps that hit the turns"""
        model = rail("forces: {f: {type: joint_spring, joint: rail, spring: {%s}}}" % STEEL_LAW, 2, 0.025,
                     motion=', motion: {position: "0.08*sin(2*pi*t)"}')
        found = self.series(model)
        expected = hardening(found["joint.rail.position"], **STEEL)
        for i, (f, work) in enumerate(expected):
            self.assertNear(found["force.f.force"][i], -f, 1e-9, f"force in row {i}")
            self.assertNear(found["force.f.dissipated"][i], work, 1e-9, f"work in row {i}")

    # --- the state as a node ---

    def test_nodes(self):
        """the same equations with unknowns of `equation` in redundant"""
        c = BRISTLE
        start = "start: {rail: {position: 0.1, velocity: 0.4}}"
        private = rail("forces:\n  m: {type: joint_spring, joint: rail, spring: {linear: 50, %s}}\n"
                       "  b: {type: joint_spring, joint: rail, damper: {%s}}\n%s" % (MAXWELL, LUGRE, start), 0.4, 0.001)
        v = "joint.rail.velocity"
        g = f"({c['coulomb']} + {c['static'] - c['coulomb']}*exp(-({v}/{c['speed']})^2))"
        rate = f"{v} - {c['stiffness']}*abs({v})/{g}*network.z.value"
        first = (c["coulomb"] + (c["static"] - c["coulomb"]) * math.exp(-(0.4 / c["speed"])**2)) / c["stiffness"]
        lines = [f'  z: {{type: equation, value: "{rate}", start: {first!r}}}']
        force = f"-50*joint.rail.position - {c['stiffness']}*network.z.value - {c['damping']}*({rate}) - {c['viscous']}*{v}"
        for i, (k, tau) in enumerate(BRANCHES):
            lines.append(f'  y{i}: {{type: equation, value: "(joint.rail.position - network.y{i}.value)/{tau}", start: 0.1}}')
            force += f" - {k}*(joint.rail.position - network.y{i}.value)"
        nodes = rail("network:\n" + "\n".join(lines) +
                     f'\nforces: {{m: {{type: joint_force, joint: rail, value: "{force}"}}}}\n{start}', 0.4, 0.001)
        for integrator in ("trapezoidal", "generalized_alpha", "rk4"):
            args = ("--integrator", integrator, "--tolerance", 1e-12)
            one = self.series(private, "--formulation", "hybrid", *args)
            other = self.series(nodes, "--formulation", "redundant", *args)
            for channel in ("joint.rail.position", "joint.rail.velocity"):
                for a, b in zip(one[channel], other[channel]):
                    self.assertNear(a, b, 1e-10, f"{channel}, {integrator}")

    # --- orders, formulations, audit ---

    def loop(self, formulation, integrator, step):
        found = self.series(LOOP, "--formulation", formulation, "--integrator", integrator, "--step", step,
                            "--tolerance", 1e-12)
        return [found[c][-1] for c in LOOP_CHANNELS], max(map(abs, found["energy.balance_error"]))

    def loop_errors(self, formulation, integrator, steps):
        if not hasattr(Memory, "exact"):
            Memory.exact = self.loop("hybrid", "rk4", 1e-4)[0]
        runs = [self.loop(formulation, integrator, h) for h in steps]
        return [max(abs(a - b) for a, b in zip(x, Memory.exact)) for x, _ in runs], [audit for _, audit in runs]

    def test_formulations(self):
        for formulation in FORMULATIONS:
            errors, audits = self.loop_errors(formulation, "trapezoidal", (1e-3, 5e-4))
            self.assertOrder(errors, 2, within=0.15, what=formulation)
            self.assertOrder(audits, 2, within=0.3, what=f"audit of {formulation}")

    def test_integrators(self):
        pairs = (("hht", 2), ("generalized_alpha", 2), ("multistep", 2), ("abm2", 2), ("newmark", 1))
        for integrator, order in pairs[:2] if SHORT else pairs:
            errors, _ = self.loop_errors("hybrid", integrator, (1e-3, 5e-4))
            self.assertOrder(errors, order, within=0.2, what=integrator)
        errors, _ = self.loop_errors("hybrid", "sdirk", (2e-3, 1e-3))
        self.assertOrder(errors, 3, within=0.4, what="sdirk")
        self.assertLess(self.loop_errors("hybrid", "rk4", (5e-4,))[0][0], 1e-8)

    def test_plastic_audit(self):
        """the audit of a mass on a yielding spring falls with the square of the step"""
        model = rail("forces: {f: {type: joint_spring, joint: rail, spring: {%s}}}\nstart: {rail: {velocity: 1}}"
                     % STEEL_LAW, 1, 0.005)
        audits = []
        for h in (0.004, 0.0005):
            found = self.series(model, "--step", h)
            audits.append(max(map(abs, found["energy.balance_error"])))
            self.assertNear(found["energy.dissipated"][-1], found["force.f.dissipated"][-1], 1e-12)
        self.assertLess(audits[1], audits[0] / 30)
        for args in (("--integrator", "dopri5"), ("--option", "step_control=error")):
            found = self.series(model, *args)
            self.assertLess(max(map(abs, found["energy.balance_error"])), 1e-3)
            self.assertNear(found["energy.dissipated"][-1], found["force.f.dissipated"][-1], 1e-10)

    def test_plastic_heat(self):
        """the plastic power goes to a node as heat: its energy is the plastic work, but for the steps in which
        yielding begins or ends"""
        model = rail("forces: {f: {type: joint_spring, joint: rail, spring: {%s}}}\nstart: {rail: {velocity: 1}}\n"
                     "nodes: {case: {type: thermal, start: 300}}\nnetwork:\n"
                     "  heat: {type: heat_source, into: case, value: force.f.dissipation}\n"
                     "  mass: {type: heat_capacity, on: case, capacity: 2}" % STEEL_LAW, 1, 0.002)
        model = model.replace('"energy.*"', '"energy.*", "node.*"')

        def gap(*args):
            found = self.series(model, *args)
            work = found["force.f.dissipated"][-1]
            self.assertGreater(work, 0.5)
            return abs(2 * (found["node.case.temperature"][-1] - 300) / work - 1)
        self.assertLess(gap("--integrator", "dopri5", "--option", "rtol=1e-9", "--option", "atol=1e-11"), 2e-4)
        for args in ((), ("--formulation", "redundant"), ("--integrator", "rk4")):
            self.assertLess(gap(*args), 5e-3, str(args))
            self.assertLess(gap("--step", 0.0002, *args), 1e-3, str(args))

    def test_bdf(self):
        """states of laws in the system of first order: both indices agree with other methods, and tolerances count"""
        def final(*args):
            found = self.series(LOOP, "--formulation", "redundant", *args)
            return [found[c][-1] for c in LOOP_CHANNELS], max(map(abs, found["energy.balance_error"]))
        exact, _ = final("--integrator", "dopri5", "--option", "rtol=1e-11", "--option", "atol=1e-13")
        errors = []
        for form, rtol in (("three", 1e-7), ("stabilised", 1e-5), ("stabilised", 1e-8)):
            found, drift = final("--integrator", "bdf", "--option", f"index={form}", "--option", f"rtol={rtol}", "--option",
                                 f"atol={rtol / 100}")
            errors.append(max(abs(a - b) for a, b in zip(found, exact)))
            self.assertLess(drift, 2e3 * rtol, form)
        self.assertLess(errors[0], 1e-4)
        self.assertLess(errors[2], 1e-6)
        self.assertLess(errors[2], 0.1 * errors[1])

    # --- error control, resume, refusals ---

    def test_error_control(self):
        """a state that is faster than the motion decides on the steps"""
        text = 'forces: {f: {type: joint_spring, joint: rail, spring: {%s}}}'
        motion = ', motion: {position: "0.3*sin(t)"}'
        fast = rail(text % "maxwell: [{stiffness: 300, time: 0.01}]", 1, 0.1, motion)
        slow = rail(text % "maxwell: [{stiffness: 300, time: 1}]", 1, 0.1, motion)
        w, tau = 1.0, 0.01
        # after the transient: z = 0.3 Im(exp(i t)/(1 + i tau))
        exact = -300 * (0.3 * math.sin(1) - 0.3 * (math.sin(w) - tau * w * math.cos(w)) / (1 + (tau * w)**2))
        for args in (("--integrator", "dopri5"), ("--option", "step_control=error")):
            a, found = self.run_series(self.variant(fast), *args)
            b = self.run_model(self.variant(slow), *args)
            self.assertNear(found["force.f.force"][-1], exact, 2e-4, str(args))
            self.assertGreater(a["steps"], 1.4 * b["steps"], str(args))

    def test_resume(self):
        """to the last bit; controlled steps end at the cut because a force jumps there"""
        plastic = rail("signals: {p: {step: {from: 0, to: 60, start: 0.2}}}\nforces:\n"
                       "  f: {type: joint_spring, joint: rail, spring: {%s, %s}}\n"
                       "  b: {type: joint_spring, joint: rail, damper: {%s}}\n"
                       "  push: {type: joint_force, joint: rail, value: p}\nstart: {rail: {velocity: 1}}"
                       % (STEEL_LAW, MAXWELL, LUGRE), 0.4, 0.002)
        model = self.variant(plastic)
        for args in ((), ("--integrator", "multistep", "--formulation", "redundant"),
                     ("--integrator", "dopri5"), ("--integrator", "dopri5", "--option", "step_max=0.0005"),
                     ("--option", "step_control=error")):
            (self.dir / "a.csv").unlink(missing_ok=True)
            self.command("run", model, "--output", "whole.csv", *args)
            self.command("run", model, "--output", "a.csv", "--time", 0.2, "--checkpoint", "state", *args)
            self.command("run", model, "--output", "a.csv", "--resume", "state", *args)
            self.assertEqual((self.dir / "a.csv").read_bytes(), (self.dir / "whole.csv").read_bytes(), str(args))


if __name__ == "__main__":
    unittest.main()
