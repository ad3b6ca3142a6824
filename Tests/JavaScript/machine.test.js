/** The states of Protocol/client.md without a socket and with virtual time, and daemons that make mistakes (I2, I3, I8, I10, I12). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, encode } from '../../Sources/BaizeServer/Web/baize/codec.js';
import { compileRules } from '../../Sources/BaizeServer/Web/baize/document.js';
import { viewHash } from '../../Sources/BaizeServer/Web/baize/hash.js';
import { readConfiguration } from '../../Sources/BaizeServer/Web/baize/input.js';
import { ClientMachine } from '../../Sources/BaizeServer/Web/baize/machine.js';
import { ClientMessage, ServerMessage } from '../../Sources/BaizeServer/Web/baize/schema.js';
import { restore, saved } from '../../Sources/BaizeServer/Web/baize/store.js';
import { bundled, fromHex, fromJSON, randomSource, toHex, vectors } from './support.js';

const SESSION = 7;
const { document } = bundled('list');
const welcome = (values = {}) => ({
  welcome: {
    protocol: 1, session: SESSION, person: SESSION, seat: 1, ticket: Uint8Array.of(1), epoch: 1, revision: 10, lastSeq: 0, tableType: document,
    maxFrameBytes: 262144, history: 1024, heartbeatSeconds: 10, maxPending: 4, options: [{ name: 'items', number: 3 }], ...values,
  },
});
const snapshot = (items, values = {}) => ({
  snapshot: {
    epoch: 1, revision: 10, collections: [{ handle: 1, id: 'items', count: items.length, enabled: true }],
    items: items.map((id) => ({ id, collection: 1 })), status: 'open', complete: true, first: true,
    seats: [{ seat: 1, person: SESSION, sessions: [], name: 'Ada' }], ...values,
  },
});
const moved = (revision, items, before, values = {}) => ({
  diff: { revision, author: 9, seq: 1, operation: 2, changes: [{ moved: { items, destination: { collection: 1, before } } }], ...values },
});
const gap = (before = 0) => ({ collection: 1, before });
const move = (items, before) => ['reorder', { sources: items, destination: gap(before), suggested: 0 }];
const insert = (before) => ['insert', { items: [{ attributes: [], representations: [] }], destination: gap(before) }];

/** A machine, what it sent and what it said. */
class Script {
  constructor(options = {}) {
    this.now = 1_000;
    this.sent = [];
    this.events = [];
    this.connections = 0;
    const host = {
      connect: () => void (this.connections += 1),
      send: (bytes) => this.sent.push(decode(ClientMessage, bytes)),
      disconnect: () => {},
      event: (name, detail) => this.events.push([name, detail]),
      save: () => {},
    };
    this.machine = new ClientMachine(readConfiguration({ table: 't', ...options }), host, () => 0.5);
  }

  open() {
    if (this.machine.phase === 'idle') this.machine.start(this.now);
    this.machine.opened(this.now);
    return this;
  }

  receive(...messages) {
    for (const message of messages) this.machine.receive(encode(ServerMessage, message), this.now);
    return this;
  }

  /** Lets time pass to the next deadline. */
  wait() {
    this.now = Math.max(this.now, this.machine.nextDeadline);
    this.machine.tick(this.now);
    return this;
  }

  submit([kind, body]) {
    return this.machine.submit(kind, structuredClone(body), false, this.now);
  }

  /** The operations sent since the last look. */
  operations() {
    const operations = this.sent.filter(({ operation }) => operation).map(({ operation }) => operation);
    this.sent = [];
    return operations;
  }

  get visible() {
    return this.machine.replica.state.collections[0].items;
  }

  answers() {
    return this.events.filter(([name]) => name === 'answer').map(([, { op, answer }]) => [op.seq, answer.verdict]);
  }

  named(name) {
    return this.events.filter(([event]) => event === name).map(([, detail]) => detail);
  }
}

const live = (items = [1, 2, 3], options) => new Script(options).open().receive(welcome(), snapshot(items));

test('the hello is the first message, and the only one before the welcome (J1)', () => {
  const script = new Script({ type: 'list', name: 'Ada', invite: 'x' }).open();
  const [{ hello }, ...others] = script.sent;
  assert.deepEqual([hello.protocol, hello.table, hello.tableType, hello.name, hello.invite, others.length], [1, 't', 'list', 'Ada', 'x', 0]);
  assert.deepEqual([hello.credential.length, hello.sessionName.length, hello.ticket.length], [32, 16, 0]);
});

test('each hello has a larger number than those before, of an earlier page too; one that was overtaken is repeated (J13)', () => {
  const before = Date.now();
  const script = live();
  const numbers = () => script.sent.flatMap(({ hello }) => (hello ? [hello.attempt] : []));
  script.receive({ goodbye: { reason: 'STALE_HELLO', resumable: true, retryAfterMs: 1_000 } });
  assert.ok(script.machine.nextDeadline >= script.now + 1_000);
  script.wait();
  script.open();
  assert.ok(numbers()[0] > before && numbers()[1] > numbers()[0], String(numbers()));
});

