import BaizeTable
import BaizeWire

/// Snapshots, and the catch-up from a snapshot to the table's present state.
extension Room {
  /// Begins a snapshot for a member. Its first part is sent when the turn ends, unless too many members wait for theirs, or too
  /// many states are frozen: then the snapshot begins when one is released.
  mutating func beginSnapshot(_ member: Int, of state: TableState, _ sessions: Sessions) {
    openLog(of: member, at: state.revision)
    let last = sessions[members[member].session].answers.last
    guard let (frozen, logEnd) = frozenState(of: state, for: members[member], last) else {
      setPhase(.waiting, of: member)
      return
    }
    let producer = SnapshotProducer(
      of: frozen, for: members[member].seat, epoch: epoch, lastSequence: last, limits: sharedLimits)
    members[member].snapshotTurn = turnCount
    setPhase(.loading(producer, tailFrom: logEnd), of: member)
  }

  /// Returns a frozen state for a member's snapshot, and the position in the log of its view behind it; `nil` if there are as
  /// many as there may be.
  ///
  /// Where views differ, the holder of a seat has a state of its own: how long it loads depends on what it alone sees, and the
  /// others must not notice.
  private mutating func frozenState(
    of state: TableState, for member: Member, _ last: SequenceNumber
  ) -> (FrozenState, RecordLog.Position)? {
    guard let log = log(for: member.seat), let spectators = self.log(for: .spectator) else { return nil }
    let isShared = views != .differ || member.seat == .spectator
    if isShared, let newest = frozen.newestShared {
      if newest.state.revision == state.revision { return (newest, log.end) }
      // One who has seen nothing of the table may begin with a recent state: the diffs since then follow.
      let age = state.revision.rawValue - newest.state.revision.rawValue
      if member.isNew, member.seat == .spectator, last == .zero, newest.logEnd >= log.begin,
        age <= max(TableLimits.historyRevisionsMax / 4, state.itemCount / 64)
      {
        return (newest, newest.logEnd)
      }
    }
    // What one part has room for is not pinned.
    let besidesItems = state.contentBytes - state.itemCount * TableLimits.itemContentBytes
    let isSmall =
      state.itemCount <= limits.tables.snapshotPartItemsMax && besidesItems <= limits.tables.snapshotPartBytesMax
    guard isSmall || !isShared || frozen.sharedCount < limits.tables.frozenStatesMax else { return nil }
    // Only spectators begin with a state that is not the present one.
    let new = FrozenState(state, isShared: isShared, logEnd: spectators.end)
    frozen.append(new)
    return (new, log.end)
  }

  /// Releases the frozen states that are no longer in use, so that members that wait for one can begin.
  mutating func releaseFrozen() {
    guard frozen.releaseUnused() else { return }
    for member in members.indices where members[member].isWaiting { setPhase(.lagging, of: member) }
  }

  // MARK: Slow readers

  /// Notes, at the sweep, whether a member takes its snapshot.
  mutating func observeLoading(_ member: Int, at now: Instant) {
    guard case .loading(let producer, _) = members[member].phase else { return }
    producer.pace.observe(isReady: isReady(member), at: now)
  }

  /// Returns whether a member takes its snapshot too slowly: for its size, or while others wait for the state to be released.
  func isLoadingTooSlowly(_ member: Int) -> Bool {
    guard case .loading(let producer, _) = members[member].phase, let state = producer.frozen else { return false }
    let pace = producer.pace
    if pace.isTooSlow(limits.connections) { return true }
    guard pace.blockedMilliseconds > limits.connections.loadingGraceSeconds * 1_000, state === frozen.oldestShared
    else {
      return false
    }
    return members.contains(where: \.isWaiting)
  }

  /// Handles a member's request for a snapshot, sent when its replica differs from the daemon's state.
  ///
  /// A snapshot that is being sent, or that this turn has begun, answers the request. A member with unread output gets its
  /// snapshot after it has read that, so that repeated requests do not make its backlog grow.
  mutating func requestSnapshot(_ member: Int, of state: TableState, _ sessions: Sessions, into batch: FrameBatch) {
    batch.countResynchronized()
    if case .resuming = members[member].phase { return setPhase(.lagging, of: member) }
    guard members[member].isLive, members[member].snapshotTurn < turnCount else { return }
    if members[member].backlog.bytes <= limits.connections.outboxResumeBytes {
      beginSnapshot(member, of: state, sessions)
    } else {
      setPhase(.lagging, of: member)
    }
  }

