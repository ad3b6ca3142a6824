/// A kind of table: its rules and its set-up, as values. The daemon and clients evaluate the same type.
///
/// `BaizeTableTypes` makes it from a JSON document and the options that the table's creator chose. It resolves
/// everything that it can in advance: families are expanded, options are constants, every rule knows its path.
public final class TableType: Sendable {
  /// The name, such as `klondike`.
  public let name: String
  /// The JSON document that the type was made from.
  public let document: String
  /// The approximate memory of the type, in bytes: what is made of a document grows with it, and with the collections of its
  /// families.
  package var memoryBytes: Int {
    TableLimits.memoryPerDocumentByte * document.utf8.count + TableLimits.memoryPerCollection * collections.count
  }
  /// The value of each of the document's options, defaults included, ascending by name.
  public let options: [Attribute]
  /// The maximum number of players.
  public let seatsMax: Int
  /// The time in seconds for which the seat of a session that is away is kept, at least the grace time; `nil` for as long as the
  /// daemon keeps seats at all.
  public let seatKeptSeconds: UInt64?
  /// Whether rules or views depend on the seat that someone has. Otherwise one seat is as good as another.
  public let dependsOnSeats: Bool
  /// The winner when two operations take the same item.
  public let contention: Contention
  /// The policy for which seats may act when.
  public let turns: TurnPolicy
  /// Whether an item that a session drags cannot be taken by others while the claim lasts.
  public let claims: Bool
  /// Whether authors may undo their own operations.
  public let allowsUndo: Bool
  /// The attribute that is the key of an item: no two items of a table have the same value of it. `nil` if items have no keys.
  public let key: String?
  /// Whether joining a table needs an invite, wherever the daemon listens.
  public let requiresInvite: Bool
  /// Whether the visible contents of a table depend on the viewer.
  public let hasSecrets: Bool
  /// Whether there are collections whose items only their owner receives.
  package let hasPrivateCollections: Bool
  /// The size in bytes that each face counts, and the maximum size of one, if some faces may be hidden from some viewer: so no
  /// bound reveals the size of a face. `nil` if all viewers see all faces, and each counts as large as it is.
  public let faceBytes: Int?
  /// Whether faces are made besides those of the set-up.
  let makesFaces: Bool
  /// Whether the rules depend on the seat that acts, or on the turn.
  let hasRights: Bool
  /// Whether a move can have effects besides the move itself.
  let hasConsequences: Bool
  /// Whether an operation can change the status through an ending.
  let hasEndings: Bool
  /// Whether there are no rules but those of collections, so that moves between collections without rules are plain.
  let hasPlainMoves: Bool
  /// Whether a drop can be a copy.
  let allowsCopies: Bool
  /// Whether a drop can make aliases.
  package let offersAliases: Bool
  /// The most that the rules can cost an operation.
  package let ruleCost: RuleCost
  /// The traits of ``collections``, with which a table begins.
  let traits: [CollectionTraits]
  /// The traits of a collection of each kind that an item opens.
  let kindTraits: [CollectionTraits]
  /// Whether there are items that open collections.
  public let opensCollections: Bool
  /// For each kind, the longest chain of kinds that open one another and end with it: a kind is deeper than those that open it.
  let depths: [Int]
  /// One more than the highest seat that owns a collection.
  let ownersCount: Int
  /// Whether items that others removed are left out of an operation instead of refusing it.
  public let allowsPartialMoves: Bool
  /// Whether one operation may take items out of several collections.
  public let allowsMixedSources: Bool
  /// Whether participants may send messages to the table.
  public let allowsChat: Bool
  /// The collections in handle order: the first has handle 1.
  public let collections: [CollectionRules]
  /// The kinds that ``CollectionRules/kind`` refers to.
  public let kinds: [CollectionKind]
  /// The initial values of the table's variables, ascending by name.
  public let variables: [Attribute]
  /// The actions that operations may perform.
  public let actions: [Action]
  /// The endings, evaluated in order after every accepted operation. The first that holds gives the table's status.
  public let endings: [Ending]
  /// The limits of the time of a turn and of the table.
  public let timeLimits: TimeLimits
  /// The items on a new table.
  public let setUp: SetUp
  /// The appearance of items.
  public let appearance: Appearance

