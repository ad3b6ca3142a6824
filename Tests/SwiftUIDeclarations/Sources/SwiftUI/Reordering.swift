// The pages are those of developer.apple.com/documentation, named in full below "SwiftUI".

/// Page `reorderdifference`.
public struct ReorderDifference<ItemID, CollectionID> {
  /// Page `reorderdifference/sources`.
  public var sources: [ItemID]
  /// Page `reorderdifference/destination-swift.property`.
  public var destination: Destination

  /// Page `reorderdifference/destination-swift.struct`.
  public struct Destination {
    /// Page `reorderdifference/destination-swift.struct/position-swift.property`.
    public var position: Position
    /// Page `reorderdifference/destination-swift.struct/collectionid`.
    public var collectionID: CollectionID

    /// Page `reorderdifference/destination-swift.struct/init(position:collectionid:)`.
    public init(position: Position, collectionID: CollectionID) {
      self.position = position
      self.collectionID = collectionID
    }

    /// Page `reorderdifference/destination-swift.struct/position-swift.enum`.
    @frozen
    public enum Position {
      case before(ItemID)
      case end
    }
  }
}

/// Page `reorderablesinglecollectionidentifier`.
public struct ReorderableSingleCollectionIdentifier: Hashable, Sendable {}

extension DynamicViewContent {
  /// Page `dynamicviewcontent/reorderable(collectionid:)`.
  public nonisolated func reorderable(
    collectionID: some Hashable & Sendable
  ) -> some DynamicViewContent<Self.Data> { self }

  /// Page `dynamicviewcontent/onmove(perform:)`.
  public nonisolated func onMove(
    perform action: Optional<(IndexSet, Int) -> Void>
  ) -> some DynamicViewContent<
    Self.Data
  > { self }
}

extension View {
  /// Page `view/reordercontainer(for:in:isenabled:move:)`.
  public nonisolated func reorderContainer<Item, CollectionID>(
    for item: Item.Type, in collectionID: CollectionID.Type, isEnabled: Bool = true,
    move: @escaping (ReorderDifference<Item.ID, CollectionID>) -> Void
  ) -> some View
  where Item: Identifiable, CollectionID: Hashable, CollectionID: Sendable, Item.ID: Sendable { self }

  /// Page `view/movedisabled(_:)`.
  public nonisolated func moveDisabled(_ isDisabled: Bool) -> some View { self }
}

extension DropSession {
  /// Page `dropsession/reorderdestination(for:in:)`.
  public nonisolated func reorderDestination<Item, CollectionID>(
    for item: Item.Type, in collectionID: CollectionID.Type = ReorderableSingleCollectionIdentifier.self
  ) -> ReorderDifference<Item.ID, CollectionID>.Destination? where Item: Identifiable { nil }
}
