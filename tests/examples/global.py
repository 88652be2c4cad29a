#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The global formulation on the mechanisms of docs/results: number of coordinates, energy lost on the
double four-bar, largest step on the Iltis, events, prescribed motions, and resuming."""
import unittest

from support import SHORT, ExampleTest

GLOBAL = ("--formulation", "global", "--integrator", "trapezoidal")


class Sizes(ExampleTest):
    def sizes(self, model, *more):
        found = self.run_model(model, *GLOBAL, "--time", 0.002, "--step", 0.001, *more)
        return found["coordinates"], found["constraints"], found["dof"], found["redundant"]

    def test_counts(self):
        # papers: 6, 25, 45, 168 coordinates
        self.assertEqual(self.sizes("double-four-bar.yaml"), (6, 5, 1, 0))
        self.assertEqual(self.sizes("iltis-suspension.yaml"), (27, 25, 2, 0))
        self.assertEqual(self.sizes("puma.yaml"), (39, 33, 6, 0))
        self.assertEqual(self.sizes("iltis/ramp-and-stairs.yaml"), (99, 89, 10, 0))
        self.assertEqual(self.sizes("bricard.yaml"), (24, 24, 1, 1))

    def test_fewest(self):
        fewest = ("--option", "coordinates=fewest")
        self.assertEqual(self.sizes("iltis/ramp-and-stairs.yaml", *fewest), (72, 62, 10, 0))
        self.assertEqual(self.sizes("iltis-suspension.yaml", *fewest), (21, 19, 2, 0))

    def test_separate(self):
        """as the papers count; the guide of the suspension's block, three numbers and two rows, is one number there"""
        separate = ("--option", "coordinates=separate")
        self.assertEqual(self.sizes("double-four-bar.yaml", *separate), (6, 5, 1, 0))
        self.assertEqual(self.sizes("iltis-suspension.yaml", *separate), (27, 25, 2, 0))
        self.assertEqual(self.sizes("puma.yaml", *separate), (45, 39, 6, 0))
        self.assertEqual(self.sizes("iltis/ramp-and-stairs.yaml", *separate), (168, 158, 10, 0))


class FourBar(ExampleTest):
    def test_energy(self):
        for step, most in ((0.01, 0.12), (0.03, 1.3), (0.05, 3.3)):
            found = self.run_model("double-four-bar.yaml", *GLOBAL, "--step", step, "--substeps", "off")
            self.assertLessEqual(abs(found["energy"]["max_drift_J"]), most, f"step {step}")
            self.assertLess(found["constraint"]["position_max"], 1e-7)


class Iltis(ExampleTest):
    def test_stairs_at_the_papers_step(self):
        """stable at 0.0175 s: every step converges, no energy appears, errors before 5.5 s below 8/20 %"""
        time = 2.0 if SHORT else 5.5
        _, reference = self.run_series("iltis/ramp-and-stairs.yaml", "--formulation", "hybrid", "--integrator",
                                       "trapezoidal", "--step", 0.001, "--time", time)
        found, run = self.run_series("iltis/ramp-and-stairs.yaml", *GLOBAL, "--step", 0.0175, "--substeps",
                                     "off", "--time", time)
        self.assertEqual(found["rejected"], 0)
        self.assertLess(found["iterations"], 5 * found["steps"])
        for name, within in (("body.chassis.position.z", 0.08), ("body.chassis.orientation.y", 0.2)):
            expected = reference[name]
            span = max(expected) - min(expected)
            worst = max(abs(x - expected[min(round(t / 0.001), len(expected) - 1)])
                        for t, x in zip(run["t"], run[name]))
            self.assertLess(worst, within * span, name)
        most = max(reference["energy.total"]) - reference["energy.total"][0]
        self.assertLess(max(run["energy.total"]) - run["energy.total"][0], 1.02 * most + 1.0)

    @unittest.skipIf(SHORT, "too long for a sanitized build")
    def test_choices_of_coordinates(self):
        """they differ by linear rows alone, so that the motion is the same to the iteration's tolerance"""
        for step in (0.01, 0.005):
            runs = [self.run_series("iltis/ramp-and-stairs.yaml", *GLOBAL, "--step", step, "--time", 4,
                                    "--tolerance", 1e-12, "--option", f"coordinates={c}")[1] for c in ("shared", "fewest", "separate")]
            for name in ("body.chassis.position.z", "body.front_left.carrier.position.z"):
                worst = max(abs(a - x) for a, *others in zip(*(run[name] for run in runs)) for x in others)
                self.assertLess(worst, 1e-6, name)


class SameAsHybrid(ExampleTest):
    """motions that are not smooth: joints switched on and off, jumps of roads and torques"""

    def compare(self, model, step, within, names, *more):
        runs = [self.run_series(model, "--formulation", f, "--integrator", "trapezoidal", "--step", step,
                                *more)[1] for f in ("hybrid", "global")]
        for name in names:
            span = max(runs[0][name]) - min(runs[0][name])
            worst = max(abs(a - b) for a, b in zip(runs[0][name], runs[1][name]))
            self.assertLess(worst, within * span, f"{model}: {name} by {worst / span:.3g}")

    def test_events(self):
        self.compare("grab-and-release.yaml", 0.001, 1e-3,
                     [f"joint.{j}.angle" for j in ("shoulder", "elbow", "wrist")])

    def test_kerb(self):
        self.compare("iltis-suspension.yaml", 0.002, 1e-3,
                     ("body.block.position.z", "body.carrier.position.z", "force.shock.length"), "--time", 4)

    def test_robot(self):
        self.compare("puma.yaml", 0.005, 1e-3, [f"joint.joint{i}.angle" for i in range(1, 7)])

    def test_driven(self):
        self.compare("slider-crank-driven.yaml", 0.001, 1e-9, ("joint.guide.position",))


class Resume(ExampleTest):
    def test_same_digits(self):
        for model in ("puma.yaml", "iltis-suspension.yaml"):
            args = (*GLOBAL, "--step", 0.005)
            _, whole = self.run_series(model, *args, "--time", 2.5)
            self.run_model(model, *args, "--time", 1.5, "--checkpoint", "half.bin")
            _, rest = self.run_series(model, *args, "--time", 2.5, "--resume", "half.bin")
            for name in whole:
                self.assertEqual(whole[name][-1], rest[name][-1], f"{model}: {name}")


class Options(ExampleTest):
    def test_tangent(self):
        """the curvature of the constraints saves iterations where things turn fast"""
        found = [self.run_model("double-four-bar.yaml", *GLOBAL, "--step", 0.05, "--time", 0.6, "--tolerance",
                                1e-12, "--option", f"tangent={t}") for t in ("material", "exact")]
        self.assertLess(found[1]["iterations"], found[0]["iterations"])
        # the same solution but for the metric of the projections
        self.assertNear(found[1]["final"]["joint.pin_A0.angle"], found[0]["final"]["joint.pin_A0.angle"], 1e-5)

    def test_integrators(self):
        for integrator in ("generalized_alpha", "hht", "newmark", "sdirk", "rk4"):
            found = self.run_model("spatial-four-bar.yaml", "--formulation", "global", "--integrator",
                                   integrator, "--time", 0.2)
            self.assertEqual(found["status"], "ok")
            self.assertLess(found["constraint"]["velocity_max"], 1e-9)


if __name__ == "__main__":
    unittest.main(verbosity=2)