test('a prediction is kept through the diffs of others, in the gap that its author saw (C2)', () => {
  const script = live([1, 2, 3, 4, 5]);
  const own = script.submit(move([5], 3));
  assert.deepEqual(script.visible, [1, 2, 5, 3, 4]);
  script.receive(moved(11, [3], 1));
  assert.deepEqual(script.visible, [3, 1, 2, 5, 4], 'before what was behind the anchor');
  assert.deepEqual(script.operations().map(({ reorder }) => reorder.destination.before), [3], 'the message says what was seen (C4)');
  script.receive(moved(12, [5], 4, { author: SESSION, seq: own.seq, rebased: true }));
  assert.deepEqual([script.visible, script.machine.replica.pending.length], [[3, 1, 2, 5, 4], 0]);
  assert.deepEqual(script.answers(), [[1, 'accepted']]);
});

test('a refused operation leaves no trace, and a name that it has lost counts as not given (I10, N2)', () => {
  const script = live([1, 2, 3, 4]);
  script.submit(move([4], 1));
  script.submit(move([3], 4));
  assert.deepEqual(script.visible, [3, 4, 1, 2]);
  const [, { unanswered, reorder: { destination } }] = script.operations();
  assert.deepEqual([unanswered, destination.beforeBy, destination.start, destination.afterBy], [1, 1, true, undefined]);
  script.receive({ outcome: { seq: 1, verdict: 0, reason: 'CONTENDED' } });
  assert.deepEqual(script.visible, [3, 1, 2, 4]);
  script.receive({ outcome: { seq: 2, verdict: 3, reason: 'NOT_PLACED' } });
  const [{ seq, reorder: { destination: again } }] = script.operations();
  assert.deepEqual([seq, again.before, again.beforeBy, again.start], [2, 1, undefined, true], 'sent again without waiting, where it is shown');
});

test('if both names are lost, the gap is where the operation before was to put its items (N2)', () => {
  const script = live([1, 2, 3, 4, 5]);
  script.submit(move([4, 5], 2));
  script.submit(move([3], 5));
  assert.deepEqual(script.visible, [1, 4, 3, 5, 2]);
  const [, { reorder: { destination } }] = script.operations();
  assert.deepEqual([destination.before, destination.beforeBy, destination.after, destination.afterBy], [5, 1, 4, 1]);
  script.receive({ outcome: { seq: 1, verdict: 0, reason: 'CONTENDED' } });
  assert.deepEqual(script.visible, [1, 3, 2, 4, 5]);
});

test('a drop that leaves its item where an earlier one has put it is named by those behind it (N2)', () => {
  const script = live([1, 2, 3, 4]);
  for (const item of [1, 1, 2]) script.submit(move([item], 4));
  assert.deepEqual(script.visible, [3, 1, 2, 4]);
  const [, , { reorder: { destination } }] = script.operations();
  assert.deepEqual([destination.after, destination.afterBy, destination.before], [1, 2, 4]);
});

test('too many pending operations are refused before they are sent (O4)', () => {
  const script = live();
  for (let count = 0; count < 4; count++) script.submit(insert(0));
  assert.equal(script.machine.replica.pending.length, script.machine.maxPending);
  assert.deepEqual(script.visible.length, 7);
});

test('after RETRY all is sent again in order, on the present state (A6, C6)', () => {
  const script = live([1, 2, 3]);
  script.submit(insert(2));
  script.submit(move([3], 1));
  script.operations();
  script.receive({ outcome: { seq: 1, verdict: 3, reason: 'STALE_BASE' } }, moved(11, [2], 0));
  script.submit(insert(0));
  assert.deepEqual(script.operations(), [], 'nothing new is sent meanwhile');
  script.receive({ outcome: { seq: 2, verdict: 3, reason: 'STALE_BASE' } });
  const again = script.operations();
  assert.deepEqual(again.map(({ seq, baseRevision, unanswered }) => [seq, baseRevision, unanswered]), [[1, 11, 0], [2, 11, 1], [3, 11, 2]]);
  assert.deepEqual([again[0].insert.destination.before, again[0].insert.destination.after], [3, 1], 'where it is shown now');
});

test('after RATE_LIMITED it waits a little first (C6)', () => {
  const script = live();
  script.submit(insert(0));
  script.operations();
  script.receive({ outcome: { seq: 1, verdict: 3, reason: 'RATE_LIMITED' } });
  assert.deepEqual(script.operations(), []);
  script.wait();
  assert.deepEqual(script.operations().map(({ seq }) => seq), [1]);
});

