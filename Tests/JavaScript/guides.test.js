/** What the web table says is asked of whom in the bundled games, for those who play and for those who watch. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GUIDES } from '../../Sources/BaizeServer/Web/table/guides.js';

const NAMES = ['', 'Ada', 'Bo', 'Cy', 'Di'];

/** A situation in which each collection holds a number of items, or a list of cards. */
const situation = (seat, acting, variables, collections = {}, possible = []) => ({
  seat, acting,
  others: [1, 2, 3, 4].filter((other) => other !== seat),
  variable: (name) => variables[name],
  count: (id) => collections[id]?.length ?? collections[id] ?? 0,
  items: (id) => (Array.isArray(collections[id]) ? collections[id] : []),
  name: (other) => NAMES[other],
  can: (action) => possible.includes(action),
});
const card = (suit, rank) => new Map(Object.entries({ suit, rank }));
const said = (type, ...about) => {
  const { text, isOwn } = GUIDES[type].ask(situation(...about)) ?? {};
  return [text, isOwn];
};

test('hearts asks each for something else', () => {
  const pass = { phase: 'pass', round: 1, turn: 1 };
  assert.deepEqual(said('hearts', 1, 1, pass, { 'gift/1': 2 }), ['Choose 1 card to pass to Di.', true]);
  assert.deepEqual(said('hearts', 1, 1, pass, { 'gift/1': 3, 'gift/2': 3, 'gift/4': 3 }), ['Waiting for Cy to choose three cards.', false]);
  assert.deepEqual(said('hearts', 0, 1, pass), ['All choose three cards to pass.', false], 'who watches is asked for nothing');
  const first = { phase: 'play', trick: 1, turn: 1 };
  assert.deepEqual(said('hearts', 3, 1, first, { 'hand/3': [card('clubs', 2)] }), ['You have the two of clubs: play it.', true]);
  assert.deepEqual(said('hearts', 1, 1, first, { 'hand/1': [card('clubs', 3)] }), ['Whoever has the two of clubs plays it.', false]);
  assert.deepEqual(said('hearts', 0, 2, { phase: 'play', trick: 2, turn: 2 }), ['Bo leads.', false]);
  assert.deepEqual(said('hearts', 0, 2, { phase: 'count' }), ['The hand is over.', false]);
  assert.deepEqual(said('hearts', 1, 1, {}), [undefined, undefined], 'another document of that name');
});

test('who played a card of a trick is known from the turn', () => {
  const players = (variables, cards) => cards.map((_, index) => GUIDES.hearts.playerOf(situation(1, 0, variables, { trick: cards }), 'trick', index));
  const trick = [card('spades', 3), card('spades', 12), card('spades', 14), card('hearts', 14)];
  assert.deepEqual(players({ turn: 2 }, trick.slice(0, 2)), [4, 1], 'the next is the second seat');
  assert.deepEqual(players({ turn: 1, led: 'spades', best: 14 }, trick), [3, 4, 1, 2], 'the ace is that of the first seat');
  assert.equal(GUIDES.hearts.playerOf(situation(1, 0, {}, {}), 'hand/1', 0), undefined);
});

test('games without turns wait for nobody', () => {
  assert.deepEqual(said('speed', 0, 0, { 'stuck/1': 0 }), [undefined, undefined]);
  assert.deepEqual(said('speed', 1, 0, { 'stuck/1': 1, 'stuck/2': 0 }), ['You wait until Bo cannot play either.', undefined]);
  assert.deepEqual(said('nerts', 2, 0, { 'stuck/1': 1, 'stuck/2': 0 }, { 'nerts/2': 1 }), ['1 card to go in your Nerts pile. Ada cannot play.', undefined]);
  assert.deepEqual(said('hand', 1, 1, { drawn: 0 }), ['Your turn: draw a card, or take the last one that was discarded.', true]);
  assert.deepEqual(said('hand', 2, 1, { drawn: 0 }), ['It is Ada’s turn.', false]);
});
