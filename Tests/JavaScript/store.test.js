/** The sessions that a browser keeps: one for each tab, and none taken from another. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AskedLocks } from '../../Sources/BaizeServer/Web/baize/locks.js';
import { BrowserSessionStore } from '../../Sources/BaizeServer/Web/baize/store.js';

/** A `Storage` of the browser's. */
class FakeStorage {
  #texts = new Map();
  getItem = (name) => this.#texts.get(name) ?? null;
  setItem = (name, text) => this.#texts.set(name, text);
  removeItem = (name) => this.#texts.delete(name);
  copy = () => {
    const copy = new FakeStorage();
    for (const [name, text] of this.#texts) copy.setItem(name, text);
    return copy;
  };
}

/** A browser: tabs with one storage in common, and locks that ask one another. */
class Browser {
  storage = new FakeStorage();
  channels = [];

  locks() {
    const channel = { postMessage: (data) => this.#deliver(channel, data) };
    this.channels.push(channel);
    return new AskedLocks(channel, 5);
  }

  #deliver(sender, data) {
    for (const channel of this.channels) if (channel !== sender) queueMicrotask(() => channel.onmessage({ data }));
  }

  tab(tab = new FakeStorage()) {
    return new BrowserSessionStore('table', { storage: this.storage, tab, locks: this.locks() });
  }
}

test('a tab that is closed leaves its session to the next one', async () => {
  const browser = new Browser();
  const first = browser.tab();
  assert.equal(await first.load(), undefined);
  first.save('session 1');
  first.close();
  assert.equal(await browser.tab().load(), 'session 1');
});

test('a second tab has a session of its own', async () => {
  const browser = new Browser();
  const first = browser.tab();
  await first.load();
  first.save('session 1');
  const second = browser.tab();
  assert.equal(await second.load(), undefined);
  second.save('session 2');
  first.close();
  assert.equal(await browser.tab().load(), 'session 1');
});

test('a second tab comes in with the ticket of the first, as another session of that person', async () => {
  const browser = new Browser();
  const first = browser.tab();
  await first.load();
  const kept = { version: 2, credential: 'who', sessionName: 'one', ticket: 'admits', invite: 'link', session: 7, seat: 2, epoch: 9, nextSeq: 4, pending: ['waits'] };
  first.save(JSON.stringify(kept));
  const { sessionName, ...rest } = JSON.parse(await browser.tab().load());
  assert.deepEqual(rest, { version: 2, credential: 'who', ticket: 'admits', invite: 'link', session: 0, seat: 0, epoch: 0, nextSeq: 1, pending: [] });
  assert.ok(sessionName.length > 20 && sessionName !== 'one');
  // Who was not admitted passes on nothing.
  first.save(JSON.stringify({ ...kept, ticket: '' }));
  assert.equal(await browser.tab().load(), undefined);
});

test('a duplicated tab, which has a copy of what the tab knows, takes nothing from the first', async () => {
  const browser = new Browser();
  const own = new FakeStorage();
  const first = browser.tab(own);
  await first.load();
  first.save('session 1');
  assert.equal(await browser.tab(own.copy()).load(), undefined);
});

test('a page that is loaded again has its own session, even if others are free', async () => {
  const browser = new Browser();
  const tabs = [new FakeStorage(), new FakeStorage()];
  const stores = tabs.map((tab) => browser.tab(tab));
  for (const [index, store] of stores.entries()) {
    await store.load();
    store.save(`session ${index}`);
  }
  // A page that goes away closes nothing: its locks end with it.
  browser.channels.length = 0;
  assert.equal(await browser.tab(tabs[1]).load(), 'session 1');
  assert.equal(await browser.tab(tabs[0]).load(), 'session 0');
});

test('of two tabs that are opened at once each has another session', async () => {
  const browser = new Browser();
  const stores = Array.from({ length: 4 }, () => browser.tab());
  await Promise.all(stores.map((store) => store.load()));
  stores.forEach((store, index) => store.save(`session ${index}`));
  const kept = Array.from({ length: 8 }, (_, index) => browser.storage.getItem(`baize table/${index}`)).filter(Boolean);
  assert.equal(new Set(kept).size, 4);
});
