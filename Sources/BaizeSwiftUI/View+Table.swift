#if BAIZE_SWIFTUI_DECLARATIONS || (canImport(SwiftUI) && compiler(>=6.4) && (os(macOS) || os(iOS) || os(visionOS)))
  public import BaizeClient
  import BaizeTable
  public import BaizeWire
  public import SwiftUI

  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  extension View {
    /// Makes this view the container in which a table's items are reordered, by the table's rules.
    ///
    /// The rules decide what comes along in a drag, which operations it offers, and where it may land; the other
    /// participants see the drag. Each collection is a `ForEach` with `reorderable(collectionID:)`:
    ///
    /// ```swift
    /// HStack {
    ///   ForEach(model.collections) { column in
    ///     ForEach(column.items) { item in
    ///       CardView(item).draggable(containerItemID: item.id).moveDisabled(!model.canMove(item.id))
    ///     }
    ///     .reorderable(collectionID: column.handle)
    ///   }
    /// }
    /// .reorderContainer(of: model, formation: .pile)
    /// ```
    ///
    /// - Parameters:
    ///   - model: The table.
    ///   - formation: The arrangement of the previews of dragged items, for this participant (on macOS) and the others.
    public func reorderContainer(of model: TableModel, formation: Drag.Formation = .default) -> some View {
      reorderContainer(
        for: BaizeTable.Item.self, in: CollectionHandle.self, isEnabled: model.isEnabled,
        move: { difference in model.drop(difference) }
      )
      .dragContainer(for: BaizeTable.Item.self) { ids in model.lift(ids) }
      .dragConfiguration(SwiftUI.DragConfiguration(model.offers))
      .dropConfiguration { session in model.dropConfiguration(for: session) }
      .dropDestination(for: BaizeTable.Item.self, isEnabled: model.isEnabled) { items, session in
        model.drop(items, session)
      }
      .onDragSessionUpdated { session in model.follow(session, formation: formation) }
      .onDropSessionUpdated { session in model.follow(session, formation: formation) }
      #if os(macOS) || BAIZE_SWIFTUI_DECLARATIONS_MACOS
        .dragPreviewsFormation(SwiftUI.DragDropPreviewsFormation(formation))
      #endif
    }
  }
#endif
