/** Bytes ↔ the values of Protocol Buffers fields, strict as rules F3 and F4 of Protocol/framing.md say. */

import { decodeText, encodeText } from './text.js';

/** A message that the library must not read any further: the connection ends and is resumed (F4). */
export class DecodeError extends Error {
  constructor(detail) {
    super(detail);
    this.name = 'DecodeError';
  }
}

export const VARINT = 0;
export const FIXED64 = 1;
export const DELIMITED = 2;
export const FIXED32 = 5;

const WORD = 2 ** 32;
const FIELD_NUMBER_MAX = 2 ** 29 - 1;

/** Reads a message, or an embedded one. A varint of 64 bits is read into two words, `low` and `high`. */
export class ByteReader {
  constructor(bytes, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
    this.low = 0;
    this.high = 0;
    this.field = 0;
    this.wireType = 0;
  }

  get isAtEnd() {
    return this.position >= this.end;
  }

  /** Reads a tag into `field` and `wireType`; returns false at the end of the message. */
  next() {
    if (this.isAtEnd) return false;
    this.readVarint();
    this.wireType = this.low & 7;
    this.field = this.high * 2 ** 29 + (this.low >>> 3);
    if (this.field === 0 || this.field > FIELD_NUMBER_MAX) throw new DecodeError('a field number out of range');
    return true;
  }

  /** Reads at most ten bytes and 64 bits. */
  readVarint() {
    const { bytes, end } = this;
    let low = 0;
    let high = 0;
    for (let i = 0; i < 10; i++) {
      if (this.position >= end) throw new DecodeError('a number beyond the end of its message');
      const byte = bytes[this.position++];
      const bits = byte & 0x7f;
      if (i < 4) low |= bits << (7 * i);
      else if (i === 4) {
        low |= bits << 28;
        high = bits >>> 4;
      } else if (i < 9) high |= bits << (7 * i - 32);
      else {
        if (bits > 1) throw new DecodeError('a number of more than 64 bits');
        high |= bits << 31;
      }
      if (byte < 0x80) {
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
    }
    throw new DecodeError('a number of more than ten bytes');
  }

  expect(wireType) {
    if (this.wireType !== wireType) throw new DecodeError(`field ${this.field} has another wire type`);
  }

  uint32() {
    this.readVarint();
    return this.low;
  }

  /** A whole number; a BigInt where a number cannot hold it. */
  uint64() {
    this.readVarint();
    return this.high < 0x200000 ? this.high * WORD + this.low : (BigInt(this.high) << 32n) | BigInt(this.low);
  }

  /** An id or a counter, below 2⁵³ (F8). */
  id() {
    this.readVarint();
    if (this.high >= 0x200000) throw new DecodeError('an id of 2^53 or more');
    return this.high * WORD + this.low;
  }

  sint32() {
    this.readVarint();
    return (this.low >>> 1) ^ -(this.low & 1);
  }

  sint64() {
    this.readVarint();
    const word = (BigInt(this.high) << 32n) | BigInt(this.low);
    return toNumber(BigInt.asIntN(64, (word >> 1n) ^ -(word & 1n)));
  }

  bool() {
    this.readVarint();
    return this.low !== 0 || this.high !== 0;
  }

  fixed64() {
    const low = this.fixed32();
    return (BigInt(this.fixed32()) << 32n) | BigInt(low);
  }

  fixed32() {
    const { bytes, position } = this;
    this.advance(4);
    return (bytes[position] | (bytes[position + 1] << 8) | (bytes[position + 2] << 16) | (bytes[position + 3] << 24)) >>> 0;
  }

  /** Returns a reader of the next length and as many bytes, behind which this one goes on. */
  delimited() {
    this.readVarint();
    const start = this.position;
    this.advance(this.high * WORD + this.low);
    return new ByteReader(this.bytes, start, this.position);
  }

  /** Returns a copy: what an app keeps must not keep a whole message. */
  blob() {
    const content = this.delimited();
    return this.bytes.slice(content.position, content.end);
  }

  text() {
    const content = this.delimited();
    try {
      return decodeText(this.bytes.subarray(content.position, content.end));
    } catch {
      throw new DecodeError('a text that is not UTF-8');
    }
  }

  advance(count) {
    if (count > this.end - this.position) throw new DecodeError('a length beyond the end of its message');
    this.position += count;
  }

  skip() {
    switch (this.wireType) {
      case VARINT:
        return this.readVarint();
      case FIXED64:
        return this.advance(8);
      case DELIMITED:
        return void this.delimited();
      case FIXED32:
        return this.advance(4);
      default:
        throw new DecodeError('a group, or an unknown wire type');
    }
  }
}

/** Writes fields in the order in which it is called: the canonical form if they ascend (F5). */
export class ByteWriter {
  constructor(capacity = 128) {
    this.bytes = new Uint8Array(capacity);
    this.length = 0;
  }

  /** Returns what was written. */
  finish() {
    return this.bytes.slice(0, this.length);
  }

  reserve(count) {
    if (this.length + count <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.length + count));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  tag(field, wireType) {
    this.varint(field * 8 + wireType);
  }

  /** Writes a whole number from 0 to 2⁶⁴ − 1, a number or a BigInt. */
  varint(value) {
    this.reserve(10);
    let rest = value;
    if (typeof rest === 'bigint') {
      for (; rest > 0xffffffffn; rest >>= 7n) this.bytes[this.length++] = Number(rest & 0x7fn) | 0x80;
      rest = Number(rest);
    }
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.bytes[this.length++] = (rest % 0x80) | 0x80;
    this.bytes[this.length++] = rest;
  }

  sint32(value) {
    this.varint(((value << 1) ^ (value >> 31)) >>> 0);
  }

  sint64(value) {
    if (typeof value === 'number' && Math.abs(value) <= 2 ** 51) this.varint(value < 0 ? -2 * value - 1 : 2 * value);
    else this.varint(BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n)));
  }

  fixed64(value) {
    this.reserve(8);
    for (let i = 0n; i < 64n; i += 8n) this.bytes[this.length++] = Number((value >> i) & 0xffn);
  }

  blob(bytes) {
    this.varint(bytes.length);
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  text(text) {
    this.blob(encodeText(text));
  }

  /** Writes a length, and behind it what `body` writes. */
  delimited(body) {
    const content = new ByteWriter(32);
    body(content);
    this.blob(content.bytes.subarray(0, content.length));
  }
}

/** Returns a BigInt as a number, where a number can hold it. */
export function toNumber(value) {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}
