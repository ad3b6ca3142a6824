/// The properties of a collection that planning reads most often, precomputed. Its rules do not change.
///
/// Most collections have few rules. A bit that is not set saves planning from reading the rules themselves.
struct CollectionTraits: Sendable, BitwiseCopyable {
  struct Flags: OptionSet, Sendable, BitwiseCopyable {
    let rawValue: UInt16
    /// Some items may not be lifted, or not in any order.
    static let hasLiftRules = Flags(rawValue: 1 << 0)
    /// Items, or the position where they land, must meet a condition.
    static let hasDropRules = Flags(rawValue: 1 << 1)
    static let hasCapacity = Flags(rawValue: 1 << 2)
    /// Drops do not always land at the requested position.
    static let hasLandingRule = Flags(rawValue: 1 << 3)
    static let redirects = Flags(rawValue: 1 << 4)
    /// The last item is turned up when it becomes exposed.
    static let turnsExposed = Flags(rawValue: 1 << 5)
    /// Items may be face down here.
    static let hasFaceDownItems = Flags(rawValue: 1 << 6)
    /// The visible contents depend on the viewer.
    static let isSecret = Flags(rawValue: 1 << 7)
    /// Only the owner may see which items are here.
    static let isPrivate = Flags(rawValue: 1 << 8)
    /// Each item opens a collection.
    static let opens = Flags(rawValue: 1 << 9)
    /// The collection was removed with its item, or was never opened. Its handle stays its item's.
    static let isGone = Flags(rawValue: 1 << 10)
    /// A replica's own pending operation opens the collection: the daemon gives it another handle.
    static let isProvisional = Flags(rawValue: 1 << 11)

    /// Whether an item that is face up and not pinned may always leave, and nothing follows.
    @inline(__always) var isPlainSource: Bool { isDisjoint(with: [.hasLiftRules, .turnsExposed, .opens]) }
    /// Whether an item that is face up always lands at the requested position, and stays as it is.
    @inline(__always) var isPlainDestination: Bool {
      isDisjoint(with: [
        .hasDropRules, .hasCapacity, .hasLandingRule, .redirects, .hasFaceDownItems, .opens, .isGone, .isProvisional,
      ])
    }
  }

  var flags: Flags
  /// The index of the collection's kind in ``TableType/kinds``.
  let kind: UInt16
  /// The operations that the collection offers for its items.
  let offers: DropOperation.Set
  /// The operations that a drop may perform, most preferred first, in a byte each; 0 for none.
  private let accepts: UInt32
  let owner: SeatNumber

  /// - Parameter index: The index of `kind` in ``TableType/kinds``.
  init(_ kind: CollectionKind, at index: Int, owner: SeatNumber) {
    self.kind = UInt16(index)
    var flags: Flags = []
    if kind.lift.isRestricted { flags.insert(.hasLiftRules) }
    if kind.accept.isRestricted { flags.insert(.hasDropRules) }
    if kind.accept.capacity != nil { flags.insert(.hasCapacity) }
    if kind.accept.landing != .anywhere { flags.insert(.hasLandingRule) }
    if kind.accept.redirect != nil { flags.insert(.redirects) }
    if kind.turnsExposed, kind.faces.isFaceUp(true) { flags.insert(.turnsExposed) }
    if kind.faces == .down || kind.faces == .each { flags.insert(.hasFaceDownItems) }
    if kind.isSecret { flags.insert(.isSecret) }
    if kind.isPrivate { flags.insert(.isPrivate) }
    if kind.opens != nil { flags.insert(.opens) }
    self.flags = flags
    offers = kind.lift.offers
    accepts = kind.accept.operations.reversed().reduce(0) { $0 << 8 | $1.rawValue }
    self.owner = owner
  }

  /// Returns the traits of a handle whose collection was never open here.
  static func gone(like traits: CollectionTraits) -> CollectionTraits {
    var traits = traits
    traits.flags = [.isGone]
    return traits
  }

  /// Returns the most preferred of the offered operations; `nil` if the collection accepts none of them.
  func preferredOperation(among offered: DropOperation.Set) -> DropOperation? {
    var rest = accepts
    while rest != 0 {
      if offered.rawValue & rest & 0xFF != 0 { return DropOperation(rawValue: rest & 0xFF) }
      rest >>= 8
    }
    return nil
  }
}

extension LiftRule {
  /// Whether some items may not be lifted, or not in any order.
  fileprivate var isRestricted: Bool { shape != .any || !conditions.isEmpty || !each.isEmpty }
}

extension AcceptRule {
  /// Whether an item must meet a condition to be dropped.
  fileprivate var isRestricted: Bool {
    from != nil || !fromKinds.isEmpty
      || ![conditions, each, onEmpty, onItem, pairs].allSatisfy(\.isEmpty) || !contentTypes.isEmpty
  }
}

extension FaceRule {
  /// Returns whether an item is face up in a collection with this rule, given whether it would be otherwise.
  func isFaceUp(_ isUp: Bool) -> Bool {
    switch self {
    case .up, .owner: true
    case .down: false
    case .each: isUp
    }
  }
}
