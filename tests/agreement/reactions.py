#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reactions are the same in every formulation: forces and torques of all joints against one reference, and there by
the order of the integrator; with every integrator on one loop in space; in static equilibrium to round-off. They are
the shortest where they are not unique, so all components are compared."""
import math
import unittest

from support_agreement import (CANNOT, NO_ORDER, SMOOTH, AgreementTest, examples, lookup, names, options_of,
                               orders, pairs)

RECORD = '["joint.*.force", "joint.*.torque"]'
WITHIN, FLOOR = 1e-4, 1e-9  # of the largest force or torque of the model


def difference(found, expected):
    worst = 0.0
    for kind in (".force.", ".torque."):
        columns = [c for c in expected if kind in c]
        size = max((abs(x) for c in columns for x in expected[c]), default=0.0)
        if size > 1e-9:
            worst = max(worst, max(abs(a - b) for c in columns for a, b in zip(found[c], expected[c])) / size)
    return worst


class Reactions(AgreementTest):
    def found(self, example, formulation, integrator, step, time):
        return self.positions(example, step, time, "--formulation", formulation, "--integrator", integrator,
                              *options_of(example, formulation, integrator), record=RECORD)

    def check(self, example, reference, formulation, integrator):
        order = orders()[integrator]
        time, low, high = SMOOTH[example]
        step = low if order in (1, 2) else high
        errors = [difference(self.found(example, formulation, integrator, h, time), reference)
                  for h in ([step] if order is None else [2 * step, step])]
        self.assertLess(errors[-1], 20 * WITHIN if order == 1 else WITHIN)
        if order and errors[1] > FLOOR and not lookup(NO_ORDER, example, formulation, integrator):
            self.assertGreater(math.log2(errors[0] / errors[1]), order - 0.3, f"errors {errors}")

    def test_formulations(self):
        for i, example in enumerate(("spatial-four-bar.yaml", "mirrored-axle.yaml") if examples.SHORT else SMOOTH):
            reference = self.reference(example, SMOOTH[example][0], record=RECORD)
            # every second formulation, those of the next example are the others; in check-all all of them
            for formulation in names("formulations") if examples.ALL else names("formulations")[i % 2::2]:
                if not lookup(CANNOT, example, formulation, "trapezoidal"):
                    with self.subTest(example=example, formulation=formulation):
                        self.check(example, reference, formulation, "trapezoidal")

    @unittest.skipIf(examples.SHORT, "test_formulations runs all formulations")
    def test_integrators(self):
        example = "spatial-four-bar.yaml"
        reference = self.reference(example, SMOOTH[example][0], record=RECORD)
        for formulation, integrator in pairs():
            with self.subTest(formulation=formulation, integrator=integrator):
                self.check(example, reference, formulation, integrator)

    def test_statics(self):
        """the Iltis at rest: every formulation to 1e-9, and the joints carry what the tyres do"""
        record = '["joint.*.force", "joint.*.torque", "force.*.tyre.force"]'
        starts = {}
        for formulation in names("formulations"):
            rows = self.positions("iltis/ramp-and-stairs.yaml", 1e-4, 1e-4, "--formulation", formulation, record=record)
            starts[formulation] = {c: [column[0]] for c, column in rows.items()}
            self.assertLess(difference(starts[formulation], starts["hybrid"]), 1e-9, formulation)
        at = {c: column[0] for c, column in starts["hybrid"].items()}
        for corner in ("front_left", "front_right", "rear_left", "rear_right"):
            # on the carrier: tyre up, weight down, ball of the arm, ball of the leaf rod, tie rod
            up = at[f"force.{corner}.tyre.force"] - 57.35 * 9.81
            for joint in ("arm_ball", "leaf_ball", "tie_rod"):
                up += at[f"joint.{corner}.{joint}.force.z"]
            self.assertNear(up, 0, 1e-6, f"{corner}: vertical balance of the carrier")


if __name__ == "__main__":
    unittest.main(verbosity=2)
