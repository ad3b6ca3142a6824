"""Several people at one table, cut wires and killed daemons (I1, I3, I7, I10)."""

import json
import pathlib
import random
import tempfile
import threading

from daemon import Daemon, Wire

KANBAN = pathlib.Path(__file__).resolve().parents[2] / "Protocol/table-types/kanban.json"
HELD = "return [...document.querySelectorAll('.held .title')].map(({ textContent }) => textContent)"


def test_a_drag_in_one_window_appears_in_the_other(world):
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    ada.add("one", "two", "three")
    bo.until_order(todo=["one", "two", "three"])
    ada.lift(ada.item("two"))
    bo.browser.until(HELD + ".join() === 'two'")
    assert bo.browser.until("return document.querySelector('.badge')?.textContent") == "Ada"
    ada.carry(ada.place("done"))
    ada.drop()
    for page in (ada, bo):
        page.until_order(todo=["one", "three"], done=["two"])
    bo.browser.until("return document.querySelectorAll('.held, .badge').length === 0")
    people = bo.browser.run("return [...document.querySelectorAll('.person')].map((one) => one.getAttribute('aria-label'))")
    assert people == ["Ada", "Bo, you"], people


def test_both_grab_one_card(world):
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    ada.add("one", "two")
    bo.until_order(todo=["one", "two"])
    ada.lift(ada.item("one"))
    bo.browser.until(HELD + ".join() === 'one'")
    bo.lift(bo.item("one"))
    bo.until_notice("Someone else is holding that")
    bo.drop()
    ada.carry(ada.place("done"))
    ada.drop()
    for page in (ada, bo):
        page.until_order(todo=["two"], done=["one"])


def test_the_time_of_a_turn(world):
    """T8: the page counts down, and says when the time is up."""
    document = json.loads(KANBAN.read_text())
    document["options"]["columns"]["default"] = "fixed"
    document["turns"] = "turns"
    document["clock"] = {"turn": {"seconds": 4, "try": [{"move": {"from": "todo", "to": "done"}}]}}
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "kanban.json").write_text(json.dumps(document))
        daemon = Daemon(world.daemon.program, folder, "--types", folder)
        ada = world.page("Ada", daemon.url)
        try:
            ada.create("kanban?columns=fixed", "Ada")
            ada.add("one")
            time = "document.querySelector('.time')"
            for left in ("0:03", "0:02"):
                ada.browser.until(f"return {time}.checkVisibility() && {time}.textContent === '{left}'")
            ada.until_order(todo=[], done=["one"])
            ada.until_notice("Your time is up")
            ada.browser.until(f"return {time}.textContent === '0:04'")
        finally:
            ada.browser.open("about:blank")
            daemon.stop()


def test_offline_and_back(world):
    wire = Wire(world.daemon.web_port)
    ada, bo = world.page("Ada"), world.page("Bo", wire.url)
    bo.join(ada.create("kanban?columns=fixed"), "Bo")
    ada.add("one", "two")
    bo.until_order(todo=["one", "two"])
    world.is_cut = True
    wire.cut()
    bo.browser.until("return document.querySelector('.status').textContent.startsWith('Reconnecting')")
    bo.drag(bo.item("two"), bo.place("done"))
    bo.until_order(done=["two"])
    ada.add("three")
    ada.until_order(todo=["one", "two", "three"])
    wire.mend()
    bo.browser.until("return document.querySelector('.status').textContent === ''")
    for page in (ada, bo):
        page.until_order(todo=["one", "three"], done=["two"])
    bo.browser.open("about:blank")
    wire.close()


def test_the_daemon_is_killed_and_started(world):
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    ada.add("one", "two", "three")
    bo.until_order(todo=["one", "two", "three"])
    world.is_cut = True
    world.daemon.kill()
    ada.drag(ada.item("one"), ada.place("done"))
    ada.until_order(todo=["two", "three"], done=["one"])
    world.daemon.start()
    for page in (ada, bo):
        page.browser.until("return document.querySelector('.status').textContent === ''")
        page.until_order(todo=["two", "three"], done=["one"])
    bo.drag(bo.item("three"), bo.place("done"))
    for page in (ada, bo):
        page.until_order(todo=["two"], done=["one", "three"])


def test_a_table_that_moves_to_another_document_is_shown_with_it(world):
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    ada.add("one", "two")
    bo.until_order(todo=["one", "two"])
    for page in (ada, bo):
        page.browser.run("window.isOld = true")
    world.is_cut = True
    world.daemon.kill()
    with tempfile.TemporaryDirectory() as folder:
        document = json.loads(KANBAN.read_text())
        document["options"]["columns"]["default"] = "fixed"
        document["collections"].append({"kind": "later", "show": {"title": "Later"}})
        (pathlib.Path(folder) / "kanban.json").write_text(json.dumps(document))
        flags, world.daemon.flags = world.daemon.flags, ("--types", folder, "--migrate")
        world.daemon.start()
        for page in (ada, bo):
            page.browser.until("return !window.isOld && document.querySelector('[data-collection=\"later\"] .stack')")
            page.wait_for_table()
            page.until_order(todo=["one", "two"])
        bo.drag(bo.item("two"), bo.place("done"))
        for page in (ada, bo):
            page.until_order(todo=["one"], done=["two"])
        people = ada.browser.run("return [...document.querySelectorAll('.person')].map((one) => one.getAttribute('aria-label'))")
        assert people == ["Ada, you", "Bo"], people
        world.daemon.kill()
    world.daemon.flags = flags
    world.daemon.start()


