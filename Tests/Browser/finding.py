"""Finding one's way on a large board: searching, collapsing, sizes, and edges by finger and by keyboard."""

from carrying import KEYS
from holding import AROUND, NO_GHOST, TITLES
from webdriver import DOWN, UP, move, pause

FOUND = "return document.querySelector('.overview .found').textContent"
SPY = """
window.sent = [];
const { send } = WebSocket.prototype;
WebSocket.prototype.send = function (bytes) { window.sent.push(new Uint8Array(bytes)); return send.call(this, bytes); };
"""
#: The ids of the neighbors that the last drop names, in front of the gap and behind it.
NAMED = """
const [{ decode }, { ClientMessage }] = await Promise.all([import('/baize/codec.js'), import('/baize/schema.js')]);
const destinations = window.sent.map((bytes) => decode(ClientMessage, bytes).operation?.reorder?.destination).filter(Boolean);
return [destinations.at(-1).after, destinations.at(-1).before];
"""


def search(page, text):
    page.browser.run("document.querySelector('[title=\"Search and view\"]').click()")
    page.browser.run("const input = document.querySelector('.overview input'); input.value = arguments[0]; input.dispatchEvent(new Event('input'))", text)


def drag_beside(page, title, other, below):
    """Carries an item above or below another one, and looks where the mark is."""
    page.lift(page.item(title))
    x, y = page.item(other)
    page.carry((x, y + (18 if below else -18)))
    around = page.browser.run(AROUND)
    page.drop()
    page.browser.until(NO_GHOST)
    page.settle()
    return around


def test_a_search_keeps_the_order_and_counts_what_it_hides(world):
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    bo.paste("apple 1\npear\napple 2\nplum\napple 3\nfig", "todo")
    ada.until_order(todo=["apple 1", "pear", "apple 2", "plum", "apple 3", "fig"])
    ada.browser.run(SPY)
    search(ada, "APPLE")
    ada.until_order(todo=["apple 1", "apple 2", "apple 3"])
    assert ada.browser.run(FOUND) == "3 of 6 items are hidden.", ada.browser.run(FOUND)
    assert ada.browser.run("return document.querySelector('[data-collection=todo] .count').textContent") == "3 of 6"
    assert drag_beside(ada, "apple 3", "apple 2", below=False) == ["apple 1", "apple 2"]
    ada.until_order(todo=["apple 1", "apple 3", "apple 2"])
    bo.until_order(todo=["apple 1", "pear", "apple 3", "apple 2", "plum", "fig"])
    assert named(ada) == ["apple 1", "apple 2"], "a drop names both neighbors as they are shown"
    # At the end of what is shown it is behind the last one that is shown.
    drag_beside(ada, "apple 1", "apple 2", below=True)
    bo.until_order(todo=["pear", "apple 3", "apple 2", "apple 1", "plum", "fig"])
    # By keyboard, too.
    ada.focus("apple 1")
    ada.browser.keys(" ", KEYS["up"], KEYS["up"], " ")
    bo.until_order(todo=["pear", "apple 1", "apple 3", "apple 2", "plum", "fig"])
    ada.add("cherry")
    ada.until_notice("The search hides it")
    ada.browser.run("document.querySelector('.overview input').focus()")
    ada.browser.keys(KEYS["escape"])
    ada.until_order(todo=["pear", "apple 1", "apple 3", "apple 2", "plum", "fig", "cherry"])


def named(page):
    """Decodes with the page's own modules what it has sent last; returns the titles of the neighbors."""
    page.browser.run("window.named = undefined; (async () => { " + NAMED + " })().then((ids) => window.named = ids)")
    ids = page.browser.until("return window.named")
    return page.browser.run("""
        const ids = arguments[0];
        return ids.map((id) => [...document.querySelectorAll('li.slot')].find(({ view }) => view.item.id === id)?.querySelector('.title').textContent ?? null);
    """, ids)


def test_columns_collapse_and_boards_have_sizes(world):
    page = world.page("Ada")
    page.create("kanban")
    page.paste("a\nb\nc\nd", "column/2")
    page.until_order(column__2=list("abcd"))
    page.drag(page.item("a"), page.place("column/3"))
    page.until_order(column__3=["a"])
    page.browser.run("document.querySelector('[aria-label=\"Collapse Doing\"]').click()")
    page.until_order(column__3=[])
    assert page.browser.run("return document.querySelectorAll('.selected').length") == 0
    box = "const { left, top, width, height } = document.querySelector('[data-collection=\"column/3\"]').getBoundingClientRect();"
    width, x, y = page.browser.run(box + "return [width, left + width / 2, top + height / 2]")
    assert width < 60, width
    page.drag(page.item("b"), (x, y))
    page.until_order(column__2=["c", "d"], column__3=[])
    page.focus("c")
    page.browser.keys(" ", KEYS["right"])
    said = page.browser.run("return document.querySelector('#announcements').textContent")
    assert said.endswith("Doing, at the end."), said
    page.browser.keys(KEYS["escape"])
    page.browser.call("POST", "/refresh")
    page.wait_for_table()
    page.until_order(column__2=["c", "d"], column__3=[])
    search(page, "")
    full = page.browser.run("return document.querySelector('[data-collection=\"column/2\"]').offsetWidth")
    page.browser.run("for (const _ of [1, 2]) document.querySelector('[aria-label=Smaller]').click()")
    page.browser.until("return document.querySelector('[data-collection=\"column/2\"]').offsetWidth < arguments[0] * 0.85", full)
    page.browser.run("document.querySelector('[aria-label=Larger]').click(); document.querySelector('[aria-label=\"Expand Doing\"]').click()")
    page.until_order(column__2=["c", "d"], column__3=["a", "b"])
    assert drag_beside(page, "d", "c", below=False) == [None, "c"]
    page.until_order(column__2=["d", "c"])


def test_edges_by_finger_and_by_keyboard(world):
    phone = world.phone()
    phone.create("list")
    phone.paste("\n".join(map(str, range(60))), "items")
    phone.browser.until("return document.querySelectorAll('li.slot').length === 60")
    phone.browser.run("document.querySelector('.stack').scrollTop = 0")
    x, y = phone.item("1")
    bottom = phone.browser.run("return document.querySelector('.stack').getBoundingClientRect().bottom")
    phone.browser.pointer([move(x, y), DOWN, pause(400), move(x, y + 12, 40), move(x, bottom - 6, 120), pause(1500), move(x, bottom - 80, 60), UP], "touch")
    phone.browser.until("return document.querySelector('.stack').scrollTop > 300 && document.querySelector('.ghost') === null")
    phone.settle()
    index = phone.browser.run(TITLES, "items").index("1")
    assert index > 12, index
    shown = "const { top, bottom } = [...document.querySelectorAll('li.slot')].find((one) => one.querySelector('.title').textContent === arguments[0]).getBoundingClientRect(); return top >= 0 && bottom <= innerHeight"
    assert phone.browser.run(shown, "1"), "where one lets go is in sight"
    phone.browser.run("document.querySelector('.stack').scrollTop = 0")
    phone.focus("2")
    phone.browser.keys(" ", KEYS["end"])
    phone.browser.until("const { scrollTop, scrollHeight, clientHeight } = document.querySelector('.stack'); return scrollTop + clientHeight >= scrollHeight - 12")
    phone.browser.keys(KEYS["up"], " ")
    phone.browser.until("return ((...arguments) => { " + TITLES + " })('items').at(-2) === '2'")
    phone.browser.until(shown, "2")
