/** How robots play hearts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseHeart } from '../../Sources/BaizeServer/Web/table/hearts.js';

const SUITS = { C: 'clubs', D: 'diamonds', H: 'hearts', S: 'spades' };
const cards = (text) => text.split(' ').filter(Boolean).map((one) => new Map([['suit', SUITS[one[0]]], ['rank', Number(one.slice(1))]]));
const nameOf = (card) => card.get('suit')[0].toUpperCase() + card.get('rank');
const chosen = (hand, trick, phase = 'play') => {
  const played = cards(trick);
  const led = played[0]?.get('suit') ?? 'none';
  const best = Math.max(0, ...played.filter((card) => card.get('suit') === led).map((card) => card.get('rank')));
  return nameOf(chooseHeart(cards(hand).map((card) => ({ card })), { phase, trick: played, led, best }).card);
};

test('what is dangerous is passed', () => {
  assert.equal(chosen('C2 S12 H14 D3', '', 'pass'), 'S12');
  assert.equal(chosen('C2 S13 H14 D3', '', 'pass'), 'S13');
  assert.equal(chosen('C14 H10 D3', '', 'pass'), 'H10');
});

test('a trick is ducked with the highest card that is low enough', () => {
  assert.equal(chosen('C4 C9 C13', 'C10 C3'), 'C9');
  assert.equal(chosen('S5 S12', 'S13'), 'S12');
});

test('where it must be taken, the last player takes it with a high card, and others try with a low one', () => {
  assert.equal(chosen('C11 C14', 'C10 C3 C4'), 'C14');
  assert.equal(chosen('C11 C14', 'C10 C3'), 'C11');
  assert.equal(chosen('S12 S14', 'S10 S3 S4'), 'S14');
  assert.equal(chosen('S12', 'S10 S3 S4'), 'S12');
});

test('who cannot follow gives points away', () => {
  assert.equal(chosen('H3 S12 D14', 'C10'), 'S12');
  assert.equal(chosen('H3 H9 D14', 'C10'), 'H9');
});

test('a low card is led, and no high spade', () => {
  assert.equal(chosen('C9 D4 H12', ''), 'D4');
  assert.equal(chosen('S12 S13 C14', ''), 'C14');
});

test('over many hands it takes fewer points than a player by chance', () => {
  let seed = 7;
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  const totals = [0, 0, 0, 0];
  for (let hand = 0; hand < 200; hand += 1) for (const [seat, points] of playHand(random, hand % 4).entries()) totals[(seat + 4 - (hand % 4)) % 4] += points;
  const [own, ...others] = totals;
  assert.ok(own * 2 < Math.min(...others), `${totals} points, the first by rule, the others by chance`);
});

/** Plays a hand without passing: one seat by rule, the others by chance. Returns the points of each. */
function playHand(random, ruled) {
  const deck = Object.keys(SUITS).flatMap((suit) => Array.from({ length: 13 }, (_, index) => `${suit}${index + 2}`)).map((name) => [random(), name]).sort(([one], [other]) => one - other).map(([, name]) => name);
  const hands = [0, 1, 2, 3].map((seat) => cards(deck.slice(seat * 13, seat * 13 + 13).join(' ')));
  const points = [0, 0, 0, 0];
  let leader = hands.findIndex((hand) => hand.some((card) => nameOf(card) === 'C2'));
  for (let number = 0; number < 13; number += 1) {
    const trick = [];
    for (let step = 0; step < 4; step += 1) {
      const seat = (leader + step) % 4;
      const led = trick[0]?.get('suit') ?? 'none';
      const following = hands[seat].filter((card) => card.get('suit') === led);
      const legal = following.length > 0 ? following : number === 0 && step === 0 ? hands[seat].filter((card) => nameOf(card) === 'C2') : hands[seat];
      const best = Math.max(0, ...trick.filter((card) => card.get('suit') === led).map((card) => card.get('rank')));
      const card = seat === ruled ? chooseHeart(legal.map((one) => ({ card: one })), { phase: 'play', trick, led, best }).card : legal[Math.floor(random() * legal.length)];
      hands[seat] = hands[seat].filter((one) => one !== card);
      trick.push(card);
    }
    const led = trick[0].get('suit');
    const ranks = trick.map((card) => (card.get('suit') === led ? card.get('rank') : 0));
    leader = (leader + ranks.indexOf(Math.max(...ranks))) % 4;
    points[leader] += trick.reduce((sum, card) => sum + (nameOf(card) === 'S12' ? 13 : card.get('suit') === 'hearts' ? 1 : 0), 0);
  }
  return points;
}
