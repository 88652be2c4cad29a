#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the command is called: help, versions, wrong words, wrong numbers, completions."""
import json
import os
import re
import shutil
import subprocess
import unittest

from support import CommandTest, HOOKE, LIMIT, SOURCE, environment

VERBS = ["run", "check", "list", "info", "completion", "help"]


class Help(CommandTest):
    def test_overview(self):
        for flag in ("--help", "-h"):
            text = self.hooke(flag).stdout
            for verb in VERBS:
                self.assertIn(f"  {verb} ", text)
            self.assertIn("Example", text)
        self.assertEqual(self.hooke("help").stdout, text)

    def test_each_verb(self):
        for verb in VERBS:
            with self.subTest(verb=verb):
                text = self.hooke(verb, "--help").stdout
                self.assertTrue(text.startswith(f"usage: hooke {verb}"))
                self.assertIn("Example", text)
                self.assertIn("--help", text)
                self.assertLessEqual(max(map(len, text.splitlines())), 100)
                self.assertEqual(self.hooke("help", verb).stdout, text)

    def test_examples_work(self):
        os.symlink(SOURCE / "examples", self.dir / "examples")
        path = f"{os.path.dirname(os.path.abspath(HOOKE))}:{os.environ['PATH']}"
        for words in [[verb] for verb in VERBS] + [[]]:
            text = self.hooke(*words, "--help").stdout
            command = text[text.index("Example\n") + 8:].strip().splitlines()[0]
            with self.subTest(command=command):
                self.assertIn("hooke", command)
                result = subprocess.run(["bash", "-c", command], cwd=self.dir, capture_output=True,
                                        env=environment({"PATH": path}), timeout=LIMIT, check=False)
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_help_wins_over_the_rest(self):
        self.assertIn("usage:", self.hooke("run", "--help", "--quiet").stdout)

    def test_nothing_at_all(self):
        result = self.hooke(code=2)
        self.assertIn("usage:", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_version(self):
        self.assertRegex(self.hooke("--version").stdout, r"^hooke \d+\.\d+\.\d+\n$")
        value = json.loads(self.hooke("--version", "--json").stdout)
        self.assertEqual(value["name"], "hooke")
        self.assertIn("netcdf", value["features"])
        self.assertIsInstance(value["features"]["klu"], bool)
        self.assertEqual(value, json.loads(self.hooke("--json", "--version").stdout))
        self.refused("--version", "--jsn")


class ManualPages(CommandTest):
    """roff source from the same table as --help"""

    known = {}

    def pages(self):
        """all of them, made once"""
        if not self.known:
            verbs = self.hooke("help", "--names").stdout.split()
            self.assertEqual(set(VERBS) - set(verbs), set())
            self.known.update({verb: self.hooke("help", "--man", *verb).stdout for verb in [(), *((v,) for v in verbs)]})
        return self.known

    def test_names(self):
        for verb, text in self.pages().items():
            with self.subTest(verb=verb):
                name = "-".join(("hooke", *verb))
                self.assertRegex(text.splitlines()[1], rf"^\.TH {name.upper()} 1 ")
                # whatis reads this line
                self.assertRegex(text, rf"\n\.SH NAME\n{name.replace('-', chr(92) * 2 + '-')} \\- \w")
                self.assertIn("\n.SH EXIT STATUS\n", text)

    def test_options_are_those_of_help(self):
        for verb, text in self.pages().items():
            if not verb:
                continue
            with self.subTest(verb=verb):
                listed = self.hooke(*verb, "--help").stdout.partition("\nOptions\n")[2]
                words = re.findall(r"(?m)^  (?:-\w, |    )--([\w-]+)", listed)
                self.assertGreaterEqual(len(words), 1)
                shown = re.findall(r"(?m)^\.TP\n(?:\\fB\\-\w\\fR, )?\\fB\\-\\-([^ \n]+?)\\fR", text)
                self.assertEqual([w.replace("\\-", "-") for w in shown], words)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed: manual pages are not read")
    def test_groff_has_nothing_to_say(self):
        for verb, text in self.pages().items():
            with self.subTest(verb=verb):
                result = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-cbou"], input=text.encode(),
                                        capture_output=True, timeout=LIMIT, check=False)
                self.assertEqual((result.returncode, result.stderr), (0, b""))
                # what is to be typed comes out as it is typed
                page = result.stdout.decode()
                self.assertIn("--help", page)
                self.assertNotIn("\\", page)
                self.assertNotRegex(page, "[\u2018\u2019\u2212]")

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed: its lint is not asked")
    def test_mandoc_warns_of_nothing(self):
        for verb, text in self.pages().items():
            with self.subTest(verb=verb):
                result = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=text, text=True,
                                        capture_output=True, timeout=LIMIT, check=False)
                self.assertEqual((result.returncode, result.stdout + result.stderr), (0, ""))

    def test_wrong_verb(self):
        self.refused("help", "--man", "rnu", words="did you mean 'run'?")


