/// A kind of table: its rules and its set-up, as values. Daemon and clients evaluate the same one.
///
/// `BaizeTableTypes` makes it from a JSON document and the options that a table's creator chose. Everything that can be
/// decided then is decided then: families are expanded, options are constants, every rule knows its path.
public final class TableType: Sendable {
  /// Such as `klondike`.
  public let name: String
  /// The JSON document that the type was made from.
  public let document: String
  /// What the creator chose for each of the document's options, defaults included, ascending by name.
  public let options: [Attribute]
  /// How many may play.
  public let seatsMax: Int
  public let contention: Contention
  public let turns: TurnPolicy
  /// Whether an item that someone drags cannot be taken by others for as long as the claim lasts.
  public let claims: Bool
  /// Whether authors may undo their own operations.
  public let allowsUndo: Bool
  /// Whether a table is joined by invitation only, wherever the daemon listens.
  public let requiresInvite: Bool
  /// Whether what is seen of a table depends on who looks.
  public let hasSecrets: Bool
  /// Whether it matters who acts where, or when.
  let hasRights: Bool
  /// Whether anything but the move itself can come of a move.
  let hasConsequences: Bool
  /// Whether a status may follow from an operation by itself.
  let hasEndings: Bool
  let hasCustomRules: Bool
  /// By collection.
  let traits: [CollectionTraits]
  /// One more than the highest seat that owns a collection.
  let ownersCount: Int
  /// Whether items that are gone meanwhile are left out of an operation instead of refusing it.
  public let allowsPartialMoves: Bool
  /// Whether one operation may take items out of several collections.
  public let allowsMixedSources: Bool
  /// In handle order: the first has handle 1.
  public let collections: [CollectionRules]
  public let kinds: [CollectionKind]
  /// The values that rules read besides items, as they are at first; ascending by name.
  public let variables: [Attribute]
  public let actions: [Action]
  /// Asked in order after every accepted operation; the first that holds gives the table's status.
  public let endings: [Ending]
  public let setUp: SetUp
  /// What data cannot say.
  public let custom: (any CustomRules)?

  public init(
    name: String, document: String = "", options: [Attribute] = [], seatsMax: Int = 1,
    contention: Contention = .first, turns: TurnPolicy = .free, claims: Bool = false, allowsUndo: Bool = true,
    requiresInvite: Bool = false, allowsPartialMoves: Bool = false, allowsMixedSources: Bool = true,
    collections: [CollectionRules], kinds: [CollectionKind], variables: [Attribute] = [], actions: [Action] = [],
    endings: [Ending] = [], setUp: SetUp = SetUp(), custom: (any CustomRules)? = nil
  ) {
    for collection in collections {
      precondition(kinds.indices.contains(collection.kind), "\(collection.id) is of unknown kind \(collection.kind)")
    }
    self.name = name
    self.document = document
    self.options = options
    self.seatsMax = seatsMax
    self.contention = contention
    self.turns = turns
    self.claims = claims
    self.allowsUndo = allowsUndo
    self.requiresInvite = requiresInvite
    hasSecrets = kinds.contains(where: \.isSecret)
    hasRights = turns != .free || kinds.contains { $0.lift.by == .owner || $0.accept.by == .owner }
    hasConsequences = kinds.contains { $0.accept.passesTurn || !$0.accept.then.isEmpty || !$0.lift.then.isEmpty }
    hasEndings = !endings.isEmpty
    hasCustomRules = custom != nil
    traits = collections.map { CollectionTraits(kinds[$0.kind], owner: $0.owner) }
    ownersCount = 1 + Int(collections.map(\.owner).max()?.rawValue ?? 0)
    self.allowsPartialMoves = allowsPartialMoves
    self.allowsMixedSources = allowsMixedSources
    self.collections = collections
    self.kinds = kinds
    self.variables = variables
    self.actions = actions
    self.endings = endings
    self.setUp = setUp
    self.custom = custom
  }

  /// The handle of the collection called `id`.
  ///
  /// - Complexity: O(number of collections).
  public func handle(of id: String) -> CollectionHandle? {
    collections.firstIndex { $0.id == id }.map(CollectionHandle.init(index:))
  }
}

/// Who wins when two operations take the same item.
public enum Contention: Hashable, Sendable {
  /// The later mover is refused. For games.
  case first
  /// The item moves from wherever it is. For lists.
  case last
}

/// One collection of a table: an instance of a kind.
public struct CollectionRules: Sendable {
  /// Stable, such as `pile/3`; never named by mutable content.
  public let id: String
  /// The index of its kind in the table type.
  public let kind: Int
  /// What rules may read of the collection itself, such as `suit=clubs` or `index=3`; ascending by name.
  public let attributes: [Attribute]
  /// The seat that the collection belongs to; a spectator's where it belongs to none.
  public let owner: SeatNumber

  public init(id: String, kind: Int, attributes: [Attribute] = [], owner: SeatNumber = .spectator) {
    self.id = id
    self.kind = kind
    self.owner = owner
    self.attributes = attributes
  }
}

/// Rules that data cannot say, asked after the document's own. They see only the values given to them.
public protocol CustomRules: Sendable {
  /// The last word on a drop that the document's rules allow as `configuration`.
  func dropConfiguration(
    for configuration: DropConfiguration, of sources: ItemList, to destination: Destination, at table: TableState,
    by seat: SeatNumber
  ) -> DropConfiguration
}
