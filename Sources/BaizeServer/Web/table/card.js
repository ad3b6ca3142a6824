/**
 * An item that is opened: its title, and the fields that its type's document declares (Protocol/table-types.md, "Looks"). Each field is
 * saved when the person leaves it. What others write meanwhile appears; where the person has written, too, both texts are shown.
 */

import { Comments } from './comments.js';
import { make, named, setText } from './dom.js';
import { say, sayParts } from './language.js';
import { keepText } from './notices.js';
import { humanized, personName } from './words.js';
import { writersOf } from './writers.js';

const CHARACTERS_MAX = 4_000;
const LINKS_MAX = 20;
const ADDRESS = /\bhttps?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]]/gi;

export class Card {
  #page;
  #fields;
  #isClosed = false;

  constructor(page, view) {
    const { look, table } = page;
    this.#page = page;
    this.key = view.key;
    this.item = view.item;
    const title = { attribute: look.titleAttribute, as: 'line', title: say('Title'), isNeeded: true };
    this.#fields = [title, ...look.fields].map((field, index) => new (field.as === 'comments' ? Comments : Field)(page, this, field, `field-${index}`));
    this.heading = make('h2', { dir: 'auto' });
    this.place = make('p.place', { dir: 'auto' });
    this.writer = make('p.place', { role: 'status' });
    this.gone = make('p.problem', { role: 'alert', hidden: true, text: say('Somebody has deleted this meanwhile. What you have written can still be copied.') });
    const close = make('button.primary', { type: 'button', text: say('Close'), on: { click: () => this.element.close() } });
    this.element = make('dialog.opened', { 'aria-label': look.nameOf(view.item), on: { close: () => this.close() } },
      this.heading, this.place, this.writer, this.gone, ...this.#fields.map(({ element }) => element), make('p.buttons', {}, close));
    document.body.append(this.element);
    this.update();
    this.element.showModal();
  }

  /** What would be lost if the page were left now. */
  get unsaved() {
    return this.#fields.map(({ unsaved }) => unsaved).filter(Boolean);
  }

  /** Shows the item as it is now. */
  update() {
    const { table, look, arrangement } = this.#page;
    const item = table.item(this.item);
    if (item) this.item = item;
    const collection = item && table.locate(item)?.collection;
    this.gone.hidden = item !== undefined;
    setText(this.heading, look.nameOf(this.item));
    setText(this.place, collection ? arrangement.nameOf(collection) : '');
    const writers = writersOf(table).filter(([id, { seat }]) => id === this.item.id && seat !== table.seat).map(([, seat]) => seat);
    this.writer.replaceChildren(...(writers[0] ? sayParts('{name} is writing…', { name: named(personName(writers[0])) }) : []));
    const mayWrite = collection !== undefined && this.#page.canAct && look.allowsUpdate(collection);
    for (const field of this.#fields) field.update(this.item, mayWrite, item !== undefined);
  }

  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const field of this.#fields) field.leave();
    this.#page.card = undefined;
    this.#page.table.setPresence('');
    this.element.remove();
    this.#page.items.get(this.key)?.handle?.focus();
  }
}

class Field {
  #page;
  #card;
  /** The value as the person last saw it. */
  #base = '';
  #conflict;
  #mayWrite = false;

  constructor(page, card, { attribute, as, title, isNeeded = false }, id) {
    this.#page = page;
    this.#card = card;
    Object.assign(this, { attribute, as, isNeeded, label: title ?? say(humanized(attribute)) });
    this.input = this.#input(id);
    this.links = make('p.links', { hidden: true });
    this.trouble = make('div.trouble', { role: 'alert', hidden: true });
    this.element = make('div.field', {}, make('label', { for: id, text: this.label }), this.input, ...this.#suggestions(id), this.links, this.trouble);
    this.input.addEventListener('change', () => this.save());
    this.input.addEventListener('focus', () => this.#mayWrite && page.table.setPresence(JSON.stringify({ writing: card.item.id })));
    this.input.addEventListener('blur', () => page.table.setPresence(''));
  }

  #input(id) {
    const common = { id, dir: 'auto', maxlength: CHARACTERS_MAX };
    if (this.as === 'text') return make('textarea', { ...common, rows: '5' });
    if (this.as === 'date') return make('input', { id, type: 'date' });
    if (this.as === 'number') return make('input', { id, type: 'number', step: '1' });
    const list = this.as === 'labels' || this.as === 'person' ? `${id}-list` : undefined;
    return make('input', { ...common, type: 'text', list, placeholder: this.as === 'labels' ? say('with commas between them') : undefined });
  }

  /** Those who are here, and what other items have in this field. */
  #suggestions(id) {
    if (this.as !== 'labels' && this.as !== 'person') return [];
    const { table } = this.#page;
    const items = table.collections.flatMap(({ id: collection }) => table.collection(collection)?.items ?? []);
    const used = items.flatMap((item) => partsOf(this.as, item.get(this.attribute)));
    const people = this.as === 'person' ? table.seats.map(personName) : [];
    return [make('datalist', { id: `${id}-list` }, ...[...new Set([...people, ...used])].slice(0, 100).map((value) => make('option', { value })))];
  }

