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
    let producer = SnapshotProducer(of: table.state, epoch: epoch, lastSequence: last, limits: limits)
    setPhase(.loading(producer, tailFrom: tail.count), of: member)
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
    guard let tailFrom else {
      setPhase(.lagging, of: member)
      return
    }
    answerSkipped(before: producer, tailFrom: tailFrom, member, into: batch)
    sendTail(from: tailFrom, to: member, into: batch)
    setPhase(.live, of: member)
    if let ping = members[member].heldPing {
      members[member].heldPing = nil
      pong(ping, to: member, into: batch)
    }
  }

  /// Answers what was judged while nothing could be sent: the snapshot holds what became of it, not the answers.
  private mutating func answerSkipped(
    before producer: SnapshotProducer, tailFrom: Int, _ member: Int, into batch: FrameBatch
  ) {
    let place = members[member].session
    let last = sessions[place].outcomes.last
    let skipped = sessions[place].answered
    var sequence = max(skipped, SequenceNumber(rawValue: last.rawValue - min(last.rawValue, pendingMax)))
    while sequence < last {
      sequence = sequence.next
      let outcome = sessions[place].outcomes.outcome(of: sequence)
      guard outcome.revision <= producer.revision, !isInTail(sequence, of: place, from: tailFrom) else {
        continue
      }
      batch.send(.outcome(outcome), to: members[member].connection)
      sessions[place].answered = sequence
    }
    guard let retrying = sessions[place].retrying else { return }
    var retried = last
    while retried < retrying.through, retried.rawValue < last.rawValue + pendingMax {
      retried = retried.next
      if isInTail(retried, of: place, from: tailFrom) { continue }
      let outcome = Outcome(
        sequence: retried, verdict: .retry, refusal: retrying.refusal, revision: producer.revision)
      batch.send(.outcome(outcome), to: members[member].connection)
    }
  }

  private var pendingMax: UInt64 { UInt64(limits.pendingOperationsMax) }

  /// Whether an answer stands in the part of the tail that a member gets; what is before that is for others.
  private func isInTail(_ sequence: SequenceNumber, of place: Int, from start: Int) -> Bool {
    tail[min(start, tail.count)...].contains { entry in
      switch entry {
      case .outcome(let session, let outcome): session == place && outcome.sequence == sequence
      case .diff(let diff): diff.author == sessions[place].id && diff.sequence == sequence
      }
    }
  }

  private mutating func sendTail(from start: Int, to member: Int, into batch: FrameBatch) {
    let place = members[member].session
    for entry in tail[min(start, tail.count)...] {
      switch entry {
      case .diff(let diff):
        let isAuthor = diff.author == sessions[place].id
        batch.deliver(
          batch.encode(diff, for: members[member].seat, isAuthor: isAuthor), to: members[member].connection)
        if isAuthor { sessions[place].answered = max(sessions[place].answered, diff.sequence) }
      case .outcome(let session, let outcome):
        guard session == place else { continue }
        batch.send(.outcome(outcome), to: members[member].connection)
        if outcome.verdict != .retry { sessions[place].answered = max(sessions[place].answered, outcome.sequence) }
      }
    }
  }

  /// Keeps something for the members that are loading. A tail that outgrows the table's window is given up: whoever reads
  /// so slowly gets another snapshot when the first is done.
  mutating func keep(_ entry: TailEntry) {
    guard loadingCount > 0 else { return }
    if tail.count >= TableLimits.historyRevisionsMax {
      tail.removeAll()
      for member in members.indices {
        if case .loading(let producer, _) = members[member].phase {
          members[member].phase = .loading(producer, tailFrom: nil)
        }
      }
    }
    tail.append(entry)
  }

  mutating func setPhase(_ phase: Member.Phase, of member: Int) {
    if members[member].isLoading { loadingCount -= 1 }
    if !members[member].isLive { waitingCount -= 1 }
    members[member].phase = phase
    if members[member].isLoading { loadingCount += 1 }
    if !members[member].isLive { waitingCount += 1 }
    if loadingCount == 0 { tail.removeAll() }
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

  /// A member asks for a snapshot; one that is on its way is finished and serves.
  mutating func requestSnapshot(_ member: Int, into batch: FrameBatch) {
    if members[member].isLive { beginSnapshot(member, into: batch) }
  }

  // MARK: Keeping in touch

  /// Answers a ping in order with the diffs.
  mutating func pong(_ ping: Ping, to member: Int, into batch: FrameBatch) {
    guard members[member].isLive else {
      members[member].heldPing = ping
      return
    }
    let hash = ping.wantsHash ? table.viewHash() : 0
    let pong = Pong(nonce: ping.nonce, revision: table.state.revision, viewHash: hash, epoch: epoch)
    batch.send(.pong(pong), to: members[member].connection)
  }
}
