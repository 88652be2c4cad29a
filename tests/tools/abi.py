#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_abi must find what breaks programs that are compiled already: each case changes the public headers."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("HOOKE_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
BUILD = pathlib.Path(os.environ.get("HOOKE_BUILD") or SOURCE / "build/release")

# (name, header, pattern, what replaces it, words of the report; None: allowed)
CHANGES = [
    ("a member of another type", "sim.h", r"double time; ", "float time; ", "type of 'double time' changed"),
    ("a member in between", "plugin.h", r"  int32_t \(\*hook\)", "  double more;\n  int32_t (*hook)", "struct hk_plugin_element"),
    ("a function that goes", "sim.h", r"HK_API int32_t hk_sim_done\([^;]*;", "", "[D] 'function int32_t hk_sim_done"),
    ("another argument", "sim.h", r"hk_sim_step_to\(hk_sim \*s, double t\)", "hk_sim_step_to(hk_sim *s, float t)",
     "hk_sim_step_to"),
    ("a longer struct without size", "base.h", r"\} hk_message;", "  int more;\n} hk_message;", "struct hk_message"),
    ("other numbers of an enumeration", "sim.h", r"HK_GRADE_GOOD = 1", "HK_GRADE_GOOD = 5", "HK_GRADE_GOOD"),
    ("a function that comes", "sim.h", r"(?=HK_API int32_t hk_sim_done)", "HK_API int32_t hk_sim_more(const hk_sim *s);\n", None),
    ("a longer struct with its size", "sim.h", r"\} hk_sim_options;", "  double more;\n} hk_sim_options;", None),
]


class Interface(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="hooke-abi-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(SOURCE / "include", self.root / "include")

    def check(self, *arguments):
        return subprocess.run([SOURCE / "tools/check_abi", "--root", self.root, *arguments], text=True,
                              capture_output=True, timeout=120, check=False)

    def test_as_it_is(self):
        result = self.check(BUILD)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_symbols(self):
        header = self.root / "include/hooke/sim.h"
        header.write_text(header.read_text().replace("HK_API int32_t hk_sim_done", "HK_API int32_t hk_sim_do"))
        result = self.check(BUILD)
        self.assertEqual(result.returncode, 1)
        self.assertIn("hk_sim_do is declared, but libhooke.so does not show it", result.stderr)
        self.assertIn("libhooke.so shows hk_sim_done, which no public header declares", result.stderr)

    @unittest.skipUnless(shutil.which("abidiff") and os.uname().machine == "x86_64",
                         "abidiff is not installed (abigail-tools): only symbols are checked")
    def test_changes(self):
        # all breaks in one report, then all that is allowed
        for allowed in (False, True):
            for name, header, pattern, new, words in CHANGES:
                if (words is None) != allowed:
                    continue
                path = self.root / "include/hooke" / header
                changed, n = re.subn(pattern, new, path.read_text(), count=1)
                self.assertEqual(n, 1, f"{name}: {pattern} is not in {header}")
                path.write_text(changed)
            result = self.check()
            self.assertEqual(result.returncode, 0 if allowed else 1, result.stderr)
            for name, _, _, _, words in CHANGES:
                if words and not allowed:
                    self.assertIn(words, result.stderr, name)
            shutil.rmtree(self.root / "include")
            shutil.copytree(SOURCE / "include", self.root / "include")


if __name__ == "__main__":
    unittest.main()
