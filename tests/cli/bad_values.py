#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bad values under the keys of laws with memory, signals with states and memory, moving frames, gravity, networks and
runs: never a crash, an endless run or a silent number; a refusal names its place in the file.

Each key gets some of the values here, all of them in bad_values_slow.py."""
import concurrent.futures
import pathlib
import re
import sys
import tempfile

import support

HEAD = """hooke: 1
bodies: {block: {mass: 1, com: [0, 0, 0], inertia: {diagonal: [1, 1, 1]}}}
joints: {rail: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: x}}
start: {rail: {position: 0.1, velocity: 0.2}}
"""
RUN = "run: {time: 0.02, step: 0.01%s}\n"
# values that no key takes, and values that some do
WRONG = ("nan", ".inf", "", "[]", "{}", "{a: 1}", "[[1]]", "\"\"", "1/0", "sqrt(-1)", "[1, 2, 3, 4, 5]", "nothing.like.it")
ODD = ("-1", "0", "1e308", "-1e308", "1e-308", "1e9", "2.5", "true", "joint.rail.position", "t", "[1]", "null", "word")

SIGNAL = HEAD + "signals:\n  u: {sine: {frequency: 1, amplitude: 1}}\n  y: {%s}\nforces: {f: {type: joint_force, joint: rail, value: y}}\n" + RUN % ""
SPRING = HEAD + "forces: {f: {type: joint_spring, joint: rail, spring: {%s}}}\n" + RUN % ""
DAMPER = HEAD + "forces: {f: {type: joint_spring, joint: rail, damper: {%s}}}\n" + RUN % ""
NETWORK = HEAD + """nodes: {a: {type: electric}}
network: {r: {type: resistor, between: [a, ground], resistance: 1}, c: {type: capacitor, between: [a, ground], capacitance: 1}}
"""

# text with %s for the keys, then the keys with good values
TABLES = [
    (SPRING % "linear: 3, maxwell: [{%s}]", "stiffness: 100; time: 0.1"),
    (SPRING % "linear: 3, %s", "maxwell: [{stiffness: 1, damping: 1}]"),
    (DAMPER % "lugre: {%s}", "stiffness: 1000; damping: 3; coulomb: 1; static: 2; speed: 0.01; viscous: 0.1"),
    (DAMPER % "%s", "lugre: {stiffness: 1000, coulomb: 1}"),
    (SPRING % "hardening: {%s}", "stiffness: 1000; yield: 3; isotropic: 3; kinematic: 4"),
    (HEAD + "forces: {f: {type: joint_spring, joint: rail, %s}}\n" + RUN % "", "stiffness: 100; damping: 1; zero: 0"),
    ("hooke: 1\nbodies: {rod: {%s, mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n" + RUN % "", "repeat: 3"),
    ("hooke: 1\nframes: {hub: {%s}}\nbodies: {rod: {mass: 1, com: {in: hub, at: [0, 0, 0]}, inertia: [1, 1, 1]}}\n" + RUN % "",
     "at: [0, 0, 1]; velocity: [1, 0, 0]; angular_velocity: [0, 0, 2]"),
    (HEAD + RUN % ", frame: {%s}", "angular_velocity: [0, 0, 3]; velocity: [0, 0, 1]; at: [0, 0, 0]"),
    (HEAD + "gravity: {%s}\n" + RUN % "", "centre: [0, 0, 9]; mu: 30"),
    (NETWORK + RUN % ", %s", "quasi_steady: [a]"),
    (HEAD + "network: {e: {type: equation, %s}}\n" + RUN % "", "value: \"1 - network.e.value\"; mass: 1; start: 0"),
    (HEAD + "servo: {p: {%s}}\n" + RUN % ", formulation: redundant",
     "constraint: \"body.block.position.x = 0.1 + 0.2*t + t^3\"; through: {rail: 2}; active: true"),
] + [(SIGNAL % (name + ": {%s}"), keys) for name, keys in {
    "delay": "of: u; time: 0.02", "sample": "of: u; period: 0.02; phase: 0; start: 0; numerator: [1]; denominator: [1, 0.5]",
    "pid": "of: u; kp: 1; ki: 2; kd: 0.1; time: 0.01; limits: [-1, 1]", "filter": "of: u; lowpass: 10; order: 2",
    "integral": "of: u; start: 0", "derivative": "of: u; time: 0.01",
    "transfer_function": "of: u; numerator: [1]; denominator: [0.1, 1]",
    "state_space": "of: u; A: [[-1]]; B: [1]; C: [1]; D: [0]; start: [0]",
    "latch": "when: \"t > 0.01\"; reset: \"t > 0.03\"; of: u", "first_hit": "when: \"t > 0.01\"",
    "after": "when: \"t > 0.01\"; of: u; before: 0", "periodic": "of: u; period: 2",
    "random": "hold: 0.01; seed: 3; amplitude: 1", "pulse": "width: 0.001; period: 0.01; rise: 0.001",
}.items()]


def cases(every):
    """every n-th of the cases, all values in turn: the model, and whether it must be refused"""
    count = 0
    for text, keys in TABLES:
        rows = [key.strip().split(": ", 1) for key in keys.split(";")]
        yield text % ", ".join(": ".join(row) for row in rows), False
        for i, (key, _) in enumerate(rows):
            for value in (None,) + WRONG + ODD:
                count += 1
                if count % every: continue
                changed = [row if k != i else (key, value) for k, row in enumerate(rows)]
                yield text % ", ".join(f"{k}: {v}" for k, v in changed if v is not None), True


def judge(path, text, changed):
    """what is wrong with the answer; None: nothing"""
    path.write_text(text)
    result = support.hooke("run", path, "--json")  # fails on signals and on runs without end
    if not changed:
        return None if result.returncode == 0 else f"a good model is refused\n{result.stderr}"
    if result.returncode == 0 and '"status": "ok"' not in result.stdout:
        return f"exit 0, but {result.stdout[-300:]}"
    wrong = re.search(r'"final": {[^}]*?"([^"]*)": null', result.stdout)
    if result.returncode == 0 and wrong and '"grade": "good"' in result.stdout:
        return f"graded good, but {wrong[1]} is not a number"
    # 3 the model, 4 no start, 5 the run failed, 6 a file that is not there
    if result.returncode not in (0, 3, 4, 5, 6) or not (result.returncode == 0 or "error: " in result.stderr):
        return f"exit code {result.returncode}\n{result.stderr[-500:]}"
    if result.returncode == 3 and not re.search(r"\.yaml:\d+:\d+: error: ", result.stderr):
        return f"a refusal without its place\n{result.stderr[-500:]}"
    return None


def main(every):
    failed = 0
    with tempfile.TemporaryDirectory(prefix="hooke-values-") as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        todo = list(cases(every))
        paths = [pathlib.Path(folder) / f"m{i}.yaml" for i in range(len(todo))]
        for case, why in zip(todo, pool.map(lambda args: judge(args[0], *args[1]), zip(paths, todo))):
            if why:
                failed += 1
                print(f"{case[0]}\n{why}\n")
    print(f"{len(todo) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(17))
