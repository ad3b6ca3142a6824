import BaizeTable
import BaizeWire

/// Operations: whether one is new and can be judged now, its judgement, and the answer to its author.
extension TableMachine {
  /// A protocol violation, which closes the connection.
  enum Violation: Error {
    case sequenceGap(expected: SequenceNumber, got: SequenceNumber)
  }

  /// Judges an operation and answers it.
  ///
  /// - Parameters:
  ///   - storage: The refusal of all operations during a storage failure; `nil` otherwise.
  ///   - random: The random source for the host's invites.
  mutating func submit(
    _ operation: TableOperation, from member: Int, storage: JournalError?, random: inout RandomSource,
    at now: Instant, into batch: FrameBatch
  ) throws(Violation) {
    let slot = room.members[member].session
    let last = sessions[slot].answers.last
    let isRepeated = operation.sequence > .zero && operation.sequence <= last
    guard operation.sequence == last.next || (isRepeated && Mutation.twice.isActive) else {
      return try answerOutOfTurn(operation, last, from: member, into: batch)
    }
    // It was sent before the table was restored. Its client sends all operations again after the snapshot under the new
    // epoch, and would send this one twice if it were also answered.
    if operation.epoch < epoch, room.members[member].isReadmitted { return }
    guard canBeJudged(operation, slot, member, hasStorage: storage == nil && room.members[member].mayWrite, at: now)
    else {
      postpone(operation.sequence, refusalForNow(operation, from: member, storage), member, into: batch)
      return
    }
    if case .perform(let name, _, let destination) = operation.kind,
      let action = HostAction(action: name, destination: destination),
      host(action, operation.sequence, from: member, random: &random, at: now, into: batch)
    {
      return
    }
    judge(operation, slot, member, at: now, into: batch)
  }

  private mutating func judge(
    _ operation: TableOperation, _ slot: Int, _ member: Int, at now: Instant, into batch: FrameBatch
  ) {
    let author = Author(session: sessions[slot].id, seat: room.members[member].seat)
    // On an older base the verdict would depend on what the seat's last holder did with private items.
    guard room.views != .differ || author.seat == .spectator || operation.base >= sessions[slot].seatedAt else {
      let detail = "the session has had its seat since revision \(sessions[slot].seatedAt.rawValue)"
      postpone(operation.sequence, Refusal(.staleBase, detail: detail), member, into: batch)
      return
    }
    let claims = table.state.type.claims ? room.claims.current(at: now) : nil
    let judgement = table.judge(operation, by: author, memory: &sessions[slot].memory, claims: claims)
    batch.count(steps: table.searchSteps)
    table.searchSteps = 0
    answer(judgement, operation.sequence, slot, member, into: batch)
  }

  /// Publishes an accepted operation, and sends the author the outcome of any other.
  mutating func answer(
    _ judgement: Judgement, _ sequence: SequenceNumber, _ slot: Int, _ member: Int, into batch: FrameBatch
  ) {
    room.sendMoves(into: batch)
    switch judgement {
    case .accepted(let diff): publish(diff, of: slot, into: batch)
    case .unchanged: conclude(.unchanged, .nothing, member, into: batch)
    case .refused(let refusal): conclude(.refused, refusal, member, into: batch)
    case .retry(let refusal): postpone(sequence, refusal, member, into: batch)
    }
  }

  /// Answers an operation that is not the session's next: it was judged before, or an earlier one has to be sent again.
  private mutating func answerOutOfTurn(
    _ operation: TableOperation, _ last: SequenceNumber, from member: Int, into batch: FrameBatch
  ) throws(Violation) {
    let slot = room.members[member].session
    let sequence = operation.sequence
    guard sequence > .zero else { throw .sequenceGap(expected: last.next, got: sequence) }
    if sequence <= last {
      batch.count(bytesRead: sessions[slot].answers.unpack())
      let outcome = sessions[slot].answers.outcomes.outcome(of: sequence)
      room.answer(outcome, member, &sessions[slot].answers, into: batch)
      return
    }
    if operation.epoch < epoch, room.members[member].isReadmitted { return }
    // Its answer would have a number that no client reads.
    guard sequence < .end, let refusal = sessions[slot].answers.retry?.refusal else {
      throw .sequenceGap(expected: last.next, got: sequence)
    }
    sessions[slot].answers.extendRetry(through: sequence)
    sendRetry(sequence, refusal, to: member, into: batch)
  }

