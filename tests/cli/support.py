# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command share: running it under a time limit and looking for crashes."""
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
LIMIT = 60 if SHORT else 20  # seconds; sanitized builds are slow

PENDULUM = """\
hooke: 1
title: Pendulum
gravity: [0, 0, -9.81]
parameters: {L: 1}
bodies:
  rod: {mass: 1, com: [0, 0, -L/2], inertia: {xx: 1/12, yy: 1/12, zz: 0.001}}
joints:
  pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: y}
start:
  pin: {angle: 1}
run: {time: 1, step: 0.01}
"""


def environment(extra=None):
    env = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8")
    env.update(extra or {})
    return env


def hooke(*args, cwd=None, env=None, limit=LIMIT):
    """run the command; the result has returncode, stdout, stderr; crashes and hangs are failures"""
    try:
        result = subprocess.run([HOOKE, *map(str, args)], cwd=cwd, env=environment(env), check=False,
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"hooke {' '.join(map(str, args))}: no answer in {limit} s") from None
    result.stdout = result.stdout.decode("utf-8")
    result.stderr = result.stderr.decode("utf-8", "replace")
    crashed = crash(result)
    if crashed:
        raise AssertionError(f"hooke {' '.join(map(str, args))}: {crashed}\n{result.stderr}")
    return result


def crash(result):
    """words for a crash, None when there was none"""
    if result.returncode < 0:
        return f"killed by signal {-result.returncode}"
    if result.returncode not in (0, 2, 3, 4, 5, 6, 130):
        return f"exit code {result.returncode}, which is none of the documented ones"
    for word in ("Sanitizer", "runtime error:", "internal error", "Assertion"):
        if word in result.stderr:
            return f"'{word}' on standard error"
    return None


class CommandTest(unittest.TestCase):
    """a directory of its own with a good model in it"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="hooke-cli-")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        self.model = self.dir / "pendulum.yaml"
        self.model.write_text(PENDULUM)

    def hooke(self, *args, code=0, **more):
        result = hooke(*args, cwd=self.dir, **more)
        self.assertEqual(result.returncode, code, f"hooke {' '.join(map(str, args))}\n"
                         f"{result.stdout[-2000:]}{result.stderr[-2000:]}")
        return result

    def refused(self, *args, code=2, words=()):
        """an error: nothing but the message, with these words in it"""
        result = self.hooke(*args, code=code)
        self.assertIn("error: ", result.stderr)
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, result.stderr)
        return result
