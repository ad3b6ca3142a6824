import BaizeTable
import BaizeWire

/// The fast path of the most frequent message: the move of one item by a live member. It has the effect of
/// ``submit(_:from:storage:random:at:into:)``, and looks up only once what consecutive moves have in common.
extension TableMachine {
  /// Receives the moves at the front of a member's bytes, up to the first frame that is anything else, or that cannot be
  /// judged now.
  @inline(never) mutating func receiveMoves(
    _ bytes: UnsafeRawBufferPointer, _ reader: FrameReader, from member: Int, _ budget: inout TurnBudget,
    within isBounded: Bool, at now: Instant, into batch: FrameBatch, _ received: inout ShardMachine.Received
  ) throws(DecodeError) {
    let slot = room.members[member].session
    let seat = room.members[member].seat
    guard room.members[member].isLive, room.members[member].mayWrite, room.views != .differ, !table.state.type.claims,
      !$clock.isPresent, sessions[slot].isReadyForMoves(as: seat)
    else { return }
    while received.bytes < bytes.count, !received.isDeferred {
      let judgement = try sessions.with(slot) { (session) throws(DecodeError) in
        try Self.judgeMoves(
          bytes, reader, as: seat, &session, &table, &room, &share, &budget, within: isBounded, at: now, into: batch,
          &received)
      }
      guard let judgement else { return }
      let before = batch.workUnits
      batch.count(steps: table.searchSteps)
      table.searchSteps = 0
      answer(judgement, sessions[slot].answers.last.next, slot, member, into: batch)
      budget.charge(beyond: TurnBudget.moveWork, batch.workUnits - before, &share)
    }
  }

  /// Judges moves until one is not published here: refused, unchanged, to be retried, or accepted with more than a move.
  ///
  /// - Returns: The judgement of that one, for the caller to answer; `nil` where no further move can be judged.
  @inline(__always) private static func judgeMoves(
    _ bytes: UnsafeRawBufferPointer, _ reader: FrameReader, as seat: SeatNumber, _ session: inout Session,
    _ table: inout Table, _ room: inout Room, _ share: inout WorkShare,
    _ budget: inout TurnBudget, within isBounded: Bool, at now: Instant, into batch: FrameBatch,
    _ received: inout ShardMachine.Received
  ) throws(DecodeError) -> Judgement? {
    let recipients = room.liveCount
    let work =
      TurnBudget.moveWork + share.moveRules
      + TurnBudget.work(ofDeliveries: recipients, bytes: recipients * TurnBudget.bytesPerUnit)
    while received.bytes < bytes.count, let frame = try reader.next(in: bytes, from: received.bytes),
      let move = SingleMove(canonical: UnsafeRawBufferPointer(rebasing: bytes[frame])),
      move.epoch == room.epoch, session.answers.isNext(move.sequence),
      Int(move.unanswered) < room.limits.sessions.pendingOperationsMax
    {
      var rate = session.operationRate
      guard
        rate.admits(
          perSecond: room.limits.sessions.operationsPerSecondMax, burst: room.limits.sessions.operationsBurstMax,
          at: now)
      else {
        return nil
      }
      guard !isBounded || batch.byteCount < ServerLimits.turnBytesMax,
        budget.admits(work, &share) || !isBounded
      else {
        // The caller decides whether the first frame waits: a full turn has room for a few of quiet tables.
        received.isDeferred = received.frames > 0
        return nil
      }
      session.operationRate = rate
      received.bytes = frame.upperBound
      received.frames += 1
      let author = Author(session: session.id, seat: seat)
      let diff: SingleMoveDiff
      if let accepted = table.accept(move, by: author, memory: &session.memory) {
        diff = accepted
      } else {
        let judgement = table.judge(move.operation, by: author, memory: &session.memory)
        guard case .accepted(let general) = judgement, let single = SingleMoveDiff(general) else { return judgement }
        diff = single
      }
      room.publish(diff, into: batch)
      session.answers.recordSent(diff, limit: room.limits.sessions.pendingOperationsMax)
      if table.searchSteps >= TurnBudget.stepsPerUnit { chargeSearch(of: &table, &share, &budget, batch) }
    }
    return nil
  }

  /// Takes what it cost to look for a gap in the table's history from its share, and from the pool.
  @inline(never) private static func chargeSearch(
    of table: inout Table, _ share: inout WorkShare, _ budget: inout TurnBudget, _ batch: FrameBatch
  ) {
    let before = batch.workUnits
    batch.count(steps: table.searchSteps)
    table.searchSteps = 0
    budget.charge(beyond: 0, batch.workUnits - before, &share)
  }
}

extension Session {
  /// Returns whether a frame from `seat` changes nothing in the session besides the effect of its operation.
  fileprivate func isReadyForMoves(as seat: SeatNumber) -> Bool { seatShown == seat }
}
