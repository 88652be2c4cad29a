#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FMUs inside a model (section `fmus`): those of Hooke match the whole model, explicit and iterated; hostile ones are
named errors, and the results so far are kept."""
import csv
import os
import subprocess
import unittest
import zipfile

from support import SHORT, CommandTest

# a mass on a spring to the ground, which a force from outside pushes
MASS = """\
hooke: 1
signals: {{f: {{input: 0}}}}
bodies: {{m: {{mass: 2, com: [0, 0, 0]}}}}
joints: {{rail: {{type: prismatic, between: [ground, m], axis: x, at: [0, 0, 0]}}}}
forces: {{push: {{type: joint_force, joint: rail, value: {push}}}, spring: {{type: joint_spring, joint: rail, stiffness: 50, damping: 0.3}}}}
start: {{rail: {{position: 0.1}}}}
record: [joint.rail.position, joint.rail.velocity]
run: {{time: 0.5, step: 0.005, integrator: trapezoidal}}
{more}
"""
# an actuator with a first-order lag that the mass drives: a network of its own
LAG = """\
hooke: 1
signals: {x: {input: 0}, v: {input: 0}}
bodies: {w: {mass: 0.5, com: [0, 0, 0]}}
joints: {slide: {type: prismatic, between: [ground, w], axis: x, at: [0, 0, 0]}}
forces: {pull: {type: joint_force, joint: slide, value: "-30*joint.slide.position - 8*joint.slide.velocity + 30*x"}}
record: [joint.slide.position, joint.slide.velocity]
run: {time: 0.5, step: 0.005, integrator: trapezoidal}
"""
# both in one file
WHOLE = """\
hooke: 1
bodies: {m: {mass: 2, com: [0, 0, 0]}, w: {mass: 0.5, com: [0, 0, 0]}}
joints: {rail: {type: prismatic, between: [ground, m], axis: x, at: [0, 0, 0]}, slide: {type: prismatic, between: [ground, w], axis: x, at: [0, 0, 0]}}
forces:
  push: {type: joint_force, joint: rail, value: "-20*joint.slide.position"}
  spring: {type: joint_spring, joint: rail, stiffness: 50, damping: 0.3}
  pull: {type: joint_force, joint: slide, value: "-30*joint.slide.position - 8*joint.slide.velocity + 30*joint.rail.position"}
start: {rail: {position: 0.1}}
record: [joint.rail.position, joint.rail.velocity]
run: {time: 0.5, step: 0.005, integrator: trapezoidal}
"""
USE = "fmus: {{u: {{file: {file}, inputs: {{x: joint.rail.position}}, outputs: {{joint.slide.position: f}}, coupling: {coupling}{extra}}}}}"

HOSTILE = """\
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
typedef struct {{ double x; int n; }} unit;
const char *fmi2GetVersion(void) {{ return "2.0"; }}
void *fmi2Instantiate(const char *a, int b, const char *c, const char *d, const void *e, int f, int g) {{ {create} return calloc(1, sizeof(unit)); }}
int fmi2SetupExperiment(void *u, int a, double b, double c, int d, double e) {{ return 0; }}
int fmi2EnterInitializationMode(void *u) {{ return 0; }}
int fmi2ExitInitializationMode(void *u) {{ return 0; }}
int fmi2SetReal(unit *u, const unsigned *r, size_t n, const double *v) {{ u->x = v[0]; return 0; }}
int fmi2GetReal(unit *u, const unsigned *r, size_t n, double *v) {{ v[0] = {value}; return 0; }}
int fmi2DoStep(unit *u, double t, double h, int x) {{ u->n++; {step} return 0; }}
static void note(const char *s) {{ FILE *f = fopen("{folder}/notes", "a"); fputs(s, f); fclose(f); }}
int fmi2Terminate(void *u) {{ note("terminated "); return 0; }}
void fmi2FreeInstance(void *u) {{ note("freed"); free(u); }}
"""
XML = """<?xml version="1.0"?><fmiModelDescription fmiVersion="2.0" modelName="h" guid="g">
<CoSimulation modelIdentifier="h"/><ModelVariables>
<ScalarVariable name="x" valueReference="1" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="joint.slide.position" valueReference="2" causality="output"><Real/></ScalarVariable>
</ModelVariables></fmiModelDescription>"""


class Imports(CommandTest):
    def rows(self, model, *args, code=0):
        out = self.dir / "out.csv"
        result = self.hooke("run", model, "-q", "-o", out, *args, code=code)
        with open(out, encoding="utf-8") as f:
            table = [row for row in csv.reader(f) if row and not row[0].startswith("#")]
        return [[float(x) for x in row] for row in table[1:]], result

    def using(self, file, coupling="explicit", extra="", push="-20*f"):
        path = self.dir / "mass.yaml"
        more = USE.format(file=file, coupling=coupling, extra=extra)
        path.write_text(MASS.format(push=push if "*" not in push else f'"{push}"', more=more))
        return path

    def hostile(self, create="", step="", value="0", xml=XML, name="h.fmu"):
        source, library = self.dir / "h.c", self.dir / "h.so"
        text = HOSTILE.format(create=create, step=step, value=value, folder=self.dir)
        if not source.exists() or source.read_text() != text:
            source.write_text(text)
            subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", library, source], check=True)
        with zipfile.ZipFile(self.dir / name, "w") as z:
            z.writestr("modelDescription.xml", xml)
            z.write(library, "binaries/linux64/h.so")
        return name

    @unittest.skipIf(SHORT, "a sanitized program cannot be loaded by another")
    def test_both_halves_are_the_whole(self):
        (self.dir / "lag.yaml").write_text(LAG)
        (self.dir / "whole.yaml").write_text(WHOLE)
        want, _ = self.rows(self.dir / "whole.yaml", "--step", "0.0005", "--output-every", "0.005")
        for version, coupling in (("2", "explicit"), ("3", "iterate"), ("3", "explicit"), ("2", "iterate")):
            errors = []
            for step in (0.005, 0.0025):
                self.hooke("export", "fmu", self.dir / "lag.yaml", "-q", "-o", self.dir / "lag.fmu", "--fmi", version, "--no-sources", "--step", step)
                got, _ = self.rows(self.using("lag.fmu", coupling), "--step", step, "--output-every", "0.005", "--allow-fmus")
                errors.append(max(abs(a[1] - b[1]) for a, b in zip(got, want)))
            # first order: what the other gives is held over a step
            self.assertLess(errors[1], 4e-4)
            self.assertLess(errors[1], 0.7 * errors[0])
        self.assertFalse(list(self.dir.glob("hooke-fmu-*")))

    @unittest.skipIf(SHORT, "a sanitized program cannot be loaded by another")
    def test_a_sampled_controller_is_that_of_the_file(self):
        """a law inside an FMU, called at each step, and the same law sampled by the model"""
        (self.dir / "law.yaml").write_text("""\
