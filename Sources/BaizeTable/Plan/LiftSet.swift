/// Queries of a user interface when the user touches an item, before there is a destination.
extension TableState {
  /// Returns the items that leave their collection together when `seat` drags `item`, in their order: for a collection
  /// whose `lift` has the shape `run` the item and all behind it, otherwise the item alone.
  ///
  /// - Parameters:
  ///   - item: The touched item.
  ///   - seat: The participant that drags.
  ///   - claims: The claims on dragged items, if the table type enforces them; `nil` for none.
  /// - Returns: The items; empty if the rules forbid to drag `item`, so that the drag does not begin. A rule of the
  ///   destination may still refuse the drop.
  /// - Complexity: O(k log n) for k items, plus the cost of the rules.
  public func liftSet(startingAt item: ItemID, by seat: SeatNumber, claims: [ItemID: Claim]? = nil) -> ItemList {
    let first = slot(of: item, for: seat)
    guard first >= 0 else { return [] }
    var items: ItemList = [item]
    if kind(of: collection(first)).lift.shape == .run {
      var slot = forest.next(first)
      while slot >= 0, items.count <= TableLimits.itemsPerOperationMax {
        items.append(id(slot))
        slot = forest.next(slot)
      }
    }
    return refusalToLift(items, by: seat, claims: claims) == nil ? items : []
  }

  /// Returns the items that are dragged together when the user drags a selection: the items themselves if they may be
  /// lifted together, or for a single one those of ``liftSet(startingAt:by:claims:)``; empty if they may not.
  public func liftSet(of selection: ItemList, by seat: SeatNumber, claims: [ItemID: Claim]? = nil) -> ItemList {
    if selection.count == 1 { return liftSet(startingAt: selection[0], by: seat, claims: claims) }
    return refusalToLift(selection, by: seat, claims: claims) == nil ? selection : []
  }
}
