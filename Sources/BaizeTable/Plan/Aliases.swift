/// Y1–Y8: what aliases add to drops, moves and removals.
///
/// ```
/// item   ─ removed, given a new id, or moved to where faces may be hidden ─▶ its aliases go by the same diff
///        ─ its face changes ─▶ those of its aliases change by the same diff
/// alias  ─ moved, removed ─▶ the item stays as it is
/// ```
extension TableState {
  /// Refuses to move aliases to where not everyone sees every face.
  func checkAliases(among slots: SlotList, on destination: Int) throws(Refusal) {
    guard !kind(of: destination).isOpen else { return }
    for slot in slots where isAlias(slot) {
      throw Refusal(
        .foreignItem, rule: kind(of: destination).path, detail: "an alias is only where everyone sees all faces")
    }
  }
}

extension Table {
  /// Returns the aliases that a drop makes of items: of an alias another one of its item.
  ///
  /// - Throws: The refusal of more aliases, or larger ones, than an item, an operation or a table may have.
  func aliases(of slots: SlotList) throws(Refusal) -> [Plan.Copy.Original] {
    try checkShowable(slots)
    try checkSize(
      items: slots.count,
      faceBytes: slots.reduce(0) { $0 + TableLimits.aliasContentBytes + state.type.countedBytes(of: state.faces[$1]) })
    var originals: [Plan.Copy.Original] = []
    var counts: [ItemID: Int] = [:]
    for slot in slots {
      // A replica may not know a face that the daemon sent to others.
      guard state.forest.records[slot].isFaceKnown else { throw Refusal.unpredictable }
      var original = state.original(slot)
      original.aliasOf = state.original(of: slot)
      counts[original.aliasOf, default: 0] += 1
      originals.append(original)
    }
    try checkAliases(counts)
    return originals
  }

  /// Refuses to make more aliases than an item or a table may have.
  ///
  /// - Parameter made: The number of new aliases of each item, without those that leave.
  func checkAliases(_ made: [ItemID: Int]) throws(Refusal) {
    guard state.aliases.count + made.values.reduce(0, +) <= TableLimits.aliasesPerTableMax else {
      throw Refusal(.tableSize, detail: "a table has at most \(TableLimits.aliasesPerTableMax) aliases")
    }
    for (item, count) in made where state.aliases(of: item).count + count > TableLimits.aliasesPerItemMax {
      throw Refusal(.tableSize, detail: "an item has at most \(TableLimits.aliasesPerItemMax) aliases")
    }
  }

  /// Refuses a move to where faces may be hidden if more aliases go than an operation may remove.
  func checkAliases(of slots: SlotList, movedTo destination: Int) throws(Refusal) {
    guard !state.kind(of: destination).isOpen else { return }
    try checkRemovable(SlotList(try withAliases(slots).dropFirst(slots.count)))
  }

  // MARK: Undo

  /// Returns whether an undo would leave aliases without their items, or where they must not be: of items that leave, or that
  /// return to where faces may be hidden, and those that return themselves while their items do not.
  func strandsAliases(_ inverse: Inverse) -> Bool {
    let made = Set(inverse.made)
    func haveOthers(_ slot: Int32) -> Bool { state.aliasSlots(of: slot).contains { !made.contains($0) } }
    if !state.aliases.isEmpty {
      if inverse.made.contains(where: haveOthers) { return true }
      for back in inverse.returns where !state.kind(of: back.collection).isOpen {
        for slot in back.items.lazy.map(state.index.slot(of:)) where slot >= 0 {
          if state.isAlias(slot) || haveOthers(slot) { return true }
        }
      }
    }
    guard inverse.ended.values.contains(where: { $0.aliasOf != .none }) else { return false }
    // The last take-out is reversed first, so that an item leaves again the collection to which it returns first.
    var collections: [ItemID: Int] = [:]
    for back in inverse.returns { for item in back.items { collections[item] = back.collection } }
    return inverse.ended.values.contains { appearance in
      guard appearance.aliasOf != .none else { return false }
      let slot = state.index.slot(of: appearance.aliasOf)
      let present = slot < 0 || made.contains(slot) ? nil : state.collection(slot)
      guard let collection = collections[appearance.aliasOf] ?? present else { return true }
      return !state.kind(of: collection).isOpen
    }
  }

  /// Returns what an undo shows and adds besides the appearances that return: the faces of the aliases of items that change,
  /// and, of aliases that return, the difference between their former faces and those that their items have now.
  ///
  /// - Throws: The refusal of more aliases than an item or a table may have.
  func aliasBytes(
    of inverse: Inverse, _ changed: [(item: ItemID, appearance: UndoWindow.Appearance)]
  ) throws(Refusal) -> (count: Int, shown: Int, growth: Int) {
    let countedBytes = state.type.countedBytes(of:)
    var (count, shown, growth) = (0, 0, 0)
    if !state.aliases.isEmpty {
      for change in changed {
        let slot = state.index.slot(of: change.item)
        guard slot >= 0 else { continue }
        let difference = countedBytes(change.appearance.face) - countedBytes(state.faces[slot])
        guard !state.isAlias(slot) else {
          // It keeps its item's face.
          growth -= difference
          continue
        }
        let aliases = state.aliasSlots(of: slot).count
        count += aliases
        shown += aliases * countedBytes(change.appearance.face)
        growth += aliases * difference
      }
    }
    var made: [ItemID: Int] = [:]
    for appearance in inverse.ended.values where appearance.aliasOf != .none {
      made[appearance.aliasOf, default: 0] += 1
      growth += TableLimits.aliasContentBytes
      let slot = state.index.slot(of: appearance.aliasOf)
      guard slot >= 0 else { continue }
      let difference = countedBytes(state.faces[slot]) - countedBytes(appearance.face)
      shown += difference
      growth += difference
    }
    for slot in inverse.made where state.isAlias(slot) { made[state.forest.records[slot].aliasOf, default: 0] -= 1 }
    try checkAliases(made)
    return (count, shown, growth)
  }

  // MARK: Removal

  /// Returns items with their aliases behind them.
  func withAliases(_ slots: SlotList) throws(Refusal) -> SlotList {
    let aliases = state.aliasSlots(of: slots)
    guard !aliases.isEmpty else { return slots }
    guard slots.count + aliases.count <= itemsPerOperationMax else {
      throw Refusal(
        .tooManyItems, detail: "an operation removes at most \(itemsPerOperationMax) items, their aliases included")
    }
    return SlotList(Array(slots) + aliases)
  }
}
