#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A resumed run that writes into the result of the run before it: the rows are joined, or the file is refused and stays."""
import array
import base64
import json
import os
import re
import unittest

from support import CommandTest


class Join(CommandTest):
    def run_model(self, *args, **more):
        return self.hooke("run", "pendulum.yaml", "-q", *args, **more)

    def data(self, name):
        html = (self.dir / name).read_text()
        return json.loads(re.search(r'id="hooke-data">(.*?)</script>', html, re.S)[1])["runs"][0]

    def times(self, run, key):
        return array.array("d", base64.b64decode(next(iter((run[key] if key == "time" else run[key]["time"]).values()))))

    def test_csv(self):
        """byte for byte the file of a run without a stop, with rows at every step, on a grid that the stop is on, and off it"""
        for every in ([], ["--output-every", "0.05"], ["--output-every", "0.03"]):
            self.run_model("-o", "whole.csv", *every)
            self.run_model("--time", "0.5", "-o", "out.csv", "--checkpoint", "state", *every)
            self.run_model("--resume", "state", "-o", "out.csv", *every)
            self.assertEqual((self.dir / "out.csv").read_bytes(), (self.dir / "whole.csv").read_bytes(), every)

    def test_stops_twice_and_goes_back(self):
        """two stops; and from an older checkpoint, whose later rows are made anew"""
        self.run_model("-o", "whole.csv")
        self.run_model("--time", "0.3", "-o", "out.csv", "--checkpoint", "early")
        self.run_model("--time", "0.6", "-o", "out.csv", "--resume", "early", "--checkpoint", "late")
        self.run_model("-o", "out.csv", "--resume", "late")
        self.assertEqual((self.dir / "out.csv").read_bytes(), (self.dir / "whole.csv").read_bytes())
        self.run_model("-o", "out.csv", "--resume", "early")
        self.assertEqual((self.dir / "out.csv").read_bytes(), (self.dir / "whole.csv").read_bytes())

    def test_netcdf_and_report(self):
        """the same rows in .nc and in the page, frames from the start to the end"""
        self.run_model("-o", "whole.nc")
        self.hooke("report", "whole.nc")
        self.run_model("--time", "0.5", "-o", "out.nc", "--checkpoint", "state")
        self.run_model("--resume", "state", "-o", "out.nc", "--report", "page.html")
        self.hooke("report", "out.nc")
        whole, out, page = self.data("whole.html"), self.data("out.html"), self.data("page.html")
        for run in (out, page):
            self.assertEqual(run["rows"], whole["rows"])
            self.assertEqual(self.times(run, "time"), self.times(whole, "time"))
            self.assertEqual(run["channels"], whole["channels"])
            frames = self.times(run, "frames")
            self.assertEqual((frames[0], frames[-1]), (0, 1))
            self.assertEqual(sorted(set(frames)), list(frames))
            self.assertGreaterEqual(len(frames), len(self.times(whole, "frames")))

    def refused_and_kept(self, *args, words):
        before = (self.dir / "out.csv").read_bytes()
        said = self.run_model("--resume", "state", "-o", "out.csv", *args, code=6).stderr
        self.assertIn("cannot go on in 'out.csv'", said)
        self.assertIn(words, said)
        self.assertEqual((self.dir / "out.csv").read_bytes(), before)

    def test_refusals(self):
        self.run_model("--time", "0.5", "-o", "out.csv", "--checkpoint", "state")
        good = (self.dir / "out.csv").read_text()
        (self.dir / "out.csv").write_text(good.replace("joint.pin.angle", "joint.pin.other", 1))
        self.refused_and_kept(words="other channels")
        self.run_model("--time", "0.4", "-o", "out.csv")
        self.refused_and_kept(words="its rows end at t = 0.4 s, before the checkpoint at 0.5 s")
        self.run_model("--time", "0.4", "-o", "out.csv", "--output-every", "0.1")
        self.refused_and_kept("--output-every", "0.1", words="its rows end at t = 0.4 s")
        # a result that a resumed run began
        (self.dir / "out.csv").unlink()
        self.run_model("--resume", "state", "-o", "out.csv")
        self.refused_and_kept(words="its rows begin at t = 0.51 s, after the checkpoint at 0.5 s")
        (self.dir / "out.csv").write_text("no result\n")
        self.run_model("--resume", "state", "-o", "out.csv", code=6)
        self.assertEqual((self.dir / "out.csv").read_text(), "no result\n")
        # a result of the same channels, of another model
        self.run_model("--time", "0.5", "--set", "L=2", "-o", "out.nc")
        text = self.model.read_text()
        self.model.write_text(text + "# changed\n")
        self.run_model("--time", "0.5", "-o", "out.nc")
        self.model.write_text(text)
        said = self.run_model("--resume", "state", "-o", "out.nc", code=6).stderr
        self.assertIn("it is the result of another model", said)

    def test_a_new_file_begins_at_the_checkpoint(self):
        self.run_model("--time", "0.5", "--checkpoint", "state")
        self.run_model("--resume", "state", "-o", "new.csv")
        self.assertEqual((self.dir / "new.csv").read_text().splitlines()[1].split(",")[0], "0.51")

    def test_a_pipe_is_no_checkpoint(self):
        os.mkfifo(self.dir / "pipe")
        self.refused("run", "pendulum.yaml", "--resume", "pipe", code=6, words="it is a pipe")


class Promise(CommandTest):
    """what is said about the bits of a resumed run"""

    def halves(self, *methods):
        self.hooke("run", "pendulum.yaml", "-q", "-o", "whole.csv", *methods)
        self.hooke("run", "pendulum.yaml", "-q", "-o", "out.csv", "--checkpoint", "state", "--time", "0.5", *methods)
        said = self.hooke("run", "pendulum.yaml", "-o", "out.csv", "--resume", "state", *methods).stderr
        rows = [[list(map(float, line.split(","))) for line in (self.dir / name).read_text().splitlines()[1:]]
                for name in ("whole.csv", "out.csv")]
        same = (self.dir / "out.csv").read_bytes() == (self.dir / "whole.csv").read_bytes()
        return said, same, rows

    def test_own_methods_are_the_same_to_the_last_bit(self):
        for methods in (["-i", "trapezoidal"], ["-i", "sdirk"], ["-i", "rk4", "-f", "partition"], ["-i", "multistep", "-f", "redundant"]):
            said, same, _ = self.halves(*methods)
            self.assertTrue(same, methods)
            self.assertNotIn("note", said)

    def test_bdf_says_that_it_is_not(self):
        said, _, (whole, out) = self.halves("-i", "bdf", "-f", "redundant")
        self.assertIn("not bit by bit", said)
        self.assertEqual([r[0] for r in out], [r[0] for r in whole])
        # angle and rate within a thousand times the tolerance of each step
        for a, b in zip(whole, out):
            for x, y in zip(a[:3], b[:3]):
                self.assertLess(abs(x - y), 1e-3)
        self.assertIn("within its tolerance", self.hooke("run", "--help").stdout.replace("\n", " ").replace("  ", " "))


if __name__ == "__main__":
    unittest.main()
