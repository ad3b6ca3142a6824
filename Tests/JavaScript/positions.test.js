/**
 * Positions (N1–N5): what several clients show of their own operations before these are answered, against a daemon in plain arrays
 * (`position-model.js`), in worlds from a seed. Once a client has received all that came before its operation, the answer must not
 * change what it shows (C2), and in the end all show the same (I1).
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, encode } from '../../Sources/BaizeServer/Web/baize/codec.js';
import { readConfiguration } from '../../Sources/BaizeServer/Web/baize/input.js';
import { ClientMachine } from '../../Sources/BaizeServer/Web/baize/machine.js';
import { ClientMessage, ServerMessage } from '../../Sources/BaizeServer/Web/baize/schema.js';
import { PositionModel } from './position-model.js';
import { randomSource } from './support.js';

const SESSIONS = [1, 2, 3];
const documentOf = (capacity) => JSON.stringify({
  baize: 1, name: 'positions', seats: { max: 9 }, undo: true, contention: 'last',
  collections: [{
    kind: 'items', lift: { shape: 'any', offers: ['move', 'delete'] },
    accept: { operations: ['move'], inserts: true, landing: 'anywhere', ...(capacity < Infinity && { capacity: { max: capacity } }) },
  }],
});

/** A client, and the messages between it and the daemon. */
class Player {
  constructor(session, model) {
    this.up = [];
    this.down = [];
    const send = (bytes) => {
      const { operation } = decode(ClientMessage, bytes);
      if (operation) this.up.push(operation);
    };
    const host = { connect() {}, send, disconnect() {}, event() {}, save() {} };
    this.machine = new ClientMachine(readConfiguration({ table: 't' }), host, () => 0.5);
    this.machine.start(0);
    this.machine.opened(0);
    const { items } = model;
    this.receive({ welcome: { protocol: 1, session, person: session, seat: session, ticket: Uint8Array.of(1), epoch: 1, revision: 0, tableType: documentOf(model.capacity), maxFrameBytes: 2 ** 18, history: 1024, heartbeatSeconds: 10, maxPending: 16 } });
    this.receive({ snapshot: {
      epoch: 1, revision: 0, collections: [{ handle: 1, id: 'items', count: items.length, enabled: true }], status: 'open', complete: true, first: true,
      items: items.map((id) => ({ id, collection: 1 })), seats: SESSIONS.map((seat) => ({ seat, person: seat, name: '' })),
    } });
    assert.ok(this.machine.replica.rules);
  }

  get replica() {
    return this.machine.replica;
  }

  get shown() {
    return this.replica.state.collections[0].items;
  }

  receive(message) {
    this.machine.receive(encode(ServerMessage, message), 0);
  }

  submit(kind, body) {
    return this.machine.submit(kind, body, false, 0);
  }
}

/** A daemon and its clients, played by chance. */
class World {
  /**
   * @param undo how many of twenty operations are undos
   * @param capacity how many items the table has room for
   * @param forges changes a message on its way, to show that the search finds what is wrong
   */
  constructor(seed, { undo = 0, capacity = Infinity, forges = () => {} } = {}) {
    this.random = randomSource(seed);
    Object.assign(this, { seed, undo, forges, corrected: [], answers: 0, retried: 0 });
    this.model = new PositionModel([1, 2, 3, 4, 5, 6], capacity);
    this.players = SESSIONS.map((session) => new Player(session, this.model));
  }

  play(steps) {
    for (let step = 0; step < steps; step++) this.step();
    while (this.players.some(({ up, down }) => up.length + down.length > 0)) {
      for (const player of this.players) while (player.up.length > 0) this.judge(player);
      for (const player of this.players) while (player.down.length > 0) this.deliver(player);
    }
    for (const { shown, replica } of this.players) {
      assert.deepEqual([shown, replica.pending.length], [this.model.items, 0], `seed ${this.seed}`);
    }
    return this;
  }

  step() {
    const player = this.random.one(this.players);
    const choice = this.random.below(10);
    if (choice < 3) this.submit(player);
    else if (choice < 6 && player.up.length > 0) this.judge(player);
    else if (player.down.length > 0) this.deliver(player);
  }

