"""The last state of a table, as this browser saw it, where a page is loaded while the daemon cannot be reached."""

import contextlib
import json
import time

import webdriver
from daemon import Front
from keeping import front, load, wait_until_kept
from speaking import LANGUAGES, speak
from returning import ROW

STATUS = "document.querySelector('.bar .status').textContent"
SEEN = "document.querySelector('.as-seen') !== null"
CARDS = "return [...document.querySelectorAll('.card')].map((one) => one.getAttribute('aria-label')?.split(':')[0])"
#: Reads what is kept: the names of the tables and their bytes, and of one table the text of its messages.
KEPT = """
const [name, row] = arguments;
window.kept = undefined;
const text = (parts) => (parts ?? []).map((part) => new TextDecoder().decode(part)).join('');
indexedDB.databases().then((databases) => {
  const found = databases.find((one) => one.name.startsWith('baize seen '));
  if (!found) return (window.kept = { tables: [], text: '' });
  const request = indexedDB.open(found.name);
  request.onsuccess = () => {
    const stores = ['about', 'messages'];
    const transaction = request.result.transaction(stores, row ? 'readwrite' : 'readonly');
    if (row) for (const [key, about] of Object.entries(row)) {
      transaction.objectStore('about').put(about, key);
      transaction.objectStore('messages').put([], key);
    }
    const about = transaction.objectStore('about').getAll();
    const keys = transaction.objectStore('messages').getAllKeys();
    const messages = transaction.objectStore('messages').get(name ?? '');
    transaction.oncomplete = () => {
      request.result.close();
      window.kept = { tables: about.result, keys: keys.result, text: text(messages.result) };
    };
  };
});
"""


def kept(page, table=None, rows=None):
    page.browser.run(KEPT, table, rows)
    return page.browser.until("return window.kept")


def until_kept(page, table, *texts, are_there=True):
    """Waits until what is kept of a table has these texts; or nothing is kept of it."""
    deadline = time.monotonic() + webdriver.WAIT_SECONDS_MAX
    while time.monotonic() < deadline:
        found = kept(page, table)
        names = [one["table"] for one in found["tables"]]
        if (table in names and all(text in found["text"] for text in texts)) if are_there else table not in names:
            return found
    raise webdriver.BrowserError(f"still waiting: {texts} of {table} is kept: {are_there}")


class SilentFront(Front):
    """As a daemon that serves the page, and no table."""

    is_silent = False

    def response(self, head):
        if self.is_silent and head.startswith("GET /ws"):
            return b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        return super().response(head)

    def silence(self):
        self.is_silent = True
        self.cut()
        self.mend()


@contextlib.contextmanager
def silent_front(world):
    world.is_cut = True
    with front(world, "seer", SilentFront) as (wire, files, page):
        yield wire, page


def test_a_table_is_there_as_it_was_seen_last_without_a_network(world):
    world.is_cut = True
    with front(world, "seer") as (wire, files, page):
        run = page.browser.run
        table = page.create("kanban?columns=fixed")
        page.add("one", "two")
        page.until_order(todo=["one", "two"])
        bo = world.page("Bo")
        bo.join(table, "Bo")
        wait_until_kept(page)
        until_kept(page, table, "one", "two", "Bo")
        wire.cut()
        # What is done without a connection waits.
        page.browser.until(f"return {STATUS} !== ''")
        page.add("three")
        page.until_order(todo=["one", "two", "three"])
        bo.add("from Bo")
        bo.until_order(todo=["one", "two", "from Bo"])
        for opens in ("address", "list", "address"):
            if opens == "address":
                load(page, f"#table={table}")
            else:
                # Another tab, which has not been at the table, and the first one is closed.
                load(page)
                if run("return document.querySelector('#join').checkVisibility()"):
                    page.browser.until(f"return {ROW}", table)
                    run(f"{ROW}.querySelector('a').click()", table)
            page.wait_for_table()
            page.until_order(todo=["one", "two", "three"])
            assert run(f"return {SEEN}")
            text = run(f"return {STATUS}")
            assert text.startswith("As of ") and text.endswith("; not connected. 1 change waits."), text
            # Nothing can be done with it.
            assert run("return [...document.querySelectorAll('.composer, .menu')].filter((one) => one.checkVisibility()).length") == 0
            page.drag(page.item("two"), page.place("done"))
            page.focus("one")
            page.browser.keys("\ue017", " ")
            page.until_order(todo=["one", "two", "three"], done=[])
            assert run("return document.querySelectorAll('.carried, .ghost').length") == 0
        # With the connection it is the table, and all that waited is there once.
        run("document.querySelector('.item').marked = true")
        wire.mend()
        page.browser.until(f"return !({SEEN})")
        page.until_order(todo=["one", "two", "three", "from Bo"])
        bo.until_order(todo=["one", "two", "three", "from Bo"])
        assert run("return document.querySelector('.item').marked") is True
        assert run("return [...document.querySelectorAll('.person .name')].map((one) => one.textContent)") == ["Ada (you)", "Bo"]
        page.add("four")
        bo.until_order(todo=["one", "two", "three", "from Bo", "four"])
        until_kept(page, table, "four")
        page.forget()


