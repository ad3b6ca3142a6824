/** What is said: to everyone in a line at the bottom of the page, and to screen readers in the log. */

import { make } from './dom.js';
import { say } from './language.js';

const SHOWN_MILLISECONDS = 5_000;
/** One that offers something stays for longer. */
const OFFERED_MILLISECONDS = 12_000;
const SHOWN_MAX = 3;
const LOG_LINES_MAX = 20;
const KEPT_MAX = 5;

/**
 * Shows a sentence for some seconds, and has it read. It is a text, or its parts: a name in `<bdi>` keeps its direction to itself. With a
 * `button`, `act` does what it says. With `later`, which is on another button, it stays until one of them is pressed.
 */
export function notify(text, { kind = 'plain', button, act, later } = {}) {
  const notices = document.getElementById('notices');
  const notice = make(`p.notice.${kind}`, {}, ...[text].flat());
  announce(notice.textContent);
  if (act) notice.append(make('button', { type: 'button', text: button, on: { click: () => { notice.remove(); act(); } } }));
  if (later) notice.append(make('button', { type: 'button', text: later, on: { click: () => notice.remove() } }));
  notice.classList.toggle('staying', later !== undefined);
  notices.append(notice);
  if (later) return;
  const passing = notices.querySelectorAll('.notice:not(.kept, .staying)');
  if (passing.length > SHOWN_MAX) passing[0].remove();
  setTimeout(() => notice.remove(), act ? OFFERED_MILLISECONDS : SHOWN_MILLISECONDS);
}

/** Has a sentence read by screen readers. */
export function announce(text) {
  const log = document.getElementById('announcements');
  log.append(make('p', { text }));
  while (log.children.length > LOG_LINES_MAX) log.firstChild.remove();
}

/**
 * Keeps a text that a person has written and that is not on the table, until the person has decided about it.
 *
 * @param words what is said about it; `act` does with it what `button` says
 */
export function keepText(text, { words = [say('Your text is not on the table:')], button, act } = {}) {
  const notices = document.getElementById('notices');
  const field = make('textarea', { readonly: true, rows: '2', dir: 'auto', 'aria-label': say('Your text') });
  field.value = text;
  const close = () => notice.remove();
  const buttons = [
    ...(act ? [make('button.primary', { type: 'button', text: button, on: { click: () => { close(); act(); } } })] : []),
    make('button', { type: 'button', text: say('Copy'), on: { click: () => copyField(field) } }),
    make('button', { type: 'button', text: say('Discard it'), on: { click: close } }),
  ];
  const notice = make('div.notice.kept', { role: 'group', 'aria-label': say('A text of yours') }, make('p', {}, ...words), field, make('p.buttons', {}, ...buttons));
  notices.append(notice);
  announce(notice.firstChild.textContent);
  const kept = notices.querySelectorAll('.kept');
  if (kept.length > KEPT_MAX) kept[0].remove();
}

/** Returns the texts that are kept, and removes them from the page. */
export function takeKeptTexts() {
  return [...document.querySelectorAll('#notices .kept')].map((notice) => {
    notice.remove();
    return notice.querySelector('textarea').value;
  });
}

/** Copies a field's text. */
export async function copyField(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    notify(say('Copied.'));
  } catch {
    // Not every page may write to the clipboard: the text is selected for the person to copy.
    field.focus();
    field.select();
  }
}
