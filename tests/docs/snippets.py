#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the pages show works: every whole model in README.md and docs/ passes the doctor; the commands of the README, of the
tutorial and of the pages in docs/coming-from run, and are graded good; every link between pages leads to a page and a
heading of it; every joint and force type that the tables of the model language name exists, and so do the words of the tables in
docs/coming-from; every public header has a page, every example a line."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("HOOKE_SOURCE", pathlib.Path(__file__).parents[2]))
HOOKE = os.environ.get("HOOKE", SOURCE / "build/release/hooke")
COMING_FROM = sorted((SOURCE / "docs/coming-from").glob("*.md"))
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "examples").rglob("README.md")),
         *sorted((SOURCE / "docs").rglob("*.md"))]


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


def check_coming_from(folder):
    """models with a name in their first line, and the commands below them, page by page"""
    for page in COMING_FROM:
        place = folder / page.stem
        place.mkdir()
        named = [(re.match(r"hooke: 1 +# (\S+\.yaml)\n", text), text) for text in models(page)]
        for name, text in named:
            yield f"{page.name}: a model's name", bool(name), f"expected '# NAME.yaml' in {text.splitlines()[0]}"
            (place / name[1]).write_text(text)
        lines = re.findall(r"^    hooke (.*)$", page.read_text(), re.M)
        for name, _ in named:
            yield f"{page.name}: {name[1]}", any(line.startswith(f"run {name[1]}") for line in lines), "is never run"
        for line in lines:
            result = hooke(*shlex.split(line), *(["--strict"] if line.startswith("run ") else []), cwd=place)
            good = result.returncode == 0 and "doubtful" not in result.stdout + result.stderr
            yield f"{page.name}: hooke {line}", good, result.stdout + result.stderr


def check_words(_):
    """types, methods and keys that the last column of the tables of docs/coming-from names are words of the reference or
    of the public headers"""
    sources = [*(SOURCE / "docs/reference").glob("*.md"), *(SOURCE / "include/hooke").glob("*.h")]
    known = set(re.findall(r"\w+", "".join(p.read_text() for p in sources)))
    for page in COMING_FROM:
        for row in re.findall(r"^\| .* \| (.*) \|$", page.read_text(), re.M):
            for name in re.findall(r"`([a-z]+(?:_[a-z]+)*)`", row):
                yield f"{page.name}: `{name}`", name in known, "unknown to the command"


def check_headers(_):
    """every public header is on a page of the C interface"""
    for header in sorted((SOURCE / "include/hooke").glob("*.h*")):
        name = header.name.removesuffix(".in")
        if name in ("hooke.h", "export.h"):  # all of them; no interface
            continue
        page = SOURCE / "docs/c" / f"{name.removesuffix('.h')}.md"
        yield name, page.is_file() and f"{{doxygenfile}} hooke/{name}" in page.read_text(), f"{page} does not show it"


def check_tutorial(folder):
    """the tutorial's model and commands, and the spring that it adds later"""
    text = (SOURCE / "docs/tutorial.md").read_text()
    place = folder / "tutorial"
    place.mkdir()
    (place / "crank.yaml").write_text(next(models(SOURCE / "docs/tutorial.md")))
    spring = re.search(r"(?m)^    (forces:\n(?:     .*\n)+)", text)
    for line in re.findall(r"^    hooke (.*)$", text, re.M):
        if line.startswith("view"):
            continue  # opens a browser
        if "cushioned" in line:
            model = (place / "crank.yaml").read_text()
            (place / "crank.yaml").write_text(model.replace("start:\n", spring[1].replace("\n    ", "\n") + "\nstart:\n"))
        result = hooke(*shlex.split(line), cwd=place)
        yield f"tutorial: hooke {line}", result.returncode == 0, result.stderr
    for name in ("crank.nc", "crank.html", "cushioned.nc"):
        yield f"tutorial: {name}", (place / name).is_file(), "is not there"


def anchors(page):
    """the anchors that GitHub gives to the headings of a page"""
    text = re.sub(r"(?ms)^```.*?^```$", "", page.read_text())
    heads = re.findall(r"(?m)^#+ +(.*?) *$", text)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head).lower() for head in heads]
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in plain}


def check_links(_):
    heads = {}
    for page in PAGES:
        for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text()):
            place = (page.parent / target if target else page).resolve()
            yield f"{page.name} -> {target}", place.exists(), "leads nowhere"
            if anchor and place.suffix == ".md" and place.exists():
                heads.setdefault(place, anchors(place))
                yield f"{page.name} -> {target}#{anchor}", anchor in heads[place], "no heading has this anchor"


def check_lists(_):
    """every page of docs/ stands in the list of its folder, from which the site has its navigation"""
    for folder, index in (("docs", "index.md"), ("docs/coming-from", "../index.md"), ("docs/theory", "README.md"),
                          ("docs/c", "README.md"), ("docs/results", "README.md")):
        listing = (SOURCE / folder / index).resolve()
        text = listing.read_text()
        for page in sorted((SOURCE / folder).glob("*.md")):
            name = os.path.relpath(page, listing.parent)
            yield f"{folder}: {name}", page == listing or page.name == "README.md" or f"]({name})" in text, f"is not in the lists of {listing.name}"


def check_examples(_):
    """every example has its line in examples/README.md"""
    text = (SOURCE / "examples/README.md").read_text()
    for path in sorted((SOURCE / "examples").glob("*.yaml")):
        yield f"examples/README.md: {path.name}", f"]({path.name})" in text, "is not listed"


def check_types(_):
    """types named in the tables of docs/model-file.md"""
    text = (SOURCE / "docs/model-file.md").read_text()
    for title, kind in (("## Joints", "joints"), ("## Forces and laws", "forces")):
        table = text.split(title)[1].split("\n| type |")[1].split("\n\n")[0]
        names = hooke("list", kind).stdout.split()
        for row in re.findall(r"^\| (`.*?) \|", table, re.M):
            for name in re.findall(r"`(\w+)`", row):
                yield f"{kind}: {name}", name in names, "unknown to the command"


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_models, check_commands, check_tutorial, check_coming_from, check_links, check_types, check_words, check_headers,
                      check_examples, check_lists):
            for name, ok, why in check(pathlib.Path(folder)):
                passed, failed = passed + ok, failed + (not ok)
                if not ok:
                    print(f"{name}: {why}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
