#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""External forces: a spring, an added mass, a pressure in another program. Tight coupling gives the motion of the whole model, loose one its
order, and the added mass tells them apart; orientations, surfaces, exchanges every few steps, steps that events repeat; hostile and stalled peers:
named errors, results kept. Nothing here depends on how fast the machine is."""
import importlib.util
import json
import math
import socket
import struct
import subprocess
import sys
import threading
import unittest

from support import HOOKE, SOURCE, CommandTest, environment, hooke

_spec = importlib.util.spec_from_file_location("peer", SOURCE / "python/hooke/peer.py")
peer = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(peer)

MASS = """\
hooke: 1
gravity: [0, 0, 0]
bodies: {block: {mass: 2, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}
joints: {rail: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: x}}
run: {time: TIME, step: STEP, integrator: trapezoidal}
record: [joint.rail.position]
"""
SPRING = MASS + "start: {rail: {position: 0.1}}\n"
WHOLE = "forces: {k: {type: joint_force, joint: rail, value: -200*joint.rail.position}}\n"
EVENT = "parameters: {c: 0}\nevents: {hit: {when: joint.rail.position < 0.0123, set: {c: 1}}}\n"
FREE = """\
hooke: 1
gravity: [0, 0, 0]
bodies: {a: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1], frame: {at: [0.3, 0, 0]}}}
record: [body.a.*]
run: {time: 0.2, step: 0.01}
"""


class External(CommandTest):
    def write(self, text, keys, step=0.01, time=0.5):
        place = self.dir / "socket"
        external = f"external: {{f: {{{keys}, peer: {{unix: '{place}'}}}}}}\n" if keys else ""
        (self.dir / "m.yaml").write_text(text.replace("TIME", str(time)).replace("STEP", str(step)) + external)
        return f"unix:{place}"

    def run_with(self, talk, text, keys, code=0, step=0.01, time=0.5):
        """the run's JSON, and what `talk`, the other program, returns"""
        address, out = self.write(text, keys, step, time), []

        def other():
            try:
                out.append(talk(address))
            except OSError as error:  # told by what the run says
                out.append(error)

        thread = threading.Thread(target=other)
        thread.start()
        result = self.hooke("run", "m.yaml", "--connect", "--json", "-o", "out.csv", code=code)
        thread.join()
        return (json.loads(result.stdout) if result.stdout else None), out[0], result.stderr

    def spring(self, address, orientation="none", once=False, k=200.0):
        last, again = 0.0, 0
        with peer.connect(address, nodes=1, orientation=orientation) as model:
            for m in model:
                x, again = m.position[0][0], again + (m.again and m.iteration == 0)
                model.answer([[-k * x, 0, 0]], converged=once or (m.iteration > 0 and abs(x - last) < 1e-12))
                last = x
        return again

    def end(self, run):
        return run["final"]["joint.rail.position"]

    def whole(self, step=0.01, time=0.5, more=""):
        self.write(SPRING + WHOLE + more, "", step, time)
        return self.end(json.loads(self.hooke("run", "m.yaml", "--json").stdout))

    def test_tight_is_the_whole(self):
        whole = self.whole()
        for more in ("", ", relaxation: aitken, factor: 0.8", ", relaxation: constant"):
            run, _, _ = self.run_with(self.spring, SPRING, "bodies: [block], coupling: tight, orientation: none" + more)
            self.assertAlmostEqual(self.end(run), whole, delta=1e-9, msg=more)
            told = run["external"]["f"]
            self.assertEqual((told["nodes"], told["ended"]), (1, False))
            self.assertGreater(told["exchanges"], 100)
            self.assertLessEqual(told["most_in_a_step"], 12)

    def test_order_of_loose(self):
        for coupling in ("previous", "loose"):
            e = [abs(self.end(self.run_with(lambda a: self.spring(a, once=True), SPRING, f"bodies: [block], coupling: {coupling}, orientation: none", step=h)[0])
                     - 0.1 * math.cos(5)) for h in (2e-3, 1e-3)]
            self.assertGreater(math.log2(e[0] / e[1]), 0.9, (coupling, e))

    def added(self, iterates):
        """three times the mass of the block, by differences of its velocity over a step of 0.01 s; a force of 8 N pulls"""
        def talk(address):
            before, now, last = 0.0, 0.0, None
            with peer.connect(address, nodes=1, orientation="none") as model:
                for m in model:
                    v = m.velocity[0][0]
                    if last is None:  # at the start, where velocities do not tell the acceleration: 1 m/s^2
                        last = 0.0
                        model.answer([[2, 0, 0]])
                        continue
                    if m.iteration == 0:
                        before = now
                    done = not iterates or (m.iteration > 0 and abs(v - last) < 1e-12)
                    now = last = v
                    model.answer([[8 - 6 * (v - before) / 0.01, 0, 0]], converged=done)
        return talk

    def test_added_mass(self):
        exact = 0.5 * 8 / (2 + 6) * 0.5 ** 2
        for relaxation in ("newton", "aitken, factor: 0.1"):
            run, _, _ = self.run_with(self.added(True), MASS, f"bodies: [block], coupling: tight, orientation: none, relaxation: {relaxation}")
            self.assertAlmostEqual(self.end(run), exact, delta=1e-9, msg=relaxation)
        # without memory of answers the iteration grows by three, and so does a loose run
        run, _, _ = self.run_with(self.added(True), MASS, "bodies: [block], coupling: tight, orientation: none, relaxation: constant", code=5)
        self.assertNotEqual(run["status"], "ok")
        self.write(MASS, "")
        address_keys = "bodies: [block], coupling: loose, orientation: none"
        run, _, _ = self.run_with(self.added(False), MASS, address_keys, code=0)
        self.assertGreater(abs(self.end(run)), 1e3 * exact)

    def test_repeated_steps_are_announced(self):
        whole = self.whole(more=EVENT)
        keys = "bodies: [block], coupling: tight, orientation: none"
        run, again, _ = self.run_with(self.spring, SPRING + EVENT, keys + ", repeats: true")
        self.assertAlmostEqual(self.end(run), whole, delta=1e-8)
        self.assertGreater(again, 5)
        # a program that cannot go back is refused
        _, _, err = self.run_with(self.spring, SPRING + EVENT, keys, code=2)
        self.assertIn("cannot repeat", err)

    def test_every(self):
        """sub-cycling here: forces hold over four steps"""
        run, _, _ = self.run_with(lambda a: self.spring(a, once=True), SPRING, "bodies: [block], every: 4, orientation: none", step=1e-3)
        self.assertEqual(run["external"]["f"]["exchanges"], 125)
        self.assertAlmostEqual(self.end(run), 0.1 * math.cos(5), delta=5e-3)

    def test_what_it_sees(self):
        """a body that spins about z by a torque that the other side gives: its orientation in every form, moments about its frame"""
        def talk(kind):
            def see(address):
                seen = []
                with peer.connect(address, nodes=1, orientation=kind, accelerations=True) as model:
                    for m in model:
                        seen.append(m)
                        # a force at the frame, 0.3 m from the centre of mass, whose moment about that is taken back: it only pushes
                        x, y = m.position[0][:2]
                        cx, cy = x - 0.3 * math.cos(turn(kind, m)), y - 0.3 * math.sin(turn(kind, m))
                        model.answer([[0, 4, 0]], [[0, 0, 5 - ((x - cx) * 4)]])
                return seen
            return see

        def turn(kind, m):
            o = m.orientation[0]
            return {"matrix": lambda: math.atan2(o[1], o[0]), "vector": lambda: o[2], "euler123": lambda: math.radians(o[2])}[kind]()

        for kind in ("matrix", "vector", "euler123"):
            run, seen, _ = self.run_with(talk(kind), FREE, f"bodies: [a], orientation: {kind}, accelerations: true")
            final = run["final"]
            self.assertAlmostEqual(final["body.a.com_position.y"], 0.5 * 2 * 0.2 ** 2, delta=2e-4, msg=kind)
            self.assertAlmostEqual(final["body.a.angular_velocity.z"], 5 * 0.2, delta=2e-3, msg=kind)
            self.assertAlmostEqual(turn(kind, seen[-1]), 0.5 * 5 * 0.19 ** 2, delta=5e-3, msg=kind)
            self.assertAlmostEqual(seen[-1].angular_velocity[0][2], 5 * 0.19, delta=2e-3)
            self.assertAlmostEqual(seen[-1].angular_acceleration[0][2], 5, delta=0.05)

    def test_surface(self):
        """forces on 200 points act with their resultant; the points move with the body"""
        def talk(address):
            with peer.connect(address, nodes=200, orientation="none") as model:
                for m in model:
                    corner = m.position[0]
                    model.answer([[0, 0, 0.01]] * 200)
            return corner

        text = FREE + "surfaces: {skin: {grid: {at: [-1, -0.5, 0], u: [2, 0, 0], v: [0, 1, 0], number: [20, 10]}, bodies: [a]}}\n"
        run, corner, _ = self.run_with(talk, text, "surface: skin")
        self.assertAlmostEqual(run["final"]["body.a.position.z"], 0.5 * 1 * 0.2 ** 2, delta=1e-9)
        self.assertAlmostEqual(run["final"]["body.a.angular_velocity.x"], 0, delta=1e-9)
        self.assertAlmostEqual(corner[2], 0.5 * 1 * 0.19 ** 2, delta=1e-9)
        self.assertEqual(run["external"]["f"]["nodes"], 200)

    def bad(self, after, first=struct.pack("=BII", 7, 2, 1)):
        def talk(address):
            s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            for _ in range(1000):
                try:
                    s.connect(address[5:])
                    break
                except OSError:
                    threading.Event().wait(0.01)
            s.sendall(first)
            with s:
                s.recv(1)  # agreed
                s.recv(1000)
                s.sendall(b"\6" + struct.pack("=3d", 1, 0, 0))  # the forces at the start are right
                s.recv(1000)
                s.sendall(after or b"")
                while s.recv(1000):  # stalled, until the run has given up
                    pass
        return talk

    def test_hostile_peers(self):
        keys = "bodies: [block], orientation: none, timeout: 0.3"
        force = struct.pack("=3d", 1, 0, 0)
        for after, words in ((bytes([77]), "sent 77 where a command"), (b"\6" + struct.pack("=3d", math.nan, 0, 0), "not finite"), (b"\6" + force[:7], "nothing came for 0.3 s"),
                             (None, "nothing came for 0.3 s")):
            address = self.write(SPRING, keys)
            thread = threading.Thread(target=self.quiet(self.bad(after)), args=(address,))
            thread.start()
            out = hooke("run", "m.yaml", "--connect", "-o", "out.csv", cwd=self.dir)
            thread.join()
            self.assertNotEqual(out.returncode, 0, words)
            self.assertIn(words, out.stderr + out.stdout)
            self.assertGreaterEqual(len((self.dir / "out.csv").read_text().splitlines()), 2)  # results so far are kept
        # floods of forces that nobody has asked for: each is taken as an answer, none is kept
        address = self.write(SPRING, keys)
        thread = threading.Thread(target=self.quiet(self.bad(b"\2" * 100000)), args=(address,))
        thread.start()
        hooke("run", "m.yaml", "--connect", cwd=self.dir)
        thread.join()
        for first, words in ((struct.pack("=BII", 7, 2, 3), "expects 3 nodes, and there are 1"), (struct.pack("=BII", 7, 0x202, 1), "flags are 0x202, those here 0x2"),
                             (struct.pack("=BII", 9, 2, 1), "sent 9"), (b"\7\2", "nothing came"), (b"", "nothing came")):
            address = self.write(SPRING, keys)
            thread = threading.Thread(target=self.quiet(self.bad(None, first)), args=(address,))
            thread.start()
            out = self.hooke("run", "m.yaml", "--connect", code=6)
            thread.join()
            self.assertIn(words, out.stderr)
        self.write(SPRING, keys)
        self.assertIn("is not there", self.hooke("run", "m.yaml", "--connect", code=6).stderr)

    def quiet(self, talk):
        def run(address):
            try:
                talk(address)
            except OSError:
                pass
        return run

    def test_bad_input(self):
        for text, words in (("f: {peer: {unix: a}}", "'bodies' or a 'surface'"), ("f: {bodies: [block]}", "peer"), ("f: {bodies: [block], peer: {udp: a}}", "udp"),
                            ("f: {bodies: [block], peer: {unix: a, tcp: 'b:1'}}", "one of 'unix' and 'tcp'"), ("f: {surface: none, peer: {unix: a}}", "no surface 'none'"),
                            ("f: {bodies: [block], every: 2, coupling: loose, peer: {unix: a}}", "'every' belongs to the coupling 'previous'"),
                            ("f: {bodies: [block], relaxation: aitken, peer: {unix: a}}", "belongs to the coupling 'tight'")):
            (self.dir / "m.yaml").write_text(SPRING.replace("TIME", "1").replace("STEP", "0.01") + f"external: {{{text}}}\n")
            out = self.hooke("check", "m.yaml", code=3)
            self.assertIn(words, out.stderr)
            self.assertRegex(out.stderr, r"m\.yaml:\d+:\d+")

    def test_example(self):
        place = self.dir / "s"
        (self.dir / "m.yaml").write_text((SOURCE / "examples/external-spring.yaml").read_text().replace("/tmp/hooke-external-spring", str(place)))
        with subprocess.Popen([sys.executable, SOURCE / "examples/streams/external_spring.py", f"unix:{place}"], env=environment()) as other:
            run = json.loads(self.hooke("run", "m.yaml", "--connect", "--json").stdout)
            self.assertEqual(other.wait(20), 0)
        # the trapezoidal rule: tan(phi/2) = w h/2
        phi = 2 * math.atan(0.5 * 10 * 0.005)
        self.assertAlmostEqual(self.end(run), 0.1 * math.cos(400 * phi), delta=1e-8)


if __name__ == "__main__":
    unittest.main()
