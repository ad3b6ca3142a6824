/// The fields of a diff's frame that a harness needs to count it, read without decoding the rest.
///
/// Diffs are encoded canonically, so that revision, author and sequence number come first, in this order, each absent if it
/// is zero. (`Protocol/baize.proto`: field 3 of `ServerMessage`; fields 1, 2, 3 of `Diff`.)
struct DiffHeader {
  var revision: UInt64 = 0
  var author: UInt64 = 0
  var sequence: UInt64 = 0

  /// - Returns: `nil` for a frame that is not a diff.
  init?(_ frame: UnsafeRawBufferPointer) {
    var position = 0
    guard Self.varint(frame, &position) == 3 << 3 | 2, Self.varint(frame, &position) != nil else { return nil }
    while let tag = Self.varint(frame, &position), tag == 1 << 3 || tag == 2 << 3 || tag == 3 << 3,
      let value = Self.varint(frame, &position)
    {
      switch tag {
      case 1 << 3: revision = value
      case 2 << 3: author = value
      default: sequence = value
      }
    }
  }

  /// Returns the varint at a position; `nil` at the end, or if there is no valid one.
  static func varint(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < bytes.count, shift < 64 {
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }
}
