extension TableState {
  /// Returns the rules' verdict on a drop, for a user interface that shows it while the items hover. Nothing changes.
  ///
  /// - Parameters:
  ///   - difference: The drop; ids and anchors that are not on the table are refused.
  ///   - suggested: The operations that the drag offers; empty for all that the collection offers.
  ///   - seat: The author; a rule that would read a face hidden from it refuses with `FACE_HIDDEN`.
  /// - Complexity: O(k log n) for k sources, plus the cost of the rules.
  public func dropConfiguration(
    for difference: ReorderDifference, suggested: DropOperation.Set = [], by seat: SeatNumber
  ) -> DropConfiguration {
    do throws(Refusal) {
      let slots = try lifted(difference.sources, by: seat)
      return try dropConfiguration(of: slots, on: difference.destination, suggested: suggested, by: seat)
    } catch {
      return .forbidden(error)
    }
  }

  /// Returns the verdict of every collection on a drop of `sources` at its end, in handle order.
  public func dropConfigurations(
    for sources: ItemList, suggested: DropOperation.Set = [], by seat: SeatNumber
  ) -> [(collection: CollectionHandle, configuration: DropConfiguration)] {
    do throws(Refusal) {
      let slots = try lifted(sources, by: seat)
      return handles.map { handle in
        do throws(Refusal) {
          return (handle, try dropConfiguration(of: slots, on: .end(of: handle), suggested: suggested, by: seat))
        } catch {
          return (handle, .forbidden(error))
        }
      }
    } catch {
      return handles.map { ($0, .forbidden(error)) }
    }
  }

  /// Returns the slots of items that may leave together.
  func lifted(_ sources: ItemList, by seat: SeatNumber) throws(Refusal) -> SlotList {
    var slots = SlotList()
    for id in sources {
      let slot = slot(of: id, for: seat)
      guard slot >= 0 else { throw Refusal(.unknownItem) }
      slots.append(slot)
    }
    guard !slots.isEmpty else { throw Refusal(.emptySources) }
    guard Set(slots).count == slots.count else { throw Refusal(.duplicateSource) }
    try checkEnabled(slots)
    try checkLift(slots, base: revision, author: .daemon, seat: seat)
    return slots
  }

  private func dropConfiguration(
    of slots: SlotList, on destination: Destination, suggested: DropOperation.Set, by seat: SeatNumber
  ) throws(Refusal) -> DropConfiguration {
    guard isKnown(destination.collection) else { throw Refusal(.unknownCollection) }
    try checkRights(lifting: slots, droppingOn: destination.collection.index, by: seat)
    try checkEnabled(destination: destination.collection.index)
    let anchor = index.slot(of: destination.position.anchor)
    if destination.position != .end {
      guard anchor >= 0 else { throw Refusal(.unknownItem) }
      guard collection(anchor) == destination.collection.index else { throw Refusal(.anchorGone) }
    }
    let drop = try drop(slots, on: destination.collection.index, before: anchor, suggested: suggested, seat: seat)
    let landing = Destination(
      collection: CollectionHandle(index: drop.collection), position: Position(anchor: id(drop.anchor)))
    return DropConfiguration(
      operation: drop.operation, destination: drop.isRedirected ? landing : nil,
      acceptedItemCount: drop.acceptedCount < slots.count ? drop.acceptedCount : nil)
  }
}
