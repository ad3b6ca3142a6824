#!/usr/bin/python3
"""Checks the configurations for proxies: HAProxy and nginx accept theirs, and clients play through HAProxy's and nginx's TLS, over
TCP and over WebSocket, at a running daemon whose settings are those of baize.json. The daemon knows the clients' addresses, and
refuses who comes past the proxies without saying whose connection it is.

    deploy/check_proxy.py [BAIZED]

BAIZED is the program, by default the release build. Needs Debian's packages haproxy, nginx-light, libnginx-mod-stream, openssl,
python3-protobuf and protobuf-compiler. Everything is on loopback, at free ports.
"""

import base64
import contextlib
import hashlib
import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
CLIENT = os.path.join(ROOT, "Tests/ForeignClient/example.py")
sys.path.insert(0, os.path.dirname(CLIENT))
from example import baize  # noqa: E402: the messages of the protocol

TIMEOUT_SECONDS = 600
# The clients connect to the proxies from this address, and the proxies to the daemon from another.
CLIENTS_ADDRESS = "127.0.0.3"


def main():
    program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, ".build/release/baized"))
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)  # nginx's workers have a user of their own.
        key, chain, both = certificate(directory)
        for proxy in (haproxy, nginx):
            ports = Ports()
            with daemon(program, directory, ports) as log, proxy(directory, ports, key, chain, both):
                play(ports.secure, chain)
                log.expect(f"{CLIENTS_ADDRESS}:")
                open_web_socket(ports.secure_web, chain)
                log.expect("GET", "/ws", f"{CLIENTS_ADDRESS}:")
                expect_refusal(ports)
            print(f"{proxy.__name__}: ok")


class Ports:
    """Free ports: the daemon's, and the proxy's in front of them."""

    def __init__(self):
        self.tables, self.web, self.secure, self.secure_web = (free_port() for _ in range(4))


class Log:
    """The daemon's log, which goes to a file."""

    def __init__(self, path):
        self.path = path

    def expect(self, *words):
        """Waits for a line with all the words."""
        end = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < end:
            with open(self.path) as file:
                if any(all(word in line for word in words) for line in file):
                    return
            time.sleep(0.02)
        with open(self.path) as file:
            raise AssertionError(f"no line of the log has {words}:\n{file.read()}")


def certificate(directory):
    """Creates a certificate for localhost; returns the files of the key, of the chain, and of both."""
    key, chain, both = (os.path.join(directory, name) for name in ("baize.key", "baize.crt", "baize.pem"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", chain],
        check=True, stderr=subprocess.DEVNULL)
    with open(both, "w") as file:
        for part in (chain, key):
            with open(part) as source:
                file.write(source.read())
    return key, chain, both


@contextlib.contextmanager
def daemon(program, directory, ports):
    """Runs the daemon with the settings of baize.json, but for its addresses, its journal and its log; yields the log."""
    with open(os.path.join(HERE, "baize.json")) as file:
        settings = json.load(file)
    assert settings["closed"] and "open" not in settings, "joining through a proxy requires an invite"
    del settings["admin"]
    settings.update(
        listen=f"127.0.0.1:{ports.tables}", http=f"127.0.0.1:{ports.web}", proxyProtocol="127.0.0.1", journal=":memory:",
        logLevel="debug", logFormat="text")
    configuration = os.path.join(directory, "baize.json")
    with open(configuration, "w") as file:
        json.dump(settings, file)
    log = Log(os.path.join(directory, "baized.log"))
    with open(log.path, "w") as file:
        with running([program, "--config", configuration], stdout=subprocess.PIPE, stderr=file, text=True) as process:
            while not (line := process.stdout.readline()).startswith("baized listening on "):
                assert line, f"the daemon did not start: {log.path}"
            yield log


@contextlib.contextmanager
def haproxy(directory, ports, key, chain, both):
    configuration = adapted("haproxy.cfg", directory, {
        "maxconn 20000": "maxconn 100", "127.0.0.1:7777": f"127.0.0.1:{ports.tables}", "127.0.0.1:7780": f"127.0.0.1:{ports.web}",
        " :7443 ": f" 127.0.0.1:{ports.secure} ", " :443 ": f" 127.0.0.1:{ports.secure_web} ", "/etc/haproxy/baize.pem": both})
    subprocess.run(["haproxy", "-c", "-q", "-f", configuration], check=True)
    with running(["haproxy", "-db", "-f", configuration]):
        yield


@contextlib.contextmanager
def nginx(directory, ports, key, chain, both):
    configuration = adapted("nginx.conf", directory, {
        "connections 20000": "connections 100", "127.0.0.1:7777": f"127.0.0.1:{ports.tables}",
        "127.0.0.1:7780": f"127.0.0.1:{ports.web}", "listen 7443": f"listen 127.0.0.1:{ports.secure}",
        "listen 443": f"listen 127.0.0.1:{ports.secure_web}", "/etc/nginx/baize.crt": chain, "/etc/nginx/baize.key": key})
    words = ["nginx", "-c", configuration, "-g", f"daemon off; pid {directory}/nginx.pid; error_log stderr warn;"]
    subprocess.run(words + ["-t", "-q"], check=True)
    with running(words):
        yield


def adapted(name, directory, replacements):
    """Writes a copy of a configuration with addresses and files of this run; each must occur in it."""
    with open(os.path.join(HERE, name)) as file:
        text = file.read()
    # Comments say the same words.
    lines = [line for line in text.split("\n") if not line.lstrip().startswith("#")]
    text = "\n".join(lines)
    for old, new in replacements.items():
        assert old in text, f"{name} has no '{old}'"
        text = text.replace(old, new)
    path = os.path.join(directory, name)
    with open(path, "w") as file:
        file.write(text)
    return path


@contextlib.contextmanager
def running(words, **options):
    process = subprocess.Popen(words, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


def play(port, chain):
    """Lets the small client play through the proxy: a tunnel on loopback adds the TLS that it does not have."""
    context = ssl.create_default_context(cafile=chain)
    wait_for(port)
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=tunnel, args=(server, port, context), daemon=True).start()
        subprocess.run(
            ["/usr/bin/python3", CLIENT, "127.0.0.1:%d" % server.getsockname()[1]], check=True, timeout=TIMEOUT_SECONDS,
            stdout=subprocess.DEVNULL)


def connect(port, context):
    """Connects through a proxy's TLS."""
    plain = socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS, source_address=(CLIENTS_ADDRESS, 0))
    encrypted = context.wrap_socket(plain, server_hostname="localhost")
    assert encrypted.version() in ("TLSv1.2", "TLSv1.3"), encrypted.version()
    return encrypted


