# SPDX-License-Identifier: Apache-2.0
"""The guide's examples run, one after the other, beside the models they name."""
import os
import re
import shutil

from conftest import SOURCE


def test_the_guide(tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", (SOURCE / "docs" / "python.md").read_text(), re.S)
    assert len(blocks) >= 6
    for name in ("pendulum.yaml", "speed-loop.yaml"):
        shutil.copy(SOURCE / "examples" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "guide"}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert os.listdir(tmp_path)
