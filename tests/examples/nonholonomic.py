#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Blades and balls: Chaplygin's sleigh and a ball on a turntable in closed form, the snakeboard against its reduced
equations solved on their own, pendulums inside and rollers outside of cylinders, a disc on a plane that moves."""
import json
import math
import unittest

from support import SHORT, SOURCE, ExampleTest, orders

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")
SECOND = ("trapezoidal", "generalized_alpha", "hht", "multistep")


def kutta(f, y, t_end, n):
    """n steps of the classical Runge-Kutta rule"""
    h = t_end / n
    for i in range(n):
        t = i * h
        k1 = f(t, y)
        k2 = f(t + h / 2, [x + h / 2 * k for x, k in zip(y, k1)])
        k3 = f(t + h / 2, [x + h / 2 * k for x, k in zip(y, k2)])
        k4 = f(t + h, [x + h * k for x, k in zip(y, k3)])
        y = [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(y, k1, k2, k3, k4)]
    return y


class Sleigh(ExampleTest):
    A, V0, W0 = 0.3, -1.0, 3.0
    K2 = 0.1 / 2 + A * A
    C = math.sqrt(V0 * V0 + K2 * W0 * W0)

    def exact(self, t):
        s = self.A * self.C * t / self.K2 + math.atanh(self.V0 / self.C)
        return self.C * math.tanh(s), self.C / math.sqrt(self.K2) / math.cosh(s)

    def error(self, step, formulation, integrator, *args):
        value, run = self.run_series("chaplygin-sleigh.yaml", "--step", step, "-f", formulation, "-i", integrator,
                                     "--output-every", 0.1, *args)
        worst = 0.0
        for i, t in enumerate(run["t"]):
            w = run["body.sleigh.angular_velocity.z"][i]
            half = math.atan2(run["body.sleigh.orientation.z"][i], run["body.sleigh.orientation.w"][i])
            c, s = math.cos(2 * half), math.sin(2 * half)
            x, y = (run[f"marker.B.velocity.{k}"][i] for k in "xy")
            self.assertNear(y * c - x * s, 0, 1e-10, "sideways")
            v, rate = self.exact(t)
            worst = max(worst, abs(x * c + y * s - v), abs(w - rate))
        return worst, abs(value["energy"]["max_drift_J"])

    def test_closed_form(self):
        # v(t) and w(t), and the energy, by the order of the method in every formulation that can have the joint
        for formulation in FORMULATIONS:
            for integrator in SECOND[:1] if SHORT or formulation != "redundant" else SECOND:
                found = [self.error(h, formulation, integrator) for h in (0.01, 0.005)]
                what = (formulation, integrator, found)
                self.assertLess(found[1][0], 2e-3, what)
                self.assertGreater(orders([e for e, _ in found])[0], 1.8, what)
                self.assertGreater(orders([e for _, e in found])[0], 1.8, what)
            found = [self.error(h, formulation, "rk4") for h in (0.01, 0.005)]
            self.assertLess(found[1][0], 1e-7, (formulation, found))
            self.assertGreater(orders([e for e, _ in found])[0], 3.7, (formulation, found))

    def test_in_space(self):
        # the same sleigh on a plane in space
        text = self.text("chaplygin-sleigh.yaml").replace("planar: xy\n", "").replace("inertia: {zz: J}", "inertia: [J, J, J]")
        text = text.replace("joints:\n", "joints:\n  plane: {type: planar, between: [ground, sleigh], at: [0, 0, 0], normal: z}\n")
        flat = self.run_series("chaplygin-sleigh.yaml", "--time", 1)[1]
        for formulation in FORMULATIONS:
            _, run = self.run_series(self.variant(text), "--time", 1, "-f", formulation)
            for name in ("body.sleigh.position.x", "body.sleigh.position.y", "body.sleigh.angular_velocity.z"):
                self.assertNear(run[name][-1], flat[name][-1], 2e-4, (formulation, name))


    def test_redundant(self):
        # a second blade in the same place says the same
        text = self.text("chaplygin-sleigh.yaml")
        one = self.run_model("chaplygin-sleigh.yaml", "--time", 0.5)["final"]
        second = [line for line in text.splitlines() if "knife_edge" in line][0]
        name = second.split(":")[0]
        two = self.variant(text.replace(second, second + "\n" + second.replace(name, name + "_too")))
        for formulation in ("topological", "partition"):
            value = self.run_model(two, "--time", 0.5, "-f", formulation)
            self.assertEqual(value["dof"], 2)
            self.assertNear(value["final"]["body.sleigh.position.x"], one["body.sleigh.position.x"], 1e-3, formulation)


    def test_positions_first(self):
        # of two rows that say the same, the one on positions is kept, so that nothing drifts
        model = self.variant("""
