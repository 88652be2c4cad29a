#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke statics`: equilibria against closed forms, in every formulation; paths past limit loads; bad input."""
import csv
import json
import math
import signal
import subprocess
import time
import unittest

from support import FEW, HOOKE, PENDULUM, SOURCE, CommandTest, hooke

FORMULATIONS = ("hybrid", "topological", "recursive", "global", "partition", "redundant")
EXAMPLES = SOURCE / "examples"


FOUR_BAR = """\
hooke: 1
gravity: [0, 0, -9.81]
signals: {M: {input: 0}}
points: {A: [0, 0, 0], B: [0, 0, 0.3], C: [1, 0, 0.8], D: [1, 0, 0]}
bodies:
  crank: {mass: 1, com: [0, 0, 0.15], inertia: [0.01, 0.01, 0.01]}
  rod: {mass: 1, com: [0.5, 0, 0.55], inertia: [0.1, 0.1, 0.1]}
  rocker: {mass: 1, com: [1, 0, 0.4], inertia: [0.05, 0.05, 0.05]}
joints:
  a: {type: revolute, between: [ground, crank], at: A, axis: y}
  b: {type: revolute, between: [crank, rod], at: B, axis: y}
  c: {type: revolute, between: [rod, rocker], at: C, axis: y}
  d: {type: revolute, between: [ground, rocker], at: D, axis: y}
forces:
  k: {type: joint_spring, joint: a, stiffness: 10}
  m: {type: joint_torque, joint: a, value: M}
record: ["joint.a.angle"]
"""


def catenary(n):
    """a chain of n equal links between two points at one height, drawn as an arc of a circle"""
    length, width, low, high = 1.5 / n, 1.0, 0.1, math.pi - 1e-6
    for _ in range(200):
        a = 0.5 * (low + high)
        r = length / (2 * math.sin(a / n))
        low, high = (a, high) if 2 * r * math.sin(a) > width else (low, a)
    at = [(r * (math.sin(2 * a * i / n - a) + math.sin(a)), r * (math.cos(a) - math.cos(2 * a * i / n - a)))
          for i in range(n + 1)]
    lines = ["hooke: 1", "gravity: [0, 0, -9.81]", "planar: xz", f'record: ["body.b{n // 2}.position.z", "joint.j0.force"]',
             "bodies:"]
    for i in range(n):
        (x, z), (u, w) = at[i], at[i + 1]
        lines.append(f"  b{i}: {{mass: {2 * length}, com: [{(x + u) / 2!r}, 0, {(z + w) / 2!r}], inertia: "
                     f"[1e-9, {2 * length**3 / 12!r}, 1e-9]}}")
    lines.append("joints:")
    for i in range(n + 1):
        a, b = ("ground" if i == 0 else f"b{i - 1}"), ("ground" if i == n else f"b{i}")
        lines.append(f"  j{i}: {{type: revolute, between: [{a}, {b}], at: [{at[i][0]!r}, 0, {at[i][1]!r}], axis: y}}")
    return "\n".join(lines) + "\n"


