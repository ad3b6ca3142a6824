/// The rules that all collections of one family share.
public final class CollectionKind: Sendable {
  /// The key in the document, such as `pile`.
  public let name: String
  /// The rule that determines whether items are face up here, and for which viewers.
  public let faces: FaceRule
  /// Whether only the owner may see the items here and their order. All others may see their number.
  public let isPrivate: Bool
  /// The rules for taking items out.
  public let lift: LiftRule
  /// The rules for putting items in.
  public let accept: AcceptRule
  /// Whether the last item is turned up when it becomes exposed.
  public let turnsExposed: Bool
  /// Whether clients may update the items here.
  public let allowsUpdate: Bool
  /// The conditions on an update: `item` is the item before it, `new` the item as it would be.
  public let updateConditions: [Condition]
  /// The collections that the items here open; `nil` if they open none.
  public let opens: Opening?
  /// The title of these collections for people; `nil` if the document says none.
  public let title: String?
  /// The arrangement of the items; `nil` if the document leaves it to the viewer.
  public let layout: Appearance.Layout?
  /// The path of the kind in the document.
  public let path: String

  /// Creates a kind; by default everyone may reorder its face-up items.
  public init(
    name: String, faces: FaceRule = .up, isPrivate: Bool = false, lift: LiftRule = LiftRule(),
    accept: AcceptRule = AcceptRule(), turnsExposed: Bool = false, allowsUpdate: Bool = false,
    updateConditions: [Condition] = [], opens: Opening? = nil, title: String? = nil,
    layout: Appearance.Layout? = nil, path: String = ""
  ) {
    self.name = name
    self.faces = faces
    self.isPrivate = isPrivate
    self.lift = lift
    self.accept = accept
    self.turnsExposed = turnsExposed
    self.allowsUpdate = allowsUpdate
    self.updateConditions = updateConditions
    self.opens = opens
    self.title = title
    self.layout = layout
    self.path = path
  }

  /// Whether aliases may be made of the items here, or put here.
  var offersAliases: Bool { lift.offers.contains(.alias) || accept.operations.contains(.alias) }

  /// Whether everyone may see every face here.
  var isOpen: Bool { !hidesFaces }

  /// Whether some viewer may not see some face here.
  package var hidesFaces: Bool { faces != .up || isPrivate }

  /// Whether the visible contents depend on the viewer.
  var isSecret: Bool { isPrivate || faces == .owner }
}

/// The collections that the items of a collection open, one each.
public struct Opening: Hashable, Sendable {
  /// The index of their kind in ``TableType/kinds``.
  public var kind: Int
  /// Whether the items in such a collection are removed with the item that opens it. Otherwise that item cannot be removed
  /// while there are any.
  public var removesItems: Bool

  /// Creates an opening.
  public init(_ kind: Int, removesItems: Bool = false) {
    self.kind = kind
    self.removesItems = removesItems
  }
}

/// The rule that determines whether items are face up in a collection.
public enum FaceRule: Hashable, Sendable {
  /// All face up: everyone may see them.
  case up
  /// All face down: nobody may see them.
  case down
  /// Each face up or face down, as it was turned.
  case each
  /// All face up to the collection's owner, and hidden from everyone else.
  case owner
}

/// The rules for items that leave a collection together.
public struct LiftRule: Sendable {
  /// The items that can be lifted together.
  public var shape: Shape
  /// The seats that may take items out; `nil` to follow the table type's turn policy.
  public var by: Access?
  /// The operations that the collection offers for its items.
  public var offers: DropOperation.Set
  /// The conditions on the lift as a whole (`item` is the first source). Evaluated first.
  public var conditions: [Condition]
  /// The conditions on each source.
  public var each: [Condition]
  /// The conditions on each two neighbors in a run: `item` is directly behind `below`.
  public var pairs: [Condition]
  /// The steps carried out when items have moved from here to another collection.
  public var then: [Action.Step]
  /// The path of the rule in the document.
  public var path: String

  /// The items of a collection that can be lifted together.
  public enum Shape: Hashable, Sendable {
    /// None.
    case none
    /// Any items in any order.
    case any
    /// The last item alone.
    case top
    /// Consecutive items up to the last one, in their order.
    case run
  }

