#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""External forces with programs for libmbc (support_libmbc.py): every kind of rotation, accelerations, labels, a reference node, odd and even
numbers of nodes, both sockets and both ways to say that a step is done; what is seen is what the run records, and forces act as they were
given. Relative motion is checked by differences, not by the formulas that made it."""
import csv
import json
import math
import socket
import threading
import unittest

import support_libmbc as mbc
from support import FEW, CommandTest

MODEL = """\
hooke: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 2, com: [0.1, 0, 0], inertia: [1, 2, 1.5], frame: {at: [0.3, 0.1, 0], rotate: {axis: y, angle: 0.4}}}
  b: {mass: 1, com: [1, 0.5, 0], inertia: [0.3, 0.2, 0.4]}
  c: {mass: 1.5, com: [0.2, 0.5, 1], inertia: [0.3, 0.6, 0.5]}
  hub: {mass: 5, com: [0, -0.2, 0.1], inertia: [2, 3, 4], frame: {at: [0, 0.1, 0.2], rotate: {axis: x, angle: 0.7}}}
start:
  a: {velocity: [1, 0, 0.2], angular_velocity: [1, 2, 3]}
  b: {velocity: [0, 1, 0], angular_velocity: [3, -1, 0.5]}
  c: {velocity: [0.3, 0.1, -1], angular_velocity: [0.4, 2, -1]}
  hub: {velocity: [0.5, 0.5, 0.1], angular_velocity: [-1, 1.5, 2]}
