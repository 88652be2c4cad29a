#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The redundant formulation: reactions as those of hybrid, redundant rows refused by name or shared, a rotor at
100 rad/s against its closed form, few iterations and clean constraints."""
import math
import unittest

from support import EXAMPLES, SHORT, ExampleTest, orders

ROTOR = """
hooke: 1
gravity: [0, 0, 0]
bodies:
  rotor: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1.5]}
start: {rotor: {angular_velocity: [10, 0, 100]}}
run: {time: 0.06, step: 6.0e-4}
record: ["body.rotor.orientation"]
"""

FREE = """
hooke: 1
gravity: [0, 0, 0]
bodies:
  body: {mass: 2, com: [0, 0, 0], inertia: [0.010, 0.022, 0.030]}
start: {body: {angular_velocity: [%s]}}
run: {time: 20, step: 0.1}
"""


def rotor_orientation(t, i1=1.0, i3=1.5, w1=10.0, w3=100.0):
    """quaternion of a free symmetric body: precession about the momentum, spin about its axis"""
    p = math.hypot(i1 * w1, i3 * w3) / i1
    axis = (w1 / p, 0.0, i3 * w3 / i1 / p)
    s = (1.0 - i3 / i1) * w3
    a = [math.cos(0.5 * p * t)] + [math.sin(0.5 * p * t) * x for x in axis]
    b = [math.cos(0.5 * s * t), 0.0, 0.0, math.sin(0.5 * s * t)]
    return (a[0] * b[0] - a[3] * b[3], a[1] * b[0] + a[2] * b[3], a[2] * b[0] - a[1] * b[3],
            a[0] * b[3] + a[3] * b[0])


def momenta_moment(found, row, inertia):
    """R J R' w of a body in world axes, from the series of its orientation and angular velocity"""
    w, x, y, z = (found[f"body.racket.orientation.{c}"][row] for c in "wxyz")
    turn = ((1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)))
    rate = [found[f"body.racket.angular_velocity.{c}"][row] for c in "xyz"]
    own = [inertia[k] * sum(turn[i][k] * rate[i] for i in range(3)) for k in range(3)]
    return [sum(turn[i][k] * own[k] for k in range(3)) for i in range(3)]


