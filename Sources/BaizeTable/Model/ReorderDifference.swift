/// A move of items, in this order, to a destination: the value that SwiftUI's `reorderContainer` passes to its closure.
///
/// The shape is that of SwiftUI's `ReorderDifference` (27.0): sources in selection order, and a destination that names
/// a collection and either an item to insert before or the end. The source collections and all indices are looked up.
public struct ReorderDifference: Hashable, Sendable {
  /// The items in selection order; they become one block in this order.
  public var sources: ItemList
  /// The gap that the block moves to.
  public var destination: Destination

  /// Creates a move of `sources` to `destination`.
  public init(sources: ItemList, destination: Destination) {
    self.sources = sources
    self.destination = destination
  }

  /// Creates a move of `sources` to `destination`.
  public init(sources: some Sequence<ItemID>, destination: Destination) {
    self.init(sources: ItemList(sources), destination: destination)
  }
}

/// A gap in a collection.
public struct Destination: Hashable, Sendable, BitwiseCopyable {
  /// The collection. It names none if the destination names the item that opens it.
  @inlinable public var collection: CollectionHandle {
    get { CollectionHandle(rawValue: UInt32(truncatingIfNeeded: place)) }
    set { place = UInt64(newValue.rawValue) }
  }

  /// The item that opens the collection, perhaps one that an earlier operation of the same author makes;
  /// ``ItemID/none`` if the destination names the collection itself.
  public var container: ItemID {
    get {
      guard hasContainer else { return .none }
      return ItemID(rawValue: place & Self.lowBits | (((place & ~Self.containerBit) &>> 32) &<< 31))
    }
    set {
      let id = min(newValue.rawValue, 1 << 62 - 1)
      place = id == 0 ? 0 : Self.containerBit | ((id &>> 31) &<< 32) | (1 &<< 31) | id & Self.lowBits
    }
  }

  /// Whether the destination names the item that opens the collection.
  @inlinable package var hasContainer: Bool { place & Self.containerBit != 0 }

  /// The bits of a container's id that replace a handle: no table gives such a handle.
  private static let lowBits: UInt64 = 1 << 31 - 1
  @usableFromInline static let containerBit: UInt64 = 1 << 63

  /// In one word, since destinations are copied often:
  ///
  /// ```
  /// a handle      0 … 0                            │ the handle: 32 bits
  /// a container   1, the higher bits of the id: 31 │ 1, the lower bits of the id: 31
  /// ```
  @usableFromInline var place: UInt64

  /// The position of the gap in the collection, as the author sees it. Before ``ItemID/none`` is the end.
  public var position: Position {
    @inlinable get { Position(anchor: anchor) }
    @inlinable set { anchor = newValue.anchor }
  }

  // One word for each neighbor: destinations are copied often.
  @usableFromInline var anchor: ItemID

  /// The item that the author saw in front of the gap, sources aside.
  public var after: Predecessor {
    get { Predecessor(predecessor) }
    set { predecessor = newValue.stored }
  }

  /// The operation of the author's, among its pending ones, that put the item behind the gap where the author sees it; zero if
  /// it stands there since the base, `nil` if that is left to the judge: then it is the last one that put the item there.
  public var beforeBy: SequenceNumber? {
    get { anchorOperation == .max ? nil : SequenceNumber(rawValue: anchorOperation) }
    set { anchorOperation = newValue?.rawValue ?? .max }
  }

  /// The same for the item in front of the gap.
  public var afterBy: SequenceNumber? {
    get { predecessorOperation == .max ? nil : SequenceNumber(rawValue: predecessorOperation) }
    set { predecessorOperation = newValue?.rawValue ?? .max }
  }

  private var predecessor: ItemID
  private var anchorOperation = UInt64.max
  private var predecessorOperation = UInt64.max

  /// Whether ``beforeBy`` or ``afterBy`` is given.
  package var namesOperations: Bool { anchorOperation & predecessorOperation != .max }

