/**
 * Where a person rewrites an item's title or another attribute. What is typed is the person's: others may move the item, delete it
 * or write it too, and the editor stays open, with its text and the focus, where the item is. At most one is open.
 */

import { make } from './dom.js';
import { isComposing } from './keys.js';
import { say } from './language.js';
import { restingBox } from './motion.js';
import { copyField, keepText, notify } from './notices.js';

const CHARACTERS_MAX = 500;

export class Editor {
  #page;
  /** The attribute as it was when the person last saw it: what others write is compared with it. */
  #base;
  #isDeleted = false;
  #isClosed = false;

  /**
   * Opens an editor. Enter and leaving the field keep what is written, Escape does not.
   *
   * @param mayBeEmpty whether the attribute is removed if nothing is written
   */
  constructor(page, view, { name, label, mayBeEmpty = false, check = () => undefined }) {
    this.#page = page;
    Object.assign(this, { key: view.key, item: view.item, collection: view.collection, name, label, mayBeEmpty, check });
    this.#base = this.#written;
    this.input = make('textarea', { maxlength: CHARACTERS_MAX, dir: 'auto', 'aria-label': say('{label} of {item}', { label, item: page.look.nameOf(view.item) }), rows: '2' });
    this.input.classList.add('editor');
    this.input.value = this.#base;
    this.trouble = make('div.trouble', { role: 'alert', hidden: true });
    this.element = make('div.writing', {}, this.input, this.trouble);
    this.input.addEventListener('keydown', (event) => this.#pressed(event));
    this.trouble.addEventListener('keydown', (event) => event.key === 'Escape' && this.#escape(event));
    this.input.addEventListener('blur', () => this.#left());
    page.layer.append(this.element);
    page.table.setPresence(JSON.stringify({ writing: view.item.id }));
    this.place();
    this.input.focus({ preventScroll: true });
    this.input.select();
  }

  get #written() {
    return String(this.item.get(this.name) ?? '');
  }

  /** What would be lost if the page were left now; empty if nothing. */
  get unsaved() {
    const text = this.input.value.trim();
    return text === this.#base.trim() ? '' : text;
  }

  // ---- What others do

  /** Follows the item: it may have moved, be written by another, or be gone. */
  update() {
    const { table } = this.#page;
    const item = table.item(this.item);
    const view = this.#page.items.get(this.key);
    if (item) [this.item, this.collection] = [item, table.locate(item)?.collection ?? this.collection];
    if (!item !== this.#isDeleted) this.#deleted(!item);
    else if (item && this.#written !== this.#base) this.#rewritten();
    for (const one of this.#page.items.values()) one.element.classList.toggle('editing', one === view);
    this.place();
  }

  #deleted(isDeleted) {
    this.#isDeleted = isDeleted;
    if (!isDeleted) return this.#settle();
    const buttons = [this.#button(say('Copy the text'), () => copyField(this.input)), this.#button(say('Discard it'), () => this.close())];
    if (this.#page.look.allowsInsert(this.collection)) buttons.unshift(this.#button(say('Add it again'), () => this.#insert(), 'primary'));
    return this.#say([say('Somebody has deleted this meanwhile. Your text is still here.')], buttons);
  }

  #rewritten() {
    const theirs = this.#written;
    if (this.unsaved === '' || this.unsaved === theirs) {
      if (this.unsaved === '') this.input.value = theirs;
      this.#base = theirs;
      return this.#settle();
    }
    if (this.shownConflict === theirs) return undefined;
    this.shownConflict = theirs;
    const buttons = [
      this.#button(say('Save mine'), () => this.#decide(theirs, this.input.value), 'primary'),
      this.#button(say('Keep theirs'), () => this.close()),
      this.#button(say('Use both'), () => this.#decide(theirs, `${theirs} ${this.input.value}`.slice(0, CHARACTERS_MAX))),
    ];
    return this.#say([say('Somebody has written here meanwhile:'), ' ', make('q', { dir: 'auto', text: theirs })], buttons);
  }

  #decide(theirs, text) {
    this.#base = theirs;
    this.input.value = text;
    this.#settle();
    this.#finish();
  }

  #button(text, click, kind = '') {
    return make('button', { type: 'button', class: kind, text, on: { click } });
  }

  #say(words, buttons) {
    this.trouble.replaceChildren(make('p', {}, ...words), make('p.buttons', {}, ...buttons));
    this.trouble.hidden = false;
  }

  #settle() {
    this.shownConflict = undefined;
    this.trouble.hidden = true;
    this.trouble.replaceChildren();
  }

  /** Lies on the item, or stays where it was while nothing of the item is shown. */
  place() {
    const handle = this.#page.items.get(this.key)?.handle;
    if (!handle?.isConnected) return;
    const { left, top, width, height } = restingBox(handle);
    const area = this.#page.arrangement.element.getBoundingClientRect();
    const size = Math.max(width, 180);
    const { style } = this.element;
    style.left = `${Math.max(area.left + 4, Math.min(left, area.right - size - 4))}px`;
    style.top = `${Math.max(area.top + 4, Math.min(top, area.bottom - height - 4))}px`;
    style.width = `${size}px`;
    this.input.style.minHeight = `${height}px`;
  }

  // ---- What the person does

  #pressed(event) {
    event.stopPropagation();
    if (isComposing(event)) return;
    if (event.key === 'Escape') this.#escape(event);
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    this.#finish();
  }

