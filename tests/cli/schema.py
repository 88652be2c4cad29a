#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JSON schema: the kept copy is what the command prints; good models pass it, wrong ones do not."""
import json
import sys
import unittest

from support import CommandTest, SOURCE

try:
    import jsonschema
    import yaml
except ImportError as error:
    jsonschema = None
    print(f"SKIPPED: models are NOT checked against the schema: {error}; install python3-jsonschema and "
          "python3-yaml", file=sys.stderr)

KEPT = SOURCE / "share/hooke/model.schema.json"


def load(file):
    """YAML 1.2: on, off, yes and no are words"""
    class Loader(yaml.SafeLoader):
        pass
    Loader.yaml_implicit_resolvers = {
        first: [(tag, regexp) for tag, regexp in rows if tag != "tag:yaml.org,2002:bool" or first in "tTfF"]
        for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()}
    return yaml.load(file, Loader)


# wrong models whose fault a schema can see: keys and kinds of values
SEEN = ["misspelt-key", "misspelt-section", "body-not-mapping", "joint-unknown-type", "joint-no-type",
        "joint-one-body", "joint-foreign-key", "joint-no-axis", "force-unknown-type", "force-missing-ends",
        "law-unknown", "signal-unknown-key", "gravity-two-numbers", "mass-is-list", "section-is-list",
        "inertia-unknown-key", "frame-unknown-key", "component-unknown-key", "marker-no-place",
        "no-version", "wrong-version", "record-not-list", "root-list", "shape-unknown",
        "run-unknown-formulation", "run-unknown-option"]


class Schema(CommandTest):
    def setUp(self):
        super().setUp()
        self.text = self.hooke("info", "schema").stdout
        self.schema = json.loads(self.text)

    def test_kept_copy(self):
        self.assertEqual(self.text, self.hooke("info", "--schema").stdout)
        self.assertEqual(KEPT.read_text(encoding="utf-8"), self.text,
                         "refresh it: make docs")

    @unittest.skipUnless(jsonschema, "needs python3-jsonschema and python3-yaml")
    def test_is_a_schema(self):
        jsonschema.Draft7Validator.check_schema(self.schema)

        def references(value):
            if isinstance(value, dict):
                if "$ref" in value:
                    yield value["$ref"]
                for item in value.values():
                    yield from references(item)
            elif isinstance(value, list):
                for item in value:
                    yield from references(item)
        for name in set(references(self.schema)):
            self.assertIn(name.removeprefix("#/definitions/"), self.schema["definitions"])

    def errors(self, path, part=False):
        with open(path, encoding="utf-8") as file:
            value = load(file)
        schema = self.schema
        if part:
            # parts of models need not say the version
            schema = dict(schema, allOf=schema["allOf"][:1])
        return [f"{path.name}: {'/'.join(map(str, e.absolute_path))}: {e.message[:200]}"
                for e in jsonschema.Draft7Validator(schema).iter_errors(value)]

    @unittest.skipUnless(jsonschema, "needs python3-jsonschema and python3-yaml")
    def test_examples(self):
        paths = [p for p in sorted((SOURCE / "examples").rglob("*.yaml")) if not {"studies", "modules"} & set(p.parts)]
        self.assertGreater(len(paths), 0)
        self.assertEqual(self.errors(self.model), [])
        for path in paths:
            with self.subTest(path=path.name):
                self.assertEqual(self.errors(path, part="hooke:" not in path.read_text()), [])

    @unittest.skipUnless(jsonschema, "needs python3-jsonschema and python3-yaml")
    def test_wrong_models(self):
        for name in SEEN:
            with self.subTest(name=name):
                self.assertNotEqual(self.errors(SOURCE / f"tests/bad-models/{name}.yaml"), [])


if __name__ == "__main__":
    unittest.main()
