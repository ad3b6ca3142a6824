/** What the web table reads of a table type: titles, faces, colours and layouts of the bundled types (Protocol/table-types.md, "Looks"). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Item } from '../../Sources/BaizeServer/Web/baize.js';
import { Look } from '../../Sources/BaizeServer/Web/table/look.js';
import { bundled } from './support.js';

const look = (type) => new Look(bundled(type));
const item = (attributes, values = {}) => new Item({ id: 1, attributes: new Map(Object.entries(attributes)), representations: [], ...values });
const layouts = (type, ...ids) => ids.map((id) => look(type).kindOf(id).layout);

test('cards have faces, names that are read, and colours', () => {
  const klondike = look('klondike');
  assert.deepEqual(klondike.faceOf(item({ rank: 12, suit: 'hearts' })), ['Q', '♥']);
  assert.equal(klondike.nameOf(item({ rank: 12, suit: 'hearts' })), 'Q hearts');
  assert.equal(klondike.nameOf(item({}, { hidden: true })), 'face-down card');
  assert.deepEqual(['hearts', 'clubs'].map((suit) => klondike.colourOf(item({ rank: 1, suit }))), ['red', undefined]);
  assert.equal(klondike.faceOf(item({ rank: 12 })), undefined, 'no face without a suit');
});

test('items have titles', () => {
  const [kanban, playlist] = [look('kanban?columns=fixed'), look('playlist')];
  assert.deepEqual([{ title: 'Ship', number: 7 }, { number: 7 }, {}].map((one) => kanban.nameOf(item(one))), ['Ship', '#7', 'untitled']);
  assert.equal(playlist.detailOf(item({ title: 'Für Elise', artist: 'Beethoven' })), 'Beethoven');
  assert.deepEqual([kanban.allowsInsert('todo'), kanban.allowsInsert('doing'), kanban.allowsRemove('doing')], [true, false, false]);
  assert.deepEqual([playlist.isBin('bin'), playlist.contentTypeFor('queue'), playlist.isBin('queue')], [true, 'text/plain', false]);
  assert.equal(new Look(bundled('kanban?columns=fixed&doing=5')).capacityOf('doing'), 5);
});

test('collections have titles and layouts', () => {
  assert.deepEqual(layouts('klondike', 'pile/3', 'stock', 'waste', 'foundation/hearts'), ['cascade', 'pile', 'pile', 'pile']);
  assert.deepEqual(layouts('hand', 'hand/1', 'run/0', 'discard'), ['fan', 'fan', 'pile']);
  assert.deepEqual(layouts('kanban', 'todo'), ['list']);
  const titles = (type, ...ids) => ids.map((id) => look(type).titleOfCollection(id));
  assert.deepEqual(titles('klondike', 'pile/3', 'foundation/hearts', 'stock'), ['Pile 4', 'Foundation ♥', 'Stock']);
  assert.deepEqual(titles('hand', 'set/12', 'hand/2'), ['Set Q', 'Hand']);
  assert.deepEqual(titles('nerts', 'work/2-0', 'foundation/2-3'), ['Work pile 1', 'Foundation 8']);
  assert.equal(look('hand').sharesEmptyPlace('run/3'), true);
});

test('touching a stock draws from it', () => {
  assert.deepEqual(['klondike', 'klondike?draw=3'].map((type) => look(type).isSpread('waste')), [false, true]);
  const touched = (type, ...ids) => ids.map((id) => look(type).actionsOf(id, 2).map(({ name }) => name).join());
  assert.deepEqual(touched('klondike', 'stock', 'waste'), ['draw', '']);
  assert.deepEqual(touched('speed', 'draw/2', 'draw/1', 'side/1', 'side/2', 'centre/1'), ['draw', '', 'flip', 'flip', '']);
  assert.deepEqual(touched('hearts', 'trick', 'gift/2', 'gift/1', 'taken/2'), ['take', 'pass', '', 'deal'], 'of all players one’s own');
});
