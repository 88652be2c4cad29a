#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Iltis vehicle: counts, static equilibrium, ramp and stairs, rounded stairs, cosine bump."""
import json
import math
import unittest

from support import EXAMPLES, ExampleTest, SHORT

STUDIES = EXAMPLES / "studies"
PITCH = ("asin(2*(body.chassis.orientation.w*body.chassis.orientation.y"
         " - body.chassis.orientation.x*body.chassis.orientation.z))")


class Iltis(ExampleTest):
    def compare(self, path, *args):
        return json.loads(self.command("compare", path, "--json", *args, limit=600).stdout)

    def study(self, model, reference, measures, *lines):
        """a study of its own on one of the Iltis models"""
        return self.variant("\n".join(["study: 1", f"model: {EXAMPLES}/iltis/{model}.yaml",
                                       "formulations: [hybrid]", "integrators: [trapezoidal]",
                                       f'channels: {{pitch: "{PITCH}"}}', f"reference: {{{reference}}}",
                                       "measures:", *(f"  {m}" for m in measures), *lines]), "study.yaml")

    def test_counts(self):
        value = self.run_model("iltis/ramp-and-stairs.yaml", "--time", 0.01)
        self.assertEqual((value["coordinates"], value["constraints"], value["dof"], value["redundant"]),
                         (26, 16, 10, 0))

    def equilibrium(self, model):
        text = self.text(f"iltis/{model}.yaml").replace('record: [', 'record: ["force.*", ')
        for part in ("vehicle", "suspension-normal", "suspension"):
            text = text.replace(f"[{part}.yaml]", f"[{EXAMPLES}/iltis/{part}.yaml]")
            text = text.replace(f"file: {part}.yaml", f"file: {EXAMPLES}/iltis/{part}.yaml")
        text = text.replace("table: ", f"table: {EXAMPLES}/iltis/")
        _, rows = self.run_series(self.variant(text), "--time", 0.001, "--step", 0.001)
        return {name: column[0] for name, column in rows.items()}

    def test_equilibrium(self):
        # forces in N as printed: the error is at most that of their last digit
        known = {
            "ramp-and-stairs": (0.562906123, 2.558311e-3, (3831.31502, 3591.91198), (-335.456, -241.851),
                                (-3068.510, -2885.374), (0.434866989, 0.43793717)),
            "cosine-bump": (0.562916765, 2.557494e-3, (3831.31456, 3591.91244), (-335.289, -241.635),
                            (-3068.616, -2885.508), (0.434873821, 0.437942986))}
        for model, (z, pitch, tyre, shock, leaf, length) in known.items():
            found = self.equilibrium(model)
            w, x, y, q = (found[f"body.chassis.orientation.{k}"] for k in "wxyz")
            self.assertNear(found["body.chassis.position.z"], z, 1e-9, "height")
            self.assertNear(math.asin(2 * (w * y - x * q)), pitch, 1e-9, "pitch")
            for side in ("left", "right"):
                for end, k in (("front", 0), ("rear", 1)):
                    part = f"force.{end}_{side}"
                    self.assertNear(found[f"{part}.tyre.force"], tyre[k], 1e-6 * tyre[k], f"{model} {part} tyre")
                    self.assertNear(found[f"{part}.leaf.force"], leaf[k], 6e-4, f"{model} {part} leaf")
                    self.assertNear(found[f"{part}.shock.force"], shock[k], 6e-4, f"{model} {part} shock")
                    self.assertNear(found[f"{part}.shock.length"], length[k], 1e-9, f"{model} {part} shock")

    def test_ramp_and_stairs(self):
        """largest errors in z and pitch, % of range"""
        limits = {0.001: (0.25, 1), 0.005: (1.2, 4), 0.01: (3.5, 12)}
        rows = self.compare(STUDIES / "hybrid-table4-iltis.yaml", "--formulation", "hybrid", "--repeat", 1)
        runs = {r["step_s"]: r for r in rows}
        for step, (z, pitch) in limits.items():
            self.assertEqual(runs[step]["status"], "ok")
            self.assertLessEqual(runs[step]["measures"]["z"], z)
            self.assertLessEqual(runs[step]["measures"]["pitch"], pitch)
        self.assertIn("stable", runs[0.035]["grades"])
        self.assertTrue(runs[0.035]["grades"]["stable"])

    def test_peak_and_end(self):
        _, rows = self.run_series("iltis/ramp-and-stairs.yaml", "--step", 0.001)
        self.assertNear(max(rows["body.chassis.acceleration.z"]) / 9.81, 4.91, 0.1, "peak acceleration, g")
        self.assertNear(min(rows["body.chassis.acceleration.z"]) / 9.81, -2.06, 0.1, "lowest acceleration, g")
        self.assertNear(rows["body.chassis.position.x"][-1], 40.000111, 2e-4, "distance")
        self.assertNear(rows["body.chassis.position.z"][-1], 0.56712194, 2e-3, "height at the end")

    def test_rounded_stairs(self):
        steps = (0.004, 0.002) if SHORT else (0.004, 0.002, 0.001)
        path = self.study("ramp-and-rounded-stairs", "fine: 0.000125",
                          ("z: {range_error: body.chassis.position.z}", "pitch: {range_error: pitch}"))
        rows = self.compare(path, "--step", ",".join(map(str, steps)))
        self.assertOrder([r["measures"]["z"] for r in rows], 2, 0.15, "chassis height")
        if not SHORT:
            self.assertLess(rows[-1]["measures"]["pitch"], 0.07)
            self.assertNear(rows[-1]["energy"]["max_drift_J"], 0, 10, "energy audit")

    def test_cosine_bump(self):
        """1e-4 of the range of each quantity, forces included, and order 2 towards the reference"""
        value, rows = self.run_series("iltis/cosine-bump.yaml", "--time", 0.01)
        self.assertNear(rows["body.chassis.position.x"][0], 0, 1e-9, "start")
        step = value["step_s"]
        path = self.study("cosine-bump", f"file: {STUDIES}/data/iltis-cosine-bump.csv",
                          ("x: {range_error: body.chassis.position.x}", "z: {range_error: body.chassis.position.z}",
                           "pitch: {range_error: pitch}", "z_dot: {range_error: body.chassis.velocity.z}",
                           "tyre_front: {range_error: force.front_left.tyre.force}",
                           "tyre_rear: {range_error: force.rear_right.tyre.force}",
                           "front: {range_error: force.front_left.shock.length, column: shocklen_front}",
                           "rear: {range_error: force.rear_right.shock.length, column: shocklen_rear}"))
        coarse, fine = (r["measures"] for r in self.compare(path, "--step", f"{2 * step:g},{step:g}"))
        for name, error in fine.items():
            self.assertLessEqual(error, 1e-2, f"{name}, % of range")
            # 2e-7: the reference itself, with nine digits from a tolerance of 1e-8
            self.assertLessEqual(error, 0.27 * coarse[name] + 2e-5, f"{name} does not converge")
        for name in ("x", "z", "pitch", "front", "rear"):
            self.assertLessEqual(coarse[name], 3e-3, f"{name}, % of range")
            self.assertLessEqual(fine[name], 1e-3, f"{name}, % of range")

    def test_mirror_images(self):
        """a symmetric car on a symmetric road stays so"""
        _, rows = self.run_series("iltis/ramp-and-stairs.yaml", "--step", 0.01)
        for end in ("front", "rear"):
            left, right = (rows[f"body.{end}_{side}.carrier.position.z"] for side in ("left", "right"))
            self.assertLess(max(abs(a - b) for a, b in zip(left, right)), 1e-8)


if __name__ == "__main__":
    unittest.main()
