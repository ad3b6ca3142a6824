"""Games that guide: whose turn it is and what is asked of whom, by name; buttons that do something; who played what."""

from touching import check_phone, middle, press

ASKED = "return document.querySelector('.guide .ask').textContent"
BUTTONS = "return [...document.querySelectorAll('.guide button')].filter((one) => one.checkVisibility()).map(({ textContent }) => textContent)"
PLAYED = "return [...document.querySelectorAll('[data-collection=trick] .slot')].map((slot) => slot.querySelector('.player-name')?.textContent)"
COUNT = "return document.querySelectorAll(`[data-collection=\"${arguments[0]}\"] .slot`).length"


def asked(page):
    return page.browser.run(ASKED)


def until_asked(page, text):
    page.browser.until(f"return (() => {{ {ASKED} }})().includes(arguments[0])", text, what=f"{text}, and not {asked(page)}")


def send_away(page, collection, index=0):
    """Touches a card twice."""
    page.browser.run("""
        const card = document.querySelectorAll(`[data-collection="${arguments[0]}"] .slot > .item`)[arguments[1]];
        for (const _ of [1, 2]) card.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    """, collection, index)


def until_count(page, collection, count):
    page.browser.until(f"{COUNT} === arguments[1]", collection, count, what=f"{count} cards in {collection}")


def choose_three(page, seat):
    for count in (1, 2, 3):
        send_away(page, f"hand/{seat}")
        until_count(page, f"gift/{seat}", count)


def test_hearts_says_what_is_asked_of_whom(world):
    names = ("Ada", "Bo", "Cy", "Di")
    ada = world.page("Ada")
    ada.browser.resize(1366, 768)
    try:
        table = ada.create("hearts", "Ada")
        until_asked(ada, "3 are missing")
        assert ada.browser.run(BUTTONS) == ["Invite others", "Add a robot"]
        phone = world.phone()
        pages = [ada, world.page("Bo"), world.page("Cy"), phone]
        for page, name in zip(pages[1:], names[1:]):
            page.join(table, name)
        for page, left in zip(pages, names[1:] + names[:1]):
            until_asked(page, f"Choose 3 cards to pass to {left}.")
            assert page.browser.run(BUTTONS) == [], page.browser.run(BUTTONS)
        choose_three(ada, 1)
        until_asked(ada, "Waiting for Bo, Cy, and Di to choose three cards.")
        assert ada.browser.run("return document.title") == "Hearts · Baize"
        for seat, page in enumerate(pages[1:-1], 2):
            choose_three(page, seat)
        check_phone(phone, "hearts")
        for count in (1, 2, 3):  # With a finger: a card, and where it goes.
            phone.tap(middle(phone, "[data-collection='hand/4'] .slot > .item"))
            phone.tap(middle(phone, "[data-collection='gift/4'] .stack"))
            until_count(phone, "gift/4", count)
        for page in pages:
            until_asked(page, "All have chosen")
            assert page.browser.run(BUTTONS) == ["Pass"]
            assert "Your turn" in page.browser.run("return document.title")
        height, room = ada.browser.run("const { scrollHeight, clientHeight } = document.querySelector('.cards'); return [scrollHeight, clientHeight]")
        assert height <= room, f"hearts at 1366x768 needs {height} pixels of {room}"
        phone.tap(middle(phone, "[data-action=pass]"))
        for page in pages:
            until_asked(page, "two of clubs")
        leading = [index for index, page in enumerate(pages) if asked(page) == "You have the two of clubs: play it."]
        assert len(leading) == 1, [asked(page) for page in pages]
        order = [(leading[0] + step) % 4 for step in range(4)]
        leader = pages[leading[0]]
        two = leader.browser.run("return [...document.querySelectorAll(`[data-collection=\"hand/${arguments[0]}\"] .slot > .item`)].findIndex((one) => one.getAttribute('aria-label').startsWith('2 clubs'))", leading[0] + 1)
        send_away(leader, f"hand/{leading[0] + 1}", two)
        for turn in order[1:]:
            until_asked(pages[turn], "Your turn: follow with clubs")
            for index, page in enumerate(pages):
                if index != turn:
                    until_asked(page, f"It is {names[turn]}’s turn.")
            play_any(pages[turn], turn + 1)
        for page in pages:
            until_count(page, "trick", 4)
            assert page.browser.run(PLAYED) == [names[index] for index in order], page.browser.run(PLAYED)
        [winner] = [index for index, page in enumerate(pages) if "yours" in asked(page)]
        for index, page in enumerate(pages):
            if index != winner:
                assert asked(page) == f"{names[winner]} takes the trick." and page.browser.run(BUTTONS) == [], asked(page)
        assert pages[winner].browser.run(BUTTONS) == ["Take"]
        # Any card of the trick stands for all of them.
        touch = phone.tap if pages[winner] is phone else pages[winner].click
        touch(middle(pages[winner], "[data-collection=trick] .slot > .item"))
        for page in pages:
            until_count(page, "trick", 0)
            until_asked(page, "You lead" if page is pages[winner] else f"{names[winner]} leads.")
    finally:
        ada.browser.resize(1024, 768)


