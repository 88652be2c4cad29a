# SPDX-License-Identifier: Apache-2.0
"""Parts of bench/peers/run that compare engines at equal error, not at equal step: closed loops and implicit steps of long chains."""
import math

import models

AGREE = 1e-2  # rad: an engine whose best run is further away has another model

def at_error(points, wanted):
    """time at an error, between the runs of a method: points of (error, time), by powers"""
    best = min((t for e, t in points if e <= wanted), default=math.inf)
    ordered = sorted(points)
    for (e0, t0), (e1, t1) in zip(ordered, ordered[1:]):
        if 0 < e0 < wanted < e1 and t1 < t0:
            x = math.log(wanted / e0) / math.log(e1 / e0)
            best = min(best, t0 * (t1 / t0) ** x)
    return best


def number(x):
    return f"{x:.3g}" if math.isfinite(x) else "not reached"


class Study:
    """Methods of engines on one model: each runs at some levels (a step, or an accuracy), its error is found once and its smallest time in turn with the
    others. A method: name, levels, run(level, error wanted?) -> (CPU s, error)."""

    def __init__(self, wanted, unit):
        self.wanted, self.unit = wanted, unit
        self.methods, self.notes = [], []

    def add(self, name, levels, run):
        self.methods.append((name, levels, run))

    def note(self, name, text):
        self.notes.append((name, text))

    def table(self, rounds):
        error, spent = {}, {}
        for turn in range(rounds + 1):
            for name, levels, run in self.methods:
                for level in levels:
                    found = run(level, turn == 0)
                    if not turn:
                        error[name, level], spent[name, level] = found[1], math.inf
                    else:
                        spent[name, level] = min(spent[name, level], 1e3 * found[0])
        wrong = [name for name, levels, _ in self.methods if self.unit == "rad" and min(error[name, x] for x in levels) > AGREE]
        if wrong:
            raise SystemExit("bench/peers: results differ: " + ", ".join(wrong))
        times = {name: at_error([(error[name, x], spent[name, x]) for x in levels], self.wanted) for name, levels, _ in self.methods}
        # without a run above the error the method could take longer steps than it was given
        short = {name: "at most " if all(error[name, x] <= self.wanted for x in levels) else "" for name, levels, _ in self.methods}
        own = min(t for name, t in times.items() if name.startswith("Hooke"))
        lines = [f"| method | levels: ms (error, {self.unit}) | ms to {self.wanted:g} {self.unit} | Hooke's best faster by |", "| --- | --- | --- | --- |"]
        for name, levels, _ in self.methods:
            cells = ", ".join(f"{x:g}: {spent[name, x]:.3g} ({error[name, x]:.2g})" for x in levels)
            lines.append(f"| {name} | {cells} | {short[name]}{number(times[name])} | "
                         f"{short[name] + number(times[name] / own) if math.isfinite(times[name]) else ''} |")
        lines += [f"| {name} | {text} | | |" for name, text in self.notes]
        return lines


class Runs:
    """how the engines are called; what is not there is None"""

    def __init__(self, work, here, core, quiet, hooke, programs, pythons):
        self.work, self.here, self.core, self.quiet, self.hooke = work, here, core, quiet, hooke
        self.programs, self.pythons = programs, pythons

    def words(self, *command):
        """numbers that a program prints: CPU s, drift, angles"""
        found = self.quiet(*self.core, *command)
        try:
            return [float(x) for x in found.stdout.split()]
        except ValueError:
            return []

    def own(self, model, names, end, *options):
        """Hooke: CPU s, largest drift, the last values of channels"""
        out = self.work / "equal-error.csv"
        files = ("--output", out, "--output-every", end) if names else ()
        found = self.hooke(model, "--time", end, *options, *files)
        last = []
        if names:
            with open(out, encoding="utf-8") as f:
                rows = [line.strip().split(",") for line in f if not line.startswith("#")]
            last = [float(rows[-1][rows[0].index(x)]) for x in names]
        return found["cpu_s"], abs(found["energy"]["max_drift_J"]), last

    def mujoco(self, xml, step, end, drift):
        found = self.quiet(*self.core, self.programs["mujoco"], xml, step, end, "drift" if drift else "-").stdout.splitlines()
        words = {line.split()[0]: line.split()[1:] for line in found}
        return float(words["cpu"][0]), float(words["cpu"][4]), [float(x) for x in words["final"]]


