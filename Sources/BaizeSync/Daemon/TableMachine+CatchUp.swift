import BaizeTable
import BaizeWire

/// Snapshots, and how a member that has one gets level with the table.
///
/// ```
///           snapshot done, tail sent
///   loading ────────────────────────▶ live
///      ▲                               │ too much unread
///      │ read enough                   ▼
///      └─────────────────────────── lagging
/// ```
extension TableMachine {
  /// Begins a snapshot of the present state for a member. What is small goes out whole at once.
  mutating func beginSnapshot(_ member: Int, into batch: FrameBatch) {
    let last = sessions[members[member].session].outcomes.last
    let producer = SnapshotProducer(
      of: table.state, for: members[member].seat, epoch: epoch, lastSequence: last, limits: limits)
    members[member].snapshotAt = turnCount
    // What this turn has recorded so far is in the state.
    setPhase(.loading(producer, tailFrom: log.end + record.count), of: member)
    produce(for: member, into: batch)
  }

  /// Whether any member waits for a part of a snapshot, or for a snapshot, that may be made now.
  var hasPartsToProduce: Bool {
    waitingCount > 0 && members.contains { !$0.isLive && $0.backlogBytes <= limits.outboxResumeBytes }
  }

  /// Makes the next part for every member that has room for it: one part a turn, so that no one waits for a long one.
  mutating func produceParts(into batch: FrameBatch) {
    guard waitingCount > 0 else { return }
    for member in members.indices where members[member].backlogBytes <= limits.outboxResumeBytes {
      switch members[member].phase {
      case .live: break
      case .loading: produce(for: member, into: batch)
      case .lagging: beginSnapshot(member, into: batch)
      }
    }
  }

  private mutating func produce(for member: Int, into batch: FrameBatch) {
    guard case .loading(let producer, let tailFrom) = members[member].phase else { return }
    let connection = members[member].connection
    batch.deliver(batch.encode(producer.next(), for: members[member].seat), to: connection)
    guard producer.isComplete else { return }
    guard tailFrom >= log.begin else {
      // The log has forgotten what came since. Whoever reads so slowly gets another snapshot.
      setPhase(.lagging, of: member)
      return
    }
    answerSkipped(through: producer.lastSequence, member, into: batch)
    sendRecords(from: tailFrom, to: member, into: batch)
    becomeLive(member, into: batch)
  }

  /// The member's stream is in order, up to the present revision.
  mutating func becomeLive(_ member: Int, into batch: FrameBatch) {
    setPhase(.live, of: member)
    answerRetried(member, into: batch)
    if let ping = members[member].heldPing {
      members[member].heldPing = nil
      pong(ping, to: member, into: batch)
    }
    tellPresence(to: member, into: batch)
  }

  /// Answers what was judged while nothing could be sent: the snapshot holds what became of it, not the answers.
  private mutating func answerSkipped(through last: SequenceNumber, _ member: Int, into batch: FrameBatch) {
    let place = members[member].session
    let forgotten = last.rawValue - min(last.rawValue, UInt64(limits.pendingOperationsMax))
    var sequence = max(sessions[place].answered, SequenceNumber(rawValue: forgotten))
    while sequence < last {
      sequence = sequence.next
      batch.send(.outcome(sessions[place].outcomes.outcome(of: sequence)), to: members[member].connection)
    }
    markAnswered(last, place)
  }

  /// Answers again what was not judged, in case the answer came when nothing could be sent.
  private mutating func answerRetried(_ member: Int, into batch: FrameBatch) {
    let place = members[member].session
    guard let retrying = sessions[place].retrying else { return }
    let last = sessions[place].outcomes.last
    var retried = max(last, retrying.told)
    while retried < retrying.through, retried.rawValue < last.rawValue + UInt64(limits.pendingOperationsMax) {
      retried = retried.next
      let outcome = Outcome(
        sequence: retried, verdict: .retry, refusal: retrying.refusal, revision: table.state.revision)
      batch.send(.outcome(outcome), to: members[member].connection)
    }
    sessions[place].retrying?.told = retried
  }

