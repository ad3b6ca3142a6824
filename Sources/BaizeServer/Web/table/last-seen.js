/**
 * The last states of tables as this browser saw them, for a page that is loaded while the daemon cannot be reached. They are in a
 * database of the browser's, hidden faces hidden: of at most twenty tables, 4 MiB each and 16 MiB in all; the oldest are forgotten first.
 * Where there is no database, in a private window perhaps, none is kept.
 *
 * ```
 * baize seen ADDRESS    a database for each daemon
 *   about               { table, at, bytes } by the table's name
 *   messages            what `saveSeen` gave, by the same name
 * ```
 */

import { socketAddress } from './address.js';

const TABLES_MAX = 20;
const TABLE_BYTES_MAX = 4 * 1_048_576;
const BYTES_MAX = 16 * 1_048_576;
/** A state is written so long after the first change that is not in it, when the page has nothing else to do. */
const SAVE_MILLISECONDS = 2_000;
/** While nothing changes, it is written so often that it is still so. */
const STILL_MILLISECONDS = 60_000;
/** The time of an idle moment that is left to the browser. */
const SPARE_MILLISECONDS = 4;

const STORES = ['about', 'messages'];

let opening;

function open() {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(`baize seen ${socketAddress()}`, 1);
    request.onupgradeneeded = () => STORES.forEach((name) => request.result.createObjectStore(name));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opening;
}

/** Does something with both stores; `undefined` where there are none. `act` returns the requests whose results are wanted. */
async function access(mode, act) {
  try {
    const transaction = (await open()).transaction(STORES, mode);
    const requests = act(...STORES.map((name) => transaction.objectStore(name)));
    return await new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(requests.map(({ result }) => result));
      transaction.onabort = () => reject(transaction.error);
    });
  } catch {
    // The browser keeps nothing for this page, or has no room: the daemon has it all the same.
    return undefined;
  }
}

/** Returns what was seen last of a table, `{ at, messages }`; `undefined` for nothing. */
export async function loadSeen(table) {
  const [about, messages] = (await access('readonly', (...stores) => stores.map((store) => store.get(table)))) ?? [];
  return about && messages ? { at: about.at, messages } : undefined;
}

export const forgetSeen = (table) => access('readwrite', (...stores) => stores.map((store) => store.delete(table)));

const saveTime = (table, at) => access('readwrite', (about) => {
  const request = about.get(table);
  request.onsuccess = () => request.result && about.put({ ...request.result, at }, table);
  return [];
});

const save = (table, at, messages) => access('readwrite', (about, all) => {
  const bytes = messages.reduce((sum, { length }) => sum + length, 0);
  about.put({ table, at, bytes }, table);
  all.put(messages, table);
  const request = about.getAll();
  request.onsuccess = () => {
    let [count, sum] = [0, 0];
    for (const one of request.result.sort((left, right) => right.at - left.at)) {
      [count, sum] = [count + 1, sum + one.bytes];
      if (count > TABLES_MAX || sum > BYTES_MAX) [about, all].forEach((store) => store.delete(one.table));
    }
  };
  return [];
});

/** Calls back when the page is idle, with the milliseconds that it may take. */
const whenIdle = globalThis.requestIdleCallback ? (act) => requestIdleCallback((idle) => act(idle.timeRemaining())) : (act) => setTimeout(() => act(SPARE_MILLISECONDS * 2));

/** Keeps what is seen of an open table, in idle moments while nothing is carried. */
export class SeenKeeper {
  #page;
  #timer;
  #still;
  #isNew = true;
  #isStopped = false;
  /** What is being taken: `{ at, parts, messages, bytes }`. */
  #taken;

  constructor(page) {
    this.#page = page;
  }

  /** Follows the table; returns a function that ends that. */
  start() {
    const { table } = this.#page;
    const hidden = () => document.visibilityState === 'hidden' && this.#saveNow();
    document.addEventListener('visibilitychange', hidden);
    const stops = [table.on('change', () => this.#changed()), table.on('connection', ({ connection }) => connection === 'live' && this.#changed())];
    this.#still = setInterval(() => this.#saveTime(), STILL_MILLISECONDS);
    this.#changed();
    return () => {
      this.#isStopped = true;
      clearTimeout(this.#timer);
      clearInterval(this.#still);
      document.removeEventListener('visibilitychange', hidden);
      for (const stop of stops) stop();
    };
  }

  #changed() {
    this.#isNew = true;
    this.#later();
  }

  #later() {
    if (!this.#isStopped) this.#timer ??= setTimeout(() => whenIdle((spare) => this.#take(spare)), SAVE_MILLISECONDS);
  }

  /** Takes as much as there is time for. While something is carried, no time is. */
  #take(spare) {
    if (this.#isStopped) return;
    const end = performance.now() + spare - SPARE_MILLISECONDS;
    if (this.#page.carry.isActive) return this.#again();
    this.#begin();
    do {
      if (this.#next()) return this.#again();
    } while (performance.now() < end);
    whenIdle((time) => this.#take(time));
  }

  /** The next time is a while later if something is not kept yet, as it came meanwhile or was put off; else after the next change. */
  #again() {
    this.#timer = undefined;
    if (this.#taken || (this.#isNew && this.#page.table.connection === 'live')) this.#later();
  }

  #begin() {
    if (this.#taken || !this.#isNew) return;
    const parts = this.#page.table.saveSeen()?.[Symbol.iterator]();
    if (!parts) return;
    this.#isNew = false;
    this.#taken = { at: Date.now(), parts, messages: [], bytes: 0 };
  }

  /** Takes one part; returns whether there is none left. */
  #next() {
    const taken = this.#taken;
    if (!taken) return true;
    const { table } = this.#page.commands;
    const { value, done } = taken.parts.next();
    if (value) {
      taken.messages.push(value);
      taken.bytes += value.length;
    }
    const isTooMuch = taken.bytes > TABLE_BYTES_MAX;
    if (!done && !isTooMuch) return false;
    this.#taken = undefined;
    if (isTooMuch) forgetSeen(table);
    else save(table, taken.at, taken.messages);
    return true;
  }

  #saveTime() {
    if (!this.#isNew && !this.#taken && this.#page.table.saveSeen()) saveTime(this.#page.commands.table, Date.now());
  }

  /** The page goes away, perhaps: what is new is kept at once. */
  #saveNow() {
    if (this.#isStopped) return;
    this.#saveTime();
    this.#begin();
    while (!this.#next());
  }
}
