#!/usr/bin/python3
"""Counts the lines of the rebase, of undo and of the replicas, and the rules for them, as they are or at a revision of git.

    Tests/rebase_lines.py                 # as they are
    Tests/rebase_lines.py REVISION        # beside them, those of an earlier revision

Blank lines and comments do not count. A line of JavaScript counts once for each 120 columns that it has or begins. The rules are
the ids in bold of Protocol/positions.md, before of the chapters Positions, Rebase and Undo of Protocol/README.md.
"""
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The files that decide where a drop lands and whether and how an operation is undone, with the history that both read; and those
# that predict this in a client, and say it again. One that does not exist at a revision counts nothing then. What carries out
# any plan (Apply+Moves, TableState) and what keeps connections (ClientMachine, machine.js) is left out.
FILES = {
    "Swift": {
        "Sources/BaizeTable/Plan": [
            # The gap and the place in it; until 32af02c8 the first three, for the next two.
            "Neighbors", "Rebase", "Returning", "Gap", "Landing", "PlainMove", "Removed", "Table+Reexpressing",
            "Undo", "Inverse",
        ],
        "Sources/BaizeTable/History": [
            "AuthorMemory", "History", "History+Chains", "Positions", "UndoWindow", "Table+Prediction",
        ],
        "Sources/BaizeTable/Apply": ["Apply+Positions", "Apply+Removed", "Apply+Undo", "PlainMove", "ReceivedDiff"],
        "Sources/BaizeSync/Client": [
            "Replica", "Replica+Receiving", "Replica+Resending", "Replica+Submitting", "PendingOperation",
            "TableOperation+Renumbering",
        ],
    },
    "JavaScript": {"Sources/BaizeServer/Web/baize": ["replica", "predict", "pending", "positions", "rebase"]},
}
SUFFIXES = {"Swift": "swift", "JavaScript": "js"}
COLUMNS = 120


def text(path, revision):
    """A file's text, empty if there is none."""
    if not revision:
        return (ROOT / path).read_text() if (ROOT / path).exists() else ""
    shown = subprocess.run(["git", "show", f"{revision}:{path}"], cwd=ROOT, capture_output=True, text=True)
    return "" if shown.returncode else shown.stdout


def count(path, revision):
    lines = 0
    is_comment = False
    for line in text(path, revision).splitlines():
        code = line.strip()
        is_comment = is_comment or code.startswith("/*")
        if code and not is_comment and not code.startswith("//"):
            lines += math.ceil(len(line) / COLUMNS) if path.endswith(".js") else 1
        is_comment = is_comment and "*/" not in code
    return lines


def rules(revision):
    specification = text("Protocol/positions.md", revision) or text("Protocol/README.md", revision)
    chapters = re.split(r"^## ", specification, flags=re.MULTILINE)
    chosen = [chapter for chapter in chapters if chapter.split("\n", 1)[0] in ("Positions", "Rebase", "Undo")]
    return len(set(re.findall(r"^(?:\| )?\*\*([A-Z]+[0-9]+[a-z]?)\b", "\n".join(chosen), flags=re.MULTILINE)))


def main():
    revisions = sys.argv[1:2] + [None]
    found = subprocess.run(["git", "cat-file", "-e", f"{revisions[0] or 'HEAD'}^{{commit}}"], cwd=ROOT, capture_output=True)
    if found.returncode:
        sys.exit(f"there is no revision {sys.argv[1]}")

    def show(name, numbers):
        print(f"{name:60}" + "".join(f"{number:8}" for number in numbers))

    for language, folders in FILES.items():
        paths = [f"{folder}/{name}.{SUFFIXES[language]}" for folder, names in folders.items() for name in names]
        counts = {path: [count(path, revision) for revision in revisions] for path in paths}
        for path, numbers in counts.items():
            if any(numbers):
                show(path, numbers)
        show(f"{language}, lines", [sum(column) for column in zip(*counts.values())])
        show(f"{language}, files", [sum(map(bool, column)) for column in zip(*counts.values())])
    show("Positions, Rebase and Undo, rules", [rules(revision) for revision in revisions])


if __name__ == "__main__":
    main()
