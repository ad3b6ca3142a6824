/// A cursor over the bytes of one Protocol Buffers message. It checks every length, and copies only texts and bytes.
///
/// A reader is valid as long as the memory that it was made from: only within the closure that lent it.
///
/// ```swift
/// while let field = try reader.nextField() {
///   switch field.number {
///   case 1: revision = try reader.uint64(field)
///   default: try reader.skip(field)
///   }
/// }
/// ```
///
/// Functions that are not inlined take the cursor by value and return the next position. A mutating call would keep the
/// cursor in memory, and a loop over fields would wait for its own last store at each of them, which took half of the time.
public struct ByteReader {
  @usableFromInline var position: UnsafeRawPointer
  @usableFromInline let end: UnsafeRawPointer

  @inlinable init(position: UnsafeRawPointer, end: UnsafeRawPointer) {
    self.position = position
    self.end = end
  }

  @inlinable public init(_ bytes: UnsafeRawBufferPointer) {
    // An empty buffer may have no address. Any one will do: the cursor is at the end, and nothing is loaded.
    let start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
    self.init(position: start, end: start + bytes.count)
  }

  @inlinable public var remaining: Int { end - position }
}

// MARK: - Fields

extension ByteReader {
  /// Reads the tag of the next field; `nil` at the end of the message.
  @inlinable public mutating func nextField() throws(DecodeError) -> FieldTag? {
    guard position < end else { return nil }
    let tag = try varint()
    guard tag >= 8, tag <= UInt32.max else { throw .badFieldNumber }
    return FieldTag(rawValue: UInt32(truncatingIfNeeded: tag))
  }

  @inlinable @inline(__always) public mutating func skip(_ field: FieldTag) throws(DecodeError) {
    position = try skipped(field)
  }

  /// Calls `body` with each field 1 of a message that has no other known field.
  @inline(__always) func forEachFirst(
    _ body: (inout ByteReader, FieldTag) throws(DecodeError) -> Void
  ) throws(DecodeError) {
    var reader = self
    while let field = try reader.nextField() {
      if field.number == 1 { try body(&reader, field) } else { try reader.skip(field) }
    }
  }

  @inlinable public mutating func uint64(_ field: FieldTag) throws(DecodeError) -> UInt64 {
    guard field.has(.varint) else { throw .badWireType }
    return try varint()
  }

  /// Reads a number of the daemon's that counts something and is below 2⁵³: a revision, an epoch, a session, an operation.
  @inlinable public mutating func counter(_ field: FieldTag) throws(DecodeError) -> UInt64 {
    let value = try uint64(field)
    guard value < 1 << 53 else { throw .numberTooLarge }
    return value
  }

  /// Reads a `uint32`: the low 32 bits, as in every Protocol Buffers reader.
  @inlinable public mutating func uint32(_ field: FieldTag) throws(DecodeError) -> UInt32 {
    UInt32(truncatingIfNeeded: try uint64(field))
  }

  /// Reads a `bool`: any number but zero is true.
  @inlinable public mutating func bool(_ field: FieldTag) throws(DecodeError) -> Bool {
    try uint64(field) != 0
  }

  /// Reads a `sint64`: zigzag, so that small negative numbers are short.
  @inlinable public mutating func sint64(_ field: FieldTag) throws(DecodeError) -> Int64 {
    let zigzag = try uint64(field)
    return Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
  }

  /// Reads a `sint32`: the low 32 bits of the varint.
  @inlinable public mutating func sint32(_ field: FieldTag) throws(DecodeError) -> Int32 {
    let zigzag = try uint32(field)
    return Int32(bitPattern: zigzag >> 1) ^ -Int32(bitPattern: zigzag & 1)
  }

  /// Reads a `fixed64`: eight bytes, the lowest first.
  @inlinable public mutating func fixed64(_ field: FieldTag) throws(DecodeError) -> UInt64 {
    guard field.has(.fixed64) else { throw .badWireType }
    return UInt64(littleEndian: try take(8).position.loadUnaligned(as: UInt64.self))
  }

  /// Reads a value of an enumeration; an unknown one is ``DecodeError/unknownValue``.
  @inlinable public mutating func enumeration<Value: RawRepresentable>(
    _ field: FieldTag, as type: Value.Type = Value.self
  ) throws(DecodeError) -> Value where Value.RawValue == UInt32 {
    guard let value = Value(rawValue: try uint32(field)) else { throw .unknownValue }
    return value
  }

  @inlinable public mutating func message(_ field: FieldTag) throws(DecodeError) -> ByteReader {
    guard field.has(.delimited) else { throw .badWireType }
    return try take(varint())
  }

