public import BaizeTable

extension Replica {
  /// Whether everything pending was answered "not now", so that it may be sent again; the refusal says why.
  public var retryReason: Refusal? {
    guard let first = pending.first?.retry, pending.allSatisfy({ $0.retry != nil || $0.isInState }) else { return nil }
    return first
  }

  /// The pending operations as they were made, to be sent again in order to a daemon that may not have got them.
  public mutating func resend() -> [TableOperation] {
    for place in pending.indices { pending[place].retry = nil }
    return pending.map(\.operation)
  }

  /// The pending operations in the words of the present state, on a fresh base, to be sent again in order; and what that
  /// changed for someone who looks.
  public mutating func reexpress() -> (operations: [TableOperation], changes: [TableChange]) {
    let before = reportsChanges ? table.state : nil
    let touched = reportsChanges ? table.touchedItems : []
    takeBack()
    predictedMemory = memory
    for place in pending.indices where !pending[place].isInState {
      var old = pending[place].operation
      old.kind = old.kind.named(by: memory)
      let operation = TableOperation(
        sequence: old.sequence, base: confirmedRevision, epoch: epoch, unanswered: UInt32(place),
        kind: completed(table.reexpressed(old, by: author, memory: predictedMemory)))
      pending[place] = foresee(operation)
    }
    let changes = before.map { self.changes(since: $0, touched: touched, names: [:]) } ?? []
    return (pending.filter { !$0.isInState }.map(\.operation), changes)
  }

  /// Takes over what another replica of the same session had pending, after a snapshot has come.
  ///
  /// Operations up to the snapshot's last are in the state already and only wait for their answers. In the same epoch the
  /// others keep their numbers and bases; in another they are said anew and numbered behind that.
  public mutating func adopt(_ older: [PendingOperation], of olderEpoch: Epoch, memory: AuthorMemory) {
    precondition(pending.isEmpty, "\(pending.count) operations are pending already")
    let last = nextSequence.rawValue - 1
    if olderEpoch == epoch {
      self.memory = memory
      pending = older.map { own in
        var own = own
        own.isInState = own.operation.sequence.rawValue <= last
        return own
      }
      nextSequence = max(nextSequence, pending.last?.operation.sequence.next ?? nextSequence)
      replay()
    } else {
      var numbers: [SequenceNumber: SequenceNumber] = [:]
      for var own in older {
        own.retry = nil
        own.isInState = own.operation.sequence.rawValue <= last
        if !own.isInState {
          numbers[own.operation.sequence] = nextSequence
          own.operation.sequence = nextSequence
          own.operation.kind = own.operation.kind.named(by: memory).renumbered(numbers)
          nextSequence = nextSequence.next
        }
        pending.append(own)
      }
      _ = reexpress()
    }
  }

  /// What the answers so far have taught: for ``adopt(_:of:memory:)``.
  public var answerMemory: AuthorMemory { memory }
}
