#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/five-bar-robot.yaml: motors that follow tables, against the same robot that follows the functions the
tables were made from; every way to interpolate them; energy supplied against the integral of torque times rate."""
import math
import re
import unittest

from support import EXAMPLES, ExampleTest, orders

EXAMPLE = "five-bar-robot.yaml"
LEFT = "0.3*sin(pi*t) + 0.1*sin(2*pi*t)"
RIGHT = "0.35*cos(pi*t) - 0.1*sin(2*pi*t) - 0.35"
# their slopes
RATES = ("pi*(0.3*cos(pi*t) + 0.2*cos(2*pi*t))", "-pi*(0.35*sin(pi*t) + 0.2*cos(2*pi*t))")
BENDS = ("-pi^2*(0.3*sin(pi*t) + 0.4*sin(2*pi*t))", "-pi^2*(0.35*cos(pi*t) - 0.4*sin(2*pi*t))")


def value(text, t):
    names = {"sin": math.sin, "cos": math.cos, "pi": math.pi, "t": t}
    return eval(text.replace("^", "**"), {"__builtins__": {}}, names)  # pylint: disable=eval-used


def worst(a, b, names=("joint.left.drive", "joint.right.drive")):
    return max(abs(x - y) for n in names for x, y in zip(a[n], b[n], strict=True))


class FiveBar(ExampleTest):
    def robot(self, left, right):
        """the robot with these two signals"""
        text = re.sub(r"(?m)^  left:  \{table.*$", f"  left:  {left}", self.text(EXAMPLE))
        text = re.sub(r"(?m)^  right: \{table.*$", f"  right: {right}", text)
        return self.variant(text)

    def table(self, rows, keys, derivatives=0):
        """the robot with tables of `rows` rows over 2 s, with rates and accelerations where asked for"""
        more = ", rate: {0}d" * (derivatives & 1) + ", acceleration: {0}dd" * (derivatives >> 1)
        with open(self.dir / "table.csv", "w", encoding="utf-8") as file:
            file.write("t,left,leftd,leftdd,right,rightd,rightdd\n")
            for i in range(rows):
                t = 2 * i / (rows - 1)
                cells = [value(f, t) for f in (LEFT, RATES[0], BENDS[0], RIGHT, RATES[1], BENDS[1])]
                file.write(",".join(f"{x:.17g}" for x in [t, *cells]) + "\n")
        return self.robot(*("{table: table.csv, column: " + n + keys + more.format(n) + "}"
                            for n in ("left", "right")))

    def exact(self, *args):
        return self.run_series(self.robot(f'"{LEFT}"', f'"{RIGHT}"'), *args)[1]

    def test_as_shipped(self):
        # the table has nine digits, one cycle, 50 Hz; the run is two cycles
        summary, run = self.run_series(EXAMPLE)
        self.assertEqual((summary["bodies"], summary["dof"], summary["redundant"]), (5, 0, 0))
        self.assertIn("The model can run", self.command("check", EXAMPLES / EXAMPLE).stdout)
        exact = self.exact()
        largest = max(map(abs, exact["joint.left.drive"] + exact["joint.right.drive"]))
        self.assertGreater(largest, 2.5)
        self.assertLess(worst(run, exact), 3e-3 * largest)
        self.assertLess(worst(run, exact, ("joint.left.angle", "joint.right.angle")), 1e-6)
        for k in range(200):  # the second cycle is the first
            self.assertNear(run["joint.left.drive"][k + 200], run["joint.left.drive"][k], 1e-9)

    def test_interpolations(self):
        # torque errors by halving the distance of the rows: splines of values to order 2, with rates 3, with
        # rates and accelerations 4, at the rows and between them
        exact = self.exact("--time", 2, "--step", 0.005)
        for keys, derivatives, order, most in ((", ends: periodic", 0, 2, 4e-3), ("", 0, 2, 1e-2),
                                               (", interpolation: spline", 0, 2, 1e-2),
                                               ("", 1, 3, 2e-4), ("", 2, 2, 5e-3), ("", 3, 4, 1e-5)):
            errors = [worst(self.run_series(self.table(n, keys, derivatives), "--time", 2, "--step", 0.005)[1],
                            exact) for n in (51, 101)]
            self.assertGreater(orders(errors)[0], order - 0.35, (keys, derivatives, errors))
            self.assertLess(errors[1], most, (keys, derivatives, errors))

    def test_supplied_energy(self):
        # the energy supplied is the integral of torque times rate, to the order of the method
        for model in (self.robot(f'"{LEFT}"', f'"{RIGHT}"'), self.table(101, "")):
            errors = []
            for step in (0.02, 0.01):
                summary, run = self.run_series(model, "--time", 2, "--step", step)
                power = [sum(run[f"joint.{j}.drive"][k] * run[f"joint.{j}.rate"][k] for j in ("left", "right"))
                         for k in range(len(run["t"]))]
                work = sum(0.5 * step * (a + b) for a, b in zip(power, power[1:]))
                errors.append(abs(work - summary["energy"]["supplied_J"]))
                self.assertLess(abs(summary["energy"]["balance_error_J"]), 5 * step * step)
            self.assertLess(errors[1], 1e-3)
            self.assertTrue(errors[1] < 1e-9 or orders(errors)[0] > 1.7, errors)


if __name__ == "__main__":
    unittest.main()
