/// The rules that all collections of one family share.
public final class CollectionKind: Sendable {
  /// The key in the document, such as `pile`.
  public let name: String
  public let faces: FaceRule
  /// Whether only the owner is told which items lie here, and in which order; all others are told how many.
  public let isPrivate: Bool
  public let lift: LiftRule
  public let accept: AcceptRule
  /// Whether the last item is turned up when it comes to lie open.
  public let turnsExposed: Bool
  /// Whether a client may update the items here.
  public let allowsUpdate: Bool
  /// The path of the kind in the document.
  public let path: String

  public init(
    name: String, faces: FaceRule = .up, isPrivate: Bool = false, lift: LiftRule = LiftRule(),
    accept: AcceptRule = AcceptRule(), turnsExposed: Bool = false, allowsUpdate: Bool = false, path: String = ""
  ) {
    self.name = name
    self.faces = faces
    self.isPrivate = isPrivate
    self.lift = lift
    self.accept = accept
    self.turnsExposed = turnsExposed
    self.allowsUpdate = allowsUpdate
    self.path = path
  }

  /// Whether what is seen here depends on who looks.
  var isSecret: Bool { isPrivate || faces == .owner }
}

/// How items lie in a collection.
public enum FaceRule: Hashable, Sendable {
  /// All up: everyone sees them.
  case up
  /// All down: nobody sees them.
  case down
  /// Each as it lies.
  case each
  /// All up, to the collection's owner alone.
  case owner
}

/// What may leave a collection together.
public struct LiftRule: Sendable {
  public var shape: Shape
  /// Who may take items out; `nil` for whom the table type's turn policy says.
  public var by: Access?
  /// What the collection offers to do with its items.
  public var offers: DropOperation.Set
  /// Asked first, of the lift as a whole (`item` is the first source).
  public var conditions: [Condition]
  /// Asked of each source.
  public var each: [Condition]
  /// Asked of each two neighbours in a run: `item` lies on `below`.
  public var pairs: [Condition]
  /// Carried out when items have moved from here to elsewhere.
  public var then: [Action.Step]
  public var path: String

  public enum Shape: Hashable, Sendable {
    /// Nothing.
    case none
    /// Any items in any order.
    case any
    /// The last item alone.
    case top
    /// Items up to the last one, in their order.
    case run
  }

  public init(
    shape: Shape = .any, by: Access? = nil, offers: DropOperation.Set = .move, conditions: [Condition] = [],
    each: [Condition] = [],
    pairs: [Condition] = [], then: [Action.Step] = [], path: String = ""
  ) {
    self.shape = shape
    self.by = by
    self.offers = offers
    self.conditions = conditions
    self.each = each
    self.pairs = pairs
    self.then = then
    self.path = path
  }
}

/// What a collection takes, and where it lands.
public struct AcceptRule: Sendable {
  /// What the collection does with a drop, most preferred first; empty: it is closed (`DESTINATION_CLOSED`).
  public var operations: [DropOperation]
  /// Who may put items here; `nil` for whom the table type's turn policy says.
  public var by: Access?
  /// Whether the turn passes to the next seat when its holder puts something here that came from elsewhere.
  public var passesTurn: Bool
  /// Whether clients may insert new items here.
  public var inserts: Bool
  /// The only collections that items may come from; `nil` for all. Its own items may always be reordered.
  public var from: Set<CollectionHandle>?
  public var landing: Landing
  /// Where drops on this collection really go, at its end; `nil` for here.
  public var redirect: CollectionHandle?
  public var capacity: Capacity?
  /// The content types taken; empty for all. An item is taken with its first representation of one of these types.
  public var contentTypes: [String]
  /// Asked of the drop as a whole (`item` is the first source).
  public var conditions: [Condition]
  /// Asked of each source.
  public var each: [Condition]
  /// Asked when the block lands on nothing.
  public var onEmpty: [Condition]
  /// Asked when the block lands on an item: `item` is the first source, `below` what it lands on.
  public var onItem: [Condition]
  /// Asked of each two neighbours of which one arrives at least, as they will stand: `item` follows `below`.
  public var pairs: [Condition]
  /// Carried out when items have moved here from elsewhere.
  public var then: [Action.Step]
  public var path: String

  public enum Landing: Hashable, Sendable {
    /// Where the author says.
    case anywhere
    /// Always at the end; another position is redirected there.
    case end
    /// Only at the end; another position is refused (`POSITION_NOT_ALLOWED`).
    case endOnly
    /// Always at the start.
    case start
  }

  public init(
    operations: [DropOperation] = [.move], by: Access? = nil, passesTurn: Bool = false, inserts: Bool = false,
    from: Set<CollectionHandle>? = nil,
    landing: Landing = .anywhere, redirect: CollectionHandle? = nil, capacity: Capacity? = nil,
    contentTypes: [String] = [], conditions: [Condition] = [], each: [Condition] = [], onEmpty: [Condition] = [],
    onItem: [Condition] = [], pairs: [Condition] = [], then: [Action.Step] = [], path: String = ""
  ) {
    self.operations = operations
    self.by = by
    self.passesTurn = passesTurn
    self.inserts = inserts
    self.from = from
    self.landing = landing
    self.redirect = redirect
    self.capacity = capacity
    self.contentTypes = contentTypes
    self.conditions = conditions
    self.each = each
    self.onEmpty = onEmpty
    self.onItem = onItem
    self.pairs = pairs
    self.then = then
    self.path = path
  }
}

/// How many items a collection holds.
public struct Capacity: Hashable, Sendable {
  public var itemsMax: Int
  /// Whether the first items of a block that is too long are accepted, or none.
  public var acceptsPart: Bool
  public var path: String

  public init(itemsMax: Int, acceptsPart: Bool = false, path: String = "") {
    self.itemsMax = itemsMax
    self.acceptsPart = acceptsPart
    self.path = path
  }
}
