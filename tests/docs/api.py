#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_api must find what is not explained in a public header: each case plants one fault."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("HOOKE_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
BUILD = pathlib.Path(os.environ.get("HOOKE_BUILD") or SOURCE / "build/release")

# (name, header, what is taken out, words of the message)
FAULTS = [
    ("an argument", "model.h", r" \* @param nsets how many\n", "parameter 'nsets'"),
    ("a returned value", "sim.h", r" \* @return seconds[^*]*", "return type of member hk_sim_time"),
    ("a function", "sim.h", r"/\*\* The present time\.[^/]*\*/\n", "hk_sim_time"),
    ("a member", "sim.h", r"/\*\*< present time, s \*/", "time_s"),
    ("a type", "result.h", r"/\*\* An open result file\. One thread at a time\. \*/\n", "hk_result"),
]


@unittest.skipUnless(shutil.which("doxygen"), "doxygen is not installed: the C interface is not checked")
class Interface(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="hooke-api-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(SOURCE / "include", self.root / "include")
        shutil.copy(SOURCE / "Doxyfile", self.root)
        (self.root / "tools").mkdir()
        shutil.copy(SOURCE / "tools/doxygen_filter", self.root / "tools")

    def check(self):
        return subprocess.run([SOURCE / "tools/check_api", BUILD, self.root / "pages"], text=True,
                              capture_output=True, timeout=60, check=False,
                              env=dict(os.environ, HOOKE_ROOT=str(self.root)))

    def test_as_it_is(self):
        result = self.check()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        page = (self.root / "pages/html/base_8h.html").read_text()
        # the list of status codes is there with its texts
        for name, text in re.findall(r'X\((\w+), *-?\d+, "([^"]*)"', (SOURCE / "include/hooke/status.def").read_text()):
            self.assertIn(name, page)
            self.assertIn(text, page)

    def test_faults(self):
        for name, header, pattern, words in FAULTS:
            with self.subTest(name):
                path = self.root / "include/hooke" / header
                good = path.read_text()
                bad, n = re.subn(pattern, "", good, count=1)
                self.assertEqual(n, 1, f"{pattern} is not in {header}")
                path.write_text(bad)
                result = self.check()
                path.write_text(good)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
