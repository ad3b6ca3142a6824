#!/usr/bin/python3
"""Runs the commands of the documents as they stand there, in order, in this folder.

    Tests/commands.py            # all of them; needs port 7777, and no baize.sqlite in the folder
    Tests/commands.py --list     # prints them

A command must end with 0 (or with what EXIT_CODES allows), or still run after a while: a daemon, a demo, a measurement of
minutes. Daemons run until the end of their section, for the commands that follow; all others are interrupted. No command may
leave a process behind.
"""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# In the order in which a new user reads them: a later one uses what an earlier one has built and written.
DOCUMENTS = [
    "README.md", "Protocol/apps.md", "deploy/README.md", "Protocol/table-types.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md",
    "Tests/figures.md",
]
BLOCK_SECONDS = 10
TABLE_SECONDS = 3
BUILD_SECONDS = 3600
STOP_SECONDS = 600
LEFT_SECONDS = 600
# A daemon is waited for, since others need it: `swift run` may have to build it.
DAEMON = r"(?:swift run |\.build/release/)baized(?: --|$)"
PROGRAMS = r"(?:[A-Z_]+=\S+ )?(?:swift (?:run|test|build)|python3|Tests/|\.build|baize)"
# A game can end stuck. A measurement says so if the machine is not as quiet as its limits assume, or its plan.
EXIT_CODES = {"--until-won": (0, 3), "baize-lab": (0, 3), "baize-load": (0, 4)}


def commands():
    """Yields the section of each command, the command, and the seconds after which it may still run."""
    section, block = "", None
    for line in "\n".join((ROOT / path).read_text() for path in DOCUMENTS).splitlines():
        if line.startswith("```"):
            block = line[3:] if block is None else None
        elif block == "" and re.match(PROGRAMS + r"\S* ", line):
            command = re.sub(r"\s+# .*", "", line)
            yield section, command, seconds_of(command, BLOCK_SECONDS)
        elif block is None:
            if line.startswith(("# ", "## ")):
                section = line.lstrip("# ")
            for command in re.findall(r"`([^`]+)`", line):
                if re.match(r"\.build/\S+ |swift run ", command):
                    yield section, command, seconds_of(command, TABLE_SECONDS)


def seconds_of(command, otherwise):
    return BUILD_SECONDS if "swift build" in command or re.match(DAEMON, command) else otherwise


def default_signals():
    """What a command gets from an interactive shell. A script that runs in the background has SIGINT ignored, and passes that on."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


class Run:
    """A command in a session of its own."""

    def __init__(self, command):
        self.command = command
        self.output = tempfile.TemporaryFile()
        # The tests' build is the debug build here: the commands find it, and build nothing again. The variable does not begin with
        # BAIZE_, since daemons inherit it, and would refuse it.
        environment = os.environ | ({"PACKAGE_ALL_TRAITS": "1"} if re.match("swift (test|run baized)", command) else {})
        self.process = subprocess.Popen(
            ["bash", "-c", command], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=self.output, stderr=subprocess.STDOUT,
            start_new_session=True, preexec_fn=default_signals)

    def text(self):
        self.output.seek(0)
        return self.output.read().decode(errors="replace")

    def is_daemon(self):
        return "baized listening on" in self.text()

    def wait(self, seconds):
        """Returns whether it has ended or is a daemon that accepts connections."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None or self.is_daemon():
                return
            time.sleep(0.1)

    def stop(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                break
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                continue
        self.process.wait()

    def processes(self):
        """The ids of the running processes that the command has started, whatever group they are in."""
        for folder in pathlib.Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    # The name is in brackets, and may have spaces.
                    state, _, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
                except OSError:
                    continue
                if int(session) == self.process.pid and state != "Z":
                    yield int(folder.name)

    def left_behind(self):
        """Returns a failure if processes outlive the command, and ends them."""
        end = time.monotonic() + LEFT_SECONDS
        while (left := list(self.processes())) and time.monotonic() < end:
            time.sleep(0.1)
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return f"{len(left)} processes left" if left else None

    def failure(self):
        code = self.process.poll()
        allowed = next((codes for word, codes in EXIT_CODES.items() if word in self.command), (0,))
        return None if code is None or code in allowed else f"exit code {code}"


def stop(run):
    """Ends a command; returns the number of failures."""
    run.stop()
    failure = run.left_behind()
    if failure:
        print(f"{failure:14} {run.command}", flush=True)
    return 1 if failure else 0


def main():
    if sys.argv[1:] == ["--list"]:
        for section, command, seconds in commands():
            print(f"{section:24} {seconds:5} {command}")
        return
    journals = [ROOT / f"baize.sqlite{suffix}" for suffix in ("", "-wal", "-shm")]
    if any(file.exists() for file in journals):
        sys.exit("Tests/commands.py: baize.sqlite is in the way")
    subprocess.run(["swift", "build", "--build-tests", "--enable-all-traits"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    count, failures, section, daemons = 0, 0, None, []
    try:
        for now, command, seconds in commands():
            if now != section:
                section = now
                failures += sum(stop(daemon) for daemon in daemons)
                daemons.clear()
            run = Run(command)
            run.wait(seconds)
            failure = run.failure()
            count, failures = count + 1, failures + bool(failure)
            still = "runs" if run.process.poll() is None else "ends"
            print(f"{failure or still:14} {command}", flush=True)
            if failure:
                print(run.text()[-2000:])
            if failure is None and run.is_daemon():
                daemons.append(run)
            else:
                failures += stop(run)
    finally:
        failures += sum(stop(daemon) for daemon in daemons)
        for file in journals:
            file.unlink(missing_ok=True)
    print(f"{count} commands, {failures} failed")
    sys.exit(1 if failures or not count else 0)


if __name__ == "__main__":
    main()
