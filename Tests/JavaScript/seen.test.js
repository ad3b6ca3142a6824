/** What a client has seen last: it gives the same state again, and what waits is shown on it once, and sent once. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, encode } from '../../Sources/BaizeServer/Web/baize/codec.js';
import { viewHash } from '../../Sources/BaizeServer/Web/baize/hash.js';
import { readConfiguration } from '../../Sources/BaizeServer/Web/baize/input.js';
import { ClientMachine } from '../../Sources/BaizeServer/Web/baize/machine.js';
import { Replica } from '../../Sources/BaizeServer/Web/baize/replica.js';
import { ClientMessage, ServerMessage } from '../../Sources/BaizeServer/Web/baize/schema.js';
import { readSeen, seenMessages } from '../../Sources/BaizeServer/Web/baize/seen.js';
import { StateLoader } from '../../Sources/BaizeServer/Web/baize/state.js';
import { restore, saved } from '../../Sources/BaizeServer/Web/baize/store.js';
import { bundled, fromHex, vectors } from './support.js';

test('each state of the vectors is the same again, in parts', () => {
  let count = 0;
  for (const { id, steps } of vectors('states').cases) {
    let [loader, state] = [];
    for (const { messages } of steps) {
      for (const { snapshot, diff } of messages.map((message) => decode(ServerMessage, fromHex(message)))) {
        if (diff) state.apply(diff);
        if (!snapshot) continue;
        if (snapshot.first) loader = new StateLoader(snapshot);
        loader.add(snapshot);
        if (snapshot.complete) state = loader.finish();
      }
      const replica = new Replica(state, { session: 7, seat: 1 }, undefined, 0);
      replica.confirmedRevision = state.revision;
      const seen = [...seenMessages({ welcome: { session: 7, person: 7, tableType: '{}', options: [] }, replica })];
      const again = readSeen(seen).load(new Map()).state;
      assert.equal(viewHash(again), viewHash(state), id);
      assert.deepEqual([again.revision, again.status, again.variables, again.seats], [state.revision, state.status, state.variables, state.seats], id);
      count += 1;
    }
  }
  assert.ok(count > 50);
});

const { document } = bundled('kanban?columns=fixed');
const COLLECTIONS = JSON.parse(document).collections.flatMap(({ ids, kind, if: guard }) => (guard && guard.is !== 'fixed' ? [] : ids ?? kind));

const welcome = (values) => ({
  welcome: { protocol: 1, session: 7, person: 7, seat: 1, ticket: Uint8Array.of(1), epoch: 3, revision: 10, tableType: document, maxFrameBytes: 262_144, heartbeatSeconds: 10, maxPending: 9, options: [{ name: 'columns', text: 'fixed' }], ...values },
});
const snapshot = (items, values) => ({
  snapshot: {
    epoch: 3, revision: 10, first: true, complete: true, status: 'open', seats: [{ seat: 1, person: 7, name: 'Ada', sessions: [7] }],
    collections: COLLECTIONS.map((id, index) => ({ handle: index + 1, id, enabled: true, count: index === 0 ? items.length : 0 })),
    items: items.map((id) => ({ id, collection: 1, attributes: [{ name: 'title', text: `card ${id}` }] })), ...values,
  },
});

function script() {
  const sent = [];
  const events = [];
  const host = { connect() {}, disconnect() {}, save() {}, event: (name) => events.push(name), send: (bytes) => sent.push(decode(ClientMessage, bytes)) };
  const machine = new ClientMachine(readConfiguration({ table: 't' }), host, () => 0.5);
  const receive = (...messages) => messages.forEach((message) => machine.receive(encode(ServerMessage, message), 0));
  const open = () => {
    if (machine.phase === 'idle') machine.start(0);
    machine.opened(0);
  };
  return { machine, sent, events, receive, open, items: () => [...machine.replica.state.collections[0].items] };
}

/** A page that has three cards, and a fourth one that waits. */
function before() {
  const page = script();
  page.open();
  page.receive(welcome(), snapshot([1, 2, 3]));
  page.machine.submit('reorder', { sources: [1], destination: { collection: 1, before: 0 }, suggested: 0 }, false, 0);
  assert.deepEqual(page.items(), [2, 3, 1]);
  return { seen: [...seenMessages(page.machine)], text: saved(page.machine), page };
}

test('what was seen last is shown with what waits, until the daemon’s state is there', () => {
  const { seen, text } = before();
  const { machine, open, receive, items, sent } = script();
  restore(machine, text);
  assert.equal(machine.showSeen({ at: 5, messages: seen }), true);
  assert.deepEqual([items(), machine.seen.at, machine.replica.pending.length], [[2, 3, 1], 5, 1]);
  open();
  const { hello } = sent.shift();
  assert.deepEqual([hello.epoch, hello.revision], [0, 0], 'only a snapshot replaces it');
  receive(welcome({ revision: 12 }));
  assert.deepEqual([items(), sent.length], [[2, 3, 1], 0]);
  receive(snapshot([1, 2, 3, 4], { revision: 12 }));
  assert.deepEqual([items(), machine.seen], [[2, 3, 1, 4], undefined]);
  assert.deepEqual(sent.map(({ operation }) => operation?.seq), [1]);
});

test('what waits by the store and is in the state already is not shown twice', () => {
  const { text, page } = before();
  page.receive({ diff: { revision: 11, author: 7, seq: 1, operation: 2, changes: [{ moved: { items: [1], destination: { collection: 1, before: 2 } } }] } });
  assert.deepEqual(page.items(), [1, 2, 3]);
  const { machine, items } = script();
  restore(machine, text);
  assert.equal(machine.showSeen({ at: 5, messages: [...seenMessages(page.machine)] }), true);
  assert.deepEqual([items(), machine.replica.pending[0].inState], [[1, 2, 3], true]);
});

test('what another has seen, or of another epoch, and what cannot be read is not shown', () => {
  const { seen, text } = before();
  const other = script().machine;
  assert.equal(other.showSeen({ at: 5, messages: seen }), false, 'nobody was here');
  for (const changed of [{ epoch: 4 }, { seat: 2 }]) {
    const { machine } = script();
    restore(machine, JSON.stringify({ ...JSON.parse(text), ...changed }));
    assert.equal(machine.showSeen({ at: 5, messages: seen }), false, JSON.stringify(changed));
    assert.equal(machine.replica, undefined);
    assert.equal(machine.restored.pending.length, 1);
  }
  for (const messages of [[], seen.slice(0, 1), seen.slice(1), [...seen, seen[1]], [seen[0], seen[1].slice(0, 9)], [seen[0], encode(ServerMessage, snapshot([1], { complete: false }))]]) {
    const { machine, open, receive, items } = script();
    restore(machine, text);
    assert.throws(() => machine.showSeen({ at: 5, messages }));
    assert.deepEqual([machine.replica, machine.restored.pending.length], [undefined, 1]);
    open();
    receive(welcome(), snapshot([1, 2, 3]));
    assert.deepEqual(items(), [2, 3, 1]);
  }
});

test('a session that is lost meanwhile: what waited is unknown, and nothing of it is sent', () => {
  const { seen, text } = before();
  const { machine, open, receive, items, sent, events } = script();
  restore(machine, text);
  machine.showSeen({ at: 5, messages: seen });
  open();
  receive(welcome({ ticket: Uint8Array.of(2), session: 8, person: 8 }), snapshot([1, 2, 3]));
  assert.deepEqual([items(), machine.seen, events.filter((name) => name === 'answer').length], [[1, 2, 3], undefined, 1]);
  assert.deepEqual(sent.filter(({ operation }) => operation), []);
});
