/// The member of a `oneof` that a message has: of several the last one, which alone is decoded.
///
/// Decoding it at the end costs less than decoding each into a large enum that the next one overwrites.
struct OneOf {
  /// The member's field number; zero for none.
  private(set) var number: UInt32 = 0
  /// The bytes of the embedded message.
  private(set) var content = ByteReader(UnsafeRawBufferPointer(start: nil, count: 0))

  /// Records the member whose tag is `field`.
  mutating func note(_ field: FieldTag, from reader: inout ByteReader) throws(DecodeError) {
    content = try reader.message(field)
    number = field.number
  }
}
