/// What the harness reads of a server's frame without decoding it: enough to count a diff and to know whose it is.
///
/// Diffs are encoded canonically, so revision, author and number stand first, in this order, each left out where it is
/// zero. (`Protocol/baize.proto`: field 3 of `ServerMessage`; fields 1, 2, 3 of `Diff`.)
enum FrameGlance {
  case diff(revision: UInt64, author: UInt64, sequence: UInt64)
  case other

  init(_ frame: UnsafeRawBufferPointer) {
    var reader = VarintReader(frame)
    guard reader.next() == 3 << 3 | 2, reader.next() != nil else {
      self = .other
      return
    }
    var fields: (UInt64, UInt64, UInt64) = (0, 0, 0)
    while let tag = reader.next(), tag == 1 << 3 || tag == 2 << 3 || tag == 3 << 3, let value = reader.next() {
      switch tag {
      case 1 << 3: fields.0 = value
      case 2 << 3: fields.1 = value
      default: fields.2 = value
      }
    }
    self = .diff(revision: fields.0, author: fields.1, sequence: fields.2)
  }
}

private struct VarintReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The next varint; `nil` at the end, or where it is none.
  mutating func next() -> UInt64? {
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
