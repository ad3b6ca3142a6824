/// What lies on a table at first.
public struct SetUp: Sendable {
  public var decks: [Deck]

  public init(decks: [Deck] = []) { self.decks = decks }

  /// How many items there are at first.
  public var itemCount: Int { decks.reduce(0) { $0 + $1.itemCount } }
}

/// Items that are made, perhaps shuffled, and dealt.
public struct Deck: Sendable {
  public let contents: Contents
  public var isShuffled: Bool
  /// Carried out in order; each takes items off the front of what is left of the deck.
  public var deals: [Deal]
  /// What ``contents`` makes, made once where it is little: the tables of a type share its faces in memory.
  private let made: [NewItem]?

  private static let madeMax = 256

  public enum Contents: Sendable {
    case items([NewItem])
    /// One item for each combination of values, the last attribute varying fastest.
    case product([(name: String, values: [AttributeValue])])
    /// `count` items with the attribute numbered from 1.
    case numbered(count: Int, attribute: String)
  }

  public struct Deal: Hashable, Sendable {
    public var collection: CollectionHandle
    /// How many; `nil` for all that is left.
    public var count: Int?
    /// Which lie face up, in a collection where each lies as it lies.
    public var up: Up

    public enum Up: Hashable, Sendable {
      case all
      case none
      case last
    }

    public init(to collection: CollectionHandle, count: Int? = nil, up: Up = .all) {
      self.collection = collection
      self.count = count
      self.up = up
    }
  }

  public init(contents: Contents, isShuffled: Bool = false, deals: [Deal]) {
    self.contents = contents
    self.isShuffled = isShuffled
    self.deals = deals
    made = contents.itemCount <= Self.madeMax ? contents.makeItems() : nil
  }

  /// How many items it has.
  public var itemCount: Int { contents.itemCount }

  /// The items, in order and not shuffled.
  ///
  /// - Complexity: O(number of items).
  public func makeItems() -> [NewItem] { made ?? contents.makeItems() }
}

extension Deck.Contents {
  fileprivate var itemCount: Int {
    switch self {
    case .items(let items): items.count
    case .numbered(let count, _): count
    case .product(let factors): factors.reduce(1) { $0 * $1.values.count }
    }
  }

  fileprivate func makeItems() -> [NewItem] {
    switch self {
    case .items(let items):
      return items
    case .numbered(let count, let attribute):
      return (0..<count).map { NewItem(attributes: [Attribute(attribute, Int64($0) + 1)]) }
    case .product(let factors):
      return factors.reduce(into: [[Attribute]]([[]])) { combinations, factor in
        combinations = combinations.flatMap { combination in
          factor.values.map { combination + [Attribute(name: factor.name, value: $0)] }
        }
      }.map { NewItem(attributes: $0) }
    }
  }
}
