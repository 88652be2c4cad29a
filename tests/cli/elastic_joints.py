#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Elastic joints in models: the order of their bodies, every formulation, the way past half a turn, places and axes of
both sides, bad input."""
import json
import math
import unittest

from support import FEW, SOURCE, CommandTest

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")

# two free bodies, turned by 0.84 rad against each other and displaced at the start
PAIR = """\
hooke: 1
bodies:
  A: {mass: 1, inertia: [0.02, 0.03, 0.04], com: [0, 0, 0]}
  B: {mass: 1.5, inertia: [0.03, 0.02, 0.05], com: [0.1, 0.05, 0]}
forces:
  joint: {type: TYPE, between: BETWEEN, at: [0.05, 0, 0.02], REFERENCE stiffness: STIFFNESS}
start:
  B: {orientation: {axis: [1, 2, 2], angle: 0.84}, position: [0.13, 0.02, 0.04]}
  A: {velocity: [0.1, 0, 0], angular_velocity: [0.3, 0.2, -0.4]}
record: ["body.*.position", "body.*.orientation", "energy.*"]
run: {time: 1, step: 0.002}
"""
STIFFNESS = {"bushing": "[200, 300, 500, 3, 5, 9]", "elastic_displacement": "[200, 300, 500]", "elastic_hinge": "[3, 5, 9]"}

# a disc on an axle, turned by a moment against an elastic hinge of 2 N*m/rad
DISC = """\
hooke: 1
bodies: {disc: {mass: 1, com: [0, 0, 0], inertia: [0.01, 0.01, 0.02]}}
joints: {axle: {type: revolute, between: [ground, disc], at: [0, 0, 0], axis: [0.48, 0.6, 0.64]}}
forces:
  spring: {type: TYPE, between: [ground, disc], PLACE stiffness: STIFFNESS, damping: DAMPING}
  push: {type: joint_torque, joint: axle, value: "2*ANGLE*min(t/2, 1)"}
