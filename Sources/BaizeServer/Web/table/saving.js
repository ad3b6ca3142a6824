/**
 * Whether what one sees is saved: the daemon has confirmed it. What waits for longer than a moment looks so, with the time and the
 * reason, and it is told when it is saved. A daemon that is silent is asked whether it is there.
 */

import { locale, say, sayCount } from './language.js';
import { announce } from './notices.js';
import { seenText, unsavedReason } from './words.js';

const TICK_MILLISECONDS = 250;
/** What waits for longer than this is shown as not saved. */
const UNSAVED_MILLISECONDS = 700;
/** After so long without a message the daemon is asked, and after so long without an answer it is silent. */
const QUIET_MILLISECONDS = 3_000;
const SILENT_MILLISECONDS = 2_000;
const SAVED_MILLISECONDS = 3_000;

export class Saving {
  #page;
  #timer;
  /** When the first operation that waits was made, by both clocks. */
  #since;
  #asked;
  #savedAt = -Infinity;
  #shown = '';

  constructor(page) {
    this.#page = page;
    this.isUnsaved = false;
    this.isSilent = false;
  }

  start() {
    this.#timer = setInterval(() => this.#look(), TICK_MILLISECONDS);
    return () => clearInterval(this.#timer);
  }

  /** Whether something would be lost, or not known, if the page were left now. */
  get isAtRisk() {
    return this.#page.table.pendingCount > 0 || this.#page.unsavedTexts.length > 0;
  }

  /** What is said of it; empty if all is well. */
  get text() {
    const { table } = this.#page;
    if (table.seenAt !== undefined) {
      const waiting = table.pendingCount === 0 ? '' : ` ${sayCount(table.pendingCount, '{count} change waits.', '{count} changes wait.')}`;
      return seenText(table.seenAt) + waiting;
    }
    const reason = table.connection !== 'live' ? 'OFFLINE' : this.isSilent ? 'SILENT' : table.retryReason;
    if (this.isUnsaved) {
      const time = new Date(this.#since.date).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
      return `${unsavedReason(reason)} ${sayCount(table.pendingCount, 'Not saved since {time}: {count} change.', 'Not saved since {time}: {count} changes.', { time })}`;
    }
    if (reason === 'OFFLINE' || reason === 'SILENT') return unsavedReason(reason);
    return performance.now() - this.#savedAt < SAVED_MILLISECONDS ? say('All saved') : '';
  }

  #look() {
    const { table } = this.#page;
    const now = performance.now();
    this.#ask(now);
    if (table.pendingCount === 0) {
      if (this.isUnsaved) {
        this.#savedAt = now;
        announce(say('Everything is saved.'));
      }
      [this.isUnsaved, this.#since] = [false, undefined];
    } else {
      const age = Math.max(0, now - (table.pendingSince ?? this.#since?.now ?? now));
      this.#since = { now: now - age, date: Date.now() - age };
      const wasUnsaved = this.isUnsaved;
      this.isUnsaved = age >= UNSAVED_MILLISECONDS;
      if (this.isUnsaved && !wasUnsaved) announce(this.text);
    }
    // That all is saved is said for a while only, so time alone may change it.
    const { text } = this;
    if (text !== this.#shown) this.#page.draw();
    this.#shown = text;
  }

  #ask(now) {
    const { table } = this.#page;
    const isAnswered = this.#asked === undefined || now - this.#asked > table.quietFor;
    if (table.connection !== 'live' || isAnswered) [this.#asked, this.isSilent] = [undefined, false];
    if (table.connection !== 'live' || document.visibilityState !== 'visible') return;
    if (this.#asked === undefined && table.quietFor > QUIET_MILLISECONDS) {
      this.#asked = now;
      table.probe();
    } else if (this.#asked !== undefined) {
      this.isSilent = now - this.#asked > SILENT_MILLISECONDS;
    }
  }

  /** Marks the items that are not saved. */
  show() {
    const items = this.isUnsaved ? this.#page.table.pendingItems : new Set();
    for (const { element, item } of this.#page.items.values()) element.classList.toggle('unsaved', items.has(item.id));
  }
}
