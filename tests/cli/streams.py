#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Streams: a spring in another program over every way, in C, in Python, in a second hooke; the same again from a tape; what hostile or
absent peers lead to. Nothing here depends on how fast the machine is."""
import importlib.util
import json
import math
import os
import pathlib
import socket
import subprocess
import sys
import time
import unittest

from support import FEW, HOOKE, SOURCE, CommandTest, crash, environment, hooke

PROGRAMS = pathlib.Path(HOOKE).resolve().parent / "examples/c"
EXAMPLE = (SOURCE / "examples/streamed-spring.yaml").read_text()
SPRING = SOURCE / "examples/streams/spring.py"
_spec = importlib.util.spec_from_file_location("stream", SOURCE / "python/hooke/stream.py")
stream = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(stream)

SPRING_MODEL = """\
hooke: 1
gravity: [0, 0, 0]
bodies: {clock: {mass: 1, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}
joints: {pin: {type: revolute, between: [ground, clock], at: [0, 0, 0], axis: z}}
streams:
  place: {in: {WAY: "PLACE"}, listen: false, blocking: true, start: [0.1], on_end: stop}
  force: {out: {WAY: "FORCE"}, values: [signal.f]}
signals: {x: {stream: place}, f: -200*x}
record: [signal.f]
run: {time: 10, step: 1.0e-3, integrator: trapezoidal}
"""


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Streams(CommandTest):
    def places(self, way):
        if way == "unix":
            return str(self.dir / "place"), str(self.dir / "force")
        if way == "shm":
            self.addCleanup(lambda: [pathlib.Path(f"/dev/shm/hooke-test-{os.getpid()}-{x}").unlink(missing_ok=True) for x in "ab"])
            return f"hooke-test-{os.getpid()}-a", f"hooke-test-{os.getpid()}-b"
        return f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"

    def block(self, way, place, force, keys="blocking: true"):
        text = EXAMPLE.replace("{unix: /tmp/hooke-spring-place}", f'{{{way}: "{place}"}}').replace("{unix: /tmp/hooke-spring-force}", f'{{{way}: "{force}"}}')
        text = text.replace("position], ", "position], blocking: true, ") if way == "shm" else text
        if way == "udp":
            text = text.replace(", listen: true", "")
        text = text.replace("start: [-k*x0]", "start: [-k*x0]" if "timeout" in keys else "start: [-k*x0], timeout: 5")
        text = text.replace("blocking: true", keys)
        path = self.dir / "block.yaml"
        path.write_text(text)
        return path

    def start(self, *args):
        process = subprocess.Popen([HOOKE, *map(str, args)], cwd=self.dir, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def finish(self, process, code=0, limit=60):
        out, err = process.communicate(timeout=limit)
        process.stderr_text = err
        self.assertIsNone(crash(type("R", (), {"returncode": process.returncode, "stderr": err})), err)
        self.assertEqual(process.returncode, code, err)
        return out, err

    def with_peer(self, peer, way, *options):
        """the block with the spring in another program: the JSON of the run, what the peer says"""
        place, force = self.places(way)
        model = self.block(way, place, force)
        run = self.start("run", model, "--connect", "--json", *options)
        other = subprocess.run([*peer, f"{way}:{place}", f"{way}:{force}", "200"], capture_output=True, text=True, timeout=60, check=False)
        out, _ = self.finish(run)
        self.assertEqual(other.returncode, 0, other.stderr)
        return json.loads(out), other.stdout

    def test_python_peer_first_order(self):
        errors = []
        for h, steps in ((2e-3, 500), (1e-3, 1000)):
            told, said = self.with_peer([sys.executable, SPRING], "unix", "--step", h)
            self.assertEqual(said, f"{steps + 1} frames, 0 lost\n")
            place, force = told["streams"]["place"], told["streams"]["force"]
            self.assertEqual((place["frames"], place["lost"], force["frames"], force["lost"], force["reordered"]), (steps + 1, 0, steps, 0, 0))
            errors.append(abs(told["final"]["joint.rail.position"] - 0.1 * math.cos(10)))
            self.assertEqual(told["grade"], "good")
        self.assertLess(errors[1], 6e-3)
        self.assertTrue(1.7 < errors[0] / errors[1] < 2.4, errors)

    def test_c_peer_over_connections(self):
        if not (PROGRAMS / "spring-peer").exists():
            self.skipTest("the examples are not built")
        for way in ("tcp",) if FEW else ("tcp", "unix"):
            told, said = self.with_peer([PROGRAMS / "spring-peer"], way, "--time", "0.1")
            self.assertEqual(said, "101 frames, 0 lost\n")
            self.assertEqual((told["streams"]["force"]["frames"], told["streams"]["force"]["lost"]), (100, 0))

    def test_shared_memory(self):
        for peer in ([sys.executable, SPRING], [PROGRAMS / "spring-peer"]):
            if not pathlib.Path(peer[0]).exists():
                continue
            told, said = self.with_peer(peer, "shm", "--time", "0.05")
            self.assertEqual(told["streams"]["force"]["frames"], 50)
            self.assertEqual(told["streams"]["force"]["lost"], 0)
            self.assertRegex(said, r"^5[01] frames, 0 lost\n$")  # the last one may be gone with the end

    def test_two_hookes(self):
        for way in ("unix", "tcp"):
            place, force = self.places(way)
            model = self.block(way, place, force)
            spring = self.dir / "spring.yaml"
            spring.write_text(SPRING_MODEL.replace("WAY", way).replace("PLACE", place).replace("FORCE", force))
            run = self.start("run", model, "--connect", "--json", "--time", "0.2")
            other = self.start("run", spring, "--connect", "--json")
            told = json.loads(self.finish(run)[0])
            self.finish(other)
            self.assertAlmostEqual(told["final"]["joint.rail.position"], 0.1 * math.cos(2), delta=2e-3)
            self.assertEqual(told["streams"]["force"]["frames"], 200)

    def test_the_same_again(self):
        place, force = self.places("udp")
        model = self.block("udp", place, force, "blocking: false, every: 3, hold: linear")
        run = self.start("realtime", model, "--pace", "fast", "--iterations", "2", "--json", "--keep-inputs", "tape.csv", "--output", "a.csv", "--time", "0.3")
        with stream.connect(f"udp:{force}") as out:
            for i in range(3000):  # as they come: which step takes which is chance
                out.send(0.0, [-20 + 0.01 * i])
                if run.poll() is not None:
                    break
                time.sleep(1e-4)
        told = json.loads(self.finish(run)[0])
        self.assertEqual(told["streams"]["force"]["malformed"], 0)
        r = hooke("run", model, "--replay", "tape.csv", "--option", "fixed_iterations=2", "--output", "b.csv", "--time", "0.3", "--quiet", cwd=self.dir)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual((self.dir / "a.csv").read_bytes(), (self.dir / "b.csv").read_bytes())
        (self.dir / "bad.csv").write_text("t,nobody\n0,1\n")
        r = hooke("run", model, "--replay", "bad.csv", cwd=self.dir)
        self.assertEqual(r.returncode, 6)
        self.assertIn("bad.csv:1: the model has no input 'nobody'", r.stderr)
        (self.dir / "bad.csv").write_text("t,pull\n0,1\n0.001,x\n")
        self.assertIn("bad.csv:3: there is something else than a number", hooke("run", model, "--replay", "bad.csv", cwd=self.dir).stderr)

    def test_standard_input_and_output(self):
        text = EXAMPLE.replace("{unix: /tmp/hooke-spring-place}", "stdout").replace("{unix: /tmp/hooke-spring-force}", "stdin").replace(", listen: true", ", format: raw")
        self.model.write_text(text)
        frames = b"".join(stream.pack([-20.0], i) for i in range(10)) + stream.pack((), 10, flags=1)
        run = subprocess.run([HOOKE, "run", self.model, "--connect", "--time", "0.01"], input=frames, capture_output=True, timeout=60, env=environment(), check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(run.stdout), 8 * 11)
        self.assertIn(b"simulated", run.stderr)

    def refused_run(self, way, data, code, words, keys="blocking: true", close=True):
        place, force_at = self.places(way)
        model = self.block(way, place, force_at, keys)
        model.write_text(model.read_text().replace('  place: {out', '  # place: {out'))
        run = self.start("run", model, "--connect", "--output", "kept.csv")
        peer = stream.connect(f"{way}:{force_at}")
        for _ in range(200 if way == "udp" else 1):
            peer._socket.sendall(data)
            if way == "udp":
                time.sleep(0.005)
                if run.poll() is not None:
                    break
        if close:
            peer._socket.close()
        _, err = self.finish(run, code)
        self.assertIn(words, err)
        peer._socket.close()
        return err

    def test_what_peers_do(self):
        good = b"".join(stream.pack([-20.0], i) for i in range(5))
        for way in ("unix",) if FEW else ("unix", "tcp"):
            self.refused_run(way, good + b"junk that is no frame at all, but long enough for one", 6, "'force' a malformed frame: it begins with")
            self.assertEqual(len((self.dir / "kept.csv").read_text().splitlines()), 7)  # names, the start, five steps
        self.refused_run("unix", good + stream.pack((), 5, flags=1), 6, "'force' was ended by the other side")
        self.refused_run("unix", good, 6, "'force' was ended by the other side")
        self.refused_run("unix", good + stream.pack([-20.0], 5)[:30], 6, "'force' was broken off in the middle of a frame, after 30 bytes of it")
        self.assertEqual(len((self.dir / "kept.csv").read_text().splitlines()), 7)
        self.refused_run("unix", good + stream.pack([1.0, 2.0], 5), 6, "it has 2 values, and the stream 1 columns")
        self.refused_run("unix", good + stream.pack([float("nan")], 5), 6, "value 1 of it is no number")
        self.refused_run("unix", good, 6, "nothing has come for 0.2 s", keys="blocking: true, timeout: 0.2", close=False)
        err = self.refused_run("unix", good, 0, "", keys="blocking: true, on_end: stop")
        self.assertEqual(err, "")
        self.refused_run("unix", good, 0, "", keys="blocking: true, on_end: hold")

    def test_floods(self):
        """rubbish and frames without end: the run goes on, and counts; memory is bounded by what it was"""
        place, force = self.places("udp")
        model = self.block("udp", place, force, "blocking: false")
        model.write_text(model.read_text().replace("  place: {out", "  # place: {out"))
        run = self.start("realtime", model, "--pace", "fast", "--policy", "other", "--json", "--time", "0.5")
        host, port = force.split(":")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            i = 0
            while run.poll() is None:
                s.sendto(b"x" * (i % 1400) if i % 2 else stream.pack([-20.0], i), (host, int(port)))
                i += 1
        told = json.loads(self.finish(run)[0])
        self.assertEqual(told["periods"], 500)
        self.assertEqual(told["status"], "ok")

    def test_pace_of_streams(self):
        place, force = self.places("udp")
        r = hooke("realtime", self.block("udp", place, force, "blocking: false"), "--pace", "io")
        self.assertEqual(r.returncode, 2)
        self.assertIn("no stream of the model makes its steps wait", r.stderr)

    def test_nobody_there(self):
        place, force = self.places("unix")
        model = self.block("unix", place, force)
        model.write_text(model.read_text().replace("timeout: 5", "timeout: 0.1").replace("listen: true", "listen: true, timeout: 0.1"))
        r = hooke("run", model, "--connect", "--output", "none.csv", cwd=self.dir)
        self.assertEqual(r.returncode, 6)
        self.assertIn("nobody is at the other side of stream", r.stderr)
        self.assertFalse((self.dir / "none.csv").exists() or (self.dir / "place").exists())
        r = hooke("run", model, "--time", "0.01")  # without --connect nothing is opened
        self.assertEqual(r.returncode, 0, r.stderr)
        r = hooke("run", model, "--connect", "--integrator", "dopri5")
        self.assertEqual(r.returncode, 2)
        self.assertIn("the error decides on the length of the steps", r.stderr)

    def test_models_that_are_wrong(self):
        for old, new, words in (("stream: force", "stream: gust", "there is no such stream in"), ("stream: force", "stream: force, column: 2", "from 1 to 1"),
                                ("values: [joint.rail.position]", "values: [joint.rail.angle]", "unknown channel"), ("blocking: true", "blocking: true, values: [t]", "belongs to a stream out"),
                                ("{unix: /tmp/hooke-spring-force}", "{pigeon: x}", "pigeon"), ("{unix: /tmp/hooke-spring-force}", "stdout", "must be {udp"),
                                ("blocking: true", "every: 0", "'every' must be a whole number"), ("blocking: true", "names: [a, b]", "1 columns and 2 names"),
                                ("blocking: true", "colums: 2", "colums"), ("blocking: true", "on_end: explode", "on_end")):
            self.model.write_text(EXAMPLE.replace(old, new))
            r = hooke("check", self.model)
            self.assertEqual(r.returncode, 3, (new, r.stderr))
            self.assertIn(words, r.stderr, new)
            self.assertRegex(r.stderr, r"pendulum.yaml:\d+:\d+")


if __name__ == "__main__":
    unittest.main()