test('a gap in the revisions, or a diff that does not fit, is a snapshot request, and one (D1, C3, I2)', () => {
  for (const wrong of [moved(12, [1], 0), moved(11, [99], 0), moved(11, [1], 99)]) {
    const script = live();
    script.submit(insert(0));
    script.receive(wrong, moved(12, [1], 0), moved(13, [1], 0, { author: SESSION, seq: 1, minted: [50] }));
    assert.equal(script.sent.filter(({ snapshotRequest }) => snapshotRequest).length, 1);
    assert.deepEqual(script.answers(), [[1, 'accepted']], 'it is answered all the same');
    script.submit(insert(0));
    assert.equal(script.operations().at(-1).seq, 2, 'operations are sent meanwhile');
    script.receive(snapshot([1, 50], { revision: 13, lastSeq: 1 }));
    assert.deepEqual([script.machine.phase, script.visible.length, script.machine.replica.ids.get(2 ** 52 + 4096)], ['live', 3, 50]);
  }
});

test('a copy that has diverged is detected by its hash (C1, V8)', async () => {
  const script = live();
  const hash = viewHash(script.machine.replica.state);
  const answers = [];
  script.machine.compare(script.now, (result) => answers.push(result));
  script.receive({ pong: { nonce: script.machine.nonce, revision: 10, epoch: 1, viewHash: hash } });
  script.machine.compare(script.now, (result) => answers.push(result));
  script.receive({ pong: { nonce: script.machine.nonce, revision: 11, epoch: 1, viewHash: 1n } });
  script.machine.compare(script.now, (result) => answers.push(result));
  script.receive({ pong: { nonce: script.machine.nonce, revision: 10, epoch: 1, viewHash: hash ^ 1n } });
  assert.deepEqual(answers, [true, undefined, false]);
  assert.equal(script.machine.phase, 'loading');
  script.sent = [];
  script.receive({ pong: { nonce: 0, revision: 10, epoch: 1, viewHash: hash ^ 1n } });
  assert.deepEqual([script.sent, script.machine.phase], [[], 'loading'], 'a pong between the request and the first part is not compared (C3)');
  script.receive(snapshot([1, 2, 3]));
  assert.equal(script.machine.phase, 'live');
  const other = live();
  for (let count = 0; count < 3; count++) other.machine.compare(other.now, (result) => answers.push(result));
  other.receive({ pong: { nonce: other.machine.nonce, revision: 10, epoch: 1, viewHash: hash } });
  assert.deepEqual(answers.slice(3), [undefined, undefined, true], 'of several waiting pings only the last is answered (H4)');
  assert.equal(other.machine.comparisons.size, 0);
});

test('another epoch: what was not judged is numbered anew (C8)', () => {
  const script = live([1, 2, 3]);
  script.submit(move([3], 1));
  script.receive({ outcome: { seq: 1, verdict: 1 } });
  const { seq } = script.submit(insert(2));
  script.submit(move([2 ** 52 + seq * 4096], 1));
  script.submit(['undo', { seq }]);
  script.operations();
  // The daemon has lost the first operation, as it may with `relaxed` (K2).
  script.receive(snapshot([1, 2, 3], { epoch: 2, revision: 40, lastSeq: 0 }));
  const again = script.operations();
  assert.deepEqual(again.map((one) => [one.seq, one.epoch, one.baseRevision, one.unanswered]), [[1, 2, 40, 0], [2, 2, 40, 1], [3, 2, 40, 2]]);
  assert.deepEqual([again[1].reorder.sources, again[2].undo.seq], [[2 ** 52 + 4096], 1]);
  assert.deepEqual(script.visible, [2 ** 52 + 4096, 1, 2, 3]);
});

test('what a client sends and shows (X8)', () => {
  const { table_type: tableType, cases } = vectors('clients');
  const bytesOf = (json) => toHex(encode(ClientMessage, fromJSON(ClientMessage, json)));
  for (const { id, says, steps } of cases) {
    let script = new Script();
    const actions = {
      connect: () => (script.machine.phase === 'waiting' ? script.wait() : script).open(),
      lose: () => script.machine.closed(script.now),
      relaunch() {
        const text = saved(script.machine);
        script = new Script();
        restore(script.machine, text);
      },
    };
    for (const [index, { does, receives = [], submits, sends = [], shows }] of steps.entries()) {
      const step = `${id}, step ${index + 1}: ${says}`;
      actions[does]?.();
      for (const { ...message } of receives) {
        if (message.welcome) message.welcome = { ...message.welcome, tableType };
        script.receive(fromJSON(ServerMessage, message));
      }
      for (const [kind, body] of Object.entries(submits ?? {})) {
        const whole = decode(ClientMessage, fromHex(bytesOf({ operation: { seq: 1, [kind]: body } })));
        script.submit([kind, whole.operation[kind]]);
      }
      const found = script.sent.splice(0).filter(({ hello, ping }) => !hello && !ping);
      assert.deepEqual(found.map((message) => toHex(encode(ClientMessage, message))), sends.map(bytesOf), step);
      if (shows) assert.deepEqual(script.visible, shows, step);
    }
  }
});

