/// G3: the items that an operation names, as far as they are on the table.
struct ResolvedItems {
  var slots: SlotList
  /// For each slot the position of its item among those named, if some are left out.
  var positions: InlineList<Int>?
  /// Whether others took items off the table that the operation requires.
  var wereRemoved = false

  /// Whether some of the items are not on the table.
  var isIncomplete: Bool { wereRemoved || positions != nil }
}

extension Table {
  /// Returns the slots of the items that an operation names, without those that others took off the table.
  @inline(__always) func resolve(
    _ items: ItemList, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> ResolvedItems {
    if case .one(let named) = items {
      let item = try tableID(of: named, request, memory)
      let slot = state.slot(of: item, for: request.seat)
      if slot >= 0 { return ResolvedItems(slots: .one(slot)) }
      try checkRemoved([item], request)
      return ResolvedItems(slots: [], wereRemoved: true)
    }
    return try resolveSeveral(items, request, memory)
  }

  @inline(never) private func resolveSeveral(
    _ items: ItemList, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> ResolvedItems {
    guard !items.isEmpty else { throw Refusal(.emptySources, detail: "the operation names no item") }
    guard items.count <= itemsPerOperationMax else {
      throw Refusal(.tooManyItems, detail: "an operation names at most \(itemsPerOperationMax) items")
    }
    var slots = SlotList()
    var positions = InlineList<Int>()
    var missing: [ItemID] = []
    var seen = Set<ItemID>(minimumCapacity: items.count)
    for (position, named) in items.enumerated() {
      let item = try tableID(of: named, request, memory)
      guard seen.insert(item).inserted else {
        throw Refusal(.duplicateSource, detail: "item \(named.rawValue) is named twice")
      }
      let slot = state.slot(of: item, for: request.seat)
      guard slot >= 0 else {
        missing.append(item)
        continue
      }
      slots.append(slot)
      positions.append(position)
    }
    guard !missing.isEmpty else { return ResolvedItems(slots: slots) }
    try checkRemoved(missing, request)
    return ResolvedItems(
      slots: slots, positions: positions, wereRemoved: slots.isEmpty || !state.type.allowsPartialMoves)
  }

  /// Returns the table's own id of an item, which may be named by a provisional one.
  @inline(__always) func tableID(
    of item: ItemID, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> ItemID {
    guard item.isProvisional, state.index.slot(of: item) < 0 else { return item }
    guard let made = try memory.resolve(item, in: request.sequence) else {
      throw Refusal(.dependsOnRefused, detail: "the operation that creates the item was refused")
    }
    return made
  }

  /// Refuses items that were never on the table, as far as its history shows, and items that the author itself took
  /// off.
  @inline(never) private func checkRemoved(_ items: [ItemID], _ request: Request) throws(Refusal) {
    let traits = state.traits
    let wereRemoved = history.othersTookOut(
      items, since: request.base, not: request.author.session, key: filterKey,
      where: { traits[Int($0)].isVisible(to: request.seat) })
    guard wereRemoved else { throw Refusal(.unknownItem, detail: "an item is not on the table") }
  }

  /// Returns the index of a collection that an operation names.
  @inline(__always) func index(of collection: CollectionHandle) throws(Refusal) -> Int {
    let index = collection.index
    return state.isOpen(index) ? index : try provisionalIndex(of: collection)
  }

  @inline(never) private func provisionalIndex(of collection: CollectionHandle) throws(Refusal) -> Int {
    let index = state.index(of: collection)
    guard index >= 0 else {
      if state.isGone(collection) { throw Refusal.collectionGone }
      throw Refusal(.unknownCollection, detail: "the table has no collection \(collection.rawValue)")
    }
    return index
  }

  /// Returns the index of the collection that a destination names, itself or by the item that opens it.
  @inline(__always) func collection(
    of destination: Destination, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> Int {
    guard destination.hasContainer else { return try index(of: destination.collection) }
    return try collection(openedBy: destination.container, request, memory)
  }

  @inline(never) private func collection(
    openedBy container: ItemID, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> Int {
    let slot = state.slot(of: try tableID(of: container, request, memory), for: request.seat)
    guard slot >= 0 else { throw Refusal.collectionGone }
    guard state.opens(slot) >= 0 else {
      throw Refusal(.unknownCollection, detail: "the item \(container.rawValue) opens no collection")
    }
    return state.opens(slot)
  }
}

extension Refusal {
  fileprivate static let collectionGone = Refusal(.collectionGone, detail: "the collection was removed")
}
