/** The start page: a new table, or the one that a link names. */

import { cleanName, here, newTableName, storedName, storeName } from './address.js';
import { make } from './dom.js';
import { LANGUAGES, chooseLanguage, language, say } from './language.js';
import { load } from './load.js';
import { MyTables } from './my-tables.js';
import { pictureOf } from './pictures.js';
import { GAMES, TYPES } from './types.js';

/** After so long it is said that the daemon does not answer yet. */
const SLOW_MILLISECONDS = 2_500;

/** Several guests at one table have different names. */
const guestName = () => say('Guest {number}', { number: crypto.getRandomValues(new Uint16Array(1))[0] % 900 + 100 });

const element = (id) => document.getElementById(id);

export class Start {
  #enter;
  #table = '';
  #invite = '';
  #timer;
  #mine;
  #types = TYPES;
  /** Whether the operator's types have been asked for. */
  #isAsked = false;

  /** @param enter is called with what to join: `{ table, type, name, role, invite }` */
  constructor(enter) {
    this.#enter = enter;
    this.#mine = new MyTables((entry) => this.open(entry));
    this.#offerLanguages();
    element('types').append(...TYPES.map((type, index) => this.#choice(type, index === 0)));
    element('name').value = storedName();
    element('join').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit('player');
    });
    element('watch').addEventListener('click', () => this.#submit('spectator'));
    element('other').addEventListener('click', () => this.show());
    this.#showOptions();
  }

  #offerLanguages() {
    const options = Object.entries(LANGUAGES).map(([value, text]) => make('option', { value, text, lang: value, selected: value === language }));
    element('language').append(...options);
    element('language').addEventListener('change', ({ target }) => chooseLanguage(target.value));
  }

  /** Offers the operator's own types, too; one takes the place of a bundled one of its name. */
  async #offerOwn() {
    if (this.#isAsked) return;
    this.#isAsked = true;
    try {
      const response = await fetch(here('types.json'), { cache: 'no-cache' });
      const documents = response.ok ? await response.json() : [];
      if (documents.length > 0) await load(({ ownTypes }) => this.#add(ownTypes(documents)));
    } catch {
      // The bundled ones are there all the same.
      this.#isAsked = false;
    }
  }

  #add(types) {
    const names = new Set(types.map(({ name }) => name));
    this.#types = [...types, ...TYPES.filter(({ name }) => !names.has(name))];
    for (const name of names) document.querySelector(`input[name=type][value="${CSS.escape(name)}"]`)?.closest('label').remove();
    const isChecked = document.querySelector('input[name=type]:checked') !== null;
    element('types').querySelector('legend').after(...types.map((type, index) => this.#choice(type, !isChecked && index === 0)));
    this.#showOptions();
  }

  #choice({ name, title, text, picture }, isChecked) {
    const radio = make('input', { type: 'radio', name: 'type', value: name, checked: isChecked, on: { change: () => this.#showOptions() } });
    const words = make('span.words', {}, make('strong', { text: say(title) }), make('small', { text: say(text) }));
    return make('label.type', {}, radio, picture ?? pictureOf(name), words);
  }

  get #type() {
    const chosen = document.querySelector('input[name=type]:checked');
    return this.#types.find(({ name }) => name === chosen?.value) ?? this.#types[0];
  }

  #showOptions() {
    const { name, title, options, rules } = this.#type;
    const fields = options.map((option) => {
      const input = option.values
        ? make('select', { name: option.name }, ...option.values.map(([value, text]) => make('option', { value, text: say(text) })))
        : make('input', { type: 'number', name: option.name, min: option.min, max: option.max, value: option.value, required: true });
      return make('label.field', {}, make('span', { text: say(option.label) }), input);
    });
    const about = make('button.about', { type: 'button', text: say('How to play'), on: { click: () => load(({ openRules }) => openRules(say(title), name, rules)) } });
    element('options').replaceChildren(...fields, ...((rules ? rules.length > 0 : GAMES.has(name)) ? [about] : []));
  }

  /**
   * Shows the page: for a table that a link names, or for a new one, below those that this browser knows.
   *
   * @param trouble what is wrong with one of those that it knows: `{ table, text }`
   */
  show({ table = '', invite = '', problem = '', trouble } = {}) {
    [this.#table, this.#invite] = [table, invite];
    const isInvited = table !== '';
    element('start').hidden = element('join').hidden = false;
    element('waiting').hidden = true;
    element('types').hidden = element('options').hidden = isInvited;
    element('watch').hidden = element('other').hidden = element('invitation').hidden = !isInvited;
    element('invitation').textContent = isInvited ? say('You are invited to the table {table}.', { table }) : '';
    element('join').querySelector('.primary').textContent = isInvited ? say('Join the table') : say('Create the table');
    element('problem').textContent = problem;
    if (isInvited) this.#mine.hide();
    else this.#mine.show(trouble);
    if (!isInvited) this.#offerOwn();
    this.setBusy(false);
    document.title = 'Baize';
  }

  hide() {
    element('start').hidden = true;
  }

  /** Says that a table is joined, in place of the form. */
  wait() {
    this.#mine.hide();
    element('join').hidden = true;
    element('waiting').hidden = false;
  }

  /** Says whether the daemon can be reached: the page may be here without it. */
  setReached(isReached) {
    element('unreachable').hidden = isReached;
  }

  /** Opens a table that this browser knows, as who one was there. */
  open({ table, name, isPlayer }) {
    this.wait();
    this.#enter({ table, name: name || guestName(), role: isPlayer ? 'player' : 'spectator', invite: '' });
  }

  /** While the daemon is asked, the buttons wait, and what they wait for is said. */
  setBusy(isBusy) {
    clearTimeout(this.#timer);
    element('progress').textContent = isBusy ? say('Asking the server…') : '';
    if (isBusy) this.#timer = setTimeout(() => (element('progress').textContent = say('The server has not answered yet. It is tried again…')), SLOW_MILLISECONDS);
    for (const button of element('join').querySelectorAll('button')) button.disabled = isBusy;
  }

  #submit(role) {
    const name = cleanName(element('name').value);
    storeName(name);
    this.setBusy(true);
    const common = { name: name || guestName(), role };
    if (this.#table) return this.#enter({ ...common, table: this.#table, invite: this.#invite });
    const { name: type } = this.#type;
    const options = new URLSearchParams([...element('options').querySelectorAll('[name]')].map((input) => [input.name, input.value]));
    return this.#enter({ ...common, table: newTableName(type), type: String(options) ? `${type}?${options}` : type });
  }
}
