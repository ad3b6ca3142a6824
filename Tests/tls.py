#!/usr/bin/python3
"""Checks TLS in the daemon with other programs, and measures it.

    Tests/tls.py [--bin FOLDER] [--connections N]

FOLDER has baized, baize-bot and baize-load, built with the trait OpenSSL (by default the debug build). Checks: openssl s_client,
curl, Python's ssl, Chromium and the Swift client connect over TLS 1.2 and 1.3; who cannot is told why; N clients (1,000) reconnect at once;
a handshake is no work of the threads that have tables; a reload under load drops nobody, and new connections get the new certificate.
Measures: turns while N connections only make a handshake; memory per connection beside plain. Ends with 3 if only the time of turns is
above its limit, which assumes a quiet machine. Needs Debian's curl, openssl, chromium and chromium-driver. Everything is on loopback.
"""

import argparse
import contextlib
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "Tests/Browser"), os.path.join(ROOT, "Tests")]

from page import Page  # noqa: E402
from webdriver import Browser, Driver  # noqa: E402

TIMEOUT_SECONDS = 600
# A turn's time at the 99th percentile while others make handshakes.
TURN_SECONDS_MAX = 0.005
# Of fewer, what the process takes by chance would be a part of each.
MEMORY_CONNECTIONS_MIN = 500
# What TLSLimits.connectionBytes charges.
CONNECTION_KIBIBYTES_MAX = 20
# One of the clients has an old version on purpose.
warnings.simplefilter("ignore", DeprecationWarning)
TOKEN = "an-operator-of-this-test"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, ".build/debug"))
    parser.add_argument("--connections", type=int, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        make_certificate(folder)
        with Daemon(arguments.bin, folder) as daemon:
            others(daemon)
            failures(daemon)
            chromium(daemon)
            swift_client(arguments.bin, daemon)
            reload(arguments.bin, daemon)
            storm(daemon, arguments.connections)
            seconds = only_handshakes(arguments.bin, daemon, arguments.connections)
            with Daemon(arguments.bin, folder, secure=False) as plain:
                division(daemon, plain, arguments.connections)
                memory(arguments.bin, folder, plain, max(arguments.connections, MEMORY_CONNECTIONS_MIN))
    if seconds > TURN_SECONDS_MAX:
        print(f"turns took more than {TURN_SECONDS_MAX * 1000:.0f} ms beside handshakes", file=sys.stderr)
        sys.exit(3)


def make_certificate(folder, names="DNS:localhost,IP:127.0.0.1"):
    run(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
        "-subj", "/CN=test", "-addext", f"subjectAltName={names}",
        "-keyout", f"{folder}/key.new", "-out", f"{folder}/certificate.new",
    )  # fmt: skip
    # Both at once, as far as files allow it: a reload in between would find a key of another certificate, and change nothing.
    for name in ("key", "certificate"):
        os.replace(f"{folder}/{name}.new", f"{folder}/{name}.pem")


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, **options).stdout


