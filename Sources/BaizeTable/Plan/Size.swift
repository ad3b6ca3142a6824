/// G11: whether the table has room for what an operation adds, and a frame for its diff.
extension Table {
  func checkAttributes(_ count: Int) throws(Refusal) {
    guard count <= TableLimits.attributesPerItemMax else { throw Refusal.tooManyAttributes }
  }

  /// Refuses an operation that would make or show too many bytes of faces.
  func checkContents(items: Int, faceBytes: Int) throws(Refusal) {
    guard items * TableLimits.itemContentBytes + faceBytes <= TableLimits.operationFaceBytesMax else {
      throw Refusal.tooLarge
    }
  }

  /// Refuses new items that are together too large for one operation.
  func checkInsertable(items: Int, faceBytes: Int) throws(Refusal) {
    let bytes = items * TableLimits.itemContentBytes + faceBytes
    guard bytes <= TableLimits.operationFaceBytesMax else {
      throw Refusal(
        .tooManyItems,
        detail: "the new items have \(bytes) bytes, and an operation at most \(TableLimits.operationFaceBytesMax)")
    }
  }

  /// Refuses an operation whose diff would show the faces of items that are together too large.
  func checkShowable(_ slots: SlotList, bytesMax: Int = TableLimits.operationFaceBytesMax) throws(Refusal) {
    guard state.chargedBytes <= bytesMax || state.shownBytes(of: slots) <= bytesMax else { throw Refusal.tooLarge }
  }

  /// Refuses faces that are too large for a collection that hides faces: they would count as less than they are.
  func checkHideable(_ faceBytes: Int, in collection: Int) throws(Refusal) {
    guard faceBytes > state.type.hiddenFaceBytesMax, state.traits(of: collection).flags.turnsItems else { return }
    throw Refusal.tooLargeToHide(state.type.hiddenFaceBytesMax)
  }

  /// Refuses to remove items that are together too large, or that expose such items.
  func checkRemovable(_ slots: SlotList) throws(Refusal) {
    try checkShowable(slots, bytesMax: TableLimits.removedFaceBytesMax)
    try checkShowable(leaving: slots, for: nil)
  }

  /// Refuses items that leave their collections if their diff would show too many bytes of faces: of items that are
  /// turned, become visible or hidden, or are exposed.
  ///
  /// - Parameter destination: The collection that they enter; `nil` for none.
  func checkShowable(leaving slots: SlotList, for destination: Int?) throws(Refusal) {
    guard state.type.turnsItems else { return }
    if let destination, state.traits(of: destination).flags.turnsItems {
      for slot in slots { try checkHideable(state.faces[slot].contentBytes, in: destination) }
    }
    guard state.chargedBytes > TableLimits.operationFaceBytesMax else { return }
    var shown = SlotList()
    if let destination {
      let showsAll = state.traits(of: destination).flags.turnsItems
      for slot in slots {
        let isShown = showsAll || state.traits(of: state.collection(slot)).flags.turnsItems
        if isShown { shown.append(slot) }
      }
    }
    let leaving = SlotSet(slots)
    for source in state.collections(of: slots) where state.traits(of: source).flags.contains(.turnsExposed) {
      let exposed = state.neighbor(before: -1, in: source, excluding: leaving)
      if exposed >= 0 { shown.append(exposed) }
    }
    try checkShowable(shown)
  }

  /// Refuses to add more items, or more bytes of faces, than the table may hold. An operation that makes the table
  /// smaller is never refused.
  ///
  /// - Parameter faceBytes: The difference in bytes, counted as in ``TableState/chargedBytes``.
  func checkSize(items: Int, faceBytes: Int) throws(Refusal) {
    guard items <= 0 || state.itemCount + items <= itemsMax else {
      throw Refusal(.tableSize, detail: "a table holds at most \(itemsMax) items")
    }
    guard items <= 0 || max(state.nextID, privateIDs.next) < TableLimits.idsMax else {
      throw Refusal(.tableSize, detail: "the table has no more ids")
    }
    let added = items * TableLimits.itemContentBytes + faceBytes
    guard added <= 0 || state.chargedBytes + added <= contentBytesMax else {
      throw Refusal(.tableSize, detail: "the table has no room for so much content")
    }
  }

  /// Returns the bytes that a face counts in ``TableState/chargedBytes`` if it enters a collection.
  func chargedBytes(of face: Face, in collection: Int) -> Int {
    state.traits(of: collection).flags.turnsItems && !Mutation.content.isActive
      ? state.type.hiddenFaceBytesMax : face.contentBytes
  }
}

extension Refusal {
  static let tooLarge = Refusal(.tooManyItems, detail: "the items are too large for one operation")

  static func tooLargeToHide(_ bytesMax: Int) -> Refusal {
    Refusal(.tooManyItems, detail: "where faces are hidden they have at most \(bytesMax) bytes")
  }
}
