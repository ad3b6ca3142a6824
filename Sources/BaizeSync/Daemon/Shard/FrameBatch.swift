public import BaizeTable
public import BaizeWire

/// The frames that one turn sends, each encoded once, and the connections that receive them.
///
/// The host MUST NOT send a batch before its turn is committed; the machine releases it only then.
public final class FrameBatch {
  /// Bytes for one connection: a range of the batch's bytes that begins and ends with a frame.
  public struct Delivery: Sendable, BitwiseCopyable {
    public let connection: ConnectionID
    /// The offset of the first byte.
    public let start: UInt32
    /// The offset after the last byte.
    public fileprivate(set) var end: UInt32
  }

  // Nothing here calls back into the batch, so dynamic exclusivity checks (one per frame) are superfluous.

  /// The runs to send, in the order of each connection's frames. Contiguous frames form one run, so that a live member
  /// receives everything that a turn publishes in few runs.
  @exclusivity(unchecked) public private(set) var runs: [Delivery] = []
  /// The connections to close once everything before is written.
  @exclusivity(unchecked) public private(set) var closes: [ConnectionID] = []
  /// The reasons for ``closes``, in the same order.
  @exclusivity(unchecked) public private(set) var closeReasons: [GoodbyeReason] = []
  @exclusivity(unchecked) public private(set) var counts = TurnCounts()
  /// The number of deliveries: each frame counts once for each connection that receives it.
  @exclusivity(unchecked) public private(set) var frameCount = 0
  /// The work of encoding the batch, and that of the operations, in units of ``TurnBudget``.
  @exclusivity(unchecked) private var ownUnits = 0
  /// The number of bytes to send: those of each frame once for each connection that receives it.
  @exclusivity(unchecked) private var deliveredBytes = 0
  /// The numbers of operations that were refused or have to be sent again, by reason, each of Baize's own reasons once.
  @exclusivity(unchecked) public private(set) var reasons: [(reason: Reason, count: Int)] = []
  /// The time at which the host began the turn.
  @exclusivity(unchecked) public internal(set) var begunAt = Instant(nanoseconds: 0)
  @exclusivity(unchecked) private var recordedBytes = 0
  @exclusivity(unchecked) private var writer = FrameWriter(capacity: FrameBatch.capacity)
  /// Small, since there are many batches while a slow journal commits many small turns. Those that grew are used again.
  private static let capacity = 8 << 10

  public init() {}

  /// The approximate size of the batch in memory, in bytes.
  var memoryBytes: Int { max(Self.capacity, writer.count) + runs.count * MemoryLayout<Delivery>.stride }

  /// The work so far, in units of ``TurnBudget``: what is encoded and read, the items, and the deliveries.
  public var workUnits: Int { ownUnits + TurnBudget.work(ofDeliveries: frameCount, bytes: deliveredBytes) }

  /// Returns the number of operations that were refused, or have to be sent again, for a reason.
  func count(of reason: Reason) -> Int { reasons.first { $0.reason == reason }?.count ?? 0 }

  /// The size of the encoded frames so far, and of the records among them.
  var byteCount: Int { writer.count + recordedBytes }

  /// Whether the batch has nothing to send and no connection to close.
  public var isEmpty: Bool { runs.isEmpty && closes.isEmpty }

