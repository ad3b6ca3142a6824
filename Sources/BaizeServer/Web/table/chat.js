/** Messages to the table. They are not kept: who joins later does not see them. */

import { iconButton, make, named, setAttribute } from './dom.js';
import { say } from './language.js';
import { announce, notify } from './notices.js';
import { personName, reasonText } from './words.js';

const LINES_MAX = 200;
const TEXT_CHARACTERS_MAX = 300;

export class Chat {
  #page;

  constructor(page) {
    this.#page = page;
    this.lines = make('ol.lines', { 'aria-label': say('Messages'), tabindex: '0' });
    this.input = make('input', { type: 'text', maxlength: TEXT_CHARACTERS_MAX, placeholder: say('Write to the table…'), 'aria-label': say('Message'), autocomplete: 'off', dir: 'auto' });
    const form = make('form', { on: { submit: (event) => this.#submit(event) } }, this.input, make('button', { type: 'submit', text: say('Send') }));
    const close = iconButton('close', say('Close the messages'), () => this.toggle());
    const isSpectator = page.table.seat === 0;
    this.element = make('aside.chat', { 'aria-label': say('Messages'), hidden: true }, make('header', {}, make('h2', { text: say('Messages') }), close), this.lines, ...(isSpectator ? [] : [form]));
  }

  toggle() {
    const { chat: button } = this.#page.bar;
    this.element.hidden = !this.element.hidden;
    setAttribute(button, 'aria-expanded', String(!this.element.hidden));
    button.classList.remove('unread');
    if (this.element.hidden) button.focus();
    else this.input.focus();
  }

  #submit(event) {
    event.preventDefault();
    const text = this.input.value.trim();
    if (text === '') return;
    const refusal = this.#page.table.say(text);
    if (refusal) notify(reasonText(refusal), { kind: 'refusal' });
    else this.input.value = '';
  }

  receive({ session, kind, text, refused }) {
    if (refused) return notify(reasonText({ reason: refused }), { kind: 'refusal' });
    if (kind !== '') return undefined;
    const { table, bar } = this.#page;
    const author = table.seatOf(session);
    const name = session === table.session ? say('You') : personName(author);
    const line = make('li', { 'data-seat': ((author?.seat ?? 1) - 1) % 8 }, make('b', { text: name, dir: 'auto' }), make('span', { text, dir: 'auto' }));
    line.classList.toggle('own', session === table.session);
    this.lines.append(line);
    while (this.lines.children.length > LINES_MAX) this.lines.firstChild.remove();
    this.lines.scrollTop = this.lines.scrollHeight;
    if (session === table.session) return undefined;
    if (!this.element.hidden) return announce(`${name}: ${text}`);
    bar.chat.classList.add('unread');
    return notify([named(name), ': ', named(text)]);
  }
}
