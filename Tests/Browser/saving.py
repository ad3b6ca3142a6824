"""Nothing looks saved that is not: what waits says so, since when and why, and it is told when it is saved."""

import contextlib
import tempfile
import time

from daemon import Daemon

STATUS = "return document.querySelector('.status').textContent"
UNSAVED = "return [...document.querySelectorAll('.unsaved .title')].map(({ textContent }) => textContent)"
WARNS = "const event = new Event('beforeunload', { cancelable: true }); window.dispatchEvent(event); return event.defaultPrevented"


@contextlib.contextmanager
def board(world):
    """A daemon of its own, and the page of a board with one card there."""
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(world.daemon.program, folder)
        ada = world.page("Ada", daemon.url)
        try:
            ada.create("kanban?columns=fixed")
            ada.add("one")
            ada.until_order(todo=["one"])
            yield daemon, ada
        finally:
            ada.browser.open("about:blank")
            daemon.stop()


def test_what_is_not_saved_looks_so(world):
    with board(world) as (daemon, ada):
        ada.browser.until(f"return (() => {{ {STATUS} }})() === ''")
        assert not ada.browser.run(WARNS)
        daemon.pause()
        start = time.monotonic()
        ada.browser.until(f"return (() => {{ {STATUS} }})() === 'The server does not answer.'")
        assert time.monotonic() - start < 9, time.monotonic() - start
        start = time.monotonic()
        ada.add("two")
        assert ada.browser.until(f"const titles = (() => {{ {UNSAVED} }})(); return titles.length > 0 && titles") == ["two"]
        assert time.monotonic() - start < 3, time.monotonic() - start
        status = ada.browser.run(STATUS)
        assert "Not saved since" in status and "1 change." in status and "does not answer" in status, status
        assert ada.browser.run(WARNS)
        daemon.proceed()
        ada.browser.until(f"return (() => {{ {STATUS} }})() === 'All saved'")
        assert ada.browser.run(UNSAVED) == [] and not ada.browser.run(WARNS)
        ada.browser.until(f"return (() => {{ {STATUS} }})() === ''")
        world.is_cut = True
        daemon.kill()
        ada.browser.until(f"return (() => {{ {STATUS} }})().startsWith('Reconnecting')")
        ada.add("three")
        ada.browser.until(f"return (() => {{ {STATUS} }})().includes('Not saved since')")
        daemon.start()
        ada.browser.until(f"return (() => {{ {STATUS} }})() === 'All saved'")
        # What is written, and not sent, is at risk too.
        ada.browser.run("document.querySelector('.composer input').value = 'four'")
        assert ada.browser.run(WARNS)
        ada.browser.run("document.querySelector('.composer input').value = ''")


def test_a_full_disk_says_so(world):
    with board(world) as (daemon, ada):
        daemon.kill()
        daemon.flags = ("--journal-bytes-max", "65536")
        world.is_cut = True
        daemon.start()
        ada.add("two")
        ada.browser.until(f"return (() => {{ {STATUS} }})().startsWith('The server cannot store it at the moment. Not saved since')")
        bo = world.page("Bo", daemon.url)
        bo.forget()
        bo.browser.run("document.querySelector('#join .primary').click()")
        bo.browser.until("return document.querySelector('#progress').textContent.includes('not answered yet')")
        bo.browser.until("return document.querySelector('#problem').textContent.includes('no room')")
        bo.browser.open("about:blank")
