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

  /// All of it in one place, so that a fan-out asks for the right to change it once and not for every frame.
  private var content = Content()

  public init() {}

  public var deliveries: [Delivery] { content.deliveries }
  /// Connections that end once everything before is written.
  public var closes: [ConnectionID] { content.closes }
  /// Why, in the same order.
  public var closeReasons: [GoodbyeReason] { content.closeReasons }
  /// What the turn decided.
  public var counts: TurnCounts { content.counts }

  /// About what it takes.
  var memoryBytes: Int {
    max(Content.capacity, content.writer.count) + content.deliveries.count * MemoryLayout<Delivery>.stride
  }

  /// What was encoded so far, and the records of the diffs among it.
  var byteCount: Int { content.writer.count + content.recordedBytes }

  public var isEmpty: Bool { content.deliveries.isEmpty && content.closes.isEmpty }

  /// Lends the bytes that the deliveries refer to.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    content.writer.withUnsafeBytes(body)
  }

  /// Forgets everything and keeps the buffers.
  func removeAll() { content.removeAll() }

  func encode(_ message: ServerMessage) -> Range<Int> { content.writer.frame(message) }

  func encode(_ diff: Diff, for viewer: SeatNumber, isAuthor: Bool) -> Range<Int> {
    content.writer.frame(diff, for: viewer, isAuthor: isAuthor)
  }

  func encode(_ part: SnapshotPart, for viewer: SeatNumber) -> Range<Int> { content.writer.frame(part, for: viewer) }

  func deliver(_ range: Range<Int>, to connection: ConnectionID) { content.deliver(range, to: connection) }

  func send(_ message: ServerMessage, to connection: ConnectionID) { deliver(encode(message), to: connection) }

  /// Sends a diff to all members who follow, encoded once for all who see the same.
  ///
  /// - Parameters:
  ///   - author: The place of its author's session; `nil` for the daemon.
  ///   - hasSecrets: Whether not all at the table see the same.
  ///   - record: The table's record, to which the diff is appended as a ``JournalEntry``.
  /// - Returns: Whether the author is one of them.
  func publish(
    _ diff: Diff, to members: [TableMachine.Member], author: Int?, hasSecrets: Bool, record: inout [UInt8]
  ) -> Bool {
    let before = record.count
    defer { content.recordedBytes += record.count - before }
    return hasSecrets
      ? content.publishViews(diff, to: members, author: author, record: &record)
      : content.publish(diff, to: members, author: author, record: &record)
  }

  /// Says why, then ends the connection.
  func dismiss(_ connection: ConnectionID, _ goodbye: Goodbye) {
    send(.goodbye(goodbye), to: connection)
    content.closes.append(connection)
    content.closeReasons.append(goodbye.reason)
  }

  /// Leaves out what goes to other connections than these. Those that are to end still do.
  func keepDeliveries(to isKept: (ConnectionID) -> Bool) {
    content.deliveries.removeAll { !isKept($0.connection) }
  }

  /// Counts a session that was taken up again.
  func countResumed(byDiffs: Bool) {
    if byDiffs { content.counts.resumedByDiffs += 1 } else { content.counts.resumedBySnapshot += 1 }
  }

  func countResynchronized() { content.counts.resynchronized += 1 }

  /// Records a diff that is sent to nobody.
  func recordOversized(_ diff: Diff, hasAuthor: Bool, record: inout [UInt8]) {
    let before = record.count
    JournalEntry.diff(diff).append(to: &record)
    content.recordedBytes += record.count - before
    content.count(diff, hasAuthor: hasAuthor, deliveries: 0)
  }

  /// Counts an operation that made no diff.
  func count(_ verdict: Verdict) {
    switch verdict {
    case .refused: content.counts.refused += 1
    case .unchanged: content.counts.unchanged += 1
    case .retry: content.counts.retried += 1
    case .duplicate: break
    }
  }
}

extension Diff {
  /// As others are told of it where not all see the same: how often the author was refused before is its own business, and
  /// so is where in its hand it meant something to go.
  var toldToOthers: Diff {
    var told = self
    told.sequence = .zero
    told.isRebased = false
    told.isRedirected = false
    let isSeen = changes.indices.contains { audience(at: $0).includes(.spectator) }
    if !isSeen { told.operation = .cancel }
    return told
  }

