#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checkers of tools/ must find what they are for: each case plants one fault in a small tree."""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("HOOKE_SOURCE", pathlib.Path(__file__).parents[2]))
SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"

# (name, tool, file, text, words of the message, or None for "no violation")
CASES = [
    ("a link to a page", "check_site", "index.html", '<a href="index.html#x">.</a><p id="x">', None),
    ("a dead link", "check_site", "index.html", '<a href="other.html">.</a>', "leads to 'other.html', which does not exist"),
    ("a dead anchor", "check_site", "index.html", '<a href="#x">.</a>', "no such anchor"),
    ("a script from elsewhere", "check_site", "index.html", '<script src="https://a.b/c.js"></script>', "fetched from the network"),
    ("a link to elsewhere", "check_site", "index.html", '<a href="https://a.b/">.</a>', None),
    ("a style sheet of a server", "check_site", "a.css", "@import url(/javascript/a.css);", "no file of the site"),
    ("a script that wants another", "check_site", "a.js", 'import A from "./b.js";', "a module"),
    ("arrow as listed", "check_includes", "src/model/a.c", '#include "joints/joint.h"\n', None),
    ("arrow followed", "check_includes", "src/model/a.c", '#include "base/base.h"\n', None),
    ("wrong arrow", "check_includes", "src/joints/a.c", '#include "model/spec.h"\n',
     "'joints' may not see \"model/spec.h\""),
    ("upward arrow", "check_includes", "src/base/a.c", '#include "geometry/geometry.h"\n',
     "'base' may not see"),
    ("element sees linalg", "check_includes", "src/elements/a.c", '#include "linalg/dense.h"\n',
     "'elements' may not see"),
    ("the stage contract", "check_includes", "src/formulations/a.c", '#include "stage/stage.h"\n',
     None),
    ("more of stage than the contract", "check_includes", "src/formulations/a.c",
     '#include "stage/newton.h"\n', "'formulations' may not see"),
    ("formulation sees integrator", "check_includes", "src/formulations/hybrid/a.c",
     '#include "integrators/integrator.h"\n', "'formulations' may not see"),
    ("integrator sees formulation", "check_includes", "src/integrators/a.c",
     '#include "formulations/formulation.h"\n', "'integrators' may not see"),
    ("integrator sees linalg behind the contract", "check_includes", "src/integrators/a.c",
     '#include "linalg/dense.h"\n', "'integrators' may not see"),
    ("formulation sees another", "check_includes", "src/formulations/hybrid/a.c",
     '#include "formulations/global/global.h"\n', "may not see another one"),
    ("formulation sees a machine", "check_includes", "src/formulations/hybrid/a.c",
     '#include "machines/tree/tree.h"\n', None),
    ("machine sees a formulation", "check_includes", "src/machines/tree/a.c",
     '#include "formulations/formulation.h"\n', "'machines' may not see"),
    ("include not from src/", "check_includes", "src/base/a.c", '#include "base.h"\n',
     "write includes from src/"),
    ("missing header", "check_includes", "src/base/a.c", '#include "base/nowhere.h"\n',
     "does not exist"),
    ("a comment is no include", "check_includes", "src/base/a.c",
     '/* see\n#include "model/spec.h"\n*/\n', None),
    ("outside library in the wrong room", "check_includes", "src/model/a.c", "#include <yaml.h>\n",
     "belongs behind src/formats/"),
    ("public header sees src", "check_includes", "include/hooke/a.h", '#include "base/base.h"\n',
     "a public header may not see"),
    ("command sees src", "check_includes", "cli/a.c", '#include "model/spec.h"\n', "cli/ may only see"),
    ("command sees its own", "check_includes", "cli/a.c", '#include "cli.h"\n#include "hooke/base.h"\n',
     None),
    ("unknown room", "check_includes", "src/attic/a.c", "", "not in cmake/rooms.table"),
    ("no licence line", "check_style", "src/base/a.c", "!int x;\n", "SPDX"),
    ("long file", "check_style", "src/base/a.c", "int x;\n" * 700, "at most 600"),
    ("long function", "check_style", "src/base/a.c",
     "int f(void) {\n" + "  g();\n" * 30 + "out:\n" + "  g();\n" * 30 + "}\n", "a function of 63 lines"),
    ("function of 60 lines", "check_style", "src/base/a.c",
     "int f(void) {\n" + "  g();\n" * 58 + "}\n\nint h(void) {\n  return 0;\n}\n", None),
    ("a type's name in code", "check_types", "src/model/a.c", 'bool f(const char *s) { return !strcmp(s, "hinge"); }\n',
     "the type name \"hinge\""),
    ("an alias in code", "check_types", "cli/a.c", 'const char *s = "pivot";\n', "the type name \"pivot\""),
    ("a list of names", "check_types", "src/model/a.c", 'const char *s = "hinge pull_rod";\n', "the type name"),
    ("the address of a type", "check_types", "src/model/a.c", "bool f(const void *p) { return p == &hki_joint_hinge; }\n",
     "hki_joint_hinge outside its own file"),
    ("a force's name in the page", "check_types", "viewer/src/a.js", 'if (f.type === "pull_rod") draw(f);\n',
     "the type name \"pull_rod\""),
    ("a force's name in an expression of the page", "check_types", "viewer/src/a.js", "if (/^(pull_rod|x)$/.test(t)) draw();\n",
     "the type name pull_rod"),
    ("a type in its own file", "check_types", "src/joints/more.c", 'int hinge;\n', None),
    ("an integrator's name in code", "check_types", "src/model/a.c", 'const char *s = "leap";\n', "the type name \"leap\""),
    ("a list of integrators in a hint", "check_types", "src/model/a.c", 'const char *s = "take leap, hop or skip instead";\n',
     "a text lists integrators (hop, leap, skip)"),
    ("one integrator in a text", "check_types", "src/model/a.c", 'const char *s = "as leap does";\n', None),
    ("a type in a comment", "check_types", "src/model/a.c", '/* a "hinge" */ // "pull_rod"\nint x;\n', None),
    ("a type in a longer text", "check_types", "src/model/a.c", 'const char *s = "a hinge turns";\n', None),
    ("leftover", "check_style", "src/base/a.c", "/* " + "TO" + "DO: more */\n", "leftover"),
    ("paths that are there", "check_paths", "README.md",
     "!`src/base/base.h`, `base/base.h`, `hooke/base.h`, `formulations/global/`, `src/<room>/base.h`, [it](src/base)\n",
     None),
    ("path that is not there", "check_paths", "CONTRIBUTING.md", "!see `src/base/nowhere.h`\n",
     "CONTRIBUTING.md:1: error: 'src/base/nowhere.h' does not exist"),
    ("path from src that is not there", "check_paths", "docs/tour.md", "!\nsee `base/nowhere.h`\n",
     "docs/tour.md:2: error: 'base/nowhere.h' does not exist"),
    ("folder that is not there", "check_paths", "README.md", "!see `attic/`\n", "'attic/' does not exist"),
    ("pattern of nothing", "check_paths", "README.md", "!see `src/<room>/nowhere.h`\n", "does not exist"),
    ("path in a block", "check_paths", "README.md", "!\n    cc src/nowhere.c\n", "'src/nowhere.c' does not exist"),
    ("path in a fence", "check_paths", "README.md", "!```\ncc src/nowhere.c\n```\n", "'src/nowhere.c' does not exist"),
    ("link to nowhere", "check_paths", "docs/decisions/0001.md", "!see [it](../nowhere.md#here)\n",
     "the link leads to '../nowhere.md#here'"),
    ("no paths", "check_paths", "README.md",
     "!`build/release/hooke`, m/s, `a/b`, `rad/s`, [a](https://src/x) and [b](#src), src/nowhere\n", None),
]