def test_a_page_that_is_loaded_again_has_its_seat(world):
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    bo.add("one")
    ada.until_order(todo=["one"])
    ada.browser.call("POST", "/refresh")
    ada.wait_for_table()
    ada.until_order(todo=["one"])
    people = ada.browser.run("return [...document.querySelectorAll('.person')].map((one) => one.getAttribute('aria-label'))")
    assert people == ["Ada, you", "Bo"], people


def test_an_invite_leaves_the_address(world):
    with tempfile.TemporaryDirectory() as folder:
        closed = Daemon(world.daemon.program, folder, "--closed")
        try:
            ada, bo = world.page("Ada", closed.url), world.page("Bo", closed.url)
            table = ada.create("list")
            ada.browser.run("document.querySelector('[title=\"Invite others\"]').click()")
            link = ada.browser.until("return document.querySelector('dialog input')?.value")
            assert f"table={table}&invite=" in link, link
            bo.forget()
            bo.browser.open("about:blank")
            bo.browser.open(link)
            bo.browser.until("return !document.querySelector('#invitation').hidden")
            address = bo.browser.run("return location.href")
            assert address == f"{closed.url}#table={table}", address
            bo.browser.run("document.querySelector('#join .primary').click()")
            bo.wait_for_table()
            bo.forget()
            bo.browser.open("about:blank")
            bo.browser.open(f"{closed.url}#table={table}&name=Bo")
            bo.browser.until("return document.querySelector('#problem').textContent.includes('not valid')")
            for page in (ada, bo):
                page.browser.open("about:blank")
        finally:
            closed.stop()


def test_markup_is_text(world):
    script = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"
    ada, bo = world.page("Ada"), world.page("Bo")
    bo.join(ada.create("kanban?columns=fixed", script[:24]), "Bo")
    ada.add(script)
    bo.until_order(todo=[script])
    ada.browser.run("document.querySelector('[title=Messages]').click()")
    ada.browser.run("""
        const form = document.querySelector('.chat form');
        form.querySelector('input').value = arguments[0];
        form.requestSubmit();
    """, script)
    bo.browser.until("return [...document.querySelectorAll('.lines span')].some(({ textContent }) => textContent === arguments[0])", script)
    for page in (ada, bo):
        assert page.browser.run("return document.querySelectorAll('img, script:not([src])').length") == 0
        assert page.browser.run("return window.hacked === undefined")
        assert page.browser.run("return document.querySelector('.person .name').textContent").startswith(script[:24])


def test_three_rearrange_a_board_at_once(world):
    pages = world.together("kanban?columns=fixed", "Ada", "Bo", "Cy")
    titles = [str(number) for number in range(12)]
    pages[0].add(*titles)
    for page in pages:
        page.until_order(todo=titles)
    failures = []

    def play(page, seed):
        source = random.Random(seed)
        try:
            for _ in range(8):
                order = page.order()
                title = source.choice([one for items in order.values() for one in items])
                page.drag(page.item(title), page.place(source.choice(["todo", "doing", "done"])))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=play, args=(page, seed)) for seed, page in enumerate(pages)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    for page in pages:
        page.browser.until("return document.querySelector('.ghost, .carried, .held') === null")
    pages[0].add("the last")
    for page in pages:
        page.browser.until("return document.querySelector('[data-collection=todo] .slot:last-child .title')?.textContent === 'the last'")
    orders = [page.order() for page in pages]
    assert orders[0] == orders[1] == orders[2], orders
    assert sorted(one for items in orders[0].values() for one in items) == sorted([*titles, "the last"]), orders[0]


def test_who_watches_is_counted(world):
    """P14: players and watchers see how many watch, and nobody watches any more when the last one has gone."""
    watching = "return document.querySelector('.watching')?.checkVisibility() ? document.querySelector('.watching').textContent : ''"
    said = f"return (() => {{ {watching} }})() === arguments[0]"
    ada, bo = world.together("kanban?columns=fixed", "Ada", "Bo")
    table = ada.browser.run("return new URLSearchParams(location.hash.slice(1)).get('table')")
    assert ada.browser.run(watching) == ""
    watchers = [world.page(name) for name in ("Cy", "Di")]
    for number, page in enumerate(watchers, 1):
        page.watch(table)
        for one in (ada, bo, page):
            one.browser.until(said, "1 person is watching" if number == 1 else "2 people are watching")
    # One of them asks to play.
    watchers[0].join(table, "Cy")
    ada.browser.until(said, "1 person is watching")
    ada.browser.call("POST", "/refresh")
    ada.wait_for_table()
    ada.browser.until(said, "1 person is watching")
    watchers[1].forget()
    for page in (ada, bo, watchers[0]):
        page.browser.until(said, "")
