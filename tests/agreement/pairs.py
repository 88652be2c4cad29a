#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every pair of formulation and integrator on every smooth example: bodies within 5e-6 of their range of one
reference at a fine step, so any two pairs within 1e-5 of each other; and there by the order of the integrator. Here
mechanisms; pairs_elastic.py has those with springs, dampers, mounts and tyres."""
import unittest

from support_agreement import CANNOT, ELASTIC, ELSEWHERE, PARTS, SMOOTH, examples, lookup, names, options_of
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
