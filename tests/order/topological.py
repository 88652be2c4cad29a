#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The topological formulation against the hybrid one: the same motion on every example, at its order; what it
says at a singular position; resuming; the largest step on the stairs."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from support import ALL, EXAMPLES, ExampleTest, SHORT, SOURCE  # noqa: E402

HERE = SOURCE / "tests/order"
TOPOLOGICAL = ("--formulation", "topological")

# smooth models: integrator, step, time
SMOOTH = (
    ("pendulum.yaml", "trapezoidal", 0.002, 2),
    ("double-four-bar.yaml", "trapezoidal", 0.001, 0.6),
    ("spatial-four-bar.yaml", "sdirk", 0.0005, 2),
    ("bricard.yaml", "trapezoidal", 0.002, 5),
    ("andrews.yaml", "trapezoidal", 2e-6, 0.03),
    ("slider-crank-driven.yaml", "trapezoidal", 0.001, 1),
    ("spinning-body.yaml", "trapezoidal", 0.002, 5),
    ("engine-mounts.yaml", "generalized_alpha", 0.001, 2),
    ("grab-and-release.yaml", "trapezoidal", 0.002, 2.5),
    ("mirrored-axle.yaml", "generalized_alpha", 0.002, 2),
    (HERE / "rssr.yaml", "sdirk", 0.001, 0.5),
    (HERE / "triple-rocker.yaml", "sdirk", 0.00025, 2),
)


def bodies(found):
    """positions by body: {name: [x, y, z series]}"""
    names = sorted({n.rsplit(".", 1)[0] for n in found if n.startswith("body.") and ".position." in n})
    return {n: [found[f"{n}.{k}"] for k in "xyz" if f"{n}.{k}" in found] for n in names}


def difference(a, b):
    """largest difference of body positions, each divided by the range of that body's motion"""
    worst = 0.0
    for name, x in bodies(a).items():
        y = bodies(b)[name]
        size = max(max(c) - min(c) for c in x)
        if size > 1e-9:
            worst = max(worst, max(abs(p - q) for c, d in zip(x, y) for p, q in zip(c, d)) / size)
    return worst


class Agreement(ExampleTest):
    def both(self, model, *args):
        _, a = self.run_series(model, *args, "--formulation", "hybrid")
        _, b = self.run_series(model, *args, *TOPOLOGICAL)
        # rows on the grid are the same; times of events come from states, which agree to the tolerance of the
        # iteration: 1e-12 where there are events by states, 1e-13 is found
        self.assertEqual(len(a["t"]), len(b["t"]))
        self.assertLess(max(abs(s - t) for s, t in zip(a["t"], b["t"])), 1e-12)
        return a, b

    def test_smooth_examples(self):
        for model, integrator, step, time in SMOOTH:
            if not ALL or SHORT:
                time = time / (10 if SHORT else 3)
            with self.subTest(model=str(model)):
                a, b = self.both(model, "--integrator", integrator, "--step", step, "--time", time,
                                 "--tolerance", 1e-12)
                self.assertLess(difference(a, b), 1e-5)

    def test_they_converge_to_each_other(self):
        for integrator, order in (("trapezoidal", 2), ("generalized_alpha", 2), ("sdirk", 3)):
            errors = [difference(*self.both("spatial-four-bar.yaml", "--integrator", integrator, "--step",
                                            0.004 / 2**k, "--time", 0.4, "--tolerance", 1e-13))
                      for k in range(3)]
            self.assertOrder(errors, order, 0.3, integrator)

    def test_kerb(self):
        a, b = self.both("iltis-suspension.yaml", "--step", 0.002, "--time", 4)
        self.assertLess(difference(a, b), 1e-5)
        for name in ("force.shock.length", "body.carrier.position.z"):
            size = max(a[name]) - min(a[name])
            self.assertLess(max(abs(p - q) for p, q in zip(a[name], b[name])), 1e-5 * size, name)

    def test_stairs(self):
        a, b = self.both("iltis/ramp-and-stairs.yaml", "--step", 0.002, *(("--time", 3) if SHORT else ()))
        names = [n for n in a if n.endswith("shock.length") or n.endswith("carrier.position.z")]
        names += ["body.chassis.position.z", "body.chassis.orientation.y"]
        self.assertEqual(len(names), 10)
        for name in names:
            size = max(a[name]) - min(a[name])
            self.assertLess(max(abs(p - q) for p, q in zip(a[name], b[name])), 1e-3 * size, name)


