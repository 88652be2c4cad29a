#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke modes` of rotors and periodic motions: multiblade coordinates, axes that turn, Floquet multipliers, against second computations."""
import cmath
import json
import math
import unittest

from support import FEW, PENDULUM, SOURCE
from support_modes import ModesTest

EXAMPLE = SOURCE / "examples/ground-resonance.yaml"
BLADES = "mast:blade1.lag,blade2.lag,blade3.lag,blade4.lag"

# Hammond (1974): blade m, S, I, e; hub masses, stiffness, damping; lag damper
M_BLADE, S, I, E = 94.9, 289.1, 1084.7, 0.3048
MX, MY, K, CX, CY, C_LAG = 8026.6, 3283.6, 1240481.8, 51078.7, 25539.3, 4067.5

# a point mass on a thread whose upper end moves up and down: L f'' + (g + z'') f = 0, z = a cos(w t)
MATHIEU = """\
hooke: 1
gravity: [0, 0, -9.81]
parameters: {a: 0.1, w: 10, L: 1, lean: 0}
bodies:
  carriage: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  bob: {mass: 1, com: [0, 0, -L], inertia: [0, 0, 0]}
joints:
  lift: {type: prismatic, between: [ground, carriage], at: [0, 0, 0], axis: z, motion: {position: a*cos(w*t)}}
  pin: {type: revolute, between: [carriage, bob], at: [0, 0, 0], axis: y}
start: {pin: {angle: lean}}
"""


def determinant(a):
    """of a square matrix, by elimination with pivots"""
    a, n, d = [list(row) for row in a], len(a), 1
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(a[r][i]))
        if p != i:
            a[i], a[p], d = a[p], a[i], -d
        d *= a[i][i]
        if not a[i][i]:
            return 0
        for r in range(i + 1, n):
            f = a[r][i] / a[i][i]
            for c in range(i, n):
                a[r][c] -= f * a[i][c]
    return d


def root(f, z):
    """that of f nearest to z, by Newton's iteration"""
    for _ in range(30):
        h = 1e-6 * max(1, abs(z))
        step = f(z) * 2 * h / (f(z + h) - f(z - h))
        z -= step
        if abs(step) < 1e-14 * max(1, abs(z)):
            break
    return z


def coleman(w, z, c=C_LAG, cx=CX, cy=CY):
    """determinant of the classical equations of an isotropic rotor in hub x, y and cyclic lag n, s:
    n'' + 2 W s' - W^2 n for the lag accelerations, n' + W s for its rates"""
    lag = I * (z * z - w * w) + c * z + w * w * E * S
    cross = 2 * I * w * z + c * w
    mx, my = MX + 4 * M_BLADE, MY + 4 * M_BLADE
    return determinant([[mx * z * z + cx * z + K, 0, 0, -2 * S * z * z], [0, my * z * z + cy * z + K, 2 * S * z * z, 0],
                        [0, S * z * z, lag, cross], [-S * z * z, 0, -cross, lag]])


def rates(t, y, w, c):
    """periodic equations of hub and blades in rotating coordinates: y = x, y, lag 1 .. 4, and their rates"""
    q, v = y[:6], y[6:]
    psi = [w * t + k * math.pi / 2 for k in range(4)]
    sn, cs = [math.sin(p) for p in psi], [math.cos(p) for p in psi]
    free = [-(c[k] * v[2 + k] + w * w * E * S * q[2 + k]) / I for k in range(4)]
    # blades: lag'' = free + (S/I) (x'' sin - y'' cos)
    fx, fy = -CX * v[0] - K * q[0], -CY * v[1] - K * q[1]
    axx, axy, ayy = MX + 4 * M_BLADE, 0.0, MY + 4 * M_BLADE
    for k in range(4):
        z, zd = q[2 + k], v[2 + k]
        fx += S * (free[k] * sn[k] + 2 * w * zd * cs[k] - w * w * z * sn[k])
        fy -= S * (free[k] * cs[k] - 2 * w * zd * sn[k] - w * w * z * cs[k])
        axx -= S * S / I * sn[k] * sn[k]
        axy += S * S / I * sn[k] * cs[k]
        ayy -= S * S / I * cs[k] * cs[k]
    d = axx * ayy - axy * axy
    ax, ay = (ayy * fx - axy * fy) / d, (axx * fy - axy * fx) / d
    return v + [ax, ay] + [free[k] + S / I * (ax * sn[k] - ay * cs[k]) for k in range(4)]


