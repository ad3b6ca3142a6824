"""What one carries is one's own until one lets go of it, and a drop lands where the mark was."""

from carrying import KEYS
from webdriver import move, pause

NO_GHOST = "return document.querySelector('.ghost, .carried') === null"
#: The titles in front of the mark and behind it, as they are on the screen.
AROUND = """
const mark = document.querySelector('.marker');
if (mark.hidden) return undefined;
const { left, top, height } = mark.getBoundingClientRect();
const at = top + height / 2;
const slots = [...document.querySelectorAll('li.slot:not(.carried)')].map((slot) => [slot.querySelector('.title').textContent, slot.getBoundingClientRect()]);
const own = slots.filter(([, box]) => Math.abs(box.left - left) < 4);
return [own.filter(([, box]) => box.bottom <= at + 1).at(-1)?.[0], own.find(([, box]) => box.top >= at - 1)?.[0]];
"""
TITLES = "return [...document.querySelectorAll(`[data-collection=\"${arguments[0]}\"] li.slot .title`)].map(({ textContent }) => textContent)"


def assert_lands_at_the_mark(page, title, collection):
    """Lets go, and looks whether the item is between those that the mark was between."""
    around = page.browser.run(AROUND)
    page.drop()
    page.browser.until(NO_GHOST)
    page.settle()
    titles = page.browser.run(TITLES, collection)
    index = titles.index(title)
    found = [titles[index - 1] if index > 0 else None, titles[index + 1] if index + 1 < len(titles) else None]
    assert found == around, f"{found}, and the mark was between {around}"
    return found


def test_nothing_is_left_at_the_pointer(world):
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    ada.add("one", "two", "three")
    bo.until_order(todo=["one", "two", "three"])
    undo = (KEYS["control"], "z")
    for keys, notice in (((KEYS["escape"],), "Put back"), ((undo,), "Nothing else was undone")):
        ada.browser.run("document.querySelectorAll('.notice').forEach((one) => one.remove()); document.activeElement.blur()")
        ada.lift(ada.item("two"))
        ada.carry(ada.place("done"))
        ada.browser.keys(*keys)
        ada.browser.until(NO_GHOST)
        ada.until_notice(notice)
        ada.drop()
        ada.until_order(todo=["one", "two", "three"], done=[])
    ada.browser.run("document.querySelectorAll('.notice').forEach((one) => one.remove())")
    ada.lift(ada.item("two"))
    ada.carry(ada.place("done"))
    bo.focus("two")
    bo.browser.keys(KEYS["delete"])
    ada.browser.until(NO_GHOST)
    ada.until_notice("Somebody has deleted what you were carrying")
    ada.drop()
    for page in (ada, bo):
        page.until_order(todo=["one", "three"], done=[])
    assert not any("names no item" in notice for notice in ada.notices())


def test_a_gap_is_held_by_what_stands_around_it(world):
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    ada.paste("\n".join("abcdefgh"), "todo")
    bo.until_order(todo=list("abcdefgh"))
    x, y = ada.item("e")
    ada.lift(ada.item("a"))
    ada.carry((x, y - 20))
    assert ada.browser.run(AROUND) == ["d", "e"], ada.browser.run(AROUND)
    bo.drag(bo.item("e"), bo.place("done"))
    ada.until_order(done=["e"])
    ada.settle()
    assert ada.browser.run(AROUND) == ["d", "f"], ada.browser.run(AROUND)
    bo.drag(bo.item("d"), bo.place("done"))
    ada.until_order(done=["e", "d"])
    ada.settle()
    assert_lands_at_the_mark(ada, "a", "todo")
    for page in (ada, bo):
        page.until_order(todo=list("bcafgh"))


def test_a_column_goes_while_something_is_above_it(world):
    ada, bo = world.together("kanban", "Ada", "Bo")
    ada.add("one", collection="column/2")
    bo.until_order(column__2=["one"])
    ada.lift(ada.item("one"))
    ada.carry(ada.place("column/4"))
    ada.browser.until("return document.querySelector('.target')?.dataset.collection === 'column/4'")
    bo.browser.run("document.querySelector('[data-collection=\"column/4\"] header .menu').click()")
    bo.browser.run("[...document.querySelectorAll('.popup button')].find(({ textContent }) => textContent === 'Delete').click()")
    ada.until_order(columns=["To do", "Doing"])
    ada.carry(ada.place("column/3"))
    ada.drop()
    for page in (ada, bo):
        page.until_order(column__2=[], column__3=["one"])


def test_the_wheel_the_edge_and_the_end_of_a_long_column(world):
    page = world.page("Ada")
    page.create("list")
    page.paste("\n".join(map(str, range(230))), "items")
    page.browser.until("return document.querySelectorAll('li.slot').length === 230 || document.querySelectorAll('.collection .more:not([hidden])').length === 1")
    page.browser.run("document.querySelector('.stack').scrollTop = 0")
    x, y = page.item("1")
    page.lift((x, y))
    page.carry((x, y + 150))
    page.browser.actions({"type": "wheel", "id": "wheel", "actions": [
        {"type": "scroll", "x": round(x), "y": round(y + 150), "deltaX": 0, "deltaY": 600, "duration": 0}]})
    page.browser.until("return document.querySelector('.stack').scrollTop >= 500")
    page.settle()
    before, _ = assert_lands_at_the_mark(page, "1", "items")
    assert int(before) > 8, before
    # An edge scrolls while the pointer rests there, to the end of what is shown; a drop there is in sight.
    page.browser.run("document.querySelector('.stack').scrollTop = 0")
    page.lift(page.item("2"))
    bottom = page.browser.run("return document.querySelector('.stack').getBoundingClientRect().bottom")
    page.carry((x, bottom - 4))
    page.browser.until("const { scrollTop, scrollHeight, clientHeight } = document.querySelector('.stack'); return scrollTop + clientHeight >= scrollHeight - 1")
    page.carry((x, bottom + 30))
    page.browser.until("return document.querySelector('.marker').checkVisibility()")
    page.drop()
    page.browser.until(NO_GHOST)
    page.settle()
    titles = page.browser.run(TITLES, "items")
    assert titles[-1] == "2", titles[-3:]
    page.add("a new one")
    page.browser.until("return document.querySelector('li.slot:last-child .title').textContent === 'a new one'")


def test_below_a_short_column_is_its_end(world):
    page = world.page("Ada")
    page.create("kanban")
    page.add("one", "two", collection="column/2")
    page.until_order(column__2=["one", "two"])
    x, y = page.place("column/4")
    page.drag(page.item("one", "column/2"), (x, y + 300))
    page.until_order(column__2=["two"], column__4=["one"])
    for number in range(14):
        page.add(f"column {number}", collection="columns")
    page.until_order(columns=["To do", "Doing", "Done", *(f"column {number}" for number in range(14))])
    page.settle()
    page.browser.run("document.querySelector('[data-collection=\"column/2\"] li .menu').click()")
    entries = page.browser.run("return [...document.querySelectorAll('.popup button')].filter(({ textContent }) => textContent.startsWith('Move to')).length")
    assert entries == 16, entries
    page.browser.keys(KEYS["escape"])
    # The board scrolls while the pointer rests at its side.
    page.browser.run("document.querySelector('.board').scrollLeft = 0")
    start = page.item("two", "column/2")
    page.lift(start)
    page.browser.pointer([move(1018, start[1], 50), pause(10)])
    page.browser.until("const board = document.querySelector('.board'); return board.scrollLeft >= board.scrollWidth - board.clientWidth - 2")
    page.browser.keys(KEYS["escape"])
    page.drop()
    page.browser.until(NO_GHOST)
