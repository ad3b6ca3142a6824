import BaizeTable

/// A position in a ``ByteWriter`` with room behind it: fields are stored without a check of the capacity, and embedded
/// messages have fewer than 128 bytes.
///
/// The position stays in a register. ``ByteWriter/withRoom(_:_:)`` lends one.
struct FieldCursor {
  private(set) var position: UnsafeMutableRawPointer

  @inline(__always) init(position: UnsafeMutableRawPointer) { self.position = position }

  /// Stores a number, unless it is zero.
  @inline(__always) mutating func uint64(_ number: UInt8, _ value: UInt64) {
    guard value != 0 else { return }
    let tag = ByteWriter.tag(number, .varint)
    guard value < 0x80 else {
      byte(tag)
      return varint(value)
    }
    // Tag and number in one store.
    pair(UInt16(tag) | UInt16(truncatingIfNeeded: value) &<< 8)
  }

  /// Stores an embedded message, which `body` writes.
  @inline(__always) mutating func message(_ number: UInt8, _ body: (inout FieldCursor) -> Void) {
    byte(ByteWriter.tag(number, .delimited))
    delimited(body)
  }

  /// Stores what `body` writes, behind its length.
  @inline(__always) mutating func delimited(_ body: (inout FieldCursor) -> Void) {
    position += 1
    let content = position
    body(&self)
    let length = position - content
    precondition(length < 0x80, "an embedded message is too long for a length of one byte")
    content.storeBytes(of: UInt8(truncatingIfNeeded: length), toByteOffset: -1, as: UInt8.self)
  }

  /// Stores a number of one to ten bytes.
  @inline(__always) mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x4000 {
      byte(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest &>>= 7
    }
    guard rest >= 0x80 else { return byte(UInt8(truncatingIfNeeded: rest)) }
    pair(UInt16(truncatingIfNeeded: rest & 0x7F | 0x80 | (rest & 0x3F80) &<< 1))
  }

  @inline(__always) private mutating func pair(_ bytes: UInt16) {
    position.storeBytes(of: bytes.littleEndian, as: UInt16.self)
    position += 2
  }

  @inline(__always) private mutating func byte(_ byte: UInt8) {
    position.storeBytes(of: byte, as: UInt8.self)
    position += 1
  }
}

extension FieldCursor {
  /// Stores the placement of a change, even one of zeros only: its presence has a meaning.
  @inline(__always) mutating func placement(_ number: UInt8, _ placement: Placement) {
    message(number) {
      $0.uint64(1, UInt64(placement.collection.rawValue))
      $0.uint64(2, placement.position.anchor.rawValue)
      guard let gone = placement.gone else { return }
      $0.uint64(9, gone.item.rawValue)
      $0.uint64(10, gone.revision.rawValue)
    }
  }
}

extension ByteWriter {
  /// Makes room once for the fields that `body` stores: at most `bytes` bytes, tags and lengths included.
  @inline(__always) mutating func withRoom(_ bytes: Int, _ body: (inout FieldCursor) -> Void) {
    reserve(bytes)
    var cursor = FieldCursor(position: start + used)
    body(&cursor)
    used = cursor.position - start
    assert(used <= capacity, "more than \(bytes) bytes")
  }
}
