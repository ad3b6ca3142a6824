public import BaizeTable

/// Finds frames in a stream of bytes.
///
/// ```
/// ┌────────────────┬───────────────────────┐
/// │ length, varint │ message, length bytes │ …
/// └────────────────┴───────────────────────┘
/// ```
public struct FrameReader: Hashable, Sendable {
  /// The longest message that is accepted, in bytes.
  public let frameBytesMax: Int

  /// Creates a reader of messages of at most `frameBytesMax` bytes.
  public init(frameBytesMax: Int = WireLimits.frameBytesMax) {
    precondition(frameBytesMax >= 0, "no frames of \(frameBytesMax) bytes")
    self.frameBytesMax = frameBytesMax
  }

  /// Returns the range of the message whose frame begins at `position`; the next frame begins at its upper bound.
  ///
  /// - Returns: `nil` while the frame is incomplete. An empty range is a message too.
  /// - Throws: ``DecodeError/frameTooLarge`` as soon as the length is known, ``DecodeError/varintTooLong`` where it is
  ///   not a length.
  @inlinable @inline(__always)
  public func next(in bytes: UnsafeRawBufferPointer, from position: Int = 0) throws(DecodeError) -> Range<Int>? {
    precondition(0 <= position && position <= bytes.count, "\(position) is outside of \(bytes.count) bytes")
    // Mostly the length is one byte, and the frame is complete.
    if position < bytes.count {
      let start = position &+ 1
      let end = start &+ Int(bytes[position])
      if bytes[position] < 0x80, end <= bytes.count, end &- start <= frameBytesMax { return start..<end }
    }
    return try nextOfAnyLength(in: bytes, from: position)
  }

  @usableFromInline @inline(never) func nextOfAnyLength(
    in bytes: UnsafeRawBufferPointer, from position: Int
  ) throws(DecodeError) -> Range<Int>? {
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
