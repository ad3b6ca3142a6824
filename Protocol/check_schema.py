#!/usr/bin/python3
"""Checks table-type.schema.json against the table types and the checker's fixtures.

The schema describes the form of a table type: it must accept every right document and every document with mistakes in
meaning, and reject every document with mistakes in form. The Swift tests run the checker on the same files. No name ends
in a line break.

    check_schema.py [BAIZED [COUNT [SEED]]]

With the path of baized, it also changes the right documents in COUNT places, one at a time, and compares the schema's verdict on
each with that of `baized check`: the one rejects a document where the other finds a mistake of form.

Needs python3-jsonschema (4.10 or later). Exits with 1 and a line for each file on which the schema is wrong.
"""
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile

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


def places(node, path=()):
    """The paths of all values."""
    yield path
    if isinstance(node, dict):
        for key in node:
            yield from places(node[key], path + (key,))
    if isinstance(node, list):
        for index, part in enumerate(node):
            yield from places(part, path + (index,))


values = [None, True, 0, 7, -1, 1.5, "x", "X_Y", "{seat}", "a/{seat}", "a-{seat}", "a{seat}/b", "{seat}/a", "a/{seat}-{seat}", "a/b/c"]
values += ["", "a" * 65, "item", "all", [], {}, ["x"], ["a/{seat}"], {"option": "x"}, {"seats": "all"}, {"of": "a/{seat}"}, {"item": "x"}]
names = ["zz", "if", "a/{seat}", "{seat}", "a{seat}", "a/b", "", "$schema"]


def changed(document, generator):
    """A copy with one change, and the change in words."""
    document = copy.deepcopy(document)
    path = generator.choice(list(places(document)))
    parent = document
    for step in path[:-1]:
        parent = parent[step]
    kind = generator.choice(["value", "value", "value", "name", "delete", "add"])
    if path and kind == "delete":
        del parent[path[-1]]
    elif path and kind == "name" and isinstance(parent, dict):
        name = generator.choice(names + [path[-1] + "{seat}", path[-1] + "/{seat}"])
        items = [(name if key == path[-1] else key, value) for key, value in parent.items()]
        parent.clear()
        parent.update(items)
    elif kind == "add" and isinstance(parent, dict):
        parent[generator.choice(names)] = generator.choice(values)
    elif path:
        kind = "value"
        parent[path[-1]] = generator.choice(values)
    return document, f"{kind} at {list(path)}"


def form_mistakes(baized, files):
    """The files in which the checker finds a mistake of form."""
    found = subprocess.run([baized, "check", *files], capture_output=True, text=True)
    if found.returncode not in (0, 2) or found.stderr:
        sys.exit(f"{baized} check: {found.stderr}")
    mistakes = {}
    for line in found.stdout.splitlines():
        file, _, rest = line.partition(".json:")
        parts = rest.split(": ", 2)
        if len(parts) == 3 and parts[1] in ("json", "form"):
            mistakes.setdefault(file + ".json", parts[2])
    return mistakes


if len(sys.argv) > 1:
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    generator = random.Random(seed)
    sources = sorted((fixtures / "right").glob("*.json")) + sorted((root / "Protocol/table-types").glob("*.json"))
    sources = [json.loads(file.read_text()) for file in sources]
    with tempfile.TemporaryDirectory() as folder:
        cases = {}
        for number in range(count):
            document, what = changed(generator.choice(sources), generator)
            file = f"{folder}/{number}.json"
            pathlib.Path(file).write_text(json.dumps(document))
            cases[file] = document, what
        files = list(cases)
        mistakes = {}
        for start in range(0, count, 200):
            mistakes |= form_mistakes(sys.argv[1], files[start : start + 200])
    for file, (document, what) in cases.items():
        seen += 1
        if validator.is_valid(document) == (file in mistakes):
            wrong += 1
            verdict = mistakes.get(file) or "no mistake of form"
            print(f"{document.get('name')}, {what}: the checker says: {verdict}; the schema disagrees (seed {seed})")
print(f"{seen} documents and patterns, {wrong} judged wrong")
sys.exit(1 if wrong else 0)
