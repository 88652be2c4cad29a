#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/bricard.yaml: overconstrained, and moving all the same."""
import json
import math
import unittest

from support import EXAMPLES, ExampleTest, SECOND_ORDER, SHORT, series

REFERENCE = series("bricard.csv")


class Bricard(ExampleTest):
    def test_doctor(self):
        value = json.loads(self.command("check", EXAMPLES / "bricard.yaml", "--json").stdout)
        self.assertEqual([value[k] for k in ("bodies", "joints", "coordinates", "constraints", "rank", "dof",
                                             "redundant", "gruebler")], [5, 6, 5, 5, 4, 1, 1, 0])
        named = [f for f in value["findings"] if f["kind"] == "redundant"]
        self.assertEqual([f["item"] for f in named], value["cut"])
        for pin in range(1, 7):
            self.assertIn(f"pin{pin}", named[0]["text"])

    def test_energy_and_path(self):
        # 1 ms: P3 is 2.7e-6 m off at most over 10 s
        n = 21 if SHORT else 101
        value, run = self.run_series("bricard.yaml", "--step", 0.001, "--time", REFERENCE["t"][n - 1],
                                     "--output-every", 0.1)
        self.assertEqual((value["dof"], value["redundant"], value["rejected"]), (1, 1, 0))
        self.assertLess(abs(value["energy"]["max_drift_J"]), 1e-3 if SHORT else 1e-5)
        self.assertNear(value["energy"]["initial_J"], -29.43, 1e-12, "energy")
        self.assertEqual(len(run["t"]), n)
        for i in range(n):
            away = math.dist([run[f"marker.P3.position.{c}"][i] for c in "xyz"],
                             [REFERENCE[f"P3_{c}"][i] for c in "xyz"])
            self.assertLess(away, 5e-6, f"P3 at {run['t'][i]} s")
            fast = math.dist([run[f"marker.P3.velocity.{c}"][i] for c in "xyz"],
                             [REFERENCE[f"P3_v{c}"][i] for c in "xyz"])
            self.assertLess(fast, 2e-5, f"velocity of P3 at {run['t'][i]} s")

    def test_shared_reactions_are_flagged(self):
        # one redundant row: a self-stress reaches forces and torques all around the loop. The pendulum's pin in the
        # plane bears two forces that are unique, and nothing is said across the plane
        text = self.variant(f'hooke: 1\ninclude: ["{EXAMPLES}/bricard.yaml"]\nrecord: ["joint.*.force", "joint.*.torque"]\n')
        found = self.command("run", text, "--time", 0.01).stdout
        self.assertRegex(found, r"reactions +\d\d recorded components are not unique")
        for record, count in (('"joint.*.force.x"', 0), ('"joint.*.force.z"', 1), ('"joint.*.*"', 3)):
            text = self.variant(f'hooke: 1\ninclude: ["{EXAMPLES}/pendulum.yaml"]\nrecord: [{record}]\n')
            self.command("run", text, "--time", 0.01, "--output", "flags.nc")
            found = (self.dir / "flags.nc").read_bytes()
            self.assertEqual(found.count(b"; not unique"), count, record)

    def test_tolerances(self):
        """most steps take one iteration, at a fine tolerance three: the energy moves by the steps alone, whatever the iterations leave"""
        drift = [self.run_model("bricard.yaml", "-f", "hybrid", "-i", "trapezoidal", "--tolerance", t)["energy"]["max_drift_J"]
                 for t in ("1e-7", "1e-9", "1e-13")]
        for d in drift:
            self.assertNear(d, drift[2], 1e-3 * abs(drift[2]), "drift")

    def test_orders(self):
        end = 1 if SHORT else 4
        n = 10 * end + 1
        for integrator in SECOND_ORDER:
            errors = []
            for h in (0.01, 0.005, 0.0025):
                _, run = self.run_series("bricard.yaml", "--step", h, "--time", end, "--output-every", 0.1,
                                         "--integrator", integrator, "--tolerance", 1e-11)
                self.assertEqual(len(run["t"]), n)
                errors.append(max(math.dist([run[f"marker.P3.position.{c}"][i] for c in "xyz"],
                                            [REFERENCE[f"P3_{c}"][i] for c in "xyz"]) for i in range(n)))
            self.assertOrder(errors, 2, 0.1, integrator)

    def test_slender_rods(self):
        # without a section the motion is another one; figures of the same independent integration
        value = self.run_model("bricard.yaml", "--set", "section=1e-9", "--time", 1)
        for c, x in zip("xyz", (0.27333391581, -0.886544000792, -0.462644285234)):
            self.assertNear(value["final"][f"marker.P3.position.{c}"], x, 2e-6, f"P3 {c}")

    def test_whichever_joint_is_cut(self):
        # other cuts mean other coordinates, which discretise differently: 1.1e-5 m at 5 ms
        k = REFERENCE["t"].index(2)
        for pin in range(1, 7):
            text = self.text("bricard.yaml")
            line = next(s for s in text.splitlines() if s.startswith(f"  pin{pin}:"))
            value = self.run_model(self.variant(text.replace(line, line[:-1] + ", cut: always}")),
                                   "--time", 2, "--step", 0.005)
            self.assertEqual((value["dof"], value["redundant"], value["rejected"]), (1, 1, 0))
            away = math.dist([value["final"][f"marker.P3.position.{c}"] for c in "xyz"],
                             [REFERENCE[f"P3_{c}"][k] for c in "xyz"])
            self.assertLess(away, 2e-5, f"cut at pin{pin}")


if __name__ == "__main__":
    unittest.main()
