/// The items on a new table.
public struct SetUp: Sendable {
  /// The decks, dealt in order.
  public var decks: [Deck]

  /// Creates a set-up.
  public init(decks: [Deck] = []) { self.decks = decks }

  /// The number of items on a new table.
  public var itemCount: Int { decks.reduce(0) { $0 + $1.itemCount } }
}

/// Items that are made, optionally shuffled, and dealt.
public struct Deck: Sendable {
  /// The items of the deck.
  public let contents: Contents
  /// Whether the deck is shuffled before it is dealt.
  public var isShuffled: Bool
  /// The deals, in order. Each takes items off the front of the remaining deck.
  public var deals: [Deal]
  /// The items of a small deck, made once: all tables of a type then share the faces in memory.
  private let made: [NewItem]?

  private static let madeMax = 256

  /// The description of a deck's items.
  public enum Contents: Sendable {
    /// These items, in this order.
    case items([NewItem])
    /// One item for each combination of values, the last attribute varying fastest.
    case product([(name: String, values: [AttributeValue])])
    /// `count` items with the attribute numbered from 1.
    case numbered(count: Int, attribute: String)
  }

  /// A number of items put at the end of one collection.
  public struct Deal: Hashable, Sendable {
    /// The collection that receives the items: one of the table type's, or one that an item of the set-up opens. Those get the
    /// handles behind, in the order in which their items are dealt.
    public var collection: CollectionHandle
    /// The number of items; `nil` for all that remain.
    public var count: Int?
    /// The items that are face up, in a collection whose ``FaceRule`` is `each`.
    public var up: Up

    /// The items of a deal that are face up.
    public enum Up: Hashable, Sendable {
      /// All items.
      case all
      /// No item.
      case none
      /// The last item alone.
      case last
    }

    /// Creates a deal.
    public init(to collection: CollectionHandle, count: Int? = nil, up: Up = .all) {
      self.collection = collection
      self.count = count
      self.up = up
    }
  }

  /// Creates a deck.
  ///
  /// - Complexity: O(number of items) for a small deck, which is made at once.
  public init(contents: Contents, isShuffled: Bool = false, deals: [Deal]) {
    self.contents = contents
    self.isShuffled = isShuffled
    self.deals = deals
    made = contents.itemCount <= Self.madeMax ? contents.makeItems() : nil
  }

  /// The number of items in the deck.
  public var itemCount: Int { contents.itemCount }

  /// Makes the items, in order and not shuffled.
  ///
  /// - Complexity: O(number of items).
  public func makeItems() -> [NewItem] { made ?? contents.makeItems() }
}

extension SetUp {
  /// The size of the largest face in bytes, or a little more.
  package var faceBytesMax: Int { decks.map(\.contents.faceBytesMax).max() ?? 0 }

  /// Returns whether no two items have the same value of an attribute.
  ///
  /// - Complexity: O(n).
  package func hasUniqueValues(of attribute: String) -> Bool {
    var seen: Set<AttributeValue> = []
    return decks.allSatisfy { deck in deck.contents.values(of: attribute).allSatisfy { seen.insert($0).inserted } }
  }
}

extension Deck.Contents {
  fileprivate var faceBytesMax: Int {
    switch self {
    case .items(let items): items.map(\.face.contentBytes).max() ?? 0
    case .numbered(_, let attribute): Attribute(attribute, Int64(0)).contentBytes
    case .product(let factors):
      factors.reduce(0) { sum, factor in
        sum + (factor.values.map { Attribute(name: factor.name, value: $0).contentBytes }.max() ?? 0)
      }
    }
  }

  /// Returns the values of an attribute, each as often as it occurs.
  fileprivate func values(of attribute: String) -> [AttributeValue] {
    switch self {
    case .items(let items): return items.compactMap { $0.face[attribute] }
    case .numbered(let count, let name):
      return name.hasBytes(of: attribute) ? (0..<count).map { .number(Int64($0) + 1) } : []
    case .product(let factors):
      guard let factor = factors.last(where: { $0.name.hasBytes(of: attribute) }) else { return [] }
      return factor.values + (itemCount > factor.values.count ? factor.values : [])
    }
  }

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
