#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every model under examples/ passes the doctor and runs with every structural integrator."""
import json
import re
import unittest

from support import EXAMPLES, FEW, SECOND_ORDER, ExampleTest, SHORT

# parts that other models use have no `run:` of their own
MODELS = sorted(p for p in EXAMPLES.rglob("*.yaml")
                if re.search(r"^run:", p.read_text(encoding="utf-8"), re.M) and not {"studies", "modules"} & set(p.parts))


def formulation(path):
    """models that ask for redundant coordinates have what only these can run"""
    return "redundant" if "formulation: redundant" in path.read_text(encoding="utf-8") else "hybrid"


def integrators(path):
    """servos out of reach at once need a method that damps"""
    damped = "stabilisation: fuhrer_leimkuhler" in path.read_text(encoding="utf-8")
    return tuple(i for i in (*SECOND_ORDER, "newmark") if not (damped and i == "trapezoidal"))


class EveryExample(ExampleTest):
    def test_there_are_examples(self):
        names = {p.relative_to(EXAMPLES).as_posix() for p in MODELS}
        for name in ("pendulum", "double-four-bar", "andrews", "andrews-a03", "bricard", "spatial-four-bar",
                     "spinning-body", "slider-crank-driven", "rolling-disc"):
            self.assertIn(f"{name}.yaml", names)

    found = {}  # what the doctor said of each

    def doctor(self, path):
        if path not in self.found:
            self.found[path] = json.loads(self.command("check", path, "--json").stdout)
        return self.found[path]

    def test_check(self):
        for path in MODELS[::3] if FEW else MODELS:
            with self.subTest(model=path.name):
                value = self.doctor(path)
                self.assertEqual((value["status"], value["message"]), ("ok", ""))
                self.assertTrue(value["title"], "a title")
                self.assertLess(value["assembly"]["position_max"], 1e-9)
                self.assertLess(value["assembly"]["velocity_max"], 1e-9)
                self.assertFalse({"conflict", "locked"} & {f["kind"] for f in value["findings"]})
                self.assertNotIn("no normal force", str(value["findings"]))

    def test_run(self):
        for i, path in enumerate(MODELS):
            found = None if FEW and i % 3 else self.doctor(path)
            step = self.run_model(path, "--time", 1e-9)["step_s"]
            # where everything takes long, each model has its turn with one of them
            methods = integrators(path)
            for integrator in methods[i % len(methods):][:1] if FEW else methods:
                with self.subTest(model=path.name, integrator=integrator):
                    value = self.run_model(path, "--integrator", integrator, "--formulation", formulation(path),
                                           "--time", (5 if SHORT else 50) * step)
                    self.assertEqual(value["status"], "ok")
                    self.assertEqual((value["rejected"], value["message"]), (0, ""))
                    if found:
                        self.assertEqual((value["dof"], value["bodies"]), (found["dof"], found["bodies"]))
                    self.assertLess(value["constraint"]["position_max"], 1e-8)
                    self.assertLess(value["constraint"]["velocity_max"], 1e-6)
                    self.assertTrue(all(x is not None for x in value["final"].values()), "finite values")

    def test_comment_and_record(self):
        # a model begins by saying what it is
        for path in EXAMPLES.rglob("*.yaml"):
            self.assertTrue(path.read_text(encoding="utf-8").startswith("#"), path.name)


if __name__ == "__main__":
    unittest.main()