  /// Calls `body` with each number of a repeated field: of a packed run, or the single one that is not packed.
  @inlinable @inline(__always) public mutating func uint64s(
    _ field: FieldTag, _ body: (UInt64) -> Void
  ) throws(DecodeError) {
    guard field.has(.delimited) else { return body(try uint64(field)) }
    var run = try take(varint())
    while run.position < run.end { body(try run.varint()) }
  }

  /// Reads a text.
  @inlinable @inline(__always) public mutating func string(_ field: FieldTag) throws(DecodeError) -> String {
    try message(field).text()
  }

  /// Reads a text that only people read; one of more than `bytesMax` bytes must be UTF-8, too, and is left out.
  mutating func string(_ field: FieldTag, keeping bytesMax: Int) throws(DecodeError) -> String {
    let content = try message(field)
    let text = try content.text()
    return content.remaining <= bytesMax ? text : ""
  }

  /// Reads bytes.
  @inlinable @inline(__always) public mutating func bytes(_ field: FieldTag) throws(DecodeError) -> [UInt8] {
    try message(field).array()
  }
}

// MARK: - Primitives

extension ByteReader {
  /// Reads a number of one to ten bytes, seven bits each, the lowest first. Forms longer than needed are accepted.
  @inlinable public mutating func varint() throws(DecodeError) -> UInt64 {
    guard position < end else { throw .truncated }
    let byte = position.load(as: UInt8.self)
    guard byte >= 0x80 else {
      position += 1
      return UInt64(byte)
    }
    let (value, next) = try longVarint()
    position = next
    return value
  }

  @inlinable mutating func take(_ count: UInt64) throws(DecodeError) -> ByteReader {
    guard count <= UInt64(remaining) else { throw .truncated }
    let start = position
    position += Int(count)
    return ByteReader(position: start, end: position)
  }
}

// MARK: - Not inlined

extension ByteReader {
  @usableFromInline @inline(never) func longVarint() throws(DecodeError) -> (value: UInt64, next: UnsafeRawPointer) {
    let (value, next) = Self.longVarint(at: position, before: end)
    guard let next else { throw remaining < 10 ? .truncated : .varintTooLong }
    return (value, next)
  }

  /// Reads a varint of several bytes; `next` is `nil` where it is truncated or too long.
  @inline(never) static func longVarint(
    at position: UnsafeRawPointer, before end: UnsafeRawPointer
  ) -> (value: UInt64, next: UnsafeRawPointer?) {
    if end - position >= 8 {
      let word = UInt64(littleEndian: position.loadUnaligned(as: UInt64.self))
      let lastBytes = ~word & 0x8080_8080_8080_8080
      if lastBytes != 0 {
        let bits = lastBytes.trailingZeroBitCount &+ 1
        return (joined(word & (.max &>> UInt64(truncatingIfNeeded: 64 &- bits))), position + bits &>> 3)
      }
    }
    var next = position
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while next < end {
      let byte = next.load(as: UInt8.self)
      // The tenth byte holds the last bit, so that the loop ends and no shift is beyond 63.
      guard shift < 63 || byte <= 1 else { break }
      next += 1
      value |= UInt64(byte & 0x7F) &<< shift
      guard byte >= 0x80 else { return (value, next) }
      shift &+= 7
    }
    return (0, nil)
  }

  /// Joins the low seven bits of eight bytes: those of neighbours first, then of pairs, then of both halves.
  @inline(__always) private static func joined(_ bytes: UInt64) -> UInt64 {
    var bits = (bytes & 0x007F_007F_007F_007F) | (bytes & 0x7F00_7F00_7F00_7F00) &>> 1
    bits = (bits & 0x0000_3FFF_0000_3FFF) | (bits & 0x3FFF_0000_3FFF_0000) &>> 2
    return (bits & 0x0000_0000_0FFF_FFFF) | (bits & 0x0FFF_FFFF_0000_0000) &>> 4
  }

  @usableFromInline @inline(never) func skipped(_ field: FieldTag) throws(DecodeError) -> UnsafeRawPointer {
    var reader = self
    switch WireType(rawValue: field.rawValue & 7) {
    case .varint: _ = try reader.varint()
    case .fixed64: _ = try reader.take(8)
    case .delimited: _ = try reader.take(reader.varint())
    case .fixed32: _ = try reader.take(4)
    case nil: throw .badWireType
    }
    return reader.position
  }

  @usableFromInline @inline(never) func text() throws(DecodeError) -> String {
    let bytes = UnsafeRawBufferPointer(start: position, count: remaining)
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidUTF8 }
    return text
  }

  @usableFromInline @inline(never) func array() -> [UInt8] {
    [UInt8](UnsafeRawBufferPointer(start: position, count: remaining))
  }
}
