public import BaizeSync
public import BaizeTable

/// A way to play: decides the next operation from what its seat sees of a table.
///
/// A strategy has no clock and no random source of its own. Its host decides how often to call ``next(at:random:)``,
/// submits the operations and reports every answer. Equal states, answers and seeds give equal decisions.
public protocol Strategy: Sendable {
  /// Returns the next decision.
  ///
  /// - Parameters:
  ///   - replica: The table, whose visible state includes pending operations.
  ///   - random: The random source for the decision.
  mutating func next(at replica: Replica, random: inout RandomSource) -> Decision

  /// Learns what is visible after a change of the table.
  ///
  /// A strategy that remembers, such as which cards were played, is called with every state. Others need not implement it.
  mutating func observe(_ replica: Replica)

  /// Handles the answer to an operation.
  ///
  /// - Parameters:
  ///   - answer: The daemon's answer, or the refusal by the local rules, with which nothing is sent.
  ///   - kind: The operation.
  mutating func received(_ answer: Answer, to kind: TableOperation.Kind)
}

extension Strategy {
  /// Learns nothing.
  public mutating func observe(_ replica: Replica) {}

  /// Handles the daemon's answer to an operation.
  public mutating func received(_ answered: Answered) { received(answered.answer, to: answered.operation.kind) }
}

/// A strategy's decision.
public enum Decision: Hashable, Sendable {
  /// Submit an operation. With `sendsRefused` the operation is sent even though the local rules refuse it.
  case submit(TableOperation.Kind, sendsRefused: Bool = false)
  /// Do nothing until the table changes.
  case wait
  /// Stop: there is nothing left to do unless others change the table.
  case done(Conclusion)
}

/// The reason why a strategy stops.
public enum Conclusion: Hashable, Sendable {
  /// The game is won.
  case won
  /// There is nothing left to do: no operation makes progress.
  case stuck
  /// The table has ended with this status.
  case over(String)
  /// The strategy does not know the table type.
  case unknownGame
}

extension TableState {
  /// The table's final status, if it has one: the daemon then refuses every operation.
  var conclusion: Conclusion? {
    guard status != Self.open, type.endings.contains(where: { $0.status == status && $0.isFinal }) else { return nil }
    return status == "won" ? .won : .over(status)
  }
}
