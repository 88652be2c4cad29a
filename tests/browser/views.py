#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser with other screens, other results, and behind `hooke view`: phones, keyboard, names that
are no markup, damaged files, what can be saved. Without a browser everything is skipped, loudly."""
import array
import base64
import csv
import io
import json
import os
import re

from support import ALL, SOURCE, hooke, patience
from support_page import FOUR_BAR, ILTIS, MARKUP, PageTest, View, main


class Views(PageTest):
    def test_phone(self):
        self.browser.size(500, 900)  # the narrowest that a headless window takes
        b = self.load("four.html")
        self.assertLessEqual(b.run("return document.documentElement.scrollWidth - window.innerWidth"), 0)
        for element in ("canvas", "play", "scrub", "search"):
            self.assertGreater(b.run("return document.getElementById(arguments[0]).getBoundingClientRect().width", element), 20)

    def test_small_phones(self):
        """nothing is cut off at the side, and no control lies on another, also when the screen is turned"""
        b = self.browser
        try:
            for width, height, page in ((320, 568, "iltis.html"), (360, 740, None), (740, 360, None), (390, 844, "both.html")):
                b.screen(width, height)
                if page:
                    self.load(page)
                b.wait(f"return window.innerWidth === {width}")
                self.assertGreater(b.run("return document.getElementById('title').getBoundingClientRect().width"), 60)
                self.assertLessEqual(b.run("return document.documentElement.scrollWidth"), width)
                over = b.run("const r = [...document.querySelectorAll('#transport > *, #tools > *, #bar > *')].map((e) => [e, e.getBoundingClientRect()]).filter(([e, r]) => r.width);"
                             "const bad = []; for (const [e, a] of r) for (const [f, b] of r) if (e !== f && e.parentNode === f.parentNode && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&"
                             "Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1) bad.push(e.id + ' ' + f.id); for (const [e, a] of r) if (e.scrollWidth > a.width + 1 && e.tagName === 'OUTPUT') bad.push(e.id); return bad")
                self.assertEqual(over, [], width)
                if page:
                    b.run("document.getElementById('play').click()")
                    b.wait("return hooke.player.t > 0.05")
                    b.run("hooke.player.pause()")
        finally:
            b.screen()

    def test_keyboard_reaches_everything(self):
        b = self.load("iltis.html")
        names = b.run("return [...document.querySelectorAll('button, input, select')].filter((e) => e.offsetParent && "
                      "!(e.getAttribute('aria-label') || e.title || e.textContent.trim() || e.closest('label'))).map((e) => e.outerHTML)")
        self.assertEqual(names, [], "controls without a name")
        seen = set()
        b.run("document.body.focus()")
        for _ in range(60):
            b.keys("\ue004")  # Tab
            seen.add(b.run("return document.activeElement.id"))
        for element in ("theme", "help", "canvas", "camera-iso", "follow", "trails", "arrows", "tab-plots", "search", "play", "scrub", "speed", "loop"):
            self.assertIn(element, seen)
        b.run("document.activeElement.blur()")
        b.keys("?")
        self.assertTrue(b.run("return document.getElementById('keys').open"))
        b.run("document.getElementById('keys').close()")

    def test_names_are_no_markup(self):
        (self.dir / "bad.csv").write_text('t,"' + MARKUP + '",plain\n0,1,2\n1,2,3\n')
        model = FOUR_BAR.read_text().replace("title: Double four-bar linkage", f'title: "{MARKUP}"')
        (self.dir / "bad.yaml").write_text(model)
        hooke("run", self.dir / "bad.yaml", "--quiet", "--time", "0.1", "--output", self.dir / "bad.nc")
        hooke("report", self.dir / "bad.csv", self.dir / "bad.nc", "--output", self.dir / "bad.html")
        b = self.load("bad.html")
        b.run("hooke.plots.choose(hooke.plots.all.map((c) => c.name)); hooke.plots.search.value = 'img'; hooke.plots.match()")
        b.run("for (const t of document.querySelectorAll('#tabs button')) t.click()")
        self.assertIsNone(b.run("return window.pwned ?? null"))
        self.assertEqual(b.run("return document.querySelectorAll('img').length"), 0)
        self.assertIn(MARKUP, b.run("return document.body.textContent"))
        self.assertIn(MARKUP, b.run("return hooke.data.runs[1].label"))

    def test_view(self):
        with View(self.browser, self.dir / "four.nc", self.dir / "fast.nc") as v:
            b = self.load(v.address)
            self.assertEqual(b.run("return hooke.data.runs.length"), 2)
            self.assertEqual(v.get(v.path)[0], 200)
            self.assertEqual(v.get("/")[0], 404)
            self.assertEqual(v.get("/" + "0" * 32 + "/")[0], 404)
            for rest in ("../../etc/passwd", "detail", "detail?run=9&channel=0&from=0&to=1", "detail?run=0&channel=99999&from=0&to=1", "%2e%2e/"):
                self.assertEqual(v.get(v.path + rest)[0], 404, rest)
            self.assertEqual(v.get(v.path, host="evil.example")[0], 403)
            self.assertEqual(v.get(v.path, origin="http://evil.example")[0], 403)
            self.assertEqual(v.get(v.path, method="POST")[0], 405)
            status, text = v.get(v.path + "detail?run=0&channel=0&from=1&to=2")
            detail = json.loads(text)
            self.assertEqual((status, len(detail["t"])), (200, 102))
        self.assertEqual(v.code, 0)

    def test_long_result(self):
        """many rows (a million in `make check-all`): the page is thinned out, says so, never freezes, and shows the rows in between on a closer look"""
        rows = int(os.environ.get("HOOKE_TEST_ROWS", "1000000" if ALL else "300000"))
        model = (SOURCE / "examples/pendulum.yaml").read_text()
        record = ["position", "orientation", "velocity", "angular_velocity"]
        (self.dir / "long.yaml").write_text(re.sub(r"record: .*", f'record: [{", ".join(f"body.*.{r}" for r in record)}, joint.*, energy.*]', model))
        hooke("run", self.dir / "long.yaml", "--quiet", "--time", rows / 1000, "--step", "0.001", "--output", self.dir / "long.nc")
        hooke("report", self.dir / "long.nc")
        self.assertLess((self.dir / "long.html").stat().st_size, 8e6)
        with View(self.browser, self.dir / "long.nc") as v:
            b = self.load(v.address)
            self.assertIn(f"{rows + 1} rows", b.run("return document.getElementById('notes').textContent"))
            channels, ready = b.run("return hooke.data.runs[0].channels.length"), self.ready(v.address)
            self.assertGreaterEqual(channels, 20)
            whole = b.run("return hooke.plots.charts[0].plot.data[0].length")
            self.assertLess(whole, rows / 2)
            # the longest time without a picture while it plays, is scrubbed and zoomed
            b.run("window.gap = window.looked = 0; let last = performance.now(); const look = (now) => { window.looked++; window.gap = Math.max(window.gap, now - last); last = now;"
                  "requestAnimationFrame(look); }; requestAnimationFrame(look); hooke.player.play()")
            for at in (0.2, 0.5, 0.8):
                b.run("hooke.player.seek(arguments[0])", at * rows / 1000)
            b.run("hooke.plots.zoom([20, 20.5])")
            b.wait("return hooke.plots.charts.every((c) => c.detailed)")
            self.assertAlmostEqual(b.run("return hooke.plots.charts[0].plot.data[0].length"), 502, delta=2)
            b.wait("return window.looked > 20")
            most = 1500 * patience()
            gap = b.run("hooke.player.pause(); return window.gap")
            # the numbers of a closer look are rows of the result
            lines = b.run("return hooke.plots.csv()").splitlines()
            self.assertEqual(len(lines), 502)
            self.assertEqual([round(1000 * float(x.split(",")[0])) for x in lines[1:]], list(range(20000, 20501)))
            self.assertFalse(b.run("return hooke.plots.csvTable().thinned"))
            print(f"{rows} rows by {channels} channels: usable after {ready:.0f} ms, never longer than {gap:.0f} ms without a picture")
            self.assertLess(gap, most)
            b.run("hooke.plots.zoom(null)")
            self.assertEqual(b.run("return hooke.plots.charts[0].plot.data[0].length"), whole)
            self.assertTrue(b.run("return hooke.plots.csvTable().thinned"))

    def test_damaged_scenes(self):
        """one wrong number of the scene takes the animation away, not the page; plots and summary stay"""
        def scene(key, i, **more):
            return lambda r: r["scene"][key][i].update(more)

        def poses(r):
            f = r["frames"]
            pose = array.array("f", base64.b64decode(f["pose"]["f32"]))
            for i in range(len(pose) // 2, len(pose)):
                pose[i] = float("nan")
            f["pose"]["f32"] = base64.b64encode(pose.tobytes()).decode()

        whole = ((scene("shapes", 0, body=99), "shapes[0]"), (scene("shapes", 0, at="x"), "shapes[0]"), (scene("shapes", 0, radius=1e300), "shapes[0]"),
                 (scene("joints", 1, bodies=[0, 77]), "joints[1]"), (scene("joints", 0, at=None), "joints[0]"),
                 (scene("joints", 0, glyph="teeth", wheels=[{"body": 99, "at": [0] * 7, "radius": 1, "teeth": 9}] * 2), "joints[0]"),
                 (scene("joints", 0, limits=[{"turns": True, "axis": [0, 0, 1], "range": [None, None]}]), "joints[0]"), (scene("bodies", 0, com=[0]), "bodies[0]"),
                 (lambda r: r["scene"].update(groups=[{"name": "g", "kind": "beam", "bodies": [0, 2], "stations": [0, 1], "load": 3, "sections": [0.5]}]), "groups[0]"),
                 (lambda r: r["scene"].pop("shapes"), "shapes"), (lambda r: r.update(scene=[1]), "gravity"), (lambda r: r["scene"]["bodies"].pop(), "bodies"),
                 (lambda r: r["scene"].update(forces=[{"name": "f", "type": "any", "glyph": "coil", "arrow": 1, "bodies": [0, 1], "ends": [[0] * 7] * 2, "load": 5}]), "forces[0]"))
        for change, words in whole:
            b = self.altered("four.html", change)
            self.assertIn(f"the animation cannot be shown; in the file, {words}", b.run("return document.getElementById('notes').textContent"))
            self.assertGreater(b.run("return hooke.plots.charts.length"), 0)
            self.assertIn("Energy audit", b.run("return document.getElementById('panel-summary').textContent"))
            self.assertFalse(b.run("return document.getElementById('nothing').hidden"))
        # results written before there were symbols and groups: marks for joints, the rest by what else they say
        def older(r):
            r["scene"].pop("groups")
            for thing in r["scene"]["joints"] + r["scene"]["forces"]:
                thing.pop("glyph")
                thing.pop("arrow", None)
        b = self.altered("four.html", older)
        self.assertNotIn("cannot be shown", b.run("return document.getElementById('notes').textContent"))
        self.assertEqual(set(b.run("return hooke.stage.mechanisms[0].run.scene.joints.map((j) => j.glyph)")), {"point"})
        # a run that went astray is shown as far as it has numbers
        b = self.altered("four.html", poses)
        self.assertIn("to its end", b.run("return document.getElementById('notes').textContent"))
        self.assertAlmostEqual(b.run("return hooke.stage.mechanisms[0].run.frames.time.at(-1)"), 5, delta=0.1)
        b.run("hooke.player.seek(10); hooke.stage.render()")

    def test_nothing_to_animate(self):
        """the page says why"""
        hooke("report", self.dir / "four.csv", "--output", self.dir / "numbers.html")
        hooke("run", SOURCE / "examples/oil-bath.yaml", "--time", "20", "--quiet", "--report", self.dir / "network.html")
        for name, words in (("numbers.html", ".csv files do not"), ("network.html", "no bodies")):
            self.assertIn(words, self.load(name).run("return document.getElementById('nothing').textContent"))

        def unfinished(r):
            r.update(scene=None, frames=None, status="unfinished")

        self.assertIn("not finished", self.altered("four.html", unfinished).run("return document.getElementById('nothing').textContent"))

    def test_what_is_no_number(self):
        """a gap in its own curve; the others, and those with a single row, are drawn"""
        values = [("nan", "1", "1e308"), ("1", "2", "-1e308"), ("inf", "3", "1e308"), ("-inf", "4", "0")]
        (self.dir / "odd.csv").write_text("t,a,b,c\n" + "".join(f"{i},{','.join(v)}\n" for i, v in enumerate(values)))
        (self.dir / "one.csv").write_text("t,a\n3,5\n")
        hooke("report", self.dir / "odd.csv")
        hooke("report", self.dir / "one.csv")
        b = self.load("odd.html")
        self.assertEqual(b.run("return hooke.plots.charts[0].plot.data.slice(1)"), [[None, 1, None, None], [1, 2, 3, 4], [None, None, None, 0]])
        low, high = b.run("const s = hooke.plots.charts[0].plot.scales.y; return [s.min, s.max]")
        self.assertTrue(-10 < low < high < 10, (low, high))
        b = self.load("one.html")
        self.assertEqual(b.run("const s = hooke.plots.charts[0].plot.scales.x; return [s.min, s.max]"), [2.5, 3.5])
        colours = b.run("const c = hooke.plots.charts[0].plot.ctx.canvas, d = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);"
                        "return d.filter((v) => v === 0xffa8784c).length")  # 4c78a8, bytes turned round
        self.assertGreater(colours, 10)

    def test_each_wheel_has_its_road(self):
        hooke("run", SOURCE / "examples/mirrored-axle.yaml", "--quiet", "--time", "0.1", "--report", self.dir / "axle.html")
        b = self.load("axle.html")
        strips = b.run("return hooke.stage.roads.map((r) => { r.geometry.computeBoundingBox(); const b = r.geometry.boundingBox; return [b.min.y, b.max.y, b.max.z]; })")
        self.assertEqual(len(strips), 2)
        (low, middle, first), (again, high, second) = strips
        self.assertTrue(low < middle == again < high, strips)
        self.assertNotAlmostEqual(first, second, msg="one of them has the bump", places=2)
        self.assertEqual(self.load("iltis.html").run("return hooke.stage.roads.length"), 1)

    def test_files(self):
        """pictures of the scene and of plots, and the numbers"""
        self.load("iltis.html")
        for button in ("document.getElementById('save-picture').click()", "document.querySelector('figcaption > button').click()"):
            kind, size, first, name = self.saved(button)
            self.assertEqual((kind, first[:8]), ("image/png", list(b"\x89PNG\r\n\x1a\n")))
            self.assertGreater(size, 4000)
            self.assertTrue(name.endswith(".png"))
        kind, size, first, name = self.saved("document.getElementById('save-csv').click()")
        self.assertEqual((kind, bytes(first[:2])), ("text/csv", b"t,"))
        self.assertTrue(name.endswith(".csv"))
        self.assertGreater(size, 801 * 20)

    def test_csv_is_one_table(self):
        """of two runs too, and of numbers that are none; Hooke reads it"""
        (self.dir / "odd.csv").write_text('t,"a,""b"\n0,nan\n0.5,inf\n1,-inf\n')
        (self.dir / "even.csv").write_text('t,"a,""b"\n0,1\n1,2\n')
        hooke("report", self.dir / "odd.csv", self.dir / "even.csv", "--output", self.dir / "two.html")
        text = self.load("two.html").run("return hooke.plots.csv()")
        (self.dir / "back.csv").write_text(text)
        self.assertEqual([list(r.values()) for r in csv.DictReader(io.StringIO(text))],
                         [["0", "nan", "1"], ["0.5", "inf", "nan"], ["1", "-inf", "2"]])
        self.assertEqual(hooke("plot", self.dir / "back.csv").split("\n")[:2], ['a,"b (odd.csv)', 'a,"b (even.csv)'])

    def test_camera(self):
        b = self.load("iltis.html")
        pick = "const s = document.getElementById('follow'); s.value = arguments[0]; s.dispatchEvent(new Event('change'));"
        where = "return [hooke.stage.controls.target.x, hooke.stage.camera.position.x]"
        # the camera stays, then follows another body than the heaviest
        b.run("hooke.player.seek(1);" + pick, "-1")
        before = b.run(where)
        b.run("hooke.player.seek(3)")
        self.assertEqual(b.run(where), before)
        b.run(pick, "2")
        then = b.run(where)
        self.assertAlmostEqual(then[1] - then[0], before[1] - before[0], places=6)
        b.run("hooke.player.seek(5)")
        after = b.run(where)
        self.assertAlmostEqual(after[0] - then[0], 10, delta=0.6)
        self.assertAlmostEqual(after[1] - then[1], after[0] - then[0], places=6)
        # the body stands in the middle
        at = b.run("return hooke.stage.mechanisms[0].bodies[2].position.toArray()")
        for x in self.project(at)[0]:
            self.assertAlmostEqual(x, 0, places=6)
        seen = set()
        for button in ("camera-iso", "camera-front", "camera-side", "camera-top"):
            b.run("document.getElementById(arguments[0]).click()", button)
            seen.add(tuple(round(x, 3) for x in b.run("const s = hooke.stage; return s.camera.position.clone().sub(s.controls.target).normalize().toArray()")))
        self.assertEqual(len(seen), 4)
        # the loop goes round; speed 2 is twice as fast
        b.run("hooke.player.seek(7.9); hooke.player.setSpeed(2); hooke.player.advance(0.3)")
        self.assertAlmostEqual(b.run("return hooke.player.t"), 0.2, places=6)

    def test_words_of_the_run(self):
        """summary, audit, residuals, the exact command, the model's text"""
        b = self.load("iltis.html")
        text = b.run("return document.getElementById('panel-summary').textContent")
        summary = b.run("return hooke.data.runs[0].summary")
        for words in ("Energy audit", "Largest drift", "Constraint residuals", "Positions", "Velocities", "Accelerations", "Degrees of freedom", "Settings", "max_iterations"):
            self.assertIn(words, text)
        self.assertGreater(summary["constraint"]["position_max"], 0)
        command = b.run("return document.querySelector('#panel-summary pre.command').textContent")
        self.assertIn(f"run {ILTIS} --quiet --output", command)
        self.assertIn("ramp-and-stairs.csv", b.run("return document.querySelector('#panel-model pre').textContent"))

    def test_badge_tells_the_grade(self):
        chip = "const c = document.getElementById('status'); return [c.textContent, c.dataset.status]"
        text, status = self.load("four.html").run(chip)
        self.assertRegex(text, r"^good · [0-9.e−-]+ %$")
        self.assertEqual(status, "good")
        hooke("run", FOUR_BAR, "-f", "redundant", "--step", "0.05", "--set", "speed=5", "--quiet", "--report", self.dir / "wrong.html")
        b = self.load("wrong.html")
        text, status = b.run(chip)
        self.assertRegex(text, r"^wrong · \d+ %$")
        self.assertEqual(status, "wrong")
        self.assertIn("of the energy that moves", b.run("return document.getElementById('notes').textContent"))

    def test_whole_model(self):
        """the panel shows every file that the model was read from, as it is on the disk; folded, opened by keyboard"""
        b = self.load("iltis.html")
        b.run("document.getElementById('tab-model').click()")
        self.assertEqual(b.run("return document.querySelector('#panel-model pre').textContent"), ILTIS.read_text())
        names = b.run("return [...document.querySelectorAll('#panel-model summary')].map((s) => s.firstChild.textContent)")
        self.assertEqual(sorted(names), ["corner.yaml", "ramp-and-stairs.csv", "suspension.yaml", "vehicle.yaml"])
        b.run("document.querySelector('#panel-model pre').focus()")
        for i, name in enumerate(names):
            b.keys("\ue004\ue007")  # Tab, Enter
            text = b.run("const d = document.querySelectorAll('#panel-model details')[arguments[0]]; return d.open ? d.querySelector('pre').innerText : ''", i)
            self.assertEqual(text.strip(), (ILTIS.parent / name).read_text().strip())
            b.keys("\ue004")  # Tab: the text itself, so that it can be scrolled
            self.assertEqual(b.run("return document.activeElement.tagName"), "PRE")

    def test_files_of_a_model(self):
        """names and texts of files are no markup; what is cut or not there is said; results without a list still open"""
        (self.dir / "bad<b>.csv").write_text("x,y # " + MARKUP + "\n" + "".join(f"{i},1\n" for i in range(60000)))
        model = FOUR_BAR.read_text() + 'signals: {s: {table: "bad<b>.csv"}}\n'
        (self.dir / "parts.yaml").write_text(model)
        hooke("run", self.dir / "parts.yaml", "--quiet", "--time", "0.1", "--report", self.dir / "parts.html")
        b = self.load("parts.html")
        self.assertIsNone(b.run("return window.pwned ?? null"))
        self.assertEqual(b.run("return document.querySelectorAll('img, #panel-model b').length"), 0)
        text = b.run("return document.querySelector('#panel-model details').textContent")
        for words in ("bad<b>.csv", MARKUP, "does not hold the rest", "The first 262 kB of "):
            self.assertIn(words, text)
        page = (self.dir / "parts.html").read_text()
        files = re.search(r'"model_files":(\[.*?\]),\n"settings"', page, re.S)[1]
        for other, count in (("null", 0), ('[null,{"name":1},{"name":"a","text":"b"},{"name":"m.stl","kind":"mesh","text":""}]', 2), ("{}", 0)):
            (self.dir / "old.html").write_text(page.replace(files, other))
            b = self.load("old.html")
            self.assertEqual(b.run("return document.querySelectorAll('#panel-model details').length"), count, other)
            self.assertIn("hooke: 1", b.run("return document.querySelector('#panel-model pre').textContent"))
        # two runs of one model: its text is there once
        b = self.load("both.html")
        self.assertEqual(b.run("return document.querySelectorAll('#panel-model pre').length"), 1)
        self.assertIn("The same model as in four.nc", b.run("return document.getElementById('panel-model').textContent"))


if __name__ == "__main__":
    main()
