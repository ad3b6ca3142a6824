import BaizeTable
import BaizeWire

/// One table of the daemon, its sessions and the connections that are at it: judges, and says who hears of what.
struct TableMachine {
  let name: String
  /// The table type as the creator named it, options included.
  let typeText: String
  var table: Table
  let epoch: Epoch
  let limits: SyncLimits
  /// What goes to the journal; `nil` where nothing is kept.
  var entries: [JournalEntry]?

  /// By place. A place is used again when its session is forgotten, a session's id never is.
  var sessions: [SessionRecord] = []
  var sessionPlaces: [SessionID: Int] = [:]
  var freePlaces: [Int] = []
  var lastSession = SessionID.daemon
  /// The connections that are at the table, in no order that means anything.
  var members: [Member] = []
  /// Diffs and outcomes that members who are loading have yet to get; empty while there are none.
  var tail: [TailEntry] = []
  /// How many members are loading, and how many are not live.
  var loadingCount = 0
  var waitingCount = 0
  /// Whether the shard's turn knows that something happened here.
  var isTouched = false

  /// A connection that is at the table.
  struct Member {
    let connection: ConnectionID
    /// The place of its session.
    let session: Int
    let seat: SeatNumber
    var phase = Phase.live {
      didSet { if case .live = phase { isLive = true } else { isLive = false } }
    }
    /// Whether the phase is live: kept apart, since every fan-out asks every member.
    private(set) var isLive = true
    var backlogBytes = 0
    /// Since when nothing of the backlog was read.
    var stalledSince: Instant?
    /// A ping that waits for the stream to be in order again.
    var heldPing: Ping?

    enum Phase {
      /// Gets every diff as it is made.
      case live
      /// Gets a snapshot, then what came into the tail since it began: from that entry on, unless that was given up.
      case loading(SnapshotProducer, tailFrom: Int?)
      /// Has too much unread: gets nothing until that is read, then a snapshot.
      case lagging
    }

    var isLoading: Bool {
      if case .loading = phase { true } else { false }
    }
  }

  enum TailEntry {
    case diff(Diff)
    case outcome(session: Int, Outcome)
  }

  init(
    name: String, typeText: String, table: Table, epoch: Epoch, limits: SyncLimits, isJournalled: Bool
  ) {
    self.name = name
    self.typeText = typeText
    self.table = table
    self.epoch = epoch
    self.limits = limits
    entries = isJournalled ? [.created(table: name, type: typeText)] : nil
  }

  // MARK: Operations

  /// What an operation breaks that a client must keep.
  enum Violation: Error {
    case sequenceGap(expected: SequenceNumber, got: SequenceNumber)
  }

  /// Judges an operation and answers it: never silence.
  mutating func submit(
    _ operation: TableOperation, from member: Int, at now: Instant, into batch: FrameBatch
  ) throws(Violation) {
    let place = members[member].session
    let last = sessions[place].outcomes.last
    guard operation.sequence > .zero else { throw .sequenceGap(expected: last.next, got: operation.sequence) }
    guard operation.sequence > last else {
      answer(sessions[place].outcomes.outcome(of: operation.sequence), to: member, into: batch)
      return
    }
    if operation.sequence > last.next {
      guard let retrying = sessions[place].retrying else {
        throw .sequenceGap(expected: last.next, got: operation.sequence)
      }
      sessions[place].retrying?.through = max(retrying.through, operation.sequence)
      retry(operation.sequence, retrying.refusal, to: member, into: batch)
      return
    }
    if let refusal = notNow(operation, of: place, at: now) {
      postpone(operation.sequence, refusal, member, into: batch)
      return
    }
    let author = Author(session: sessions[place].id, seat: members[member].seat)
    switch table.judge(operation, by: author, memory: &sessions[place].memory) {
    case .accepted(let diff): publish(diff, of: place, into: batch)
    case .unchanged: conclude(.unchanged, nil, member, into: batch)
    case .refused(let refusal): conclude(.refused, refusal, member, into: batch)
    case .retry(let refusal): postpone(operation.sequence, refusal, member, into: batch)
    }
  }

