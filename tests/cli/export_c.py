#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of `hooke export c`: compiled without a warning, they take the steps of `hooke run`; what they refuse, by name."""
import json
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from support import SOURCE, CommandTest
from support_fmu import CART

KERNEL = next((p for p in (Path(os.environ.get("HOOKE", "hooke")).resolve().parent / "hooke-kernel.wasm",
                           SOURCE / "build/release/hooke-kernel.wasm") if p.exists()), None)
CC = shutil.which("cc")
SHORT = bool(os.environ.get("HOOKE_TEST_SHORT"))

SPRUNG = CART.replace("forces:\n", "forces:\n  spring: {type: joint_spring, joint: rail, stiffness: 40, damping: 0.5}\n")

MAIN = """\
#include <stdio.h>
#include <stdlib.h>
#include "NAME.h"
static NAME m;
static double y[NAME_OUTPUTS + 1];
int main(int argc, char **argv) {
  int turns = 0;
  const int n = argc > 1 ? atoi(argv[1]) : 1;
  m = NAME_make();
  for (int i = 2; i < argc; i++) {
    if (i - 2 < NAME_INPUTS) NAME_set_input(&m, i - 2, atof(argv[i]));
    if (i - 2 < NAME_PARAMETERS && NAME_set_parameter(&m, i - 2, atof(argv[i]))) return 2;
  }
  if (NAME_PARAMETERS) NAME_restart(&m);
  for (int k = 0; k < n; k++) {
    const int s = NAME_step(&m);
    if (s < 0) return printf("{\\"failed\\": %d}\\n", s), 1;
    turns += s;
  }
  NAME_outputs(&m, y);
  printf("{\\"turns\\": %d, \\"time\\": %.17g", turns, NAME_time(&m));
  for (int i = 0; i < NAME_OUTPUTS; i++) printf(", \\"%s\\": %.17g", NAME_output_name(i), y[i]);
  printf("}\\n");
  return 0;
}
"""


def mobile():
    """a plate on a spring, with four like arms of two links at its corners, two of them mirror images"""
    bodies, joints, forces, start = "", "", "", ""
    for k, (x, y) in enumerate(((1, 0.5), (1, -0.5), (-1, 0.5), (-1, -0.5))):
        bodies += (f"  upper{k}: {{mass: 1, com: [{x}, {1.5 * y}, 0], inertia: {{diagonal: [0.1, 0.02, 0.1]}}}}\n"
                   f"  lower{k}: {{mass: 0.5, com: [{x}, {2 * y}, -0.5], inertia: {{diagonal: [0.05, 0.05, 0.01]}}}}\n")
        joints += (f"  a{k}: {{type: revolute, between: [plate, upper{k}], at: [{x}, {y}, 0], axis: x}}\n"
                   f"  b{k}: {{type: revolute, between: [upper{k}, lower{k}], at: [{x}, {2 * y}, 0], axis: y}}\n")
        forces += f"  s{k}: {{type: joint_spring, joint: a{k}, stiffness: {400 + 10 * k}, damping: 2}}\n"
        start += f"  b{k}: {{angle: {0.1 * (k + 1)}}}\n"
    return ("hooke: 1\ngravity: [0, 0, -9.81]\n"
            f"bodies:\n  plate: {{mass: 5, com: [0, 0, 0], inertia: {{diagonal: [1, 1, 2]}}}}\n{bodies}"
            f"joints:\n  lift: {{type: prismatic, between: [ground, plate], at: [0, 0, 0], axis: z}}\n{joints}"
            f"forces:\n  hold: {{type: joint_spring, joint: lift, stiffness: 900, damping: 5}}\n{forces}"
            f"start:\n{start}run: {{time: 1, step: 0.01}}\n")


