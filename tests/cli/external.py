#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""External forces: a spring, an added mass, a pressure in another program. Tight coupling gives the motion of the whole model, loose one its
order, and the added mass tells them apart; orientations, surfaces, exchanges every few steps, steps that events repeat; hostile and stalled peers:
named errors, results kept. Nothing here depends on how fast the machine is."""
import importlib.util
import json
import math
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import unittest
from time import monotonic as now

from support import HOOKE, SHORT, SOURCE, CommandTest, environment, hooke

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

    def test_orders(self):
        """previous: 1; loose: 2, since the prediction of a smooth motion, which goes on as the steps before, knows accelerations to order 2 too"""
        def other(law, start):
            def talk(address):
                first = True
                with peer.connect(address, nodes=1, orientation="none", accelerations=True) as model:
                    for m in model:
                        model.answer([[start if first else law(m.position[0][0], m.velocity[0][0], m.acceleration[0][0]), 0, 0]])
                        first = False
            return talk

        def damped(c, t):
            d = c / (2 * 2)
            w = math.sqrt(100 - d * d)
            return 0.1 * math.exp(-d * t) * (math.cos(w * t) + d / w * math.sin(w * t))

        t, own = 0.4, WHOLE
        for name, text, law, start, exact in (("spring", SPRING, lambda x, v, a: -200 * x, -20, 0.1 * math.cos(10 * t)),
                                              ("damper", SPRING + own, lambda x, v, a: -4 * v, 0, damped(4, t)),
                                              ("inertia", SPRING + own, lambda x, v, a: -0.5 * a, 4, 0.1 * math.cos(t * math.sqrt(200 / 2.5)))):
            for coupling, order in (("previous", 1), ("loose", 2)):
                e = [abs(self.end(self.run_with(other(law, start), text, f"bodies: [block], coupling: {coupling}, orientation: none, accelerations: true", step=h, time=t)[0]) - exact)
                     for h in (2e-3, 1e-3)]
                self.assertAlmostEqual(math.log2(e[0] / e[1]), order, delta=0.1, msg=(name, coupling, e))

    def oscillator(self, parts, converge=1e-11):
        """a mass of 0.2 kg on a spring of 3000 N/m and a damper of 8 N s/m at the block, which the other program integrates by `parts` trapezoidal steps in one of the model; the
        block moves between as cubics through its positions and velocities say. It iterates from the same beginning until its force stays."""
        k, c, m, h = 3000.0, 8.0, 0.2, 0.01 / parts

        def talk(address):
            z = before = (0.0, 0.0, 0.0)  # position, velocity and acceleration of the mass
            x0 = x1 = (0.1, 0.0)
            last, started = None, False

            def block(s):
                d = 0.01
                a, b, e, f = 2 * s**3 - 3 * s**2 + 1, 3 * s**2 - 2 * s**3, (s**3 - 2 * s**2 + s) * d, (s**3 - s**2) * d
                u, g, q, r = 6 * s**2 - 6 * s, 6 * s - 6 * s**2, 3 * s**2 - 4 * s + 1, 3 * s**2 - 2 * s
                return a * x0[0] + b * x1[0] + e * x0[1] + f * x1[1], (u * x0[0] + g * x1[0]) / d + q * x0[1] + r * x1[1]

            with peer.connect(address, nodes=1, orientation="none") as model:
                for now in model:
                    x = (now.position[0][0], now.velocity[0][0])
                    if not started:
                        started, z = True, (x[0], 0.0, 0.0)
                        before, x0 = z, x
                        model.answer([[0, 0, 0]])
                        continue
                    if now.iteration == 0:
                        before, x0, last = z, x1, None
                    x1, z = x, before
                    for i in range(parts):  # m a = k (x - p) + c (xd - v), p and v by the trapezoidal rule
                        y, yd = block((i + 1) / parts)
                        p, v = z[0] + h * z[1] + h * h / 4 * z[2], z[1] + h / 2 * z[2]
                        a = (k * (y - p) + c * (yd - v)) / (m + k * h * h / 4 + c * h / 2)
                        z = (p + h * h / 4 * a, v + h / 2 * a, a)
                    f = k * (z[0] - x1[0]) + c * (z[1] - x1[1])
                    model.answer([[f, 0, 0]], converged=last is not None and abs(f - last) < converge)
                    last = f
        return talk

    def test_sub_cycling_there(self):
        """another program that takes several steps in one of the model: the whole, at the order of its own steps"""
        own = "forces: {k: {type: joint_force, joint: rail, value: -200*joint.rail.position}}\n"
        whole = MASS.replace("rail: {type", "far: {type: prismatic, between: [ground, mass], at: [0, 0, 0], axis: x}, rail: {type").replace("bodies: {", "bodies: {mass: {mass: 0.2, com: [0, 0, 0], inertia: [1, 1, 1]}, ")
        whole += "start: {rail: {position: 0.1}, far: {position: 0.1}}\n" + """\
