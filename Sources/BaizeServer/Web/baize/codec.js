/**
 * Messages ↔ bytes, by the declarations of `schema.js` (F3–F5).
 *
 * A decoded message has every field of its declaration: its default value where the wire has none, `undefined` for an
 * embedded message or a member of a `oneof` that is not set.
 */

import { ByteReader, ByteWriter, DecodeError, DELIMITED, FIXED64, VARINT } from './bytes.js';

/** Numbers of a scalar type: its wire type, its default, and how it is read and written. */
const SCALARS = new Map([
  ['uint32', { wireType: VARINT, zero: 0, read: (reader) => reader.uint32(), write: (writer, value) => writer.varint(value) }],
  ['uint64', { wireType: VARINT, zero: 0, read: (reader) => reader.uint64(), write: (writer, value) => writer.varint(value) }],
  ['id', { wireType: VARINT, zero: 0, read: (reader) => reader.id(), write: (writer, value) => writer.varint(value) }],
  ['sint32', { wireType: VARINT, zero: 0, read: (reader) => reader.sint32(), write: (writer, value) => writer.sint32(value) }],
  ['sint64', { wireType: VARINT, zero: 0, read: (reader) => reader.sint64(), write: (writer, value) => writer.sint64(value) }],
  ['bool', { wireType: VARINT, zero: false, read: (reader) => reader.bool(), write: (writer, value) => writer.varint(value ? 1 : 0) }],
  ['fixed64', { wireType: FIXED64, zero: 0n, read: (reader) => reader.fixed64(), write: (writer, value) => writer.fixed64(value) }],
  ['text', { wireType: DELIMITED, zero: '', read: (reader) => reader.text(), write: (writer, value) => writer.text(value) }],
  ['bytes', { wireType: DELIMITED, zero: new Uint8Array(0), read: (reader) => reader.blob(), write: (writer, value) => writer.blob(value) }],
  [
    'formation',
    { wireType: DELIMITED, zero: '', read: (reader) => knownFormation(reader.text()), write: (writer, value) => writer.text(value) },
  ],
]);

const FORMATIONS = new Set(['list', 'none', 'pile', 'stack']);

/** An unknown formation, and the default one, count as none (P3). */
const knownFormation = (text) => (FORMATIONS.has(text) ? text : '');

const scalar = (type) => (typeof type === 'string' ? SCALARS.get(type) : undefined);

/** Returns a message without any field set. */
function empty(declaration) {
  const message = {};
  for (const { name, type, repeated, oneof } of declaration.fields) {
    if (repeated) message[name] = [];
    else if (oneof || (typeof type === 'object' && !type.isEnumeration)) message[name] = undefined;
    else message[name] = typeof type === 'object' ? 0 : scalar(type).zero;
  }
  return message;
}

/**
 * Decodes a message.
 *
 * @throws {DecodeError} if it is malformed (F4).
 */
export function decode(declaration, bytes) {
  return decodeMessage(declaration, new ByteReader(bytes));
}

function decodeMessage(declaration, reader) {
  const message = empty(declaration);
  while (reader.next()) {
    const field = declaration.byNumber.get(reader.field);
    if (field) {
      if (field.oneof) clear(declaration, field, message);
      decodeField(field, message, reader);
    } else {
      reader.skip();
    }
  }
  if (declaration.unknown === 'malformed' && declaration.fields.every(({ name }) => message[name] === undefined)) {
    throw new DecodeError(`a ${declaration.name} of an unknown kind`);
  }
  return message;
}

/** Of several members of a `oneof` the last one counts (F3). */
function clear(declaration, { oneof }, message) {
  for (const other of declaration.fields) if (other.oneof === oneof) message[other.name] = undefined;
}

function decodeField(field, message, reader) {
  const { name, type, repeated } = field;
  if (typeof type === 'object') {
    const value = type.isEnumeration ? decodeEnumeration(type, reader) : decodeEmbedded(type, reader);
    if (repeated) message[name].push(value);
    else message[name] = value;
    return;
  }
  const { wireType, read } = scalar(type);
  if (repeated && wireType === VARINT && reader.wireType === DELIMITED) {
    const packed = reader.delimited();
    while (!packed.isAtEnd) message[name].push(read(packed));
    return;
  }
  reader.expect(wireType);
  if (repeated) message[name].push(read(reader));
  else message[name] = read(reader);
}

function decodeEmbedded(type, reader) {
  reader.expect(DELIMITED);
  return decodeMessage(type, reader.delimited());
}

function decodeEnumeration(type, reader) {
  reader.expect(VARINT);
  const value = reader.uint32();
  for (const known of type.values.values()) if (known === value) return value;
  throw new DecodeError(`an unknown ${type.name}`);
}

/** Encodes a message in the canonical form (F5). Fields that it lacks have their defaults. */
export function encode(declaration, message) {
  const writer = new ByteWriter();
  encodeMessage(declaration, message, writer);
  return writer.finish();
}

function encodeMessage(declaration, message, writer) {
  for (const field of declaration.fields) {
    const value = message[field.name];
    if (value !== undefined && value !== null) encodeField(field, value, writer);
  }
}

function encodeField({ number, type, repeated, oneof }, value, writer) {
  if (typeof type === 'object' && !type.isEnumeration) {
    for (const one of repeated ? value : [value]) {
      writer.tag(number, DELIMITED);
      writer.delimited((content) => encodeMessage(type, one, content));
    }
    return;
  }
  const { wireType, zero, write } = scalar(type) ?? scalar('uint32');
  if (repeated) {
    if (value.length === 0) return;
    writer.tag(number, DELIMITED);
    writer.delimited((content) => value.forEach((one) => write(content, one)));
  } else if (oneof || (type === 'bytes' ? value.length > 0 : value !== zero)) {
    writer.tag(number, wireType);
    write(writer, value);
  }
}