class Daemon:
    """A daemon that ends with the block."""

    def __init__(self, programs, folder, secure=True, flags=()):
        self.folder, self.log_path = folder, os.path.join(folder, f"log-{secure}")
        command = [os.path.join(programs, "baized"), "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0"]
        command += ["--durability", "memory", "--operations-per-second-max", "0", "--connections-per-address-max", "100000"]
        command += flags
        if secure:
            command += ["--tls-certificate", f"{folder}/certificate.pem", "--tls-key", f"{folder}/key.pem"]
        with open(self.log_path, "w", encoding="utf-8") as log:
            environment = os.environ | {"BAIZE_ADMIN_TOKEN": TOKEN}
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
        self.output = ""

    def __enter__(self):
        for line in self.process.stdout:
            self.output += line
            if line.startswith("baized listening on "):
                break
        self.tables = self.address(r"baized listening on (\S+)")
        self.web = self.address(r"baized serves https?://(\S+)/")
        self.admin = self.address(r"baized serves the operator at http://(\S+)/")
        return self

    def address(self, pattern):
        host, port = re.search(pattern, self.output).group(1).rsplit(":", 1)
        return host, int(port)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(TIMEOUT_SECONDS) == 0, "the daemon did not stop cleanly"

    def metrics(self):
        request = urllib.request.Request(
            "http://%s:%d/metrics" % self.admin, headers={"Authorization": f"Bearer {TOKEN}"})
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            lines = [line for line in answer.read().decode().splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}

    def allocated(self):
        """Returns what the daemon has allocated, in bytes."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("RssAnon:"))

    def processor_time(self):
        """Returns the processor time of threads in nanoseconds, by the first word of their names."""
        tasks, times = f"/proc/{self.process.pid}/task", {}
        for task in os.listdir(tasks):
            with contextlib.suppress(FileNotFoundError):
                with open(f"{tasks}/{task}/comm", encoding="utf-8") as comm, open(f"{tasks}/{task}/schedstat", encoding="utf-8") as times_of:
                    name = comm.read().split()[0]
                    times[name] = times.get(name, 0) + int(times_of.read().split()[0])
        return times

    def log(self):
        with open(self.log_path, encoding="utf-8") as log:
            return log.read()

    def context(self, version=None):
        context = ssl.create_default_context(cafile=f"{self.folder}/certificate.pem")
        if version:
            context.minimum_version = context.maximum_version = version
        return context

    def connect(self, context=None, address=None, name="localhost", session=None):
        plain = socket.create_connection(address or self.tables, timeout=TIMEOUT_SECONDS)
        return (context or self.context()).wrap_socket(plain, server_hostname=name, session=session)


def eventually(condition, what):
    end = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def others(daemon):
    """Programs that are not ours."""
    url = "https://localhost:%d/" % daemon.web[1]
    for version, flag in (("TLSv1.2", "-tls1_2"), ("TLSv1.3", "-tls1_3")):
        where = "%s:%d" % daemon.tables
        said = run("openssl", "s_client", "-connect", where, flag, "-alpn", "baize", "-CAfile",
                   f"{daemon.folder}/certificate.pem", "-verify_return_error", input="")  # fmt: skip
        assert version in said and "ALPN protocol: baize" in said and "Verify return code: 0 (ok)" in said, said
        with daemon.connect(daemon.context(getattr(ssl.TLSVersion, version.replace(".", "_")))) as connection:
            assert connection.version() == version
    page = run("curl", "-sS", "--cacert", f"{daemon.folder}/certificate.pem", url)
    assert "<html" in page.lower(), page
    # A ticket makes the next handshake a short one, after a reload too.
    context = daemon.context(ssl.TLSVersion.TLSv1_2)
    with daemon.connect(context) as connection:
        session = connection.session
    with daemon.connect(context, session=session) as connection:
        assert connection.session_reused
    print("openssl s_client, curl and Python's ssl: ok")


def chromium(daemon):
    """The page, and its WebSocket, from the daemon's own TLS: refused where the certificate is not trusted, and used by two where it is."""
    url = "https://localhost:%d/" % daemon.web[1]
    driver = Driver()
    browsers = []
    try:
        browsers.append(Browser(driver))
        browsers[0].open(url)
        browsers[0].until("return document.body.innerText.includes('ERR_CERT_AUTHORITY_INVALID')", what="a refused certificate")
        browsers += [Browser(driver, trusts_all=True) for _ in range(2)]
        ada, bo = (Page(browser, url) for browser in browsers[1:])
        table = ada.create("kanban?columns=fixed", "Ada")
        bo.join(table, "Bo")
        ada.add("one", "two")
        bo.until_order(todo=["one", "two"])
        bo.drag(bo.item("one"), bo.place("done"))
        for page in (ada, bo):
            page.until_order(todo=["two"], done=["one"])
        # Nothing went past TLS.
        for browser in browsers[1:]:
            assert browser.run("return location.protocol + isSecureContext") == "https:true"
            asked = browser.requests()
            assert any(one.startswith("wss://") for one in asked) and not any(re.match("(http|ws)://", one) for one in asked), asked
        print("Chromium: ok")
    finally:
        for browser in browsers:
            browser.close()
        driver.stop()


