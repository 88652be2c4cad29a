# SPDX-License-Identifier: Apache-2.0
"""Spectral radii of integrators, measured on runs of a linear oscillator, for figure 3 of Masarati, Morandini and
Mantegazza 2014. Used by make-results.

A method turns the states of the oscillator x'' = -w^2 x, x and v, into a sequence that obeys a linear recurrence; the
largest root of its polynomial is the spectral radius. Its coefficients follow from a few steps of a run:

  z_n = p z_{n-1} (+ q z_{n-2})          z = x - i v/w, for rules of first order applied to x and v (z' = i w z)
  x_n = p x_{n-1} + q x_{n-2} (+ r x_{n-3})                for rules of second order
"""
import csv
import math
import pathlib
import subprocess
import tempfile

# |rho_inf| of the paper's figure, with the smallest third-order remainder
RHO = math.sqrt(21) - 4
# name -> (formulation, arguments, unknowns of the recurrence, whether it is one of z)
METHODS = {
    "multistep, rho_inf 0.58": ("redundant", ["-i", "multistep", "--option", f"rho_inf={RHO!r}"], 2, True),
    "multistep, rho_inf 0 (BDF-2)": ("redundant", ["-i", "multistep", "--option", "rho_inf=0"], 2, True),
    "multistep, rho_inf 0.9": ("redundant", ["-i", "multistep", "--option", "rho_inf=0.9"], 2, True),
    "trapezoidal (C-N)": ("hybrid", ["-i", "trapezoidal"], 1, True),
    "newmark, rho_inf 0.58": ("hybrid", ["-i", "newmark", "--option", f"gamma={(3 - RHO) / (2 + 2 * RHO)!r}"], 2, False),
    "hht, rho_inf 0.58": ("hybrid", ["-i", "hht", "--option", f"alpha={(RHO - 1) / (RHO + 1)!r}"], 3, False),
}
SHOWN = (0.01, 0.03, 0.1, 0.3, 1, 10, 100)
MODEL = f"""hooke: 1
gravity: [0, 0, 0]
bodies: {{mass: {{mass: 1, com: [0, 0, 0]}}}}
joints: {{slide: {{type: prismatic, between: [ground, mass], at: [0, 0, 0], axis: x}}}}
forces: {{spring: {{type: joint_spring, joint: slide, stiffness: {(2 * math.pi) ** 2!r}}}}}
start: {{slide: {{position: 1}}}}
record: [joint.slide.position, joint.slide.velocity]
"""


def formula(rho, x):
    """largest root of eq. 19 with the coefficients of eqs. 20-23 at constant steps of x periods"""
    e = (1 - rho) ** 2
    beta = (3 * e + 4 * (2 * rho - 1)) / (4 - e)
    delta = e / (2 * (4 - e))
    b0, b1, b2 = delta + 0.5, beta / 2 + 0.5 - 2 * delta, beta / 2 + delta
    u = 2j * math.pi * x
    return largest_root([(1 - beta + u * b1) / (1 - u * b0), (beta + u * b2) / (1 - u * b0)])


def largest_root(c):
    """largest |root| of y^k = c_1 y^(k-1) + .. + c_k, by the iteration of Durand and Kerner"""
    k = len(c)
    roots = [(0.4 + 0.9j) ** i for i in range(k)]
    for _ in range(500):
        for i in range(k):
            value = roots[i] ** k - sum(c[j] * roots[i] ** (k - 1 - j) for j in range(k))
            other = math.prod((roots[i] - roots[j] for j in range(k) if j != i), start=1)
            roots[i] -= value / other if other else 0
    return max(map(abs, roots))


def solve(A, b):
    """A x = b by elimination with row pivots; small"""
    n = len(b)
    M = [[*row, x] for row, x in zip(A, b)]
    for k in range(n):
        M[k:] = sorted(M[k:], key=lambda row: -abs(row[k]))
        for i in range(k + 1, n):
            f = M[i][k] / M[k][k]
            M[i] = [y - f * x for x, y in zip(M[k], M[i])]
    x = [0] * n
    for k in reversed(range(n)):
        x[k] = (M[k][n] - sum(M[k][j] * x[j] for j in range(k + 1, n))) / M[k][k]
    return x


def measured(hooke, folder, method, step):
    """spectral radius of a method at a step in periods of the oscillator, by a short run"""
    formulation, arguments, k, complex_states = METHODS[method]
    out = folder / "run.csv"
    subprocess.run([hooke, "run", folder / "oscillator.yaml", "-f", formulation, *arguments, "--step", repr(step), "--time",
                    repr(8 * step), "--substeps", "off", "--tolerance", "1e-13", "-o", out, "--quiet"], check=True, capture_output=True)
    with open(out, newline="", encoding="utf-8") as file:
        rows = [(float(r["joint.slide.position"]), float(r["joint.slide.velocity"])) for r in csv.DictReader(file)]
    z = [complex(x, -v / (2 * math.pi)) if complex_states else x for x, v in rows]
    # the first step is of another kind in the two-step method
    n = range(k, 2 * k)
    return largest_root(solve([[z[i - j] for j in range(1, k + 1)] for i in n], [z[i] for i in n]))


def radii(hooke, steps):
    """method -> spectral radius at each step"""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "oscillator.yaml").write_text(MODEL)
        return {method: [measured(hooke, folder, method, step) for step in steps] for method in METHODS}
