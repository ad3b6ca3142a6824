"""The operator's page (I8: it needs the token, and shows what clients send as text)."""

import tempfile

from daemon import Daemon
from speaking import speak

SHOWN = "return document.querySelector('#view').textContent.includes(arguments[0])"
ROW = "[...document.querySelectorAll('#rows button')].find((button) => button.textContent === arguments[0])"


def open_page(browser, daemon):
    """Opens the page and enters the token."""
    browser.open(daemon.admin_url)
    browser.run("window.confirm = () => true")
    browser.run("document.querySelector('#token').value = arguments[0]", daemon.admin_token)
    browser.run("document.querySelector('#login button').click()")
    browser.until("return !document.querySelector('#main').hidden")


def watch(browser, table, title):
    """Opens a table and watches it, until an item is shown."""
    browser.until(f"return {ROW}", table)
    browser.run(f"{ROW}.click()", table)
    browser.until("return document.querySelector('#seats li')")
    browser.run("document.querySelector('#watch').click()")
    browser.until(SHOWN, title)


def test_the_operator_watches_a_table_kicks_and_deletes(world):
    ada = world.page("Ada")
    table = ada.create("kanban?columns=fixed")
    script = "<img src=x onerror=document.title='run'>"
    ada.add("one", script)
    browser = world.page("operator").browser
    open_page(browser, world.daemon)
    assert browser.until(f"return {ROW}?.closest('tr').children[3].textContent", table) == "1"
    browser.run("const search = document.querySelector('#search'); search.value = arguments[0]; search.oninput()", "nowhere")
    browser.until("return document.querySelectorAll('#rows tr').length === 0")
    browser.run("const search = document.querySelector('#search'); search.value = arguments[0]; search.oninput()", table[:8])
    browser.until(f"return {ROW}", table)
    watch(browser, table, script)
    assert "Ada" in browser.run("return document.querySelector('#seats').textContent")
    ada.add("two")
    browser.until(SHOWN, "two")
    assert browser.run("return document.title !== 'run' && document.querySelector('#view img') === null")
    browser.run("document.querySelector('#export').click()")
    browser.run("document.querySelector('#seats button').click()")
    browser.until("return document.querySelector('#seats li') === null")
    ada.browser.until("return document.body.textContent.includes('been removed from the table')")
    browser.run("document.querySelector('#delete').click()")
    browser.until(f"return !{ROW}", table)
    assert browser.run("return document.querySelector('#message').textContent") == ""
    kept = browser.run("return [sessionStorage.length, localStorage.length, document.cookie, location.pathname + location.search]")
    assert kept == [0, 0, "", "/"], kept


def test_the_operators_list_fits_a_phone(world):
    table = world.page("Ada").create("kanban?columns=fixed")
    browser = world.phone("operator's phone").browser
    open_page(browser, world.daemon)
    browser.until(f"return {ROW}", table)
    widths = "return [document.documentElement.scrollWidth, document.querySelector('.scroll').scrollWidth, innerWidth]"
    page, rows, width = browser.run(widths)
    assert page <= width <= 390 and rows <= width, (page, rows, width)
    shown = f"const cell = {ROW}.closest('tr').children[3]; return getComputedStyle(cell, '::before').content + cell.textContent"
    assert "Members" in browser.run(shown, table)


def test_the_operators_page_speaks_the_browsers_language(world):
    table = world.page("Ada").create("kanban?columns=fixed")
    page = world.page("operator abroad")
    said = "return [document.documentElement.lang, document.querySelector('h1').textContent, document.querySelector('#watch').textContent, document.querySelector('#summary').textContent.split(' ')[0], document.querySelectorAll('#rows td')[3].dataset.label]"
    for language, expected in (("de", ["de", "Baize: Betrieb", "Zusehen", "Tische", "Mitglieder"]), ("es", ["es", "Baize: administración", "Mirar", "mesas", "Miembros"]),
                               ("fr", ["fr", "Baize : exploitation", "Regarder", "tables", "Membres"]), ("en", ["en", "Baize: operator", "Watch", "tables", "Members"])):
        speak(page, language)
        open_page(page.browser, world.daemon)
        page.browser.until(f"return {ROW}", table)
        assert page.browser.run(said) == expected, page.browser.run(said)
        assert page.browser.run("return localStorage.length") == 0


def test_the_operators_page_needs_the_token(world):
    world.is_cut = True  # The console shows the refused request.
    browser = world.page("operator").browser
    browser.open(world.daemon.admin_url)
    browser.run("document.querySelector('#token').value = 'wrong'; document.querySelector('#login button').click()")
    browser.until("return document.querySelector('#loginError').textContent.includes('wrong')")
    assert browser.run("return document.querySelector('#main').hidden && document.querySelector('#rows').children.length === 0")


def test_the_operator_drains_a_daemon(world):
    browser = world.page("operator").browser
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(world.daemon.program, folder)
        open_page(browser, daemon)
        browser.run("document.querySelector('#drain').click()")
        assert daemon.process.wait(20) == 0
    browser.open("about:blank")
