#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke check`: what a model holds, in words and for programs; start values that had to move."""
import json
import unittest

from support import FEW, CommandTest, SOURCE

KEYS = {"model", "title", "bodies", "joints", "forces", "coordinates", "constraints", "rank", "dof",
        "position_dof", "redundant", "gruebler", "mechanisms", "tree_joints", "cut_joints", "planar",
        "total_mass_kg", "assembly", "compile_s", "assembly_s", "nodes", "network_elements", "unknowns",
        "networks", "signals", "inputs", "events", "markers", "instances", "cut", "start", "start_others", "memory_bytes",
        "formulations", "findings", "status", "message", "quasi_steady", "states", "memories", "beams"}

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

    def test_units(self):
        """what contradicts is named with its place; what may have any unit is left alone"""
        (self.dir / "units.yaml").write_text("""hooke: 1
bodies: {block: {mass: 1, com: [0, 0, 0]}}
joints: {rail: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: x}}
signals:
  mix: {expression: "if(t > 1, 0, node.a.voltage + node.h.temperature)"}
  volts: {expression: "max(node.a.voltage - 3, 0)"}
  power: {expression: "abs(node.a.voltage*network.r.current)"}
  gain: {expression: "2*node.a.voltage + 3*node.h.temperature - t"}
  late: {expression: "node.a.voltage < joint.rail.position"}
nodes: {a: {type: electric}, h: {type: thermal, start: 300}, w: {type: thermal, value: "-volts"}, n: {type: abstract, value: volts}}
network:
  v: {type: voltage_source, between: [a, ground], value: node.h.temperature, resistance: 1}
  r: {type: resistor, between: [a, ground], resistance: 3}
  q: {type: heat_source, into: h, value: power}
  g: {type: heat_source, into: h, value: gain}
  c: {type: heat_capacity, on: h, capacity: 1}
  k: {type: thermal_resistance, between: [h, w], resistance: 3}
  e: {type: equation, value: "joint.rail.position - joint.rail.velocity"}
  f: {type: equation, value: "joint.rail.position - 3*joint.rail.velocity + network.e.value + volts^2"}
run: {time: 1, step: 0.001}
""")
        value, text = self.check("units.yaml")
        found = {f["item"]: f["text"] for f in value["findings"] if f["kind"] == "units"}
        self.assertEqual(set(found), {"mix", "late", "network.e.value", "network.v.value", "node.w.value"})
        self.assertIn("(units.yaml:5:3) adds or compares values in V and in K", found["mix"])
        self.assertIn("is in K, and 'value' of 'v' in V", found["network.v.value"])
        self.assertIn("is in V, and 'value' of 'w' in K", found["node.w.value"])
        self.assertRegex(text, r"units +'network.e.value' \(units.yaml:18:\d+\) adds or compares values in m and in m\*s\^-1")

    def test_units_of_the_examples(self):
        for path in sorted((SOURCE / "examples").glob("*.yaml"))[::6 if FEW else 1]:
            value = json.loads(self.hooke("check", path, "--json").stdout)
            self.assertEqual([f for f in value["findings"] if f["kind"] == "units"], [], path.name)

    def test_memories_and_quasi_steady_nodes(self):
        (self.dir / "laws.yaml").write_text("""hooke: 1
bodies: {block: {mass: 1, com: [0, 0, 0]}}
joints: {rail: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: x}}
forces:
  rubber: {type: joint_spring, joint: rail, spring: {law: {hardening: {stiffness: 10, yield: 1}}, maxwell: [{stiffness: 1, time: 1}, {stiffness: 2, time: 3}]}}
  guide: {type: joint_spring, joint: rail, damper: {lugre: {stiffness: 100, coulomb: 1}}}
  plain: {type: joint_spring, joint: rail, stiffness: 3}
nodes: {a: {type: thermal}}
network: {c: {type: heat_capacity, on: a, capacity: 1}, q: {type: heat_source, into: a, value: 1},
          k: {type: thermal_resistance, between: [a, ground], resistance: 1}}
run: {time: 1, step: 0.01, quasi_steady: [a]}
""")
        value, text = self.check("laws.yaml")
        self.assertEqual((value["states"], value["memories"]), (3, ["rubber (maxwell, hardening)", "guide (lugre)"]))
        self.assertEqual(value["quasi_steady"], ["a"])
        self.assertRegex(text, r"laws with memory +3 states: rubber \(maxwell, hardening\), guide \(lugre\)\n")
        self.assertRegex(text, r"quasi-steady +1: a\n")

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

    def test_start_state(self):
        (self.dir / "four.yaml").write_text(FOUR_BAR)
        value, text = self.check("four.yaml")
        start = {x["name"]: x for x in value["start"]}
        # what was asked for, with the conflict of the last value
        self.assertEqual([x["name"] for x in value["start"]][:4],
                         ["joint.pa.angle", "joint.pa.rate", "joint.pd.angle", "joint.pd.rate"])
        self.assertEqual((start["joint.pa.angle"]["asked"], start["joint.pa.angle"]["why"]), (0.2, "named"))
        self.assertAlmostEqual(start["joint.pa.angle"]["found"], 0.2, delta=1e-12)
        self.assertEqual(start["joint.pd.angle"]["asked"], 0.4)
        self.assertAlmostEqual(start["joint.pd.angle"]["found"], 0.2, delta=1e-9)
        self.assertIn("conflicts with start.pa.angle", start["joint.pd.angle"]["why"])
        self.assertRegex(text, r"joint.pd.angle +0 -> 0.2 rad instead of 0.4, named, but conflicts with start.pa.angle")
        # what followed, and why
        for name, found in {"joint.pb.angle": -0.2, "joint.pc.angle": 0.2, "joint.pb.rate": -1, "joint.pc.rate": 1}.items():
            self.assertAlmostEqual(start[name]["found"], found, delta=1e-9)
            self.assertEqual((start[name]["asked"], start[name]["drawn"]), (None, 0))
            self.assertIn("loop through joints", start[name]["why"])
        self.assertRegex(text, r"joint.pb.angle +0 -> -0.2 rad, closes loop through joints p")
        self.assertEqual((len(start), value["start_others"]), (8, 0))

    def test_start_of_a_driven_model_in_equilibrium(self):
        (self.dir / "cart.yaml").write_text("""
hooke: 1
gravity: [0, 0, -10]
bodies: {cart: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}, load: {mass: 3, com: [0, 0, 1], inertia: [1, 1, 1]},
         loose: {mass: 1, com: [0, 2, 0], inertia: [1, 1, 1]}}
joints:
  rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x, motion: {position: 0.5 + 4*t}}
  lift: {type: prismatic, between: [cart, load], at: [0, 0, 1], axis: z}
  guide: {type: prismatic, between: [ground, loose], at: [0, 2, 0], axis: y}
forces: {spring: {type: joint_spring, joint: lift, stiffness: 300}}
start: {equilibrium: true}
run: {time: 1, step: 0.1}
""")
        value, text = self.check("cart.yaml")
        self.assertEqual([(x["name"], round(x["found"], 9), x["unit"], x["why"]) for x in value["start"]],
                         [("joint.rail.position", 0.5, "m", "motion"), ("joint.lift.position", -0.1, "m", "equilibrium"),
                          ("joint.rail.velocity", 4, "m/s", "motion")])
        self.assertEqual(value["start_others"], 3)
        self.assertRegex(text, r"start +joint.rail.position 0 -> 0.5 m, motion\n")
        self.assertRegex(text, r"the other 3 coordinates and rates as drawn and at rest\n")

    def test_start_of_a_free_body(self):
        (self.dir / "free.yaml").write_text("""
hooke: 1
bodies: {rod: {mass: 1, com: [0, 0, 1], inertia: [1, 1, 1]}}
start: {rod: {position: [1, 2, 3], velocity: [0, 5, 0]}}
run: {time: 1, step: 0.1}
""")
        value, _ = self.check("free.yaml")
        self.assertEqual([(x["name"], x["asked"], round(x["found"], 9)) for x in value["start"]],
                         [(f"body.rod.{k}.{c}", a, a) for k, v in (("position", (1, 2, 3)), ("velocity", (0, 5, 0)))
                          for c, a in zip("xyz", v)])

    def test_large_models_stay_short(self):
        n = 300
        joints = "".join(f"  j{i}: {{type: revolute, between: [{'b%d' % (i - 1) if i else 'ground'}, b{i}], at: [{i}, 0, 0], "
                         f"axis: y}}\n" for i in range(n))
        bodies = "".join(f"  b{i}: {{mass: 1, com: [{i + 0.5}, 0, 0], inertia: [1, 1, 1]}}\n" for i in range(n))
        start = "".join(f"  j{i}: {{angle: 0.1}}\n" for i in range(40))
        (self.dir / "chain.yaml").write_text(f"hooke: 1\nbodies:\n{bodies}joints:\n{joints}start:\n{start}"
                                             "run: {time: 1, step: 0.1}\n")
        value, text = self.check("chain.yaml")
        self.assertEqual((len(value["start"]), value["start_others"]), (40, 2 * n - 40))
        self.assertIn("and 28 more that are named, moved or moving", text)
        self.assertLess(len(text.splitlines()), 40)


if __name__ == "__main__":
    unittest.main()
