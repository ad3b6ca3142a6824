import BaizeTable

/// A shard's side of the journal: the turns that it has sent and that are not acknowledged yet.
public struct JournalLink {
  private let shard: Int
  /// `nil` without a journal.
  private let journal: (any Journal)?
  private let unwrittenBytesMax: Int
  private let busyBytes: Int
  /// The size in bytes of the sent turns that are not durable.
  public private(set) var unwrittenBytes = 0
  /// The time since which some are not: when the first of them was sent, or the last acknowledgement since then arrived.
  private var unwrittenSince: UInt64?
  /// The last generation that the journal has answered.
  private var generation = 0

  public init(of shard: Int, to journal: (any Journal)?, unwrittenBytesMax: Int, busyBytes: Int) {
    (self.shard, self.journal) = (shard, journal)
    (self.unwrittenBytesMax, self.busyBytes) = (unwrittenBytesMax, busyBytes)
  }

  /// Sends the writes and loads of a turn to the journal. A turn without either costs nothing.
  ///
  /// - Parameters:
  ///   - now: The present time in monotonic nanoseconds.
  ///   - load: Returns the request for a table.
  public mutating func send(_ end: TurnEnd, at now: UInt64, load: (String) -> JournalLoad) {
    guard let journal, end.number != nil || !end.loads.isEmpty else { return }
    let turn = JournalTurn(
      shard: shard, generation: generation, number: end.number, writes: end.writes, loads: end.loads.map(load))
    unwrittenBytes += turn.bytes
    if unwrittenBytes > 0, unwrittenSince == nil { unwrittenSince = now }
    journal.send(turn)
  }

  public mutating func acknowledged(_ bytes: Int, at now: UInt64) {
    unwrittenBytes -= bytes
    unwrittenSince = unwrittenBytes > 0 ? now : nil
  }

  /// Handles a failure. If the generation is new, the sent turns are void; otherwise they are kept.
  ///
  /// - Returns: Whether they are void.
  public mutating func failed(generation: Int) -> Bool {
    guard generation != self.generation else { return false }
    (unwrittenBytes, unwrittenSince) = (0, nil)
    self.generation = generation
    return true
  }

  /// Returns for how long the oldest turn that the shard waits for has not been durable.
  public func lagNanoseconds(at now: UInt64) -> UInt64 { unwrittenSince.map { now > $0 ? now - $0 : 0 } ?? 0 }

  /// Returns whether the journal is so far behind that the shard stops reading (backpressure). To peers it looks like a slow
  /// network.
  ///
  /// - Parameter heldBytes: The memory of the frames that wait for an acknowledgement.
  public func isCongested(holding heldBytes: Int) -> Bool { unwrittenBytes + heldBytes > unwrittenBytesMax }

  /// Whether so much is not durable that what nobody waits for is to be written later, and what is heavy: mostly it writes much, for
  /// which everyone else would wait.
  public var isBusy: Bool { unwrittenBytes > busyBytes }
}