def over_a_turn(w, c, n):
    """columns of the matrix that takes states over a turn, by n steps of the classical Runge-Kutta method"""
    h, columns = 2 * math.pi / w / n, []
    for j in range(12):
        y = [float(i == j) for i in range(12)]
        for s in range(n):
            t = s * h
            a = rates(t, y, w, c)
            b = rates(t + h / 2, [x + h / 2 * d for x, d in zip(y, a)], w, c)
            e = rates(t + h / 2, [x + h / 2 * d for x, d in zip(y, b)], w, c)
            f = rates(t + h, [x + h * d for x, d in zip(y, e)], w, c)
            y = [x + h / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(y, a, b, e, f)]
        columns.append(y)
    return columns


def hill_trace(stiffness, swing, n=120):
    """trace over a period of f'' + (stiffness - swing cos(t)) f = 0, by n steps"""
    total, h = 0.0, 2 * math.pi / n
    for first in (0, 1):
        y = [1.0 - first, float(first)]
        for s in range(n):
            k = [stiffness - swing * math.cos((s + part) * h) for part in (0, 0.5, 1)]
            a = (y[1], -k[0] * y[0])
            b = (y[1] + h / 2 * a[1], -k[1] * (y[0] + h / 2 * a[0]))
            c = (y[1] + h / 2 * b[1], -k[1] * (y[0] + h / 2 * b[0]))
            d = (y[1] + h * c[1], -k[2] * (y[0] + h * c[0]))
            y = [y[i] + h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]) for i in range(2)]
        total += y[first]
    return total


def bisect(f, low, high, steps=34):
    inside = f(low) > 0
    for _ in range(steps):
        mid = (low + high) / 2
        low, high = (mid, high) if (f(mid) > 0) == inside else (low, mid)
    return (low + high) / 2


