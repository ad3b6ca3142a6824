#!/usr/bin/python3
"""Checks baized.service: that systemd understands it, that it lets the daemon have little, and that the daemon runs with
its very command line: ready when it says so, stopped cleanly, and ready again on the same journal.

    deploy/check.py [BAIZED]

BAIZED is the program, by default the release build. Needed is systemd-analyze, of Debian's package systemd. The state
directory is a temporary one; if port 7777 is taken, another is used, and that is said.
"""

import os
import shlex
import signal
import socket
import stat
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
UNIT = os.path.join(HERE, "baized.service")
INSTALLED = "/usr/bin/baized"
# As `systemd-analyze security` rates it, in tenths: 0 is a service that may do nothing.
EXPOSURE_MOST = 20
PATIENCE_SECONDS = 30


def main():
    root = os.path.dirname(HERE)
    program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(root, ".build/release/baized"))
    if not os.access(program, os.X_OK):
        sys.exit(f"{program} is no program; build it by: swift build -c release --product baized")
    with tempfile.TemporaryDirectory() as directory:
        verify(program, directory)
        for _ in range(2):
            run(command(program, directory), directory)
        journal = os.stat(os.path.join(directory, "baize/baize.sqlite"))
        assert stat.S_IMODE(journal.st_mode) == 0o600, "others may read the journal"
    print("deploy/baized.service: ok")


def verify(program, directory):
    """The unit with the program where it was built, since systemd looks whether it is there."""
    unit = os.path.join(directory, "baized.service")
    with open(UNIT) as file, open(unit, "w") as copy:
        copy.write(file.read().replace(INSTALLED, program))
    verdict = subprocess.run(["systemd-analyze", "verify", unit], stderr=subprocess.PIPE, text=True)
    # What it does not understand it complains of, and calls a success.
    if verdict.returncode != 0 or verdict.stderr:
        sys.exit(f"systemd-analyze verify: {verdict.stderr.strip()}")
    subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MOST}", "--no-pager", unit],
        check=True, stdout=subprocess.DEVNULL)


def command(program, directory):
    """What the unit starts, with `%S` in the temporary directory."""
    with open(UNIT) as file:
        start = next(line for line in file if line.startswith("ExecStart="))
    words = shlex.split(start.removeprefix("ExecStart=").replace("%S", directory))
    assert words[0] == INSTALLED, words
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", 7777))
        except OSError:
            print("port 7777 is taken: any other is used")
            words = [word.replace("127.0.0.1:7777", "127.0.0.1:0") for word in words]
    return [program] + words[1:]


def run(words, directory):
    """Once from the start to the clean end, with the ear of a service manager."""
    state = os.path.join(directory, "baize")
    os.makedirs(state, mode=0o700, exist_ok=True)
    name = os.path.join(directory, "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(name)
        manager.settimeout(PATIENCE_SECONDS)
        environment = {"NOTIFY_SOCKET": name, "PATH": os.environ["PATH"]}
        daemon = subprocess.Popen(words, cwd=state, env=environment, umask=0o077)
        try:
            lines = manager.recv(4096).decode().split("\n")
            assert lines[0] == "READY=1", lines
            host, port = lines[1].removeprefix("STATUS=Listening on ").rsplit(":", 1)
            socket.create_connection((host, int(port)), PATIENCE_SECONDS).close()
            daemon.send_signal(signal.SIGTERM)
            assert manager.recv(4096).decode().startswith("STOPPING=1")
            assert daemon.wait(PATIENCE_SECONDS) == 0, "it did not end cleanly"
        finally:
            daemon.kill()
            daemon.wait()
    os.unlink(name)


if __name__ == "__main__":
    main()