  /// Creates lift rules; by default any items may be moved.
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

/// The rules for the items that a collection accepts, and where it puts them.
public struct AcceptRule: Sendable {
  /// The operations that a drop may perform, most preferred first; empty if the collection is closed
  /// (`DESTINATION_CLOSED`).
  public var operations: [DropOperation]
  /// The seats that may put items here; `nil` to follow the table type's turn policy.
  public var by: Access?
  /// Whether the turn passes to the next seat when its holder puts an item from another collection here.
  public var passesTurn: Bool
  /// Whether items may be put here when it is another seat's turn.
  public var isOutOfTurn: Bool
  /// Whether clients may insert new items here.
  public var inserts: Bool
  /// The only collections that items may come from; `nil` for all. The collection's own items may always be reordered.
  public var from: Set<CollectionHandle>?
  /// With ``from``, the kinds of the collections opened by items that items may come from, too, as indices of
  /// ``TableType/kinds``.
  public var fromKinds: Set<Int>
  /// The positions at which items may be put.
  public var landing: Landing
  /// The collection that receives drops on this one, at its end; `nil` for this one.
  public var redirect: CollectionHandle?
  /// The limit on the number of items; `nil` for none.
  public var capacity: Capacity?
  /// The accepted content types; empty for all. An item needs at least one representation of these types; inserts and
  /// copies keep only those.
  public var contentTypes: [String]
  /// The conditions on the drop as a whole (`item` is the first source).
  public var conditions: [Condition]
  /// The conditions on each source.
  public var each: [Condition]
  /// The conditions on a block that becomes the first in the collection.
  public var onEmpty: [Condition]
  /// The conditions on a block that is put on an item: `item` is the first source, `below` that item.
  public var onItem: [Condition]
  /// The conditions on each two future neighbors of which at least one arrives: `item` follows `below`.
  public var pairs: [Condition]
  /// The attributes that items get when they are moved here from another collection.
  public var stamps: [Stamp]
  /// The steps carried out when items have moved here from another collection.
  public var then: [Action.Step]
  /// The path of the rule in the document.
  public var path: String

  /// The positions at which a collection accepts items.
  public enum Landing: Hashable, Sendable {
    /// The requested position.
    case anywhere
    /// Always the end; any other position is redirected there.
    case end
    /// Only the end; any other position is refused (`POSITION_NOT_ALLOWED`).
    case endOnly
    /// Always the start, behind pinned items; any other position is redirected there.
    case start
  }

  /// An attribute that a collection gives to the items that are moved into it.
  public struct Stamp: Sendable {
    /// The attribute's name.
    public let name: String
    /// The attribute's value. The attribute is removed if there is none.
    public let value: Term?

    /// Creates a stamp.
    public init(name: String, value: Term?) {
      self.name = name
      self.value = value
    }
  }

  /// Creates accept rules; by default any moved item is accepted anywhere.
  public init(
    operations: [DropOperation] = [.move], by: Access? = nil, passesTurn: Bool = false,
    isOutOfTurn: Bool = false, inserts: Bool = false,
    from: Set<CollectionHandle>? = nil, fromKinds: Set<Int> = [],
    landing: Landing = .anywhere, redirect: CollectionHandle? = nil, capacity: Capacity? = nil,
    contentTypes: [String] = [], conditions: [Condition] = [], each: [Condition] = [], onEmpty: [Condition] = [],
    onItem: [Condition] = [], pairs: [Condition] = [], stamps: [Stamp] = [],
    then: [Action.Step] = [], path: String = ""
  ) {
    self.operations = operations
    self.by = by
    self.passesTurn = passesTurn
    self.isOutOfTurn = isOutOfTurn
    self.inserts = inserts
    self.from = from
    self.fromKinds = fromKinds
    self.landing = landing
    self.redirect = redirect
    self.capacity = capacity
    self.contentTypes = contentTypes
    self.conditions = conditions
    self.each = each
    self.onEmpty = onEmpty
    self.onItem = onItem
    self.pairs = pairs
    self.stamps = stamps
    self.then = then
    self.path = path
  }
}

/// The limit on the number of items in a collection.
public struct Capacity: Hashable, Sendable {
  /// The maximum number of items; `Int.max` if an attribute limits it.
  public var itemsMax: Int
  /// The attribute of the collection that is the maximum number; `nil` for ``itemsMax``. Where it is no number
  /// above 0, there is no limit.
  public var attribute: String?
  /// Whether the first items of a block that is too long are accepted, rather than none.
  public var acceptsPart: Bool
  /// The path of the rule in the document.
  public var path: String

  /// Creates a limit.
  public init(itemsMax: Int, acceptsPart: Bool = false, path: String = "") {
    self.itemsMax = itemsMax
    self.acceptsPart = acceptsPart
    self.path = path
  }

  /// Creates the limit that an attribute of each collection gives.
  public init(attribute: String, acceptsPart: Bool = false, path: String = "") {
    self.init(itemsMax: .max, acceptsPart: acceptsPart, path: path)
    self.attribute = attribute
  }
}