def test_what_was_seen_last_says_so_in_every_language_and_on_a_phone(world):
    with silent_front(world) as (wire, page):
        table = page.create("speed")
        page.browser.until("return document.querySelectorAll('.card').length > 4")
        until_kept(page, table)
        cards = page.browser.run(CARDS)
        wire.silence()
        page.browser.resize(390, 844)
        words = {"en": "not connected", "de": "nicht verbunden", "fr": "non connecté", "es": "sin conexión"}
        assert set(words) == {"en", *LANGUAGES}
        for language, text in words.items():
            speak(page, language)
            load(page, f"#table={table}")
            page.wait_for_table()
            assert text in page.browser.until(f"return {STATUS}"), language
            assert page.browser.run("return document.querySelector('.bar .status').checkVisibility()")
            if language == "en":
                # What lay face down still does.
                again = page.browser.run(CARDS)
                assert again == cards and any(one and one.startswith("face-down card") for one in cards), (cards, again)
        speak(page, "en")


def test_what_was_seen_last_is_forgotten_by_whoever_leaves_or_is_removed(world):
    with silent_front(world) as (wire, page):
        run = page.browser.run
        ada = world.page("Ada")
        for way in ("leave", "kick", "list"):
            table = ada.create("list")
            ada.add(f"a text of {way}")
            ada.until_order(items=[f"a text of {way}"])
            page.join(table, "Bo")
            until_kept(page, table, f"a text of {way}")
            if way == "kick":
                ada.browser.until("return document.querySelectorAll('.person').length === 2")
                ada.browser.run("document.querySelectorAll('.person')[1].click(); document.querySelector('.popup .danger').click()")
                ada.browser.run("document.querySelector('.popup .danger').click()")
                page.browser.until("return document.querySelector('#problem').textContent.includes('removed')")
            elif way == "list":
                load(page, "#table=nowhere")
                page.browser.until("return document.querySelector('#other').checkVisibility()")
                run("document.querySelector('#other').click()")
                until_kept(page, table)
                run(f"{ROW}.querySelector('[data-icon=close]').click()", table)
            else:
                page.forget()
            until_kept(page, table, are_there=False)


def test_what_was_seen_last_is_not_kept_while_one_drags(world):
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    table = ada.browser.run("return new URLSearchParams(location.hash.slice(1)).get('table')")
    ada.add("one", "two")
    until_kept(ada, table, "one", "two")
    ada.lift(ada.item("one"))
    bo.add("meanwhile")
    ada.until_order(todo=["one", "two", "meanwhile"])
    # Twice as long as it takes otherwise.
    start = ada.browser.run("return performance.now()")
    ada.browser.until("return performance.now() > arguments[0] + 5000", start)
    assert "meanwhile" not in kept(ada, table)["text"]
    ada.drop()
    until_kept(ada, table, "meanwhile")
    # Changes that come while others are being kept are kept, too.
    for number in range(20):
        bo.add(f"card {number}")
    until_kept(ada, table, "card 19")


def test_what_was_seen_last_is_bounded(world):
    with silent_front(world) as (wire, page):
        first = page.create("list")
        until_kept(page, first)
        rows = {f"old-{number}": {"table": f"old-{number}", "at": number, "bytes": 10} for number in range(30)}
        rows["large-1"] = {"table": "large-1", "at": 40, "bytes": 4 << 20}
        rows["large-2"] = {"table": "large-2", "at": 41, "bytes": 13 << 20}
        kept(page, None, rows)
        page.add("one")
        found = until_kept(page, first, "one")
        names = [one["table"] for one in found["tables"]]
        # All that is older than what is too much goes with it.
        assert set(names) == set(found["keys"]) == {first, "large-2"}, found
        rows.pop("large-1")
        rows.pop("large-2")
        kept(page, None, {**rows, "large-2": {"table": "large-2", "at": 1, "bytes": 1}})
        page.add("two")
        found = until_kept(page, first, "two")
        assert {one["table"] for one in found["tables"]} == set(found["keys"]) == {first, *(f"old-{number}" for number in range(29, 10, -1))}, found
        # No secret is in it.
        secrets = page.browser.run("return [...Object.values(localStorage)].flatMap((text) => [...text.matchAll(/[\\w+/=]{20,}/g)].map(([word]) => word))")
        assert secrets and not [secret for secret in secrets if secret in found["text"]], json.dumps(secrets)
