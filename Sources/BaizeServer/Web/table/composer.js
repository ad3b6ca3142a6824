/** The line in which one writes a new item. */

import { make, setAttribute } from './dom.js';
import { say, sayCount } from './language.js';
import { notify } from './notices.js';

const TITLE_CHARACTERS_MAX = 500;
/** As many items as one operation may make. */
const LINES_MAX = 500;

export class Composer {
  /** @param noun what is added, if not items: `column` */
  constructor(page, collection, noun) {
    this.page = page;
    this.collection = collection;
    this.noun = noun;
    this.input = make('input', { type: 'text', maxlength: TITLE_CHARACTERS_MAX, placeholder: noun ? say('Add: {noun}…', { noun }) : say('Add an item…'), autocomplete: 'off', dir: 'auto' });
    this.input.addEventListener('paste', (event) => this.#pasted(event));
    this.button = make('button', { type: 'submit', text: say('Add') });
    this.element = make('form.composer', { on: { submit: (event) => this.#submit(event) } }, this.input, this.button);
    this.name(page.look.titleOfCollection(collection));
  }

  /** Names the controls by the collection. */
  name(name) {
    setAttribute(this.input, 'aria-label', this.noun ? say('New: {noun}', { noun: this.noun }) : say('New item in {place}', { place: name }));
    setAttribute(this.button, 'aria-label', this.noun ? say('Add: {noun}', { noun: this.noun }) : say('Add to {place}', { place: name }));
  }

  /** What would be lost if the line went away. */
  get unsaved() {
    return this.input.value.trim();
  }

  #submit(event) {
    event.preventDefault();
    const title = this.input.value.trim();
    if (title !== '' && this.#add([title], title)) this.input.value = '';
  }

  /** Several lines become several items. */
  #pasted(event) {
    const lines = (event.clipboardData?.getData('text/plain') ?? '').split(/\r\n|[\r\n]/).map((line) => line.trim().slice(0, TITLE_CHARACTERS_MAX)).filter(Boolean);
    if (lines.length < 2) return;
    event.preventDefault();
    const text = lines.join('\n');
    if (lines.length <= LINES_MAX) return void this.#add(lines, text);
    notify(say('At most {count} lines can be added at once.', { count: LINES_MAX }), { kind: 'refusal' });
  }

  /** Adds items behind what is shown, and shows the last of them; returns whether they were submitted. */
  #add(titles, text) {
    const { look, table, arrangement } = this.page;
    const end = arrangement.endOf(this.collection);
    arrangement.makeRoom(end, titles.length);
    const submission = table.insert(titles.map((title) => look.newItem(this.collection, title)), end);
    const said = titles.length === 1 ? say('Added {text}.', { text: titles[0] }) : sayCount(titles.length, 'Added {count} item.', 'Added {count} items.');
    if (!this.page.act(submission, said, { text })) return false;
    this.page.arrangement.view(this.collection).make?.();
    this.page.render();
    const made = table.item(submission.createdItems.at(-1));
    if (made && this.page.overview.matching([made]).length === 0) notify(say('It has been added. The search hides it.'));
    this.page.items.get(made?.key)?.element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    return true;
  }
}
