/// The member of a `oneof` that a message has: of several the last, which alone is looked into.
///
/// To note where it lies and to read it at the end costs less than to read each into a large enum that the next one
/// overwrites.
struct OneOf {
  /// The member's field number; zero for none.
  private(set) var number: UInt32 = 0
  /// The bytes of the embedded message.
  private(set) var content = ByteReader(UnsafeRawBufferPointer(start: nil, count: 0))

  /// Notes the member whose head is `field`.
  mutating func note(_ field: FieldTag, from reader: inout ByteReader) throws(DecodeError) {
    content = try reader.message(field)
    number = field.number
  }
}
