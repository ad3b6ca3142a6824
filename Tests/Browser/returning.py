"""Coming back: "My tables" on the start page, a tab that was closed, a bookmark, and a page that is loaded again at a closed table."""

import contextlib
import json
import tempfile

from daemon import Daemon
from speaking import LANGUAGES, foreign, speak
from starting import CUT
from tabs import OWN, close_tab, new_tab

TABLE = "return new URLSearchParams(location.hash.slice(1)).get('table')"
ROW = "[...document.querySelectorAll('#mine li')].find((one) => one.querySelector('a')?.hash.includes(arguments[0]))"
LISTED = f"{ROW} !== undefined"
KEY = "Object.keys(localStorage).find((one) => one.startsWith('baize tables '))"
KEPT = f"JSON.parse(localStorage.getItem({KEY}))"
ENTER, ESCAPE = "\ue007", "\ue00c"


def start_page(page):
    """Opens the start page in another tab, and closes the one before, as a person does who does not leave."""
    close_tab(page.browser, new_tab(page.browser))
    page.browser.open(page.url)
    page.browser.until("return document.querySelector('#join').checkVisibility()")


def invite(page):
    page.browser.run("document.querySelector('[title=\"Invite others\"]').click()")
    link = page.browser.until("return document.querySelector('dialog input')?.value")
    page.browser.run("document.querySelector('dialog').close()")
    return link


def follow(page, link, name):
    """Joins by a link with an invite, as somebody who was never there."""
    page.forget()
    page.browser.open("about:blank")
    page.browser.open(link)
    page.browser.until("return !document.querySelector('#invitation').hidden")
    page.browser.run("document.querySelector('#name').value = arguments[0]; document.querySelector('#join .primary').click()", name)
    page.wait_for_table()


@contextlib.contextmanager
def closed_daemon(world):
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(world.daemon.program, folder, "--closed")
        pages = [world.page(name, daemon.url) for name in ("Ada", "Bo")]
        try:
            yield daemon, *pages
        finally:
            for page in pages:
                page.browser.open("about:blank")
            daemon.stop()


def test_the_start_page_lists_my_tables(world):
    page = world.page("Ada")
    run = page.browser.run
    table = page.create("kanban?columns=fixed")
    page.add("one")
    page.until_order(todo=["one"])
    start_page(page)
    assert run(f"return {ROW}.querySelector('.words').textContent", table) == f"Kanban {table}Last open: now", run(f"return {ROW}.outerHTML", table)
    run(f"{ROW}.querySelector('[data-icon=rename]').click()", table)
    page.browser.keys(*"Garden", ENTER)
    page.browser.until(f"return {ROW}?.querySelector('strong').textContent === 'Garden' && document.activeElement.dataset.icon === 'rename'", table)
    run(f"{ROW}.querySelector('[data-icon=rename]').click()", table)
    page.browser.keys(*"Weeds", ESCAPE)
    start_page(page)
    assert run(f"return {ROW}.querySelector('strong').textContent", table) == "Garden"
    assert run(f"return {ROW}.querySelector('small').textContent", table) == "Kanban · Last open: now"
    run(f"{ROW}.querySelector('[data-icon=close]').click()", table)
    assert not run(f"return {LISTED}", table)
    page.until_notice("Garden is not in the list any more.")
    run("[...document.querySelectorAll('.notice button')].find(({ textContent }) => textContent === 'Undo').click()")
    run(f"{ROW}.querySelector('a').click()", table)
    page.wait_for_table()
    page.until_order(todo=["one"])
    assert run(OWN) == "Ada (you)"
    # Who has left is listed, and comes back as somebody new.
    page.forget()
    assert run(f"return {ROW}.querySelector('strong').textContent", table) == "Garden"
    run(f"{ROW}.querySelector('a').click()", table)
    page.wait_for_table()
    page.until_order(todo=["one"])
    page.forget()
    run(f"{ROW}.querySelector('[data-icon=close]').click()", table)
    page.browser.open("about:blank")
    page.forget()
    assert not run(f"return {LISTED}", table)


