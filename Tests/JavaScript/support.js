/** What several tests need: the vectors, hexadecimal bytes, a table type's document. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

export const root = new URL('../../', import.meta.url);

export const readText = (path) => readFileSync(new URL(path, root), 'utf8');

export const vectors = (name) => JSON.parse(readText(`Protocol/vectors/${name}.json`));

export const fromHex = (text) => Uint8Array.from(Buffer.from(text, 'hex'));

export const toHex = (bytes) => Buffer.from(bytes).toString('hex');

/** Returns the document of a bundled type, and the value of each of its options, as a welcome has them. */
export function bundled(text) {
  const [name, query = ''] = text.split('?');
  const document = readText(`Protocol/table-types/${name}.json`);
  const chosen = new URLSearchParams(query);
  const options = new Map();
  for (const [option, { type, default: fallback }] of Object.entries(JSON.parse(document).options ?? {})) {
    const value = chosen.get(option) ?? String(fallback);
    options.set(option, type !== 'boolean' && /^-?\d+$/.test(value) ? Number(value) : value);
  }
  return { document, options };
}

/** Returns the message of a text in the JSON mapping of Protocol Buffers, for `encode`. */
export function fromJSON(declaration, json) {
  const message = {};
  for (const { name, type, repeated } of declaration.fields) {
    if (json[name] === undefined) continue;
    message[name] = repeated ? json[name].map((one) => valueFromJSON(type, one)) : valueFromJSON(type, json[name]);
  }
  assert.deepEqual(Object.keys(json).filter((name) => !(name in message)), [], declaration.name);
  return message;
}

function valueFromJSON(type, value) {
  if (type === 'bytes') return Uint8Array.from(Buffer.from(value, 'base64'));
  if (typeof type === 'string') return value;
  return type.isEnumeration ? type.values.get(value) : fromJSON(type, value);
}

/** A small generator of random numbers, from a seed that a failure prints. */
export function randomSource(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return {
    below: (bound) => next() % bound,
    one(values) {
      return values[next() % values.length];
    },
  };
}
