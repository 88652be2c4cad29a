#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flexible bodies at their limits: mass properties of a mesh, a body made stiffer and stiffer, a column that buckles, an arm of solids that spins,
momenta as states."""
import csv
import json
import math
import sys
import unittest

from support import FEW, SOURCE, CommandTest
from support_mesh import GMSH_EDGES, HEIGHT, LENGTH, WIDTH, Mesh

sys.path.insert(0, str(SOURCE / "scripts"))
import beam_deck  # pylint: disable=wrong-import-position

ROD = {"length": 1.0, "elements": 12, "E": 2e11, "nu": 0.3, "rho": 7800.0, "width": 0.02, "height": 0.02}
MU, EI = 7800 * 0.02**2, 2e11 * 0.02**4 / 12

COLUMN = """\
hooke: 1
flexible: {rod: {data: rod.nc, stiffening: true}}
joints:
  left: {type: universal, between: [ground, rod.start], at: [0, 0, 0], axis: y, axis2: z}
  right: {type: general, between: [ground, rod.end], at: [1, 0, 0], locked: [y, z, rx]}
forces: {load: {type: force, on: rod.end, at: [1, 0, 0], value: [-%.17g, 0, 0]}}
run: {time: 0.1, step: 0.001}
"""

PENDULUM = """\
hooke: 1
gravity: [0, 0, -9.81]
%s
joints: {pin: {type: revolute, between: [ground, %s], at: [0, 0, 0], axis: y}}
%srecord: [joint.pin.angle]
run: {time: 0.3, step: 0.001, integrator: generalized_alpha}
"""

FLIGHT = """\
hooke: 1
flexible: {rod: {data: rod.nc, modes: 4, q: [0.03]}}
start: {rod: {angular_velocity: [1, 2, 5]}}
record: [body.rod.end.position]
run: {time: 0.02, step: %g, formulation: redundant}
"""

ARM = f"""\
hooke: 1
parameters: {{n: 0}}
flexible: {{arm: {{data: arm.nc, stiffening: true, damping: 1}}}}
joints: {{hub: {{type: revolute, between: [ground, arm.root], at: [0, {WIDTH / 2}, {HEIGHT / 2}], axis: z, motion: {{rate: n}}}}}}
record: [flexible.arm.*]
run: {{time: 0.05, step: 0.0001}}
"""


class Limits(CommandTest):
    def rows(self, text, *args):
        (self.dir / "model.yaml").write_text(text)
        out = self.hooke("run", "model.yaml", "-o", "out.csv", "--json", *args)
        with open(self.dir / "out.csv", newline="", encoding="utf-8") as file:
            table = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
        return [dict(zip(table[0], map(float, row))) for row in table[1:] if row[0][0] in "-.0123456789"], json.loads(out.stdout)

    def beam(self, name="rod", modes=4, **other):
        beam_deck.write(self.dir / name, **{**ROD, **other})
        self.hooke("reduce", f"{name}.inp", "--interface", "start", "--interface", "end", "--modes", modes, "--quiet")

    def modes(self, text, *args):
        (self.dir / "model.yaml").write_text(text)
        return json.loads(self.hooke("modes", "model.yaml", "--json", *args).stdout)["modes"]

    def test_mass_properties(self):
        """kinetic energy of a box of solids that turns and flies is that of the box, whatever its modes are at rest"""
        mass = 7850 * LENGTH * WIDTH * HEIGHT
        inertia = [mass / 12 * (a * a + b * b) for a, b in ((WIDTH, HEIGHT), (LENGTH, HEIGHT), (LENGTH, WIDTH))]
        for kind in ("C3D10", "C3D20"):
            (self.dir / "box.msh").write_text(Mesh(kind, GMSH_EDGES).gmsh(2.2))
            self.hooke("reduce", "box.msh", "--material", "steel", "--interface", "root", "--interface", "tip", "--modes", 3, "--quiet", "-o", "box.nc")
            for modes in (0, 9):
                for w, v in (((1, 0, 0), (0, 0, 0)), ((0, 1, 0), (0, 0, 0)), ((0, 0, 1), (0, 0, 0)), ((1, 2, 3), (4, 5, 6))):
                    rows, _ = self.rows(f"""hooke: 1
