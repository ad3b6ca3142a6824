#!/usr/bin/python3
"""Checks the configurations for proxies: HAProxy and nginx accept theirs, and a client plays through HAProxy's and nginx's TLS at
a running daemon whose settings are those of baize.json.

    deploy/check_proxy.py [BAIZED]

BAIZED is the program, by default the release build. Needs Debian's packages haproxy, nginx-light, libnginx-mod-stream, openssl,
python3-protobuf and protobuf-compiler. Everything is on loopback, at free ports.
"""

import contextlib
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
TIMEOUT_SECONDS = 30


def main():
    program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, ".build/release/baized"))
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)  # nginx's workers have a user of their own.
        key, chain, both = certificate(directory)
        for proxy in (haproxy, nginx):
            port = free_port()
            with daemon(program, directory) as address, proxy(directory, address, port, key, chain, both):
                play(port, chain)
            print(f"{proxy.__name__}: ok")


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
def daemon(program, directory):
    """Runs the daemon with the settings of baize.json, but for its address and its journal; yields its address."""
    with open(os.path.join(HERE, "baize.json")) as file:
        settings = json.load(file)
    assert settings["closed"] and "open" not in settings, "joining through a proxy requires an invite"
    settings.update(listen="127.0.0.1:0", http="off", journal=":memory:")
    configuration = os.path.join(directory, "baize.json")
    with open(configuration, "w") as file:
        json.dump(settings, file)
    with running([program, "--config", configuration], stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().removeprefix("baized listening on ").strip()


@contextlib.contextmanager
def haproxy(directory, address, port, key, chain, both):
    configuration = adapted("haproxy.cfg", directory, {
        "maxconn 20000": "maxconn 100", "127.0.0.1:7777": address, ":7443": f"127.0.0.1:{port}", "/etc/haproxy/baize.pem": both})
    subprocess.run(["haproxy", "-c", "-q", "-f", configuration], check=True)
    with running(["haproxy", "-db", "-f", configuration]):
        yield


@contextlib.contextmanager
def nginx(directory, address, port, key, chain, both):
    configuration = adapted("nginx.conf", directory, {
        "connections 20000": "connections 100", "127.0.0.1:7777": address, "listen 7443": f"listen 127.0.0.1:{port}", "/etc/nginx/baize.crt": chain,
        "/etc/nginx/baize.key": key})
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


def tunnel(server, port, context):
    while True:
        try:
            plain, _ = server.accept()
        except OSError:
            return
        encrypted = context.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname="localhost")
        assert encrypted.version() in ("TLSv1.2", "TLSv1.3"), encrypted.version()
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
