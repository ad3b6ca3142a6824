"""Names and keys of all writing systems, what is spoken, and what forced colors show."""

from carrying import KEYS
from writing import EDITOR, edit

SAID = "return [...document.querySelectorAll('#announcements p')].map(({ textContent }) => textContent)"
PRESS = """
const [key, options] = arguments;
document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...options }));
"""


def test_input_methods_and_layouts(world):
    page = world.page("Ada")
    page.create("kanban?columns=fixed")
    page.add("one", "two")
    page.until_order(todo=["one", "two"])
    edit(page, "one", "x")
    for key in ("Enter", "Escape"):
        page.browser.run(PRESS, key, {"isComposing": True, "keyCode": 229})
        assert page.browser.run(f"return {EDITOR}?.value") == "x"
    page.browser.keys(KEYS["enter"])
    page.until_order(todo=["x", "two"])
    page.browser.run(PRESS, "я", {"code": "KeyZ", "ctrlKey": True})
    page.until_order(todo=["one", "two"])


def test_names_that_turn_or_hide(world):
    ada, bo = world.together("kanban?columns=fixed", "\u202eAda", "\u200b\u200d")
    ada.add("\u202etxet", "\u200b", "שלום")
    bo.browser.until("return document.querySelectorAll('li.slot').length === 3")
    titles = bo.browser.run("return [...document.querySelectorAll('li .title')].map((one) => [one.textContent, getComputedStyle(one).direction])")
    assert titles == [["txet", "ltr"], ["Untitled", "ltr"], ["שלום", "rtl"]], titles
    people = ada.browser.run("return [...document.querySelectorAll('.person')].map((one) => one.getAttribute('aria-label'))")
    assert people == ["Ada, you", "Player 2"], people


def test_the_spoken_order(world):
    page = world.page("Ada")
    page.create("kanban?columns=fixed")
    page.add("one", "two", "three")
    page.until_order(todo=["one", "two", "three"])
    page.focus("two")
    page.browser.run("document.querySelector('#announcements').replaceChildren()")
    page.browser.keys((KEYS["control"], " "))
    assert page.browser.run(SAID) == ["two selected, 1 in all."], page.browser.run(SAID)
    assert page.browser.run("return document.activeElement.getAttribute('aria-pressed')") == "true"
    page.browser.keys(KEYS["escape"])
    page.browser.run("document.querySelector('#announcements').replaceChildren()")
    page.browser.keys(" ")
    said = page.browser.run(SAID)
    assert len(said) == 1 and said[0].startswith("Picked up two, 2 of 3 in To do."), said
    page.browser.keys(KEYS["down"], " ")
    page.until_order(todo=["one", "three", "two"])


def test_forced_colors_show_what_is_carried(world):
    page = world.page("Ada")
    page.create("klondike")
    page.browser.devtools("Emulation.setEmulatedMedia", {"features": [{"name": "forced-colors", "value": "active"}]})
    try:
        assert page.browser.run("return matchMedia('(forced-colors: active)').matches")
        back, border = page.browser.run("""
            const card = document.querySelector('.card.back');
            return [getComputedStyle(card, '::before').backgroundImage.includes('gradient'), getComputedStyle(card).borderTopStyle];
        """)
        assert back and border == "solid", (back, border)
        page.create("kanban?columns=fixed")
        page.add("one", "two")
        page.until_order(todo=["one", "two"])
        page.focus("one")
        page.browser.keys((KEYS["control"], " "), " ", KEYS["right"])
        outlines = page.browser.run("""
            const style = (selector, pseudo) => getComputedStyle(document.querySelector(selector)).outlineStyle;
            return [style('.legal:not(.target)'), style('.target'), style('.carried > .item')];
        """)
        assert outlines == ["dashed", "solid", "solid"], outlines
        page.browser.keys(KEYS["escape"])
    finally:
        page.browser.devtools("Emulation.setEmulatedMedia", {"features": [{"name": "forced-colors", "value": "none"}]})


def test_little_things(world):
    ada = world.page("Ada")
    table = ada.create("kanban")
    ada.add("one", collection="column/2")
    ada.until_order(column__2=["one"])
    ada.lift(ada.item("one"))
    dimmed = ada.browser.run("return [...document.querySelectorAll('.collection.legal, .columns')].filter((one) => getComputedStyle(one).opacity !== '1').length")
    ada.browser.keys(KEYS["escape"])
    ada.drop()
    assert dimmed == 0, dimmed
    edit(ada, "To do", "Now")
    ada.browser.keys(KEYS["escape"])
    bo = world.page("Bo")
    bo.forget()
    bo.browser.open("about:blank")
    bo.browser.open(f"{bo.url}#table={table}&watch")
    bo.browser.until("return document.querySelector('.status')?.textContent === 'You are watching'")
    bo.forget()
    bo.join(table, "")
    bo.browser.until("return [...document.querySelectorAll('.person')].some((one) => /^Guest \\d+, you/.test(one.getAttribute('aria-label')))")
