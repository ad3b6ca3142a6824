"""A daemon in a process of its own, a way to it that can be cut, and one on which the page's files come from a folder."""

import gzip
import pathlib
import queue
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.request

import bundle

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
            except OSError:
                return
            if self.is_cut:
                near.close()
            else:
                threading.Thread(target=self.connect, args=(near,), daemon=True).start()

    def connect(self, near):
        try:
            far = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            return near.close()
        self.lead(near, far)

    def lead(self, near, far):
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


class SlowWire(Wire):
    """A TCP port that leads to another one far away: what is sent is under way for a while, and all share a narrow line."""

    def __init__(self, port, round_trip, bytes_per_second):
        self.delay, self.rate = round_trip / 2, bytes_per_second
        self.free = {False: 0.0, True: 0.0}
        self.lock = threading.Lock()
        self.received = 0
        super().__init__(port)

    def connect(self, near):
        time.sleep(2 * self.delay)  # The handshake of TCP, of which a proxy of ours sees nothing.
        super().connect(near)

    def lead(self, near, far):
        self.sockets |= {near, far}
        for one, other, is_down in ((near, far, False), (far, near, True)):
            parts = queue.Queue()
            threading.Thread(target=self.take, args=(one, parts, is_down), daemon=True).start()
            threading.Thread(target=self.bring, args=(parts, other), daemon=True).start()

    def take(self, one, parts, is_down):
        """Takes what is sent, and says when it arrives: the line carries one part after the other."""
        try:
            while data := one.recv(1400):
                with self.lock:
                    self.received += len(data) if is_down else 0
                    self.free[is_down] = arrival = max(self.free[is_down], time.monotonic()) + len(data) / self.rate
                parts.put((arrival + self.delay, data))
        except OSError:
            pass  # Cut, or closed by the other side.
        parts.put((0, None))

    def bring(self, parts, other):
        try:
            while (part := parts.get())[1] is not None:
                time.sleep(max(0, part[0] - time.monotonic()))
                other.sendall(part[1])
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # Cut, or closed by the other side.


class Front(Wire):
    """A TCP port that leads to a daemon's page, whose files come from a folder, and what is made of them is made anew."""

    TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".json": "application/json", ".png": "image/png"}

    BELOW = b"/below/a/path/"

    def __init__(self, port, folder):
        self.folder = pathlib.Path(folder)
        self.state = self.made = None
        self.tags = {}
        self.lock = threading.Lock()
        self.own_fields = None
        super().__init__(port)

    def connect(self, near):
        self.sockets.add(near)
        try:
            while True:
                head = b""
                while b"\r\n\r\n" not in head:
                    data = near.recv(65536)
                    if not data:
                        return near.close()
                    head += data
                # As a proxy that serves the page below a path.
                head = head.replace(b" " + self.BELOW, b" /", 1)
                # What a proxy of TCP says in front of it is for the daemon.
                response = self.response(head.decode()) if head.startswith(b"GET ") else None
                if response is None:
                    break
                near.sendall(response)
            far = socket.create_connection(("127.0.0.1", self.target))
            far.sendall(head)
        except OSError:
            return near.close()
        self.lead(near, far)

    def contents(self, path):
        """Returns a file's bytes, and whether they are packed."""
        if path == "types.json":
            # The daemon's own.
            with urllib.request.urlopen(f"http://127.0.0.1:{self.target}/{path}") as own:
                return own.read(), False
        folder, _, name = path.partition("/")
        if folder == "made":
            with self.lock:
                state = sorted((str(file), file.stat().st_mtime_ns) for file in self.folder.rglob("*.*"))
                if state != self.state:
                    self.state, self.made = state, bundle.make(self.folder)
            packed = self.made.get(f"{name}.gz")
            return (packed, True) if packed else (self.made.get(name), False)
        file = self.folder / path
        return (file.read_bytes() if file.is_file() else None, False)

    @property
    def fields(self):
        """The daemon's own header fields, without those of its file."""
        if self.own_fields is None:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.target}/") as own:
                dropped = ("content-length", "content-type", "content-encoding", "etag", "cache-control", "connection")
                self.own_fields = [(name, value) for name, value in own.getheaders() if name.lower() not in dropped]
        return self.own_fields

    def response(self, head):
        """The daemon's response to a request for a file, with the folder's contents; `None` for other requests."""
        path, _, query = head.split()[1].partition("?")
        path = path.lstrip("/") or "made/index.html"
        data, is_packed = self.contents(path)
        if data is None:
            return None
        tag = self.tags.get(data) or self.tags.setdefault(data, bundle.tag(data))
        control = "public, max-age=31536000, immutable" if query == tag else "no-cache"
        kind = self.TYPES.get(pathlib.Path(path).suffix, "text/plain")
        fields = [*self.fields, ("ETag", f'"{tag}"'), ("Cache-Control", control), ("Content-Type", f"{kind}; charset=utf-8")]
        if is_packed:
            fields.append(("Content-Encoding", "gzip"))
        is_known = f'if-none-match: "{tag}"' in head.lower()
        if not is_known:
            fields.append(("Content-Length", len(data)))
        line = "304 Not Modified" if is_known else "200 OK"
        return f"HTTP/1.1 {line}\r\n".encode() + "".join(f"{name}: {value}\r\n" for name, value in fields).encode() + b"\r\n" + (b"" if is_known else data)
