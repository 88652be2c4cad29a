# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of shells, most of them of Sze, Liu and Lo, Popular benchmark problems for geometric nonlinear analysis of shells, 2004, as models with a
path over their load; and the table of their answers. Used by the tests and by make-results."""
import json
import pathlib
import subprocess


def cantilever(n):
    """a strip 10 x 1 x 0.1 under an end shear; as a beam with shear its tip is lifted by 6.7001325 and drawn back by 3.2895094"""
    return f"""\
hooke: 1
signals: {{P: {{input: 0}}}}
shells:
  s:
    corners: [[0, 0, 0], [10, 0, 0], [10, 1, 0], [0, 1, 0]]
    elements: [{n}, 1]
    thickness: 0.1
    material: {{E: 1.2e6, nu: 0, density: 1}}
    clamp: {{u_start: ground}}
    loads: {{tip: {{on: u_end, force: [0, 0, "P"]}}}}
record: ["body.s.{n}.0.position"]
statics: {{load: P, to: 4, points: 4}}
run: {{time: 0.01, step: 0.001}}
"""


def slender(n):
    """MacNeal and Harder's slender beam 6 x 0.2 x 0.1, bent in the plane of its elements by a unit force: 0.1081"""
    return f"""\
hooke: 1
signals: {{P: {{input: 0}}}}
shells:
  s:
    corners: [[0, 0, 0], [6, 0, 0], [6, 0.2, 0], [0, 0.2, 0]]
    elements: [{n}, 1]
    thickness: 0.1
    material: {{E: 1e7, nu: 0.3, density: 1}}
    clamp: {{u_start: ground}}
    loads: {{tip: {{on: u_end, force: [0, "P/0.2", 0]}}}}
record: ["body.s.{n}.0.position"]
statics: {{load: P, to: 0.001, points: 1}}
run: {{time: 0.01, step: 0.001}}
"""


def hemisphere(n):
    """a quarter of a hemisphere with a hole of 18 degrees, n x n elements, pulled out along x and pushed in along y"""
    return f"""\
hooke: 1
signals: {{P: {{input: 0}}}}
shells:
  s:
    surface: ["10*cos(v)*cos(u)", "10*cos(v)*sin(u)", "10*sin(v)"]
    u: [0, pi/2]
    v: [0, 72*deg]
    elements: [{n}, {n}]
    thickness: 0.04
    material: {{E: 6.825e7, nu: 0.3, density: 1}}
    clamp: {{u_start: {{body: ground, type: planar, normal: y}}, u_end: {{body: ground, type: planar, normal: x}}}}
forces:
  A: {{type: force, on: s.0.0, value: ["P/2", 0, 0]}}
  B: {{type: force, on: s.{n}.0, value: [0, "-P/2", 0]}}
joints: {{z: {{type: general, between: [ground, s.0.0], at: [10, 0, 0], locked: [z]}}}}
record: ["body.s.0.0.position", "body.s.{n}.0.position"]
statics: {{load: P, to: 400, points: 10}}
run: {{time: 0.01, step: 0.001}}
"""


def annulus(n, m):
    """a slit annular plate, n x m elements along the radius and round it: one side of the slit is clamped, the other lifted"""
    return f"""\
hooke: 1
signals: {{P: {{input: 0}}}}
shells:
  s:
    surface: ["v*cos(u)", "v*sin(u)", "0"]
    u: [0, 2*pi]
    v: [6, 10]
    elements: [{m}, {n}]
    thickness: 0.03
    material: {{E: 21e6, nu: 0, density: 1}}
    clamp: {{u_end: ground}}
    loads: {{lift: {{on: u_start, force: [0, 0, "P"]}}}}
record: ["body.s.0.0.position", "body.s.0.{n}.position", "shell.s.energy"]
statics: {{load: P, to: 0.8, points: 20}}
run: {{time: 0.01, step: 0.001}}
"""


