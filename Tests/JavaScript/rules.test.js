/** Decisions of the rules (X4: G3–G12, B1–B12; I5), and documents that cannot be read (I12). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileRules } from '../../Sources/BaizeServer/Web/baize/document.js';
import { DocumentError } from '../../Sources/BaizeServer/Web/baize/document-node.js';
import { carryOut } from '../../Sources/BaizeServer/Web/baize/effects.js';
import { planAction, planInsertion, planRemoval, planReorder, planUpdate, prepare } from '../../Sources/BaizeServer/Web/baize/plan.js';
import { Refusal, UNPREDICTABLE } from '../../Sources/BaizeServer/Web/baize/refusal.js';
import { Item, openings, TableState } from '../../Sources/BaizeServer/Web/baize/state.js';
import { isFaceUp } from '../../Sources/BaizeServer/Web/baize/visibility.js';
import { bundled, readText, vectors } from './support.js';

const OPERATIONS = { copy: 1, move: 2, alias: 4, delete: 8 };

const faceOf = ({ attributes = {}, representations = [], pinned = false }) => ({
  attributes: new Map(Object.entries(attributes)),
  representations: representations.map(({ contentType, text }) => ({ contentType, data: Buffer.from(text) })),
  pinned,
});

/** The table of a case. */
class Bench {
  constructor(decision) {
    const { document, options } = bundled(decision.type);
    this.rules = compileRules(document, options);
    this.ids = new Map();
    this.names = new Map();
    this.state = this.makeState(decision);
    const seat = decision.seat ?? 1;
    this.request = prepare({ state: this.state, rules: this.rules, seat, session: seat, isWhole: true });
  }

  makeState({ type, collections, variables = {}, status = 'open', disabled = [], seats = [] }) {
    const state = new TableState();
    state.openings = openings(bundled(type).document, bundled(type).options);
    state.status = status;
    state.variables = this.initialVariables(variables);
    state.seats = seats.map((seat) => ({ seat, person: seat, name: '' }));
    for (const { id } of this.rules.collections) state.addCollection(id, !disabled.includes(id));
    for (let index = 0; index < state.collections.length; index++) {
      const collection = state.collections[index];
      const opens = () => (state.openings.has(collection.kind ?? collection.id) ? state.collections.length + 1 : 0);
      for (const piece of collections[collection.id] ?? []) {
        const item = new Item({ id: this.ids.size + 1, faceUp: piece.up ?? true, opens: opens(), ...faceOf(piece) });
        this.ids.set(piece.name, item.id);
        this.names.set(item.id, piece.name);
        state.items.set(item.id, item);
        state.put([item.id], collection, 0);
        if (item.opens) state.open(item.opens, item.id, collection);
      }
    }
    return state;
  }

  initialVariables(given) {
    const { variables = {}, turns } = JSON.parse(bundled(this.rules.name).document);
    const values = new Map(turns === 'turns' ? [['turn', 1]] : []);
    for (const [name, value] of Object.entries(variables)) {
      for (let seat = 1; seat <= this.rules.seatsMax; seat++) {
        values.set(name.replace('{seat}', seat), typeof value === 'object' ? -1 : value);
      }
    }
    for (const [name, value] of Object.entries(given)) values.set(name, value);
    return values;
  }

  id(name) {
    return this.ids.get(name) ?? 2 ** 40;
  }

  destination({ to, before }) {
    return { collection: this.state.handles.get(to) ?? (Number(/^column\/(\d+)$/.exec(to)?.[1]) || 2 ** 20), before: before === undefined ? 0 : this.id(before) };
  }

