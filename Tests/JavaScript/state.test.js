/** States and hashes: rules D1–D13, S1–S11, V1–V9 by `states.json` and `hashes.json` (X2, X6; I1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../../Sources/BaizeServer/Web/baize/codec.js';
import { ByteHash, faceHash, mix, orderHash, viewHash } from '../../Sources/BaizeServer/Web/baize/hash.js';
import { ServerMessage } from '../../Sources/BaizeServer/Web/baize/schema.js';
import { Item, Mismatch, openings, StateLoader } from '../../Sources/BaizeServer/Web/baize/state.js';
import { compareTexts } from '../../Sources/BaizeServer/Web/baize/text.js';
import { fromHex, vectors } from './support.js';

const hex = (hash) => hash.toString(16).padStart(16, '0');

function byteHash(bytes) {
  const hash = new ByteHash();
  for (const byte of bytes) hash.byte(byte);
  return hash.finish();
}

/** Returns an item from the JSON mapping of Protocol Buffers. */
function itemOf({ id, hidden, pinned, attributes = [], representations = [] }) {
  const value = ({ number, text }) => (text !== undefined ? text : BigInt.asIntN(64, BigInt(number)));
  return new Item({
    id: Number(id), hidden, pinned,
    attributes: new Map(attributes.map((attribute) => [attribute.name, value(attribute)])),
    representations: representations.map(({ contentType, data = '' }) => ({ contentType, data: Buffer.from(data, 'base64') })),
  });
}

test('the parts of the view hash (X6: V1–V4)', () => {
  const { mixes, bytes, faces, orders } = vectors('hashes');
  for (const { word, hash } of mixes) assert.equal(hex(mix(BigInt(`0x${word}`))), hash);
  for (const vector of bytes) assert.equal(hex(byteHash(fromHex(vector.bytes))), vector.hash);
  for (const { says, item, hash } of faces) assert.equal(hex(faceHash(itemOf(item))), hash, says);
  for (const { items, hash } of orders) assert.equal(hex(orderHash(items)), hash);
});

test('snapshots and diffs give the states and hashes of the vectors (X2, I1)', () => {
  const { cases } = vectors('states');
  let count = 0;
  for (const { id, steps } of cases) {
    let [loader, state] = [];
    for (const { messages, revision, collections, status, hash, says } of steps) {
      for (const message of messages) {
        const { snapshot, diff } = decode(ServerMessage, fromHex(message));
        if (diff) state.apply(diff);
        if (!snapshot) continue;
        if (snapshot.first) loader = new StateLoader(snapshot);
        loader.add(snapshot);
        if (snapshot.complete) state = loader.finish();
      }
      const found = [state.revision, state.collections.map(({ items }) => items), state.status, hex(viewHash(state))];
      assert.deepEqual(found, [revision, collections, status, hash], `${id}, ${says}`);
      count += 1;
    }
  }
  assert.ok(count > 50);
});

test('a prediction that is rolled back leaves no trace (I10)', () => {
  for (const { id, steps } of vectors('states').cases) {
    const loader = new StateLoader(decode(ServerMessage, fromHex(steps[0].messages[0])).snapshot);
    for (const message of steps[0].messages) loader.add(decode(ServerMessage, fromHex(message)).snapshot);
    const state = loader.finish();
    state.beginPrediction();
    for (const collection of state.collections.filter(({ items }) => items.length > 0)) {
      const [first] = collection.items;
      state.take(first);
      state.put([first], state.collections[0], 0);
      state.setItem(first, state.items.get(first).with({ pinned: true }));
      state.set(collection, 'enabled', false);
      state.setVariable('x', 1);
      state.set(state, 'status', 'won');
    }
    state.rollBack();
    assert.equal(hex(viewHash(state)), steps[0].hash, id);
  }
});

test('what does not fit is a mismatch (D1, S1, S11)', () => {
  const collections = [{ handle: 1, id: 'a', count: 1, enabled: true }, { handle: 2, id: 'b', count: 2, enabled: true }];
  const first = { epoch: 1, revision: 1, collections, items: [], status: 'open', variables: [], seats: [] };
  const item = (id, collection) => ({ id, collection, attributes: [], representations: [] });
  const load = (...items) => {
    const loader = new StateLoader(first);
    loader.add({ epoch: 1, revision: 1, items });
    return loader.finish();
  };
  const wrong = [
    () => load(item(1, 3)), () => load(item(1, 1), item(1, 2)), () => load(item(1, 2)), () => load(item(0, 1)),
    () => load(item(1, 1), item(2, 1)), () => new StateLoader({ ...first, collections: [collections[1]] }),
    () => new StateLoader(first).add({ epoch: 2, revision: 1, items: [] }),
  ];
  for (const make of wrong) assert.throws(make, Mismatch, make.toString());
  const changes = [
    { moved: { items: [9], destination: { collection: 1, before: 0 } } }, { moved: { items: [1], destination: undefined } },
    { moved: { items: [1], destination: { collection: 1, before: 1 } } }, { removed: { items: [1, 1] } },
    { moved: { items: [1], destination: { collection: 7, before: 0 } } }, { faced: { items: [item(9, 1)] } },
    { inserted: { items: [item(1, 1)], destination: { collection: 1, before: 0 } } },
    { inserted: { items: [item(2 ** 52, 1)], destination: { collection: 1, before: 0 } } },
    ...[2, 2 ** 31].map((opens) => ({ inserted: { items: [{ ...item(2, 1), opens }], destination: { collection: 1, before: 0 } } })),
    { enabled: { collection: 0, enabled: true } }, { counted: { collection: 1, count: 1 } },
  ];
  for (const change of changes) {
    assert.throws(() => load(item(1, 1)).apply({ revision: 2, changes: [change] }), Mismatch, JSON.stringify(change));
  }
  assert.throws(() => load(item(1, 1)).apply({ revision: 3, changes: [] }), Mismatch);
});

test('a collection that an item opens is named by the document, and has items no longer than the item is there (Q1, Q2)', () => {
  const document = { collections: [{ kind: 'columns', opens: { kind: 'column' } }, 7], opened: [{ kind: 'column' }] };
  const collections = [{ handle: 1, id: 'columns', count: 0, enabled: true }];
  const first = { epoch: 1, revision: 1, collections, items: [], status: 'open', variables: [], seats: [] };
  const item = (id, collection, opens = 0) => ({ id, collection, opens, attributes: [], representations: [] });
  const insert = (...items) => ({ inserted: { items, destination: { collection: items[0].collection, before: 0 } } });
  const loader = new StateLoader(first, undefined, openings(JSON.stringify(document)));
  loader.add(first);
  const state = loader.finish();
  state.apply({ revision: 2, changes: [insert(item(1, 1, 3)), insert(item(2, 3), item(3, 3))] });
  assert.deepEqual(state.collections.map(({ id }) => id), ['columns', 'column/3']);
  assert.equal(state.handles.get('column/3'), 3);
  assert.throws(() => state.apply({ revision: 3, changes: [{ removed: { items: [1, 2] } }] }), Mismatch);
  for (const text of ['', 'null', '[]', '{"collections":[{"opens":{"kind":7}}]}']) assert.equal(openings(text).size, 0);
});

test('names are in the order of their bytes (D11)', () => {
  const names = ['', 'a', 'b', 'ab', 'é', '\ufeff', '\uff5e', '\u{1f600}', '\ud7ff', '\ue000', '\u{10ffff}'];
  const byBytes = [...names].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  assert.deepEqual([...names].sort(compareTexts), byBytes);
});
