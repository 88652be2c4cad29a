#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hooke view --live`: the page of a run that goes on, and what has come since."""
import json
import subprocess
import time
import unittest
import urllib.request

from support import HOOKE, SOURCE, CommandTest, environment, hooke

BUMP = SOURCE / "examples/iltis/cosine-bump.yaml"


class Live(CommandTest):
    def test_page_follows(self):
        live = self.dir / "run.live"
        run = subprocess.Popen([HOOKE, "realtime", BUMP, "--time", "20", "--live", live, "--policy", "other", "--quiet"], env=environment())
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        view = subprocess.Popen([HOOKE, "view", "--live", live, "--no-browser"], env=environment(), stdout=subprocess.PIPE, text=True)
        self.addCleanup(view.wait)
        self.addCleanup(view.stdout.close)
        self.addCleanup(view.kill)
        address = view.stdout.readline().strip()
        with urllib.request.urlopen(address, timeout=20) as page:
            text = page.read().decode()
        self.assertIn('"live":true', text)
        self.assertIn('"name":"chassis"', text.replace('": "', '":"'))
        rows = frames = 0
        for _ in range(400):
            with urllib.request.urlopen(f"{address}detail?rows={rows}&frames={frames}", timeout=20) as answer:
                more = json.load(answer)
            self.assertEqual({len(x) for x in more["x"]}, {len(more["t"])})
            rows, frames = rows + len(more["t"]), frames + len(more["frames"]["time"])
            if rows > 5 and frames > 5:
                break
            time.sleep(0.03)
        self.assertGreater(rows, 5)
        self.assertEqual((more["ended"], more["status"]), (False, "running"))
        run.terminate()
        run.wait(timeout=20)
        with urllib.request.urlopen(f"{address}detail?rows=1000000&frames=1000000", timeout=20) as answer:
            more = json.load(answer)
        self.assertEqual((more["ended"], more["status"], more["t"]), (True, "interrupted", []))
        for bad in ("rows=1", "rows=-1&frames=0", "rows=1&frames=2x", "run=0&channel=0&from=0&to=1"):
            with self.assertRaises(urllib.error.HTTPError):
                urllib.request.urlopen(f"{address}detail?{bad}", timeout=20)

    def test_wrong_files(self):
        r = hooke("view", "--live", self.model, "--no-browser")
        self.assertEqual(r.returncode, 6)
        self.assertIn("no result that can be followed", r.stderr)


if __name__ == "__main__":
    unittest.main()
