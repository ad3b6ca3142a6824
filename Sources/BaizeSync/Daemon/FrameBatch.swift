import BaizeTable
public import BaizeWire

/// A connection as the machines know it: the slot of the transport's table and the generation of its occupant.
public struct ConnectionID: Hashable, Sendable, BitwiseCopyable {
  public let slot: UInt32
  public let generation: UInt32

  public init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}

/// What one turn sends: every frame encoded once, and who gets which.
///
/// The host MUST NOT send a batch before the turn that it belongs to is committed; the machine hands it out only then.
public final class FrameBatch {
  /// A frame for one connection: a range of the batch's bytes.
  public struct Delivery: Sendable, BitwiseCopyable {
    public let connection: ConnectionID
    public let start: UInt32
    public let end: UInt32
  }

  public private(set) var deliveries: [Delivery] = []
  /// Connections that end once everything before is written.
  public private(set) var closes: [ConnectionID] = []
  /// Why, in the same order.
  public private(set) var closeReasons: [GoodbyeReason] = []
  /// What the turn decided.
  public internal(set) var counts = TurnCounts()
  private var writer = FrameWriter(capacity: 1 << 16)

  public init() {}

  public var isEmpty: Bool { deliveries.isEmpty && closes.isEmpty }

  /// Lends the bytes that the deliveries refer to.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    writer.withUnsafeBytes(body)
  }

  /// Forgets everything and keeps the buffers.
  func removeAll() {
    deliveries.removeAll(keepingCapacity: true)
    closes.removeAll(keepingCapacity: true)
    closeReasons.removeAll(keepingCapacity: true)
    counts = TurnCounts()
    writer.removeAll()
  }

  func encode(_ message: ServerMessage) -> Range<Int> { writer.frame(message) }

  func encode(_ diff: Diff, for viewer: SeatNumber, isAuthor: Bool) -> Range<Int> {
    writer.frame(diff, for: viewer, isAuthor: isAuthor)
  }

  func encode(_ part: SnapshotPart, for viewer: SeatNumber) -> Range<Int> { writer.frame(part, for: viewer) }

  func deliver(_ range: Range<Int>, to connection: ConnectionID) {
    deliveries.append(
      Delivery(
        connection: connection, start: UInt32(truncatingIfNeeded: range.lowerBound),
        end: UInt32(truncatingIfNeeded: range.upperBound)))
  }

  func send(_ message: ServerMessage, to connection: ConnectionID) { deliver(encode(message), to: connection) }

  /// Says why, then ends the connection.
  func dismiss(_ connection: ConnectionID, _ goodbye: Goodbye) {
    send(.goodbye(goodbye), to: connection)
    closes.append(connection)
    closeReasons.append(goodbye.reason)
  }
}