class Table(CommandTest):
    """the table of the command as JSON"""

    def test_options_are_those_of_help(self):
        said = json.loads(self.hooke("help", "--json").stdout)
        self.assertEqual([v["name"] for v in said["verbs"]], self.hooke("help", "--names").stdout.split())
        for verb in said["verbs"]:
            with self.subTest(verb=verb["name"]):
                page = self.hooke(verb["name"], "--help").stdout
                listed = page.partition("\nOptions\n")[2]
                words = re.findall(r"(?m)^  (?:-(\w), |    )--([\w-]+)(?: (\S+))?(?:  |$)", listed)
                self.assertEqual([(o["letter"] or "", o["name"], o["value"] or "") for o in verb["options"]], words)
                self.assertIn(f"hooke {verb['name']} {verb['arguments']}", page)
                self.assertIn(verb["example"], page)
        self.assertEqual([e["code"] for e in said["exits"]], [0, 2, 3, 4, 5, 6, 130, 1])
        self.assertIn("HOOKE_SIMD", [v["name"] for v in said["environment"]])


class WrongWords(CommandTest):
    def test_verbs(self):
        self.refused("rnu", words="did you mean 'run'?")
        self.refused("chekc", words="did you mean 'check'?")
        self.refused("xyzzy", words="hooke --help")
        self.refused("--hepl", words="did you mean '--help'?")
        self.refused("", words="no verb")
        self.refused("pendulum.yaml", words="hooke run pendulum.yaml")
        self.refused("help", "rnu", words="did you mean 'run'?")

    def test_options(self):
        self.refused("run", "pendulum.yaml", "--stepp", "1", words="did you mean '--step'?")
        self.refused("run", "pendulum.yaml", "--stepp=1", words="did you mean '--step'?")
        self.refused("run", "pendulum.yaml", "--out-put", "x.csv", words="'--output'?")
        self.refused("run", "pendulum.yaml", "-z", words="'-z'")
        self.refused("run", "pendulum.yaml", "--xyzzy", words="hooke run --help")
        self.refused("check", "pendulum.yaml", "--step", "1", words="no option '--step'")
        self.refused("run", "pendulum.yaml", "--step", words="needs a value")
        self.refused("run", "pendulum.yaml", "--json=1", words="takes no value")

    def test_arguments(self):
        self.refused("run", words="needs MODEL")
        self.refused("check", words="needs MODEL")
        self.refused("info", words="needs a name")
        self.refused("run", "pendulum.yaml", "other.yaml", words="'other.yaml'")
        self.refused("list", "joints", "forces", words="'forces'")

    def test_options_of_methods(self):
        self.refused("run", "pendulum.yaml", "--integrator", "trapezoidal", "--option", "rho_inf=1",
                     words="'rho_inf' is an option of generalized_alpha, multistep")
        self.refused("run", "pendulum.yaml", "--option", "rho_if=1", words="did you mean 'rho_inf'?")
        self.refused("run", "pendulum.yaml", "--option", "stp=1", words="did you mean 'step'?")
        # a key has no page of its own, but someone has the key
        for owner in ("generalized_alpha", "multistep"):
            self.assertIn(f"rho_inf (key of {owner})", self.hooke("info", "rho_inf").stdout)
        self.refused("info", "revolut", words="did you mean 'revolute'?")

    def test_files_that_are_not_there(self):
        (self.dir / "first.csv").write_text("t,a\n0,1\n")
        for verb in ("plot", "report", "view"):
            self.refused(verb, "frist.csv", code=6, words="did you mean 'first.csv'?")
        self.refused("run", "pendulum.yml", code=6, words="did you mean 'pendulum.yaml'?")
        (self.dir / "state.ck").write_text("x")
        self.refused("run", "pendulum.yaml", "--resume", "stat.ck", code=6, words="did you mean 'state.ck'?")

    def test_a_model_is_no_result(self):
        for verb in ("plot", "report", "view"):
            self.refused(verb, "pendulum.yaml", code=6, words="'hooke run MODEL --output FILE.nc' makes a result of it")

    def test_a_result_is_no_model(self):
        (self.dir / "result.nc").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(40))
        for verb in ("run", "check", "compare"):
            self.refused(verb, "result.nc", code=3, words=["a file of results", "hooke plot"])

    def test_references(self):
        self.refused("compare", "pendulum.yaml", "--reference", "fin", words="did you mean 'fine'?")
        self.refused("compare", "pendulum.yaml", "--reference", "nope.csv", code=6, words="nope.csv")

    def test_channels(self):
        (self.dir / "first.csv").write_text("t,energy.kinetic\n0,1\n")
        self.refused("plot", "first.csv", "energy.kinetc", words="did you mean 'energy.kinetic'?")
        self.refused("plot", "first.csv", "body.*", words="no channel of this result matches 'body.*'")

    def test_terminal_is_not_steered(self):
        result = self.refused("run", "--\033[31mx")
        self.assertNotIn("\033", result.stderr)

    def test_standard_streams_are_not_files(self):
        self.refused("run", "-", words="not supported")
        self.refused("check", "-", words="not supported")
        self.refused("run", "pendulum.yaml", "--output", "-", words="not supported")
        self.refused("run", "pendulum.yaml", "--checkpoint", "-", words="not supported")
        self.refused("run", "", words="empty")

    def test_option_after_two_dashes_is_a_file(self):
        self.refused("run", "--", "--json", code=6, words="--json")