def ladder(n):
    """n four-bar loops side by side in one group: n + 1 swinging bars and n couplers, no two alike"""
    x = [0.8 * i + 0.07 * (i % 3) for i in range(n + 1)]
    top = [(x[i] + 0.1 * (i % 2), 1 + 0.1 * (i % 3)) for i in range(n + 1)]
    lines = ["hooke: 1", "planar: xy", "gravity: [0, -9.81, 0]", "bodies:"]
    for i in range(n + 1):
        com = f"[{(x[i] + top[i][0]) / 2}, {top[i][1] / 2}, 0]"
        lines.append(f"  bar{i}: {{mass: 1, com: {com}, inertia: {{zz: 0.09}}}}")
    for i in range(n):
        com = f"[{(top[i][0] + top[i + 1][0]) / 2}, {(top[i][1] + top[i + 1][1]) / 2}, 0]"
        lines.append(f"  link{i}: {{mass: 0.5, com: {com}, inertia: {{zz: 0.03}}}}")
    lines.append("joints:")
    for i in range(n + 1):
        lines.append(f"  foot{i}: {{type: revolute, between: [ground, bar{i}], at: [{x[i]}, 0, 0], axis: z}}")
    for i in range(n):
        for k, j in (("l", i), ("r", i + 1)):
            at = f"[{top[j][0]}, {top[j][1]}, 0]"
            lines.append(f"  pin{i}{k}: {{type: revolute, between: [bar{j}, link{i}], at: {at}, axis: z}}")
    lines += ["start: {foot0: {rate: -0.5}}", "record: [body.*.position, energy.*]", "run: {time: 0.5, step: 0.002}"]
    return "\n".join(lines) + "\n"


class LargeGroup(ExampleTest):
    def test_many_loops(self):
        # more pivots than are inverted outright
        model = self.variant(ladder(10))
        args = ("--integrator", "sdirk", "--tolerance", 1e-12)
        value, a = self.run_series(model, *args)
        self.assertEqual((value["constraints"], value["dof"]), (20, 1))
        value, b = self.run_series(model, *args, *TOPOLOGICAL)
        self.assertLess(value["constraint"]["velocity_max"], 1e-11)
        self.assertLess(difference(a, b), 1e-6)


class Orders(ExampleTest):
    def test_second_order(self):
        for integrator in ("trapezoidal", "generalized_alpha", "hht"):
            for model, step, time in (("rssr.yaml", 0.005, 0.5), ("triple-rocker.yaml", 0.0005, 1.9)):
                ends = [self.run_model(HERE / model, *TOPOLOGICAL, "--integrator", integrator, "--step", step / 2**k,
                                       "--time", time, "--tolerance", 1e-12)["final"] for k in range(3)]
                for kind in (".position.", ".velocity.", ".rate"):
                    names = [n for n in ends[0] if n.startswith(("body.", "joint.")) and kind in n]
                    if names:
                        errors = [max(abs(a[n] - b[n]) for n in names) for a, b in zip(ends, ends[1:])]
                        self.assertOrder(errors, 2, 0.2, f"{model} {integrator} {kind}")

    def test_constraints_hold_exactly(self):
        for integrator in ("trapezoidal", "generalized_alpha", "sdirk"):
            value = self.run_model("spatial-four-bar.yaml", *TOPOLOGICAL, "--integrator", integrator, "--step", 0.01)
            rows = value["constraint"]
            self.assertLess(rows["position_max"], 1e-10)
            self.assertLess(rows["velocity_max"], 1e-12)
            self.assertLess(rows["acceleration_max"], 1e-10)


