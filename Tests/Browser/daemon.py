"""A daemon in a process of its own, a way to it that can be cut, and one on which the page's files come from a folder."""

import pathlib
import re
import signal
import socket
import subprocess
import threading
import urllib.request

START_SECONDS_MAX = 600


def line_with(process, pattern):
    """Returns the match of the next line of a process that has one."""
    watchdog = threading.Timer(START_SECONDS_MAX, process.kill)
    watchdog.start()
    text = ""
    try:
        while line := process.stdout.readline():
            text += line
            if found := re.search(pattern, line):
                return found
    finally:
        watchdog.cancel()
    raise RuntimeError(f"no line with {pattern} in: {text}")


class Daemon:
    #: The folder from which the page's files come instead of the program, to try changes without a build.
    files = None

    def __init__(self, program, folder, *flags):
        self.program, self.folder, self.flags = program, pathlib.Path(folder), flags
        self.port = self.web_port = self.admin_port = self.own_port = 0
        self.front = None
        self.process = None
        self.start()

    def start(self):
        """Starts the daemon, with the ports and the journal of before."""
        self.process = subprocess.Popen(
            [self.program, "--listen", f"127.0.0.1:{self.port}", "--http", f"127.0.0.1:{self.own_port}", "--allow-seeds",
             "--admin", f"127.0.0.1:{self.admin_port}", "--admin-token-file", str(self.folder / "admin.token"), "--shards", "1",
             "--log-level", "error", "--journal", str(self.folder / "baize.sqlite"), *self.flags],
            stdout=subprocess.PIPE, text=True, bufsize=1)
        ports = {}
        while len(ports) < 3:
            name, port = line_with(self.process, r"(listening on|serves|operator at) \S+:(\d+)/?$").groups()
            ports[name] = int(port)
        self.port, self.own_port, self.admin_port = ports["listening on"], ports["serves"], ports["operator at"]
        if Daemon.files and not self.front:
            self.front = Front(self.own_port, Daemon.files)
        self.web_port = self.front.port if self.front else self.own_port

    @property
    def url(self):
        return f"http://127.0.0.1:{self.web_port}/"

    @property
    def admin_url(self):
        return f"http://127.0.0.1:{self.admin_port}/"

    @property
    def admin_token(self):
        return (self.folder / "admin.token").read_text().strip()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def pause(self):
        """The daemon is silent; its connections stay open."""
        self.process.send_signal(signal.SIGSTOP)

    def proceed(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        self.proceed()
        self.process.terminate()
        self.process.wait()


class Wire:
    """A TCP port that leads to another, until it is cut."""

    def __init__(self, port):
        self.target = port
        self.is_cut = False
        self.sockets = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                if self.is_cut:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            self.sockets |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def carry(self, one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass  # Cut, or closed by the other side.
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # Closed already.

    def cut(self):
        self.is_cut = True
        for one in list(self.sockets):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # Closed already.
        self.sockets.clear()

    def mend(self):
        self.is_cut = False

    def close(self):
        self.cut()
        self.listener.close()


class Front(Wire):
    """A TCP port that leads to a daemon's page, whose files come from a folder. One request a connection, or a WebSocket."""

    TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".json": "application/json"}

    BELOW = b"/below/a/path/"

    def __init__(self, port, folder):
        self.folder = pathlib.Path(folder)
        super().__init__(port)

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(near,), daemon=True).start()

    def answer(self, near):
        try:
            head = b""
            while b"\r\n\r\n" not in head:
                data = near.recv(65536)
                if not data:
                    return near.close()
                head += data
            # As a proxy that serves the page below a path.
            head = head.replace(b" " + self.BELOW, b" /", 1)
            path = head.split()[1].decode().split("?")[0]
            file = self.folder / (path.lstrip("/") or "index.html")
            if file.is_file():
                near.sendall(self.response(file))
                return near.close()
            far = socket.create_connection(("127.0.0.1", self.target))
            far.sendall(head)
        except OSError:
            return near.close()
        self.sockets |= {near, far}
        for one, other in ((near, far), (far, near)):
            threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def response(self, file):
        """The daemon's own fields, with another body."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.target}/") as own:
            kept = [(name, value) for name, value in own.getheaders() if name.lower() not in ("content-length", "content-type", "etag", "connection")]
        fields = [*kept, ("Content-Type", self.TYPES.get(file.suffix, "text/plain") + "; charset=utf-8"), ("Content-Length", file.stat().st_size), ("Connection", "close")]
        return b"HTTP/1.1 200 OK\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields).encode() + b"\r\n" + file.read_bytes()
