/// A cursor over the fields of a short message in canonical form: in ascending order, each at most once, every tag and
/// every length one byte.
///
/// It reads nested messages in one pass and has no errors to throw. Any other form is `nil`, and the caller decodes the
/// message with ``ByteReader``, which accepts every form and reports errors.
struct CanonicalReader {
  private var position: UnsafeRawPointer
  /// The last position at which the message that is being read can have a field: two bytes before its end.
  private var last: UnsafeRawPointer

  /// Creates a reader of all of `bytes`; `nil` without any.
  @inline(__always) init?(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return nil }
    position = start
    last = start + (bytes.count - 2)
  }

  /// Whether every byte of this message was read.
  @inline(__always) var isComplete: Bool { position == last + 2 }

  /// Reads the number behind `tag`: 0 where the next field is another one.
  @inline(__always) mutating func uint64(_ tag: UInt8) -> UInt64? {
    guard position <= last else { return 0 }
    let head = UInt16(littleEndian: position.loadUnaligned(as: UInt16.self))
    guard UInt8(truncatingIfNeeded: head) == tag else { return 0 }
    position += 1
    return number(beginningWith: UInt8(truncatingIfNeeded: head &>> 8))
  }

  /// Enters the embedded message behind `tag`.
  ///
  /// - Returns: A token for ``leave(_:)``; `nil` where the next field is another one.
  @inline(__always) mutating func enter(_ tag: UInt8) -> Enclosing? {
    guard position <= last else { return nil }
    let head = UInt16(littleEndian: position.loadUnaligned(as: UInt16.self))
    guard head & 0x80FF == UInt16(tag) else { return nil }
    let inner = position + Int(head &>> 8)
    guard inner <= last else { return nil }
    defer {
      position += 2
      last = inner
    }
    return Enclosing(last: last)
  }

  /// Returns to the enclosing message: `nil` where bytes of the embedded one are left.
  @inline(__always) mutating func leave(_ enclosing: Enclosing) -> Void? {
    guard isComplete else { return nil }
    last = enclosing.last
    return ()
  }

  /// A message whose embedded message is being read.
  struct Enclosing {
    fileprivate let last: UnsafeRawPointer
  }

  /// Reads a number that stands without a tag.
  @inline(__always) mutating func varint() -> UInt64? {
    guard position <= last + 1 else { return nil }
    return number(beginningWith: position.load(as: UInt8.self))
  }

  /// Reads a number of one to ten bytes, mostly one or two.
  @inline(__always) private mutating func number(beginningWith first: UInt8) -> UInt64? {
    if first < 0x80 {
      position += 1
      return UInt64(first)
    }
    if position <= last {
      let second = position.load(fromByteOffset: 1, as: UInt8.self)
      if second < 0x80 {
        position += 2
        return UInt64(first & 0x7F) | UInt64(second) &<< 7
      }
    }
    let (value, next) = ByteReader.longVarint(at: position, before: last + 2)
    guard let next else { return nil }
    position = next
    return value
  }
}
