#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/rolling-disc.yaml and other rolling wheels: the steady turn in closed form, energy, order, the
equations of the rolling disc in Euler's angles solved on their own, wheels in planar models."""
import json
import math
import unittest

from support import ALL, ExampleTest, SHORT

EXAMPLE = "rolling-disc.yaml"
FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")
IMPLICIT = ("hybrid", "global", "topological", "partition", "redundant")
# exact for plain rolling; `global` turns by vectors, which only small errors of the method keep exact
EXACT = {f: ["--integrator", "rk4", "--step", 0.001] if f == "global" else [] for f in FORMULATIONS}
TIGHT = {f: ["--tolerance", 1e-12] if f == "topological" else [] for f in FORMULATIONS}
G, M, R, ALPHA, B = 9.81, 2.0, 0.3, math.radians(20), 1.0
W = math.sqrt(G * math.tan(ALPHA) / (1.5 * B + 0.25 * R * math.sin(ALPHA)))


def disc(rates, lean=ALPHA, more=""):
    """a disc at the origin of the plane, leaning, with rates along the horizontal diameter, the line from
    contact to centre, and the axis"""
    s, c = math.sin(lean), math.cos(lean)
    w = [rates[1] * -s + rates[2] * c, rates[0], rates[1] * c + rates[2] * s]
    return f"""
hooke: 1
gravity: [0, 0, {-G}]
frames: {{own: {{rotate: {{axis: y, angle: {math.pi / 2 - lean}}}}}}}
bodies:
  disc: {{mass: {M}, com: [0, 0, {R * c}],
         inertia: {{diagonal: [{M * R * R / 4}, {M * R * R / 4}, {M * R * R / 2}], axes: own}}}}
joints:
  contact: {{type: rolling, between: [ground, disc], at: [0, 0, {R * c}], axis: [{c}, 0, {s}], normal: z, radius: {R}}}
start: {{disc: {{angular_velocity: {w}}}}}
record: ["body.disc.position", "body.disc.angular_velocity", "joint.contact.*", "energy.*"]
run: {{time: 2, step: 0.005}}
{more}"""


def euler_angles(rates, lean, t_end, n):
    """place of the centre and rates after n steps of the classical Runge-Kutta rule on the equations of the
    rolling disc: Newton and Euler along the horizontal diameter e1, e2 from contact to centre, the axis e3"""
    a, c, mr = M * R * R / 4, M * R * R / 2, M * R * R

    def f(y):
        theta, phi, w1, w2, w3 = y[0], y[1], y[2], y[3], y[4]
        o3 = w2 / math.tan(theta)
        d1 = (a * o3 * w2 - (c + mr) * w2 * w3 - M * G * R * math.cos(theta)) / (a + mr)
        d2 = (c * w1 * w3 - a * o3 * w1) / a
        d3 = mr * w1 * w2 / (c + mr)
        side = R * w1 * math.sin(theta)
        return [w1, w2 / math.sin(theta), d1, d2, d3,
                -R * w3 * math.cos(phi) + side * math.sin(phi), -R * w3 * math.sin(phi) - side * math.cos(phi)]
    y, h = [math.pi / 2 - lean, math.pi / 2, *rates, 0.0, 0.0], t_end / n
    for _ in range(n):
        k1 = f(y)
        k2 = f([x + h / 2 * k for x, k in zip(y, k1)])
        k3 = f([x + h / 2 * k for x, k in zip(y, k2)])
        k4 = f([x + h * k for x, k in zip(y, k3)])
        y = [x + h / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(y, k1, k2, k3, k4)]
    return y[5], y[6], R * math.sin(y[0]), y[2:5]


