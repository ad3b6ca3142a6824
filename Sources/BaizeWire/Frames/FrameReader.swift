public import BaizeTable

/// Finds frames in a stream of bytes.
///
/// ```
/// ┌────────────────┬───────────────────────┐
/// │ length, varint │ message, length bytes │ …
/// └────────────────┴───────────────────────┘
/// ```
public struct FrameReader: Hashable, Sendable {
  /// The longest message that is taken.
  public let frameBytesMax: Int

  public init(frameBytesMax: Int = WireLimits.frameBytesMax) {
    precondition(frameBytesMax >= 0, "no frames of \(frameBytesMax) bytes")
    self.frameBytesMax = frameBytesMax
  }

  /// Where the message lies whose frame begins at `position`; the next frame begins at its upper bound.
  ///
  /// - Returns: `nil` while the frame is incomplete. An empty range is a message too.
  /// - Throws: `.frameTooLarge` as soon as the length is known, `.varintTooLong` for what is no length.
  public func next(in bytes: UnsafeRawBufferPointer, from position: Int = 0) throws(DecodeError) -> Range<Int>? {
    precondition(0 <= position && position <= bytes.count, "\(position) lies outside of \(bytes.count) bytes")
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[position...]))
    let length: UInt64
    do {
      length = try reader.varint()
    } catch {
      if error == .truncated { return nil }
      throw error
    }
    guard length <= UInt64(frameBytesMax) else { throw .frameTooLarge }
    guard length <= UInt64(reader.remaining) else { return nil }
    let start = bytes.count - reader.remaining
    return start..<start + Int(length)
  }
}
