"""Seats and tabs: whoever closes a tab finds the seat again, and no tab takes another's (J22)."""

OWN = "return document.querySelector('.person .name')?.textContent"
NAMES = "return [...document.querySelectorAll('.person .name')].map((name) => name.textContent)"


def new_tab(browser):
    """Opens an empty tab and goes there; returns the tab before."""
    before = browser.call("GET", "/window")
    browser.call("POST", "/window", {"handle": browser.call("POST", "/window/new", {"type": "tab"})["handle"]})
    return before


def close_tab(browser, tab):
    """Closes a tab and comes back to the present one."""
    present = browser.call("GET", "/window")
    browser.call("POST", "/window", {"handle": tab})
    browser.call("DELETE", "/window")
    browser.call("POST", "/window", {"handle": present})


def test_who_closes_the_tab_finds_the_seat_again_at_a_full_table(world):
    ada, bo = world.together("speed", "Ada", "Bo")
    table = ada.browser.run("return new URLSearchParams(location.hash.slice(1)).get('table')")
    assert ada.browser.run(OWN) == "Ada (you)"
    close_tab(ada.browser, new_tab(ada.browser))
    ada.browser.open(f"{ada.url}#table={table}")
    ada.wait_for_table()
    assert ada.browser.run(OWN) == "Ada (you)", ada.browser.run(NAMES)
    assert len(bo.browser.run(NAMES)) == 2


def test_a_duplicated_tab_leaves_the_first_one_where_it_is(world):
    ada = world.page("Ada")
    ada.create("kanban?columns=fixed")
    browser = ada.browser
    first = browser.call("GET", "/window")
    # The new tab has a copy of what this one keeps for itself.
    browser.run("window.open(location.href)")
    while len(tabs := browser.call("GET", "/window/handles")) < 2:
        pass
    second = next(tab for tab in tabs if tab != first)
    browser.call("POST", "/window", {"handle": second})
    ada.wait_for_table()
    assert browser.run(NAMES) == ["Ada (you)"], "both are one person's"
    ada.add("from the second")
    browser.call("POST", "/window", {"handle": first})
    ada.until_order(todo=["from the second"])
    ada.add("from the first")
    close_tab(browser, second)
    ada.until_order(todo=["from the second", "from the first"])


def test_a_full_table_says_so(world):
    world.is_cut = True
    ada, bo = world.together("speed", "Ada", "Bo")
    table = ada.browser.run("return new URLSearchParams(location.hash.slice(1)).get('table')")
    late = world.page("Cleo")
    late.forget()
    late.browser.open("about:blank")
    late.browser.open(f"{late.url}#table={table}&name=Cleo")
    late.browser.until("return document.querySelector('.bar .status')?.textContent.includes('seats are taken')")
    assert late.browser.run(NAMES) == ["Ada", "Bo"] and not late.browser.run("return document.querySelector('#start').checkVisibility()")
    assert len(bo.browser.run(NAMES)) == 2
