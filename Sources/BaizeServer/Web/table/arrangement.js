/** Where the collections of a table are on the page. Cards: the others above, what is shared in the middle, one's own below. */

import { CollectionView, reconcile } from './collection-view.js';
import { ColumnsView } from './columns-view.js';
import { make, setText } from './dom.js';
import { ItemView } from './item-view.js';
import { say } from './language.js';
import { keepText } from './notices.js';

/** The number of items of a large board, of which what is far from what is seen has no elements. */
const LARGE_MIN = 400;
/** The number of columns that are made before it is known which are seen. */
const NEAR_FIRST = 6;

export class Arrangement {
  /** Whether the board has so many items that not all have elements. */
  isLarge = false;
  #near;
  #views = new Map();
  #seat;

  constructor(page) {
    this.page = page;
    this.element = make(page.look.isCards ? 'div.cards' : 'div.board', {});
    this.#near = new IntersectionObserver((entries) => this.#passed(entries), { root: this.element, rootMargin: '0px 50%' });
  }

  /** The collections that are on the page, in its order. */
  get views() {
    return [...this.element.querySelectorAll('.collection:not([hidden])')].map(({ view }) => view);
  }

  /** All collections of the table. */
  get all() {
    return [...this.#views.values()];
  }

  view(collection) {
    return this.#views.get(collection);
  }

  /** Returns the gap behind what is shown of a collection, where a person expects what comes to its end; of one that is searched the end. */
  endOf(collection) {
    const isWhole = !this.page.overview.isSearching;
    return { collection, before: (isWhole && this.#views.get(collection)?.behindOffered) || null };
  }

  /** Shows what lands there, too. */
  makeRoom(gap, count) {
    this.roomFor(gap, count)?.();
  }

  /** Returns what shows so many items more, if the gap is behind what is shown; else nothing. */
  roomFor({ collection, before }, count) {
    const view = this.#views.get(collection);
    const isBehind = view && !view.isCollapsed && before !== null && [view.behindShown, view.behindOffered].includes(before);
    return isBehind ? () => view.grow(count) : undefined;
  }

  /** Columns come near what is seen, or go aside. */
  #passed(entries) {
    const changed = entries.filter(({ isIntersecting, target: { view } }) => (isIntersecting ? view.comeNear() : this.isLarge && view.goAside()));
    if (changed.length > 0) this.showMore();
  }

  /** Shows what has been made besides. The gap under the pointer is another one then. */
  showMore() {
    if (!this.isLarge) return;
    this.page.render();
    this.page.pointer.aimAgain();
  }

  /** Has elements made for all that is shown until one asks for more, of one view or of all; returns whether some were missing. */
  makeAll(views = this.all) {
    const wereMissing = views.filter((view) => view.make?.()).length > 0;
    if (wereMissing) this.page.render();
    return wereMissing;
  }

  nameOf(collection) {
    return this.#views.get(collection)?.name ?? collection;
  }

  show() {
    const { table } = this.page;
    if (this.#seat !== table.seat) this.#build();
    else if (this.page.look.opensCollections) this.#follow();
    const views = [...this.#views.values()];
    this.isLarge = !this.page.look.isCards && table.collections.reduce((sum, { count }) => sum + count, 0) > LARGE_MIN;
    for (const view of views.filter(({ isFrame }) => !isFrame).slice(0, NEAR_FIRST)) if (view.isNew) view.comeNear();
    for (const view of views) view.show();
    this.#hideWhatIsEmpty();
    const { acting } = this.page.guide;
    for (const player of this.element.querySelectorAll('.player')) {
      const owner = Number(player.dataset.seat);
      player.hidden = !table.seats.some(({ seat }) => seat === owner);
      const score = table.variables.get(`score/${owner}`);
      setText(player.firstChild, this.page.nameOfSeat(owner) + (score === undefined ? '' : ` · ${score}`));
      player.classList.toggle('acting', acting === owner);
    }
  }

  #build() {
    const { table, look } = this.page;
    this.#seat = table.seat;
    this.#views = new Map();
    this.element.replaceChildren();
    this.#follow();
    if (look.isCards) this.element.replaceChildren(...this.#cardZones());
  }

  /** Shows the collections that there are now: items open and close them (Q1). */
  #follow() {
    const { table, look } = this.page;
    const old = this.#views;
    const { collections } = table;
    const ofItem = new Map(collections.filter(({ item }) => item !== undefined).map(({ id, item }) => [item, id]));
    const ofKey = new Map([...old.values()].filter(({ heading }) => heading).map((view) => [view.key, view]));
    this.#views = new Map();
    const top = [];
    for (const { id } of collections.filter(({ item }) => item === undefined)) {
      const view = old.get(id) ?? (look.isFrame(id) ? new ColumnsView(this.page, id) : new CollectionView(this.page, id));
      this.#views.set(id, view);
      top.push(view.element);
      if (view.isFrame) view.arrange(view.shown.map((opener) => this.#column(ofItem.get(opener.id), opener, ofKey)));
    }
    for (const { id, item } of collections) {
      if (item === undefined || this.#views.has(id) || this.#views.get(table.locate(item)?.collection)?.isFrame) continue;
      this.#views.set(id, old.get(id) ?? new CollectionView(this.page, id));
      top.push(this.#views.get(id).element);
    }
    if (!look.isCards) reconcile(this.element, top);
    for (const view of this.#views.values()) if (!view.isFrame && !look.isCards && !old.has(view.id)) this.#near.observe(view.element);
    // What was being written for a column that another has removed.
    for (const view of old.values()) if (view.composer?.unsaved && !this.all.includes(view)) keepText(view.composer.unsaved);
    const isPlain = ![...this.#views.values()].some(({ isFrame }) => isFrame);
    this.element.classList.toggle('single', isPlain && this.#views.size === 1);
    this.element.classList.toggle('narrow', isPlain && this.#views.size > 6);
  }

  /** Returns the view of the collection that an item opens. It stays when the daemon has given the collection its handle. */
  #column(id, { key }, ofKey) {
    const view = ofKey.get(key) ?? new CollectionView(this.page, id, new ItemView(key, 'header.slot'));
    if (view.id !== id) view.adopt(id);
    this.#views.set(id, view);
    return view;
  }

  #cardZones() {
    const collections = this.page.table.collections.map(({ id, owner }) => ({ owner, view: this.#views.get(id) }));
    const owned = (seat) => collections.filter(({ owner }) => owner === seat).map(({ view }) => view);
    const shared = owned(0);
    const isCascade = ({ kind }) => kind.layout === 'cascade';
    // In the order in which they sit, from one's left.
    const behind = (seat) => (seat > this.#seat ? 0 : 1);
    const others = [...new Set(collections.map(({ owner }) => owner))].filter((seat) => seat > 0 && seat !== this.#seat)
      .sort((one, other) => behind(one) - behind(other) || one - other);
    const zones = [
      make('div.zone.others', {}, ...others.map((seat) => make('div.player', { 'data-seat': seat }, make('p.owner', {}), ...groups(owned(seat))))),
      make('div.zone.piles', {}, ...groups(shared.filter((view) => !isCascade(view)))),
      make('div.zone.cascades', {}, ...groups(shared.filter(isCascade))),
      make('div.zone.own', {}, ...(this.#seat > 0 ? groups(owned(this.#seat)) : [])),
    ].filter(({ children }) => children.length > 0);
    const cascades = shared.filter(isCascade).length;
    const inRow = Math.max(cascades, shared.filter((view) => !isCascade(view) && !this.page.look.sharesEmptyPlace(view.id)).length);
    this.element.classList.toggle('around', this.page.look.document.turns === 'turns' && others.length === 3);
    this.element.style.setProperty('--columns', Math.min(Math.max(inRow, 5), 10));
    return zones;
  }

  /** Of the empty members of a large family one place is shown: the first where the carried items may land. */
  #hideWhatIsEmpty() {
    const { look, carry } = this.page;
    const places = new Map();
    for (const view of this.#views.values()) {
      if (!look.isCards || !look.sharesEmptyPlace(view.id)) continue;
      const isPlace = view.isEmpty && (!places.has(view.kind) || (carry.isLegal(view.id) && !carry.isLegal(places.get(view.kind).id)));
      if (isPlace) places.set(view.kind, view);
    }
    for (const view of this.#views.values()) {
      if (!look.isCards || !look.sharesEmptyPlace(view.id)) continue;
      const isPlace = places.get(view.kind) === view;
      view.element.hidden = view.isEmpty && !isPlace;
      if (isPlace) view.rename(say('New: {noun}', { noun: view.kind.title }));
    }
  }
}

/** Returns the collections of each kind as a group. */
function groups(views) {
  const kinds = new Map();
  for (const view of views) kinds.set(view.kind, [...(kinds.get(view.kind) ?? []), view.element]);
  return [...kinds].map(([{ layout }, elements]) => make(`div.group.of-${layout}`, {}, ...elements));
}
