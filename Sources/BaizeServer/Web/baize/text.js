/** Texts and bytes: UTF-8 as the protocol means it (F4, F10), and the order of names (D11). */

const encoder = new TextEncoder();
// U+FEFF at the beginning of a text belongs to it (V7), and what is not UTF-8 is malformed (F4).
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Returns the UTF-8 of a text. */
export const encodeText = (text) => encoder.encode(text);

/** Returns the text of UTF-8 bytes; throws a `TypeError` if they are not UTF-8. */
export const decodeText = (bytes) => decoder.decode(bytes);

/** Returns the number of UTF-8 bytes of a text. */
export function byteLength(text) {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) length += unit < 0x800 ? 1 : unit >= 0xd800 && unit < 0xe000 ? 1 : 2;
  }
  return length;
}

/** Returns whether a value is a text that UTF-8 can encode: one without a lone surrogate. */
export const isText = (value) => typeof value === 'string' && !LONE_SURROGATE.test(value);

/** Compares two texts by their bytes of UTF-8, which is the order of their code points and not that of UTF-16. */
export function compareTexts(left, right) {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Surrogates come after all other units, as the code points that they encode do. */
const rank = (unit) => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

export function bytesEqual(left, right) {
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false;
  return true;
}

/** Returns bytes as Base64, for a store that keeps texts. */
export function toBase64(bytes) {
  let binary = '';
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(binary);
}

/** Returns the bytes of a Base64 text; throws if it is none. */
export const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
