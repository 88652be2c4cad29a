#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HOOKE_SIMD=off: the kernels for any processor give, to the last bit, what the wide ones of this processor give."""
import json
import re
import unittest

from support import SHORT, SOURCE, CommandTest

EXAMPLES = SOURCE / "examples"
# models with many bodies of one kind, large and small factors, tyres, networks; each formulation
RUNS = [("andrews.yaml", "hybrid", "trapezoidal"), ("bricard.yaml", "global", "generalized_alpha"), ("iltis-suspension.yaml", "topological", "trapezoidal"),
        ("mirrored-axle.yaml", "hybrid", "hht"), ("puma.yaml", "recursive", "trapezoidal"), ("spatial-four-bar.yaml", "partition", "rk4"),
        ("motor-crank.yaml", "redundant", "generalized_alpha"), ("engine-mounts.yaml", "redundant", "multistep"), ("spinning-body.yaml", "hybrid", "sdirk")]

CHAIN = """\
hooke: 1
gravity: [0, 0, -9.81]
bodies:
{bodies}joints:
{joints}run: {{time: 0.1, step: 0.01}}
"""


def chain(n):
    """a comb of like bodies, four of which are handled at once: every third hangs on the ground"""
    bodies = "".join(f"  b{i}: {{mass: 1, com: [{i}.5, 0, 0], inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}\n" for i in range(n))
    joints = "".join(f"  j{i}: {{type: {'revolute' if i % 3 else 'spherical'}, between: [{'ground' if i % 3 == 0 else f'b{i - 1}'}, b{i}], at: [{i}, 0, 0]"
                     f"{', axis: y' if i % 3 else ''}}}\n" for i in range(n))
    return CHAIN.format(bodies=bodies, joints=joints)


class Simd(CommandTest):
    def wide(self, env=None):
        return json.loads(self.hooke("--version", "--json", env=env).stdout)["features"]["avx2"]

    def test_same_bits(self):
        if not self.wide():
            self.skipTest("this processor or build has no wide instructions")
        self.assertFalse(self.wide({"HOOKE_SIMD": "off"}))
        self.assertTrue(self.wide({"HOOKE_SIMD": "on"}))
        (self.dir / "chain.yaml").write_text(chain(24))
        runs = [(EXAMPLES / model, *methods) for model, *methods in RUNS]
        runs += [(self.dir / "chain.yaml", f, "trapezoidal") for f in ("hybrid", "global", "topological", "recursive")]
        for model, formulation, integrator in runs:
            step = re.search(r"step: ([0-9.e-]+)", model.read_text())
            time = (5 if SHORT else 20) * float(step[1] if step else 0.01)
            text = []
            for switch in ("on", "off"):
                self.hooke("run", model, "-f", formulation, "-i", integrator, "--time", time, "-o", "out.csv", "-q", env={"HOOKE_SIMD": switch})
                text.append((self.dir / "out.csv").read_bytes())
            self.assertEqual(text[0], text[1], f"{model.name}, {formulation}, {integrator}")


if __name__ == "__main__":
    unittest.main()
