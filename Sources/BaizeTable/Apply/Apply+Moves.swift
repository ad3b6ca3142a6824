/// Moves of items, with their records for history and undo.
extension Table {
  /// Where the items of a block land.
  enum BlockLanding {
    /// Together at a place.
    case block(Place)
    /// Each directly behind the position that it had left, by the numbers of these (N5).
    case returning([Int])
  }

  /// Moves `slots` as one block, in this order.
  ///
  /// Items that are turned face down get new ids, so that no one can follow them: the changes are then `removed` and
  /// `inserted`.
  mutating func move(
    _ slots: SlotList, to collection: Int, at landing: BlockLanding, _ builder: inout DiffBuilder
  ) {
    if !state.aliases.isEmpty, !state.kind(of: collection).isOpen {
      return moveWithoutAliases(slots, to: collection, at: landing, &builder)
    }
    moveAlone(slots, to: collection, at: landing, &builder)
  }

  /// Moves `slots` if no aliases go by that.
  mutating func moveAlone(
    _ slots: SlotList, to collection: Int, at landing: BlockLanding, _ builder: inout DiffBuilder
  ) {
    if state.type.hasSecrets, state.concernsSecrets(slots, to: collection) {
      return movePrivately(slots, to: collection, at: landing, &builder)
    }
    let mayHide = state.traits(of: collection).flags.contains(.hasFaceDownItems)
    guard !mayHide, slots.allSatisfy({ state.forest.records.address(of: $0).pointee.isFaceUp }) else {
      return moveAndTurn(slots, to: collection, at: landing, &builder)
    }
    recordTakeOuts(slots, builder.author.session, builder.revision)
    let ids = ids(of: slots)
    place(slots, in: collection, at: landing, builder.author.session, builder.revision)
    builder.add(.moved(ids, placement(of: slots, in: collection)))
  }

  /// Moves a block whose items may be turned face up or face down by it.
  private mutating func moveAndTurn(
    _ slots: SlotList, to collection: Int, at landing: BlockLanding, _ builder: inout DiffBuilder
  ) {
    recordTakeOuts(slots, builder.author.session, builder.revision)
    let faces = state.kind(of: collection).faces
    let isHidden = slots.contains { state.forest.records[$0].isFaceUp && !faces.isFaceUp(true) }
    let newIDs = isHidden ? makeIDs(slots.count, in: collection, &builder) : []
    if isHidden { noteEnds(slots, at: builder.revision) }
    let oldIDs = ids(of: slots)
    var shown: [Item] = []
    place(slots, in: collection, at: landing, builder.author.session, builder.revision)
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
    let placement = placement(of: slots, in: collection)
    if isHidden {
      // Ascending, so that their order says nothing about which item is which from now on.
      builder.add(.removed(ItemList(oldIDs.sorted { $0.rawValue < $1.rawValue })))
      builder.add(.inserted(slots.map(state.item), placement))
    } else {
      builder.add(.moved(oldIDs, placement))
      if !shown.isEmpty { builder.add(.faced(shown)) }
    }
  }

  /// Takes items out of their collections and puts them in as one block.
  mutating func place(
    _ slots: SlotList, in collection: Int, at landing: BlockLanding, _ session: SessionID, _ revision: Revision
  ) {
    for slot in slots { state.take(slot) }
    settle(slots, in: collection, at: landing, session, revision)
  }

  /// Puts items that are in no collection into one.
  mutating func settle(
    _ slots: SlotList, in collection: Int, at landing: BlockLanding, _ session: SessionID, _ revision: Revision
  ) {
    switch landing {
    case .block(let place): settle(slots, in: collection, at: place, by: session, revision)
    case .returning(let numbers):
      for (slot, number) in zip(slots, numbers) { settle(slot, behind: number, in: collection, revision) }
    }
  }

  /// Returns where a block stands, as a diff describes it.
  func placement(of slots: SlotList, in collection: Int) -> Placement {
    let anchor = state.forest.next(slots[slots.count - 1])
    var placement = Placement(
      collection: state.handle(collection), position: Position(anchor: state.id(anchor)))
    placement.gone = vacancy(inFrontOf: anchor, in: collection)
    return placement
  }

  /// Returns the first vacant position of the chain in front of an item, or at the end for −1.
  private func vacancy(inFrontOf slot: Int32, in collection: Int) -> Vacancy? {
    let first = history.outermost(history.index(of: chain(before: slot, in: collection)), isFirst: true)
    return first >= 0 ? history.vacancy(first) : nil
  }

  @inline(__always) func ids(of slots: SlotList) -> ItemList {
    if case .one(let slot) = slots { return .one(state.forest.records.address(of: slot).pointee.id) }
    return ItemList(slots.map(state.id))
  }

  // MARK: History

  /// Records the items that are about to be taken out, in table order, and the positions that they leave.
  mutating func recordTakeOuts(_ slots: SlotList, _ author: SessionID, _ revision: Revision) {
    for slot in state.inTableOrder(slots) {
      let number = vacate(slot, before: state.forest.next(slot), author, revision)
      state.setLastTakeOut(slot, number)
    }
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

  /// Records the appearance of an item before it changes, for undo.
  mutating func noteAppearance(_ slot: Int32, at revision: Revision) {
    undos.note(.changed(state.id(slot), state.appearance(slot)), at: revision)
  }
}
