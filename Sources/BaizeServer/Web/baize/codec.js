/**
 * Messages ↔ bytes, by the declarations of `schema.js` (F3–F5).
 *
 * A decoded message has every field of its declaration: its default value where the wire has none, `undefined` for an
 * embedded message or a member of a `oneof` that is not set.
 */

import { ByteReader, ByteWriter, DecodeError, DELIMITED, FIXED64, VARINT } from './bytes.js';

/** The scalar types: the wire type and the default of each, and how it is read and written. */
const SCALARS = new Map(
  [
    ['uint32', VARINT, 0, (reader) => reader.uint32(), (writer, value) => writer.varint(value)],
    ['uint64', VARINT, 0, (reader) => reader.uint64(), (writer, value) => writer.varint(value)],
    ['id', VARINT, 0, (reader) => reader.id(), (writer, value) => writer.varint(value)],
    ['sint32', VARINT, 0, (reader) => reader.sint32(), (writer, value) => writer.sint32(value)],
    ['sint64', VARINT, 0, (reader) => reader.sint64(), (writer, value) => writer.sint64(value)],
    ['bool', VARINT, false, (reader) => reader.bool(), (writer, value) => writer.varint(value ? 1 : 0)],
    ['fixed64', FIXED64, 0n, (reader) => reader.fixed64(), (writer, value) => writer.fixed64(value)],
    ['text', DELIMITED, '', (reader) => reader.text(), (writer, value) => writer.text(value)],
    ['bytes', DELIMITED, new Uint8Array(0), (reader) => reader.blob(), (writer, value) => writer.blob(value)],
    ['formation', DELIMITED, '', (reader) => knownFormation(reader.text()), (writer, value) => writer.text(value)],
  ].map(([name, wireType, zero, read, write]) => [name, { wireType, zero, read, write }]),
);

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
