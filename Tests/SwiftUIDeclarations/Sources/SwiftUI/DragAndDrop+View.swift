// The pages are those of developer.apple.com/documentation, named in full below "SwiftUI".

/// Page `namespace`.
public struct Namespace: Sendable {
  /// Page `namespace/id`.
  public struct ID: Hashable, Sendable {}
}

extension View {
  /// Page `view/dragcontainer(for:in:_:)`.
  public nonisolated func dragContainer<Item, Data>(
    for itemType: Item.Type = Item.self, in namespace: Namespace.ID? = nil,
    _ payload: @escaping ([Item.ID]) -> Data
  ) -> some View
  where Item: Transferable, Item: Identifiable, Item == Data.Element, Data: Collection, Item.ID: Sendable { self }

  /// Page `view/draggable(containeritemid:containernamespace:)`.
  public nonisolated func draggable<ItemID>(
    containerItemID: ItemID, containerNamespace: Namespace.ID? = nil
  ) -> some View where ItemID: Hashable, ItemID: Sendable { self }

  /// Page `view/dragconfiguration(_:)`.
  public nonisolated func dragConfiguration(_ configuration: DragConfiguration) -> some View { self }

  /// Page `view/dropconfiguration(_:)`.
  public nonisolated func dropConfiguration(
    _ configuration: @escaping (DropSession) -> DropConfiguration
  ) -> some View { self }

  /// Page `view/dropdestination(for:isenabled:action:)`.
  public nonisolated func dropDestination<T>(
    for type: T.Type = T.self, isEnabled: Bool = true, action: @escaping ([T], DropSession) -> Void
  ) -> some View where T: Transferable { self }

  /// Page `view/ondragsessionupdated(_:)`.
  public nonisolated func onDragSessionUpdated(_ onUpdate: @escaping (DragSession) -> Void) -> some View { self }

  /// Page `view/ondropsessionupdated(_:)`.
  public nonisolated func onDropSessionUpdated(_ onUpdate: @escaping (DropSession) -> Void) -> some View { self }

  #if BAIZE_SWIFTUI_DECLARATIONS_MACOS
    /// Page `view/dragpreviewsformation(_:)`.
    public nonisolated func dragPreviewsFormation(_ formation: DragDropPreviewsFormation) -> some View { self }

    /// Page `view/droppreviewsformation(_:)`.
    public nonisolated func dropPreviewsFormation(_ formation: DragDropPreviewsFormation) -> some View { self }
  #endif
}
