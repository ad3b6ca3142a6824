/// A time limit of a table type: how long it is, when it runs, and what happens when the time is up.
///
/// It has no clock. The daemon measures the time, and calls `Table.expire`.
public struct TimeLimit: Sendable {
  /// The time in seconds, at least 1.
  public let seconds: Int
  /// The predicate that must hold for the time to run.
  public let when: Predicate
  /// The variables, besides that of the turn for the limit of a turn, with which the time begins anew.
  public let renewedBy: [String]
  /// The attempts when the time is up, in order of preference: the first that the rules accept is carried out.
  public let attempts: [Attempt]

  /// Creates a time limit; without `when` it always runs.
  ///
  /// - Precondition: `seconds` is at least 1.
  public init(seconds: Int, when: Predicate = .all([]), renewedBy: [String] = [], attempts: [Attempt]) {
    precondition(seconds >= 1, "a time limit of \(seconds) seconds")
    self.seconds = seconds
    self.when = when
    self.renewedBy = renewedBy
    self.attempts = attempts
  }

  /// One of the things that may happen when the time is up.
  public struct Attempt: Sendable {
    /// The seats as which it is attempted, one after the other, until one succeeds; `nil` for the seat whose turn it is, and,
    /// without turns, for the first taken one.
    public let actor: Action.Step.Actor?
    /// The attempted effect.
    public let effect: Effect

    /// Creates an attempt.
    public init(as actor: Action.Step.Actor? = nil, _ effect: Effect) {
      self.actor = actor
      self.effect = effect
    }
  }

  /// The effect that a seat attempts when the time is up.
  public enum Effect: Sendable {
    /// The move of the first item of one collection that another accepts at its end. One for each seat, from seat 1 on, or one
    /// for all.
    case move([Route])
    /// An action that names no items.
    case perform(String)
    /// Steps, which no rule judges.
    case steps([Action.Step])
  }

  /// The collections between which an item moves.
  public struct Route: Sendable {
    /// The collection that the item leaves.
    public let from: CollectionHandle
    /// The collection at whose end it lands.
    public let to: CollectionHandle

    /// Creates a route.
    public init(from: CollectionHandle, to: CollectionHandle) {
      self.from = from
      self.to = to
    }
  }
}

/// The time limits of a table type.
public struct TimeLimits: Sendable {
  /// The limit of a turn: its time begins when the turn passes.
  public let turn: TimeLimit?
  /// The limit of the table: its time begins when it may run.
  public let table: TimeLimit?

  /// Creates the limits, `nil` for none.
  public init(turn: TimeLimit? = nil, table: TimeLimit? = nil) {
    self.turn = turn
    self.table = table
  }

  var all: [TimeLimit] { [turn, table].compactMap { $0 } }
}