class SteadyTurn(ExampleTest):
    END = 4.0 if SHORT else 16.0 if ALL else 8.0  # four turns, or two

    def departure(self, step, *args):
        """largest distance of the centre from its place on the circle"""
        _, run = self.run_series(EXAMPLE, "--step", step, "--time", self.END, "--output-every", 0.25, *args)
        return max(math.dist([run[f"body.disc.position.{c}"][i] for c in "xyz"],
                             [B * math.cos(W * t), B * math.sin(W * t), R * math.cos(ALPHA)])
                   for i, t in enumerate(run["t"]))

    def test_it_stays_on_its_circle(self):
        for formulation in FORMULATIONS:
            with self.subTest(formulation=formulation):
                self.assertLess(self.departure(0.002, "--formulation", formulation, "--integrator", "rk4"), 2e-7)
        self.assertLess(self.departure(0.002, "--formulation", "redundant", "--integrator", "bdf",
                                       "--option", "rtol=1e-9", "--option", "atol=1e-11"), 1e-4)

    def test_energy_is_kept(self):
        for formulation in IMPLICIT:
            with self.subTest(formulation=formulation):
                value = self.run_model(EXAMPLE, "--formulation", formulation, "--step", 0.002, *TIGHT[formulation])
                energy = value["energy"]
                self.assertEqual((energy["supplied_J"], energy["dissipated_J"]), (0, 0))
                # independent coordinates: the steady turn is no steady state of what is integrated; order 2
                if formulation in ("topological", "partition"):
                    coarse = self.run_model(EXAMPLE, "--formulation", formulation, "--step", 0.004,
                                            *TIGHT[formulation])["energy"]["max_drift_J"]
                    self.assertOrder([coarse, energy["max_drift_J"]], 2, 0.1, formulation)
                    self.assertLess(abs(energy["max_drift_J"]), 2e-5 * energy["initial_J"])
                else:
                    self.assertLess(abs(energy["max_drift_J"]), 1e-6 * energy["initial_J"])
                self.assertLess(value["constraint"]["position_max"], 1e-9)
                self.assertLess(value["constraint"]["velocity_max"], 1e-9)

    def test_reaction_carries_and_turns_it(self):
        _, run = self.run_series(EXAMPLE, "--integrator", "rk4")
        for i, t in enumerate(run["t"]):
            force = [run[f"joint.contact.force.{c}"][i] for c in "xyz"]
            pull = M * W * W * B
            for found, expected in zip(force, (-pull * math.cos(W * t), -pull * math.sin(W * t), M * G)):
                self.assertNear(found, expected, 1e-5, f"contact force at {t}")

    def test_freedoms(self):
        value = json.loads(self.command("check", self.variant(disc([0, 0, 1])), "--json").stdout)
        self.assertEqual([value[k] for k in ("coordinates", "constraints", "rank", "dof", "position_dof", "redundant")],
                         [6, 3, 3, 3, 5, 0])


