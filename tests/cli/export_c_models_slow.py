#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Examples as programs in C: their steps are those of `hooke run`, or they are refused in known words.

With -v each says how near it is."""
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import unittest

from export_c import KERNEL, MAIN
from support import SOURCE, CommandTest, hooke

STEPS = 20
CC = shutil.which("tcc") or shutil.which("cc")

REMEMBERS = "remembers what it was at other times"
EVENTS = "it has events"
SERVO = "cannot treat servo"

# examples whose programs take the library's steps in hybrid
EQUAL = """andrews-stiff andrews belt-drive bricard chaplygin-sleigh constant-speed crash-sled differential double-four-bar double-pendulum-stiff
    driven-top engine-mounts five-bar-robot gyroscope hanging-chain hot-damper loosely-drawn mirrored-axle pendulum planetary redundant-arm
    rolling-disc rubber-mount slack-line slider-crank-driven speed-loop spinning-body three-rrr whipple-bicycle ziegler-column
    andrews-a03 cardan-and-cv flexible-pendulum four-blade-rotor ground-resonance hinged-column iltis-suspension slider-crank-stiff
    spatial-four-bar suspension-kc turntable von-mises-truss connected-arm/fmu firmware/arm iltis/ramp-and-stairs
    iltis/cosine-bump iltis/ramp-and-rounded-stairs pid-arm motor-crank hydraulic-crane modal-slider-crank
    crane-winch blade-root snakeboard stick-slip clutch disc-brake
    forearm-reflex pilot-arm""".split()

# and those that are refused, with the words
REFUSED = {
    "belt-stick-slip": "sticks exactly", "cam-lift-off": "stops that lock", "cam": "only push", "door-with-stop": "stops that lock",
    "external-spring": "external force", "streamed-spring": "stream", "grab-and-release": EVENTS, "puma": EVENTS,
    "oil-bath": "take part in the steps", "overhead-crane": SERVO, "triangle-arm": SERVO, "shaker": "chosen by their error",
    "spinning-ball": "stops that lock", "static-node": "no mass resists", "servo-arm": REMEMBERS, "signals": REMEMBERS,
    # what a step decides by its state in ways that are not followed
    "flapping-plate": "take fewer, a flexible body with modes for them",  # more than 1,500,000 operations
    "rubbing-four-bar": "take the integrator 'linearly_implicit'", "trolley-on-a-bridge": "sliders go on from one part of their beam to the next",
    "puma-by-torques": EVENTS, "connected-arm/ros": "stream", "connected-arm/simulink": "stream", "modules/spring": "no module",
}

# Many bodies or elements: seconds to minutes of processor time, and up to 2 GB, to follow them; seconds more to compile.
LARGE = "bent-beam connecting-rod flapping-surface flexible-four-bar flexible-slider-crank laminate-strip".split()
LIMIT, MEMORY = 300, 4 << 30  # seconds and bytes of an export

# They rest in their equilibria: at 1e-9 first corrections are round-off, whose last bits decide on a second one; at 1e-8 all are the last.
OPTIONS = {name: ["--tolerance", "1e-8"] for name in ("bent-beam", "iltis/ramp-and-rounded-stairs", "pilot-arm")}

# other methods, on models of each kind
METHODS = [
    ("recursive", "rk4", ["pendulum", "double-pendulum-stiff", "spinning-body", "gyroscope", "crash-sled"]),
    ("recursive", "trapezoidal", ["pendulum", "double-pendulum-stiff", "spatial-four-bar"]),
    ("recursive", "linearly_implicit", ["pendulum", "double-pendulum-stiff", "crash-sled"]),
    ("global", "trapezoidal", ["double-four-bar", "andrews", "bricard", "pendulum"]),
    ("global", "newmark", ["double-four-bar", "andrews"]),
    ("global", "generalized_alpha", ["double-four-bar", "slider-crank-stiff", "loosely-drawn"]),
    ("hybrid", "rk4", ["spatial-four-bar", "slider-crank-stiff", "three-rrr", "iltis-suspension"]),
    ("recursive", "rk4", ["andrews"]),
    ("global", "rk4", ["planetary"]),
    ("global", "trapezoidal", ["engine-mounts"]),
    ("hybrid", "newmark", ["double-four-bar", "differential", "planetary"]),
    ("hybrid", "generalized_alpha", ["andrews", "slack-line", "whipple-bicycle"]),
    ("hybrid", "linearly_implicit", ["double-four-bar", "rolling-disc", "crash-sled", "disc-brake", "clutch", "stick-slip", "snakeboard",
                                              "crane-winch"]),
]


@unittest.skipIf(KERNEL is None, "hooke-kernel.wasm was not built: clang, lld and wasi-libc are not there")
class Models(CommandTest):
    def setUp(self):
        super().setUp()
        os.environ["HOOKE_KERNEL"] = str(KERNEL)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))

    def compare(self, name, formulation, integrator):
        """how far the program's last row is from the library's; None: nothing to compare"""
        model = SOURCE / "examples" / (name if str(name).endswith(".yaml") else f"{name}.yaml")
        source, program = self.dir / "program.c", self.dir / "program.x"
        methods = ["--formulation", formulation, "--integrator", integrator, *OPTIONS.get(name, [])]
        self.hooke("export", "c", model, "-q", "-o", source, *methods, limit=LIMIT)
        step = float(re.search(r"_STEP (\S+)", source.with_suffix(".h").read_text())[1])
        (self.dir / "main.c").write_text(MAIN.replace("NAME", "program"))
        subprocess.run([CC, "-std=c11", source, self.dir / "main.c", "-o", program, "-lm"], check=True, timeout=300)
        got = json.loads(subprocess.run([program, str(STEPS)], check=True, capture_output=True, timeout=60).stdout)
        run = json.loads(hooke("run", model, "--json", "--substeps", "off", "--step", repr(step), "--time", repr(STEPS * step), *methods).stdout)
        same = [k for k in run["final"] if k in got]
        self.assertTrue(same)
        if "iterations" in run and integrator not in ("linearly_implicit", "rk4"):
            self.assertEqual(got["turns"], run["iterations"])
        # loads of joints are near by the largest of them: some are differences of those
        loads = [k for k in same if re.search(r"^joint[.].*[.](force|torque|drive)\b", k)]
        size = {k: max(abs(run["final"][n]) for n in loads) for k in loads}
        return max(abs(got[k] - run["final"][k]) / (1 + size.get(k, abs(run["final"][k]))) for k in same), len(same), len(run["final"])

    def check(self, name, formulation, integrator):
        with self.subTest(f"{name}, {formulation}, {integrator}"):
            off, n, of = self.compare(name, formulation, integrator)
            self.say(f"{name}: {formulation}, {integrator}: {n} of {of} channels equal to {off:.1e}")
            self.assertLess(off, 1e-8)

    def say(self, text):
        if "-v" in sys.argv:
            print(text, flush=True)

    def test_examples(self):
        for name in EQUAL:
            self.check(name, "hybrid", "trapezoidal")

    def test_refused(self):
        for name, words in REFUSED.items():
            with self.subTest(name):
                result = hooke("export", "c", SOURCE / f"examples/{name}.yaml", "-q", "-o", self.dir / "no.c", "--formulation", "hybrid", "--integrator",
                               "trapezoidal", limit=LIMIT)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(words, result.stderr)

    def test_every_example_is_known(self):
        models = {str(p.relative_to(SOURCE / "examples").with_suffix("")) for p in (SOURCE / "examples").rglob("*.yaml")
                  if p.parent.name != "studies" and re.search(r"^hooke:", p.read_text(), re.M)}
        self.assertEqual(models, {*EQUAL, *REFUSED, *LARGE})
        self.assertEqual(len(models), len(EQUAL) + len(REFUSED) + len(LARGE))

    def test_large(self):
        for name in LARGE:
            self.check(name, "hybrid", "trapezoidal")

    def test_humanoid(self):
        # a tree of 27 degrees of freedom, of bench/gpu
        sys.path.insert(0, str(SOURCE / "bench/gpu"))
        import models
        path = self.dir / "humanoid.yaml"
        path.write_text(models.humanoid())
        for formulation, integrator in (("recursive", "rk4"), ("hybrid", "linearly_implicit")):
            self.check(path, formulation, integrator)

    def test_methods(self):
        for formulation, integrator, names in METHODS:
            for name in names:
                self.check(name, formulation, integrator)


if __name__ == "__main__":
    unittest.main()
