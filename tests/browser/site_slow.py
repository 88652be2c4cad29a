#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation site: it is built without a warning and its links lead somewhere; its pages, opened as files, have
nothing to complain of, fit a phone and a desktop, change between light and dark, and are found by the search."""
import os
import pathlib
import subprocess
import unittest

import support

SITE = support.SOURCE / "build/docs/html"
BUILD = pathlib.Path(os.environ.get("HOOKE_BUILD") or support.SOURCE / "build/release")
PAGES = ["index.html", "tutorial.html", "gallery.html", "model-file.html", "reference/joints.html", "reference/command.html",
         "c/sim.html", "python-api.html", "theory/hybrid.html", "results/README.html", "coming-from/adams.html", "site/changelog.html",
         "tree/examples/pendulum.yaml.html", "genindex.html"]


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if os.environ.get("HOOKE_SITE") != "built":  # by hand, while one works on the tests
            cls.build()
        cls.browser = None
        if not support.missing():
            cls.browser = support.Browser(1280, 900)
            cls.addClassCleanup(cls.browser.close)

    @classmethod
    def build(cls):
        done = subprocess.run([support.SOURCE / "scripts/make-site", BUILD], capture_output=True, text=True, check=False, timeout=1800)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)

    def setUp(self):
        if not self.browser:
            self.skipTest(support.missing())

    def load(self, page):
        self.browser.open(f"file://{SITE}/{page}")
        return self.browser

    def test_pages(self):
        for width, height in ((1280, 900), (390, 844), (320, 568)):
            self.browser.screen(width, height)
            for page in PAGES:
                with self.subTest(page=page, width=width):
                    b = self.load(page)
                    self.assertEqual(b.complaints(), [])
                    self.assertLessEqual(b.run("return document.documentElement.scrollWidth"), width)
                    self.assertGreater(b.run("return document.querySelector('article h1').getBoundingClientRect().width"), 100)
                    broken = "return [...document.images].filter((i) => i.complete && !i.naturalWidth).map((i) => i.src)"
                    self.assertEqual(b.run(broken), [])
        self.browser.screen()

    def test_light_and_dark(self):
        b = self.load("index.html")
        colours = set()
        for _ in range(3):  # as the system, light, dark
            b.run("[...document.querySelectorAll('.theme-toggle')].find((e) => e.offsetParent).click()")
            colours.add(b.run("return getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(len(colours), 2, colours)

    def test_search(self):
        for word, page in (("revolute", "reference/joints.html"), ("hk_sim_step_to", "c/sim.html"), ("rollout", "python-api.html"),
                           ("Gruebler", "coming-from/adams.html")):
            with self.subTest(word):
                b = self.load(f"search.html?q={word}")
                b.wait("return /found/.test(document.querySelector('#search-results .search-summary')?.textContent)")
                found = b.run("return [...document.querySelectorAll('#search-results a')].map((e) => e.href)")
                self.assertTrue(any(page in address for address in found), found)

    def test_navigation(self):
        b = self.load("index.html")
        parts = b.run("return [...document.querySelectorAll('.sidebar-tree .caption')].map((e) => e.textContent.trim())")
        self.assertEqual(parts, ["Start", "Guide", "Coming from", "Reference", "Theory", "Results", "The house"])


if __name__ == "__main__":
    unittest.main()
