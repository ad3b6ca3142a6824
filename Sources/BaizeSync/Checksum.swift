/// A checksum of stored bytes: bytes that a disk returns wrong must not become a move that no one made. It guards against
/// accidents, not against malice.
///
/// Each step is a bijection of the state for a given word, and of the word for a given state: every change within one
/// word of eight bytes is detected.
package struct Checksum {
  @usableFromInline var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  @inlinable package init() {}

  @inlinable package mutating func combine(_ word: UInt64) {
    let mixed = (state ^ word) &* 0xD6E8_FEB8_6659_FD93
    state = mixed ^ mixed >> 32
  }

  /// Adds the length, then the bytes in words of eight.
  @inlinable package mutating func combine(_ bytes: UnsafeRawBufferPointer) {
    combine(UInt64(bytes.count))
    let whole = bytes.count & ~7
    for offset in stride(from: 0, to: whole, by: 8) {
      combine(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
    var rest: UInt64 = 0
    for byte in bytes[whole...].reversed() { rest = rest << 8 | UInt64(byte) }
    combine(rest)
  }

  @inlinable package mutating func combine(_ text: String) {
    var text = text
    text.withUTF8 { combine(UnsafeRawBufferPointer($0)) }
  }

  /// The checksum as a signed number, as SQLite stores it.
  @inlinable package var value: Int64 { Int64(bitPattern: state) }
}
