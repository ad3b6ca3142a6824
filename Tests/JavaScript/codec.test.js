/** Bytes: rules F2–F6 by `messages.json` and `readings.json` (X1, X5), and hostile bytes (I8, I12). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecodeError } from '../../Sources/BaizeServer/Web/baize/bytes.js';
import { decode, encode } from '../../Sources/BaizeServer/Web/baize/codec.js';
import { ClientMessage, ServerMessage } from '../../Sources/BaizeServer/Web/baize/schema.js';
import { fromHex, randomSource, toHex, vectors } from './support.js';

const declarationOf = (direction) => (direction === 'client' ? ClientMessage : ServerMessage);

/** Returns a message in the JSON mapping of Protocol Buffers. */
function toJSON(declaration, message) {
  const json = {};
  for (const { name, type, repeated, oneof } of declaration.fields) {
    const value = message[name];
    if (value === undefined || (repeated && value.length === 0)) continue;
    const isMessage = typeof type === 'object' && !type.isEnumeration;
    const isDefault = !oneof && !isMessage && !repeated && (value === 0 || value === 0n || value === '' || value === false || value.length === 0);
    if (!isDefault) json[name] = repeated ? value.map((one) => valueToJSON(type, one)) : valueToJSON(type, value);
  }
  return json;
}

function valueToJSON(type, value) {
  if (type === 'bytes') return Buffer.from(value).toString('base64');
  if (['uint64', 'id', 'sint64', 'fixed64'].includes(type)) return String(value);
  if (typeof type === 'string') return value;
  if (type.isEnumeration) return [...type.values].find(([, number]) => number === value)[0];
  return toJSON(type, value);
}

test('every message of the vectors is read and written byte for byte (X1)', () => {
  const messages = vectors('messages');
  assert.ok(messages.length > 50);
  for (const { name, direction, json, message } of messages) {
    const declaration = declarationOf(direction);
    const decoded = decode(declaration, fromHex(message));
    assert.deepEqual(toJSON(declaration, decoded), json, name);
    assert.equal(toHex(encode(declaration, decoded)), message, name);
  }
});

/** What a daemon alone does with a client's message, besides its limits (L4): merged attributes (O7). */
const OF_DAEMONS = ['readings-12'];

test('bytes that are not canonical are read as the vectors say (X5)', () => {
  const { cases } = vectors('readings');
  for (const { id, says, direction, bytes, same } of cases.filter(({ id, limit }) => !limit && !OF_DAEMONS.includes(id))) {
    const declaration = declarationOf(direction);
    const read = () => toHex(encode(declaration, decode(declaration, fromHex(bytes))));
    if (same === undefined) assert.throws(read, DecodeError, `${id}: ${says}`);
    else assert.equal(read(), same, `${id}: ${says}`);
  }
});

test('an id of 2^53 or more is malformed (F8)', () => {
  const encoded = encode(ServerMessage, { diff: { revision: 1, author: 2 ** 53 - 1 } });
  assert.equal(decode(ServerMessage, encoded).diff.author, 2 ** 53 - 1);
  assert.throws(() => decode(ServerMessage, encode(ServerMessage, { diff: { author: 2n ** 53n } })), DecodeError);
});

test('names of the wire are data (I12)', () => {
  const attributes = [{ name: '__proto__', text: 'polluted' }, { name: 'constructor', number: 1 }];
  const encoded = encode(ServerMessage, { snapshot: { items: [{ id: 1, collection: 1, attributes }] } });
  const [item] = decode(ServerMessage, encoded).snapshot.items;
  assert.deepEqual(item.attributes.map(({ name }) => name), ['__proto__', 'constructor']);
  assert.equal({}.polluted, undefined);
  assert.equal(Object.getPrototypeOf(item), Object.prototype);
});

test('no bytes make the decoder throw anything but a DecodeError (I8, I12)', () => {
  const seed = Number(process.env.BAIZE_SEED ?? 1);
  const random = randomSource(seed);
  const messages = vectors('messages').filter(({ direction }) => direction === 'server');
  for (let round = 0; round < 20_000; round++) {
    let bytes = [...fromHex(random.one(messages).message)];
    for (let edits = random.below(4); edits >= 0; edits--) {
      const at = random.below(bytes.length + 1);
      if (random.below(3) === 0) bytes = bytes.slice(0, at);
      else if (random.below(2) === 0) bytes.splice(at, 1, random.below(256));
      else bytes.splice(at, 0, random.below(256));
    }
    try {
      decode(ServerMessage, Uint8Array.from(bytes));
    } catch (error) {
      assert.ok(error instanceof DecodeError, `seed ${seed}, ${Buffer.from(bytes).toString('hex')}: ${error.stack}`);
    }
  }
});
