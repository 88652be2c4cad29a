#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/results/papers: every numbered equation, table and figure of each paper is there, with a file that exists and
holds the function named beside it; every command is accepted; what is quoted from a made table stands in it."""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("HOOKE_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
HOOKE = os.environ.get("HOOKE") or SOURCE / "build/release/hooke"
PAPERS = "docs/results/papers"

# page -> (equations, tables, figures that the paper numbers)
COUNTS = {
    "cuadrado-dopico-2003": (range(1, 37), range(1, 5), range(1, 8)),
    "dopico-et-al-2005": (range(1, 32), range(1, 3), range(1, 3)),
    "haug-negrut-iancu-1997": (range(1, 41), range(1, 6), range(6, 12)),
    "masarati-et-al-2014": (range(1, 28), (), range(1, 8)),
}
NOT_YET = "not in Hooke yet"
FOLDERS = ("src/", "cli/", "include/", "examples/", "tests/", "docs/", "scripts/", "bench/")


def tables(text, name):
    """rows of the tables whose first column has this name, as lists of cells"""
    rows, head = [], []
    for line in text.splitlines():
        if not line.startswith("|"):
            head = []
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not head:
            head = cells
        elif head[0] == name and set(cells[0]) - set("-"):
            rows.append(cells)
    return rows


def numbers(text):
    """1, 3-5 as [1, 3, 4, 5]; letters after a number belong to it: 12a-12d is 12"""
    found = []
    for part in text.split(", "):
        ends = [int(re.fullmatch(r"(\d+)[a-e]?", end)[1]) for end in part.split("-")]
        found += range(ends[0], ends[-1] + 1)
    return found


def faults_of_numbers(text, counts):
    """what is missing, or more than the paper has"""
    eqs = [n for row in tables(text, "eq.") for n in numbers(row[0])]
    items = [tuple(row[0].split(" ", 1)) for row in tables(text, "no.")]
    found = {"equation": eqs, **{kind: [n for k, v in items if k == kind for n in numbers(v)]
                                 for kind in ("table", "figure")}}
    faults = []
    for (kind, have), want in zip(found.items(), counts):
        faults += [f"{kind} {n} is missing" for n in want if n not in have]
        faults += [f"the paper has no {kind} {n}" for n in sorted(set(have) - set(want))]
    return faults


def faults_of_files(text, root):
    """rows that name no file, files that do not exist, words beside them that are not in them"""
    faults = []
    for name in ("eq.", "no.", "step"):
        for row in tables(text, name):
            words = re.findall(r"`([^`]+)`", " | ".join(row))
            paths = [w.split()[0] for w in words if w.startswith(FOLDERS)]
            missing = [p for p in paths if not (root / p).exists()]
            faults += [f"{row[0]}: {p} does not exist" for p in missing]
            if not paths and not any("examples/" in w for w in words) and NOT_YET not in " ".join(row) \
                    and "the same" not in row:
                faults.append(f"{row[0]}: no file")
            if name == "no." or missing:
                continue
            words = re.findall(r"`([^`]+)`", row[2])
            files = [w for w in words if (root / w).is_file()]
            inside = "".join((root / w).read_text(encoding="utf-8") for w in files)
            faults += [f"{row[0]}: '{w}' is not in {' '.join(files)}" for w in words
                       if re.fullmatch(r"\w{4,}", w) and not re.search(rf"\b{w}\b", inside)]
    return faults


def commands(text):
    return list(dict.fromkeys(re.findall(r"`(hooke [^`]+)`", text)))


def blocks(text):
    """names of made tables that `scripts/make-results NAME` is to make"""
    return re.findall(r"`scripts/make-results ([a-z0-9-]+)`", text)


def shortened(command):
    """the arguments of a command that shows the same in a millionth of a second"""
    words = shlex.split(command)[1:]
    if words[0] in ("run", "compare"):
        words = [w for k, w in enumerate(words) if w != "--time" and (k == 0 or words[k - 1] != "--time")]
        words += ["--time", "1e-6", "--quiet"]
    if words[0] == "compare":
        words += ["--repeat", "1"]
    return [str(SOURCE / w) if w.startswith("examples/") else w for w in words]


def faults_of_command(command):
    with tempfile.TemporaryDirectory(prefix="hooke-papers-") as folder:
        result = subprocess.run([HOOKE, *shortened(command)], cwd=folder, capture_output=True, text=True, timeout=120,
                                check=False)
    return [] if result.returncode == 0 else [f"{command}: exit code {result.returncode}: {result.stderr.strip()}"]


class Papers(unittest.TestCase):
    def pages(self):
        found = {page.stem: page.read_text(encoding="utf-8") for page in sorted((SOURCE / PAPERS).glob("*.md"))}
        self.assertEqual(set(found), set(COUNTS))
        return found.items()

    def test_everything_is_there(self):
        for name, text in self.pages():
            self.assertEqual(faults_of_numbers(text, COUNTS[name]), [], name)
            self.assertEqual(faults_of_files(text, SOURCE), [], name)

    def test_index(self):
        """the index leads to each page and says how much is on it"""
        index = (SOURCE / "docs/results/README.md").read_text(encoding="utf-8")
        for name in COUNTS:
            self.assertIn(f"(papers/{name}.md)", index)

    def test_commands(self):
        texts = [text for _, text in self.pages()] + [(SOURCE / "docs/results/README.md").read_text(encoding="utf-8")]
        every = list(dict.fromkeys(c for text in texts for c in commands(text)))
        self.assertGreater(len(every), 9)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = [fault for found in pool.map(faults_of_command, every) for fault in found]
        self.assertEqual(faults, [])

    def test_made_tables(self):
        made = "".join(page.read_text(encoding="utf-8") for page in (SOURCE / "docs/results").glob("*.md"))
        for _, text in self.pages():
            for name in blocks(text):
                self.assertIn(f"<!-- made: {name} -->", made)

    def test_quotations(self):
        result = subprocess.run([SOURCE / "scripts/make-results", "--check", "--quotations"], capture_output=True,
                                text=True, timeout=60, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))


PAGE = """
| eq. | what | where | shown by |
| --- | --- | --- | --- |
| 1-2 | this | `src/base/memory.c` `hki_alloc` | `tests/docs/papers.py` |
| 3a-3b, 4 | that | not in Hooke yet | - |

