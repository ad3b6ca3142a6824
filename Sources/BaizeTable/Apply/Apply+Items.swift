/// Making and removing items.
extension Table {
  mutating func carryOut(_ copy: Plan.Copy, _ builder: inout DiffBuilder) {
    let ids = makeIDs(role == .replica ? copy.namedCount : copy.originals.count, in: copy.collection, &builder)
    let kind = state.kind(of: copy.collection)
    let originals = copy.originals
    // A replica's k-th id belongs to the k-th named item; the daemon's ids are in the order of the accepted items.
    let positions = originals.indices.map { copy.positions?[$0] ?? $0 }
    let used = role == .replica ? positions.map { ids[$0] } : ids
    var minted = Array(repeating: ItemID.none, count: copy.namedCount)
    for (index, position) in positions.enumerated() { minted[position] = used[index] }
    builder.setMinted(visibleToAuthor(minted, in: copy.collection, builder))
    // A copy may be visible although its source is not.
    for original in originals {
      let visibility = state.visibility(in: copy.collection, isFaceUp: kind.faces.isFaceUp(original.isFaceUp))
      if original.visibility != .everyone, original.visibility != visibility { builder.isFinal = true }
    }
    make(
      originals.map { $0.aliasOf == .none ? $0.face.keeping(kind.accept.contentTypes) : $0.face },
      isFaceUp: { originals[$0].isFaceUp },
      isKnown: { originals[$0].isFaceKnown }, aliasOf: { originals[$0].aliasOf }, ids: used, in: copy.collection,
      at: copy.place, &builder)
  }

  mutating func carryOut(_ insertion: Plan.Insertion, _ builder: inout DiffBuilder) {
    let (accepted, named) = (insertion.faces.count, insertion.namedCount)
    let ids = makeIDs(role == .replica ? named : accepted, in: insertion.collection, &builder)
    let minted = Array(ids.prefix(accepted)) + Array(repeating: .none, count: named - accepted)
    builder.setMinted(visibleToAuthor(minted, in: insertion.collection, builder))
    make(
      insertion.faces, isFaceUp: { _ in true }, isKnown: { _ in true }, aliasOf: { _ in .none }, ids: ids,
      in: insertion.collection, at: insertion.place, &builder)
  }

  /// Puts new items as one block at a place.
  private mutating func make(
    _ newFaces: [Face], isFaceUp: (Int) -> Bool, isKnown: (Int) -> Bool, aliasOf: (Int) -> ItemID, ids: [ItemID],
    in collection: Int, at place: Place, _ builder: inout DiffBuilder
  ) {
    let (rule, opening) = (state.kind(of: collection).faces, state.kind(of: collection).opens)
    var items: [Item] = []
    items.reserveCapacity(newFaces.count)
    var slots = SlotList()
    for (position, face) in newFaces.enumerated() {
      let record = ItemRecord(
        id: ids[position], placed: builder.revision, placedBy: builder.author.session,
        isFaceUp: rule.isFaceUp(isFaceUp(position)), isFaceKnown: isKnown(position), aliasOf: aliasOf(position))
      let slot = state.create(ids[position], face: face, record: record)
      if let opening { state.open(state.collections.count, of: opening.kind, by: slot) }
      undos.note(.made(ids[position]), at: builder.revision)
      slots.append(slot)
    }
    settle(slots, in: collection, at: place, by: builder.author.session, builder.revision)
    for slot in slots {
      forgetHiddenFace(slot, builder.author.seat)
      items.append(state.item(slot))
    }
    let placement = placement(of: slots, in: collection)
    addInserted(items, placement, &builder)
    if role == .replica, !state.isVisible(collection, to: builder.author.seat) { vanish(slots, in: collection) }
  }

  /// Takes items off the table.
  mutating func end(_ slots: SlotList, _ builder: inout DiffBuilder) {
    recordTakeOuts(slots, builder.author.session, builder.revision)
    for slot in slots { undos.note(.ended(state.id(slot), state.appearance(slot)), at: builder.revision) }
    let left = takeOut(slots, &builder)
    for slot in slots { state.destroy(slot) }
    addCounts(of: left, &builder)
  }
}

extension TableState {
  func appearance(_ slot: Int32) -> UndoWindow.Appearance {
    let record = forest.records[slot]
    return UndoWindow.Appearance(
      face: faces[slot], isFaceUp: record.isFaceUp, isFaceKnown: record.isFaceKnown, isPinned: record.isPinned,
      opens: record.opens, aliasOf: record.aliasOf, lastTakeOut: record.lastTakeOut)
  }
}