  get #value() {
    return this.input.value.trim();
  }

  get #isChanged() {
    return this.#value !== this.#base;
  }

  get unsaved() {
    return this.#isChanged ? this.#value : '';
  }

  update(item, mayWrite, isThere) {
    this.#mayWrite = mayWrite;
    this.input.readOnly = !mayWrite && (isThere || !this.#isChanged);
    const theirs = String(item.get(this.attribute) ?? '');
    if (theirs !== this.#base) this.#rewritten(theirs);
    this.#showLinks();
  }

  #rewritten(theirs) {
    if (!this.#isChanged || this.#value === theirs) {
      if (!this.#isChanged) this.input.value = theirs;
      return this.#settle(theirs);
    }
    if (this.#conflict === theirs) return undefined;
    this.#conflict = theirs;
    const button = (text, value) => make('button', { type: 'button', text, on: { click: () => this.#decide(theirs, value()) } });
    const buttons = [button(say('Save mine'), () => this.#value), button(say('Keep theirs'), () => theirs)];
    if (this.as === 'text') buttons.push(button(say('Use both'), () => `${theirs}\n${this.#value}`.slice(0, CHARACTERS_MAX)));
    this.trouble.replaceChildren(make('p', {}, say('Somebody has written here meanwhile:'), ' ', make('q', { dir: 'auto', text: theirs })), make('p.buttons', {}, ...buttons));
    this.trouble.hidden = false;
    return undefined;
  }

  #decide(theirs, value) {
    this.#settle(theirs);
    this.input.value = value;
    this.save();
  }

  #settle(base) {
    this.#base = base;
    this.#conflict = undefined;
    this.trouble.hidden = true;
    this.trouble.replaceChildren();
  }

  /** Saves what the person has written; what another has written meanwhile is decided first. */
  save() {
    const { table, look, items } = this.#page;
    if (!this.#isChanged || !this.#mayWrite) return;
    if (this.#conflict !== undefined) return this.trouble.querySelector('button').focus();
    if (this.#value === '' && this.isNeeded) return void (this.input.value = this.#base);
    const text = this.as === 'labels' ? partsOf('labels', this.#value).join(', ') : this.#value;
    const value = text === '' ? null : this.as === 'number' || (/^-?\d{1,15}$/.test(text) && !this.isNeeded) ? Number(text) : text;
    const submission = table.update(this.#card.item.id, { attributes: { [this.attribute]: value } });
    const said = text === '' ? say('{label} removed.', { label: this.label }) : say('{label}: {text}.', { label: this.label, text });
    this.#page.act(submission, said, { element: items.get(this.#card.key)?.handle, text });
    if (!submission.refusal) this.#base = this.input.value = text;
    this.#showLinks();
  }

  /** The card closes: what is written is saved, or else offered to the person. */
  leave() {
    if (this.#conflict === undefined) this.save();
    if (this.unsaved !== '') keepText(this.unsaved);
  }

  /** Addresses in a text are links below it: what is shown is never markup. */
  #showLinks() {
    if (this.as !== 'text') return;
    const addresses = [...new Set(this.input.value.match(ADDRESS) ?? [])].slice(0, LINKS_MAX);
    if (addresses.join(' ') === this.links.dataset.shown) return;
    this.links.dataset.shown = addresses.join(' ');
    this.links.hidden = addresses.length === 0;
    this.links.replaceChildren(...addresses.map((href) => make('a', { href, target: '_blank', rel: 'noopener noreferrer', text: href, dir: 'ltr' })));
  }
}

/** The texts of a field: labels have commas between them. */
const partsOf = (as, value) => {
  const text = String(value ?? '').trim();
  const parts = as === 'labels' ? text.split(',').map((part) => part.trim()) : [text];
  return parts.filter(Boolean);
};

/** Opens an item. */
export function openCard(page, view) {
  page.editor?.close(false, true);
  page.card?.element.close();
  page.card = new Card(page, view);
}
