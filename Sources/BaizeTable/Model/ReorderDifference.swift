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
  /// The position of the gap in the collection, as the author sees it.
  public var position: Position

  /// The first item from the anchor on that is not a source and that none of the author's pending operations moved;
  /// ``ItemID/none`` for the end. It replaces an anchor that is not where the author expected it.
  public var then: ItemID

  /// Creates a destination.
  public init(collection: CollectionHandle, position: Position, then: ItemID = .none) {
    self.collection = collection
    self.position = position
    self.then = then
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

/// A position in a collection: SwiftUI's two cases.
public enum Position: Hashable, Sendable, BitwiseCopyable {
  /// Before this item, at the index that it has before anything is taken out.
  case before(ItemID)
  /// Behind the last item.
  case end

  /// The item that the gap is before; ``ItemID/none`` for the end.
  public var anchor: ItemID {
    switch self {
    case .before(let item): item
    case .end: .none
    }
  }

  /// Creates the position before `anchor`, or the end for ``ItemID/none``.
  public init(anchor: ItemID) { self = anchor == .none ? .end : .before(anchor) }
}