def failures(daemon):
    """Who cannot connect is told why, and so is the operator."""
    plain = run("curl", "-sS", "http://localhost:%d/" % daemon.web[1])
    assert "https, not http" in plain, plain
    with socket.create_connection(daemon.tables, timeout=TIMEOUT_SECONDS) as connection:
        connection.sendall(b"\x05hello")
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert b"this port needs TLS" in answer, answer
    for change, words in (
        (lambda context: context.set_alpn_protocols(["h2"]), "no.application.protocol"),
        (lambda context: setattr(context, "maximum_version", ssl.TLSVersion.TLSv1_1), "version|protocol|NO_CIPHERS"),
    ):
        context = daemon.context()
        context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        change(context)
        try:
            daemon.connect(context).close()
            raise AssertionError("a client that speaks something else was accepted")
        except (ssl.SSLError, ConnectionError) as error:
            assert re.search(words, str(error), re.IGNORECASE), error
    eventually(lambda: "the client does not use TLS, which this port needs" in daemon.log(), daemon.log())
    print("those who cannot connect: ok")


def bot(programs, daemon, *flags, name="localhost", authorities=None):
    return [
        os.path.join(programs, "baize-bot"), "--connect", f"{name}:{daemon.tables[1]}",
        "--tls-ca", authorities or f"{daemon.folder}/certificate.pem", "--quiet", *flags,
    ]  # fmt: skip


def swift_client(programs, daemon):
    run(*bot(programs, daemon, "--table", "tls", "--type", "klondike", "--rate", "0", "--for", "5"))
    assert daemon.metrics()['baize_operations_total{verdict="accepted"}'] > 0
    print("the Swift client plays: ok")


def certificate_of(daemon):
    return ssl.get_server_certificate(daemon.tables, timeout=TIMEOUT_SECONDS)


