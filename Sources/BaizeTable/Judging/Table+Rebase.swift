/// A destination as it stands now.
struct Landing {
  var collection: Int
  /// −1 for the end.
  var anchor: Int32
  /// The gap was carried to another place than "before the anchor that was named".
  var isRebased: Bool
}

extension Table {
  /// Carries the gap that an author named through the diffs that the author had not seen: the table of
  /// `Protocol/README.md`, "Rebase".
  func rebase(
    _ destination: Destination, _ judging: Judging, _ memory: AuthorMemory
  ) throws(Refusal) -> Landing {
    let collection = try known(destination.collection)
    guard case .before(let named) = destination.position else {
      return Landing(collection: collection, anchor: -1, isRebased: false)
    }
    // The author's own operation on the anchor did not put it where the author sees it: `then` stands in for it.
    guard let anchor = try anchor(named, judging, memory) else {
      let carried = try carry(destination.then, to: collection, judging, memory)
      return Landing(collection: collection, anchor: carried, isRebased: true)
    }
    let slot = state.index.slot(of: anchor)
    if slot >= 0, Int(state.records[slot].collection) == collection, state.records[slot].placed <= judging.base {
      return Landing(collection: collection, anchor: slot, isRebased: false)
    }
    let carried = try carry(anchor, to: collection, judging, memory)
    return Landing(collection: collection, anchor: carried, isRebased: carried != slot)
  }

  /// The anchor under the table's own id; `nil` where it is not where the author thought, by the author's own doing.
  private func anchor(_ named: ItemID, _ judging: Judging, _ memory: AuthorMemory) throws(Refusal) -> ItemID? {
    var anchor = named
    if named.isProvisional, state.index.slot(of: named) < 0 {
      guard named.provisionalOperation < judging.operation.sequence else { throw Refusal(.unknownItem) }
      guard let made = memory.resolve(named) else { return nil }
      anchor = made
    }
    guard let displaced = memory.displacement(of: anchor, seenFrom: judging.operation) else { return anchor }
    // A refusal that the author had seen, or that a later operation of its own made good, counts no more.
    let own = history.takeOuts(since: judging.base).last {
      $0.item == anchor && $0.author == judging.author.session && $0.isAsAsked
    }
    if let own, own.revision > displaced { return anchor }
    return nil
  }

  /// The item that the gap before `anchor` is before now; −1 for the end.
  private func carry(
    _ anchor: ItemID, to collection: Int, _ judging: Judging, _ memory: AuthorMemory
  ) throws(Refusal) -> Int32 {
    let anchor = anchor.isProvisional ? memory.resolve(anchor) ?? anchor : anchor
    var current = anchor
    for takeOut in history.takeOuts(since: judging.base) {
      if takeOut.item == anchor, takeOut.author == judging.author.session, takeOut.isAsAsked {
        // The author moved it again, knowing of no one else: it is where the author put it.
        current = anchor
      } else if takeOut.item == current {
        guard Int(takeOut.collection) == collection else { throw Self.anchorElsewhere }
        current = takeOut.successor
      }
    }
    guard current != .none else { return -1 }
    let slot = state.index.slot(of: current)
    guard slot >= 0 else { throw Refusal(.unknownItem, detail: "the anchor \(anchor.rawValue) is not on the table") }
    guard Int(state.records[slot].collection) == collection else { throw Self.anchorElsewhere }
    return slot
  }

  private static let anchorElsewhere = Refusal(.anchorGone, detail: "the anchor stands in another collection")
}
