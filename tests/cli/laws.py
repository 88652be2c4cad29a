#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws of several deformations in whole models: prestrain by a signal, all formulations, mirrored places, shared and
nested laws, laws of one deformation made of parts. The laws alone: tests/elements/law_many.c."""
import json
import math
import unittest

from support import FEW, SOURCE, CommandTest

FORMULATIONS = ("hybrid", "topological", "recursive", "global", "partition", "redundant")
K = [1e4, 1.2e4, 2e4, 40, 50, 60]

MOUNT = """\
hooke: 1
parameters: {{turn: 0.1}}
gravity: [0, 0, {g}]
bodies:
  B: {{mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}
laws:
  rubber: {{linear: [1e4, 1.2e4, 2e4, 40, 50, 60], proportional: 0.05}}
  law: {law}
signals:
  want: {{step: {{from: 0, to: turn, start: 0.1, duration: 0.2}}}}
forces:
  mount: {{type: bushing, between: [ground, B], at: [0, 0, 0], {keys}}}
run: {{time: {time}, step: {step}}}
record: ["force.mount.*", "body.B.position"]
"""

EVERYTHING = """{linear: [1e4, 1e4, 2e4, 40, 40, 60], proportional: 0.01,
    maxwell: [{stiffness: 500, time: 0.1}, {stiffness: [1e3, 0, 0, 0, 0, 3], damping: 10}],
    hardening: {stiffness: [1e3, 1e3, 1e3, 5, 5, 5], yield: [2, 2, 2, 1, 1, 1], isotropic: 10, kinematic: 5},
    expression: ["5*s1*s2", "3*sd2", "0", "0", "s4^3", "0"], potential: "500*s1^2 + 20*s1*s4^2",
    components: {x: {polynomial: [0, 1, 0, 50]}, rz: {coulomb: {force: 0.2}}},
    rates: [{table: [[-1, -3], [0, 0], [1, 5]]}, null, 4],
    axis: {direction: [1, 1, 0], law: {double_linear: {stiffness: 10, beyond: 500, from: -0.001, to: 0.001}}},
    bistop: {engage: "s3 < -0.0005", release: "s3 > 0.01", law: {linear: 500}},
    sum: [rubber, {linear: 3, prestrain: [0, 0, 0.001, 0, 0, 0]}], prestress: [0, 0, 1, 0, 0, 0], factor: 1.1}"""

HALVES = """\
hooke: 1
components:
  half:
    points: {{H: [0, 0.5, 0]}}
    bodies:
      B: {{mass: 2, com: H, inertia: [0.1, 0.2, 0.3]}}
    laws:
      odd: {law}
    forces:
      mount: {{type: bushing, between: [ground, B], at: H, law: odd, prestrain: [0.001, 0.002, 0, 0.02, -0.01, 0.03],
              prestress: [1, 2, 3, 0.1, 0.2, 0.3]}}
instances:
  left: {{component: half}}
  right: {{component: half, mirror: y}}
gravity: [0, 0, -9.81]
run: {{time: 0.2, step: 0.001}}
record: ["body.*.position"]
"""

THREE = """\
hooke: 1
gravity: [0, 0, 0]
bodies:
  B: {mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}
laws:
  soft: {linear: [[1e4, 200, 0], [200, 1e4, 0], [0, 0, 2e4]], proportional: 0.01, maxwell: [{stiffness: 1e3, time: 0.1}]}
  turn: {linear: 40, proportional: 0.05, components: {rz: {polynomial: [0, 0, 0, 10]}}}
forces:
  a: {type: elastic_displacement, between: [ground, B], at: [0, 0, 0], law: soft,
      prestrain: ["0.01*sin(3*t)", 0, "-0.05*force.h.rx"], prestress: {y: 5}}
  h: {type: elastic_hinge, between: [ground, B], law: turn, prestrain: {rz: 0.1, rx: "10*force.a.x"},
      factor: "1 + 0.2*sin(t)"}
run: {time: 1, step: 0.002}
record: ["force.*"]
"""

DRAWN = """\
hooke: 1
gravity: [0, 0, 0]
bodies:
  B: {mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  rail: {type: prismatic, between: [ground, B], at: [0, 0, 0], axis: x, motion: {position: 0.1*t}}
forces:
  mount:
    type: bushing
    between: [ground, B]
    at: [0, 0, 0]
    law:
      maxwell:
        - {stiffness: [[1e4, 0, 0, 0, 300, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0],
                       [300, 0, 0, 0, 40, 0], [0, 0, 0, 0, 0, 1]], time: 0.2}
        - {stiffness: [500, 0, 0, 0, 0, 0], damping: 250}
run: {time: 1, step: 0.002}
record: ["force.mount.*"]
"""

SCALAR = """\
hooke: 1
gravity: [0, 0, 0]
bodies:
  B: {{mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints:
  rail: {{type: prismatic, between: [ground, B], at: [0, 0, 0], axis: x}}
start: {{rail: {{position: {x}, velocity: {v}}}}}
forces:
  spring: {{type: joint_spring, joint: rail, spring: {law}}}
run: {{time: {time}, step: {step}}}
record: [joint.rail.position, force.spring.force, energy.potential]
"""


class Laws(CommandTest):
    def run_model(self, text, *args):
        path = self.dir / "model.yaml"
        path.write_text(text)
        out = json.loads(self.hooke("run", path, "--json", *args).stdout)
        self.assertEqual(out["status"], "ok", out["message"])
        return out

    def mount(self, keys, *args, law="1", g=0, time=4, step=0.005):
        return self.run_model(MOUNT.format(law=law, keys=keys, g=g, time=time, step=step), *args)

    def test_prestrain_settles(self):
        """a prestrain of 0.1 rad settles at 0.1, by a law, by its name, by stiffness and damping; the audit closes"""
        for keys in ("law: rubber", f"stiffness: {K}, damping: {[0.05 * k for k in K]}"):
            out = self.mount(keys + ", prestrain: {rz: want}")
            self.assertLess(abs(out["final"]["force.mount.rz"] - 0.1), 1e-9, keys)
            self.assertLess(abs(out["energy"]["balance_error_J"]), 2e-4)
            self.assertGreater(out["energy"]["supplied_J"], 0.1)
        # in the law itself, by a number; and a force in its place
        for law in ("{law: rubber, prestrain: [0, 0, 0, 0, 0, 0.1]}", "{law: rubber, prestress: [0, 0, 0, 0, 0, -6]}"):
            out = self.mount("law: law", law=law)
            self.assertLess(abs(out["final"]["force.mount.rz"] - 0.1), 1e-9, law)
        out = self.mount("law: rubber, prestress: {x: -100, rz: '-60*want'}, factor: 0.5")
        self.assertLess(abs(out["final"]["force.mount.x"] - 0.02), 1e-9)
        self.assertLess(abs(out["final"]["force.mount.rz"] - 0.2), 1e-9)

    def test_audit_falls(self):
        """with a prestrain and a factor that vary the error of the audit falls with the square of the step"""
        keys = """law: rubber, prestrain: {rz: "0.1*sin(3*t)", z: "0.002*sin(5*t)"}, factor: "1 + 0.3*sin(2*t)",
          prestress: {x: -20, rz: "-4*sin(4*t)"}"""
        error = [abs(self.mount(keys, time=2, step=h, g=-9.81)["energy"]["balance_error_J"]) for h in (0.004, 0.002)]
        self.assertLess(error[1], 0.35 * error[0])
        self.assertGreater(error[1], 0.15 * error[0])

    def test_formulations(self):
        """a law with every kind of part is the same in all formulations"""
        keys = 'law: law, prestrain: {rz: "0.01*sin(5*t)"}, factor: "1 + 0.1*sin(t)"'
        found = [
            self.mount(keys, "--formulation", f, law=EVERYTHING, g=-9.81, time=0.1, step=0.001) for f in FORMULATIONS
        ]
        for f, out in zip(FORMULATIONS, found, strict=True):
            for c, x in found[0]["final"].items():
                self.assertLess(abs(out["final"][c] - x), 1e-8 * (1 + abs(x)), (f, c))
            self.assertLess(abs(out["energy"]["balance_error_J"]), 2e-5, f)

    def test_three_deformations(self):
        """elastic joints of displacements and of rotations, with prestrains that read channels of each other"""
        found = [self.run_model(THREE, "--formulation", f) for f in ("hybrid", "redundant", "global")]
        for out in found:
            for c, x in found[0]["final"].items():
                self.assertLess(abs(out["final"][c] - x), 1e-6 * (1 + abs(x)), c)
            self.assertLess(abs(out["energy"]["balance_error_J"]), 1e-4)
            self.assertLess(out["iterations"], 2.2 * out["steps"])  # slopes in the inputs are exact
        self.assertLess(abs(found[0]["final"]["force.h.rz"] - 0.1), 1e-3)
        self.assertLess(abs(found[0]["final"]["force.a.y"] + 5 / 1e4), 2e-4)

    def test_branches(self):
        """drawn out at the speed v a branch pulls with K tau v (1 - exp(-t/tau)), across its axes too"""
        final = self.run_model(DRAWN)["final"]
        fast, slow = 0.2 * 0.1 * (1 - math.exp(-1 / 0.2)), 0.5 * 0.1 * (1 - math.exp(-1 / 0.5))
        self.assertLess(abs(final["force.mount.fx"] / (1e4 * fast + 500 * slow) - 1), 2e-5)
        self.assertLess(abs(final["force.mount.my"] / (300 * fast) - 1), 2e-5)
        self.assertLess(abs(final["force.mount.fy"]), 1e-9)

    def test_resume(self):
        """states and data of all kinds are in a checkpoint: a run with a stop is the same to the bit"""
        text = MOUNT.format(law=EVERYTHING, keys="law: law", g=-9.81, time=0.06, step=0.001)
        (self.dir / "model.yaml").write_text(text)
        run = ("run", self.dir / "model.yaml", "-q", "-o")
        self.hooke(*run, self.dir / "whole.csv")
        self.hooke(*run, self.dir / "part.csv", "--time", "0.03", "--checkpoint", self.dir / "state")
        self.hooke(*run, self.dir / "part.csv", "--resume", self.dir / "state")
        self.assertEqual((self.dir / "whole.csv").read_bytes(), (self.dir / "part.csv").read_bytes())
        # another law is another model
        (self.dir / "model.yaml").write_text(text.replace('engage: "s3 < -0.0005"', 'engage: "s3 < -0.0006"'))
        self.refused(*run, self.dir / "part.csv", "--resume", self.dir / "state", code=6, words="another model")

    def test_integrators(self):
        """a law with every kind of part under an explicit method and those with states in a system of first order"""
        final = [self.mount("law: law", "--integrator", i, law=EVERYTHING, g=-9.81, time=0.05, step=5e-4)["final"]
                 for i in ("generalized_alpha", "sdirk", "bdf", "rk4")]
        for other in final[1:]:
            self.assertLess(abs(other["body.B.position.z"] / final[0]["body.B.position.z"] - 1), 5e-3)

    def test_mirrored(self):
        """the law of a mirrored component moves its body as in a mirror"""
        odd = EVERYTHING.replace("rubber", "{linear: 7}")
        final = self.run_model(HALVES.format(law=odd))["final"]
        for axis, side in (("x", 1), ("y", -1), ("z", 1)):
            left, right = (final[f"body.{h}.B.position.{axis}"] for h in ("left", "right"))
            self.assertLess(abs(left - side * right), 1e-12, axis)
        self.assertGreater(abs(final["body.left.B.position.y"] - 0.5), 1e-4)

    def test_example(self):
        """the machine on rubber mounts: carried, lifted and level, the same in all formulations"""
        found = []
        for f in FORMULATIONS[::3] if FEW else FORMULATIONS:
            out = json.loads(self.hooke("run", SOURCE / "examples/rubber-mount.yaml", "--json", "--formulation", f).stdout)
            self.assertEqual(out["grade"], "good", f)
            found.append(out["final"])
        for other in found[1:]:
            for c, x in found[0].items():
                self.assertLess(abs(other[c] - x), 1e-7 * (1 + abs(x)), c)
        self.assertLess(abs(sum(found[0][f"force.{m}.fz"] for m in ("front", "left", "right")) + 120 * 9.81), 0.1)
        self.assertLess(abs(found[0]["force.front.z"] - found[0]["force.left.z"]), 2e-5)

    def scalar(self, law, x=0.0, v=0.0, time=0.1, step=1e-3):
        return self.run_model(SCALAR.format(law=law, x=x, v=v, time=time, step=step))

    def test_one_deformation(self):
        """sums of parts and closed forms where a law of one deformation stands"""
        for law, x, force in (
            ("{linear: 500, prestrain: 0.1}", 0.3, 100),
            ("{sum: [{linear: 500}, {polynomial: [0, 0, 0, 1000]}], factor: 2}", 0.1, 102),
            ("{potential: '50*s^4'}", 0.5, 25),
            ("{expression: '3*s', prestress: 4}", 0.5, 5.5),
            ("{components: [{table: [[0, 0], [1, 30]]}]}", 0.5, 15),
            ("{log_elastic: {stiffness: 20}}", 0.5, 20 * math.log(1.5)),
            ("{double_linear: {stiffness: 10, beyond: 40, from: -0.1, to: 0.2}}", 0.5, 2 + 12),
            ("{gas_spring: {area: 0.01, pressure: 1e3, length: 1, exponent: 1}}", -0.5, -20),
            ("{shock_absorber: {area: 0.01, pressure: 1e3, length: 1, exponent: 1, compression: 5}}", -0.5, -20),
            ("{bistop: {engage: 's > 9', release: 's < -9', law: {linear: 7}, engaged: true}}", 0.5, 3.5),
        ):
            out = self.scalar(law, x, time=1e-6, step=1e-6)
            # the channel is the force on the body
            self.assertLess(abs(abs(out["final"]["force.spring.force"]) - abs(force)), 1e-5 * abs(force), law)

    def test_absorber_and_viscous(self):
        """decay of a mass on a damper, 2 v' = -c v, and on an orifice, 2 v' = -c v^2"""
        out = self.scalar("{viscous: 4, linear: 0}", v=1.0, time=1)
        self.assertLess(abs(out["final"]["joint.rail.position"] - 0.5 * (1 - math.exp(-2))), 1e-5)
        out = self.scalar("{turbulent: {coefficient: 4}}", v=1.0, time=1)
        self.assertLess(abs(out["final"]["joint.rail.position"] - 0.5 * math.log(3)), 1e-5)
        self.assertLess(abs(out["energy"]["balance_error_J"]), 1e-5)

    def test_zero_that_moves(self):
        """a sum of parts as spring and as damper over a zero that moves: the audit closes"""
        law = "{potential: '200*s^2 + 500*s^4', viscous: 3}"
        for keys in (f"spring: {law}", f"stiffness: 10, damper: {law}"):
            out = self.run_model(SCALAR.format(law=law, x=0.1, v=0, time=0.5, step=5e-4).replace(
                f"spring: {law}", keys + ', zero: "0.1*sin(9*t)"'))
            self.assertLess(abs(out["energy"]["balance_error_J"]), 5e-5, keys)
            self.assertGreater(abs(out["energy"]["supplied_J"]), 0.1, keys)

    def test_bistop(self):
        """a mass that runs into a catch: it swings about the place where it was caught"""
        law = "{bistop: {engage: 's > 0.1', release: 's < -9', law: {linear: 800}}}"
        out = self.scalar(law, v=1.0, time=0.1 + math.pi / 40, step=2e-4)
        self.assertLess(abs(out["final"]["joint.rail.position"] - 0.15), 4e-4)
        self.assertLess(abs(out["energy"]["balance_error_J"]), 1e-4)
        # and lets go of it: what is stored then is lost. The force jumps between two steps, one of which still has half
        # of it: an error of first order in the step
        law = "{bistop: {engage: 's > 0.1', release: 's > 0.14', law: {linear: 800}}}"
        out = [self.scalar(law, v=1.0, time=0.3, step=h) for h in (2e-4, 1e-4)]
        self.assertLess(abs(out[1]["energy"]["dissipated_J"] - 0.5 * 800 * 0.04**2), 0.01)
        for o, h in zip(out, (2e-4, 1e-4), strict=True):
            self.assertLess(abs(o["energy"]["balance_error_J"]), 0.5 * h * 800 * 0.041)


if __name__ == "__main__":
    unittest.main()
