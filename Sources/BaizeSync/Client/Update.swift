public import BaizeTable

/// The effect of a message on a replica.
public struct Update: Sendable {
  /// The visible changes.
  public var changes: [TableChange] = []
  /// The operations that the message answers.
  public var answers: [Answered] = []

  init(changes: [TableChange] = [], answers: [Answered] = []) {
    self.changes = changes
    self.answers = answers
  }
}

/// An operation and the daemon's answer.
public struct Answered: Sendable {
  /// The operation.
  public let operation: TableOperation
  /// The answer.
  public let answer: Answer
  /// The ids of the items that the operation was to make, in order; ``ItemID/none`` for those that were not accepted.
  public var minted = ItemList()
  /// The id under which the operation was submitted; `nil` if it has none.
  public var id: OperationID?
}

/// The daemon's answer to an operation.
public enum Answer: Hashable, Sendable {
  /// The operation was accepted, with this diff.
  case accepted(Diff)
  /// The operation was accepted at this revision, and its effect is part of a snapshot.
  case acceptedBefore(Revision)
  /// The operation changed nothing.
  case unchanged
  /// The invite that the host requested; a secret.
  case invited(String)
  /// The rules refused the operation.
  case refused(Refusal)
  /// The session was lost before the answer: the operation may have had its effect, and is never sent again.
  case unknown
}
