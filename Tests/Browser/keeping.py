"""What the browser keeps of the page: it is there without a network, a newer one is taken at the next load and not before, and nothing secret is in it."""

import contextlib
import pathlib
import shutil
import tempfile

from daemon import Daemon, Front
from returning import LISTED, closed_daemon, follow, invite
from speaking import speak

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = """
const [name] = await caches.keys();
const files = name ? await (await caches.open(name)).keys() : [];
"""
VERSION = "return [window.version, getComputedStyle(document.documentElement).getPropertyValue('--version')].join()"
NEWER = "newer version of this page"


def read_kept(page, script):
    """Returns what an asynchronous script says, which has the kept `files`."""
    page.browser.run(f"window.answer = undefined; (async () => {{ {KEPT} {script} }})().then((answer) => (window.answer = [answer]))")
    return page.browser.until("return window.answer")[0]


def wait_until_kept(page):
    page.browser.run(f"""
        const url = arguments[0];
        const look = async () => {{
          await navigator.serviceWorker.ready;
          {KEPT}
          if (files.some((file) => file.url === url)) window.isKept = true;
          else setTimeout(look, 50);
        }};
        window.isKept = false;
        look();
    """, page.url)
    page.browser.until("return window.isKept", what="the page is kept")


def load(page, fragment=""):
    page.browser.open("about:blank")
    page.browser.open(page.url + fragment)


@contextlib.contextmanager
def front(world, name, kind=Front, below=False):
    """A page in a browser of its own, with files that can be changed."""
    with tempfile.TemporaryDirectory() as folder:
        files = pathlib.Path(folder) / "Web"
        shutil.copytree(Daemon.files or ROOT / "Sources/BaizeServer/Web", files)
        one = kind(world.daemon.own_port, files)
        page = world.page(name, one.url + (Front.BELOW.decode()[1:] if below else ""))
        try:
            yield one, files, page
        finally:
            world.browsers.pop(name).close()
            one.close()


def make_version(files, number):
    """Makes a version of the page of which its script and its style sheet tell."""
    for path, text in (("table/page.js", f"window.version = {number};"), ("table/page.css", f":root {{ --version: {number}; }}")):
        with (files / path).open("a") as file:
            file.write(f"\n{text}\n")


def test_a_newer_page_is_taken_at_the_next_load(world):
    world.is_cut = True
    with front(world, "keeper") as (wire, files, page):
        make_version(files, 1)
        table = page.create("kanban?columns=fixed")
        page.add("one")
        page.until_order(todo=["one"])
        wait_until_kept(page)
        make_version(files, 2)
        # The page that is kept is shown, and says that there is a newer one.
        load(page, f"#table={table}")
        page.wait_for_table()
        assert page.browser.run(VERSION) == "1,1"
        page.until_notice(NEWER)
        # The next time it is there.
        load(page, f"#table={table}")
        page.wait_for_table()
        assert page.browser.run(VERSION) == "2,2"
        assert not [text for text in page.notices() if NEWER in text]
        # A page that is open hears of it when it has lost the daemon, and leaves what is in the hand alone.
        make_version(files, 3)
        page.browser.run("const input = document.querySelector('.composer input'); input.focus(); input.value = 'two'")
        wire.cut()
        page.browser.until("return document.querySelector('.status').textContent !== ''")
        wire.mend()
        page.until_notice(NEWER)
        assert page.browser.run(VERSION) == "2,2" and page.browser.run("return document.activeElement.value") == "two"
        page.browser.keys("\ue007")
        page.until_order(todo=["one", "two"])
        page.browser.run("[...document.querySelectorAll('.notice button')].find(({ textContent }) => textContent === 'Load it').click()")
        page.browser.until("return window.version === 3 && document.querySelector('.person')")
        page.until_order(todo=["one", "two"])
        assert page.browser.run(VERSION) == "3,3"
        # Only one version is kept.
        assert read_kept(page, "return files.filter(({ url }) => url.includes('page.js')).length") == 1


def test_a_newer_page_is_told_where_none_is_kept(world):
    world.is_cut = True
    with front(world, "keeper") as (wire, files, page):
        # As at an address without TLS.
        page.browser.devtools("Page.addScriptToEvaluateOnNewDocument", {"source": "Object.defineProperty(Navigator.prototype, 'serviceWorker', { value: undefined })"})
        make_version(files, 1)
        table = page.create("list")
        make_version(files, 2)
        wire.cut()
        page.browser.until("return document.querySelector('.status').textContent !== ''")
        wire.mend()
        page.until_notice(NEWER)
        load(page, f"#table={table}")
        page.wait_for_table()
        assert page.browser.run(VERSION) == "2,2"