HEADERS = ["src/base/base.h", "src/geometry/geometry.h", "src/joints/joint.h", "src/model/spec.h",
           "src/stage/stage.h", "src/stage/newton.h", "src/linalg/dense.h", "cli/cli.h",
           "src/formulations/formulation.h", "src/formulations/global/global.h",
           "src/machines/tree/tree.h", "src/integrators/integrator.h",
           "include/hooke/base.h"]


def plant(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text[1:] if text.startswith("!") else SPDX + text)


def run(case):
    """None when the case holds, otherwise what went wrong"""
    _, tool, name, text, words = case
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "cmake").mkdir()
        (root / "cmake/rooms.table").write_text((SOURCE / "cmake/rooms.table").read_text())
        for header in HEADERS:
            plant(root, header, "")
        # one joint with an alias, one force, three integrators
        plant(root, "src/integrators/integrators.def", "X(leap)\nX(hop)\nX(skip)\n")
        plant(root, "src/integrators/all.c", '{.name = "leap"}, {.name = "hop"}, {.name = "skip"}\n')
        plant(root, "src/joints/joints.def", "X(hinge)\n")
        plant(root, "src/elements/elements.def", "X(pull_rod)\n")
        plant(root, "src/joints/hinge.c", 'const hk_joint_ops hki_joint_hinge = {.name = "hinge", .alias = "pivot"};\n')
        plant(root, "src/elements/pull_rod.c", 'const hk_element_ops hki_element_pull_rod = {.name = "pull_rod"};\n')
        plant(root, "index.html", "")
        plant(root, name, text)
        result = subprocess.run([SOURCE / "tools" / tool, "--root", root], capture_output=True,
                                text=True, check=False)
    if words is None:
        return None if result.returncode == 0 else f"unexpected: {result.stderr}"
    if result.returncode != 1 or words not in result.stderr:
        return f"expected '{words}', got {result.returncode}: {result.stderr}"
    return None


# (what CTest says of a test, its output, expected "passed failed")
COUNTS = [
    ("run", "100%: Checks: 12, Failures: 0, Errors: 0", "12 0"),
    ("fail", "83%: Checks: 12, Failures: 1, Errors: 1", "10 2"),
    ("fail", "100%: Checks: 12, Failures: 0, Errors: 0\nleaked", "12 1"),
    ("fail", "Segmentation fault", "0 1"),
    ("run", "all well", "1 0"),
    ("run", "41 passed, 0 failed", "41 0"),
    ("fail", "40 passed, 1 failed", "40 1"),
    ("run", "...\nRan 7 tests in 0.1s\n\nOK (skipped=2)\n", "5 0"),
    ("fail", "Ran 7 tests in 0.1s\n\nFAILED (failures=1, errors=2)\n", "4 3"),
    ("disabled", "", "0 0"),
]


def count(case):
    """None when tools/count_tests counts as it should"""
    status, out, expected = case
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as f:
        f.write(f'<testsuite><testcase name="a" status="{status}"><system-out>{out}</system-out>'
                "</testcase></testsuite>")
        f.flush()
        result = subprocess.run([SOURCE / "tools/count_tests", f.name], capture_output=True,
                                text=True, check=False)
    got = result.stdout.strip()
    return None if got == expected else f"expected {expected}, got {got} {result.stderr}"


def main():
    failed = 0
    for case in COUNTS:
        wrong = count(case)
        if wrong:
            failed += 1
            print(f"count of {case}: {wrong}")
    for case in CASES:
        wrong = run(case)
        if wrong:
            failed += 1
            print(f"{case[0]}: {wrong}")
    print(f"{len(CASES) + len(COUNTS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
