#!/usr/bin/python3
"""Kills a daemon repeatedly while clients play, and checks that nothing that a client received is lost.

    swift build -c release && Tests/crash_test.py --kills 50

It starts `baized` with a journal in a directory of its own, and `baize-load --reconnect` against it; kills the daemon
with SIGKILL at random times (and sometimes stops it by SIGTERM), restarts it at once on the same port, and at the end
lets the clients finish. They compare every operation and its verdict with the tables. Then every table's history is
replayed from the journal.

--canary runs the daemon without a journal (or with --durability relaxed, which takes many kills and operations): the run
must detect lost operations, and fails if it does not.
"""
import argparse
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

LISTENING = "baized listening on "
PLAYING = " players are at "
START_SECONDS = 30
STOP_SECONDS = 30
SETTLE_SECONDS = 300


class Failure(Exception):
    """An error that ends the test, or its finding."""


class Child:
    """A child process whose output goes to files, so that no full pipe blocks it."""

    def __init__(self, command, folder, name):
        self.output = folder / f"{name}.out"
        self.errors = folder / f"{name}.log"
        with open(self.output, "wb") as output, open(self.errors, "ab") as errors:
            self.process = subprocess.Popen(command, stdout=output, stderr=errors, stdin=subprocess.DEVNULL)
        self.name = name

    def is_running(self):
        return self.process.poll() is None

    def text(self):
        return self.output.read_text(errors="replace")

    def await_text(self, text, seconds):
        end = time.monotonic() + seconds
        while text not in self.text():
            if not self.is_running():
                raise Failure(f"{self.name} ended by itself with {self.process.returncode}:\n{self.tail()}")
            if time.monotonic() > end:
                raise Failure(f"{self.name} did not print \"{text}\" within {seconds} s:\n{self.tail()}")
            time.sleep(0.002)

    def end(self, number, seconds):
        """Sends a signal, waits for the end, and gives the exit code."""
        if self.is_running():
            self.process.send_signal(number)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise Failure(f"{self.name} still ran {seconds} s after signal {number}:\n{self.tail()}") from error

    def tail(self):
        return "\n".join(
            line for file in (self.output, self.errors) for line in file.read_text(errors="replace").splitlines()[-20:])


