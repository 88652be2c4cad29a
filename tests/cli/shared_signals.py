#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signals that read others on very many ways are followed once each: no verb takes a time that grows with the ways."""
import unittest

from support import CommandTest

# each signal reads the two before it: 10^12 ways lead from the last one to the first
MODEL = """\
hooke: 1
signals: {{s0: {first}, s1: 0.01, {rest}}}
bodies: {{cart: {{mass: 2, com: [0, 0, 0]}}}}
joints: {{rail: {{type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x}}}}
forces: {{push: {{type: force, on: cart, value: [s59, 0, 0]}}}}
run: {{time: 0.05, step: {step}}}
"""


class SharedSignals(CommandTest):
    def test_ways(self):
        rest = ", ".join(f"s{i}: s{i - 1} + 0*s{i - 2}" for i in range(2, 60))
        for first, step in (("t", "s59"), ("joint.rail.position", "0.01")):
            (self.dir / "ways.yaml").write_text(MODEL.format(first=first, rest=rest, step=step))
            for formulation in ("hybrid", "redundant", "partition"):
                self.hooke("run", "ways.yaml", "-f", formulation, "-q", limit=20)

    def test_periodic(self):
        rest = ", ".join(f"s{i}: s{i - 1} + 0*s{i - 2}" for i in range(2, 60)) + ", p: {periodic: {of: s59, period: 0.02}}"
        (self.dir / "ways.yaml").write_text(MODEL.format(first="t", rest=rest, step=0.01).replace("[s59,", "[p,"))
        self.hooke("run", "ways.yaml", "-q", limit=20)


if __name__ == "__main__":
    unittest.main()
