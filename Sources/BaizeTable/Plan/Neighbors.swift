/// G4: the rules N1 and N2 of `Protocol/README.md`, for a destination that names both neighbors of its gap.
extension Table {
  /// Returns the present position of a gap by its neighbors; `nil` if they do not determine it (N3).
  ///
  /// An item that is "own" was last placed by the author's session from its present seat, and no one has moved it since.
  ///
  /// - Parameter sources: The items that the operation moves or copies, which are not neighbors.
  @inline(never) func landing(
    betweenNeighborsOf destination: Destination, in collection: Int, _ sources: SlotList, _ request: Request,
    _ memory: AuthorMemory
  ) -> Landing? {
    guard namesBothNeighbors(destination, in: collection, request) else { return nil }
    let gap = Gap(
      collection: collection, leaving: SlotSet(sources), request: request, seatedAt: memory.seatedAt,
      before: slot(ofNeighbor: destination.position.anchor, request, memory))
    if let before = gap.before, gap.leaving.contains(before) { return nil }
    var anchor: Int32?
    switch destination.after {
    case .unspecified: return nil
    case .start:
      anchor =
        anchorBetween(-1, gap)
        ?? anchorAtOwn(nil, destination, gap, memory)
        ?? anchorAtStandIn(destination, gap, memory)
        ?? anchorBeforeOwn(destination, gap, memory)
    case .item(let item):
      let after = slot(ofNeighbor: item, request, memory)
      if let after, gap.leaving.contains(after) { return nil }
      anchor =
        after.flatMap { anchorBetween($0, gap) }
        ?? anchorAtOwn(after, destination, gap, memory)
        ?? anchorBehindOwn(item, gap, memory)
        ?? anchorAtStandIn(destination, gap, memory)
        ?? anchorBeforeOwn(destination, gap, memory)
    }
    guard
      let anchor = anchor
        ?? anchorAtTakenOut(destination, gap, memory)
        ?? anchorBeforeRun(destination, gap, memory)
    else { return nil }
    return Landing(collection: gap.collection, anchor: anchor, isRebased: anchor != gap.before)
  }

  /// N2f: returns the first of the items that another author has put at a gap since the base, one in front of the other;
  /// the item that the gap was carried to if it is not one of those.
  ///
  /// - Parameter carried: The item that stands in for the one behind the gap, −1 for the end.
  /// - Complexity: O(`TableLimits.itemsPerOperationMax`).
  @inline(never) func firstOfRun(at carried: Int32, _ destination: Destination, _ request: Request) -> Int32 {
    guard carried >= 0, namesBothNeighbors(destination, in: state.collection(carried), request) else { return carried }
    let records = state.forest.records
    let author = records.address(of: carried).pointee.placedBy
    func isOfRun(_ slot: Int32) -> Bool {
      let record = records.address(of: slot)
      return record.pointee.placed > request.base && record.pointee.placedBy == author
    }
    guard author != request.author.session, isOfRun(carried) else { return carried }
    var first = carried
    for _ in 0..<TableLimits.itemsPerOperationMax {
      let previous = state.forest.previous(first)
      guard previous >= 0, isOfRun(previous) else { break }
      first = previous
    }
    return first
  }

  /// Returns whether N1 and N2 apply: the author saw what stood on both sides of the gap.
  private func namesBothNeighbors(_ destination: Destination, in collection: Int, _ request: Request) -> Bool {
    destination.after != .unspecified && !Mutation.after.isActive
      && state.kind(of: collection).accept.landing == .anywhere && state.isVisible(collection, to: request.seat)
  }

  private struct Gap {
    let collection: Int
    let leaving: SlotSet
    let request: Request
    /// The revision since which the author places items of its own.
    let seatedAt: Revision
    /// The slot of the item that the gap was before, −1 for the end; `nil` if it is not on the table.
    let before: Int32?
  }

  /// N1: both neighbors were there or are own, and are neighbors now.
  ///
  /// - Parameter after: −1 for the start.
  private func anchorBetween(_ after: Int32, _ gap: Gap) -> Int32? {
    guard let before = gap.before, after < 0 || stands(after, gap), before < 0 || stands(before, gap),
      next(after, gap) == before
    else { return nil }
    return before
  }

  /// N2d: the item in front of the gap is not own now, and the one behind it is, and is where its author put it.
  ///
  /// - Parameter after: `nil` if that item is not on the table, or if the gap is at the start.
  private func anchorAtOwn(
    _ after: Int32?, _ destination: Destination, _ gap: Gap, _ memory: AuthorMemory
  ) -> Int32? {
    guard let before = gap.before, before >= 0, isOwn(before, gap), !(after.map { isOwn($0, gap) } ?? false),
      let item = known(destination.position.anchor, memory), memory.lastNote(on: item)?.isInPlace ?? true
    else { return nil }
    return before
  }