class CrashTest:
    def __init__(self, options):
        self.options = options
        self.dice = random.Random(options.seed)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="baize-crash-", dir=options.directory))
        self.journal = self.folder / "journal.sqlite"
        self.port = free_port(self.dice)
        self.children = []
        self.kills = self.stops = 0

    def program(self, name):
        return str(self.options.bin / name)

    def start(self, name, arguments):
        child = Child([self.program(name), *arguments], self.folder, name)
        self.children.append(child)
        return child

    def start_daemon(self):
        return self.start("baized", [
            "--listen", f"127.0.0.1:{self.port}", "--journal", str(self.journal), "--durability",
            self.options.durability, "--log-level", "warning"])

    def run(self):
        daemon = self.start_daemon()
        daemon.await_text(LISTENING, START_SECONDS)
        load = self.start("baize-load", [
            "--connect", f"127.0.0.1:{self.port}", "--reconnect", "--seed", str(self.options.seed),
            "--tables", str(self.options.tables), "--players", str(self.options.players),
            "--rate", str(self.options.rate)])
        load.await_text(PLAYING, START_SECONDS)
        while self.kills < self.options.kills:
            self.bring_down(daemon)
            if not load.is_running():
                raise Failure(f"baize-load ended by itself with {load.process.returncode}:\n{load.tail()}")
            daemon = self.start_daemon()
        daemon.await_text(LISTENING, START_SECONDS)
        time.sleep(1)
        code = load.end(signal.SIGTERM, SETTLE_SECONDS)
        report = load.text().splitlines()
        first = next((place for place, line in enumerate(report) if " operations to retry" in line), len(report))
        print("\n".join(report[first:]) or load.tail())
        if daemon.end(signal.SIGTERM, STOP_SECONDS) != 0:
            raise Failure(f"the daemon did not stop cleanly:\n{daemon.tail()}")
        return code

    def bring_down(self, daemon):
        """Stops the daemon at a random time: mostly while it serves, sometimes while it starts, and sometimes by SIGTERM."""
        chance = self.dice.random()
        if chance < 0.15:
            time.sleep(self.dice.uniform(0, 0.05))
        else:
            daemon.await_text(LISTENING, START_SECONDS)
            time.sleep(self.dice.uniform(0.02, 1.2))
        if chance >= 0.9:
            code = daemon.end(signal.SIGTERM, STOP_SECONDS)
            if code != 0:
                raise Failure(f"the daemon answered SIGTERM with {code}:\n{daemon.tail()}")
            self.stops += 1
        else:
            code = daemon.end(signal.SIGKILL, STOP_SECONDS)
            if code != -signal.SIGKILL:
                raise Failure(f"the daemon had ended by itself with {code}:\n{daemon.tail()}")
            self.kills += 1

    def replay(self):
        """Checks that every table's history in the journal leads to the stored snapshots."""
        listing = subprocess.run(
            [self.program("baized"), "tables", str(self.journal)], capture_output=True, text=True, check=False)
        if listing.returncode != 0:
            raise Failure(f"baized tables: {listing.stderr}")
        names = [word for line in listing.stdout.splitlines() for word in line.split()[:1] if "reconnect-" in word]
        if len(names) != self.options.tables:
            raise Failure(f"{self.options.tables} tables were played at, and the journal lists {len(names)}:\n{listing.stdout}")
        for name in names:
            replay = subprocess.run(
                [self.program("baized"), "replay", str(self.journal), name], capture_output=True, text=True, check=False)
            if replay.returncode != 0:
                raise Failure(f"baized replay {name}: {replay.stderr}\n{replay.stdout[-2000:]}")
        print(f"{len(names)} tables replayed from the journal")

    def clean_up(self, keep):
        for child in self.children:
            if child.is_running():
                child.process.kill()
                child.process.wait()
        if keep:
            print(f"journal and logs are in {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def free_port(dice):
    """Returns a port outside of the range for outgoing connections: a client that connects while nobody listens could
    otherwise be connected to itself, and occupy the daemon's port."""
    lowest = 32768
    try:
        lowest = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except OSError:
        pass
    for _ in range(100):
        port = dice.randrange(min(20000, lowest - 1000), lowest)
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise Failure("there is no free port")


def read_options():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0], epilog="Exit code: 0 if everything holds, 1 if not.")
    release = pathlib.Path(__file__).resolve().parent.parent / ".build" / "release"
    parser.add_argument("--kills", type=int, default=50, help="how often the daemon is killed (default: 50)")
    parser.add_argument("--seed", type=int, help="the seed of the times and of the clients' choices (default: random)")
    parser.add_argument("--bin", type=pathlib.Path, default=release, help="where the programs are (default: .build/release)")
    parser.add_argument("--directory", help="the directory of the journal (default: the system's temporary directory)")
    parser.add_argument(
        "--durability", choices=["strict", "relaxed", "memory"], help="the daemon's durability (default: strict; with --canary: memory)")
    parser.add_argument("--tables", type=int, default=8, help="tables (default: 8)")
    parser.add_argument("--players", type=int, default=3, help="players at each table (default: 3)")
    parser.add_argument("--rate", type=int, default=400, help="operations per second of each player (default: 400)")
    parser.add_argument("--canary", action="store_true", help="expect to lose operations")
    parser.add_argument("--keep", action="store_true", help="keep the journal and the logs")
    options = parser.parse_args()
    options.durability = options.durability or ("memory" if options.canary else "strict")
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1, 1_000_000)
    return options


def main():
    options = read_options()
    print(f"seed {options.seed}", flush=True)
    test = CrashTest(options)
    failed = True
    try:
        code = test.run()
        if code not in (0, 1):
            raise Failure("the clients could not run")
        print(f"{test.kills} kills, {test.stops} clean stops")
        if options.canary:
            failed = code == 0
            print("no lost operation was detected" if failed else "lost operations were detected, as expected")
        else:
            failed = code != 0
            test.replay()
    except Failure as failure:
        failed = True
        print(f"crash test: {failure}", file=sys.stderr)
    finally:
        test.clean_up(options.keep or (failed and not options.canary))
    print("failed" if failed else "passed", f"(seed {options.seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
