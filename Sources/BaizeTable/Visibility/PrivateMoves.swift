/// Moves that involve collections whose visible contents depend on the seat, and the changes that each seat receives:
///
/// | items move | the owner receives | all others receive |
/// |---|---|---|
/// | within a private collection | Moved | nothing |
/// | from a public one into it | Removed, Inserted under new ids | Removed, Counted |
/// | out of it into a public one | Moved | Inserted, Counted |
/// | from one private one into another's | one Removed, the other Inserted under new ids | Counted for both |
/// | out of it and out of public ones | Moved | Moved (the public ones), Inserted (each run of the others), Counted |
extension Table {
  /// Moves `slots` as one block, in this order, if not all seats see the same of it.
  ///
  /// All of them get new ids if one of them becomes hidden from a viewer, or enters a private collection.
  mutating func movePrivately(
    _ slots: SlotList, to collection: Int, at landing: BlockLanding, _ builder: inout DiffBuilder
  ) {
    let viewer = builder.author.seat
    let sources = slots.map(state.collection)
    let visibilities = slots.map { state.visibility(of: $0) }
    let isRenamed =
      haveSeveralOwners(sources)
      || slots.indices.contains { loses(slots[$0], from: sources[$0], to: collection) }
    let newIDs = isRenamed ? makeIDs(slots.count, in: collection, &builder) : []
    let oldIDs = slots.map(state.id)
    if isRenamed { noteEnds(slots, at: builder.revision) }
    recordTakeOuts(slots, builder.author.session, builder.revision)
    let left: InlineList<Int>
    if isRenamed {
      left = takeOut(slots, &builder)
    } else {
      left = state.collections(of: slots)
      for slot in slots { state.take(slot) }
    }
    // Entering or leaving such a collection reveals or hides something, so it cannot be undone.
    if sources.contains(where: { $0 != collection }) { builder.isFinal = true }
    let faces = state.kind(of: collection).faces
    settle(slots, in: collection, at: landing, builder.author.session, builder.revision)
    let placement = placement(of: slots, in: collection)
    for (position, slot) in slots.enumerated() {
      turn(slot, by: faces, at: builder.revision)
      if isRenamed {
        if !Mutation.name.isActive { state.rename(slot, to: newIDs[position]) }
        undos.note(.made(newIDs[position]), at: builder.revision)
      }
      forgetHiddenFace(slot, viewer)
    }
    if isRenamed {
      addCounts(of: left.filter { $0 != collection }, &builder)
      addInserted(slots.map(state.item), placement, &builder)
    } else {
      addMoved(slots, oldIDs, from: sources, placement, &builder)
      addCounts(of: left.filter { $0 != collection }, &builder)
      let shown = slots.indices.filter { isShown(slots[$0], visibilities[$0], from: sources[$0]) }.map {
        state.item(slots[$0])
      }
      if !shown.isEmpty { addFaced(shown, &builder) }
    }
    if role == .replica, !state.isVisible(collection, to: viewer) { vanish(slots, in: collection) }
  }

  /// Returns whether items leave the private collections of more than one seat.
  private func haveSeveralOwners(_ sources: [Int]) -> Bool {
    let owners = sources.filter { state.kind(of: $0).isPrivate }.map { state.owner(of: $0) }
    return owners.contains { $0 != owners[0] }
  }

  /// Returns whether a viewer that sees an item, or knows of it, would no longer do so.
  private func loses(_ slot: Int32, from source: Int, to collection: Int) -> Bool {
    if source == collection { return false }
    if state.kind(of: collection).isPrivate { return true }
    let isFaceUp = state.forest.records[slot].isFaceUp
    let visibility = state.visibility(in: source, isFaceUp: isFaceUp)
    let newVisibility = state.visibility(in: collection, isFaceUp: state.kind(of: collection).faces.isFaceUp(isFaceUp))
    return visibility != newVisibility && visibility != .nobody && newVisibility != .everyone
  }

  /// Returns whether a face must be sent: a viewer sees it now that did not, and that does not receive the item as
  /// inserted.
  private func isShown(_ slot: Int32, _ visibility: FaceVisibility, from source: Int) -> Bool {
    guard state.visibility(of: slot) != visibility else { return false }
    return !state.kind(of: source).isPrivate || !visibility.includes(state.owner(of: source))
  }

  // MARK: Replicas

  /// Makes a replica forget the face of an item that its viewer may no longer see.
  mutating func forgetHiddenFace(_ slot: Int32, _ viewer: SeatNumber) {
    guard role == .replica, state.forest.records[slot].isFaceKnown, !state.canSee(slot, from: viewer) else { return }
    let record = state.forest.records[slot]
    state.setFace(slot, Face())
    state.setAppearance(slot, isFaceUp: record.isFaceUp, isFaceKnown: false, isPinned: record.isPinned)
  }

  /// Makes a replica forget items that entered another seat's private collection: there they are only counted.
  mutating func vanish(_ slots: SlotList, in collection: Int) {
    for slot in slots {
      state.take(slot)
      state.destroy(slot)
    }
    state.setHiddenCount(collection, state.collections[collection].hiddenCount + slots.count)
  }

  /// Returns the new ids as their author may see them: none for items in another seat's private collection.
  func visibleToAuthor(_ minted: [ItemID], in collection: Int, _ builder: DiffBuilder) -> [ItemID] {
    state.isVisible(collection, to: builder.author.seat)
      ? minted : Array(repeating: .none, count: minted.count)
  }
}

extension TableState {
  /// Returns whether a move involves a collection whose visible contents depend on the seat.
  func concernsSecrets(_ slots: SlotList, to collection: Int) -> Bool {
    traits(of: collection).flags.contains(.isSecret)
      || slots.contains { traits(of: self.collection($0)).flags.contains(.isSecret) }
  }

  /// Returns whether a move that changes nothing still makes a diff: others must not learn whether private items were
  /// reordered.
  @inline(__always) func isSilent(_ collection: Int) -> Bool {
    type.hasSecrets && traits(of: collection).flags.contains(.isPrivate) && !Mutation.order.isActive
  }
}
