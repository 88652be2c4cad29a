#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/c: what they print against closed forms, and what they say when they are
called wrongly. HOOKE_PROGRAMS names another folder with them, such as one built against an installed
copy."""
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("HOOKE_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
BUILD = pathlib.Path(os.environ.get("HOOKE_BUILD") or SOURCE / "build/release")
PROGRAMS = pathlib.Path(os.environ.get("HOOKE_PROGRAMS") or BUILD / "examples/c").resolve()
PENDULUM = SOURCE / "examples/pendulum.yaml"
G = 9.81


def mean(a, b):
    """the arithmetic-geometric mean"""
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return a


def quarter(k):
    """the complete elliptic integral K(k)"""
    return math.pi / 2 / mean(1.0, math.sqrt(1 - k * k))


def sn(u, k):
    """Jacobi's sn by descending Landen transformations (Abramowitz and Stegun 16.4)"""
    a, b, c = [1.0], math.sqrt(1 - k * k), [k]
    while c[-1] > 1e-16 * a[-1]:
        a, b, c = a + [(a[-1] + b) / 2], math.sqrt(a[-1] * b), c + [(a[-1] - b) / 2]
    n = len(a) - 1
    phi = 2**n * a[n] * u
    for i in range(n, 0, -1):
        phi = (math.asin(c[i] / a[i] * math.sin(phi)) + phi) / 2
    return math.sin(phi)