record: ["joint.axle.angle", "force.spring.*", "energy.*"]
run: {time: 4, step: 0.005, integrator: generalized_alpha}
"""


def distance(a, b, what):
    return max(abs(a[k] - b[k]) for k in a if k.startswith("body.") and what in k)


class ElasticJoints(CommandTest):
    def run_text(self, text, *args, code=0):
        path = self.dir / "elastic.yaml"
        path.write_text(text)
        p = self.hooke("run", path, "--json", *args, code=code)
        return p if code else json.loads(p.stdout)

    def pair(self, kind, reference, swapped, *args):
        text = PAIR.replace("TYPE", kind).replace("STIFFNESS", STIFFNESS[kind])
        text = text.replace("BETWEEN", "[B, A]" if swapped else "[A, B]")
        return self.run_text(text.replace("REFERENCE", f"reference: {reference}," if reference else ""), *args)

    def test_order_of_bodies(self):
        """half-way axes: nothing changes over 1 s from 0.84 rad; axes of the first body become those of the second"""
        for kind, reference in (("bushing", "middle"), ("elastic_displacement", ""), ("elastic_hinge", "")):
            a, b = (self.pair(kind, reference, swapped) for swapped in (False, True))
            self.assertLess(distance(a["final"], b["final"], ""), 1e-10, kind)
            self.assertEqual(a["grade"], "good", kind)
        a, b = self.pair("bushing", "first", False), self.pair("bushing", "first", True)
        self.assertGreater(distance(a["final"], b["final"], "position"), 1e-3)
        self.assertLess(distance(a["final"], self.pair("bushing", "second", True)["final"], ""), 1e-10)
        # the exact tangents of a time step are those of the potential: as many iterations as in axes of a body
        c = self.pair("bushing", "middle", False)
        self.assertLess(c["iterations"], 1.02 * a["iterations"])

    def test_every_formulation(self):
        first = None
        for formulation in FORMULATIONS[:2 if FEW else None]:
            ends = [self.pair("bushing", "middle", swapped, "--formulation", formulation, "--time", "0.2", "--step", "0.001",
                              "--tolerance", "1e-12")["final"]
                    for swapped in (False, True)]
            self.assertLess(distance(*ends, ""), 1e-10, formulation)
            first = first or ends[0]
            self.assertLess(distance(first, ends[0], "position"), 2e-6, formulation)
        for kind in ("elastic_displacement", "elastic_hinge"):
            ends = [self.pair(kind, "", False, "--formulation", f, "--time", "0.1", "--step", "0.001")["final"]
                    for f in FORMULATIONS[:2 if FEW else None]]
            for formulation, end in zip(FORMULATIONS, ends):
                self.assertLess(distance(ends[0], end, "position"), 2e-6, (kind, formulation))

    @unittest.skipIf(FEW, "long under sanitizers; check-all has it there")
    def test_audit(self):
        """the energy of a half-way joint closes at the order of the integrator"""
        drift = [self.pair("bushing", "middle", False, "--integrator", "trapezoidal", "--step", h)["energy"]["max_drift_J"]
                 for h in ("0.004", "0.002", "0.001")]
        for coarse, fine in zip(drift, drift[1:]):
            self.assertTrue(3.6 < abs(coarse / fine) < 4.4, drift)

    def disc(self, kind, angle, place="", *args, code=0):
        n = 6 if kind == "bushing" else 3
        text = DISC.replace("TYPE", kind).replace("ANGLE", str(angle)).replace("PLACE", place)
        text = text.replace("STIFFNESS", "[0, 0, 0, 2, 2, 2]" if n == 6 else "[2, 2, 2]")
        return self.run_text(text.replace("DAMPING", "[0, 0, 0, 1, 1, 1]" if n == 6 else "[1, 1, 1]"), *args, code=code)

    def test_past_half_a_turn(self):
        """a hinge of 2 N*m/rad settles where the moment puts it, also at 5 rad"""
        for kind, place, step in (("elastic_hinge", "", ()), ("bushing", "at: [0, 0, 0], reference: middle,", ()),
                                  ("bushing", "at: [0, 0, 0],", ()), ("elastic_hinge", "", ("--option", "step_control=error"))):
            out = self.disc(kind, 5.0, place, *step)
            final = out["final"]
            self.assertLess(abs(final["joint.axle.angle"] - 5.0), 0.03, kind)
            r = [final[f"force.spring.r{c}"] for c in "xyz"]
            for x, n in zip(r, (0.48, 0.6, 0.64)):
                self.assertLess(abs(x - n * final["joint.axle.angle"]), 1e-9, kind)
            self.assertEqual(out["grade"], "good", kind)

    def test_resumed_past_half_a_turn(self):
        """a checkpoint holds the way that a joint has been turned"""
        keep = self.dir / "state.hkc"
        whole = self.disc("elastic_hinge", 5.0)
        half = self.disc("elastic_hinge", 5.0, "", "--time", "2.5", "--checkpoint", keep)
        self.assertGreater(half["final"]["joint.axle.angle"], 4)
        self.assertEqual(self.disc("elastic_hinge", 5.0, "", "--resume", keep)["final"], whole["final"])

    def test_prestrain(self):
        """of the second body seen from the first: settles there, and changes its sign with the order of the bodies"""
        text = PAIR.replace("TYPE", "elastic_hinge").replace("REFERENCE", "damping: 0.2, prestrain: STRAIN,").replace("STIFFNESS", "[3, 5, 9]")
        ends = [self.run_text(text.replace("BETWEEN", order).replace("STRAIN", strain), "--time", "0.2" if FEW else "3")["final"]
                for order, strain in (("[A, B]", "[0.1, 0, -0.05]"), ("[B, A]", "[-0.1, 0, 0.05]"))]
        self.assertLess(distance(*ends, ""), 1e-10)
        if FEW:
            return
        a, b = ([ends[0][f"body.{body}.orientation.{c}"] for c in "wxyz"] for body in "AB")
        relative = [a[0] * b[0] + sum(x * y for x, y in zip(a[1:], b[1:]))]
        relative += [a[0] * b[i] - b[0] * a[i] - a[j] * b[k] + a[k] * b[j] for i, j, k in ((1, 2, 3), (2, 3, 1), (3, 1, 2))]
        angle = 2 * math.acos(min(1, abs(relative[0])))
        for x, expected in zip(relative[1:], (0.1, 0, -0.05)):
            self.assertLess(abs(math.copysign(x, x * relative[0]) * angle / math.sin(angle / 2) - expected), 2e-3, relative)

    def test_refuses_a_full_turn(self):
        for args in ((), ("--option", "step_control=error")):
            p = self.disc("elastic_hinge", 6.2, "", *args, code=5)
            self.assertIn("force 'spring': its bodies are turned against each other by more than 342 degrees", p.stderr)
            self.assertIn("joint_spring", p.stderr)
            self.assertIn("a smaller step does not help", p.stderr)
        # a spring of the joint itself counts turns
        text = DISC.replace("type: TYPE, between: [ground, disc], PLACE stiffness: STIFFNESS, damping: DAMPING",
                            "type: joint_spring, joint: axle, stiffness: 2, damping: 1").replace("ANGLE", "20")
        self.assertLess(abs(self.run_text(text)["final"]["joint.axle.angle"] - 20), 0.1)

    def test_equilibrium_past_half_a_turn(self):
        text = DISC.replace("TYPE", "elastic_hinge").replace("PLACE", "").replace("STIFFNESS", "2").replace("DAMPING", "1")
        path = self.dir / "statics.yaml"
        path.write_text(text.replace('value: "2*ANGLE*min(t/2, 1)"', "value: M") + "signals: {M: {input: 0}}\n")
        run = ("statics", path, "--load", "M", "--points", "12", "--json", "--to")
        last = json.loads(self.hooke(*run, "9").stdout)["points"][-1]
        self.assertLess(abs(last["final"]["joint.axle.angle"] - 4.5), 1e-9)
        self.assertLess(abs(last["final"]["force.spring.rx"] - 0.48 * 4.5), 1e-9)
        p = self.hooke(*run, "12.4", code=4)
        self.assertIn("342 degrees", p.stderr)
        # as the start of a run
        for moment, code in ((9, 0), (12.4, 4)):
            start = text.replace('value: "2*ANGLE*min(t/2, 1)"', f"value: {moment}") + "start: {equilibrium: true}\n"
            out = self.run_text(start, "--time", "0.05", code=code)
            if code:
                self.assertIn("at the start: force 'spring'", out.stderr)
            else:
                self.assertLess(abs(out["final"]["joint.axle.angle"] - 4.5), 1e-9)

    def test_places_and_axes_of_both_sides(self):
        """drawn displaced and turned: pulled to where both markers meet"""
        text = """\
