/// Predictions of a replica, which can be rolled back.
extension Table {
  /// Begins a prediction: from now on every change is recorded, so that it can be rolled back.
  public mutating func beginPrediction() {
    if state.predictionLog == nil { state.predictionLog = [] }
  }

  /// Makes the first steps of the prediction permanent: at `revision` the authority did exactly what they predicted.
  ///
  /// - Parameters:
  ///   - steps: The number of steps to confirm, at most ``predictedSteps``.
  ///   - revision: The revision that they led to.
  public mutating func confirmPrediction(steps: Int, at revision: Revision) {
    state.predictionLog?.removeFirst(steps)
    // A later prediction without steps, of a diff without changes, has still raised the revision.
    if state.predictionLog?.isEmpty == true, state.revision == revision { state.predictionLog = nil }
    history.trim(at: revision)
    undos.trim(to: history.oldestBase, at: revision)
  }

  /// Rolls back a prediction, and ends it if all of it is rolled back.
  ///
  /// - Parameters:
  ///   - revision: The table's revision after the steps that stay.
  ///   - kept: The number of steps that stay, the first ones; `nil` rolls back everything.
  /// - Complexity: O(k log n) for k changes rolled back.
  public mutating func rollBackPrediction(to revision: Revision, keeping kept: Int? = nil) {
    guard var steps = state.predictionLog.take() else { return }
    for step in steps.dropFirst(kept ?? 0).reversed() {
      if case .positioned(let step) = step { history.reverse(step) } else { state.reverse(step) }
    }
    if let kept {
      steps.removeSubrange(kept...)
      state.predictionLog = steps
    }
    state.revision = revision
    history.rollBack(to: revision)
    undos.rollBack(to: revision)
  }

  /// The items that predicted operations have moved or made.
  public var predictedItems: Set<ItemID> {
    var items: Set<ItemID> = []
    for case .put(let slot) in state.predictionLog ?? [] { items.insert(state.id(slot)) }
    return items
  }

  /// The ids that the prediction has touched in any way, whether they are on the table now or not.
  public var touchedItems: Set<ItemID> { touchedItems(from: 0) }

  /// The number of steps of the prediction.
  public var predictedSteps: Int { state.predictionLog?.count ?? 0 }

  /// Returns the ids that the prediction has touched from its step `first` (from 0) on.
  public func touchedItems(from first: Int) -> Set<ItemID> {
    var items: Set<ItemID> = []
    for step in (state.predictionLog ?? []).dropFirst(first) {
      switch step {
      case .taken(let slot, _, _), .put(let slot), .created(let slot), .faced(let slot, _), .opened(let slot, _):
        items.insert(state.id(slot))
      case .destroyed(_, let record, _), .recorded(_, let record): items.insert(record.id)
      case .named(let slot, let id): items.formUnion([id, state.id(slot)])
      case .status, .variables, .seats, .enabled, .counted, .chained, .positioned: break
      }
    }
    return items
  }

  /// Records, in a replica, that an operation was refused, or that it changed nothing.
  public func learn(
    _ operation: TableOperation, isRefused: Bool, at revision: Revision, memory: inout AuthorMemory
  ) {
    memory.advance(to: operation.sequence, unanswered: operation.unanswered)
    memory.note(operation, isRefused ? .refused : .unchanged, at: revision, for: role)
  }

  /// Records, in a replica, an accepted operation of its author's.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - minted: The ids of the items that it made.
  ///   - revision: The revision that it led to.
  ///   - memory: The memory of the author's operations, which learns of this one.
  public func learn(
    _ operation: TableOperation, minted: ItemList, at revision: Revision, memory: inout AuthorMemory
  ) {
    memory.advance(to: operation.sequence, unanswered: operation.unanswered)
    memory.make(minted, by: operation.sequence)
    memory.note(operation, .accepted, at: revision, for: role)
  }
}
