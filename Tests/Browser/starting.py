"""The start page: each type with a picture of its own, and the rules of the games before one begins."""

from speaking import LANGUAGES, speak

#: What is cut, or beyond its box, on the start page.
CUT = """
return [...document.querySelectorAll('#mine li, #mine li .words, .type, .type .words, .buttons button, #options > *')].filter((one) => {
  const { right } = one.getBoundingClientRect();
  return one.scrollWidth > one.clientWidth + 1 || right > one.parentElement.getBoundingClientRect().right + 1;
}).map(({ textContent }) => textContent);
"""


def test_every_type_has_a_picture_and_every_game_its_rules(world):
    page = world.page("Ada")
    page.forget()
    pictures = page.browser.run("return [...document.querySelectorAll('.type')].map((one) => one.querySelector('svg[aria-hidden=true]')?.innerHTML ?? '')")
    assert len(pictures) == 10 and len(set(pictures)) == 10 and all(pictures), [len(one) for one in pictures]
    assert page.browser.run("return [...document.querySelectorAll('.picture')].every((one) => one.getBoundingClientRect().width > 40 && one.getBBox().width > 30)")
    with_rules = []
    for index in range(10):
        page.browser.run("document.querySelectorAll('.type input')[arguments[0]].click()", index)
        if page.browser.run("return document.querySelector('#options .about') !== null"):
            with_rules.append(page.browser.run("return document.querySelector('.type input:checked').value"))
    assert with_rules == ["klondike", "hand", "hearts", "speed", "nerts"], with_rules
    page.browser.run("document.querySelector('input[value=hearts]').click(); document.querySelector('#options .about').click()")
    assert "queen of spades" in page.browser.run("return document.querySelector('dialog.rules').textContent")
    page.browser.run("document.querySelector('dialog.rules').close()")


def test_nothing_is_cut_on_the_start_page(world):
    for name in ("speaker", "speaking phone"):
        page = world.phone(name) if "phone" in name else world.page(name)
        for language in ("en", *LANGUAGES):
            speak(page, language)
            page.forget()
            for type in ("kanban", "hearts", "nerts"):
                page.browser.run("document.querySelector(`input[value=${arguments[0]}]`).click()", type)
                cut = page.browser.run(CUT)
                assert not cut, (name, language, type, cut)
        page.browser.open("about:blank")
        world.browsers.pop(name).close()