  #escape(event) {
    event.stopPropagation();
    this.close();
  }

  /** Another window is no decision; another place of the page is, unless something is left to decide. */
  #left() {
    setTimeout(() => {
      if (this.#isClosed || !document.hasFocus() || this.element.contains(document.activeElement)) return;
      if (this.trouble.hidden) this.#finish({ keepsFocus: false });
    });
  }

  /** Keeps what is written; what others have written or deleted meanwhile is decided first. */
  #finish({ keepsFocus = true } = {}) {
    if (this.#isClosed) return;
    if (!this.trouble.hidden) {
      this.trouble.querySelector('button').focus();
      return;
    }
    const { table, look } = this.#page;
    const text = this.input.value.trim();
    const problem = text === '' ? undefined : this.check(text);
    if (problem && keepsFocus) {
      notify(problem, { kind: 'refusal' });
      return;
    }
    const before = this.#base.trim();
    this.close(keepsFocus);
    if (problem || text === before || (text === '' && !this.mayBeEmpty)) return;
    const value = text === '' ? null : this.name === look.titleAttribute ? text : valueOf(text);
    const submission = table.update(this.item.id, { attributes: { [this.name]: value } });
    this.#page.act(submission, text === '' ? say('{label} removed.', { label: this.label }) : say('Changed to {text}.', { text }), { text });
    if (submission.refusal) keepText(text);
    else this.#page.writers.wrote(this.item.id, this.name, text);
  }

  #insert() {
    const { table, look } = this.#page;
    const title = this.input.value.trim();
    this.close();
    if (title !== '') this.#page.act(table.insert(look.newItem(this.collection, title), this.collection), say('Added {text}.', { text: title }), { text: title });
  }

  /** Closes it. The text is lost, unless `keepsText`: then it is offered to the person. */
  close(keepsFocus = true, keepsText = false) {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (keepsText && this.unsaved) keepText(this.unsaved);
    this.#page.editor = undefined;
    this.element.remove();
    const view = this.#page.items.get(this.key);
    view?.element.classList.remove('editing');
    this.#page.table.setPresence('');
    if (keepsFocus) (view ?? this.#page.arrangement.view(this.collection))?.handle?.focus();
  }
}

/** Rewrites an item's attribute. One that is open already stays. */
export function editAttribute(page, view, options) {
  page.editor?.close(false, true);
  page.editor = new Editor(page, view, options);
  page.editor.update();
}

export function editTitle(page, view) {
  editAttribute(page, view, { name: page.look.titleAttribute, label: say('Title') });
}

/** Rules compare numbers: what is written as one is one. */
const valueOf = (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text);
