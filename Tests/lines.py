#!/usr/bin/python3
"""Counts the lines of Swift by target, as they are or at a revision of git.

    Tests/lines.py                 # the files as they are
    Tests/lines.py REVISION        # beside them, those of an earlier revision
"""
import collections
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def counts(revision):
    """The lines of the files below each folder of Sources and Tests."""
    result = collections.Counter()
    listed = git("ls-tree", "-r", "--name-only", revision) if revision else git("ls-files", "-co", "--exclude-standard")
    for path in listed.splitlines():
        if not path.startswith(("Sources/", "Tests/")) or not path.endswith(".swift") or ".docc/" in path:
            continue
        if not revision and not (ROOT / path).exists():
            continue
        text = git("show", f"{revision}:{path}") if revision else (ROOT / path).read_text()
        result["/".join(path.split("/")[:2])] += text.count("\n")
    return result


def main():
    revision = sys.argv[1] if len(sys.argv) > 1 else None
    now, before = counts(None), counts(revision) if revision else {}
    for folder in sorted(set(now) | set(before)):
        print(f"{folder:34}{before.get(folder, 0):8}{now[folder]:8}" if revision else f"{folder:34}{now[folder]:8}")
    for name in ("Sources", "Tests", ""):
        total = [sum(n for folder, n in part.items() if folder.startswith(name)) for part in (before, now)]
        print(f"{name or 'both':34}" + (f"{total[0]:8}" if revision else "") + f"{total[1]:8}")


if __name__ == "__main__":
    main()
