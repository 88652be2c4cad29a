# SPDX-License-Identifier: Apache-2.0
"""Single figures of the papers that no study has: sizes of models, masses, peaks. Used by make-results.

Each is what one command of `hooke` says in its JSON, or the extreme of a channel in the series that it writes.
"""
import csv
import json
import pathlib
import subprocess
import tempfile

RUN = "--step 0.001 --time 0.001"
STAIRS = "examples/iltis/ramp-and-stairs.yaml"
SUSPENSION = "examples/iltis-suspension.yaml"


def member(*path):
    """a number of the JSON value, or of its first row"""
    def get(value, _):
        for key in path:
            value = value[key]
        return value
    return get


def extreme(channel, pick, unit=1.0):
    """largest or smallest value of a channel"""
    def get(_, rows):
        return pick(float(row[channel]) for row in rows) / unit
    return get


# figure -> (what the paper says, command, what is taken from it, format)
FACTS = {
    "four-bar, relative coordinates": ("5", "check examples/double-four-bar.yaml", member("coordinates"), "d"),
    "suspension, relative coordinates": ("8", f"check {SUSPENSION}", member("coordinates"), "d"),
    "PUMA, relative coordinates": ("6", "check examples/puma-by-torques.yaml", member("coordinates"), "d"),
    "Iltis, relative coordinates": ("26", f"check {STAIRS}", member("coordinates"), "d"),
    "Iltis, degrees of freedom": ("10", f"check {STAIRS}", member("dof"), "d"),
    "Iltis, mass in kg": ("about 1500", f"check {STAIRS}", member("total_mass_kg"), ".1f"),
    "four-bar, natural coordinates": ("6", f"run examples/double-four-bar.yaml -f global {RUN}", member("coordinates"), "d"),
    "suspension, natural coordinates": ("25", f"run {SUSPENSION} -f global {RUN}", member("coordinates"), "d"),
    "PUMA, natural coordinates": ("45", f"run examples/puma-by-torques.yaml -f global {RUN}", member("coordinates"), "d"),
    "Iltis, natural coordinates": ("168", f"run {STAIRS} -f global {RUN}", member("coordinates"), "d"),
    **{f"{name}, natural coordinates, separate": (count, f"run {model} -f global --option coordinates=separate {RUN}", member("coordinates"), "d")
       for name, count, model in (("four-bar", "6", "examples/double-four-bar.yaml"), ("suspension", "25", SUSPENSION),
                                  ("PUMA", "45", "examples/puma-by-torques.yaml"), ("Iltis", "168", STAIRS))},
    "four-bar, global at 0.05 s, tolerance 1e-4, J": ("-9.03", "run examples/double-four-bar.yaml -f global -i trapezoidal --substeps off --step 0.05"
                                                      " --option penalty_absolute=1e7 --tolerance 1e-4", member("energy", "max_drift_J"), ".1f"),
    "Iltis, largest acceleration upwards in g": ("5", f"run {STAIRS} -f hybrid --step 0.001",
                                                 extreme("body.chassis.acceleration.z", max, 9.81), ".2f"),
    "Iltis, least speed in m/s": ("5", f"run {STAIRS} -f hybrid --step 0.001", extreme("body.chassis.velocity.x", min), ".2f"),
    "Iltis, largest speed in m/s": ("5", f"run {STAIRS} -f hybrid --step 0.001", extreme("body.chassis.velocity.x", max), ".2f"),
    "suspension, block of 325 kg, J": ("-43.1", "compare examples/studies/hybrid-table2-suspension.yaml -f hybrid -i trapezoidal --step 0.001"
                                       " --set block=325 --repeat 1", member(0, "measures", "difference"), ".1f"),
    "four-bar, hybrid, largest row of a loop": ("-", "run examples/double-four-bar.yaml -f hybrid -i trapezoidal --step 0.01",
                                                member("constraint", "position_max"), ".0e"),
    "seven bodies, partition, largest row of a joint": ("-", "run examples/andrews-stiff.yaml -f partition -i trapezoidal --step 1e-4",
                                                        member("constraint", "position_max"), ".0e"),
    "tumbling body, momenta, change of the energy in %": ("-", "run examples/spinning-body.yaml -f redundant -i multistep --step 0.005",
                                                          member("drift_percent"), ".4f"),
}


def figures(hooke, root):
    """figure, command, the paper's and ours, as lines of a table"""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (theirs, command, take, form) in FACTS.items():
            words = command.split()
            series = pathlib.Path(folder) / "series.csv"
            more = ["-o", series] if words[0] == "run" else []
            result = subprocess.run([hooke, *words, *more, "--json", "--quiet"], capture_output=True, text=True, check=True, cwd=root)
            rows = []
            if more:
                with open(series, newline="", encoding="utf-8") as file:
                    rows = list(csv.DictReader(file))
                series.unlink()
            lines.append([name, f"`hooke {command}`", theirs, format(take(json.loads(result.stdout), rows), form)])
    return lines