  submit(player) {
    const { random } = this;
    const { shown, replica } = player;
    if (replica.pending.length >= 6) return;
    const choice = random.below(20);
    const before = random.one([0, ...shown]);
    const destination = { collection: 1, before };
    if (choice < this.undo && replica.nextSeq > 1) {
      player.submit('undo', { seq: replica.nextSeq - 1 - random.below(Math.min(3, replica.nextSeq - 1)) });
    } else if (choice < 9 || shown.length < 3) {
      const items = Array.from({ length: 1 + random.below(2) }, () => ({ attributes: [], representations: [] }));
      player.submit('insert', { items, destination });
    } else if (choice < 12) {
      player.submit('remove', { items: [random.one(shown)] });
    } else {
      const sources = new Set(Array.from({ length: 1 + random.below(3) }, () => random.one(shown)));
      player.submit('reorder', { sources: [...sources], destination, suggested: 0 });
    }
  }

  judge(player) {
    const session = SESSIONS[this.players.indexOf(player)];
    const operation = player.up.shift();
    this.forges(operation);
    const answer = this.model.judge(session, operation);
    this.forges(answer);
    for (const one of answer.diff ? this.players : [player]) one.down.push(answer);
  }

  /** Delivers a message, and notes whether an answer changes what its author shows. */
  deliver(player) {
    const message = player.down.shift();
    const { diff, outcome } = message;
    const { replica } = player;
    const isOwn = outcome !== undefined || diff.author === replica.session;
    const before = player.shown.slice();
    const kind = isOwn && replica.pending.find(({ seq }) => seq === (outcome ?? diff).seq)?.kind;
    player.receive(message);
    if (outcome?.verdict === 3) this.retried += 1;
    if (!isOwn || kind === 'undo' || outcome?.verdict === 3) return;
    this.answers += 1;
    const shown = before.map((id) => replica.named(id));
    if (shown.join() !== player.shown.join()) this.corrected.push(`seed ${this.seed}: ${JSON.stringify(message)}: ${shown} became ${player.shown}`);
  }
}

function search(count, options) {
  const first = Number(process.env.BAIZE_SEED ?? Date.now() % 1_000_000);
  const worlds = Array.from({ length: count }, (_, index) => new World(first + index, options).play(150));
  const sum = (name) => worlds.reduce((total, world) => total + world[name], 0);
  return { answers: sum('answers'), retried: sum('retried'), corrected: worlds.flatMap(({ corrected }) => corrected) };
}

for (const options of [{}, { undo: 2 }, { capacity: 8 }, { undo: 2, capacity: 8 }]) {
  test(`what is shown stays when its answer comes: ${JSON.stringify(options)} (N1–N5, C2)`, (context) => {
    const { answers, retried, corrected } = search(100, options);
    context.diagnostic(`${corrected.length} of ${answers} answers changed what was shown; ${retried} operations were sent again`);
    assert.deepEqual(corrected, []);
    assert.ok(answers > 1_000 && retried > 0, `${answers} answers, ${retried} operations sent again`);
  });
}

/** Calls a function with each destination in a message. */
function withDestinations({ reorder, insert, diff }, change) {
  const changes = (diff?.changes ?? []).flatMap(({ moved, inserted }) => [moved, inserted]);
  for (const { destination } of [reorder, insert, ...changes].filter(Boolean)) change(destination);
}

const FORGERIES = {
  'no vacant positions in diffs': (message) => withDestinations(message, (gap) => delete gap.gone),
  'no numbers of operations': (message) => withDestinations(message, (gap) => (gap.beforeBy !== undefined || gap.afterBy !== undefined) && Object.assign(gap, { beforeBy: 0, afterBy: 0 })),
  'nothing in front of a gap': (message) => withDestinations(message, (gap) => Object.assign(gap, { after: undefined, start: undefined })),
  'returns that are moves': ({ diff }) => diff?.operation === 0 && diff.minted.length === 0 && Object.assign(diff, { operation: 2 }),
};
for (const [name, forges] of Object.entries(FORGERIES)) {
  test(`the search finds a daemon that is sent or sends ${name}`, () => {
    assert.ok(search(100, { undo: 4, forges }).corrected.length > 0);
  });
}
