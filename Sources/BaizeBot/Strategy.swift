public import BaizeSync
public import BaizeTable

/// A way to play: looks at a table as its seat sees it and says what to do next.
///
/// A strategy has no clock and no chance of its own. Whoever hosts it decides how often it is asked, submits what it
/// decides, and tells it every answer; the same states, answers and seed give the same decisions for ever.
public protocol Strategy: Sendable {
  /// What to do at the table that `replica` shows, whose visible state may hold operations without an answer.
  mutating func next(at replica: Replica, random: inout RandomSource) -> Decision

  /// Takes in what became of an operation: the daemon's answer, or the refusal of the replica's own rules, which keep
  /// it from being sent at all.
  mutating func hear(_ answer: Answer, to kind: TableOperation.Kind)
}

extension Strategy {
  /// Takes in the daemon's answer.
  public mutating func hear(_ answered: Answered) { hear(answered.answer, to: answered.operation.kind) }
}

/// What a strategy wants.
public enum Decision: Hashable, Sendable {
  /// To do something. `sendsRefused` is what the replica's `submit` calls so: the rules forbid it, and the strategy
  /// wants the daemon to say so.
  case submit(TableOperation.Kind, sendsRefused: Bool = false)
  /// Nothing now: to be asked again when something has changed.
  case wait
  /// Nothing any more, unless others change the table.
  case done(Conclusion)
}

/// Why there is nothing to do any more.
public enum Conclusion: Hashable, Sendable {
  case won
  /// No move leads anywhere.
  case stuck
  /// The table has ended otherwise, with this status.
  case over(String)
  /// The table type is none that the strategy knows how to play.
  case unknownGame
}

extension TableState {
  /// How the table has ended, if it has: every operation is refused from then on.
  var conclusion: Conclusion? {
    guard status != Self.open, type.endings.contains(where: { $0.status == status && $0.isFinal }) else { return nil }
    return status == "won" ? .won : .over(status)
  }

  /// The rules of the collection `handle`, which is one of the table's own.
  func kind(of handle: CollectionHandle) -> CollectionKind {
    type.kinds[type.collections[Int(handle.rawValue) - 1].kind]
  }
}
