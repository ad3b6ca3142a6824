#!/usr/bin/python3
"""Checks table-type.schema.json against the table types and the checker's fixtures.

The schema describes the form of a table type: it must accept every right document and every document with mistakes in
meaning, and reject every document with mistakes in form. The Swift tests run the checker on the same files.

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
print(f"{seen} documents, {wrong} judged wrong")
sys.exit(1 if wrong else 0)
