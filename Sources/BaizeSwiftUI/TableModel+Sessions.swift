#if BAIZE_SWIFTUI_DECLARATIONS || (canImport(SwiftUI) && compiler(>=6.4) && (os(macOS) || os(iOS) || os(visionOS)))
  public import BaizeClient
  public import BaizeTable
  public import BaizeWire
  public import SwiftUI

  // SwiftUI's sessions of dragging and dropping, for a model.

  @available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
  extension TableModel {
    /// Returns the rules' verdict for a `dropConfiguration` closure: the effective operation and, on macOS, the
    /// destination that the rules chose and the number of accepted items.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - collection: The collection to whose end items go that hover over no gap, such as that of an empty pile.
    public func dropConfiguration(
      for session: DropSession, end collection: CollectionHandle? = nil
    ) -> SwiftUI.DropConfiguration {
      SwiftUI.DropConfiguration(
        dropConfiguration(
          forDragOf: Self.draggedItems(session), count: session.itemsCount,
          over: Self.destination(session, collection),
          suggested: BaizeTable.DropOperation.Set(session.suggestedOperations)))
    }

    /// Moves items, for the closure of `reorderContainer(for:in:isEnabled:move:)`.
    @discardableResult
    public func drop(_ difference: SwiftUI.ReorderDifference<ItemID, CollectionHandle>) -> Submission {
      drop(BaizeTable.ReorderDifference(difference))
    }

    /// Drops items, for the closure of `dropDestination(for:isEnabled:action:)`: moves those that this model has lifted,
    /// and inserts copies of all others.
    ///
    /// - Parameters:
    ///   - items: The dropped items.
    ///   - session: The session.
    ///   - collection: The collection to whose end items go that were dropped on no gap.
    /// - Returns: The submission; `nil` if there is nowhere to put the items.
    @discardableResult
    public func drop(
      _ items: [BaizeTable.Item], _ session: DropSession, end collection: CollectionHandle? = nil
    ) -> Submission? {
      drop(items, ids: Self.draggedItems(session), at: Self.destination(session, collection))
    }

    /// Shows the other participants a drag that began here, for `onDragSessionUpdated(_:)`.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - formation: The arrangement of the items' previews.
    public func follow(_ session: DragSession, formation: Drag.Formation = .default) {
      switch session.phase {
      case .ended(let operation):
        endDrag(isCancelled: operation == .cancel || operation == .forbidden)
      case .initial, .active:
        beginDrag(session.draggedItemIDs(for: ItemID.self), formation: formation)
      default: break
      }
    }

    /// Shows the other participants where the drag is, for `onDropSessionUpdated(_:)`.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - formation: The arrangement of the items' previews.
    public func follow(_ session: DropSession, formation: Drag.Formation = .default) {
      moveDrag(
        over: Self.destination(session, nil), x: session.location.x, y: session.location.y,
        width: session.size.width, height: session.size.height, formation: formation)
    }

    private static func draggedItems(_ session: DropSession) -> [ItemID] {
      session.localSession?.draggedItemIDs(for: ItemID.self) ?? []
    }

    private static func destination(_ session: DropSession, _ collection: CollectionHandle?) -> BaizeTable.Destination?
    {
      let gap = session.reorderDestination(for: BaizeTable.Item.self, in: CollectionHandle.self)
      return gap.map { BaizeTable.Destination($0) } ?? collection.map { .end(of: $0) }
    }
  }
#endif
