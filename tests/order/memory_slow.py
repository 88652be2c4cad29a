#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws with memory on a loop: every formulation with every integrator that it runs with, by its order."""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from support import ExampleTest  # noqa: E402
from support_memory import LOOP, LOOP_CHANNELS  # noqa: E402

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")
# integrator: order, first step
INTEGRATORS = {"generalized_alpha": (2, 1e-3), "trapezoidal": (2, 1e-3), "newmark": (1, 1e-3), "hht": (2, 1e-3),
               "sdirk": (3, 2e-3), "multistep": (2, 1e-3), "rk4": (4, 2e-3), "abm2": (2, 1e-3), "dopri5": (None, 1e-3)}


class MemoryPairs(ExampleTest):
    def ends(self, formulation, integrator, step):
        variant = self.variant(LOOP)
        found = self.run_series(variant, "--formulation", formulation, "--integrator", integrator, "--step", step,
                                "--tolerance", 1e-12)[1]
        return [found[c][-1] for c in LOOP_CHANNELS]

    def test_pairs(self):
        exact = self.ends("hybrid", "rk4", 5e-5)
        for formulation in FORMULATIONS:
            for integrator, (order, step) in INTEGRATORS.items():
                if (formulation, integrator) == ("recursive", "sdirk"):
                    continue  # no stages at acceleration level
                with self.subTest(formulation=formulation, integrator=integrator):
                    errors = [max(abs(a - b) for a, b in zip(self.ends(formulation, integrator, h), exact))
                              for h in (step, 0.5 * step)]
                    if order is None:
                        self.assertLess(errors[0], 1e-5)
                    elif order == 4:
                        self.assertLess(errors[1], 1e-7)
                    else:
                        self.assertOrder(errors, order, within=0.4, what=json.dumps(errors))


if __name__ == "__main__":
    unittest.main()
