#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke statics` of long chains against their closed form."""
import json
import unittest

from statics import catenary, chain_closed_form
from support import CommandTest


class Long(CommandTest):
    def test_catenary_of_200_links(self):
        (self.dir / "c.yaml").write_text(catenary(200))
        middle, pull = chain_closed_form(200)
        for f in ("hybrid", "recursive"):
            value = json.loads(self.hooke("statics", "c.yaml", "-f", f, "--json", limit=300).stdout)
            point = value["points"][0]
            self.assertTrue(point["stable"])
            self.assertLess(abs(point["final"]["body.b100.position.z"] - middle), 1e-10)
            self.assertLess(abs(abs(point["final"]["joint.j0.force.x"]) - pull), 1e-10 * pull)


if __name__ == "__main__":
    unittest.main()