hooke: 1
bodies: {block: {mass: 1, com: [0, 0, 0], inertia: [0.02, 0.03, 0.04]}}
forces:
  j: {type: bushing, between: [ground, block], ends: [[0.02, 0, 0], [0, 0.01, 0]], reference: middle,
      second_axes: {axis: z, angle: 0.3}, stiffness: [900, 700, 800, 5, 6, 7], damping: [30, 30, 30, 0.4, 0.4, 0.4]}
record: ["body.block.position", "force.j.*"]
run: {time: 3, step: 0.005}
"""
        final = self.run_text(text)["final"]
        for c in ("x", "y", "z", "rx", "ry", "rz"):
            self.assertLess(abs(final[f"force.j.{c}"]), 1e-4, c)
        # the point [0, 0.01, 0] of the block, turned by -0.3 rad, is at [0.02, 0, 0]
        expected = (0.02 - 0.01 * math.sin(0.3), -0.01 * math.cos(0.3), 0)
        for c, x in zip("xyz", expected):
            self.assertLess(abs(final[f"body.block.position.{c}"] - x), 1e-4, c)

    def test_mirrored(self):
        """the mirror image of a joint is the mirror image of its motion"""
        text = """\
hooke: 1
components:
  side:
    frames: {tilted: {rotate: {axis: [1, 2, 0.5], angle: 0.5}}}
    bodies:
      A: {mass: 1, inertia: [0.02, 0.03, 0.04], com: [0, 1, 0]}
      B: {mass: 1.5, inertia: [0.03, 0.02, 0.05], com: [0.1, 1.05, 0]}
    forces:
      j: {type: TYPE, between: [A, B], ends: [[0.05, 1, 0.02], [0.06, 1.01, 0.03]], axes: tilted, REFERENCE stiffness: MATRIX}
      push: {type: torque, on: A, value: [1.5, -0.6, 0.8]}
