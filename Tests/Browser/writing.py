"""What one types is one's own, whatever others do to the item meanwhile."""

from carrying import KEYS

EDITOR = "document.querySelector('.editor')"
STATE = f"return {EDITOR} && [{EDITOR}.value, document.activeElement === {EDITOR}]"
KEPT = "return [...document.querySelectorAll('.kept textarea')].map(({ value }) => value)"


def edit(page, title, text):
    """Opens the editor of an item and replaces what is written, without ending it."""
    page.focus(title)
    page.browser.keys(KEYS["f2"])
    page.browser.until("return document.activeElement.matches('.editor')")
    page.browser.keys((KEYS["control"], "a"), *text)


def press(page, button):
    page.browser.run("[...document.querySelectorAll('.trouble button, .kept button')].find(({ textContent }) => textContent === arguments[0]).click()", button)


def test_an_editor_stays_open_while_others_move_the_item(world):
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    ada.add("one", "two")
    bo.until_order(todo=["one", "two"])
    edit(ada, "one", "hal")
    bo.browser.until("return document.querySelector('.writer')?.textContent === 'Ada is writing…'")
    bo.drag(bo.item("one"), bo.place("done"))
    ada.browser.until("return document.querySelector('[data-collection=done] .slot')")
    assert ada.browser.run(STATE) == ["hal", True], ada.browser.run(STATE)
    ada.browser.keys("x", "\ue003", "f", "z", "\ue003", " ", "a")
    assert ada.browser.run(STATE) == ["half a", True], ada.browser.run(STATE)
    ada.browser.keys(KEYS["enter"])
    for page in (ada, bo):
        page.until_order(todo=["two"], done=["half a"])
    bo.browser.until("return document.querySelector('.writer:not([hidden])') === null")


def test_the_text_of_a_deleted_item_is_offered(world):
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    ada.add("one", "two")
    bo.until_order(todo=["one", "two"])
    edit(ada, "one", "mine")
    bo.focus("one")
    bo.browser.keys(KEYS["delete"])
    ada.until_order(todo=["two"])
    ada.browser.until("return document.querySelector('.trouble').textContent.includes('deleted')")
    assert ada.browser.run(STATE) == ["mine", True]
    press(ada, "Add it again")
    for page in (ada, bo):
        page.until_order(todo=["two", "mine"])


def test_two_who_write_one_title_see_both_texts(world):
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    ada.add("one")
    bo.until_order(todo=["one"])
    edit(ada, "one", "hers")
    edit(bo, "one", "his")
    bo.browser.keys(KEYS["enter"])
    ada.browser.until("return document.querySelector('.trouble q')?.textContent === 'his'")
    ada.browser.keys(KEYS["enter"])  # Leads to the choice, and decides nothing.
    assert ada.browser.run(STATE) == ["hers", False]
    press(ada, "Save mine")
    for page in (ada, bo):
        page.until_order(todo=["hers"])
    # Whose text was new is told, and has it still.
    bo.browser.until(f"return (() => {{ {KEPT} }})().join() === 'his'")
    press(bo, "Put mine back")
    ada.until_order(todo=["his"])


def test_what_is_written_survives_that_the_page_is_loaded_again(world):
    ada = world.page("Ada")
    ada.create("kanban?columns=fixed")
    ada.add("one")
    ada.until_order(todo=["one"])
    edit(ada, "one", "half")
    ada.browser.run("document.querySelector('[data-collection=todo] .composer input').value = 'another'")
    ada.browser.call("POST", "/refresh")
    ada.wait_for_table()
    kept = ada.browser.until(KEPT)
    assert kept[:2] == ["half", "another"], kept
    ada.until_order(todo=["one"])
