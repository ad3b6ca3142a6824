/// What a replica foresees, so that it can be taken back.
extension Table {
  /// From here on every change is recorded, so that it can be taken back: what follows is only predicted.
  public mutating func beginPrediction() {
    if state.predictionLog == nil { state.predictionLog = [] }
  }

  /// Makes the first steps of the prediction last: the authority has done, at `revision`, just what they foresaw.
  public mutating func confirmPrediction(steps: Int, at revision: Revision) {
    state.predictionLog?.removeFirst(steps)
    // A step-less prediction behind it, of a diff without changes, has moved the revision all the same.
    if state.predictionLog?.isEmpty == true, state.revision == revision { state.predictionLog = nil }
    history.trim(at: revision)
    undos.trim(to: history.oldestBase)
  }

  /// Takes back everything since the prediction began, when the table stood at `revision`, and ends the prediction.
  ///
  /// - Complexity: O(k log n) for k changes taken back.
  public mutating func takeBackPrediction(to revision: Revision) {
    guard state.predictionLog != nil else { return }
    state.rollBack()
    state.predictionLog = nil
    state.revision = revision
    history.rollBack(to: revision)
    undos.rollBack(to: revision)
  }

  /// The items that predicted operations have put somewhere or made.
  public var predictedItems: Set<ItemID> {
    var items: Set<ItemID> = []
    for case .put(let slot) in state.predictionLog ?? [] { items.insert(state.id(slot)) }
    return items
  }

  /// The ids that steps of the prediction have touched in any way, whether they are on the table now or not.
  public var touchedItems: Set<ItemID> { touchedItems(from: 0) }

  /// How many steps the prediction has taken.
  public var predictedSteps: Int { state.predictionLog?.count ?? 0 }

  /// The ids that were touched from a step of the prediction on.
  public func touchedItems(from first: Int) -> Set<ItemID> {
    var items: Set<ItemID> = []
    for step in (state.predictionLog ?? []).dropFirst(first) {
      switch step {
      case .taken(let slot, _, _), .put(let slot), .created(let slot), .faced(let slot, _): items.insert(state.id(slot))
      case .destroyed(_, let record, _), .recorded(_, let record): items.insert(record.id)
      case .named(let slot, let id): items.formUnion([id, state.id(slot)])
      case .status, .variables, .seats, .enabled, .counted: break
      }
    }
    return items
  }

  /// Learns, in a replica, that an operation was refused: nothing that it would have moved is where its author saw it.
  public func learnRefusal(of operation: TableOperation, at revision: Revision, memory: inout AuthorMemory) {
    memory.advance(to: operation)
    memory.refuse(operation.sequence)
    if !copies(operation, memory) { memory.displace(operation, at: revision) }
  }
}
