/// "These items, in this order, to there": the value that SwiftUI's `reorderContainer` hands to its closure.
///
/// The shape is SwiftUI's own (`ReorderDifference`, 27.0): sources in selection order, and a destination that names a
/// collection and either an item to stand before or the end. No source collection and no index: both are looked up.
public struct ReorderDifference: Hashable, Sendable {
  /// The items, in the order in which the person selected them; they land as one block in this order.
  public var sources: ItemList
  public var destination: Destination

  public init(sources: ItemList, destination: Destination) {
    self.sources = sources
    self.destination = destination
  }

  public init(sources: some Sequence<ItemID>, destination: Destination) {
    self.init(sources: ItemList(sources), destination: destination)
  }
}

/// A gap in a collection.
public struct Destination: Hashable, Sendable, BitwiseCopyable {
  public var collection: CollectionHandle
  public var position: Position

  /// The first item from the anchor on that is no source and that none of the author's unanswered operations moved;
  /// ``ItemID/none`` for the end. It stands in for an anchor that turns out not to be where the author thought.
  public var then: ItemID

  public init(collection: CollectionHandle, position: Position, then: ItemID = .none) {
    self.collection = collection
    self.position = position
    self.then = then
  }

  /// The end of `collection`.
  public static func end(of collection: CollectionHandle) -> Destination {
    Destination(collection: collection, position: .end)
  }

  /// Before `item` in `collection`.
  public static func before(_ item: ItemID, in collection: CollectionHandle) -> Destination {
    Destination(collection: collection, position: .before(item))
  }
}

/// Where in a collection: exactly SwiftUI's two cases.
public enum Position: Hashable, Sendable, BitwiseCopyable {
  /// At the index that the item has before anything is taken out.
  case before(ItemID)
  case end

  /// The item to stand before; ``ItemID/none`` for the end.
  public var anchor: ItemID {
    switch self {
    case .before(let item): item
    case .end: .none
    }
  }

  /// Before `anchor`, or the end where it is ``ItemID/none``.
  public init(anchor: ItemID) { self = anchor == .none ? .end : .before(anchor) }
}
