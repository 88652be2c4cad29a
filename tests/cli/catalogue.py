#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke list` and `hooke info`: everything that exists is listed, explained and found again."""
import json
import re
import unittest

from support import FEW, PENDULUM, SOURCE, CommandTest

KINDS = ["formulations", "choices", "integrators", "joints", "forces", "nodes", "network", "laws", "signals", "controllers", "functions", "constants",
         "channels"]
# kinds that are tables of the source: every line is listed, in the order of the table
TABLES = {"src/formulations/formulations.def": ["formulations"], "src/integrators/integrators.def": ["integrators"],
          "src/joints/joints.def": ["joints"], "src/elements/elements.def": ["forces", "network"]}
MUST = {
    "nodes": ["electric", "hydraulic", "thermal", "abstract"],
    "laws": ["linear", "polynomial", "piecewise", "table", "expression"],
    "signals": ["step", "ramp", "sine", "pulse", "cosine", "sweep", "fourier", "random", "expression", "table",
                "points", "periodic", "integral", "derivative", "filter", "transfer_function",
                "state_space", "pid", "sample", "delay", "latch", "first_hit", "after", "sum", "product"],
    "controllers": ["pid", "transfer_function", "state_space", "filter", "integral", "derivative", "sample", "delay", "quantiser",
                    "saturation", "dead_zone", "rate_limit", "state_machine"],
    "sections": ["start", "run", "record", "events", "shape", "gravity", "inertia", "markers", "parameters"],
    "words": ["contact", "stiction", "motor", "gears", "controller", "stop", "wire"],
    "functions": ["if", "sin", "min", "max", "abs", "sign", "step", "ramp"],
    "constants": ["pi", "deg", "g0", "mm", "kN"],
}


