"""What lasts: a tab in the background keeps its connection; a crowd, a printer and a wrong limit leave the page as it is. Who holds a role is seen."""

import pathlib
import tempfile

from carrying import KEYS
from daemon import Daemon, Front
from wording import SAID

#: Browsers let the timers of a page in the background wait for a minute; then they follow one another in their order. Here it is less, as the heartbeats are. Each new connection is counted.
THROTTLE = """
const { WebSocket: Own, setTimeout: own } = window;
const wake = (delay) => {
  const due = performance.now() + delay;
  return delay < 200 ? delay : Math.ceil(due / 12_000) * 12_000 + (due % 12_000) / 50 - performance.now();
};
window.setTimeout = (callback, delay = 0, ...rest) => own(callback, wake(delay), ...rest);
window.setInterval = (callback, delay) => own(function again() { own(again, wake(delay)); callback(); }, wake(delay));
Object.defineProperty(document, 'hidden', { get: () => true });
window.connections = 0;
window.WebSocket = class extends Own { constructor(url) { super(url); window.connections += 1; } };
"""
ROOT = pathlib.Path(__file__).resolve().parents[2]
HEARTBEAT_SECONDS = 3
#: Longer than the timers of the page wait, which is longer than the three heartbeats for which the daemon does.
QUIET_MILLISECONDS = 13_000
CROWD = """
import('/baize.js').then(({ join, MemorySessionStore }) => {
  const table = new URLSearchParams(location.hash.slice(1)).get('table');
  const url = `ws://${location.host}/ws`;
  return Promise.all(Array.from({ length: arguments[0] }, (_, index) => join(url, { table, name: `Person with number ${index}`, store: new MemorySessionStore() })));
}).then((clients) => (window.crowd = clients));
"""
#: The parts of the bar that are over one another, or outside of the screen.
OVERLAPS = """
const parts = [...document.querySelectorAll('.bar > *, .bar h1')].filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 0);
const boxes = parts.map((one) => [one, one.getBoundingClientRect()]);
const wrong = boxes.filter(([, box]) => box.left < 0 || box.right > innerWidth + 1).map(([one]) => one.className);
for (const [one, a] of boxes) for (const [other, b] of boxes) {
  if (one === other || one.contains(other) || other.contains(one)) continue;
  if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1) wrong.push(`${one.className} ${other.className}`);
}
const title = document.querySelector('.bar h1');
if (title.scrollWidth > title.clientWidth + 1) wrong.push('the title is cut');
return wrong;
"""


def test_a_tab_in_the_background_and_a_crowd(world):
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(world.daemon.program, folder, "--heartbeat", str(HEARTBEAT_SECONDS))
        quiet, ada = world.page("Bo", daemon.url), world.page("Ada", daemon.url)
        script = quiet.browser.devtools("Page.addScriptToEvaluateOnNewDocument", {"source": THROTTLE})["identifier"]
        try:
            quiet.create("kanban?columns=fixed", "Bo")
            look_at_a_crowd(ada)
            quiet.browser.until("return performance.now() > arguments[0]", QUIET_MILLISECONDS)
            assert quiet.browser.run("return [window.connections, document.querySelector('.status').textContent]") == [1, ""]
        finally:
            quiet.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})
            for page in (quiet, ada):
                page.browser.open("about:blank")
            daemon.stop()


def look_at_a_crowd(page):
    page.create("kanban?columns=fixed", "Ada with a name")
    page.add("one")
    page.browser.run(CROWD, 11)
    page.browser.until("return document.querySelectorAll('.person').length === 12")
    for width, height in ((1024, 768), (720, 600), (390, 844)):
        page.browser.resize(width, height)
        page.settle()
        wrong = page.browser.run(OVERLAPS)
        assert not wrong, f"{width}x{height}: {wrong}"
    page.browser.resize(1024, 768)
    page.browser.run("for (const client of window.crowd) client.leave()")


def test_print_and_limits(world):
    page = world.page("Ada")
    page.create("kanban")
    page.paste("\n".join(f"line {number}" for number in range(60)), "column/2")
    page.browser.until("return document.querySelectorAll('li.slot').length === 60")
    page.browser.devtools("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        cut = page.browser.run("""
            const last = [...document.querySelectorAll('li.slot')].at(-1);
            let wrong = [];
            for (let one = last.parentElement; one; one = one.parentElement) {
              if (one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY !== 'visible' && one !== document.documentElement && one !== document.body) wrong.push(one.className);
            }
            const tools = [...document.querySelectorAll('.bar .tools, .composer, .collapse, .menu')].filter((one) => one.checkVisibility());
            return [wrong, tools.length, document.documentElement.scrollHeight > 60 * 40];
        """)
        assert cut == [[], 0, True], cut
    finally:
        page.browser.devtools("Emulation.setEmulatedMedia", {"media": ""})
    page.browser.run("document.querySelector('[data-collection=\"column/3\"] header .menu').click()")
    page.browser.run("[...document.querySelectorAll('.popup button')].find(({ textContent }) => textContent === 'Limit the number of items').click()")
    page.browser.until("return document.activeElement.matches('.editor')")
    page.browser.keys((KEYS["control"], "a"), *"abc", KEYS["enter"])
    page.until_notice("A limit is a whole number")
    page.browser.keys((KEYS["control"], "a"), "5", KEYS["enter"])
    page.browser.until("return document.querySelector('[data-collection=\"column/3\"] .count').textContent === '0 / 5'")


def test_who_holds_a_role_is_seen_and_given(world):
    ada, bo = world.together("board", "Ada", "Bo")
    role = "return document.querySelector('[data-collection=roles] li.slot small')?.textContent"
    for page in (ada, bo):
        page.browser.until(f"return (() => {{ {role} }})() === 'Holder: Ada'")
    ada.browser.run("document.querySelector('[data-collection=roles] li.slot .menu').click()")
    ada.browser.run("[...document.querySelectorAll('.popup button')].find(({ textContent }) => textContent === 'Holder: Bo').click()")
    for page in (ada, bo):
        page.browser.until(f"return (() => {{ {role} }})() === 'Holder: Bo'")
    assert "Holder: Bo." in ada.browser.run(SAID)


def test_below_the_path_of_a_proxy(world):
    front = Front(world.daemon.own_port, Daemon.files or ROOT / "Sources/BaizeServer/Web")
    ada, bo = (world.page(name, f"{front.url}below/a/path/") for name in ("Ada", "Bo"))
    try:
        table = ada.create("kanban?columns=fixed")
        ada.add("one")
        ada.browser.run("document.querySelector('[title=\"Invite others\"]').click()")
        link = ada.browser.until("return document.querySelector('dialog input')?.value")
        assert link == f"{ada.url}#table={table}", link
        bo.join(table, "Bo")
        bo.until_order(todo=["one"])
        assert bo.browser.run("return getComputedStyle(document.querySelector('.bar')).display") == "flex"
    finally:
        for page in (ada, bo):
            page.browser.open("about:blank")
        front.close()
