/// G11: is the table large enough for what an operation adds, and a frame for its diff?
extension Table {
  func checkAttributes(_ count: Int) throws(Refusal) {
    guard count <= TableLimits.attributesPerItemMax else {
      throw Refusal(.tableSize, detail: "an item has at most \(TableLimits.attributesPerItemMax) attributes")
    }
  }

  /// Refuses an operation whose diff would repeat more bytes of faces than fit into a frame, which would cost its
  /// author next to nothing.
  func checkShowable(_ slots: SlotList) throws(Refusal) {
    guard state.faceBytes > TableLimits.operationFaceBytesMax else { return }
    let bytes = slots.reduce(0) { $0 + state.faces[$1].contentBytes + TableLimits.itemContentBytes }
    guard bytes <= TableLimits.operationFaceBytesMax else {
      throw Refusal(.tooManyItems, detail: "the items are too large for one operation")
    }
  }

  /// Refuses to add more items, or more bytes of faces, than the table may hold. An operation that makes the table
  /// smaller is never refused.
  func checkSize(items: Int, faceBytes: Int) throws(Refusal) {
    guard items <= 0 || state.itemCount + items <= itemsMax else {
      throw Refusal(.tableSize, detail: "a table holds at most \(itemsMax) items")
    }
    let added = items * TableLimits.itemContentBytes + faceBytes
    guard added <= 0 || state.contentBytes + added <= contentBytesMax else {
      throw Refusal(.tableSize, detail: "the table has no room for so much content")
    }
  }
}
