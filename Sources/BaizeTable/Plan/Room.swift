/// G11: whether there is room for what an operation adds, and for its diff.
extension Table {
  func checkAttributes(_ count: Int) throws(Refusal) {
    guard count <= TableLimits.attributesPerItemMax else {
      throw Refusal(.tableSize, detail: "an item has at most \(TableLimits.attributesPerItemMax) attributes")
    }
  }

  /// Refuses an operation whose diff would repeat more of the items' faces than a frame holds: it costs its author next to
  /// nothing to ask for.
  func checkShowable(_ slots: SlotList) throws(Refusal) {
    guard state.faceBytes > TableLimits.operationFaceBytesMax else { return }
    let bytes = slots.reduce(0) { $0 + state.faces[$1].contentBytes + TableLimits.itemContentBytes }
    guard bytes <= TableLimits.operationFaceBytesMax else {
      throw Refusal(.tooManyItems, detail: "there is too much on these items to name all of them at once")
    }
  }

  /// Refuses to add so many items, and so many bytes on faces, if there is no room for them. An operation that makes the
  /// table smaller is never refused.
  func checkRoom(items: Int, faceBytes: Int) throws(Refusal) {
    guard items <= 0 || state.itemCount + items <= itemsMax else {
      throw Refusal(.tableSize, detail: "a table holds at most \(itemsMax) items")
    }
    let added = items * TableLimits.itemContentBytes + faceBytes
    guard added <= 0 || state.contentBytes + added <= contentBytesMax else {
      throw Refusal(.tableSize, detail: "there is no room for so much")
    }
  }
}
