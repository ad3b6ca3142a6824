public import BaizeTable

/// An operation without an answer.
public struct PendingOperation: Sendable {
  public var operation: TableOperation
  public var prediction: Prediction
  /// The daemon did not judge it and wants it again.
  public var retry: Refusal?
  /// The snapshot holds what became of it; only the answer has yet to come.
  public var isInState = false
  /// The diff that it would make if nothing came between, and how many steps of the prediction are its.
  var foreseen: Diff?
  var steps = 0

  init(operation: TableOperation, prediction: Prediction) {
    self.operation = operation
    self.prediction = prediction
  }
}

extension PendingOperation {
  /// The ids of what it made, by the names that they had until then.
  func names(of minted: ItemList) -> [ItemID: ItemID] {
    var names: [ItemID: ItemID] = [:]
    for (number, item) in minted.enumerated() where item != .none {
      names[.provisional(operation: operation.sequence, number: number)] = item
    }
    return names
  }
}

/// What a replica makes of an operation before the daemon has answered.
public enum Prediction: Hashable, Sendable {
  case shown(DropOperation, isRebased: Bool, isRedirected: Bool)
  case unchanged
  /// Only the daemon can tell; nothing is shown.
  case unknown
  case refused(Refusal)
}
