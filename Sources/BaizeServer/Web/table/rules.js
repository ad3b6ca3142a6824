/** How the bundled games are played, for people who do not know them. */

import { make } from './dom.js';
import { say } from './language.js';

const RULES = {
  klondike: [
    'Bring all cards to the four foundations, from ace to king, each in one suit.',
    'On the piles, cards go down by one, red on black and black on red; several that lie so can be moved together. Only a king goes on an empty pile.',
    'Draw from the stock when nothing else helps. Everybody at the table plays the same game.',
  ],
  hand: [
    'Be the first without cards. In each turn, draw a card from the stock or take the last one that was discarded, and then discard one.',
    'Before you discard, you may lay down three or more cards of one rank as a set, or of one suit and in order as a run, and add cards to what lies there.',
    'To lay down several cards, touch one after the other, and then the place.',
  ],
  hearts: [
    'Do not take hearts, which are one point each, or the queen of spades, which is thirteen. Who takes all of them gives the others 26.',
    'Before each hand, choose three cards and put them on “To pass”; they go to the left, to the right, across, and every fourth time nowhere.',
    'The two of clubs leads. Follow the suit if you can; the highest card of that suit takes the trick and leads next. Hearts are not led before one has been discarded, and the first trick has no points.',
    'The game ends when somebody has 100 points, or what the table was made with. The fewest points win.',
  ],
  speed: [
    'Be the first without cards. Both play at once, without turns.',
    'Put a card of your hand on a centre pile if it is one higher or lower than the card there; an ace goes on a king, and a king on an ace.',
    'Draw up to five cards. If neither can play, both flip, and new cards come to the centre.',
  ],
  nerts: [
    'Empty your Nerts pile first. All play at once, without turns.',
    'Foundations belong to everybody: they begin with an ace and go up in one suit. On your work piles, cards go down by one, red on black and black on red.',
    'Draw from your stock to the waste, whose last card you may play. If you cannot go on, say that you are stuck: when all are, cards come one at a time.',
    'Each card on a foundation is a point, and each that is left in your Nerts pile costs two.',
  ],
};

/** Shows how a bundled game is played, or one whose document has the paragraphs. */
export function openRules(title, type, own = []) {
  const close = make('button.primary', { type: 'button', text: say('Close'), on: { click: () => dialog.close() } });
  const dialog = make('dialog.rules', { 'aria-label': say('How to play {game}', { game: title }), on: { close: () => dialog.remove() } },
    make('h2', { text: say('How to play {game}', { game: title }) }), ...(own.length > 0 ? own : RULES[type]).map((text) => make('p', { text: say(text) })), make('p.buttons', {}, close));
  document.body.append(dialog);
  dialog.showModal();
}
