# SPDX-License-Identifier: Apache-2.0
"""Pages of `hooke report` and `hooke view` in a browser: what their tests share."""
import csv
import http.client
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

from support import HANGS, HOOKE, SHORT, SOURCE, Browser, hooke, missing, patience

FOUR_BAR = SOURCE / "examples/double-four-bar.yaml"
ILTIS = SOURCE / "examples/iltis/ramp-and-stairs.yaml"
MARKUP = "</script><img src=x onerror=window.pwned=1>"
# how long the page may take until it can be used, ms, software drawing included; more on a busy machine (patience).
# bench/page measures it in peace
LIMIT_READY = 5000
# the window of these tests: wide enough for the page's two columns, and no larger, since every pixel is drawn by the
# processor
WINDOW = (900, 600)


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory(prefix="hooke-page-")
        cls.dir = pathlib.Path(cls.temp.name)
        for name, model, more in (("four", FOUR_BAR, []), ("fast", FOUR_BAR, ["--set", "speed=3", "--step", "0.02"]), ("iltis", ILTIS, [])):
            hooke("run", model, *more, "--quiet", "--output", cls.dir / f"{name}.nc", "--report", cls.dir / f"{name}.html")
        hooke("run", FOUR_BAR, "--quiet", "--output", cls.dir / "four.csv")
        hooke("report", cls.dir / "four.nc", cls.dir / "fast.nc", "--output", cls.dir / "both.html")
        # the scene is drawn as ever; the page around it without a detour through software WebGL, which takes twice as long
        cls.browser = Browser(*WINDOW, "--disable-gpu-compositing")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.temp.cleanup()

    def load(self, name):
        b = self.browser
        b.open(name if "://" in str(name) else (self.dir / name).as_uri())
        b.wait("return window.hooke && window.hooke.ready || document.getElementById('notes').textContent")
        return b

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])
        self.browser.size(*WINDOW)

    def row(self, t):
        with open(self.dir / "four.csv", newline="") as f:
            return min(csv.DictReader(f), key=lambda r: abs(float(r["t"]) - t))

    def ready(self, name, limit=LIMIT_READY):
        """how long the open page took until it could be used, ms; loaded again when that was too long, for a machine that
        was busy a moment ago is not the page's fault"""
        for left in (2, 1, 0):
            ready, most = self.browser.run("return hooke.ready"), limit * patience()
            if ready < most:
                return ready
            if left:
                self.load(name)
        raise self.failureException(f"{name}: usable after {ready:.0f} ms, expected less than {most:.0f} ms")

    def compare_places(self, b, t, delta):
        row = self.row(t)
        b.run("hooke.player.seek(arguments[0])", float(row["t"]))
        for body in ("left", "coupler2"):
            at = b.run("return hooke.bodyPosition(arguments[0])", body)
            for k, x in zip("xyz", at):
                self.assertAlmostEqual(x, float(row[f"body.{body}.position.{k}"]), delta=delta)

    def chart(self, b, i=0):
        return b.run("const r = hooke.plots.charts[arguments[0]].plot.over.getBoundingClientRect();"
                     "return {x: r.x, y: r.y, w: r.width, h: r.height}", i)

    def example(self, name):
        hooke("run", SOURCE / f"examples/{name}.yaml", "--quiet", "--report", self.dir / f"{name}.html")
        return self.load(f"{name}.html")

    def project(self, *points):
        return self.browser.run("hooke.stage.render(); return arguments[0].map((p) => { const v = hooke.stage.camera.position.clone().set(...p).project(hooke.stage.camera); return [v.x, v.y]; })", points)

    def picture_of(self, text):
        """the page of a run of this model"""
        (self.dir / "own.yaml").write_text(text)
        hooke("run", self.dir / "own.yaml", "--quiet", "--report", self.dir / "own.html")
        return self.load("own.html")

    def altered(self, name, change):
        """a page whose first run is not as Hooke would write it"""
        page = (self.dir / name).read_text()
        found = re.search(r'(id="hooke-data">)(.*?)(</script>)', page, re.S)
        data = json.loads(found[2])
        change(data["runs"][0])
        text = json.dumps(data).replace("<", "\\u003c")
        (self.dir / "altered.html").write_text(page[:found.start(2)] + text + page[found.end(2):])
        return self.load("altered.html")

    def saved(self, script):
        """what a button would save: type, size, first bytes, name"""
        b = self.browser
        b.run("window.saved = null; URL.createObjectURL = (blob) => { window.saved = {blob}; return '#'; };"
              "HTMLAnchorElement.prototype.click = function () { window.saved.name = this.download; };" + script)
        b.wait("return window.saved && window.saved.name")
        b.run("saved.blob.arrayBuffer().then((a) => { window.saved.bytes = [...new Uint8Array(a).slice(0, 16)]; })")
        b.wait("return window.saved.bytes")
        return b.run("return [saved.blob.type, saved.blob.size, saved.bytes, saved.name]")


class View:
    """hooke view, asked directly"""

    def __init__(self, browser, *results):
        self.browser = browser
        self.process = subprocess.Popen([HOOKE, "view", *results, "--no-browser"], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        parts = urllib.parse.urlsplit(self.address)
        self.port, self.path = parts.port, parts.path

    def get(self, path, host=None, origin=None, method="GET"):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGS)
        headers = {"Host": host or f"127.0.0.1:{self.port}", **({"Origin": origin} if origin else {})}
        c.request(method, path, headers=headers)
        answer = c.getresponse()
        text = answer.read()
        c.close()
        return answer.status, text

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # a page that still asks would complain about a server that has gone
        self.browser.open("about:blank")
        self.process.send_signal(signal.SIGINT)
        self.code = self.process.wait(HANGS)
        self.process.stdout.close()


def main():
    why = missing() or (SHORT and "sanitized builds leave the browser to the release build") or None
    if why:
        print(f"*** SKIPPED: the page was not tested in a browser: {why} ***")
        sys.exit(0)
    unittest.main()
