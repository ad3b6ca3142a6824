public import BaizeTable

/// A visible change of a table. A list of them is small: it brings a user interface from one state to the next.
///
/// Offsets follow `CollectionDifference`: those of removals and of moves' sources refer to the state before, those of
/// insertions and of moves' destinations to the state after. First remove everything from the highest offset down, then
/// insert everything from the lowest up.
public enum TableChange: Hashable, Sendable {
  /// An item was removed from a position.
  case removed(ItemID, Location)
  /// An item was inserted at a position.
  case inserted(ItemID, Location)
  /// An item was moved from one position to another.
  case moved(ItemID, from: Location, to: Location)
  /// An item was changed at its position: its face, whether it is face up, or whether it is pinned.
  case updated(ItemID)
  /// An item received its final id in place of a provisional one. Comes first, and changes no position.
  case renamed(ItemID, to: ItemID)
  /// The collection of an item received its final handle in place of a provisional one, with the item's id. Comes first, and
  /// changes no position.
  case renamedCollection(CollectionHandle, to: CollectionHandle)
  /// The table's status changed to this text.
  case status(String)
  /// The table's variables changed.
  case variables
  /// The seats changed: their participants, or who is connected.
  case seats
  /// A collection was enabled or disabled.
  case enabled(CollectionHandle, Bool)
  /// The number of items changed in a collection of which only the number is visible.
  case counted(CollectionHandle, Int)
  /// An item opens a collection, which had not been there.
  case opened(CollectionHandle, by: ItemID)
  /// A collection was removed, with the item that opened it.
  case closed(CollectionHandle)
  /// The whole state was replaced.
  case reloaded

  /// The position of an item in a collection.
  public struct Location: Hashable, Sendable {
    /// The collection.
    public let collection: CollectionHandle
    /// The number of items before it.
    public let offset: Int
  }
}

extension TableChange {
  /// Returns the changes from one state to another.
  ///
  /// - Parameters:
  ///   - touched: At least the items that were changed in any way.
  ///   - names: The final ids of items, by their provisional ids, as the daemon has given them.
  /// - Complexity: O(t log t + t log n) for t touched items.
  static func between(
    _ old: TableState, _ new: TableState, touched: Set<ItemID>, names: [ItemID: ItemID]
  ) -> [TableChange] {
    let renamings = renamings(old, new, names)
    var changes: [TableChange] = renamings.map { .renamed($0.provisional, to: $0.item) }
    var handles: [CollectionHandle: CollectionHandle] = [:]
    for renaming in renamings {
      guard let before = old.collectionOpened(by: renaming.provisional),
        let after = new.collectionOpened(by: renaming.item)
      else { continue }
      handles[before] = after
      changes.append(.renamedCollection(before, to: after))
    }
    let moves = Moves(old, new, touched: touched, renamings: renamings, handles: handles)
    let staying = moves.staying()
    for item in moves.items {
      switch (item.old, item.new) {
      case (nil, nil): break
      case (let location?, nil): changes.append(.removed(item.id, location))
      case (nil, let location?): changes.append(.inserted(item.id, location))
      case (let from?, let to?):
        if !staying.contains(item.id) { changes.append(.moved(item.id, from: from, to: to)) }
        if item.isUpdated { changes.append(.updated(item.id)) }
      }
    }
    changes += openings(
      old, new, touched: touched.union(names.keys).subtracting(renamings.flatMap { [$0.provisional, $0.item] }))
    if !old.status.hasBytes(of: new.status) { changes.append(.status(new.status)) }
    if old.variables != new.variables { changes.append(.variables) }
    if old.seats != new.seats { changes.append(.seats) }
    let changed = new.collectionsChanged(since: old)
    for handle in changed.enabled { changes.append(.enabled(handle, new.isEnabled(handle))) }
    for handle in changed.counted { changes.append(.counted(handle, new.count(in: handle))) }
    return changes
  }

