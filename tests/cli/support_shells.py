# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of shells (Sze, Liu and Lo, Popular benchmark problems for geometric nonlinear analysis of shells, 2004) as models with a path over
their load, for tests and for the page of results."""


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
      u_start: {{body: ground, type: general, locked: [x, ry]}}
      v_start: {{body: ground, type: planar, normal: y}}
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