def test_the_page_is_there_without_a_network(world):
    world.is_cut = True
    with front(world, "keeper", below=True) as (wire, files, page):
        table = page.create("kanban?columns=fixed")
        page.add("one")
        page.until_order(todo=["one"])
        wait_until_kept(page)
        # German words are kept once they were needed.
        speak(page, "de")
        page.forget()
        wait_until_kept(page)
        wire.cut()
        load(page)
        page.browser.until("return document.querySelector('#unreachable').checkVisibility()")
        assert page.browser.run("return document.querySelector('#unreachable').textContent").startswith("Der Server ist im Moment nicht erreichbar")
        assert page.browser.run(f"return {LISTED}", table)
        # A table that cannot be opened now is not gone.
        page.browser.run("document.querySelector('#mine a').click()")
        page.browser.until("return document.querySelector('#mine .trouble')?.textContent.includes('antwortet nicht')")
        assert "entfernen" not in page.browser.run("return document.querySelector('#mine .trouble').textContent")
        wire.mend()
        page.browser.until("return !document.querySelector('#unreachable').checkVisibility()")
        page.browser.run("document.querySelector('#mine .trouble button').click()")
        page.wait_for_table()
        page.until_order(todo=["one"])


def test_nothing_secret_is_kept(world):
    with closed_daemon(world) as (daemon, ada, bo):
        ada.create("kanban?columns=fixed")
        ada.add("a-title-of-mine")
        ada.until_order(todo=["a-title-of-mine"])
        link = invite(ada)
        follow(bo, link, "Bo")
        for page in (ada, bo):
            wait_until_kept(page)
            secrets = [link.partition("&invite=")[2], "a-title-of-mine"]
            # What the page has in its own storage, credentials and tickets among it.
            secrets += page.browser.run("return [...Object.values(localStorage), ...Object.values(sessionStorage)].flatMap((text) => [...text.matchAll(/[\\w+/=]{20,}/g)].map(([word]) => word))")
            assert len(secrets) > 4, secrets
            urls = read_kept(page, "return files.map(({ url }) => url)")
            files = {url.removeprefix(page.url).partition("?")[0] for url in urls}
            assert files == {"", "made/page.js", "made/later.js", "made/page.css", "table/icon.svg", "table/pulse-worker.js"}, files
            text = "".join(read_kept(page, "return Promise.all(files.map(async (file) => (await (await caches.match(file)).text()) + file.url))"))
            found = [secret for secret in secrets if secret in text]
            assert not found, found
            # What has no name by its contents is the network's.
            assert page.browser.run("return fetch('baize.d.ts').then(({ ok }) => ok)")
            assert not read_kept(page, "return files.filter(({ url }) => url.includes('baize.d.ts')).length")


class GuardedFront(Front):
    """As a proxy that lets nobody in who has not signed in."""

    is_guarded = False

    def response(self, head):
        if not self.is_guarded:
            return super().response(head)
        if head.startswith("GET /sign-in"):
            body = b"<!doctype html><title>Sign in</title>"
            return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        return b"HTTP/1.1 302 Found\r\nLocation: /sign-in\r\nContent-Length: 0\r\n\r\n"


def test_who_must_sign_in_again_is_not_kept_from_it(world):
    world.is_cut = True
    with front(world, "keeper", GuardedFront) as (wire, files, page):
        page.forget()
        wait_until_kept(page)
        wire.is_guarded = True
        load(page)
        page.until_notice(NEWER)
        load(page)
        assert page.browser.run("return document.title") == "Sign in"
        wire.is_guarded = False
        page.forget()
        wait_until_kept(page)


def test_the_page_can_be_installed(world):
    page = world.page("Ada")
    page.forget()
    page.browser.until("return document.querySelector('link[rel=manifest]')")
    manifest = page.browser.devtools("Page.getAppManifest")
    assert manifest["url"] == f"{page.url}manifest.json" and not manifest["errors"], manifest
    # In a window of a private kind, as here, nothing can be installed; otherwise it could.
    errors = [one["errorId"] for one in page.browser.devtools("Page.getInstallabilityErrors")["installabilityErrors"]]
    assert not set(errors) - {"in-incognito"}, errors


def test_a_text_that_was_discarded_does_not_come_back(world):
    page = world.page("keeper")
    table = page.create("list")
    wait_until_kept(page)
    kept = "return [...document.querySelectorAll('.notice.kept textarea')].map(({ value }) => value)"
    page.browser.run("document.querySelector('.composer input').value = 'half a text'")
    # The browser keeps the page as it was, and with it what the tab had stored then.
    for is_there in (True, False, False):
        load(page, f"#table={table}")
        page.wait_for_table()
        assert page.browser.run(kept) == (["half a text"] if is_there else []), is_there
        page.browser.run("[...document.querySelectorAll('.notice.kept button')].find(({ textContent }) => textContent === 'Discard it')?.click()")
    page.browser.open("about:blank")
    world.browsers.pop("keeper").close()