def roof(n, h):
    """a quarter of a cylindrical roof with hinged straight sides, pushed down in its middle: it snaps through"""
    return f"""\
hooke: 1
signals: {{P: {{input: 0}}}}
shells:
  s:
    surface: ["2540*sin(u)", "v", "2540*cos(u) - 2540"]
    u: [0, 0.1]
    v: [0, 254]
    elements: [{n}, {n}]
    thickness: {h}
    material: {{E: 3102.75, nu: 0.3, density: 1}}
    clamp:
      u_start: {{body: ground, type: general, locked: [x, ry, rz]}}
      v_start: {{body: ground, type: general, locked: [y, rx, rz]}}
      u_end: {{body: ground, type: general, locked: [x, z]}}
forces: {{A: {{type: force, on: s.0.0, value: [0, 0, "-P/4"]}}}}
record: ["body.s.0.0.position"]
statics: {{load: P, to: 3000, points: 20}}
run: {{time: 0.01, step: 0.001}}
"""


def solve(A, b):
    """x of A x = b, by elimination"""
    n, M = len(b), [[*row, y] for row, y in zip(A, b)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(M[i][k]))
        M[k], M[p] = M[p], M[k]
        for i in range(n):
            if i != k:
                f = M[i][k] / M[k][k]
                M[i] = [x - f * y for x, y in zip(M[i], M[k])]
    return [M[i][n] / M[i][i] for i in range(n)]


# case -> model of a mesh, meshes, what is read of the last point or the extremes of the load, references
CASES = {
    "slender beam, in-plane load, deflection": (slender, (6,), lambda f, n: [1e3 * (f[f"body.s.{n}.0.position.y"])], "0.1081"),
    "cantilever, end shear 4: W, -U": (cantilever, (32,), lambda f, n: [f[f"body.s.{n}.0.position.z"], 10 - f[f"body.s.{n}.0.position.x"]], "6.7001, 3.2895 (beam)"),
    "pinched hemisphere, P 400: inward, outward": (hemisphere, (8, 16), lambda f, n: [10 - f[f"body.s.{n}.0.position.y"], f["body.s.0.0.position.x"] - 10], "8.178, 4.067 (Sze)"),
    "slit annular plate, 0.8: inner, outer": (lambda n: annulus(n, 8 * n), (5,), lambda f, n: [f["body.s.0.0.position.z"], f[f"body.s.0.{n}.position.z"]], "13.891, 17.528 (Sze)"),
    "hinged roof, 12.7 thick: largest, least load": (lambda n: roof(n, 12.7), (8,), None, ""),
    "hinged roof, 6.35 thick": (lambda n: roof(n, 6.35), (8,), None, ""),
}
ENHANCED = (0, 4, 7)


def answers(hooke, folder, case, n, enhanced):
    """the answers of a mesh with so many parameters of enhanced strains"""
    model, _, read, _ = CASES[case]
    path = pathlib.Path(folder) / f"{abs(hash((case, n, enhanced)))}.yaml"
    path.write_text(model(n).replace("    thickness:", f"    enhanced: {enhanced}\n    thickness:"))
    points = json.loads(subprocess.run([hooke, "statics", path, "--json"], check=True, capture_output=True, text=True).stdout)["points"]
    return read(points[-1]["final"], n) if read else [p["load"] for p in points if p["limit"]]


def table(hooke, folder):
    """head and rows"""
    rows = []
    for case, (_, meshes, _, known) in CASES.items():
        for n in meshes:
            mesh = f"{n} x {8 * n}" if "annular" in case else f"{n} x 1" if case.startswith(("slender", "cant")) else f"{n} x {n}"
            row = [case if n == meshes[0] else "", mesh]
            for enhanced in ENHANCED:
                row.append(", ".join(f"{x:.5g}" for x in answers(hooke, folder, case, n, enhanced)))
            rows.append([*row, known if n == meshes[0] else ""])
    return ["case", "elements", *(f"`enhanced: {e}`" for e in ENHANCED), "reference"], rows