  /// N2, N2a: the item in front of the gap is own, or one that stands in for it.
  private func anchorBehindOwn(_ named: ItemID, _ gap: Gap, _ memory: AuthorMemory) -> Int32? {
    guard var item = standIn(for: named, \.after, gap.request, memory) else { return nil }
    let since = since(item, gap)
    var last = History.none
    while item != .none {
      let slot = state.slot(of: item, for: gap.request.seat)
      if slot >= 0, isOwn(slot, gap) { return next(slot, gap) }
      guard let (number, takeOut) = takeOut(of: item, after: last, since: since, gap) else { return nil }
      (item, last) = (takeOut.predecessor, number)
    }
    return nil
  }

  /// N2g: the author's own operation did not put the item behind the gap where the author saw it, and what stands in for it is
  /// own.
  private func anchorAtStandIn(_ destination: Destination, _ gap: Gap, _ memory: AuthorMemory) -> Int32? {
    let named = destination.position.anchor
    guard !memory.remembersNothing, named != .none, let item = standIn(for: named, \.before, gap.request, memory),
      item != named
    else { return nil }
    let slot = state.slot(of: item, for: gap.request.seat)
    return slot >= 0 && isOwn(slot, gap) && !gap.leaving.contains(slot) ? slot : nil
  }

  /// N2b: the item behind the gap was own and was taken out, and the one that followed it is own.
  private func anchorBeforeOwn(_ destination: Destination, _ gap: Gap, _ memory: AuthorMemory) -> Int32? {
    guard var item = known(destination.position.anchor, memory) else { return nil }
    let since = since(item, gap)
    var last = History.none
    while item != .none, let (number, takeOut) = takeOut(of: item, after: last, since: since, gap),
      takeOut.placedBy == gap.request.author.session, takeOut.placed > gap.seatedAt
    {
      (item, last) = (takeOut.successor, number)
      let slot = state.slot(of: item, for: gap.request.seat)
      if slot >= 0, isOwn(slot, gap) { return state.firstStaying(from: slot, gap.leaving) }
    }
    return nil
  }

  /// N2c: the item behind the gap was taken out, and the author of the one in front of it has put nothing behind that.
  private func anchorAtTakenOut(_ destination: Destination, _ gap: Gap, _ memory: AuthorMemory) -> Int32? {
    guard let before = known(destination.position.anchor, memory), memory.lastNote(on: before) == nil,
      takeOut(of: before, after: History.none, since: since(before, gap), gap) != nil
    else { return nil }
    guard case .item(let named) = destination.after else { return next(-1, gap) }
    guard let after = known(named, memory), memory.lastNote(on: after) == nil,
      let slot = standing(inFor: after, gap)
    else { return nil }
    return anchorBehind(slot, gap)
  }

  /// N2e: the item in front of the gap was taken out, and the author of the one behind it has put others before that.
  private func anchorBeforeRun(_ destination: Destination, _ gap: Gap, _ memory: AuthorMemory) -> Int32? {
    guard let before = gap.before, before >= 0, case .item(let named) = destination.after,
      let after = known(named, memory), memory.lastNote(on: after) == nil,
      takeOut(of: after, after: History.none, since: since(after, gap), gap) != nil
    else { return nil }
    let previous = state.forest.previous(before)
    guard previous >= 0, isContinued(before, by: previous, gap), let slot = standing(inFor: after, gap) else {
      return nil
    }
    return anchorBehind(slot, gap)
  }

  /// Returns what is directly behind an item that stands in for another, −1 for the start; `nil` if its author has put that
  /// there, whose run stays whole.
  private func anchorBehind(_ slot: Int32, _ gap: Gap) -> Int32? {
    let next = next(slot, gap)
    return slot >= 0 && isContinued(slot, by: next, gap) ? nil : next
  }

  /// Returns the item that stands where one stood at the base: that one, or if it was taken out the one in front of it
  /// then, repeatedly; −1 for the start, `nil` if there is none.
  private func standing(inFor named: ItemID, _ gap: Gap) -> Int32? {
    let since = since(named, gap)
    var (item, last) = (named, History.none)
    while item != .none {
      if let (number, takeOut) = takeOut(of: item, after: last, since: since, gap) {
        (item, last) = (takeOut.predecessor, number)
      } else {
        let slot = state.slot(of: item, for: gap.request.seat)
        return slot >= 0 && state.collection(slot) == gap.collection ? slot : nil
      }
    }
    return -1
  }

  /// Returns whether the author of one item has put another next to it since the base.
  private func isContinued(_ slot: Int32, by neighbor: Int32, _ gap: Gap) -> Bool {
    guard neighbor >= 0 else { return false }
    let (record, other) = (state.forest.records.address(of: slot), state.forest.records.address(of: neighbor))
    return other.pointee.placed > gap.request.base && other.pointee.placedBy == record.pointee.placedBy
      && other.pointee.placedBy != gap.request.author.session
  }

  // MARK: Neighbors

