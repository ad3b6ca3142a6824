"""An item that is opened: the fields that its type's document declares, and what others do to them meanwhile."""

from carrying import KEYS

FIELD = "[...document.querySelectorAll('.opened .field')].find((one) => one.querySelector('label').textContent === arguments[0])"
VALUE = f"return {FIELD}.querySelector('input, textarea').value"


def open_item(page, title):
    page.focus(title)
    page.browser.keys("o")
    page.browser.until("return document.querySelector('.opened[open]')")


def write(page, label, text, leaves=True):
    page.browser.run(f"const input = {FIELD}.querySelector('input, textarea'); input.focus(); input.select?.()", label)
    page.browser.keys(*text)
    if leaves:
        page.browser.run("document.activeElement.blur()")


def test_an_opened_card_has_the_fields_of_its_type(world):
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    ada.add("one", "two")
    bo.until_order(todo=["one", "two"])
    open_item(ada, "one")
    labels = ada.browser.run("return [...document.querySelectorAll('.opened .field label')].map((one) => one.textContent)")
    assert labels == ["Title", "Description", "Labels", "Due", "Assignee", "Comments"], labels
    write(ada, "Description", "See https://example.org/a?b=1, <b>now</b>.")
    write(ada, "Labels", "urgent , home")
    ada.browser.run(f"const input = {FIELD}.querySelector('input'); input.value = '2027-03-01'; input.dispatchEvent(new Event('change'))", "Due")
    write(ada, "Assignee", "Bo")
    links = ada.browser.run("return [...document.querySelectorAll('.opened a')].map(({ href, rel }) => [href, rel])")
    assert links == [["https://example.org/a?b=1", "noopener noreferrer"]], links
    assert ada.browser.run("return document.querySelector('.opened b') === null")
    ada.browser.keys(KEYS["escape"])
    ada.browser.until("return !document.querySelector('.opened') && document.activeElement.matches('.item')")
    shown = "return [...document.querySelectorAll('[data-collection=todo] .slot')].map((one) => one.querySelector('small')?.textContent ?? '')"
    bo.browser.until(f"return (() => {{ {shown} }})()[0] === '≡ · urgent, home · due Mar 1 · Bo'")
    open_item(bo, "one")
    assert bo.browser.run(VALUE, "Description") == "See https://example.org/a?b=1, <b>now</b>."
    bo.browser.keys(KEYS["escape"])
    ada.browser.keys((KEYS["control"], "z"))
    bo.browser.until(f"return (() => {{ {shown} }})()[0] === '≡ · urgent, home · due Mar 1'")


def test_what_is_written_in_an_opened_card_is_ones_own(world):
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    ada.add("one")
    bo.until_order(todo=["one"])
    open_item(ada, "one")
    open_item(bo, "one")
    write(ada, "Description", "hers", leaves=False)
    bo.browser.until("return document.querySelector('.opened').textContent.includes('Ada is writing…')")
    write(bo, "Description", "his")
    ada.browser.until("return document.querySelector('.opened .trouble q')?.textContent === 'his'")
    assert ada.browser.run(VALUE, "Description") == "hers"
    ada.browser.run("[...document.querySelectorAll('.opened .trouble button')].find((one) => one.textContent === 'Use both').click()")
    bo.browser.until(f"return (() => {{ {VALUE} }})() === 'his\\nhers'", "Description")
    write(ada, "Labels", "mine", leaves=False)
    bo.browser.keys(KEYS["escape"])
    bo.focus("one")
    bo.browser.keys(KEYS["delete"])
    ada.browser.until("return !document.querySelector('.opened .problem').hidden")
    ada.browser.keys(KEYS["escape"])
    ada.browser.until("return document.querySelector('.kept textarea')?.value === 'mine'")


COMMENTS = "return [...document.querySelectorAll('.opened .comments li')].map((one) => [one.querySelector('b').textContent, one.lastChild.textContent])"


def comment(page, text):
    write(page, "Comments", text, leaves=False)
    page.browser.keys((KEYS["control"], KEYS["enter"]))


def until_comments(page, *wanted):
    page.browser.until(f"return JSON.stringify((() => {{ {COMMENTS} }})().sort()) === JSON.stringify(arguments[0])",
                       sorted(map(list, wanted)), what=f"{wanted}, and not {page.browser.run(COMMENTS)}")


def test_comments_stay_with_the_card(world):
    """Two who comment at once do not overwrite each other; the last 32 are kept, with who and when; markup is text."""
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    ada.add("one")
    bo.until_order(todo=["one"])
    for page in (ada, bo):
        open_item(page, "one")
    world.daemon.pause()
    try:
        comment(ada, "hers")
        comment(bo, "his <b>bold</b>")
    finally:
        world.daemon.proceed()
    for page in (ada, bo):
        until_comments(page, ("Ada", "hers"), ("Bo", "his <b>bold</b>"))
        assert page.browser.run("return document.querySelectorAll('.opened .comments time[datetime]').length") == 2
        # One's own can be deleted.
        assert page.browser.run("return document.querySelectorAll('.opened .comments button').length") == 1
    ada.browser.run("document.querySelector('.opened .comments button').click()")
    until_comments(bo, ("Bo", "his <b>bold</b>"))
    for number in range(33):
        comment(bo, f"{number}")
    ada.browser.until(f"return (() => {{ {COMMENTS} }})().at(-1)?.[1] === '32'")
    said = [text for _, text in ada.browser.run(COMMENTS)]
    assert said == [str(number) for number in range(1, 33)], said
    write(ada, "Comments", "not yet", leaves=False)
    for page in (bo, ada):
        page.browser.keys(KEYS["escape"])
        page.browser.until("return !document.querySelector('.opened')")
    assert "not yet" in ada.browser.run("return [...document.querySelectorAll('.kept textarea')].map(({ value }) => value)")
    assert "32 comments" in bo.browser.run("return document.querySelector('[data-collection=todo] small').textContent")
    bo.drag(bo.item("one"), bo.place("done"))
    ada.until_order(done=["one"])
    open_item(bo, "one")
    bo.browser.until("return document.querySelectorAll('.opened .comments li').length === 32")
    bo.browser.keys(KEYS["escape"])
