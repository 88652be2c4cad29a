# SPDX-License-Identifier: Apache-2.0
"""Runs of beams in tests: models with parts replaced, their last values and histories."""
import csv
import json
import math

from support import SOURCE, CommandTest

FORMULATIONS = ("hybrid", "topological", "recursive", "partition", "global", "redundant")


class BeamTest(CommandTest):
    def write(self, text, name="beam.yaml"):
        path = self.dir / name
        path.write_text(text)
        return path

    def example(self, name, *changes):
        """a copy of an example with (old, new) replaced"""
        text = (SOURCE / f"examples/{name}.yaml").read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return self.write(text, f"{name}.yaml")

    def summary(self, path, *args):
        return json.loads(self.hooke("run", path, "--json", "-q", *args).stdout)

    def final(self, path, *args):
        return self.summary(path, *args)["final"]

    def history(self, path, *args):
        """one dictionary a row, by names without units"""
        self.hooke("run", path, "-q", "-o", "history.csv", *args)
        with open(self.dir / "history.csv", encoding="utf-8") as file:
            rows = list(csv.reader(line for line in file if not line.startswith("#")))
        names = [name.split()[0] for name in rows[0]]
        return [dict(zip(names, map(float, row))) for row in rows[1:]]

    @staticmethod
    def reference(name):
        with open(SOURCE / f"tests/data/{name}.csv", encoding="utf-8") as file:
            return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(line for line in file if not line.startswith("#"))]


def across(row, name, first, middle, last):
    """distance of the middle node from the line between two nodes, in the plane x-y"""
    a, m, b = ([row[f"body.{name}.{i}.position.{x}"] for x in "xy"] for i in (first, middle, last))
    d = [b[0] - a[0], b[1] - a[1]]
    return ((m[1] - a[1]) * d[0] - (m[0] - a[0]) * d[1]) / math.hypot(*d)