def test_the_list_of_my_tables_is_bounded_and_survives_what_it_cannot_read(world):
    page = world.page("lister")
    run = page.browser.run
    first = page.create("list")
    page.forget()
    for text in ("{", "null", "7", '[null, 1, {"table": "<b>"}, {"table": "x", "at": "soon"}]'):
        run(f"localStorage.setItem({KEY}, arguments[0])", text)
        page.forget()
        assert run("return document.querySelector('#mine').hidden"), text
    second = page.create("list")
    page.forget()
    assert run(f"return {KEPT}.map(({{ table }}) => table)") == [second]
    # As of a type that the operator has written.
    entry = {"type": "constructor", "title": "Ours", "given": "", "name": "Ada", "isPlayer": True, "hasLeft": True}
    run(f"localStorage.setItem({KEY}, arguments[0])", json.dumps([{**entry, "table": f"old-{number}", "at": number} for number in range(60)]))
    third = page.create("list")
    page.forget()
    assert run(f"return {KEPT}.map(({{ table }}) => table)") == [third, *(f"old-{number}" for number in range(59, 10, -1))], first
    assert run("return document.querySelectorAll('#mine li').length") == 6
    run("document.querySelector('#mine .more').click()")
    assert run("return document.querySelectorAll('#mine li').length") == 50
    run("localStorage.clear()")
    page.browser.open("about:blank")
    world.browsers.pop("lister").close()


def test_one_of_my_tables_that_is_gone_says_so(world):
    page = world.page("Ada")
    run = page.browser.run
    table = page.create("list")
    page.forget()
    run(f"localStorage.setItem({KEY}, JSON.stringify({KEPT}.map((one) => ({{ ...one, table: one.table === arguments[0] ? 'gone' : one.table }}))))", table)
    for opens in ("click", "bookmark"):
        page.forget()
        if opens == "click":
            run(f"{ROW}.querySelector('a').click()", "gone")
        else:
            run(f"localStorage.setItem({KEY}, JSON.stringify({KEPT}.map((one) => ({{ ...one, hasLeft: false }}))))")
            page.browser.open("about:blank")
            page.browser.open(f"{page.url}#table=gone")
        page.browser.until(f"return {ROW}?.querySelector('.trouble')?.textContent.includes('does not exist')", "gone")
    run(f"{ROW}.querySelector('.trouble button').click()", "gone")
    assert not run(f"return {LISTED}", "gone")


def test_the_list_of_my_tables_speaks_every_language(world):
    page = world.page("lister")
    run = page.browser.run
    page.create("list")
    page.forget()
    day = 86_400_000
    tables = [{"table": f"table-of-{age}-days", "type": "hearts", "title": "Hearts", "given": "A" * 60 if age == 3 else "", "name": "Ada", "isPlayer": True, "hasLeft": True, "at": -age * day}
              for age in (0, 1, 3, 9, 40, 400, 500, 600)]
    run(f"localStorage.setItem({KEY}, JSON.stringify(arguments[0].map((one) => ({{ ...one, at: Date.now() + one.at }}))))", tables)
    for language in LANGUAGES:
        speak(page, language)
        page.forget()
        run(f"{ROW}.querySelector('a').click()", "table-of-9-days")
        page.browser.until("return document.querySelector('#mine .trouble')")
        run(f"{ROW}.querySelector('[data-icon=close]').click()", "table-of-1-days")
        run(f"{ROW}.querySelector('[data-icon=rename]').click()", "table-of-40-days")
        for width in (1024, 390):
            page.browser.resize(width, 844)
            left = foreign(page, language, "A" * 60, "table-of-40-days")
            assert not left, (language, left)
            cut = run(CUT)
            assert not cut, (language, width, cut)
        page.browser.keys(ESCAPE)
        run("document.querySelector('.notice button').click()")
        assert run(f"return document.activeElement === {ROW}.querySelector('a')", "table-of-1-days")
    run("localStorage.clear()")
    page.browser.open("about:blank")
    world.browsers.pop("lister").close()


def test_my_tables_open_where_every_table_is_closed(world):
    with closed_daemon(world) as (daemon, ada, bo):
        table = ada.create("kanban?columns=fixed")
        ada.add("one")
        ada.until_order(todo=["one"])
        # A bookmark, after the tab was closed.
        close_tab(ada.browser, new_tab(ada.browser))
        ada.browser.open(f"{ada.url}#table={table}")
        ada.wait_for_table()
        follow(bo, invite(ada), "Bo")
        bo.until_order(todo=["one"])
        # The same for a guest, and by the list.
        start_page(bo)
        bo.browser.run(f"{ROW}.querySelector('a').click()", table)
        bo.wait_for_table()
        assert bo.browser.run("return [...document.querySelectorAll('.person')].map((one) => one.getAttribute('aria-label'))") == ["Ada", "Bo, you"]
        # The owner goes to the start page without leaving, and is the owner when back.
        ada.browser.run("document.querySelector('[data-icon=leave]').click(); [...document.querySelectorAll('.popup button')].find(({ textContent }) => textContent.startsWith('Go to')).click()")
        ada.browser.until("return document.querySelector('#join').checkVisibility()")
        ada.browser.run(f"{ROW}.querySelector('a').click()", table)
        ada.wait_for_table()
        ada.browser.run("document.querySelector('.person').click()")
        assert ada.browser.until("return document.querySelector('.popup')?.textContent.includes('Freeze')")
        # Who leaves for good could not come back by it.
        ada.browser.keys(ESCAPE)
        ada.forget()
        assert not ada.browser.run(f"return {LISTED}", table)


