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
    guard case .before(let named) = destination.position, named != .none else {
      return Landing(collection: collection, anchor: -1, isRebased: false)
    }
    if Mutation.anchor.isActive, judging.base < state.revision {
      return Landing(collection: collection, anchor: -1, isRebased: true)
    }
    // The author's own operation on the anchor did not put it where the author sees it: `then` stands in for it.
    guard let anchor = try anchor(named, judging, memory) else {
      let carried = try carry(destination.then, to: collection, judging, memory)
      return Landing(collection: collection, anchor: carried, isRebased: true)
    }
    let seat = judging.author.seat
    let slot = state.slot(of: anchor.item, for: seat)
    if slot >= 0, Int(state.records[slot].collection) == collection, state.records[slot].placed <= anchor.since {
      return Landing(collection: collection, anchor: slot, isRebased: false)
    }
    let carried = try carry(anchor.item, since: anchor.since, to: collection, seat)
    return Landing(collection: collection, anchor: carried, isRebased: slot < 0 || carried != slot)
  }

  /// The anchor under the table's own id, and the revision at which it stood where the author saw it; `nil` where it is
  /// not where the author thought, by the author's own doing.
  private func anchor(
    _ named: ItemID, _ judging: Judging, _ memory: AuthorMemory
  ) throws(Refusal) -> (item: ItemID, since: Revision)? {
    var anchor = named
    if named.isProvisional, state.index.slot(of: named) < 0 {
      guard named.provisionalOperation < judging.sequence else { throw Refusal(.unknownItem) }
      guard let made = memory.resolve(named) else { return nil }
      anchor = made
    }
    let note = memory.lastNote(on: anchor)
    let slot = state.slot(of: anchor, for: judging.author.seat)
    if note == nil, slot >= 0, state.records[slot].placed <= judging.base { return (anchor, judging.base) }
    // The author moved it again, knowing of no one else: it was where the author put it.
    let moved = history.lastMove(of: anchor, by: judging.author.session, since: judging.base)
    guard let note, note.revision >= moved ?? .zero else { return (anchor, moved ?? judging.base) }
    return note.isInPlace ? (anchor, max(note.revision, judging.base)) : nil
  }

  /// The item that the gap before `then` is before now; −1 for the end.
  private func carry(
    _ then: ItemID, to collection: Int, _ judging: Judging, _ memory: AuthorMemory
  ) throws(Refusal) -> Int32 {
    var item = then
    if then.isProvisional, state.index.slot(of: then) < 0 {
      guard then.provisionalOperation < judging.sequence else { throw Refusal(.unknownItem) }
      guard let made = memory.resolve(then) else {
        throw Refusal(.dependsOnRefused, detail: "the operation that was to make the anchor was refused")
      }
      item = made
    }
    let moved = history.lastMove(of: item, by: judging.author.session, since: judging.base)
    return try carry(item, since: moved ?? judging.base, to: collection, judging.author.seat)
  }

  /// The item that the gap before `anchor`, as it was at `base`, is before now; −1 for the end.
  private func carry(
    _ anchor: ItemID, since base: Revision, to collection: Int, _ seat: SeatNumber
  ) throws(Refusal) -> Int32 {
    var current = anchor
    for takeOut in history.takeOuts(since: base)
    where takeOut.item == current && state.isOpen(Int(takeOut.collection), to: seat) {
      guard Int(takeOut.collection) == collection else { throw Self.anchorElsewhere }
      current = takeOut.successor
    }
    guard current != .none else { return -1 }
    let slot = state.slot(of: current, for: seat)
    guard slot >= 0 else { throw Refusal(.unknownItem, detail: "the anchor \(anchor.rawValue) is not on the table") }
    guard Int(state.records[slot].collection) == collection else { throw Self.anchorElsewhere }
    return slot
  }

  private static let anchorElsewhere = Refusal(.anchorGone, detail: "the anchor stands in another collection")
}
