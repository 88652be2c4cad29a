#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Methods with a fixed number of corrections know the slopes of stiff forces in every formulation, at steps far above their times of decay."""
import unittest

import support


class CoarseSteps(support.ExampleTest):
    MODEL = support.EXAMPLES / "slider-crank-stiff.yaml"  # its damper acts across two joints and decays in about 1 ms

    def check(self, formulation, integrator, within):
        value, found = self.run_series(self.MODEL, "--formulation", formulation, "--integrator", integrator, "--step", "0.0025", "--time", "0.1",
                                       "--output-every", "0.05")
        self.assertEqual(value["grade"], "good")
        fine = self.run_series(self.MODEL, "--step", "0.0001", "--time", "0.1", "--output-every", "0.05")[1]
        for joint in ("pin", "elbow"):
            name = f"joint.{joint}.angle"
            self.assertLess(abs(found[name][-1] - fine[name][-1]), within)

    def test_linearly_implicit(self):
        for formulation in ("hybrid", "topological", "recursive", "redundant"):
            with self.subTest(formulation=formulation):
                self.check(formulation, "linearly_implicit", 1e-5)

    def test_semi_implicit_euler(self):
        for formulation in ("hybrid", "recursive"):
            with self.subTest(formulation=formulation):
                self.check(formulation, "semi_implicit_euler", 1e-3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