def test_a_bookmark_of_ones_closed_table_opens_after_the_daemon_was_killed(world):
    world.is_cut = True
    with closed_daemon(world) as (daemon, ada, bo):
        table = ada.create("list")
        ada.add("one")
        ada.until_order(items=["one"])
        close_tab(ada.browser, new_tab(ada.browser))
        daemon.kill()
        daemon.start()
        ada.browser.open(f"{ada.url}#table={table}")
        ada.wait_for_table()
        ada.until_order(items=["one"])
        follow(bo, invite(ada), "Bo")


def test_a_bookmark_of_ones_closed_table_opens_beside_the_first_tab(world):
    with closed_daemon(world) as (daemon, ada, bo):
        table = ada.create("list")
        ada.add("one")
        ada.until_order(items=["one"])
        first = new_tab(ada.browser)
        ada.browser.open(f"{ada.url}#table={table}")
        ada.wait_for_table()
        ada.until_order(items=["one"])
        assert ada.browser.run("return [...document.querySelectorAll('.person')].map((one) => one.getAttribute('aria-label'))") == ["Ada, you"]
        follow(bo, invite(ada), "Bo")
        close_tab(ada.browser, first)


def test_another_link_in_the_same_tab_leaves_no_closed_table_for_good(world):
    with closed_daemon(world) as (daemon, ada, bo):
        table = ada.create("list")
        ada.add("one")
        ada.until_order(items=["one"])
        bo.create("list", "Bo")
        other = invite(bo)
        ada.browser.run("location.href = arguments[0]", other)
        ada.browser.until("return document.querySelector('#invitation').checkVisibility()")
        ada.browser.open("about:blank")
        ada.browser.open(f"{ada.url}#table={table}")
        ada.wait_for_table()
        ada.until_order(items=["one"])


def test_a_closed_table_that_is_loaded_again_still_gives_a_link_that_works(world):
    with closed_daemon(world) as (daemon, ada, bo):
        table = ada.create("list")
        ada.add("one")
        ada.until_order(items=["one"])
        link = invite(ada)
        ada.browser.call("POST", "/refresh")
        ada.wait_for_table()
        again = invite(ada)
        assert f"table={table}&invite=" in again and again == link, (link, again)
        follow(bo, again, "Bo")
        # Guests pass on the link that they came with.
        bo.browser.call("POST", "/refresh")
        bo.wait_for_table()
        assert invite(bo) == link


def test_who_has_an_invite_that_is_void_is_told_so(world):
    with closed_daemon(world) as (daemon, ada, bo):
        ada.create("list")
        first = invite(ada)
        follow(bo, first, "Bo")
        assert invite(bo) == first
        ada.browser.run("document.querySelector('[title=\"Invite others\"]').click()")
        ada.browser.until("return document.querySelector('dialog input')?.value")
        ada.browser.run("[...document.querySelectorAll('dialog button')].find(({ textContent }) => textContent === 'Make a new invite').click()")
        second = ada.browser.until("const { value } = document.querySelector('dialog input'); return value !== arguments[0] && value", first)
        ada.browser.run("document.querySelector('dialog').close()")
        bo.browser.run("document.querySelector('[title=\"Invite others\"]').click()")
        bo.browser.until("return document.querySelector('dialog')?.textContent.includes('The host has made a new invite')")
        assert bo.browser.run("return [...document.querySelectorAll('dialog :is(input, button)')].filter((one) => one.checkVisibility()).map(({ textContent }) => textContent)") == ["Close"]
        assert bo.browser.run("return document.querySelector('dialog input').value") == ""
        bo.browser.run("document.querySelector('dialog').close()")
        # Nobody has joined by the question.
        assert ada.browser.run("return [...document.querySelectorAll('.person')].map((one) => one.getAttribute('aria-label'))") == ["Ada, you", "Bo"]
        cleo = world.page("Cleo", daemon.url)
        follow(cleo, second, "Cleo")
        assert invite(cleo) == second
        cleo.browser.open("about:blank")
