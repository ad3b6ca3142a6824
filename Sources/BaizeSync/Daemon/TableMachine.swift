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

  /// By place. A place is used again when its session is forgotten, a session's id never is.
  var sessions: [SessionRecord] = []
  var sessionPlaces: [SessionID: Int] = [:]
  var freePlaces: [Int] = []
  var lastSession = SessionID.daemon
  /// The connections that are at the table, in no order that means anything.
  var members: [Member] = []
  /// How many members are loading, and how many of those that are not live may get their next part now.
  var loadingCount = 0
  var readyCount = 0
  /// The member that is asked first whether it may.
  var nextToProduce = 0
  /// Whether the others have yet to be told who sits where and who is connected.
  var hasNewPresence = false
  /// The places of the sessions that drag something, in the order in which they began.
  var draggers: [Int] = []
  /// Who holds which items.
  var claims: [ItemID: Claim] = [:]
  var invites = Invites()
  /// Connections that were at the table and are to be let go, with the reason.
  var farewells: [(connection: ConnectionID, goodbye: Goodbye)] = []
  /// How many of its turns have ended.
  var turnCount = 1
  /// Whether the shard's turn knows that something happened here.
  var isTouched = false
  /// Since when no one is at the table.
  var deserted: Instant?

  /// The last diff that no frame had room for: nobody is brought over it by diffs.
  var oversized = Revision.zero

  /// What this turn did, as it goes to the log and to the journal.
  var record: [UInt8] = []
  /// What the last turns did.
  var log: RecordLog
  /// What the journal has of the table; `nil` where nothing is kept.
  var journalling: Journalling?

  /// A connection that is at the table.
  struct Member {
    let connection: ConnectionID
    /// The place of its session.
    let session: Int
    let seat: SeatNumber
    /// The turn in which it joined.
    let joined: TurnNumber
    /// How many turns had ended when it last got a snapshot.
    var snapshotAt = 0
    /// Whether it was here before the table was loaded anew.
    var isReadmitted = false
    var phase = Phase.live {
      didSet { if case .live = phase { isLive = true } else { isLive = false } }
    }
    /// Whether the phase is live: kept apart, since every fan-out asks every member.
    private(set) var isLive = true
    var backlogBytes = 0
    /// Since when too little of the backlog was read, and how much.
    var stalledSince: Instant?
    var takenBytes = 0
    /// The sessions that it saw drag something when its stream was last in order.
    var draggersSeen: [SessionID] = []
    /// A ping that waits for the stream to be in order again.
    var heldPing: Ping?

    enum Phase {
      /// Gets every diff as it is made.
      case live
      /// Gets a snapshot, then what the log has from a position on.
      case loading(SnapshotProducer, tailFrom: RecordLog.Position)
      /// Has too much unread: gets nothing until that is read, then a snapshot.
      case lagging
    }

    var isLoading: Bool {
      if case .loading = phase { true } else { false }
    }
  }

  /// A new table.
  init(name: String, typeText: String, table: Table, limits: SyncLimits, isJournalled: Bool) {
    self.init(name: name, typeText: typeText, table: table, epoch: Epoch(rawValue: 1), limits: limits)
    if isJournalled { journalling = Journalling(ofNew: &self) }
  }

  init(name: String, typeText: String, table: Table, epoch: Epoch, limits: SyncLimits) {
    self.name = name
    self.typeText = typeText
    self.table = table
    self.table.itemsMax = limits.itemsPerTableMax
    self.table.contentBytesMax = limits.contentBytesPerTableMax
    self.table.itemsPerOperationMax = limits.itemsPerOperationMax
    self.epoch = epoch
    self.limits = limits
    log = RecordLog(at: table.state.revision)
  }

  // MARK: Operations

  /// What an operation breaks that a client must keep.
  enum Violation: Error {
    case sequenceGap(expected: SequenceNumber, got: SequenceNumber)
  }

  /// Judges an operation and answers it: never silence.
  ///
  /// - Parameters:
  ///   - storage: Why nothing can be judged now, if the disk takes nothing.
  ///   - random: For the invites that a host asks for.
  mutating func submit(
    _ operation: TableOperation, from member: Int, storage: JournalError?, random: inout RandomSource, at now: Instant,
    into batch: FrameBatch
  ) throws(Violation) {
    let place = members[member].session
    let last = sessions[place].outcomes.last
    guard operation.sequence > .zero else { throw .sequenceGap(expected: last.next, got: operation.sequence) }
    let isJudged = operation.sequence <= last && !Mutation.twice.isActive
    guard !isJudged else {
      answer(sessions[place].outcomes.outcome(of: operation.sequence), to: member, into: batch)
      return
    }
    // It was sent before the table was loaded anew. The snapshot under the new epoch is the answer: it has the client send
    // all again, and an answer besides would have it sent twice.
    if operation.epoch < epoch, members[member].isReadmitted { return }
    if operation.sequence > last.next {
      guard let retrying = sessions[place].retrying else {
        throw .sequenceGap(expected: last.next, got: operation.sequence)
      }
      sessions[place].retrying?.through = max(retrying.through, operation.sequence)
      retry(operation.sequence, retrying.refusal, to: member, into: batch)
      return
    }
    if let refusal = notNow(operation, from: member, storage, at: now) {
      postpone(operation.sequence, refusal, member, into: batch)
      return
    }
    if case .perform(let name, _, let destination) = operation.kind,
      let action = HostAction(action: name, destination: destination),
      host(action, operation.sequence, from: member, random: &random, at: now, into: batch)
    {
      return
    }
    let author = Author(session: sessions[place].id, seat: members[member].seat)
    switch table.judge(operation, by: author, memory: &sessions[place].memory, claims: claimsToKeep(at: now)) {
    case .accepted(let diff): publish(diff, of: place, into: batch)
    case .unchanged: conclude(.unchanged, .nothing, member, into: batch)
    case .refused(let refusal): conclude(.refused, refusal, member, into: batch)
    case .retry(let refusal): postpone(operation.sequence, refusal, member, into: batch)
    }
  }

  /// Why an operation cannot be judged now: it is of another epoch, there is no room for what it does, or it is one too
  /// many, unanswered or in this second.
  private mutating func notNow(
    _ operation: TableOperation, from member: Int, _ storage: JournalError?, at now: Instant
  ) -> Refusal? {
    let place = members[member].session
    guard operation.epoch == epoch else {
      return Refusal(.staleBase, detail: "the table is at epoch \(epoch.rawValue)")
    }
    if storage != nil { return Refusal(.storage, detail: "the daemon cannot write to its disk at the moment") }
    guard unansweredCount(before: operation, from: member) < limits.pendingOperationsMax else {
      return Refusal(.tooManyPending, detail: "at most \(limits.pendingOperationsMax) operations without an answer")
    }
    let isAdmitted =
      sessions[place].rate.admits(
        perSecond: limits.operationsPerSecondMax, burst: limits.operationsBurstMax, at: now)
    return isAdmitted
      ? nil : Refusal(.rateLimited, detail: "at most \(limits.operationsPerSecondMax) operations a second")
  }

  /// How many operations of the author's have no answer yet: by its own account, and by what could not be sent to it. What
  /// could not be sent follows a snapshot, as far as it is remembered.
  private func unansweredCount(before operation: TableOperation, from member: Int) -> Int {
    guard !members[member].isLive else { return Int(operation.unanswered) }
    let session = sessions[members[member].session]
    let unsent = session.outcomes.last.rawValue - session.answered.rawValue
    return max(Int(operation.unanswered), Int(clamping: unsent))
  }

  private mutating func postpone(
    _ sequence: SequenceNumber, _ refusal: Refusal, _ member: Int, into batch: FrameBatch
  ) {
    let place = members[member].session
    let untold = sessions[place].retrying.flatMap { $0.isUntold ? $0.through : nil } ?? sequence
    sessions[place].retrying = SessionRecord.Retrying(
      refusal: refusal, through: max(sequence, untold), told: sessions[place].outcomes.last)
    retry(sequence, refusal, to: member, into: batch)
  }

  private mutating func retry(
    _ sequence: SequenceNumber, _ refusal: Refusal, to member: Int, into batch: FrameBatch
  ) {
    let outcome = Outcome(sequence: sequence, verdict: .retry, refusal: refusal, revision: table.state.revision)
    batch.count(.retry)
    if members[member].isLive { sessions[members[member].session].retrying?.told = sequence }
    answer(outcome, to: member, into: batch)
  }

  /// Notes and sends the answer to an operation that made no diff.
  mutating func conclude(
    _ verdict: Verdict, _ refusal: Refusal, invite: String = "", _ member: Int, into batch: FrameBatch
  ) {
    let place = members[member].session
    let outcome = Outcome(
      sequence: sessions[place].outcomes.last.next, verdict: verdict, refusal: refusal, revision: table.state.revision,
      invite: invite)
    sessions[place].outcomes.append(outcome, limit: limits.pendingOperationsMax)
    sessions[place].endRetrying()
    JournalEntry.outcome(sessions[place].id, outcome).append(to: &record)
    batch.count(verdict)
    answer(outcome, to: member, into: batch)
  }

  // MARK: Fan-out

  /// Notes a diff and sends it to all who are at the table, encoded once for all who see the same.
  mutating func publish(_ diff: Diff, of place: Int?, into batch: FrameBatch) {
    if let place {
      sessions[place].outcomes.append(diff, limit: limits.pendingOperationsMax)
      sessions[place].endRetrying()
    }
    guard diff.frameBytesBound <= WireLimits.serverFrameBytesMax else {
      publishOversized(diff, of: place, into: batch)
      return
    }
    let reachesAuthor = batch.publish(
      diff, to: members, author: place, hasSecrets: table.state.type.hasSecrets, record: &record)
    if let place, reachesAuthor { sessions[place].answered = diff.sequence }
  }

  /// Notes a diff that no frame has room for. Everyone gets a snapshot instead, and what was judged is answered with it;
  /// who is getting one gets another when that is done.
  private mutating func publishOversized(_ diff: Diff, of place: Int?, into batch: FrameBatch) {
    oversized = diff.revision
    batch.recordOversized(diff, hasAuthor: place != nil, record: &record)
    for member in members.indices where members[member].isLive { setPhase(.lagging, of: member) }
  }

  /// Sends an answer. Whoever is loading gets it from the log when the snapshot is done, or by the recorded outcomes.
  private mutating func answer(_ outcome: Outcome, to member: Int, into batch: FrameBatch) {
    let place = members[member].session
    guard members[member].isLive else {
      // An operation that came again, while its author cannot be answered, is answered then: it has not heard.
      let last = SequenceNumber(rawValue: outcome.sequence.rawValue - 1)
      if outcome.verdict != .retry {
        // What a snapshot leaves unanswered is answered right behind it. That was said: only another one says it again.
        if case .loading(let producer, _) = members[member].phase, producer.isComplete,
          outcome.sequence <= sessions[place].answered
        {
          setPhase(.lagging, of: member)
        }
        sessions[place].answered = min(sessions[place].answered, last)
      }
      return
    }
    batch.send(.outcome(outcome), to: members[member].connection)
    if outcome.verdict != .retry { markAnswered(outcome.sequence, place) }
  }

  mutating func markAnswered(_ sequence: SequenceNumber, _ place: Int) {
    sessions[place].answered = max(sessions[place].answered, sequence)
  }

  /// Sends a drag to all but one, encoded once for all who may know the same of it. Whoever does not follow is told when it
  /// does again.
  func relay(_ drag: Drag, except excluded: Int?, isDroppable: Bool, into batch: FrameBatch) {
    guard members.count > (excluded == nil ? 0 : 1) else { return }
    let hasSecrets = table.state.type.hasSecrets
    var views: [(seat: SeatNumber, frame: Range<Int>)] = []
    for (position, member) in members.enumerated() where position != excluded && member.isLive {
      if isDroppable, member.backlogBytes > limits.outboxSoftBytes { continue }
      let seat = hasSecrets ? member.seat : .spectator
      let known = views.first { $0.seat == seat }?.frame
      let frame = known ?? batch.encode(.drag(told(drag, to: seat)))
      if known == nil { views.append((seat, frame)) }
      batch.deliver(frame, to: member.connection)
    }
  }
}