record: [body.*, force.*]
run: {time: TIME, step: 1e-3}
"""
X, V, W, A, E = ("position", "velocity", "angular_velocity", "acceleration", "angular_acceleration")
NAMES = ["a", "b", "c"]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def times(R, v):
    return [sum(R[i][j] * v[j] for j in range(3)) for i in range(3)]


def transposed(R):
    return [[R[j][i] for j in range(3)] for i in range(3)]


def product(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def plus(a, b):
    return [x + y for x, y in zip(a, b)]


def about(axis, angle):
    """rotation about a coordinate axis"""
    c, s, j, k = math.cos(angle), math.sin(angle), (axis + 1) % 3, (axis + 2) % 3
    R = [[float(i == m) for m in range(3)] for i in range(3)]
    R[j][j] = R[k][k] = c
    R[j][k], R[k][j] = -s, s
    return R


def matrix_of(kind, o):
    """rotation matrix of what a program sees, by the meaning of its kind"""
    if kind == "matrix":  # r11 r21 r31 r12 ..
        return [[o[3 * j + i] for j in range(3)] for i in range(3)]
    if kind == "euler123":
        a, b, c = (math.radians(x) for x in o)
        return product(product(about(0, a), about(1, b)), about(2, c))
    t = math.sqrt(sum(x * x for x in o))
    n = [x / (t or 1) for x in o]
    K = [[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]]
    KK = product(K, K)
    return [[(i == j) + math.sin(t) * K[i][j] + (1 - math.cos(t)) * KK[i][j] for j in range(3)] for i in range(3)]


def turn_between(A, B):
    """the small rotation vector, in world axes, that takes A to B"""
    D = product(B, transposed(A))
    return [0.5 * (D[2][1] - D[1][2]), 0.5 * (D[0][2] - D[2][0]), 0.5 * (D[1][0] - D[0][1])]


class Wire(CommandTest):
    def run_with(self, talk, keys, model=MODEL, time=0.02, way="unix", more="", options=()):
        """rows of the run, and what the other program saw"""
        place, out = str(self.dir / "s"), []
        if way == "tcp":
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                place = f"127.0.0.1:{s.getsockname()[1]}"
        (self.dir / "m.yaml").write_text(model.replace("TIME", str(time)) + more + f"external: {{f: {{{keys}, peer: {{{way}: '{place}'}}}}}}\n")

        def other():
            try:
                out.append(talk(f"{way}:{place}"))
            except (OSError, AssertionError) as error:
                out.append(error)

        thread = threading.Thread(target=other)
        thread.start()
        said = json.loads(self.hooke("run", "m.yaml", "--connect", "--json", "-o", "out.csv", *options).stdout)
        thread.join()
        if isinstance(out[0], Exception):
            raise out[0]
        with open(self.dir / "out.csv", newline="") as f:
            return list(csv.DictReader(f)), out[0], said

    def vector(self, row, body, what):
        return [float(row[f"body.{body}.{what}.{c}"]) for c in "xyz"]

    def axes(self, row, body):
        w, x, y, z = (float(row[f"body.{body}.orientation.{c}"]) for c in "wxyz")
        return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]

    def near(self, a, b, delta, why=""):
        self.assertEqual(len(a), len(b), why)
        self.assertLess(max(abs(x - y) for x, y in zip(a, b)), delta, (why, a, b))

    def near_matrix(self, A, B, delta, why=""):
        self.near([x for r in A for x in r], [x for r in B for x in r], delta, why)

    def watch(self, n, kind, accels=0, labels=0, reference=None, last=1):
        def talk(address):
            peer = mbc.Libmbc(address, mbc.ROT[reference] if reference else 0, n, labels, mbc.ROT[kind], accels, last)
            self.assertTrue(peer.negotiate())
            seen = []
            while peer.get_motion():
                seen.append((peer.cmd, peer.motion, peer.reference, peer.k_label, peer.r_k_label))
                peer.d_label, peer.r_d_label = peer.k_label, peer.r_k_label
                peer.put_forces(1)
            peer.close()
            return seen
        return talk

    def keys(self, n, kind, accels=0, labels=0, reference=None, more=""):
        text = f"bodies: [{', '.join(repr(x) for x in NAMES[:n])}], orientation: {kind}"
        text += ", accelerations: true" * accels + f", labels: {[30, 10, 20][:n]}" * labels
        return text + (", reference: hub" if reference else "") + (", reference_label: 7" if reference and labels else "") + more

    def test_motion_of_nodes(self):
        """each kind of what is seen, against the channels of the run"""
        cases = [(kind, accels, labels, n, last, way) for kind in mbc.ROT for accels in (0, 1) for labels in (0, 1)
                 for n, last, way in (((1, 1, "unix"), (2, 0, "tcp"), (3, 1, "unix"))[accels + labels],)]
        for kind, accels, labels, n, last, way in cases[::3] if FEW else cases:
            rows, seen, said = self.run_with(self.watch(n, kind, accels, labels, None, last), self.keys(n, kind, accels, labels), way=way, time=0.005)
            self.assertEqual(len(seen), 5, (kind, accels, labels))
            self.assertEqual((said["external"]["f"]["nodes"], said["external"]["f"]["exchanges"]), (n, 5))
            for row, (cmd, motion, _, k_label, _) in zip(rows, seen):
                self.assertEqual(cmd, mbc.ES_REGULAR_DATA_AND_GOTO_NEXT_STEP)
                self.assertEqual(k_label, [30, 10, 20][:n] if labels else [])
                for i in range(n):
                    want = [self.vector(row, NAMES[i], what) for what in (X, V, W, A, E)]
                    self.near(motion[0][i], want[0], 1e-8, kind)
                    self.near(motion[2][i], want[1], 1e-8, kind)
                    if accels:
                        self.near(motion[4][i], want[3], 1e-7, kind)
                    if kind == "none":
                        self.assertEqual([len(motion[k][i]) for k in (1, 3, 5)], [0, 0, 0])
                        continue
                    self.near_matrix(matrix_of(kind, motion[1][i]), self.axes(row, NAMES[i]), 1e-8, kind)
                    self.near(motion[3][i], want[2], 1e-8, kind)
                    if accels:
                        self.near(motion[5][i], want[4], 1e-7, kind)

    def test_motion_seen_from_a_reference_node(self):
        """the reference node as the run has it; places by definition, rates by central differences of what is seen"""
        h = 1e-3
        cases = [("matrix", 1, 1, "matrix"), ("vector", 1, 0, "euler123"), ("euler123", 0, 1, "vector"), ("none", 1, 1, "matrix")]
        for kind, accels, labels, reference in cases[:2] if FEW else cases:
            rows, seen, _ = self.run_with(self.watch(3, kind, accels, labels, reference), self.keys(3, kind, accels, labels, reference))
            for row, (_, motion, o, k_label, r_label) in zip(rows, seen):
                self.assertEqual((k_label, r_label), ([30, 10, 20], 7) if labels else ([], 0))
                R0, x0 = self.axes(row, "hub"), self.vector(row, "hub", X)
                for k, what in ((0, X), (2, V), (3, W), *(((4, A), (5, E)) if accels else ())):
                    self.near(o[k], self.vector(row, "hub", what), 1e-7, what)
                self.near_matrix(matrix_of(reference, o[1]), R0, 1e-8)
                for i, body in enumerate(NAMES):
                    self.near(motion[0][i], times(transposed(R0), minus(self.vector(row, body, X), x0)), 1e-8)
                    if kind != "none":
                        self.near_matrix(matrix_of(kind, motion[1][i]), product(transposed(R0), self.axes(row, body)), 1e-8)
            for (_, before, *_), (_, now, *_), (_, after, *_) in zip(seen, seen[1:], seen[2:]):
                for i in range(3):
                    self.near(now[2][i], [x / (2 * h) for x in minus(after[0][i], before[0][i])], 2e-4, "velocity")
                    if accels:
                        self.near(now[4][i], [x / (2 * h) for x in minus(after[2][i], before[2][i])], 1e-3, "acceleration")
                    if kind == "none":
                        continue
                    turn = turn_between(matrix_of(kind, before[1][i]), matrix_of(kind, after[1][i]))
                    self.near(now[3][i], [x / (2 * h) for x in turn], 2e-4, "angular velocity")
                    if accels:
                        self.near(now[5][i], [x / (2 * h) for x in minus(after[3][i], before[3][i])], 1e-3, "angular acceleration")

    def test_forces(self):
        """with labels in another order than they were told; in the axes of a reference node, whose resultant is what was given for it"""
        F = [[1.0, 2.0, 3.0], [-2.0, 0.5, 1.0], [0.3, 0.2, -4.0]]
        M = [[0.1, 0.2, 0.3], [-0.2, 0.4, 0.1], [0.6, -0.5, 0.2]]
        F0, M0 = [5.0, -6.0, 7.0], [0.7, 0.8, -0.9]

        def talk(kind, labels, reference):
            def push(address):
                peer = mbc.Libmbc(address, mbc.ROT[reference] if reference else 0, 3, labels, mbc.ROT[kind], 0)
                self.assertTrue(peer.negotiate())
                order, seen = [2, 0, 1] if labels else [0, 1, 2], 0
                while peer.get_motion():
                    peer.f, peer.m, peer.r_f, peer.r_m = [F[i] for i in order], [M[i] for i in order], F0, M0
                    if labels:
                        peer.d_label, peer.r_d_label = [peer.k_label[i] for i in order], peer.r_k_label
                    peer.put_forces(1)
                    seen += 1
                peer.close()
                return seen
            return push

        for kind, labels, reference, use in (("matrix", 1, None, ""), ("none", 0, None, ""), ("vector", 1, "matrix", "rotated"), ("none", 0, "vector", "world"),
                                             ("euler123", 0, "euler123", "unused")):
            more = f", reference_forces: {use}" if use else ""
            rows, seen, _ = self.run_with(talk(kind, labels, reference), self.keys(3, kind, 0, labels, reference, more), time=0.005)
            self.assertEqual(seen, 5)
            for row, after in zip(rows, rows[1:]):
                R0 = self.axes(row, "hub") if reference else about(0, 0.0)
                x0, sum_f, sum_m = self.vector(row, "hub", X), [0.0] * 3, [0.0] * 3
                force = lambda name, row=after: [float(row[f"force.{name}.{c}"]) for c in "xyz"]
                for i, body in enumerate(NAMES):
                    f, m = times(R0, F[i]), times(R0, M[i]) if kind != "none" else [0.0] * 3
                    x, com = self.vector(row, body, X), self.vector(row, body, "com_position")
                    self.near(force(f"f_{i + 1}"), f, 1e-7, (kind, body))
                    self.near(force(f"f_{i + 1}_moment"), plus(m, cross(minus(x, com), f)), 1e-7, (kind, body))
                    sum_f, sum_m = plus(sum_f, f), plus(sum_m, plus(m, cross(minus(x, x0), f)))
                if not reference:
                    continue
                # all forces together are what was given at the reference node
                f, m, com = force("f_reference"), force("f_reference_moment"), self.vector(row, "hub", "com_position")
                if use == "unused":
                    self.near(f + m, [0.0] * 6, 1e-12)
                    continue
                own = (lambda v, R=R0: times(R, v)) if use == "rotated" else (lambda v: v)
                self.near(plus(f, sum_f), own(F0), 1e-7, use)
                self.near(plus(plus(m, cross(minus(com, x0), f)), sum_m), own(M0), 1e-7, use)

    def test_points_of_a_surface(self):
        """with labels and a reference node: points of two bodies as the reference sees them; the resultant is the one given"""
        skin = "surfaces: {skin: {grid: {at: [0.2, 0, 0], u: [0.8, 0, 0], v: [0, 0.4, 0], number: [3, 2]}, bodies: [a, b]}}\n"

        def talk(address):
            peer = mbc.Libmbc(address, mbc.MBC_ROT_MAT, 6, 1, mbc.MBC_ROT_NONE)
            self.assertTrue(peer.negotiate())
            seen = []
            while peer.get_motion():
                seen.append((peer.motion[0], peer.motion[2], peer.k_label))
                peer.f, peer.r_f, peer.r_m = [[1.0, 0, 0]] * 6, [2.0, 3.0, 4.0], [0.1, 0.2, 0.3]
                peer.d_label = peer.k_label[::-1]
                peer.put_forces(1)
            peer.close()
            return seen

        rows, seen, said = self.run_with(talk, "surface: skin, labels: true, reference: hub", more=skin, time=0.005)
        self.assertEqual(said["external"]["f"]["nodes"], 6)
        self.assertEqual(seen[0][2], [1, 2, 3, 4, 5, 6])
        R0, x0, v0, w0 = self.axes(rows[0], "hub"), *(self.vector(rows[0], "hub", what) for what in (X, V, W))
        for i in range(6):
            x = [0.2 + 0.4 * (i % 3), 0.4 * (i // 3), 0.0]
            self.near(seen[0][0][i], times(transposed(R0), minus(x, x0)), 1e-8)
        for row, after in zip(rows, rows[1:]):
            R0, x0, total, moment = self.axes(row, "hub"), self.vector(row, "hub", X), [0.0] * 3, [0.0] * 3
            for name, body in (("f_1", "a"), ("f_2", "b"), ("f_reference", "hub")):
                f, m = ([float(after[f"force.{n}.{c}"]) for c in "xyz"] for n in (name, name + "_moment"))
                total, moment = plus(total, f), plus(moment, plus(m, cross(minus(self.vector(row, body, "com_position"), x0), f)))
            self.near(total, times(R0, [2.0, 3.0, 4.0]), 1e-7)
            self.near(moment, times(R0, [0.1, 0.2, 0.3]), 1e-7)
        h = 1e-3
        for before, now, after in zip(seen, seen[1:], seen[2:]):
            for i in range(6):
                self.near(now[1][i], [x / (2 * h) for x in minus(after[0][i], before[0][i])], 2e-4)

    def test_couplings_as_programs_count_them(self):
        """loose: the start and every step, once each; tight: iterations by the command 2 until the program has converged, also without forces"""
        def talk(iterations, data_and_next):
            def count(address):
                peer, seen, k = mbc.Libmbc(address, 0, 1, 0, mbc.MBC_ROT_NONE, 1, data_and_next), [], 0
                self.assertTrue(peer.negotiate())
                while peer.get_motion():
                    k += 1
                    peer.f = [[-3.0 * peer.motion[0][0][0], 0, 0]]
                    seen.append((peer.cmd, peer.motion[0][0][0]))
                    peer.put_forces(k % iterations == 0)
                peer.close()
                return seen
            return count

        for coupling, iterations, last, late, count in (("loose", 1, 1, "", 6), ("loose", 1, 1, ", at_start: false", 5), ("tight", 3, 1, "", 18), ("tight", 3, 0, ", at_start: false", 15)):
            rows, seen, said = self.run_with(talk(iterations, last), f"bodies: ['c'], orientation: none, accelerations: true, coupling: {coupling}{late}", time=0.005)
            self.assertEqual(len(seen), count, (coupling, late))
            self.assertEqual({c for c, _ in seen}, {mbc.ES_REGULAR_DATA if coupling == "tight" else mbc.ES_REGULAR_DATA_AND_GOTO_NEXT_STEP})
            self.assertEqual(said["external"]["f"]["most_in_a_step"], iterations)
            # the start, or a step that has been predicted
            first, start = seen[0][1], float(rows[0]["body.c.position.x"])
            self.assertEqual(abs(first - start) < 1e-12, not late, (coupling, late))

    def test_accelerations_within_a_step(self):
        """three times the mass of the body by its acceleration, tightly coupled: exact; a force of 8 N pulls 2 kg and 6 kg"""
        model = "hooke: 1\ngravity: [0, 0, 0]\nbodies: {m: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}}\nrecord: [body.m.*]\nrun: {time: TIME, step: 0.01}\n"

        def talk(address):
            peer, last, start = mbc.Libmbc(address, 0, 1, 0, mbc.MBC_ROT_NONE, 1), None, True
            self.assertTrue(peer.negotiate())
            while peer.get_motion():
                a = peer.motion[4][0][0]
                peer.f = [[8 - 6 * a, 0, 0]]
                done = last is not None and abs(a - last) < 1e-11
                if start:  # nothing answers yet: the acceleration that forces will give
                    peer.f, start, done = [[2.0, 0, 0]], False, True
                peer.put_forces(done)
                last = None if done else a
            peer.close()

        for integrator in ("trapezoidal", "generalized_alpha", "newmark"):
            rows, _, _ = self.run_with(talk, "bodies: [m], orientation: none, accelerations: true, coupling: tight", model=model, time=0.2, options=("--integrator", integrator))
            self.near(self.vector(rows[-1], "m", X), [0.5 * 1 * 0.2 ** 2, 0, 0], 1e-9, integrator)

    def test_one_program_is_two_peers(self):
        """it connects to the second first"""
        one, two, out = self.dir / "one", self.dir / "two", []
        (self.dir / "m.yaml").write_text(MODEL.replace("TIME", "0.005") + f"""
external:
  f: {{bodies: [a], orientation: none, peer: {{unix: '{one}'}}}}
  g: {{bodies: [b], orientation: none, peer: {{unix: '{two}'}}}}
""")

        def talk():
            second, first = (mbc.Libmbc(f"unix:{place}", 0, 1, 0, mbc.MBC_ROT_NONE) for place in (two, one))
            for peer in (first, second):
                self.assertTrue(peer.negotiate())
                self.assertTrue(peer.get_motion())
                peer.put_forces(1)
            while first.get_motion():
                first.put_forces(1)
                self.assertTrue(second.get_motion())
                second.put_forces(1)
            out.append(second.get_motion())

        thread = threading.Thread(target=talk)
        thread.start()
        said = json.loads(self.hooke("run", "m.yaml", "--connect", "--json").stdout)
        thread.join()
        self.assertEqual(out, [False])
        self.assertEqual([said["external"][k]["exchanges"] for k in "fg"], [5, 5])


if __name__ == "__main__":
    unittest.main()
