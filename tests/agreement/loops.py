#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many loops in a row, and deep trees: formulations that then solve in other ways (sparse rows, the articulated recursion) give the motion
of the others, and keep their methods."""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from support import SHORT, ExampleTest  # noqa: E402

N = 40


def bars(planar, more=""):
    """four-bars in a row, each with a coupler to the next; in space each loop has three rows too many"""
    axis = "z" if planar else "y"

    def at(i, h):
        return f"[{i}, {h}, 0]" if planar else f"[{i}, 0, {h}]"
    inertia = "inertia: {zz: 1/12}" if planar else "inertia: [0.1, 0.1, 0.1]"
    bodies = "".join(f"  c{i}: {{mass: {1 + 0.1 * i}, com: {at(i, 0.5)}, {inertia}}}\n" for i in range(N + 1))
    bodies += "".join(f"  r{i}: {{mass: 1, com: {at(i + 0.5, 1)}, {inertia}}}\n" for i in range(N))
    joints = "".join(f"  a{i}: {{type: revolute, between: [ground, c{i}], at: {at(i, 0)}, axis: {axis}}}\n" for i in range(N + 1))
    joints += "".join(f"  b{i}: {{type: revolute, between: [c{i}, r{i}], at: {at(i, 1)}, axis: {axis}}}\n"
                      f"  d{i}: {{type: revolute, between: [r{i}, c{i + 1}], at: {at(i + 1, 1)}, axis: {axis}}}\n" for i in range(N))
    gravity = "[0, -9.81, 0]" if planar else "[0, 0, -9.81]"
    head = "planar: xy\n" if planar else ""
    return (f"hooke: 1\n{head}gravity: {gravity}\nbodies:\n{bodies}joints:\n{joints}{more}start: {{a0: {{rate: {-1 if planar else 1}}}}}\n"
            f'record: ["joint.a0.*", "joint.a{N}.*", "energy.*"]\nrun: {{time: 0.4, step: 0.005, integrator: trapezoidal}}\n')


SPRINGS = ("forces:\n  s: {type: spring_damper, between: [c1, c3], ends: [[1, 0.5, 0], [3, 0.6, 0]], stiffness: 200, damping: 5}\n"
           "  t: {type: joint_spring, joint: a2, stiffness: 30, damping: 1}\n")


def chain(n):
    """a chain in space with springs in its joints and one across them"""
    bodies = "".join(f"  b{i}: {{mass: 1, com: [{0.1 * i + 0.05:.9g}, 0.01, 0.02], inertia: {{diagonal: [0.01, 0.02, 0.03]}}}}\n" for i in range(n))
    joints = "".join(f"  j{i}: {{type: {'spherical' if i % 10 == 5 else 'revolute'}, between: [{f'b{i - 1}' if i else 'ground'}, b{i}], "
                     f"at: [{0.1 * i:.9g}, 0, 0]{'' if i % 10 == 5 else f', axis: {chr(121 + i % 2)}'}}}\n" for i in range(n))
    springs = "".join(f"  s{i}: {{type: joint_spring, joint: j{i}, stiffness: 20, damping: 0.5}}\n" for i in range(0, n, 7) if i % 10 != 5)
    return (f"hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n{bodies}joints:\n{joints}forces:\n{springs}"
            f"  far: {{type: spring_damper, between: [b3, b{n - 1}], ends: [[0.3, 0, 0], [{0.1 * n:.9g}, 0, 0]], stiffness: 50, damping: 1}}\n"
            f'record: ["joint.j0.*", "body.b{n - 1}.*", "energy.*"]\nrun: {{time: 0.1, step: 0.001, integrator: trapezoidal}}\n')


def scissors(n, planar, more="", pivots_first=False):
    """a scissor lift of n stages on a spring; in space one row of each foot is too many; with the pivots first rows are nearly dependent"""
    inertia = "inertia: {zz: 0.4}" if planar else "inertia: {diagonal: [0.1, 0.35, 0.4]}"
    bodies = "".join(f"  {c}{k}: {{mass: 1, com: [1, {k + 0.5}, 0], {inertia}}}\n" for k in range(n) for c in "ab")
    pins = [[f"  p{k}: {{type: revolute, between: [a{k}, b{k}], at: [1, {k + 0.5}, 0], axis: z}}\n",
             f"  u{k}: {{type: revolute, between: [a{k}, b{k + 1}], at: [2, {k + 1}, 0], axis: z}}\n",
             f"  v{k}: {{type: {'revolute' if planar else 'in_line'}, between: [b{k}, a{k + 1}], at: [0, {k + 1}, 0], axis: z}}\n"] for k in range(n)]
    pins = [pins[k][:3 if k + 1 < n else 1] for k in range(n)]
    if pivots_first:
        pins = [[p[0] for p in pins], [line for p in pins for line in p[1:]]]
    pins = "".join(line for p in pins for line in p)
    head = "planar: xy\n" if planar else ""
    return (f"hooke: 1\n{head}gravity: [0, -9.81, 0]\nbodies:\n{bodies}joints:\n"
            "  foot: {type: revolute, between: [ground, a0], at: [0, 0, 0], axis: z}\n"
            f"  slide: {{type: in_line, between: [ground, b0], at: [2, 0, 0], axis: x}}\n{pins}forces:\n"
            f"  jack: {{type: spring_damper, between: [ground, b0], ends: [[0, 0, 0], [2, 0, 0]], stiffness: {20000 * n * n}, damping: {2000 * n * n}, length: 2}}\n"
            f'{more}record: ["body.b{n - 1}.*", "joint.p0.*", "energy.*"]\nrun: {{time: 0.1, step: 0.005, integrator: trapezoidal}}\n')


def free_lift(n, pivots_first):
    """a plane lift of n stages that falls on a spring; its joints stage by stage, or all middle pivots first"""
    bodies = "".join(f"  {c}{k}: {{mass: 1, com: [1, {k + 0.5}, 0], inertia: {{zz: 0.4}}}}\n" for k in range(n) for c in "ab")
    p, u, v = ([f"  {c}{k}: {{type: revolute, between: [{a}{k}, {b}{k + s}], at: [{x}, {k + y}, 0], axis: z}}\n" for k in range(n - s)]
               for c, a, b, s, x, y in (("p", "a", "b", 0, 1, 0.5), ("u", "a", "b", 1, 2, 1), ("v", "b", "a", 1, 0, 1)))
    pins = "".join(p + u + v) if pivots_first else "".join("".join(pins[k:k + 1]) for k in range(n) for pins in (p, u, v))
    return (f"hooke: 1\nplanar: xy\ngravity: [0, -9.81, 0]\nbodies:\n{bodies}joints:\n"
            f"  foot: {{type: revolute, between: [ground, a0], at: [0, 0, 0], axis: z}}\n{pins}forces:\n"
            "  jack: {type: spring_damper, between: [ground, b0], ends: [[0, 0, 0], [2, 0, 0]], stiffness: 300, damping: 4, length: 0.6}\n"
            f'record: ["body.b{n - 1}.velocity.*", "energy.*"]\nrun: {{time: 0.05, step: 0.001, integrator: trapezoidal}}\n')


def tower(n, planar, starts):
    """n four-bars on top of each other, with named angles"""
    def at(x, y):
        return f"[{x:.9g}, {y:.9g}, 0]" if planar else f"[{x:.9g}, 0, {y:.9g}]"
    inertia, bodies, joints = "{zz: 0.2}" if planar else "{diagonal: [0.2, 0.2, 0.2]}", "", ""
    for k in range(n):
        x, under = 0.1 * k, f"b{k - 1}" if k else "ground"
        for c, u, v in (("l", 0.05, 0.5), ("r", 1.05, 0.5), ("b", 0.6, 1)):
            bodies += f"  {c}{k}: {{mass: {1 + 0.3 * (k % 3)}, com: {at(x + u, k + v)}, inertia: {inertia}}}\n"
        for c, a, b, u, v in (("f", under, "l", 0, 0), ("g", under, "r", 1, 0), ("h", "l", "b", 0.1, 1), ("i", "r", "b", 1.1, 1)):
            joints += (f"  {c}{k}: {{type: revolute, between: [{a if a == under else f'{a}{k}'}, {b}{k}], at: {at(x + u, k + v)}, "
                       f"axis: {'z' if planar else 'y'}}}\n")
    values = ", ".join(f"{j}: {{angle: {x if planar else -x}}}" for j, x in starts)
    return (f"hooke: 1\n{'planar: xy' if planar else ''}\ngravity: {'[0, -9.81, 0]' if planar else '[0, 0, -9.81]'}\nbodies:\n{bodies}"
            f'joints:\n{joints}start: {{{values}}}\nrecord: ["energy.*"]\nrun: {{time: 1e-4, step: 1e-4, integrator: trapezoidal}}\n')


def rods(n, reach, more):
    """a hanging chain of n links in a plane, each tied to the one `reach` links on by a rod"""
    def at(x):
        return f"[{0.1 * x:.9g}, {0.03 * (-1) ** int(2 * x) if x % 1 else 0}, 0]"
    bodies = "".join(f"  b{i}: {{mass: 1, com: {at(i + 0.5)}, inertia: {{zz: 0.01}}}}\n" for i in range(n))
    joints = "".join(f"  j{i}: {{type: revolute, between: [{f'b{i - 1}' if i else 'ground'}, b{i}], at: {at(i)}, axis: z{more if i == 5 else ''}}}\n" for i in range(n))
    joints += "".join(f"  r{i}: {{type: distance, between: [b{i}, b{i + reach}], ends: [{at(i + 0.5)}, {at(i + reach + 0.5)}]}}\n" for i in range(0, n - reach))
    return (f"hooke: 1\nplanar: xy\ngravity: [0, -9.81, 0]\nbodies:\n{bodies}joints:\n{joints}"
            f'record: ["body.b{n - 1}.position.*", "energy.*"]\nrun: {{time: 0.05, step: 0.001, integrator: trapezoidal}}\n')


# a spring over many stages, and one in a joint
TIES = ("  tie: {type: spring_damper, between: [a2, b30], ends: [[1, 2.5, 0], [1, 30.6, 0]], stiffness: 3e4, damping: 50}\n"
        "  turn: {type: joint_spring, joint: p7, stiffness: 3e4, damping: 10}\n")


MATRIX = ("--option", "tangent=exact")  # which fronts do not have


class Loops(ExampleTest):
    def agree(self, text, methods, reference, channels, within, *args):
        """final values of all methods against those of the reference"""
        model = self.variant(text)
        found = {m: self.run_model(model, "-f", m[0], "-i", m[1], *args) for m in [reference, *methods]}
        for m in methods:
            self.assertEqual(found[m]["rejected"], 0, m)
            for c in channels:
                a, b = found[m]["final"][c], found[reference]["final"][c]
                self.assertLessEqual(abs(a - b), within * (1 + abs(b)), f"{m} {c}: {a}, not {b}")
        return found

    def test_rows_in_the_plane(self):
        for more in ("", SPRINGS):
            methods = [("topological", "rk4"), ("recursive", "rk4")]
            final = ["joint.a0.angle", "joint.a0.rate", f"joint.a{N}.angle", "energy.total"]
            self.agree(bars(True, more), methods, ("hybrid", "rk4"), final, 2e-8)
            methods = [("topological", "trapezoidal"), ("recursive", "trapezoidal")]
            self.agree(bars(True, more), methods, ("hybrid", "rk4"), final[:3], 1e-4)

    def test_rows_with_too_many_equations(self):
        self.agree(bars(False), [(f, "rk4") for f in ("topological", "recursive")], ("hybrid", "rk4"), ["joint.a0.angle", "joint.a0.rate"], 2e-8,
                   "--time", "0.1" if SHORT else "0.4")

    def test_methods(self):
        methods = [("topological", "sdirk"), ("topological", "generalized_alpha"), ("recursive", "generalized_alpha"), ("recursive", "dopri5")]
        self.agree(bars(True, SPRINGS), methods, ("hybrid", "rk4"), ["joint.a0.angle"], 1e-4)
        # matrices of several stages at once are the reduced ones
        runs = [self.run_model(self.variant(bars(True, SPRINGS)), "-f", "topological", "-i", "sdirk", "--time", "0.1", *args)["final"]["joint.a0.angle"]
                for args in ((), ("--option", "iteration=simultaneous"))]
        self.assertLessEqual(abs(runs[0] - runs[1]), 1e-6)

    def test_deep_trees(self):
        found = self.agree(chain(60), [(f, i) for f in ("hybrid", "recursive") for i in ("trapezoidal", "rk4")], ("topological", "trapezoidal"),
                           ["joint.j0.angle", "body.b59.position.z"], 2e-5)
        # the same equations by another elimination
        for c in ("joint.j0.angle", "body.b59.position.z", "energy.total"):
            a, b = (found[f, "trapezoidal"]["final"][c] for f in ("hybrid", "topological"))
            self.assertLessEqual(abs(a - b), 1e-8 * (1 + abs(b)), c)

    def test_loops_on_deep_trees(self):
        """by fronts of rows, against the matrix, which exact tangents have, and against Cartesian coordinates"""
        cases = [(f, *kind) for f in (("hybrid", 70), ("recursive", 130), ("topological", 45)) for kind in ((True, ""), (True, TIES), (False, TIES))]
        for (f, n), planar, more in cases:
            model = self.variant(scissors(n, planar, more))
            found, matrix = (self.run_model(model, "-f", f, *args) for args in ((), MATRIX))
            final = self.run_model(model, "-f", "redundant")["final"] if planar else None
            self.assertEqual((found["rejected"], found["grade"]), (0, "good"))
            for c in (f"body.b{n - 1}.position.y", f"body.b{n - 1}.velocity.y", "joint.p0.angle", "energy.total"):
                a, b = found["final"][c], matrix["final"][c]
                self.assertLessEqual(abs(a - b), 1e-7 * (1 + abs(b)), f"{f} {c}: {a}, not {b}")
                if planar:
                    self.assertLessEqual(abs(a - final[c]), 1e-5 * (1 + abs(final[c])), f"{f} {c}: {a}, not {final[c]}")

    def test_nearly_dependent_rows(self):
        """topological, with fronts, with the matrix of the tree and with full matrices: to round-off, where penalties alone leave rows open"""
        n = 60
        model = self.variant(scissors(n, True, TIES, pivots_first=True))
        found = [self.run_model(model, "-f", "topological", "--tolerance", "1e-11", *args) for args in ((), MATRIX)]
        found.append(self.run_model(self.variant(scissors(n, True, TIES)), "-f", "topological", "--tolerance", "1e-11"))
        for other in found[1:]:
            self.assertEqual((other["rejected"], other["grade"]), (0, "good"))
            for c in (f"body.b{n - 1}.position.y", f"body.b{n - 1}.velocity.y", "joint.p0.angle"):
                a, b = found[0]["final"][c], other["final"][c]
                self.assertLessEqual(abs(a - b), 1e-9 * (1 + abs(b)), f"{c}: {a}, not {b}")

    def test_loops_on_deep_trees_go_on(self):
        """a resumed run has the bits of the whole one; explicit methods and stages at acceleration level find the same motion"""
        model = self.variant(scissors(130, False, TIES))
        file = self.dir / "half.hkc"
        for f in ("hybrid", "recursive", "topological"):
            whole = self.run_model(model, "-f", f)["final"]
            self.assertEqual(whole, self.run_model(model, "-f", f)["final"])
            self.run_model(model, "-f", f, "--time", "0.05", "--checkpoint", file)
            self.assertEqual(whole, self.run_model(model, "-f", f, "--resume", file)["final"])
        c = "body.b129.position.y"
        for f, i in (("hybrid", "generalized_alpha"), ("recursive", "generalized_alpha"), ("hybrid", "sdirk"), ("topological", "sdirk"),
                     ("topological", "generalized_alpha")):
            self.assertLessEqual(abs(self.run_model(model, "-f", f, "-i", i)["final"][c] - whole[c]), 1e-4, (f, i))

    def test_rows_that_nearly_depend(self):
        """all middle pivots of a lift first: loops close along slow directions too, in every formulation, or the run is not good"""
        n, c = (60 if SHORT else 100), "velocity.y"
        for step in ("1e-3", "1e-4"):
            right = self.run_model(self.variant(free_lift(n, False)), "-f", "hybrid", "--step", step)["final"][f"body.b{n - 1}.{c}"]
            model = self.variant(free_lift(n, True))
            for f, i in (("hybrid", "trapezoidal"), ("topological", "trapezoidal"), ("global", "trapezoidal"), ("recursive", "trapezoidal"),
                         ("hybrid", "rk4"), ("global", "rk4"), ("recursive", "rk4"), ("topological", "rk4"), ("hybrid", "sdirk"), ("global", "sdirk"),
                         ("hybrid", "linearly_implicit"), ("recursive", "linearly_implicit")):
                found = self.run_model(model, "-f", f, "-i", i, "--step", step)
                self.assertEqual((found["grade"], found["rejected"]), ("good", 0), (f, i))
                self.assertLessEqual(abs(found["final"][f"body.b{n - 1}.{c}"] - right), 2e-6, (f, i, step))

    def test_many_entries_of_rows(self):
        """recursive keeps the rows of loops, those that go four at a time twice, beside what a step needs of forces in joints"""
        text = rods(60, 20, ", friction: {type: coulomb, mu: 0.1, radius: 0.05}")
        self.agree(text, [("recursive", "trapezoidal")], ("hybrid", "trapezoidal"), ["body.b59.position.x", "body.b59.position.y", "energy.total"], 1e-4)

    def test_friction_where_rows_nearly_depend(self):
        """recursive then keeps the complement of the rows; its factor leaves slow directions open too, and they are closed"""
        for n, first in ((110, True), (150, False)):
            text = free_lift(n, first).replace("p0: {type: revolute,", "p0: {type: revolute, friction: {type: coulomb, mu: 0.1, radius: 0.05},")
            found = self.agree(text, [("recursive", i) for i in ("trapezoidal", "rk4")], ("hybrid", "trapezoidal"),
                               [f"body.b{n - 1}.velocity.y", "energy.dissipated"], 2e-6, "--time", "0.01")
            self.assertEqual({run["grade"] for run in found.values()}, {"good"})

    def test_jumps_of_rows_that_nearly_depend(self):
        """a rate that is set, a joint that is fixed, a stop that is met: the velocities behind them close the loops of a lift with its pivots first"""
        n = 30 if SHORT else 60
        text, c = free_lift(n, True), [f"body.b{n - 1}.velocity.x", f"body.b{n - 1}.velocity.y", "energy.total"]
        pin = f"p{n // 2}: {{type: revolute,"
        cases = [text + f'events: {{e: {{when: "t >= 0.02", {what}}}}}\n' for what in (f"set: {{p{n // 2}: {{rate: 0.1}}}}", f"fix: u{n // 2}")]
        cases.append(text.replace(pin, f"{pin} limits: {{angle: [-1e-5, 1e-5], restitution: 0.5}},"))
        for case in cases:
            found = self.agree(case, [(f, "trapezoidal") for f in ("hybrid", "topological", "recursive", "global")], ("redundant", "trapezoidal"), c, 1e-6,
                               "--time", "0.03")
            self.assertEqual({run["grade"] for run in found.values()}, {"good"})
            self.assertEqual({run["impacts"] > 0 for run in found.values()}, {case is cases[-1]})

    def test_starts_of_rows_that_nearly_depend(self):
        """values that are named hold in a lift with its pivots first too, without the matrix of the tree and with it (a run with stops has it)"""
        n = 100
        stop = ("foot: {type: revolute,", "foot: {type: revolute, limits: {angle: [-3, 3]},")
        for values in ("foot: {angle: 0.1}, p3: {angle: 0.1}", "foot: {rate: 0.1}, p3: {rate: 0.2}, rates: mass", "foot: {rate: 0.1}, p3: {rate: 0.2}"):
            found = []
            for first, old, new in ((False, "", ""), (True, "", ""), (True, *stop)):
                text = free_lift(n, first).replace(old, new, 1) + f"start: {{{values}}}\n"
                run = self.command("run", self.variant(text), "--json", "--time", "0.001")
                self.assertNotIn("start.", run.stderr)
                found.append(json.loads(run.stdout)["energy"]["initial_J"])
            for value in found[1:]:
                self.assertLessEqual(abs(value - found[0]), 1e-9 * found[0], f"{values}: {found}")

    def test_least_energy(self):
        """`rates: mass` has the least kinetic energy, whatever tree is made of the joints: a lift that extends by one pivot and turns about its
        foot at the rate that costs least"""
        for n in (20, 60, 200):
            def energy(turn, f=0.1, n=n):
                ys = [k + 0.5 for k in range(n)]
                return sum((-0.5 * f - turn * y) ** 2 + (2 * f * y + turn) ** 2 for y in ys) + 0.4 * n * (turn * turn + f * f)
            bend, slope = (energy(1) + energy(-1)) / 2 - energy(0), (energy(1) - energy(-1)) / 2
            right = energy(-slope / (2 * bend))
            for first in (False, True):
                head, tail = free_lift(n, first).replace("-9.81", "0").split("forces:")
                text = head + f"start: {{p{n // 2}: {{rate: 0.2}}, rates: mass}}\n" + tail[tail.index("record:"):]
                found = self.run_model(self.variant(text), "--time", "0.001")["energy"]["initial_J"]
                self.assertLessEqual(abs(found - right), 1e-8 * right, f"{n} {first}: {found}, not {right}")

    def test_nearest_starts(self):
        """corrections that go to and fro across the nearest positions get there, in the plane and in space, whatever the last bits are"""
        for n, starts in ((6, [("f3", 0.3), ("f5", -0.3)]), (8, [("f5", 0.25)]), (10, [("h3", -0.16), ("g5", 0.19), ("i1", 0.11)]),
                          (12, [("f3", 0.3), ("f5", -0.3)])):
            plane = tower(n, True, starts)
            found = []
            for text in (plane, plane.replace("mass: 1.3,", "mass: 1.3000000000001,"), tower(n, False, starts)):
                run = self.command("run", self.variant(text), "--json")
                self.assertNotIn("start.", run.stderr)
                found.append(json.loads(run.stdout)["energy"]["initial_J"])
            for value in found[1:]:
                self.assertLessEqual(abs(value - found[0]), 1e-9 * found[0], f"{n}: {found}")


if __name__ == "__main__":
    unittest.main()