  /// Produces the next parts of snapshots, for members with room in their outbox. Each gets at most one part per turn, so
  /// that a long snapshot delays nobody; the number of members per turn is bounded, and they take turns.
  ///
  /// - Parameter remaining: The number of parts that the shard's turn may still produce.
  mutating func produceParts(
    _ remaining: inout Int, _ table: inout Table, _ sessions: inout Sessions, into batch: FrameBatch
  ) {
    guard readyCount > 0 else { return }
    let start = nextToProduce
    for step in members.indices {
      guard readyCount > 0, remaining > 0 else { return }
      let member = (start + step) % members.count
      guard isReady(member) else { continue }
      nextToProduce = member + 1
      remaining -= 1
      if case .lagging = members[member].phase { beginSnapshot(member, of: table.state, sessions) }
      producePart(for: member, &table, &sessions, into: batch)
    }
  }

  /// Produces a part for a member that is not live: of its snapshot, or of the log.
  private mutating func producePart(
    for member: Int, _ table: inout Table, _ sessions: inout Sessions, into batch: FrameBatch
  ) {
    switch members[member].phase {
    case .loading(let producer, let tailFrom):
      producePart(of: producer, tailFrom: tailFrom, for: member, &table, &sessions, into: batch)
    case .resuming(let tailFrom, let revision):
      sendTail(from: tailFrom, after: revision, to: member, &table, &sessions, into: batch)
    case .live, .waiting, .lagging: break
    }
  }

  /// Produces a part of a snapshot. With the last part the member receives the log since the snapshot, as far as one part goes.
  private mutating func producePart(
    of producer: SnapshotProducer, tailFrom: RecordLog.Position, for member: Int, _ table: inout Table,
    _ sessions: inout Sessions, into batch: FrameBatch
  ) {
    let isTail = producer.isComplete
    if !isTail {
      let part = batch.encode(producer.next(), for: members[member].seat)
      batch.send(part, to: &members[member])
      producer.pace.sent(part.count)
    }
    guard producer.isComplete else { return }
    if !isTail, tailFrom >= log(of: member).begin {
      answerSkipped(through: producer.lastSequence, member, &sessions, into: batch)
    }
    sendTail(from: tailFrom, after: .zero, to: member, &table, &sessions, into: batch)
  }

  /// Sends a member that is at `revision`, which the log reaches, the diffs since then instead of a snapshot. What one part has
  /// no room for follows in later turns, as behind a snapshot.
  mutating func sendMissedRecords(
    since revision: Revision, to member: Int, _ table: inout Table, _ sessions: inout Sessions, into batch: FrameBatch
  ) {
    let position = log(of: member).position(of: revision)
    sendTail(from: position, after: revision, to: member, &table, &sessions, into: batch)
  }

  /// Sends a member the next part of the log. With the last one it becomes live.
  private mutating func sendTail(
    from position: RecordLog.Position, after revision: Revision, to member: Int, _ table: inout Table,
    _ sessions: inout Sessions, into batch: FrameBatch
  ) {
    guard position >= log(of: member).begin else {
      // The log no longer reaches back so far: a snapshot contains it.
      return setPhase(.lagging, of: member)
    }
    let end = sendRecords(from: position, after: revision, to: member, &sessions, into: batch)
    guard end < log(of: member).end else { return becomeLive(member, &table, &sessions, into: batch) }
    if case .loading(let producer, _) = members[member].phase {
      setPhase(.loading(producer, tailFrom: end), of: member)
    } else {
      setPhase(.resuming(tailFrom: end, after: revision), of: member)
    }
  }

  /// Makes a member live: it is at the table's present revision.
  private mutating func becomeLive(
    _ member: Int, _ table: inout Table, _ sessions: inout Sessions, into batch: FrameBatch
  ) {
    setPhase(.live, of: member)
    members[member].isNew = false
    sendRetries(member, at: table.state.revision, &sessions, into: batch)
    if let ping = members[member].heldPing.take() { pong(ping, to: member, &table, into: batch) }
    sendPresence(to: member, in: table.state, sessions, into: batch)
  }

  // MARK: Answers

  /// Sends the answers to operations judged while nothing could be sent: the snapshot contains only their effects.
  private mutating func answerSkipped(
    through last: SequenceNumber, _ member: Int, _ sessions: inout Sessions, into batch: FrameBatch
  ) {
    let slot = members[member].session
    let forgotten = last.rawValue - min(last.rawValue, UInt64(limits.sessions.pendingOperationsMax))
    var sequence = max(sessions[slot].answers.sent, SequenceNumber(rawValue: forgotten))
    if sequence < last { sessions[slot].answers.unpack() }
    while sequence < last {
      sequence = sequence.next
      batch.send(.outcome(sessions[slot].answers.outcomes.outcome(of: sequence)), to: members[member].connection)
    }
    sessions[slot].answers.markSent(last)
  }

