# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/python, with few worlds: they come to their end and say what is so."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

import hooke


@pytest.fixture
def run(example, tmp_path):
    def call(name, *args):
        done = subprocess.run([sys.executable, example(f"python/{name}"), *map(str, args)], cwd=tmp_path, capture_output=True, text=True,
                              check=True, timeout=120, env=dict(os.environ, PYTHONPATH=str(pathlib.Path(hooke.__file__).absolute().parents[1])))
        return done.stdout
    return call


def number(pattern, text):
    found = re.search(pattern, text)
    assert found, text
    return float(found.group(1))


def test_tolerances(run, tmp_path):
    said = run("tolerances.py", "--worlds", 24, "--time", 0.2, "--way", "library", "--output", "bands.html")
    assert "24 of 24 worlds, 40 steps" in said
    page = (tmp_path / "bands.html").read_text()
    assert page.count("<polygon") == 3 and "joint.pin_B0.angle" in page and "nan" not in page
    # ten times the tolerance, about ten times the spread
    spread = number(r"standard deviation of ([\d.e-]+)", said)
    more = run("tolerances.py", "--worlds", 24, "--time", 0.2, "--way", "library", "--vary", "crank=0.002", "--vary", "rocker=0.006")
    assert 7 < number(r"standard deviation of ([\d.e-]+)", more) / spread < 14


def test_look_ahead(run):
    said = run("look_ahead.py", "--worlds", 12, "--ahead", 20, "--periods", 3, "--way", "library")
    assert "12 worlds, 20 steps ahead, by library" in said and "calmer: True" in said
    alone, controlled = (number(rf"{who}: bounce ([\d.]+)", said) for who in ("left alone", "controlled"))
    assert 0 < controlled < alone
    assert number(r"takes ([\d.]+) s", said) > 0


def test_feedback(run):
    said = run("feedback.py", "--worlds", 30, "--steps", 300, "--way", "library")
    assert "30 worlds, 300 steps each" in said and abs(number(r"ends at ([\d.e+-]+) rad", said)) < 0.02
    assert 0 <= number(r"rad; (\d+) of 30", said) < 30
