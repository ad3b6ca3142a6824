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
        if let keys, let key = faces[slot][keys.attribute] {
          let found = keys.slot(of: key, in: faces)
          guard found == slot || !isJudged && found >= 0 && index.slot(of: forest.records[found].id) == found else {
            return "item \(forest.records[slot].id.rawValue) is not found by its key, or shares it"
          }
        }
        seen += 1
        slot = forest.next(slot)
      }
    }
    guard seen == index.count else { return "\(seen) items are in collections, \(index.count) are known" }
    let faceBytes = handles.flatMap(itemIDs(in:)).reduce(0) { $0 + faces[index.slot(of: $1)].contentBytes }
    guard faceBytes == self.faceBytes else { return "the faces take \(faceBytes) bytes, not \(self.faceBytes)" }
    // The sums equal freshly computed ones.
    var fresh = self
    (fresh.faceSum, fresh.ownSums) = (0, ownSums.map { _ in 0 })
    (fresh.hiddenItems, fresh.hiddenFaceBytes) = (0, 0)
    for handle in handles {
      for id in itemIDs(in: handle) {
        let slot = index.slot(of: id)
        fresh.forest.records[slot].faceHash = 0
        fresh.addToSums(slot)
      }
    }
    guard fresh.hiddenItems == hiddenItems, fresh.hiddenFaceBytes == hiddenFaceBytes else {
      return
        "\(fresh.hiddenItems) faces of \(fresh.hiddenFaceBytes) bytes are hidden, not \(hiddenItems) of \(hiddenFaceBytes)"
    }
    return fresh.faceSum == faceSum && fresh.ownSums == ownSums
      ? nil : "the face sums are \(faceSum) and \(ownSums), not \(fresh.faceSum) and \(fresh.ownSums)"
  }
}
