/// The present position of a destination.
struct Landing {
  var collection: Int
  /// The slot that the gap is before; −1 for the end.
  var anchor: Int32
  /// Whether the gap is not the one before the named anchor, or at the end if none was named.
  var isRebased: Bool
  /// Whether the gap is not simply where its author saw it, so that an undo may need to know what its author named.
  var isCarried = true
}

/// G4: carries the gap that an author named forward through the diffs that the author had not seen, by the rules N1 to
/// N3 and R1 to R45 of `Protocol/README.md`.
extension Table {
  /// Returns the present position of a destination.
  ///
  /// - Parameter sources: The items that the operation moves or copies there.
  func rebase(
    _ destination: Destination, of sources: SlotList, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> Landing {
    let collection = try collection(of: destination, request, memory)
    if let landing = untouched(destination, in: collection, request, memory) { return landing }
    let named = destination.position.anchor
    if Mutation.anchor.isActive, named != .none, request.base < state.revision {
      return Landing(collection: collection, anchor: -1, isRebased: true)
    }
    if let landing = landing(betweenNeighborsOf: destination, in: collection, sources, request, memory) {
      return landing
    }
    if named == .none { return Landing(collection: collection, anchor: -1, isRebased: false) }
    // The author's own operation did not put the anchor where the author sees it: `then` replaces it.
    guard let anchor = try anchor(named, request, memory) else {
      let standIn = try carry(destination.then, to: collection, request, memory)
      let carried = firstOfRun(at: standIn, destination, request)
      let before = slot(ofNeighbor: named, request, memory)
      return Landing(collection: collection, anchor: carried, isRebased: carried != before)
    }
    let slot = state.slot(of: anchor.item, for: request.seat)
    if slot >= 0 {
      let record = state.forest.records.address(of: slot)
      if Int(record.pointee.collection) == collection, record.pointee.placed <= anchor.since {
        return Landing(collection: collection, anchor: slot, isRebased: false)
      }
    }
    let standIn = try carry(anchor.item, since: anchor.since, to: collection, request.seat)
    let carried = firstOfRun(at: standIn, destination, request)
    return Landing(collection: collection, anchor: carried, isRebased: slot < 0 || carried != slot)
  }

  /// Returns the position of a gap in a known collection that is where the author saw it: the end, or before an anchor
  /// that no one moved since the base, and on which no operation of the author's left a note.
  @inline(__always) func untouched(
    _ destination: Destination, in collection: Int, _ request: Request, _ memory: AuthorMemory
  ) -> Landing? {
    let named = destination.position.anchor
    if named == .none {
      guard isBehindPredecessor(destination, -1, in: collection) else { return nil }
      return Landing(collection: collection, anchor: -1, isRebased: false, isCarried: false)
    }
    if Mutation.anchor.isActive, request.base < state.revision { return nil }
    let slot = state.slot(of: named, for: request.seat)
    guard slot >= 0 else { return nil }
    let record = state.forest.records.address(of: slot)
    guard Int(record.pointee.collection) == collection, record.pointee.placed <= request.base,
      memory.remembersNothing || memory.lastNote(on: named) == nil,
      isBehindPredecessor(destination, slot, in: collection)
    else { return nil }
    return Landing(collection: collection, anchor: slot, isRebased: false, isCarried: false)
  }

  /// Returns whether the gap before `anchor` is directly behind the item that its author saw there, or none was given.
  @inline(__always) private func isBehindPredecessor(
    _ destination: Destination, _ anchor: Int32, in collection: Int
  ) -> Bool {
    !destination.hasPredecessor || Mutation.after.isActive
      || isBehind(destination.after, anchor, in: collection)
  }

  @inline(never) private func isBehind(_ after: Predecessor, _ anchor: Int32, in collection: Int) -> Bool {
    let slot = anchor < 0 ? state.forest.last(in: state.root(collection)) : state.forest.previous(anchor)
    return after == (slot < 0 ? .start : .item(state.forest.records.address(of: slot).pointee.id))
  }

  /// Returns the anchor's own id, and the revision at which it was where the author saw it; `nil` if the author's own
  /// operation did not put it there.
  @inline(__always) private func anchor(
    _ named: ItemID, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> (item: ItemID, since: Revision)? {
    var anchor = named
    if named.isProvisional, state.index.slot(of: named) < 0 {
      guard let made = try memory.resolve(named, in: request.sequence) else { return nil }
      anchor = made
    }
    let note = memory.lastNote(on: anchor)
    let slot = state.slot(of: anchor, for: request.seat)
    if note == nil, slot >= 0, state.forest.records.address(of: slot).pointee.placed <= request.base {
      return (anchor, request.base)
    }
    // The author moved it again without having seen other moves: it was where the author put it.
    let moved = lastMove(of: anchor, request)
    guard let note, note.revision >= moved ?? .zero else { return (anchor, moved ?? request.base) }
    return note.isInPlace ? (anchor, max(note.revision, request.base)) : nil
  }

  /// Returns the last revision since the base at which the author put an item where its operation requested.
  @inline(__always) func lastMove(of item: ItemID, _ request: Request) -> Revision? {
    history.lastMove(of: item, by: request.author.session, latest: latestTakeOut(of: item), since: request.base)
  }

  /// Returns the number of the latest history record of an item; `nil` if it is not on the table.
  func latestTakeOut(of item: ItemID) -> Int? {
    let slot = state.index.slot(of: item)
    return slot < 0 ? nil : state.forest.records.address(of: slot).pointee.lastTakeOut
  }

  /// Returns the item that the gap before `then` is before now; −1 for the end.
  @inline(never) private func carry(
    _ then: ItemID, to collection: Int, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> Int32 {
    var item = then
    if then.isProvisional, state.index.slot(of: then) < 0 {
      guard let made = try memory.resolve(then, in: request.sequence) else {
        throw Refusal(.dependsOnRefused, detail: "the operation that creates the anchor was refused")
      }
      item = made
    }
    return try carry(item, since: lastMove(of: item, request) ?? request.base, to: collection, request.seat)
  }

  /// Returns the item that the gap before `anchor`, as it was at `base`, is before now; −1 for the end.
  @inline(never) func carry(
    _ anchor: ItemID, since base: Revision, to collection: Int, _ seat: SeatNumber
  ) throws(Refusal) -> Int32 {
    let traits = state.traits
    var current = anchor
    var last = History.none
    while current != .none,
      let (number, takeOut) = history.firstTakeOut(
        of: current, latest: latestTakeOut(of: current), after: last, since: base,
        where: { traits[Int($0)].isVisible(to: seat) })
    {
      guard Int(takeOut.collection) == collection else { throw Self.anchorElsewhere }
      current = takeOut.successor
      last = number
    }
    guard current != .none else { return -1 }
    let slot = state.slot(of: current, for: seat)
    guard slot >= 0 else { throw Refusal(.unknownItem, detail: "the anchor \(anchor.rawValue) is not on the table") }
    guard Int(state.forest.records[slot].collection) == collection else { throw Self.anchorElsewhere }
    return slot
  }

  private static let anchorElsewhere = Refusal(.anchorGone, detail: "the anchor is in another collection")
}
