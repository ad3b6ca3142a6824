/**
 * What an app passes in, as messages of the wire. What cannot be sent is refused here (L3, L4): a mistake costs the app one
 * operation, and never its session (I12).
 */

import * as limits from './limits.js';
import { Refusal } from './refusal.js';
import { byteLength, encodeText, isText } from './text.js';

const fits = (text, bytesMax) => isText(text) && byteLength(text) <= bytesMax;
const invalid = (detail) => new Refusal('INVALID_ARGUMENT', '', detail);

/** Refuses what is no text, or one of more bytes than a daemon accepts, with the daemon's words (L4). */
function checkText(text, what, max) {
  if (!isText(text)) throw invalid(`${what} is no text`);
  const bytes = byteLength(text);
  if (bytes > max) throw new Refusal('TEXT_TOO_LONG', '', `${what} has ${bytes} bytes, at most ${max} are allowed`);
}

/** The refusal of what is not there yet, or not any more. */
export const NOT_JOINED = new Refusal('NOT_JOINED', '', 'there is no table yet, or it has been left');
export const TOO_MANY_PENDING = new Refusal('TOO_MANY_PENDING', '', 'too many operations wait for their answers: try later');

const OPERATIONS = new Map([['copy', 1], ['move', 2], ['alias', 4], ['delete', 8]]);
const FORMATIONS = ['', 'list', 'none', 'pile', 'stack'];

/** Returns the id of an item, given the item or its id. */
export function readID(item) {
  const id = typeof item === 'object' && item !== null ? item.id : item;
  if (!Number.isSafeInteger(id) || id < 1) throw invalid('an item is named by its id, a whole number');
  return id;
}

/** Returns the ids of several items; one item stands for itself. */
export function readIDs(items) {
  const isList = typeof items === 'object' && items !== null && typeof items[Symbol.iterator] === 'function';
  const list = isList ? [...items] : [items];
  if (list.length > limits.ITEMS_PER_OPERATION_MAX) {
    throw new Refusal('TOO_MANY_ITEMS', '', `an operation names at most ${limits.ITEMS_PER_OPERATION_MAX} items`);
  }
  return list.map(readID);
}

/**
 * Returns a destination, given a collection's name or handle, or `{ collection, before, after }`, or `{ container, before, after }` with
 * the item that opens the collection.
 */
export function readDestination(state, destination, name = (id) => id) {
  const isObject = typeof destination === 'object' && destination !== null;
  const neighbor = (side) => (isObject && (destination[side] ?? undefined) !== undefined ? readID(destination[side]) : 0);
  const [before, after] = [neighbor('before'), neighbor('after') || undefined];
  if (isObject && (destination.container ?? undefined) !== undefined) {
    const container = readID(destination.container);
    const handle = state.items.get(name(container))?.opens;
    // One that this client cannot predict is the daemon's to know.
    return handle ? { collection: handle, before, after } : { collection: 0, container, before };
  }
  const named = isObject ? destination.collection : destination;
  const collection = typeof named === 'string' ? state.handles.get(named) : (named?.handle ?? named);
  if (!Number.isSafeInteger(collection) || !state.collection(collection)) {
    throw new Refusal('UNKNOWN_COLLECTION', '', `the table has no collection called ${String(named)}`);
  }
  return { collection, before, after };
}

/** Returns the bits of the operations that a drag offers; none stands for all that the collection offers. */
export function readOperations(operations) {
  return [operations ?? []].flat().reduce((bits, name) => {
    if (!OPERATIONS.has(name)) throw invalid('an operation is move, copy, alias or delete');
    return bits | OPERATIONS.get(name);
  }, 0);
}

/** Returns attributes, given a `Map` or an object by name. `null` deletes one in an update. */
export function readAttributes(attributes = {}) {
  const entries = attributes instanceof Map ? [...attributes] : Object.entries(attributes);
  if (entries.length > limits.ATTRIBUTES_PER_ITEM_MAX) {
    throw new Refusal('TABLE_SIZE', '', `an item has at most ${limits.ATTRIBUTES_PER_ITEM_MAX} attributes`);
  }
  return entries.map(([name, value]) => {
    checkText(name, 'the name of an attribute', limits.ATTRIBUTE_NAME_BYTES_MAX);
    if (value === null || value === undefined) return { name };
    if (typeof value !== 'string') return { name, number: readNumber(name, value) };
    checkText(value, 'the text of an attribute', limits.ATTRIBUTE_TEXT_BYTES_MAX);
    return { name, text: value };
  });
}

function readNumber(name, value) {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value;
  throw invalid(`the attribute ${name} is neither a text nor a whole number of 64 bits`);
}

