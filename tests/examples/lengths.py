#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The unit of length does not matter: a slider-crank whose lengths grow by L and whose times grow by
sqrt(L) moves the same way, takes as many iterations, and drifts by the same share of its energy."""
import sys
import unittest

from support import ExampleTest

MODEL = """hooke: 1
title: A slider-crank of any size
planar: xy
gravity: [0, -9.81, 0]
parameters: {{L: 1}}
bodies:
  crank: {{mass: 1, com: [0.05*L, 0.08*L, 0], inertia: {{zz: L^2/100}}}}
  rod: {{mass: 1, com: [0.3*L, 0.1*L, 0], inertia: {{zz: L^2/50}}}}
  slide: {{mass: 1, com: [0.6*L, 0, 0], inertia: {{zz: L^2/100}}}}
joints:
  pin: {{type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}}
  elbow: {{type: revolute, between: [crank, rod], at: [0.1*L, 0.16*L, 0], axis: z}}
  guide: {{type: prismatic, between: [ground, slide], at: [0.6*L, 0, 0], axis: x}}
  wrist: {{type: revolute, between: [rod, slide], at: [0.6*L, 0, 0], axis: z, cut: always}}
run: {{time: {time}, step: {step}, formulation: {formulation}, integrator: trapezoidal}}
"""
FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")
LENGTHS = (0.001, 0.01, 0.1, 10.0, 100.0, 1000.0)


class Lengths(ExampleTest):
    def at(self, formulation, length):
        root = length ** 0.5
        path = self.variant(MODEL.format(time=2.0 * root, step=0.02 * root, formulation=formulation))
        return self.run_model(path, "--set", f"L={length!r}")

    def test_a_scaled_mechanism_moves_the_same_way(self):
        for formulation in FORMULATIONS:
            one = self.at(formulation, 1.0)
            for length in LENGTHS:
                with self.subTest(formulation=formulation, length=length):
                    it = self.at(formulation, length)
                    self.assertEqual((it["steps"], it["rejected"]), (one["steps"], one["rejected"]))
                    # an iteration more or less where a norm is at its limit by round-off
                    self.assertAlmostEqual(it["iterations"], one["iterations"], delta=2)
                    drift = one["energy"]["max_drift_J"]
                    self.assertAlmostEqual(it["energy"]["max_drift_J"] / length, drift,
                                           delta=1e-6 * abs(drift))
                    self.assertAlmostEqual(it["final"]["joint.pin.angle"],
                                           one["final"]["joint.pin.angle"], delta=1e-8)


if __name__ == "__main__":
    sys.exit(unittest.main())