  plan({ reorder, insert, remove, update, perform }) {
    if (reorder) {
      const suggested = (reorder.suggested ?? []).reduce((bits, name) => bits | OPERATIONS[name], 0);
      return planReorder(this.request, { sources: reorder.sources.map((name) => this.id(name)), destination: this.destination(reorder), suggested });
    }
    if (insert) {
      const items = insert.items.map((piece, index) => new Item({ id: 2 ** 52 + index, ...faceOf(piece) }));
      return planInsertion(this.request, { items, destination: this.destination(insert) });
    }
    if (remove) return planRemoval(this.request, remove.map((name) => this.id(name)));
    if (update) {
      const attributes = Object.entries(update.attributes).map(([name, value]) => ({
        name, number: typeof value === 'number' ? value : undefined, text: typeof value === 'string' ? value : undefined,
      }));
      return planUpdate(this.request, { item: this.id(update.item), attributes, representations: [] });
    }
    if (perform) return planAction(this.request, { action: perform.action, items: perform.items.map((name) => this.id(name)) });
    throw new Refusal('OPERATION_NOT_SUPPORTED');
  }

  order() {
    return new Map(this.state.collections.map(({ id, items }) => [id, items.map((item) => this.names.get(item) ?? item)]));
  }

  verdict(operation) {
    const before = this.order();
    const faces = new Map(this.state.items);
    const [variables, status] = [new Map(this.state.variables), this.state.status];
    let plan;
    try {
      plan = this.plan(operation);
    } catch (error) {
      if (error instanceof Refusal && error !== UNPREDICTABLE) return { refused: { reason: error.reason, rule: error.rule } };
      throw error;
    }
    // What stands there already is nobody's in the vectors, so that a move makes positions of its author's (N1).
    if (plan.isUnchanged && plan.form !== 'move') return { unchanged: true };
    const made = (operation.insert?.items.map(({ name }) => name) ?? plan.items ?? []).map((name) => `+${this.names.get(name) ?? name}`);
    made.forEach((name, index) => this.names.set(2 ** 52 + index, name));
    this.state.beginPrediction();
    if (!carryOut(this.request, plan, made.map((_, index) => ({ id: 2 ** 52 + index })))) return { unchanged: true };
    const after = {};
    for (const [id, items] of this.order()) if (items.join() !== (before.get(id) ?? []).join()) after[id] = items;
    return { accepted: { ...this.landing(operation, plan), ...this.values(variables, status), ...this.stamped(operation, faces), after } };
  }

  landing({ reorder, insert, remove }, plan) {
    const accepted = { operation: plan.operation || (insert ? 'cancel' : 'cancel'), redirected: plan.isRedirected ? true : undefined };
    if (!reorder && !insert && !remove) return accepted;
    if (plan.form === 'delete') return { ...accepted, count: plan.items.length };
    const { id } = this.state.collection(plan.collection);
    return { ...accepted, to: id, before: plan.before ? this.names.get(plan.before) : undefined, count: plan.items.length };
  }

  stamped({ reorder }, faces) {
    const isSame = (left, right) => left.size === right.size && [...left].every(([name, value]) => right.get(name) === value);
    const changed = [...this.state.items].filter(([id, item]) => faces.has(id) && !isSame(faces.get(id).attributes, item.attributes));
    const attributes = Object.fromEntries(changed.map(([id, item]) => [this.names.get(id), Object.fromEntries(item.attributes)]));
    return { attributes: reorder && changed.length > 0 ? attributes : undefined };
  }

  values(variables, status) {
    const changed = [...this.state.variables].filter(([name, value]) => variables.get(name) !== value);
    return {
      status: this.state.status === status ? undefined : this.state.status,
      variables: changed.length > 0 ? Object.fromEntries(changed) : undefined,
    };
  }
}

/** Whether an item has a new id is the daemon's to say: here it keeps the one that it has. */
const withoutNewIDs = (after) => Object.fromEntries(Object.entries(after).map(([id, names]) => [id, names.map((name) => name.replace(/^\+/, ''))]));

const defined = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

