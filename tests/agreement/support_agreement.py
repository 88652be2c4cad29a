# SPDX-License-Identifier: Apache-2.0
"""All formulations give the same motion: what the quick and the slow test share."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
import support as examples  # noqa: E402

# smooth examples: end time, fine step, reference step; the double four-bar before its singularity
SMOOTH = {
    "pendulum.yaml": (1.0, 5e-4),
    "double-four-bar.yaml": (0.6, 5e-4),
    "andrews.yaml": (0.002, 2e-6),
    "bricard.yaml": (0.5, 5e-4),
    "spatial-four-bar.yaml": (0.3, 2e-4),
    "spinning-body.yaml": (0.5, 5e-4),
    "slider-crank-driven.yaml": (0.3, 5e-4),
}
# what a formulation cannot do, and says so
REFUSES = {
    ("redundant", "bricard.yaml"),  # names the redundant rows; least squares is asked for below
}


def names(kind):
    out = examples.subprocess.run([examples.HOOKE, "list", kind, "--json"], check=True,
                                  capture_output=True, text=True).stdout
    return [entry["name"] for entry in json.loads(out)]


class AgreementTest(examples.ExampleTest):
    def positions(self, example, formulation, integrator, step, time, *more):
        """series of all body positions"""
        model = self.variant(f'hooke: 1\ninclude: ["{examples.EXAMPLES / example}"]\n'
                             'record: ["body.*.position"]\n')
        _, found = self.run_series(model, "--formulation", formulation, "--integrator", integrator,
                                   "--step", step, "--time", time, "--output-every", time / 10, *more)
        return found

    def assertSame(self, found, expected, within, what):
        """largest difference relative to the range of all positions"""
        columns = [c for c in expected if c != "t"]
        span = max(max(expected[c]) - min(expected[c]) for c in columns)
        worst = max(abs(a - b) for c in columns for a, b in zip(found[c], expected[c]))
        self.assertEqual(len(found["t"]), len(expected["t"]), what)
        self.assertLessEqual(worst, within * span, f"{what}: {worst / span:.3g} of the range")
