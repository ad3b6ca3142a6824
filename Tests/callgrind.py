"""Reads callgrind's output and sums it up by function."""

import collections
import re
import subprocess

# Calls that are counted by kind: a pattern for the whole name of the function that is called.
KINDS = {
    "memcpy": r"__mem(cpy|move)_\w+|mem(cpy|move)",
    "retain": r"swift_(bridgeObject)?[rR]etain(_n)?",
    "release": r"swift_(bridgeObject)?[rR]elease(_n)?",
    "unique": r"swift_isUniquelyReferenced\w*",
    "malloc": r"malloc|calloc|realloc|aligned_alloc|posix_memalign",
}


class Profile:
    """Instructions of each function, its own and with all that it calls, and the number of calls of each."""

    def __init__(self, path):
        self.exclusive = collections.Counter()
        self.inclusive = collections.Counter()
        self.calls = collections.Counter()
        names = {}

        def name(text):
            number, _, given = text.partition(" ")
            if given:
                # A function in its own recursion has its depth behind its name.
                names[number] = re.sub(r"'\d+$", "", given)
            return names[number]

        function = callee = None
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                line = line.rstrip("\n")
                if line.startswith("fn="):
                    function = name(line[3:])
                elif line.startswith("cfn="):
                    callee = name(line[4:])
                elif line.startswith("calls="):
                    self.calls[callee] += int(line[6:].split()[0])
                    cost = int(next(lines).split()[1])
                    if callee != function:
                        self.inclusive[function] += cost
                elif line[:1].isdigit() or line[:1] in "+-*":
                    cost = line.split()
                    if len(cost) > 1 and function:
                        self.exclusive[function] += int(cost[1])
                        self.inclusive[function] += int(cost[1])
        self.total = sum(self.exclusive.values())

    def calls_by_kind(self):
        """The calls of each of KINDS, from anywhere else: what retains by retaining otherwise counts once for each."""
        return {
            kind: sum(count for name, count in self.calls.items() if re.fullmatch(pattern, name))
            for kind, pattern in KINDS.items()
        }


def demangle(names):
    """The functions' names in Swift, in the same order."""
    result = subprocess.run(
        ["swift", "demangle", "--simplified", "--compact"], input="\n".join(names), capture_output=True, text=True, check=True
    )
    return result.stdout.splitlines()
