#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every pair of formulation and integrator where the motion is not smooth: the kerb, the stairs, the PUMA task, each to
1e-3 of the range in positions, pitch, shock lengths and wheel heights."""
import unittest

from support_rough import RoughTest, examples, names

SAME = 1e-3


class Rough(RoughTest):
    def some_pairs(self):
        """under sanitizers one integrator with each formulation: pairs.py runs the others' code there"""
        return [(f, i) for f, i in self.pairs() if not examples.SHORT or i == "trapezoidal"]

    def test_kerb(self):
        """against the reference series: 5e-4 each, so any two within 1e-3"""
        time = 3.3 if examples.SHORT else 4
        for formulation, integrator in self.some_pairs():
            with self.subTest(formulation=formulation, integrator=integrator):
                self.assertWithin(self.kerb(formulation, integrator, time), self.kerb_reference(time), 0.5 * SAME)

    def test_stairs(self):
        """two wheels after two down one step. All formulations see an edge at the end of the same step: with one
        integrator and one step they agree. Edges lie between steps, so that integrators agree as steps shrink: each
        against a fine run, with the fastest formulation (with every formulation: rough_slow.py)."""
        step = 0.002 if examples.SHORT else 0.001
        first = {}
        for formulation, integrator in self.some_pairs():
            if integrator == "bdf":  # finds edges itself
                continue
            with self.subTest(formulation=formulation, integrator=integrator):
                found = self.stairs(formulation, integrator, step)
                first.setdefault(integrator, found)
                self.assertWithin(found, first[integrator], SAME)

    @unittest.skipIf(examples.SHORT, "long under sanitizers")
    def test_stairs_by_integrator(self):
        fine = self.stairs_reference()
        for integrator in names("integrators"):
            formulation = "redundant" if integrator == "bdf" else "topological"
            step = 1e-2 if integrator == "bdf" else 1e-4
            with self.subTest(integrator=integrator):
                self.assertWithin(self.stairs(formulation, integrator, step), fine, SAME)

    def test_puma(self):
        """5e-4 each; the hand is held at 2 s and free again at 6 s"""
        time = 2.1 if examples.SHORT else 8
        reference = {t: self.puma_reference(t) for t in {2.1, time}}
        for formulation, integrator in self.some_pairs():
            explicit = self.PUMA_STEPS.get(integrator)
            with self.subTest(formulation=formulation, integrator=integrator):
                end = 2.1 if explicit else time
                self.assertWithin(self.puma(formulation, integrator, end), reference[end], 0.5 * SAME)


if __name__ == "__main__":
    unittest.main(verbosity=2)
