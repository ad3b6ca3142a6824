/** The line in which one writes a new item. */

import { make, setAttribute } from './dom.js';

const TITLE_CHARACTERS_MAX = 500;

export class Composer {
  /** @param noun what is added, if not items: `column` */
  constructor(page, collection, noun) {
    this.page = page;
    this.collection = collection;
    this.noun = noun;
    this.input = make('input', { type: 'text', maxlength: TITLE_CHARACTERS_MAX, placeholder: noun ? `Add a ${noun}…` : 'Add an item…', autocomplete: 'off', dir: 'auto' });
    this.button = make('button', { type: 'submit', text: 'Add' });
    this.element = make('form.composer', { on: { submit: (event) => this.#submit(event) } }, this.input, this.button);
    this.name(page.look.titleOfCollection(collection));
  }

  /** Names the controls by the collection. */
  name(name) {
    setAttribute(this.input, 'aria-label', this.noun ? `New ${this.noun}` : `New item in ${name}`);
    setAttribute(this.button, 'aria-label', this.noun ? `Add the ${this.noun}` : `Add to ${name}`);
  }

  /** What would be lost if the line went away. */
  get unsaved() {
    return this.input.value.trim();
  }

  #submit(event) {
    event.preventDefault();
    const title = this.input.value.trim();
    if (title === '') return;
    const { look, table } = this.page;
    const submission = table.insert(look.newItem(this.collection, title), this.collection);
    if (this.page.act(submission, `Added ${title}.`, { text: title })) this.input.value = '';
  }
}
