/// One rule: something that must hold, and the reason given where it does not.
public struct Condition: Sendable {
  public let predicate: Predicate
  public let reason: Reason
  /// Where it stands in the document.
  public let path: String
  /// A sentence for people; empty for none. It may say nothing of hidden faces, so it is fixed text.
  public let detail: String
  /// The rule may be evaluated on faces that the author cannot see.
  public let isBlind: Bool
  /// Which faces the predicate reads; a hidden one among them refuses the operation before the predicate is asked.
  public let reads: Subjects

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

/// A thing whose attributes a rule may read.
public enum Subject: Hashable, Sendable {
  /// The item that is judged.
  case item
  /// The item that it lies on or is to lie on.
  case below
}

/// A set of subjects.
public struct Subjects: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let item = Subjects(rawValue: 1)
  public static let below = Subjects(rawValue: 2)

  init(_ subject: Subject) {
    switch subject {
    case .item: self = .item
    case .below: self = .below
    }
  }
}

/// A value that a rule reads.
public indirect enum Term: Sendable {
  case constant(AttributeValue)
  case attribute(Subject, String)
  /// An attribute of the collection that the items come from or go to.
  case collection(Side, String)
  case variable(String)
  /// By seat, that of seat 1 first: what the rule reads is the own one of the seat that acts.
  case own([Term])
  case count(Countable)
  /// The group that a value belongs to, such as the colour of a suit.
  case group(ValueGroup, Term)
  case sum([Term])
  case difference(Term, Term)

  public enum Side: Hashable, Sendable {
    case source
    case destination
  }

  public enum Countable: Hashable, Sendable {
    /// The items that the operation names.
    case sources
    /// The items of the collection that they come from.
    case source
    /// The items that lie in the collection they go to, the sources not counted.
    case destination
    case collections([CollectionHandle])
  }
}

/// Names for sets of values: `red: [hearts, diamonds]`.
public struct ValueGroup: Hashable, Sendable {
  public let name: String
  public let groupOfValue: [AttributeValue: String]

  public init(name: String, groupOfValue: [AttributeValue: String]) {
    self.name = name
    self.groupOfValue = groupOfValue
  }
}

/// Something that holds or does not. A comparison with a value that is not there does not hold.
public indirect enum Predicate: Sendable {
  case compare(Term, Comparison, Term)
  case oneOf(Term, [AttributeValue])
  /// The item lies face up. How an item lies is no secret, so this reads no face.
  case faceUp(Subject)
  case all([Predicate])
  case any([Predicate])
  case not(Predicate)
  /// It holds for each taken seat, as if that seat acted.
  case everySeat(Predicate)

  public enum Comparison: Hashable, Sendable {
    case equal
    case unequal
    case less
    case atMost
  }

  /// Which faces are read, whatever the outcome of the parts.
  var reads: Subjects {
    switch self {
    case .compare(let left, _, let right): left.reads.union(right.reads)
    case .oneOf(let term, _): term.reads
    case .faceUp: []
    case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.reads) }
    case .not(let part), .everySeat(let part): part.reads
    }
  }
}

extension Term {
  var reads: Subjects {
    switch self {
    case .constant, .collection, .variable, .count: []
    case .attribute(let subject, _): Subjects(subject)
    case .group(_, let term): term.reads
    case .sum(let terms), .own(let terms): terms.reduce(into: []) { $0.formUnion($1.reads) }
    case .difference(let left, let right): left.reads.union(right.reads)
    }
  }
}