hooke: 1
planar: xy
gravity: [0, -9.81, 0]
bodies: {a: {mass: 1, com: [0.1, 0, 0], inertia: {zz: 0.1}}, b: {mass: 1, com: [1, 0.2, 0], inertia: {zz: 0.1}}}
joints:
  same: {type: velocity, expression: "0.5*cos(joint.a.angle)*joint.a.rate - joint.b.rate"}
  a: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}
  b: {type: revolute, between: [ground, b], at: [1, 0, 0], axis: z}
  link: {type: coupler, expression: 0.5*sin(joint.a.angle) - joint.b.angle}
run: {time: 2, step: 0.01}
""")
        for formulation in ("topological", "partition"):
            self.assertLess(self.run_model(model, "-f", formulation)["constraint"]["position_max"], 1e-10, formulation)


class Snakeboard(ExampleTest):
    def exact(self, t_end, n):
        l, jr, f = 0.4, 0.25, 2 * math.pi
        m = 4 + 1 + 2 * 0.5
        jt = 0.3 + jr + 2 * (0.002 + 0.5 * l * l)

        def rates(t, y):
            u, theta = y[2], y[3]
            phi, phi_rate = 0.35 * math.sin(f * t), 0.35 * f * math.cos(f * t)
            psi_bend = -0.7 * f * f * math.sin(f * t)
            tan, sec2 = math.tan(phi), 1 / math.cos(phi)**2
            bend = -(tan / l) * (jt * u * phi_rate * sec2 / l + jr * psi_bend) / (m + jt * tan * tan / (l * l))
            return [u * math.cos(theta), u * math.sin(theta), bend, u * tan / l]
        return kutta(rates, [0, 0, 0.2, 0], t_end, n)

    def test_reduced_equations(self):
        x, y, u, theta = self.exact(2, 4000)
        self.assertNear(self.exact(2, 2000)[0], x, 1e-11)
        for formulation in FORMULATIONS:
            errors = []
            for step in (0.01, 0.005):
                _, run = self.run_series("snakeboard.yaml", "-f", formulation, "--step", step, "--time", 2)
                errors.append(math.dist((x, y), (run["body.board.position.x"][-1], run["body.board.position.y"][-1])))
            self.assertLess(errors[1], 2e-3, formulation)
            self.assertGreater(orders(errors)[0], 1.8, (formulation, errors))
            value, run = self.run_series("snakeboard.yaml", "-f", formulation, "-i", "rk4", "--step", 0.005, "--time", 2)
            self.assertNear(run["body.board.position.x"][-1], x, 1e-6, formulation)
            self.assertNear(run["body.board.position.y"][-1], y, 1e-6, formulation)
            turned = 2 * math.atan2(run["body.board.orientation.z"][-1], run["body.board.orientation.w"][-1])
            self.assertNear(turned, theta, 1e-6, formulation)
            self.assertNear(math.hypot(*(run[f"body.board.velocity.{k}"][-1] for k in "xy")), u, 1e-6, formulation)
            self.assertLess(abs(value["energy"]["max_drift_J"]), 1e-4)


class Expressions(ExampleTest):
    def test_blade(self):
        # the sleigh's blade as an expression of the body's own velocity, of its marker's, of the heading
        text = self.text("chaplygin-sleigh.yaml").replace("    mass: m\n", "    mass: m\n    frame: {at: [0, 0, 0]}\n")
        text = text.replace("velocity: [v0, a*w0, 0]", "velocity: [v0, 0, 0]").replace("    # of the centre of mass", "")
        joint = "{type: knife_edge, between: [ground, sleigh], at: [0, 0, 0], axis: x, normal: z}"
        exact = self.run_model(self.variant(text), "--time", 1)["final"]
        turned = "body.sleigh.angles_zyx.yaw"
        heading = "(joint.plane.angle)"
        whole = text.replace("blade: " + joint, "plane: {type: planar, between: [ground, sleigh], at: [0, 0, 0], normal: z}\n"
                                                "  blade: " + joint)
        for i, formulation in enumerate(FORMULATIONS):
            expression = ("body.sleigh.local_velocity.y",
                          f"marker.B.velocity.y*cos{heading} - marker.B.velocity.x*sin{heading}")[i % 2]
            model = self.variant((text, whole)[i % 2].replace(joint, "{type: velocity, expression: " + expression + "}"))
            value = self.run_model(model, "--time", 1, "-f", formulation)
            for name in ("body.sleigh.position.x", "body.sleigh.position.y", "body.sleigh.angular_velocity.z"):
                self.assertNear(value["final"][name], exact[name], 1e-4, (formulation, expression, name))
            self.assertLess(abs(value["energy"]["max_drift_J"]), 2e-4, formulation)
            self.assertNear(value["final"]["body.sleigh.local_velocity.y"], 0, 1e-10)
        self.assertIn(f"reads {turned}", self.command("check", self.variant(text.replace(
            joint, "{type: velocity, expression: sin(body.sleigh.angles_zyx.yaw)*body.sleigh.velocity.x}")), code=3).stderr)

    def test_constant_speed(self):
        # not linear in the velocities: the closed form by the order of the method, and the work of the drive
        c, g, m, t = 3.0, 9.81, 2.0, 1.0
        theta = 2 * math.atan(math.tanh(g * t / c / 2))
        x, z = c * c / g * theta, -c * c / g * math.log(math.cosh(g * t / c))
        for formulation in FORMULATIONS:
            for integrator, order in (("trapezoidal", 2), ("rk4", 4), ("sdirk", 3)):
                if (formulation, integrator) == ("recursive", "sdirk"): continue
                errors, open_energy = [], []
                for step in (0.02, 0.01):
                    value = self.run_model("constant-speed.yaml", "-f", formulation, "-i", integrator, "--step", step)
                    final = value["final"]
                    errors.append(math.dist((final["body.p.position.x"], final["body.p.position.z"]), (x, z)))
                    open_energy.append(abs(value["energy"]["balance_error_J"]))
                    self.assertNear(math.hypot(*(final[f"body.p.velocity.{k}"] for k in "xyz")), c, 1e-10, formulation)
                # the force along the path is 2 c times the multiplier; it supplies what is lost in height
                self.assertNear(2 * c * final["joint.speed.multiplier"], m * g * math.sin(theta), 1e-3, formulation)
                self.assertNear(final["joint.speed.supplied"], m * g * z, 3e-3, formulation)
                self.assertGreater(orders(errors)[0], order - 0.2, (formulation, integrator, errors))
                self.assertGreater(orders(open_energy)[0], min(order, 4) - 0.3, (formulation, integrator, open_energy))

    def test_start(self):
        # start values that the condition excludes: Newton's method finds the nearest ones on it, and says so
        text = self.text("constant-speed.yaml").replace("velocity: [c, 0, 0], ", "velocity: [4, 0, 3], ")
        result = self.command("run", self.variant(text), "--time", 0.01, "--json")
        final = json.loads(result.stdout)["final"]
        self.assertNear(math.hypot(*(final[f"body.p.velocity.{k}"] for k in "xyz")), 3, 1e-10)
        self.assertIn("conflicts with", result.stderr)

    def test_many(self):
        # joints, bodies and markers, relative and in their own axes, in one model: all formulations agree
        model = SOURCE / "tests" / "formulations" / "senses.yaml"
        found = [self.run_model(model, "-f", f, "-i", "rk4", "--step", 0.002) for f in FORMULATIONS]
        for value in found:
            self.assertLess(value["constraint"]["velocity_max"], 1e-9)
            self.assertNear(value["energy"]["balance_error_J"], 0, 1e-6)
            for name in ("body.b.position.x", "body.arm.position.z", "joint.x.position"):
                self.assertNear(value["final"][name], found[0]["final"][name], 1e-8, name)


class Rolling(ExampleTest):
    def test_turntable(self):
        # the centre runs on a circle at 2/7 of the table's rate, and the motor supplies what the ball gains
        w, x0, u0 = 7 * 2 / 7, 0.3, 0.2
        for formulation in FORMULATIONS:
            errors = []
            # the ball spins at 42 rad/s: `global`, which turns by vectors, needs a smaller step for it
            for step, integrator in ((0.01, "trapezoidal"), (0.005, "trapezoidal"),
                                     (0.0025 if formulation == "global" else 0.01, "rk4")):
                value, run = self.run_series("turntable.yaml", "-f", formulation, "-i", integrator, "--step", step,
                                             "--output-every", 0.1)
                errors.append(max(math.dist(
                    (run["body.ball.position.x"][i], run["body.ball.position.y"][i], run["body.ball.position.z"][i]),
                    (x0 - u0 / w * (1 - math.cos(w * t)), u0 / w * math.sin(w * t), 0.05))
                    for i, t in enumerate(run["t"])))
                self.assertNear(run["joint.motor.rate"][-1], 7, 1e-10)
                # 19.6 J in the table
                self.assertNear(value["energy"]["max_drift_J"], 0, 40 * step * step, formulation)
            self.assertLess(errors[2], 5e-6, (formulation, errors))
            self.assertTrue(errors[1] < 1e-9 or orders(errors[:2])[0] > 1.8, (formulation, errors))

    def pendulum(self, kind, angle, hollow, radius, moment):
        s, c = math.sin(angle), math.cos(angle)
        far = hollow - radius
        space = "planar: xz\n" if kind == "disc" else ""
        inertia = f"{{yy: {moment}}}" if kind == "disc" else f"[{moment}, {moment}, {moment}]"
        return self.variant(f"""