def open_web_socket(port, chain):
    """Loads the page, opens a WebSocket as a browser does, joins a table, and reads the snapshot."""
    wait_for(port)
    context = ssl.create_default_context(cafile=chain)
    with connect(port, context) as page:
        page.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        with page.makefile("rb") as stream:
            assert stream.read().startswith(b"HTTP/1.1 200 OK\r\n")
    key = base64.b64encode(os.urandom(16)).decode()
    with connect(port, context) as browser, browser.makefile("rb") as stream:
        lines = [
            "GET /ws HTTP/1.1", f"Host: localhost:{port}", f"Origin: https://localhost:{port}", "Connection: Upgrade",
            "Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}", "", ""]
        browser.sendall("\r\n".join(lines).encode())
        head = b"".join(iter(stream.readline, b"\r\n")).decode()
        accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        assert head.startswith("HTTP/1.1 101 ") and f"Sec-WebSocket-Accept: {accept}\r\n" in head, head
        hello = baize.ClientMessage(hello=baize.Hello(protocol=1, table="browser", table_type="kanban?columns=fixed&cards=3", name="Browser"))
        message, mask = hello.SerializeToString(), os.urandom(4)
        assert len(message) < 126
        browser.sendall(
            bytes([0x82, 0x80 | len(message)]) + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(message)))
        items = []
        while True:
            server_message = receive_frame(stream)
            if server_message.WhichOneof("body") == "snapshot":
                items += server_message.snapshot.items
                if server_message.snapshot.complete:
                    break
        assert len(items) == 3, items


def receive_frame(stream):
    """Receives one message of the daemon, in one frame of WebSocket that is not masked."""
    first, length = stream.read(2)
    assert first == 0x82, first
    if length >= 126:
        length = int.from_bytes(stream.read(2 if length == 126 else 8), "big")
    return baize.ServerMessage.FromString(stream.read(length))


def expect_refusal(ports):
    """Connects past the proxy, from an address that must say whose connection it is."""
    for port, answer in ((ports.tables, b"MALFORMED"), (ports.web, b"HTTP/1.1 400 ")):
        with socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS) as direct:
            direct.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with direct.makefile("rb") as stream:
                assert answer in stream.read()


def tunnel(server, port, context):
    while True:
        try:
            plain, _ = server.accept()
        except OSError:
            return
        encrypted = connect(port, context)
        for source, target in ((plain, encrypted), (encrypted, plain)):
            threading.Thread(target=copy, args=(source, target), daemon=True).start()


def copy(source, target):
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def wait_for(port):
    end = time.monotonic() + TIMEOUT_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


if __name__ == "__main__":
    main()
