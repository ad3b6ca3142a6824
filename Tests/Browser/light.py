"""What the page costs: requests, bytes, and the time until one can play, on a slow line and far away."""

import time

from daemon import SlowWire
from speaking import speak

ROUND_TRIP_SECONDS = 0.3
BYTES_PER_SECOND = 400_000 / 8
REQUESTS_MAX = 6
BYTES_MAX = 120 * 1024
#: What the words of another language may cost besides.
WORDS_BYTES_MAX = 10 * 1024


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
        warm = play(page, table)
        # What is named by its contents is not asked for again.
        again = [url for url in page.browser.run("return performance.getEntriesByType('resource').filter((one) => one.transferSize > 0).map(({ name }) => name)") if "?" in url]
        assert not again, again
        speak(page, "de")
        page.browser.devtools("Network.enable")
        page.browser.devtools("Network.clearBrowserCache")
        before = wire.received
        play(page, table)
        page.browser.until("return document.documentElement.lang === 'de'")
        in_german = wire.received - before
        print(f"  {len(requests)} requests, {received} bytes, {in_german} in German; playable after {cold:.1f} s cold, {warm:.1f} s warm")
        speak(page, "en")
        assert len(requests) <= REQUESTS_MAX, requests
        assert received <= BYTES_MAX and in_german <= BYTES_MAX + WORDS_BYTES_MAX, (received, in_german)
    finally:
        page.browser.open("about:blank")
        wire.close()