class Numbers(CommandTest):
    def test_wrong(self):
        for option in ("--step", "--time", "--tolerance"):
            for text in ("1x", "nan", "inf", "-1", "0", "", "0x10", " 1", "1e999", "abc", "1,5", "--", "1e"):
                with self.subTest(option=option, text=text):
                    self.refused("run", "pendulum.yaml", option, text, words=option)
        self.refused("run", "pendulum.yaml", "--step", "10ms", words="without a unit")
        self.refused("run", "pendulum.yaml", "--output", "a.csv", "--output-every", "-1", words="--output-every")
        self.refused("run", "pendulum.yaml", "--checkpoint", "a.ck", "--every", "x", words="--every")

    def test_belong_together(self):
        self.refused("run", "pendulum.yaml", "--every", "1", words="--checkpoint")
        self.refused("run", "pendulum.yaml", "--output-every", "1", words="--output")
        self.refused("run", "pendulum.yaml", "-o", "a.csv", "--checkpoint", "a.csv", words="same name")
        self.refused("run", "pendulum.yaml", "-o", "pendulum.yaml", words="the model itself")

    def test_choices_and_pairs(self):
        self.refused("run", "pendulum.yaml", "--substeps", "maybe", words="on or off")
        for pair in ("L", "=1", "L="):
            self.refused("run", "pendulum.yaml", "--set", pair, words="NAME=VALUE")
            self.refused("check", "pendulum.yaml", "--set", pair, words="NAME=VALUE")
            self.refused("run", "pendulum.yaml", "--option", pair, words="NAME=VALUE")
        self.refused("run", "pendulum.yaml", "--integ.rho_inf", words="NAME=VALUE")


class Completion(CommandTest):
    def test_scripts_parse(self):
        for shell in ("bash", "zsh", "fish"):
            text = self.hooke("completion", shell).stdout
            for word in ("run", "formulation", "checkpoint"):
                self.assertIn(word, text)
            program = shutil.which(shell)
            if not program:
                print(f"note: {shell} is not installed, its completion script is not parsed")
                continue
            subprocess.run([program, "-n"], input=text, text=True, check=True)
        self.refused("completion", "bsh", words="did you mean 'bash'?")
        self.refused("completion", "nushell", words="bash, zsh and fish")

    def offered(self, *words):
        """what bash would offer after these words"""
        script = self.hooke("completion", "bash").stdout + (
            f"\nhooke() {{ {HOOKE} \"$@\"; }}\nCOMP_WORDS=(hooke {' '.join(words)})\n"
            f"COMP_CWORD={len(words)}\n_hooke\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n")
        result = subprocess.run(["bash", "-c", script], cwd=self.dir, env=environment(), text=True,
                                capture_output=True, check=True)
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_bash_offers(self):
        self.assertEqual(self.offered("ch"), ["check"])
        self.assertEqual(self.offered("run", "--form"), ["--formulation"])
        self.assertIn("hybrid", self.offered("run", "--formulation", "''"))
        self.assertIn("trapezoidal", self.offered("run", "-i", "tra"))
        self.assertEqual(self.offered("run", "pend"), ["pendulum.yaml"])
        self.assertEqual(self.offered("run", "--substeps", "of"), ["off"])
        self.assertIn("joints", self.offered("list", "j"))
        self.assertIn("revolute", self.offered("info", "rev"))


class Colour(CommandTest):
    def test_none_in_a_pipe(self):
        result = self.hooke("rnu", code=2, env={"NO_COLOR": ""})
        self.assertNotIn("\033", result.stderr)


if __name__ == "__main__":
    unittest.main()
