public import BaizeTable
import BaizeWire

extension Replica {
  /// An operation as the replica has predicted it, before the daemon judges it.
  public struct Submission: Sendable {
    /// The operation to send; `nil` if the rules refuse it here.
    public let operation: TableOperation?
    /// The predicted outcome.
    public let prediction: Prediction
    /// The visible changes.
    public let changes: [TableChange]
    /// The number of sessions that its author had lost before: sequence numbers belong to a session.
    var sessionsBefore = 0
    /// The operation's id; `nil` without a session store, unless the app gave it one.
    public internal(set) var id: OperationID?

    init(operation: TableOperation?, prediction: Prediction, changes: [TableChange]) {
      self.operation = operation
      self.prediction = prediction
      self.changes = changes
    }

    /// Creates the submission of an operation that leaves no trace.
    init(refused refusal: Refusal) { self.init(operation: nil, prediction: .refused(refusal), changes: []) }
  }

  /// Applies an operation to the visible state and numbers it for sending.
  ///
  /// - Parameters:
  ///   - kind: The operation.
  ///   - sendsRefused: Whether to number and keep an operation that the rules refuse here, for the daemon to refuse.
  ///     Otherwise it leaves no trace.
  /// - Returns: The numbered operation with its prediction. An operation that exceeds a limit of messages is refused in any
  ///   case, with the daemon's reason and detail. A drop that would change nothing of what is visible is not to be sent.
  public mutating func submit(_ kind: TableOperation.Kind, sendsRefused: Bool = false) -> Submission {
    if let defect = kind.defect { return Submission(refused: defect.refusal) }
    let operation = TableOperation(
      sequence: nextSequence, base: confirmedRevision, epoch: epoch, unanswered: UInt32(pending.count),
      kind: completed(kind))
    if let excess = operation.kind.frameExcess(over: frameBytesMax) { return Submission(refused: excess) }
    let before = reportsChanges ? table.state : nil
    let isInPlace = !sendsRefused && isInPlace(operation.kind)
    let (steps, revision, memoryBefore) = (table.predictedSteps, table.state.revision, predictedMemory)
    let predicted = predict(operation)
    if case .refused(let refusal) = predicted.prediction, !sendsRefused {
      predictedMemory = memoryBefore
      return Submission(refused: refusal)
    }
    if isInPlace {
      // Alone: what is shown of others may be answered by now, and stays until the snapshot that is on the way.
      table.rollBackPrediction(to: revision, keeping: steps)
      predictedMemory = memoryBefore
      return Submission(operation: nil, prediction: .unchanged, changes: [])
    }
    pending.append(predicted)
    nextSequence = nextSequence.next
    let changes = before.map {
      TableChange.between($0, table.state, touched: table.touchedItems(from: steps), names: [:])
    }
    return Submission(operation: operation, prediction: predicted.prediction, changes: changes ?? [])
  }

  /// Returns whether an operation would put items where they are visible already, and no pending operation is about them: what
  /// lay there would otherwise be the author's from then on, and could not be undone by others.
  private func isInPlace(_ kind: TableOperation.Kind) -> Bool {
    guard case .reorder(let difference, let suggested) = kind,
      table.state.isInPlace(difference, suggested: suggested)
    else { return false }
    return !pending.contains { pending in difference.sources.contains { pending.operation.kind.moves($0) } }
  }

  /// Judges an operation on the visible state and applies its effect there.
  mutating func predict(_ operation: TableOperation) -> PendingOperation {
    table.beginPrediction()
    let steps = table.predictedSteps
    let judgement = table.judge(operation, by: author, memory: &predictedMemory)
    var predicted = PendingOperation(operation: operation, prediction: prediction(judgement))
    predicted.steps = table.predictedSteps - steps
    if case .accepted(let diff) = judgement { predicted.predictedDiff = diff }
    return predicted
  }

