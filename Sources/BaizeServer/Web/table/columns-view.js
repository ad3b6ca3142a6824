/** A collection whose items are columns: it is shown as the collections that they open, side by side, and a line for a new one. */

import { reconcile } from './collection-view.js';
import { Composer } from './composer.js';
import { make, setAttribute } from './dom.js';
import { say } from './language.js';

/** The number of columns that are shown at first, and more at each wish. */
const COLUMNS_SHOWN = 100;

export class ColumnsView {
  #shownMax = COLUMNS_SHOWN;

  constructor(page, id) {
    this.page = page;
    this.id = id;
    /** Gaps are beside one another. */
    this.kind = { ...page.look.kindOf(id), layout: 'fan' };
    this.isFrame = true;
    const noun = page.look.kindOf(page.look.openedBy(id)).title;
    this.list = make('div.columns-list', {});
    this.place = make('div.place', {});
    this.more = make('button.more', { type: 'button', text: say('Show more'), hidden: true, on: { click: () => this.#showMore() } });
    this.element = make('section.collection.columns', { 'data-collection': id }, this.list, this.more);
    this.element.view = this;
    if (page.look.allowsInsert(id) && page.table.seat > 0) {
      this.composer = new Composer(page, id, noun);
      this.element.append(make('div.new-column', {}, this.composer.element));
    }
  }

  #showMore() {
    this.#shownMax += COLUMNS_SHOWN;
    this.page.render();
  }

  get behindShown() {
    return this.page.table.collection(this.id).items[this.#shownMax]?.id ?? null;
  }

  get behindOffered() {
    return this.behindShown;
  }

  /** The ids of the items between which a column may land, in order. */
  get order() {
    return this.shown.map(({ id }) => id);
  }

  grow(count) {
    this.#shownMax += count;
  }

  /** The items whose collections are shown, in order. */
  get shown() {
    return this.page.table.collection(this.id).items.slice(0, this.#shownMax);
  }

  /** Puts the collections of the items that are shown side by side. */
  arrange(views) {
    reconcile(this.list, views.map(({ element }) => element));
  }

  show() {
    const { table, look } = this.page;
    const { count, enabled } = table.collection(this.id);
    this.name = look.titleOfCollection(this.id);
    this.isEmpty = count === 0;
    this.more.hidden = this.shown.length === count;
    setAttribute(this.element, 'aria-label', `${this.name}, ${count}${enabled ? '' : say(', frozen')}`);
    this.element.classList.toggle('frozen', !enabled);
  }

  rename() {}

  /** The elements of the columns, in order, without those that are carried. */
  slots(carried) {
    return [...this.list.children].filter(({ view }) => view.item && !carried.has(view.item.id));
  }
}
