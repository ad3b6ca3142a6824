public import BaizeTable

/// What changed for someone who looks at the table: as little as gets a user interface from one state to the next.
///
/// Offsets follow `CollectionDifference`: those of removals, and where moves come from, count in the state before; those
/// of insertions, and where moves go, in the state after. Take everything out from the highest offset down, then put
/// everything in from the lowest up.
public enum TableChange: Hashable, Sendable {
  case removed(ItemID, Place)
  case inserted(ItemID, Place)
  case moved(ItemID, from: Place, to: Place)
  /// Its face, or how it lies.
  case updated(ItemID)
  /// The daemon named an item that was shown under a provisional id. Comes first, and changes no place.
  case renamed(ItemID, to: ItemID)
  case status(String)
  case variables
  case seats
  case enabled(CollectionHandle, Bool)
  /// How many items lie in a collection of which no more than that is told.
  case counted(CollectionHandle, Int)
  /// Everything may have changed.
  case reloaded

  public struct Place: Hashable, Sendable {
    public let collection: CollectionHandle
    public let offset: Int
  }
}

extension TableChange {
  /// The changes from one state to another.
  ///
  /// - Parameters:
  ///   - touched: At least the items that were changed in any way.
  ///   - names: New names of items, by their old ones.
  /// - Complexity: O(t log t + t log n) for t touched items.
  static func between(
    _ old: TableState, _ new: TableState, touched: Set<ItemID>, names: [ItemID: ItemID]
  ) -> [TableChange] {
    var changes: [TableChange] = []
    for (provisional, item) in names.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      if old.contains(provisional), new.contains(item) { changes.append(.renamed(provisional, to: item)) }
    }
    let moves = Moves(old, new, touched: touched, names: names)
    let staying = moves.staying()
    for item in moves.items {
      switch (item.old, item.new) {
      case (nil, nil): break
      case (let place?, nil): changes.append(.removed(item.id, place))
      case (nil, let place?): changes.append(.inserted(item.id, place))
      case (let from?, let to?):
        if !staying.contains(item.id) { changes.append(.moved(item.id, from: from, to: to)) }
        if item.isUpdated { changes.append(.updated(item.id)) }
      }
    }
    if old.status != new.status { changes.append(.status(new.status)) }
    if old.variables != new.variables { changes.append(.variables) }
    if old.seats != new.seats { changes.append(.seats) }
    for handle in new.handles where old.isEnabled(handle) != new.isEnabled(handle) {
      changes.append(.enabled(handle, new.isEnabled(handle)))
    }
    for handle in new.handles where old.untoldCount(in: handle) != new.untoldCount(in: handle) {
      changes.append(.counted(handle, new.count(in: handle)))
    }
    return changes
  }
}

/// Where touched items were and are.
private struct Moves {
  struct Moved {
    let id: ItemID
    let old: TableChange.Place?
    let new: TableChange.Place?
    let isUpdated: Bool
  }

  let items: [Moved]

  init(_ old: TableState, _ new: TableState, touched: Set<ItemID>, names: [ItemID: ItemID]) {
    let oldNames = Dictionary(names.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    items = touched.filter { names[$0] == nil || !new.contains(names[$0] ?? $0) }
      .sorted { $0.rawValue < $1.rawValue }
      .map { id in
        // What is gone as soon as it is named goes by the name that it was shown under.
        let oldID = oldNames[id].flatMap { old.contains($0) && new.contains(id) ? $0 : nil } ?? id
        let isUpdated =
          old.face(of: oldID) != new.face(of: id) || old.isFaceUp(oldID) != new.isFaceUp(id)
          || old.isPinned(oldID) != new.isPinned(id)
        return Moved(
          id: id, old: Self.place(of: oldID, in: old), new: Self.place(of: id, in: new), isUpdated: isUpdated)
      }
  }

  private static func place(of item: ItemID, in state: TableState) -> TableChange.Place? {
    guard let collection = state.collection(of: item), let offset = state.offset(of: item) else { return nil }
    return TableChange.Place(collection: collection, offset: offset)
  }

  /// The touched items that need no move: as many as possible that keep their order among themselves and to the items
  /// that no one touched.
  func staying() -> Set<ItemID> {
    var staying: Set<ItemID> = []
    let collections = Set(items.compactMap { $0.old?.collection })
    for collection in collections {
      let oldRanks = ranks(collection) { $0.old }
      let newRanks = ranks(collection) { $0.new }
      // In the order of the old state, those that stand between the same untouched neighbours as before.
      let candidates = items.filter { oldRanks[$0.id] != nil && oldRanks[$0.id] == newRanks[$0.id] }
        .sorted { ($0.old?.offset ?? 0) < ($1.old?.offset ?? 0) }
      for position in Self.longestRise(candidates.map { $0.new?.offset ?? 0 }) {
        staying.insert(candidates[position].id)
      }
    }
    return staying
  }

  /// For each touched item of a collection how many untouched ones stand before it.
  private func ranks(
    _ collection: CollectionHandle, _ place: (Moved) -> TableChange.Place?
  ) -> [ItemID: Int] {
    let here = items.compactMap { item in
      place(item).flatMap { $0.collection == collection ? (id: item.id, offset: $0.offset) : nil }
    }.sorted { $0.offset < $1.offset }
    var ranks: [ItemID: Int] = [:]
    for (touchedBefore, item) in here.enumerated() { ranks[item.id] = item.offset - touchedBefore }
    return ranks
  }

  /// The positions of a longest increasing subsequence (patience sorting; C. Schensted, 1961).
  static func longestRise(_ values: [Int]) -> [Int] {
    var tails: [Int] = []
    var previous = Array(repeating: -1, count: values.count)
    for position in values.indices {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if values[tails[middle]] < values[position] { low = middle + 1 } else { high = middle }
      }
      previous[position] = low > 0 ? tails[low - 1] : -1
      if low == tails.count { tails.append(position) } else { tails[low] = position }
    }
    var rise: [Int] = []
    var position = tails.last ?? -1
    while position >= 0 {
      rise.append(position)
      position = previous[position]
    }
    return rise.reversed()
  }
}