def chain_closed_form(n):
    """slopes of the links: tan(angle_i) = (i - (n - 1)/2) w/H; depth of the middle and the pull H"""
    length, weight = 1.5 / n, 2 * 1.5 / n * 9.81

    def width(h):
        return sum(length / math.hypot(1, (i - (n - 1) / 2) * weight / h) for i in range(n))
    low, high = 1e-3, 1e3
    for _ in range(200):
        h = math.sqrt(low * high)
        low, high = (h, high) if width(h) < 1.0 else (low, h)
    slopes = [(i - (n - 1) / 2) * weight / h for i in range(n)]
    drops = [length * t / math.hypot(1, t) for t in slopes]
    middle = sum(drops[: n // 2]) + drops[n // 2] / 2
    return middle, h


class Statics(CommandTest):
    def statics(self, *args, code=0):
        return json.loads(self.hooke("statics", *args, "--json", code=code).stdout)

    def test_truss_past_its_limit(self):
        """every point on the closed form, both limit loads, the part between them unstable"""
        b, h, k = 1.0, 0.3, 1e5
        l0 = math.hypot(b, h)

        def load(y):
            return 2 * k * (l0 - math.hypot(b, y)) * y / math.hypot(b, y)
        limit = load(math.sqrt((l0 * b * b) ** (2 / 3) - b * b))
        for f in ("hybrid",) if FEW else ("hybrid", "redundant", "global"):
            value = self.statics(EXAMPLES / "von-mises-truss.yaml", "--load", "P", "--to", 2000, "-f", f, "--points", 5)
            points = value["points"]
            self.assertEqual((value["status"], value["formulation"]), ("ok", f))
            self.assertEqual((points[0]["load"], points[-1]["load"]), (0, 2000))
            for p in points:
                y = h + p["final"]["joint.guide.position"]
                self.assertLess(abs(p["load"] - load(y)), 1e-7)
                stiffness = -(load(y + 1e-6) - load(y - 1e-6)) / 2e-6
                self.assertLess(abs(p["softest"] - stiffness), 1e-5 * k)
                if not p["limit"]:
                    self.assertEqual(p["stable"], stiffness > 0)
            turns = [p["load"] for p in points if p["limit"]]
            self.assertEqual(len(turns), 2)
            self.assertLess(abs(turns[0] - limit), 1e-9 * limit)
            self.assertLess(abs(turns[1] + limit), 1e-9 * limit)

    def test_files(self):
        self.hooke("statics", EXAMPLES / "von-mises-truss.yaml", "--load", "P", "--to", 500, "--output", "t.csv", "--report",
                   "t.html")
        rows = list(csv.DictReader((self.dir / "t.csv").read_text().splitlines()))
        self.assertEqual(float(rows[-1]["signal.P"]), 500)
        self.assertIn("</html>", (self.dir / "t.html").read_text())

    def test_energies(self):
        """a weight on a spring, 2 m below its free place: weight -m g x, spring k x^2/2, and no balance to keep"""
        (self.dir / "hung.yaml").write_text("""\
hooke: 1
gravity: [0, 0, -10]
bodies: {load: {mass: 4, com: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {rail: {type: prismatic, between: [ground, load], at: [0, 0, 0], axis: z}}
forces: {k: {type: joint_spring, joint: rail, stiffness: 20}}
record: ["energy.*", "joint.rail.position"]
""")
        value = json.loads(self.hooke("statics", "hung.yaml", "--json").stdout)["points"][0]["final"]
        self.assertAlmostEqual(value["joint.rail.position"], -2, 9)
        self.assertAlmostEqual(value["energy.potential"], -80 + 40, 7)
        self.assertEqual(value["energy.balance_error"], 0)

    def test_wheel_loads_of_a_car(self):
        """in every formulation the same; together they bear the weight"""
        path = EXAMPLES / "iltis/ramp-and-stairs.yaml"
        mass = json.loads(self.hooke("check", path, "--json").stdout)["total_mass_kg"]
        first = None
        for f in FORMULATIONS[:1] if FEW else FORMULATIONS:
            point = self.statics(path, "-f", f)["points"][0]
            self.assertIsNone(point["stable"])  # it may roll and turn
            loads = [x for name, x in point["final"].items() if name.endswith("tyre.force")]
            self.assertEqual(len(loads), 4)
            self.assertLess(abs(sum(loads) - 9.81 * mass), 1e-7)
            first = first or point["final"]
            for name, x in point["final"].items():
                if "solver" not in name:
                    self.assertLess(abs(x - first[name]), 1e-10 * max(1, abs(first[name])), (f, name))

    def test_catenary(self):
        n = 20 if FEW else 60
        (self.dir / "c.yaml").write_text(catenary(n))
        point = self.statics("c.yaml")["points"][0]
        middle, pull = chain_closed_form(n)
        self.assertTrue(point["stable"])
        self.assertLess(abs(point["final"][f"body.b{n // 2}.position.z"] - middle), 1e-9)
        self.assertLess(abs(abs(point["final"]["joint.j0.force.x"]) - pull), 1e-8 * pull)

    def test_unstable_ones_and_follower_forces(self):
        upright = PENDULUM.replace("pin: {angle: 1}", "pin: {angle: 3.1}")
        (self.dir / "p.yaml").write_text(upright.replace("run:", 'record: ["joint.pin.angle"]\nrun:'))
        fallen = self.statics("p.yaml")["points"][0]
        near = self.statics("p.yaml", "--nearest")["points"][0]
        self.assertEqual((fallen["stable"], near["stable"]), (True, False))
        self.assertLess(abs(near["final"]["joint.pin.angle"] - math.pi), 1e-9)
        self.assertLess(abs(math.remainder(fallen["final"]["joint.pin.angle"], 2 * math.pi)), 1e-9)
        # no potential, and the drawing leans
        column = self.statics(EXAMPLES / "ziegler-column.yaml")["points"][0]
        self.assertLess(abs(column["final"]["joint.foot.angle"]), 1e-9)

    def test_a_network_is_in_its_steady_state(self):
        """a motor at 6 V holds a spring: k i = c a, i = u/R"""
        (self.dir / "m.yaml").write_text(
            "hooke: 1\nbodies: {wheel: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 0.5]}}\n"
            "joints: {shaft: {type: revolute, between: [ground, wheel], at: [0, 0, 0], axis: z}}\n"
            "signals: {u: {input: 0}}\n"
            "nodes: {plus: {type: electric}, inner: {type: electric}, minus: {type: electric, value: 0}}\n"
            "network:\n  supply: {type: voltage_source, between: [plus, minus], value: u}\n"
            "  coil: {type: inductor, between: [plus, inner], inductance: 0.1}\n"
            "  motor: {type: dc_motor, between: [inner, minus], joint: shaft, constant: 2, resistance: 4}\n"
            "forces: {spring: {type: joint_spring, joint: shaft, stiffness: 8}}\n"
            'record: ["joint.shaft.angle", "signal.u"]\n')
        for f in FORMULATIONS[:1] if FEW else FORMULATIONS:
            points = self.statics("m.yaml", "--load", "u", "--to", 6, "--points", 3, "-f", f)["points"]
            for p in points:
                self.assertLess(abs(p["final"]["joint.shaft.angle"] - 2 * p["load"] / 4 / 8), 1e-10)
                self.assertLess(abs(p["softest"] - 16), 1e-6)
            self.assertGreaterEqual(len(points), 4)

    def test_column_and_its_branches(self):
        """it buckles at k/l; upright it is unstable then, leaning by P l/k = a/sin a to either side it is stable"""
        path, k, l = EXAMPLES / "hinged-column.yaml", 500, 2
        upright = self.statics(path)["points"]
        self.assertEqual([p["load"] for p in upright if p["bifurcation"]], [p["load"] for p in upright if p["stable"] is None])
        self.assertLess(abs([p["load"] for p in upright if p["bifurcation"]][0] - k / l), 1e-9)
        self.assertEqual((len(upright), upright[-1]["load"]), (22, 400))
        for p in upright:
            self.assertLess(abs(p["final"]["joint.hinge.angle"]), 1e-12)
            if not p["bifurcation"]:
                self.assertEqual(p["stable"], p["load"] < k / l)
        for side in (1, -1):
            for f in FORMULATIONS[:1] if FEW else FORMULATIONS:
                points = self.statics(path, "--branch", side, "-f", f)["points"]
                lean = [p for p in points if abs(p["final"]["joint.hinge.angle"]) > 1e-6]
                self.assertEqual((points[-1]["load"], len(lean) > 5), (400, True))
                for p in lean:
                    a = p["final"]["joint.hinge.angle"]
                    self.assertGreater(a * side, 0)
                    self.assertLess(abs(p["load"] * l / k - a / math.sin(a)), 1e-10)
                    self.assertTrue(p["stable"])

    def test_truss_of_two_springs_branches_before_its_limit(self):
        """a high symmetric truss leaves its plane of symmetry: the head may go sideways too"""
        (self.dir / "t.yaml").write_text(
            "hooke: 1\nplanar: xz\nsignals: {P: {input: 0}}\nbodies: {mid: {mass: 1, com: [0, 0, 3]}, head: {mass: 1, com: [0, 0, 3]}}\n"
            "joints:\n  up: {type: prismatic, between: [ground, mid], at: [0, 0, 3], axis: z}\n"
            "  side: {type: prismatic, between: [mid, head], at: [0, 0, 3], axis: x}\nforces:\n"
            "  a: {type: spring_damper, between: [ground, head], ends: [[-1, 0, 0], [0, 0, 3]], stiffness: 1000, length: sqrt(10)}\n"
            "  b: {type: spring_damper, between: [ground, head], ends: [[1, 0, 0], [0, 0, 3]], stiffness: 1000, length: sqrt(10)}\n"
            '  p: {type: force, on: head, at: [0, 0, 3], value: [0, 0, -P]}\nrecord: ["joint.*.position"]\n')
        points = self.statics("t.yaml", "--load", "P", "--to", 1500, "--points", 30)["points"]
        first = next(p for p in points if p["bifurcation"] or p["limit"])
        self.assertTrue(first["bifurcation"])
        y, l0 = 3 + first["final"]["joint.up.position"], math.sqrt(10)
        # sideways stiffness of both springs: 2 k (1 - l0 y^2/l^3)
        length = math.hypot(1, y)
        self.assertLess(abs(1 - l0 * y * y / length**3), 1e-6)
        self.assertLess(abs(first["load"] - 2000 * (l0 - length) * y / length), 1e-6)

    def test_a_motion_is_the_load(self):
        """a carrier is lifted, a weight hangs on it by a spring: all forces and slopes by the load are known"""
        (self.dir / "m.yaml").write_text(
            "hooke: 1\ngravity: [0, 0, -10]\nsignals: {u: {input: 0}}\nbodies:\n  a: {}\n"
            "  b: {mass: 2, com: [0, 0, 1], inertia: [1, 1, 1]}\njoints:\n"
            "  g: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: z, motion: {position: 2*u^2}}\n"
            "  h: {type: prismatic, between: [ground, b], at: [0, 0, 1], axis: z}\n"
            "forces: {s: {type: spring_damper, between: [a, b], ends: [[0, 0, 0], [0, 0, 1]], length: 1, stiffness: 1000}}\n"
            'record: ["joint.*.position", "joint.g.drive", "signal.u"]\nstatics: {load: u, from: -0.3, to: 0.5, points: 4, slopes: joint.h.position}\n')
        for f in FORMULATIONS[:2] if FEW else FORMULATIONS:
            points = self.statics("m.yaml", "-f", f)["points"]
            self.assertEqual((points[0]["load"], points[-1]["load"]), (-0.3, 0.5))
            for p in points:
                u, final = p["load"], p["final"]
                self.assertLess(abs(final["joint.g.position"] - 2 * u * u), 1e-12)
                self.assertLess(abs(final["joint.h.position"] - (2 * u * u - 0.02)), 1e-12)
                self.assertLess(abs(final["joint.g.drive"] - 20), 1e-9)
                self.assertLess(abs(final["slope.joint.h.position"] - 4 * u), 1e-9)
        # a run leaves it alone
        self.assertEqual(json.loads(self.hooke("run", "m.yaml", "--time", 0.1, "--step", 0.01, "--json").stdout)["status"], "ok")

    @unittest.skipIf(FEW, "long under sanitizers; check-all has it there")
    def test_suspension(self):
        """kinematics and compliance by one command: table, page, slopes; rigid it has no freedom but the travel"""
        path = EXAMPLES / "suspension-kc.yaml"
        points = self.statics(path, "--output", "kc.csv", "--report", "kc.html")["points"]
        rows = list(csv.DictReader((self.dir / "kc.csv").read_text().splitlines()))
        self.assertEqual(len(rows), len(points))
        self.assertEqual([float(r["t"]) for r in rows], [p["load"] for p in points])
        page = (self.dir / "kc.html").read_text()
        for words in ('"axis":"travel"', f'"analysis":"statics over travel, {len(points)} points"', '"integrator":""'):
            self.assertIn(words, page.replace('": "', '":"'))
        # slopes are those of points close to each other, also without rubber: there nothing but the travel is free
        for more in ((), ("--set", "arm_mount=1e10", "--set", "rack=1e10")):
            names = ("force.shock.length", "joint.pad.drive", "signal.camber", "signal.toe")
            near = self.statics(path, *more, "--from", 0.0199, "--to", 0.0201, "--points", 2)["points"]
            a, b = near[0]["final"], near[-1]["final"]
            for name in names:
                slope = (b[name] - a[name]) / 2e-4
                self.assertLess(abs(slope - (a["slope." + name] + b["slope." + name]) / 2), 1e-5 * abs(slope), (name, more))
        self.assertLess(abs(b["joint.mount.position"]), 1e-6)
        self.assertTrue(-0.7 < b["slope.force.shock.length"] < -0.5)
        side = self.statics(path, "--load", "side", "--from", -2000, "--to", 2000, "--points", 4)["points"]
        self.assertEqual((side[0]["load"], side[-1]["load"]), (-2000, 2000))
        cambers = [p["final"]["signal.camber"] for p in side]
        self.assertTrue(cambers == sorted(cambers) or cambers == sorted(cambers, reverse=True))
        self.assertGreater(abs(cambers[-1] - cambers[0]), 1e-3)

    def test_the_same_in_all_formulations(self):
        """equilibria of examples with loops, springs and networks, to 1e-10"""
        for name, more in (("iltis-suspension.yaml", ()), ("engine-mounts.yaml", ()), ("grab-and-release.yaml", ("--nearest",)),
                           ("mirrored-axle.yaml", ()), ("hanging-chain.yaml", ())):
            if FEW and name != "iltis-suspension.yaml":
                continue
            first = None
            for f in FORMULATIONS:
                result = hooke("statics", EXAMPLES / name, *more, "-f", f, "--json", cwd=self.dir)
                if result.returncode == 2:  # not a model of this formulation
                    continue
                point = json.loads(result.stdout)["points"][0]
                first = first or point["final"]
                for channel, x in point["final"].items():
                    if not any(word in channel for word in ("solver", "constraint", "angles_zyx")):  # angles jump at their poles
                        self.assertLess(abs(x - first[channel]), 1e-10 * max(1, abs(first[channel])), (name, f, channel))

    def test_follower_at_the_start(self):
        """a cantilever under a force that turns with its tip, P L^2/EI = 6 and 18: the symmetric part of its tangent is not definite, and it is stable.
        A run begins in the equilibrium to which the path over the load leads"""
        model = """\
hooke: 1
signals: {P: {input: %g}}
beams:
  b: {from: [0, 0, 0], to: [1, 0, 0], elements: 4, up: z, clamp: {start: ground}, section: {shape: {rectangle: [0.02, 0.01]}, material: {E: 2e9, nu: 0.3, density: 1200}}}
forces: {f: {type: force, on: b.end, at: [1, 0, 0], value: [0, 0, P], axes: body}}
record: [body.b.end.position]
%srun: {time: 0.002, step: 0.001}
"""
        path = self.dir / "beam.yaml"
        for load in (20,) if FEW else (20, 60):
            final = {}
            if not FEW:  # a run begins by the same code
                path.write_text(model % (0, ""))
                point = json.loads(self.hooke("statics", path, "--json", "--load", "P", "--to", load).stdout)["points"][-1]
                self.assertTrue(point["stable"])
                final = point["final"]
            path.write_text(model % (load, "start: {equilibrium: true}\n"))
            result = self.hooke("run", path, "--json")
            self.assertEqual(result.stderr.count("note: the equilibrium at the start is unstable, unless forces that follow it hold it"), 1)
            value = json.loads(result.stdout)
            self.assertEqual(value["grade"], "good")
            for name, x in final.items():
                self.assertAlmostEqual(value["final"][name], x, delta=1e-8)

    def test_friction_is_said(self):
        rubbing = PENDULUM.replace("axis: y}", "axis: y, friction: {mu: 0.3, radius: 0.1}}")
        (self.dir / "f.yaml").write_text(rubbing)
        for more in ((), ("--nearest",)):
            result = self.hooke("statics", "f.yaml", *more)
            self.assertIn("without friction", result.stderr)

    def test_bad_input(self):
        truss = EXAMPLES / "von-mises-truss.yaml"
        (self.dir / "falls.yaml").write_text(PENDULUM.replace("joints:", "other:").replace("  pin: {type", "  x: {type"))
        (self.dir / "free.yaml").write_text("hooke: 1\ngravity: [0, 0, -9.81]\n"
                                            "bodies: {a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n")
        for args, code, words in (((truss, "--load", "Q"), 2, "no input 'Q'"), ((truss, "--to", 3), 2, "--load"),
                                  ((truss, "--load", "P", "--to", "far"), 2, "--to"),
                                  ((truss, "--load", "P", "--points", "0"), 2, "--points"),
                                  ((truss, "--report", "x.pdf"), 2, ".html"), (("none.yaml",), 6, "none.yaml"),
                                  (("falls.yaml",), 3, "other"), (("free.yaml",), 4, "equilibrium"),
                                  ((EXAMPLES / "slider-crank-driven.yaml",), 3, "a motion begins at time 0"),
                                  ((EXAMPLES / "cardan-and-cv.yaml",), 3, "a motion moves at time 0"),
                                  ((truss, "-f", "best"), 2, "best")):
            self.assertIn(words, self.hooke("statics", *args, code=code).stderr)
        value = self.statics("free.yaml", code=4)
        self.assertEqual((value["status"], value["points"]), ("failed", []))
        self.assertIn("equilibrium", value["message"])

    def test_another_coordinate_is_free(self):
        """a four-bar that a torque turns so far that its loop is written in other coordinates: the torsion spring and
        the weight of the crank alone are turned over, without a limit load"""
        (self.dir / "four.yaml").write_text(FOUR_BAR)
        points = self.statics("four.yaml", "--load", "M", "--to", 60, "--points", 30)["points"]
        self.assertFalse(any(p["limit"] for p in points))
        self.assertEqual(points[-1]["load"], 60)
        angles = [p["final"]["joint.a.angle"] for p in points]
        self.assertEqual(angles, sorted(angles))
        self.assertGreater(angles[-1] - angles[0], 5)

    def test_what_is_not_found_leaves_the_file(self):
        (self.dir / "free.yaml").write_text("hooke: 1\ngravity: [0, 0, -9.81]\n"
                                            "bodies: {a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n")
        (self.dir / "old.csv").write_text("old")
        self.statics("free.yaml", "--nearest", "--output", "old.csv", code=4)
        self.assertEqual((self.dir / "old.csv").read_text(), "old")
        self.assertFalse(list(self.dir.glob("*.part")))

    def test_interrupted(self):
        (self.dir / "long.yaml").write_text(catenary(300))
        (self.dir / "old.csv").write_text("old")
        with subprocess.Popen([HOOKE, "statics", "long.yaml", "--nearest", "--output", "old.csv", "--json"], cwd=self.dir,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(json.loads(out)["status"], "interrupted")
        self.assertEqual((self.dir / "old.csv").read_text(), "old")
        self.assertFalse(list(self.dir.glob("*.part")))

    def test_a_rate_is_no_load(self):
        (self.dir / "v.yaml").write_text(
            "hooke: 1\nbodies: {a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\nsignals: {u: {input: 0}}\n"
            "joints: {g: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x, motion: {velocity: u}}}\n")
        self.assertIn("a motion moves", self.statics("v.yaml", "--load", "u", code=3)["message"])

    def test_a_path_that_ends_is_said(self):
        """nothing holds a load above the limit when the way back is barred"""
        (self.dir / "t.yaml").write_text(
            "hooke: 1\nbodies: {a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
            "joints: {g: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}}\nsignals: {P: {input: 0}}\n"
            "forces: {s: {type: joint_force, joint: g, value: 'P - tanh(joint.g.position)'}}\n"
            'record: ["joint.g.position"]\n')
        value = self.statics("t.yaml", "--load", "P", "--to", 2, code=5)
        self.assertGreater(len(value["points"]), 3)
        self.assertLess(max(p["load"] for p in value["points"]), 1.0001)
        self.assertIn("path of equilibria", value["message"])


if __name__ == "__main__":
    unittest.main()
