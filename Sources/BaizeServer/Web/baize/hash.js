/** The view hash (V1–V6), by which a replica detects that it has diverged. Hashes are 64 bits, and BigInts. */

import { compareTexts, encodeText } from './text.js';

const WORD = 0xffffffffffffffffn;
const PRIME = (1n << 61n) - 1n;
const BASE = 0x1415926535897932n;

/** SplitMix64's output function (V1). */
export function mix(word) {
  let mixed = ((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD;
  mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & WORD;
  return mixed ^ (mixed >> 31n);
}

/** A byte hash (V2): FNV-1a in two words of 32 bits, then `mix`. */
export class ByteHash {
  #low = 0x84222325;
  #high = 0xcbf29ce4;

  byte(byte) {
    // Times 0x100000001B3 = 2⁴⁰ + 0x1B3, modulo 2⁶⁴. The product of a word is below 2⁴¹, and exact.
    const low = (this.#low ^ byte) >>> 0;
    const product = low * 0x1b3;
    this.#high = (Math.imul(this.#high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    this.#low = product >>> 0;
  }

  /** Eight bytes, the least significant first. */
  word(value) {
    if (typeof value === 'bigint' || value < 0) {
      const word = BigInt.asUintN(64, BigInt(value));
      this.#halves(Number(word & 0xffffffffn), Number(word >> 32n));
    } else {
      this.#halves(value >>> 0, Math.floor(value / 2 ** 32));
    }
  }

  #halves(low, high) {
    for (let i = 0; i < 32; i += 8) this.byte((low >>> i) & 0xff);
    for (let i = 0; i < 32; i += 8) this.byte((high >>> i) & 0xff);
  }

  bytes(bytes) {
    this.word(bytes.length);
    for (const byte of bytes) this.byte(byte);
  }

  text(text) {
    this.bytes(encodeText(text));
  }

  /** A number of attributes, then each, ascending by the bytes of its name. */
  attributes(values) {
    this.word(values.size);
    for (const name of [...values.keys()].sort(compareTexts)) {
      const value = values.get(name);
      this.text(name);
      if (typeof value === 'string') {
        this.byte(2);
        this.text(value);
      } else {
        this.byte(1);
        this.word(value);
      }
    }
  }

  finish() {
    return mix((BigInt(this.#high) << 32n) | BigInt(this.#low));
  }
}

/** The order hash of a collection (V3). */
export function orderHash(ids) {
  let order = 0n;
  for (const id of ids) order = (order * BASE + (mix(BigInt(id)) % PRIME)) % PRIME;
  return order;
}

/** The hash of each item that was hashed before: items never change, a new face makes a new item. */
const faceHashes = new WeakMap();

/** The face hash of an item (V4). */
export function faceHash(item) {
  const known = faceHashes.get(item);
  if (known !== undefined) return known;
  const hash = new ByteHash();
  hash.word(item.id);
  hash.byte((item.hidden ? 0 : 1) + (item.pinned ? 2 : 0));
  if (!item.hidden) {
    hash.attributes(item.attributes);
    hash.word(item.representations.length);
    for (const { contentType, data } of item.representations) {
      hash.text(contentType);
      hash.bytes(data);
    }
  }
  const result = hash.finish();
  faceHashes.set(item, result);
  return result;
}

/** The hash of a view (V5, V6, V9). */
export function viewHash(state) {
  const hash = new ByteHash();
  for (const { handle, items, hiddenCount, enabled, item } of state.collections) {
    hash.byte(enabled ? 1 : 0);
    hash.word(items.length + hiddenCount);
    hash.word(orderHash(items));
    if (!item) continue;
    hash.word(handle);
    hash.word(item);
  }
  let sum = 0n;
  for (const item of state.items.values()) sum += faceHash(item);
  hash.word(sum & WORD);
  hash.text(state.status);
  hash.attributes(state.variables);
  hash.word(state.seats.length);
  for (const seat of [...state.seats].sort((left, right) => left.seat - right.seat)) {
    hash.word(seat.absent ? seat.seat + 0x100000000 : seat.seat);
    hash.word(seat.person);
    hash.text(seat.name);
  }
  return hash.finish();
}
