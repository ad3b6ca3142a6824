"""Pictures of tables at several widths, light and dark, to look at, and the two of the README."""

import pathlib

README_FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Protocol" / "pictures"
README_BYTES_MAX = 60_000
from operating import open_page, watch

WIDTHS = ((390, 844), (1024, 768), (1600, 1000))
TITLES = ("Write the release notes", "Fix the sign-in on small screens", "Ask for the new logo", "Translate the help pages", "Renew the certificate")


def take_pictures(world, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for width, height in WIDTHS:
        for scheme in ("light", "dark"):
            name = f"{width}-{scheme}"
            page = world.page(name, width=width, height=height, dark=scheme == "dark", touch=width < 500)
            other = world.page(f"{name}-other")
            page.forget()
            page.browser.screenshot(folder / f"start-{name}.png")
            for type, arrange in TABLES.items():
                table = page.create(type)
                other.join(table, "Bo") if type != "grid" else None
                arrange(page)
                take(page, folder / f"{type}-{name}.png")
                if type == "kanban":
                    operator = world.page(f"{name}-operator", width=width, height=height, dark=scheme == "dark").browser
                    open_page(operator, world.daemon)
                    watch(operator, table, TITLES[0])
                    operator.screenshot(folder / f"operator-{name}.png")
            world.forget()


def take_readme_pictures(world):
    """Writes a board and a card table of two people to Protocol/pictures."""
    README_FOLDER.mkdir(exist_ok=True)
    for type, height in (("kanban", 350), ("klondike", 580)):
        page, other = world.page("readme", width=1000, height=height), world.page("readme-other")
        other.join(page.create(type), "Bo")
        TABLES[type](page)
        # A gradient takes most of a picture's bytes.
        page.browser.run("for (const felt of document.querySelectorAll('.felt')) felt.style.background = 'var(--felt)'")
        take(page, README_FOLDER / f"{type}.png")
        size = (README_FOLDER / f"{type}.png").stat().st_size
        assert size <= README_BYTES_MAX, f"{type}.png has {size} bytes"
        world.forget()


def take(page, path):
    """Writes a picture once nothing moves, and no message is in the way."""
    page.browser.run("document.activeElement.blur()")
    page.browser.until("return document.getAnimations().length === 0 && document.querySelector('.notice') === null")
    page.browser.screenshot(path)


def fill(page):
    page.add(*TITLES)
    page.until_order(**{page.browser.run("return document.querySelector('.collection:not(.columns)').dataset.collection"): list(TITLES)})


def fill_board(page):
    fill(page)
    for title, collection in ((TITLES[1], "column/3"), (TITLES[3], "column/3"), (TITLES[0], "column/4")):
        page.focus(title)
        page.browser.keys(" ", *["\ue014"] * (1 if collection == "column/3" else 2), " ")
        page.browser.until("return document.querySelector(`[data-collection='${arguments[0]}']`).textContent.includes(arguments[1])", collection, title)


def draw(page):
    for count in (1, 2, 3):
        page.click(page.item(None, "stock"))
        page.browser.until("return document.querySelectorAll('[data-collection=waste] .slot').length >= arguments[0]", count)


def nothing(page):
    pass


TABLES = {"kanban": fill_board, "list": fill, "board": nothing, "hearts": nothing, "playlist": nothing, "klondike": draw, "hand": nothing, "speed": nothing, "nerts": nothing, "grid": nothing}
