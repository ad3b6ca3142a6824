/// G11: whether the table has room for what an operation adds, and a frame for its diff.
extension Table {
  func checkAttributes(_ count: Int) throws(Refusal) {
    guard count <= TableLimits.attributesPerItemMax else { throw Refusal.tooManyAttributes }
  }

  /// Refuses an operation that would make or show too many bytes of faces.
  func checkContents(items: Int, faceBytes: Int) throws(Refusal) {
    let bytes = state.type.operationBytes(items: items, faceBytes: faceBytes)
    guard bytes <= TableLimits.operationFaceBytesMax else { throw Refusal.tooLarge }
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
    guard state.contentBytes <= bytesMax || state.shownBytes(of: slots) <= bytesMax else { throw Refusal.tooLarge }
  }

  /// Refuses a new face that is larger than one counts.
  func checkFace(_ face: Face) throws(Refusal) {
    guard let bytesMax = state.type.faceBytes, face.contentBytes > bytesMax else { return }
    throw Refusal(.textTooLong, detail: "an item's contents have at most \(bytesMax) bytes here")
  }

  /// Refuses to remove items that are together too large, or that expose such items.
  func checkRemovable(_ slots: SlotList) throws(Refusal) {
    try checkShowable(slots, bytesMax: TableLimits.removedFaceBytesMax)
    // Each may expose another one.
    try checkContents(items: slots.count, faceBytes: 0)
  }

  /// Refuses to add more items, or more bytes of faces, than the table may hold. An operation that makes the table
  /// smaller is never refused.
  ///
  /// - Parameter faceBytes: The difference in bytes, counted as in ``TableState/contentBytes``.
  func checkSize(items: Int, faceBytes: Int) throws(Refusal) {
    guard items <= 0 || state.itemCount + items <= itemsMax else {
      throw Refusal(.tableSize, detail: "a table holds at most \(itemsMax) items")
    }
    guard items <= 0 || max(state.nextID, privateIDs.next) < TableLimits.idsMax else {
      throw Refusal(.tableSize, detail: "the table has no more ids")
    }
    let added = items * TableLimits.itemContentBytes + faceBytes
    guard added <= 0 || state.contentBytes + added <= contentBytesMax else {
      throw Refusal(.tableSize, detail: "the table has no room for so much content")
    }
  }
}

extension Refusal {
  static let tooLarge = Refusal(.tooManyItems, detail: "the items are too large for one operation")
}
