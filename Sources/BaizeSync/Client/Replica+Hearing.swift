public import BaizeTable
public import BaizeWire

/// What the daemon says.
extension Replica {
  /// Applies a diff under the pending operations.
  ///
  /// - Returns: What changed for someone who looks, and the answer to one of the author's own operations, if it was one.
  /// - Throws: A ``DiffMismatch`` where the diff does not fit: the replica needs a snapshot.
  public mutating func receive(_ diff: Diff) throws(DiffMismatch) -> Update {
    if let own = pending.first, own.foreseen == diff, !own.isInState { return confirm(own, diff) }
    let before = reportsChanges ? table.state : nil
    var touched = reportsChanges ? table.touchedItems.union(diff.items) : []
    takeBack()
    try table.apply(diff)
    confirmedRevision = diff.revision
    var update = Update()
    var names: [ItemID: ItemID] = [:]
    if diff.author == author.session, let place = place(of: diff.sequence) {
      let own = pending.remove(at: place)
      memory.confirm(own.operation, diff)
      update.answers.append(Answered(operation: own.operation, answer: .accepted(diff)))
      names = own.names(of: diff.minted)
    }
    replay()
    touched.formUnion(reportsChanges ? table.touchedItems : [])
    if let before { update.changes = self.changes(since: before, touched: touched, names: names) }
    return update
  }

  /// What was foreseen has come, to the letter: it stands already, with all that was foreseen on top of it.
  private mutating func confirm(_ own: PendingOperation, _ diff: Diff) -> Update {
    table.confirmPrediction(steps: own.steps, at: diff.revision)
    confirmedRevision = diff.revision
    memory.confirm(own.operation, diff)
    pending.removeFirst()
    return Update(answers: [Answered(operation: own.operation, answer: .accepted(diff))])
  }

  /// Takes the answer out of a diff that is not applied, because a snapshot with its effect is on the way.
  public mutating func settle(_ diff: Diff) -> Update {
    guard diff.author == author.session, let place = place(of: diff.sequence) else { return Update() }
    let own = pending.remove(at: place)
    memory.confirm(own.operation, diff)
    return Update(answers: [Answered(operation: own.operation, answer: .accepted(diff))])
  }

  /// Takes in the answer to an operation that made no diff.
  public mutating func receive(_ outcome: Outcome) -> Update {
    guard let place = place(of: outcome.sequence) else { return Update() }
    guard outcome.verdict != .retry else {
      pending[place].retry = outcome.refusal
      return Update()
    }
    let before = reportsChanges ? table.state : nil
    var touched = reportsChanges ? table.touchedItems : []
    takeBack()
    let own = pending.remove(at: place)
    var update = Update()
    var names: [ItemID: ItemID] = [:]
    // What was judged under another epoch stood in the snapshot of this one, on which the others were said anew: only what
    // it made is news to them.
    let isOfNow = own.operation.epoch == epoch
    switch outcome.verdict {
    case .refused:
      if isOfNow { table.learnRefusal(of: own.operation, at: outcome.revision, memory: &memory) }
      update.answers.append(Answered(operation: own.operation, answer: .refused(outcome.refusal)))
    case .unchanged:
      if isOfNow { learnUnchanged(own, at: outcome.revision) }
      let answer = outcome.invite.isEmpty ? Answer.unchanged : .invited(outcome.invite)
      update.answers.append(Answered(operation: own.operation, answer: answer))
    case .duplicate, .retry:
      if isOfNow {
        memory.confirmAccepted(
          own.operation, minted: outcome.minted, isRedirected: outcome.isRedirected, at: outcome.revision)
      } else {
        memory.restore(outcome.minted, of: own.operation.sequence)
      }
      names = own.names(of: outcome.minted)
      update.answers.append(Answered(operation: own.operation, answer: .acceptedBefore(outcome.revision)))
    }
    replay()
    touched.formUnion(reportsChanges ? table.touchedItems : [])
    if let before { update.changes = self.changes(since: before, touched: touched, names: names) }
    return update
  }

  /// Learns that an operation made no difference. The outcome does not tell whether the rules chose its destination; to
  /// judge it again, on the state that the daemon judged it on, does.
  private mutating func learnUnchanged(_ own: PendingOperation, at revision: Revision) {
    var learnt = memory
    table.beginPrediction()
    if confirmedRevision == revision, !own.isInState,
      case .unchanged = table.judge(own.operation, by: author, memory: &learnt)
    {
      memory = learnt
    } else {
      memory.confirmUnchanged(own.operation, at: revision)
    }
    takeBack()
  }

  /// Whether the hash that the daemon gave for the present revision is this replica's.
  ///
  /// - Returns: `nil` where the pong is of another revision, which says nothing.
  public mutating func agrees(with pong: Pong) -> Bool? {
    guard pong.epoch == epoch, pong.revision == confirmedRevision, pong.viewHash != 0 else { return nil }
    return confirmedHash() == pong.viewHash
  }

  /// The hash of the confirmed state.
  public mutating func confirmedHash() -> UInt64 {
    takeBack()
    let hash = table.viewHash()
    replay()
    return hash
  }

  private func place(of sequence: SequenceNumber) -> Int? {
    pending.firstIndex { $0.operation.sequence == sequence }
  }
}
