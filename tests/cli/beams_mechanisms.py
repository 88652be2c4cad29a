#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mechanisms with elastic rods: a four-bar and a slider-crank in every formulation, a converged reference, and the limit of
rigid rods. Joints name nodes, loops lead through beams."""
import math
import unittest

from support import FEW
from support_beams import FORMULATIONS, BeamTest, across

# largest distance of the middle of the rod from its chord, by polynomials of order 7 and a Gauss integrator of order 4
PEAKS = {20: 6.828e-5, 125: 3.028e-3}


class Mechanisms(BeamTest):
    def same(self, name, step, apart):
        """Relative coordinates give the same motion to the tolerance; others to the order of the method, here at least its square."""
        path, errors = self.example(name), []
        for h in (step, step / 2):
            found = {}
            for f in ("hybrid", "redundant") if FEW else FORMULATIONS:
                final = self.final(path, "-f", f, "-i", "trapezoidal", "--time", 0.02, "--step", h)
                found[f] = [final[k] for k in sorted(final) if "position" in k]
            most = {f: max(abs(a - b) for a, b in zip(x, found["hybrid"])) for f, x in found.items()}
            for f in ("topological", "recursive", "partition"):
                self.assertLess(most.get(f, 0), 1e-10, (name, h, most))
            errors.append(max(most.values()))
        self.assertLess(errors[0], apart, errors)
        self.assertGreater(errors[0] / errors[1], 3.3, errors)

    def test_every_formulation(self):
        self.same("flexible-four-bar", 4e-4, 1.5e-8)
        if not FEW:
            self.same("flexible-slider-crank", 4e-4, 1e-8)

    @unittest.skipIf(FEW, "accuracy: nothing new for sanitizers")
    def test_slider_crank(self):
        """how far the rod bends in one turn; the whole history: beams_motion_slow.py"""
        for speed, peak in PEAKS.items():
            rows = self.history(self.example("flexible-slider-crank"), "--set", f"W={speed}", "-i", "trapezoidal")
            found = max(abs(across(row, "rod", 0, 4, 8)) for row in rows)
            self.assertLess(abs(found / peak - 1), 6e-4, (speed, found))

    def test_examples_are_good(self):
        """a plain run is graded good"""
        for name in ("flexible-four-bar", "flexible-slider-crank"):
            self.assertEqual(self.summary(self.example(name), *(["--time", 0.02] if FEW else []))["grade"], "good", name)


class RigidLimit(BeamTest):
    @unittest.skipIf(FEW, "accuracy: nothing new for sanitizers")
    def test_four_bar(self):
        """10, 1e4 and 1e8 times as stiff: the rocker comes nearer to that of rigid rods like 1/stiffness, to the error of the step"""
        path = self.example("flexible-four-bar")
        # angle of the rocker when the crank has turned by 3 rad: the loop equation of rigid rods
        def rocker(turn):
            x, y = 0.1 * math.cos(math.pi / 2 + turn), 0.1 * math.sin(math.pi / 2 + turn)
            d = math.hypot(x - 0.3, y)
            return math.atan2(y, x - 0.3) - math.acos((0.25**2 + d**2 - 0.3**2) / (2 * 0.25 * d))
        exact, errors = (rocker(3) - rocker(0)) % (2 * math.pi), []
        for stiff in (1, 10, 1e4, 1e8):
            final = self.final(path, "--set", f"stiff={stiff}", "--time", 0.1, "--step", 2e-4)
            errors.append(final["joint.pivot.angle"] - exact)
        self.assertLess(abs(errors[-1]), 2e-9, errors)
        self.assertTrue(3.0e-8 < errors[-2] < 3.4e-8, errors)
        self.assertTrue(9.99 < errors[0] / errors[1] < 10.01, errors)
        self.assertTrue(0.95e3 < errors[1] / errors[2] < 1.05e3, errors)

    @unittest.skipIf(FEW, "accuracy: nothing new for sanitizers")
    def test_pendulum(self):
        """a rod on a pin swings like a rigid bar: mass, centre and moment of inertia of the nodes are those of the bar"""
        beam = """\
hooke: 1
gravity: [0, 0, -9.81]
parameters: {stiff: 1}
beams:
  rod: {from: [0, 0, 0], to: [1, 0, 0], elements: 4, up: z, section: {EA: 1e4*stiff, GA: 4e3*stiff, GJ: 10*stiff, EI: 10*stiff, mass: 1, inertia: [2e-3, 1e-3, 1e-3]}}
joints: {pin: {type: revolute, between: [ground, rod.start], at: [0, 0, 0], axis: y}}
record: ["joint.pin.angle"]
run: {time: 0.5, step: 0.0005}
"""
        first, last = beam.index("beams:"), beam.index("joints:")
        rigid = beam[:first] + "bodies: {rod: {mass: 1, com: [0.5, 0, 0], inertia: [2e-3, 1/12 + 1e-3, 1/12 + 1e-3]}}\n" + beam[
            last:].replace("rod.start", "rod")
        rigid, path = self.write(rigid, "rigid.yaml"), self.write(beam)
        one, two = (self.final(path, "--set", "stiff=1e8", "--step", h)["joint.pin.angle"] - self.final(rigid, "--step", h)["joint.pin.angle"]
                    for h in (1e-3, 5e-4))
        # both converge with the square of the step, each with its own error, to the same angle
        self.assertTrue(3.95 < one / two < 4.05, (one, two))
        self.assertLess(abs(4 * two - one) / 3, 2e-9)


if __name__ == "__main__":
    unittest.main()
