#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every pair of formulation and integrator on every smooth example: bodies within 5e-6 of their range of one
reference at a fine step, so any two pairs within 1e-5 of each other; and there by the order of the integrator."""
import math
import unittest

from support_agreement import (CANNOT, ELSEWHERE, FLOOR, NO_ORDER, PARTS, SMOOTH, STEPS, AgreementTest, distance,
                               examples, lookup, options_of, orders, richardson)

WITHIN = 5e-6
# under sanitizers: one loop in space, one in the plane, one body that tumbles; half as long
FEW = ("double-four-bar.yaml", "spatial-four-bar.yaml", "spinning-body.yaml")


class Pairs(AgreementTest):
    def check(self, example, reference, formulation, integrator, order):
        time, low, high = SMOOTH[example]
        if examples.SHORT:
            time = 0.5 * time
        step = low if order in (1, 2) else high
        step = lookup(STEPS, example, formulation, integrator) or step
        first, last = (step, 0.5 * step) if order == 1 else (2 * step, step)
        fine = self.series(example, formulation, integrator, last, time)
        if order is None:  # its tolerance decides
            self.assertLess(distance(fine, reference), WITHIN)
            return
        coarse = self.series(example, formulation, integrator, first, time)
        errors = distance(coarse, reference), distance(fine, reference)
        self.assertEqual(len(fine["t"]), len(reference["t"]))
        self.assertLess(distance(richardson(coarse, fine), reference) if order == 1 else errors[1], WITHIN)
        if errors[1] > FLOOR and not lookup(NO_ORDER, example, formulation, integrator):
            self.assertGreater(math.log2(errors[0] / errors[1]), order - 0.3, f"errors {errors}")

    def test_pairs(self):
        known, pairs = orders(), self.pairs()
        for example in FEW if examples.SHORT else SMOOTH:
            reference = self.reference(example, SMOOTH[example][0] * (0.5 if examples.SHORT else 1))
            for formulation, integrator in pairs:
                if lookup(CANNOT, example, formulation, integrator):
                    continue  # test_refusals
                with self.subTest(example=example, formulation=formulation, integrator=integrator):
                    self.check(example, reference, formulation, integrator, known[integrator])

    def test_refusals(self):
        """what is left out is refused, with the words that stand in the table"""
        pairs = self.pairs()
        for (example, formulation, integrator), ((code, words), _) in CANNOT.items():
            for f, i in pairs:
                if lookup({(formulation, integrator): True}, f, i):
                    found = self.command("run", examples.EXAMPLES / example, "--formulation", f, "--integrator", i,
                                         "--time", 0.01, *options_of(example, f, i), code=code)
                    self.assertIn(words, found.stderr, f"{example} {f} {i}")

    def test_every_example_is_listed(self):
        found = {str(p.relative_to(examples.EXAMPLES)) for p in examples.EXAMPLES.rglob("*.yaml")
                 if "studies" not in p.parts}
        self.assertEqual(found, set(SMOOTH) | set(ELSEWHERE) | set(PARTS))


if __name__ == "__main__":
    unittest.main(verbosity=2)
