#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke check`: what a model holds, in words and for programs; start values that had to move."""
import json
import unittest

from support import CommandTest, SOURCE

KEYS = {"model", "title", "bodies", "joints", "forces", "coordinates", "constraints", "rank", "dof",
        "position_dof", "redundant", "gruebler", "mechanisms", "tree_joints", "cut_joints", "planar",
        "total_mass_kg", "assembly", "compile_s", "assembly_s", "nodes", "network_elements", "unknowns",
        "networks", "signals", "events", "markers", "instances", "cut", "findings", "status", "message"}

TWO_NETWORKS = """
hooke: 1
nodes:
  a: {type: electric, value: 5}
  b: {type: electric}
  lone: {type: thermal, value: 300}
  c: {type: electric, value: 3}
  d: {type: electric}
network:
  first: {type: resistor, between: [a, b], resistance: 1}
  down: {type: resistor, between: [b, ground], resistance: 1}
  second: {type: resistor, between: [c, d], resistance: 1}
  back: {type: resistor, between: [d, ground], resistance: 1}
run: {time: 1, step: 0.1, formulation: redundant}
"""

FOUR_BAR = """
hooke: 1
planar: xy
points: {A: [0, 0, 0], B: [0, 1, 0], C: [1, 1, 0], D: [1, 0, 0]}
bodies:
  a: {mass: 1, com: [0, 0.5, 0], inertia: {zz: 0.1}}
  b: {mass: 1, com: [0.5, 1, 0], inertia: {zz: 0.1}}
  c: {mass: 1, com: [1, 0.5, 0], inertia: {zz: 0.1}}
joints:
  pa: {type: revolute, between: [ground, a], at: A, axis: z}
  pb: {type: revolute, between: [a, b], at: B, axis: z}
  pc: {type: revolute, between: [b, c], at: C, axis: z}
  pd: {type: revolute, between: [ground, c], at: D, axis: z}
start: {pa: {angle: 0.2, rate: 1}, pd: {angle: 0.4, rate: 1}}
run: {time: 1, step: 0.01}
"""


class Lists(CommandTest):
    def check(self, model):
        value = json.loads(self.hooke("check", model, "--json").stdout)
        self.assertEqual(set(value), KEYS)
        return value, self.hooke("check", model).stdout

    def test_documented(self):
        page = (SOURCE / "docs/theory/doctor.md").read_text()
        for key in KEYS:
            self.assertIn(f"`{key}`", page)

    def test_network_of_a_motor(self):
        value, text = self.check(SOURCE / "examples/motor-crank.yaml")
        self.assertEqual((value["nodes"], value["network_elements"], value["unknowns"]), (4, 4, 3))
        self.assertEqual(len(value["networks"]), 1)
        net = value["networks"][0]
        self.assertEqual(net["nodes"][0], {"name": "battery", "type": "electric", "held": True})
        self.assertEqual(net["nodes"][2], {"name": "case", "type": "thermal", "held": False})
        self.assertEqual(net["elements"], ["lead", "motor", "mass", "cooling"])
        self.assertIn("4, 4 elements, 3 scalar unknowns", text)
        self.assertIn("battery (electric, held), terminal (electric), case (thermal)", text)
        self.assertIn("by lead, motor, mass, cooling", text)

    def test_the_ground_ties_nothing(self):
        (self.dir / "two.yaml").write_text(TWO_NETWORKS)
        value, text = self.check("two.yaml")
        nodes = [[node["name"] for node in net["nodes"]] for net in value["networks"]]
        self.assertEqual(nodes, [["a", "b"], ["lone"], ["c", "d"]])
        self.assertEqual([net["elements"] for net in value["networks"]], [["first", "down"], [], ["second", "back"]])
        self.assertIn("lone (thermal, held)\n", text)

    def test_signals_and_instances(self):
        value, text = self.check(SOURCE / "examples/mirrored-axle.yaml")
        self.assertEqual((value["signals"], value["instances"]), (["gust"], ["left", "right"]))
        self.assertRegex(text, r"signals +1: gust\n")
        self.assertRegex(text, r"instances +2: left, right\n")
        self.assertNotIn("nodes", text)
        self.assertEqual(value["networks"], [])

    def test_expressions_in_place_are_no_signals(self):
        value, text = self.check(SOURCE / "examples/hot-damper.yaml")
        self.assertEqual(value["signals"], [])
        self.assertNotIn("signals", text)

    def test_events_and_markers(self):
        value, text = self.check(SOURCE / "examples/grab-and-release.yaml")
        self.assertEqual((value["events"], value["markers"]), (["lock", "grab", "let_go"], ["hand"]))
        self.assertRegex(text, r"events +3: lock, grab, let_go\n")

    def test_start_values_that_moved(self):
        (self.dir / "four.yaml").write_text(FOUR_BAR)
        value, text = self.check("four.yaml")
        self.assertEqual([(f["kind"], f["item"]) for f in value["findings"]], [("start", "pd")])
        self.assertIn("0.2 rad instead of 0.4 rad", value["findings"][0]["text"])
        self.assertRegex(text, r"start +start.pd.angle: ")


if __name__ == "__main__":
    unittest.main()