  /// Sends the retries again that could not be sent before.
  private func sendRetries(
    _ member: Int, at revision: Revision, _ sessions: inout Sessions, into batch: FrameBatch
  ) {
    let slot = members[member].session
    guard let retry = sessions[slot].answers.retry else { return }
    let last = sessions[slot].answers.last
    var sequence = max(last, retry.sent)
    while sequence < retry.through, sequence.rawValue < last.rawValue + UInt64(limits.sessions.pendingOperationsMax) {
      sequence = sequence.next
      let outcome = Outcome(sequence: sequence, verdict: .retry, refusal: retry.refusal, revision: revision)
      batch.send(.outcome(outcome), to: members[member].connection)
    }
    sessions[slot].answers.markRetrySent(sequence)
  }

  // MARK: Records

  /// Sends a member the records from a position on, the open turn included: the diffs after `revision`, and its own
  /// answers. Entries up to `revision` itself are skipped. What is read is bounded as well as what is sent: most entries may
  /// be answers to others.
  ///
  /// - Returns: The position of the first record that was not sent.
  private mutating func sendRecords(
    from position: RecordLog.Position, after revision: Revision, to member: Int, _ sessions: inout Sessions,
    into batch: FrameBatch
  ) -> RecordLog.Position {
    let (sentMax, readMax) = (limits.connections.outboxSoftBytes, limits.tables.tailBytesReadMax)
    let slot = members[member].session
    let seat = Mutation.seat.isActive ? SeatNumber(rawValue: 1) : members[member].seat
    let log = log(of: member)
    let (session, connection) = (sessions[slot].id, members[member].connection)
    if viewLogs != nil { sessions[slot].answers.unpack() }
    var answered = sessions[slot].answers.sent
    var sent = 0
    var read = 0
    do throws(JournalError) {
      read = try JournalEntry.forEach(
        in: log.records(from: position), while: { sent <= sentMax && $0 < readMax }
      ) { entry in
        switch entry {
        case .diff(let diff) where diff.revision > revision:
          let isAuthor = diff.author == session
          let frame = batch.encode(
            isAuthor || views != .differ ? diff : diff.forOthers, for: seat, isAuthor: isAuthor)
          batch.send(frame, to: connection)
          sent += frame.count
          if isAuthor { answered = max(answered, diff.sequence) }
        case .outcome(session, let recorded):
          // A client has answers that are not remembered any more: it had fewer operations in flight.
          if let outcome = viewLogs == nil ? recorded : sessions[slot].answers.outcomes.recorded(recorded.sequence) {
            let frame = batch.encode(.outcome(outcome))
            batch.send(frame, to: connection)
            sent += frame.count
          }
          answered = max(answered, recorded.sequence)
        case .diff, .outcome, .session, .forgotten, .opened, .invite, .migrated, .charged: break
        }
      }
    } catch {
      preconditionFailure("the log of a table cannot be read: \(error)")
    }
    batch.count(bytesRead: read)
    sessions[slot].answers.markSent(answered)
    return position + read
  }

  // MARK: Heartbeat

  /// Answers a ping, in order with the diffs: a member that is not live gets the answer after its catch-up.
  mutating func pong(_ ping: Ping, to member: Int, _ table: inout Table, into batch: FrameBatch) {
    guard members[member].isLive else {
      members[member].heldPing = ping
      return
    }
    let hash = ping.wantsHash ? viewHash(for: members[member].seat, of: &table, into: batch) : 0
    let pong = Pong(nonce: ping.nonce, revision: table.state.revision, viewHash: hash, epoch: epoch)
    batch.send(.pong(pong), to: members[member].connection)
  }

  /// Returns the hash of a seat's view, and counts the work of computing it.
  private mutating func viewHash(for seat: SeatNumber, of table: inout Table, into batch: FrameBatch) -> UInt64 {
    hashes.hash(for: views == .differ ? seat : .spectator, at: table.state.revision) {
      let nodes = table.state.nodesHashed
      let hash = table.viewHash(for: seat)
      batch.count(nodesHashed: table.state.nodesHashed - nodes + table.state.openingsHashed)
      return hash
    }
  }
}
