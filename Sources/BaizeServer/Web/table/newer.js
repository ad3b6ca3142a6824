/**
 * Whether the daemon has a newer page than this one. It is taken when the page is loaded the next time, which is the person's to do. A
 * service worker keeps the page for then, where the browser has one: not at an address without TLS, unless it is the machine's own.
 */

import { here } from './address.js';
import { make } from './dom.js';
import { say } from './language.js';
import { notify } from './notices.js';

/** Many pages that lost one daemon do not all look at once. */
const SPREAD_MILLISECONDS = 10_000;
/** While the daemon cannot be reached, it is asked again after so long. */
const AGAIN_MILLISECONDS = 5_000;

/** The files of this page that are named by their contents; none where it is loaded from its sources. */
const names = [...(globalThis.document?.querySelectorAll('script[src*="?"], link[rel=stylesheet][href*="?"]') ?? [])]
  .map((element) => element.getAttribute('src') ?? element.getAttribute('href'));
const workers = globalThis.navigator?.serviceWorker;

let isSaid = false;
let isKept = false;
let timer;

/** Asks the daemon for its page. Says whether that was possible to `reached`, and to the person if there is a newer one. */
export async function lookForNewer(reached = () => {}) {
  clearTimeout(timer);
  if (names.length === 0) return;
  try {
    const response = await fetch(here(''), { cache: 'no-cache', redirect: 'manual' });
    if (response.status >= 500) throw new Error(`status ${response.status}`);
    const page = await response.text();
    reached(true);
    if (!names.every((name) => page.includes(name))) tell();
  } catch {
    reached(false);
    timer = setTimeout(() => lookForNewer(reached), AGAIN_MILLISECONDS);
  }
}

function tell() {
  if (isSaid) return;
  isSaid = true;
  notify(say('The server has a newer version of this page.'), { button: say('Load it'), act: () => location.reload(), later: say('Later') });
}

/** Looks at some time soon: the connection was lost, and the daemon that is there now may be another one. */
export function lookSoon() {
  clearTimeout(timer);
  timer = setTimeout(() => lookForNewer(), Math.random() * SPREAD_MILLISECONDS);
}

/** Whether the page may be one that was kept. */
export const isFromWorker = () => Boolean(workers?.controller);

/** Has the page kept, and lets it be installed; call it when the network has nothing better to do. */
export async function keepPage() {
  if (isKept || names.length === 0 || !workers) return;
  isKept = true;
  document.head.append(make('link', { rel: 'manifest', href: 'manifest.json' }));
  try {
    await workers.register(here('service-worker.js'));
  } catch {
    // Not every browser has room for it, or allows it: the page works without.
  }
}
