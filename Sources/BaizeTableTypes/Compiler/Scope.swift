import BaizeTable

/// The values that a rule may read in its position. Any other value would never be defined there.
struct Scope {
  /// The position, for messages: `a lift`.
  let name: String
  let allows: Needs

  static let lift = Scope(name: "a lift", allows: [.item, .source, .sources, .variables, .counts, .actor])
  static let pairs = Scope(name: "a pair", allows: lift.allows.union(.below))
  static let drop = Scope(name: "a drop", allows: lift.allows.union(.destination))
  static let dropOnEmpty = Scope(name: "a drop on an empty collection", allows: drop.allows)
  static let dropOnItem = Scope(name: "a drop on an item", allows: drop.allows.union(.below))
  static let actionItem = Scope(name: "an action's item", allows: lift.allows)
  static let action = Scope(name: "an action", allows: [.sources, .variables, .counts, .actor])
  static let move = Scope(name: "the steps after a move", allows: action.allows.union([.source, .destination]))
  /// Where everyone has seen the moved items, or sees them now.
  static let openMove = Scope(name: "the steps after a move", allows: move.allows.union(.item))
  static let stamp = Scope(name: "a stamp", allows: openMove.allows)
  static let update = Scope(name: "an update", allows: [.item, .updated, .source, .variables, .counts, .actor])
  static let ending = Scope(name: "an ending", allows: [.variables, .counts])
  static let clock = Scope(name: "a time limit", allows: [.variables, .counts])
  static let deal = Scope(name: "a deal", allows: [.destination])
  /// A check is validated again where it is used.
  static let check = Scope(name: "a check", allows: Needs(rawValue: .max))
}

/// The values that rules read.
struct Needs: OptionSet {
  let rawValue: UInt16

  static let item = Needs(rawValue: 1)
  static let below = Needs(rawValue: 2)
  static let source = Needs(rawValue: 4)
  static let destination = Needs(rawValue: 8)
  /// The number of items in the operation.
  static let sources = Needs(rawValue: 16)
  static let variables = Needs(rawValue: 32)
  /// The number of items in a collection.
  static let counts = Needs(rawValue: 64)
  /// The acting seat.
  static let actor = Needs(rawValue: 128)
  /// The item that a count looks at.
  static let counted = Needs(rawValue: 256)
  /// The item as an update would leave it.
  static let updated = Needs(rawValue: 512)

  /// The values, for messages.
  var names: [String] {
    let all: [(Needs, String)] = [
      (.item, "'item'"), (.below, "'below'"), (.source, "'source'"), (.destination, "'destination'"),
      (.sources, "the count of sources"), (.variables, "variables"), (.counts, "counts of collections"),
      (.actor, "an acting seat"), (.counted, "'counted'"), (.updated, "'new'"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }
}

extension Subject {
  fileprivate var needs: Needs {
    switch self {
    case .item: .item
    case .below: .below
    case .counted: .counted
    case .updated: .updated
    }
  }
}

extension Term {
  var needs: Needs {
    switch self {
    case .constant: []
    case .attribute(let subject, _): subject.needs
    case .collection(.source, _), .count(.source): .source
    case .collection(.destination, _), .count(.destination): .destination
    case .count(.sources): .sources
    case .count(.collections): .counts
    case .count(.seats): .variables
    case .countWhere(let countable, let predicate):
      Term.count(countable).needs.union(predicate.needs.subtracting(.counted))
    case .variable: .variables
    case .bySeat(let terms): terms.first?.needs.union(.actor) ?? .actor
    case .group(_, let term): term.needs
    case .sum(let terms): terms.reduce(into: []) { $0.formUnion($1.needs) }
    case .difference(let left, let right): left.needs.union(right.needs)
    }
  }
}

extension Predicate {
  var needs: Needs {
    switch self {
    case .compare(let left, _, let right): left.needs.union(right.needs)
    case .oneOf(let term, _): term.needs
    case .faceUp(let subject): subject.needs
    case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.needs) }
    case .not(let part): part.needs
    case .everySeat(let part): part.needs.subtracting(.actor)
    case .changes: .updated
    }
  }
}
