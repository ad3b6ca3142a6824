/**
 * Who is writing: each page shows the others which item its person rewrites, as a value of presence, `{"writing": ITEM}`. And what
 * one has written oneself a moment ago, to be told if another writes over it.
 */

import { make, named } from './dom.js';
import { say, sayParts } from './language.js';
import { keepText } from './notices.js';
import { personName } from './words.js';

const WRITTEN_MILLISECONDS = 15_000;
const WRITTEN_MAX = 20;
const SHOWN_MAX = 20;

export class Writers {
  #page;
  /** The own texts that are new, `{ name, text, time }` by item. */
  #written = new Map();

  constructor(page) {
    this.#page = page;
  }

  /** Shows at the items who is writing there. */
  show() {
    const { table, items } = this.#page;
    const byItem = new Map(writersOf(table));
    for (const view of items.values()) view.showWriter(byItem.get(view.item.id));
  }

  /** Remembers an own text. */
  wrote(item, name, text) {
    this.#written.delete(item);
    this.#written.set(item, { name, text, time: performance.now() });
    if (this.#written.size > WRITTEN_MAX) this.#written.delete(this.#written.keys().next().value);
  }

  /** Tells the person if another has written over what is new. */
  compare(author, items) {
    for (const id of items) {
      const own = this.#written.get(id);
      const item = own && this.#page.table.item(id);
      if (!item || performance.now() - own.time > WRITTEN_MILLISECONDS) continue;
      const now = String(item.get(own.name) ?? '');
      if (now === own.text) continue;
      this.#written.delete(id);
      const name = personName(this.#page.table.seatOf(author));
      keepText(own.text, {
        words: sayParts('{name} has written over your text. Now it is {text}, and yours was', { name: named(name), text: make('q', { dir: 'auto', text: now }) }),
        button: say('Put mine back'),
        act: () => this.#page.act(this.#page.table.update(id, { attributes: { [own.name]: own.text } }), say('Changed to {text}.', { text: own.text })),
      });
    }
  }
}

/** Returns who writes where, `[item, seat]` each. */
export function writersOf(table) {
  return [...table.presences].slice(0, SHOWN_MAX).flatMap(([session, value]) => {
    const seat = table.seatOf(session);
    const item = seat && writingOf(value);
    return item ? [[item, seat]] : [];
  });
}

/** Returns the item that a value of presence says is written; `undefined` for none. Others may send anything. */
function writingOf(value) {
  try {
    const { writing } = JSON.parse(new TextDecoder().decode(value));
    return Number.isSafeInteger(writing) ? writing : undefined;
  } catch {
    // Another app's value: it says nothing of this.
    return undefined;
  }
}
