public import BaizeTable

/// An encoder of messages into one buffer, which is reused.
///
/// Each call appends one frame and returns its range, so that a fan-out can send the same bytes to many. The encoding
/// is canonical: equal messages have equal bytes.
public struct FrameWriter: ~Copyable {
  @usableFromInline var writer: ByteWriter

  /// Creates an empty buffer with room for `capacity` bytes; it grows as needed.
  public init(capacity: Int = 4096) { writer = ByteWriter(capacity: capacity) }

  public var count: Int { writer.count }

  public mutating func removeAll() { writer.removeAll() }

  @inlinable public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try writer.withUnsafeBytes(body)
  }
}

// MARK: - Frames

extension FrameWriter {
  package mutating func append(_ frames: UnsafeRawBufferPointer) -> Range<Int> {
    let start = writer.count
    writer.append(frames)
    return start..<writer.count
  }

  @discardableResult public mutating func frame(_ message: ClientMessage) -> Range<Int> {
    delimited { message.encode(into: &$0) }
  }

  /// Appends a daemon's message as it is, without faces whose visibility is `.nobody`. In the daemon, diffs and snapshots
  /// are encoded for a viewer instead, by the methods below.
  @discardableResult public mutating func frame(_ message: ServerMessage) -> Range<Int> {
    delimited { message.encode(into: &$0) }
  }

  /// Appends a diff as `viewer` may see it: without the faces hidden from it, and without new ids unless it is the
  /// author.
  @discardableResult public mutating func frame(_ diff: Diff, for viewer: SeatNumber, isAuthor: Bool) -> Range<Int> {
    let start = writer.count
    if let move = SingleMoveDiff(diff) {
      move.appendFrame(to: &writer)
      return start..<writer.count
    }
    return delimited {
      $0.message(ServerMessage.Number.diff) { diff.encode(into: &$0, for: .seat(viewer), isAuthor: isAuthor) }
    }
  }

  /// Appends a part of a snapshot as `viewer` may see it: without the faces hidden from it.
  @discardableResult public mutating func frame(_ part: SnapshotPart, for viewer: SeatNumber) -> Range<Int> {
    delimited {
      $0.message(ServerMessage.Number.snapshot) { part.encode(into: &$0, for: .seat(viewer)) }
    }
  }

  @inline(__always) private mutating func delimited(_ body: (inout ByteWriter) -> Void) -> Range<Int> {
    let start = writer.count
    writer.delimited(body)
    return start..<writer.count
  }
}
