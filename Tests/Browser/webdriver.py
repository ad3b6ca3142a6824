"""Drives Chromium over the WebDriver HTTP protocol, with the standard library alone."""

import base64
import contextlib
import json
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
WAIT_SECONDS_MAX = 600
ANSWER_SECONDS_MAX = 600


class BrowserError(Exception):
    """The driver refused a command, or something did not happen in time."""


class Driver:
    """A chromedriver of its own, on a free port."""

    def __init__(self):
        self.log = tempfile.TemporaryFile()
        program = shutil.which("chromedriver") or "/usr/bin/chromedriver"
        self.process = subprocess.Popen([program, "--port=0"], stdout=subprocess.PIPE, stderr=self.log)
        while True:
            line = self.process.stdout.readline().decode()
            if not line:
                raise BrowserError("chromedriver does not start")
            if "successfully on port" in line:
                self.port = int(line.rsplit("port", 1)[1].strip().rstrip("."))
                return

    def call(self, method, path, body=None):
        data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_SECONDS_MAX) as answer:
                return json.loads(answer.read())["value"]
        except urllib.error.HTTPError as error:
            raise BrowserError(json.loads(error.read())["value"]["message"].splitlines()[0]) from None

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Browser:
    """A Chromium with a profile of its own, and one window."""

    def __init__(self, driver, width=1024, height=768, dark=False, touch=False, reduced=False, trusts_all=False):
        self.driver = driver
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     f"--window-size={width},{height}", "--hide-scrollbars", "--force-color-profile=srgb"]
        if touch:
            arguments.append("--touch-events=enabled")
        if reduced:
            arguments.append("--force-prefers-reduced-motion")
        capabilities = {
            "browserName": "chrome",
            "acceptInsecureCerts": trusts_all,
            "goog:chromeOptions": {"args": arguments, "binary": shutil.which("chromium") or "/usr/bin/chromium"},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        answer = driver.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.path = f"/session/{answer['sessionId']}"
        scheme = "dark" if dark else "light"
        self.devtools("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"}]})
        self.resize(width, height, touch)

    def call(self, method, path, body=None):
        return self.driver.call(method, self.path + path, body)

    def devtools(self, command, parameters=None):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters or {}})

    def resize(self, width, height, touch=False):
        self.devtools("Emulation.setDeviceMetricsOverride",
                      {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch})
        if touch:
            self.devtools("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """Runs a script in the page; `return` gives its result."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def until(self, script, *arguments, what=None):
        """Waits until a script returns something true, and returns it."""
        deadline = time.monotonic() + WAIT_SECONDS_MAX
        while True:
            value = self.run(script, *arguments)
            if value:
                return value
            if time.monotonic() > deadline:
                raise BrowserError(f"still waiting: {what or script}")
            time.sleep(0.02)

    def network(self, is_online):
        self.devtools("Network.enable")
        self.devtools("Network.emulateNetworkConditions", {
            "offline": not is_online, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

    @contextlib.contextmanager
    def slow_motion(self):
        """Lets animations run so slowly that they seem to stand."""
        self.devtools("Animation.enable")
        self.devtools("Animation.setPlaybackRate", {"playbackRate": 0.001})
        yield
        self.devtools("Animation.setPlaybackRate", {"playbackRate": 1})

    # Input

    def actions(self, *sources):
        self.call("POST", "/actions", {"actions": list(sources)})

    def pointer(self, steps, kind="mouse"):
        self.actions({"type": "pointer", "id": f"{kind}-1", "parameters": {"pointerType": kind}, "actions": steps})

    def keys(self, *keys):
        """Presses keys one after the other; a tuple is a chord."""
        steps = []
        for key in keys:
            chord = key if isinstance(key, tuple) else (key,)
            steps += [{"type": "keyDown", "value": one} for one in chord]
            steps += [{"type": "keyUp", "value": one} for one in reversed(chord)]
        self.actions({"type": "key", "id": "keyboard", "actions": steps})

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    # What happened

    def console(self):
        """The messages of the console since the last look that are warnings or errors."""
        entries = self.call("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """The addresses of all requests since the last look, WebSockets included."""
        urls = []
        for entry in self.call("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
            elif message["method"] == "Network.webSocketCreated":
                urls.append(message["params"]["url"])
        return urls

    def close(self):
        self.driver.call("DELETE", self.path)


def move(x, y, milliseconds=0):
    return {"type": "pointerMove", "x": round(x), "y": round(y), "duration": milliseconds, "origin": "viewport"}


DOWN = {"type": "pointerDown", "button": 0}
UP = {"type": "pointerUp", "button": 0}


def pause(milliseconds):
    return {"type": "pause", "duration": milliseconds}
