/** The line in which one writes a new item, and the one in which one rewrites a title or another attribute. */

import { make, setAttribute } from './dom.js';

const TITLE_CHARACTERS_MAX = 500;

export class Composer {
  /** @param noun what is added, if not items: `column` */
  constructor(page, collection, noun) {
    this.page = page;
    this.collection = collection;
    this.noun = noun;
    this.input = make('input', { type: 'text', maxlength: TITLE_CHARACTERS_MAX, placeholder: noun ? `Add a ${noun}…` : 'Add an item…', autocomplete: 'off' });
    this.button = make('button', { type: 'submit', text: 'Add' });
    this.element = make('form.composer', { on: { submit: (event) => this.#submit(event) } }, this.input, this.button);
    this.name(page.look.titleOfCollection(collection));
  }

  /** Names the controls by the collection. */
  name(name) {
    setAttribute(this.input, 'aria-label', this.noun ? `New ${this.noun}` : `New item in ${name}`);
    setAttribute(this.button, 'aria-label', this.noun ? `Add the ${this.noun}` : `Add to ${name}`);
  }

  #submit(event) {
    event.preventDefault();
    const title = this.input.value.trim();
    if (title === '') return;
    const { look, table } = this.page;
    const contentType = look.contentTypeFor(this.collection);
    const item = { attributes: { [look.titleAttribute]: title }, representations: contentType ? [{ contentType, data: title }] : [] };
    if (this.page.act(table.insert(item, this.collection), `Added ${title}.`)) this.input.value = '';
  }
}

export function editTitle(page, view) {
  editAttribute(page, view, page.look.titleAttribute, 'Title');
}

/**
 * Lets a person rewrite an item's attribute in its place. Enter and leaving the field keep what is written, Escape does not.
 *
 * @param mayBeEmpty whether the attribute is removed if nothing is written
 */
export function editAttribute(page, view, name, label, mayBeEmpty = false) {
  const { look, table } = page;
  const { item, element, handle } = view;
  const input = make('textarea.editor', { maxlength: TITLE_CHARACTERS_MAX, 'aria-label': `${label} of ${look.nameOf(item)}`, rows: '2' });
  input.value = String(item.get(name) ?? '');
  let isOpen = true;
  const finish = (keeps) => {
    if (!isOpen) return;
    isOpen = false;
    element.classList.remove('editing');
    input.remove();
    handle.focus();
    const title = input.value.trim();
    if (!keeps || title === String(item.get(name) ?? '') || (title === '' && !mayBeEmpty)) return;
    const value = title === '' ? null : name === look.titleAttribute ? title : valueOf(title);
    page.act(table.update(item.id, { attributes: { [name]: value } }), title === '' ? `${label} removed.` : `Changed to ${title}.`);
  };
  input.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Escape') finish(false);
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      finish(true);
    }
  });
  input.addEventListener('blur', () => finish(true));
  element.classList.add('editing');
  element.append(input);
  input.focus();
  input.select();
}

/** Rules compare numbers: what is written as one is one. */
const valueOf = (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text);
