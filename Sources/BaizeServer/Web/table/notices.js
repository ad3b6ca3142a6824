/** What is said: to everyone in a line at the bottom of the page, and to screen readers in the log. */

import { make } from './dom.js';

const SHOWN_MILLISECONDS = 5_000;
const SHOWN_MAX = 3;
const LOG_LINES_MAX = 20;

/** Shows a sentence for some seconds, and has it read. */
export function notify(text, { kind = 'plain' } = {}) {
  const notices = document.getElementById('notices');
  const notice = make(`p.notice.${kind}`, { text });
  notices.append(notice);
  while (notices.children.length > SHOWN_MAX) notices.firstChild.remove();
  setTimeout(() => notice.remove(), SHOWN_MILLISECONDS);
  announce(text);
}

/** Has a sentence read by screen readers. */
export function announce(text) {
  const log = document.getElementById('announcements');
  log.append(make('p', { text }));
  while (log.children.length > LOG_LINES_MAX) log.firstChild.remove();
}