  /// Sends a member what was recorded from a position of the log on, this turn included: diffs, and its own answers.
  private mutating func sendRecords(from position: RecordLog.Position, to member: Int, into batch: FrameBatch) {
    let logged = position < log.end ? log.records(from: position) : []
    let fresh = record[max(0, position - log.end)...]
    for bytes in [logged, fresh] where !bytes.isEmpty { send(bytes, after: .zero, to: member, into: batch) }
  }

  /// Sends a member what was recorded since it stood at `revision`, which the log has: the diffs after it, and its own
  /// answers among them. Of those at `revision` itself it may have some; they say nothing new.
  mutating func sendRecords(after revision: Revision, to member: Int, into batch: FrameBatch) {
    let logged = log.records(from: log.position(of: revision))
    for bytes in [logged, record[...]] where !bytes.isEmpty { send(bytes, after: revision, to: member, into: batch) }
  }

  private mutating func send(
    _ records: ArraySlice<UInt8>, after revision: Revision, to member: Int, into batch: FrameBatch
  ) {
    let place = members[member].session
    let (session, connection, seat) = (sessions[place].id, members[member].connection, members[member].seat)
    let hasSecrets = table.state.type.hasSecrets
    var answered = sessions[place].answered
    do throws(JournalError) {
      try JournalEntry.forEach(in: records) { entry in
        switch entry {
        case .diff(let diff) where diff.revision > revision:
          let isAuthor = diff.author == session
          let told = isAuthor || !hasSecrets ? diff : diff.withoutSequence
          batch.deliver(batch.encode(told, for: seat, isAuthor: isAuthor), to: connection)
          if isAuthor { answered = max(answered, diff.sequence) }
        case .outcome(session, let outcome):
          batch.send(.outcome(outcome), to: connection)
          answered = max(answered, outcome.sequence)
        case .diff, .outcome, .session, .forgotten, .opened: break
        }
      }
    } catch {
      preconditionFailure("the log of table \(name) cannot be read: \(error)")
    }
    markAnswered(answered, place)
  }

  mutating func setPhase(_ phase: Member.Phase, of member: Int) {
    if members[member].isLoading { loadingCount -= 1 }
    if !members[member].isLive { waitingCount -= 1 }
    members[member].phase = phase
    if members[member].isLoading { loadingCount += 1 }
    if !members[member].isLive { waitingCount += 1 }
  }

  // MARK: Back-pressure

  /// The host reports what of a member's output is not sent yet.
  mutating func backlog(of member: Int, _ bytes: Int, at now: Instant) {
    let hasMoved = bytes < members[member].backlogBytes
    members[member].backlogBytes = bytes
    if bytes == 0 || hasMoved { members[member].stalledSince = nil }
    if bytes > 0, members[member].stalledSince == nil { members[member].stalledSince = now }
    if members[member].isLive, bytes > limits.outboxHardBytes { setPhase(.lagging, of: member) }
  }

  /// Whether a member has not read at all for too long.
  func isStalled(_ member: Int, at now: Instant) -> Bool {
    guard let since = members[member].stalledSince else { return false }
    return now.milliseconds(since: since) >= limits.stalledSeconds * 1_000
  }

  /// A member's replica is not what the daemon has: it asks for a snapshot. One that is on its way is finished and serves,
  /// and so does one that this turn has sent.
  mutating func requestSnapshot(_ member: Int, into batch: FrameBatch) {
    batch.countResynchronized()
    guard members[member].isLive, members[member].snapshotAt < turnCount else { return }
    beginSnapshot(member, into: batch)
  }

  // MARK: Keeping in touch

  /// Answers a ping in order with the diffs.
  mutating func pong(_ ping: Ping, to member: Int, into batch: FrameBatch) {
    guard members[member].isLive else {
      members[member].heldPing = ping
      return
    }
    let hash = ping.wantsHash ? table.viewHash(for: members[member].seat) : 0
    let pong = Pong(nonce: ping.nonce, revision: table.state.revision, viewHash: hash, epoch: epoch)
    batch.send(.pong(pong), to: members[member].connection)
  }
}
