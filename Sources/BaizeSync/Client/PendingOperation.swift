public import BaizeTable

/// An operation that was submitted and is not acknowledged yet.
public struct PendingOperation: Sendable {
  /// The operation as it was sent.
  public var operation: TableOperation
  /// Its predicted outcome.
  public var prediction: Prediction
  /// The reason why the daemon did not judge it, so that it must be sent again; `nil` if it was not answered.
  public var retry: Refusal?
  /// The operation's name for its app, and its time; `nil` for a client without a session store that gave it no id.
  public internal(set) var identity: OperationIdentity?
  /// Whether the snapshot already contains its effect, so that only the answer is missing.
  public var isInState = false
  /// Whether others have, or may have, changed what it is about since it was made, so that with a new base it would overwrite that.
  var isBaseLost = false
  /// The predicted diff; `nil` if none is predicted.
  var predictedDiff: Diff?
  /// The number of steps of the table's prediction that belong to it.
  var steps = 0

  init(operation: TableOperation, prediction: Prediction) {
    self.operation = operation
    self.prediction = prediction
  }
}

/// The name of a submitted operation for its app, and the time at which it was submitted.
public struct OperationIdentity: Hashable, Sendable {
  /// The operation's id.
  public let id: OperationID
  /// The time of the submission, in milliseconds since 1970.
  public let submittedAt: UInt64
}

extension PendingOperation {
  func answered(_ answer: Answer, minted: ItemList = ItemList()) -> Answered {
    Answered(operation: operation, answer: answer, minted: minted, id: identity?.id)
  }

  /// Returns the final ids of the items that the operation created, by their provisional ids.
  func names(of minted: ItemList) -> [ItemID: ItemID] {
    var names: [ItemID: ItemID] = [:]
    for (number, item) in minted.enumerated() where item != .none {
      names[.provisional(operation: operation.sequence, number: number)] = item
    }
    return names
  }
}

/// The outcome of an operation that a replica predicts before the daemon has answered.
public enum Prediction: Hashable, Sendable {
  /// The operation is accepted, and its effect is visible.
  case shown(DropOperation, isRebased: Bool, isRedirected: Bool)
  /// The operation changes nothing.
  case unchanged
  /// The outcome depends on data that only the daemon has; nothing is shown.
  case unknown
  /// The rules refuse the operation.
  case refused(Refusal)

  /// Whether the operation is accepted, as far as the client can tell.
  var isAccepted: Bool {
    switch self {
    case .shown, .unchanged: true
    case .unknown, .refused: false
    }
  }
}
