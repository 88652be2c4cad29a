#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results as MCAP: every byte of the files is accounted for (support_mcap.py), numbers are those of the other formats, poses and shapes
stand where the model has them; where the package `mcap` is installed, it reads the same."""
import csv
import json
import math
import struct
import unittest

from support import PENDULUM, SOURCE, CommandTest, hooke
from support_mcap import decode, read, types_of

SHAPES = """\
  rod:
    mass: 1
    com: [0, 0, -L/2]
    inertia: {xx: 1/12, yy: 1/12, zz: 0.001}
    shape:
      - {box: [0.1, 0.2, 0.3], at: [0, 0, -0.5], colour: "#ff8000"}
      - {sphere: [0, 0, 0], radius: 0.1}
      - {cylinder: [[0, 0, 0], [0, 0.4, 0]], radius: 0.05}
      - {capsule: [[0, 0, 0], [0.6, 0, 0]], radius: 0.05}
      - {cone: [[0, 0, 0], [0, 0, -0.3]], radius: 0.05}
"""


def numbers(message):
    return tuple(message[k] for k in "xyz")


class Mcap(CommandTest):
    def run_to(self, name, model, *options):
        path = self.dir / name
        r = hooke("run", model, "--output", path, "--quiet", *options)
        self.assertEqual(r.returncode, 0, r.stderr)
        return path

    def both(self, model, *options):
        """the file as it was read, and its messages by topic: (seconds, content)"""
        got = read(self.run_to("out.mcap", model, *options))
        types = {k: types_of(v[2]) for k, v in got.schemas.items()}
        topics = {c[1]: [] for c in got.channels.values()}
        for channel, sequence, ns, data in got.messages:
            schema, topic, *_ = got.channels[channel]
            self.assertEqual(sequence, len(topics[topic]))
            topics[topic].append((ns * 1e-9, decode(data, types[schema])))
        return got, topics

    def test_numbers_are_those_of_csv(self):
        got, topics = self.both(self.model)
        self.assertEqual(got.header[0], "ros2")
        rows = list(csv.reader(self.run_to("out.csv", self.model).read_text().splitlines()))
        names = {c[3]["channel"]: c for c in got.channels.values() if "channel" in c[3]}
        self.assertEqual(list(names), rows[0][1:])
        self.assertEqual(names["joint.pin.angle"][1], "/joint/pin/angle")
        self.assertEqual(names["joint.pin.angle"][3]["unit"], "rad")
        for i, name in enumerate(rows[0][1:], 1):
            values = topics[names[name][1]]
            self.assertEqual([v["data"] for _, v in values], [float(row[i]) for row in rows[1:]])
            self.assertTrue(all(abs(t - float(row[0])) < 1e-9 for (t, _), row in zip(values, rows[1:])))
        notes = got.metadata["simulation"][0]
        self.assertEqual((notes["status"], notes["model_text"]), ("ok", self.model.read_text()))
        self.assertEqual(json.loads(notes["summary"])["status"], "ok")

    def test_poses_are_those_of_the_channels(self):
        got, topics = self.both(self.model)
        at = {round(t * 1e9): i for i, (t, _) in enumerate(topics["/body/rod/position/x"])}
        self.assertGreater(len(topics["/tf"]), 40)
        self.assertEqual((topics["/tf"][0][0], topics["/tf"][-1][0]), (0.0, 1.0))
        for t, message in topics["/tf"]:
            one, = message["transforms"]
            i = at[round(t * 1e9)]
            self.assertEqual((one["header"]["frame_id"], one["child_frame_id"]), ("world", "rod"))
            stamp = one["header"]["stamp"]
            self.assertEqual(stamp["sec"] * 10**9 + stamp["nanosec"], round(t * 1e9))
            for k in "xyz":
                self.assertAlmostEqual(one["transform"]["translation"][k], topics[f"/body/rod/position/{k}"][i][1]["data"], delta=1e-7)
            q = [one["transform"]["rotation"][k] for k in "wxyz"]
            p = [topics[f"/body/rod/orientation/{k}"][i][1]["data"] for k in "wxyz"]
            self.assertAlmostEqual(abs(sum(a * b for a, b in zip(p, q))), 1.0, delta=1e-6)
        self.assertEqual(topics["/beams"], [])

    def test_shapes(self):
        start = PENDULUM.index("  rod:")
        self.model.write_text(PENDULUM[:start] + SHAPES + PENDULUM[PENDULUM.index("joints:"):])
        (t, message), = self.both(self.model, "--time", "0.1")[1]["/shapes"]
        self.assertEqual(t, 0.0)
        # places in the frame of the body, which stands in its centre of mass
        box, ball, cylinder, capsule, cap, cap2, cone = message["markers"]
        self.assertTrue(all(m["header"]["frame_id"] == m["ns"] == "rod" and m["frame_locked"] and m["action"] == 0 for m in message["markers"]))
        self.assertEqual([m["id"] for m in message["markers"]], list(range(7)))
        self.assertEqual([m["type"] for m in message["markers"]], [1, 2, 3, 3, 2, 2, 11])
        self.assertEqual(numbers(box["scale"]), (0.1, 0.2, 0.3))
        self.assertEqual(numbers(box["pose"]["position"]), (0, 0, 0))
        self.assertEqual([round(255 * box["color"][k]) for k in "rgba"], [255, 128, 0, 255])
        self.assertEqual(numbers(ball["scale"]), (0.2, 0.2, 0.2))
        self.assertEqual(numbers(cylinder["scale"]), (0.1, 0.1, 0.4))
        for marker, middle in ((cylinder, (0, 0.2, 0.5)), (capsule, (0.3, 0, 0.5)), (cap, (0, 0, 0.5)), (cap2, (0.6, 0, 0.5)), (cone, (0, 0, 0.5))):
            for a, b in zip(numbers(marker["pose"]["position"]), middle):
                self.assertAlmostEqual(a, b, delta=1e-8)
        # the axis of the cylinder lies along y: its z axis by the quaternion
        q = cylinder["pose"]["orientation"]
        self.assertAlmostEqual(2 * (q["y"] * q["z"] - q["w"] * q["x"]), 1.0, delta=1e-8)
        tips = {numbers(p) for p in cone["points"] if p["z"] > 0}
        self.assertEqual(tips, {(0.0, 0.0, 0.3)})
        self.assertEqual(len(cone["points"]) % 3, 0)
        self.assertAlmostEqual(max(math.hypot(p["x"], p["y"]) for p in cone["points"]), 0.05, delta=1e-12)

    def test_a_vehicle_in_several_chunks(self):
        got, topics = self.both(SOURCE / "examples/iltis/cosine-bump.yaml", "--time", "0.2", "--formulation", "redundant")
        self.assertGreater(len(got.chunks), 2)
        spans = [c.times for c in got.chunks[:-1]]
        self.assertTrue(all(a[1] <= b[0] for a, b in zip(spans, spans[1:])), spans)
        self.assertEqual(got.chunks[-1].times, (0, 0))  # the road, which is known last
        road = topics["/shapes"][1][1]["markers"][0]
        self.assertEqual((road["type"], road["ns"], road["header"]["frame_id"]), (4, "road", "world"))
        x = [p["x"] for p in road["points"]]
        self.assertTrue(x == sorted(x) and x[-1] - x[0] > 1.0)
        frames = [f["child_frame_id"] for f in topics["/tf"][0][1]["transforms"]]
        self.assertEqual(len(frames), len(set(frames)))
        self.assertTrue({m["header"]["frame_id"] for m in topics["/shapes"][0][1]["markers"]} <= {*frames, "world"})

    def test_beams_and_meshes(self):
        topics = self.both(SOURCE / "examples/flexible-pendulum.yaml", "--time", "0.05")[1]
        self.assertEqual(len(topics["/beams"]), len(topics["/tf"]))
        (_, poses), (_, lines) = topics["/tf"][-1], topics["/beams"][-1]
        line, = lines["markers"]
        places = [numbers(p["transform"]["translation"]) for p in poses["transforms"]]
        self.assertEqual([numbers(p) for p in line["points"]], places)
        (self.dir / "tetra.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        self.model.write_text(PENDULUM.replace("zz: 0.001}}", "zz: 0.001}, shape: {mesh: tetra.obj, at: [0, 0, 0]}}"))
        mesh, = self.both(self.model, "--time", "0.02")[1]["/shapes"][0][1]["markers"]
        self.assertEqual((mesh["type"], len(mesh["points"])), (11, 12))
        self.assertEqual(numbers(mesh["points"][2]), (1, 0, 0))

    def test_in_real_time(self):
        live = self.dir / "live.mcap"
        r = hooke("realtime", self.model, "--pace", "fast", "--policy", "other", "--output", live)
        self.assertEqual(r.returncode, 0, r.stderr)
        plain = read(self.run_to("plain.mcap", self.model))
        timed = read(live)
        self.assertEqual(sorted(timed.messages), sorted(plain.messages))

    def test_runs_that_fail_or_cannot_start(self):
        self.model.write_text(PENDULUM.replace("start:", "forces: {f: {type: force, on: rod, at: [0, 0, -1], direction: [1, 0, 0], value: 1/(0.5-t)}}\nstart:"))
        out = self.dir / "failed.mcap"
        r = hooke("run", self.model, "--output", out)
        if r.returncode == 5:
            self.assertEqual(read(out).metadata["simulation"][0]["status"], "failed")
        self.model.write_text(PENDULUM)
        r = hooke("run", self.model, "--output", self.dir / "no/such/x.mcap")
        self.assertEqual(r.returncode, 6)
        r = hooke("run", self.model, "--output", self.dir / "x.bag")
        self.assertEqual(r.returncode, 2)
        self.assertIn("known are .csv, .nc and .mcap", r.stderr)
        r = hooke("statics", SOURCE / "examples/hinged-column.yaml", "--output", self.dir / "x.mcap")
        self.assertEqual(r.returncode, 2, r.stderr)
        self.assertIn("a .mcap file holds runs over time", r.stderr)
        self.assertEqual(list(self.dir.glob("*.part")) + list(self.dir.glob("x.*")), [])

    def test_resumed_runs_want_another_file(self):
        out = self.run_to("x.mcap", self.model, "--time", "0.5", "--checkpoint", self.dir / "c.bin")
        before = out.read_bytes()
        r = hooke("run", self.model, "--resume", self.dir / "c.bin", "--output", out)
        self.assertNotEqual(r.returncode, 0)
        self.assertEqual(out.read_bytes(), before)
        self.assertIn("mcap", r.stderr)

    def test_the_package(self):
        try:
            from mcap.reader import make_reader
            from mcap.stream_reader import StreamReader
        except ImportError:
            self.skipTest("the Python package mcap is not installed")
        path = self.run_to("out.mcap", SOURCE / "examples/iltis/cosine-bump.yaml", "--time", "0.2")
        mine = read(path)
        with path.open("rb") as f:
            self.assertGreater(sum(1 for _ in StreamReader(f, validate_crcs=True).records), 10)
            f.seek(0)
            reader = make_reader(f, validate_crcs=True)
            theirs = [(c.id, m.sequence, m.log_time, m.data) for _, c, m in reader.iter_messages()]
            self.assertEqual(sorted(theirs), sorted(mine.messages))
            self.assertEqual([m[2] for m in theirs], sorted(m[2] for m in theirs))
            self.assertEqual(reader.get_summary().statistics.message_count, len(mine.messages))
        try:
            from mcap_ros2.decoder import DecoderFactory
        except ImportError:
            return
        with path.open("rb") as f:
            reader = make_reader(f, decoder_factories=[DecoderFactory()])
            for _, channel, message, ros in reader.iter_decoded_messages(topics=["/tf", "/shapes", "/body/chassis/position/x"]):
                if channel.topic == "/tf":
                    self.assertEqual(ros.transforms[0].child_frame_id, "chassis")
                if channel.topic.startswith("/body"):
                    self.assertEqual(ros.data, struct.unpack("<d", message.data[4:])[0])


if __name__ == "__main__":
    unittest.main()
