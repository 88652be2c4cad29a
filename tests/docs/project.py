#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the files of the project say of each other: one version and one date, the licences of what is
bundled, a citation that others can read, an editor's settings that agree with the formatter."""
import datetime
import json
import os
import pathlib
import re
import subprocess
import unittest

import yaml

SOURCE = pathlib.Path(os.environ.get("HOOKE_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
HOOKE = os.environ.get("HOOKE") or SOURCE / "build/release/hooke"

# what the schema of the citation file format 1.2.0 requires, and the keys of it that are used here
CITATION_NEEDS = {"cff-version", "message", "title", "authors"}
CITATION_KEYS = CITATION_NEEDS | {"type", "version", "date-released", "license", "abstract", "keywords",
                                  "repository-code", "url", "doi"}
SECTIONS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Numerics"]


def read(name):
    return (SOURCE / name).read_text(encoding="utf-8")


class Project(unittest.TestCase):
    def releases(self):
        """[(version, date)] of the changelog, newest first"""
        return re.findall(r"(?m)^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", read("CHANGELOG.md"))

    def test_changelog(self):
        heads = re.findall(r"(?m)^## (.*)$", read("CHANGELOG.md"))
        self.assertEqual(heads, ["Unreleased", *(f"{v} ({d})" for v, d in self.releases())])
        versions = [tuple(map(int, v.split("."))) for v, _ in self.releases()]
        self.assertEqual(versions, sorted(set(versions), reverse=True))
        dates = [datetime.date.fromisoformat(d) for _, d in self.releases()]
        self.assertEqual(dates, sorted(dates, reverse=True))
        for part in re.split(r"(?m)^## ", read("CHANGELOG.md"))[1:]:
            names = re.findall(r"(?m)^### (.*)$", part)
            self.assertEqual(names, [s for s in SECTIONS if s in names], part.partition("\n")[0])

    def test_one_version(self):
        version, date = self.releases()[0]
        self.assertIn(f"project(hooke VERSION {version} ", read("CMakeLists.txt"))
        said = subprocess.run([HOOKE, "--version"], capture_output=True, text=True, check=True, timeout=60)
        self.assertEqual(said.stdout, f"hooke {version}\n")
        self.assertIn(f"set(HK_VERSION_DATE {date})", read("CMakeLists.txt"))
        page = subprocess.run([HOOKE, "help", "--man"], capture_output=True, text=True, check=True, timeout=60)
        self.assertIn(f'.TH HOOKE 1 "{date}" "hooke {version}"', page.stdout)
        citation = yaml.safe_load(read("CITATION.cff"))
        self.assertEqual(citation["version"], version)
        self.assertEqual(citation["date-released"], datetime.date.fromisoformat(date))

    def test_citation(self):
        citation = yaml.safe_load(read("CITATION.cff"))
        self.assertEqual(CITATION_NEEDS - set(citation), set())
        self.assertEqual(set(citation) - CITATION_KEYS, set())
        self.assertEqual((citation["cff-version"], citation["type"]), ("1.2.0", "software"))
        for author in citation["authors"]:  # an entity has a name, a person family and given names
            self.assertTrue({"name"} <= set(author) or {"family-names", "given-names"} <= set(author))
        self.assertEqual(citation["license"], "Apache-2.0")
        self.assertIn("Apache License", read("LICENSE"))

    def test_notice(self):
        """each library that the page bundles, with its version and the whole of its licence"""
        notice = read("NOTICE")
        names = {"three": "three.js", "uplot": "uPlot"}
        bundled = json.loads(read("viewer/package.json"))["dependencies"]
        locked = json.loads(read("viewer/package-lock.json"))["packages"]
        self.assertEqual(set(bundled), set(names))
        for package, version in bundled.items():
            self.assertEqual(locked[f"node_modules/{package}"]["version"], version)
            self.assertEqual(locked[f"node_modules/{package}"]["license"], "MIT")
            text = notice.partition(f"{names[package]} {version}, ")[2]
            self.assertTrue(text, f"NOTICE does not name {names[package]} {version}")
            for page in ("viewer/report.html", "viewer/dist/report.html"):
                mine = re.search(r"Copyright .*", text)[0]
                self.assertIn(f"{names[package]}: {mine}\n", read(page))
                self.assertIn(f"{names[package]} {version}", read(page))
                self.assertIn("The above copyright notice and this permission notice", read(page))
            text = re.sub(r"\s+", " ", text.partition("OTHER DEALINGS IN")[0])
            self.assertRegex(text, r"Copyright (©|\(c\)) [\d-]+ \w+")
            self.assertIn("The above copyright notice and this permission notice shall be included", text)
            self.assertIn('THE SOFTWARE IS PROVIDED "AS IS"', text)

    def test_editor_agrees_with_the_formatter(self):
        style = dict(re.findall(r"(?m)^(\w+): *(.*)$", read(".clang-format")))
        rules = read(".editorconfig").partition("[*.{c,h}]\n")[2].partition("\n\n")[0]
        rules = dict(re.findall(r"(?m)^(\w+) = (.*)$", rules))
        self.assertEqual(rules["indent_size"], style["IndentWidth"])
        self.assertEqual(rules["max_line_length"], style["ColumnLimit"])
        self.assertEqual(rules["indent_style"], "space")

    def test_files_are_as_the_editor_leaves_them(self):
        free = ("viewer/dist/", "LICENSE", "tests/bad-models/", "tests/fuzz/corpus/")
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE, capture_output=True, check=False)
        if listed.returncode != 0:
            self.skipTest("not a git checkout: which files belong to the project is not known")
        for name in listed.stdout.decode().split("\0"):
            path = SOURCE / name
            if not name or name.startswith(free) or not path.is_file():
                continue
            data = path.read_bytes()
            if b"\0" in data or not data:
                continue  # pictures and data
            with self.subTest(name):
                self.assertNotIn(b"\r\n", data)
                self.assertTrue(data.endswith(b"\n"), "no newline at the end")
                self.assertIsNone(re.search(rb"[ \t]+\n", data), "blanks at the end of a line")

    def test_templates(self):
        for path in sorted((SOURCE / ".github/ISSUE_TEMPLATE").glob("*.yml")):
            form = yaml.safe_load(path.read_text(encoding="utf-8"))
            if path.name == "config.yml":
                continue
            with self.subTest(path.name):
                self.assertEqual({"name", "description", "body"} - set(form), set())
                ids = [item["id"] for item in form["body"]]
                self.assertEqual(len(ids), len(set(ids)))
                for item in form["body"]:
                    self.assertIn("label", item["attributes"])


if __name__ == "__main__":
    unittest.main()
