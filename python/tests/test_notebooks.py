# SPDX-License-Identifier: Apache-2.0
"""The notebooks of the documentation run from their first cell to their last, and show what they end with."""
import ast
import re

import pytest

from conftest import SOURCE

NOTEBOOKS = sorted((SOURCE / "docs" / "notebooks").glob("*.md"))


def cells(path):
    return re.findall(r"(?ms)^```\{code-cell\} python\n(.*?)^```", path.read_text())


def show(value):
    """as a notebook does"""
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    shown = []
    for number, text in enumerate(cells(path), 1):
        tree = ast.parse(text, f"{path.name}, cell {number}")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{path.name}, cell {number}", "exec"), names)
        if last:
            shown.append(show(eval(compile(ast.Expression(last.value), f"{path.name}, cell {number}", "eval"), names)))
    assert len(cells(path)) >= 3 and any("<iframe" in s for s in shown)


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 2
    for path in NOTEBOOKS:
        assert path.read_text().startswith("---\njupytext:") and "kernelspec:" in path.read_text()
