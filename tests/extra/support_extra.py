# SPDX-License-Identifier: Apache-2.0
"""Models for every joint of a table, also of one that has types of its own, and runs of them in every formulation.
The command is build/.../tests/hooke_extra: the shipped one with the types of tests/extra/types."""
import csv
import json
import os
import pathlib
import subprocess
import tempfile

SOURCE = pathlib.Path(os.environ.get("HOOKE_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
HOOKE = os.environ.get("HOOKE_EXTRA") or str(SOURCE / "build/release/tests/hooke_extra")
SHORT = bool(os.environ.get("HOOKE_TEST_SHORT"))
FORMULATIONS = subprocess.run([HOOKE, "list", "formulations", "--names"], capture_output=True, text=True,
                              check=True).stdout.split()[:2 if SHORT else None]
ALL = os.environ.get("HOOKE_TEST_ALL", "0") not in ("", "0")  # all of many alike cases, as in `make check-all`


def turns(i):
    """formulations for case i of a joint's law: all of them, or every second one; the joint's next case has the others"""
    return FORMULATIONS if ALL else FORMULATIONS[i % 2::2]


# couplings join no bodies
JOINTS = [joint for joint in json.loads(subprocess.run([HOOKE, "list", "joints", "--json"], capture_output=True, text=True,
                                                       check=True).stdout)
          if any(p["name"] == "between" for p in joint["parameters"])]


def own_keys(joint):
    """rows of a joint's own table: those before the common ones"""
    names = [p["name"] for p in joint["parameters"]]
    return joint["parameters"][:names.index("type")]


def has_coordinates(joint):
    """may it lie in the tree?"""
    return not joint["detail"].startswith("a constraint only")


def keys(joint, z, x=None):
    """text of a joint's keys with its axis along z, a second one along x; any numbers"""
    text, axes = [], 0
    second = x or [0.6 * a for a in (z[1], z[2], z[0])]
    for p in own_keys(joint):
        value = None
        if p["type"] == "axis":
            value = [z, second][axes]
            axes += 1
        elif p["name"] in ("at", "ends") or not p["required"]:
            continue
        elif "number" in p["type"]:
            value = 0.3
        elif p["type"] == "list of axes":
            value = "[x, rz]"
        elif p["type"] == "curve":
            value = "{circle: 0.3, centre: [0.05, 0.02]}"
        text.append(f"{p['name']}: {value}")
    return ", ".join(text)


def ends(joint, at):
    """where it is: a point, or two that are drawn apart where its table asks for them"""
    apart = any(p["name"] == "ends" and p["required"] for p in joint["parameters"])
    return f"ends: [[{at[0]}, {at[1]}, {at[2] + 0.7}], {at}]" if apart else f"at: {at}"


HEAD = "hooke: 1\ngravity: [0.7, -1.1, -9.81]\n"
RECORD = 'record: ["body.*.position", "body.*.orientation", "joint.*"]\n'


def model(joint, reverse=False, extra="cut: auto", z=(0.28, -0.6, 0.75), x=None):
    """a heavy body that swings on the ground by this joint, pushed off its way"""
    pair = "[rod, ground]" if reverse else "[ground, rod]"
    return HEAD + f"""bodies:
  rod: {{mass: 2, com: [0.5, 0.2, -0.3], inertia: {{xx: 0.3, yy: 0.5, zz: 0.4, xy: 0.03}}}}
joints:
  j: {{type: {joint["name"]}, between: {pair}, {ends(joint, [0.2, 0.1, 0.15])}, {keys(joint, list(z), x)}, {extra}}}
forces:
  push: {{type: force, on: rod, at: [0.7, -0.2, 0.1], value: [3, 8*sin(5*t), 2]}}
""".replace(", ,", ",") + RECORD


def run(text, formulation="hybrid", time=0.3, step=2e-3, check=True, options=()):
    """last row of a run as {channel: value}, with its error text"""
    with tempfile.TemporaryDirectory(prefix="hooke-extra-") as folder:
        path, out = pathlib.Path(folder) / "m.yaml", pathlib.Path(folder) / "out.csv"
        path.write_text(text)
        done = subprocess.run([HOOKE, "run", path, "-f", formulation, "--time", str(time), "--step", str(step), "-o", out, "-q", *options],
                              capture_output=True, text=True, check=False, timeout=120)
        row = {"error": done.stderr, "code": done.returncode}
        if out.exists() and done.returncode == 0:
            with open(out, newline="") as file:
                rows = list(csv.DictReader(file))
            row.update({k: float(v) for k, v in rows[-1].items()})
        if check and done.returncode != 0:
            raise AssertionError(f"{formulation}:\n{text}\n{done.stderr}")
        return row


def position(row, body):
    return [row[f"body.{body}.position.{k}"] for k in "xyz"]


def rotation(row, body):
    """matrix of a body's orientation"""
    w, x, y, z = (row[f"body.{body}.orientation.{k}"] for k in "wxyz")
    return [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]


def apart(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def far(row, other, body="rod", other_body=None):
    """largest difference of two poses"""
    other_body = other_body or body
    return max(apart(position(row, body), position(other, other_body)), apart(rotation(row, body), rotation(other, other_body)))


def rk4(f, y, time, n):
    """y' = f(t, y) from 0 to `time` in n steps"""
    h, t = time / n, 0.0
    for _ in range(n):
        k1 = f(t, y)
        k2 = f(t + h / 2, [a + h / 2 * b for a, b in zip(y, k1)])
        k3 = f(t + h / 2, [a + h / 2 * b for a, b in zip(y, k2)])
        k4 = f(t + h, [a + h * b for a, b in zip(y, k3)])
        y = [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]
        t += h
    return y
