# SPDX-License-Identifier: Apache-2.0
"""Results: channels as NumPy arrays, tables for pandas and xarray, the page for notebooks."""
from __future__ import annotations

import csv
import html
import json
import os
import shutil
import tempfile
import threading
from typing import Any, Optional

import numpy as np

from . import _core
from ._options import Path
from ._table import Array, Table

Outcome = tuple[dict[str, Any], Optional[str], "list[str]"]

_PAGE_MEGABYTES = 5  # numbers in a page inside a notebook; longer results are thinned out


class Result(Table):
    """What a run recorded: a mapping from channels to arrays, which are read when they are first asked for and are
    read-only. `Result(path)` opens a file."""

    def __init__(self, path: Path, *, folder: Optional["tempfile.TemporaryDirectory[str]"] = None,
                 outcome: Optional[Outcome] = None) -> None:
        self.path = os.fspath(path)
        self._folder = folder  # ends with this object, and the file with it
        self._core = _core.Result(self.path)
        super().__init__(self._core.channels(), self._core.text("title"))
        self._arrays: dict[int, Array] = {}
        self._lock = threading.Lock()
        self._outcome = outcome

    def __reduce__(self) -> tuple[Any, ...]:
        with open(self.path, "rb") as f:
            return (_from_bytes, (os.path.basename(self.path), f.read(), self._outcome))

    def close(self) -> None:
        """Close the file now. Arrays that were read stay."""
        self._core.close()
        if self._folder:
            self._folder.cleanup()

    def __enter__(self) -> "Result":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _column(self, number: int) -> Array:
        with self._lock:
            found = self._arrays.get(number)
            if found is None:
                found = np.empty(self._core.rows)
                self._core.read(number, 0, found)
                found.flags.writeable = False
                self._arrays[number] = found
            return found

    # --- what it says about itself

    @property
    def model_text(self) -> str:
        """The model file, as it was when it ran."""
        return self._core.text("model_text")

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of the run, those of `hooke run --json`; empty for a file that does not say."""
        if self._outcome:
            return self._outcome[0]
        text = self._core.text("summary")
        found: dict[str, Any] = json.loads(text) if text else {}
        return found

    @property
    def grade(self) -> Optional[str]:
        """'good', 'doubtful' or 'wrong', by the energy audit and the constraints; None: not known."""
        if self._outcome:
            return self._outcome[1]
        found = self.summary.get("grade")
        return found if isinstance(found, str) else None

    @property
    def warnings(self) -> list[str]:
        """Why the run is not good."""
        if self._outcome:
            return self._outcome[2]
        return [w["text"] if isinstance(w, dict) else str(w) for w in self.summary.get("warnings") or []]

    def __repr__(self) -> str:
        return (f"<hooke.Result {self.title or self.path!r}: {self._core.rows} rows, {len(self)} channels, "
                f"{self.grade or 'no grade'}>")

    # --- elsewhere

    def save(self, path: Path) -> None:
        """Keep the result: a .nc file with everything, or a .csv with the numbers."""
        target = os.fspath(path)
        kind = os.path.splitext(target)[1].lower()
        if kind == os.path.splitext(self.path)[1].lower():
            shutil.copyfile(self.path, target)
        elif kind == ".csv":
            with open(target, "w", newline="") as f:
                out = csv.writer(f, lineterminator="\n")
                out.writerow(["t", *self])
                out.writerows(zip(self.time.tolist(), *(self[name].tolist() for name in self)))
        else:
            raise ValueError(f"expected the name of a .nc or .csv file, found '{target}'")

    def html(self, megabytes: int = 0) -> str:
        """One page with animation and plots that needs nothing else."""
        return self._core.page(megabytes).decode()

    def report(self, path: Path) -> None:
        """The page as a file."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.html())

    def _repr_html_(self) -> str:
        page = html.escape(self.html(_PAGE_MEGABYTES), quote=True)
        return (f'<iframe srcdoc="{page}" style="width: 100%; height: 600px; border: 0" '
                f'sandbox="allow-scripts allow-downloads"></iframe>')


def _from_bytes(name: str, data: bytes, outcome: Optional[Outcome]) -> Result:
    folder = tempfile.TemporaryDirectory(prefix="hooke-")
    path = os.path.join(folder.name, name)
    with open(path, "wb") as f:
        f.write(data)
    return Result(path, folder=folder, outcome=outcome)


def read(path: Path) -> Result:
    """The result in a file (.nc or .csv)."""
    return Result(path)
