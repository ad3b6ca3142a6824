public import BaizeTable
public import BaizeWire

/// Messages from the daemon: diffs, outcomes and hashes.
extension Replica {
  /// Applies a diff to the confirmed state, below the pending operations.
  ///
  /// - Returns: The visible changes, and the answer if the diff is that of a pending operation.
  /// - Throws: `DiffMismatch` if the diff does not fit. It has changed nothing then, and the replica needs a snapshot.
  public mutating func receive(_ diff: Diff) throws(DiffMismatch) -> Update {
    if let first = pending.first, first.predictedDiff == diff, !first.isInState { return confirm(first, diff) }
    let before = reportsChanges ? table.state : nil
    let touched = reportsChanges ? table.touchedItems.union(diff.items) : []
    let index = diff.author == author.session ? index(of: diff.sequence) : nil
    rollBack()
    // Changes that do not fit come behind others that do: those are taken back.
    table.beginPrediction()
    do throws(DiffMismatch) {
      try table.apply(diff)
      table.confirmPrediction(steps: table.predictedSteps, at: diff.revision)
    } catch {
      rollBack()
      replay()
      throw error
    }
    confirmedRevision = diff.revision
    var update = Update()
    var names: [ItemID: ItemID] = [:]
    if let index {
      let submitted = pending.remove(at: index)
      table.learn(submitted.operation, minted: diff.minted, at: diff.revision, memory: &memory)
      update.answers.append(submitted.answered(.accepted(diff), minted: diff.minted))
      names = submitted.names(of: diff.minted)
    }
    replay()
    if let before { update.changes = self.changes(since: before, touched: touched, names: names) }
    return update
  }

  /// Confirms a prediction that equals the diff: its effect and the predictions on top of it stay.
  private mutating func confirm(_ first: PendingOperation, _ diff: Diff) -> Update {
    table.confirmPrediction(steps: first.steps, at: diff.revision)
    confirmedRevision = diff.revision
    table.learn(first.operation, minted: diff.minted, at: diff.revision, memory: &memory)
    pending.removeFirst()
    return Update(answers: [first.answered(.accepted(diff), minted: diff.minted)])
  }

  /// Takes the answer from a diff without applying it, because a snapshot with its effect is on the way.
  ///
  /// - Returns: The answer if the diff is that of a pending operation.
  public mutating func settle(_ diff: Diff) -> Update {
    guard diff.author == author.session, let index = index(of: diff.sequence) else { return Update() }
    let submitted = pending.remove(at: index)
    table.learn(submitted.operation, minted: diff.minted, at: diff.revision, memory: &memory)
    return Update(answers: [submitted.answered(.accepted(diff), minted: diff.minted)])
  }

  /// Applies the outcome of an operation that has no diff.
  ///
  /// - Returns: The visible changes, and the answer unless the operation must be sent again.
  public mutating func receive(_ outcome: Outcome) -> Update {
    guard let index = index(of: outcome.sequence) else { return Update() }
    guard outcome.verdict != .retry else {
      pending[index].retry = outcome.refusal
      return Update()
    }
    let before = reportsChanges ? table.state : nil
    let touched = reportsChanges ? table.touchedItems : []
    rollBack()
    let submitted = pending.remove(at: index)
    var update = Update()
    var names: [ItemID: ItemID] = [:]
    // An operation judged under another epoch is part of this epoch's snapshot, and the others were rewritten on that.
    // Only the ids of its items are new to them.
    let isCurrentEpoch = submitted.operation.epoch == epoch
    switch outcome.verdict {
    case .refused:
      if isCurrentEpoch {
        table.learn(submitted.operation, isRefused: true, at: outcome.revision, memory: &memory)
      }
      update.answers.append(submitted.answered(.refused(outcome.refusal)))
    case .unchanged:
      if isCurrentEpoch {
        table.learn(submitted.operation, isRefused: false, at: outcome.revision, memory: &memory)
      }
      let answer = outcome.invite.isEmpty ? Answer.unchanged : .invited(outcome.invite)
      update.answers.append(submitted.answered(answer))
    case .duplicate, .retry:
      if isCurrentEpoch {
        table.learn(submitted.operation, minted: outcome.minted, at: outcome.revision, memory: &memory)
      } else {
        memory.restore(outcome.minted, of: submitted.operation.sequence)
      }
      names = submitted.names(of: outcome.minted)
      update.answers.append(submitted.answered(.acceptedBefore(outcome.revision), minted: outcome.minted))
    }
    replay()
    if let before { update.changes = self.changes(since: before, touched: touched, names: names) }
    return update
  }

  /// Compares the hash of the confirmed state with the daemon's.
  ///
  /// - Returns: Whether they are equal; `nil` if the pong has no hash, or is of another epoch or revision.
  public mutating func agrees(with pong: Pong) -> Bool? {
    guard pong.epoch == epoch, pong.revision == confirmedRevision, pong.viewHash != 0 else { return nil }
    return confirmedHash() == pong.viewHash
  }

  /// Returns the hash of the confirmed state.
  public mutating func confirmedHash() -> UInt64 {
    rollBack()
    let hash = table.viewHash()
    replay()
    return hash
  }

  private func index(of sequence: SequenceNumber) -> Int? {
    pending.firstIndex { $0.operation.sequence == sequence }
  }
}
