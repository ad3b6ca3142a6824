/**
 * What is asked of whom in the bundled games, in sentences. Each guide reads a situation and returns `{ text, isOwn }`, where `isOwn` is
 * whether the game waits for this person; `undefined` leaves it to the order of turns. The seat of who watches is 0. A guide that finds
 * another document under its type's name finds no variables, and says nothing.
 */

import { counted, listed } from './words.js';

const own = (text) => ({ text, isOwn: true });
const wait = (text) => ({ text, isOwn: false });
/** Both at once: nobody is waited for. */
const tell = (text) => ({ text, isOwn: undefined });

const PASSED = 3;
const SEATS = 4;
const TRICK = 4;
/** How many seats to the left the cards go, by the round. */
const PASSED_TO = [1, 3, 2];

const seatFrom = (seat, steps) => ((seat - 1 + steps + SEATS) % SEATS) + 1;

function hearts({ seat, variable, count, items, name, acting, others }) {
  switch (variable('phase')) {
    case 'pass': {
      if (seat === 0) return wait('All choose three cards to pass.');
      const missing = PASSED - count(`gift/${seat}`);
      const left = seatFrom(seat, PASSED_TO[variable('round')]);
      if (missing > 0) return own(`Choose ${counted(missing, 'card')} to pass to ${name(left)}.`);
      const waiting = others.filter((other) => count(`gift/${other}`) < PASSED);
      if (waiting.length > 0) return wait(`Waiting for ${listed(waiting.map(name))} to choose three cards.`);
      return own('All have chosen: pass the cards.');
    }
    case 'count':
      return seat === 0 ? wait('The hand is over.') : own('The hand is over: deal the next one.');
    case 'play':
      break;
    default:
      return undefined;
  }
  const played = count('trick');
  if (played === TRICK) return acting === seat ? own('The trick is yours: take it.') : wait(`${name(acting)} takes the trick.`);
  if (played === 0 && variable('trick') === 1) {
    const leads = items(`hand/${seat}`).some((item) => item.get('suit') === 'clubs' && item.get('rank') === 2);
    return leads ? own('You have the two of clubs: play it.') : wait('Whoever has the two of clubs plays it.');
  }
  if (played === 0) return acting === seat ? own('You lead: play a card.') : wait(`${name(acting)} leads.`);
  return acting === seat ? own(`Your turn: follow with ${variable('led')} if you can.`) : wait(`It is ${name(acting)}’s turn.`);
}

/** Returns the seat that played a card of a trick, by its index: all play in order, and the turn goes to the next or to the winner. */
function heartsPlayer({ variable, items }, collection, index) {
  if (collection !== 'trick') return undefined;
  const cards = items('trick');
  const turn = variable('turn');
  if (cards.length < TRICK) return seatFrom(turn, index - cards.length);
  const won = cards.findIndex((card) => card.get('suit') === variable('led') && card.get('rank') === variable('best'));
  return won < 0 ? undefined : seatFrom(turn, index - won);
}

function rummy({ seat, variable, name, acting }) {
  if (acting !== seat) return wait(`It is ${name(acting)}’s turn.`);
  if (variable('drawn') !== seat) return own('Your turn: draw a card, or take the last one that was discarded.');
  return own('Lay down sets and runs if you can. Then discard a card.');
}

function speed({ seat, variable, count, name, others: [other], can }) {
  if (seat === 0 || variable('stuck/1') === undefined) return undefined;
  if (variable(`stuck/${seat}`) === 1) return tell(`You wait until ${name(other)} cannot play either.`);
  const play = 'Play cards that are one higher or lower than one in the centre.';
  if (variable(`stuck/${other}`) === 1) return tell(`${name(other)} cannot play. Play a card, or flip.`);
  if (can('draw')) return tell(`You have ${counted(count(`hand/${seat}`), 'card')}: draw up to five.`);
  return tell(play);
}

function nerts({ seat, variable, count, name, others }) {
  if (seat === 0 || variable('stuck/1') === undefined) return undefined;
  const stuck = others.filter((other) => variable(`stuck/${other}`) === 1);
  if (variable(`stuck/${seat}`) === 1) {
    const rest = others.filter((other) => !stuck.includes(other));
    return tell(rest.length > 0 ? `You are stuck, and ${listed(rest.map(name))} may still play.` : 'All are stuck: draw one card at a time.');
  }
  const left = `${counted(count(`nerts/${seat}`), 'card')} to go in your Nerts pile.`;
  return tell(stuck.length > 0 ? `${left} ${listed(stuck.map(name))} cannot play.` : left);
}

/** The guides by the names of the types, each with what tells who played a card. */
export const GUIDES = {
  hand: { ask: rummy },
  hearts: { ask: hearts, playerOf: heartsPlayer },
  nerts: { ask: nerts },
  speed: { ask: speed },
};
