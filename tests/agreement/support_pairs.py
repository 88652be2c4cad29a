# SPDX-License-Identifier: Apache-2.0
"""One pair of formulation and integrator on one smooth example: against the reference, and by its order."""
import math

from support_agreement import (ELASTIC, FLOOR, NO_ORDER, SHORTER, SMOOTH, AgreementTest, distance, examples, lookup, orders,
                               richardson)

WITHIN = 5e-6


class PairsTest(AgreementTest):
    EXAMPLES = [e for e in SMOOTH if e not in ELASTIC]
    FEW = ("double-four-bar.yaml", "spatial-four-bar.yaml", "spinning-body.yaml")  # under sanitizers, which are slow
    LENGTH = 0.5 if examples.SHORT else 1  # of each run

    def check(self, example, reference, formulation, integrator, order):
        time, low, high = SMOOTH[example]
        time = self.LENGTH * time
        step = (low if order in (1, 2) else high) / (lookup(SHORTER, example, formulation, integrator) or 1)
        first, last = (step, 0.5 * step) if order == 1 else (2 * step, step)
        fine = self.series(example, formulation, integrator, last, time)
        if order != 1:
            self.assertEqual(self.grade, ("good", []))
        if order is None:  # its tolerance decides
            self.assertLess(distance(fine, reference), WITHIN)
            return
        coarse = self.series(example, formulation, integrator, first, time)
        errors = distance(coarse, reference), distance(fine, reference)
        self.assertEqual(len(fine["t"]), len(reference["t"]))
        self.assertLess(distance(richardson(coarse, fine), reference) if order == 1 else errors[1], WITHIN)
        if errors[1] > FLOOR and not lookup(NO_ORDER, example, formulation, integrator):
            self.assertGreater(math.log2(errors[0] / errors[1]), order - 0.3, f"errors {errors}")

    def check_pairs(self):
        known = orders()
        for turn, example in enumerate(self.FEW if examples.SHORT else self.EXAMPLES):
            reference = self.reference(example, self.LENGTH * SMOOTH[example][0])
            for formulation, integrator in self.pairs(example, turn):
                with self.subTest(example=example, formulation=formulation, integrator=integrator):
                    self.check(example, reference, formulation, integrator, known[integrator])


class ElasticTest(PairsTest):
    EXAMPLES = ELASTIC
    FEW = ("engine-mounts.yaml",)
    LENGTH = 1  # it hardly moves before
