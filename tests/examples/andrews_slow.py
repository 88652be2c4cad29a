#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/andrews.yaml at very small steps: how far the published digits can be followed."""
import unittest

from andrews import PUBLISHED
from support import ExampleTest, SECOND_ORDER


class SmallSteps(ExampleTest):
    def test_published_angles_and_rates(self):
        for integrator in SECOND_ORDER:
            errors = []
            for h in (8e-7, 4e-7, 2e-7):
                value = self.run_model("andrews.yaml", "--step", h, "--integrator", integrator)
                errors.append(max(abs(value["final"][f"joint.{name}.angle"] - angle)
                                  for name, (angle, _) in PUBLISHED.items()))
            self.assertOrder(errors, 2, 0.1, integrator)
            self.assertLess(errors[-1], 4e-8)
            for name, (_, rate) in PUBLISHED.items():
                self.assertNear(value["final"][f"joint.{name}.rate"], rate, 2e-5, f"{integrator}, {name}")


if __name__ == "__main__":
    unittest.main()