def reload(programs, daemon):
    """A reload under load drops nobody."""
    with daemon.connect(daemon.context()) as waiting:
        load = subprocess.Popen(
            bot(programs, daemon, "--table", "load", "--type", "list?items=50", "--count", "8", "--rate", "100", "--for", "6"),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
        eventually(lambda: daemon.metrics()["baize_members"] >= 8, "the bots do not join")
        before, established = certificate_of(daemon), daemon.metrics()['baize_tls_handshakes_total{outcome="established"}']
        for number in range(1, 6):
            make_certificate(daemon.folder)
            daemon.process.send_signal(signal.SIGHUP)
            eventually(lambda n=number: daemon.log().count("the certificate is new") == n, daemon.log())
        assert certificate_of(daemon) != before
        eventually(lambda: daemon.metrics()['baize_tls_handshakes_total{outcome="established"}'] == established + 1, "counted")
        said, _ = load.communicate(timeout=TIMEOUT_SECONDS)
        assert load.returncode in (0, 3) and "lost the connection" not in said, said
        waiting.settimeout(0.1)
        with contextlib.suppress(TimeoutError):
            assert waiting.recv(1) != b"", "a connection that does nothing was closed"
    os.replace(f"{daemon.folder}/key.pem", f"{daemon.folder}/key.kept")
    daemon.process.send_signal(signal.SIGHUP)
    eventually(lambda: "SIGHUP: nothing has changed: " in daemon.log(), daemon.log())
    os.replace(f"{daemon.folder}/key.kept", f"{daemon.folder}/key.pem")
    print("five reloads under load: nobody was dropped")


def parallel(count, body):
    threads = [threading.Thread(target=body, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT_SECONDS)


def storm(daemon, count):
    """All clients lose their connections and come back at once."""
    context = daemon.context()
    connections = [daemon.connect(context) for _ in range(count)]
    for connection in connections:
        connection.close()
    back = []
    start = time.monotonic()
    parallel(50, lambda _: back.extend(daemon.connect(context) for _ in range(count // 50)))
    seconds = time.monotonic() - start
    assert len(back) == count // 50 * 50, f"{len(back)} of {count} came back"
    for connection in back:
        connection.close()
    print(f"{len(back)} reconnects at once: all within {seconds:.1f} s")


def only_handshakes(programs, daemon, count):
    """Handshakes and nothing else, while others play."""
    load = subprocess.Popen(
        bot(programs, daemon, "--table", "turns", "--type", "list?items=50", "--count", "4", "--rate", "50", "--for", "8"),
        stdout=subprocess.DEVNULL)  # fmt: skip
    eventually(lambda: daemon.metrics()["baize_members"] >= 4, "the bots do not join")
    context, before, start = daemon.context(), daemon.metrics(), time.monotonic()
    parallel(50, lambda _: [daemon.connect(context).close() for _ in range(count // 50)])
    seconds, after = time.monotonic() - start, daemon.metrics()
    load.wait(TIMEOUT_SECONDS)
    made = after['baize_tls_handshakes_total{outcome="established"}'] - before['baize_tls_handshakes_total{outcome="established"}']
    turns = after["baize_turn_seconds_count"] - before["baize_turn_seconds_count"]
    p99 = next(
        limit for limit, name in sorted(buckets(after)) if after[name] - before[name] >= 0.99 * turns)
    print(f"{made:.0f} handshakes in {seconds:.1f} s; {turns:.0f} turns meanwhile, p99 at most {p99 * 1000:.2f} ms")
    return p99


def buckets(metrics):
    for name in metrics:
        found = re.fullmatch(r'baize_turn_seconds_bucket\{le="(.+)"\}', name)
        if found:
            yield float(found.group(1).replace("+Inf", "inf")), name


def division(daemon, plain, count):
    """The work of handshakes is that of a thread of their own: to the shards, a connection with TLS is like another."""

    def each(daemon, connect):
        """Returns the processor time in microseconds for a connection: of the shards, and of the thread of handshakes."""
        # The first connections are not typical.
        for _ in range(10):
            connect().close()
        before = daemon.processor_time()
        for _ in range(count):
            connect().close()
        eventually(lambda: daemon.metrics()["baize_connections"] == 0, "the connections do not end")
        after = daemon.processor_time()
        return [(after.get(name, 0) - before.get(name, 0)) / count / 1000 for name in ("shard", "tls")]

    context = daemon.context()
    shards, handshakes = each(daemon, lambda: daemon.connect(context))
    shards_plain, _ = each(plain, lambda: socket.create_connection(plain.tables, timeout=TIMEOUT_SECONDS))
    print(f"a handshake takes {handshakes:.0f} µs of its thread; a connection, of a shard, {shards:.0f} µs with TLS, "
          f"{shards_plain:.0f} µs without")  # fmt: skip
    assert shards - shards_plain < handshakes / 2, "the shards take part in handshakes"


def memory(programs, folder, plain, count):
    """The daemon's memory for each connection that does nothing."""

    def each(daemon, connect):
        before = daemon.allocated()
        connections = [connect() for _ in range(count)]
        eventually(lambda: daemon.metrics()["baize_connections"] >= count, "the connections are not there")
        after = daemon.allocated()
        for connection in connections:
            connection.close()
        return (after - before) / count / 1024

    without = each(plain, lambda: socket.create_connection(plain.tables, timeout=TIMEOUT_SECONDS))
    with Daemon(programs, folder) as fresh:
        context = fresh.context()
        encrypted = each(fresh, lambda: fresh.connect(context))
    print(f"memory per connection: {encrypted:.1f} KiB with TLS, {without:.1f} KiB without")
    assert encrypted < CONNECTION_KIBIBYTES_MAX, "more than is charged for a connection with TLS"


if __name__ == "__main__":
    main()
