#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A minute of 1 kHz over every kind of stream: 60,000 frames each way, none lost. The clock is left out (scripts/realtime-latency has it):
what is looked at does not depend on how fast the machine is."""
import json
import subprocess
import unittest

from streams import PROGRAMS, Streams
from support import FEW

SECONDS = 2 if FEW else 60


class Minute(Streams):
    def minute(self, way):
        if not (PROGRAMS / "spring-peer").exists():
            self.skipTest("the examples are not built")
        place, force = self.places(way)
        model = self.block(way, place, force)
        peer = subprocess.Popen([PROGRAMS / "spring-peer", f"{way}:{place}", f"{way}:{force}", "200"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(peer.kill)
        run = self.start("realtime", model, "--pace", "io", "--period", "1e-3", "--time", SECONDS, "--json", "--policy", "other")
        told = json.loads(self.finish(run, limit=300)[0])
        said, _ = peer.communicate(timeout=60)
        n = 1000 * SECONDS
        out, back = told["streams"]["place"], told["streams"]["force"]
        self.assertEqual((out["frames"], out["lost"], back["frames"], back["lost"], back["reordered"], back["malformed"]), (n + 1, 0, n, 0, 0, 0))
        self.assertRegex(said, rf"^({n}|{n + 1}) frames, 0 lost\n$")  # of shared memory the last one may be gone with the end
        self.assertEqual((told["periods"], told["pace"], told["page_faults"]), (n, "io", 0 if told["locked"] else told["page_faults"]))

    def test_unix(self):
        self.minute("unix")

    def test_tcp(self):
        self.minute("tcp")

    def test_udp(self):
        self.minute("udp")

    def test_shared_memory(self):
        self.minute("shm")


def load_tests(loader, _tests, _pattern):
    """those of this file alone"""
    return unittest.TestSuite(map(Minute, ("test_unix", "test_tcp", "test_udp", "test_shared_memory")))


if __name__ == "__main__":
    unittest.main()
