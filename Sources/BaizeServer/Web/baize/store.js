/**
 * Where a session is kept, so that a page that is loaded again comes back to its seat and sends what it had not sent, once.
 *
 * A store has `load()`, `save(text)` and `clear()`; each may return a promise. The text holds the resume token, a secret.
 */

import { PendingOperation } from './pending.js';
import { fromBase64, toBase64 } from './text.js';

/** Keeps a session in the tab's `sessionStorage`: each tab has a session of its own. */
export class TabSessionStore {
  constructor(key, storage = globalThis.sessionStorage) {
    this.key = `baize ${key}`;
    this.storage = storage;
  }

  load() {
    return this.storage.getItem(this.key) ?? undefined;
  }

  save(text) {
    this.storage.setItem(this.key, text);
  }

  clear() {
    this.storage.removeItem(this.key);
  }
}

/** Keeps a session as long as the process runs. */
export class MemorySessionStore {
  #text;

  load() {
    return this.#text;
  }

  save(text) {
    this.#text = text;
  }

  clear() {
    this.#text = undefined;
  }
}

/** Returns the tab's store, or one in memory where there is no `sessionStorage`, or where it may not be used. */
export function defaultStore(key) {
  try {
    if (globalThis.sessionStorage) return new TabSessionStore(key);
  } catch {
    return new MemorySessionStore();
  }
  return new MemorySessionStore();
}

/** Returns what a machine must keep, as a text; `undefined` if it has no session. */
export function saved(machine, withPending = true) {
  const older = machine.replica ?? machine.restored;
  if (machine.token.length === 0 || !machine.welcome) return undefined;
  const { session, seat } = machine.welcome;
  return JSON.stringify({
    version: 1,
    token: toBase64(machine.token),
    session,
    seat,
    epoch: older?.epoch ?? 0,
    nextSeq: older?.nextSeq ?? 1,
    pending: withPending ? (older?.pending ?? []).map((op) => toBase64(op.encoded())) : [],
  });
}

/** Gives a machine back what was kept. A text that cannot be read is ignored: the client joins anew. */
export function restore(machine, text) {
  try {
    const { version, token, session, seat, epoch, nextSeq, pending } = JSON.parse(text);
    if (version !== 1 || ![session, seat, epoch, nextSeq].every(Number.isSafeInteger)) return;
    const operations = pending.map((operation) => PendingOperation.decoding(fromBase64(operation)));
    machine.token = fromBase64(token);
    machine.restored = { session, seat, epoch, nextSeq, pending: operations, ids: new Map(), renamed: new Map() };
  } catch {
    machine.token = new Uint8Array(0);
    machine.restored = undefined;
  }
}

const SAVE_DELAY = 20;

/** Saves a machine's session a little after each change, and what waits at the latest when its page goes away. */
export class SessionKeeper {
  #timer;
  #isStopped = false;

  /** @param failed called with the error of a store that fails */
  constructor(store, machine, failed) {
    this.store = store;
    this.machine = machine;
    this.failed = failed;
  }

  async restore() {
    const text = await this.store.load();
    if (typeof text === 'string') restore(this.machine, text);
  }

  saveSoon() {
    if (!this.#isStopped) this.#timer ??= setTimeout(() => this.save(), SAVE_DELAY);
  }

  save() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isStopped) return;
    const text = this.machine.phase === 'ended' ? undefined : saved(this.machine);
    try {
      this.#wait(text === undefined ? this.store.clear() : this.store.save(text));
    } catch (error) {
      this.#saveToken(error);
    }
  }

  /** Where there is no room for more: the token alone brings back everything but the pending operations. */
  #saveToken(reason) {
    try {
      const text = saved(this.machine, false);
      if (text !== undefined) this.#wait(this.store.save(text));
    } catch {
      this.failed(reason);
    }
  }

  #wait(result) {
    Promise.resolve(result).catch((error) => this.failed(error));
  }

  /** Saves no more: what is kept stays. */
  stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