def difference(found, wanted):
    """largest difference of angles; nothing where an engine gave other angles than asked for"""
    return max(abs(a - b) for a, b in zip(found, wanted)) if len(found) == len(wanted) else math.inf


def bars(runs, n, end, wanted, by_drift, levels):
    """a study of n four-bars: the error is the largest drift of energy, or that of the angles at the end"""
    model = runs.work / f"bars-{n}.yaml"
    model.write_text(models.bars_yaml(n), encoding="utf-8")
    names = [f"joint.pin{i}.angle" for i in range(n + 1)]
    truth = runs.own(model, names, end, "--step", 0.001, "-f", "hybrid", "-i", "rk4")[2]
    study = Study(wanted, "J" if by_drift else "rad")

    def judge(found, cpu, drift):
        """the error; a mechanism that left the path at a singular position has none"""
        away = difference(found, truth)
        return cpu, (drift if away < 0.1 else math.inf) if by_drift else away

    def own(*options):
        def run(level, error):
            cpu, drift, found = runs.own(model, names if error else None, end, "--step", level, *options)
            return judge(found, cpu, drift) if error else (cpu, None)
        return run

    def mujoco(integrator):
        def run(level, error):
            xml = runs.work / "bars.xml"
            xml.write_text(models.bars_mjcf(n, level, integrator), encoding="utf-8")
            cpu, drift, found = runs.mujoco(xml, level, end, error and by_drift)
            cranks = [found[2 * i] for i in range(n + 1)]
            return judge(cranks, cpu, drift) if error else (cpu, None)
        return run

    def script(*command):
        def run(level, error):
            found = runs.words(*command, n, level, end, *(["drift"] if error and by_drift else []))
            return judge(found[2:], found[0], found[1]) if found else (math.inf, math.inf)
        return run

    for (name, formulation, integrator), steps in levels["Hooke"].items():
        more = ("--option", "step_control=off") if integrator == "dopri5" else ()
        study.add(f"Hooke {name}", steps, own("-f", formulation, "-i", integrator, *more))
    if runs.programs.get("mujoco"):
        for integrator, steps in levels["MuJoCo"].items():
            study.add(f"MuJoCo {integrator}", steps, mujoco(integrator))
    if "exudyn" in runs.pythons:
        study.add("Exudyn generalized alpha", levels["Exudyn"], script(runs.pythons["exudyn"], "-W", "ignore", runs.here / "exudyn_implicit.py", "bars"))
    if runs.programs.get("simbody"):
        study.add("Simbody Runge-Kutta-Merson", levels["Simbody"], script(runs.programs["simbody"]))
    if "drake" in runs.pythons:
        study.add("Drake SAP, discrete", levels["Drake"], script(runs.pythons["drake"], runs.here / "drake_bars.py"))
    study.note("Pinocchio", "cannot: it has accelerations of closed loops, but no integrator")
    return study