  /// Why an operation cannot be judged now: it is of another epoch, or one too many.
  private mutating func notNow(_ operation: TableOperation, of place: Int, at now: Instant) -> Refusal? {
    guard operation.epoch == epoch else {
      return Refusal(.staleBase, detail: "the table is at epoch \(epoch.rawValue)")
    }
    let isAdmitted =
      sessions[place].rate.admits(
        perSecond: limits.operationsPerSecondMax, burst: limits.operationsBurstMax, at: now)
    return isAdmitted
      ? nil : Refusal(.rateLimited, detail: "at most \(limits.operationsPerSecondMax) operations a second")
  }

  private mutating func postpone(
    _ sequence: SequenceNumber, _ refusal: Refusal, _ member: Int, into batch: FrameBatch
  ) {
    let place = members[member].session
    let through = max(sequence, sessions[place].retrying?.through ?? .zero)
    sessions[place].retrying = SessionRecord.Retrying(refusal: refusal, through: through)
    retry(sequence, refusal, to: member, into: batch)
  }

  private mutating func retry(
    _ sequence: SequenceNumber, _ refusal: Refusal, to member: Int, into batch: FrameBatch
  ) {
    let outcome = Outcome(sequence: sequence, verdict: .retry, refusal: refusal, revision: table.state.revision)
    batch.count(.retry)
    answer(outcome, to: member, into: batch)
  }

  /// Notes and sends the answer to an operation that made no diff.
  private mutating func conclude(
    _ verdict: Verdict, _ refusal: Refusal?, _ member: Int, into batch: FrameBatch
  ) {
    let place = members[member].session
    record(verdict, refusal, place)
    let outcome = sessions[place].outcomes.outcome(of: sessions[place].outcomes.last)
    entries?.append(.outcome(table: name, sessions[place].id, outcome))
    batch.count(verdict)
    answer(outcome, to: member, into: batch)
  }

  private mutating func record(_ verdict: Verdict, _ refusal: Refusal?, _ place: Int) {
    sessions[place].outcomes.append(
      verdict, refusal, at: table.state.revision, limit: limits.pendingOperationsMax)
    sessions[place].retrying = nil
  }

  // MARK: Fan-out

  /// Notes a diff and sends it to all who are at the table, encoded once for all who see the same.
  mutating func publish(_ diff: Diff, of place: Int?, into batch: FrameBatch) {
    if let place { record(.duplicate, nil, place) }
    entries?.append(.diff(table: name, diff))
    if loadingCount > 0 { keep(.diff(diff)) }
    let reachesAuthor = batch.publish(diff, to: members, author: place)
    if let place, reachesAuthor { sessions[place].answered = diff.sequence }
  }

  /// Sends an answer, or keeps it until the stream is in order again.
  private mutating func answer(_ outcome: Outcome, to member: Int, into batch: FrameBatch) {
    let place = members[member].session
    switch members[member].phase {
    case .live:
      batch.send(.outcome(outcome), to: members[member].connection)
      if outcome.verdict != .retry { markAnswered(outcome.sequence, place) }
    case .loading: keep(.outcome(session: place, outcome))
    case .lagging: break
    }
  }

  private mutating func markAnswered(_ sequence: SequenceNumber, _ place: Int) {
    sessions[place].answered = max(sessions[place].answered, sequence)
  }

  /// Sends what is no part of the stream of diffs to all but one.
  func relay(_ message: ServerMessage, except excluded: Int?, isDroppable: Bool, into batch: FrameBatch) {
    guard members.count > (excluded == nil ? 0 : 1) else { return }
    let range = batch.encode(message)
    for (position, member) in members.enumerated() where position != excluded {
      if isDroppable, member.backlogBytes > limits.outboxSoftBytes { continue }
      batch.deliver(range, to: member.connection)
    }
  }
}
