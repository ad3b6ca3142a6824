"""One person carries items: by mouse, by finger and by keyboard (I5, I10)."""

KEYS = {"left": "\ue012", "up": "\ue013", "right": "\ue014", "down": "\ue015", "control": "\ue009", "delete": "\ue017",
        "escape": "\ue00c", "enter": "\ue007", "f2": "\ue032", "shift": "\ue008", "tab": "\ue004", "end": "\ue010", "home": "\ue011"}


def test_drag_and_undo_by_mouse(world):
    page = world.page("Ada")
    page.create("kanban?columns=fixed")
    page.add("one", "two", "three")
    page.until_order(todo=["one", "two", "three"], doing=[])
    page.drag(page.item("one"), page.place("doing"))
    page.until_order(todo=["two", "three"], doing=["one"])
    x, y = page.item("two")
    page.drag(page.item("three"), (x, y - 12))
    page.until_order(todo=["three", "two"])
    page.browser.keys((KEYS["control"], "z"))
    page.until_order(todo=["two", "three"])
    page.browser.keys((KEYS["control"], KEYS["shift"], "z"))
    page.until_order(todo=["three", "two"])


def test_legal_places_light_up_and_an_illegal_drop_springs_back(world):
    page = world.page("Ada")
    page.create("klondike")
    before = page.order()
    page.lift(page.item(None, "pile/6"))
    page.carry(page.place("stock"))
    assert not page.browser.run("return document.querySelector('[data-collection=stock]').matches('.legal, .target')")
    assert page.browser.run("return document.querySelector('.ghost .card') !== null")
    page.drop()
    page.until_notice("Stock: ")
    page.browser.until("return document.querySelector('.ghost') === null && document.querySelector('.carried') === null")
    assert page.order() == before


def test_a_full_column_says_why(world):
    page = world.page("Ada")
    page.create("kanban?columns=fixed")
    page.add("one", "two", "three", "four")
    page.until_order(todo=["one", "two", "three", "four"])
    for title in ("one", "two", "three"):
        page.drag(page.item(title), page.place("doing"))
    page.until_order(doing=["one", "two", "three"])
    page.lift(page.item("four"))
    page.carry(page.place("doing"))
    lit = page.browser.run("return [...document.querySelectorAll('.legal')].map(({ dataset }) => dataset.collection)")
    page.drop()
    assert lit == ["todo", "done"], lit
    page.until_notice("Doing: ")
    page.until_order(todo=["four"], doing=["one", "two", "three"])


def test_several_at_once(world):
    page = world.page("Ada")
    page.create("list")
    page.add(*"abcde")
    page.until_order(items=list("abcde"))
    page.click(page.item("b"))
    page.browser.actions(
        {"type": "key", "id": "keyboard", "actions": [{"type": "keyDown", "value": KEYS["control"]}]})
    page.click(page.item("d"))
    page.browser.actions({"type": "key", "id": "keyboard", "actions": [{"type": "keyUp", "value": KEYS["control"]}]})
    assert page.browser.run("return document.querySelectorAll('.selected').length") == 2
    start, end = page.item("d"), page.item("a")
    page.drag(start, (end[0], end[1] - 12))
    page.until_order(items=list("bdace"))


def test_copies_and_a_bin(world):
    page = world.page("Ada")
    page.create("playlist")
    library = page.order()["library"]
    page.drag(page.item("Für Elise"), page.place("queue"))
    page.until_order(library=library, queue=["Für Elise"])
    page.add("A song of mine")
    page.until_order(queue=["Für Elise", "A song of mine"])
    page.drag(page.item("Für Elise", "queue"), page.place("bin"))
    page.until_order(library=library, queue=["A song of mine"])


def test_keyboard_only(world):
    page = world.page("Ada")
    page.create("kanban?columns=fixed")
    page.add("one", "two", "three")
    page.until_order(todo=["one", "two", "three"])
    keys = page.browser.keys
    page.browser.run("document.activeElement.blur()")
    for _ in range(30):
        keys(KEYS["tab"])
        if page.browser.run("return document.activeElement.matches('.item')"):
            break
    label = page.browser.run("return document.activeElement.getAttribute('aria-label')")
    assert label == "one, To do, 1 of 3", label
    with page.browser.slow_motion():  # Keys do not wait until what moves has come to rest.
        keys(" ", KEYS["right"], " ")
        page.until_order(todo=["two", "three"], doing=["one"])
        page.browser.until("return document.activeElement.getAttribute('aria-label') === 'one, Doing, 1 of 1'")
        keys(KEYS["left"])
        page.browser.until("return document.activeElement.getAttribute('aria-label')?.startsWith('two')")
    keys(" ", KEYS["down"], KEYS["escape"])
    page.until_order(todo=["two", "three"])
    keys(" ", KEYS["down"], KEYS["enter"])
    page.until_order(todo=["three", "two"])
    keys(KEYS["f2"])
    keys((KEYS["control"], "a"), "t", "w", "i", "n", KEYS["enter"])
    page.until_order(todo=["three", "twin"])
    keys(KEYS["delete"])
    page.until_order(todo=["three"])
    said = page.browser.run("return document.querySelector('#announcements').textContent")
    assert "Picked up one" in said and "one to Doing" in said, said


def test_cards_by_keyboard(world):
    page = world.page("Ada")
    page.create("klondike")
    page.focus(None, "stock")
    page.browser.keys(" ")
    page.browser.until("return document.querySelectorAll('[data-collection=waste] .slot').length === 1")
    page.browser.keys((KEYS["control"], "z"))
    page.until_notice("That went back")  # What was hidden has been shown.
    page.focus(None, "pile/0")
    page.browser.keys(" ")
    said = page.browser.run("return document.querySelector('#announcements').textContent")
    assert "Picked up" in said or "nowhere" in said, said
    page.browser.keys(KEYS["escape"])
    page.browser.until("return document.querySelector('.carried') === null")


def test_touch_on_a_phone(world):
    page = world.phone()
    page.create("klondike")
    page.tap(page.item(None, "stock"))
    page.browser.until("return document.querySelectorAll('[data-collection=waste] .slot').length === 1")
    width = page.browser.run("return document.scrollingElement.scrollWidth")
    assert width <= 390, width
    page.create("kanban?columns=fixed")
    page.add("one", "two", "three")
    page.until_order(todo=["one", "two", "three"])
    x, y = page.item("one")
    page.drag_by_touch(page.item("three"), (x, y - 12))
    page.until_order(todo=["three", "one", "two"])
