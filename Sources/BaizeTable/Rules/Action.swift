/// An operation that a table type offers besides moving items: `draw`, `flip`, `pin`.
public struct Action: Sendable {
  /// The name by which operations call it.
  public let name: String
  /// The meaning of the items that the operation names.
  public let items: Items
  /// Whether it may be performed when it is another seat's turn.
  public let isOutOfTurn: Bool
  /// The conditions on each item that the operation names.
  public let each: [Condition]
  /// The alternatives. The first whose `when` holds is carried out.
  public let cases: [Case]
  /// The refusal if no case holds.
  public let otherwise: Refusal
  /// The path of the action in the document.
  public let path: String

  /// The meaning of the items that an operation names.
  public enum Items: Hashable, Sendable {
    /// The action works on collections. Items are named only to contend for them, so that two participants who tap
    /// `draw` at once draw one card.
    case contended
    /// The action works on the named items, of which there is at least one.
    case subject
  }

  /// An alternative of an action.
  public struct Case: Sendable {
    /// The predicate that selects the case.
    public let when: Predicate
    /// The conditions that must hold once the case is selected.
    public let require: [Condition]
    /// The steps, carried out in order.
    public let steps: [Step]

    /// Creates a case; without `when` it always applies.
    public init(when: Predicate = .all([]), require: [Condition] = [], steps: [Step]) {
      self.when = when
      self.require = require
      self.steps = steps
    }
  }

  /// One step of an action or of a consequence.
  public enum Step: Sendable {
    /// Takes items off the end of a collection one by one and puts each at the end of another: at most `count`, or all.
    case deal(from: CollectionHandle, to: CollectionHandle, count: Term?)
    /// Puts a collection into a random order, under new ids.
    case shuffle(CollectionHandle)
    /// Turns the named items face up or face down.
    case turn(up: Bool)
    /// Pins or unpins the named items.
    case pin(Bool)
    /// Sets a variable to a term's value.
    case set(variable: String, Term)
    /// Passes the turn to the next taken seat.
    case passTurn
    /// One step for each seat, from seat 1 on, such as on the seat's own collection. The acting seat's step is carried
    /// out.
    indirect case bySeat([Step])
    /// Steps that are carried out if the predicate holds when it is their turn.
    indirect case when(Predicate, [Step])
    /// Steps that are carried out as if another seat acted.
    indirect case acting(Actor, [Step])

    /// The seats as which steps are carried out.
    public enum Actor: Sendable {
      /// Each taken seat, one after the other.
      case everySeat
      /// The seat of this number, taken or not; none if the table type has no such seat.
      indirect case seat(Term)
    }

    /// Returns the step that `seat` carries out; `nil` if the table type has none for it.
    func bound(to seat: SeatNumber) -> Step? {
      guard case .bySeat(let steps) = self else { return self }
      let index = Int(seat.rawValue) - 1
      return steps.indices.contains(index) ? steps[index] : nil
    }
  }

  /// Creates an action.
  public init(
    name: String, items: Items = .contended, isOutOfTurn: Bool = false, each: [Condition] = [], cases: [Case],
    otherwise: Refusal,
    path: String = ""
  ) {
    self.name = name
    self.items = items
    self.isOutOfTurn = isOutOfTurn
    self.each = each
    self.cases = cases
    self.otherwise = otherwise
    self.path = path
  }
}

/// A rule by which a table's status follows from its state.
public struct Ending: Sendable {
  /// The predicate that makes the ending apply.
  public let when: Predicate
  /// The status that it gives the table, such as `won`.
  public let status: String
  /// Whether every later operation is refused (`GAME_OVER`).
  public let isFinal: Bool

  /// Creates an ending.
  public init(when: Predicate, status: String, isFinal: Bool = true) {
    self.when = when
    self.status = status
    self.isFinal = isFinal
  }
}
