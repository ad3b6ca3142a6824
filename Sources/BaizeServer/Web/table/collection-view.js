/** A collection as an element: its title, its place, its items, and where new ones are written. */

import { Composer } from './composer.js';
import { make, setAttribute, setText } from './dom.js';
import { ItemView } from './item-view.js';
import { say } from './language.js';
import { humanized, personName } from './words.js';

/** The number of items that are shown at first, and more at each wish. */
const ITEMS_SHOWN = 200;
/** Of a long column of a large board so many items are made at first, and as many more before one scrolls to the last of them. */
const MADE_STEP = 40;
/** The height of an item with its gap, where there is none yet, in pixels. */
const ITEM_HEIGHT = 52;
/** Of a pile only the last items can be seen. */
const PILE_SHOWN = 3;
const BACKS_SHOWN_MAX = 10;

export class CollectionView {
  #shownMax = ITEMS_SHOWN;
  /** The number of items that have an element, of those that are shown; of a large board fewer than those. */
  #madeCount = 1;
  #isNear = false;
  isNew = true;

  /**
   * @param page `{ table, look, items, act, nameOfSeat, render }`
   * @param heading the `ItemView` of the item that opens the collection, if that is its heading
   */
  constructor(page, id, heading) {
    this.page = page;
    this.id = id;
    this.kind = page.look.kindOf(id);
    this.heading = heading;
    this.kindText = make('span.kind', {});
    this.member = make('span.member', {});
    this.title = make('h2', {}, this.kindText, this.member);
    this.count = make('span.count', {});
    this.tools = make('span.tools', {});
    this.place = make('button.place', { type: 'button', 'data-place': id });
    this.list = make('ol.items', {});
    this.more = make('button.more', { type: 'button', text: say('Show more'), hidden: true, on: { click: () => this.#showMore() } });
    const { layout } = this.kind;
    this.element = make(`section.collection.${layout}`, { 'data-collection': id }, this.#header(), make('div.stack', { on: { scroll: () => this.#scrolled() } }, this.place, this.list), this.more);
    this.element.classList.toggle('spread', page.look.isSpread(id));
    this.element.classList.toggle('bin', page.look.isBin(id));
    this.element.view = this;
    if (page.look.allowsInsert(id) && page.table.seat > 0) {
      this.composer = new Composer(page, id);
      this.element.append(this.composer.element);
    }
  }

  #header() {
    const { overview, look } = this.page;
    const isColumn = !look.isCards && !look.isBin(this.id);
    if (isColumn) this.collapse = make('button.collapse', { type: 'button', on: { click: () => overview.toggle(this.id) } });
    const header = this.heading?.element ?? make('header', {}, this.title);
    header.append(...(isColumn ? [this.collapse] : []), this.count, ...(this.heading ? [] : [this.tools]));
    if (isColumn) header.prepend(this.collapse);
    return header;
  }

  // A column is an item, too, as its heading is.

  get item() {
    return this.heading?.item;
  }

  get key() {
    return this.heading?.key;
  }

  get handle() {
    return this.heading?.handle;
  }

  /** Where the item is that is the heading. */
  get collection() {
    return this.heading?.collection;
  }

  get menuButton() {
    return this.heading?.menuButton;
  }

  /** Shows a collection under the handle that the daemon has given it. */
  adopt(id) {
    this.id = id;
    if (this.composer) this.composer.collection = id;
    this.element.dataset.collection = this.place.dataset.place = id;
  }

  #showMore() {
    this.#shownMax += ITEMS_SHOWN;
    this.page.render();
  }

  // Of a large board, what nobody has been near to has no elements: of a column aside none but the first, which the tab key reaches, and
  // of a long one those from its start to some way below what has been seen of it. What is said of an item counts all.

  /** The column is near what is seen; returns whether that is new. */
  comeNear() {
    if (this.#isNear) return false;
    this.#isNear = true;
    this.isNew = false;
    const seen = this.list.isConnected ? this.list.parentElement.scrollTop : 0;
    // At the smallest size items have half of their height.
    this.#madeCount = Math.max(this.#madeCount, MADE_STEP, Math.ceil((2 * (seen + innerHeight)) / ITEM_HEIGHT));
    this.list.style.minHeight = '';
    return true;
  }

  /** The column is far from what is seen; returns whether it has fewer elements by that: not if one of them is in use. */
  goAside() {
    const { list } = this;
    if (!this.#isNear || list.querySelector('.selected, .carried, .editing, :focus')) return false;
    // It stays scrolled to where it is.
    list.style.minHeight = `${list.offsetHeight}px`;
    [this.#isNear, this.#madeCount] = [false, 1];
    return true;
  }

  /** Has at least so many items made when it is shown; returns whether some are missing. */
  make(count = Infinity) {
    const isMore = this.page.arrangement.isLarge && this.#madeCount < Math.min(count, this.#offered(this.page.table.collection(this.id).items).length);
    if (isMore) this.#madeCount = count;
    return isMore;
  }

  #scrolled() {
    const { list } = this;
    const last = list.lastElementChild;
    if (!last || !this.page.arrangement.isLarge) return;
    const { scrollTop, clientHeight } = list.parentElement;
    const [made, wanted] = [last.offsetTop + last.offsetHeight, scrollTop + 2 * clientHeight];
    const average = made / list.childElementCount;
    if (made < wanted && this.make(list.childElementCount + Math.max(MADE_STEP, Math.ceil((wanted - made) / average)))) this.page.arrangement.showMore();
  }

  /** The first item behind those that are shown, `null` if there is none: what lands behind the last that is shown lands before it. */
  get behindShown() {
    if (this.kind.layout !== 'list') return null;
    const { items } = this.page.table.collection(this.id);
    const last = this.#shown(items).at(-1);
    const { carried } = this.page.carry;
    const behind = last ? items.slice(items.indexOf(last) + 1) : [];
    return behind.find(({ id }) => !carried.has(id))?.id ?? null;
  }

  /** The same of those that are shown until one asks for more, whether they are made or not. */
  get behindOffered() {
    const { items } = this.page.table.collection(this.id);
    const last = this.#offered(items).at(-1);
    return (this.kind.layout === 'list' && last && items[items.indexOf(last) + 1]?.id) || null;
  }

  /** The ids of the items between which something may land, in order: those that are shown. */
  get order() {
    const { items } = this.page.table.collection(this.id);
    return (this.kind.layout === 'pile' ? items : this.#shown(items)).map(({ id }) => id);
  }

  /** Shows as many items more as have come behind the last one that was shown. */
  grow(count) {
    this.#shownMax += count;
    this.#madeCount += count;
  }

  /** The items that are shown until one asks for more, from the first. */
  #offered(items) {
    if (this.kind.layout === 'pile') return items.slice(-PILE_SHOWN);
    if (this.isCollapsed) return [];
    return this.page.overview.matching(items).slice(0, this.#shownMax);
  }

  /** Those of them that have an element. */
  #shown(items) {
    const offered = this.#offered(items);
    return this.page.arrangement.isLarge ? offered.slice(0, this.#madeCount) : offered;
  }

  /** Whether only the title is shown. */
  get isCollapsed() {
    return this.page.overview.isCollapsed(this.id);
  }

  show() {
    const { table, look } = this.page;
    const collection = table.collection(this.id);
    const { items, count, enabled, owner } = collection;
    const opener = collection.item === undefined ? undefined : table.item(collection.item);
    const title = opener ? look.nameOf(opener) : look.titleOfCollection(this.id);
    this.name = owner > 0 && owner !== table.seat ? say('{place} of {name}', { place: title, name: this.page.nameOfSeat(owner) }) : title;
    this.isEmpty = count === 0;
    const capacity = look.capacityOf(this.id, opener);
    if (this.heading) this.#showHeading(opener);
    else this.#showTitle(title);
    this.composer?.name(this.name);
    setText(this.count, capacity === undefined ? String(count) : `${count} / ${capacity}`);
    setAttribute(this.count, 'aria-label', capacity === undefined ? look.countOf(count) : say('{number} of {count}', { number: count, count: capacity }));
    setAttribute(this.element, 'aria-label', `${this.name}, ${look.countOf(count)}${enabled ? '' : say(', frozen')}`);
    this.element.classList.toggle('empty', count === 0);
    this.element.classList.toggle('full', capacity !== undefined && count >= capacity);
    this.element.classList.toggle('frozen', !enabled);
    this.element.classList.toggle('own', owner > 0 && owner === table.seat);
    this.element.classList.toggle('idle', this.isEmpty && look.isIdle(this.id) && !this.page.guide.actionOf(this.id));
    const shown = this.#shown(items);
    const offered = this.#offered(items);
    if (!this.page.arrangement.isLarge) this.#madeCount = Math.max(this.#madeCount, shown.length);
    const below = (offered.length - shown.length) * ITEM_HEIGHT;
    this.list.style.paddingBottom = below > 0 ? `calc(${below}px * var(--zoom))` : '';
    const matching = this.page.overview.matching(items).length;
    const isSearched = matching < items.length && !look.isCards;
    if (isSearched) setText(this.count, say('{number} of {count}', { number: matching, count }));
    if (isSearched) setAttribute(this.count, 'aria-label', say('Shown: {shown}, hidden by the search: {hidden}', { shown: matching, hidden: items.length - matching }));
    this.more.hidden = this.kind.layout === 'pile' || this.isCollapsed || offered.length === matching;
    setText(this.more, say('Show more: {count} are below', { count: matching - offered.length }));
    this.#showCollapse();
    this.#showPlace();
    this.#showItems(shown, items);
    if (items.length < count) this.#showBacks(count);
  }

  #showCollapse() {
    if (!this.collapse) return;
    const { isCollapsed } = this;
    this.element.classList.toggle('collapsed', isCollapsed);
    setAttribute(this.collapse, 'aria-expanded', String(!isCollapsed));
    setAttribute(this.collapse, 'aria-label', say(isCollapsed ? 'Expand {place}' : 'Collapse {place}', { place: this.name }));
    setText(this.collapse, isCollapsed ? '▸' : '▾');
  }

  #showHeading(opener) {
    const { look, table, items } = this.page;
    const frame = table.locate(opener.id)?.collection;
    const columns = table.collection(frame).items;
    const noun = this.kind.title;
    const place = say('{noun} {number} of {count}', { noun, number: columns.findIndex(({ id }) => id === opener.id) + 1, count: columns.length });
    this.heading.collection = frame;
    this.heading.show(opener, look, { place, canMenu: this.page.canAct, noun });
    this.heading.nameMenu(look.nameOf(opener));
    items.set(opener.key, this.heading);
  }

  /** Gives the place another name than the collection's own. */
  rename(name) {
    this.#showTitle(name);
    setAttribute(this.place, 'aria-label', name);
  }

  /** Shows `Column 12` in two parts: the number stays where there is no room for the word. */
  #showTitle(title) {
    const [, kind, member] = /^(.*? )?(\d+|[^\p{L}\p{N}])$/u.exec(title) ?? [undefined, title, ''];
    setText(this.kindText, kind ?? '');
    setText(this.member, member);
  }

  /** The place under the items: it takes drops, and performs the action of a stock. */
  #showPlace() {
    const action = this.page.guide.actionOf(this.id);
    const wanted = this.isEmpty && this.page.canAct;
    const what = action ? `: ${action.title}` : this.isEmpty ? say(', empty') : '';
    setAttribute(this.place, 'aria-label', `${this.name}${what}`);
    setAttribute(this.place, 'tabindex', wanted && (action || this.page.carry.isLegal(this.id)) ? '0' : '-1');
    setText(this.place, this.page.look.isCards ? this.#symbol() : this.page.look.isBin(this.id) ? say('Drop here to delete') : '');
  }

  /** What an empty place of cards shows: the suit of a foundation, an arrow where cards come back to. */
  #symbol() {
    if (!this.isEmpty) return '';
    if (this.page.guide.actionOf(this.id)) return '↻';
    const last = this.name.split(' ').at(-1);
    return [...last].length === 1 && !/[\p{L}\p{N}]/u.test(last) ? last : '';
  }

  #showItems(shown, all) {
    const { items: views, look } = this.page;
    const first = all.length - shown.length;
    const isFromEnd = this.kind.layout === 'pile';
    const canMenu = !look.isCards && this.page.canAct;
    const action = this.page.guide.actionOf(this.id);
    const playerOf = this.page.guide.playersOf(this.id);
    const elements = shown.map((item, index) => {
      const view = views.get(item.key) ?? new ItemView(item.key);
      views.set(item.key, view);
      const number = (isFromEnd ? first : 0) + index + 1;
      const place = say('{place}, {number} of {count}', { place: this.name, number, count: all.length }) + (action && number === all.length ? `: ${action.title}` : '');
      const player = playerOf(number - 1);
      view.collection = this.id;
      view.show(item, look, { place: player ? say('{place}, played by {name}', { place, name: personName(player) }) : place, colour: look.colourOf(item), canMenu, people: this.#peopleOf(item) });
      view.showPlayer(player);
      view.nameMenu(look.nameOf(item));
      return view.element;
    });
    reconcile(this.list, elements);
    this.list.classList.toggle('thick', isFromEnd && all.length > 2);
  }

  /** The people whom an item names: `Holder: Ada`. */
  #peopleOf(item) {
    const { look, table } = this.page;
    if (look.isCards || item.hidden) return '';
    const personOf = (number) => personName(table.seats.find(({ seat }) => seat === number) ?? { name: '', seat: number });
    return look.seatsOf(item).map(([name, seat]) => `${say(humanized(name))}: ${personOf(seat)}`).join(' · ');
  }

  /** The backs of cards that only their owner receives. */
  #showBacks(count) {
    const shown = Math.min(count, this.kind.layout === 'pile' ? PILE_SHOWN : BACKS_SHOWN_MAX);
    const colour = this.page.look.back;
    const backs = Array.from({ length: shown }, (_, index) => this.list.children[index] ?? make('li.slot.down', { 'aria-hidden': 'true' }, make('div.item.card.back', { 'data-colour': colour })));
    reconcile(this.list, backs);
  }

  /** The elements of the items, in order, without those that are carried. */
  slots(carried) {
    return [...this.list.children].filter(({ view }) => view && !carried.has(view.item.id));
  }
}

/** Makes the children of a list these elements, with as few moves as the order allows. */
export function reconcile(list, elements) {
  const wanted = new Set(elements);
  for (const child of [...list.children]) if (!wanted.has(child)) child.remove();
  let next = list.firstChild;
  for (const element of elements) {
    if (next && next !== element && next.nextSibling === element) {
      // One that moves back leaves the others where they are, which keep the focus.
      list.append(next);
      next = element;
    }
    if (element === next) next = next.nextSibling;
    else list.insertBefore(element, next);
  }
}
