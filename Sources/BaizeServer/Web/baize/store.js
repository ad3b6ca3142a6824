/**
 * Where a session is kept, so that a page that is loaded again comes back to its seat and sends what it had not sent, once.
 *
 * A store has `load()`, `save(text)` and `clear()`; each may return a promise. Its `close()`, if it has one, is called when the client
 * uses it no more. The text holds the credential and the invite, which are secrets. A `credential(made)`, if it has one, returns the
 * credential that all its sessions share, as a text: the given one if there was none.
 */

import { defaultLocks } from './locks.js';
import { randomBytes } from './machine.js';
import { PendingOperation } from './pending.js';
import { fromBase64, toBase64 } from './text.js';

const later = (act) => new Promise((resolve) => setTimeout(() => resolve(act()), 300));

/** The maximum number of sessions of one browser at one table. */
const SESSIONS_MAX = 8;

/**
 * Keeps sessions in `localStorage`, one for each tab that is open at the table, up to eight: a tab that is closed leaves its
 * session to the next one, and no tab takes over that of another.
 *
 * ```
 * baize KEY/0, KEY/1 …    localStorage: the sessions. Who uses one holds the lock of that name.
 * baize KEY/credential    localStorage: the credential, by which all tabs are one person
 * baize KEY               sessionStorage: the name of the session that this tab had before it was loaded again
 * ```
 */
export class BrowserSessionStore {
  #lock;
  #name;

  constructor(key, { storage = globalThis.localStorage, tab = globalThis.sessionStorage, locks = defaultLocks() } = {}) {
    this.key = `baize ${key}`;
    this.storage = storage;
    this.tab = tab;
    this.locks = locks;
  }

  /** Takes this tab's session, else one that no tab uses, else room for a new one. */
  async load() {
    const names = Array.from({ length: SESSIONS_MAX }, (_, index) => `${this.key}/${index}`);
    const hasSession = (name) => this.storage.getItem(name) !== null;
    const own = this.tab.getItem(this.key);
    const order = [own, ...names.filter(hasSession), ...names.filter((name) => !hasSession(name))];
    for (const name of order.filter((one, index) => one && order.indexOf(one) === index)) {
      this.#lock = await this.locks.take(name);
      // A page that is loaded again may come before its former self has let go.
      if (!this.#lock && name === own) this.#lock = await later(() => this.locks.take(name));
      if (!this.#lock) continue;
      this.#name = name;
      this.tab.setItem(this.key, name);
      return this.storage.getItem(name) ?? this.#admission(names);
    }
    return undefined;
  }

  /** Returns a new session of the person who has another one here: its ticket admits where an invite is needed (J12). */
  #admission(names) {
    for (const text of names.map((name) => this.storage.getItem(name)).filter(Boolean)) {
      const admission = admissionOf(text);
      if (admission) return admission;
    }
    return undefined;
  }

  save(text) {
    if (this.#name) this.storage.setItem(this.#name, text);
  }

  clear() {
    if (this.#name) this.storage.removeItem(this.#name);
  }

  /** Returns the credential of this browser at this table. */
  credential(made) {
    const name = `${this.key}/credential`;
    if (this.storage.getItem(name) === null) this.storage.setItem(name, made);
    return this.storage.getItem(name);
  }

  /** Lets another tab have the session. */
  close() {
    this.#lock?.();
    this.tab.removeItem(this.key);
    this.#lock = this.#name = undefined;
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

/** Returns the browser's store, or one in memory where there is no storage, or where it may not be used. */
export function defaultStore(key) {
  try {
    if (globalThis.localStorage && globalThis.sessionStorage) return new BrowserSessionStore(key);
  } catch {
    return new MemorySessionStore();
  }
  return new MemorySessionStore();
}

/** Returns what a machine must keep, as a text. */
export function saved(machine, withPending = true) {
  const older = machine.replica ?? machine.restored;
  const { session, seat } = machine.welcome ?? machine.restored ?? { session: 0, seat: 0 };
  return JSON.stringify({
    version: 2,
    credential: toBase64(machine.identity.credential),
    sessionName: toBase64(machine.identity.sessionName),
    ticket: toBase64(machine.ticket),
    invite: machine.invite,
    session,
    seat,
    epoch: older?.epoch ?? 0,
    nextSeq: older?.nextSeq ?? 1,
    pending: withPending ? (older?.pending ?? []).map((op) => toBase64(op.encoded())) : [],
  });
}

/** Returns what another session of the same person begins with; `undefined` if this one was never admitted. */
function admissionOf(text) {
  try {
    const { version, credential, ticket, invite } = JSON.parse(text);
    if (!ticket) return undefined;
    const sessionName = toBase64(randomBytes(16));
    return JSON.stringify({ version, credential, sessionName, ticket, invite, session: 0, seat: 0, epoch: 0, nextSeq: 1, pending: [] });
  } catch {
    return undefined;
  }
}

/** Gives a machine back what was kept. A text that cannot be read is ignored: the client joins anew. */
export function restore(machine, text) {
  try {
    const { version, credential, sessionName, ticket, invite, session, seat, epoch, nextSeq, pending } = JSON.parse(text);
    if (version !== 2 || ![session, seat, epoch, nextSeq].every(Number.isSafeInteger)) return;
    const operations = pending.map((operation) => PendingOperation.decoding(fromBase64(operation)));
    const identity = { credential: fromBase64(credential), sessionName: fromBase64(sessionName) };
    if (identity.credential.length !== 32 || identity.sessionName.length > 16) return;
    [machine.identity, machine.ticket] = [identity, fromBase64(ticket)];
    if (typeof invite === 'string') machine.invite ||= invite;
    if (session === 0) return;
    machine.restored = { session, seat, epoch, nextSeq, pending: operations, ids: new Map(), renamed: new Map() };
  } catch {
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

  /** Stores who this is before the daemon hears of it: who is not stored could not come back. */
  async begin() {
    try {
      const { machine } = this;
      if (machine.ticket.length === 0 && !machine.configuration.credential) {
        const shared = await this.store.credential?.(toBase64(machine.identity.credential));
        const credential = shared ? fromBase64(shared) : machine.identity.credential;
        if (credential.length === machine.identity.credential.length) machine.identity.credential = credential;
      }
      await this.store.save(saved(machine));
    } catch (error) {
      this.failed(error);
    }
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
      this.#saveIdentity(error);
    }
  }

  /** Where there is no room for more: who this is brings back everything but the pending operations. */
  #saveIdentity(reason) {
    try {
      this.#wait(this.store.save(saved(this.machine, false)));
    } catch {
      this.failed(reason);
    }
  }

  #wait(result) {
    Promise.resolve(result).catch((error) => this.failed(error));
  }

  /** Saves no more: what is kept stays. */
  stop() {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.store.close?.();
  }
}