instances:
  left: {component: side}
  right: {component: side, mirror: y}
record: ["body.*.position", "force.*.x"]
run: {time: 0.3, step: 0.002}
"""
        for kind, reference in (("bushing", "middle"), ("bushing", "second"), ("elastic_displacement", "middle")):
            n = 6 if kind == "bushing" else 3
            rows = [[(300 + 40 * i if i == j else 20 * ((i + j) % 3)) / (1 if i < 3 else 20) for j in range(n)] for i in range(n)]
            rows = [[(rows[i][j] + rows[j][i]) / 2 for j in range(n)] for i in range(n)]
            f = self.run_text(text.replace("TYPE", kind).replace("REFERENCE", f"reference: {reference},").replace("MATRIX", str(rows)))["final"]
            for b in "AB":
                for c, sign in zip("xyz", (1, -1, 1)):
                    left, right = f[f"body.left.{b}.position.{c}"], f[f"body.right.{b}.position.{c}"]
                    self.assertLess(abs(left - sign * right), 1e-12, (kind, b, c))
            self.assertGreater(abs(f["body.left.A.position.x"]), 1e-5)

    def test_bad_input(self):
        base = PAIR.replace("BETWEEN", "[A, B]")
        bad = ((base.replace("TYPE", "bushing").replace("at: [0.05, 0, 0.02], REFERENCE", "").replace("STIFFNESS", "1"), "neither 'at' nor 'ends'"),
               (base.replace("TYPE", "bushing").replace("REFERENCE", "ends: [[0, 0, 0], [0, 0, 0]],").replace("STIFFNESS", "1"), "both 'at' and 'ends'"),
               (base.replace("TYPE", "bushing").replace("REFERENCE", "reference: third,").replace("STIFFNESS", "1"), "third"),
               (base.replace("TYPE", "elastic_hinge").replace("REFERENCE", "reference: middle,").replace("STIFFNESS", "1"), "has no key 'reference'"),
               (base.replace("TYPE", "elastic_displacement").replace("REFERENCE", "").replace("STIFFNESS", "[1, 2, 3, 4, 5, 6]"), "'stiffness'"),
               (base.replace("TYPE", "elastic_displacement").replace("REFERENCE stiffness: STIFFNESS", "axes: {axis: z, angle: 1}"), "none of"))
        for text, words in bad:
            p = self.run_text(text, code=3)
            self.assertIn(words, p.stderr)
            self.assertIn("elastic.yaml:", p.stderr)

    def test_example(self):
        """blade-root.yaml: the order of hub and blade does not matter; the pitch is what the moment and the spin leave"""
        text = (SOURCE / "examples/blade-root.yaml").read_text()
        a = self.run_text(text)
        b = self.run_text(text.replace("between: [hub, blade]", "between: [blade, hub]"))
        self.assertEqual(a["grade"], "good")
        self.assertLess(distance(a["final"], b["final"], ""), 1e-10)
        self.assertTrue(0.8 < a["final"]["force.rubber.rx"] < 0.84)
        self.assertLess(abs(a["final"]["force.rubber.rx"] + b["final"]["force.rubber.rx"]), 1e-10)
        # the pull is the centripetal force on the blade
        self.assertLess(abs(a["final"]["force.rubber.fx"] / (1.8 * 0.702 * 25**2) - 1), 5e-3)


if __name__ == "__main__":
    unittest.main()