test('behind a pending undo nothing is sent until its answer (O11)', () => {
  const script = live([1, 2, 3]);
  const { seq } = script.submit(insert(2));
  const item = { id: 60, collection: 1 };
  script.receive({ diff: { revision: 11, author: SESSION, seq, minted: [60], changes: [{ inserted: { items: [item], destination: gap(2) } }] } });
  script.submit(['undo', { seq }]);
  script.submit(move([3], 60));
  script.submit(['undo', { seq: 3 }]);
  script.submit(insert(1));
  assert.deepEqual(script.operations().map((one) => one.seq), [1, 2]);
  assert.deepEqual(script.visible, [2 ** 52 + 5 * 4096, 1, 3, 60, 2], 'what waits is shown');
  script.machine.closed(script.now);
  script.wait().machine.opened(script.now);
  script.receive(welcome({ tableType: '', options: [], lastSeq: 1, revision: 11 }));
  assert.deepEqual(script.operations().map((one) => one.seq), [2], 'nor after a connection was lost');
  script.receive({ diff: { revision: 12, author: SESSION, seq: 2, operation: 8, changes: [{ removed: { items: [60] } }] } });
  const [drop, undo, ...others] = script.operations();
  assert.deepEqual([drop.seq, drop.baseRevision, drop.unanswered, drop.reorder.destination.before], [3, 12, 0, 2]);
  assert.deepEqual([undo.seq, undo.undo.seq, others], [4, 3, []], 'up to the next undo');
  script.receive({ outcome: { seq: 3, verdict: 3, reason: 'RATE_LIMITED' } }, { outcome: { seq: 4, verdict: 3, reason: 'RATE_LIMITED' } });
  assert.deepEqual(script.operations(), []);
  script.wait();
  assert.deepEqual(script.operations().map((one) => one.seq), [3, 4], 'after RETRY, too');
  script.receive({ outcome: { seq: 3, verdict: 0, reason: 'X' } }, { outcome: { seq: 4, verdict: 0, reason: 'DEPENDS_ON_REFUSED' } });
  assert.deepEqual(script.operations().map((one) => [one.seq, one.unanswered]), [[5, 0]]);
});

test('a drop that changes nothing that is shown is not sent, and has changed nothing (N1)', () => {
  const script = live([1, 2, 3]);
  for (const one of [move([2], 3), move([2], 2), move([2, 3], 0), move([3], 0)]) script.submit(one);
  assert.deepEqual([script.operations(), script.answers().map(([, verdict]) => verdict)], [[], Array(4).fill('unchanged')]);
  assert.deepEqual([script.machine.replica.pending.length, script.machine.replica.nextSeq, script.visible], [0, 1, [1, 2, 3]]);
  script.submit(move([3], 1));
  script.submit(move([3], 1));
  assert.deepEqual(script.operations().map(({ seq }) => seq), [1, 2], 'one of an item that a pending operation is about is sent');
});

test('a source that only a pending operation has put there is no name of a gap (O11)', () => {
  const script = live([1, 2, 3]);
  script.submit(insert(2));
  const made = 2 ** 52 + 4096;
  script.submit(move([made, 3], made));
  assert.deepEqual(script.visible, [1, made, 3, 2]);
  const { before, after, beforeBy } = script.operations()[1].reorder.destination;
  assert.deepEqual([before, after, beforeBy], [2, 1, undefined]);
});

test('another epoch: a gap beside an item whose answer has not come stays as it was (C8, K7)', () => {
  const script = live([1, 2, 3]);
  script.submit(insert(1));
  script.submit(insert(2 ** 52 + 4096));
  script.operations();
  script.receive(snapshot([60, 1, 2, 3], { epoch: 2, revision: 40, lastSeq: 1 }));
  const [, second] = script.operations();
  assert.deepEqual([second.seq, second.baseRevision, second.unanswered, second.insert.destination.before], [2, 40, 1, 2 ** 52 + 4096]);
  script.receive({ outcome: { seq: 1, verdict: 2, revision: 9, minted: [60] } });
  assert.deepEqual(script.visible, [2 ** 52 + 2 * 4096, 60, 1, 2, 3]);
});

test('another epoch: items that are gone are left out, where the type omits them (C8, G6)', () => {
  const script = live([1, 2, 3]);
  script.submit(move([2, 3], 1));
  script.submit(['remove', { items: [2] }]);
  script.operations();
  script.receive(snapshot([1, 3], { epoch: 2, revision: 40 }));
  const [drop, removal] = script.operations();
  assert.deepEqual([drop.reorder.sources, removal.remove.items], [[3], [2]], 'as long as one remains');
});

