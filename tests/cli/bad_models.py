#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every wrong model in tests/bad-models gives its message and exit code, quickly and without a crash.

NAME.expect beside NAME.yaml:
    first line    the exit code, and what to run when it is not 'check': "2 run --step 1"
    other lines   regular expressions; each must match a line of standard error

Models too large to keep are made here.

usage: bad_models.py [NAME ...]
"""
import concurrent.futures
import pathlib
import re
import sys
import tempfile

import support

FOLDER = support.SOURCE / "tests/bad-models"


def judge(path, expect):
    """what is wrong with the answer to one model; None when all is as it should be"""
    first, *patterns = [line for line in expect.splitlines() if line and not line.startswith("#")]
    code, *command = first.split()
    verb, *more = command or ["check"]
    try:
        result = support.hooke(verb, path, *more)
    except AssertionError as error:
        return str(error)
    if result.returncode != int(code):
        return f"exit code {result.returncode}, expected {code}\n{result.stderr}"
    lines = result.stderr.splitlines()
    for pattern in patterns:
        if not any(re.search(pattern, line) for line in lines):
            return f"no line matches: {pattern}\n{result.stderr}"
    longest = max(map(len, lines), default=0)
    if longest > 6000:
        return f"a line of {longest} characters"
    if len(lines) > 1000:
        return f"{len(lines)} lines"
    return None


def generated(folder):
    """models that are too large or too odd to keep: (name, text, expectation)"""
    head = b"hooke: 1\n"
    body = b"bodies:\n  rod: {mass: 1, com: [0, 0, 0]}\n"
    mega = 300_000 if support.SHORT else 4_000_000
    # required keys are missed one and all; these kinds have none, or only `of`
    complete = (("step", "empty"), ("input", "empty"), ("integral", "bare"), ("derivative", "bare"), ("pid", "bare"))
    for line in support.hooke("list", "signals").stdout.splitlines():
        kind = line.split()[0]
        for name, keys in (("empty", b"{}"), ("bare", b"{of: t}")):
            if (kind, name) not in complete:
                yield f"{kind}-{name}", head + body + b"signals: {a: {%s: %s}}\n" % (kind.encode(), keys), "3\nerror: "
    yield "deep-nesting", head + b"bodies: " + b"[" * 100_000, "3\nerror: .*(deep|nest)"
    yield "deep-mapping", head + b"".join(b" " * i + b"a:\n" for i in range(1000)), "3\nerror: "
    yield "deep-parentheses", (head + b"bodies: {rod: {mass: " + b"(" * 50_000 + b"1" +
                               b")" * 50_000 + b", com: [0, 0, 0]}}\n"), "3\nerror: "
    yield "long-line", head + b"title: " + b"x" * mega + b"\nbodys: {}\n", "3\nno key 'bodys'"
    yield "long-expression", (head + b"bodies: {rod: {mass: 1" + b"+1" * mega + b"}}\n"), "3\nerror: "
    yield "long-key", head + body + b"b" * 1000 + b": 1\n", "3\nerror: "
    yield "huge-key", head + body + b"b" * mega + b": 1\n", "3\nerror: "
    yield "long-name", head + b"bodies: {" + b"r" * 1000 + b": {mass: 1, com: [0, 0, 0]}}\n", "3\nerror: "
    yield "many-errors", head + b"bodies:\n" + b"".join(
        b"  b%d: {mas: 1}\n" % i for i in range(20_000)), "3\n'mas'\nmany|more than"
    yield "long-list", head + b"gravity: [" + b"0, " * (mega // 3) + b"0]\n" + body, "3\nerror: .*gravity"
    yield "quotes", head + b"title: '" + b"\n" * mega, "3\nerror: "
    yield "nul-bytes", head + b"\0" * 1000, "3\nerror: "
    yield "escape-codes", head + body + b'"\\e[31mred": 1\n', "3\nerror: "
    yield "all-tabs", b"\t" * 100_000, "3\nerror: "
    (folder / "folder.yaml").mkdir()
    yield "folder", None, "6\nerror: .*directory"
    yield "not-there", None, "6\nerror: .*No such file"


def main():
    names = sys.argv[1:]
    jobs = []
    with tempfile.TemporaryDirectory(prefix="hooke-bad-") as name:
        folder = pathlib.Path(name)
        # where few are enough the fuzzers read all of them: they are where these begin
        for expect in sorted(FOLDER.glob("*.expect"))[::3 if support.FEW and not names else 1]:
            jobs.append((expect.stem, expect.with_suffix(".yaml"), expect.read_text()))
        kept = len(jobs)
        for stem, text, expect in generated(folder):
            path = folder / f"{stem}.yaml"
            if text is not None:
                path.write_bytes(text)
            jobs.append((stem, path, expect))
        jobs = [job for job in jobs if not names or job[0] in names]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda job: judge(job[1], job[2]), jobs))
    failed = 0
    for (stem, _, _), wrong in zip(jobs, answers):
        if wrong:
            failed += 1
            print(f"{stem}: {wrong}\n")
    orphans = [p.name for p in FOLDER.glob("*.yaml") if not p.with_suffix(".expect").exists()]
    if orphans:
        print("without expectation:", *orphans)
    print(f"{len(jobs) - failed} passed, {failed} failed ({kept} kept, the others made)")
    return 1 if failed or orphans or not jobs or (not names and kept < 60) else 0


if __name__ == "__main__":
    sys.exit(main())
