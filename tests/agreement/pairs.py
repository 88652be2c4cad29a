#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every pair of formulation and integrator on every smooth example: bodies within 5e-6 of their range of one
reference at a fine step, so any two pairs within 1e-5 of each other; and there by the order of the integrator. Here
mechanisms; pairs_elastic.py has those with springs, dampers, mounts and tyres."""
import unittest

from support_agreement import CANNOT, ELASTIC, ELSEWHERE, PARTS, SMOOTH, examples, lookup, options_of
from support_pairs import PairsTest


class Pairs(PairsTest):
    EXAMPLES = [e for e in SMOOTH if e not in ELASTIC]

    def test_pairs(self):
        self.check_all(("double-four-bar.yaml", "spatial-four-bar.yaml", "spinning-body.yaml"))

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
