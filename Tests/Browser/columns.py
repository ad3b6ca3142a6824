"""Columns that people make: added, renamed, limited, moved and removed, by mouse and by keyboard, alone and together (Q1-Q6)."""

from carrying import KEYS
from daemon import Wire

FOCUS = "return document.activeElement.getAttribute('aria-label')"
MENU = """
const [column, entry] = arguments;
const heading = [...document.querySelectorAll('header.slot')].find((one) => one.querySelector('.title').textContent === column);
if (!document.querySelector('.popup')) heading.querySelector('.menu').click();
const found = [...document.querySelectorAll('.popup button')].find(({ textContent }) => textContent === entry);
if (!found) throw new Error([...document.querySelectorAll('.popup button')].map(({ textContent }) => textContent).join());
found.click();
"""


def choose(page, column, entry):
    """Chooses an entry of a column's menu."""
    page.settle()
    page.browser.run(MENU, column, entry)


def write(page, text):
    page.browser.until("return document.activeElement.matches('.editor')")
    page.browser.keys((KEYS["control"], "a"), *text, KEYS["enter"])


def test_two_people_make_columns(world):
    ada, bo = world.together("kanban", "Ada", "Bo")
    both = (ada, bo)
    ada.add("one", "two", "three", collection="column/2")
    ada.add("Reviw", collection="columns")
    for page in both:
        page.until_order(columns=["To do", "Doing", "Done", "Reviw"], column__2=["one", "two", "three"], column__5=[])
    choose(bo, "Reviw", "Edit the title")
    write(bo, "Review")
    for page in both:
        page.until_order(columns=["To do", "Doing", "Done", "Review"])
    ada.drag(ada.item("one", "column/2"), ada.place("column/5"))
    bo.drag(bo.item("three", "column/2"), bo.place("column/5"))
    for page in both:
        page.until_order(column__2=["two"], column__5=["one", "three"])
    choose(ada, "Review", "Move left")
    for page in both:
        page.until_order(columns=["To do", "Doing", "Review", "Done"], column__5=["one", "three"])
    bo.drag(bo.item("Done", "columns"), bo.item("To do", "columns"))
    for page in both:
        page.until_order(columns=["Done", "To do", "Doing", "Review"])
        order = page.browser.run("return [...document.querySelectorAll('.columns-list > .collection')].map(({ dataset }) => dataset.collection)")
        assert order == ["column/4", "column/2", "column/3", "column/5"], order


def test_a_column_with_cards_stays(world):
    page = world.page("Ada")
    page.create("kanban")
    page.add("one", "two", collection="column/2")
    page.until_order(column__2=["one", "two"])
    choose(page, "To do", "Delete")
    page.until_notice("It still has items in it")
    choose(page, "Done", "Delete")
    page.until_order(columns=["To do", "Doing"])
    page.browser.keys((KEYS["control"], "z"))
    page.until_order(columns=["To do", "Doing", "Done"], column__4=[])
    choose(page, "Doing", "Limit the number of items")
    write(page, "1")
    page.browser.until("return document.querySelector('[data-collection=\"column/3\"] .count').textContent === '0 / 1'")
    page.drag(page.item("one"), page.place("column/3"))
    page.until_order(column__3=["one"])
    page.drag(page.item("two"), page.place("column/3"))
    page.until_notice("Doing: ")
    page.until_order(column__2=["two"], column__3=["one"])


def test_columns_by_keyboard(world):
    page = world.page("Ada")
    page.create("kanban")
    page.add("one", "two", collection="column/2")
    page.until_order(column__2=["one", "two"])
    keys, run, until = page.browser.keys, page.browser.run, page.browser.until
    page.focus("one", "column/2")
    keys(KEYS["up"])
    label = run(FOCUS)
    assert label == "To do, Column 1 of 3", label
    keys(" ", KEYS["right"], KEYS["right"], " ")
    until("return document.querySelector('.carried') === null")
    order = page.order()["columns"]
    assert order != ["To do", "Doing", "Done"] and sorted(order) == ["Doing", "Done", "To do"], order
    until(f"return (() => {{ {FOCUS} }})().startsWith('To do, Column')")
    keys(KEYS["f2"])
    write(page, "Next")
    until("return document.activeElement.getAttribute('aria-label').startsWith('Next, Column')")
    keys(KEYS["delete"])
    page.until_notice("It still has items in it")
    # What is deleted gives the focus to its neighbour.
    page.focus("two", "column/2")
    keys(KEYS["delete"])
    page.until_order(column__2=["one"])
    assert run(FOCUS).startswith("one, Next"), run(FOCUS)
    keys(KEYS["delete"])
    page.until_order(column__2=[])
    assert run(FOCUS).startswith("Next, Column"), run(FOCUS)
    keys(KEYS["delete"])
    until("return document.querySelectorAll('header.slot').length === 2")
    assert "Column" in run(FOCUS), run(FOCUS)


def test_a_column_made_offline(world):
    """Q8: until the daemon answers the column has a handle of the page's own; its element stays when it gets another one."""
    wire = Wire(world.daemon.web_port)
    ada, bo = world.page("Ada"), world.page("Bo", wire.url)
    bo.join(ada.create("kanban"), "Bo")
    ada.add("one", collection="column/2")
    bo.until_order(column__2=["one"])
    world.is_cut = True
    wire.cut()
    bo.browser.until("return document.querySelector('.status').textContent.startsWith('Reconnecting')")
    bo.add("Ideas", collection="columns")
    bo.until_order(columns=["To do", "Doing", "Done", "Ideas"])
    shown = bo.browser.run("window.shown = document.querySelectorAll('.columns-list > .collection')[3]; return window.shown.dataset.collection")
    assert int(shown.removeprefix("column/")) >= 2 ** 31, shown
    bo.add("two", collection=shown)
    bo.drag(bo.item("one", "column/2"), bo.place(shown))
    bo.browser.until("return window.shown.querySelectorAll('li.slot').length === 2")
    ada.add("Review", collection="columns")
    ada.until_order(columns=["To do", "Doing", "Done", "Review"])
    wire.mend()
    bo.browser.until("return document.querySelector('.status').textContent === ''")
    for page in (ada, bo):
        page.until_order(column__2=[], column__5=[], column__6=["two", "one"])
    bo.browser.until("return window.shown.isConnected && window.shown.dataset.collection === 'column/6'")
    bo.add("three", collection="column/6")
    ada.until_order(column__6=["two", "one", "three"])
    bo.browser.open("about:blank")
    wire.close()