  /// Creates a table type.
  ///
  /// `dependsOnSeats` is whether rules or views depend on the seat that someone has; `seatKeptSeconds` is the time for which a
  /// seat is kept, `nil` for as long as the daemon keeps seats. `faceBytes` is the size in bytes that each face counts if some may
  /// be hidden, `nil` for ``TableLimits/faceBytes``, or for the largest of the set-up if that is more.
  ///
  /// - Precondition: The kind of each collection, and each opened one, is an index of `kinds`, and no kind opens itself, not
  ///   even through others. Everyone sees the items that open collections, and those that have aliases or are some, which open
  ///   none. A type with a `key` hides no faces: that a key is
  ///   taken would reveal one.
  public init(
    name: String, document: String = "", options: [Attribute] = [], seatsMax: Int = 1,
    seatKeptSeconds: UInt64? = nil, dependsOnSeats: Bool = true,
    contention: Contention = .first, turns: TurnPolicy = .free, claims: Bool = false, allowsUndo: Bool = true,
    key: String? = nil, requiresInvite: Bool = false, allowsPartialMoves: Bool = false, allowsMixedSources: Bool = true,
    allowsChat: Bool = true, collections: [CollectionRules], kinds: [CollectionKind], variables: [Attribute] = [],
    actions: [Action] = [],
    endings: [Ending] = [], timeLimits: TimeLimits = TimeLimits(), setUp: SetUp = SetUp(),
    appearance: Appearance = Appearance(),
    faceBytes: Int? = nil
  ) {
    for collection in collections {
      precondition(kinds.indices.contains(collection.kind), "\(collection.id) is of unknown kind \(collection.kind)")
    }
    self.name = name
    self.document = document
    self.options = options
    self.seatsMax = seatsMax
    self.seatKeptSeconds = seatKeptSeconds
    self.dependsOnSeats = dependsOnSeats
    self.contention = contention
    self.turns = turns
    self.claims = claims
    self.allowsUndo = allowsUndo
    self.key = key
    self.requiresInvite = requiresInvite
    hasSecrets = kinds.contains(where: \.isSecret)
    hasPrivateCollections = kinds.contains(where: \.isPrivate)
    hasRights = turns != .free || kinds.contains { $0.lift.by == .owner || $0.accept.by == .owner }
    hasConsequences = kinds.contains {
      $0.accept.passesTurn || !$0.accept.stamps.isEmpty || !$0.accept.then.isEmpty || !$0.lift.then.isEmpty
    }
    hasEndings = !endings.isEmpty
    hasPlainMoves = !hasSecrets && !hasRights && !hasConsequences && !hasEndings && !claims
    allowsCopies = kinds.contains { $0.accept.operations.contains(.copy) }
    offersAliases = kinds.contains { $0.accept.operations.contains(.alias) }
    for kind in kinds where kind.offersAliases {
      precondition(kind.isOpen && kind.opens == nil, "\(kind.name) cannot have aliases")
    }
    ruleCost = RuleCost(
      kinds: kinds, actions: actions, endings: endings, timeLimits: timeLimits, seatsMax: seatsMax,
      itemsMax: Self.itemsMax(collections, kinds, actions, timeLimits, setUp))
    traits = collections.map { CollectionTraits(kinds[$0.kind], at: $0.kind, owner: $0.owner) }
    kindTraits = kinds.indices.map { CollectionTraits(kinds[$0], at: $0, owner: .spectator) }
    opensCollections = kinds.contains { $0.opens != nil }
    guard let depths = Self.depths(kinds) else { preconditionFailure("kinds of \(name) open one another in a circle") }
    self.depths = depths
    for kind in kinds where kind.opens != nil {
      precondition(kind.isOpen && !kind.accept.operations.contains(.copy), "\(kind.name) cannot open collections")
    }
    let hidesFaces = kinds.contains(where: \.hidesFaces)
    precondition(key == nil || !hidesFaces, "\(name) has keys and hides faces")
    self.faceBytes = hidesFaces ? max(faceBytes ?? TableLimits.faceBytes, setUp.faceBytesMax) : nil
    makesFaces = kinds.contains { $0.accept.inserts || !$0.accept.stamps.isEmpty || $0.allowsUpdate }
    ownersCount = 1 + Int(collections.map(\.owner).max()?.rawValue ?? 0)
    self.allowsPartialMoves = allowsPartialMoves
    self.allowsMixedSources = allowsMixedSources
    self.allowsChat = allowsChat
    self.collections = collections
    self.kinds = kinds
    self.variables = variables
    self.actions = actions
    self.endings = endings
    self.timeLimits = timeLimits
    self.setUp = setUp
    self.appearance = appearance
  }