hooke: 1
{space}gravity: [0, 0, -9.81]
bodies: {{b: {{mass: 1, com: [{far * s}, 0, {-far * c}], inertia: {inertia}}}}}
joints: {{c: {{type: rolling_on_cylinder, between: [ground, b], ends: [[0, 0, 0], [{far * s}, 0, {-far * c}]], axis: y,
          cylinder: {hollow}, radius: {radius}}}}}
record: ["body.b.*", "energy.*"]
run: {{time: 1, step: 0.005}}
""")

    def test_in_a_cylinder(self):
        # a pendulum of the length (R - r)(1 + c): the angle against the pendulum's equation, half a period later as far
        # on the other side
        hollow, radius, angle = 1.0, 0.2, 1.2
        for kind, c in (("disc", 0.5), ("ball", 0.4)):
            model = self.pendulum(kind, angle, hollow, radius, c * radius * radius)
            rate2 = 9.81 / ((hollow - radius) * (1 + c))
            half = math.pi / (2 * self.mean(1, math.cos(angle / 2))) / math.sqrt(rate2) * 2
            exact = kutta(lambda t, y, w2=rate2: [y[1], -w2 * math.sin(y[0])], [angle, 0], 1.5, 3000)[0]
            for formulation in FORMULATIONS:
                _, run = self.run_series(model, "-f", formulation, "-i", "rk4", "--step", 0.005, "--time", 1.5)
                x, z = run["body.b.position.x"][-1], run["body.b.position.z"][-1]
                self.assertNear(math.hypot(x, z), hollow - radius, 1e-8, (kind, formulation))
                self.assertNear(math.atan2(x, -z), exact, 1e-6, (kind, formulation))
                _, run = self.run_series(model, "-f", formulation, "-i", "rk4", "--step", half / 200, "--time", half)
                x, z = run["body.b.position.x"][-1], run["body.b.position.z"][-1]
                self.assertNear(math.atan2(x, -z), -angle, 1e-6, (kind, formulation))

    @staticmethod
    def mean(a, b):
        """arithmetic-geometric mean"""
        for _ in range(8):
            a, b = (a + b) / 2, math.sqrt(a * b)
        return a

    def test_on_a_turning_cylinder(self):
        # a ball on the outside of a roller that a motor turns, held above it by a rail: w = -W R/r, whatever the slip
        # at the rail; a planar gear pair
        model = self.variant("""
