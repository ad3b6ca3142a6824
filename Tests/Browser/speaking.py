"""The page in other languages: everything that is seen or read aloud is in the person's language, and numbers are, too."""

LANGUAGES = ("de", "es", "fr")
#: What a person sees, or a screen reader reads, and is no sentence of the page's language; names and what people write are none.
FOREIGN = """
// What items are called, and what is written on them, is what people, or the type's document, have put there.
const names = [...arguments[0], ...[...document.querySelectorAll('.item .title, [data-collection=library] small, #mine .name')].map(({ textContent }) => textContent)];
const words = await_words;
const escaped = (text) => text.replace(/[.*+?^${}()|[\\]\\\\]/g, '\\\\$&');
const pattern = (text) => new RegExp(`^${escaped(text).replace(/\\\\\\{\\w+\\\\\\}/g, '.+')}$`, 's');
const translated = Object.values(words).flatMap((one) => (typeof one === 'string' ? [one] : Object.values(one)));
const patterns = translated.map(pattern);
const seen = new Set();
const add = (text) => text?.trim() && seen.add(text.trim());
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  if (node.nodeType === Node.TEXT_NODE) {
    const parent = node.parentElement;
    if (!parent.closest('script, noscript, [hidden], #language, #announcements') && parent.checkVisibility()) add(node.data);
  } else if (node.checkVisibility() && !node.closest('#language')) {
    for (const name of ['aria-label', 'placeholder', 'title', 'aria-roledescription']) add(node.getAttribute(name));
  }
}
const isKnown = (text) => names.some((name) => text === name) || !/\\p{L}{2}/u.test(text) || patterns.some((one) => one.test(text));
// A label may have several parts.
const isOfKnown = (text) => isKnown(text) || isKnown(`, ${text}`)
  || [' · ', ': ', ', ', / (?=[♣♦♥♠]|-?\\d+$)/].some((mark) => text.split(mark).length > 1 && text.split(mark).every(isOfKnown));
return [...seen].filter((text) => !isOfKnown(text));
"""


def speak(page, language):
    page.browser.devtools("Emulation.setLocaleOverride", {"locale": language})
    page.browser.devtools("Network.setUserAgentOverride", {"userAgent": page.browser.run("return navigator.userAgent"), "acceptLanguage": language})


def foreign(page, language, *names):
    if not page.browser.run("return window.words?.language === arguments[0]", language):
        page.browser.run("import('/table/words/' + arguments[0] + '.js').then((all) => { window.words = { language: arguments[0], all: all.default }; })", language)
        page.browser.until("return window.words?.language === arguments[0]", language)
    return page.browser.run(FOREIGN.replace("await_words", "window.words.all"), ["Baize", "Ada", "A", "2 / 3", *names])


def test_other_languages(world):
    page = world.page("speaker")
    try:
        for language in LANGUAGES:
            speak(page, language)
            page.forget()
            assert page.browser.run("return document.documentElement.lang") == language
            left = foreign(page, language)
            assert not left, (language, "start", left)
            page.create("kanban?columns=fixed")
            page.add("eins", "zwei")
            page.until_order(todo=["eins", "zwei"])
            page.focus("eins")
            left = foreign(page, language, "eins", "zwei")
            assert not left, (language, "board", left)
            page.browser.run("document.querySelector('.slot .menu').click()")
            left = foreign(page, language, "eins", "zwei")
            assert not left, (language, "menu", left)
            page.browser.run("document.querySelector('.popup button').click()")
            left = foreign(page, language, "eins", "zwei")
            assert not left, (language, "card", left)
            page.browser.run("document.querySelector('.opened').close()")
            for type in ("klondike", "hearts", "nerts", "board", "playlist", "speed", "hand"):
                page.create(type)
                left = foreign(page, language, "eins", "zwei")
                assert not left, (language, type, left)
            page.browser.run("document.querySelector('[data-icon=rules]').click()")
            left = foreign(page, language)
            assert not left, (language, "rules", left)
        # The person's own choice counts for more than the browser's languages.
        page.forget()
        page.browser.run("const select = document.querySelector('#language'); select.value = 'es'; select.dispatchEvent(new Event('change'))")
        page.browser.until("return document.documentElement.lang === 'es' && document.querySelector('#join').checkVisibility()")
        page.browser.run("const select = document.querySelector('#language'); select.value = 'en'; select.dispatchEvent(new Event('change'))")
        page.browser.until("return document.documentElement.lang === 'en' && document.querySelector('#join .primary').textContent === 'Create the table'")
    finally:
        page.browser.run("localStorage.removeItem('baize language')")
        page.browser.open("about:blank")
        world.browsers.pop("speaker").close()
