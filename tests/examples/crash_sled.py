#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/crash-sled.yaml: strap, strut and guide take what the sled has lost."""
import unittest

from support import ExampleTest

EXAMPLE = "crash-sled.yaml"


class CrashSled(ExampleTest):
    def test_energy(self):
        value, found = self.run_series(EXAMPLE, "--time", 0.3)
        by = value["energy"]["dissipated_by_J"]
        self.assertEqual(set(by), {"force.strap", "force.guide", "force.strut"})
        self.assertNear(sum(by.values()), value["energy"]["dissipated_J"], 1e-9)
        moved = 0.5 * 102 * 36
        self.assertGreater(by["force.strap"], 0.3 * moved)
        self.assertLess(value["energy"]["max_drift_J"], 5e-4 * moved)
        # the strap yields at once: 9 kN at 22.5 mm, then a thirteenth of the stiffness
        s = max(found["joint.rail.position"])
        hard = 4e5 * 3e4 / 4.3e5
        self.assertNear(-min(found["force.strap.force"]), 9e3 + hard * (s - 0.0225), 1.0, "largest force")

    def test_equilibrium(self):
        """at the start the branches of the strut carry nothing"""
        found = self.run_series(EXAMPLE, "--time", 0.001)[1]
        length, force = found["force.strut.length"][0], found["force.strut.force"][0]
        rate = found["force.strut.rate"][0]
        self.assertNear(force, 3e4 * (length - 0.5) + 200 * rate, 1e-6)

    def test_formulations(self):
        ends = []
        for formulation in ("hybrid", "global", "recursive", "redundant"):
            found = self.run_series(EXAMPLE, "--time", 0.1, "--formulation", formulation)[1]
            ends.append(found["joint.rail.position"][-1])
        self.assertLess(max(ends) - min(ends), 2e-6)


if __name__ == "__main__":
    unittest.main()
