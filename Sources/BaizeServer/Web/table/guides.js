/**
 * What is asked of whom in the bundled games, in sentences. Each guide reads a situation and returns `{ text, isOwn }`, where `isOwn` is
 * whether the game waits for this person; `undefined` leaves it to the order of turns. The seat of who watches is 0. A guide that finds
 * another document under its type's name finds no variables, and says nothing.
 */

import { say, sayCount } from './language.js';
import { listed } from './words.js';

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
      if (seat === 0) return wait(say('All choose three cards to pass.'));
      const missing = PASSED - count(`gift/${seat}`);
      const left = seatFrom(seat, PASSED_TO[variable('round')]);
      if (missing > 0) return own(sayCount(missing, 'Choose {count} card to pass to {name}.', 'Choose {count} cards to pass to {name}.', { name: name(left) }));
      const waiting = others.filter((other) => count(`gift/${other}`) < PASSED);
      if (waiting.length > 0) return wait(say('Waiting for {names} to choose three cards.', { names: listed(waiting.map(name)) }));
      return own(say('All have chosen: pass the cards.'));
    }
    case 'count':
      return seat === 0 ? wait(say('The hand is over.')) : own(say('The hand is over: deal the next one.'));
    case 'play':
      break;
    default:
      return undefined;
  }
  const played = count('trick');
  if (played === TRICK) return acting === seat ? own(say('The trick is yours: take it.')) : wait(say('{name} takes the trick.', { name: name(acting) }));
  if (played === 0 && variable('trick') === 1) {
    const leads = items(`hand/${seat}`).some((item) => item.get('suit') === 'clubs' && item.get('rank') === 2);
    return leads ? own(say('You have the two of clubs: play it.')) : wait(say('Whoever has the two of clubs plays it.'));
  }
  if (played === 0) return acting === seat ? own(say('You lead: play a card.')) : wait(say('{name} leads.', { name: name(acting) }));
  return acting === seat ? own(say(`Your turn: follow with ${variable('led')} if you can.`)) : wait(say('It is {name}’s turn.', { name: name(acting) }));
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
  if (acting !== seat) return wait(say('It is {name}’s turn.', { name: name(acting) }));
  if (variable('drawn') !== seat) return own(say('Your turn: draw a card, or take the last one that was discarded.'));
  return own(say('Lay down sets and runs if you can. Then discard a card.'));
}

function speed({ seat, variable, count, name, others: [other], can }) {
  if (seat === 0 || variable('stuck/1') === undefined) return undefined;
  if (variable(`stuck/${seat}`) === 1) return tell(say('You wait until {name} cannot play either.', { name: name(other) }));
  const play = say('Play cards that are one higher or lower than one in the centre.');
  if (variable(`stuck/${other}`) === 1) return tell(say('{name} cannot play. Play a card, or flip.', { name: name(other) }));
  if (can('draw')) return tell(sayCount(count(`hand/${seat}`), 'You have {count} card: draw up to five.', 'You have {count} cards: draw up to five.'));
  return tell(play);
}

function nerts({ seat, variable, count, name, others }) {
  if (seat === 0 || variable('stuck/1') === undefined) return undefined;
  const stuck = others.filter((other) => variable(`stuck/${other}`) === 1);
  if (variable(`stuck/${seat}`) === 1) {
    const rest = others.filter((other) => !stuck.includes(other));
    return tell(rest.length > 0 ? say('You are stuck, and {names} may still play.', { names: listed(rest.map(name)) }) : say('All are stuck: draw one card at a time.'));
  }
  const left = sayCount(count(`nerts/${seat}`), '{count} card to go in your Nerts pile.', '{count} cards to go in your Nerts pile.');
  return tell(stuck.length > 0 ? `${left} ${say('{names} cannot play.', { names: listed(stuck.map(name)) })}` : left);
}

/** The guides by the names of the types, each with what tells who played a card. */
export const GUIDES = {
  hand: { ask: rummy },
  hearts: { ask: hearts, playerOf: heartsPlayer },
  nerts: { ask: nerts },
  speed: { ask: speed },
};
