public import BaizeTable

/// What an event did to a replica.
public struct Update: Sendable {
  public var changes: [TableChange] = []
  public var answers: [Answered] = []

  init(changes: [TableChange] = [], answers: [Answered] = []) {
    self.changes = changes
    self.answers = answers
  }
}

/// An operation and the daemon's answer.
public struct Answered: Sendable {
  public let operation: TableOperation
  public let answer: Answer
}

/// The daemon's answer to an operation.
public enum Answer: Hashable, Sendable {
  case accepted(Diff)
  /// It was accepted, and its effect came in a snapshot.
  case acceptedBefore(Revision)
  case unchanged
  /// What the host asked for: an invite, which is a secret.
  case invited(String)
  case refused(Refusal)
  /// The session is gone: whether it had its effect is not known, and it is never sent again.
  case unknown
}
