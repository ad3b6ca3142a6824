"""What the tests share: a daemon, and browsers that are kept from test to test."""

import re

from page import Page
from webdriver import Browser

#: What the console says of an icon that was being fetched when the page was left.
LEFT = re.compile(r"Error while trying to use the following icon from the Manifest")
#: What the console says where a connection is cut, as some tests do on purpose; and where a page is left with something unsaved.
CUT = re.compile(r"WebSocket connection to|net::ERR_|Failed to load resource|Blocked attempt to show a 'beforeunload'")


class World:
    def __init__(self, driver, daemon, bot):
        self.driver, self.daemon, self.bot = driver, daemon, bot
        self.browsers = {}
        self.is_cut = False

    def page(self, name, url=None, **options):
        """Returns a page in a browser of its own; the same browser under the same name."""
        if name not in self.browsers:
            self.browsers[name] = Browser(self.driver, **options)
        return Page(self.browsers[name], url or self.daemon.url)

    def phone(self, name="phone"):
        return self.page(name, width=390, height=844, touch=True)

    def together(self, type, *names):
        """Returns the pages of several people at one new table."""
        first, *others = [self.page(name) for name in names]
        table = first.create(type, names[0])
        for page, name in zip(others, names[1:]):
            page.join(table, name)
        return [first, *others]

    def check(self):
        """Nothing was loaded from elsewhere, and the console says nothing."""
        for name, browser in self.browsers.items():
            complaints = [line for line in browser.console() if not LEFT.search(line) and not (self.is_cut and CUT.search(line))]
            assert not complaints, f"{name}'s console: {complaints}"
            foreign = [url for url in browser.requests() if not re.match(r"(http|ws)s?://(127\.0\.0\.1|localhost):|about:|data:|chrome:", url)]
            assert not foreign, f"{name} has asked for {foreign}"
        self.is_cut = False

    def forget(self):
        """Closes the browsers of a test that has failed, so that the next one has new ones."""
        self.close()
        self.browsers = {}
        self.is_cut = False

    def close(self):
        for browser in self.browsers.values():
            browser.close()
