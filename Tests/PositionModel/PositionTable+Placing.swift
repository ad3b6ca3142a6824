/// P3 and P4: where in its gap a block lands.
extension PositionTable {
  /// Returns the index at which the block of an operation is inserted.
  func index(in gap: Gap, _ operation: ModelOperation) -> Int {
    let list = collections[operation.collection]
    guard case .between(let left, let right) = gap else {
      if case .behind(let index) = gap { return index + 1 }
      return list.count
    }
    func isOwn(_ index: Int) -> Bool {
      list.indices.contains(index) && list[index].session == operation.author && fault != .notOwn
    }
    if isOwn(left) { return left + 1 }
    if isOwn(right) || right <= left + 1 { return right }
    let last = min(right, list.count - 1)
    let first = max(left, 0, last - Self.positionsLookedAtMax + 1)
    var spans: [Int: (first: Int, last: Int)] = [:]
    for index in first...last {
      guard let run = list[index].run, !list[index].isUnused, fault != .noRuns else { continue }
      spans[run] = (spans[run]?.first ?? index, index)
    }
    var best = (index: right, runs: Int.max)
    for place in stride(from: right, through: max(left + 1, first), by: -1) {
      let runs = spans.values.count { $0.first < place && $0.last >= place }
      if runs < best.runs { best = (place, runs) }
    }
    return best.index
  }

  /// Inserts a block, and returns the index at which it stands. What others put between the same two positions stands behind
  /// unused ones.
  mutating func insert(_ block: [Position], into collection: Int, at index: Int) {
    guard let first = block.first else { return }
    let list = collections[collection]
    let neighbors = [
      list[..<index].last { !$0.isUnused }, list[index...].first { !$0.isUnused },
    ]
    let run = neighbors.lazy.compactMap { $0 }.first { $0.session == first.session && $0.run != nil }?.run ?? first.id
    var place = index
    while place < list.count, list[place].isUnused, list[place].author != first.author { place += 1 }
    collections[collection].insert(
      contentsOf: block.map { position in
        var position = position
        position.run = first.session == nil ? nil : run
        return position
      }, at: place)
  }

  mutating func makePosition(
    of item: Int, session: Int?, author: Int?, isUnused: Bool = false
  ) -> Position {
    lastID += 1
    return Position(
      id: lastID, item: item, session: session, author: author, placed: revision, vacated: isUnused ? revision : nil,
      isUnused: isUnused)
  }
}
