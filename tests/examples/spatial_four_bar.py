#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/spatial-four-bar.yaml: a spatial loop with a universal and a spherical joint, against an
independent reduction to one degree of freedom.

With one degree of freedom and no losses, E = J(th) w^2/2 + U(th) is constant, so that the crank's angle
follows from t = integral of sqrt(J/(2 (E - U))) dth. J and U come from the closed-form pose of the three
rods; the universal joint keeps its second axis normal to y, which fixes the coupler's spin.
"""
import math
import unittest

from support import ExampleTest, SECOND_ORDER, SHORT

EXAMPLE = "spatial-four-bar.yaml"
CRANK, ROCKER, LEAN, MASS, SPEED = 0.2, 0.6, math.radians(12), 2.0, 10.0  # as in the model
B0 = (0.5, 0.7, 0.0)
COUPLER = math.dist((0, 0, CRANK), (B0[0], B0[1] + ROCKER * math.sin(LEAN), ROCKER * math.cos(LEAN)))


def tip_a(th):
    return (CRANK * math.sin(th), 0.0, CRANK * math.cos(th))


def rocker_angle(th):
    """lean of the rocker: |A - B|^2 = COUPLER^2 is b sin + c cos = d"""
    a = tip_a(th)
    d = COUPLER**2 - (B0[0] - a[0])**2 - B0[1]**2 - ROCKER**2 - a[2]**2
    b, c = 2 * B0[1] * ROCKER, -2 * ROCKER * a[2]
    return math.asin(d / math.hypot(b, c)) - math.atan2(c, b)


def pose(th):
    """centres and axes of crank, coupler and rocker: (point, [x, y, z axes], mass, length)"""
    a, phi = tip_a(th), rocker_angle(th)
    up = (0.0, math.sin(phi), math.cos(phi))
    b = tuple(o + ROCKER * u for o, u in zip(B0, up))
    x = [(q - p) / COUPLER for p, q in zip(a, b)]
    n = [x[2], 0.0, -x[0]]  # y x d: the universal joint's second axis
    size = math.hypot(n[0], n[2])
    n = [c / size for c in n]
    z = [x[1] * n[2] - x[2] * n[1], x[2] * n[0] - x[0] * n[2], x[0] * n[1] - x[1] * n[0]]
    return ([tuple(p / 2 for p in a), [a, (0, 1, 0), None], CRANK],
            [tuple((p + q) / 2 for p, q in zip(a, b)), [x, n, z], COUPLER],
            [tuple((p + q) / 2 for p, q in zip(B0, b)), None, ROCKER])


def inertia_and_potential(th, e=1e-4):
    """J and U of the mechanism; slopes by fourth-order differences"""
    def slope(f):
        return [(8 * (p - m) - (pp - mm)) / (12 * e)
                for p, m, pp, mm in zip(f(th + e), f(th - e), f(th + 2 * e), f(th - 2 * e))]
    J = U = 0.0
    for k in range(3):
        length = pose(th)[k][2]
        m, across, along = MASS * length, MASS * length**3 / 12, MASS * length * 0.03**2 / 8
        v = slope(lambda x, k=k: pose(x)[k][0])
        J += m * sum(c * c for c in v)
        U += m * 9.81 * pose(th)[k][0][2]
        if k == 0:
            J += across
        elif k == 2:
            J += across * slope(lambda x: [rocker_angle(x)])[0]**2
        else:  # w = sum of (axis x its rate)/2; along the rod: its spin
            dx, dn = (slope(lambda x, i=i: pose(x)[1][1][i]) for i in (0, 1))
            spin = sum(p * q for p, q in zip(dn, pose(th)[1][1][2]))
            J += across * sum(c * c for c in dx) + along * spin**2
    return J, U


def crank_angle(t_end):
    """the angle at which t = t_end, by Gauss' rule over pieces of 5 mrad"""
    J, U = inertia_and_potential(0.0)
    E = J * SPEED**2 / 2 + U

    def slowness(th):
        j, u = inertia_and_potential(th)
        return math.sqrt(j / (2 * (E - u)))
    th, t, piece = 0.0, 0.0, 0.02
    g = math.sqrt(0.6)
    while True:
        s = [slowness(th + piece * (1 + x) / 2) for x in (-g, 0.0, g)]
        dt = piece * (5 * s[0] + 8 * s[1] + 5 * s[2]) / 18
        if t + dt > t_end:
            break
        th, t = th + piece, t + dt
    for _ in range(20):  # the rest, by Newton's rule on the same quadrature
        piece = min(piece, 0.02)
        s = [slowness(th + piece * (1 + x) / 2) for x in (-g, 0.0, g)]
        rest = t + piece * (5 * s[0] + 8 * s[1] + 5 * s[2]) / 18 - t_end
        piece -= rest / slowness(th + piece)
    return th + piece, 1 / slowness(th + piece)


