extension Table {
  mutating func carryOut(_ inverse: Inverse, _ builder: inout DiffBuilder) {
    builder.undoes = inverse.revision
    if !inverse.made.isEmpty { end(inverse.made, &builder) }
    for back in inverse.returns {
      let anchor = back.anchor == .none ? -1 : state.index.slot(of: back.anchor)
      if inverse.ended[back.items[0]] != nil {
        bringBack(back, inverse.ended, before: anchor, &builder)
      } else {
        var slots = SlotList()
        for item in back.items { slots.append(state.index.slot(of: item)) }
        move(slots, to: back.collection, before: anchor, isAsRequested: true, &builder)
      }
    }
    for (item, appearance) in inverse.changed where inverse.ended[item] == nil {
      let slot = state.index.slot(of: item)
      guard slot >= 0 else { continue }
      noteAppearance(slot, &builder)
      state.setAppearance(
        slot, isFaceUp: appearance.isFaceUp, isFaceKnown: appearance.isFaceKnown, isPinned: appearance.isPinned)
      // The face of an alias is its item's, which may have changed since.
      let isChanged = state.faces[slot] != appearance.face && !state.isAlias(slot)
      addFaced(isChanged ? setFace(slot, appearance.face) : [state.item(slot)], &builder)
    }
    for variable in inverse.variables { set(variable, &builder) }
    if let status = inverse.status { set(status, &builder) }
  }

  /// Puts items that left the table back on it, with their former appearance and history.
  private mutating func bringBack(
    _ back: Inverse.Return, _ ended: [ItemID: UndoWindow.Appearance], before anchor: Int32, _ builder: inout DiffBuilder
  ) {
    let destination = Destination(
      collection: state.handle(back.collection), position: Position(anchor: state.id(anchor)))
    var items: [Item] = []
    for id in back.items {
      guard let appearance = ended[id] else { continue }
      let record = ItemRecord(
        id: id, placed: builder.revision, placedBy: builder.author.session, lastTakeOut: appearance.lastTakeOut,
        isFaceUp: appearance.isFaceUp, isFaceKnown: appearance.isFaceKnown, isPinned: appearance.isPinned,
        aliasOf: appearance.aliasOf)
      // An alias returns with the face that its item has now.
      let original = appearance.aliasOf == .none ? -1 : state.index.slot(of: appearance.aliasOf)
      let slot = state.create(id, face: original < 0 ? appearance.face : state.faces[original], record: record)
      if appearance.opens >= 0 {
        let index = Int(appearance.opens)
        state.open(index, of: Int(state.traits(of: index).kind), by: slot)
      }
      undos.note(.made(id), at: builder.revision)
      state.put(slot, in: back.collection, before: anchor)
      items.append(state.item(slot))
    }
    addInserted(items, destination, &builder)
  }
}