  /// Creates a destination.
  public init(collection: CollectionHandle, position: Position, after: Predecessor = .unspecified) {
    place = UInt64(collection.rawValue)
    anchor = position.anchor
    predecessor = after.stored
  }

  /// Creates a destination in the collection that an item opens.
  public init(
    openedBy container: ItemID, position: Position, after: Predecessor = .unspecified
  ) {
    self.init(collection: .none, position: position, after: after)
    self.container = container
  }

  /// Returns the end of `collection`.
  public static func end(of collection: CollectionHandle) -> Destination {
    Destination(collection: collection, position: .end)
  }

  /// Returns the gap before `item` in `collection`.
  public static func before(_ item: ItemID, in collection: CollectionHandle) -> Destination {
    Destination(collection: collection, position: .before(item))
  }
}

/// Where a change puts a block.
public struct Placement: Hashable, Sendable, BitwiseCopyable {
  /// The collection.
  public var collection: CollectionHandle
  // One word each: placements are copied often.
  private var anchor: ItemID
  private var vacantItem = ItemID.none
  private var vacantSince = Revision.zero

  /// The item before which the block stands, or the end.
  public var position: Position {
    get { Position(anchor: anchor) }
    set { anchor = newValue.anchor }
  }

  /// The nearest vacant position between the block and the item behind it; `nil` if there is none.
  public var gone: Vacancy? {
    get { vacantItem == .none ? nil : Vacancy(item: vacantItem, revision: vacantSince) }
    set { (vacantItem, vacantSince) = (newValue?.item ?? .none, newValue?.revision ?? .zero) }
  }

  /// Creates a placement without a vacant position.
  public init(collection: CollectionHandle, position: Position) {
    self.collection = collection
    anchor = position.anchor
  }

  /// Returns the end of `collection`.
  public static func end(of collection: CollectionHandle) -> Placement {
    Placement(collection: collection, position: .end)
  }

  /// Returns the place before `item` in `collection`.
  public static func before(_ item: ItemID, in collection: CollectionHandle) -> Placement {
    Placement(collection: collection, position: .before(item))
  }

  /// The destination that names the same place.
  public var destination: Destination { Destination(collection: collection, position: position) }
}

/// A vacant position: the item that left it, and the revision that took the item out.
public struct Vacancy: Hashable, Sendable, BitwiseCopyable {
  /// The item that stood there.
  public var item: ItemID
  /// The revision since which the position is vacant.
  public var revision: Revision

  /// Creates the name of a vacant position.
  public init(item: ItemID, revision: Revision) {
    self.item = item
    self.revision = revision
  }
}

/// The item in front of a gap.
public enum Predecessor: Hashable, Sendable, BitwiseCopyable {
  /// It was not given: the position alone determines the gap.
  case unspecified
  /// None: the gap is at the start.
  case start
  /// This item.
  case item(ItemID)
}

extension Predecessor {
  private static let storedStart = ItemID(rawValue: .max)

  fileprivate var stored: ItemID {
    switch self {
    case .unspecified: .none
    case .start: Self.storedStart
    case .item(let item): item == Self.storedStart ? .none : item
    }
  }

  fileprivate init(_ stored: ItemID) {
    switch stored {
    case .none: self = .unspecified
    case Self.storedStart: self = .start
    default: self = .item(stored)
    }
  }
}

/// A position in a collection: SwiftUI's two cases.
public enum Position: Hashable, Sendable, BitwiseCopyable {
  /// Before this item, at the index that it has before anything is taken out.
  case before(ItemID)
  /// Behind the last item.
  case end

  /// The item that the gap is before; ``ItemID/none`` for the end.
  @inlinable public var anchor: ItemID {
    switch self {
    case .before(let item): item
    case .end: .none
    }
  }

  /// Creates the position before `anchor`, or the end for ``ItemID/none``.
  @inlinable public init(anchor: ItemID) { self = anchor == .none ? .end : .before(anchor) }
}