flexible: {{box: {{data: box.nc, modes: {modes}, frame: {{at: [1, 2, 3], rotate: {{axis: [1, 1, 0], angle: 0}}}}}}}}
start: {{box: {{angular_velocity: {list(w)}, velocity: {list(v)}}}}}
record: [energy.kinetic]
run: {{time: 1e-6, step: 1e-6}}
""")
                    # v is that of the corner
                    x, y, z = LENGTH / 2, WIDTH / 2, HEIGHT / 2
                    centre = (v[0] + w[1] * z - w[2] * y, v[1] + w[2] * x - w[0] * z, v[2] + w[0] * y - w[1] * x)
                    want = 0.5 * mass * sum(u * u for u in centre) + 0.5 * sum(i * u * u for i, u in zip(inertia, w))
                    self.assertAlmostEqual(rows[0]["energy.kinetic"] / want, 1, delta=1e-11)

    @unittest.skipIf(FEW, "accuracy: nothing new for sanitizers")
    def test_stiffer_and_stiffer(self):
        """the motion comes as near to that of the rigid body as the stiffness is high"""
        inertia = "{xx: %.17g, yy: %.17g, zz: %.17g}" % (MU * 0.02**2 / 6, MU / 12, MU / 12)
        rigid, _ = self.rows(PENDULUM % (f"bodies: {{rod: {{mass: {MU}, com: [0.5, 0, 0], inertia: {inertia}}}}}", "rod", ""))
        apart = []
        for factor in (0.1, 10.0):
            self.beam(E=factor * ROD["E"])
            rows, _ = self.rows(PENDULUM % ("flexible: {rod: {data: rod.nc, damping: 1}}", "rod.start", ""))
            apart.append(max(abs(a["joint.pin.angle"] - b["joint.pin.angle"]) for a, b in zip(rigid, rows)))
        self.assertTrue(70 < apart[0] / apart[1] < 130, apart)

    def test_start(self):
        """a joint that starts elsewhere turns the body and does not bend it"""
        self.beam()
        rows, _ = self.rows(PENDULUM.replace("[joint.pin.angle]", "[energy.*, flexible.*]") % (
            "flexible: {rod: {data: rod.nc}}", "rod.start", "start: {pin: {angle: 0.5, rate: 2}}\n"), "--time", 0.001)
        self.assertLess(rows[0]["flexible.rod.energy"], 1e-3)
        self.assertAlmostEqual(rows[0]["energy.kinetic"] / (MU / 6 * 4), 1, delta=1e-4)
        self.assertAlmostEqual(rows[0]["energy.potential"] / (-MU * 9.81 * 0.5 * math.sin(0.5)), 1, delta=1e-3)

    def test_column(self):
        """a hinged column under load: frequencies fall with sqrt(1 - P/P_Euler), and above it has no stable rest"""
        self.beam()
        euler = math.pi**2 * EI
        for part in (0.0, 0.5, 0.9):
            found = min(m["frequency_Hz"] for m in self.modes(COLUMN % (part * euler), "--at", "equilibrium") if m["frequency_Hz"] > 1)
            self.assertAlmostEqual(found / (math.pi / 2 * math.sqrt(EI / MU * (1 - part))), 1, delta=2e-3)
        self.assertFalse(any(m["real"] > 1e-3 for m in self.modes(COLUMN % (0.99 * euler), "--at", "equilibrium")))
        self.assertTrue(any(m["real"] > 1 for m in self.modes(COLUMN % (1.01 * euler), "--at", "equilibrium")))

    @unittest.skipIf(FEW, "accuracy: nothing new for sanitizers")
    def test_spinning_solids(self):
        """an arm of bricks, whose nodes have no rotations: spin stiffens it as it does beams"""
        (self.dir / "arm.msh").write_text(Mesh("C3D20", GMSH_EDGES).gmsh(2.2))
        self.hooke("reduce", "arm.msh", "--material", "steel", "--interface", "root", "--interface", "tip", "--modes", 8, "--quiet")

        def lowest(speed):
            # stretched by its spin, as damping leaves it
            end = self.rows(ARM, "--set", f"n={speed}")[0][-1]
            q = [end[f"flexible.arm.q{i + 1}"] for i in range(14)]
            return 2 * math.pi * min(m["frequency_Hz"] for m in self.modes(ARM.replace("damping: 1", f"q: {q}"), "--set", f"n={speed}") if m["frequency_Hz"] > 1)
        unit = lowest(0) / 3.5160152685
        for speed, exact in ((1, 3.6816468), (5, 6.4495447)):
            found = lowest(speed * unit) / unit
            self.assertAlmostEqual(found / exact, 1, delta=6e-3)  # eight bricks

    @unittest.skipIf(FEW, "accuracy: nothing new for sanitizers")
    def test_multistep(self):
        """momenta are those of rigid bodies: a body with modes is integrated by its velocities, to the same end"""
        self.beam()
        exact = self.rows(FLIGHT % 2.5e-5, "--integrator", "trapezoidal")[0][-1]
        errors = []
        for step in (2e-4, 1e-4):
            found = self.rows(FLIGHT % step, "--integrator", "multistep")[0][-1]
            errors.append(math.dist(*([r[f"body.rod.end.position.{x}"] for x in "xyz"] for r in (exact, found))))
        self.assertLess(errors[1], 1e-4)
        self.assertGreater(errors[0] / errors[1], 3)
        again = self.rows(FLIGHT % 1e-4, "--integrator", "multistep", "--option", "states=velocities")[0][-1]
        self.assertEqual(found, again)


if __name__ == "__main__":
    unittest.main()