test('another epoch: what was answered and is lost is forgotten, and its number means another operation (C8, K2)', () => {
  const script = live([1, 2, 3]);
  const { seq } = script.submit(insert(2));
  script.submit(move([2 ** 52 + seq * 4096], 1));
  const item = { id: 60, collection: 1 };
  script.receive({ diff: { revision: 11, author: SESSION, seq, minted: [60], changes: [{ inserted: { items: [item], destination: gap(2) } }] } });
  script.submit(insert(0));
  script.operations();
  script.receive(snapshot([1, 2, 3], { epoch: 2, revision: 40, lastSeq: 0 }));
  const [lost, made] = script.operations();
  assert.deepEqual([lost.seq, lost.reorder.sources, made.seq], [1, [2 ** 52], 2], 'operation 0 made nothing');
  assert.deepEqual(script.visible, [1, 2, 3, 2 ** 52 + 2 * 4096]);
  assert.equal(script.machine.replica.named(2 ** 52 + 4096), 2 ** 52 + 4096, 'not the id from before');
});

test('resuming by diffs: only what was not judged is sent again (J15, C5)', () => {
  const script = live([1, 2, 3]);
  for (let count = 0; count < 3; count++) script.submit(insert(0));
  script.operations();
  script.machine.closed(script.now);
  script.wait().machine.opened(script.now);
  const [{ hello }] = script.sent;
  assert.deepEqual([hello.epoch, hello.revision, [...hello.ticket]], [1, 10, [1]]);
  const item = { id: 60, collection: 1 };
  const answer = { diff: { revision: 11, author: SESSION, seq: 1, minted: [60], changes: [{ inserted: { items: [item], destination: gap() } }] } };
  script.receive(welcome({ tableType: '', options: [], lastSeq: 2, revision: 11 }), answer);
  assert.deepEqual(script.operations().map(({ seq }) => seq), [3], 'the answers to 1 and 2 come');
  script.receive({ outcome: { seq: 2, verdict: 0, reason: 'X' } });
  assert.deepEqual(script.answers(), [[1, 'accepted'], [2, 'refused']]);
});

test('a lost session: pending operations are unknown, and never sent again (C9)', () => {
  // A session of another table of that name may have the same number.
  for (const session of [8, SESSION]) {
    const [seat, lastSeq, ticket] = [1, 0, Uint8Array.of(2)];
    const script = live();
    script.submit(insert(0));
    script.operations();
    script.machine.closed(script.now);
    script.wait().machine.opened(script.now);
    script.receive(welcome({ session, person: session, ticket, seat, lastSeq }), snapshot([1], { lastSeq, seats: [{ seat, person: session, name: 'Ada' }] }));
    assert.deepEqual([script.answers(), script.operations().length, script.visible], [[[1, 'unknown']], 0, [1]]);
    script.submit(insert(0));
    assert.deepEqual(script.operations().map(({ seq }) => seq), [lastSeq + 1], 'it numbers on from the last that was judged');
  }
});

test('what waits while the daemon forgets says whether what it is about is as it was seen (C15)', () => {
  const first = document.replace('"contention": "last"', '"contention": "first"');
  assert.notEqual(first, document);
  for (const [tableType, items, lost, shown] of [
    [document, [5, 1, 2, 3, 4], false, [5, 3, 1, 2, 4]], [document, [3, 1, 2, 4], true, [3, 1, 2, 4]],
    [first, [1, 2, 3], false, [3, 1, 2]], [first, [1, 3, 2, 4], true, [1, 3, 2, 4]],
  ]) {
    const script = new Script();
    script.open().receive(welcome({ tableType }), snapshot([1, 2, 3, 4]));
    script.submit(move([3], 1));
    script.operations();
    script.machine.closed(script.now);
    script.wait().machine.opened(script.now);
    script.receive(welcome({ tableType, revision: 2000 }), snapshot(items, { revision: 2000 }));
    assert.deepEqual(script.operations().map(({ baseRevision, baseLost }) => [baseRevision, baseLost]), [[10, false]], 'as it was (C5)');
    script.receive({ outcome: { seq: 1, verdict: 3, reason: 'STALE_BASE' } });
    assert.deepEqual(script.operations().map(({ baseRevision, baseLost }) => [baseRevision, baseLost]), [[2000, lost]]);
    assert.deepEqual(script.visible, shown);
  }
});

test('another seat: what waits is sent again with the seat that it was made under, is shown where the seat does not matter, and gets an answer (J14)', () => {
  for (const [type, shown] of [[document, [3, 2, 9, 1, 9]], [document.replace('{', '{ "turns": "zones",'), [3, 1, 2]]]) changeSeat(type, shown);
});

