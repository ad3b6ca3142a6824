"""People and bots play a game to its end."""

import subprocess

GAME_SECONDS_MAX = 60


def test_two_people_and_two_bots_at_klondike(world):
    table = "bots"
    bots = subprocess.Popen(
        [world.bot, "--connect", f"127.0.0.1:{world.daemon.port}", "--table", table, "--type", "klondike", "--deal-seed", "7",
         "--count", "2", "--rate", "4", "--for", str(GAME_SECONDS_MAX), "--until-won", "--quiet"])
    try:
        ada, bo = world.page("Ada"), world.page("Bo")
        for page, name in ((ada, "Ada"), (bo, "Bo")):
            page.forget()
            page.enter(table, name)
        ada.browser.until("return document.querySelectorAll('.person').length === 4")
        ada.click(ada.item(None, "stock"))
        assert bots.wait(GAME_SECONDS_MAX + 30) in (0, 3), "won or stuck"
        ending = [page.browser.run("return document.querySelector('.ending')?.textContent") for page in (ada, bo)]
        assert ending[0] == ending[1], ending
    finally:
        if bots.poll() is None:
            bots.terminate()
            bots.wait()
