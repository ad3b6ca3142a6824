extension Table {
  mutating func carryOut(_ inverse: Inverse, _ builder: inout DiffBuilder) {
    builder.undoes = inverse.revision
    if !inverse.made.isEmpty { end(inverse.made, &builder) }
    for back in inverse.returns {
      if inverse.ended[back.items[0]] != nil {
        bringBack(back, inverse.ended, &builder)
      } else {
        let slots = SlotList(back.items.map { state.index.slot(of: $0) })
        move(slots, to: back.collection, at: .returning(back.positions), &builder)
      }
    }
    for (item, appearance) in inverse.changed where inverse.ended[item] == nil {
      let slot = state.index.slot(of: item)
      guard slot >= 0 else { continue }
      noteAppearance(slot, at: builder.revision)
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
    _ back: Inverse.Return, _ ended: [ItemID: UndoWindow.Appearance], _ builder: inout DiffBuilder
  ) {
    var slots = SlotList()
    for (id, position) in zip(back.items, back.positions) {
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
      settle(slot, behind: position, in: back.collection, builder.revision)
      slots.append(slot)
    }
    addInserted(slots.map(state.item), placement(of: slots, in: back.collection), &builder)
  }
}
