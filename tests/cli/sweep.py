#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke sweep`: grids, lists and drawn samples; the numbers of single runs, on any number of threads; bad input."""
import csv
import json
import math
import unittest

from support import SOURCE, PENDULUM, CommandTest

MODEL = PENDULUM.replace("run:", 'record: ["joint.pin.angle", "energy.*"]\nrun:').replace("time: 1", "time: 0.3")


class Sweep(CommandTest):
    def setUp(self):
        super().setUp()
        (self.dir / "p.yaml").write_text(MODEL)

    def sweep(self, *args, code=0):
        return json.loads(self.hooke("sweep", *args, "--json", code=code).stdout)

    def test_a_grid_has_the_numbers_of_single_runs(self):
        rows = self.sweep("p.yaml", "--vary", "L=0.5:1.5:3", "--take", "joint.pin.angle", "--take", "energy.kinetic:max")
        self.assertEqual([r["parameters"]["L"] for r in rows], [0.5, 1.0, 1.5])
        for r in rows:
            run = json.loads(self.hooke("run", "p.yaml", "--set", f"L={r['parameters']['L']}", "--json").stdout)
            self.assertEqual((r["status"], r["grade"], r["message"]), ("ok", "good", ""))
            self.assertEqual(r["joint.pin.angle"], run["final"]["joint.pin.angle"])
            self.assertGreaterEqual(r["energy.kinetic:max"], run["final"]["energy.kinetic"])

    def test_threads_change_nothing(self):
        args = ("p.yaml", "--vary", "L=0.5:2", "--samples", 12, "--take", "joint.pin.angle:rms", "--take", "joint.pin.angle:mean")
        one = self.hooke("sweep", *args, "--jobs", 1, "--json").stdout
        self.assertEqual(one, self.hooke("sweep", *args, "--jobs", 3, "--json").stdout)
        # each of twelve equal parts of the range once, in an order that the seed decides
        values = [r["parameters"]["L"] for r in json.loads(one)]
        self.assertEqual(sorted(math.floor((x - 0.5) / 1.5 * 12) for x in values), list(range(12)))
        self.assertNotEqual(values, sorted(values))
        other = [r["parameters"]["L"] for r in self.sweep(*args, "--seed", 2)]
        self.assertNotEqual(sorted(values), sorted(other))

    def test_what_is_taken(self):
        """a block that is pushed with 2 N: x = t^2/2 up to 1 s"""
        (self.dir / "b.yaml").write_text(
            "hooke: 1\nparameters: {F: 2, m: 2}\nbodies: {a: {mass: m, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
            "joints: {g: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}}\n"
            "forces: {s: {type: joint_force, joint: g, value: F}}\nrun: {time: 1, step: 0.001}\n")
        takes = [w for k in ("final", "min", "max", "mean", "rms") for w in ("--take", f"joint.g.position:{k}")]
        rows = self.sweep("b.yaml", "--vary", "F=2,4", "--vary", "m=2,4", *takes)
        self.assertEqual([(r["parameters"]["F"], r["parameters"]["m"]) for r in rows], [(2, 2), (2, 4), (4, 2), (4, 4)])
        for r in rows:
            a = r["parameters"]["F"] / r["parameters"]["m"]
            for kind, expected in (("final", a / 2), ("min", 0), ("max", a / 2), ("mean", a / 6), ("rms", a / 2 / math.sqrt(5))):
                self.assertLess(abs(r[f"joint.g.position:{kind}"] - expected), 1e-5 * a, kind)

    def test_runs_that_fail_are_rows(self):
        rows = self.sweep("p.yaml", "--vary", "L=1,-1,2", "--take", "joint.pin.angle")
        self.assertEqual([r["status"] for r in rows], ["ok", "ok", "ok"])
        (self.dir / "m.yaml").write_text(MODEL.replace("mass: 1", "mass: L"))
        rows = self.sweep("m.yaml", "--vary", "L=1,-1,2", "--take", "joint.pin.angle")
        self.assertEqual([r["status"] for r in rows], ["ok", "failed", "ok"])
        self.assertIn("mass", rows[1]["message"])
        self.assertIsNone(rows[1]["joint.pin.angle"])
        result = self.hooke("sweep", "m.yaml", "--vary", "L=1,-1")
        self.assertIn("1 of 2 runs failed", result.stderr)

    def test_table(self):
        self.hooke("sweep", "p.yaml", "--vary", "L=1,2", "--take", "joint.pin.angle:min", "--output", "t.csv", "-q")
        rows = list(csv.DictReader((self.dir / "t.csv").read_text().splitlines()))
        self.assertEqual([r["L"] for r in rows], ["1", "2"])
        self.assertEqual({r["grade"] for r in rows}, {"good"})
        self.assertLess(float(rows[0]["joint.pin.angle:min"]), 1)

    def test_bad_input(self):
        for args, code, words in ((("p.yaml",), 2, "--vary"), (("p.yaml", "--vary", "L"), 2, "--vary"),
                                  (("p.yaml", "--vary", "L=1:2"), 2, "low:high:count"),
                                  (("p.yaml", "--vary", "L=1:2:0"), 2, "--vary"), (("p.yaml", "--vary", "L=1,x"), 2, "--vary"),
                                  (("p.yaml", "--vary", "L=1,2", "--samples", "3"), 2, "--vary"),
                                  (("p.yaml", "--vary", "L=1:2", "--samples", "0"), 2, "--samples"),
                                  (("p.yaml", "--vary", "L=1", "--jobs", "none"), 2, "--jobs"),
                                  (("p.yaml", "--vary", "K=1"), 2, "K"), (("none.yaml", "--vary", "L=1"), 6, "none"),
                                  (("p.yaml", "--vary", "L=1", "--take", "nothing"), 2, "nothing"),
                                  (("p.yaml", "--vary", "L=1", "--take", "joint.pin.angle:most"), 2, "most"),
                                  (("p.yaml", "--vary", "L=1:2:9999999", "--vary", "M=1:2:9999999"), 2, "too many"),
                                  (("p.yaml", "--vary", "L=1", "--output", "t.txt"), 2, ".csv"),
                                  (("p.yaml", "--vary", "L=1", "-i", "best"), 2, "best")):
            self.assertIn(words, self.hooke("sweep", *args, code=code).stderr)
        rows = self.sweep("none.yaml", "--vary", "L=1,2", "--take", "x", code=6)
        self.assertEqual([(r["status"], r["x"], "none.yaml" in r["message"]) for r in rows], 2 * [("not run", None, True)])

    def test_pictures(self):
        """a line over one parameter, a family over two, points of samples"""
        path = SOURCE / "examples/pendulum.yaml"
        take = ("--take", "joint.pin.angle:min", "--take", "energy.kinetic:max", "--time", "0.1", "-q")
        self.hooke("sweep", path, "--vary", "L=0.5:2:4", *take, "--plot", "a.svg")
        text = (self.dir / "a.svg").read_text()
        self.assertEqual((text.count('stroke-width="1.5"'), text.count(">L</text>")), (2, 2))
        line = [x for x in text.split("\n") if 'stroke-width="1.5"' in x][0]
        self.assertEqual(len(line.split('points="')[1].split()), 4)
        self.hooke("sweep", path, "--vary", "m=1,2,3", "--vary", "L=0.5:2:4", *take, "--plot", "b.svg")
        text = (self.dir / "b.svg").read_text()
        self.assertEqual(text.count('stroke-width="1.5"'), 6)
        self.assertIn("energy.kinetic:max, m = 3", text)
        self.hooke("sweep", path, "--vary", "m=1:3", "--vary", "L=0.5:2", "--samples", "7", *take, "--plot", "c.html")
        text = (self.dir / "c.html").read_text()
        self.assertEqual(text.count('stroke-width="1.5"'), 2 * 7 * 4)  # crosses of two strokes, two columns over two parameters
        self.hooke("sweep", path, "--vary", "L=0.5:2:30", *take, "--plot", "d.png")
        for args, words in ((("--vary", "L=1,2", "--plot", "x.pdf", "--take", "energy.kinetic"), ".svg .png .html"),
                            (("--vary", "L=1,2", "--plot", "x.svg"), "--take"),
                            (("--vary", "L=1,2", "--vary", "m=1,2", "--vary", "g=9,10", "--take", "energy.kinetic", "--plot", "x.svg"), "two parameters")):
            self.assertIn(words, self.hooke("sweep", path, *args, code=2).stderr)


if __name__ == "__main__":
    unittest.main()
