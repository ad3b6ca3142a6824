/// Something that a table type lets a participant do besides moving items: `draw`, `flip`, `pin`.
public struct Action: Sendable {
  public let name: String
  public let items: Items
  /// Whether it may be done when it is another seat's turn.
  public let isOutOfTurn: Bool
  /// Asked of each item that the operation names.
  public let each: [Condition]
  /// The first case whose `when` holds is carried out.
  public let cases: [Case]
  /// Why the action is refused where no case holds.
  public let otherwise: Refusal
  public let path: String

  /// What naming items means to an action.
  public enum Items: Hashable, Sendable {
    /// The action works on collections; items are named only to contend for them, so that two who tap `draw` at once
    /// draw one card.
    case contended
    /// The action works on the items named, and on at least one.
    case subject
  }

  public struct Case: Sendable {
    public let when: Predicate
    public let require: [Condition]
    public let steps: [Step]

    public init(when: Predicate = .all([]), require: [Condition] = [], steps: [Step]) {
      self.when = when
      self.require = require
      self.steps = steps
    }
  }

  public enum Step: Sendable {
    /// Takes items off the end of a collection one by one and puts each on the end of another: at most `count`, or all.
    case deal(from: CollectionHandle, to: CollectionHandle, count: Term?)
    /// Puts a collection into a random order, under new ids.
    case shuffle(CollectionHandle)
    /// Turns the items named.
    case turn(up: Bool)
    /// Pins the items named, or lets them go.
    case pin(Bool)
    case set(variable: String, Term)
    /// The turn goes to the next taken seat.
    case passTurn
    /// By seat, that of seat 1 first: the step works on what is the own of the seat that acts.
    indirect case own([Step])

    /// The step as `seat` carries it out; `nil` where the table type has none for it.
    func bound(to seat: SeatNumber) -> Step? {
      guard case .own(let steps) = self else { return self }
      let place = Int(seat.rawValue) - 1
      return steps.indices.contains(place) ? steps[place] : nil
    }
  }

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

/// How a table's status changes by itself.
public struct Ending: Sendable {
  public let when: Predicate
  /// Such as `won`.
  public let status: String
  /// Whether every operation is refused (`GAME_OVER`) from then on.
  public let isFinal: Bool

  public init(when: Predicate, status: String, isFinal: Bool = true) {
    self.when = when
    self.status = status
    self.isFinal = isFinal
  }
}
