/**
 * What of a board is shown, for this person alone: the items that a search finds, the columns that are open, and how large it is. What
 * is hidden is there all the same, and is counted.
 */

import { readTab, storeTab } from './address.js';
import { iconButton, make, setAttribute, setText } from './dom.js';
import { say, sayCount } from './language.js';

const ZOOMS = [0.5, 0.65, 0.8, 1, 1.25, 1.5];
const COLLAPSED_MAX = 1_024;

export class Overview {
  #page;
  #words = [];
  #collapsed;
  #zoom;

  constructor(page) {
    this.#page = page;
    const { collapsed, zoom } = this.#kept;
    this.#collapsed = new Set(collapsed);
    this.#zoom = ZOOMS.includes(zoom) ? zoom : 1;
    this.input = make('input', { type: 'search', 'aria-label': say('Search this board'), placeholder: say('Search…'), autocomplete: 'off', dir: 'auto', on: { input: () => this.#search() } });
    this.input.addEventListener('keydown', (event) => event.key === 'Escape' && this.closeSearch());
    this.found = make('p.found', { role: 'status' });
    this.smaller = make('button', { type: 'button', text: '−', 'aria-label': say('Smaller'), on: { click: () => this.#resize(-1) } });
    this.larger = make('button', { type: 'button', text: '+', 'aria-label': say('Larger'), on: { click: () => this.#resize(1) } });
    this.size = make('span.size', { role: 'status', 'aria-label': say('Size') });
    this.all = make('button', { type: 'button', on: { click: () => this.#toggleAll() } });
    const close = iconButton('close', say('Close the search'), () => this.closeSearch());
    const sizes = make('div.sizes', {}, this.all, this.smaller, this.size, this.larger, close);
    this.element = make('div.overview', { role: 'search', hidden: true }, this.input, this.found, sizes);
  }

  get #key() {
    return `baize view ${this.#page.commands.table}`;
  }

  get #kept() {
    try {
      const { collapsed, zoom } = JSON.parse(readTab(this.#key)) ?? {};
      return { collapsed: Array.isArray(collapsed) ? collapsed.slice(0, COLLAPSED_MAX) : [], zoom };
    } catch {
      return { collapsed: [] };
    }
  }

  #keep() {
    storeTab(this.#key, JSON.stringify({ collapsed: [...this.#collapsed].slice(0, COLLAPSED_MAX), zoom: this.#zoom }));
    this.#page.render();
  }

  // ---- Searching

  /** Returns the items that the search finds, in their order: all of them while there is none. */
  matching(items) {
    if (!this.isSearching) return items;
    return items.filter((item) => {
      const text = [this.#page.look.titleOf(item), ...item.attributes.values()].join('\n').toLocaleLowerCase();
      return this.#words.every((word) => text.includes(word));
    });
  }

  get isSearching() {
    return this.#words.length > 0;
  }

  #search() {
    this.#words = this.input.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    this.#page.render();
  }

  toggleSearch() {
    if (this.element.hidden) this.openSearch();
    else this.closeSearch();
  }

  openSearch() {
    this.element.hidden = false;
    setAttribute(this.#page.bar.find, 'aria-expanded', 'true');
    this.input.focus();
  }

  /** Nothing is hidden by a search that is not seen. */
  closeSearch() {
    this.element.hidden = true;
    setAttribute(this.#page.bar.find, 'aria-expanded', 'false');
    this.input.value = '';
    this.#search();
    this.#page.bar.find.focus();
  }

  // ---- Columns

  isCollapsed(collection) {
    return this.#collapsed.has(collection);
  }

  toggle(collection) {
    if (!this.#collapsed.delete(collection)) this.#collapsed.add(collection);
    this.#keep();
  }

  get #columns() {
    return this.#page.arrangement.all.filter(({ collapse }) => collapse);
  }

  #toggleAll() {
    const columns = this.#columns;
    const isAnyOpen = columns.some(({ isCollapsed }) => !isCollapsed);
    for (const { id } of columns) {
      if (isAnyOpen) this.#collapsed.add(id);
      else this.#collapsed.delete(id);
    }
    this.#keep();
  }

  // ---- Size

  #resize(step) {
    this.#zoom = ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(this.#zoom) + step))];
    this.#keep();
  }

  show() {
    const { look, table, arrangement } = this.#page;
    if (look.isCards) return;
    arrangement.element.style.setProperty('--zoom', this.#zoom);
    const all = arrangement.all.filter(({ isFrame }) => !isFrame).flatMap(({ id }) => table.collection(id)?.items ?? []);
    const hidden = this.isSearching ? all.length - this.matching(all).length : 0;
    setText(this.found, !this.isSearching ? '' : hidden === 0 ? say('Nothing is hidden.') : sayCount(hidden, '{count} of {all} is hidden.', '{count} of {all} are hidden.', { all: look.countOf(all.length) }));
    const columns = this.#columns;
    this.all.hidden = columns.length < 2;
    setText(this.all, columns.some(({ isCollapsed }) => !isCollapsed) ? say('Collapse all') : say('Expand all'));
    setText(this.size, `${Math.round(this.#zoom * 100)} %`);
    this.smaller.disabled = this.#zoom === ZOOMS[0];
    this.larger.disabled = this.#zoom === ZOOMS.at(-1);
  }
}