function changeSeat(tableType, shown) {
  const script = new Script();
  script.open().receive(welcome({ tableType }), snapshot([1, 2, 3]));
  script.submit(move([3], 1));
  script.submit(move([2], 1));
  script.operations();
  script.machine.closed(script.now);
  script.submit(insert(0));
  script.wait().machine.opened(script.now);
  const seats = [{ seat: 2, person: SESSION, name: 'Ada' }];
  script.receive(welcome({ seat: 2, lastSeq: 1, tableType }));
  script.submit(insert(1));
  assert.deepEqual([script.answers(), script.machine.makeHello().epoch], [[], undefined], 'only a snapshot helps');
  script.receive(snapshot([3, 1, 2], { lastSeq: 1, seats }));
  assert.deepEqual(script.operations().map(({ seq, madeAs }) => [seq, madeAs]), [[1, 1], [2, 1], [3, 1], [4, 1]]);
  assert.deepEqual(script.visible.map((id) => Math.min(id, 9)), shown);
  script.receive(
    { outcome: { seq: 1, verdict: 2, revision: 11 } },
    { outcome: { seq: 2, verdict: 0, reason: 'SEAT_LOST' } }, { outcome: { seq: 3, verdict: 0, reason: 'SEAT_LOST' } }, { outcome: { seq: 4, verdict: 0, reason: 'SEAT_LOST' } },
  );
  assert.deepEqual(script.answers(), [[1, 'accepted'], [2, 'refused'], [3, 'refused'], [4, 'refused']]);
  script.submit(insert(0));
  assert.deepEqual(script.operations().map(({ seq, madeAs }) => [seq, madeAs]), [[5, undefined]]);
}

test('where something depends on seats is as the daemon has it', () => {
  const names = ['board', 'grid', 'hand', 'hearts', 'kanban', 'klondike', 'list', 'nerts', 'playlist', 'speed'];
  const dependent = names.filter((name) => compileRules(...Object.values(bundled(name))).dependsOnSeats);
  assert.deepEqual(dependent, ['board', 'hand', 'hearts', 'nerts', 'speed']);
});

test('it waits before it connects again: longer each time, and as long as the daemon says (C10, H5)', () => {
  const script = live();
  const waits = [];
  script.receive({ goodbye: { reason: 'SHUTDOWN', resumable: true, retryAfterMs: 1500 } });
  for (let attempt = 0; attempt < 9; attempt++) {
    waits.push(script.machine.nextDeadline - script.now);
    script.machine.reconnect(script.now);
    if (attempt === 0) assert.ok(script.machine.nextDeadline >= script.now + 1500, 'not even where the network is back');
    script.wait();
    script.machine.closed(script.now);
  }
  assert.ok(waits[0] >= 1500 && waits.at(-1) > waits[2] && Math.max(...waits.slice(1)) <= 5000, String(waits));
  const reseated = live().receive({ goodbye: { reason: 'RESEATED', resumable: true } });
  assert.equal(reseated.machine.nextDeadline, reseated.now, 'at once (J19)');
  const displaced = live().receive({ goodbye: { reason: 'DISPLACED' } });
  assert.deepEqual([displaced.machine.phase, displaced.named('end')[0].reason, displaced.machine.nextDeadline], ['ended', 'DISPLACED', undefined]);
});

test('it keeps the connection alive, and gives up one on which nothing comes (H1, H2)', () => {
  const script = live();
  script.sent = [];
  script.wait();
  assert.equal(script.sent.filter(({ ping }) => ping).length, 1);
  script.wait().wait();
  assert.equal(script.machine.phase, 'waiting');
});

test('it asks for an answer where it only sends what nobody answers (H2)', () => {
  const script = live();
  script.sent = [];
  for (let second = 0; second < 60; second++) {
    script.now += 1_000;
    script.machine.setPresence(Uint8Array.of(second), script.now);
    script.machine.tick(script.now);
    for (const { ping } of script.sent.splice(0)) {
      if (ping) script.receive({ pong: { nonce: ping.nonce, epoch: 1, revision: 10 } });
    }
  }
  assert.equal(script.machine.phase, 'live');
});