forces:
  k: {type: joint_force, joint: rail, value: -200*joint.rail.position}
  l: {type: joint_force, joint: far, value: 3000*(joint.rail.position - joint.far.position) + 8*(joint.rail.velocity - joint.far.velocity)}
  n: {type: joint_force, joint: rail, value: 3000*(joint.far.position - joint.rail.position) + 8*(joint.far.velocity - joint.rail.velocity)}
"""
        self.write(whole, "", 1e-4, 0.5)
        exact = self.end(json.loads(self.hooke("run", "m.yaml", "--json").stdout))
        keys, e = "bodies: [block], coupling: tight, orientation: none", {}
        for parts in (1, 8, 64):
            run, _, _ = self.run_with(self.oscillator(parts), SPRING + own, keys)
            e[parts] = self.end(run)
        self.assertAlmostEqual(e[64], exact, delta=5e-4)  # the model's own step of 0.01 s
        self.assertGreater(abs(e[1] - e[64]), 40 * abs(e[8] - e[64]), e)  # order 2 in the steps of the other program

    def test_sub_cycling_here(self):
        """forces that hold over n steps of the model: order 1 in the time between exchanges"""
        e, late = {}, []
        for step, every in ((1e-3, 1), (5e-4, 4), (5e-4, 2), (2.5e-4, 4)):
            run, _, _ = self.run_with(lambda a: self.spring(a, once=True), SPRING, f"bodies: [block], every: {every}, orientation: none", step=step)
            self.assertEqual(run["external"]["f"]["exchanges"], round(0.5 / step / every))
            e[step, every] = abs(self.end(run) - 0.1 * math.cos(5))
            # the trapezoidal rule, which begins with the forces of the step before: they are late by (h + every h)/2
            late.append(e[step, every] / (step + every * step))
        self.assertLess(max(late), 1.03 * min(late), late)

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

    def raw(self, address, script):
        """a program that does what a list says: bytes are sent, numbers are waited for (s), "motion" is read, None: it goes away"""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            for _ in range(2000):
                try:
                    s.connect(address[5:])
                    break
                except OSError:
                    threading.Event().wait(0.005)
            for what in script:
                if what is None:
                    return
                if what == "motion":
                    if not s.recv(10**6):
                        return
                elif isinstance(what, bytes):
                    s.sendall(what)
                else:
                    threading.Event().wait(what)
            while s.recv(10**6):  # until the run has given up
                pass

    def meet(self, script, words, code, keys="bodies: [block], orientation: none", text=SPRING, rows=0, time=0.5):
        """a run with that program: named, with its code, in time, with the rows so far"""
        address = self.write(text, keys + ", timeout: 0.3", time=time)
        (self.dir / "out.csv").unlink(missing_ok=True)
        thread = threading.Thread(target=self.quiet(lambda a: self.raw(a, script)), args=(address,))
        thread.start()
        clock = now()
        out = hooke("run", "m.yaml", "--connect", "-o", "out.csv", cwd=self.dir)
        self.assertLess(now() - clock, 20, words)
        thread.join()
        self.assertEqual(out.returncode, code, (words, out.stdout, out.stderr))
        self.assertIn(words, out.stderr + out.stdout)
        if rows:
            self.assertGreaterEqual(len((self.dir / "out.csv").read_text().splitlines()), rows + 1, words)
        return out

    def test_peers_that_expect_something_else(self):
        def hello(flags, nodes=1):
            return struct.pack("=BII", 7, flags, nodes)

        for first, words in ((hello(2, 3), "expects 3 nodes, and there are 1"), (hello(0x202), "expects orientations of kind 'matrix' and the model offers 'none' (its flags are 0x202)"),
                             (hello(0x702), "kind 'several'"), (hello(0x1), "expects modes; nodes are offered"), (hello(0x3), "expects modes"), (hello(0), "neither nodes nor modes"),
                             (hello(0x12), "expects labels and the model offers none"), (hello(0xa), "expects accelerations and the model offers none"),
                             (hello(0x2006), "expects reference and the model offers none"), (struct.pack(">BII", 7, 2, 1), "its flags are 0x2000000"),
                             (struct.pack("=BII", 9, 2, 1), "sent 9 where it should say what it expects"), (b"GET / HTTP/1.1\r\n\r\n", "sent 71"),
                             (b"\7\2", "sent only 1 of 8 bytes in 0.3 s"), (b"", "sent nothing for 0.3 s"), (None, "has gone")):
            out = self.meet([first], words, 6)
            self.assertRegex(out.stderr, r"m\.yaml:\d+:\d+: error: peer 'f'")
        self.meet([hello(2)], "expects no labels and the model offers them", 6, "bodies: [block], orientation: none, labels: true")
        self.meet([hello(6)], "a reference node without rotation", 6, "bodies: [block], orientation: none, reference: block")

    def test_hostile_peers(self):
        def forces(*x):
            return b"\6" + struct.pack(f"={len(x)}d", *x)

        hello, good = struct.pack("=BII", 7, 2, 1), forces(1, 0, 0)
        begin = [hello, "motion", good, "motion"]  # the start is right
        for then, words, code in ((bytes([77]), "sent 77 where a command", 6), (forces(math.nan, 0, 0), "gave a force that is not finite, of node 1", 5),
                                  (forces(0, -math.inf, 0), "not finite", 5), (good[:7], "sent only 6 of 24 bytes in 0.3 s", 6), (0, "sent nothing for 0.3 s", 6), (None, "has gone", 6)):
            self.meet([*begin, then], f"peer: 'f' {words}" if code == 6 else words, code, rows=1)
        self.meet([*begin, good[:9], None], "has gone", 6, rows=1)
        self.meet([*begin, *[x for b in good for x in (bytes([b]), 0.05)]], "of 24 bytes in 0.3 s", 6, rows=1)  # a byte now and then
        self.meet([*begin, good * 3, "motion", b"\5"], "", 0, rows=2)  # ahead of what was asked; then it ends the run well
        self.meet([*begin, b"\2" * 100000], "", 0, rows=50)  # each 2 is a command and then numbers of 5e-299 N
        self.meet([hello, "motion", b"\5"], "", 0)
        self.meet([*begin, forces(1e308, 0, 0) * 60], "", 5, rows=1)
        two = FREE.replace("a: {", "b: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}\n  a: {").replace("bodies: {", "bodies:\n  ").replace("}}\nrecord", "}\nrecord")
        self.assertIn("\n  a:", two)
        keys = "bodies: [a, b], orientation: none, labels: [5, 6]"
        labelled = lambda a, b, x=1.0: b"\6" + struct.pack("=2I6d", a, b, x, 0, 0, 0, 0, 0)
        hello = struct.pack("=BII", 7, 0x12, 2)
        self.meet([hello, "motion", labelled(6, 5), "motion", labelled(5, 7)], "gave the label 7, which no node has", 6, keys, two, rows=1)
        self.meet([hello, "motion", labelled(6, 5), "motion", labelled(5, 5)], "gave the label 5 twice", 6, keys, two, rows=1)
        four = FREE + "surfaces: {skin: {grid: {at: [-1, -0.5, 0], u: [2, 0, 0], v: [0, 1, 0], number: [2, 2]}, bodies: [a]}}\n"
        self.meet([struct.pack("=BII", 7, 2, 4), "motion", forces(*[0.0] * 12), "motion", forces(*[1.7e308] * 12)], "gave forces whose sum is not finite", 5, "surface: skin", four, rows=1)
        hello = struct.pack("=BII", 7, 0x2016, 2)
        answer = lambda n: b"\6" + struct.pack("=2I6d", n, 0, *[0.0] * 6) + labelled(5, 6)[1:]
        self.meet([hello, "motion", answer(9), "motion", answer(8)], "gave the label 8 to the reference node, which has 9", 6, keys + ", reference: a, reference_label: 9", two, rows=1)
        # tight: one that never converges, at the start and later
        tight = "bodies: [block], orientation: none, coupling: tight"
        hello, open_ = struct.pack("=BII", 7, 2, 1), b"\2" + good[1:]
        self.meet([hello, open_ * 200], "peer 'f' has not converged at the start in 100 answers", 5, tight)
        self.meet([hello, good, open_ * 500], "peer 'f' has not converged", 5, tight, rows=1)
        # one that takes nothing: 48 kB a motion
        points = FREE + "surfaces: {skin: {grid: {at: [-1, -0.5, 0], u: [2, 0, 0], v: [0, 1, 0], number: [100, 100]}, bodies: [a]}}\n"
        self.meet([struct.pack("=BII", 7, 2, 10000), 1.0], "in 0.3 s", 6, "surface: skin", points)
        self.write(SPRING, "bodies: [block], orientation: none, timeout: 0.3")
        self.assertIn("is not there", self.hooke("run", "m.yaml", "--connect", code=6).stderr)
        (self.dir / "socket").write_text("mine")
        self.assertIn("something else than a socket", self.hooke("run", "m.yaml", "--connect", code=6).stderr)
        self.assertEqual((self.dir / "socket").read_text(), "mine")

    def test_flood(self):
        """what it sends ahead waits in the socket: 64 MB do not make the run larger"""
        answer = b"\6" + struct.pack("=3d", 1e-9, 0, 0)
        address = self.write(SPRING, "bodies: [block], orientation: none, timeout: 0.3", step=0.005, time=50)
        thread = threading.Thread(target=self.quiet(lambda a: self.raw(a, [struct.pack("=BII", 7, 2, 1), *[answer * 40000] * 64])), args=(address,))
        thread.start()
        with subprocess.Popen([HOOKE, "run", "m.yaml", "--connect", "--quiet"], cwd=self.dir, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            _, status, used = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        thread.join()
        self.assertEqual(run.returncode, 6)  # nor does it take the motion
        if not SHORT:
            self.assertLess(used.ru_maxrss, 60e3)  # kB

    def test_interrupted_while_it_waits(self):
        """nobody is there, and somebody who says nothing"""
        for quiet in (False, True):
            address = self.write(SPRING, "bodies: [block], orientation: none, timeout: 60")
            with subprocess.Popen([HOOKE, "run", "m.yaml", "--connect"], cwd=self.dir, env=environment(), stderr=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL,
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as run, socket.socket(socket.AF_UNIX) as s:
                while not (self.dir / "socket").exists():
                    threading.Event().wait(0.01)
                while quiet and s.connect_ex(address[5:]) != 0:  # a socket is there a moment before it is listened to
                    threading.Event().wait(0.01)
                if quiet:
                    threading.Event().wait(0.1)
                run.send_signal(signal.SIGINT)
                self.assertIn("interrupted", run.communicate(timeout=30)[1])
                self.assertEqual(run.returncode, 130)

    def test_a_second_program_is_not_heard(self):
        """the first one has the socket; another that connects neither disturbs nor sees anything"""
        def talk(address):
            with peer.connect(address, nodes=1, orientation="none") as model, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
                try:
                    other.connect(address[5:])
                    other.sendall(b"\5\5\5")
                except OSError:
                    pass
                count = 0
                for m in model:
                    count += 1
                    model.answer([[-200 * m.position[0][0], 0, 0]])
                return count
        run, count, _ = self.run_with(talk, SPRING, "bodies: [block], orientation: none")
        self.assertEqual((run["status"], count), ("ok", 50))

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
                            ("f: {bodies: [block], relaxation: aitken, peer: {unix: a}}", "belongs to the coupling 'tight'"),
                            ("f: {bodies: [block], at_start: false, peer: {unix: a}}", "'at_start: false' belongs to"), ("f: {bodies: [block], labels: [1, 2], peer: {unix: a}}", "2 labels for 1 bodies"),
                            ("f: {bodies: [block], labels: [-1], peer: {unix: a}}", "a label is a whole number"), ("f: {bodies: [block], labels: [0.5], peer: {unix: a}}", "a label is a whole number"),
                            ("f: {bodies: [block], labels: no way, peer: {unix: a}}", "labels"), ("f: {bodies: [block], reference: none, peer: {unix: a}}", "none"),
                            ("f: {bodies: [block], reference: ground, peer: {unix: a}}", "the ground does not move"), ("f: {bodies: [block], reference_forces: world, peer: {unix: a}}", "belongs to a 'reference'"),
                            ("f: {bodies: [block], reference: block, reference_label: 3, peer: {unix: a}}", "and 'labels'"),
                            ("f: {bodies: [block], reference: block, labels: true, reference_label: -3, peer: {unix: a}}", "reference_label")):
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
