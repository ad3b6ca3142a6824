"""Phones, upright and on their side: everything can be reached with a finger, and nothing that is needed is hidden."""

TARGET = 44
#: What a finger touches: controls, and of cards the part that no other card covers; what can be seen of each.
SMALL = """
const least = arguments[0];
const seen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const controls = [...document.querySelectorAll('button, input, select, textarea, [role=menuitem]')].filter((one) => seen(one) && !one.closest('.unseen'));
const cards = [...document.querySelectorAll('.zone:not(.others) .slot:not(.down), .board li.slot')].filter((slot) => !slot.closest('.player') && seen(slot));
const wrong = [];
for (const element of [...controls, ...cards]) {
  if (element.matches('.person, .place:not([tabindex="0"])')) continue;
  const { width, height } = element.getBoundingClientRect();
  const isPile = element.closest('.pile') && element.matches('.slot:not(:last-child)');
  if (!isPile && (width < least - 0.5 || height < least - 0.5)) wrong.push([element.outerHTML.slice(0, 90), Math.round(width), Math.round(height)]);
}
for (const field of document.querySelectorAll('input, textarea, select')) {
  if (seen(field) && parseFloat(getComputedStyle(field).fontSize) < 16) wrong.push([field.outerHTML.slice(0, 90), getComputedStyle(field).fontSize]);
}
if (document.scrollingElement.scrollWidth > innerWidth) wrong.push(['wider than the screen', document.scrollingElement.scrollWidth]);
return wrong;
"""
#: What a player needs, and does not see without scrolling.
OUT_OF_SIGHT = """
return [...document.querySelectorAll('.guide button, .zone.own .slot, .zone.piles .slot:last-child, .zone.piles .place')].filter((one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  return one.checkVisibility({ visibilityProperty: true }) && (left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1);
}).map((one) => one.outerHTML.slice(0, 100));
"""


def check_phone(phone, what):
    """Looks at both ways to hold a phone."""
    try:
        for width, height in ((844, 390), (390, 844)):
            phone.browser.resize(width, height, touch=True)
            phone.settle()
            wrong = phone.browser.run(SMALL, TARGET)
            assert not wrong, f"{what} at {width}x{height}: {wrong}"
            hidden = phone.browser.run(OUT_OF_SIGHT)
            assert not hidden, f"{what} at {width}x{height}, out of sight: {hidden}"
    finally:
        phone.browser.resize(390, 844, touch=True)


def press(page, text):
    page.browser.run("[...document.querySelectorAll('button')].find((one) => one.textContent === arguments[0] && one.checkVisibility()).click()", text)


def test_fingers_reach_everything_on_phones(world):
    phone = world.phone()
    for type in ("kanban", "klondike", "speed", "nerts"):
        table = phone.create(type)
        if type == "kanban":
            phone.add("one", "two", collection="column/2")
            phone.until_order(column__2=["one", "two"])
        elif type != "klondike":
            world.page("Bo").join(table, "Bo")
            phone.browser.until("return document.querySelectorAll('.person').length === 2")
        check_phone(phone, type)


def middle(page, selector):
    page.settle()
    return page.browser.run("const { left, top, width, height } = document.querySelector(arguments[0]).getBoundingClientRect(); return [left + width / 2, top + height / 2]", selector)


def test_several_are_selected_with_a_finger(world):
    phone = world.phone()
    phone.create("kanban?columns=fixed")
    phone.add(*"abcd")
    phone.until_order(todo=list("abcd"))
    phone.tap(middle(phone, "li.slot .menu"))
    press(phone, "Select several")
    for title in ("b", "d"):
        phone.tap(phone.item(title))
    phone.browser.until("return document.querySelector('.selection').textContent.startsWith('3 items selected')")
    phone.tap(middle(phone, ".selection button"))
    phone.browser.run("[...document.querySelectorAll('[role=menuitem]')].find((one) => one.textContent === 'Done').click()")
    phone.until_order(todo=["c"], done=["a", "b", "d"])
    phone.browser.until("return document.querySelector('.selection').hidden && document.querySelectorAll('.selected').length === 0")
