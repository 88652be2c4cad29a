# SPDX-License-Identifier: Apache-2.0
"""What the pages show in Python runs, block after block, beside the models that they name or show; and the page of the
interface has every name of the package."""
import ast
import re
import shutil

import pytest
from conftest import SOURCE

PAGES = ["README.md", *(page.relative_to(SOURCE).as_posix() for page in sorted((SOURCE / "docs").rglob("*.md")))]


def blocks(page, language):
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```", (SOURCE / page).read_text())


def test_there_are_blocks():
    counts = {page: len(blocks(page, "python")) for page in PAGES}
    assert counts["docs/python.md"] >= 6
    assert {"docs/coming-from/adams.md", "docs/coming-from/exudyn.md", "docs/coming-from/mujoco.md"} <= {p for p, n in counts.items() if n}


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_a_page(page, tmp_path, monkeypatch):
    for name in ("pendulum.yaml", "speed-loop.yaml"):
        shutil.copy(SOURCE / "examples" / name, tmp_path)
    (tmp_path / "examples").symlink_to(SOURCE / "examples")
    # models that the page shows whole, with a name
    for text in blocks(page, "yaml"):
        named = re.match(r"hooke: 1 +# (\S+\.yaml)\n", text)
        if named:
            (tmp_path / named[1]).write_text(text)
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "guide"}
    for block in blocks(page, "python"):
        exec(compile(block, page, "exec"), names)


@pytest.mark.parametrize("module, place", [("__init__", "hooke"), ("gym", "hooke.gym")])
def test_every_name_has_its_place(module, place):
    tree = ast.parse((SOURCE / f"python/hooke/{module}.py").read_text())
    names = next(ast.literal_eval(node.value) for node in tree.body
                 if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__")
    shown = re.findall(rf"(?m)^\.\. (?:auto\w+|py:data):: {re.escape(place)}\.(\w+)$", (SOURCE / "docs/python-api.md").read_text())
    assert sorted(names) == sorted(shown)
