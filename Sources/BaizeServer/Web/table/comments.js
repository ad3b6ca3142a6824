/**
 * The comments on an opened item. Each is an attribute of its own, whose name has the session that wrote it, so that two who write at once
 * do not overwrite each other: `comments-7-1` has `{"at":MILLISECONDS,"by":NAME,"text":TEXT}`. Of too many, the oldest makes room.
 */

import { make } from './dom.js';
import { commentsOf } from './fields.js';
import { locale, say } from './language.js';
import { keepText } from './notices.js';
import { humanized, personName, plainName } from './words.js';

const COMMENTS_MAX = 32;
const CHARACTERS_MAX = 500;

export class Comments {
  #page;
  #card;
  #attribute;
  #shown = '';

  constructor(page, card, { attribute, title }, id) {
    this.#page = page;
    this.#card = card;
    this.#attribute = attribute;
    const label = title ?? say(humanized(attribute));
    this.list = make('ol.comments', { 'aria-label': label });
    this.input = make('textarea', { id, rows: '2', dir: 'auto', maxlength: CHARACTERS_MAX, 'aria-label': say('Write a comment') });
    this.input.addEventListener('keydown', (event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && this.#add());
    this.button = make('button', { type: 'button', text: say('Add the comment'), on: { click: () => this.#add() } });
    this.element = make('div.field', {}, make('label', { for: id, text: label }), this.list, this.input, make('p.buttons', {}, this.button));
  }

  get unsaved() {
    return this.input.value.trim();
  }

  update(item, mayWrite) {
    this.input.hidden = this.button.hidden = !mayWrite && this.unsaved === '';
    this.button.disabled = !mayWrite;
    const own = personName(this.#page.table.seats.find(({ seat }) => seat === this.#page.table.seat));
    const comments = this.#read(item);
    const shown = JSON.stringify([comments, mayWrite, own]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.list.replaceChildren(...comments.map(({ name, at, by, text }) => {
      const time = make('time', { datetime: new Date(at).toISOString(), text: new Date(at).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' }) });
      const remove = make('button', { type: 'button', text: say('Delete'), on: { click: () => this.#change({ [name]: null }, say('Comment deleted.')) } });
      return make('li', {}, make('p.place', {}, make('b', { dir: 'auto', text: by }), ' ', time, ...(mayWrite && by === own ? [' ', remove] : [])), make('p', { dir: 'auto', text }));
    }));
    this.list.hidden = comments.length === 0;
  }

  /** Returns the comments, oldest first. Others may write anything there: what is no comment is left out. */
  #read(item) {
    return commentsOf(item, this.#attribute).flatMap(([name, value]) => {
      try {
        const { at, by, text } = JSON.parse(value);
        const isComment = Math.abs(at) <= 8.64e15 && typeof by === 'string' && typeof text === 'string';
        return isComment ? [{ name, at, by: plainName(by, say('Somebody')), text }] : [];
      } catch {
        return [];
      }
    }).sort((one, other) => one.at - other.at || (one.name < other.name ? -1 : 1));
  }

  #add() {
    const { table } = this.#page;
    const text = this.unsaved;
    // As it is now: the last comment may not be shown yet.
    const item = table.item(this.#card.item);
    if (text === '' || this.button.disabled || !item) return;
    const names = commentsOf(item, this.#attribute).map(([name]) => name);
    const before = `${this.#attribute}-${table.session}-`;
    const last = Math.max(0, ...names.filter((name) => name.startsWith(before)).map((name) => Number(name.slice(before.length)) || 0));
    const oldest = this.#read(item).slice(0, Math.max(0, names.length + 1 - COMMENTS_MAX)).map(({ name }) => [name, null]);
    const comment = { at: Date.now(), by: personName(table.seats.find(({ seat }) => seat === table.seat)), text };
    if (this.#change({ ...Object.fromEntries(oldest), [before + (last + 1)]: JSON.stringify(comment) }, say('Comment added.'), text)) this.input.value = '';
    this.input.focus();
  }

  #change(attributes, said, text) {
    return this.#page.act(this.#page.table.update(this.#card.item.id, { attributes }), said, { element: this.list, text });
  }

  /** The card closes: what is written and not added is offered to the person. */
  leave() {
    if (this.unsaved !== '') keepText(this.unsaved);
  }
}