class Redundant(ExampleTest):
    def final(self, model, formulation, step, time, *args):
        return self.run_model(model, "--formulation", formulation, "--step", step, "--time", time, *args)

    def test_reactions(self):
        for model, step, time in (("spatial-four-bar.yaml", 1e-3, 0.2), ("andrews.yaml", 1e-5, 1e-3),
                                  ("slider-crank-driven.yaml", 1e-3, 0.2), ("pendulum.yaml", 2e-3, 0.4)):
            ends = []
            for h in (step, step / 2):
                found = [self.final(model, f, h, time)["final"] for f in ("hybrid", "redundant")]
                names = [n for n in found[0] if n.startswith("joint.") and (".force." in n or ".torque." in n)]
                size = max([abs(found[0][n]) for n in names] + [1e-3])
                ends.append(max([abs(found[0][n] - found[1][n]) / size for n in names] + [0.0]))
            with self.subTest(model=model):
                self.assertLess(ends[1], 2e-3)
                self.assertLess(ends[1], 0.4 * ends[0] + 1e-10)

    def test_momenta_are_states(self):
        """a body that no moment acts on keeps its momenta moment as well as the iteration is solved, however long the
        steps"""
        change = {}
        for states in ("momenta", "velocities"):
            _, found = self.run_series("spinning-body.yaml", "--formulation", "redundant", "--integrator", "multistep",
                                       "--option", f"states={states}", "--step", 0.05, "--time", 5, "--tolerance", 1e-13)
            first = momenta_moment(found, 0, (0.010, 0.022, 0.030))
            last = momenta_moment(found, -1, (0.010, 0.022, 0.030))
            change[states] = max(abs(a - b) for a, b in zip(first, last)) / 0.132
        self.assertLess(change["momenta"], 1e-12)
        self.assertGreater(change["velocities"], 1e-4)

    def test_momenta_at_long_steps(self):
        """0.6 rad a step: the rule holds for whole rotations, so that without dissipation the energy stays, and with
        it the energy falls as the step to the third"""
        for start in ("6, 0.8, 0.8", "0.1, 6, 0.1", "0.8, 0.8, 6"):
            model = self.variant(FREE % start)
            for rotations in ("cayley", "exponential"):
                change = []
                for rho, h in ((1, 0.1), (0.6, 0.1), (0.6, 0.05)):
                    found = self.final(model, "redundant", h, 20, "--integrator", "multistep", "--option", f"rho_inf={rho}",
                                       "--option", f"rotations={rotations}", "--substeps", "off")["energy"]
                    change.append(found["final_J"] / found["initial_J"] - 1)
                with self.subTest(start=start, rotations=rotations):
                    self.assertLess(abs(change[0]), 5e-4)
                    self.assertTrue(-0.12 < change[1] < 0, change)
                    self.assertTrue(0.3 * change[1] < change[2] < 0, change)

    def test_rotor(self):
        model = self.variant(ROTOR)
        exact = rotor_orientation(0.06)
        for integrator in ("multistep", "multistep --option states=velocities",
                           "multistep --option rotations=exponential", "trapezoidal"):
            errors = []
            for h in (6e-4, 3e-4, 1.5e-4):
                end = self.final(model, "redundant", h, 0.06, "--integrator", *integrator.split())["final"]
                q = [end[f"body.rotor.orientation.{c}"] for c in "wxyz"]
                errors.append(min(max(abs(a - s * b) for a, b in zip(q, exact)) for s in (1, -1)))
            for order in orders(errors):
                self.assertAlmostEqual(order, 2.0, delta=0.1, msg=f"{integrator}: {errors}")
            self.assertLess(errors[0], 2e-2)

    def test_redundant_rows(self):
        found = self.command("run", EXAMPLES / "bricard.yaml", "--formulation", "redundant", code=4)
        for word in ("independent constraints", "pin4", "loop through joints", "least_squares"):
            self.assertIn(word, found.stderr)
        ends = [self.final("bricard.yaml", f, 1e-3, 2.0, *more)["final"]
                for f, more in (("hybrid", ()), ("redundant", ("--option", "redundancy=least_squares")))]
        for name in ends[0]:
            if ".position." in name:
                self.assertAlmostEqual(ends[0][name], ends[1][name], delta=1e-5, msg=name)

    def test_redundant_rows_off_the_constraints(self):
        """stages are off the constraints, where the row that follows from the others would be one more: 4e-3 (rk4)"""
        exact = self.final("bricard.yaml", "hybrid", 5e-4, 1.0, "--integrator", "rk4")["final"]
        for integrator, within in (("rk4", 1e-10), ("sdirk", 1e-7), ("dopri5", 1e-8)):
            found = self.final("bricard.yaml", "redundant", 5e-3, 1.0, "--integrator", integrator, "--option",
                               "redundancy=least_squares")
            with self.subTest(integrator=integrator):
                for name in exact:
                    if ".position." in name:
                        self.assertAlmostEqual(found["final"][name], exact[name], delta=within, msg=name)
                self.assertLess(found["constraint"]["acceleration_max"], 1e-11)

    def test_clean(self):
        for model, step, time in (("double-four-bar.yaml", 0.01, 2.0), ("iltis-suspension.yaml", 2e-3, 1.0),
                                  ("grab-and-release.yaml", 2e-3, 2.5), ("puma.yaml", 0.01, 1.0)):
            for integrator in ("trapezoidal", "multistep"):
                with self.subTest(model=model, integrator=integrator):
                    found = self.final(model, "redundant", step, time, "--integrator", integrator)
                    self.assertEqual(found["rejected"], 0)
                    self.assertLess(found["iterations"], 3.5 * found["steps"])
                    self.assertLess(found["constraint"]["position_max"], 1e-9)
                    self.assertLess(found["constraint"]["velocity_max"], 1e-9)

    def test_long_stiff_steps(self):
        """the curvature of the constraints bends the residual back over itself at long steps: an iteration that grows
        begins anew without it, and the exact matrix still takes fewer iterations where it does not"""
        gains = ("--option", "stabilisation=baumgarte", "--option", "baumgarte_alpha=1000", "--option",
                 "baumgarte_beta=1000")
        cases = [(h, ()) for h in (0.0012, 0.0018, 0.0025, 0.0032, 0.005, 0.007, 0.01, 0.0175, 0.035)]
        cases += [(h, gains) for h in (0.0012, 0.002, 0.003)]
        for step, more in cases:
            with self.subTest(step=step, more=more):
                found = [self.final("andrews-stiff.yaml", "redundant", step, 0.035, "--substeps", "off", "--option",
                                    f"curvature={c}", *more) for c in ("on", "off")]
                self.assertLess(found[0]["iterations"], found[1]["iterations"])
                if step > 0.02:  # one step, with several solutions
                    continue
                # how much of the crank's third of a radian such steps still get right
                self.assertNear(found[0]["final"]["joint.beta.angle"], found[1]["final"]["joint.beta.angle"], 0.1)
        # a matrix without the curvature alone would not do here
        found = self.final("grab-and-release.yaml", "redundant", 0.12, 2.5, "--substeps", "off")
        self.assertEqual(found["rejected"], 0)

    def test_bdf(self):
        """errors follow the tolerance, whatever the grid; both forms. Of index three velocities are not controlled, which
        costs one to two decades (docs/theory/bdf.md). Largest errors of all rows: that of one row may pass through zero."""
        for model, time, factors in (("spatial-four-bar.yaml", 0.3, (100, 2500)), ("pendulum.yaml", 1.0, (30, 300)),
                                     ("engine-mounts.yaml", 0.3, (1, 30))):
            _, exact = self.run_series(model, "--formulation", "hybrid", "--integrator", "rk4", "--step", time / 2800,
                                       "--time", time)
            names = [n for n in exact if ".position." in n or n.endswith(".angle")]
            for form, factor in zip(("stabilised", "three"), factors):
                errors = []
                for tol in (1e-5, 1e-8):
                    _, found = self.run_series(model, "--formulation", "redundant", "--integrator", "bdf", "--step",
                                               time / 70, "--time", time, "--option", f"index={form}", "--option",
                                               f"rtol={tol}", "--option", f"atol={tol}")
                    errors.append(max(abs(x - y) for n in names for x, y in zip(found[n], exact[n][::40])))
                    self.assertLess(errors[-1], factor * tol, f"{model}, {form}")
                self.assertLess(errors[1], 0.05 * errors[0], f"{model}, {form}: {errors}")
        found = self.command("run", EXAMPLES / "pendulum.yaml", "--formulation", "hybrid", "--integrator", "bdf", code=2)
        self.assertIn("needs the equations as one system of first order", found.stderr)

    def test_bdf_on_stairs(self):
        """sharp edges are found by the error control: against trapezoidal with steps of 0.1 ms"""
        model = "iltis/ramp-and-stairs.yaml"
        time = 1.0 if SHORT else 3.5
        fine = self.final(model, "hybrid", 1e-4, time, "--integrator", "trapezoidal")["final"]
        for form in ("stabilised", "three"):
            found = self.final(model, "redundant", 0.01, time, "--integrator", "bdf", "--option", f"index={form}")
            self.assertLess(found["iterations"], 10000)
            for axis in "xyz":
                name = f"body.chassis.position.{axis}"
                self.assertNear(found["final"][name], fine[name], 3e-4, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
