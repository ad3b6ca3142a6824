#!/usr/bin/python3
"""Checks baized.service: systemd accepts it, it grants the daemon few rights, and the daemon runs with its command line:
it reports readiness, stops cleanly, and starts again on the same journal.

    deploy/check.py [BAIZED]

BAIZED is the program, by default the release build. Needs systemd-analyze (Debian's package systemd). Uses a temporary
state directory, and other ports if 7777, 7780 or 7781 are taken.
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
# The maximum rating by `systemd-analyze security`, in tenths: 0 is a service without any rights.
EXPOSURE_MAX = 20
TIMEOUT_SECONDS = 600


def main():
    root = os.path.dirname(HERE)
    program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(root, ".build/release/baized"))
    if not os.access(program, os.X_OK):
        sys.exit(f"{program} is not a program; build it with: swift build -c release --product baized")
    with tempfile.TemporaryDirectory() as directory:
        verify(program, directory)
        for _ in range(2):
            run(command(program, directory), directory)
        for name in ("baize.sqlite", "admin.token"):
            mode = os.stat(os.path.join(directory, "baize", name)).st_mode
            assert stat.S_IMODE(mode) == 0o600, f"others may read {name}"
    print("deploy/baized.service: ok")


def verify(program, directory):
    """Verifies the unit with the path of the built program, since systemd checks that it exists."""
    unit = os.path.join(directory, "baized.service")
    with open(UNIT) as file, open(unit, "w") as copy:
        copy.write(file.read().replace(INSTALLED, program))
    verdict = subprocess.run(["systemd-analyze", "verify", unit], stderr=subprocess.PIPE, text=True)
    # It prints what it does not understand, and still exits with 0.
    if verdict.returncode != 0 or verdict.stderr:
        sys.exit(f"systemd-analyze verify: {verdict.stderr.strip()}")
    subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MAX}", "--no-pager", unit],
        check=True, stdout=subprocess.DEVNULL)


def command(program, directory):
    """Returns the unit's command line, with `%S` in the temporary directory."""
    with open(UNIT) as file:
        start = next(line for line in file if line.startswith("ExecStart="))
    words = shlex.split(start.removeprefix("ExecStart=").replace("%S", directory))
    assert words[0] == INSTALLED, words
    for port in (7777, 7780, 7781):
        assert f"127.0.0.1:{port}" in words, words
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                print(f"port {port} is taken: using another")
                words = [word.replace(f"127.0.0.1:{port}", "127.0.0.1:0") for word in words]
    return [program] + words[1:]


def run(words, directory):
    """Starts and stops the daemon, with a service manager's socket."""
    state = os.path.join(directory, "baize")
    os.makedirs(state, mode=0o700, exist_ok=True)
    name = os.path.join(directory, "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(name)
        manager.settimeout(TIMEOUT_SECONDS)
        environment = {"NOTIFY_SOCKET": name, "PATH": os.environ["PATH"]}
        daemon = subprocess.Popen(words, cwd=state, env=environment, umask=0o077)
        try:
            lines = manager.recv(4096).decode().split("\n")
            assert lines[0] == "READY=1", lines
            host, port = lines[1].removeprefix("STATUS=Listening on ").rsplit(":", 1)
            socket.create_connection((host, int(port)), TIMEOUT_SECONDS).close()
            daemon.send_signal(signal.SIGTERM)
            assert manager.recv(4096).decode().startswith("STOPPING=1")
            assert daemon.wait(TIMEOUT_SECONDS) == 0, "it did not stop cleanly"
        finally:
            daemon.kill()
            daemon.wait()
    os.unlink(name)


if __name__ == "__main__":
    main()
