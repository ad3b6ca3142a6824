/// The aliases of the items that have some. An alias knows its item by itself (see ``ItemRecord/aliasOf``).
struct AliasIndex: Sendable {
  private var aliases: [ItemID: [ItemID]] = [:]
  /// The number of all aliases.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The items that have aliases, ascending by id.
  var items: [ItemID] { aliases.keys.sorted { $0.rawValue < $1.rawValue } }

  /// Returns the aliases of an item, ascending by id.
  ///
  /// - Complexity: O(k) for k aliases.
  func aliases(of item: ItemID) -> [ItemID] { isEmpty ? [] : aliases[item] ?? [] }

  /// Adds an alias.
  mutating func insert(_ alias: ItemID, of item: ItemID) {
    count += 1
    var all = aliases.removeValue(forKey: item) ?? []
    all.insert(alias, at: all.firstIndex { $0.rawValue > alias.rawValue } ?? all.count)
    aliases[item] = all
  }

  /// Removes an alias that is in the index.
  mutating func remove(_ alias: ItemID, of item: ItemID) {
    guard var all = aliases.removeValue(forKey: item), let index = all.firstIndex(of: alias) else {
      preconditionFailure("item \(alias.rawValue) is no alias of \(item.rawValue)")
    }
    count -= 1
    all.remove(at: index)
    if !all.isEmpty { aliases[item] = all }
  }
}

/// Aliases: items that stand for others (rules Y1 to Y8 of `Protocol/operations.md`).
extension TableState {
  /// The number of aliases on the table.
  public var aliasCount: Int { aliases.count }

  /// Returns the aliases of an item, ascending by id.
  ///
  /// - Complexity: O(k) for k aliases.
  public func aliases(of item: ItemID) -> [ItemID] { aliases.aliases(of: item) }

  func isAlias(_ slot: Int32) -> Bool { forest.records.address(of: slot).pointee.aliasOf != .none }

  /// Returns the id of the item that an alias stands for; for any other item, its own id.
  func original(of slot: Int32) -> ItemID {
    let record = forest.records[slot]
    return record.aliasOf == .none ? record.id : record.aliasOf
  }

  /// Returns the slot of the item that an alias stands for; for any other item, its own slot.
  func originalSlot(of slot: Int32) -> Int32 {
    guard isAlias(slot) else { return slot }
    // Only what a daemon sent that breaks the rules has an alias without its item.
    let original = index.slot(of: forest.records[slot].aliasOf)
    return original < 0 ? slot : original
  }

  /// Checks the aliases that are, or that have, one of the items, as far as they are on the table: what a journal contains may be
  /// damaged.
  ///
  /// - Throws: A ``DiffMismatch`` for an alias that no daemon makes.
  func checkAliases(of items: some Sequence<ItemID>) throws(DiffMismatch) {
    for item in items {
      let slot = index.slot(of: item)
      let concerned = slot >= 0 && isAlias(slot) ? [item] : aliases.aliases(of: item)
      for alias in concerned {
        let slot = index.slot(of: alias)
        if slot >= 0, let broken = brokenAlias(slot) { throw DiffMismatch(broken) }
      }
    }
  }

  /// Checks all aliases.
  package func checkAliases() throws(DiffMismatch) { try checkAliases(of: aliases.items) }

  /// Returns the slots of an item's aliases, ascending by id.
  func aliasSlots(of slot: Int32) -> [Int32] {
    aliases.isEmpty ? [] : aliases.aliases(of: id(slot)).map(index.slot(of:)).filter { $0 >= 0 }
  }

  /// Returns the aliases of items that are not among these items themselves, each once.
  func aliasSlots(of slots: SlotList) -> [Int32] {
    guard !aliases.isEmpty else { return [] }
    var seen = Set(slots)
    return slots.flatMap { aliasSlots(of: $0) }.filter { seen.insert($0).inserted }
  }
}