test('the rules make every decision of the vectors, undo aside (X4, I5)', () => {
  let [count, unpredictable] = [0, 0];
  const wrong = [];
  for (const { id, says, verdict, ...decision } of vectors('decisions').cases) {
    // An undo needs the history, which only the daemon has, and only it measures the time.
    if (decision.operation.undo !== undefined || decision.operation.expire !== undefined || decision.earlier) continue;
    const bench = new Bench(decision);
    let found;
    try {
      found = bench.verdict(decision.operation);
    } catch (error) {
      if (error !== UNPREDICTABLE) throw new Error(`${id}: ${says}`, { cause: error });
      unpredictable += 1;
      continue;
    }
    count += 1;
    const { turned = [], ...expected } = verdict.accepted ?? {};
    if (verdict.accepted) {
      for (const name of turned.filter((one) => bench.ids.has(one))) {
        const item = bench.state.items.get(bench.id(name));
        if (decision.operation.perform?.action !== 'pin' && item && !isFaceUp(bench.state, bench.rules, item)) wrong.push(`${id}: ${name} is face down`);
      }
    }
    try {
      if (!verdict.accepted) assert.deepEqual(found, verdict);
      else {
        assert.ok(found.accepted, JSON.stringify(found));
        const { after, ...rest } = found.accepted;
        assert.deepEqual(defined(rest), defined({ ...expected, after: undefined }));
        assert.deepEqual(withoutNewIDs(after), withoutNewIDs(expected.after));
      }
    } catch (error) {
      wrong.push(`${id}: ${says}: ${error.message}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(count > 250, `${count} decisions`);
  assert.ok(unpredictable < 5, `${unpredictable} that depend on chance`);
});

test('every right document of the fixtures compiles (C7)', async () => {
  const { readdirSync } = await import('node:fs');
  const folder = new URL('../../Protocol/table-types/', import.meta.url);
  for (const [columns, count, kinds] of [['made', 3, 4], ['fixed', 7, 5]]) {
    const options = new Map([['columns', columns], ['limit', 3], ['bin', 'true']]);
    const rules = compileRules(readText('Protocol/table-types/fixtures/right/if.json'), options);
    assert.deepEqual([rules.collections.length, rules.kinds.length, rules.openedKinds.size], [count, kinds, columns === 'made' ? 1 : 0]);
  }
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.json'))) {
    const { document, options } = bundled(name.replace('.json', ''));
    assert.equal(compileRules(document, options).name, name.replace('.json', ''));
  }
});

test('a document that this library does not understand is a DocumentError (C7, I12)', () => {
  const grid = JSON.parse(readText('Protocol/table-types/grid.json'));
  const nested = (depth) => (depth === 0 ? true : { not: nested(depth - 1) });
  const accept = (value) => ({ ...grid, collections: [{ kind: 'c', accept: value }] });
  const require = (predicate) => accept({ conditions: [{ require: predicate, else: 'NO' }] });
  const wrong = [
    null, [], 1, '', {}, { ...grid, baize: 2 }, { ...grid, future: true }, { ...grid, collections: {} }, { ...grid, seats: { max: 1e9 } },
    accept('open'), accept({ landing: 'middle' }), accept({ redirect: 'nowhere' }), accept({ from: ['__proto__'] }),
    require({ equal: [1] }), require({ equal: [1, { item: 'a', below: 'b' }] }), require({ constructor: 1 }), require(nested(100)),
    require({ everySeat: { everySeat: true } }), require({ equal: [{ option: 'none' }, 1] }), require({ equal: [{ group: 'none', of: 1 }, 1] }),
    { ...grid, collections: [{ kind: 'c', family: { from: 0, to: 1e15 } }] }, { ...grid, collections: [{ kind: 'c' }, { kind: 'c' }] },
    { ...grid, actions: { a: { cases: [{ steps: [{ deal: { from: 'c/0' } }] }] } } },
  ];
  for (const document of wrong) {
    assert.throws(() => compileRules(JSON.stringify(document), new Map()), DocumentError, JSON.stringify(document)?.slice(0, 200));
  }
  assert.throws(() => compileRules('{', new Map()), DocumentError);
  assert.throws(() => compileRules('['.repeat(200_000), new Map()), DocumentError);
});
