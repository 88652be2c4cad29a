# SPDX-License-Identifier: Apache-2.0
"""`hooke modes` in tests: its JSON, eigenvalues, and how near they are."""
import json

from support import CommandTest


class ModesTest(CommandTest):
    def modes(self, *args, code=0):
        return json.loads(self.hooke("modes", *args, "--json", code=code).stdout)

    def values(self, *args):
        return [complex(m["real"], m["imag"]) for m in self.modes(*args)["modes"]]

    def near(self, found, expected, bound):
        self.assertLess(abs(found - expected), bound * max(1, abs(expected)), (found, expected))
