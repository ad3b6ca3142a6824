/** Words for people: the reasons of refusals, the ends of games, and names made of codes. */

import { locale, say } from './language.js';

const REASONS = {
  ALREADY_DRAWN: 'You have drawn already.',
  CAPACITY_EXCEEDED: 'There is no more room there.',
  CLAIMED: 'Someone else is holding that.',
  CONTAINER_DISABLED: 'This place is frozen.',
  COLLECTION_GONE: 'That is not there any more.',
  CONTENDED: 'Someone else was faster.',
  DEPENDS_ON_REFUSED: 'What this depended on was refused.',
  DESTINATION_CLOSED: 'Nothing can be put there.',
  DUPLICATE_KEY: 'There is one like it already.',
  FACE_DOWN: 'It is face down.',
  FACE_HIDDEN: 'You cannot see its face.',
  FOREIGN_ITEM: 'It cannot go there from here.',
  GAME_OVER: 'The game is over.',
  NOT_EMPTY: 'It still has items in it.',
  NOT_JOINED: 'You are not connected.',
  NOT_REORDERABLE: 'It stays where it is.',
  NOT_TOP: 'Only the last one can be taken.',
  NOT_YOUR_TURN: 'It is not your turn.',
  NOT_YOUR_ZONE: 'That belongs to another player.',
  OPERATION_NOT_SUPPORTED: 'That is not possible here.',
  PERMISSION_DENIED: 'You may not do that.',
  POSITION_NOT_ALLOWED: 'It can only go at the end.',
  RATE_LIMITED: 'That was too fast.',
  SEAT_LOST: 'You made that in a seat that you do not have any more.',
  BASE_FORGOTTEN: 'Others may have changed that since you did it.',
  STORAGE: 'The server cannot store it at the moment.',
  TEXT_TOO_LONG: 'The text is too long.',
  TOO_MANY_ITEMS: 'Those are too many at once.',
  TOO_MANY_PENDING: 'Too much is waiting for an answer.',
  UNCHANGED: 'That would change nothing.',
  UNDO_TOO_LATE: 'It is too late to undo that.',
  UNKNOWN_ITEM: 'It is not there any more.',
};

const GOODBYES = {
  BAD_NAME: 'The name is too long.',
  BAD_TABLE_ID: 'There is no such table.',
  CREATE_NOT_ALLOWED: 'You may not create tables here.',
  DISPLACED: 'This seat is open in another window.',
  INVITE_INVALID: 'The link is not valid for this table, or no longer.',
  KICKED: 'You have been removed from the table.',
  LEAVING: 'You have left the table.',
  STORAGE: 'The server has no room to store a table at the moment.',
  SHUTTING_DOWN: 'The server is going away.',
  TABLE_CLOSED: 'The table was closed.',
  TABLE_FULL: 'All seats are taken. You can still watch.',
  TABLE_TYPE_MISMATCH: 'There is another table of that name.',
  TIMEOUT: 'The server does not answer.',
  TOO_MANY_TABLES: 'There are too many tables at the moment.',
  UNKNOWN_TABLE: 'This table does not exist, or no longer.',
  UNKNOWN_TYPE: 'The server has no such kind of table.',
};

/** What is said in the page's own words, whatever the rule says. */
const OWN_WORDS = new Set(['NOT_EMPTY', 'UNCHANGED']);

/** Returns a sentence for a refusal: that of the rule, or one for the reason. */
export function reasonText({ reason, detail, rule }) {
  if (rule && detail && !OWN_WORDS.has(reason) && rule !== 'turns') return asSentence(detail);
  return REASONS[reason] ? say(REASONS[reason]) : detail ? asSentence(detail) : say('That was refused: {reason}.', { reason: humanized(reason).toLowerCase() });
}

/** Characters that turn the direction of what follows them, beyond a name's end. */
const DIRECTIONS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;
/** Characters of which nothing is seen. */
const UNSEEN = /[\p{C}\p{Z}\u115f\u1160\u2800\u3164\uffa0]/gu;

/** Returns a name as it may stand in a sentence; one of which nothing would be seen is `other`. */
export function plainName(text, other) {
  return text.replace(UNSEEN, '') === '' ? other : text.replace(DIRECTIONS, '');
}

/** Returns the name of a person who has a seat. */
export const personName = (seat) => (seat ? plainName(seat.name, say('Player {number}', { number: seat.seat })) : say('Somebody'));

const UNSAVED = {
  OFFLINE: 'Reconnecting…',
  RATE_LIMITED: 'That was too fast for the server.',
  SILENT: 'The server does not answer.',
  STORAGE: 'The server cannot store it at the moment.',
};

/** Returns why something is not saved. */
export function unsavedReason(reason) {
  return say(UNSAVED[reason] ?? 'The server has not confirmed it yet.');
}

/** Returns what is said of a table as it was seen at a time: that of the day, with the date if it is another one. */
export function seenText(at) {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  const time = new Date(at).toLocaleString(locale, { timeStyle: 'short', ...(!isToday && { dateStyle: 'medium' }) });
  return say('As of {time}; not connected.', { time });
}

/** Returns a sentence for the end of a connection. */
export function goodbyeText({ reason, detail }) {
  // The daemon says who is away.
  if (reason === 'TABLE_FULL' && detail) return `${asSentence(detail)} ${say('You can still watch.')}`;
  return GOODBYES[reason] ? say(GOODBYES[reason]) : detail ? asSentence(detail) : say('The connection has ended: {reason}.', { reason: humanized(reason).toLowerCase() });
}

/** Returns `passTurn`, `doing` or `NOT_A_RUN` as words: `Pass turn`, `Doing`, `Not a run`. */
export function humanized(name) {
  const isCode = /^[A-Z0-9_]+$/.test(name);
  const words = (isCode ? name.toLowerCase() : name).replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns a text of the daemon's, which may have names in it, as a sentence. */
function asSentence(words) {
  const text = words.replace(DIRECTIONS, '');
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return say(/[.!?…]$/.test(sentence) ? sentence : `${sentence}.`);
}

/** Returns `0:07` or `12:30`. */
export function timeText(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Returns what is said when a time is up. */
export function timeUpText({ up, seat }, nameOfSeat) {
  return up === 'table' || seat === 0 ? say('The time is up.') : asSentence(say('the time of {name} is up', { name: nameOfSeat(seat) }));
}

const UNITS = [['year', 31_536_000], ['month', 2_592_000], ['week', 604_800], ['day', 86_400], ['hour', 3_600], ['minute', 60]];
const AGES = new Intl.RelativeTimeFormat(locale);
const NOW = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second');

/** Returns `3 days ago` for a time that is so many milliseconds past, `now` for less than a minute. */
export function agoText(milliseconds) {
  const seconds = milliseconds / 1_000;
  const [unit, size] = UNITS.find((one) => seconds >= one[1]) ?? [];
  return unit ? AGES.format(-Math.floor(seconds / size), unit) : NOW;
}

const LISTS = new Intl.ListFormat(locale);

/** Returns `Ada, Bo, and Cleo`. */
export const listed = (names) => LISTS.format(names);

/** Returns what a final status says; a status like `won-2` names a seat. */
export function statusText(status, nameOfSeat) {
  const [, word, seat] = /^(.*?)(?:-(\d+))?$/.exec(status);
  if (seat === undefined) return say(word === 'won' ? 'Won!' : `${humanized(word)}.`);
  return asSentence(word === 'won' ? say('{name} won!', { name: nameOfSeat(Number(seat)) }) : `${say(humanized(word))}: ${nameOfSeat(Number(seat))}`);
}
