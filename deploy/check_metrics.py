#!/usr/bin/python3
"""Checks what watches the daemon: promtool accepts the metrics, prometheus.yml and its alerts, a Prometheus with that file
scrapes a daemon under load, and every query of the dashboard and every alert finds its metrics.

    deploy/check_metrics.py [BAIZED]

BAIZED is the program, by default the release build; baize-load is beside it. Needs Debian's package prometheus. Everything is
on loopback, at free ports.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
TIMEOUT_SECONDS = 600
# The range in place of Grafana's own, which covers several scrapes of one second.
RANGE = "10s"
NAME = re.compile(r"\b(?:baize|process)_[a-z_]+|\bup\b")


def main():
    program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, ".build/release/baized"))
    with tempfile.TemporaryDirectory() as directory:
        token = os.path.join(directory, "token")
        daemon = subprocess.Popen(
            [program, "--listen", "127.0.0.1:0", "--http", "off", "--admin", "127.0.0.1:0", "--admin-token-file", token,
             "--log-level", "error", "--journal", os.path.join(directory, "journal")], stdout=subprocess.PIPE, text=True)
        prometheus = load = None
        try:
            admin = daemon.stdout.readline().strip().removeprefix("baized serves the operator at ").rstrip("/")
            address = daemon.stdout.readline().strip().removeprefix("baized listening on ")
            load = subprocess.Popen(
                [os.path.join(os.path.dirname(program), "baize-load"), "run", "--connect", address, "--tables", "8",
                 "--players", "4", "--type", "kanban?cards=20", "--window", "1", "--seconds", "6", "--seed", "1"], stdout=subprocess.DEVNULL)
            port = free_port()
            prometheus = start(directory, port, admin.removeprefix("http://"), token)
            api = f"http://127.0.0.1:{port}/api/v1/query"
            until(lambda: ask(api, f'count_over_time(up{{job="baized"}}[1m]) > 5'), "scrapes")
            page = scrape(admin, token)
            subprocess.run(["promtool", "check", "metrics"], input=page, text=True, check=True)
            check(api, page)
            assert load.wait(TIMEOUT_SECONDS) == 0, "the load has failed"
        finally:
            for process in (load, prometheus, daemon):
                if process and process.poll() is None:
                    process.terminate()
                    process.wait()
    print("metrics, prometheus.yml, alerts and dashboard: ok")


def start(directory, port, admin, token):
    """Starts a Prometheus with prometheus.yml, but for the address, the token's file and the interval."""
    for name in ("prometheus.yml", "baize-alerts.yml"):
        with open(os.path.join(HERE, name)) as file, open(os.path.join(directory, name), "w") as copy:
            text = file.read()
            for old, new in ((("127.0.0.1:7781", admin), ("/etc/prometheus/baize-admin.token", token), ("15s", "1s"))
                             if name == "prometheus.yml" else ()):
                assert old in text, f"{old} is not in {name}"
                text = text.replace(old, new)
            copy.write(text)
    configuration = os.path.join(directory, "prometheus.yml")
    subprocess.run(["promtool", "check", "config", configuration], check=True, stdout=subprocess.DEVNULL)
    return subprocess.Popen(
        ["prometheus", f"--config.file={configuration}", f"--storage.tsdb.path={directory}/data",
         f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"])


def check(api, page):
    """Runs all queries. One finds something unless none of its metrics has a value yet, such as the refusals."""
    known = set(re.findall(r"^# TYPE (\S+)", page, re.M)) | {"up"}
    filled = set(re.findall(r"^([a-z_]+)[{ ]", page, re.M)) | {"up"}
    used = set()
    for text in queries():
        names = set(NAME.findall(text))
        used |= names
        for name in names:
            family = re.sub(r"_(bucket|sum|count)$", "", name)
            assert family in known or name in known, f"there is no metric {name}: {text}"
        text = text.replace("$__rate_interval", RANGE)
        if names & filled and not any(operator in text for operator in ("==", ">")):
            assert until(lambda: ask(api, text), text), text
        else:
            ask(api, text)
    unwatched = {name for name in known if name.startswith("baize_")} - {re.sub(r"_bucket$", "", name) for name in used}
    print(f"not on the dashboard: {', '.join(sorted(unwatched))}")


def queries():
    with open(os.path.join(HERE, "grafana-dashboard.json")) as file:
        dashboard = json.load(file)
    yield from (target["expr"] for panel in dashboard["panels"] for target in panel["targets"])
    with open(os.path.join(HERE, "baize-alerts.yml")) as file:
        yield from re.findall(r"^\s+expr: (.*)$", file.read(), re.M)


def ask(api, query):
    """Returns the result of a query; nothing while Prometheus starts."""
    try:
        with urllib.request.urlopen(f"{api}?{urllib.parse.urlencode({'query': query})}", timeout=TIMEOUT_SECONDS) as answer:
            return json.load(answer)["data"]["result"]
    except urllib.error.HTTPError as error:
        if error.code == 503:
            return []
        raise AssertionError(f"{query}: {error.read().decode()}") from None
    except urllib.error.URLError:
        return []


def scrape(admin, token):
    with open(token) as file:
        request = urllib.request.Request(f"{admin}/metrics", headers={"Authorization": f"Bearer {file.read().strip()}"})
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
        return answer.read().decode()


def until(condition, what):
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while True:
        if value := condition():
            return value
        assert time.monotonic() < deadline, f"still waiting for: {what}"
        time.sleep(0.1)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


if __name__ == "__main__":
    main()
