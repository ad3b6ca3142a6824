/// The member of a `oneof` that a message has: of several the last one.
///
/// It is decoded at the end, which costs less than decoding each into a large enum that the next one overwrites. One that
/// is replaced must be well-formed, too, and is checked when its successor is read.
struct OneOf {
  /// The member's field number; zero for none.
  private(set) var number: UInt32 = 0
  /// The bytes of the embedded message.
  private(set) var content = ByteReader(UnsafeRawBufferPointer(start: nil, count: 0))

  /// Records the member whose tag is `field`.
  ///
  /// - Parameter check: Decodes a member that this one replaces.
  @inline(__always) mutating func note(
    _ field: FieldTag, from reader: inout ByteReader, replacing check: (OneOf) throws(DecodeError) -> Void
  ) throws(DecodeError) {
    if number != 0 { try check(self) }
    content = try reader.message(field)
    number = field.number
  }
}