/** Returns representations; data may be bytes, or a text that stands for its UTF-8. */
export function readRepresentations(representations = []) {
  const list = [...representations];
  if (list.length > limits.REPRESENTATIONS_PER_ITEM_MAX) {
    throw new Refusal('TABLE_SIZE', '', `an item has at most ${limits.REPRESENTATIONS_PER_ITEM_MAX} representations`);
  }
  return list.map((representation) => {
    const { contentType, data } = representation ?? {};
    checkText(contentType, 'a content type', limits.CONTENT_TYPE_BYTES_MAX);
    if (typeof data === 'string') return { contentType, data: encodeText(data) };
    if (!(data instanceof Uint8Array)) throw invalid('the data of a representation is a Uint8Array or a text');
    return { contentType, data: data.slice() };
  });
}

/** Returns new items, given `{ attributes, representations }` of each; one stands for itself. */
export function readNewItems(items) {
  const list = Array.isArray(items) ? items : [items];
  if (list.length > limits.ITEMS_PER_OPERATION_MAX) {
    throw new Refusal('TOO_MANY_ITEMS', '', `an operation creates at most ${limits.ITEMS_PER_OPERATION_MAX} items`);
  }
  return list.map((item) => ({
    attributes: readAttributes(item?.attributes).filter(({ number, text }) => (number ?? text) !== undefined),
    representations: readRepresentations(item?.representations),
  }));
}

export function readAction(action) {
  if (!fits(action, limits.ACTION_BYTES_MAX)) throw new Refusal('UNKNOWN_ACTION', '', 'there is no such action');
  return action;
}

export function readFormation(formation = '') {
  return FORMATIONS.includes(formation) ? formation : '';
}

/** Returns a message to the table. */
export function readChat(text, kind = '') {
  checkText(text, 'a message', limits.CHAT_TEXT_BYTES_MAX);
  checkText(kind, 'the kind of a message', limits.CHAT_KIND_BYTES_MAX);
  return { text, kind };
}

/** Returns a value of presence: bytes, or a text that stands for its UTF-8. */
export function readPresence(value) {
  const bytes = typeof value === 'string' ? encodeText(value) : value;
  if (!(bytes instanceof Uint8Array)) throw invalid('a value of presence is a Uint8Array or a text');
  if (bytes.length <= limits.PRESENCE_BYTES_MAX) return bytes.slice();
  throw new Refusal('TEXT_TOO_LONG', '', `a value of presence has at most ${limits.PRESENCE_BYTES_MAX} bytes`);
}

/** Returns thousandths of the table's width or height. */
export function readCoordinate(value) {
  return Number.isFinite(value) ? Math.trunc(Math.min(2 ** 31 - 1, Math.max(-(2 ** 31), value))) : 0;
}

/**
 * Returns the configuration of a client.
 *
 * @throws {TypeError} if something of it cannot be sent
 */
export function readConfiguration({ table, type = '', name = '', role = 'player', invite = '', seed = 0, credential }) {
  if (typeof table !== 'string' || !/^[A-Za-z0-9._-]{1,64}$/.test(table)) {
    throw new TypeError("a table's name has 1 to 64 characters of A–Z a–z 0–9 . _ -");
  }
  const texts = [
    ['type', type, limits.TABLE_TYPE_BYTES_MAX],
    ['name', name, limits.NAME_BYTES_MAX],
    ['invite', invite, limits.INVITE_BYTES_MAX],
  ];
  for (const [key, text, max] of texts) {
    if (!fits(text, max)) throw new TypeError(`${key} is a text of at most ${max} bytes`);
  }
  if (!['player', 'spectator', 'waiting'].includes(role)) throw new TypeError('role is player, spectator or waiting');
  const isWord = typeof seed === 'bigint' ? BigInt.asUintN(64, seed) === seed : Number.isSafeInteger(seed) && seed >= 0;
  if (!isWord) throw new TypeError('seed is a whole number of 64 bits');
  if (credential !== undefined && !(credential instanceof Uint8Array && credential.length === 32)) {
    throw new TypeError('credential is a Uint8Array of 32 random bytes');
  }
  return { table, type, name, role: role.toUpperCase(), invite, seed, credential };
}

/**
 * Returns the function that provides signed tokens; `undefined` without one.
 *
 * @throws {TypeError} if it is none: a token itself would be shown again when it has expired
 */
export function readTokenProvider({ token }) {
  if (token !== undefined && typeof token !== 'function') throw new TypeError('token is a function that returns a promise of one');
  return token;
}

/** @throws {TypeError} if what a provider returned is no token */
export function readToken(token) {
  if (typeof token !== 'string' || token === '' || !fits(token, limits.SIGNED_TOKEN_BYTES_MAX)) {
    throw new TypeError(`a token is a text of at most ${limits.SIGNED_TOKEN_BYTES_MAX} bytes`);
  }
  return token;
}