  /// Returns the depth of each kind; `nil` if kinds open one another in a circle.
  private static func depths(_ kinds: [CollectionKind]) -> [Int]? {
    var depths = kinds.map { _ in 0 }
    for _ in kinds.indices {
      var isDone = true
      for (index, kind) in kinds.enumerated() {
        guard let opened = kind.opens?.kind, depths[opened] <= depths[index] else { continue }
        depths[opened] = depths[index] + 1
        isDone = false
      }
      if isDone { return depths }
    }
    return kinds.isEmpty ? [] : nil
  }

  /// Returns an upper bound, as far as counts look at items, on the number of items in each collection.
  private static func itemsMax(
    _ collections: [CollectionRules], _ kinds: [CollectionKind], _ actions: [Action], _ timeLimits: TimeLimits,
    _ setUp: SetUp
  ) -> [Int] {
    let makesItems = kinds.contains { $0.accept.inserts || $0.accept.operations.contains { $0.keepsSources } }
    let total = min(TableLimits.countedItemsMax, makesItems ? .max : setUp.itemCount)
    let hasSteps =
      !actions.isEmpty || !timeLimits.all.isEmpty
      || kinds.contains { !$0.accept.then.isEmpty || !$0.lift.then.isEmpty }
    var dealt = Array(repeating: 0, count: collections.count)
    for deck in setUp.decks {
      for deal in deck.deals where dealt.indices.contains(deal.collection.index) {
        dealt[deal.collection.index] += deal.count ?? deck.itemCount
      }
    }
    return collections.indices.map { index in
      let accept = kinds[collections[index].kind].accept
      let isClosed = !hasSteps && accept.operations.isEmpty && !accept.inserts
      return min(total, isClosed ? dealt[index] : total)
    }
  }

  /// Returns the size in bytes that a face counts on tables of the type.
  @inline(__always) func countedBytes(of face: Face) -> Int {
    Mutation.content.isActive ? face.contentBytes : faceBytes ?? face.contentBytes
  }

  /// The approximate size of a new table's contents, in bytes.
  package var setUpBytes: Int {
    setUp.itemCount * (TableLimits.itemContentBytes + (Mutation.content.isActive ? 0 : faceBytes ?? 0))
  }

  /// Returns the size in bytes that items count in one operation: where each face counts the same, as a part of that, since the
  /// daemon's frames have room for as much more.
  @inline(__always) func operationBytes(items: Int, faceBytes bytes: @autoclosure () -> Int) -> Int {
    guard let faceBytes else { return items * TableLimits.itemContentBytes + bytes() }
    return items * (TableLimits.itemContentBytes + faceBytes) / TableLimits.operationBytesDivisor
  }

  /// Returns the handle of the collection with this id, or `nil`.
  ///
  /// - Complexity: O(number of collections).
  public func handle(of id: String) -> CollectionHandle? {
    collections.firstIndex { $0.id.hasBytes(of: id) }.map(CollectionHandle.init(index:))
  }
}

/// The rule for two operations that take the same item.
public enum Contention: Hashable, Sendable {
  /// The later one is refused. For games.
  case first
  /// The item moves from wherever it is. For lists.
  case last
}

/// A collection of a table: an instance of a kind.
public struct CollectionRules: Sendable {
  /// The stable name, such as `pile/3`; never derived from mutable content.
  public let id: String
  /// The index of the kind in ``TableType/kinds``.
  public let kind: Int
  /// The attributes of the collection itself that rules may read, such as `suit=clubs` or `index=3`; ascending by name.
  public let attributes: [Attribute]
  /// The seat that owns the collection; ``SeatNumber/spectator`` if none does.
  public let owner: SeatNumber

  /// Creates a collection.
  public init(id: String, kind: Int, attributes: [Attribute] = [], owner: SeatNumber = .spectator) {
    self.id = id
    self.kind = kind
    self.owner = owner
    self.attributes = attributes
  }
}
