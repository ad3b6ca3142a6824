/** Loads what a table does without until a person asks for it. */

import { say } from './language.js';
import { lookForNewer } from './newer.js';
import { notify } from './notices.js';

/** Calls `use` with `later.js`, or says that it cannot be had now: the daemon cannot be reached, or has a newer page. */
export async function load(use) {
  let later;
  try {
    later = await import('./later.js');
  } catch {
    notify(say('This could not be loaded from the server.'), { kind: 'refusal' });
    return lookForNewer();
  }
  return use(later);
}
