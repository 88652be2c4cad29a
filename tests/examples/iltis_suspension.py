#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/iltis-suspension.yaml: equilibrium and the drop from the kerb, against an independent model."""
import unittest

from support import ExampleTest, SHORT, series

EXAMPLE = "iltis-suspension.yaml"
REFERENCE = series("iltis-suspension.csv")


class IltisSuspension(ExampleTest):
    def test_counts(self):
        value = self.run_model(EXAMPLE, "--time", 0.01)
        self.assertEqual([value[k] for k in ("bodies", "coordinates", "constraints", "dof", "redundant")],
                         [5, 8, 6, 2, 0])

    def test_forces_as_drawn(self):
        # the 1993 benchmark lists 3829.6, -2728.9 and -128.0 N for the drawing
        value, run = self.run_series(EXAMPLE, "--time", 0.001)
        self.assertNear(run["force.tyre.force"][0], 3829.5, 1e-6, "tyre")
        self.assertNear(run["force.leaf.force"][0], -2728.4, 1e-6, "leaf")
        self.assertNear(run["force.shock.force"][0], -128.03, 0.005, "shock")

    def test_equilibrium(self):
        text = self.text(EXAMPLE) + "\nstart: {equilibrium: true}\n"
        _, run = self.run_series(self.variant(text), "--time", 0.05)
        for name, x, within in (("body.block.position.z", 0.560428358, 1e-8),
                                ("force.tyre.force", 3831.2952, 4e-4), ("force.leaf.force", -3068.413, 1e-3),
                                ("force.shock.force", -335.416, 1e-3), ("force.shock.length", 0.43486862, 1e-8),
                                ("force.leaf.length", 0.06652888, 2e-8)):
            self.assertNear(run[name][0], x, within, name)
        # it stays
        self.assertNear(run["body.block.position.z"][-1], run["body.block.position.z"][0], 1e-9, "block")

    def check_series(self, h, end, within):
        value, run = self.run_series(EXAMPLE, "--step", h, "--time", end, "--output-every", 0.05)
        times = [t for t in REFERENCE["t"] if t <= end + 1e-9]
        self.assertEqual(len(run["t"]), len(times))
        worst = max(abs(run["body.block.position.z"][i] - REFERENCE["block_z"][i]) for i in range(len(times)))
        self.assertLess(worst, within)
        return value, worst

    def test_before_the_kerb(self):
        self.check_series(0.001, 2, 3e-7)

    def test_kerb(self):
        if SHORT:
            self.skipTest("long")
        # range of the block's height: 0.16 m; 8e-6 m at 1 ms, the series has nine digits
        value, coarse = self.check_series(0.002, 7, 4e-5)
        value, fine = self.check_series(0.001, 7, 1e-5)
        self.assertGreater(coarse / fine, 3)
        # the tyre's energy is thrown away when the ground drops: 15.955 J; dissipated by the damper 369.329 J
        self.assertNear(value["energy"]["supplied_J"], -15.955, 1e-3, "lost with the ground")
        self.assertNear(value["energy"]["dissipated_J"], 369.329, 0.05, "dissipated")
        self.assertNear(value["energy"]["balance_error_J"], 0, 0.05, "audit")

    def test_lighter_block(self):
        text = self.text(EXAMPLE) + "\nstart: {equilibrium: true}\n"
        value = self.run_model(self.variant(text), "--set", "block=315", "--time", 0.01)
        self.assertNear(value["final"]["body.block.position.z"], 0.563320691, 1e-8, "block")
        self.assertNear(value["final"]["force.tyre.force"], 3711.6135, 4e-4, "tyre")


if __name__ == "__main__":
    unittest.main()
