#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke compare`: all pairs and steps, failed runs as rows, references, grades, formats, study files."""
import csv
import io
import json
import math
import unittest

from support import ALL, CommandTest, FEW, LIMIT, SOURCE, hooke

try:
    import jsonschema
    import yaml
except ImportError as error:
    jsonschema = None
    print(f"SKIPPED: studies are NOT checked against the schema: {error}")

STUDIES = sorted((SOURCE / "examples/studies").glob("*.yaml"))
FOUR_BAR = SOURCE / "examples/double-four-bar.yaml"
RUN_KEYS = ["model", "formulation", "formulation_why", "integrator", "bodies", "coordinates", "constraints", "dof", "redundant",
            "step_s", "time_s", "steps", "rejected", "iterations", "sweeps", "impacts", "cpu_s", "real_time_factor", "energy",
            "constraint", "grade", "drift_percent", "warnings", "final", "status", "message"]


class Compare(CommandTest):
    def names(self, kind):
        return self.hooke("list", kind, "--names").stdout.split()

    def compare(self, *args, code=0):
        return json.loads(self.hooke("compare", *args, "--json", code=code).stdout)

    def write(self, text, name="study.yaml"):
        path = self.dir / name
        path.write_text(text)
        return path

    # --- runs ---

    def test_all_pairs(self):
        rows = self.compare(self.model, "--step", "0.01,0.02", *(["--time", "0.1"] if FEW else []))
        pairs = {(r["formulation"], r["integrator"]) for r in rows}
        self.assertEqual(pairs, {(f, i) for f in self.names("formulations") for i in self.names("integrators")})
        for r in rows:
            self.assertEqual(list(r)[:len(RUN_KEYS)], RUN_KEYS)
            if r["compatible"]:
                # dopri5 and bdf refuse steps by their error, which is how they find their step; few, or they look badly
                few = 3 + 0.2 * r["steps"] if r["integrator"] in ("dopri5", "bdf") else 0
                self.assertLessEqual(r["rejected"], few)
                self.assertIn(r["step_s"], (0.01, 0.02))
                self.assertGreaterEqual(r["iterations_max"], r["iterations_mean"] - 1e-9)
            else:
                # one row, and the sentence names both
                self.assertEqual((r["status"], r["step_s"]), ("failed", None))
                self.assertIn(r["formulation"], r["message"])
                self.assertIn(r["integrator"], r["message"])
                self.assertEqual(sum((s["formulation"], s["integrator"]) == (r["formulation"], r["integrator"])
                                     for s in rows), 1)
        good = [r for r in rows if r["status"] == "ok"]
        self.assertGreater(len(good), 8)

    def test_lists(self):
        rows = self.compare(self.model, "-f", "hybrid", "-i", "trapezoidal,newmark", "--step", "0.01,0.05",
                            "--time", "0.5", "--set", "L=2", "--option", "gamma=0.7")
        self.assertEqual([(r["integrator"], r["step_s"], r["time_s"]) for r in rows],
                         [("trapezoidal", 0.01, 0.5), ("trapezoidal", 0.05, 0.5), ("newmark", 0.01, 0.5),
                          ("newmark", 0.05, 0.5)])
        other = self.compare(self.model, "-f", "hybrid", "-i", "newmark", "--step", "0.01", "--time", "0.5",
                             "--set", "L=2")
        self.assertNotEqual(rows[2]["energy"]["max_drift_J"], other[0]["energy"]["max_drift_J"])

    def test_tolerance(self):
        """on the command line, in the study, in a case; the nearest counts. Iterations of all stages, and sweeps"""
        study = "study: 1\nmodel: %s\nformulations: hybrid\nintegrators: sdirk\ntolerance: 1e-3\n" \
                "cases: {own: {tolerance: 1e-12}, study: }\n" % self.model
        rows = {r["case"]: r["iterations"] for r in self.compare(self.write(study))}
        self.assertGreater(rows["own"], 1.5 * rows["study"])
        rows = self.compare(self.write(study), "--tolerance", "1e-12")
        self.assertEqual(rows[0]["iterations"], rows[1]["iterations"])
        self.assertEqual(rows[0]["sweeps"], (rows[0]["iterations"] + 1) // 2)
        rows = self.compare(self.model, "-f", "hybrid", "-i", "trapezoidal", "--tolerance", "1e-6")
        self.assertEqual(rows[0]["sweeps"], rows[0]["iterations"])
        result = self.hooke("compare", self.model, "--tolerance", "none", code=2)
        self.assertIn("--tolerance must be a number", result.stderr)
        result = self.hooke("compare", self.write(study.replace("1e-3", "-1")), code=3)
        self.assertRegex(result.stderr, "study.yaml:5:12: error: .*tolerance")

    def test_failures_are_rows(self):
        """the singular position stops one formulation; the others go on"""
        rows = self.compare(FOUR_BAR, "-i", "trapezoidal", "--step", "0.05", "--time", "2")
        state = {r["formulation"]: r for r in rows}
        self.assertEqual(state["hybrid"]["status"], "ok")
        failed = [r for r in rows if r["status"] == "failed"]
        self.assertGreaterEqual(len(failed), 1)
        for r in failed:
            self.assertGreater(len(r["message"]), 10)
        text = self.hooke("compare", FOUR_BAR, "-i", "trapezoidal", "--step", "0.05", "--time", "2").stdout
        self.assertIn("failed at", text)
        self.assertIn(failed[0]["message"], text)

    def test_nothing_works(self):
        self.hooke("compare", FOUR_BAR, "-f", failed_name(self), "-i", "trapezoidal", "--step", "0.05", code=5)

    # --- references ---

    def test_fine_reference(self):
        """errors fall with the order of the method"""
        rows = self.compare(self.model, "-f", "hybrid", "-i", "trapezoidal", "--step", "0.02,0.01,0.005",
                            "--reference", "fine:0.0005", "--channel", "joint.pin.angle")
        errors = [r["measures"]["joint.pin.angle"] for r in rows]
        for a, b in zip(errors, errors[1:]):
            self.assertAlmostEqual(math.log2(a / b), 2, delta=0.1)

    def test_file_reference(self):
        """a result of `run` is a reference; a run compared with itself has no error"""
        self.hooke("run", self.model, "--formulation", "hybrid", "--integrator", "trapezoidal", "--output", "r.csv")
        rows = self.compare(self.model, "-f", "hybrid", "-i", "trapezoidal,newmark", "--reference", "r.csv",
                            "--channel", "body.*.position")
        self.assertEqual(rows[0]["measures"], {"body.*.position": 0})
        self.assertGreater(rows[1]["measures"]["body.*.position"], 0.1)
        rows = self.compare(self.model, "-f", "hybrid", "-i", "trapezoidal", "--reference", "r.csv")
        self.assertIn("joint.pin.angle", rows[0]["measures"])
        self.assertEqual(set(rows[0]["measures"].values()), {0})

    def test_norms(self):
        """against x(t) = t on the points of the run: a body that does not move is wrong by t"""
        self.write("t,x\n" + "".join(f"{0.1 * i:.1f},{0.1 * i:.1f}\n" for i in range(11)), "line.csv")
        self.write("hooke: 1\nbodies: {b: {mass: 1, com: [0, 0, 0], inertia: {diagonal: [1, 1, 1]}}}\nrun: {time: 1, step: 0.1}\n", "still.yaml")
        path = self.write("study: 1\nmodel: still.yaml\nformulations: [hybrid]\nintegrators: [trapezoidal]\n"
                          "reference: {file: line.csv, time: t}\nmeasures:\n" + "".join(
                              f"  {name}: {{{name}: body.b.position.x, column: {column}}}\n" for name, column in
                              (("range_error", "x"), ("sup_norm", "x"), ("two_norm", "2*x"), ("relative_error", "x"), ("sup_time", "x")))
                          + "  part: {sup_norm: body.b.position.x, column: x, before: 0.45}\n"
                          "  when: {sup_time: body.b.position.x, column: x*(1-x), before: 0.75}\n"
                          "  shift: {final: body.b.position.x - start.body.b.position.x + t}\n"
                          "  area: {integral: 3*t}\n"
                          "  stroke: {integral: 1 + t, over: t^2}\n"
                          "  late: {integral: 1 + t, over: t^2, after: 0.75}\n")
        found = self.compare(path)[0]["measures"]
        expected = {"range_error": 100, "sup_norm": 1, "two_norm": 2 * math.sqrt(sum((i / 10) ** 2 for i in range(11))),
                    "relative_error": 100, "part": 0.4, "shift": 1, "sup_time": 1, "when": 0.5, "area": 1.5,
                    "stroke": sum((1 + t / 10 + 0.05) * (0.2 * t / 10 + 0.01) for t in range(10)),
                    "late": sum((1 + t / 10 + 0.05) * (0.2 * t / 10 + 0.01) for t in (8, 9))}
        for name, value in expected.items():
            self.assertAlmostEqual(found[name], value, places=9, msg=name)

    def test_parameters(self):
        """expressions may name the model's parameters, with the values of the run"""
        self.write("hooke: 1\nparameters: {m: 2, double: 2*m}\nbodies: {b: {mass: m, com: [0, 0, 0], inertia: "
                   "{diagonal: [1, 1, 1]}}}\nrun: {time: 1, step: 0.5}\n", "still.yaml")
        text = ("study: 1\nmodel: still.yaml\nformulations: [hybrid]\nintegrators: [trapezoidal]\n"
                "cases: {own: {}, other: {set: {m: 5}}}\nchannels: {sum: m + double, t2: 2*start.m}\n"
                "measures: {sum: {final: sum}, double: {final: double*t}, t2: {final: t2}}\n")
        rows = self.compare(self.write(text))
        self.assertEqual([r["measures"] for r in rows], [{"sum": 6, "double": 4, "t2": 4}, {"sum": 15, "double": 10, "t2": 10}])
        rows = self.compare(self.write(text), "--set", "double=1")
        self.assertEqual([r["measures"]["sum"] for r in rows], [3, 6])
        result = self.hooke("compare", self.write(text.replace("double*t", "dobule*t")), code=3)
        self.assertIn("did you mean 'double'?", result.stderr)

    def test_undefined_error(self):
        """a falling body against a reference that stays at zero: there is no relative error, though two of three channels have none at all"""
        names = [f"body.b.position.{k}" for k in "xyz"]
        self.write("t," + ",".join(names) + "\n" + "".join(f"{0.1 * i:.1f},0,0,0\n" for i in range(11)), "zero.csv")
        self.write("hooke: 1\ngravity: [1, 0, 0]\nbodies: {b: {mass: 1, com: [0, 0, 0], inertia: {diagonal: [1, 1, 1]}}}\nrun: {time: 1, step: 0.1}\n", "fall.yaml")
        path = self.write("study: 1\nmodel: fall.yaml\nformulations: [hybrid]\nintegrators: [trapezoidal]\n"
                          "reference: {file: zero.csv, time: t}\nmeasures:\n" + "".join(
                              f"  {name}: {{{name}: 'body.*.position'}}\n" for name in ("relative_error", "sup_norm", "sup_time")))
        found = self.compare(path)[0]["measures"]
        self.assertIsNone(found["relative_error"])
        self.assertAlmostEqual(found["sup_norm"], 0.5, places=9)
        self.assertAlmostEqual(found["sup_time"], 1, places=9)

    def test_interpolation(self):
        """a coarse run against a fine file: a cubic is met exactly between its points"""
        self.write("t,x\n" + "".join(f"{0.03 * i:.2f},{(0.03 * i) ** 3:.12g}\n" for i in range(40)), "cubic.csv")
        self.write("hooke: 1\nbodies: {b: {mass: 1, com: [0, 0, 0], inertia: {diagonal: [1, 1, 1]}}}\nrun: {time: 1, step: 0.1}\n", "still.yaml")
        path = self.write("study: 1\nmodel: still.yaml\nformulations: [hybrid]\nintegrators: [trapezoidal]\n"
                          "reference: {file: cubic.csv, time: t}\nmeasures: {x: {sup_norm: t^3, column: x}}\n")
        self.assertLess(self.compare(path)[0]["measures"]["x"], 1e-10)

    # --- grades and the search ---

    def test_largest_step(self):
        path = self.write("study: 1\nmodel: pendulum.yaml\nformulations: [hybrid]\nintegrators: [trapezoidal]\n"
                          "steps: [0.01]\nreference: {fine: 0.001}\nmeasures: {angle: {range_error: joint.pin.angle}}\n"
                          "grades: {fine: {angle: 0.02}, rough: {angle: 1}, never: {angle: 1e-12}}\n"
                          "search: {steps: [0.01, 0.02, 0.04, 0.08, 0.16]}\n")
        rows = self.compare(path)
        runs = {r["step_s"]: r for r in rows}
        self.assertEqual([r["search"] for r in rows], [False] + [True] * (len(rows) - 1))
        for grade, limit in (("fine", 0.02), ("rough", 1)):
            good = [h for h, r in runs.items() if r["grades"][grade]]
            bad = [h for h, r in runs.items() if not r["grades"][grade]]
            self.assertEqual([h for h, r in runs.items() if grade in r["largest_step_of"]],
                             [max(h for h in good if h < min(bad))])
            self.assertEqual([h for h, r in runs.items() if grade in r["first_failure_of"]], [min(bad)])
            self.assertLessEqual(runs[max(h for h in good if h < min(bad))]["measures"]["angle"], limit)
        self.assertFalse(any("never" in r["largest_step_of"] for r in rows))
        text = self.hooke("compare", path).stdout
        self.assertIn("Largest steps", text)
        self.assertIn("over 0.02", text)

    def test_bisection(self):
        text = ("study: 1\nmodel: pendulum.yaml\nformulations: [hybrid]\nintegrators: [trapezoidal]\nsteps: [0.01]\n"
                "reference: {fine: 0.001}\nmeasures: {angle: {range_error: joint.pin.angle}}\n"
                "grades: {good: {angle: 0.5}}\nsearch: {steps: [0.01, 0.2], bisections: 4}\n")
        rows = self.compare(self.write(text))
        largest = [r["step_s"] for r in rows if "good" in r["largest_step_of"]]
        failure = [r["step_s"] for r in rows if "good" in r["first_failure_of"]]
        self.assertAlmostEqual(failure[0] - largest[0], 0.19 / 16, places=9)

    def test_cases(self):
        path = self.write("study: 1\nmodel: pendulum.yaml\nformulations: [hybrid]\nintegrators: [newmark]\n"
                          "cases:\n  short: {set: {L: 0.5}}\n  long: {set: {L: 2}, steps: [0.02]}\n"
                          "  damped: {options: {gamma: 0.9}}\n  as_is:\n")
        rows = self.compare(path)
        self.assertEqual([(r["case"], r["step_s"]) for r in rows],
                         [("short", 0.01), ("long", 0.02), ("damped", 0.01), ("as_is", 0.01)])
        finals = [r["final"]["joint.pin.angle"] for r in rows]
        self.assertEqual(len(set(finals)), 4)

    # --- formats ---

    def test_formats(self):
        args = ("compare", self.model, "-f", "hybrid", "--step", "0.01,0.02")
        rows = self.compare(*args[1:])
        text = self.hooke(*args).stdout.splitlines()
        self.assertEqual(len([line for line in text if line.startswith("hybrid")]), len(rows))
        table = list(csv.DictReader(io.StringIO(self.hooke(*args, "--format", "csv").stdout)))
        self.assertEqual([(r["integrator"], float(r["step_s"] or "nan")) for r in table if r["step_s"]],
                         [(r["integrator"], r["step_s"]) for r in rows if r["step_s"]])
        for a, b in zip(table, rows):
            if b["status"] == "ok":
                self.assertEqual(float(a["max_drift_J"]), b["energy"]["max_drift_J"])
        lines = [x for x in self.hooke(*args, "--format", "markdown").stdout.splitlines() if x.startswith("|")]
        self.assertEqual(len(lines), len(rows) + 2)
        self.assertEqual({x.count("|") for x in lines}, {lines[0].count("|")})

    def test_output(self):
        for name, start in (("t.md", "###"), ("t.csv", "case,"), ("t.json", "["), ("t.txt", "Pendulum")):
            result = self.hooke("compare", self.model, "-f", "hybrid", "-i", "trapezoidal", "--output", name)
            self.assertEqual(result.stdout, "")
            self.assertTrue((self.dir / name).read_text().startswith(start), name)
        self.refused("compare", self.model, "--output", "/nowhere/t.md", "-f", "hybrid", "-i", "newmark", code=6,
                     words=["/nowhere/t.md"])

    # --- mistakes ---

    def test_refused(self):
        for args, words in (
                (("-f", "hybird"), ["hybird", "did you mean 'hybrid'"]),
                (("-i", "newmarc"), ["newmarc", "did you mean 'newmark'"]),
                (("--step", "0.1,x"), ["'x'"]), (("--step", "0.1,,0.2"), ["empty"]), (("--step", "-1"), ["-1"]),
                (("--channel", "body.rod.positon.x"), ["body.rod.positon.x"]),
                (("--channel", "body.rad.*"), ["body.rad.*"]),
                (("--reference", "fine:0"), ["'0'"]), (("--option", "gama=1"), ["gama"]),
                (("--format", "html"), ["html"]), (("--repeat", "0"), ["0"]), (("--set", "M=1"), ["'M'"])):
            self.refused("compare", self.model, *args, code=2, words=words)
        self.refused("compare", self.model, "--reference", "nothing.csv", code=6, words=["nothing.csv"])
        self.refused("compare", "nothing.yaml", code=6, words=["nothing.yaml"])
        self.refused("compare", code=2, words=["MODEL|STUDY"])

    def test_wrong_studies(self):
        begin = "study: 1\nmodel: pendulum.yaml\n"
        for text, words in (
                (begin + "formulation: [hybrid]\n", ["study.yaml:3:1", "did you mean 'formulations'"]),
                (begin + "formulations: [hybird]\n", ["study.yaml:3:16", "did you mean 'hybrid'"]),
                (begin + "steps: [0.1, -1]\n", ["study.yaml:3:14", "positive"]),
                (begin + "measures: {x: {final: body.rod.positon.x}}\n", ["study.yaml:3:23", "body.rod.position.x"]),
                (begin + "measures: {x: {final: 1, max: 2}}\n", ["study.yaml:3:15", "one thing"]),
                (begin + "measures: {x: {sup_norm: t}}\n", ["study.yaml:3:12", "reference"]),
                (begin + "grades: {good: {drfit: 1}}\n", ["study.yaml:3:17", "did you mean 'drift'"]),
                (begin + "set: {M: 1}\n", ["study.yaml:3:7", "'M'"]),
                (begin + "options: {projektion: on}\n", ["study.yaml:3:11", "projection"]),
                (begin + "search: {steps: [2, 1]}\n", ["study.yaml:3:9", "grow"]),
                (begin + "reference: {file: a.csv, fine: 1}\n", ["study.yaml:3:12", "either"]),
                (begin + "cases: [1]\n", ["study.yaml:3:8", "mapping"]),
                ("study: 2\nmodel: pendulum.yaml\n", ["study.yaml:1:8"]),
                ("study: 1\n", ["study.yaml:1:1", "'model'"])):
            with self.subTest(text=text):
                self.write(text)
                self.refused("compare", "study.yaml", code=3, words=words)
        self.write("study: 1\nmodel: nothing.yaml\n")
        self.refused("compare", "study.yaml", code=6, words=["study.yaml:2:8", "nothing.yaml"])

    # --- the studies of the examples ---

    def test_studies_run(self):
        self.assertGreaterEqual(len(STUDIES), 6)
        for path in STUDIES[::21] if FEW else STUDIES if ALL else STUDIES[::2]:
            with self.subTest(study=path.name):
                # the end of such a short run may be meaningless: that it runs is what counts. Studies of the
                # state-space paper have steps of microseconds
                time = (0.001 if path.name.startswith("state-space") else 0.05) * (1 if ALL else 0.2)
                result = hooke("compare", path, "--json", "--time", time, "--repeat", "1", limit=4 * LIMIT)
                self.assertIn(result.returncode, (0, 5), result.stderr)
                self.assertTrue(any(r["steps"] > 0 for r in json.loads(result.stdout)))

    @unittest.skipUnless(jsonschema, "needs python3-jsonschema and python3-yaml")
    def test_schema(self):
        text = self.hooke("info", "study-schema").stdout
        self.assertEqual(text, (SOURCE / "share/hooke/study.schema.json").read_text())
        schema = json.loads(text)
        jsonschema.Draft7Validator.check_schema(schema)
        check = jsonschema.Draft7Validator(schema)
        for path in STUDIES:
            self.assertEqual([e.message for e in check.iter_errors(yaml.safe_load(path.read_text()))], [], path.name)
        for wrong in ({"study": 1}, {"study": 1, "model": "a", "formulation": "b"},
                      {"study": 1, "model": "a", "measures": {"x": {"fnal": "t"}}}):
            self.assertTrue(list(check.iter_errors(wrong)))


def failed_name(test):
    """a formulation that cannot pass the singular position"""
    rows = test.compare(FOUR_BAR, "-i", "trapezoidal", "--step", "0.05", "--time", "2")
    return next(r["formulation"] for r in rows if r["status"] == "failed")


if __name__ == "__main__":
    unittest.main()
