/** Clients that play against a daemon: the exchange of Protocol/client.md, over WebSocket (I1, I2, I3, I10). */

import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { after, before, test } from 'node:test';
import { join as joinTable, MemorySessionStore } from '../../Sources/BaizeServer/Web/baize.js';
import { sockets, startDaemon, WebSocketClient } from './daemon.js';
import { randomSource, root } from './support.js';

const WAIT_MILLISECONDS_MAX = 600_000;
let daemon;
let tables = 0;
const clients = new Set();

before(async () => {
  daemon = await startDaemon();
});

after(async () => {
  for (const client of clients) client.leave();
  await daemon.stop();
});

const newTable = () => `js-${(tables += 1)}`;

async function join(table, options = {}) {
  const client = await joinTable(options.url ?? daemon.url, { table, WebSocket: WebSocketClient, timeout: WAIT_MILLISECONDS_MAX, ...options });
  clients.add(client);
  client.on('end', () => clients.delete(client));
  client.socket = [...sockets].at(-1);
  client.troubles = [];
  for (const name of ['error', 'diverged']) client.on(name, (trouble) => client.troubles.push(trouble));
  return client;
}

/** Waits until a condition holds, checking again at each event of one of the clients. */
async function until(holds, what) {
  const deadline = Date.now() + WAIT_MILLISECONDS_MAX;
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, `still waiting: ${what ?? holds}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const names = (client, collection) => client.collection(collection).items.map((item) => item.get('title') ?? item.get('number'));

/** Waits until nothing is pending anywhere and all have the daemon's state, hash for hash (I1). */
async function converge(...all) {
  await until(() => all.every(({ pendingCount, connection }) => pendingCount === 0 && connection === 'live'), 'answers');
  const revision = Math.max(...all.map((client) => client.revision));
  await until(() => all.every((client) => client.revision >= revision), 'the last diff');
  for (const client of all) {
    let result;
    await until(async () => (result = await client.agrees()) !== undefined, 'a hash');
    assert.equal(result, true, 'the hash is the daemon’s (V8)');
  }
}

test('an address where no WebSocket opens is told from a daemon that does not answer', async () => {
  const join = (url) => joinTable(url, { table: 't', WebSocket: WebSocketClient, timeout: 500, store: new MemorySessionStore() });
  await assert.rejects(join('ws://127.0.0.1:1/ws'), ({ reason, detail }) => reason === 'TIMEOUT' && /no WebSocket opens at ws:.*--http.*--allow-origin/.test(detail));
});

test('a board of an app: join, insert, reorder, update, remove, undo', async () => {
  const table = newTable();
  const ada = await join(table, { type: 'kanban?columns=fixed&cards=3', name: 'Ada' });
  const bo = await join(table, { name: 'Bo', role: 'spectator' });
  assert.deepEqual([ada.seat, bo.seat, ada.isHost, ada.type.title, ada.type.options.get('cards')], [1, 0, true, ada.type.title, 3]);
  assert.deepEqual(ada.collections.map(({ id, count }) => [id, count]), [['todo', 3], ['doing', 0], ['done', 0]]);
  const [card] = ada.collection('todo').items;

  const moved = ada.reorder([card], 'doing');
  assert.equal(moved.prediction.outcome, 'shown');
  assert.deepEqual(ada.locate(card), { collection: 'doing', index: 0 }, 'it shows at once (I10)');
  assert.deepEqual(await moved.outcome, { verdict: 'accepted', revision: ada.revision, operation: 'move', rebased: false, redirected: false, minted: [] });
  await until(() => bo.locate(card.id)?.collection === 'doing');

  const added = ada.insert([{ attributes: { title: 'Grüße', points: 5n } }], { collection: 'todo', before: ada.collection('todo').items[0] });
  const [provisional] = added.createdItems;
  const { key } = ada.item(provisional);
  assert.equal(ada.item(provisional).get('title'), 'Grüße');
  const renames = [];
  ada.on('change', ({ renamed }) => renames.push(...renamed));
  const { minted } = await added.outcome;
  assert.deepEqual(renames, [[provisional, minted[0]]]);
  assert.equal(ada.item(provisional).id, minted[0], 'a provisional id stays good');
  assert.equal(ada.item(minted[0]).key, key, 'and so does the key');
  await until(() => bo.item(minted[0]));
  assert.equal(bo.item(minted[0]).get('points'), 5);

  const updated = ada.update(provisional, { attributes: { title: 'Hello', points: null }, representations: [{ contentType: 'text/plain', data: 'Hi' }] });
  assert.deepEqual([...ada.item(provisional).attributes], [['title', 'Hello']]);
  assert.equal((await updated.outcome).verdict, 'accepted');
  assert.equal((await ada.undo(updated).outcome).verdict, 'accepted');
  assert.equal(ada.item(provisional).get('title'), 'Grüße', 'undone');
  assert.equal((await ada.update(provisional, { attributes: { title: 'Grüße' } }).outcome).verdict, 'unchanged');

  ada.insert({ attributes: { id: 'a-1' } }, 'todo');
  assert.equal(ada.itemForKey('a-1').get('id'), 'a-1');
  assert.equal(ada.itemForKey('a-2'), undefined);

  assert.equal((await ada.remove([provisional]).outcome).verdict, 'accepted');
  assert.equal(ada.item(provisional), undefined);
  assert.deepEqual(bo.reorder([card.id], 'done').refusal.reason, 'PERMISSION_DENIED', 'a spectator is refused here');
  await converge(ada, bo);
});

test('a refused move springs back, and leaves no trace (I10)', async () => {
  const ada = await join(newTable(), { type: 'klondike', name: 'Ada', seed: 7 });
  const before = ada.collections.map(({ items }) => items.map(({ id }) => id));
  const top = ada.collection('pile/6').items.at(-1);
  const local = ada.reorder([top], 'stock');
  assert.deepEqual([local.refusal.reason, local.refusal.rule], ['DESTINATION_CLOSED', 'collections[1].accept'], 'here, by the rules');
  const forced = ada.reorder([top], 'stock', { force: true });
  assert.equal(forced.refusal, undefined);
  const answer = await forced.outcome;
  assert.deepEqual([answer.verdict, answer.reason, answer.rule], ['refused', 'DESTINATION_CLOSED', 'collections[1].accept'], 'and by the daemon');
  assert.deepEqual(ada.collections.map(({ items }) => items.map(({ id }) => id)), before);
  await converge(ada);
});

test('which actions would do something now', async () => {
  const ada = await join('actions', { type: 'speed', name: 'Ada', seed: 7 });
  const bo = await join('actions', { name: 'Bo' });
  await converge(ada, bo);
  const reasons = (client) => ['draw', 'flip', 'fly'].map((name) => client.refusalToPerform(name)?.reason);
  const shown = () => JSON.stringify([ada.status, [...ada.variables], ada.collections.map(({ items }) => items.map(({ id }) => id))]);
  const before = shown();
  assert.deepEqual([ada, bo].map(reasons), Array(2).fill(['CAPACITY_EXCEEDED', undefined, 'UNKNOWN_ACTION']));
  assert.equal(shown(), before, 'a dry run leaves no trace');
  const flipped = ada.perform('flip');
  assert.deepEqual(reasons(ada), ['CAPACITY_EXCEEDED', 'UNCHANGED', 'UNKNOWN_ACTION'], 'on top of what is pending');
  assert.equal((await flipped.outcome).verdict, 'accepted');
  await converge(ada, bo);
  assert.deepEqual([reasons(ada)[1], reasons(bo)[1]], ['UNCHANGED', undefined]);
  assert.equal((await bo.perform('flip').outcome).verdict, 'accepted');
  await converge(ada, bo);
  assert.equal(reasons(ada)[1], undefined);
});

test('what the rules say while the user hovers', async () => {
  const ada = await join(newTable(), { type: 'klondike', name: 'Ada', seed: 7 });
  const legal = new Map();
  for (const { id, items } of ada.collections.filter((one) => one.id.startsWith('pile/'))) {
    const top = items.at(-1);
    assert.equal(ada.refusalToLift([top]), undefined);
    assert.deepEqual(ada.liftSet(top).map((item) => item.id), [top.id]);
    legal.set(id, ada.legalDestinations([top]).map(({ collection }) => collection));
  }
  const hidden = ada.collection('pile/6').items[0];
  assert.equal(hidden.hidden, true);
  assert.equal(ada.liftSet(hidden).length, 7, 'a run up to the end');
  assert.equal(ada.refusalToLift(ada.liftSet(hidden)).reason, 'FACE_DOWN');
  assert.equal(ada.dropConfiguration([ada.collection('pile/6').items.at(-1)], 'stock').refusal.reason, 'DESTINATION_CLOSED');
  const hints = [...legal].filter(([id, targets]) => targets.some((target) => target !== id));
  assert.ok(hints.length > 0, 'this deal has a move');
  const [from, targets] = hints[0];
  const to = targets.find((target) => target !== from);
  assert.equal(ada.dropConfiguration([ada.collection(from).items.at(-1)], to).operation, 'move');
  assert.equal((await ada.reorder([ada.collection(from).items.at(-1)], to).outcome).verdict, 'accepted', 'the daemon agrees');
  const drawn = ada.perform('draw');
  assert.equal(drawn.prediction.outcome, 'shown');
  assert.equal(ada.collection('waste').count, 1);
  assert.equal((await drawn.outcome).verdict, 'accepted');
  assert.equal(ada.collection('waste').items[0].hidden, false, 'only the daemon knows its face');
  await converge(ada);
});

test('several operations that depend on each other, before any answer (O3, O10, O11)', async () => {
  const table = newTable();
  const ada = await join(table, { type: 'list?items=6', name: 'Ada' });
  const bo = await join(table, { name: 'Bo' });
  const [a, b, , d] = ada.collection('items').items;
  const x = ada.insert({ attributes: { title: 'x' } }, { collection: 'items', before: b });
  ada.reorder(x.createdItems, { collection: 'items', before: d });
  ada.reorder([a], { collection: 'items', before: x.createdItems[0] });
  const copies = ada.reorder([d], { collection: 'items', before: d }, { operations: ['copy'] });
  assert.deepEqual(names(ada, 'items'), [2, 3, 1, 'x', 4, 4, 5, 6]);
  assert.equal(ada.pendingCount, 4);
  assert.equal((await copies.outcome).verdict, 'accepted');
  await converge(ada, bo);
  assert.deepEqual(names(bo, 'items'), [2, 3, 1, 'x', 4, 4, 5, 6]);
  assert.equal(bo.locate(copies.createdItems[0])?.index, undefined, 'others never see a provisional id');
});

test('a lost connection: what was made without one is sent once, answers come once (I3, J15)', async () => {
  const table = newTable();
  const ada = await join(table, { type: 'list?items=4', name: 'Ada' });
  const bo = await join(table, { name: 'Bo' });
  const [a, b, c] = ada.collection('items').items;
  const lost = ada.insert({ attributes: { title: 'lost' } }, { collection: 'items', before: b });
  ada.socket.cut();
  await until(() => ada.connection === 'reconnecting');
  const made = ada.reorder(lost.createdItems, 'items');
  const other = bo.reorder([c.id], { collection: 'items', before: a.id });
  assert.equal((await other.outcome).verdict, 'accepted');
  assert.deepEqual([(await lost.outcome).verdict, (await made.outcome).verdict], ['accepted', 'accepted']);
  await converge(ada, bo);
  assert.deepEqual(names(bo, 'items'), [3, 1, 2, 4, 'lost']);
});

test('a page that is loaded again comes back to its seat, and sends what it had not sent, once (J11, I3)', async () => {
  const table = newTable();
  const store = new MemorySessionStore();
  const ada = await join(table, { type: 'list?items=2', name: 'Ada', store });
  const bo = await join(table, { name: 'Bo' });
  const { session, seat } = ada;
  ada.socket.cut();
  await until(() => ada.connection === 'reconnecting');
  ada.insert({ attributes: { title: 'kept' } }, 'items');
  ada.close();
  const again = await join(table, { name: 'Ada', store });
  assert.deepEqual([again.session, again.seat], [session, seat]);
  await converge(again, bo);
  assert.deepEqual(names(bo, 'items'), [1, 2, 'kept']);
  again.leave();
  assert.equal(store.load(), undefined, 'nothing is kept of a table that was left');
  await until(() => bo.seats.length === 1, 'the seat is free at once (H5)');
});

test('drags of others, and claims of items (P1–P7)', async () => {
  const table = newTable();
  const ada = await join(table, { type: 'list?items=3', name: 'Ada' });
  const bo = await join(table, { name: 'Bo' });
  const [a, b] = ada.collection('items').items;
  ada.beginDrag([a], { formation: 'pile' });
  await until(() => bo.drags.length === 1);
  assert.deepEqual([bo.drags[0].session, bo.drags[0].items, bo.drags[0].formation], [ada.session, [a.id], 'pile']);
  for (let x = 0; x < 50; x++) ada.moveDrag({ over: { collection: 'items', before: b }, x });
  await until(() => bo.drags[0].x === 49, 'the last movement');
  assert.deepEqual(bo.drags[0].over, { collection: 'items', before: b.id });
  const refused = new Promise((resolve) => bo.on('drag', (drag) => drag.refused && resolve(drag)));
  bo.beginDrag([a.id]);
  assert.deepEqual((await refused).items, [a.id], 'another drags it (P7)');
  ada.endDrag();
  await until(() => bo.drags.length === 0);
  await until(() => bo.seats.every(({ connected }) => connected));
  ada.beginDrag([b]);
  await until(() => bo.drags.length === 1);
  ada.socket.cut();
  await until(() => bo.seats.some(({ connected }) => !connected), 'the connection is gone (P6)');
  await until(() => ada.connection === 'live' && bo.drags.length === 1, 'and the drag begins again');
  ada.endDrag({ isCancelled: true });
  await until(() => bo.drags.length === 0);
});

test('a daemon that is started again: another epoch (K3, C8)', async () => {
  const folder = mkdtempSync(joinPath(tmpdir(), 'baize-'));
  const journal = joinPath(folder, 'baize.sqlite');
  const first = await startDaemon({ journal });
  const options = { url: first.url };
  const ada = await join('restart', { type: 'list?items=3', name: 'Ada', ...options });
  const [a, b] = ada.collection('items').items;
  assert.equal((await ada.reorder([a], 'items').outcome).verdict, 'accepted');
  await first.stop();
  await until(() => ada.connection === 'reconnecting');
  const x = ada.insert({ attributes: { title: 'x' } }, { collection: 'items', before: b });
  const y = ada.reorder(x.createdItems, 'items');
  const undone = ada.undo(x);
  const { key } = ada.item(x.createdItems[0]);
  const second = await startDaemon({ journal, port: first.port });
  const answers = [await x.outcome, await y.outcome, await undone.outcome];
  assert.deepEqual(answers.map(({ verdict }) => verdict), ['accepted', 'accepted', 'refused']);
  assert.equal(answers[2].reason, 'UNDO_TOO_LATE', 'its item was moved since (G13)');
  await converge(ada);
  assert.deepEqual(names(ada, 'items'), [2, 3, 1, 'x']);
  assert.equal(ada.collection('items').items[3].key, key, 'one key, across the epochs');
  ada.leave();
  await second.stop();
  rmSync(folder, { recursive: true });
});

test('a daemon that goes on at another address is found, and what waited is sent once (I3, J11)', async () => {
  const folder = mkdtempSync(joinPath(tmpdir(), 'baize-'));
  const journal = joinPath(folder, 'baize.sqlite');
  const first = await startDaemon({ journal });
  // A port at which nobody listens yet: one that a daemon has had.
  const before = await startDaemon();
  await before.stop();
  const ada = await join('nodes', { type: 'list?items=3', url: [before.url, first.url] });
  const { seat } = ada;
  const [a] = ada.collection('items').items;
  assert.equal((await ada.reorder([a], 'items').outcome).verdict, 'accepted');
  await first.stop('SIGKILL');
  await until(() => ada.connection === 'reconnecting');
  const moved = ada.reorder([a], { collection: 'items', before: ada.collection('items').items[0] });
  const second = await startDaemon({ journal, port: before.port });
  assert.equal((await moved.outcome).verdict, 'accepted');
  assert.equal(ada.seat, seat);
  await converge(ada);
  assert.deepEqual(names(ada, 'items'), [1, 2, 3]);
  ada.leave();
  await second.stop();
  rmSync(folder, { recursive: true });
});

test('a table that moves to another document is followed, and what was pending has its effect once (M5, I3)', async () => {
  const folder = mkdtempSync(joinPath(tmpdir(), 'baize-'));
  const journal = joinPath(folder, 'baize.sqlite');
  const flags = ['--types', folder, '--migrate'];
  const write = (title, ...kinds) => {
    const accept = { inserts: true };
    const collections = kinds.map((kind) => ({ kind, accept }));
    writeFileSync(joinPath(folder, 'shelf.json'), JSON.stringify({ baize: 1, name: 'shelf', title, seats: { max: 4 }, collections }));
  };
  write('One', 'items');
  const first = await startDaemon({ journal, flags });
  const ada = await join('moved', { type: 'shelf', name: 'Ada', url: first.url });
  assert.equal((await ada.insert({ attributes: { title: 'a' } }, 'items').outcome).verdict, 'accepted');
  const { session } = ada;
  await first.stop();
  await until(() => ada.connection === 'reconnecting');
  const pending = ada.insert({ attributes: { title: 'b' } }, 'items');
  write('Two', 'items', 'bin');
  const second = await startDaemon({ journal, flags, port: first.port });
  assert.equal((await pending.outcome).verdict, 'accepted');
  assert.equal(ada.type.title, 'Two');
  assert.equal(ada.session, session);
  assert.deepEqual(names(ada, 'items'), ['a', 'b']);
  assert.equal((await ada.reorder(ada.collection('items').items.slice(0, 1), 'bin').outcome).verdict, 'accepted');
  assert.deepEqual([names(ada, 'items'), names(ada, 'bin')], [['b'], ['a']]);
  await converge(ada);
  ada.leave();
  await second.stop();
  rmSync(folder, { recursive: true });
});

test('what cannot be sent is refused here, and costs the session nothing (I12)', async () => {
  const ada = await join(newTable(), { type: 'list?items=1', name: 'Ada' });
  const [a] = ada.collection('items').items;
  const long = 'x'.repeat(17_000);
  const cases = [
    [ada.reorder([], 'items'), 'EMPTY_SOURCES'], [ada.reorder([a, a], 'items'), 'DUPLICATE_SOURCE'],
    [ada.reorder([2 ** 40], 'items'), 'UNKNOWN_ITEM'], [ada.reorder(['1'], 'items'), 'INVALID_ARGUMENT'],
    [ada.reorder([a], 'nowhere'), 'UNKNOWN_COLLECTION'], [ada.reorder([a], '__proto__'), 'UNKNOWN_COLLECTION'],
    [ada.reorder([a], { collection: 'items', before: 2 ** 40 }), 'UNKNOWN_ITEM'], [ada.reorder([a], 'items', { operations: ['clone'] }), 'INVALID_ARGUMENT'],
    [ada.reorder(Array.from({ length: 501 }, (_, index) => index + 1), 'items'), 'TOO_MANY_ITEMS'],
    [ada.insert({ attributes: { long } }, 'items'), 'TEXT_TOO_LONG'], [ada.insert({ attributes: { x: 1.5 } }, 'items'), 'INVALID_ARGUMENT'],
    [ada.insert({ attributes: { x: true } }, 'items'), 'INVALID_ARGUMENT'], [ada.insert({ attributes: { x: 2n ** 63n } }, 'items'), 'INVALID_ARGUMENT'],
    [ada.insert({ attributes: { x: '\ud800' } }, 'items'), 'INVALID_ARGUMENT'],
    [ada.insert({ attributes: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`a${index}`, 1])) }, 'items'), 'TABLE_SIZE'],
    [ada.insert({ representations: [{ contentType: 'text/plain', data: 5 }] }, 'items'), 'INVALID_ARGUMENT'],
    [ada.insert({ representations: [{ contentType: 'text/plain', data: new Uint8Array(300_000) }] }, 'items'), 'TOO_MANY_ITEMS'],
    [ada.insert([], 'items'), 'EMPTY_SOURCES'],
    [ada.perform('x'.repeat(65)), 'UNKNOWN_ACTION'], [ada.perform('toString'), 'UNKNOWN_ACTION'], [ada.undo({}), 'UNDO_TOO_LATE'],
  ];
  for (const [index, [{ refusal, outcome }, reason]] of cases.entries()) {
    assert.equal(refusal?.reason, reason, `case ${index}`);
    assert.equal((await outcome).verdict, 'refused');
  }
  assert.equal((await ada.insert({ attributes: { ['__proto__']: 'data', constructor: 1 } }, 'items').outcome).verdict, 'accepted');
  assert.equal(ada.pendingCount, 0);
  await converge(ada);
});

test('an invite, a host action, a table that does not admit', async () => {
  await assert.rejects(join('none-such'), { name: 'JoinError', reason: 'UNKNOWN_TABLE' });
  await assert.rejects(join('a b'), TypeError);
  await assert.rejects(join('x', { type: 'list', url: 'nonsense' }), { name: 'JoinError', reason: 'BAD_ADDRESS' });
  const table = newTable();
  const ada = await join(table, { type: 'list?items=2', name: 'Ada' });
  const bo = await join(table, { name: 'Bo' });
  const frozen = ada.perform('host/freeze', [], { collection: ada.collection('items') });
  assert.equal(frozen.prediction.outcome, 'unknown', 'not predicted (O15)');
  assert.equal((await frozen.outcome).verdict, 'accepted');
  await until(() => !bo.collection('items').enabled);
  assert.equal(bo.reorder([bo.collection('items').items[0]], 'items').refusal.reason, 'CONTAINER_DISABLED');
  const invited = await ada.perform('host/invite/player').outcome;
  assert.equal(invited.verdict, 'unchanged');
  assert.ok(invited.invite.length > 0 && ada.invite === invited.invite);
  const ended = new Promise((resolve) => bo.on('end', resolve));
  await ada.perform(`host/kick/${bo.seat}`).outcome;
  assert.equal((await ended).reason, 'KICKED');
  assert.equal(bo.reorder([1], 'items').refusal.reason, 'NOT_JOINED');
  await converge(ada);
});

/** One random operation of a client that plays a board. */
function act(random, client) {
  const board = random.one(client.collections.filter(({ enabled }) => enabled));
  const target = random.one(client.collections);
  const pick = ({ items }) => (items.length > 0 ? random.one(items) : undefined);
  const before = random.below(3) === 0 ? undefined : pick(target);
  const destination = { collection: target.id, before };
  const item = pick(board);
  switch (random.below(10)) {
    case 0:
      return client.insert({ attributes: { title: `n${random.below(1000)}`, number: random.below(9) } }, destination);
    case 1:
      return item && board.items.length > 5 ? client.remove([item]) : undefined;
    case 2:
      return item && client.update(item, { attributes: { number: random.below(9), title: random.below(2) === 0 ? null : 'ü' } });
    case 3: {
      const several = [...new Set([item, pick(board), pick(target)].filter((one) => one !== undefined))];
      return several.length > 0 ? client.reorder(several, destination) : undefined;
    }
    default:
      return item && client.reorder([item], destination);
  }
}

test('thousands of random operations of three clients, with cut connections, end with equal hashes (I1, I3, I10)', async (context) => {
  const seed = Number(process.env.BAIZE_SEED ?? Date.now() % 1_000_000);
  context.diagnostic(`BAIZE_SEED=${seed}`);
  const random = randomSource(seed);
  for (const [type, count] of [['kanban?columns=fixed&cards=12&doing=1000', 3000], ['list?items=20', 2000], ['grid', 1000]]) {
    const table = newTable();
    const players = [await join(table, { type, name: 'Ada' }), await join(table, { name: 'Bo' }), await join(table, { name: 'Cleo' })];
    const submissions = [];
    for (let done = 0; done < count; done++) {
      const client = random.one(players);
      const submission = act(random, client);
      if (submission?.createdItems.length > 0 && random.below(2) === 0) submissions.push(client.reorder(submission.createdItems, random.one(client.collections).id));
      if (submission && random.below(8) === 0) submissions.push(client.undo(submission));
      if (submission) submissions.push(submission);
      if (random.below(6) === 0) await new Promise((resolve) => setTimeout(resolve, random.below(2)));
      if (random.below(300) === 0) for (const socket of [...sockets].slice(-3)) if (random.below(2) === 0) socket.cut();
      if (client.pendingCount > 200) await until(() => client.pendingCount < 50);
    }
    await converge(...players);
    const contents = players.map(({ collections }) => collections.map(({ items }) => items.map(({ id, attributes }) => [id, [...attributes].sort()])));
    assert.deepEqual(contents[1], contents[0], `seed ${seed}, ${type}`);
    assert.deepEqual(contents[2], contents[0], `seed ${seed}, ${type}`);
    const verdicts = new Map();
    for (const { outcome } of submissions) {
      const { verdict, reason } = await outcome;
      verdicts.set(reason ?? verdict, (verdicts.get(reason ?? verdict) ?? 0) + 1);
    }
    context.diagnostic(`${type}: ${JSON.stringify(Object.fromEntries(verdicts))}`);
    assert.ok(verdicts.get('accepted') > count / 3, `seed ${seed}: ${JSON.stringify([...verdicts])}`);
    assert.equal(verdicts.get('unknown'), undefined, `seed ${seed}`);
    for (const player of players) {
      assert.deepEqual(player.troubles, [], `seed ${seed}`);
      player.leave();
    }
  }
});

test('collections that items open: made, filled, moved and removed, in diffs and in snapshots (Q1 to Q6, S2)', async () => {
  const folder = mkdtempSync(joinPath(tmpdir(), 'baize-types-'));
  copyFileSync(new URL('Protocol/table-types/fixtures/right/openings.json', root), joinPath(folder, 'openings.json'));
  const { url, stop } = await startDaemon({ flags: ['--types', folder] });
  try {
    const ada = await join('openings', { url, type: 'openings' });
    const bo = await join('openings', { url });
    assert.deepEqual(ada.collections.map(({ id }) => id), ['lanes', 'tray', 'lane/3', 'lane/4']);
    const ids = (client) => client.collections.map(({ id }) => id);

    const add = (client, title, collection) => client.insert([{ attributes: { title } }], collection).outcome;
    assert.equal((await add(ada, 'doing', 'lane/3')).verdict, 'accepted');
    assert.equal((await add(ada, 'done', 'lane/4')).verdict, 'accepted');
    await until(() => bo.collection('column/6'));
    for (const title of ['x', 'y', 'z']) assert.equal((await add(bo, title, 'column/5')).verdict, 'accepted');
    await until(() => ada.collection('column/5').count === 3);

    // A lane that is not empty stays; a column goes with its cards.
    const [first] = ada.collection('lanes').items;
    assert.equal((await ada.remove([first]).outcome).reason, 'NOT_EMPTY');
    const [column] = ada.collection('lane/4').items;
    assert.equal((await ada.reorder([column], 'lane/3').outcome).verdict, 'accepted');
    assert.equal((await bo.remove([bo.collection('lane/3').items[0]]).outcome).verdict, 'accepted');
    assert.equal((await bo.insert([{ attributes: { title: 'late' } }], 'column/6').outcome).verdict, 'accepted');
    await converge(ada, bo);
    assert.deepEqual(ids(ada), ['lanes', 'tray', 'lane/3', 'lane/4', 'column/6']);
    assert.equal(ada.collection('column/6').item, column.id);

    const late = await join('openings', { url });
    await converge(ada, bo, late);
    assert.deepEqual(ids(late), ids(ada));
    assert.deepEqual(names(late, 'column/6'), ['late']);
    for (const client of [ada, bo, late]) {
      assert.deepEqual(client.troubles, []);
      client.leave();
    }
  } finally {
    await stop();
    rmSync(folder, { recursive: true });
  }
});

test('a new column is shown at once, and sent together with its first cards (Q3, Q8)', async () => {
  const ada = await join('made', { type: 'kanban?cards=2' });
  const bo = await join('made');
  const card = (title) => ({ attributes: { title } });
  const [one, two] = ada.collection('column/2').items;
  const inserted = ada.insert(card('Review'), { collection: 'columns', before: ada.collection('columns').items[2] });
  const [column] = inserted.createdItems;
  const shown = ada.collections.at(-1);
  assert.equal(inserted.prediction.outcome, 'shown');
  assert.deepEqual([shown.item, shown.items.length, ada.item(column).opens], [column, 0, shown.handle]);
  const key = ada.item(column).key;
  // By the item that opens it, by its name here, and by the collection itself; before the one that is there already.
  const first = ada.insert(card('first'), { container: column });
  const moved = ada.reorder([one], { container: column, before: first.createdItems[0] });
  const later = ada.insert(card('later'), shown.id);
  const last = ada.reorder([two], { collection: shown });
  const gone = ada.insert(card('Empty'), 'columns');
  const removed = ada.remove(gone.createdItems);
  assert.deepEqual(names(ada, shown.id), [1, 'first', 'later', 2]);
  assert.deepEqual(names(ada, 'columns'), ['To do', 'Doing', 'Review', 'Done']);
  assert.equal(ada.dropConfiguration([two], { container: column }).operation, 'move');
  for (const submission of [inserted, first, moved, later, last, gone, removed]) {
    assert.equal(submission.prediction.outcome, 'shown');
    assert.equal((await submission.outcome).verdict, 'accepted');
  }
  await converge(ada, bo);
  for (const client of [ada, bo]) {
    assert.deepEqual(names(client, 'column/5'), [1, 'first', 'later', 2]);
    assert.deepEqual(names(client, 'columns'), ['To do', 'Doing', 'Review', 'Done']);
    assert.deepEqual(client.collections.map(({ id }) => id), ['columns', 'column/2', 'column/3', 'column/4', 'column/5']);
  }
  assert.deepEqual([ada.item(column).key, ada.item(column).opens], [key, 5]);
  // A name that is of use while its column is new names it for good.
  assert.equal((await ada.insert(card('afterwards'), { container: column }).outcome).verdict, 'accepted');

  // What depends on a column that the daemon refuses goes back with it.
  const refused = ada.insert({ attributes: { title: 'Twin', id: 'x' } }, 'columns');
  await refused.outcome;
  const twin = ada.insert({ attributes: { title: 'Twin', id: 'x' } }, 'columns', { force: true });
  const inTwin = ada.insert(card('lost'), { container: twin.createdItems[0] }, { force: true });
  assert.equal((await twin.outcome).reason, 'DUPLICATE_KEY');
  assert.equal((await inTwin.outcome).verdict, 'refused');
  await converge(ada, bo);
  assert.equal(ada.collections.length, 6);
  for (const client of [ada, bo]) {
    assert.deepEqual(client.troubles, []);
    client.leave();
  }
});