class AnyMotion(ExampleTest):
    START = (0.7, -0.6, -7.0)

    def place(self, *args):
        final = self.run_model(self.variant(disc(self.START)), *args)["final"]
        return [final[f"body.disc.position.{c}"] for c in "xyz"]

    def test_it_rolls_as_newton_and_euler_say(self):
        x, y, z, _ = euler_angles(self.START, ALPHA, 2.0, 20000)
        self.assertGreater(math.hypot(x, y), 1)
        for formulation in FORMULATIONS:
            with self.subTest(formulation=formulation):
                found = self.place("--formulation", formulation, "--integrator", "rk4", "--step", 0.002)
                self.assertLess(math.dist(found, (x, y, z)), 2e-8)
        found = self.place("--formulation", "redundant", "--integrator", "bdf", "--option", "rtol=1e-9",
                           "--option", "atol=1e-11")
        self.assertLess(math.dist(found, (x, y, z)), 1e-5)
        found = self.place("--formulation", "redundant", "--integrator", "bdf", "--option", "index=three",
                           "--option", "rtol=1e-8", "--option", "atol=1e-10")
        self.assertLess(math.dist(found, (x, y, z)), 1e-4)

    def orders(self, formulation, integrator, order, *args):
        exact = euler_angles(self.START, ALPHA, 1.0, 20000)[:3]
        errors = [math.dist(self.place("--time", 1, "--formulation", formulation, "--integrator", integrator,
                                       "--tolerance", 1e-12, "--step", h, *args), exact) for h in (0.005, 0.0025, 0.00125)]
        with self.subTest(formulation=formulation, integrator=integrator):
            self.assertOrder(errors, order, 0.1, f"{formulation} {integrator}")

    def test_order_on_halving(self):
        for i, formulation in enumerate(IMPLICIT):
            # the size of the error depends on the choice, and the time of a new choice on the step; tangent planes
            # follow smoothly
            plane = ["--option", "method=tangent_plane"] if formulation == "partition" else []
            exact = formulation in ("topological", "partition")
            every = ("trapezoidal", "generalized_alpha", "hht", "multistep")
            # each method in half of the formulations, in check-all in all of them
            for integrator in every[:1] if exact else every if ALL else every[i % 2::2]:
                self.orders(formulation, integrator, 2, *plane)
            self.orders(formulation, "sdirk", 3)
        self.orders("recursive", "trapezoidal", 2)
        self.orders("hybrid", "rk4", 4)

    def test_straight(self):
        for formulation in FORMULATIONS:
            model = self.variant(disc([0, 0, -6.0], lean=0.0))
            value = self.run_model(model, "--formulation", formulation, *EXACT[formulation])
            final = value["final"]
            with self.subTest(formulation=formulation):
                for c, x in zip("xyz", (0, 6.0 * R * 2, R)):
                    self.assertNear(final[f"body.disc.position.{c}"], x, 1e-9, c)
                self.assertNear(final["joint.contact.force.z"], M * G, 1e-8)
                self.assertNear(value["energy"]["max_drift_J"], 0, 1e-9)

    def test_mirrored(self):
        # a disc and its mirror image: mirrored places
        part = self.variant(disc(self.START).replace("hooke: 1", "").replace(f"gravity: [0, 0, {-G}]", "")
                            .split("start:")[0], "part.yaml")
        s, c = math.sin(ALPHA), math.cos(ALPHA)
        w = [self.START[1] * -s + self.START[2] * c, self.START[0], self.START[1] * c + self.START[2] * s]
        model = self.variant(f"""
hooke: 1
gravity: [0, 0, {-G}]
components: {{rolls: {{file: {part.name}}}}}
instances: {{left: {{component: rolls}}, right: {{component: rolls, mirror: y, at: [0, 1, 0]}}}}
start:
  left.disc: {{angular_velocity: {w}}}
  right.disc: {{angular_velocity: [{-w[0]}, {w[1]}, {-w[2]}]}}
run: {{time: 1, step: 0.005}}
""")
        final = self.run_model(model)["final"]
        for c, sign, at in (("x", 1, 0), ("y", -1, 1), ("z", 1, 0)):
            self.assertNear(final[f"body.right.disc.position.{c}"], sign * final[f"body.left.disc.position.{c}"] + at,
                            1e-9, c)

    def test_switched_on_and_off(self):
        # in the air, then rolling, then in the air again: energy is lost only where it touches down
        more = "events: {touch: {when: 't >= 0.01', fix: contact}, leave: {when: 't >= 1', release: contact}}"
        text = disc([0, 0, -6.0], lean=0.0, more=more).replace("normal: z,", "normal: z, active: false,")
        for formulation in FORMULATIONS:
            with self.subTest(formulation=formulation):
                value, run = self.run_series(self.variant(text), "--formulation", formulation, "--output-every", 0.005,
                                             *EXACT[formulation])
                x = run["body.disc.position.y"]
                self.assertNear(x[1], 0, 1e-12)
                # the spin 6 rad/s is shared: (I + m R^2) w = I w0
                self.assertNear(run["body.disc.angular_velocity.x"][100], -2.0, 1e-9)
                self.assertNear(run["body.disc.position.z"][-1] - run["body.disc.position.z"][200],
                                -0.5 * G, 1e-3)
                self.assertNear(value["energy"]["balance_error_J"], 0, 1e-6)

    def test_other_ways_to_partition(self):
        # the other methods of `partition` meet the same motion
        x, y, z, _ = euler_angles(self.START, ALPHA, 2.0, 20000)
        for method in ("splitting", "augmented_newton", "tangent_plane"):
            found = self.place("--formulation", "partition", "--option", f"method={method}", "--integrator", "trapezoidal",
                               "--step", 0.002)
            self.assertLess(math.dist(found, (x, y, z)), 4e-4, method)
        found = self.place("--formulation", "partition", "--option", "method=null_space", "--integrator", "rk4",
                           "--step", 0.002)
        self.assertLess(math.dist(found, (x, y, z)), 2e-8)


