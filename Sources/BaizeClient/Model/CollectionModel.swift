public import BaizeTable
public import Observation

/// A collection of a ``TableModel``, observable by itself: a change to one pile does not redraw the others.
@MainActor @Observable
public final class CollectionModel: Identifiable {
  /// The collection's name, such as `pile/3`.
  public nonisolated let id: String
  /// The collection's handle, for a `Destination`.
  public nonisolated let handle: CollectionHandle
  /// The item that opens the collection; `nil` if it is one of the table type's own.
  public nonisolated let item: ItemID?
  /// The operations that the rules offer for items that are dragged from here.
  public nonisolated let offers: DropOperation.Set
  /// Whether the rules accept new items here.
  public nonisolated let acceptsInsertions: Bool
  /// The items in order, with the faces this client may see.
  public internal(set) var items: [Item] = []
  /// Whether items may be lifted from and dropped on this collection.
  public internal(set) var isEnabled = true

  init(id: String, handle: CollectionHandle, openedBy item: ItemID? = nil, _ kind: CollectionKind) {
    self.id = id
    self.item = item
    self.handle = handle
    offers = kind.lift.shape == .none ? [] : kind.lift.offers
    acceptsInsertions = kind.accept.inserts
  }
}

extension Item: Identifiable {}