  /// Whether `seat` is told something else than a spectator.
  fileprivate func isDistinct(for seat: SeatNumber) -> Bool {
    for index in changes.indices {
      let audience = audience(at: index)
      if audience.includes(seat) != audience.includes(.spectator) { return true }
      switch changes[index] {
      case .inserted(let items, _), .faced(let items):
        if audience.includes(seat), items.contains(where: { $0.sight == .seat(seat) }) { return true }
      case .moved, .removed, .status, .enabled, .counted, .variables, .seats: break
      }
    }
    return false
  }

  /// Whether the journal knows more of it than its author is told.
  fileprivate var hidesFaces: Bool {
    for index in changes.indices {
      if audience(at: index) != .everyone { return true }
      switch changes[index] {
      case .inserted(let items, _), .faced(let items):
        for item in items where item.sight != .everyone { return true }
      case .moved, .removed, .status, .enabled, .counted, .variables, .seats: break
      }
    }
    return false
  }
}

extension FrameBatch {
  private struct Content: ~Copyable {
    var deliveries: [Delivery] = []
    var closes: [ConnectionID] = []
    var closeReasons: [GoodbyeReason] = []
    var counts = TurnCounts()
    var recordedBytes = 0
    var writer = FrameWriter(capacity: Self.capacity)
    static let capacity = 1 << 16

    mutating func removeAll() {
      deliveries.removeAll(keepingCapacity: true)
      closes.removeAll(keepingCapacity: true)
      closeReasons.removeAll(keepingCapacity: true)
      counts = TurnCounts()
      recordedBytes = 0
      writer.removeAll()
    }

    mutating func deliver(_ range: Range<Int>, to connection: ConnectionID) {
      precondition(range.upperBound <= Int(UInt32.max), "a turn of \(range.upperBound) bytes")
      deliveries.append(
        Delivery(
          connection: connection, start: UInt32(truncatingIfNeeded: range.lowerBound),
          end: UInt32(truncatingIfNeeded: range.upperBound)))
    }

    mutating func publish(
      _ diff: Diff, to members: [TableMachine.Member], author: Int?, record: inout [UInt8]
    ) -> Bool {
      let shared = writer.frame(diff, for: .spectator, isAuthor: false)
      let own = diff.minted.isEmpty ? shared : writer.frame(diff, for: .spectator, isAuthor: true)
      if diff.hidesFaces {
        JournalEntry.diff(diff).append(to: &record)
      } else {
        writer.withUnsafeBytes(in: own) { record.append(contentsOf: $0) }
      }
      let before = deliveries.count
      var reachesAuthor = false
      for position in members.indices where members[position].isLive {
        let isAuthor = members[position].session == author
        if isAuthor { reachesAuthor = true }
        deliver(isAuthor ? own : shared, to: members[position].connection)
      }
      count(diff, hasAuthor: author != nil, deliveries: deliveries.count - before)
      return reachesAuthor
    }

    /// The same where not all see the same: encoded once for each distinct view, and for the author, who alone is told the
    /// operation's number.
    mutating func publishViews(
      _ diff: Diff, to members: [TableMachine.Member], author: Int?, record: inout [UInt8]
    ) -> Bool {
      JournalEntry.diff(diff).append(to: &record)
      let told = diff.toldToOthers
      var views: [(seat: SeatNumber, frame: Range<Int>)] = []
      let before = deliveries.count
      var reachesAuthor = false
      for position in members.indices where members[position].isLive {
        let member = members[position]
        if member.session == author {
          reachesAuthor = true
          deliver(writer.frame(diff, for: member.seat, isAuthor: true), to: member.connection)
          continue
        }
        let seat = diff.isDistinct(for: member.seat) ? member.seat : .spectator
        if let view = views.first(where: { $0.seat == seat }) {
          deliver(view.frame, to: member.connection)
        } else {
          let frame = writer.frame(told, for: seat, isAuthor: false)
          views.append((seat, frame))
          deliver(frame, to: member.connection)
        }
      }
      count(diff, hasAuthor: author != nil, deliveries: deliveries.count - before)
      return reachesAuthor
    }

    mutating func count(_ diff: Diff, hasAuthor: Bool, deliveries: Int) {
      counts.deliveries += deliveries
      guard hasAuthor else { return }
      counts.accepted += 1
      if diff.isRebased { counts.rebased += 1 }
    }
  }
}
