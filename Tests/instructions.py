#!/usr/bin/env python3
"""Counts user-mode instructions and calls per operation with callgrind.

Tests/instructions.sh             the daemon over sockets: a table beside the budget, and one by function
Tests/instructions.sh --gate      a fixed script through a shard without sockets, beside the recorded figures
Tests/instructions.sh --record    the same, and records them (Tests/instructions.txt)
Tests/instructions.sh --tls       over TLS, of a build with all traits

Over sockets, `baize-load run --operations N` submits exactly N operations and has all answers when it says so; callgrind
counts from just before until just after. Nothing else is counted but what the daemon does by itself meanwhile, a sweep
a second. An operation is one that was judged: some 3 % of them change nothing, and are answered to their author alone.
With `--tls`, a process of its own encrypts between the two, which sends on at once what it reads.
"""

import argparse
import asyncio
import collections
import multiprocessing
import os
import re
import signal
import ssl
import subprocess
import sys
import tempfile

from tls import make_certificate

# The maximum per operation.
INSTRUCTIONS_MAX = {(1, "memory"): 4500, (16, "memory"): 3000, (16, "strict"): 4000}
CALLS_MAX = {"memcpy": 6, "retain": 2, "release": 4, "unique": 8}
RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.txt")
TOLERANCE = 0.05

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


class Daemon:
    """A daemon under callgrind, which counts only on request; it ends with the block."""

    def __init__(self, arguments, folder, durability):
        self.profile = os.path.join(folder, "callgrind.out")
        # Valgrind 3.19 cannot read the debug information of clang's C; the names of functions are enough.
        program = os.path.join(folder, "baized")
        subprocess.run(["objcopy", "--strip-debug", os.path.join(arguments.bin, "baized"), program], check=True)
        command = ["valgrind", "--tool=callgrind", "-q", "--instr-atstart=no", f"--callgrind-out-file={self.profile}"]
        http = "127.0.0.1:0" if arguments.websocket else "off"
        command += [program, "--listen", "127.0.0.1:0", "--http", http, "--log-level", "error"]
        command += ["--operations-per-second-max", "0", "--connections-per-address-max", "100000", "--shards", "1"]
        command += ["--durability", durability]
        if arguments.tls:
            make_certificate(folder)
            command += ["--tls-certificate", f"{folder}/certificate.pem", "--tls-key", f"{folder}/key.pem"]
        if durability == "strict":
            command += ["--journal", os.path.join(folder, "journal.sqlite")]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

        # The address of the daemon's clients is on one of the first lines.
        self.marker = "baized serves http://" if arguments.websocket else "baized listening on "

    def __enter__(self):
        for line in self.process.stdout:
            if line.startswith(self.marker):
                self.address = line[len(self.marker) :].strip().rstrip("/")
            if line.startswith("baized listening on "):
                return self
        raise SystemExit("the daemon did not start under valgrind")

    def count(self, state):
        subprocess.run(["callgrind_control", "-i", state, str(self.process.pid)], check=True, capture_output=True)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=600)


def encrypt(folder, daemon, told):
    """Connects whoever connects here to the daemon over TLS, without end, and tells its own address."""
    context = ssl.create_default_context(cafile=f"{folder}/certificate.pem")

    async def pump(reader, writer):
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        writer.close()

    async def connected(reader, writer):
        secure = await asyncio.open_connection(*daemon.rsplit(":", 1), ssl=context, ssl_handshake_timeout=600)
        await asyncio.gather(pump(reader, secure[1]), pump(secure[0], writer), return_exceptions=True)

    async def serve():
        server = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=1024)
        told.send("%s:%d" % server.sockets[0].getsockname())
        await server.serve_forever()

    asyncio.run(serve())


class Encryption:
    """An address that leads to the daemon over TLS; with a plain daemon, it is the daemon's own."""

    def __init__(self, arguments, folder, daemon):
        (self.address, self.process) = (daemon, None)
        if arguments.tls:
            told, telling = multiprocessing.Pipe(duplex=False)
            self.process = multiprocessing.Process(target=encrypt, args=(folder, daemon, telling))
            self.process.start()
            self.address = told.recv()

    def __enter__(self):
        return self.address

    def __exit__(self, *_):
        if self.process:
            self.process.terminate()
            self.process.join()