class Rotor(ModesTest):
    # --- multiblade coordinates ---

    def test_isotropic_rotor(self):
        """Hammond's rotor with all dampers, over its speed: modes that do not change with time, against the classical equations"""
        args = (EXAMPLE, "--multiblade", BLADES, "--vary", "speed=10,25,40")
        for f in ("hybrid",) if FEW else ("hybrid", "redundant"):
            for value in json.loads(self.hooke("modes", *args, "-f", f, "--json").stdout):
                w, found = value["parameters"]["speed"], [complex(m["real"], m["imag"]) for m in value["modes"]]
                self.assertLess(value["variation"], 1e-9)
                self.assertLess(value["acceleration"], 1e-9)
                # mean and alternating lag do not move the hub
                alone = -C_LAG / (2 * I) + 1j * math.sqrt(w * w * E * S / I - (C_LAG / (2 * I)) ** 2)
                rest = [z for z in found if abs(z - alone) > 1e-6]
                self.assertEqual((len(found), len(rest)), (6, 4))
                for z in rest:
                    self.near(z, root(lambda x, w=w: coleman(w, x), z), 1e-8)
                self.assertLess(max(z.real for z in found), 0)

    def test_unstable_band_without_dampers(self):
        """without damping the lag mode that goes back and the hub's meet: the band of speeds against the classical equations"""
        none = ("--set", "c_lag=0", "--set", "cx=0", "--set", "cy=0")

        def growth(w):
            return max(m["real"] for m in self.modes(EXAMPLE, "--multiblade", BLADES, *none, "--set", f"speed={w}")["modes"])

        # discriminant by counting imaginary roots of the even determinant: a root is lost where it grows
        def imaginary(w):
            at = [coleman(w, 0.1j * k, 0, 0, 0).real for k in range(1, 400)]
            return sum(x * y < 0 for x, y in zip(at, at[1:]))

        edge = bisect(lambda w: imaginary(w) - 3.5, 12.0, 17.0, 8)
        self.assertLess(growth(edge - 0.1), 1e-6)
        self.assertGreater(growth(edge + 0.1), 1e-2)

    def test_axes_that_turn(self):
        """one damper out on a hub that is alike in all directions: steady seen from the rotor, and the same multipliers over a turn"""
        alike = ("--set", "damper1=0", "--set", f"my={MX}", "--set", f"cy={CX}")
        value = self.modes(EXAMPLE, *alike, "--frame", "mast")
        self.assertLess(value["variation"], 1e-9)
        self.assertGreater(self.modes(EXAMPLE, *alike)["variation"], 0.01)
        if FEW:
            return  # periods take long under sanitizers: test_constant_system has one
        T = 2 * math.pi / 25
        turned = [cmath.exp(complex(m["real"], m["imag"]) * T) for m in value["modes"]]
        for re, im in self.modes(EXAMPLE, *alike, "--period", "mast")["multipliers"]:
            best = min(turned, key=lambda z: min(abs(z - complex(re, im)), abs(z - complex(re, -im))))
            self.near(complex(best.real, abs(best.imag)), complex(re, im), 1e-7)

    # --- Floquet ---

    @unittest.skipIf(FEW, "a rotor over a turn takes long under sanitizers; check-all has it")
    def test_one_damper_out(self):
        """Hammond's case: multipliers against the periodic equations; unstable in a band of speeds, stable beside it"""
        w = 25.0
        value = self.modes(EXAMPLE, "--set", "damper1=0", "--period", "mast")
        columns = over_a_turn(w, [0] + 3 * [C_LAG], 100)
        self.assertFalse(value["stable"])
        self.assertLess(value["apart"], 1e-9)
        for re, im in value["multipliers"]:
            z = root(lambda x: determinant([[columns[j][i] - x * (i == j) for j in range(12)] for i in range(12)]),
                     complex(re, im))
            self.near(complex(re, im), z, 2e-6)

    def test_constant_system(self):
        """where nothing depends on time multipliers are exp(lambda T), with loops as well"""
        (self.dir / "p.yaml").write_text(PENDULUM)
        cases = [("p.yaml", "0.7", "hybrid"), (SOURCE / "examples/double-four-bar.yaml", "0.3", "redundant")]
        for path, T, f in cases[:1] if FEW else cases:
            args = (path, "--at", "equilibrium", "-f", f)
            expected = [cmath.exp(complex(m["real"], m["imag"]) * float(T)) for m in self.modes(*args)["modes"]]
            value = self.modes(*args, "--period", T)
            grows = max(abs(z) for z in expected) > 1.001  # the four-bars stand upright: exp(+-3.383 T)
            self.assertEqual((len(expected), value["period"], value["stable"]), (len(value["multipliers"]), float(T), not grows))
            for z, (re, im) in zip(expected, value["multipliers"]):
                self.near(complex(re, im), complex(z.real, abs(z.imag)), 2e-8)

    @unittest.skipIf(FEW, "long under sanitizers; check-all has it there")
    def test_mathieu(self):
        """a pendulum shaken at its pivot: the boundary of the first tongue, mu = -1, to 1e-6 of the stiffness"""
        (self.dir / "m.yaml").write_text(MATHIEU)
        L, w, a = 1.0, 10.0, 0.1
        swing = a / L
        edge = bisect(lambda k: hill_trace(k, swing) + 2, 0.25, 0.5)
        for side in (1,) if FEW else (-1, 1):
            # g / (L w^2) is the stiffness: by the length, with the swing kept
            k = edge + side * 1e-6
            length = 9.81 / (k * w * w)
            value = self.modes("m.yaml", "--period", repr(2 * math.pi / w), "--set", f"L={length!r}", "--set", f"a={swing * length!r}")
            self.assertEqual(value["stable"], side > 0, k)
            re = [m[0] for m in value["multipliers"]]
            self.near(sum(re) if len(re) == 2 else 2 * re[0], hill_trace(k, swing), 1e-6)

    def test_motion_that_does_not_return(self):
        (self.dir / "p.yaml").write_text(PENDULUM)
        self.assertIn("does not return", self.hooke("modes", "p.yaml", "--period", "0.3").stderr)
        text = self.hooke("modes", "p.yaml", "--at", "equilibrium", "--period", "0.3").stdout
        self.assertIn("the motion is stable", text)

    # --- bad input ---

    def test_bad_input(self):
        (self.dir / "p.yaml").write_text(PENDULUM)
        for args, words in (((EXAMPLE, "--multiblade", "mast"), "SHAFT:JOINT"), ((EXAMPLE, "--multiblade", "mast:none,blade1.lag"), "none"),
                            ((EXAMPLE, "--multiblade", "mast:blade1.lag,blade2.lag"), "evenly"),
                            ((EXAMPLE, "--multiblade", "along:blade1.lag,blade3.lag"), "no shaft"),
                            ((EXAMPLE, "--multiblade", "mast:along,across"), "no joint of a blade"),
                            ((EXAMPLE, "--frame", "nothing"), "nothing"), ((EXAMPLE, "--frame", "blade1.lag"), "no states"),
                            (("p.yaml", "--frame", "pin"), "on the ground"), (("p.yaml", "--period", "0"), "--period"),
                            (("p.yaml", "--period", "nothing"), "nothing"), (("p.yaml", "--period", "pin"), "does not turn"),
                            (("p.yaml", "--period", "1", "--frame", "pin"), "--period"),
                            (("p.yaml", "--period", "1", "-i", "dopri5"), "dopri5")):
            self.assertIn(words, self.hooke("modes", *args, code=2).stderr)
        self.assertIn("change along the motion", self.hooke("modes", EXAMPLE).stderr)
        said = self.hooke("modes", EXAMPLE, "--at", "equilibrium").stderr
        self.assertTrue("the equilibrium moves" in said and "joint.mast.rate is 25" in said, said)
        self.assertEqual(self.hooke("modes", "p.yaml", "--at", "equilibrium").stderr, "")


if __name__ == "__main__":
    unittest.main()