hooke: 1
signals: {x: {input: 0}, v: {input: 0}, f: "-30*x - 4*v"}
bodies: {w: {mass: 1, com: [0, 0, 0]}}
joints: {s: {type: prismatic, between: [ground, w], axis: x, at: [0, 0, 0]}}
record: [signal.f]
run: {time: 1, step: 0.005}
""")
        fmu = "fmus: {c: {file: law.fmu, inputs: {x: joint.rail.position, v: joint.rail.velocity}, outputs: {signal.f: f}, coupling: sampled}}"
        (self.dir / "fmu.yaml").write_text(MASS.format(push="f", more=fmu))
        own = MASS.format(push="f", more="").replace("{f: {input: 0}}", '{law: "-30*joint.rail.position - 4*joint.rail.velocity", f: {sample: {of: law, period: 0.005}}}')
        (self.dir / "own.yaml").write_text(own)
        want, _ = self.rows(self.dir / "own.yaml")
        for version in ("2", "3"):
            self.hooke("export", "fmu", self.dir / "law.yaml", "-q", "-o", self.dir / "law.fmu", "--fmi", version, "--no-sources")
            got, _ = self.rows(self.dir / "fmu.yaml", "--allow-fmus")
            self.assertEqual(len(got), len(want))
            self.assertLess(max(abs(a - b) for r, s in zip(got, want) for a, b in zip(r, s)), 1e-13)

    def test_not_allowed_and_not_there(self):
        self.refused("run", self.using("lag.fmu"), code=2, words=["is not allowed", "--allow-fmus"])
        self.refused("run", self.using("lag.fmu"), "--allow-fmus", code=6, words="cannot read")

    def test_hostile_units_are_named_errors(self):
        cases = [(dict(step="if (u->n > 20) *(volatile int *)0 = 1;"), "FMU: 'u': its process was ended by signal 11"),
                 (dict(step="if (u->n > 20) for (;;) pause();"), "has not answered for 0.3 s"),
                 (dict(step="if (u->n > 20) exit(0);"), "has ended by itself"),
                 (dict(step="return u->n > 20 ? 3 : 0;"), "fmi2DoStep returned 3 (Error)"),
                 (dict(step="return u->n > 20 ? 77 : 0;"), "fmi2DoStep returned 77 (no status"),
                 (dict(step="if (u->n > 20) { int k = 0; while (k < 200 && malloc(1 << 26)) k++; if (k < 200) abort(); }"), "signal 6"),
                 (dict(step="if (u->n > 20) for (int i = 3; i < 64; i++) close(i);"), "has ended by itself"),
                 # no files of the program: the socket is the only one
                 (dict(step="int k = 0; for (int i = 3; i < 256; i++) k += fcntl(i, F_GETFD) >= 0; if (u->n > 20) return k > 1 ? 4 : 3;"), "returned 3"),
                 (dict(value="u->n > 20 ? 0.0/0.0 : 0"), "not finite")]
        for more, words in cases:
            # one that hangs is waited for shortly, all others answer, on a busy machine too
            limit = "0.3" if "0.3 s" in words else "20"
            rows, result = self.rows(self.using(self.hostile(**more), extra=f", timeout: {limit}"), "--allow-fmus", code=5)
            self.assertIn(words, result.stderr)
            self.assertNotIn("smaller --step", result.stderr)
            self.assertGreaterEqual(len(rows), 20)  # the results so far are kept
        for more, words in ((dict(create="abort();"), "ended by signal 6"), (dict(create="return 0;"), "cannot be instantiated")):
            self.refused("run", self.using(self.hostile(**more)), "--allow-fmus", code=6, words=words)

    def test_a_unit_ends_as_it_should(self):
        self.rows(self.using(self.hostile()), "--allow-fmus")
        self.assertEqual((self.dir / "notes").read_text(), "terminated freed")

    def test_files_that_are_no_units(self):
        for xml, words in ((XML.replace("</fmiModelDescription>", ""), "ends within an element"), (XML.replace('guid="g"', 'guid="g" guid="h"'), "given twice"),
                           ("<!DOCTYPE x>" + XML, "document types"), (XML.replace("</ModelVariables>", "</Other>"), "does not fit"), ("<a/>", "no fmiModelDescription"),
                           (XML.replace('guid="g"', 'guid="&g;"'), "entity"), (XML.replace("2.0", "1.0"), "version of FMI"), (XML.replace('guid="g"', ""), "no guid"),
                           (XML.replace('modelIdentifier="h"', 'modelIdentifier="../h"'), "no name"), (XML.replace("CoSimulation", "ModelExchange"), "no co-simulation"),
                           (XML.replace('name="x"', 'name="y"'), "no real input 'x'"), (XML.replace("2\" causality", "-2\" causality"), "no reference")):
            self.refused("run", self.using(self.hostile(xml=xml)), "--allow-fmus", code=6, words=words)
        self.refused("run", self.using(self.hostile(), "iterate"), "--allow-fmus", code=6, words="cannot be saved")
        array = XML.replace('fmiVersion="2.0"', 'fmiVersion="3.0"').replace("guid", "instantiationToken").split("<ScalarVariable")[0] + (
            '<Float64 name="x" valueReference="1" causality="input"><Dimension start="3"/></Float64></ModelVariables></fmiModelDescription>')
        self.refused("run", self.using(self.hostile(xml=array)), "--allow-fmus", code=6, words="no real input 'x'")
        link = zipfile.ZipInfo("binaries/linux64/h.so")
        link.external_attr = 0o120777 << 16
        with zipfile.ZipFile(self.dir / "l.fmu", "w") as z:
            z.writestr(link, "/etc/passwd")
        self.refused("run", self.using("l.fmu"), "--allow-fmus", code=6, words="a link")
        with zipfile.ZipFile(self.dir / "b.fmu", "w", zipfile.ZIP_DEFLATED) as z:
            for i in range(11):
                z.writestr(f"b{i}", b"\0" * 1000)
        bomb = bytearray((self.dir / "b.fmu").read_bytes())
        at = bomb.find(b"PK\x01\x02")
        bomb[at + 24:at + 28] = (1 << 29).to_bytes(4, "little")  # says that it unfolds into 512 MB
        (self.dir / "b.fmu").write_bytes(bomb)
        self.refused("run", self.using("b.fmu"), "--allow-fmus", code=6, words="unfolds beyond measure")
        with zipfile.ZipFile(self.dir / "e.fmu", "w") as z:
            z.writestr("../../escaped", "x")
        self.refused("run", self.using("e.fmu"), "--allow-fmus", code=6, words="leads out of its folder")
        self.assertFalse((self.dir.parent / "escaped").exists())
        (self.dir / "t.fmu").write_text("no archive")
        self.refused("run", self.using("t.fmu"), "--allow-fmus", code=6, words="no zip archive")

    def test_bad_sections(self):
        for more, words in (("fmus: [1]", "must be a mapping"), ("fmus: {u: {inputs: {}}}", "file"),
                            ("fmus: {u: {file: a.fmu, inputs: {x: joint.rial.position}}}", "joint.rail.position"),
                            ("fmus: {u: {file: a.fmu, outputs: {y: nothing}}}", "is no input of the model"),
                            ("fmus: {u: {file: a.fmu, coupling: tight}}", "sampled"), ("fmus: {u: {file: a.fmu, timeout: -1}}", "positive")):
            path = self.dir / "bad.yaml"
            path.write_text(MASS.format(push="f", more=more))
            self.refused("run", path, "--allow-fmus", code=3, words=words)


if __name__ == "__main__":
    os.environ["TMPDIR"] = os.environ.get("TMPDIR", "/tmp")
    unittest.main()
