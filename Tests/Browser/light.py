"""What the page costs: requests, bytes, and the time until one can play, on a slow line and far away."""

import time

from daemon import SlowWire
from keeping import wait_until_kept
from speaking import speak
from touching import press

ROUND_TRIP_SECONDS = 0.3
BYTES_PER_SECOND = 400_000 / 8
REQUESTS_MAX = 6
BYTES_MAX = 120 * 1024
#: What the words of another language may cost besides.
WORDS_BYTES_MAX = 10 * 1024
COLD_SECONDS_MAX = 5
WARM_SECONDS_MAX = 1.5
#: The requests that the page has made over the network, its worker's not among them, and those that were answered by what is kept.
ASKED = """
return ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type)).filter(({ transferSize, workerStart }) => transferSize > 0 && !workerStart).map(({ name }) => name);
"""
#: What the words of German cost. Not what the line has had in the meantime: pictures and the worker come when one plays already.
WORDS_BYTES = """
const words = performance.getEntriesByType('resource').filter(({ name }) => /made\\/de\\.js/.test(name));
return words.reduce((sum, { transferSize }) => sum + transferSize, 0);
"""


def play(page, table):
    """Returns the seconds until a card could be played, by the page's own clock."""
    page.browser.open("about:blank")
    start = time.monotonic()
    page.browser.open(f"{page.url}#table={table}&name=Ada")
    page.browser.until("return document.querySelector('.card') && document.querySelector('.person')")
    return time.monotonic() - start


def test_the_page_is_light(world):
    table = world.page("Bo").create("klondike", "Bo")
    wire = SlowWire(world.daemon.web_port, ROUND_TRIP_SECONDS, BYTES_PER_SECOND)
    page = world.page("far away", wire.url)
    try:
        page.browser.requests()
        cold = play(page, table)
        requests, received = [url for url in page.browser.requests() if "127.0.0.1" in url], wire.received
        wait_until_kept(page)
        worker = wire.received - received
        before = wire.received
        warm = play(page, table)
        assert not (asked := page.browser.run(ASKED)), asked
        again = wire.received - before
        # Of two, the one in which other programs have disturbed less.
        warm = min(warm, play(page, table))
        speak(page, "de")
        page.browser.devtools("Network.enable")
        page.browser.devtools("Network.clearBrowserCache")
        page.browser.devtools("Network.setBypassServiceWorker", {"bypass": True})
        play(page, table)
        page.browser.until("return document.documentElement.lang === 'de'")
        words = page.browser.run(WORDS_BYTES)
        print(f"  {len(requests)} requests, {received} bytes, {received + words} in German, {worker} to keep the page, {again} the next time; playable after {cold:.2f} s cold, {warm:.2f} s warm")
        speak(page, "en")
        assert len(requests) <= REQUESTS_MAX, requests
        assert cold <= COLD_SECONDS_MAX and warm <= WARM_SECONDS_MAX, (cold, warm)
        assert received <= BYTES_MAX and 0 < words <= WORDS_BYTES_MAX, (received, words)
    finally:
        page.browser.open("about:blank")
        wire.close()


def test_what_is_needed_later_is_loaded_then(world):
    """Robots, rules and cards that open are in a file of their own; without it, the page says so and goes on."""
    page = world.page("Ada")
    loaded = "return performance.getEntriesByType('resource').filter(({ name }) => /made\\/later\\.js/.test(name)).length"
    page.browser.devtools("Network.enable")
    page.browser.devtools("Network.setBypassServiceWorker", {"bypass": True})
    try:
        page.create("speed", "Ada")
        assert page.browser.run(loaded) == 0
        page.browser.devtools("Network.setBlockedURLs", {"urls": ["*later.js*"]})
        world.is_cut = True
        press(page, "Add a robot")
        page.until_notice("could not be loaded")
        page.browser.devtools("Network.setBlockedURLs", {"urls": []})
        press(page, "Add a robot")
        page.browser.until("return document.querySelectorAll('.person').length === 2")
        page.browser.run("document.querySelector('[title=\"How to play\"]').click()")
        page.browser.until("return document.querySelector('dialog.rules')")
        assert page.browser.run(loaded) > 0
        page.browser.run("document.querySelector('dialog .primary').click()")
    finally:
        page.browser.devtools("Network.setBlockedURLs", {"urls": []})
        page.browser.devtools("Network.setBypassServiceWorker", {"bypass": False})
