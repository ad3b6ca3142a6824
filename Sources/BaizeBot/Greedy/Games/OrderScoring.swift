import BaizeTable

/// A list or a grid: puts the items of each collection in the order of their numbers, or else of their titles, one by one.
struct OrderScoring: GameScoring {
  func proposals(at view: SeatView) -> [TableOperation.Kind] {
    for collection in view.state.handles where view.isOpen(collection) {
      let count = view.state.count(in: collection)
      guard count <= Self.itemsMax else { continue }
      let items = view.state.items(in: collection, from: 0, limit: count).filter { !view.state.isPinned($0.id) }
      if let next = Self.nextMove(of: items, in: collection) { return [next] }
    }
    return []
  }

  func worth(of candidate: Candidate, at view: SeatView) -> Double? { 1 }

  /// Returns the move of the first item that is out of order; `nil` if there is none.
  private static func nextMove(of items: [Item], in collection: CollectionHandle) -> TableOperation.Kind? {
    let keys = items.compactMap { Key($0.face) }
    guard keys.count == items.count else { return nil }
    let stays = Set(longestAscent(in: keys))
    guard let moved = keys.indices.first(where: { !stays.contains($0) }) else { return nil }
    let anchor = keys.indices.first { stays.contains($0) && keys[moved] < keys[$0] }
    let destination = anchor.map { Destination.before(items[$0].id, in: collection) } ?? .end(of: collection)
    return .reorder(ReorderDifference(sources: .one(items[moved].id), destination: destination), suggested: .move)
  }

  /// Returns the indices of a longest subsequence that does not descend: those items need not be moved.
  private static func longestAscent(in keys: [Key]) -> [Int] {
    // The indices of the least last keys of subsequences, by length, and what comes before each in its subsequence.
    var (lasts, before) = ([Int](), Array(repeating: -1, count: keys.count))
    for index in keys.indices {
      var (low, high) = (0, lasts.count)
      while low < high {
        let middle = (low + high) / 2
        if keys[index] < keys[lasts[middle]] { high = middle } else { low = middle + 1 }
      }
      before[index] = low > 0 ? lasts[low - 1] : -1
      if low < lasts.count { lasts[low] = index } else { lasts.append(index) }
    }
    return Array(sequence(first: lasts.last ?? -1) { before[$0] }.prefix { $0 >= 0 })
  }

  /// What the order goes by.
  private enum Key: Comparable {
    case number(Int64)
    case title(String)

    init?(_ face: Face) {
      switch face["number"] ?? face["title"] {
      case .number(let number)?: self = .number(number)
      case .text(let text)?: self = .title(text)
      case nil: return nil
      }
    }
  }

  /// The number of items up to which a collection is put in order.
  private static let itemsMax = 1_000
}
