/// Moves of items, with their records for history and undo.
extension Table {
  /// Moves `slots` as one block, in this order.
  ///
  /// Items that are turned face down get new ids, so that no one can follow them: the changes are then `removed` and
  /// `inserted`.
  mutating func move(
    _ slots: SlotList, to collection: Int, before anchor: Int32, isAsRequested: Bool, _ builder: inout DiffBuilder
  ) {
    if !state.aliases.isEmpty, !state.kind(of: collection).isOpen {
      return moveWithoutAliases(slots, to: collection, before: anchor, isAsRequested: isAsRequested, &builder)
    }
    moveAlone(slots, to: collection, before: anchor, isAsRequested: isAsRequested, &builder)
  }

  /// Moves `slots` if no aliases go by that.
  mutating func moveAlone(
    _ slots: SlotList, to collection: Int, before anchor: Int32, isAsRequested: Bool, _ builder: inout DiffBuilder
  ) {
    if state.type.hasSecrets, state.concernsSecrets(slots, to: collection) {
      return movePrivately(slots, to: collection, before: anchor, isAsRequested: isAsRequested, &builder)
    }
    let destination = Destination(
      collection: state.handle(collection), position: Position(anchor: state.id(anchor)))
    let mayHide = state.traits(of: collection).flags.contains(.hasFaceDownItems)
    guard !mayHide, slots.allSatisfy({ state.forest.records.address(of: $0).pointee.isFaceUp }) else {
      return moveAndTurn(slots, to: destination, before: anchor, isAsRequested: isAsRequested, &builder)
    }
    builder.add(.moved(ids(of: slots), destination))
    if case .one(let slot) = slots {
      return moveOne(
        slot, from: state.forest.neighbors(of: slot), to: collection, before: anchor, isAsRequested: isAsRequested,
        builder.author.session, builder.revision)
    }
    recordTakeOuts(slots, isAsRequested: isAsRequested, builder.author.session, builder.revision)
    place(slots, in: collection, before: anchor, builder.author.session, builder.revision)
  }

  /// Carries out a plain move that changes something.
  ///
  /// - Returns: Its diff, which raises the revision by one.
  /// - Complexity: O(log n).
  @inline(__always) mutating func apply(_ move: PlainMove) -> SingleMoveDiff {
    let revision = state.revision.next
    let record = state.forest.records.address(of: move.slot)
    let destination = Destination(
      collection: CollectionHandle(index: Int(move.collection)), position: Position(anchor: state.id(move.anchor)))
    let diff = SingleMoveDiff(
      revision: revision, author: move.author.session, sequence: move.sequence, item: record.pointee.id,
      destination: destination, operation: .move, isRebased: move.isRebased, isRedirected: false)
    moveOne(
      move.slot, from: (move.predecessor, move.successor), to: Int(move.collection), before: move.anchor,
      isAsRequested: true, move.author.session, revision)
    state.revision = revision
    undos.append(
      UndoWindow.Operation(
        revision: revision, author: move.author.session, sequence: move.sequence, undoes: .zero))
    // A prediction must not push confirmed records out of the window.
    if state.predictionLog == nil { trimHistory() }
    return diff
  }

  /// Moves one item that is not turned over: the most common operation.
  @inline(__always) private mutating func moveOne(
    _ slot: Int32, from neighbors: (previous: Int32, next: Int32), to collection: Int, before anchor: Int32,
    isAsRequested: Bool, _ session: SessionID, _ revision: Revision
  ) {
    let takeOut = takeOut(slot, neighbors.previous, neighbors.next, isAsRequested, isFirst: true, session, revision)
    state.relocate(
      slot, to: collection, before: anchor, at: revision, by: session, lastTakeOut: history.append(takeOut))
  }

