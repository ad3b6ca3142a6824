public import BaizeTable

extension Replica {
  /// What became of an operation here, before the daemon has seen it.
  public struct Submission: Sendable {
    /// What is to be sent; `nil` where the rules refuse it already.
    public let operation: TableOperation?
    public let prediction: Prediction
    public let changes: [TableChange]
    /// How many sessions its author had lost by then: numbers are those of a session.
    var sessionsBefore = 0
  }

  /// Applies an operation at once and numbers it for sending.
  ///
  /// - Parameter sendsRefused: Whether an operation that the rules refuse here is to be sent all the same, for the daemon
  ///   to refuse. Otherwise it costs nothing: it was never submitted.
  public mutating func submit(_ kind: TableOperation.Kind, sendsRefused: Bool = false) -> Submission {
    let operation = TableOperation(
      sequence: nextSequence, base: confirmedRevision, epoch: epoch, unanswered: UInt32(pending.count),
      kind: completed(kind))
    let before = reportsChanges ? table.state : nil
    let steps = table.predictedSteps
    let memoryBefore = predictedMemory
    let own = foresee(operation)
    if case .refused = own.prediction, !sendsRefused {
      predictedMemory = memoryBefore
      return Submission(operation: nil, prediction: own.prediction, changes: [])
    }
    pending.append(own)
    nextSequence = nextSequence.next
    let changes = before.map {
      TableChange.between($0, table.state, touched: table.touchedItems(from: steps), names: [:])
    }
    return Submission(operation: operation, prediction: own.prediction, changes: changes ?? [])
  }

  /// Judges an operation on the visible state and shows what it does.
  mutating func foresee(_ operation: TableOperation) -> PendingOperation {
    table.beginPrediction()
    let steps = table.predictedSteps
    let judgement = table.judge(operation, by: author, memory: &predictedMemory)
    var own = PendingOperation(operation: operation, prediction: prediction(judgement))
    own.steps = table.predictedSteps - steps
    if case .accepted(let diff) = judgement { own.foreseen = diff }
    return own
  }

  private func prediction(_ judgement: Judgement) -> Prediction {
    switch judgement {
    case .accepted(let diff): return .shown(diff.operation, isRebased: diff.isRebased, isRedirected: diff.isRedirected)
    case .unchanged: return .unchanged
    case .refused(let refusal):
      // What hangs on a face that has yet to come, or on chance, only the daemon can tell.
      let isOpen = refusal.reason == .unpredictable || (refusal.reason == .faceHidden && !pending.isEmpty)
      return isOpen ? .unknown : .refused(refusal)
    case .retry: return .unknown
    }
  }

  /// Adds what only the author can know: `then` for destinations, and what an action contends for.
  func completed(_ kind: TableOperation.Kind) -> TableOperation.Kind {
    switch kind {
    case .reorder(var difference, let suggested):
      difference.destination = completed(difference.destination, excluding: difference.sources)
      return .reorder(difference, suggested: suggested)
    case .insert(let items, let destination): return .insert(items, completed(destination, excluding: []))
    case .perform(let action, let items, let destination) where items.isEmpty:
      return .perform(action: action, items: table.contendedItems(of: action, by: author.seat), destination)
    case .remove, .update, .perform, .undo, .unknown: return kind
    }
  }

  private func completed(_ destination: Destination, excluding sources: ItemList) -> Destination {
    var destination = destination
    // Before no item is the end: so the wire says it, and so it is judged here.
    destination.position = Position(anchor: destination.position.anchor)
    guard case .before(let anchor) = destination.position, destination.then == .none, !pending.isEmpty else {
      return destination
    }
    let moved = table.predictedItems
    var candidate = table.state.contains(anchor) ? anchor : nil
    while let item = candidate, sources.contains(item) || moved.contains(item) {
      candidate = table.state.item(after: item)
    }
    destination.then = candidate ?? .none
    return destination
  }

  /// Keeps the operation submitted last from being sent: one before it waits to be sent again, and all go in order.
  mutating func postponeLast() {
    guard let last = pending.indices.last else { return }
    pending[last].retry = pending.first { $0.retry != nil }?.retry
  }
}