| no. | what | where |
| --- | --- | --- |
| table 1 | this | `docs/results/README.md` |
"""


class Checks(unittest.TestCase):
    """the checks themselves find what is planted"""
    def test_numbers(self):
        self.assertEqual(faults_of_numbers(PAGE, (range(1, 5), range(1, 2), ())), [])
        self.assertEqual(faults_of_numbers(PAGE, (range(1, 6), range(1, 3), range(1, 2))),
                         ["equation 5 is missing", "table 2 is missing", "figure 1 is missing"])
        self.assertEqual(faults_of_numbers(PAGE, (range(1, 4), (), ())),
                         ["the paper has no equation 4", "the paper has no table 1"])

    def test_files(self):
        self.assertEqual(faults_of_files(PAGE, SOURCE), [])
        for old, new, fault in [("base/memory.c", "base/nowhere.c", "does not exist"), ("hki_alloc", "hki_nothing", "is not in"),
                                ("not in Hooke yet", "somewhere", "3a-3b, 4: no file")]:
            faults = faults_of_files(PAGE.replace(old, new).replace("| - |", "| |"), SOURCE)
            self.assertEqual(len(faults), 1)
            self.assertIn(fault, faults[0])

    def test_commands(self):
        for good in ("hooke check examples/pendulum.yaml", "hooke run examples/pendulum.yaml --time 3 -f hybrid"):
            self.assertEqual(faults_of_command(good), [])
        for bad in ("hooke run examples/nothing.yaml", "hooke run examples/pendulum.yaml --option nothing=1", "hooke show x"):
            self.assertEqual(len(faults_of_command(bad)), 1)

    def test_quotations(self):
        """a stale figure is found and filled; a place that is not there is found"""
        with tempfile.TemporaryDirectory(prefix="hooke-papers-") as name:
            page = pathlib.Path(name) / "page.md"
            block = "<!-- made: some-table -->\n| method | step | error |\n| --- | --- | --- |\n| a | 1 | 5 |\n|  | 2 | 6 |\n<!-- end -->\n"

            def make(*more):
                return subprocess.run([SOURCE / "scripts/make-results", "--quotations", "--pages", name, *more],
                                      capture_output=True, text=True, timeout=60, check=False)
            page.write_text(block + "<!--some-table: a; 2 / error-->5<!---->\n")
            self.assertIn("'5' is 6 in the table", make("--check").stderr)
            self.assertEqual(make().returncode, 0)
            self.assertIn("-->6<!---->", page.read_text())
            self.assertEqual(make("--check").returncode, 0)
            for bad in ("some-table: a; 3 / error", "some-table: a / error", "some-table: a; 2 / cost", "no-table: a / error"):
                page.write_text(f"{block}<!--{bad}-->6<!---->\n")
                self.assertEqual([make(*m).returncode for m in ((), ("--check",))], [1, 1], bad)


if __name__ == "__main__":
    unittest.main()
