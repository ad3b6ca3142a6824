#!/usr/bin/python3
"""Checks table-type.schema.json against the table types and the checker's fixtures.

The schema describes the form of a table type: it must accept every right document and every document with mistakes in
meaning, and reject every document with mistakes in form. The Swift tests run the checker on the same files. No name ends
in a line break.

Needs python3-jsonschema (4.10 or later). Exits with 1 and a line for each file on which the schema is wrong.
"""
import json
import pathlib
import sys

import jsonschema

root = pathlib.Path(__file__).resolve().parent.parent
fixtures = root / "Protocol/table-types/fixtures"
schema = json.loads((root / "Protocol/table-type.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

wrong = seen = 0
for folder, is_right in [
    (root / "Protocol/table-types", True),
    (fixtures / "right", True),
    (fixtures / "wrong-meaning", True),
    (fixtures / "wrong-form", False),
]:
    files = sorted(folder.glob("*.json"))
    if not files:
        sys.exit(f"no documents in {folder}")
    for file in files:
        seen += 1
        errors = list(validator.iter_errors(json.loads(file.read_text())))
        if bool(errors) == is_right:
            wrong += 1
            print(f"{file.relative_to(root)}: " + (errors[0].message if errors else "accepted, and its form is wrong"))


def patterns(node):
    """The parts of the schema that have a pattern of their own."""
    if isinstance(node, dict):
        if "type" in node and "pattern" in node:
            yield node
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            yield from patterns(part)


# A line break at the end is not part of a name, though it would pass the pattern in some languages.
names = ["a", "A", "A1", "a/1", "a/{seat}", "a-{seat}"]
for part in patterns(schema):
    seen += 1
    accepted = [name for name in names if jsonschema.Draft202012Validator(part).is_valid(name)]
    if not accepted or any(jsonschema.Draft202012Validator(part).is_valid(name + "\n") for name in accepted):
        wrong += 1
        print(f"{part['pattern']}: a name that ends in a line break passes")
print(f"{seen} documents and patterns, {wrong} judged wrong")
sys.exit(1 if wrong else 0)