WHEEL = """
hooke: 1
planar: xy
gravity: [{gx}, {gy}, 0]
bodies:
  wheel: {{mass: 3, com: [0, 0.2, 0], inertia: {{zz: 0.05}}}}
  {bodies}
joints:
  {joints}
  roll: {{type: rolling, between: [{on}, wheel], at: [0, 0.2, 0], axis: z, normal: y, radius: 0.2}}
run: {{time: 1, step: 0.01}}
record: ["body.wheel.*", "joint.*", "energy.*"]
"""


class Planar(ExampleTest):
    def test_down_a_slope(self):
        slope = 0.3
        text = WHEEL.format(gx=G * math.sin(slope), gy=-G * math.cos(slope), on="ground", bodies="", joints="")
        model = self.variant(text)
        a = G * math.sin(slope) / (1 + 0.05 / (3 * 0.04))
        value = json.loads(self.command("check", model, "--json").stdout)
        self.assertEqual([value[k] for k in ("coordinates", "constraints", "dof", "position_dof")], [3, 2, 1, 2])
        for formulation in FORMULATIONS:
            with self.subTest(formulation=formulation):
                final = self.run_model(model, "--formulation", formulation, *EXACT[formulation])["final"]
                self.assertNear(final["body.wheel.position.x"], a / 2, 1e-8)
                self.assertNear(final["body.wheel.position.y"], 0.2, 1e-9)
                self.assertNear(final["body.wheel.angular_velocity.z"], -a / 0.2, 1e-7)
                self.assertNear(final["joint.roll.force.y"], 3 * G * math.cos(slope), 1e-7)

    def test_on_a_moving_plate(self):
        # a plate pulled away under the wheel at 2 m/s^2 takes it along at 2 I/(I + m r^2)
        text = WHEEL.format(gx=0, gy=-G, on="plate", bodies="plate: {mass: 1, com: [0, 0, 0]}",
                            joints="slide: {type: prismatic, between: [ground, plate], axis: x, "
                                   "motion: {position: t^2}}")
        a = 2 * 0.05 / (0.05 + 3 * 0.04)
        for formulation in FORMULATIONS:
            with self.subTest(formulation=formulation):
                value = self.run_model(self.variant(text), "--formulation", formulation, *EXACT[formulation])
                self.assertNear(value["final"]["body.wheel.position.x"], a / 2, 1e-8)
                self.assertNear(value["energy"]["balance_error_J"], 0, 1e-6)

    def test_it_must_stand_in_the_plane(self):
        for wrong, words in (("axis: x, normal: y", "'axis' must be along the normal"),
                             ("axis: z, normal: [1, 0, 1]", "'normal' must lie in the plane")):
            text = WHEEL.format(gx=0, gy=-G, on="ground", bodies="", joints="").replace("axis: z, normal: y", wrong)
            self.assertIn(words, self.command("check", self.variant(text), code=3).stderr)


if __name__ == "__main__":
    unittest.main()
