/**
 * What a client shows while others move first, by `rebase.json` (X3; N1–N6): author 1's operations are pending, the
 * others' diffs arrive, and what is shown is compared with what the daemon then decides (C2).
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileRules } from '../../Sources/BaizeServer/Web/baize/document.js';
import { Replica } from '../../Sources/BaizeServer/Web/baize/replica.js';
import { StateLoader } from '../../Sources/BaizeServer/Web/baize/state.js';
import { vectors } from './support.js';

const COPY = 1;
const MOVE = 2;

/** Copies of items that are gone (R12): only the daemon's history has their faces. */
const OF_THE_HISTORY = ['rebase-94', 'rebase-95', 'rebase-97'];

function rulesOf({ collections, contention = 'last', partial_moves: partialMoves = false }) {
  const kinds = collections.map(({ id, lift = 'any', accepts = ['move', 'copy'], landing = 'anywhere', redirect, capacity, accepts_part: partial = false }) => ({
    kind: id,
    lift: lift === 'none' ? 'none' : { shape: lift, offers: ['move', 'copy', 'delete'] },
    accept: { operations: accepts, inserts: true, landing, ...(redirect && { redirect }), ...(capacity !== undefined && { capacity: { max: capacity, partial } }) },
  }));
  return compileRules(JSON.stringify({ baize: 1, name: 'rebase', seats: { max: 9 }, contention, partialMoves, collections: kinds }), new Map());
}

/** A case: who is who, and the replica of author 1. */
class Bench {
  constructor(entry) {
    this.entry = entry;
    this.ids = new Map();
    this.names = new Map();
    this.replica = this.makeReplica();
    this.pending = new Map();
    this.nextID = 1_000;
  }

  makeReplica() {
    const { collections } = this.entry;
    const loader = new StateLoader({
      epoch: 1, revision: 0, status: 'open', variables: [],
      seats: [{ seat: 1, person: 1, name: '' }, { seat: 2, person: 2, name: '' }],
      collections: collections.map(({ id, items }, index) => ({ handle: index + 1, id, count: items.length, enabled: true })),
    });
    const items = collections.flatMap(({ items: names }, index) => names.map((name) => ({ id: this.name(name), collection: index + 1, attributes: [], representations: [] })));
    loader.add({ epoch: 1, revision: 0, items });
    return new Replica(loader.finish(), { session: 1, seat: 1 }, rulesOf(this.entry), 0);
  }

  name(name) {
    const id = this.ids.size + 1;
    this.ids.set(name, id);
    this.names.set(id, name);
    return id;
  }

  id(name) {
    const made = /^@(\d+)\.(\d+)$/.exec(name);
    if (made) return 2 ** 52 + Number(made[1]) * 4096 + Number(made[2]);
    return this.ids.get(name) ?? 2 ** 40;
  }

  gap({ to, before, after, start, before_by: beforeBy, after_by: afterBy }) {
    const item = (name) => (name === undefined ? undefined : this.id(name));
    const collection = this.replica.state.handles.get(to);
    return { collection, before: item(before) ?? 0, after: item(after), start, beforeBy, afterBy };
  }

  /** Makes an operation of author 1, with the neighbors that the case gives it and no others. */
  submit(operation) {
    const { insert, remove, move, copy } = operation;
    const destination = operation.to && this.gap(operation);
    const [kind, body] = insert
      ? ['insert', { items: insert.map(() => ({ attributes: [], representations: [] })), destination }]
      : remove
        ? ['remove', { items: remove.map((name) => this.id(name)) }]
        : ['reorder', { sources: (move ?? copy).map((name) => this.id(name)), destination, suggested: copy ? COPY : MOVE }];
    const op = this.replica.submit(kind, body, true);
    if (destination) op.body.destination = this.gap(operation);
    this.replica.show();
    (insert ?? operation.makes ?? []).forEach((name, k) => this.names.set(2 ** 52 + op.seq * 4096 + k, name));
  }

  /** Returns the diff of another's operation, made on the present state. */
  diff({ author, seq, insert, remove, move, ...operation }, revision) {
    const wire = (name) => {
      const id = this.name(name);
      return { id, collection: 0, attributes: [], representations: [] };
    };
    const destination = operation.to && { collection: this.replica.state.handles.get(operation.to), before: operation.before === undefined ? 0 : this.id(operation.before) };
    const change = insert
      ? { inserted: { items: insert.map(wire), destination } }
      : remove
        ? { removed: { items: remove.map((name) => this.id(name)) } }
        : { moved: { items: move.map((name) => this.id(name)), destination } };
    return { revision, author, seq, operation: 2, minted: [], changes: [change] };
  }

  shown() {
    const entries = this.replica.state.collections.map(({ id, items }) => [id, items.map((item) => this.names.get(item) ?? item)]);
    return Object.fromEntries(entries.filter(([id]) => id in this.entry.final));
  }
}

/** Whether others move first, each seeing all before it, and author 1 has seen nothing of it, as in a replica. */
function isPredictable({ operations, collections, history, answers }) {
  const own = operations.filter(({ author }) => author === 1);
  const others = operations.slice(0, operations.length - own.length);
  if (history !== undefined || answers !== undefined || own.length === 0 || collections.some(({ faces }) => faces)) return false;
  const areLiteral = others.every(({ author, base, insert, remove, move, verdict, before }, index) => {
    const [anchor, sources] = [before, move ?? []];
    return author !== 1 && base === index && (insert ?? remove ?? move) && verdict === 'accepted' && !sources.includes(anchor);
  });
  const areJudged = own.every(({ base, verdict, draw, undo }) => base === 0 && !verdict.startsWith('retry') && !draw && undo === undefined);
  return areLiteral && areJudged && operations.slice(others.length).every(({ author }) => author === 1);
}

test('what is shown while others move first is what the daemon decides, as far as a client can know (X3, C2)', () => {
  const cases = vectors('rebase').cases.filter(isPredictable);
  const wrong = [];
  for (const entry of cases) {
    const bench = new Bench(entry);
    const own = entry.operations.filter(({ author }) => author === 1);
    const others = entry.operations.filter(({ author }) => author !== 1);
    for (const operation of own) bench.submit(operation);
    others.forEach((operation, index) => bench.replica.receiveDiff(bench.diff(operation, index + 1)));
    // A refusal is known only when it arrives: what depends on it is shown right from then on.
    for (const { seq } of own.filter(({ verdict }) => verdict.startsWith('refused'))) bench.replica.receiveOutcome({ seq, minted: [], revision: others.length }, 'REFUSED');
    try {
      assert.deepEqual(bench.shown(), entry.final);
    } catch {
      wrong.push(`${entry.id}: ${entry.says} ${JSON.stringify(bench.shown())}, not ${JSON.stringify(entry.final)}`);
    }
  }
  const known = new Set(OF_THE_HISTORY);
  assert.deepEqual(wrong.filter((text) => !known.has(text.split(':')[0])), []);
  assert.deepEqual(OF_THE_HISTORY.filter((id) => !wrong.some((text) => text.startsWith(`${id}:`))), [], 'these are right by now');
  assert.ok(cases.length >= 50, `${cases.length} cases`);
});
