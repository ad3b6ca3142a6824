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
  /// The collection.
  public var collection: CollectionHandle
  /// The position of the gap in the collection, as the author sees it. Before ``ItemID/none`` is the end.
  public var position: Position {
    @inlinable get { Position(anchor: anchor) }
    @inlinable set { anchor = newValue.anchor }
  }

  // One word for each neighbor: destinations are copied often.
  @usableFromInline var anchor: ItemID

  /// The first item from the anchor on that is not a source and that none of the author's pending operations moved;
  /// ``ItemID/none`` for the end. It replaces an anchor that is not where the author expected it.
  public var then: ItemID

  /// The item that the author saw in front of the gap, sources aside. With it a drop keeps its place next to what its
  /// author placed, and between two items that are neighbors again (N1, N2).
  public var after: Predecessor {
    get { Predecessor(storedAfter) }
    set { storedAfter = newValue.stored }
  }

  private var storedAfter: ItemID

  /// Whether ``after`` is given.
  package var hasPredecessor: Bool { storedAfter != .none }

  /// Creates a destination.
  public init(
    collection: CollectionHandle, position: Position, then: ItemID = .none, after: Predecessor = .unspecified
  ) {
    self.collection = collection
    anchor = position.anchor
    self.then = then
    storedAfter = after.stored
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
