#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report, view and plot: what they make, and what they refuse."""
import json
import re
import signal
import struct
import subprocess
import unittest
import zlib

from support import HOOKE, PENDULUM, CommandTest, environment


class Results(CommandTest):
    def setUp(self):
        super().setUp()
        for name in ("out.nc", "out.csv"):
            self.hooke("run", "pendulum.yaml", "--output", name)

    def data(self, name):
        html = (self.dir / name).read_text()
        return json.loads(re.search(r'id="hooke-data">(.*?)</script>', html, re.S)[1])

    def test_report(self):
        self.assertIn("out.html", self.hooke("report", "out.nc").stdout)
        run = self.data("out.html")["runs"][0]
        self.assertEqual((run["rows"], run["kept"], run["title"]), (101, 101, "Pendulum"))
        self.assertEqual(run["scene"]["bodies"][0]["name"], "rod")
        self.assertEqual(run["summary"]["status"], "ok")
        self.assertIn("hooke: 1", run["model_text"])
        self.assertEqual(run["model_files"], [])
        # a body without a shape has one from its joint to its centre of mass
        self.assertTrue(all(s["automatic"] for s in run["scene"]["shapes"]))

    def test_report_of_several(self):
        self.hooke("report", "out.nc", "out.csv", "--output", "both.html")
        runs = self.data("both.html")["runs"]
        self.assertEqual([r["scene"] is None for r in runs], [False, True])

    def test_report_with_the_run(self):
        for more in ([], ["--output", "again.nc"], ["--output", "again.csv"]):
            (self.dir / "page.html").unlink(missing_ok=True)
            self.assertIn("page.html", self.hooke("run", "pendulum.yaml", "--report", "page.html", *more).stdout)
            self.assertEqual(len(self.data("page.html")["runs"]), 1)
        self.refused("run", "pendulum.yaml", "--report", "nowhere/page.html", code=6, words="nowhere")
        self.refused("run", "pendulum.yaml", "--report", "x.csv", "--output", "x.csv", words="same name")

    def test_report_refusals(self):
        self.refused("report", "none.nc", code=6, words="none.nc")
        self.refused("report", "pendulum.yaml", code=6, words="cannot read")
        self.refused("report", "out.nc", "--output", "out.nc", words="is a result itself")
        self.refused("report", "out.nc", "--output", "nowhere/a.html", code=6, words="nowhere")
        (self.dir / "cut.nc").write_bytes((self.dir / "out.nc").read_bytes()[:5000])
        self.refused("report", "cut.nc", code=6, words="damaged")

    def test_plot(self):
        self.assertIn("joint.pin.angle [rad]", self.hooke("plot", "out.nc").stdout)
        text = self.hooke("plot", "out.nc", "joint.pin.angle", "energy.*").stdout
        self.assertIn("energy.kinetic", text)
        self.assertTrue(re.search("[\u2801-\u28ff]", text))
        self.assertIn("joint.pin.angle", self.hooke("plot", "out.csv", "joint.pin.angle").stdout)
        self.refused("plot", "out.nc", "joint.pin.angel", words="did you mean 'joint.pin.angle'?")
        self.refused("plot", "none.nc", "x", code=6)

    def test_pictures(self):
        self.hooke("plot", "out.nc", "joint.*", "body.rod.position", "--svg", "a.svg", "--png", "a.png")
        self.assertIn("<polyline", (self.dir / "a.svg").read_text())
        data, at, found = (self.dir / "a.png").read_bytes(), 8, []
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        while at < len(data):
            n, name = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + n]
            self.assertEqual(struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0], zlib.crc32(name + body))
            found.append(name)
            if name == b"IHDR":
                width, height = struct.unpack(">II", body[:8])
            if name == b"IDAT":
                self.assertEqual(len(zlib.decompress(body)), height * (1 + 3 * width))
            at += 12 + n
        self.assertEqual(found, [b"IHDR", b"IDAT", b"IEND"])
        self.refused("plot", "out.nc", "joint.*", "--svg", "nowhere/a.svg", code=6)

    def test_names_are_no_markup(self):
        (self.dir / "bad.csv").write_text('t,"<script>alert(1)</script>&"\n0,1\n1,2\n')
        self.hooke("plot", "bad.csv", "*", "--svg", "bad.svg")
        self.assertNotIn("<script>", (self.dir / "bad.svg").read_text())
        self.hooke("report", "bad.csv")
        self.assertNotIn("<script>alert", (self.dir / "bad.html").read_text())

    def test_view_ends_cleanly(self):
        view = subprocess.Popen([HOOKE, "view", "out.nc", "--no-browser"], cwd=self.dir, env=environment(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertRegex(view.stdout.readline(), r"^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$")
        view.send_signal(signal.SIGINT)
        _, errors = view.communicate(timeout=20)
        self.assertEqual((view.returncode, errors), (0, ""))
        self.refused("view", "none.nc", "--no-browser", code=6)
        self.refused("view", "out.nc", "--no-browser", "--port", "70000", words="65535")

    def test_meshes(self):
        shape = "inertia: {xx: 1/12, yy: 1/12, zz: 0.001}, shape: {mesh: MESH}"
        model = PENDULUM.replace("inertia: {xx: 1/12, yy: 1/12, zz: 0.001}", shape)
        (self.dir / "m.yaml").write_text(model.replace("MESH", "t.obj"))
        (self.dir / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.hooke("run", "m.yaml", "--report", "m.html")
        shapes = self.data("m.html")["runs"][0]["scene"]["shapes"]
        self.assertEqual([s["kind"] for s in shapes], ["mesh"])
        (self.dir / "t.obj").write_text("v 0 0 0\nf 1 2 3\n")
        self.refused("run", "m.yaml", code=3, words="t.obj:2:1: error: bad mesh")
        (self.dir / "m.yaml").write_text(model.replace("MESH", "gone.stl"))
        self.refused("run", "m.yaml", code=6, words="m.yaml:6:")


if __name__ == "__main__":
    unittest.main()