  // MARK: Before judging

  /// Returns whether an operation can be judged now, and counts it in its session's rate if so.
  @inline(__always) private mutating func canBeJudged(
    _ operation: TableOperation, _ slot: Int, _ member: Int, hasStorage: Bool, at now: Instant
  ) -> Bool {
    operation.epoch == room.epoch && hasStorage
      && pendingCount(before: operation, from: member) < limits.sessions.pendingOperationsMax
      && sessions[slot].operationRate.admits(
        perSecond: limits.sessions.operationsPerSecondMax, burst: limits.sessions.operationsBurstMax, at: now)
  }

  /// Returns the reason why an operation cannot be judged now: it is of another epoch, the disk fails, too many operations
  /// are in flight, or it is over the rate limit.
  @inline(never) private func refusalForNow(
    _ operation: TableOperation, from member: Int, _ storage: JournalError?
  ) -> Refusal {
    guard operation.epoch == epoch else {
      return Refusal(.staleBase, detail: "the table is at epoch \(epoch.rawValue)")
    }
    guard room.members[member].mayWrite else {
      return Refusal(.storage, detail: "this address has had as much written as it may within a day")
    }
    if storage != nil { return Refusal(.storage, detail: "the daemon cannot write to its disk at the moment") }
    guard pendingCount(before: operation, from: member) < limits.sessions.pendingOperationsMax else {
      return Refusal(.tooManyPending, detail: "at most \(limits.sessions.pendingOperationsMax) pending operations")
    }
    return Refusal(.rateLimited, detail: "at most \(limits.sessions.operationsPerSecondMax) operations per second")
  }

  /// Returns the number of the author's pending operations: by its own account, and by the answers that could not be sent to
  /// it, which follow a snapshot as far as they are recorded.
  @inline(__always) private func pendingCount(before operation: TableOperation, from member: Int) -> Int {
    guard !room.members[member].isLive else { return Int(operation.unanswered) }
    let unsent = sessions[room.members[member].session].answers.unsentCount
    return max(Int(operation.unanswered), Int(clamping: unsent))
  }

  // MARK: Operations without a diff

  private mutating func postpone(
    _ sequence: SequenceNumber, _ refusal: Refusal, _ member: Int, into batch: FrameBatch
  ) {
    sessions[room.members[member].session].answers.postpone(sequence, refusal)
    sendRetry(sequence, refusal, to: member, into: batch)
  }

  private mutating func sendRetry(
    _ sequence: SequenceNumber, _ refusal: Refusal, to member: Int, into batch: FrameBatch
  ) {
    batch.count(.retry, refusal.reason)
    let outcome = Outcome(sequence: sequence, verdict: .retry, refusal: refusal, revision: table.state.revision)
    room.answer(outcome, member, &sessions[room.members[member].session].answers, into: batch)
  }

  /// Records and sends the outcome of an operation without a diff.
  mutating func conclude(
    _ verdict: Verdict, _ refusal: Refusal, invite: String = "", _ member: Int, into batch: FrameBatch
  ) {
    let slot = room.members[member].session
    let outcome = Outcome(
      sequence: sessions[slot].answers.last.next, verdict: verdict, refusal: refusal, revision: table.state.revision,
      invite: invite)
    sessions[slot].answers.record(outcome, limit: limits.sessions.pendingOperationsMax)
    room.record(outcome, of: sessions[slot].id, member)
    batch.count(verdict, refusal.reason)
    room.answer(outcome, member, &sessions[slot].answers, into: batch)
  }
}
