#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report, view and plot: what they make, and what they refuse."""
import array
import base64
import json
import re
import resource
import signal
import socket
import struct
import subprocess
import time
import unittest
import xml.dom.minidom
import zlib

from support import FEW, HOOKE, PENDULUM, SHORT, CommandTest, environment


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

    def test_springs_and_dampers(self):
        """a viewer is told what to draw: a coil, a dashpot or one around the other"""
        force = "type: spring_damper, between: [ground, rod], ends: [[0, 0, 1], [0, 0, 0.1]]"
        laws = {"coil": "stiffness: 10", "law": "spring: {linear: 10}", "dash": "damping: 1", "nothing": "stiffness: 0, damping: 1",
                "both": "stiffness: 10, damper: {linear: 1}", "signal": 'stiffness: "10 + t", damping: 0'}
        text = (self.dir / "pendulum.yaml").read_text()
        self.assertNotIn("forces:", text)
        (self.dir / "springs.yaml").write_text(text + "\nforces:\n" + "".join(f"  {n}: {{{force}, {law}}}\n" for n, law in laws.items()))
        self.hooke("run", "springs.yaml", "--report", "springs.html")
        forces = self.data("springs.html")["runs"][0]["scene"]["forces"]
        self.assertEqual({f["name"]: (f["spring"], f["damper"]) for f in forces},
                         {"coil": (True, False), "law": (True, False), "dash": (False, True), "nothing": (False, True),
                          "both": (True, True), "signal": (True, False)})

    def test_settings_are_kept(self):
        """settings in force, given or default"""
        self.hooke("run", "pendulum.yaml", "--output", "set.nc", "--report", "set.html", "--integrator", "generalized_alpha", "--option", "rho_inf=0.75",
                   "--tolerance", "1e-9", "--substeps", "off", "--set", "L=1 + 1")
        settings = self.data("set.html")["runs"][0]["settings"]
        self.assertEqual((settings["tolerance"], settings["substeps"], settings["set"]), (1e-9, False, {"L": "1 + 1"}))
        options = settings["options"]
        self.assertEqual((options["rho_inf"], options["max_iterations"], options["jacobian"], options["step_control"]), (0.75, 50, "keep", "off"))

    def test_report_of_several(self):
        self.hooke("report", "out.nc", "out.csv", "--output", "both.html")
        runs = self.data("both.html")["runs"]
        self.assertEqual([r["scene"] is None for r in runs], [False, True])

    def test_a_long_report_is_thinned(self):
        """the page says so, keeps the extremes, and ends when the run ended"""
        rows = 20004 if SHORT else 100004
        end = (rows - 1) / 1000
        run = ["run", "pendulum.yaml", "--time", end, "--step", "0.001", "--output", "long.nc"]
        if SHORT:
            self.hooke(*run)
            said = self.hooke("report", "long.nc", "--megabytes", "1").stderr
        else:
            said = self.hooke(*run, "--report", "long.html").stderr
        self.assertIn(f"'long.nc' has {rows} rows; the page holds the smallest and largest value of every", said)
        run = self.data("long.html")["runs"][0]
        self.assertEqual(run["rows"], rows)
        self.assertLess(run["kept"], 0.6 * rows)

        def numbers(packed, kind="d"):
            return array.array(kind, base64.b64decode(next(iter(packed.values()))))

        time, frames = numbers(run["time"]), numbers(run["frames"]["time"])
        self.assertEqual(len(time), run["kept"])
        self.assertEqual((time[0], frames[0]), (0, 0))
        self.assertAlmostEqual(time[-1], end, places=9)
        self.assertAlmostEqual(frames[-1], end, places=9)
        angle = numbers(next(c for c in run["channels"] if c["name"] == "joint.pin.angle")["data"], "f")
        whole = self.hooke("plot", "long.nc", "joint.pin.angle").stdout
        low, high = map(float, re.search(r"joint\.pin\.angle \[rad\]  (\S+) \.\.\. (\S+)", whole).groups())
        self.assertAlmostEqual(min(angle), low, places=5)
        self.assertAlmostEqual(max(angle), high, places=5)
        # and its frames, where they are what is long
        rods = "".join(f"  r{i}: {{mass: 1, com: [0.5, {i}, 0], inertia: {{xx: 1, yy: 1, zz: 1}}}}\n" for i in range(40))
        pins = "".join(f"  p{i}: {{type: revolute, between: [ground, r{i}], at: [0, {i}, 0], axis: y}}\n" for i in range(40))
        (self.dir / "many.yaml").write_text(f"hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n{rods}joints:\n{pins}"
                                            f"run: {{time: 20.003, step: {0.01 if SHORT else 0.001}}}\nrecord: [energy.*]\n")
        self.hooke("run", "many.yaml", "--formulation", "recursive", "--output", "many.nc")
        self.hooke("report", "many.nc")
        every = numbers(self.data("many.html")["runs"][0]["frames"]["time"])
        self.hooke("report", "many.nc", "--megabytes", "1")
        some = numbers(self.data("many.html")["runs"][0]["frames"]["time"])
        self.assertTrue(10 < len(some) < len(every))
        self.assertEqual((some[0], some[-1]), (0, every[-1]))

    def test_report_with_the_run(self):
        for more in ([], ["--output", "again.nc"], ["--output", "again.csv"]):
            (self.dir / "page.html").unlink(missing_ok=True)
            self.assertIn("page.html", self.hooke("run", "pendulum.yaml", "--report", "page.html", *more).stdout)
            # called by the result's name, or the model's where there is no result to keep
            self.assertEqual([r["name"] for r in self.data("page.html")["runs"]], ["again.nc" if "again.nc" in more else "pendulum.nc"])
        self.refused("run", "pendulum.yaml", "--report", "nowhere/page.html", code=6, words="nowhere")
        self.refused("run", "pendulum.yaml", "--report", "x.html", "--output", "x.html", words="same name")
        # the model under another of its names
        self.refused("run", "pendulum.yaml", "--report", "./pendulum.yaml", words="does not end in .html")
        self.assertEqual(self.model.read_text(), PENDULUM)

    def test_report_refusals(self):
        self.refused("report", "none.nc", code=6, words="none.nc")
        self.refused("report", "pendulum.yaml", code=6, words="cannot read")
        self.refused("report", "out.nc", "--output", "out.nc", words="is a result itself")
        self.refused("report", "out.nc", "--output", "nowhere/a.html", code=6, words="nowhere")
        self.refused("report", "out.nc", "--output", "pendulum.yaml", words="does not end in .html")
        self.assertEqual(self.model.read_text(), PENDULUM)
        self.refused("report", *9 * ["out.nc"], words="8 arguments at most")
        (self.dir / "cut.nc").write_bytes((self.dir / "out.nc").read_bytes()[:5000])
        self.refused("report", "cut.nc", code=6, words="damaged")

    def test_no_room(self):
        """a disk that is full, within a short run and a long one: said, what was there stays; of the long one the beginning can be read"""
        before = (self.dir / "out.nc").read_bytes()
        # the long one has room for 5000 rows beside two snapshots, which a slow machine takes meanwhile
        for step, limit in (("0.001", 20_000), ("0.00001", 4_000_000)):
            r = subprocess.run([HOOKE, "run", "pendulum.yaml", "--step", step, "--output", "out.nc"], cwd=self.dir,
                               env=environment(), check=False, capture_output=True, text=True, timeout=60,
                               preexec_fn=lambda n=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)))
            self.assertEqual(r.returncode, 6, r.stderr)
            self.assertIn("cannot write", r.stderr)
            self.assertEqual((self.dir / "out.nc").read_bytes(), before)
            part = re.search(r"'([^']*\.part)'", r.stderr)[1]
        (self.dir / part).rename(self.dir / "part.nc")
        self.hooke("report", "part.nc", "--output", "part.html")
        run = self.data("part.html")["runs"][0]
        self.assertEqual(run["status"], "unfinished")
        self.assertGreater(run["rows"], 5000)

    def test_plot(self):
        self.assertIn("joint.pin.angle [rad]", self.hooke("plot", "out.nc").stdout)
        text = self.hooke("plot", "out.nc", "joint.pin.angle", "energy.*").stdout
        self.assertIn("energy.kinetic", text)
        self.assertTrue(re.search("[\u2801-\u28ff]", text))
        self.assertIn("joint.pin.angle", self.hooke("plot", "out.csv", "joint.pin.angle").stdout)
        self.refused("plot", "out.nc", "joint.pin.angel", words="did you mean 'joint.pin.angle'?")
        # what the model can record but the run did not: how to get it
        for name in ("joint.pin.force.x", "body.rod.velocity.z", "force.any.dissipation", "joint.pin.drive"):
            self.refused("plot", "out.nc", name, words=f"add 'record: [\"{name.split('.')[0]}.*\"]'")
        self.refused("plot", "out.nc", "joint.bin.angle", words="did you mean 'joint.pin.angle'?")
        self.refused("plot", "none.nc", "x", code=6)

    def test_plot_tells_curves_apart(self):
        """by marks, where there are no colours; without UTF-8 there is nothing but ASCII"""
        text = self.hooke("plot", "out.nc", "energy.kinetic", "energy.potential").stdout
        self.assertIn("* energy.kinetic", text)
        self.assertIn("o energy.potential", text)
        self.assertGreater(text.count("o"), 60)
        text = self.hooke("plot", "out.nc", "joint.pin.angle", env={"LC_ALL": "C"}).stdout
        self.assertTrue(text.isascii())
        self.assertGreater(text.count("*"), 60)
        for width in (20, 300):
            lines = self.hooke("plot", "out.nc", "joint.pin.angle", env={"COLUMNS": str(width)}).stdout.splitlines()
            self.assertLessEqual(max(map(len, lines[2:])), width)
            self.assertGreater(max(map(len, lines[2:])), width - 8)

    def test_plot_of_odd_numbers(self):
        cases = {"nan": ["nan"] * 3, "inf": ["inf", "1", "-inf"], "huge": ["1.7e308", "-1.7e308", "0"],
                 "tiny": ["5e-324"] * 3, "same": ["7"] * 3}
        rows = [",".join([str(i), *(c[i] for c in cases.values())]) for i in range(3)]
        (self.dir / "odd.csv").write_text("\n".join(["t," + ",".join(cases), *rows, ""]))
        self.assertIn("no numbers", self.hooke("plot", "odd.csv", "nan").stdout)
        for name in cases:
            self.hooke("plot", "odd.csv", name, "--svg", "odd.svg", "--png", "odd.png")
            points = re.findall(r'points="([^"]*)"', (self.dir / "odd.svg").read_text())
            for x in re.findall(r"[^ ,]+", " ".join(points)):
                self.assertTrue(-1 < float(x) < 1000, (name, x))
        # a single row is a point
        (self.dir / "one.csv").write_text("t,a\n0,5\n")
        self.assertTrue(re.search("[\u2801-\u28ff]", self.hooke("plot", "one.csv", "a").stdout))
        self.hooke("plot", "one.csv", "a", "--svg", "one.svg")
        self.assertIn("#2f6db5\" stroke-width=\"1.5", (self.dir / "one.svg").read_text())

    def test_names_do_not_steer_the_terminal(self):
        """escapes, other directions of writing, broken UTF-8, new lines and endless names"""
        names = [b"\x1b[31mred", "\u202eback".encode(), b"broken\xff\xc3", b"del\x7f", "c1\u009b31m".encode(), b"x" * 3000]
        (self.dir / "bad.csv").write_bytes(b"t,harmless," + b",".join(names) + b"\n0,1,2,3,4,5,6,7\n1,1,2,3,4,5,6,7\n")
        shown = [self.hooke("plot", "bad.csv").stdout, self.hooke("plot", "bad.csv", "*").stdout,
                 self.hooke("plot", "bad.csv", "\x1b[31mrod", code=2).stderr]
        for text in shown:
            for c in "\x1b\u202e\x7f\x9b\ufffd":
                self.assertNotIn(c, text)
        self.assertIn("?[31mred", shown[0])
        self.assertIn("...", shown[1])
        self.hooke("plot", "bad.csv", "*", "--svg", "bad.svg", "--png", "bad.png")
        xml.dom.minidom.parse(str(self.dir / "bad.svg"))

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
        self.refused("plot", "out.nc", "joint.*", "--svg", "nowhere/a.svg", code=6, words="No such file")
        before = (self.dir / "out.nc").read_bytes()
        self.refused("plot", "out.nc", "joint.*", "--png", "out.nc", words="does not end in .png")
        self.assertEqual((self.dir / "out.nc").read_bytes(), before)
        # nothing is left of a picture that could not be written, and the old one stays
        before = (self.dir / "a.png").read_bytes()
        r = subprocess.run([HOOKE, "plot", "out.nc", "joint.*", "--png", "a.png"], cwd=self.dir, env=environment(),
                           check=False, capture_output=True, text=True, timeout=60,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
        self.assertEqual(r.returncode, 6, r.stderr)
        self.assertIn("File too large", r.stderr)
        self.assertEqual((self.dir / "a.png").read_bytes(), before)
        (self.dir / "full.png").symlink_to("/dev/full")
        self.refused("plot", "out.nc", "joint.*", "--png", "full.png", code=6, words="not a regular file")
        self.assertEqual([p.name for p in self.dir.glob("*.part")], [])

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

    def test_view_answers_what_it_should(self):
        view = subprocess.Popen([HOOKE, "view", "out.nc", "--no-browser"], cwd=self.dir, env=environment(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        port, path = re.match(r"http://127\.0\.0\.1:(\d+)(/\w+/)$", view.stdout.readline()).groups()

        def ask(data):
            with socket.create_connection(("127.0.0.1", int(port)), timeout=20) as s:
                s.sendall(data.replace("HOST", f"Host: 127.0.0.1:{port}").replace("PATH", path).encode("latin-1"))
                return b"".join(iter(lambda: s.recv(1 << 16), b"")).decode()

        try:
            page = ask("GET PATH HTTP/1.1\r\nHOST\r\n\r\n")
            self.assertTrue(page.startswith("HTTP/1.1 200"))
            head = ask("HEAD PATH HTTP/1.1\r\nHOST\r\n\r\n")
            self.assertEqual(head, page.split("\r\n\r\n")[0] + "\r\n\r\n")
            self.assertIn("Allow: GET, HEAD", ask("PUT PATH HTTP/1.1\r\nHOST\r\n\r\n"))
            for code, text in (("403", "GET PATH HTTP/1.1\r\n\r\n"), ("403", "GET PATH HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
                               ("404", "GET PATH../x HTTP/1.1\r\nHOST\r\n\r\n"), ("404", "HEAD / HTTP/1.1\r\nHOST\r\n\r\n"),
                               ("400", "GET PATH\0 HTTP/1.1\r\n"), ("405", "\r\n\r\n"), ("431", "GET /" + 8187 * "a"),
                               ("431", "GET /" + 200000 * "a"), ("400", "GET PATH HTTP/1.1\r\nHOST\rX: y\r\n\r\n"),
                               ("403", "GET PATH HTTP/1.1\r\nHOST\r\nHost: evil.example\r\n\r\n"),
                               ("403", "GET PATH HTTP/1.1\r\n\r\nHOST\r\n\r\n"),
                               ("200", "GET PATHdetail?run=0&channel=0&from=-1e+1&to=.5 HTTP/1.1\r\nHOST\r\n\r\n"),
                               ("404", "GET PATHdetail?run=0&channel=4294967296&from=0&to=1 HTTP/1.1\r\nHOST\r\n\r\n"),
                               ("404", "GET PATHdetail?run=0&channel=0&from=nan&to=1 HTTP/1.1\r\nHOST\r\n\r\n")):
                self.assertTrue(ask(text).startswith("HTTP/1.1 " + code), text[:60])
            # whoever only waits keeps nobody out
            waiting = [socket.create_connection(("127.0.0.1", int(port))) for _ in range(60)]
            self.assertEqual(ask("GET PATH HTTP/1.1\r\nHOST\r\n\r\n"), page)
            for s in waiting:
                s.close()
            # the port is taken
            self.refused("view", "out.nc", "--no-browser", "--port", port, code=6, words="leave --port out")
        finally:
            view.terminate()
            _, errors = view.communicate(timeout=20)
        self.assertEqual((view.returncode, errors), (0, ""))

    def test_view_opens_the_browser(self):
        script = self.dir / "browser"
        script.write_text('#!/bin/sh\nprintf %s "$1" > opened.tmp && mv opened.tmp opened\n')
        script.chmod(0o755)
        view = subprocess.Popen([HOOKE, "view", "out.nc"], cwd=self.dir, env=environment({"BROWSER": str(script)}),
                                stdout=subprocess.PIPE, text=True)
        address = view.stdout.readline().strip()
        end = time.monotonic() + 20
        while not (self.dir / "opened").exists() and time.monotonic() < end:
            time.sleep(0.05)
        view.terminate()
        view.communicate(timeout=20)
        self.assertEqual((self.dir / "opened").read_text(), address)

    def test_the_report_of_a_run_is_that_of_its_result(self):
        """from memory and from the file the page has the same bytes; a run without HDF5 can make it too"""
        for args in ((), ("--step", "0.0002" if FEW else "0.00002")):
            self.hooke("run", "pendulum.yaml", "-o", "same.nc", "--report", "a.html", "--quiet", *args)
            self.hooke("report", "same.nc", "--output", "b.html")
            self.assertEqual((self.dir / "a.html").read_bytes(), (self.dir / "b.html").read_bytes())
        self.hooke("run", "pendulum.yaml", "-o", "same.csv", "--report", "c.html", "--quiet")
        run = self.data("c.html")["runs"][0]
        self.assertEqual((run["name"], run["rows"], run["status"]), ("pendulum.nc", 101, "ok"))

    def test_boxes_lie_along_the_principal_axes(self):
        """a body without a shape is drawn as a box of its moments, however its axes lie"""
        c, s, moments = 0.8, 0.6, (1.0, 2.0, 2.5)
        turned = (c * c * moments[0] + s * s * moments[1], s * s * moments[0] + c * c * moments[1],
                  c * s * (moments[0] - moments[1]))
        (self.dir / "box.yaml").write_text(f"""hooke: 1
bodies:
  a: {{mass: 3, com: [0, 0, 0], inertia: {{xx: {moments[0]}, yy: {moments[1]}, zz: {moments[2]}}}}}
  b: {{mass: 3, com: [5, 0, 0], inertia: {{xx: {turned[0]}, yy: {turned[1]}, zz: {moments[2]}, xy: {turned[2]}}}}}
run: {{time: 0.1, step: 0.01}}
""")
        self.hooke("run", "box.yaml", "--report", "box.html")
        a, b = self.data("box.html")["runs"][0]["scene"]["shapes"]
        self.assertEqual((a["kind"], b["kind"]), ("box", "box"))
        for x, y in zip(sorted(a["size"]), sorted(b["size"])):
            self.assertAlmostEqual(x, y, delta=1e-6)
        # the longest edge of the second is turned about z by the angle of (c, s), or by half a turn more
        w, x, y, z = b["at"][3:]
        axes = [(1 - 2 * (y * y + z * z), 2 * (x * y + w * z)), (2 * (x * y - w * z), 1 - 2 * (x * x + z * z)),
                (2 * (x * z + w * y), 2 * (y * z - w * x))]
        longest = axes[b["size"].index(max(b["size"]))]
        self.assertAlmostEqual(abs(longest[0] * c + longest[1] * s), 1.0, delta=1e-6)

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
