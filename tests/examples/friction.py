#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Friction that sticks, brakes, clutches and rolling resistance: stops, holds and breaks away where it must, stick-slip of a
belt, LuGre against a separate integration, heat, resume, error control, agreement of the formulations."""
import math
import unittest

from support import ExampleTest, SHORT

FORMULATIONS = ("hybrid", "global", "topological", "recursive", "partition", "redundant")
MU, G = 0.3, 9.81

RAIL = """hooke: 1
gravity: [{gx}, 0, -{gz}]
bodies: {{block: {{mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}}}}
joints: {{rail: {{type: prismatic, between: [ground, block], at: [0, 0, 0], axis: x{motion}}}}}
forces: {{{forces}}}
start: {{rail: {{velocity: {v}}}}}
record: ["joint.rail.*", "force.*", "energy.*", "solver.*"]
run: {{time: {time}, step: {step}, formulation: hybrid, integrator: trapezoidal}}
"""
BRAKE = f"b: {{type: brake, joint: rail, friction: {{mu: {MU}}}, force: {2 * G}, radius: 1}}"


def rail(forces=BRAKE, v=0.0, time=1.0, step=0.005, tilt=0.0, motion=""):
    return RAIL.format(forces=forces, v=v, time=time, step=step, gx=G * math.sin(tilt), gz=G * math.cos(tilt),
                       motion=motion)


# a hook at rest, whose friction is to carry its load, beside a crank near its dead point: no step of backward Euler is found there
DEAD_POINT = """hooke: 1
planar: xy
gravity: [0, -9.81, 0]
bodies:
  arm:    {mass: 1, com: [5, 0.5, 0], inertia: {zz: 0.1}}
  crank:  {mass: 1, com: [0.5, 0.005, 0], inertia: {zz: 0.1}}
  rod:    {mass: 1, com: [1.5, 0.005, 0], inertia: {zz: 0.1}}
  slider: {mass: 1, com: [2, 0, 0], inertia: {zz: 0.1}}
joints:
  hook:  {type: revolute, between: [ground, arm], at: [5, 0, 0], axis: z, friction: {type: coulomb, mu: 0.1, radius: 0.05}}
  main:  {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}
  pin:   {type: revolute, between: [crank, rod], at: [1, 0.01, 0], axis: z}
  wrist: {type: revolute, between: [rod, slider], at: [2, 0, 0], axis: z}
  guide: {type: prismatic, between: [ground, slider], at: [2, 0, 0], axis: x, motion: {velocity: 5}}
