#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page that is checked in, viewer/dist/report.html, is what its sources give: it is built again with Node and
compared byte by byte. That page and sources fit is noted in viewer/dist/sources.sha256 (`rebuild.py --note`); as long
as neither changes, `make check` does not build it again. `make check-all` does, where there are Node and the npm
registry. The tools that viewer/package-lock.json names run on Debian's own Node (18.20.4, npm 9.2.0) and give the same
bytes there as on Node 20."""
import base64
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from support import ALL, HANGS, SHORT, SOURCE, patience

VIEWER = SOURCE / "viewer"
PAGE = VIEWER / "dist/report.html"
NOTE = VIEWER / "dist/sources.sha256"


def check_policy(html):
    """script and style are allowed by their hash, and nothing is loaded from anywhere"""
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)[1]
    for tag in ("script", "style"):
        parts = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", html, re.S)
        assert len(parts) == 1, f"{len(parts)} {tag} elements"
        digest = base64.b64encode(hashlib.sha256(parts[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy, f"the policy does not fit the {tag}"
    assert html.count("<!--hooke-data-->") == 1
    assert not re.search(r'<(?:script|link|img)[^>]+(?:src|href)="(?!data:,")', html), "it loads something"


def fingerprint():
    """of the page and of everything that it is made from"""
    sources = [p for p in VIEWER.rglob("*") if p.is_file() and not {"node_modules", "dist"} & set(p.relative_to(VIEWER).parts)]
    total = hashlib.sha256()
    for path in sorted(sources):
        total.update(str(path.relative_to(VIEWER)).encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return f"page {hashlib.sha256(PAGE.read_bytes()).hexdigest()}\nsources {total.hexdigest()}\n"


def build(folder):
    """the page built again; None and a reason when that cannot be done here"""
    for name in ("node", "npm"):
        if not shutil.which(name):
            return None, f"{name} is not installed"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    if not re.match(r"v(1[89]|[2-9]\d)\.", version):
        return None, f"node is {version or 'broken'}, 18 or newer is needed"
    shutil.copytree(VIEWER, folder / "viewer", ignore=shutil.ignore_patterns("node_modules", "dist"))
    limit = min(HANGS, 150 * patience())
    try:
        got = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder / "viewer",
                             capture_output=True, text=True, check=False, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, f"npm ci did not end in {limit:.0f} s: the registry does not answer"
    if got.returncode != 0:
        return None, f"npm ci failed: {got.stderr.strip().splitlines()[-1] if got.stderr.strip() else got.returncode}"
    made = subprocess.run(["npx", "--no-install", "vite", "build"], cwd=folder / "viewer", capture_output=True, text=True,
                          check=False, timeout=HANGS)
    if made.returncode != 0:
        raise SystemExit(f"vite build failed:\n{made.stdout}{made.stderr}")
    return (folder / "viewer/dist/report.html").read_bytes(), None


def main():
    check_policy(PAGE.read_text())
    if SHORT:
        print("*** SKIPPED: sanitized builds do not build the page again ***")
        return 0
    noted = NOTE.exists() and NOTE.read_text() == fingerprint()
    if noted and not ALL and "--note" not in sys.argv:
        print("page and sources are those that were last built and compared")
        return 0
    with tempfile.TemporaryDirectory(prefix="hooke-viewer-") as folder:
        page, why = build(pathlib.Path(folder))
    if page is None and noted:
        print(f"*** SKIPPED: the page was not built again: {why} ***")
        return 0
    if page is None:
        print(f"page or sources of viewer/ have changed since they were compared, and the page cannot be built here: {why}")
        return 1
    if page != PAGE.read_bytes():
        print("viewer/dist/report.html is not what viewer/ gives: run 'npm ci && npm run build' there and commit it")
        return 1
    print(f"built again, the same {len(page)} bytes")
    if "--note" in sys.argv:
        NOTE.write_text(fingerprint())
    elif not noted:
        print("viewer/dist/sources.sha256 is of another page: run 'tests/browser/rebuild.py --note' and commit it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
