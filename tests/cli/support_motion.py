# SPDX-License-Identifier: Apache-2.0
"""The flying beam: a free rod in the plane that a pulse of force and moment at one end throws and bends far."""
import math

FLYING = """\
hooke: 1
parameters: {n: 16}
points: {A: [6, 0, 0], B: [0, 8, 0]}
beams: {b: {from: A, to: B, elements: n, up: z, section: {EA: 1e4, GA: 1e4, GJ: 500, EI: 500, mass: 1, inertia: [20, 10, 10]}}}
signals: {a: "if(t < 2.5, 8/3*sin(pi*t/2.5)^4, 0)"}
forces:
  push: {type: force, on: b.start, at: A, value: ["8*a", 0, 0]}
  turn: {type: torque, on: b.start, value: [0, 0, "-80*a"]}
record: ["body.b.*.position", "body.b.*.com_velocity", "body.b.*.angular_velocity", "energy.*"]
run: {time: 15, step: 0.005, integrator: trapezoidal}
"""


def flight(test, rows, n):
    """Checks momenta; returns the largest distance of an end from the reference and the largest change of the angular momentum
    after the pulse. Linear momentum is the impulse, 20 along x."""
    masses = [10 / n / 3 * (1 if k in (0, n) else 4 if k % 2 else 2) for k in range(n + 1)]
    apart, first, change = 0.0, None, 0.0
    for row, r in zip(rows, test.reference("flying-beam")):
        test.assertLess(abs(row["t"] - r["t"]), 1e-9)
        for i, end in ((0, "0"), (n, "L")):
            apart = max(apart, math.hypot(row[f"body.b.{i}.position.x"] - r[f"x{end}"], row[f"body.b.{i}.position.y"] - r[f"y{end}"]))
        v = [[row[f"body.b.{k}.com_velocity.{x}"] for x in "xy"] for k in range(n + 1)]
        p = [sum(m * u[i] for m, u in zip(masses, v)) for i in (0, 1)]
        test.assertLess(abs(p[1]), 1e-10)
        if r["t"] < 2.5:
            continue
        test.assertLess(abs(p[0] - 20), 1e-9)
        spin = sum(m * (row[f"body.b.{k}.position.x"] * u[1] - row[f"body.b.{k}.position.y"] * u[0] + 10 * row[f"body.b.{k}.angular_velocity.z"])
                   for k, (m, u) in enumerate(zip(masses, v)))
        first = spin if first is None else first
        change = max(change, abs(spin - first))
    return apart, change