hooke: 1
planar: xy
bodies:
  roller: {mass: 3, com: [0, 0, 0], inertia: {zz: 0.5}}
  disc: {mass: 1, com: [0, 0.7, 0], inertia: {zz: 0.02}}
joints:
  motor: {type: revolute, between: [ground, roller], at: [0, 0, 0], axis: z, motion: {rate: "4*t"}}
  axle: {type: revolute, between: [ground, disc], at: [0, 0.7, 0], axis: z}
  mesh: {type: rolling_on_cylinder, between: [roller, disc], ends: [[0, 0, 0], [0, 0.7, 0]], axis: z, cylinder: 0.5,
         radius: 0.2}
record: ["joint.*"]
run: {time: 1, step: 0.01, integrator: trapezoidal}
""")
        for formulation in ("hybrid", "global", "recursive"):
            _, run = self.run_series(model, "-f", formulation)
            for t, rate, torque in zip(run["t"], run["joint.axle.rate"], run["joint.motor.drive"]):
                self.assertNear(rate, -4 * t * 2.5, 1e-9, formulation)
                self.assertNear(torque, 4 * (0.5 + 0.02 * 2.5**2), 1e-8, formulation)

    def test_disc_on_a_moving_plane(self):
        # a wheel on a belt that speeds up: with J = m r^2/2 its centre gains a third of the belt's acceleration
        model = self.variant("""