def play_any(page, seat):
    """Plays the first card of a hand that may be played."""
    count = page.browser.run(COUNT, f"hand/{seat}")
    for index in range(count):
        send_away(page, f"hand/{seat}", index)
        if page.browser.run(COUNT, f"hand/{seat}") < count:
            return
    raise AssertionError("no card may be played")


def test_games_without_turns_say_who_waits(world):
    ada, bo = world.together("speed", "Ada", "Bo")
    for page in (ada, bo):
        page.browser.until("return document.querySelectorAll('.person').length === 2")
        until_asked(page, "one higher or lower")
        assert page.browser.run(BUTTONS) == ["Flip"], page.browser.run(BUTTONS)
    press(ada, "Flip")
    until_asked(ada, "You wait until Bo cannot play either.")
    assert ada.browser.run(BUTTONS) == [], "that would change nothing"
    until_asked(bo, "Ada cannot play.")
    press(bo, "Flip")
    until_asked(ada, "one higher or lower")
    ada, bo = world.together("nerts", "Ada", "Bo")
    bo.browser.until("return document.querySelectorAll('.person').length === 2")
    until_asked(bo, "13 cards to go")
    press(ada, "Stuck")
    until_asked(bo, "Ada cannot play.")
    until_asked(ada, "You are stuck, and Bo may still play.")
    assert ada.browser.run(BUTTONS) == ["Draw"]
    press(bo, "Stuck")
    until_asked(ada, "All are stuck")


def test_robots_take_the_empty_seats(world):
    page = world.page("Ada")
    page.create("hearts", "Ada")
    for count in (2, 3, 4):
        until_asked(page, "missing")
        press(page, "Add a robot")
        page.browser.until("return document.querySelectorAll('.person').length === arguments[0]", count)
    until_asked(page, "Choose 3 cards to pass to Robot 1.")
    page.browser.call("POST", "/refresh")
    page.wait_for_table()
    page.browser.until("return document.querySelectorAll('.person:not(.away)').length === 4")
    # What robots have chosen they leave there.
    page.browser.until("return [2, 3, 4].every((seat) => document.querySelectorAll(`[data-collection=\"gift/${seat}\"] .slot`).length === 3)")
    choose_three(page, 1)
    until_asked(page, "All have chosen")
    press(page, "Pass")
    page.browser.until("return document.querySelectorAll('[data-collection=trick] .slot').length >= 1 || (() => { " + ASKED + " })() === 'You have the two of clubs: play it.'")
    page.browser.run("document.querySelector('[title=\"How to play\"]').click()")
    assert "queen of spades" in page.browser.run("return document.querySelector('dialog').textContent")
    page.browser.run("document.querySelector('dialog .primary').click()")
    sound = "document.querySelector('[title=\"Sound at my turn\"]')"
    assert page.browser.run(f"{sound}.click(); return {sound}.getAttribute('aria-pressed')") == "true"
    page.browser.run(f"{sound}.click()")


def people(page):
    return page.browser.run("return [...document.querySelectorAll('.person .name')].map(({ textContent }) => textContent)")


