/// The effects on aliases when their items change, move or leave.
extension Table {
  /// Gives an item, and its aliases, a face.
  ///
  /// - Returns: All of them, with the face.
  mutating func setFace(_ slot: Int32, _ face: Face) -> [Item] {
    state.setFace(slot, face)
    guard !state.aliases.isEmpty else { return [state.item(slot)] }
    let aliases = state.aliasSlots(of: slot)
    for alias in aliases { state.setFace(alias, face) }
    return [state.item(slot)] + aliases.map(state.item)
  }

  /// Moves items to where faces may be hidden: the aliases among them, and those of the others, leave the table.
  mutating func moveWithoutAliases(
    _ slots: SlotList, to collection: Int, at landing: BlockLanding, _ builder: inout DiffBuilder
  ) {
    let (ending, moving) = (slots.filter(state.isAlias), SlotList(slots.filter { !state.isAlias($0) }))
    // Only steps move an alias there.
    if !ending.isEmpty { end(SlotList(ending), &builder) }
    guard !moving.isEmpty else { return }
    // By the ids that the items have now: they may get others.
    let aliases = state.aliasSlots(of: moving)
    moveAlone(moving, to: collection, at: landing, &builder)
    if !aliases.isEmpty { end(SlotList(aliases), &builder) }
  }

  /// Removes the aliases of the items of a collection that are about to get new ids.
  ///
  /// - Returns: Whether the steps of one operation may remove so many.
  mutating func endAliases(ofItemsIn collection: Int, _ builder: inout DiffBuilder) -> Bool {
    var aliases: [Int32] = []
    for slot in state.slots(in: collection) { aliases += state.aliasSlots(of: slot) }
    guard !aliases.isEmpty else { return true }
    let bytes = state.shownBytes(of: SlotList(aliases))
    guard aliases.count <= builder.stepItemsLeft, bytes <= builder.stepBytesLeft else { return false }
    builder.stepItemsLeft -= aliases.count
    builder.stepBytesLeft -= bytes
    end(SlotList(aliases), &builder)
    return true
  }

  /// Returns the first of the items that are dealt to where faces may be hidden, as many as may move with the aliases that go,
  /// and counts these aliases.
  mutating func limitAliases(of slots: SlotList, _ builder: inout DiffBuilder) -> SlotList {
    var limited = SlotList()
    for slot in slots {
      let aliases = SlotList(state.aliasSlots(of: slot))
      let bytes = aliases.isEmpty ? 0 : state.shownBytes(of: aliases)
      guard limited.count + 1 + aliases.count <= builder.stepItemsLeft, bytes <= builder.stepBytesLeft else { break }
      builder.stepItemsLeft -= aliases.count
      builder.stepBytesLeft -= bytes
      limited.append(slot)
    }
    return limited
  }
}
