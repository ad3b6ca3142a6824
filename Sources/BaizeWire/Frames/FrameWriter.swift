public import BaizeTable

/// Encodes messages, one behind the other, into a buffer that is kept and used again.
///
/// Each call appends one frame and returns where it lies, so that a fan-out can copy the same bytes to many. The
/// encoding is canonical: equal messages give equal bytes.
public struct FrameWriter: ~Copyable {
  @usableFromInline var writer: ByteWriter

  /// An empty buffer with room for `capacity` bytes; it grows as needed.
  public init(capacity: Int = 4096) { writer = ByteWriter(capacity: capacity) }

  /// How many bytes were written.
  public var count: Int { writer.count }

  /// Forgets all frames.
  public mutating func removeAll(keepingCapacity: Bool = true) { writer.removeAll(keepingCapacity: keepingCapacity) }

  /// Lends the bytes of all frames.
  @inlinable public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try writer.withUnsafeBytes(body)
  }

  /// Lends the bytes of some frames.
  @inlinable public func withUnsafeBytes<Result, Failure: Error>(
    in range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try writer.withUnsafeBytes { (bytes) throws(Failure) in
      precondition(range.upperBound <= bytes.count, "\(range) reaches beyond \(bytes.count) bytes")
      return try body(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
  }
}

// MARK: - Frames

extension FrameWriter {
  @discardableResult public mutating func frame(_ message: ClientMessage) -> Range<Int> {
    delimited { message.encode(into: &$0) }
  }

  /// A message as it is given. Only a face whose sight is `.nobody` stays out: in the daemon, a diff and a snapshot
  /// have viewers and go through the methods that ask for one.
  @discardableResult public mutating func frame(_ message: ServerMessage) -> Range<Int> {
    delimited { message.encode(into: &$0) }
  }

  /// A diff as `viewer` may see it: without the faces hidden from it, and without new ids unless it is the author.
  @discardableResult public mutating func frame(_ diff: Diff, for viewer: SeatNumber, isAuthor: Bool) -> Range<Int> {
    let start = writer.count
    if diff.appendOnlyMove(to: &writer) { return start..<writer.count }
    return delimited {
      $0.message(ServerMessage.Number.diff) { diff.encode(into: &$0, for: .seat(viewer), isAuthor: isAuthor) }
    }
  }

  /// A part of a snapshot as `viewer` may see it: without the faces hidden from it.
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