def until_people(page, *names):
    wanted = list(names)
    page.browser.until("return JSON.stringify([...document.querySelectorAll('.person .name')].map(({ textContent }) => textContent)) === JSON.stringify(arguments[0])",
                       wanted, what=f"{wanted}, and not {people(page)}")


def test_robots_give_way_to_people(world):
    """At a full table a robot gives its seat, with its cards, to a person who comes, or who watches and asks."""
    ada = world.page("Ada")
    table = ada.create("hearts", "Ada")
    for count in (2, 3, 4):
        until_asked(ada, "missing")
        press(ada, "Add a robot")
        ada.browser.until("return document.querySelectorAll('.person').length === arguments[0]", count)
    until_asked(ada, "Choose 3 cards")
    bo, cy = world.page("Bo"), world.page("Cy")
    bo.join(table, "Bo")
    until_people(bo, "Ada 0", "Robot 1 0", "Robot 2 0", "Bo (you) 0")
    bo.browser.until("return document.querySelectorAll('[data-collection=\"hand/4\"] .slot').length >= 10", what="the robot's cards")
    cy.watch(table, "Cy")
    cy.browser.until("return document.querySelector('.bar .status').textContent === 'You are watching'")
    until_people(cy, "Ada 0", "Robot 1 0", "Robot 2 0", "Bo 0")
    press(cy, "Ask for a seat")
    until_people(cy, "Ada 0", "Robot 1 0", "Cy (you) 0", "Bo 0")
    until_people(ada, "Ada (you) 0", "Robot 1 0", "Cy 0", "Bo 0")
    until_people(bo, "Ada 0", "Robot 1 0", "Cy 0", "Bo (you) 0")
    for page in (ada, bo, cy):
        page.browser.until("return document.querySelectorAll('.person:not(.away)').length === 4 && !document.querySelector('.watching').checkVisibility()")
    # The robot that is left is the tab's when the page is loaded again; the others have left for good.
    ada.browser.call("POST", "/refresh")
    ada.wait_for_table()
    ada.browser.until("return document.querySelectorAll('.person:not(.away)').length === 4")


def test_who_comes_to_a_table_full_of_people_waits(world):
    ada, bo = world.together("speed", "Ada", "Bo")
    table = ada.browser.run("return new URLSearchParams(location.hash.slice(1)).get('table')")
    cy = world.page("Cy")
    cy.forget()
    cy.browser.open("about:blank")
    cy.browser.open(f"{cy.url}#table={table}&name=Cy")
    cy.browser.until("return document.querySelector('.bar .status')?.textContent === 'All seats are taken. You get one as soon as it is free.'")
    until_people(cy, "Ada", "Bo")
    bo.browser.run("document.querySelector('[data-icon=leave]').click()")
    ada.browser.until("return document.querySelectorAll('.person').length === 2 && document.querySelector('.person.away')")
    ada.browser.run("document.querySelector('.person.away').click()")
    ada.browser.until("return document.querySelector('.popup .danger')")
    ada.browser.run("document.querySelector('.popup .danger').click()")
    until_people(cy, "Ada", "Cy (you)")
    until_people(ada, "Ada (you)", "Cy")


def test_a_race_of_several_is_on_the_screen_of_a_laptop(world):
    page = world.page("Ada")
    page.browser.resize(1366, 768)
    try:
        for players in (2, 4, 6):
            page.create(f"nerts?players={players}")
            for number in range(2, players + 1):
                page.browser.run("[...document.querySelectorAll('.guide button')].find(({ textContent }) => textContent === 'Add a robot').click()")
                page.browser.until("return document.querySelectorAll('.person').length === arguments[0]", number)
            page.settle()
            beyond = page.browser.run("""
                const table = document.querySelector('.cards');
                const { bottom, right } = table.getBoundingClientRect();
                return [table.scrollHeight - table.clientHeight, table.scrollWidth - table.clientWidth,
                  [...table.querySelectorAll('.collection')].filter((one) => one.getBoundingClientRect().bottom > bottom || one.getBoundingClientRect().right > right).length];
            """)
            assert beyond == [0, 0, 0], (players, beyond)
    finally:
        page.browser.resize(1024, 768)