  private func prediction(_ judgement: Judgement) -> Prediction {
    switch judgement {
    case .accepted(let diff): return .shown(diff.operation, isRebased: diff.isRebased, isRedirected: diff.isRedirected)
    case .unchanged: return .unchanged
    case .refused(let refusal):
      // Only the daemon can judge an operation that depends on chance or on a face that a pending operation may reveal.
      let isOpen = refusal.reason == .unpredictable || (refusal.reason == .faceHidden && !pending.isEmpty)
      return isOpen ? .unknown : .refused(refusal)
    case .retry: return .unknown
    }
  }

  /// Adds data that only the author has: the neighbors of a gap, and the items that an action contends for.
  func completed(_ kind: TableOperation.Kind) -> TableOperation.Kind {
    switch kind {
    case .reorder(var difference, let suggested):
      // A copy takes nothing away: its originals are neighbors like others.
      let staysHere = table.state.keepsSources(difference, suggested: suggested)
      difference.destination = completed(difference.destination, excluding: staysHere ? [] : difference.sources)
      return .reorder(difference, suggested: suggested)
    case .insert(let items, let destination): return .insert(items, completed(destination, excluding: []))
    case .perform(let action, let items, let destination) where items.isEmpty:
      return .perform(action: action, items: table.contendedItems(of: action, by: author.seat), destination)
    case .remove, .update, .perform, .undo, .unknown, .invalid: return kind
    }
  }

  private func completed(_ destination: Destination, excluding sources: ItemList) -> Destination {
    var destination = destination
    // The daemon does not know the handle, and gives another one.
    if !destination.hasContainer, destination.collection.isProvisional {
      destination.container = table.state.opener(of: destination.collection)
    }
    // "Before no item" is the end. The wire cannot distinguish the two, so that the prediction must not either.
    destination.position = Position(anchor: destination.position.anchor)
    let leaving = Set(sources)
    let anchor = destination.position.anchor
    if destination.after == .unspecified, !leaving.contains(anchor) {
      destination.after = table.state.predecessor(of: destination, excluding: leaving)
    }
    guard !pending.isEmpty else { return destination }
    if destination.beforeBy == nil { destination.beforeBy = lastOperation(on: anchor) }
    if destination.afterBy == nil, case .item(let item) = destination.after {
      destination.afterBy = lastOperation(on: item)
    }
    return destination
  }

  /// Returns the pending operation that put an item where it is visible, zero if it stands there in the confirmed state; `nil` if
  /// no pending operation is about it.
  private func lastOperation(on item: ItemID) -> SequenceNumber? {
    guard item != .none, let placed = table.state.placed(item) else { return nil }
    let moves = pending.lazy.filter { $0.operation.kind.moves(item) }
    // What leaves the item where it is, also where an earlier one has put it, may move it after all, if others come first.
    if let last = moves.last(where: { $0.prediction.isAccepted }), last.prediction == .unchanged {
      return last.operation.sequence
    }
    if placed > confirmedRevision { return predictedMemory.operation(at: placed) }
    return moves.isEmpty ? nil : .zero
  }

  /// Gives the operation submitted last its identity.
  mutating func identifyLast(_ identity: OperationIdentity) {
    guard let last = pending.indices.last else { return }
    pending[last].identity = identity
  }

  /// Postpones the operation submitted last if it must wait: behind one that waits to be sent again, since operations are sent
  /// in order, and a drop behind an undo, since nobody knows yet where its items will be.
  ///
  /// - Returns: Whether it waits.
  mutating func postponeLast() -> Bool {
    guard let last = pending.indices.last else { return false }
    if let first = pending.first(where: { $0.retry != nil }) { pending[last].retry = first.retry }
    postponeBehindUndo(from: last)
    return pending[last].retry != nil
  }

  /// Postpones the first drop from an index on that is behind a pending undo, and everything behind it.
  mutating func postponeBehindUndo(from first: Int) {
    guard let undo = pending.firstIndex(where: { !$0.isInState && $0.operation.kind.isUndo }),
      let drop = pending.indices.first(where: { $0 > undo && $0 >= first && pending[$0].operation.kind.gap != nil })
    else { return }
    for index in drop..<pending.count where pending[index].retry == nil {
      pending[index].retry = Refusal(.notPlaced, detail: "it waits for the answer to an undo")
    }
  }
}
