public import BaizeTable
import BaizeWire

extension Replica {
  /// The reason to send the pending operations again; `nil` unless all that are not in the state were answered with `retry`.
  public var retryReason: Refusal? {
    guard let first = pending.first?.retry, pending.allSatisfy({ $0.retry != nil || $0.isInState }) else { return nil }
    return first
  }

  /// Returns pending operations unchanged, to be sent again in order to a daemon that may not have received them.
  ///
  /// - Parameter last: The last operation whose answer comes without its being sent again, unless a snapshot contained it
  ///   already: its answer was before the diffs that follow.
  public mutating func resend(after last: SequenceNumber = .zero) -> [TableOperation] {
    for index in pending.indices { pending[index].retry = nil }
    postponeBehindUndo(from: 0)
    return pending.filter { $0.retry == nil && ($0.isInState || $0.operation.sequence > last) }
      .map { sendable($0.operation) }
  }

  /// Rewrites the pending operations on the confirmed state.
  ///
  /// - Returns: The operations, to be sent again in order, and the visible changes.
  public mutating func reexpress() -> (operations: [TableOperation], changes: [TableChange]) {
    let before = reportsChanges ? table.state : nil
    let touched = reportsChanges ? table.touchedItems : []
    rollBack()
    predictedMemory = memory
    for index in pending.indices where !pending[index].isInState {
      var old = pending[index].operation
      old.kind = old.kind.named(by: memory)
      var kind = old.kind
      if !hasUnansweredAnchor(kind) {
        kind = completed(
          table.reexpressed(old, by: author, isSameEpoch: old.epoch == epoch, memory: predictedMemory))
      }
      let operation = TableOperation(
        sequence: old.sequence, base: confirmedRevision, epoch: epoch, unanswered: UInt32(index),
        madeAs: old.madeAs, isBaseLost: old.isBaseLost || pending[index].isBaseLost, kind: kind)
      let identity = pending[index].identity
      pending[index] = predict(operation)
      pending[index].identity = identity
    }
    postponeBehindUndo(from: 0)
    let changes = before.map { self.changes(since: $0, touched: touched, names: [:]) } ?? []
    return (pending.filter { !$0.isInState && $0.retry == nil }.map { sendable($0.operation) }, changes)
  }

  /// Returns whether an operation's anchor is on the table under an id that only the daemon knows, since the answer has not come:
  /// the provisional id still names it (K7).
  private func hasUnansweredAnchor(_ kind: TableOperation.Kind) -> Bool {
    let destination: Destination? =
      switch kind {
      case .reorder(let difference, _): difference.destination
      case .insert(_, let destination): destination
      case .remove, .update, .perform, .undo, .unknown, .invalid: nil
      }
    guard let anchor = destination?.position.anchor, anchor.isProvisional else { return false }
    return pending.contains { $0.isInState && $0.operation.sequence == anchor.provisionalOperation }
  }

  /// Returns an operation without its contents if its frame is too long by now, since the daemon has other limits than when it was
  /// submitted: its number needs an answer, which is the one that it had, or a refusal.
  private func sendable(_ operation: TableOperation) -> TableOperation {
    guard operation.kind.frameExcess(over: frameBytesMax) != nil else { return operation }
    var rest = operation
    rest.kind = .unknown
    return rest
  }

  /// Takes over the pending operations of the session's previous replica, after a snapshot was loaded.
  public mutating func adopt(pendingOf old: Replica) {
    let last = lastSequence
    adopt(
      old.pending, of: old.epoch, memory: old.answerMemory, madeAs: old.author.seat, seen: old.seen(after: last))
  }

  /// Takes over the pending operations of a previous replica of the session.
  ///
  /// Operations up to the snapshot's last sequence number are in the state already and only wait for their answers. In the
  /// same epoch, the others keep their numbers and bases; in another epoch, they are rewritten and numbered from there.
  ///
  /// - Parameters:
  ///   - older: The previous replica's pending operations.
  ///   - olderEpoch: The previous replica's epoch.
  ///   - memory: The previous replica's ``answerMemory``.
  ///   - seat: The previous replica's seat.
  ///   - seen: What the previous replica showed of what the snapshot contains; `nil` if that is not known.
  mutating func adopt(
    _ older: [PendingOperation], of olderEpoch: Epoch, memory: AuthorMemory, madeAs seat: SeatNumber, seen: TableState?
  ) {
    precondition(pending.isEmpty, "\(pending.count) operations are pending already")
    var older = older
    if seat != author.seat { for index in older.indices { older[index].operation.noteSeat(seat) } }
    for index in older.indices where !state.agrees(with: seen, about: older[index].operation.kind) {
      older[index].isBaseLost = true
    }
    let last = nextSequence.rawValue - 1
    if olderEpoch == epoch {
      self.memory = memory
      pending = older.map { submitted in
        var submitted = submitted
        submitted.isInState = submitted.operation.sequence.rawValue <= last
        return submitted
      }
      nextSequence = max(nextSequence, pending.last?.operation.sequence.next ?? nextSequence)
      replay()
    } else {
      let judged = SequenceNumber(rawValue: last)
      var memory = memory
      memory.forgetMade(after: judged)
      var numbers: [SequenceNumber: SequenceNumber] = [:]
      for var submitted in older {
        submitted.retry = nil
        submitted.isInState = submitted.operation.sequence <= judged
        if !submitted.isInState {
          numbers[submitted.operation.sequence] = nextSequence
          submitted.operation.sequence = nextSequence
          submitted.operation.kind = submitted.operation.kind.named(by: memory).renumbered(numbers, after: judged)
          nextSequence = nextSequence.next
        }
        pending.append(submitted)
      }
      _ = reexpress()
    }
  }

  /// Returns the confirmed state with those pending operations that a newer state contains.
  ///
  /// - Parameter last: The last operation that it contains.
  private func seen(after last: SequenceNumber) -> TableState {
    var seen = self
    seen.rollBack()
    seen.pending.removeAll { $0.operation.sequence > last }
    seen.replay()
    return seen.state
  }

  /// Notes that the author loses its seat while operations are pending.
  mutating func noteLostSeat() {
    for index in pending.indices { pending[index].operation.noteSeat(author.seat) }
  }

  /// The record of the answers received so far, for another replica of the session.
  public var answerMemory: AuthorMemory { memory }
}

extension TableOperation {
  /// Notes the seat under which it was made, unless that is noted.
  mutating func noteSeat(_ seat: SeatNumber) { if madeAs == nil { madeAs = seat } }
}