record: ["joint.main.rate", "energy.*"]
run: {time: 1e-6, step: 1e-6, integrator: trapezoidal}
"""


class Friction(ExampleTest):
    def series(self, text, *args):
        return self.run_series(self.variant(text), *args)[1]

    def test_stop(self):
        """stops at v^2/(2 mu g), then rests, in few iterations, in every formulation"""
        v = 3.0
        for formulation in FORMULATIONS[:2] if SHORT else FORMULATIONS:
            found = self.series(rail(v=v, time=v / (MU * G) + 0.6), "--formulation", formulation)
            self.assertNear(found["joint.rail.position"][-1], v * v / (2 * MU * G), 1e-5, formulation)
            rest = [abs(x) for t, x in zip(found["t"], found["joint.rail.velocity"]) if t > v / (MU * G) + 0.4]
            self.assertGreater(len(rest), 20)
            self.assertLess(max(rest), 1e-9, formulation)
            self.assertLessEqual(max(found["solver.iterations"]), 4, formulation)
            self.assertEqual(found["solver.rejected"][-1], 0, formulation)

    def test_explicit(self):
        """while it sticks the rate of the block behind its bristle limits the step"""
        v = 0.3
        for integrator in ("rk4", "dopri5"):
            found = self.series(rail(v=v, time=0.3, step=2e-4), "--integrator", integrator)
            self.assertNear(found["joint.rail.position"][-1], v * v / (2 * MU * G), 1e-5, integrator)
            self.assertLess(abs(found["joint.rail.velocity"][-1]), 1e-6)

    def test_holds(self):
        """on a slope below atan(mu) it stays for 100 s; at atan(mu) it breaks away, to 1e-6"""
        force = "b: {type: brake, joint: rail, friction: {mu: 0.3}, force: %.17g, radius: 1}"
        for formulation in FORMULATIONS[:2] if SHORT else FORMULATIONS:
            tilt = 0.9 * math.atan(MU)
            text = rail(force % (2 * G * math.cos(tilt)), tilt=tilt, time=100, step=0.02)
            found = self.series(text, "--formulation", formulation)
            x = found["joint.rail.position"]
            self.assertLess(max(x) - min(x), 1e-9, formulation)
            self.assertEqual(min(found["force.b.stuck"]), 1, formulation)
            for off, slides in ((-1e-6, False), (1e-6, True)):
                tilt = math.atan(MU) + off
                found = self.series(rail(force % (2 * G * math.cos(tilt)), tilt=tilt, time=10), "--formulation", formulation)
                self.assertEqual(found["joint.rail.position"][-1] > 2e-5, slides, f"{formulation} {off}")
            # then its acceleration is that of the excess, g (sin - mu cos)
            t, a = 10 - 0.3, G * (math.sin(tilt) - MU * math.cos(tilt))
            self.assertNear(found["joint.rail.position"][-1], a * t * t / 2, 0.1 * a * t * t, formulation)

    def test_torque(self):
        """mu r N of each pair of faces, by force and by pressure; against the rate"""
        brake = "b: {type: brake, joint: rail, friction: {mu: 0.3}, force: 5, pressure: 2e4, area: 1e-3, radius: 0.2, faces: 2}"
        for v in (2.0, -2.0):
            found = self.series(rail(brake, v=v, time=0.1))
            self.assertNear(found["force.b.torque"][-1], -math.copysign(0.3 * 0.2 * 2 * 25, v), 1e-12)
            self.assertNear(found["force.b.normal"][-1], 50, 1e-12)
            self.assertNear(found["force.b.power"][-1], 3 * abs(found["joint.rail.velocity"][-1]), 1e-9)

    def test_normal(self):
        """a law with friction under a normal force that a signal gives is a brake"""
        ends = []
        for forces in ("b: {type: joint_spring, joint: rail, damper: {lugre: {stiffness: 3e4, damping: 100, coulomb: 0.3}}, "
                       "normal: \"20 + 5*sin(9*t)\"}",
                       "b: {type: brake, joint: rail, friction: {type: lugre, mu: 0.3, sigma0: 3e4, sigma1: 100}, radius: 1, "
                       "force: \"20 + 5*sin(9*t)\"}"):
            value, found = self.run_series(self.variant(rail(forces, v=1.0, time=0.5)))
            ends.append(found["joint.rail.position"][-1])
            self.assertLess(abs(value["energy"]["balance_error_J"]), 1e-4)
        self.assertNear(ends[0], ends[1], 1e-12)

    def test_rolling(self):
        """a wheel coasts to rest over w^2 J/(2 c r N)"""
        model = ("hooke: 1\nbodies: {wheel: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
                 "joints: {hub: {type: revolute, between: [ground, wheel], at: [0, 0, 0], axis: y}}\n"
                 "forces: {r: {type: rolling_resistance, joint: hub, coefficient: 0.02, load: 500, radius: 0.3}}\n"
                 "start: {hub: {rate: 6}}\nrecord: [\"joint.hub.*\", \"energy.*\"]\nrun: {time: 3, step: 0.005}\n")
        value, found = self.run_series(self.variant(model))
        self.assertNear(found["joint.hub.angle"][-1], 36 / (2 * 0.02 * 0.3 * 500), 5e-5)
        self.assertLess(abs(found["joint.hub.rate"][-1]), 1e-8)
        self.assertNear(value["energy"]["dissipated_by_J"]["force.r"], 18, 1e-3)

    def test_stick_slip(self):
        """the cycle of a block on a belt: sticks 2 D/v, slips (2 pi - 2 atan(D w/v))/w; D = (mu_s - mu) N/k; the limit of a
        fall of mu at no speed"""
        D, w, v = 0.02, 10.0, 0.1
        period = 2 * D / v + (2 * math.pi - 2 * math.atan(D * w / v)) / w
        swing = math.hypot(D, v / w)
        cycles, most = [], []
        for speed in (1e-3, 5e-4):
            text = self.text("stick-slip.yaml").replace("speed: 1e-3", f"exponent: 1, speed: {speed}")
            found = self.series(text, "--time", 3, "--step", 0.2 * speed)
            stuck = found["force.rub.stuck"]
            loose = [t for t, a, b in zip(found["t"][1:], stuck, stuck[1:]) if a == 1 and b == 0]
            self.assertEqual(len(loose), 4)
            cycles.append((loose[-1] - loose[0]) / 3)
            most.append(max(found["body.block.position.x"]) - 0.03)
            self.assertNear(found["energy.balance_error"][-1], 0, 1e-5)
        self.assertNear(cycles[1], period, 0.002 * period)
        self.assertNear(most[1], swing, 0.005 * swing)
        self.assertGreater(cycles[0] - period, 2 * abs(cycles[1] - period))

    def test_lugre(self):
        """the loop of force over displacement, forced, against a separate integration"""
        mu, mus, speed, s0, s1, s2, e = 0.3, 0.4, 0.02, 300.0, 0.6, 0.05, 0.5
        A, w, N = 2e-3, 20.0, 10.0

        def rate(t, z, elastic):
            v = A * w * math.cos(w * t)
            g = mu + (mus - mu) * math.exp(-(v / speed)**2)
            r, a = abs(z) * s0 / g, 1.0
            if elastic:
                a = 0.0 if z * v <= 0 or r <= e else 1.0 if r >= 1 else \
                    0.5 + 0.5 * math.sin(math.pi * (r - (1 + e) / 2) / (1 - e))
            return v, v - a * s0 * abs(v) / g * z

        for elastic in (False, True):
            z, h, expected = 0.0, 1e-4, []
            v, zd = rate(0, A * w / (s0 * A * w / (mu + (mus - mu) * math.exp(-(A * w / speed)**2))), elastic)
            z = (mu + (mus - mu) * math.exp(-(A * w / speed)**2)) / s0  # steady sliding at the start
            for i in range(6000):
                t = i * h
                if i % 10 == 0:
                    v, zd = rate(t, z, elastic)
                    expected.append(-N * (s0 * z + s1 * zd + s2 * v))
                k1 = rate(t, z, elastic)[1]
                k2 = rate(t + h / 2, z + h / 2 * k1, elastic)[1]
                k3 = rate(t + h / 2, z + h / 2 * k2, elastic)[1]
                k4 = rate(t + h, z + h * k3, elastic)[1]
                z += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            more = f", elastic: {e}" if elastic else ""
            brake = (f"b: {{type: brake, joint: rail, force: {N}, radius: 1, friction: {{type: lugre, mu: {mu}, mu_static: {mus}, "
                     f"speed: {speed}, sigma0: {s0}, sigma1: {s1}, sigma2: {s2}{more}}}}}")
            found = self.series(rail(brake, time=0.599, step=2.5e-4, motion=f', motion: {{position: "{A}*sin({w}*t)"}}'),
                                "--output-every", 1e-3)["force.b.torque"]
            off = max(abs(a - b) for a, b in zip(found, expected))
            self.assertEqual(len(found), len(expected))
            self.assertLess(off, 4e-3 * N * mus, elastic)

    def test_clutch(self):
        """both rotors end at J1 w/(J1 + J2), stuck; J1 J2/(J1 + J2) w^2/2 is lost, and in the plates"""
        J1, J2, w = 0.4, 0.1, 100.0
        lost = J1 * J2 / (J1 + J2) * w * w / 2
        # global has an error of second order in a turn of 0.2 rad a step
        for formulation in (f for f in FORMULATIONS if f != "global"):
            value, found = self.run_series("clutch.yaml", "--formulation", formulation)
            # between two branches of the tree: implicit in recursive too
            self.assertEqual((value["steps"], value["rejected"]), (500, 0), formulation)
            self.assertLess(value["iterations"], 2500, formulation)
            for joint in ("engine", "shaft"):
                self.assertNear(found[f"joint.{joint}.rate"][-1], J1 * w / (J1 + J2), 1e-9, formulation)
            self.assertEqual(found["force.clutch.stuck"][-1], 1)
            self.assertNear(found["force.clutch.dissipated"][-1], lost, 0.005)
            self.assertNear(found["node.plates.temperature"][-1], 293.15 + lost / 50, 1e-9, formulation)
            self.assertLess(abs(value["energy"]["balance_error_J"]), 0.005)

    def test_clutch_with_ratio(self):
        """a gear that slips: an impulse p along e = w1 - n w2 brings e to zero"""
        J1, J2, w, n = 0.4, 2.0, 20.0, 3
        text = (f"hooke: 1\nbodies:\n  a: {{mass: 5, com: [0, 0, 0], inertia: [1, 1, {J1}]}}\n"
                f"  b: {{mass: 3, com: [1, 0, 0], inertia: [1, 1, {J2}]}}\njoints:\n"
                "  A: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n"
                "  B: {type: revolute, between: [ground, b], at: [1, 0, 0], axis: z}\n"
                f"  box: {{type: gear, joints: [A, B], ratio: {n}, slip: {{friction: {{mu: 0.35}}, force: 200, radius: 0.08, faces: 2}}}}\n"
                f"start: {{A: {{rate: {w}}}, B: {{rate: 0}}}}\nrecord: [\"joint.*.rate\", \"force.*\", \"energy.*\"]\n"
                "run: {time: 1, step: 0.002, integrator: trapezoidal}\n")
        p = w / (1 / J1 + n * n / J2)
        for formulation in FORMULATIONS:
            value = self.run_model(self.variant(text), "--formulation", formulation)
            within = 1e-2 if formulation == "global" else 1e-9
            self.assertNear(value["final"]["joint.A.rate"], w - p / J1, within, formulation)
            self.assertNear(value["final"]["joint.B.rate"], n * p / J2, within, formulation)
            self.assertEqual((value["final"]["force.box_slip.stuck"], value["rejected"]), (1, 0), formulation)
            self.assertNear(value["energy"]["dissipated_J"], w * p / 2, 0.05, formulation)
        for old, new, words in (("slip:", "stiffness: 5, slip:", "slips or gives way"), ("radius: 0.08, ", "", "radius"),
                                ("slip: {friction: {mu: 0.35}, force: 200, radius: 0.08, faces: 2}", "slip: 3", "must be a mapping"),
                                ("{friction: {mu: 0.35}, force: 200, radius: 0.08, faces: 2}", "{force: -1}", "'slip' of coupling 'box' needs the key 'friction'"),
                                ("faces: 2", "face: 2", "'slip' of coupling 'box' has no key 'face'"),
                                ("faces: 2", "joint: A", "'slip' of coupling 'box' has no key 'joint'")):
            self.assertIn(words, self.command("check", self.variant(text.replace(old, new)), code=3).stderr, new)

    def test_disc_brake(self):
        """torque 2 mu r A p; the loss is in the disc and the air"""
        value, found = self.run_series("disc-brake.yaml")
        i = next(i for i, t in enumerate(found["t"]) if t > 0.25)
        self.assertNear(found["force.pads.torque"][i], -2 * 0.4 * 0.12 * 1.2e-3 * found["node.line.pressure"][i], 1e-9)
        self.assertEqual(found["force.pads.stuck"][-1], 1)
        self.assertNear(found["force.pads.torque"][-1], -20, 1e-6)  # holds the load
        self.assertLess(abs(found["joint.hub.rate"][-1]), 1e-9)
        self.assertGreater(max(found["node.disc.temperature"]), 301)
        self.assertLess(abs(value["energy"]["balance_error_J"]), 0.2)

    def test_start_whose_load_is_not_found(self):
        """is the start that was assembled: the audit begins there"""
        for formulation in ("hybrid", "topological", "recursive", "global"):
            value, found = self.run_series(self.variant(DEAD_POINT), "-f", formulation)
            rate = 5 / (2 * 0.01)
            self.assertNear(abs(found["joint.main.rate"][0]), rate, 1e-9 * rate)
            self.assertNear(value["energy"]["initial_J"], 21900.3156, 1e-6)
            self.assertLess(value["constraint"]["velocity_max"], 1e-6)

    def test_resume(self):
        for name in ("clutch.yaml", "disc-brake.yaml"):
            for formulation in ("hybrid", "partition", "redundant"):
                model = self.variant(self.text(name))
                args = ("--formulation", formulation)
                self.command("run", model, "--output", "b.csv", "--time", 0.6, *args)
                self.command("run", model, "--output", "a.csv", "--time", 0.28, "--checkpoint", "state", *args)
                self.command("run", model, "--output", "a.csv", "--time", 0.6, "--resume", "state", *args)
                self.assertEqual((self.dir / "a.csv").read_bytes(), (self.dir / "b.csv").read_bytes(), (name, formulation))

    def test_error_control(self):
        """steps by the error: short at the stop, long at rest"""
        text = rail(v=3.0, time=3).replace(", step: 0.005, formulation: hybrid, integrator: trapezoidal", "")
        value, found = self.run_series(self.variant(text))
        self.assertNear(found["joint.rail.position"][-1], 9 / (2 * MU * G), 1e-5)
        self.assertLess(value["steps"], 800)
        self.assertLess(abs(found["joint.rail.velocity"][-1]), 1e-9)


if __name__ == "__main__":
    unittest.main()
