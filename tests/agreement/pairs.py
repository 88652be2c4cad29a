#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs of formulation and integrator on every smooth example: bodies within 5e-6 of their range of one reference at
a fine step, so any two pairs within 1e-5 of each other; and there by the order of the integrator. Here mechanisms;
pairs_elastic.py has those with springs, dampers, mounts and tyres. Every pair on every example: pairs_slow.py and
pairs_elastic_slow.py."""
import unittest

from support_agreement import CANNOT, ELSEWHERE, PARTS, SMOOTH, covering, examples, lookup, names, options_of, pairs
from support_pairs import PairsTest


class Pairs(PairsTest):
    def test_pairs(self):
        self.check_pairs()

    def test_covering(self):
        """on each example every formulation and every integrator that it does not refuse; on all together all pairs"""
        seen = set()
        for turn, example in enumerate(self.EXAMPLES):
            able = [(f, i) for f, i in pairs() if not lookup(CANNOT, example, f, i)]
            some = covering(able, turn)
            seen |= set(some)
            for k in (0, 1):
                self.assertEqual({p[k] for p in some}, {p[k] for p in able}, example)
            self.assertLessEqual(len(some), len(names("integrators")) + len(names("formulations")))
        self.assertEqual(seen, set(pairs()))

    def test_refusals(self):
        """what is left out is refused, with the words that stand in the table"""
        for (example, formulation, integrator), ((code, words), _) in CANNOT.items():
            for f, i in pairs():
                if lookup({(formulation, integrator): True}, f, i):
                    found = self.command("run", examples.EXAMPLES / example, "--formulation", f, "--integrator", i,
                                         "--time", 0.01, *options_of(example, f, i), code=code)
                    self.assertIn(words, found.stderr, f"{example} {f} {i}")

    def test_every_example_is_listed(self):
        """unless one formulation alone runs it: then there is nothing to compare"""
        found = {str(p.relative_to(examples.EXAMPLES)) for p in examples.EXAMPLES.rglob("*.yaml")
                 if "studies" not in p.parts}
        listed = set(SMOOTH) | set(ELSEWHERE) | set(PARTS)
        self.assertEqual(listed - found, set())
        for example in found - listed:
            run = [f for f in names("formulations") if examples.subprocess.run(
                [examples.HOOKE, "run", examples.EXAMPLES / example, "--time", "1e-6", "--formulation", f],
                capture_output=True, check=False).returncode == 0]
            self.assertLess(len(run), 2, f"{example} runs with {run}: list it in support_agreement.py")


if __name__ == "__main__":
    unittest.main(verbosity=2)
