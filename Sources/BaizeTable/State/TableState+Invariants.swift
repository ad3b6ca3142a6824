extension TableState {
  /// Returns the first broken invariant of this state, or `nil`. For tests and the simulator; O(n log n).
  ///
  /// - Parameter isJudged: Whether an authority that keeps its rules has made the state. A replica does not judge what it
  ///   receives: items share a key if a daemon sends that, and one of them is found by it.
  public func brokenInvariant(isJudged: Bool = true) -> String? {
    var seen = 0
    for (position, collection) in collections.enumerated() {
      // Every tree is sound.
      guard forest.isSound(collection.root) else { return "the order of collection \(position) is not sound" }
      var slot = forest.first(in: collection.root)
      while slot >= 0 {
        // Each item knows its collection, and its id leads to it: it is in exactly one collection.
        guard Int(forest.records[slot].collection) == position else {
          return
            "item \(forest.records[slot].id.rawValue) in \(position) has the record of collection \(forest.records[slot].collection)"
        }
        guard index.slot(of: forest.records[slot].id) == slot else {
          return "item \(forest.records[slot].id.rawValue) is not found"
        }
        // Its key, if it has one, leads to it: no other item has the same.
        if let keys, !isAlias(slot), let key = faces[slot][keys.attribute] {
          let found = keys.slot(of: key, in: faces)
          guard found == slot || !isJudged && found >= 0 && index.slot(of: forest.records[found].id) == found else {
            return "item \(forest.records[slot].id.rawValue) is not found by its key, or shares it"
          }
        }
        seen += 1
        slot = forest.next(slot)
      }
    }
    if let broken = brokenOpening() { return broken }
    if let broken = brokenAlias(isJudged: isJudged) { return broken }
    guard seen == index.count else { return "\(seen) items are in collections, \(index.count) are known" }
    let faceBytes = handles.flatMap(itemIDs(in:)).reduce(0) { $0 + faces[index.slot(of: $1)].contentBytes }
    guard faceBytes == self.faceBytes else { return "the faces take \(faceBytes) bytes, not \(self.faceBytes)" }
    let faceParts = handles.flatMap(itemIDs(in:)).reduce(0) { $0 + faces[index.slot(of: $1)].partCount }
    guard faceParts == self.faceParts else { return "the faces have \(faceParts) parts, not \(self.faceParts)" }
    // The sums equal freshly computed ones.
    var fresh = self
    (fresh.faceSum, fresh.ownerSums) = (0, ownerSums.map { _ in 0 })
    for handle in handles {
      for id in itemIDs(in: handle) {
        let slot = index.slot(of: id)
        fresh.forest.records[slot].faceHash = 0
        fresh.addToSums(slot)
      }
    }
    return fresh.faceSum == faceSum && fresh.ownerSums == ownerSums
      ? nil : "the face sums are \(faceSum) and \(ownerSums), not \(fresh.faceSum) and \(fresh.ownerSums)"
  }

  /// Returns what is wrong with the aliases: the index has each one, its item is on the table, both are where everyone
  /// sees all faces, and the faces are equal.
  private func brokenAlias(isJudged: Bool) -> String? {
    var seen = 0
    for slot in collections.indices.flatMap(slots(in:)) where isAlias(slot) {
      seen += 1
      let (id, item) = (id(slot), forest.records[slot].aliasOf)
      guard aliases.aliases(of: item).contains(id) else { return "alias \(id.rawValue) is not in the index" }
      if isJudged, let broken = brokenAlias(slot) { return broken }
    }
    return seen == aliases.count ? nil : "\(seen) aliases are in collections, \(aliases.count) in the index"
  }

  /// Returns what is wrong with one alias; `nil` if nothing is.
  func brokenAlias(_ slot: Int32) -> String? {
    let (id, item) = (id(slot), forest.records[slot].aliasOf)
    let original = index.slot(of: item)
    guard original >= 0, !isAlias(original) else { return "alias \(id.rawValue) has no item" }
    guard kind(of: collection(slot)).isOpen, kind(of: collection(original)).isOpen, opens(original) < 0 else {
      return "alias \(id.rawValue), or its item, is where faces may be hidden or collections are opened"
    }
    guard faces[slot] == faces[original] else { return "alias \(id.rawValue) has another face than its item" }
    guard aliases.aliases(of: item).count <= TableLimits.aliasesPerItemMax else {
      return "item \(item.rawValue) has too many aliases"
    }
    return nil
  }

  /// Returns what is wrong with opened collections: each open one behind those of the table type has an item that opens
  /// it, in a collection whose items open such.
  private func brokenOpening() -> String? {
    var opened = 0
    for index in collections.indices {
      let opener = collections[index].opener
      guard index >= type.collections.count, !isGone(index) else {
        if opener >= 0 || (index < type.collections.count) == isGone(index) { return "collection \(index) has an item" }
        guard isGone(index), count(index) > 0 else { continue }
        return "collection \(index) is gone and has items"
      }
      guard opener >= 0, opens(opener) == index, collection(opener) >= 0 else {
        return "collection \(index) is open without an item"
      }
      guard kind(of: collection(opener)).opens?.kind == Int(traits[index].kind) else {
        return "the item of collection \(index) is where items open others"
      }
      opened += 1
    }
    guard opened == openedCount else { return "\(opened) collections are open, not \(openedCount)" }
    for index in collections.indices where !isGone(index) {
      var slot = forest.first(in: root(index))
      while slot >= 0 {
        if (opens(slot) >= 0) != (kind(of: index).opens != nil) {
          return "an item in \(index) opens what it should not"
        }
        slot = forest.next(slot)
      }
    }
    return nil
  }
}
