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
  /// Begins a snapshot of the present state for a member. Its first part goes out when the turn ends, if not too many wait
  /// for one.
  mutating func beginSnapshot(_ member: Int) {
    let last = sessions[members[member].session].outcomes.last
    let producer = SnapshotProducer(
      of: table.state, for: members[member].seat, epoch: epoch, lastSequence: last, limits: limits)
    members[member].snapshotAt = turnCount
    // What this turn has recorded so far is in the state.
    setPhase(.loading(producer, tailFrom: log.end + record.count), of: member)
  }

  /// Whether any member waits for a part of a snapshot, or for a snapshot, that may be made now.
  var hasPartsToProduce: Bool { readyCount > 0 }

  /// Makes the next part for members that have room for it: one part a turn, so that no one waits for a long one, and for
  /// so many of them only, each in turn, so that no one waits for a crowd.
  ///
  /// - Parameter room: How many parts the turn may still make.
  mutating func produceParts(_ room: inout Int, into batch: FrameBatch) {
    let start = nextToProduce
    for step in members.indices {
      guard readyCount > 0, room > 0 else { return }
      let member = (start + step) % members.count
      guard isReady(member) else { continue }
      nextToProduce = member + 1
      room -= 1
      if case .lagging = members[member].phase { beginSnapshot(member) }
      produce(for: member, into: batch)
    }
  }

  /// Whether a member does not follow and has read enough to be sent more of what it lacks.
  private func isReady(_ member: Int) -> Bool {
    !members[member].isLive && members[member].backlogBytes <= limits.outboxResumeBytes
  }

  /// Makes a part of a snapshot, and with the last one, or for itself, a part of what came since.
  private mutating func produce(for member: Int, into batch: FrameBatch) {
    guard case .loading(let producer, let tailFrom) = members[member].phase else { return }
    let isTail = producer.isComplete
    if !isTail {
      batch.deliver(batch.encode(producer.next(), for: members[member].seat), to: members[member].connection)
    }
    guard producer.isComplete else { return }
    guard tailFrom >= log.begin, producer.revision >= oversized else {
      // The log has forgotten what came since, or no frame has room for it: another snapshot has it.
      setPhase(.lagging, of: member)
      return
    }
    if !isTail { answerSkipped(through: producer.lastSequence, member, into: batch) }
    let end = sendRecords(from: tailFrom, to: member, into: batch)
    if end == log.end + record.count {
      becomeLive(member, into: batch)
    } else {
      setPhase(.loading(producer, tailFrom: end), of: member)
    }
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

  /// Sends a member what was recorded from a position of the log on, this turn included: diffs, and its own answers; or as
  /// much of it as may be unread before anything is left out.
  ///
  /// - Returns: The position of what was not sent.
  private mutating func sendRecords(
    from position: RecordLog.Position, to member: Int, into batch: FrameBatch
  ) -> RecordLog.Position {
    var position = position
    let bytesMax = limits.outboxSoftBytes
    if position < log.end {
      position += send(log.records(from: position), after: .zero, to: member, bytesMax: bytesMax, into: batch)
    }
    if position >= log.end {
      position += send(record[(position - log.end)...], after: .zero, to: member, bytesMax: bytesMax, into: batch)
    }
    return position
  }

  /// Sends a member what was recorded since it stood at `revision`, which the log has: the diffs after it, and its own
  /// answers among them. Of those at `revision` itself it may have some; they say nothing new.
  mutating func sendRecords(after revision: Revision, to member: Int, into batch: FrameBatch) {
    let logged = log.records(from: log.position(of: revision))
    for bytes in [logged, record[...]] {
      _ = send(bytes, after: revision, to: member, bytesMax: .max, into: batch)
    }
  }

  /// - Parameter bytesMax: After how much no further record is sent.
  /// - Returns: How many bytes of the records were seen to.
  private mutating func send(
    _ records: ArraySlice<UInt8>, after revision: Revision, to member: Int, bytesMax: Int, into batch: FrameBatch
  ) -> Int {
    let place = members[member].session
    let seat = Mutation.seat.isActive ? SeatNumber(rawValue: 1) : members[member].seat
    let (session, connection) = (sessions[place].id, members[member].connection)
    let hasSecrets = table.state.type.hasSecrets
    var answered = sessions[place].answered
    var sent = 0
    var end = 0
    do throws(JournalError) {
      end = try JournalEntry.forEach(in: records, while: { sent <= bytesMax }) { entry in
        switch entry {
        case .diff(let diff) where diff.revision > revision:
          let isAuthor = diff.author == session
          let told = isAuthor || !hasSecrets ? diff : diff.toldToOthers
          let frame = batch.encode(told, for: seat, isAuthor: isAuthor)
          batch.deliver(frame, to: connection)
          sent += frame.count
          if isAuthor { answered = max(answered, diff.sequence) }
        case .outcome(session, let outcome):
          batch.send(.outcome(outcome), to: connection)
          answered = max(answered, outcome.sequence)
        case .diff, .outcome, .session, .forgotten, .opened, .invite: break
        }
      }
    } catch {
      preconditionFailure("the log of table \(name) cannot be read: \(error)")
    }
    markAnswered(answered, place)
    return end
  }

  mutating func setPhase(_ phase: Member.Phase, of member: Int) {
    let wasLive = members[member].isLive
    if members[member].isLoading { loadingCount -= 1 }
    if isReady(member) { readyCount -= 1 }
    members[member].phase = phase
    if members[member].isLoading { loadingCount += 1 }
    if isReady(member) { readyCount += 1 }
    if wasLive, !members[member].isLive { members[member].draggersSeen = draggers.map { sessions[$0].id } }
  }

  // MARK: Back-pressure

  /// The host reports what of a member's output is not sent yet.
  mutating func backlog(of member: Int, _ bytes: Int, taken: Int, at now: Instant) {
    if isReady(member) { readyCount -= 1 }
    members[member].backlogBytes = bytes
    if isReady(member) { readyCount += 1 }
    members[member].takenBytes += taken
    if bytes == 0 {
      members[member].stalledSince = nil
    } else if members[member].stalledSince == nil || members[member].takenBytes >= limits.stalledBytesMin {
      members[member].stalledSince = now
      members[member].takenBytes = 0
    }
    if members[member].isLive, bytes > limits.outboxHardBytes { setPhase(.lagging, of: member) }
  }

  /// Whether a member has read nothing, or next to nothing, for too long.
  func isStalled(_ member: Int, at now: Instant) -> Bool {
    guard let since = members[member].stalledSince else { return false }
    return now.milliseconds(since: since) >= limits.stalledSeconds * 1_000
  }

  /// A member's replica is not what the daemon has: it asks for a snapshot. One that is on its way is finished and serves,
  /// and so does one that this turn has begun. Whoever has not read what came before gets it when that is read: asking on
  /// does not make a backlog grow.
  mutating func requestSnapshot(_ member: Int, into batch: FrameBatch) {
    batch.countResynchronized()
    guard members[member].isLive, members[member].snapshotAt < turnCount else { return }
    if members[member].backlogBytes <= limits.outboxResumeBytes {
      beginSnapshot(member)
    } else {
      setPhase(.lagging, of: member)
    }
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