class SpatialFourBar(ExampleTest):
    END = 0.3 if SHORT else 1.0

    @classmethod
    def setUpClass(cls):
        cls.exact = crank_angle(cls.END)

    def test_counts(self):
        value = self.run_model(EXAMPLE, "--time", 0.01)
        self.assertEqual([value[k] for k in ("bodies", "dof", "redundant")], [3, 1, 0])
        self.assertEqual(value["coordinates"] - value["constraints"], 1)

    def test_orders(self):
        for integrator in SECOND_ORDER:
            angle, rate = [], []
            for h in (0.002, 0.001, 0.0005):
                value = self.run_model(EXAMPLE, "--step", h, "--time", self.END, "--integrator", integrator,
                                       "--tolerance", 1e-11)
                self.assertEqual(value["rejected"], 0)
                angle.append(abs(value["final"]["joint.pin_A0.angle"] - self.exact[0]))
                rate.append(abs(value["final"]["joint.pin_A0.rate"] - self.exact[1]))
            self.assertOrder(angle, 2, 0.1, f"{integrator}, angle")
            self.assertOrder(rate, 2, 0.1, f"{integrator}, rate")
            self.assertLess(angle[-1], 5e-4)

    def test_newmark_is_first_order(self):
        errors = [abs(self.run_model(EXAMPLE, "--step", h, "--time", self.END, "--integrator", "newmark")
                      ["final"]["joint.pin_A0.angle"] - self.exact[0]) for h in (0.0005, 0.00025, 0.000125)]
        self.assertOrder(errors, 1, 0.1, "newmark")

    def test_audit_converges(self):
        drift = [abs(self.run_model(EXAMPLE, "--step", h, "--time", 1)["energy"]["max_drift_J"])
                 for h in (0.002, 0.001, 0.0005)]
        self.assertOrder(drift, 2, 0.1, "drift")

    def test_the_loop_stays_closed(self):
        _, run = self.run_series(EXAMPLE, "--time", 0.5, "--step", 0.005)
        for th, phi in zip(run["joint.pin_A0.angle"], run["joint.pin_B0.angle"]):
            # the rocker leans towards +y, against the axis x
            self.assertNear(-phi + LEAN, rocker_angle(th), 1e-9, "rocker")

    def test_universal_joint_keeps_the_coupler_from_spinning(self):
        # its second axis stays normal to y: turned by the coupler's orientation, it has no y
        from support import rotate
        _, run = self.run_series(EXAMPLE, "--time", 0.5, "--step", 0.005)
        d = [0.5, B0[1] + ROCKER * math.sin(LEAN), ROCKER * math.cos(LEAN) - CRANK]
        for i in range(len(run["t"])):
            q = [run[f"body.coupler.orientation.{c}"][i] for c in "wxyz"]
            self.assertNear(rotate(q, [d[2], 0, -d[0]])[1], 0, 1e-9, "second axis")

    def test_whichever_joint_is_cut(self):
        for name in ("pin_A0", "hooke_A", "ball_B", "pin_B0"):
            text = self.text(EXAMPLE)
            line = next(s for s in text.splitlines() if s.startswith(f"  {name}:") and "type" in s)
            model = self.variant(text.replace(line, line[:-1] + ", cut: always}"))
            value = self.run_model(model, "--time", self.END, "--step", 0.0005)
            self.assertEqual((value["dof"], value["redundant"], value["rejected"]), (1, 0, 0))
            self.assertNear(value["final"]["joint.pin_A0.angle"], self.exact[0], 5e-4, f"cut at {name}")


if __name__ == "__main__":
    unittest.main()
