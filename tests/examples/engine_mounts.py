#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/engine-mounts.yaml: bushings with laws, equilibrium, forces from signals in body axes."""
import math
import unittest

from support import ExampleTest

EXAMPLE = "engine-mounts.yaml"
MOUNTS = {"front_left": (0.25, 0.20), "front_right": (0.25, -0.20), "rear_left": (-0.25, 0.20),
          "rear_right": (-0.25, -0.20)}


class EngineMounts(ExampleTest):
    def test_equilibrium(self):
        _, run = self.run_series(EXAMPLE, "--set", "unbalance=0", "--time", 0.1)
        first = {name: x[0] for name, x in run.items()}
        # stiff against x and y: forces on the block in world axes differ from the mounts' by the tiny tilt
        load = {m: -first[f"force.{m}.rubber.fz"] for m in MOUNTS}
        sign = math.copysign(1, sum(load.values()))
        self.assertNear(sign * sum(load.values()), 150 * 9.81, 1e-6 * 150 * 9.81, "weight")
        # the centre of mass is 2 cm ahead of the middle: the front carries more
        self.assertGreater(sign * load["front_left"], sign * load["rear_left"] + 10)
        self.assertNear(load["front_left"], load["front_right"], 1e-6, "sides")
        # and stays
        for c in "xyz":
            self.assertNear(run[f"body.block.position.{c}"][-1], first[f"body.block.position.{c}"], 1e-9, c)
            self.assertNear(first[f"body.block.acceleration.{c}"], 0, 1e-7, f"acceleration {c}")

    def test_runs_through_the_resonance(self):
        value, run = self.run_series(EXAMPLE)
        self.assertEqual((value["bodies"], value["dof"]), (1, 6))
        z = [x - run["body.block.position.z"][0] for x in run["body.block.position.z"]]
        during = max(abs(x) for x, t in zip(z, run["t"]) if t < 1)
        after = max(abs(x) for x, t in zip(z, run["t"]) if t > 1.8)
        self.assertGreater(during, 1.5 * after)
        # far above the resonance the block moves by unbalance/mass
        self.assertNear(after, 0.02 / 150, 0.6 * 0.02 / 150, "amplitude")
        # signals: speed and angle
        for t, w, turn in zip(run["t"], run["signal.w"], run["signal.turn"]):
            self.assertNear(w, 120 * min(t, 1), 1e-9, "speed")
            self.assertNear(turn, 60 * t * t if t < 1 else 120 * (t - 0.5), 1e-9, "angle")

    def test_audit_converges(self):
        drift = [abs(self.run_model(EXAMPLE, "--step", h, "--integrator", "trapezoidal")
                     ["energy"]["max_drift_J"]) for h in (0.001, 0.0005, 0.00025)]
        self.assertOrder(drift, 2, 0.15, "audit")

    def test_stop_in_the_law(self):
        # four times the weight presses the mounts past 10 mm, where they are four times as stiff
        text = self.text(EXAMPLE).replace("mass: 150", "mass: 800").replace("com: [0.02, 0, 0.30]",
                                                                            "com: [0, 0, 0.30]")
        value = self.run_model(self.variant(text), "--set", "unbalance=0", "--time", 0.01)
        load, k = 800 * 9.81 / 4, 1.5e5
        down = 0.01 + (load - 0.01 * k) / (4 * k)
        self.assertNear(0.30 - value["final"]["body.block.position.z"], down, 1e-8, "deflection")


if __name__ == "__main__":
    unittest.main()
