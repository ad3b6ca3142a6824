"""The start page: each type with a picture of its own, and the rules of the games before one begins."""

import json
import pathlib
import tempfile

from daemon import Daemon
from speaking import LANGUAGES, speak

#: What is cut, or beyond its box, on the start page.
CUT = """
return [...document.querySelectorAll('#mine li, #mine li .words, .type, .type .words, .buttons button, #options > *')].filter((one) => {
  const { right } = one.getBoundingClientRect();
  return one.scrollWidth > one.clientWidth + 1 || right > one.parentElement.getBoundingClientRect().right + 1;
}).map(({ textContent }) => textContent);
"""


def test_every_type_has_a_picture_and_every_game_its_rules(world):
    page = world.page("Ada")
    page.forget()
    pictures = page.browser.run("return [...document.querySelectorAll('.type')].map((one) => one.querySelector('svg[aria-hidden=true]')?.innerHTML ?? '')")
    assert len(pictures) == 10 and len(set(pictures)) == 10 and all(pictures), [len(one) for one in pictures]
    assert page.browser.run("return [...document.querySelectorAll('.picture')].every((one) => one.getBoundingClientRect().width > 40 && one.getBBox().width > 30)")
    with_rules = []
    for index in range(10):
        page.browser.run("document.querySelectorAll('.type input')[arguments[0]].click()", index)
        if page.browser.run("return document.querySelector('#options .about') !== null"):
            with_rules.append(page.browser.run("return document.querySelector('.type input:checked').value"))
    assert with_rules == ["klondike", "hand", "hearts", "speed", "nerts"], with_rules
    page.browser.run("document.querySelector('input[value=hearts]').click(); document.querySelector('#options .about').click()")
    assert "queen of spades" in page.browser.run("return document.querySelector('dialog.rules').textContent")
    page.browser.run("document.querySelector('dialog.rules').close()")


def test_nothing_is_cut_on_the_start_page(world):
    for name in ("speaker", "speaking phone"):
        page = world.phone(name) if "phone" in name else world.page(name)
        for language in ("en", *LANGUAGES):
            speak(page, language)
            page.forget()
            for type in ("kanban", "hearts", "nerts"):
                page.browser.run("document.querySelector(`input[value=${arguments[0]}]`).click()", type)
                cut = page.browser.run(CUT)
                assert not cut, (name, language, type, cut)
        page.browser.open("about:blank")
        world.browsers.pop(name).close()


TYPES = pathlib.Path(__file__).resolve().parents[2] / "Protocol/table-types"
OFFERED = "return [...document.querySelectorAll('#types .type')].map((one) => [one.querySelector('input').value, one.querySelector('strong').textContent, one.querySelector('small').textContent, one.querySelectorAll('svg > *').length])"


def test_an_operator_offers_types(world):
    """What `--types` adds is on the start page, with a picture of its layout, its options and its rules; one may replace a bundled one."""
    kitchen = json.loads((TYPES / "examples/kitchen.json").read_text())
    game = json.loads((TYPES / "hand.json").read_text())
    game["name"], game["title"] = "house", "House <b>rummy</b>"
    game["show"]["rules"] = ["Be the first without cards.", "Aces are <i>high</i>."]
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "types").mkdir()
        for one in (kitchen, game, json.loads((TYPES / "list.json").read_text()) | {"title": "Our list"}):
            (pathlib.Path(folder) / f"types/{one['name']}.json").write_text(json.dumps(one))
        daemon = Daemon(world.daemon.program, folder, "--types", f"{folder}/types")
        page = world.page("Ada", daemon.url)
        try:
            page.forget()
            page.browser.until("return document.querySelector('input[value=kitchen]')")
            offered = page.browser.run(OFFERED)
            assert [one[:3] for one in offered[:3]] == [
                ["house", "House <b>rummy</b>", "A game for 2 to 6 players"], ["kitchen", "Kitchen orders", "A board for up to 8 people"],
                ["list", "Our list", offered[2][2]]], offered
            assert all(parts > 0 for *_, parts in offered), offered
            assert [name for name, *_ in offered].count("list") == 1 and len(offered) == 12, offered
            page.browser.run("document.querySelector('input[value=house]').click()")
            page.browser.run("document.querySelector('.about').click()")
            page.browser.until("return document.querySelector('dialog.rules')")
            said = page.browser.run("return [...document.querySelectorAll('dialog.rules p:not(.buttons)')].map(({ textContent }) => textContent)")
            assert said == game["show"]["rules"], said
            page.browser.run("document.querySelector('dialog .primary').click()")
            page.browser.run("document.querySelector('input[value=kitchen]').click()")
            field = page.browser.run("const { name, min, max, value } = document.querySelector('#options input'); return [name, min, max, value]")
            assert field == ["slots", "1", "12", "3"] and page.browser.run("return document.querySelector('.about')") is None, field
            page.create("kitchen?slots=5")
            page.browser.until("return document.querySelectorAll('[data-collection=orders] .slot').length === 3")
            page.create("house?players=2")
            page.browser.run("document.querySelector('[title=\"How to play\"]').click()")
            page.browser.until("return document.querySelector('dialog.rules')?.textContent.includes('Aces are <i>high</i>.')")
            page.browser.run("document.querySelector('dialog .primary').click()")
        finally:
            page.browser.open("about:blank")
            daemon.stop()
