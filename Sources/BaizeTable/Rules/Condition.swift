/// A rule: a predicate that must hold, and the reason for the refusal if it does not.
public struct Condition: Sendable {
  /// The predicate that must hold.
  public let predicate: Predicate
  /// The code of the refusal.
  public let reason: Reason
  /// The path of the rule in the document.
  public let path: String
  /// A sentence for people; empty for none. Fixed text, since it must reveal nothing about hidden faces.
  public let detail: String
  /// Whether the rule may read faces that the author cannot see.
  public let isBlind: Bool
  /// The subjects whose faces the predicate reads. If one of them is hidden, the operation is refused before the
  /// predicate is evaluated.
  public let reads: Subjects

  /// Creates a rule that refuses with `reason` unless `predicate` holds.
  public init(
    _ predicate: Predicate, else reason: Reason, path: String = "", detail: String = "", isBlind: Bool = false
  ) {
    self.predicate = predicate
    self.reason = reason
    self.path = path
    self.detail = detail
    self.isBlind = isBlind
    self.reads = predicate.reads
  }

  /// The refusal of an operation for which the predicate does not hold.
  public var refusal: Refusal { Refusal(reason, rule: path, detail: detail) }
}

/// An item whose attributes a rule may read.
public enum Subject: Hashable, Sendable {
  /// The item that is judged.
  case item
  /// The item in front of it, or in front of the gap where it is to be put.
  case below
  /// The item that a count with a condition looks at.
  case counted
  /// The item as an update would leave it.
  case updated
}

/// A set of subjects.
public struct Subjects: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The set of ``Subject/item`` alone.
  public static let item = Subjects(rawValue: 1)
  /// The set of ``Subject/below`` alone.
  public static let below = Subjects(rawValue: 2)
  /// The set of ``Subject/counted`` alone.
  public static let counted = Subjects(rawValue: 4)

  init(_ subject: Subject) {
    switch subject {
    case .item: self = .item
    case .below: self = .below
    case .counted: self = .counted
    // Its author knows it.
    case .updated: self = []
    }
  }
}

/// An expression whose value a rule reads. It may have no value.
public indirect enum Term: Sendable {
  /// A fixed value.
  case constant(AttributeValue)
  /// An attribute of an item, by name.
  case attribute(Subject, String)
  /// An attribute, by name, of the collection that the items come from or go to.
  case collection(Side, String)
  /// A variable of the table, by name.
  case variable(String)
  /// One term for each seat, from seat 1 on. The acting seat's term is read.
  case bySeat([Term])
  /// A number of items.
  case count(Countable)
  /// The number of items for which a predicate holds; no value if there are more than 500 to look at.
  case countWhere(Countable, Predicate)
  /// The group that a value belongs to, such as the colour of a suit.
  case group(ValueGroup, Term)
  /// The sum of numbers; no value on overflow of 64 bits.
  case sum([Term])
  /// The first number minus the second; no value on overflow of 64 bits.
  case difference(Term, Term)

  /// One of the two collections of a move.
  public enum Side: Hashable, Sendable {
    /// The collection that the items come from.
    case source
    /// The collection that the items go to.
    case destination
  }

  /// The items or seats that a term counts.
  public enum Countable: Hashable, Sendable {
    /// The items that the operation names.
    case sources
    /// The items of the collection that the sources come from.
    case source
    /// The items of the collection that the sources go to, without the sources themselves.
    case destination
    /// The items of these collections together.
    case collections([CollectionHandle])
    /// The taken seats.
    case seats
  }
}

/// A partition of values into named groups: `red: [hearts, diamonds]`.
public struct ValueGroup: Hashable, Sendable {
  /// The name by which rules refer to it.
  public let name: String
  /// The group of each value.
  public let groupOfValue: [AttributeValue: String]

  /// Creates a partition.
  public init(name: String, groupOfValue: [AttributeValue: String]) {
    self.name = name
    self.groupOfValue = groupOfValue
  }
}

/// A statement that holds or does not. A comparison with a term that has no value does not hold.
public indirect enum Predicate: Sendable {
  /// The comparison of two terms holds.
  case compare(Term, Comparison, Term)
  /// The term has one of these values.
  case oneOf(Term, [AttributeValue])
  /// The item is face up. Everyone may know that, so this reads no face.
  case faceUp(Subject)
  /// All of these hold; true if there are none.
  case all([Predicate])
  /// At least one of these holds; false if there are none.
  case any([Predicate])
  /// This does not hold.
  case not(Predicate)
  /// This holds for each taken seat, as if that seat acted.
  case everySeat(Predicate)
  /// The update gives this attribute another value, or removes it.
  case changes(String)

  /// A comparison of two values. Only numbers have an order.
  public enum Comparison: Hashable, Sendable {
    /// The values are equal.
    case equal
    /// The values are not equal.
    case unequal
    /// The left number is less than the right one.
    case less
    /// The left number is at most the right one.
    case atMost
  }

  /// The subjects whose faces may be read, whatever the outcome of the parts.
  var reads: Subjects {
    switch self {
    case .compare(let left, _, let right): left.reads.union(right.reads)
    case .oneOf(let term, _): term.reads
    case .faceUp: []
    case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.reads) }
    case .not(let part), .everySeat(let part): part.reads
    case .changes: .item
    }
  }
}

extension Term {
  var reads: Subjects {
    switch self {
    case .constant, .collection, .variable, .count: []
    case .attribute(let subject, _): Subjects(subject)
    case .countWhere(_, let predicate): predicate.reads.union(.counted)
    case .group(_, let term): term.reads
    case .sum(let terms), .bySeat(let terms): terms.reduce(into: []) { $0.formUnion($1.reads) }
    case .difference(let left, let right): left.reads.union(right.reads)
    }
  }
}