  /// Calls `body` with the bytes that the runs refer to.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    writer.withUnsafeBytes(body)
  }

  /// The runs divided into frames.
  public var deliveries: [Delivery] {
    withUnsafeBytes { bytes in
      var deliveries: [Delivery] = []
      let reader = FrameReader(frameBytesMax: .max)
      for run in runs {
        var start = Int(run.start)
        while start < Int(run.end) {
          guard let end = try? reader.next(in: bytes, from: start)?.upperBound else {
            preconditionFailure("\(run) does not divide into frames")
          }
          deliveries.append(Delivery(connection: run.connection, start: UInt32(start), end: UInt32(end)))
          start = end
        }
      }
      return deliveries
    }
  }

  /// Removes everything and keeps the buffers.
  func removeAll() {
    runs.removeAll(keepingCapacity: true)
    closes.removeAll(keepingCapacity: true)
    closeReasons.removeAll(keepingCapacity: true)
    counts = TurnCounts()
    frameCount = 0
    (ownUnits, deliveredBytes) = (0, 0)
    reasons.removeAll(keepingCapacity: true)
    recordedBytes = 0
    writer.removeAll()
  }

  // MARK: Encoding

  func encode(_ message: ServerMessage) -> Range<Int> { charged(writer.frame(message)) }

  func encode(_ diff: Diff, for viewer: SeatNumber, isAuthor: Bool) -> Range<Int> {
    charged(writer.frame(diff, for: viewer, isAuthor: isAuthor))
  }

  func encode(_ part: SnapshotPart, for viewer: SeatNumber) -> Range<Int> {
    if part.isComplete { counts.snapshots += 1 }
    return charged(writer.frame(part, for: viewer))
  }

  @inline(__always) private func charged(_ frame: Range<Int>) -> Range<Int> {
    ownUnits += frame.count / TurnBudget.bytesPerUnit
    return frame
  }

  // MARK: Recording

  /// Encodes and records a diff whose frame has the same bytes as its ``JournalEntry``.
  func record(_ frame: Range<Int>, in log: inout RecordLog) {
    writer.withUnsafeBytes { log.append(UnsafeRawBufferPointer(rebasing: $0[frame])) }
    recordedBytes += frame.count
  }

  func record(_ diff: Diff, in log: inout RecordLog) {
    recordedBytes += JournalEntry.record(diff, in: &log)
  }

  // MARK: Sending

  /// Sends a frame to all live members, and `authorFrame` to the author among them.
  ///
  /// - Parameter author: The slot of the author's session; -1 for none.
  /// - Returns: The number of members, and whether the author is one of them.
  func send(
    _ frame: Range<Int>, authorFrame: Range<Int>, of author: Int, toLive members: inout [Member]
  ) -> (count: Int, reachesAuthor: Bool) {
    var (count, reachesAuthor) = (0, false)
    for index in members.indices where members[index].isLive {
      let isAuthor = members[index].session == author
      if isAuthor { reachesAuthor = true }
      send(isAuthor ? authorFrame : frame, to: &members[index])
      count += 1
    }
    return (count, reachesAuthor)
  }

  /// Counts a frame that is published to so many members, and is sent later by ``send(published:toLive:)``.
  @inline(__always) func count(published bytes: Int, isRebased: Bool, deliveries: Int) {
    // As a frame and as a record.
    recordedBytes += 2 * bytes
    ownUnits += 1 + bytes / TurnBudget.bytesPerUnit
    frameCount += deliveries
    deliveredBytes += bytes * deliveries
    counts.deliveries += deliveries
    counts.accepted += 1
    if isRebased { counts.rebased += 1 }
  }

  /// Sends all live members frames that were counted when they were published.
  func send(published frames: UnsafeRawBufferPointer, toLive members: inout [Member]) {
    recordedBytes -= frames.count
    let span = writer.append(frames)
    members.withUnsafeMutableBufferPointer { members in
      for index in members.indices where members[index].isLive { extend(&members[index], by: span) }
    }
  }

  /// The offsets of a frame in the batch's bytes.
  private struct Span {
    let start: UInt32
    let end: UInt32

    @inline(__always) init(_ frame: Range<Int>) {
      guard let end = UInt32(exactly: frame.upperBound) else {
        preconditionFailure("a turn of \(frame.upperBound) bytes")
      }
      start = UInt32(truncatingIfNeeded: frame.lowerBound)
      self.end = end
    }
  }

  /// Sends a frame to a member. A frame that directly follows the member's last run extends it.
  func send(_ frame: Range<Int>, to member: inout Member) {
    frameCount += 1
    deliveredBytes += frame.count
    extend(&member, by: frame)
  }

  private func extend(_ member: inout Member, by frames: Range<Int>) {
    guard !extend(member.lastRun, by: frames, to: member.connection) else { return }
    append(frames, to: member.connection)
    member.lastRun = runs.count - 1
  }

  func send(_ frame: Range<Int>, to connection: ConnectionID) {
    frameCount += 1
    deliveredBytes += frame.count
    if !extend(runs.count - 1, by: frame, to: connection) { append(frame, to: connection) }
  }

  func send(_ message: ServerMessage, to connection: ConnectionID) { send(encode(message), to: connection) }

  /// Frames are sent in the order in which they were encoded, so that no other run of the same connection can come between
  /// a run and the frame after it.
  private func extend(_ run: Int, by frame: Range<Int>, to connection: ConnectionID) -> Bool {
    let span = Span(frame)
    guard runs.indices.contains(run), runs[run].connection == connection, runs[run].end == span.start else {
      return false
    }
    runs[run].end = span.end
    return true
  }

  private func append(_ frame: Range<Int>, to connection: ConnectionID) {
    let span = Span(frame)
    runs.append(Delivery(connection: connection, start: span.start, end: span.end))
  }

  /// Sends a goodbye, then closes the connection.
  func dismiss(_ connection: ConnectionID, _ goodbye: Goodbye) {
    send(.goodbye(goodbye), to: connection)
    closes.append(connection)
    closeReasons.append(goodbye.reason)
  }

  /// Removes the runs to all connections but these. Connections to close are still closed.
  func keepRuns(to isKept: (ConnectionID) -> Bool) {
    runs.removeAll { !isKept($0.connection) }
  }

  // MARK: Counting

  /// Counts an accepted operation or a diff of the daemon, with its items and deliveries.
  func count(_ diff: Diff, hasAuthor: Bool, items: Int, deliveries: Int) {
    counts.deliveries += deliveries
    ownUnits += items
    guard hasAuthor else { return }
    counts.accepted += 1
    if diff.isRebased { counts.rebased += 1 }
    if diff.isRedirected { counts.redirected += 1 }
  }

  /// Counts the work of a view hash.
  func count(nodesHashed nodes: Int) { ownUnits += nodes / TurnBudget.nodesHashedPerUnit }

  /// Counts the work of searching a table's history.
  @inline(__always) func count(steps: Int) { ownUnits += steps / TurnBudget.stepsPerUnit }

  /// Counts the work of reading records.
  func count(bytesRead bytes: Int) { ownUnits += bytes / TurnBudget.bytesPerUnit }

  /// Counts an operation without a diff.
  func count(_ verdict: Verdict, _ reason: Reason) {
    switch verdict {
    case .refused: counts.refused += 1
    case .unchanged: counts.unchanged += 1
    case .retry: counts.retried += 1
    case .duplicate: break
    }
    if verdict == .refused || verdict == .retry { count(reason) }
  }

  private func count(_ reason: Reason) {
    // A turn has few reasons: a search costs less than hashing.
    if let index = reasons.firstIndex(where: { $0.reason == reason }) {
      reasons[index].count += 1
    } else if reason.isStandard || reason == .ofTableType {
      reasons.append((reason, 1))
    } else {
      // A table type has as many reasons of its own as it likes.
      count(.ofTableType)
    }
  }

  func countResumed(byDiffs: Bool) {
    if byDiffs { counts.resumedByDiffs += 1 } else { counts.resumedBySnapshot += 1 }
  }

  func countResynchronized() { counts.resynchronized += 1 }
}
