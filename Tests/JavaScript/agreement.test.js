/**
 * The rules here against the daemon's: random operations, legal and not, one after the other, so that nothing comes between.
 * What is predicted must then be what the daemon decides (C7, I5), with its reason and its rule, and what is shown (I10).
 */

import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { after, before, test } from 'node:test';
import { join } from '../../Sources/BaizeServer/Web/baize.js';
import { startDaemon, WebSocketClient } from './daemon.js';
import { randomSource, root } from './support.js';

const ACTIONS = {
  klondike: ['draw'],
  hand: ['draw'],
  nerts: ['draw', 'stuck'],
  speed: ['draw', 'flip'],
  hearts: ['pass', 'take', 'deal'],
  list: ['pin', 'unpin'],
  aliases: ['pin', 'unpin', 'stow', 'take'],
};
const ATTRIBUTES = { board: ['number', 'estimate', 'owner', 'holder'], kanban: ['number', 'title', 'limit'], openings: ['number', 'limit'] };
const TYPES = ['klondike', 'klondike?draw=3&emptyPile=any&redeals=1', 'hand', 'nerts', 'speed', 'hearts', 'board?cards=8', 'kanban?cards=8', 'kanban?columns=fixed&cards=8', 'playlist', 'list?items=6', 'grid', 'openings', 'aliases'];
const ROUNDS = 100;

let daemon;
let folder;
before(async () => {
  folder = mkdtempSync(joinPath(tmpdir(), 'baize-types-'));
  for (const name of ['openings', 'aliases']) {
    copyFileSync(new URL(`Protocol/table-types/fixtures/right/${name}.json`, root), joinPath(folder, `${name}.json`));
  }
  daemon = await startDaemon({ flags: ['--types', folder] });
});
after(async () => {
  await daemon.stop();
  rmSync(folder, { recursive: true });
});

const order = ({ collections }) => collections.map(({ items, count }) => (items.length === count ? items.map(({ id }) => id) : count));

/** Waits until all clients are at the last revision that one of them has. */
async function caughtUp(players) {
  const last = Math.max(...players.map(({ revision }) => revision));
  while (players.some(({ revision }) => revision < last)) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Returns whether the hashes are equal; on a slow machine a connection may be lost meanwhile, and come back. */
async function agreement(client) {
  for (let tries = 0; tries < 12_000; tries++) {
    const result = await client.agrees();
    if (result !== undefined) return result;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return undefined;
}

const isOnItems = (type, action) => type === 'list' || (type === 'aliases' && ['pin', 'unpin'].includes(action));

const operationsOf = (type) => (type === 'aliases' ? ['copy', 'alias', 'alias', 'alias', 'delete'] : ['copy', 'move', 'delete']);

/** Returns an operation that is often legal. */
function operation(random, client) {
  const boards = client.collections.filter(({ items }) => items.length > 0);
  if (boards.length === 0) return client.insert({ attributes: { number: 0 } }, client.collections[0].id, { force: true });
  const board = random.one(boards);
  const item = random.one([board.items.at(-1), random.one(board.items)]);
  const held = random.below(3) > 0 ? client.liftSet(item) : [item];
  const legal = client.legalDestinations(held);
  const target = legal.length > 0 && random.below(3) > 0 ? random.one(legal).collection : random.one(client.collections).id;
  const { items } = client.collection(target);
  const before = items.length > 0 && random.below(3) === 0 ? random.one(items) : undefined;
  const actions = ACTIONS[client.type.name] ?? [];
  const action = random.one(actions);
  const options = { force: true };
  switch (random.below(12)) {
    case 0:
      return client.insert({ attributes: { number: random.below(5) }, representations: [{ contentType: 'text/plain', data: 'x' }] }, { collection: target, before }, options);
    case 1:
      return client.remove(held, options);
    case 2:
      return client.update(item, { attributes: { [random.one(ATTRIBUTES[client.type.name] ?? ['number'])]: random.below(3) }, ...options });
    case 3:
    case 4:
      if (actions.length === 0) return undefined;
      return client.perform(action, isOnItems(client.type.name, action) || random.below(3) === 0 ? [item] : [], options);
    case 5:
      return client.reorder([item, random.one(board.items), random.one(client.collections.flatMap((one) => one.items))].slice(0, 2 + random.below(2)), { collection: target, before }, options);
    case 6:
      return client.reorder(held, { collection: target, before }, { operations: [random.one(operationsOf(client.type.name))], ...options });
    default:
      return client.reorder(held, { collection: target, before }, options);
  }
}

test('one after the other, the daemon decides what was predicted', async (context) => {
  const seed = Number(process.env.BAIZE_SEED ?? Date.now() % 1_000_000);
  context.diagnostic(`BAIZE_SEED=${seed}`);
  const random = randomSource(seed);
  for (const [index, type] of TYPES.entries()) {
    const options = { table: `agreement-${index}`, WebSocket: WebSocketClient };
    const players = [await join(daemon.url, { ...options, type, seed: 1 + random.below(1000) })];
    const count = type === 'klondike' || type.startsWith('klondike?') ? 1 : type === 'hearts' ? 4 : 2;
    while (players.length < count) players.push(await join(daemon.url, options));
    const counts = { accepted: 0, unchanged: 0, refused: 0, unknown: 0 };
    // Otherwise the test's process would not end after a failure.
    context.after(() => players.forEach((player) => player.leave()));
    // Who joined earlier must know of all the others before it predicts.
    await caughtUp(players);
    for (let round = 0; round < ROUNDS; round++) {
      const client = random.one(players);
      const before = order(client);
      const submission = operation(random, client);
      if (!submission) continue;
      const { prediction } = submission;
      const shown = order(client);
      const answer = await submission.outcome;
      const where = `seed ${seed}, ${type}, round ${round}: ${JSON.stringify([prediction, answer])}`;
      counts[prediction.outcome === 'unknown' ? 'unknown' : answer.verdict] += 1;
      if (prediction.outcome === 'refused') {
        const { reason, rule } = prediction.refusal;
        assert.deepEqual([answer.verdict, answer.reason, answer.rule], ['refused', reason, rule], where);
      } else if (prediction.outcome === 'unchanged') {
        assert.equal(answer.verdict, 'unchanged', where);
      } else if (prediction.outcome === 'shown') {
        assert.deepEqual([answer.verdict, answer.operation, answer.redirected], ['accepted', prediction.operation, prediction.isRedirected], where);
        const sizes = (lists) => lists.map((list) => list.length ?? list);
        assert.deepEqual(sizes(shown), sizes(order(client)), where);
        const names = new Map(submission.createdItems.map((id) => [id, client.item(id)?.id]));
        const isOpen = order(client).flat().every((id) => shown.flat().some((one) => (names.get(one) ?? one) === id));
        // Items that get new ids are the daemon's to name (D9, D13).
        if (isOpen) assert.deepEqual(order(client), shown.map((list) => (Array.isArray(list) ? list.map((id) => names.get(id) ?? id) : list)), where);
      }
      if (answer.verdict !== 'accepted') assert.deepEqual(order(client), before, where);
      await caughtUp(players);
      assert.equal(await agreement(client), true, where);
    }
    context.diagnostic(`${type}: ${JSON.stringify(counts)}`);
    for (const player of players) player.leave();
  }
});
