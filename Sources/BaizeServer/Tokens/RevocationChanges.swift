import BaizeSync
import BaizeTable
import BaizeTransport

/// A change to what is revoked of signed tokens.
struct RevocationChange: Sendable {
  /// - Returns: Whether something changes.
  typealias Body = @Sendable (inout RevocationList) throws(RevocationError) -> Bool

  let apply: Body
  /// Receives whether something has changed, which is durable then.
  let answer: @Sendable (Result<Bool, RevocationError>) -> Void
}

/// The changes that the journal is to keep, one after the other: each is made to the list that the one before has left.
///
/// ```
/// operator ─▶ waiting ─▶ next ─▶ a shard's turn ─▶ journal ─▶ kept, or not ─▶ the daemon uses the list, the operator is answered
/// ```
struct RevocationChanges {
  /// A change that the journal has been given.
  struct Kept: Sendable {
    let change: RevocationChange
    /// What is revoked once it is durable.
    let list: RevocationList
  }

  private var waiting = Queue<RevocationChange>()
  private var isBusy = false
  private var ended: (Kept, OperatorAnswer)?

  /// - Returns: Whether there was room for the change.
  mutating func append(_ change: RevocationChange) -> Bool {
    guard waiting.count < ServerLimits.revocationChangesWaitingMax else { return false }
    waiting.append(change)
    return true
  }

  /// Returns the next change, unless the journal has not answered the last one. ``end()`` follows.
  mutating func begin() -> RevocationChange? {
    guard !isBusy, let next = waiting.popFirst() else { return nil }
    isBusy = true
    return next
  }

  /// Notes the journal's answer.
  mutating func answered(_ answer: OperatorAnswer, _ kept: Kept) { ended = (kept, answer) }

  /// Returns the change that the journal has answered.
  mutating func takeAnswered() -> (Kept, OperatorAnswer)? {
    defer { ended = nil }
    return ended
  }

  /// Ends the present change.
  mutating func end() { isBusy = false }
}
