/**
 * Locks that one tab of a browser holds at a time, until it is closed.
 *
 * The browser's own (Web Locks) exist only where the page came over HTTPS or from this machine. Elsewhere the tabs ask one another
 * over a broadcast channel; a tab that is too slow to answer loses.
 */

const ANSWER_DELAY = 150;

/** The browser's own locks: `take` returns a function that gives the lock back, or `undefined` if another tab holds it. */
class WebLocks {
  constructor(manager) {
    this.manager = manager;
  }

  take(name) {
    return new Promise((resolve, reject) => {
      this.manager
        .request(name, { ifAvailable: true }, (lock) => (lock ? new Promise((giveBack) => resolve(giveBack)) : resolve(undefined)))
        .catch(reject);
    });
  }
}

/** Locks by asking: of two who ask at once, the one with the lower number gets it. */
export class AskedLocks {
  #number = Math.random();
  #held = new Set();
  #asked = new Set();
  #refused = new Set();

  constructor(channel = new BroadcastChannel('baize locks'), delay = ANSWER_DELAY) {
    this.channel = channel;
    this.delay = delay;
    channel.onmessage = ({ data }) => this.#receive(data);
  }

  async take(name) {
    if (this.#held.has(name)) return undefined;
    this.#refused.delete(name);
    this.#asked.add(name);
    this.channel.postMessage({ ask: name, number: this.#number });
    await new Promise((resolve) => setTimeout(resolve, this.delay));
    this.#asked.delete(name);
    if (this.#refused.has(name)) return undefined;
    this.#held.add(name);
    return () => this.#held.delete(name);
  }

  #receive({ ask, number, held, to }) {
    if (to === this.#number && this.#asked.has(held)) this.#refused.add(held);
    if (ask === undefined) return;
    const asksToo = this.#asked.has(ask);
    if (asksToo && number < this.#number) this.#refused.add(ask);
    if (this.#held.has(ask) || (asksToo && this.#number < number)) this.channel.postMessage({ held: ask, to: number });
  }
}

/** Where there is nothing to ask with, each tab is the only one. */
const noLocks = { take: async () => () => {} };

let asked;

/** Returns the locks of this browser. */
export function defaultLocks() {
  if (globalThis.navigator?.locks) return new WebLocks(globalThis.navigator.locks);
  if (typeof globalThis.BroadcastChannel !== 'function') return noLocks;
  asked ??= new AskedLocks();
  return asked;
}
