public import BaizeTable
public import BaizeWire

// Drags of this participant, from the touch of an item to the drop.
extension TableModel {
  // MARK: Lifting

  /// The operations that the rules offer for items of this table, whatever their collection.
  public var offers: DropOperation.Set { collections.reduce([]) { $0.union($1.offers) } }

  /// Returns whether the user may drag an item: `moveDisabled(!model.canMove(item.id))`.
  public func canMove(_ item: ItemID) -> Bool {
    // The verdict depends on these: a view that asks observes them, and is drawn again when they change.
    _ = (isEnabled, variables, drags, seat)
    return !client.liftSet(startingAt: item).isEmpty
  }

  /// Returns the items that come along when the user drags some, and remembers them as this model's drag.
  ///
  /// - Parameter selection: The touched item, or the selection that it is part of.
  /// - Returns: The items, as ``TableClient/liftSet(of:)`` gives them; empty if the drag must not begin.
  public func lift(_ selection: some Sequence<ItemID>) -> [Item] {
    let items = client.liftSet(of: selection)
    if !items.isEmpty { Lift.latest.add(Lift(model: ObjectIdentifier(self), items: items)) }
    return items.compactMap(client.item)
  }

  // MARK: Hovering

  /// Returns the rules' verdict on the items that hover over this table.
  ///
  /// Items that ``lift(_:)`` has returned are moved within the table. All others come from elsewhere, even if their ids
  /// look like this table's: they would be inserted, as copies, where the table type allows insertions.
  ///
  /// - Parameters:
  ///   - items: The ids of the dragged items, as far as they are known.
  ///   - count: The number of dragged items.
  ///   - destination: The gap below the drag; `nil` if it is over none.
  ///   - suggested: The operations that the drag offers; empty for all that the items' collection offers.
  public func dropConfiguration(
    forDragOf items: [ItemID], count: Int, over destination: Destination?, suggested: DropOperation.Set = []
  ) -> DropConfiguration {
    guard lift(of: items) != nil else {
      guard suggested.isEmpty || suggested.contains(.copy) else { return .forbidden(Refusal(.operationNotSupported)) }
      guard let destination = destination ?? insertionDestination else { return .forbidden(Refusal(.foreignItem)) }
      return client.dropConfiguration(inserting: count, at: destination)
    }
    guard let destination else { return .forbidden(Refusal(.positionNotAllowed)) }
    Lift.latest.hovered(items, suggested)
    return client.dropConfiguration(
      for: ReorderDifference(sources: items, destination: destination), suggested: suggested)
  }

  /// Moves or copies the lifted items with the operations that the last verdict on them was asked for.
  ///
  /// A drop in SwiftUI says where the items go and not by which operation: a person who held the key for copying while
  /// the items hovered gets a copy.
  @discardableResult
  public func drop(_ difference: ReorderDifference) -> Submission {
    let lift = lift(of: Array(difference.sources))
    return reorder(difference, suggested: lift?.suggested ?? [])
  }

  /// Drops items: moves the lifted ones, and inserts new items with the faces of those that come from elsewhere.
  ///
  /// - Parameters:
  ///   - items: The dropped items with their contents.
  ///   - ids: The ids that the drag has in this app; empty for a drag from another app.
  ///   - destination: The gap; `nil` for the end of the first collection that accepts insertions.
  /// - Returns: The submission; `nil` if there is nowhere to put the items.
  @discardableResult
  public func drop(_ items: [Item], ids: [ItemID], at destination: Destination?) -> Submission? {
    guard lift(of: ids) != nil else {
      guard let destination = destination ?? insertionDestination else { return nil }
      return insert(items.map { NewItem(face: $0.face) }, at: destination)
    }
    return destination.map { drop(ReorderDifference(sources: ids, destination: $0)) }
  }

  /// Returns this model's drag of some items; `nil` if another model has lifted items of the same ids since.
  private func lift(of items: [ItemID]) -> Lift? {
    Lift.latest[items].flatMap { $0.model == ObjectIdentifier(self) ? $0 : nil }
  }

  /// The end of the first collection that accepts insertions.
  private var insertionDestination: Destination? {
    collections.first { $0.acceptsInsertions && $0.isEnabled }.map { .end(of: $0.handle) }
  }

  // MARK: Presence

  /// Shows the other participants that this one has lifted items; see ``TableClient/beginDrag(_:formation:)``. Calls for a
  /// drag that goes on have no effect.
  public func beginDrag(_ items: some Sequence<ItemID>, formation: Drag.Formation = .default) {
    let items = Array(items)
    guard !items.isEmpty, items != draggedItems else { return }
    draggedItems = items
    client.beginDrag(items, formation: formation)
  }

  /// Shows the other participants where the drag is; see ``TableClient/moveDrag(over:x:y:formation:)``.
  ///
  /// - Parameters:
  ///   - destination: The gap under the drag, if any.
  ///   - x: The position from the left, in any unit.
  ///   - y: The position from the top.
  ///   - width: The table's width in the same unit.
  ///   - height: The table's height.
  ///   - formation: The arrangement of the items' previews.
  public func moveDrag(
    over destination: Destination?, x: Double = 0, y: Double = 0, width: Double = 0, height: Double = 0,
    formation: Drag.Formation = .default
  ) {
    client.moveDrag(
      over: destination, x: Self.thousandths(x, of: width), y: Self.thousandths(y, of: height), formation: formation)
  }

  /// Ends the drag for the other participants.
  ///
  /// - Parameter isCancelled: Whether the items return to where they were; `false` after a drop.
  public func endDrag(isCancelled: Bool = false) {
    draggedItems = []
    client.endDrag(isCancelled: isCancelled)
  }

  /// Returns a position in thousandths, from 0 to 1,000; 0 for a position that is no number, as in a view without size.
  private static func thousandths(_ position: Double, of length: Double) -> Int32 {
    let part = position / length * 1_000
    return part.isFinite && length > 0 ? Int32(min(max(part, 0), 1_000)) : 0
  }
}
