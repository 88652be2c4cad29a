# SPDX-License-Identifier: Apache-2.0
"""What the tests of the example models share: running them, reading series, measuring orders."""
import csv
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("HOOKE_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
HOOKE = os.environ.get("HOOKE") or str(SOURCE / "build/release/hooke")
SHORT = os.environ.get("HOOKE_TEST_SHORT", "0") not in ("", "0")
ALL = os.environ.get("HOOKE_TEST_ALL", "0") not in ("", "0")  # all of many alike cases, as in `make check-all`
FEW = SHORT and not ALL  # few of them are enough
EXAMPLES = SOURCE / "examples"
LIMIT = 240 if SHORT else 60  # seconds; sanitized builds are slow
SECOND_ORDER = ("trapezoidal", "hht", "generalized_alpha")


def series(name):
    """the columns of a reference series or of a result file, by name"""
    path = name if isinstance(name, pathlib.Path) else SOURCE / "tests/data" / name
    with open(path, newline="", encoding="utf-8") as file:
        names, *rows = list(csv.reader(file))
    return {n: [float(row[i]) for row in rows] for i, n in enumerate(names)}


def orders(errors):
    """the orders that errors at successively halved steps show"""
    return [math.log2(a / b) for a, b in zip(errors, errors[1:])]


def rotate(q, v):
    """a vector turned by a unit quaternion (w, x, y, z)"""
    w, x, y, z = q
    r = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return [sum(r[i][j] * v[j] for j in range(3)) for i in range(3)]


class ExampleTest(unittest.TestCase):
    """a directory of its own for results and for variants of the models"""
    limit = LIMIT  # of one command

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="hooke-examples-")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def text(self, example):
        return (EXAMPLES / example).read_text(encoding="utf-8")

    def variant(self, text, name="variant.yaml"):
        """a model of its own from a text"""
        path = self.dir / name
        path.write_text(text, encoding="utf-8")
        return path

    def command(self, *args, code=0, limit=None):
        result = subprocess.run([HOOKE, *map(str, args)], cwd=self.dir, check=False, timeout=limit or self.limit,
                                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                env=dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8"))
        self.assertEqual(result.returncode, code, f"hooke {' '.join(map(str, args))}\n"
                         f"{result.stdout[-1000:]}{result.stderr[-3000:]}")
        return result

    def run_model(self, model, *args, code=0):
        """`hooke run --json` on an example or a variant"""
        path = model if isinstance(model, pathlib.Path) else EXAMPLES / model
        return json.loads(self.command("run", path, "--json", *args, code=code).stdout)

    def run_series(self, model, *args):
        """summary and recorded series"""
        out = self.dir / "series.csv"
        value = self.run_model(model, "--output", out, *args)
        return value, series(out)

    def assertNear(self, found, expected, within, what=""):
        self.assertLessEqual(abs(found - expected), within,
                             f"{what}: found {found!r}, expected {expected!r} within {within:g}")

    def assertOrder(self, errors, order, within=0.1, what=""):
        for found in orders(errors):
            self.assertLessEqual(abs(found - order), within,
                                 f"{what}: order {found:.3f}, expected {order}; errors {errors}")

    def at(self, found, times, step):
        """rows of a series with constant step at the given times"""
        rows = [round(t / step) for t in times]
        for t, i in zip(times, rows):
            self.assertNear(found["t"][i], t, 1e-9, "time of a row")
        return rows