def measure(arguments, window, durability):
    """The profile of one run over sockets."""
    with tempfile.TemporaryDirectory(dir=arguments.directory) as folder:
        with Daemon(arguments, folder, durability) as daemon, Encryption(arguments, folder, daemon.address) as address:
            load = [os.path.join(arguments.bin, "baize-load"), "run", "--connect", address, "--window", str(window)]
            load += ["--type", "grid", "--tables", "64", "--players", "4", "--operations", str(arguments.operations)]
            load += ["--websocket"] if arguments.websocket else []
            with subprocess.Popen(load, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
                for marker, state in (("ready", "on"), ("counted", "off")):
                    if process.stdout.readline().strip() != marker:
                        raise SystemExit(f"baize-load did not reach '{marker}'")
                    daemon.count(state)
                    process.stdin.write("\n")
                    process.stdin.flush()
                text = process.stdout.read()
            if process.returncode != 0:
                raise SystemExit(f"baize-load failed:\n{text}")
        return Profile(daemon.profile)


def print_summary(measured, operations):
    """Figures per operation, each beside its budget: `figure/budget`."""
    print(f"{'per operation':<22}{'instructions':>16}" + "".join(f"{kind:>12}" for kind in KINDS))
    for (window, durability), profile in measured.items():
        figures = [(profile.total, INSTRUCTIONS_MAX.get((window, durability)), 16, 0)]
        figures += [(count, CALLS_MAX.get(kind), 12, 1) for kind, count in profile.calls_by_kind().items()]
        cells = [f"window {window}, {durability}".ljust(22)]
        for count, budget, width, digits in figures:
            cells.append((f"{count / operations:.{digits}f}" + (f"/{budget}" if budget else "")).rjust(width))
        print("".join(cells))


def print_functions(profile, operations, rows):
    for title, costs in (("with what they call", profile.inclusive), ("their own", profile.exclusive)):
        top = [(name, cost) for name, cost in costs.most_common(rows)]
        print(f"  {title}: instructions, calls")
        for (name, cost), text in zip(top, demangle([name for name, _ in top])):
            print(f"  {cost / operations:9.1f} {profile.calls[name] / operations:8.2f}  {text[:110]}")


def report(arguments):
    measured = {}
    for window in arguments.window or (1, 16):
        for mode in arguments.mode or ("memory", "strict"):
            measured[window, mode] = measure(arguments, window, mode)
    transport = ("WebSocket" if arguments.websocket else "sockets") + (" and TLS" if arguments.tls else "")
    print(f"baized over {transport}, grid, 64 tables of 4 players, one shard, {arguments.operations} operations; with '/': budget")
    print_summary(measured, arguments.operations)
    for (window, mode), profile in measured.items():
        print(f"\nwindow {window}, {mode}: functions, per operation")
        print_functions(profile, arguments.operations, arguments.rows)


def instructions(arguments, window, mode, operations):
    """Returns the instructions of the script with so many operations, its start and preparation included."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += [os.path.join(arguments.bin, "baize-lab"), "script", "--operations", str(operations)]
    command += ["--of", str(2 * arguments.operations), "--window", str(window), "--durability", mode]
    environment = dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1")
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode != 0 or not collected:
        raise SystemExit(f"{' '.join(command)} failed:\n{result.stdout}{result.stderr}")
    return int(collected.group(1))


def measure_script(arguments):
    """Instructions per operation of the fixed script, by name: the difference of two runs, so that all else cancels out."""
    count = arguments.operations
    return {
        f"window {window} {mode}": (
            instructions(arguments, window, mode, 2 * count) - instructions(arguments, window, mode, count)
        )
        / count
        for window in arguments.window or (1, 16)
        for mode in arguments.mode or ("memory", "strict")
    }


def recorded():
    if not os.path.exists(RECORD):
        return {}
    with open(RECORD, encoding="utf-8") as lines:
        return {name: float(figure) for name, _, figure in (line.strip().rpartition(" ") for line in lines) if name[:1] != "#"}


def record(arguments):
    figures = {**recorded(), **measure_script(arguments)}
    with open(RECORD, "w", encoding="utf-8") as file:
        file.write("# Instructions per operation of the fixed script; Tests/instructions.sh --record writes them.\n")
        file.writelines(f"{name} {figure:.0f}\n" for name, figure in figures.items())
    for name, figure in figures.items():
        print(f"{name:<18}{figure:10.1f} instructions per operation")


def gate(arguments):
    """Fails if a figure has risen, or if it has fallen and the record was not lowered."""
    records = recorded()
    is_sound = True
    for name, figure in measure_script(arguments).items():
        ratio = figure / records[name]
        verdict = "as recorded"
        if ratio > 1 + TOLERANCE:
            verdict = "MORE than recorded: make it cheaper again"
        elif ratio < 1 - TOLERANCE:
            verdict = "LESS than recorded: lower the record with Tests/instructions.sh --record, and commit that"
        is_sound = is_sound and abs(ratio - 1) <= TOLERANCE
        print(f"{name:<18}{figure:10.1f} instructions per operation, recorded {records[name]:.0f}: {verdict}")
    sys.exit(0 if is_sound else 1)


def main():
    parser = argparse.ArgumentParser(prog="Tests/instructions.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--gate", action="store_true", help="compare the script's figures with the recorded ones")
    parser.add_argument("--record", action="store_true", help="record the script's figures")
    parser.add_argument("--window", type=int, action="append", choices=(1, 16), help="this window only")
    parser.add_argument("--mode", action="append", choices=("memory", "strict"), help="this durability only")
    parser.add_argument("--websocket", action="store_true", help="over WebSocket")
    parser.add_argument("--tls", action="store_true", help="over TLS")
    parser.add_argument("--operations", type=int, help="operations that are counted (over sockets 100000, in the script 8192)")
    parser.add_argument("--rows", type=int, default=30, help="functions in each table (30)")
    parser.add_argument("--directory", default="/dev/shm", help="where the journal is kept (/dev/shm)")
    arguments = parser.parse_args()
    if arguments.tls and arguments.websocket:
        parser.error("--tls is without --websocket")
    is_script = arguments.gate or arguments.record
    arguments.operations = arguments.operations or (8_192 if is_script else 100_000)
    (record if arguments.record else gate if arguments.gate else report)(arguments)


main()