class Singular(ExampleTest):
    def test_it_says_so(self):
        for integrator in ("trapezoidal", "generalized_alpha", "sdirk"):
            for step in (0.01, 0.03):
                value = self.run_model("double-four-bar.yaml", *TOPOLOGICAL, "--integrator", integrator, "--step", step,
                                       code=5)
                self.assertEqual(value["status"], "failed")
                self.assertTrue(0.7 < value["time_s"] < 0.72, value["time_s"])
                self.assertIn("the closures lose rank here (loop through joints", value["message"])
                self.assertIn("use 'hybrid'", value["message"])

    def test_without_substeps(self):
        for step in (0.01, 0.02, 0.05, 0.1):
            value = self.run_model("double-four-bar.yaml", *TOPOLOGICAL, "--step", step, "--substeps", "off", code=5)
            self.assertTrue(value["time_s"] < 0.72, value["time_s"])
            self.assertIn("cannot pass a singular position", value["message"])

    def test_the_way_there_is_right(self):
        _, a = self.run_series("double-four-bar.yaml", "--time", 0.7, "--step", 0.001)
        _, b = self.run_series("double-four-bar.yaml", "--time", 0.7, "--step", 0.001, *TOPOLOGICAL)
        self.assertLess(difference(a, b), 1e-8)


class Resume(ExampleTest):
    def test_bit_by_bit(self):
        # the choice changes before and after the cut
        for model, cut, end, extra in ((HERE / "triple-rocker.yaml", 1.0, 2.0, ()),
                                       (HERE / "triple-rocker.yaml", 1.0, 2.0, ("--integrator", "generalized_alpha")),
                                       (HERE / "triple-rocker.yaml", 1.0, 2.0, ("--integrator", "sdirk")),
                                       (EXAMPLES / "grab-and-release.yaml", 1.2, 2.5, ()),
                                       (EXAMPLES / "iltis-suspension.yaml", 3.05, 3.3, ("--step", 0.005))):
            files = {k: self.dir / f"{k}.csv" for k in ("whole", "first", "second")}
            keep = self.dir / "state.hkc"
            args = (*TOPOLOGICAL, *extra)
            self.run_model(model, "--time", end, "--output", files["whole"], *args)
            self.run_model(model, "--time", cut, "--output", files["first"], "--checkpoint", keep, *args)
            files["second"].unlink(missing_ok=True)
            self.run_model(model, "--time", end, "--output", files["second"], "--resume", keep, *args)
            rows = {k: f.read_text().splitlines() for k, f in files.items()}
            self.assertEqual(rows["first"] + rows["second"][1:], rows["whole"], f"{model} {extra}")


class Stairs(ExampleTest):
    def test_stable_at_0_025(self):
        # every step converges, and before 5.5 s height and pitch stay near a fine run
        _, fine = self.run_series("iltis/ramp-and-stairs.yaml", "--step", 0.0025, *TOPOLOGICAL)
        for step in (0.01, 0.0175, 0.025):
            value, found = self.run_series("iltis/ramp-and-stairs.yaml", "--step", step, "--substeps", "off",
                                           *TOPOLOGICAL)
            self.assertEqual(value["rejected"], 0)
            self.assertLess(value["iterations"], 5 * value["steps"])
            every = round(step / 0.0025)
            for name, part in (("body.chassis.position.z", 0.08), ("body.chassis.orientation.y", 0.2)):
                size = max(fine[name]) - min(fine[name])
                n = round(5.5 / step)
                worst = max(abs(found[name][i] - fine[name][i * every]) for i in range(n))
                self.assertLess(worst, part * size, f"{name} at {step}")


if __name__ == "__main__":
    unittest.main()