hooke: 1
planar: xz
gravity: [0, 0, -9.81]
bodies:
  belt: {mass: 1, com: [0, 0, 0], inertia: {yy: 1}}
  wheel: {mass: 2, com: [0, 0, 0.3], inertia: {yy: 0.09}}
joints:
  rail: {type: prismatic, between: [ground, belt], at: [0, 0, 0], axis: x, motion: {acceleration: "6*cos(t)"}}
  contact: {type: rolling, between: [belt, wheel], at: [0, 0, 0.3], axis: y, normal: z, radius: 0.3}
record: ["body.wheel.*", "joint.*", "energy.*"]
run: {time: 2, step: 0.01, integrator: trapezoidal}
""")
        for formulation in FORMULATIONS:
            step = 0.0025 if formulation == "global" else 0.01
            value, run = self.run_series(model, "-f", formulation, "-i", "rk4", "--step", step)
            for t, v, w, f in zip(run["t"], run["body.wheel.velocity.x"], run["body.wheel.angular_velocity.y"],
                                  run["joint.rail.drive"]):
                self.assertNear(v, 2 * math.sin(t), 1e-7, formulation)
                self.assertNear(w * 0.3, (2 - 6) * math.sin(t), 1e-7, formulation)
                self.assertNear(f, 6 * math.cos(t) + 2 * 2 * math.cos(t), 1e-7, formulation)
            self.assertNear(value["energy"]["max_drift_J"], 0, 1e-5)


if __name__ == "__main__":
    unittest.main()
