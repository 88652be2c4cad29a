#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/mirrored-axle.yaml: instances and mirroring, equilibrium start, tyres, a table over the way."""
import unittest

from support import ExampleTest

EXAMPLE = "mirrored-axle.yaml"
QUIET = ("--set", "left.bump=0")
PAIRS = ["body.{}.arm.position.x", "body.{}.arm.position.z", "joint.{}.pivot.angle", "joint.{}.pivot.rate",
         "force.{}.spring.length", "force.{}.spring.force", "force.{}.tyre.force", "body.{}.arm.orientation.w",
         "body.{}.arm.orientation.y"]
OPPOSITE = ["body.{}.arm.position.y", "body.{}.arm.orientation.x", "body.{}.arm.orientation.z"]


class MirroredAxle(ExampleTest):
    def assertMirrored(self, one, other, end, within=1e-10):
        """the left side of one run is the mirror image of the right side of the other"""
        for k, t in enumerate(one["t"]):
            if t > end:
                break
            for names, sign in ((PAIRS, 1), (OPPOSITE, -1)):
                for name in names:
                    a, b = one[name.format("left")][k], other[name.format("right")][k]
                    self.assertNear(a, sign * b, within * max(1, abs(a)), f"{name} at {t}")

    def test_counts(self):
        value = self.run_model(EXAMPLE, "--time", 0.01)
        # way, heave, roll, two arms
        self.assertEqual((value["bodies"], value["dof"], value["redundant"]), (3, 5, 0))

    def test_starts_in_equilibrium(self):
        # until the bump at 2.5 m comes near, nothing but the way changes
        value, run = self.run_series(EXAMPLE, "--time", 0.2)
        self.assertNear(run["force.left.tyre.force"][0], (300 + 2 * 20) * 9.81 / 2, 1e-6, "wheel load")
        self.assertNear(run["force.right.tyre.force"][0], (300 + 2 * 20) * 9.81 / 2, 1e-6, "wheel load")
        for name in ("body.chassis.position.z", "joint.left.pivot.angle", "joint.right.pivot.angle"):
            for x in run[name]:
                self.assertNear(x, run[name][0], 1e-8, name)
        self.assertNear(value["final"]["body.chassis.position.x"], 1, 1e-9, "way")

    def test_one_side_is_the_image_of_the_other(self):
        # both wheels over the same bump
        _, run = self.run_series(EXAMPLE, "--set", "right.bump=0.05", "--time", 0.9)
        self.assertMirrored(run, run, 0.9)
        self.assertGreater(max(run["joint.left.pivot.angle"]) - min(run["joint.left.pivot.angle"]), 0.05)

    def test_a_bump_on_the_other_side_gives_the_image(self):
        _, left = self.run_series(EXAMPLE, "--time", 0.9)
        _, right = self.run_series(EXAMPLE, *QUIET, "--set", "right.bump=0.05", "--time", 0.9)
        self.assertMirrored(left, right, 0.9)
        self.assertMirrored(right, left, 0.9)
        self.assertGreater(max(abs(x) for x in left["body.chassis.orientation.x"]), 1e-3)

    def test_parameters_of_one_instance(self):
        soft = self.run_model(EXAMPLE, "--set", "right.k=20000", "--time", 0.01)["final"]
        self.assertGreater(soft["joint.right.pivot.angle"], soft["joint.left.pivot.angle"] + 0.01)

    def test_gust_from_the_table(self):
        _, run = self.run_series(EXAMPLE, *QUIET)
        for x, gust in zip(run["body.chassis.position.x"], run["signal.gust"]):
            if x <= 5 or x >= 7.5:
                self.assertNear(gust, 0, 1e-9, f"gust at {x} m")
            else:
                self.assertTrue(0 <= gust <= 450 + 1e-9, f"gust {gust} at {x} m")
        k = min(range(len(run["t"])), key=lambda i: abs(run["body.chassis.position.x"][i] - 5.5))
        self.assertNear(run["signal.gust"][k], 300, 5, "gust at 5.5 m")
        self.assertGreater(max(run["body.chassis.orientation.x"]), 2e-3)

    def test_audit_converges(self):
        drift = [abs(self.run_model(EXAMPLE, "--step", h)["energy"]["max_drift_J"])
                 for h in (0.002, 0.001, 0.0005)]
        self.assertOrder(drift, 2, 0.1, "audit")


if __name__ == "__main__":
    unittest.main()