  /// Returns the collections that touched items no longer open, and those that they open now.
  private static func openings(_ old: TableState, _ new: TableState, touched: Set<ItemID>) -> [TableChange] {
    guard new.type.opensCollections else { return [] }
    var closed: [TableChange] = []
    var opened: [TableChange] = []
    for item in touched.sorted(by: { $0.rawValue < $1.rawValue }) {
      let (before, after) = (old.collectionOpened(by: item), new.collectionOpened(by: item))
      guard before != after else { continue }
      if let before { closed.append(.closed(before)) }
      if let after { opened.append(.opened(after, by: item)) }
    }
    return closed + opened
  }

  /// Returns the items that have another id in the new state, in the order of their provisional ids.
  ///
  /// A wrong answer can name an item that was there before, or one item twice. Such a name renames nothing.
  private static func renamings(
    _ old: TableState, _ new: TableState, _ names: [ItemID: ItemID]
  ) -> [(provisional: ItemID, item: ItemID)] {
    var named: Set<ItemID> = []
    var renamings: [(provisional: ItemID, item: ItemID)] = []
    for (provisional, item) in names.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard old.contains(provisional), !new.contains(provisional), new.contains(item), !old.contains(item),
        named.insert(item).inserted
      else { continue }
      renamings.append((provisional, item))
    }
    return renamings
  }
}

/// The positions of touched items in both states.
private struct Moves {
  struct Moved {
    let id: ItemID
    let old: TableChange.Location?
    let new: TableChange.Location?
    let isUpdated: Bool
  }

  let items: [Moved]

  /// - Parameter handles: The final handles of collections, by their provisional ones.
  init(
    _ old: TableState, _ new: TableState, touched: Set<ItemID>, renamings: [(provisional: ItemID, item: ItemID)],
    handles: [CollectionHandle: CollectionHandle]
  ) {
    let oldIDs = Dictionary(uniqueKeysWithValues: renamings.map { ($0.item, $0.provisional) })
    let renamed = Set(renamings.map(\.provisional))
    items = touched.subtracting(renamed)
      .sorted { $0.rawValue < $1.rawValue }
      .map { id in
        let oldID = oldIDs[id] ?? id
        let isUpdated =
          old.face(of: oldID) != new.face(of: id) || old.isFaceUp(oldID) != new.isFaceUp(id)
          || old.isPinned(oldID) != new.isPinned(id)
        var before = Self.location(of: oldID, in: old)
        if let known = before, let handle = handles[known.collection] {
          before = TableChange.Location(collection: handle, offset: known.offset)
        }
        return Moved(id: id, old: before, new: Self.location(of: id, in: new), isUpdated: isUpdated)
      }
  }

  private static func location(of item: ItemID, in state: TableState) -> TableChange.Location? {
    guard let collection = state.collection(of: item), let offset = state.offset(of: item) else { return nil }
    return TableChange.Location(collection: collection, offset: offset)
  }

  /// Returns the touched items that need no move: a largest set that keeps its order, also relative to the untouched items.
  func staying() -> Set<ItemID> {
    var staying: Set<ItemID> = []
    let collections = Set(items.compactMap { $0.old?.collection })
    for collection in collections {
      let oldRanks = ranks(collection) { $0.old }
      let newRanks = ranks(collection) { $0.new }
      // The items that are between the same untouched neighbours as before, in the order of the old state.
      let candidates = items.filter { oldRanks[$0.id] != nil && oldRanks[$0.id] == newRanks[$0.id] }
        .sorted { ($0.old?.offset ?? 0) < ($1.old?.offset ?? 0) }
      for position in Self.longestRise(candidates.map { $0.new?.offset ?? 0 }) {
        staying.insert(candidates[position].id)
      }
    }
    return staying
  }

  /// Returns the number of untouched items before each touched item of a collection.
  private func ranks(
    _ collection: CollectionHandle, _ location: (Moved) -> TableChange.Location?
  ) -> [ItemID: Int] {
    let here = items.compactMap { item in
      location(item).flatMap { $0.collection == collection ? (id: item.id, offset: $0.offset) : nil }
    }.sorted { $0.offset < $1.offset }
    var ranks: [ItemID: Int] = [:]
    for (touchedBefore, item) in here.enumerated() { ranks[item.id] = item.offset - touchedBefore }
    return ranks
  }

  /// Returns the indices of a longest increasing subsequence (patience sorting; C. Schensted, 1961).
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