class Catalogue(CommandTest):
    def test_kinds(self):
        kinds = json.loads(self.hooke("list", "--json").stdout)
        self.assertEqual([k["kind"] for k in kinds][:len(KINDS)], KINDS)
        names = self.hooke("list", "--names").stdout.split()
        self.assertEqual(names, [k["kind"] for k in kinds])
        text = self.hooke("list").stdout
        for kind in kinds:
            self.assertIn(kind["kind"], text)
            entries = json.loads(self.hooke("list", kind["kind"], "--json").stdout)
            self.assertEqual(len(entries), kind["count"])
            self.assertGreater(len(entries), 0)

    def test_tables_are_listed(self):
        for table, kinds in TABLES.items():
            lines = re.findall(r"^X\((\w+)\)", (SOURCE / table).read_text(), re.M)
            listed = [name for kind in kinds for name in self.hooke("list", kind, "--names").stdout.split("\n")[:-1]]
            self.assertGreater(len(lines), 0)
            self.assertEqual(listed, lines)

    def test_all_that_must_be_there(self):
        for kind, must in MUST.items():
            names = self.hooke("list", kind, "--names").stdout.split("\n")[:-1]
            self.assertEqual(len(names), len(set(names)), kind)
            for name in must:
                self.assertIn(name, names)
            # the singular will do
            self.assertEqual(self.hooke("list", kind[:-1], "--names").stdout.split("\n")[:-1], names)

    def test_each_entry_is_explained(self):
        for kind in KINDS:
            for entry in json.loads(self.hooke("list", kind, "--json").stdout):
                with self.subTest(kind=kind, name=entry["name"]):
                    self.assertGreater(len(entry["text"]), 3)
                    keys = [p["name"] for p in entry["parameters"]]
                    self.assertEqual(len(keys), len(set(keys)))
                    for parameter in entry["parameters"]:
                        self.assertGreater(len(parameter["text"]), 3)
                        self.assertGreater(len(parameter["type"]), 2)
                    if kind in ("formulations", "integrators", "joints", "forces"):
                        self.assertGreater(len(entry["source"] or ""), 3)

    def test_info_of_each_entry(self):
        for kind in ("formulations", "integrators", "joints", "forces", "nodes", "network", "laws", "signals", "controllers"):
            for entry in json.loads(self.hooke("list", kind, "--json").stdout)[::6 if FEW else 1]:
                found = json.loads(self.hooke("info", f"{kind}/{entry['name']}", "--json").stdout)
                self.assertEqual(found, [entry])
                text = self.hooke("info", entry["name"]).stdout
                self.assertIn(entry["text"], text)
                for parameter in entry["parameters"]:
                    self.assertIn(parameter["name"], text)

    def test_every_key_is_explained(self):
        schema = json.loads((SOURCE / "share/hooke/model.schema.json").read_text())
        keys = {key for part in schema["definitions"].values() for key in part.get("properties", {})}
        known = {p["name"] for kind in json.loads(self.hooke("list", "--json").stdout)
                 for e in json.loads(self.hooke("list", kind["kind"], "--json").stdout) for p in e["parameters"]}
        known |= {e["name"] for e in json.loads(self.hooke("list", "sections", "--json").stdout)}
        known |= {e["name"] for e in json.loads(self.hooke("list", "signals", "--json").stdout)}
        self.assertGreater(len(keys), 100)
        self.assertEqual(sorted(keys - known), [])
        text = self.hooke("info", "interpolation").stdout
        for word in ("interpolation (key of", "table", "linear", "monotone"):
            self.assertIn(word, text)

    def test_words_of_others(self):
        kinds = [k["kind"] for k in json.loads(self.hooke("list", "--json").stdout)]
        entries = {kind: json.loads(self.hooke("list", kind, "--json").stdout) for kind in kinds}
        names = {kind: {n for e in found for n in [e["name"], *(e["alias"] or "").split()]}
                 for kind, found in entries.items()}
        own = set().union(*(names[kind] for kind in kinds if kind != "words"))
        told = [n for e in entries["words"] for n in [e["name"], *(e["alias"] or "").split()]]
        # each once, and none that Hooke uses itself
        self.assertEqual(len(told), len(set(told)))
        self.assertEqual(set(told) & own, set())
        for entry in entries["words"]:
            see = entry["detail"].removeprefix("see: ").split(",")
            for kind, name in (where.split("/") for where in see):
                self.assertIn(name, names[kind], entry["name"])
        self.assertIn("joint_spring", self.hooke("info", "stiction").stdout)
        # a word that is a key too is told as both
        self.assertRegex(self.hooke("info", "mesh").stdout, r"(?s)\(words.*mesh \(key of shape\)")

    def test_words_of_others_in_a_model(self):
        for old, new, word in (("type: revolute", "type: gearbox", "coupler"), ("type: revolute", "type: pivot", "revolute"),
                               ("run:", "contact: {a: 1}\nrun:", "tyre")):
            (self.dir / "model.yaml").write_text(PENDULUM.replace(old, new))
            result = self.refused("check", "model.yaml", code=3)
            self.assertIn(word, result.stderr.split("hint: ")[1])

    def test_aliases(self):
        for alias, name in (("hinge", "revolute"), ("ball", "spherical"), ("weld", "fixed"),
                            ("slide", "prismatic"), ("floating", "free")):
            self.assertEqual(self.hooke("info", alias).stdout, self.hooke("info", f"joints/{name}").stdout)

    def test_defaults(self):
        alpha, = json.loads(self.hooke("info", "generalized_alpha", "--json").stdout)
        rho, = [p for p in alpha["parameters"] if p["name"] == "rho_inf"]
        self.assertEqual((rho["default"], rho["min"], rho["max"]), (0.8, 0, 1))

    def test_wrong(self):
        self.refused("list", "jionts", words="did you mean 'joints'?")
        self.refused("info", "revolut", words="did you mean 'revolute'?")
        self.refused("info", "joints/tyre", words="nothing is called 'tyre'")
        self.refused("info", "jionts/screw", words="did you mean 'joints'?")
        result = self.refused("info", "xyzzy", "--json", words="'xyzzy'")
        self.assertEqual(json.loads(result.stdout), [])


if __name__ == "__main__":
    unittest.main()
