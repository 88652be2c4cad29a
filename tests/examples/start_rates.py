#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rates that are not named: what hangs on a driven body starts at rest relative to it, in every formulation and in every
order of the file; `rates: mass` starts with the least kinetic energy."""
import re
import unittest

from support import ExampleTest

FORMULATIONS = "hybrid global topological recursive partition redundant".split()

CART = """
hooke: 1
planar: xz
gravity: [0, 0, -9.81]
bodies:
  cart: {mass: 5, com: [0, 0, 0], inertia: {yy: 1}}
  rod: {mass: 1, com: [0, 0, -0.5], inertia: {yy: 0.0833}}
joints:
  rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x, motion: {position: 1*t}}
  hinge: {type: revolute, between: [cart, rod], at: [0, 0, 0], axis: y}
run: {time: 0.5, step: 0.01}
"""

# a double wishbone with a steering rack, pulled along a flat road
QUARTER_CAR = """
hooke: 1
gravity: [0, 0, -9.81]
points: {LF: [0.15, 0.35, 0.25], LB: [0, 0.72, 0.22], UF: [0.1, 0.42, 0.52], UB: [-0.02, 0.68, 0.55], W: [0, 0.78, 0.32],
         T_in: [-0.12, 0.36, 0.3], T_out: [-0.13, 0.7, 0.29], C: [0, 0, 0.6]}
bodies:
  cart: {mass: 0, com: C}
  chassis: {mass: 400, com: C, inertia: {xx: 50, yy: 100, zz: 100}}
  lower: {mass: 8, com: [0, 0.53, 0.24], inertia: {xx: 0.1, yy: 0.05, zz: 0.15}}
  upper: {mass: 4, com: [0, 0.55, 0.53], inertia: {xx: 0.05, yy: 0.02, zz: 0.06}}
  upright: {mass: 15, com: [0, 0.71, 0.36], inertia: {xx: 0.3, yy: 0.3, zz: 0.2}}
  wheel: {mass: 20, com: W, inertia: {xx: 0.8, yy: 1.4, zz: 0.8}}
  rack: {mass: 2, com: [-0.12, 0.1, 0.3], inertia: {xx: 0.01, yy: 0.001, zz: 0.01}}
joints:
  drive: {type: prismatic, between: [ground, cart], at: C, axis: x, motion: {position: "10*t"}}
  heave: {type: prismatic, between: [cart, chassis], at: C, axis: z}
  lo: {type: revolute, between: [chassis, lower], at: LF, axis: x}
  up: {type: revolute, between: [chassis, upper], at: UF, axis: x}
  lb: {type: spherical, between: [lower, upright], at: LB}
  ub: {type: spherical, between: [upper, upright], at: UB}
  hub: {type: revolute, between: [upright, wheel], at: W, axis: y}
  rackslide: {type: prismatic, between: [chassis, rack], at: T_in, axis: y, motion: {position: "0"}}
  tie: {type: distance, between: [rack, upright], ends: [T_in, T_out]}
forces:
  shock: {type: spring_damper, between: [chassis, lower], ends: [[0, 0.45, 0.85], [0, 0.6, 0.24]], stiffness: 60000,
          damping: 3000, length: 0.72}
  tyre: {type: tyre, wheel: wheel, radius: 0.32, stiffness: 200000, damping: 200, road: "0"}
start: {equilibrium: true}
record: ["joint.*"]
run: {time: 0.1, step: 0.002}
"""


def reversed_section(text, name):
    """the model with the lines of a section in the opposite order"""
    block = re.search(rf"^{name}:\n((?:  .*\n)+)", text, re.M)
    return text.replace(block[1], "".join(reversed(block[1].splitlines(keepends=True))))


class StartRates(ExampleTest):
    def start(self, text, *options):
        """rates of the first row, and the whole series"""
        _, values = self.run_series(self.variant(text), *options)
        return {k: x[0] for k, x in values.items() if k.startswith("joint.") and re.search("rate|velocity", k)}, values

    def test_pendulum_on_a_driven_cart(self):
        for formulation in FORMULATIONS:
            rates, values = self.start(CART, "--formulation", formulation)
            self.assertAlmostEqual(rates["joint.rail.velocity"], 1, delta=1e-12)
            self.assertAlmostEqual(rates["joint.hinge.rate"], 0, delta=1e-12)
            self.assertLess(max(map(abs, values["joint.hinge.angle"])), 1e-9)
        swapped = reversed_section(reversed_section(CART, "bodies"), "joints")
        self.assertAlmostEqual(self.start(swapped)[0]["joint.hinge.rate"], 0, delta=1e-12)

    def test_least_energy(self):
        rates, _ = self.start(CART + "start: {rates: mass}\n")
        self.assertAlmostEqual(rates["joint.hinge.rate"], 0.5 / (0.0833 + 0.25), delta=1e-5)

    def test_a_car_does_not_ring(self):
        orders = [QUARTER_CAR, reversed_section(QUARTER_CAR, "bodies"), reversed_section(QUARTER_CAR, "joints"),
                  QUARTER_CAR.replace("at: LB}", "at: LB, cut: always}").replace("at: UB}", "at: UB, cut: never}"),
                  QUARTER_CAR.replace("at: LF, axis: x}", "at: LF, axis: x, cut: always}")]
        for i, text in enumerate(orders):
            for formulation in FORMULATIONS if i == 0 else ["hybrid"]:
                rates, values = self.start(text, "--formulation", formulation)
                self.assertAlmostEqual(rates.pop("joint.drive.velocity"), 10, delta=1e-10)
                for name, rate in rates.items():
                    self.assertAlmostEqual(rate, 0, delta=1e-10, msg=f"{name}, {formulation}, order {i}")
                heave = values["joint.heave.position"]
                self.assertLess(max(heave) - min(heave), 1e-8)

    def test_refused(self):
        err = self.command("check", self.variant(CART + "start: {rates: masses}\n"), code=3).stderr
        self.assertIn("did you mean 'mass'?", err)


if __name__ == "__main__":
    unittest.main()
