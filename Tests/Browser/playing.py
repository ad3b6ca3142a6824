"""People and bots play a game to its end, through a proxy's TLS."""

import contextlib
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

from daemon import Daemon

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "deploy"))
import check_proxy  # noqa: E402

GAME_SECONDS_MAX = 600


def test_two_people_and_two_bots_at_klondike_through_haproxy(world):
    table = "bots"
    with behind_haproxy(world.daemon.program) as (url, address):
        bots = subprocess.Popen(
            [world.bot, "--connect", address, "--table", table, "--type", "klondike", "--deal-seed", "7", "--count", "2",
             "--rate", "4", "--for", str(GAME_SECONDS_MAX), "--until-won", "--quiet"])
        try:
            ada, bo = (world.page(f"{name} with TLS", url, trusts_all=True) for name in ("Ada", "Bo"))
            for page, name in ((ada, "Ada"), (bo, "Bo")):
                page.forget()
                page.enter(table, name)
            ada.browser.until("return document.querySelectorAll('.person').length === 4")
            ada.browser.run("[...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Draw').click()")
            result = bots.wait(GAME_SECONDS_MAX + 30)
            assert result in (0, 3), "won or stuck"
            for page in (ada, bo):  # What the bots have seen may reach a page a frame later.
                page.browser.until("return document.querySelector('.ending').textContent === arguments[0]", "Won!Play again" if result == 0 else "")
        finally:
            if bots.poll() is None:
                bots.terminate()
                bots.wait()
            for page in (ada, bo):
                page.browser.open("about:blank")


@contextlib.contextmanager
def behind_haproxy(program):
    """Runs a daemon behind HAProxy with `deploy/haproxy.cfg`; yields the page's address, and one for clients without TLS, whose
    bytes a tunnel encrypts."""
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(program, folder, "--proxy-protocol", "127.0.0.1", "--open")
        try:
            ports = check_proxy.Ports()
            ports.tables, ports.web = daemon.port, daemon.web_port
            key, chain, both = check_proxy.certificate(folder)
            with check_proxy.haproxy(folder, ports, key, chain, both), socket.create_server(("127.0.0.1", 0)) as server:
                check_proxy.wait_for(ports.secure)
                check_proxy.wait_for(ports.secure_web)
                context = ssl.create_default_context(cafile=chain)
                threading.Thread(
                    target=check_proxy.tunnel, args=(server, ports.secure, context), daemon=True).start()
                yield f"https://localhost:{ports.secure_web}/", f"127.0.0.1:{server.getsockname()[1]}"
        finally:
            daemon.stop()