@unittest.skipIf(KERNEL is None, "hooke-kernel.wasm was not built: clang, lld and wasi-libc are not there")
class Programs(CommandTest):
    def setUp(self):
        super().setUp()
        os.environ["HOOKE_KERNEL"] = str(KERNEL)

    def export(self, model, *args, name="program"):
        out = self.dir / f"{name}.c"
        self.hooke("export", "c", model, "-q", "-o", out, *args)
        return out

    def build(self, source, *flags):
        main = source.with_name("main.c")
        main.write_text(MAIN.replace("NAME", source.stem))
        program = source.with_suffix(".x")
        subprocess.run([CC, "-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *flags, source, main, "-o", program, "-lm"],
                       check=True, timeout=120)
        return program

    def last(self, model, steps, step, *args):
        text = self.hooke("run", model, "--json", "--substeps", "off", "--step", step, "--time", steps * step, *args).stdout
        return json.loads(text)

    def follow(self, model, steps, step, *methods, tolerance=1e-9, flags=()):
        """the last row of a run, and the iterations it took"""
        program = self.build(self.export(model, "--step", step, *methods), *flags)
        got = json.loads(subprocess.run([program, str(steps)], check=True, capture_output=True, timeout=60).stdout)
        run = self.last(model, steps, step, *methods)
        self.assertEqual(got["turns"], run["iterations"])
        same = [k for k in run["final"] if k in got]
        self.assertGreater(len(same), 5)
        # components of forces and torques are near by the largest of them: reactions of loops are differences of such
        wrenches = [k for k in same if re.search(r"[.](force|torque)[.]", k)]
        size = max((abs(run["final"][k]) for k in wrenches), default=0.0)
        for k in same:
            scale = size if k in wrenches else abs(run["final"][k])
            self.assertAlmostEqual(got[k], run["final"][k], delta=tolerance * (1 + scale), msg=k)
        return got

    def cart(self):
        path = self.dir / "cart.yaml"
        path.write_text(SPRUNG)
        return path

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_tree(self):
        self.follow(SOURCE / "examples/pendulum.yaml", 100, 0.01, "--formulation", "recursive", "--integrator", "rk4")

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_wide_tree(self):
        # nine joints, each of which could have no inertia: that one of them has none is one failure of the step
        path = self.dir / "mobile.yaml"
        path.write_text(mobile())
        self.follow(path, 40, 0.01, "--formulation", "recursive", "--integrator", "rk4")

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_iterations(self):
        # as many as the library's, a fifth of whose stages here end by the rate of their corrections
        self.follow(SOURCE / "examples/spatial-four-bar.yaml", 60, 0.01, "--formulation", "hybrid", "--integrator", "trapezoidal",
                    "--tolerance", "1e-7")

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_loops(self):
        self.follow(SOURCE / "examples/double-four-bar.yaml", 60, 0.01, "--formulation", "global", "--integrator", "generalized_alpha")

    @unittest.skipIf(SHORT, "the same text as in the release build")
    def test_state(self):
        """a program remembers from step to step what the next one asks for: no turns that nobody counts, no parts of a matrix"""
        def states(integrator, channel):
            self.hooke("export", "c", SOURCE / "examples/double-four-bar.yaml", "-q", "--formulation", "global", "--integrator", integrator,
                       "--channel", channel, "-o", self.dir / "bars.c")
            return int(re.search(r"_STATES = (\d+)", (self.dir / "bars.h").read_text())[1])
        # six coordinates, their velocities and accelerations, five multipliers, the time
        self.assertEqual(states("linearly_implicit", "energy.total"), 6 + 6 + 6 + 5 + 1)
        self.assertEqual(states("linearly_implicit", "joint.*.angle"), 6 + 6 + 6 + 5 + 1 + 7)
        states("trapezoidal", "energy.total")
        # what comes into the iteration from the step before: the multipliers
        step = (self.dir / "bars.c").read_text()
        self.assertEqual(len(re.findall(r"= HKX_V\(s\d+\);", step)), 5)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_explicit_loops(self):
        # projections of positions and rates look whether they are needed, which must not double what comes after them; a singular
        # matrix is one failure of the step, whatever its row
        path = self.dir / "four-bar.yaml"
        path.write_text("""hooke: 1
planar: xy
gravity: [0, -9.81, 0]
bodies:
  crank: {mass: 1, com: [0, 0.5, 0], inertia: {zz: 0.1}}
  rod: {mass: 2, com: [0.9, 1.1, 0], inertia: {zz: 0.3}}
  rocker: {mass: 1.5, com: [1.9, 0.6, 0], inertia: {zz: 0.2}}
joints:
  a: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}
  b: {type: revolute, between: [crank, rod], at: [0, 1, 0], axis: z}
  c: {type: revolute, between: [rod, rocker], at: [1.8, 1.2, 0], axis: z}
  d: {type: revolute, between: [ground, rocker], at: [2, 0, 0], axis: z}
start: {a: {rate: 2}}
run: {time: 1, step: 0.01}
""")
        for formulation in "hybrid", "recursive":
            with self.subTest(formulation):
                self.follow(path, 60, 0.01, "--formulation", formulation, "--integrator", "rk4", flags=["-O0"])

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_small_systems(self):
        # states of controllers border the matrix of the mechanism; their pivots are chosen by numbers
        self.follow(SOURCE / "examples/pid-arm.yaml", 30, 0.01, "--formulation", "hybrid", "--integrator", "trapezoidal", flags=["-O0"])

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_forces_alone(self):
        # outputs of forces are those of the state, also where no energies are asked for
        model = SOURCE / "examples/engine-mounts.yaml"
        for formulation in "hybrid", "global":
            with self.subTest(formulation):
                methods = ["--formulation", formulation, "--integrator", "trapezoidal"]
                program = self.build(self.export(model, "--step", 0.001, "--channel", "force.*", *methods), "-O0")
                got = json.loads(subprocess.run([program, "30"], check=True, capture_output=True, timeout=60).stdout)
                run = self.last(model, 30, 0.001, *methods)
                same = [k for k in got if k.startswith("force.")]
                self.assertGreater(len(same), 2)
                for k in same:
                    self.assertAlmostEqual(got[k], run["final"][k], delta=1e-9 * abs(run["final"][k]) + 1e-15, msg=k)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_inputs_that_follow_channels(self):
        # no energy is in the source of heat: nobody evaluates it on the way to the output
        got = self.follow(SOURCE / "examples/hot-damper.yaml", 10, 0.002, "--formulation", "global", "--integrator", "trapezoidal")
        self.assertGreater(got["network.heat.flow"], 9)
        self.assertAlmostEqual(got["network.heat.flow"], got["force.damper.dissipation"], delta=1e-9)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_signals_that_read_books(self):
        # energies are kept for a signal too, and not only for outputs
        path = self.dir / "late.yaml"
        methods = ("--formulation", "hybrid", "--integrator", "rk4")
        late = SPRUNG.replace("{u: {input: 0.25}}", "{u: {input: 0.25}, late: 10*force.spring.dissipated}")
        path.write_text(late.replace("value: u}", "value: u + late}"))
        self.follow(path, 40, 0.01, *methods)

    @unittest.skipIf(SHORT, "texts: the release build has them")
    def test_names_of_functions(self):
        # names within the functions of every program do not hide that of this one
        for name in ("a", "b", "g"):
            source = self.export(self.cart(), "--formulation", "global", "--integrator", "trapezoidal", name=name)
            subprocess.run([CC, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only", source], check=True, timeout=60)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_inputs(self):
        source = self.export(self.cart(), "--formulation", "hybrid")
        program = self.build(source)
        text = subprocess.run([program, "50", "1.5"], check=True, capture_output=True, timeout=60).stdout
        model = self.dir / "driven.yaml"
        model.write_text(SPRUNG.replace("{input: 0.25}", "{expression: 1.5}"))
        run = self.last(model, 50, 0.01, "--formulation", "hybrid")
        got = json.loads(text)
        # the force of the start is that of the model, so that the first step differs by h/2 of its change
        for k in ("joint.rail.position", "joint.pin.angle"):
            self.assertAlmostEqual(got[k], run["final"][k], delta=3e-3, msg=k)
        still = json.loads(subprocess.run([program, "50"], check=True, capture_output=True).stdout)
        self.assertGreater(abs(still["joint.rail.position"] - got["joint.rail.position"]), 0.01)

    def kept(self, model, names, values, *methods):
        """a program with kept parameters takes the steps of one that was made with their values, bit by bit"""
        keep = [a for n in names for a in ("--keep", n)]
        sets = [a for n, v in zip(names, values) for a in ("--set", f"{n}={v}")]
        program = self.build(self.export(model, *keep, *methods), "-O0")
        fixed = self.build(self.export(model, *sets, *methods, name="fixed"), "-O0")
        got, want, before = (json.loads(subprocess.run(a, check=True, capture_output=True, timeout=60).stdout)
                             for a in ([program, "40", *map(str, values)], [fixed, "40"], [program, "40"]))
        self.assertEqual(got, want)
        self.assertNotEqual(got, before)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_books(self):
        # energies as in the library's audit, and a law whose own state is found with the step
        model = self.dir / "books.yaml"
        model.write_text(SPRUNG.replace("stiffness: 40, damping: 0.5", "damping: 3, spring: {linear: 40, maxwell: [{stiffness: 90, time: 0.05}]}")
                         .replace('"energy.total"', '"energy.*", "force.*", "solver.iterations"').replace("{input: 0.25}", "{expression: 5*sin(9*t)}"))
        got = self.follow(model, 60, 0.01, "--formulation", "hybrid", tolerance=1e-11)
        self.assertLessEqual({"energy.supplied", "energy.dissipated", "energy.balance_error", "force.spring.dissipated"}, set(got))
        self.assertGreater(got["energy.dissipated"], 0.01)
        self.assertNotIn("solver.iterations", got)
        # of a prescribed motion they need reactions, here of a loop with more rows than it needs
        got = self.follow(SOURCE / "examples/planetary.yaml", 20, 0.01, "--formulation", "hybrid", "--integrator", "trapezoidal")
        self.assertGreater(got["energy.supplied"], 0.01)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_kept_parameters(self):
        model = self.dir / "kept.yaml"
        model.write_text(SPRUNG.replace("L: 0.4}", "L: 0.4, k: 40, d: 0.5, tilt: 0.3}").replace("stiffness: 40, damping: 0.5", "stiffness: k, damping: d")
                         .replace("angle: 0.3", "angle: tilt").replace("{input: 0.25}", "{expression: 0.2*k*t}"))
        self.kept(model, ["m", "k", "d"], [0.7, 60, 0], "--formulation", "hybrid")
        self.kept(model, ["L", "tilt"], [0.3, -0.9], "--formulation", "recursive", "--integrator", "rk4")
        # a number that another constant of its expression has too, and one whose bits stand elsewhere in their order with other values
        model.write_text(model.read_text().replace("0.2*k*t", '"m*sin(3*t) + 0.5*if(t > 0.2, 1, 0.25)"'))
        self.kept(model, ["m"], [0.7], "--formulation", "hybrid")
        # a mass that the library refuses
        program = self.build(self.export(model, "--keep", "m"))
        self.assertEqual(subprocess.run([program, "1", "-1"], timeout=60).returncode, 2)
        # loops: one that is assembled, with accelerations at the start by an iteration
        self.kept(SOURCE / "examples/double-four-bar.yaml", ["m", "speed"], [2.5, 1.4], "--formulation", "global", "--step", 0.01)

    def test_keep_is_refused(self):
        result = self.hooke("export", "c", self.cart(), "--keep", "mass", "-o", self.dir / "no.c", code=2)
        self.assertIn("the model has no parameter 'mass'", result.stderr)
        model = self.dir / "many.yaml"
        model.write_text(SPRUNG.replace("L: 0.4}", "L: 0.4, n: 2}").replace("bodies:\n", "bodies:\n  ball: {repeat: n, mass: 1, com: [i, 0, 0]}\n"))
        result = self.hooke("export", "c", model, "--keep", "n", "-o", self.dir / "no.c", code=3)
        self.assertIn("the parameter 'n' cannot be kept", result.stderr)
        result = self.hooke("export", "fmu", self.cart(), "--keep", "m", "-o", self.dir / "no.fmu", code=2)
        self.assertIn("--keep belongs to programs in C", result.stderr)

    @unittest.skipIf(SHORT or not shutil.which("nm"), "symbols of the program")
    def test_alone(self):
        source = self.export(self.cart())
        object_file = self.dir / "alone.o"
        subprocess.run([CC, "-std=c11", "-O1", "-c", source, "-o", object_file], check=True, timeout=60)
        wanted = subprocess.run(["nm", "-u", object_file], check=True, capture_output=True, text=True).stdout.split()
        self.assertLessEqual({w for w in wanted if len(w) > 1}, {"sqrt", "memcpy", "memset"})

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_packs(self):
        # four like arms: their operations go four at a time, in registers of four or two numbers or without any, with the same bits
        path = self.dir / "mobile.yaml"
        path.write_text(mobile())
        common = ("--formulation", "hybrid", "--integrator", "trapezoidal", "--channel", "body.*.position.*", "--channel", "energy.total")
        packs, single = self.export(path, *common), self.export(path, *common, "--no-packs", name="single")
        text = packs.read_text()
        for operation in ("ADD4", "SUB4", "MUL4", "FLIP4", "OF4", "ALL4"):
            self.assertRegex(text, rf"\n *HKX_{operation}\(HKX_NEW4")
        self.assertRegex(text, r"HKX_VAR4\(v\d+\); HKX_SINCOS4\([vw]\d+, v\d+, v\d+\);")
        self.assertNotIn("HKX_NEW4", single.read_text())
        # no warning, and 300 steps give the same numbers
        kinds = [(single, ()), (packs, ()), (packs, ("-DHKX_PLAIN",))]
        cpu = Path("/proc/cpuinfo")
        for name in ("avx", "avx2"):
            if cpu.exists() and f" {name} " in cpu.read_text():
                kinds.append((packs, (f"-m{name}",)))
        results = {subprocess.run([self.build(source, "-O0", *flags), "300"], check=True, capture_output=True, timeout=60).stdout
                   for source, flags in kinds}
        self.assertEqual(len(results), 1)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_zeros(self):
        # a zero has one sign, with packs and without: most reactions of this joint are zeros
        path = self.dir / "zeros.yaml"
        path.write_text("hooke: 1\nbodies:\n  b: {mass: 2, com: [0.3, 0, 0], inertia: [0.1, 0.2, 0.3]}\n"
                        "joints:\n  j: {type: cylindrical, between: [b, ground], at: [0.1, 0.2, 0.3], axis: x}\n"
                        "record: [joint.*, body.*]\nrun: {time: 1, step: 0.01}\n")
        common = ("--formulation", "recursive", "--integrator", "generalized_alpha")
        sources = self.export(path, *common), self.export(path, *common, "--no-packs", name="single")
        results = [subprocess.run([self.build(source), "20"], check=True, capture_output=True, text=True, timeout=60).stdout for source in sources]
        self.assertIn('"joint.j.torque.z": 0,', results[0])
        self.assertEqual(*results)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_turns(self):
        # Sines of angles without their counted turns are others in the last place. Reactions of redundant loops make 1e-11 of that, a
        # rotation vector of half a turn its opposite: such programs keep the turns.
        path = self.dir / "turning.yaml"
        path.write_text("hooke: 1\ngravity: [0, 0, 0]\nbodies:\n  b: {mass: 2, com: [0.3, 0, 1], inertia: [0.1, 0.2, 0.3]}\n"
                        "joints:\n  b: {type: cylindrical, between: [ground, b], at: [0, 0, 1], axis: z, motion: {angle: \"2*pi*t\"}}\n"
                        "run: {time: 100, step: 0.1}\n")
        for integrator in ("trapezoidal", "rk4", "generalized_alpha"):
            self.follow(path, 12, 0.1, "--formulation", "global", "--integrator", integrator)
        self.export(SOURCE / "examples/differential.yaml", "--formulation", "global", "--integrator", "generalized_alpha")

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_slow_iterations(self):
        # the library would change to its exact tangent, which a program does not have: that is said
        path = self.dir / "roll.yaml"
        path.write_text('hooke: 1\nsignals: {M: "30*min(t/2, 1)"}\n'
                        "beams:\n  c: {from: [0, 0, 0], to: [1, 0, 0], elements: 2, up: z, damping: 0.05, clamp: {start: ground},\n"
                        "      section: {EA: 1e4, GA: 5e3, GJ: 1, EI: 1, mass: 1, inertia: [1e-3, 5e-4, 5e-4]}}\n"
                        "forces: {p: {type: torque, on: c.end, value: [0, M, 0], axes: body}}\nrun: {time: 2, step: 0.02}\n")
        methods = ("--formulation", "global", "--integrator", "generalized_alpha", "-o", self.dir / "slow.c")
        self.assertIn("iterations converge slowly here", self.hooke("export", "c", path, *methods).stderr)
        self.assertNotIn("slowly", self.hooke("export", "c", SOURCE / "examples/double-four-bar.yaml", *methods).stderr)

    def test_same_file_twice(self):
        path = self.cart()
        first = self.export(path).read_bytes()
        self.assertEqual(first, self.export(path).read_bytes())

    def run_main(self, folder, *given, code=0):
        """what main.c in a folder prints"""
        program = folder / "a.out"
        subprocess.run([CC, "-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *folder.glob("*.c"), "-o", program, "-lm"],
                       check=True, timeout=120)
        got = subprocess.run([program, *given], capture_output=True, text=True, timeout=60)
        self.assertEqual(got.returncode, code, got.stderr)
        return json.loads(got.stdout) if code in (0, 5) else got.stderr

    def near(self, a, b):
        if isinstance(b, (int, float)):
            self.assertAlmostEqual(a, b, delta=1e-8 * (1 + abs(b)))
        else:
            self.assertEqual(a, b)

    def test_main(self):
        # the object of a run, but for what only the library knows
        folder, model = self.dir / "new", SOURCE / "examples/double-four-bar.yaml"
        self.hooke("export", "c", model, "--main", "--time", "3", "-q", "-o", f"{folder}/")
        got, run = self.run_main(folder), self.last(model, 300, 0.01)
        self.assertEqual(list(got), list(run))
        self.assertEqual(list(got["final"]), list(run["final"]))
        for key in run:
            if isinstance(run[key], dict):
                self.assertEqual(list(got[key]), list(run[key]))
                for name in run[key]:
                    if got[key][name] is not None:
                        self.near(got[key][name], run[key][name])
            elif key not in ("cpu_s", "real_time_factor", "formulation_why", "warnings") and got[key] is not None:
                self.near(got[key], run[key])
        self.assertLess(got["energy"]["max_drift_J"], -1e-3)
        self.assertIsNone(got["grade"])
        self.assertIn("no grade", got["warnings"][0]["text"])

    def test_main_takes_values(self):
        # inputs and kept parameters; what is neither is refused
        folder, model = self.dir / "kept", self.cart()
        folder.mkdir()
        self.hooke("export", "c", model, "--main", "--keep", "L", "-q", "-o", folder)
        name = re.search(r'"(\w+)"', (folder / "cart.c").read_text().split("cart_input_name")[1])[1]
        plain, other = self.run_main(folder), self.run_main(folder, "L=0.6", f"{name}=0.1")
        self.assertNotEqual(plain["energy"]["initial_J"], other["energy"]["initial_J"])
        self.assertNotEqual(plain["energy"]["supplied_J"], other["energy"]["supplied_J"])
        run = json.loads(self.hooke("run", model, "--json", "--substeps", "off", "--set", "L=0.6").stdout)
        self.near(self.run_main(folder, "L=0.6")["energy"]["final_J"], run["energy"]["final_J"])
        for wrong in ("K=1", "L", "L=", "L=x", "L=nan", f"{name}=1x"):
            self.assertIn(f"found '{wrong}'", self.run_main(folder, wrong, code=2))
        # what is wrong with it
        for wrong, words in (("K=1", "expected NAME=VALUE"), ("L=x", "expected a number behind '='"), ("L=0", "the program cannot have this value")):
            self.assertIn(words, self.run_main(folder, wrong, code=2))

    def test_main_says_where_it_failed(self):
        folder, model = self.dir / "fails", self.dir / "root.yaml"
        model.write_text(SPRUNG.replace("{input: 0.25}", '{expression: "sqrt(0.895 - t)"}'))
        self.hooke("export", "c", model, "--main", "--step", "0.01", "--time", "2", "-q", "-o", f"{folder}/")
        got = self.run_main(folder, code=5)
        self.assertEqual((got["status"], got["steps"], got["message"]), ("failed", 89, "the step from 0.89 s failed"))

    def test_main_leaves_nothing(self):
        # a folder of its name is in the way
        folder = self.dir / "half"
        (folder / "main.c").mkdir(parents=True)
        for _ in range(2):
            self.hooke("export", "c", self.cart(), "--main", "-q", "-o", folder, code=6)
            self.assertEqual([p.name for p in folder.iterdir()], ["main.c"])
        # what was there before is not taken away
        (folder / "cart.h").write_text("old\n")
        self.hooke("export", "c", self.cart(), "--main", "-q", "-o", folder, code=6)
        self.assertTrue((folder / "cart.h").exists())

    def test_main_keeps_what_it_has_not_made(self):
        folder = self.dir / "mine"
        folder.mkdir()
        (folder / "main.c").write_text("int main(void) { return 0; }\n")
        result = self.hooke("export", "c", self.cart(), "--main", "-o", folder, code=6)
        self.assertIn("was not made here", result.stderr)
        self.assertEqual([p.name for p in folder.iterdir()], ["main.c"])
        (folder / "main.c").unlink()
        for _ in range(2):
            self.hooke("export", "c", self.cart(), "--main", "-q", "-o", folder)
        for name, words in (("main.c", "the other file's name"), ("cart.cu", "goes with FILE.c")):
            self.assertIn(words, self.hooke("export", "c", self.cart(), "--main", "-o", self.dir / name, code=2).stderr)
        (self.dir / "file").write_text("")
        for place in ("no/where/", "file/"):
            self.assertIn(f"{place}' cannot be made", self.hooke("export", "c", self.cart(), "-o", f"{self.dir}/{place}", code=2).stderr)
        self.assertIn("--main belongs to", self.hooke("export", "fmu", self.cart(), "--main", "-o", self.dir / "no.fmu", code=2).stderr)

    def test_names_of_files(self):
        # what cannot be a name in C is still the name of its header
        out = self.dir / "my-cart.c"
        self.hooke("export", "c", self.cart(), "-o", out, "-q")
        self.assertIn('#include "my-cart.h"', out.read_text())
        subprocess.run([CC, "-fsyntax-only", str(out)], check=True)

    def test_refused(self):
        model = SOURCE / "examples/grab-and-release.yaml"
        result = self.hooke("export", "c", model, "-o", self.dir / "no.c", code=3)
        self.assertIn("events", result.stderr)
        self.assertFalse((self.dir / "no.c").exists())
        # partners of the model, in words of this export
        result = self.hooke("export", "c", SOURCE / "examples/external-spring.yaml", "-o", self.dir / "no.c", code=3)
        self.assertIn("cannot become a program in C, which speaks", result.stderr)
        # steps that the library cannot take
        model = self.dir / "stiff.yaml"
        model.write_text(SPRUNG)
        result = self.hooke("export", "c", model, "-o", self.dir / "no.c", "--integrator", "rk4", "--step", "1e200", code=3)
        self.assertIn("its first steps fail", result.stderr)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_outputs_that_fail_leave_the_others(self):
        # each with its reason; reactions of redundant loops and the work of motions are there
        out = self.dir / "joints.c"
        channels = ["joint.cardan.force.*", "energy.supplied", "solver.iterations", "body.u_out.position.*"]
        result = self.hooke("export", "c", SOURCE / "examples/cardan-and-cv.yaml", "-o", out, "--formulation", "hybrid",
                            *(x for c in channels for x in ("--channel", c)))
        self.assertIn("'solver.iterations' cannot be exported and is left out: it is known of a run", result.stderr)
        for name in ("body.u_out.position.z", "joint.cardan.force.x", "energy.supplied"):
            self.assertIn(f'"{name}"', out.read_text())

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_bends(self):
        # at times of steps the library's steps are the same
        model = self.dir / "bend.yaml"
        model.write_text(SPRUNG.replace("{input: 0.25}", "{expression: \"20*min(t, 0.25)\"}").replace("energy.total", "body.*.position"))
        self.follow(model, 40, 0.01, "--formulation", "hybrid")
        model.write_text(SPRUNG.replace("{input: 0.25}", "{expression: \"20*min(t, 0.255)\"}"))
        result = self.hooke("export", "c", model, "-o", self.dir / "no.c", "--formulation", "hybrid", code=3)
        self.assertIn("a signal jumps or bends within a step", result.stderr)

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    def test_jumps(self):
        # accelerations and the history begin anew where signals jump at the end of a step; in front of it they are those before
        model = self.dir / "jump.yaml"
        model.write_text(SPRUNG.replace("signals: {u: {input: 0.25}}", """signals:
  kicks: {pulse: {width: 0.05, period: 0.12, count: 3}}
  u: "5*kicks*if(t < 0.25, 1, if(t < 0.33, -2, 0.5)) + sin(3*t)\""""))
        for formulation, integrator in (("hybrid", "trapezoidal"), ("hybrid", "generalized_alpha"), ("recursive", "rk4"),
                                        ("recursive", "trapezoidal")):
            with self.subTest(f"{formulation}, {integrator}"):
                self.follow(model, 50, 0.01, "--formulation", formulation, "--integrator", integrator, tolerance=1e-12)
        # loops, a jump behind the steps that are compared at the start
        model.write_text((SOURCE / "examples/double-four-bar.yaml").read_text().replace("bodies:", "signals: {kick: {step: {start: 0.8, from: 0, to: 3}}}\nbodies:", 1)
                         + "forces:\n  push: {type: joint_torque, joint: pin_A0, value: kick}\n")
        self.follow(model, 100, 0.01, "--formulation", "hybrid", "--integrator", "trapezoidal")

    @unittest.skipIf(SHORT, "numbers: the release build has them")
    @unittest.skipIf(SHORT, "thousands of bends")
    def test_jump_behind_bends(self):
        model = self.dir / "jump.yaml"
        model.write_text(SPRUNG.replace("{input: 0.25}", "{sum: [{periodic: {of: {points: [[0, 0], [0.01, 1], [0.02, 0]]}, period: 0.02}}, "
                                                         "{step: {start: 22, from: 0, to: 10}}]}"))
        self.follow(model, 2210, 0.01, "--formulation", "hybrid", "--integrator", "trapezoidal", tolerance=1e-8)

    def test_jumps_of_states(self):
        # what jumps by an amount that follows the state or inputs, which may be nothing at the start; a road that is no signal
        model = self.dir / "jump.yaml"
        text = SPRUNG.replace("start: {pin: {angle: 0.3}}", "start: {rail: {velocity: 1}}")
        self.assertNotEqual(text, SPRUNG)
        model.write_text(text.replace("signals: {u: {input: 0.25}}", 'signals:\n  u: "if(t > 0.1, -30*joint.rail.position, 0)"'))
        self.follow(model, 30, 0.01, "--formulation", "hybrid", "--integrator", "trapezoidal", tolerance=1e-12)
        model.write_text("""hooke: 1
gravity: [0, 0, -9.81]
bodies: {wheel: {mass: 20, com: [0, 0, 0.29], inertia: [1, 1, 1]}}
joints: {up: {type: prismatic, between: [ground, wheel], at: [0, 0, 0.29], axis: z}}
forces: {tyre: {type: tyre, wheel: wheel, radius: 0.3, stiffness: 2e4, damping: 100, road: "if(t > 0.1, 0.005, 0)"}}
record: ["joint.*", "force.*", "body.*.acceleration"]
run: {time: 1, step: 0.01}
""")
        self.follow(model, 30, 0.01, "--formulation", "hybrid", "--integrator", "trapezoidal", tolerance=1e-12)
        # a motion whose speed an input changes: its start says nothing
        model.write_text("""hooke: 1
signals: {u: {input: 0}, angle: "0.1*t + u*max(0, t - 0.1)"}
bodies: {rod: {mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: z, motion: {angle: angle}}}
run: {time: 1, step: 0.01}
""")
        result = self.hooke("export", "c", model, "-o", self.dir / "no.c", "--formulation", "hybrid", code=3)
        self.assertIn("the speed of a prescribed motion jumps", result.stderr)
        # one by its rate, which bends and follows the time alone
        model.write_text("""hooke: 1
signals: {spin: {cosine: {frequency: 0.5, amplitude: 2, cycles: 0.5}}}
bodies:
  hub: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}
  rod: {mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  mast: {type: revolute, between: [ground, hub], at: [0, 0, 0], axis: z, motion: {rate: spin}}
  flap: {type: revolute, between: [hub, rod], at: [0.5, 0, 0], axis: y}
run: {time: 2, step: 0.01}
""")
        self.follow(model, 120, 0.01, "--formulation", "hybrid", "--integrator", "trapezoidal", tolerance=1e-9)

    def test_jumps_are_refused(self):
        # within a step, where the library would end it; without an end; of the speed of a motion; of what remembers
        model = self.dir / "jump.yaml"
        for signal, words in (("{step: {start: 0.255, from: 0, to: 10}}", "jumps or bends within a step"),
                              # also behind the end of the run, where a program may go on
                              ("{step: {start: 1000.001, from: 0, to: 10}}", "jumps or bends within a step"),
                              ("{pulse: {width: 0.1, period: 0.2}}", "jump too often"),
                              # behind thousands of bends, of another signal or of its own
                              ("{sum: [{periodic: {of: {points: [[0, 0], [0.01, 1], [0.02, 0]]}, period: 0.02}}, {step: {start: 50.003, from: 0, to: 10}}]}",
                               "jumps or bends within a step"),
                              ('{expression: "abs(fmod(t, 0.02) - 0.01) + if(t >= 500, 1, 0)"}', "too often to look at all of it"),
                              ("{sample: {of: joint.rail.position, period: 0.02}}", "remembers what it was")):
            model.write_text(SPRUNG.replace("{input: 0.25}", signal))
            result = self.hooke("export", "c", model, "-o", self.dir / "no.c", code=3)
            self.assertIn(words, result.stderr)
            self.assertFalse((self.dir / "no.h").exists())
        model.write_text("""hooke: 1
planar: xy
bodies: {rod: {mass: 1, com: [1, 0, 0], inertia: {zz: 0.1}}}
joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: z, motion: {angle: {ramp: {start: 0.2, slope: 1, end: 0.6}}}}}
run: {time: 1, step: 0.01}
""")
        result = self.hooke("export", "c", model, "-o", self.dir / "no.c", "--formulation", "hybrid", code=3)
        self.assertIn("the speed of a prescribed motion jumps", result.stderr)

    def test_ends_within_steps_are_refused(self):
        # the library ends a step where a coordinate touches them
        model = self.dir / "limits.yaml"
        text = SPRUNG.replace("axis: [1, 0, 0]", "axis: [1, 0, 0], limits: {position: [-0.01, 0.01], stiffness: 1e4}")
        self.assertNotEqual(text, SPRUNG)
        model.write_text(text)
        result = self.hooke("export", "c", model, "-o", self.dir / "no.c", code=3)
        self.assertIn("it has 'limits' with a stiffness", result.stderr)

    @unittest.skipIf(SHORT or not shutil.which("clang"), "another compiler")
    def test_ways_within_ways(self):
        # clang looks for values of constants: through forty ways within each other it found no end
        source = self.export(SOURCE / "examples/speed-loop.yaml", "--formulation", "recursive", "--integrator", "generalized_alpha")
        for language in ([], ["-x", "c++"]):
            subprocess.run(["clang", *language, "-fsyntax-only", source], check=True, timeout=60)

    @unittest.skipIf(SHORT, "texts: the release build has them")
    @unittest.skipIf(SHORT, "the same text as in the release build")
    def test_brackets(self):
        """expressions within expressions end somewhere: clang takes no more than 256 brackets, three of each"""
        self.hooke("export", "c", SOURCE / "examples/disc-brake.yaml", "-q", "--formulation", "hybrid", "--integrator", "linearly_implicit",
                   "-o", self.dir / "brake.c")
        deepest = depth = 0
        for c in (self.dir / "brake.c").read_text():
            depth += (c == "(") - (c == ")")
            deepest = max(deepest, depth)
        self.assertEqual(depth, 0)
        self.assertLess(deepest, 60)
        if shutil.which("clang"):
            subprocess.run(["clang", "-std=c11", "-fsyntax-only", self.dir / "brake.c"], check=True, timeout=60)

    def test_names(self):
        # words that a compiler has already, as names of models: of C, of C++, of a library, of main.c
        for name in ("for", "class", "time", "gamma", "m"):
            with self.subTest(name):
                model, out = self.dir / f"{name}.yaml", self.dir / f"{name}.out"
                model.write_text(SPRUNG)
                self.hooke("export", "c", model, "-q", "--main", "-o", f"{out}/")
                self.assertIn(f"{name}_model {name}_model_make(void);", (out / f"{name}.h").read_text())
                for compiler in [[CC]] + ([["c++", "-x", "c++"]] if shutil.which("c++") else []):
                    subprocess.run([*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", out / f"{name}.c", out / "main.c", "-o", out / "run", "-lm"],
                                   check=True, timeout=120)
                    subprocess.run([out / "run"], check=True, capture_output=True, timeout=60)
        result = self.hooke("export", "c", self.cart(), "--name", "for", "-o", self.dir / "no.c", code=2)
        self.assertIn("'for' cannot be the name of a program", result.stderr)
        result = self.hooke("export", "c", self.cart(), "-o", self.dir / 'a"b.c', code=2)
        self.assertIn("cannot stand in #include", result.stderr)

    def test_options_of_fmus(self):
        result = self.hooke("export", "c", self.cart(), "--fmi", "3", "-o", self.dir / "no.c", code=2)
        self.assertIn("--fmi belongs to FMUs", result.stderr)

    def test_no_kernel(self):
        os.environ["HOOKE_KERNEL"] = str(self.dir / "nowhere.wasm")
        result = self.hooke("export", "c", self.cart(), "-o", self.dir / "no.c", code=6)
        self.assertIn("nowhere.wasm", result.stderr)
        damaged = self.dir / "damaged.wasm"
        damaged.write_bytes(KERNEL.read_bytes()[:100000])
        os.environ["HOOKE_KERNEL"] = str(damaged)
        result = self.hooke("export", "c", self.cart(), "-o", self.dir / "no.c", code=6)
        self.assertIn("damaged", result.stderr)


if __name__ == "__main__":
    unittest.main()
