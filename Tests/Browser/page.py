"""The web table as a person uses it: it is looked at and touched, and nothing of its code is called."""

import json
import re

from webdriver import DOWN, UP, move, pause

ORDER = """
return Object.fromEntries([...document.querySelectorAll('.collection')].map((collection) => [
  collection.dataset.collection,
  [...collection.querySelectorAll(collection.matches('.columns') ? 'header.slot > .item' : 'li.slot > .item')].map((item) => item.querySelector('.title')?.textContent ?? (item.getAttribute('aria-label') ?? '').split(',')[0]),
]));
"""
ITEM = """
const [title, collection] = arguments;
const within = collection ? document.querySelector(`[data-collection="${collection}"]`) : document;
const items = [...within.querySelectorAll('.slot > .item')];
const found = title === null ? items.at(-1) : items.find((item) => (item.querySelector('.title')?.textContent ?? item.getAttribute('aria-label')).startsWith(title));
"""


class Page:
    def __init__(self, browser, url):
        self.browser, self.url = browser, url

    def forget(self):
        """Opens the start page; leaves the table first to which the tab comes back."""
        self.browser.open("about:blank")
        self.browser.open(self.url)
        leave = "document.querySelector('[data-icon=leave]')"
        if self.browser.until(f"return {leave} ? 'table' : !document.querySelector('#join').hidden && 'start'") == "table":
            # At a closed table it is asked whether the person leaves for good.
            self.browser.run(f"{leave}.click(); document.querySelector('.popup .danger')?.click()")
        self.browser.until("return document.querySelector('#join').checkVisibility()")

    def create(self, type, name="Ada"):
        """Creates a table on the start page, with options as in `kanban?columns=fixed`; returns its name."""
        run = self.browser.run
        type, *options = re.split(r"[?&]", type)
        self.forget()
        run("document.querySelector('#name').value = arguments[0]", name)
        # An operator's own types come a moment later.
        self.browser.until("return document.querySelector(`input[value=${arguments[0]}]`)", type)
        run("document.querySelector(`input[value=${arguments[0]}]`).click()", type)
        for option in options:
            run("document.querySelector(`#options [name=${arguments[0]}]`).value = arguments[1]", *option.split("="))
        run("document.querySelector('#join .primary').click()")
        self.wait_for_table()
        return run("return new URLSearchParams(location.hash.slice(1)).get('table')")

    def join(self, table, name):
        """Joins by a link."""
        self.forget()
        self.browser.open("about:blank")
        self.browser.open(f"{self.url}#table={table}")
        self.browser.until("return !document.querySelector('#invitation').hidden")
        self.browser.run("document.querySelector('#name').value = arguments[0]", name)
        self.browser.run("document.querySelector('#join .primary').click()")
        self.wait_for_table()

    def watch(self, table, name=""):
        """Opens a link, and only watches."""
        self.forget()
        self.browser.open("about:blank")
        self.browser.open(f"{self.url}#table={table}")
        self.browser.until("return !document.querySelector('#invitation').hidden")
        self.browser.run("document.querySelector('#name').value = arguments[0]", name)
        self.browser.run("document.querySelector('#watch').click()")
        self.browser.until("return document.querySelector('.collection')")

    def enter(self, table, name):
        """Joins by a link that has a name, which needs no click; again while others have not made the table yet."""
        while True:
            self.browser.open("about:blank")
            self.browser.open(f"{self.url}#table={table}&name={name}")
            if self.browser.until("return document.querySelector('.person') ? 'in' : document.querySelector('#problem').textContent") == "in":
                return

    def wait_for_table(self):
        self.browser.until("return document.querySelector('.collection') && document.querySelector('.person')")

    # Reading

    def order(self):
        return self.browser.run(ORDER)

    def until_order(self, **expected):
        wanted = {collection.replace("__", "/"): items for collection, items in expected.items()}
        self.browser.until(
            f"const order = (() => {{ {ORDER} }})();"
            "return Object.entries(arguments[0]).every(([id, items]) => JSON.stringify(order[id]) === JSON.stringify(items))",
            wanted, what=f"{json.dumps(wanted)}, and not {json.dumps(self.order())}")

    def settle(self):
        """Waits until nothing moves on the screen."""
        self.browser.until("return document.getAnimations().length === 0")

    def item(self, title, collection=None):
        """Returns where an item is: the middle of what can be seen of it. `None` is the last one."""
        self.settle()
        return self.browser.run(ITEM + """
            if (!found) throw new Error(`no ${title} in ${collection}`);
            found.scrollIntoView({ block: 'nearest', inline: 'nearest' });
            const { left, top, width, height } = found.getBoundingClientRect();
            return [left + width / 2, top + Math.min(height / 2, 24)];
        """, title, collection)

    def place(self, collection):
        """Returns the lower end of a collection's items, or of its empty place."""
        self.settle()
        return self.browser.run("""
            const element = document.querySelector(`[data-collection="${arguments[0]}"] .stack`);
            element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
            const { left, top, width, height } = element.getBoundingClientRect();
            return [left + width / 2, top + Math.max(height - 8, height / 2)];
        """, collection)

    def notices(self):
        return self.browser.run("return [...document.querySelectorAll('.notice')].map((notice) => notice.textContent)")

    def until_notice(self, text):
        self.browser.until(
            "return [...document.querySelectorAll('.notice')].some((notice) => notice.textContent.includes(arguments[0]))", text,
            what=f"a notice: {text}; there are {self.notices()}")

    # Touching

    def add(self, *titles, collection=None):
        for title in titles:
            self.browser.run("""
                const [title, collection] = arguments;
                const within = collection ? document.querySelector(`[data-collection="${collection}"]`) : document;
                const form = within.querySelector(collection === 'columns' ? '.new-column .composer' : '.composer');
                form.querySelector('input').value = title;
                form.requestSubmit();
            """, title, collection)

    def paste(self, text, collection):
        self.browser.run("""
            const [text, collection] = arguments;
            const clipboardData = new DataTransfer();
            clipboardData.setData('text/plain', text);
            document.querySelector(`[data-collection="${collection}"] .composer input`).dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true }));
        """, text, collection)

    def lift(self, start):
        self.browser.pointer([move(*start), DOWN, move(start[0] + 9, start[1] + 9, 40)])

    def carry(self, end):
        self.browser.pointer([move(end[0] - 4, end[1] - 4, 60), move(*end, 40)])

    def drop(self):
        self.browser.pointer([UP])

    def drag(self, start, end):
        self.lift(start)
        self.carry(end)
        self.drop()

    def drag_by_touch(self, start, end):
        """Rests on an item and drags it. All of it is one action: chromedriver lifts the finger behind each."""
        x, y = start
        self.browser.pointer([move(x, y), DOWN, pause(400), move(x + 9, y + 9, 40), move(end[0] - 4, end[1] - 4, 60), move(*end, 40), UP], "touch")

    def click(self, point):
        self.browser.pointer([move(*point), DOWN, UP])

    def tap(self, point):
        self.browser.pointer([move(*point), DOWN, UP], "touch")

    def focus(self, title, collection=None):
        self.browser.run(ITEM + "found.focus()", title, collection)
