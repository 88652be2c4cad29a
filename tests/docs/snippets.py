#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the pages show works: every whole model in README.md and docs/ passes the doctor, the README's
commands run, every link between pages leads somewhere, and every joint and force type of the tables exists."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("HOOKE_SOURCE", pathlib.Path(__file__).parents[2]))
HOOKE = os.environ.get("HOOKE", SOURCE / "build/release/hooke")
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").rglob("*.md"))]


def hooke(*arguments, **more):
    return subprocess.run([HOOKE, *arguments], capture_output=True, text=True, check=False, timeout=120,
                          **more)


def models(page):
    """the YAML blocks of a page that are whole models"""
    for block in re.findall(r"^```yaml\n(.*?)^```", page.read_text(), re.M | re.S):
        if block.startswith("hooke:"):
            yield block


def check_models(folder):
    for page in PAGES:
        for i, text in enumerate(models(page)):
            path = folder / f"{page.stem}-{i}.yaml"
            path.write_text(text)
            result = hooke("check", path)
            yield f"model {i} of {page.name}", result.returncode == 0, result.stderr


def check_commands(folder):
    """the README's first model is saved as pendulum.yaml; its commands run in that folder"""
    page = SOURCE / "README.md"
    (folder / "pendulum.yaml").write_text(next(models(page)))
    for line in re.findall(r"^    hooke (.*pendulum.*)$", page.read_text(), re.M):
        result = hooke(*shlex.split(line), cwd=folder)
        yield f"hooke {line}", result.returncode == 0, result.stderr
    yield "the result file", (folder / "pendulum.csv").is_file(), "pendulum.csv is not there"


def check_links(_):
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            yield f"{page.name} -> {target}", (page.parent / target).exists(), "leads nowhere"


def check_types(_):
    """types named in the tables of docs/model-file.md"""
    text = (SOURCE / "docs/model-file.md").read_text()
    for title, kind in (("## Joints", "joints"), ("## Forces and laws", "forces")):
        table = text.split(title)[1].split("\n## ")[0]
        names = hooke("list", kind).stdout.split()
        for row in re.findall(r"^\| (`.*?) \|", table, re.M):
            for name in re.findall(r"`(\w+)`", row):
                yield f"{kind}: {name}", name in names, "unknown to the command"


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_models, check_commands, check_links, check_types):
            for name, ok, why in check(pathlib.Path(folder)):
                passed, failed = passed + ok, failed + (not ok)
                if not ok:
                    print(f"{name}: {why}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