  /// Moves a block whose items may be turned face up or face down by it.
  private mutating func moveAndTurn(
    _ slots: SlotList, to destination: Destination, before anchor: Int32, isAsRequested: Bool,
    _ builder: inout DiffBuilder
  ) {
    recordTakeOuts(slots, isAsRequested: isAsRequested, builder.author.session, builder.revision)
    let collection = state.index(of: destination.collection)
    let faces = state.kind(of: collection).faces
    let isHidden = slots.contains { state.forest.records[$0].isFaceUp && !faces.isFaceUp(true) }
    let newIDs = isHidden ? makeIDs(slots.count, in: collection, &builder) : []
    if isHidden { noteEnds(slots, at: builder.revision) }
    let oldIDs = ids(of: slots)
    var shown: [Item] = []
    place(slots, in: collection, before: anchor, builder.author.session, builder.revision)
    for (position, slot) in slots.enumerated() {
      let wasFaceUp = state.forest.records[slot].isFaceUp
      turn(slot, by: faces, at: builder.revision)
      if isHidden {
        state.rename(slot, to: newIDs[position])
        forgetHiddenFace(slot, builder.author.seat)
        undos.note(.made(newIDs[position]), at: builder.revision)
      }
      if !wasFaceUp, state.forest.records[slot].isFaceUp { shown.append(state.item(slot)) }
    }
    if isHidden || !shown.isEmpty { builder.isFinal = true }
    if isHidden {
      // Ascending, so that their order says nothing about which item is which from now on.
      builder.add(.removed(ItemList(oldIDs.sorted { $0.rawValue < $1.rawValue })))
      builder.add(.inserted(slots.map(state.item), destination))
    } else {
      builder.add(.moved(oldIDs, destination))
      if !shown.isEmpty { builder.add(.faced(shown)) }
    }
  }

  /// Takes items out of their collections and puts them in as one block.
  mutating func place(
    _ slots: SlotList, in collection: Int, before anchor: Int32, _ session: SessionID, _ revision: Revision
  ) {
    for slot in slots { state.take(slot) }
    for slot in slots {
      state.put(slot, in: collection, before: anchor)
      state.stamp(slot, at: revision, by: session)
    }
  }

  @inline(__always) func ids(of slots: SlotList) -> ItemList {
    if case .one(let slot) = slots { return .one(state.forest.records.address(of: slot).pointee.id) }
    return ItemList(slots.map(state.id))
  }

  // MARK: History

  /// Records the items that are about to be taken out, and the items behind them.
  mutating func recordTakeOuts(_ slots: SlotList, isAsRequested: Bool, _ author: SessionID, _ revision: Revision) {
    if case .one(let slot) = slots {
      let neighbors = state.forest.neighbors(of: slot)
      return recordTakeOut(slot, neighbors.previous, neighbors.next, isAsRequested, isFirst: true, author, revision)
    }
    for (position, leaving) in state.withNeighbors(slots).enumerated() {
      recordTakeOut(
        leaving.slot, leaving.predecessor, leaving.successor, isAsRequested, isFirst: position == 0, author, revision)
    }
  }

  private mutating func recordTakeOut(
    _ slot: Int32, _ predecessor: Int32, _ successor: Int32, _ isAsRequested: Bool, isFirst: Bool, _ author: SessionID,
    _ revision: Revision
  ) {
    let takeOut = takeOut(slot, predecessor, successor, isAsRequested, isFirst: isFirst, author, revision)
    state.setLastTakeOut(slot, history.append(takeOut))
  }

  @inline(__always) private func takeOut(
    _ slot: Int32, _ predecessor: Int32, _ successor: Int32, _ isAsRequested: Bool, isFirst: Bool, _ author: SessionID,
    _ revision: Revision
  ) -> History.TakeOut {
    let record = state.forest.records.address(of: slot)
    return History.TakeOut(
      revision: revision, item: record.pointee.id, successor: state.id(successor),
      predecessor: state.id(predecessor), author: author, placed: record.pointee.placed,
      placedBy: record.pointee.placedBy, previous: record.pointee.lastTakeOut, collection: record.pointee.collection,
      isAsRequested: isAsRequested, isFirst: isFirst)
  }

  /// Records the appearance of items that are about to get new ids, for copies of what their authors saw.
  mutating func noteEnds(_ slots: SlotList, at revision: Revision) {
    guard state.type.allowsCopies else { return }
    for slot in slots { undos.note(.ended(state.id(slot), state.appearance(slot)), at: revision) }
  }

  /// Turns an item as the faces of the collection that it has entered require.
  mutating func turn(_ slot: Int32, by faces: FaceRule, at revision: Revision) {
    let isFaceUp = faces.isFaceUp(state.forest.records[slot].isFaceUp)
    if isFaceUp, !state.forest.records[slot].isFaceUp, state.type.allowsCopies { noteAppearance(slot, at: revision) }
    state.setFaceUp(slot, isFaceUp)
  }

  /// Records the appearance of an item before an operation changes it, for undo.
  mutating func noteAppearance(_ slot: Int32, _ builder: inout DiffBuilder) {
    if state.traits(of: state.collection(slot)).flags.contains(.isPrivate) { builder.privateNotes += 1 }
    noteAppearance(slot, at: builder.revision)
  }

  /// Records the appearance of an item before it changes, for undo.
  mutating func noteAppearance(_ slot: Int32, at revision: Revision) {
    undos.note(.changed(state.id(slot), state.appearance(slot)), at: revision)
  }
}