def pendulum(t, length=1.0):
    """the angle of the pendulum that is let go at -90 degrees: Whittaker, Analytical Dynamics, section 44"""
    k = math.sqrt(0.5)
    return -2 * math.asin(k * sn(math.sqrt(G / length) * t + quarter(k), k))


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="hooke-programs-")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def program(self, name, *args, code=0):
        result = subprocess.run([PROGRAMS / name, *map(str, args)], cwd=self.dir, text=True, timeout=120,
                                capture_output=True, check=False)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertNotIn("Sanitizer", result.stderr)
        return result

    def rows(self, result):
        return [[float(x) for x in line.split()] for line in result.stdout.splitlines()]

    def test_channel(self):
        # the trapezoidal rule: a quarter of the error at half of the step
        errors = []
        for step in (0.02, 0.01, 0.005):
            rows = self.rows(self.program("channel", PENDULUM, "joint.pin.angle", step))
            self.assertEqual(len(rows), round(10 / step) + 1)
            self.assertEqual([rows[0][0], rows[-1][0]], [0, 10])
            errors.append(max(abs(x - pendulum(t)) for t, x in rows))
        self.assertLess(errors[0], 2e-2)
        for large, small in zip(errors, errors[1:]):
            self.assertAlmostEqual(large / small, 4, delta=0.1)

    def test_channel_says_what_is_wrong(self):
        message = self.program("channel", PENDULUM, "joint.pn.angle", code=1).stderr
        self.assertIn("did you mean 'joint.pin.angle'?", message)
        bad = self.dir / "bad.yaml"
        bad.write_text("hooke: 1\nbodis: {}\n")
        message = self.program("channel", bad, "energy.total", code=1).stderr
        self.assertIn(f"{bad}:2:1: ", message)
        self.assertIn("did you mean 'bodies'?", message)
        for args in ((), (PENDULUM,), (PENDULUM, "energy.total", "often"), (PENDULUM, "energy.total", "-1")):
            self.assertIn("usage: channel", self.program("channel", *args, code=2).stderr)

    def test_chain(self):
        # a rod of 1 m from the horizontal is a pendulum of 2/3 m; the trapezoidal rule at h = 0.002
        rows = self.rows(self.program("chain", 1, "one.yaml"))
        self.assertEqual(len(rows), 1001)
        for t, angle in rows:
            self.assertAlmostEqual(angle - math.pi / 2, pendulum(t, 2 / 3), delta=2e-4)
        # the file that was written is the same model, to the last bit
        self.assertEqual(self.program("channel", "one.yaml", "joint.pin1.angle").stdout,
                         self.program("chain", 1).stdout)
        three = self.program("chain", 3, "three.yaml").stdout
        self.assertEqual(self.program("channel", "three.yaml", "joint.pin1.angle").stdout, three)
        self.assertIn("usage: chain", self.program("chain", code=2).stderr)

    def test_chain_of_nothing(self):
        self.assertIn("joint.pin1.angle", self.program("chain", 0, code=1).stderr)

    def test_hold(self):
        # 1 kg at 1 m, lifted to the side: its weight, its inertia, and how it moves
        line = self.program("hold", PENDULUM, "body.bob").stdout.split()
        self.assertEqual(line[0], "joint.pin.rate")
        for got, want in zip(map(float, line[1:]), (-G, 1, 0, 0, 1, 0, -1, 0)):
            self.assertAlmostEqual(got, want, delta=1e-12)
        for model in ("puma-by-torques.yaml", "double-four-bar.yaml", "iltis/ramp-and-stairs.yaml"):
            said = self.program("hold", SOURCE / "examples" / model).stderr
            self.assertLess(float(said.split()[-1]), 1e-6, model)
        self.assertIn("marker", self.program("hold", PENDULUM, "marker.x", code=1).stderr)
        self.assertIn("usage: hold", self.program("hold", code=2).stderr)

    def test_resume(self):
        result = self.program("resume", self.dir / "half.checkpoint")
        self.assertEqual(result.stderr, "resumed at t = 1 s\nthe same to the last bit\n")
        rows = self.rows(result)
        self.assertEqual(len(rows), 200)
        # m x'' + c x' + k x = 0 from rest at x0; the trapezoidal rule at h = 0.01 is off by at most
        # (w h)^2 / 12 of a phase w t while the amplitude decays: w t exp(-d t) <= w / (d e)
        m, k, c, x0, h = 2.0, 200.0, 4.0, 0.1, 0.01
        d, w0 = c / (2 * m), math.sqrt(k / m)
        w = math.sqrt(w0**2 - d**2)
        bound = x0 * (w0 * h)**2 / 12 * w0 / (d * math.e)
        for t, x, v in rows:
            decay = x0 * math.exp(-d * t)
            exact = decay * (math.cos(w * t) + d / w * math.sin(w * t))
            self.assertLess(abs(x - exact), 1.5 * bound)
            self.assertLess(abs(v + decay * w0**2 / w * math.sin(w * t)), 1.5 * w0 * bound)
        self.assertIn("NOT the same", self.program("resume", self.dir / "no/such/folder", code=1).stderr)

    def test_speed_loop(self):
        worst = []
        for step in (0.001, 0.0005):
            lines = self.program("speed-loop", SOURCE / "examples/speed-loop.yaml", step).stdout.splitlines()
            self.assertEqual(len(lines), 1 + round(1 / step))
            t, inside, outside = map(float, lines[-2].split())
            self.assertAlmostEqual(inside, 20, delta=0.1)
            self.assertAlmostEqual(outside, inside, delta=0.01)
            worst.append(float(lines[-1].split()[3]))
        self.assertLess(worst[0], 0.5)
        self.assertAlmostEqual(worst[0] / worst[1], 2, delta=0.1)  # first order in the step
        self.assertIn("usage: speed-loop", self.program("speed-loop", code=2).stderr)

    def test_sweep(self):
        result = self.program("sweep", PENDULUM, "0.5", "1", "2")
        self.assertEqual(result.stderr, "")
        rows = [line.split() for line in result.stdout.splitlines()]
        names = sorted({row[0] for row in rows})
        self.assertEqual(names, ["global", "hybrid", "partition", "recursive", "redundant", "topological"])
        self.assertEqual(len(rows), 18)
        for name, length, period, drift in rows:
            with self.subTest(formulation=name, length=length):
                # whatever the coordinates, the error is a small multiple of (w h)^2
                w = math.sqrt(G / float(length))
                exact = 4 * quarter(math.sqrt(0.5)) / w
                self.assertAlmostEqual(float(period) / exact, 1, delta=(w * 0.01)**2 / 2)
                self.assertLess(abs(float(drift)), 1e-2)

    def test_sweep_goes_on_after_a_refusal(self):
        result = self.program("sweep", PENDULUM, "1", "L0", "-x", "0", code=1)
        self.assertEqual(len(result.stdout.splitlines()), 6)
        for words in ("error: --set L=L0: unknown name 'L0'", "error: --set L=-x", ": error: "):
            self.assertIn(words, result.stderr)
        self.assertIn("usage: sweep", self.program("sweep", PENDULUM, code=2).stderr)

    def test_worlds(self):
        kernel = SOURCE / "build/release/hooke-kernel.wasm"
        if kernel.exists():
            os.environ.setdefault("HOOKE_KERNEL", str(kernel))
        with tempfile.TemporaryDirectory() as folder:
            os.environ["HOOKE_CACHE"] = folder
            result = self.program("worlds", PENDULUM, "L", "0.05", "101", "30", "joint.pin.angle")
            self.assertIn("101 worlds", result.stderr)
            rows = [[float(x) for x in line.split()] for line in result.stdout.splitlines()]
            self.assertEqual([row[0] for row in rows], [0, 0.1, 0.2, 0.3])
            for time, low, middle, high in rows[1:]:
                # the shorter, the faster: bands are those of the lengths
                for found, place in ((high, 5), (middle, 50), (low, 95)):
                    length = 1 + 0.05 * (2 * (place + 0.5) / 101 - 1)
                    self.assertAlmostEqual(found, pendulum(time, length), delta=2e-4)
                self.assertGreater(high - low, 1e-3)
            self.assertIn("no parameter 'K'", self.program("worlds", PENDULUM, "K", "0.05", "3", "1", "joint.pin.angle", code=1).stderr)
            self.assertIn("usage: worlds", self.program("worlds", PENDULUM, code=2).stderr)


if __name__ == "__main__":
    unittest.main()