def chain(runs, n, end, wanted, levels):
    """a study of n links that start at rest; the error is that of the hinges' angles at the end"""
    links = models.resting(n)
    model, xml = runs.work / f"resting-{n}.yaml", runs.work / "resting.xml"
    model.write_text(models.tree_yaml(links), encoding="utf-8")
    names = [f"joint.j{i}.angle" for i in range(n)]
    truth = runs.own(model, names, end, "--step", end / 800, "-f", "recursive", "-i", "rk4")[2]
    study = Study(wanted, "rad")

    def own(formulation, integrator):
        def run(level, error):
            cpu, _, found = runs.own(model, names if error else None, end, "--step", level, "-f", formulation, "-i", integrator)
            return cpu, difference(found, truth) if error else None
        return run

    def mujoco(level, error):
        xml.write_text(models.tree_mjcf(links, "implicitfast"), encoding="utf-8")
        cpu, _, found = runs.mujoco(xml, level, end, False)
        return cpu, difference(found, truth) if error else None

    def exudyn(level, error):
        found = runs.words(runs.pythons["exudyn"], "-W", "ignore", runs.here / "exudyn_implicit.py", "chain", n, level, end)
        return (found[0], difference(found[2:], truth)) if found else (math.inf, math.inf)

    for (formulation, integrator), steps in levels["Hooke"].items():
        study.add(f"Hooke {formulation}, {integrator}", steps, own(formulation, integrator))
    if "exudyn" in runs.pythons:
        study.add("Exudyn generalized alpha", levels["Exudyn"], exudyn)
    if runs.programs.get("mujoco"):
        xml.write_text(models.tree_mjcf(links, "implicitfast"), encoding="utf-8")
        tried = runs.quiet(runs.programs["mujoco"], xml, 0.001, 0.001, "-")
        if tried.returncode:
            study.note("MuJoCo", "cannot: " + " ".join(tried.stderr.split()))
        else:
            study.add("MuJoCo implicitfast", levels["MuJoCo"], mujoco)
    study.note("Drake, Simbody", "not run: their implicit methods make a dense matrix of the whole state by differences")
    study.note("Pinocchio", "cannot: it has no integrator")
    return study


def parts(runs, rounds):
    """the tables of closed loops and of chains"""
    own = {("hybrid, rk4", "hybrid", "rk4"): (0.05, 0.044, 0.04), ("hybrid, dopri5, fixed steps", "hybrid", "dopri5"): (0.1, 0.085, 0.07),
           ("hybrid, trapezoidal", "hybrid", "trapezoidal"): (0.004, 0.0027, 0.002)}
    double = bars(runs, 2, 10.0, 1e-3, True, {
        "Hooke": own, "MuJoCo": {"RK4": (0.005, 0.0025, 0.00125)}, "Exudyn": (0.002, 0.001, 0.0008), "Simbody": (1e-6, 1e-7, 1e-8), "Drake": (0.001,)})
    lines = ["## Double four-bar, 10 s, to a largest drift of energy of 1e-3 J", "", *double.table(rounds), "",
             "Through singular positions, where the mechanism has three freedoms. The error of Drake is that at the end; `inf`: it left the path of "
             "parallel cranks there.", ""]
    steps = {(f"{f}, {i}", f, i): s for f, i, s in (
        ("hybrid", "trapezoidal", (0.02, 0.01, 0.005)), ("recursive", "trapezoidal", (0.02, 0.01, 0.005)),
        ("topological", "trapezoidal", (0.02, 0.01, 0.005)), ("hybrid", "rk4", (0.1, 0.06, 0.03)))}
    row = bars(runs, 100, 0.6, 1e-4, False, {
        "Hooke": steps, "MuJoCo": {"RK4": (0.1, 0.06, 0.04), "Euler": (0.01, 0.006, 0.004)}, "Exudyn": (0.06, 0.04, 0.02),
        "Simbody": (1e-4, 1e-5), "Drake": (0.01, 0.006, 0.004)})
    lines += ["## 100 four-bars in a row, 0.6 s, to an error of 1e-4 rad", "", *row.table(max(1, rounds - 2)), ""]
    for n, times in ((100, 2), (1000, 1)):
        h = (0.01, 0.005, 0.0025)
        study = chain(runs, n, 0.05, 1e-5, {
            "Hooke": {("recursive", "trapezoidal"): h, ("hybrid", "trapezoidal"): h}, "Exudyn": h[:2], "MuJoCo": (0.0001, 0.000025, 0.00002)})
        lines += [f"## Chain of {n} links at rest, 0.05 s, implicit steps, to an error of 1e-5 rad", "", *study.table(min(rounds, times)), ""]
    lines.append("Levels are steps in s, of Simbody its accuracy.")
    return lines
