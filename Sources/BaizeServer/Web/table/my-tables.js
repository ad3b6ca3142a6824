/** "My tables" on the start page: each opens the table, can be given a name, and can be removed from the list. */

import { linkTo } from './address.js';
import { iconButton, make } from './dom.js';
import { say, sayCount } from './language.js';
import { forgetSeen } from './last-seen.js';
import { notify } from './notices.js';
import { pictureOf } from './pictures.js';
import { forgetTable, nameTable, readTables, restoreTable, tablesKey } from './tables.js';
import { agoText, plainName } from './words.js';

/** So many are shown until all are asked for. */
const SHOWN_MAX = 6;

export class MyTables {
  #open;
  #element = document.getElementById('mine');
  #list = this.#element.querySelector('ul');
  #more = make('button.more', { type: 'button', on: { click: () => this.#showAll() } });
  #isAllShown = false;
  /** Whether the start page has the list, which is not seen while it is empty. */
  #isShown = false;
  /** What is wrong with one of them: `{ table, text, isGone }`. */
  #trouble;

  /** @param open is called with the entry that is to be opened */
  constructor(open) {
    this.#open = open;
    this.#element.append(this.#more);
    // Another tab has joined a table, or removed one.
    addEventListener('storage', ({ key }) => key === tablesKey() && this.#isShown && !this.#list.querySelector('input') && this.#draw());
  }

  /** @param trouble what is said of a table that could not be opened */
  show(trouble) {
    [this.#trouble, this.#isShown] = [trouble, true];
    this.#draw();
  }

  hide() {
    this.#isShown = false;
    this.#element.hidden = true;
  }

  #draw() {
    const entries = readTables();
    const shown = this.#isAllShown ? entries : entries.slice(0, SHOWN_MAX);
    const troubled = entries.find(({ table }) => table === this.#trouble?.table);
    if (troubled && !shown.includes(troubled)) shown.push(troubled);
    this.#list.replaceChildren(...shown.map((entry) => this.#row(entry)));
    this.#more.hidden = shown.length === entries.length;
    this.#more.textContent = sayCount(entries.length, 'Show the table', 'Show all {count} tables');
    this.#element.hidden = entries.length === 0;
  }

  #showAll() {
    this.#isAllShown = true;
    this.#draw();
    this.#list.children[SHOWN_MAX]?.querySelector('a')?.focus();
  }

  #row(entry) {
    const { table, type, title, given, at } = entry;
    const kind = say(title);
    const own = plainName(given, '');
    const called = own || `${kind} ${table}`;
    const name = own ? [make('bdi.name', { text: own })] : [make('span', { text: kind }), ' ', make('bdi.name', { text: table })];
    const when = say('Last open: {when}', { when: agoText(Date.now() - at) });
    const words = make('span.words', {}, make('strong', {}, ...name), make('small', { text: own ? `${kind} · ${when}` : when }));
    const link = make('a', { href: linkTo(table), on: { click: (event) => this.#follow(event, entry) } }, pictureOf(type), words);
    const rename = iconButton('rename', say('Give {name} another name', { name: called }), () => this.#rename(row, entry));
    const remove = iconButton('close', say('Remove {name} from the list', { name: called }), () => this.#remove(row, entry, called));
    const row = make('li', { 'data-table': table }, link, rename, remove);
    if (this.#trouble?.table === table) row.append(this.#troubled(row, entry, called));
    return row;
  }

  #troubled(row, entry, called) {
    const { text, isGone } = this.#trouble;
    const button = isGone
      ? make('button', { type: 'button', text: say('Remove it from the list'), on: { click: () => this.#remove(row, entry, called) } })
      : make('button', { type: 'button', text: say('Try again'), on: { click: () => this.#open(entry) } });
    return make('div.trouble', { role: 'alert' }, make('p', { text }), make('p.buttons', {}, button));
  }

  /** Opens a table here, unless it is wanted in another tab. */
  #follow(event, entry) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.#open(entry);
  }

  #rename(row, { table, given }) {
    const input = make('input', { type: 'text', maxlength: '60', dir: 'auto', 'aria-label': say('What you call it'), placeholder: table });
    input.value = given;
    let isDone = false;
    const end = (isSaved, hasFocus) => {
      if (isDone) return;
      isDone = true;
      if (isSaved) nameTable(table, input.value);
      const index = [...this.#list.children].indexOf(row);
      this.#draw();
      if (hasFocus) this.#list.children[index]?.querySelector('[data-icon=rename]')?.focus();
    };
    input.addEventListener('keydown', (event) => {
      if (event.isComposing || !['Enter', 'Escape'].includes(event.key)) return;
      // The button that has the focus then is not pressed by the same key.
      event.preventDefault();
      end(event.key === 'Enter', true);
    });
    input.addEventListener('blur', () => end(true, false));
    row.querySelector('a').replaceWith(input);
    input.focus();
    input.select();
  }

  /** Removes a table from the list at once, which can be undone for a while. */
  #remove(row, entry, called) {
    const index = [...this.#list.children].indexOf(row);
    forgetTable(entry.table);
    forgetSeen(entry.table);
    this.#draw();
    const next = this.#list.children[index] ?? this.#list.lastElementChild;
    (next?.querySelector('a') ?? document.getElementById('name')).focus();
    const undo = () => {
      restoreTable(entry);
      if (!this.#isShown) return;
      this.#draw();
      this.#list.querySelector(`[data-table="${entry.table}"] a`)?.focus();
    };
    notify(say('{name} is not in the list any more.', { name: called }), { button: say('Undo'), act: undo });
  }
}
