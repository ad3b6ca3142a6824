/// R12: the state that the author of a copy saw, which the rules for lifting read.
extension Table {
  /// Puts removed items back into the collections that they left, at their positions if rules read those.
  ///
  /// - Returns: Their slots, also in the order in which they were put back.
  mutating func restore(_ removed: [Removed]) -> (slots: [ItemID: Int32], inOrder: [Int32]) {
    var slots: [ItemID: Int32] = [:]
    var inOrder: [Int32] = []
    let sought = Set(removed.map(\.takeOut.item))
    for item in removed {
      let takeOut = item.takeOut
      let collection = Int(takeOut.collection)
      var place = Place.before(.boundary)
      switch state.kind(of: collection).lift.shape {
      case .any, .none: break
      case .top, .run: place = .behind(.vacancy(item.number))
      }
      let record = ItemRecord(
        id: takeOut.item, placed: takeOut.placed, placedBy: takeOut.placedBy, isFaceUp: item.appearance.isFaceUp,
        isFaceKnown: true, isPinned: item.appearance.isPinned)
      let slot = state.create(takeOut.item, face: item.appearance.face, record: record)
      // An item that left together with this one stood behind it, whatever its face.
      let behind = history.index(of: item.number).map { history.neighbor($0, isNext: true) } ?? -1
      restore(slot, in: collection, at: place)
      slots[takeOut.item] = slot
      inOrder.append(slot)
      guard place.isBehind, behind >= 0,
        case let next = history.takeOuts[behind], next.revision == takeOut.revision, !sought.contains(next.item)
      else { continue }
      let nextRecord = ItemRecord(
        id: next.item, placed: next.placed, placedBy: next.placedBy, isFaceUp: true, isFaceKnown: false)
      let nextSlot = state.create(next.item, face: Face(), record: nextRecord)
      restore(nextSlot, in: collection, at: .behind(.vacancy(history.firstNumber + behind)))
      inOrder.append(nextSlot)
    }
    return (slots, inOrder)
  }

  private mutating func restore(_ slot: Int32, in collection: Int, at place: Place) {
    let gap = open(place, in: collection)
    state.put(slot, in: collection, before: gap.anchor)
    close(gap, in: collection, behind: slot)
  }
}

extension TableState {
  /// Takes an item out of the order of its collection, which still counts it as one of its items.
  mutating func detach(_ slot: Int32) {
    forest.remove(slot, from: &collections[collection(slot)].root)
  }
}