test('what is stored comes back: numbering, pending operations, seat (J11, C5)', () => {
  const first = live();
  first.submit(insert(2));
  first.submit(move([2 ** 52 + 4096], 1));
  const text = saved(first.machine);
  const second = new Script();
  restore(second.machine, text);
  second.open().receive(welcome({ lastSeq: 1 }), snapshot([1, 70, 2, 3], { lastSeq: 1 }));
  assert.deepEqual(second.operations().map(({ seq }) => seq), [1, 2], 'the answer to 1 is repeated (A4)');
  second.receive({ outcome: { seq: 1, verdict: 2, revision: 10, minted: [70] } });
  assert.deepEqual(second.visible, [70, 1, 2, 3]);
  const { hello } = second.sent[0] ?? {};
  assert.ok(hello === undefined || hello.credential.length === 32);
  for (const wrong of ['', '{}', 'null', '[]', text.slice(1), text.replace('"seat":1', '"seat":"x"'), text.replace(/"pending":\["/, '"pending":["!')]) {
    const third = new Script();
    restore(third.machine, wrong);
    assert.equal(third.machine.restored, undefined, wrong);
    assert.equal(third.open().sent[0].hello.credential.length, 32, wrong);
  }
});

test('a document that is not understood: no rules, and the daemon decides (C7)', () => {
  const script = new Script().open().receive(welcome({ tableType: '{"baize":2}' }), snapshot([1, 2, 3]));
  assert.deepEqual([script.machine.phase, script.machine.replica.rules], ['live', undefined]);
  assert.equal(script.submit(move([3], 1)).prediction.outcome, 'shown');
  assert.deepEqual(script.visible, [3, 1, 2]);
  script.submit(insert(2));
  script.submit(['remove', { items: [1] }]);
  assert.equal(script.visible.length, 3);
  script.receive({ outcome: { seq: 1, verdict: 0, reason: 'X' } }, { outcome: { seq: 2, verdict: 0, reason: 'X' } }, { outcome: { seq: 3, verdict: 0, reason: 'X' } });
  assert.deepEqual(script.visible, [1, 2, 3]);
});

test('a message that cannot be right ends the connection, resumably (F4, I12)', () => {
  const wrong = [
    ['before the welcome', new Script().open(), snapshot([1])], ['a second welcome', live(), welcome()],
    ['no session', new Script().open(), welcome({ session: 0 })], ['diffs of nothing', new Script().open(), welcome({ tableType: '' })],
    ['a part of nothing', live(), snapshot([], { first: false, collections: [] })], ['too many items', live(), snapshot([1, 1])],
    ['seats', live(), { diff: { revision: 11, changes: [{}] } }],
  ];
  for (const [what, script, message] of wrong) {
    script.receive(message);
    assert.deepEqual([script.machine.phase, script.named('error').length, script.named('end').length], ['waiting', 1, 0], what);
    script.wait().machine.opened(script.now);
    script.receive(welcome(), snapshot([4]));
    assert.deepEqual([script.machine.phase, script.visible], ['live', [4]], what);
  }
});

/** Whatever comes, nothing throws, and a good daemon makes the client whole again (I8, I12). */
test('a daemon that sends anything at any time', () => {
  const seed = Number(process.env.BAIZE_SEED ?? 1);
  const random = randomSource(seed);
  const messages = vectors('messages').filter(({ direction }) => direction === 'server').map(({ message }) => fromHex(message));
  const made = () => {
    const ids = Array.from({ length: random.below(4) }, () => random.below(8));
    const revision = 8 + random.below(6);
    const item = (id) => ({ id, collection: random.below(3), hidden: random.below(2) === 0 });
    const change = random.one([
      { moved: { items: ids, destination: gap(random.below(8)) } }, { inserted: { items: ids.map(item), destination: gap(random.below(8)) } },
      { removed: { items: ids } }, { faced: { items: ids.map(item) } }, { status: { status: 'x' } }, { counted: { collection: 1, count: 3 } },
      { enabled: { collection: random.below(3), enabled: false } }, { seats: { seats: [{ seat: 1, person: SESSION, sessions: [] }] } },
      { variables: { set: [{ name: '__proto__', text: 'x' }] } }, { moved: { items: ids } },
    ]);
    return random.one([
      welcome({ tableType: random.one([document, '', '{}']), lastSeq: random.below(3), revision }), snapshot(ids, { revision, epoch: 1 + random.below(2), complete: random.below(3) > 0 }),
      { diff: { revision, author: random.one([SESSION, 9, 0]), seq: random.below(5), minted: ids, changes: [change] } },
      { outcome: { seq: random.below(5), verdict: random.below(4), reason: random.one(['', 'STALE_BASE', 'STORAGE']), minted: ids } },
      { pong: { nonce: random.below(3), revision, epoch: 1, viewHash: 5n } }, { drag: { session: random.below(9), phase: random.below(4), items: ids, over: gap() } },
      { seats: { seats: [{ seat: 1, person: SESSION, sessions: [], connected: true }] } }, { goodbye: { reason: random.one(['SHUTDOWN', 'BAD_CREDENTIAL', 'RESEATED']), resumable: true } },
    ]);
  };
  for (let round = 0; round < 400; round++) {
    const script = random.below(4) === 0 ? new Script().open() : live();
    for (let step = 0; step < 25; step++) {
      const { machine } = script;
      if (machine.phase === 'waiting') script.wait();
      if (machine.phase === 'connecting') machine.opened(script.now);
      if (machine.replica && machine.replica.pending.length < machine.maxPending && random.below(3) === 0) {
        script.submit(random.one([insert(random.below(8)), move([1 + random.below(7)], random.below(8)), ['remove', { items: [1 + random.below(7)] }], ['undo', { seq: 1 }], ['perform', { action: 'pin', items: [1] }]]));
      }
      if (random.below(3) > 0) script.receive(made());
      else machine.receive(random.one(messages), script.now);
    }
    const { machine } = script;
    if (machine.phase === 'ended') continue;
    machine.closed(script.now);
    if (machine.isConnected) machine.drop(script.now);
    while (machine.phase !== 'connecting') script.wait();
    machine.opened(script.now);
    script.receive(welcome(), snapshot([1, 2, 3], { lastSeq: 100 }));
    assert.equal(machine.phase, 'live', `seed ${seed}, round ${round}`);
    machine.replica.hide();
    assert.deepEqual(script.visible, [1, 2, 3], `seed ${seed}, round ${round}`);
    const internal = script.named('error').filter(({ name }) => !['DecodeError', 'ProtocolError'].includes(name));
    assert.deepEqual(internal, [], `seed ${seed}, round ${round}: ${internal[0]?.stack}`);
  }
  assert.equal({}.x, undefined);
});

test('a value of presence is paced, is sent again on the next connection, and goes with its session (P10–P12)', () => {
  const script = live();
  const values = () => script.sent.filter(({ presence }) => presence).map(({ presence }) => presence.value.join());
  const connected = (sessions) => ({ seats: { seats: sessions.map((session, index) => ({ seat: index + 1, person: session, connected: true, sessions: [] })) } });
  for (const byte of [1, 2, 3]) script.machine.setPresence(Uint8Array.of(byte), script.now);
  assert.deepEqual(values(), ['1'], 'the first at once');
  script.wait();
  assert.deepEqual(values(), ['1', '3'], 'of the others the last');

  script.receive(connected([SESSION, 9]), { presence: { session: 9, value: Uint8Array.of(5) } });
  assert.deepEqual([...script.machine.values.others.keys()], [9]);
  script.receive(connected([SESSION]));
  assert.equal(script.machine.values.others.size, 0, 'it ends with its connection');
  script.receive(connected([SESSION, 9]), { presence: { session: 9, value: Uint8Array.of(5) } });
  script.receive({ diff: { revision: 11, author: 0, changes: [{ seats: { seats: [{ seat: 1, person: SESSION, sessions: [], name: 'Ada' }] } }] } });
  assert.equal(script.machine.values.others.size, 0, 'and with its seat');
  script.receive(connected([SESSION, 9]), { presence: { session: 9, value: Uint8Array.of(5) } });
  script.receive(snapshot([1], { revision: 11 }));
  assert.equal(script.machine.values.others.size, 0, 'which a snapshot does not have');

  script.machine.closed(script.now);
  script.sent = [];
  script.wait().open().receive(welcome({ revision: 11, tableType: '' }));
  assert.deepEqual(values(), ['3']);
});

test('a message is sent once, and what cannot be sent is refused here (P13, I12)', () => {
  const script = live();
  script.machine.say({ text: 'hello', kind: '' }, script.now);
  assert.deepEqual(script.sent.filter(({ chat }) => chat).map(({ chat }) => chat.text), ['hello']);
  script.receive({ chat: { session: 9, text: '<b>hi</b>' } });
  assert.deepEqual(script.named('chat').map(({ session, text }) => [session, text]), [[9, '<b>hi</b>']]);
  script.machine.closed(script.now);
  assert.throws(() => script.machine.say({ text: 'late', kind: '' }, script.now), { reason: 'NOT_JOINED' });
});

test('the number of those who watch is kept until the connection ends (P14)', () => {
  const script = live();
  assert.deepEqual(script.machine.watching, { count: 0, asking: [] });
  script.receive({ watching: { count: 3, asking: [5, 6] } });
  assert.deepEqual(script.machine.watching, { count: 3, asking: [5, 6] });
  assert.equal(script.named('presence').length > 0, true);
  script.receive({ watching: {} });
  assert.deepEqual(script.machine.watching, { count: 0, asking: [] });
  script.receive({ watching: { count: 2 } });
  script.machine.closed(script.now);
  assert.deepEqual(script.machine.watching, { count: 0, asking: [] });
});

test('the time that is left counts down from when it came, and ends with the connection (T8, T9)', () => {
  const script = live();
  script.receive({ countdown: { turnMs: 3000, tableMs: 0, turnUp: true, seat: 2 } });
  assert.deepEqual(script.machine.ends, { turn: script.now + 3000, table: undefined });
  assert.deepEqual(script.named('time'), [{ up: 'turn', seat: 2 }]);
  script.receive({ countdown: {} });
  assert.deepEqual(script.machine.ends, { turn: undefined, table: undefined });
  script.receive({ countdown: { tableMs: 5 } });
  script.machine.closed(script.now);
  assert.deepEqual(script.machine.ends, {});
});
