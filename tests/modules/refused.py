#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Modules that cannot be used are refused in words, before anything runs; those of a model's folder only when they are
allowed; what a module brings is listed, explained and in the schema; hooks and checkpoints."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

HOOKE, SOURCE, BUILD = (os.environ[name] for name in ("HOOKE", "HOOKE_SOURCE", "HOOKE_BUILD"))

BODY = """hooke: 1
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 2, com: [0, 0, 0.1], inertia: {xx: 0.1, yy: 0.2, zz: 0.2}}
  b: {mass: 2, com: [1, 0, 0.1], inertia: {xx: 0.1, yy: 0.2, zz: 0.2}}
joints:
  p: {type: prismatic, between: [ground, a], at: [0, 0, 0.1], axis: z}
  JOINT
forces:
  f: FORCE
record: ["joint.*", "force.*", "energy.*"]
run: {time: 0.2, step: 0.01, integrator: trapezoidal}
"""


def example(name):
    return os.path.join(BUILD, "examples", "modules", name + ".so")


def test_module(name):
    return os.path.join(BUILD, "test_modules", name + ".so")


class Modules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def command(self, *args, env=None):
        return subprocess.run([HOOKE, *args], capture_output=True, text=True, check=False, cwd=self.folder,
                              env=dict(os.environ, **(env or {})))

    def model(self, force="{type: joint_force, joint: p, value: 1}", joint="", head=""):
        path = os.path.join(self.folder, "m.yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(BODY.replace("FORCE", force).replace("JOINT", joint).replace("hooke: 1\n", "hooke: 1\n" + head))
        return path

    def refused(self, words, code, *args):
        done = self.command("check", *args)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(words, done.stderr)
        return done.stderr

    def test_files(self):
        model = self.model()
        text = os.path.join(self.folder, "text.so")
        with open(text, "w", encoding="utf-8") as f:
            f.write("no library at all\n")
        self.refused("No such file", 6, model, "--module", "nowhere.so")
        self.refused("cannot load", 6, model, "--module", text)
        self.refused("not a regular file", 6, model, "--module", self.folder)
        self.refused("no symbol 'hk_plugin_entry'", 3, model, "--module", test_module("foreign"))
        self.refused("version 2 of modules; this Hooke knows 1 to 1", 3, model, "--module", test_module("newer"))
        self.refused("module 'taken', type 'linear': there is such a law already", 3, model, "--module", test_module("taken"))
        for verb in ("run", "check", "statics"):
            value = json.loads(self.command(verb, model, "--json", "--module", "nowhere.so").stdout)
            self.assertEqual(value["status"], "failed")
            self.assertIn("No such file", value["message"])

    def test_nothing_of_a_refused_module_stays(self):
        done = self.command("list", "laws", "--names", "--module", test_module("taken"))
        self.assertEqual(done.returncode, 3)
        self.assertNotIn("unit_law", done.stdout)

    def test_faults_of_types(self):
        faulty = test_module("faulty")
        for name, words in (("impure", "different forces at the same state"), ("skewed", "its slopes differ"),
                            ("picky", "it is never content")):
            said = self.refused(words, 3, self.model("{type: " + name + ", on: a}"), "--module", faulty)
            self.assertIn("m.yaml:10:", said)
        self.refused("its first outputs are not its own unknowns", 3, self.model(head="network:\n  n: {type: silent}\n"), "--module", faulty)
        self.refused("are not opposite", 3, self.model("{type: lopsided, between: [a, b], at: [0, 0, 0]}"), "--module", faulty)
        self.refused("its rows differ from differences", 3,
                     self.model(joint="q: {type: bent, between: [a, b], at: [0, 0, 0]}"), "--module", faulty)

        self.refused("motion does not keep its rows", 3,
                     self.model(joint="q: {type: crooked, between: [a, b], at: [0, 0, 0]}"), "--module", faulty)

    def test_a_stiff_element_is_not_a_faulty_one(self):
        """the round-off of a large force does not count as a wrong slope"""
        place = "between: [a, b], ends: [[0, 0, 0], [1, 0, 0]]"
        model = self.model("{type: linear_spring, length: 1, stiffness: 2e9, damping: 3, " + place + "}")
        self.assertEqual(self.command("check", model, "--module", example("linear_spring")).returncode, 0)

    def test_keys(self):
        spring = ["--module", example("linear_spring")]
        place = "between: [a, b], ends: [[0, 0, 0], [1, 0, 0]]"
        self.refused("needs the key 'stiffness'", 3, self.model("{type: linear_spring, length: 1, " + place + "}"), *spring)
        said = self.refused("has no key 'stifness'", 3, self.model("{type: linear_spring, stifness: 3, stiffness: 2, length: 1, " + place + "}"), *spring)
        self.assertIn("did you mean 'stiffness'?", said)
        self.refused("'length' must be positive", 3, self.model("{type: linear_spring, stiffness: 3, length: 0, " + place + "}"), *spring)
        self.refused("'static' must not be below 'coulomb'", 3,
                     self.model("{type: joint_spring, joint: p, damper: {bristle: {stiffness: 1e5, coulomb: 20, static: 5, speed: 0.1}}}"),
                     "--module", example("bristle"))
        self.refused("stands alone", 3, self.model("{type: joint_spring, joint: p, spring: {duffing: {}, linear: 3}}"),
                     "--module", test_module("witness"))

    def test_a_model_loads_only_what_is_allowed(self):
        model = self.model("{type: linear_spring, between: [a, b], ends: [[0, 0, 0], [1, 0, 0]], stiffness: 3, length: 1}",
                           head="modules: [linear_spring]\n")
        self.refused("there is no module 'linear_spring'", 3, model)
        shutil.copy(example("linear_spring"), self.folder)
        said = self.refused("beside the model is not allowed", 3, model)
        self.assertIn("--allow-modules", said)
        self.assertEqual(said.count("error:"), 1)
        self.assertEqual(self.command("run", model, "-q", "--allow-modules").returncode, 0)
        self.assertEqual(self.command("run", model, "-q", "--module", example("linear_spring")).returncode, 0)
        os.remove(os.path.join(self.folder, "linear_spring.so"))
        self.assertEqual(self.command("run", model, "-q", env={"HOOKE_MODULES": os.path.dirname(example("x"))}).returncode, 0)
        self.refused("is no name of a module", 3, self.model(head="modules: [../evil]\n"))

    def test_listed_and_explained(self):
        every = [word for name in ("linear_spring", "bristle", "coil", "pi_controller", "average", "on_plane")
                 for word in ("--module", example(name))]
        for kind, name in (("forces", "linear_spring"), ("laws", "bristle"), ("network", "coil"),
                           ("controllers", "pi_controller"), ("integrators", "average"), ("joints", "on_plane")):
            names = self.command("list", kind, "--names", *every).stdout.split()
            self.assertIn(name, names)
            self.assertNotIn(name, self.command("list", kind, "--names").stdout.split())
        self.assertIn("length without force", self.command("info", "linear_spring", *every).stdout)
        schema = json.loads(self.command("info", "schema", *every).stdout)
        for key in ("force_linear_spring", "network_element_coil", "controller_pi_controller", "joint_on_plane"):
            self.assertIn(key, schema["definitions"])
        self.assertIn("bristle", schema["definitions"]["law_keys"]["properties"])
        self.assertIn("average", schema["definitions"]["run"]["properties"]["integrator"]["enum"])

    def final(self, *args):
        done = self.command("run", *args, "--json", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_hooks(self):
        """once before each step and after it, once per stage at its prediction and when it has converged"""
        witness = ["--module", test_module("witness")]
        for formulation in ("hybrid", "topological", "recursive", "global", "partition", "redundant"):
            loop = "q: {type: revolute, between: [a, b], at: [0.4, 0, 0], axis: y}\n  r: {type: in_plane, between: [ground, b], at: [2, 0, 0], normal: [0, 0.2, 1]}"
            row = self.final(self.model("{type: witness, on: a}", loop), *witness, "-f", formulation)
            counts = [row["final"][f"force.f.{name}"] for name in ("before", "predicted", "converged", "accepted")]
            self.assertEqual(counts, [20, 20, 20, 20], formulation)
            # to be watched changes nothing
            alone = self.final(self.model(joint=loop, force="{type: force, on: a, value: [0, 0, 0]}"), "-f", formulation)
            for name in (n for n in alone["final"] if n.startswith("joint.")):
                self.assertAlmostEqual(row["final"][name], alone["final"][name], 9, f"{formulation}: {name}")

    def test_resume(self):
        """discrete data of modules and states of their laws are kept in checkpoints, bit for bit"""
        witness = ["--module", test_module("witness"), "--module", example("bristle"), "--integrator", "average", "--module", example("average")]
        model = self.model("{type: witness, on: a}\n  g: {type: joint_spring, joint: p, damper: {bristle: {stiffness: 1e5, coulomb: 20, static: 25, speed: 0.01}}}")
        whole = self.final(model, *witness)
        self.final(model, *witness, "--time", "0.1", "--checkpoint", "c.hk")
        rest = self.final(model, *witness, "--resume", "c.hk")
        self.assertEqual(whole["final"], rest["final"])

    def test_potential_of_a_law(self):
        """a law without slopes that gives its potential: the audit closes"""
        model = self.model("{type: joint_spring, joint: p, spring: {duffing: {}}}")
        row = self.final(model, "--module", test_module("witness"), "--step", "0.001")
        self.assertEqual(row["grade"], "good")
        self.assertGreater(abs(row["final"]["energy.potential"]), 0.01)
        self.assertLess(abs(row["energy"]["max_drift_J"]), 1e-5)


if __name__ == "__main__":
    unittest.main()