  /// Returns the slot of a neighbor of the gap, −1 for none; `nil` if it is not on the table.
  func slot(ofNeighbor named: ItemID, _ request: Request, _ memory: AuthorMemory) -> Int32? {
    guard named != .none else { return -1 }
    guard let item = known(named, memory) else { return nil }
    let slot = state.slot(of: item, for: request.seat)
    return slot < 0 ? nil : slot
  }

  /// Returns the table's own id of an item; `nil` if its operation made no such item.
  private func known(_ named: ItemID, _ memory: AuthorMemory) -> ItemID? {
    named.isProvisional && state.index.slot(of: named) < 0 ? memory.resolve(named) : named
  }

  private func isOwn(_ slot: Int32, _ gap: Gap) -> Bool {
    let record = state.forest.records.address(of: slot)
    return Int(record.pointee.collection) == gap.collection
      && record.pointee.placedBy == gap.request.author.session && record.pointee.placed > gap.seatedAt
  }

  /// Returns whether an item of the collection is own, or was in it at the base.
  private func stands(_ slot: Int32, _ gap: Gap) -> Bool {
    if isOwn(slot, gap) { return true }
    let record = state.forest.records.address(of: slot)
    return Int(record.pointee.collection) == gap.collection
      && (record.pointee.placed <= gap.request.base
        || history.wasThere(gap.collection, latest: record.pointee.lastTakeOut, since: gap.request.base))
  }

  /// Returns the item directly behind one, or the first of the collection for −1.
  private func next(_ slot: Int32, _ gap: Gap) -> Int32 {
    let next = slot < 0 ? state.forest.first(in: state.root(gap.collection)) : state.forest.next(slot)
    return state.firstStaying(from: next, gap.leaving)
  }

  /// Returns the revision at which a neighbor of the gap stood where the author saw it: what moved it there, if that was the
  /// author's own operation, did not take it out.
  private func since(_ neighbor: ItemID, _ gap: Gap) -> Revision {
    lastMove(of: neighbor, gap.request) ?? gap.request.base
  }

  /// Returns the first record, with a higher number than `last`, of an item that was taken out of the collection.
  private func takeOut(
    of item: ItemID, after last: Int, since: Revision, _ gap: Gap
  ) -> (number: Int, takeOut: History.TakeOut)? {
    let traits = state.traits
    guard item != .none,
      let first = history.firstTakeOut(
        of: item, latest: latestTakeOut(of: item), after: last, since: since,
        where: { traits[Int($0)].isVisible(to: gap.request.seat) }),
      Int(first.takeOut.collection) == gap.collection
    else { return nil }
    return first
  }

  // MARK: Stand-ins

  /// Returns the items that stand in for those that an operation was to put somewhere, if it does not: the neighbors that it
  /// names, or what stands in for these. So an operation that was not accepted never refers to another one.
  func standIns(of operation: TableOperation, by author: Author, _ memory: AuthorMemory) -> AuthorMemory.StandIns {
    let destination: Destination
    switch operation.kind {
    case .reorder(let difference, _): destination = difference.destination
    case .insert(_, let gap), .invalid(_, of: .insert(_, let gap)): destination = gap
    case .remove, .update, .perform, .undo, .unknown, .invalid: return AuthorMemory.StandIns()
    }
    let request = request(operation.sequence, since: operation.base, by: author)
    var standIns = AuthorMemory.StandIns()
    if case .item(let item) = destination.after {
      standIns.after = standIn(for: item, \.after, request, memory) ?? .none
    }
    let before = destination.position.anchor
    if before != .none { standIns.before = standIn(for: before, \.before, request, memory) ?? .none }
    return standIns
  }

  /// N2a, N2g: returns the item that stands in for one that the author's own operations did not put where the author saw it;
  /// the item itself if they did, `nil` if there is none.
  private func standIn(
    for named: ItemID, _ side: KeyPath<AuthorMemory.StandIns, ItemID>, _ request: Request, _ memory: AuthorMemory
  ) -> ItemID? {
    var item = named
    // Each step goes to an earlier operation.
    var sequence = request.sequence
    while true {
      if item.isProvisional, state.index.slot(of: item) < 0 {
        guard item.provisionalOperation < sequence else { return nil }
        if let made = memory.resolve(item) {
          item = made
        } else {
          // The author sees it where it made it, or where it moved it then.
          let note = memory.lastNote(on: item, before: sequence)
          let standIns = note?.standIns ?? memory.standIns(forMissing: item)
          guard let standIn = standIns?[keyPath: side], standIn != .none else { return nil }
          (item, sequence) = (standIn, note?.sequence ?? item.provisionalOperation)
          continue
        }
      }
      guard let note = memory.lastNote(on: item, before: sequence), !note.isInPlace,
        note.revision >= lastMove(of: item, request) ?? .zero
      else { return item }
      let standIn = note.standIns[keyPath: side]
      guard standIn != .none else { return nil }
      (item, sequence) = (standIn, note.sequence)
    }
  }
}
