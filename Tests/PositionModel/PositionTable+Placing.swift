/// N3 and N4: where in its gap a block lands.
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
    let counted = (max(left, 0)...min(right, list.count - 1)).suffix(Self.positionsLookedAtMax)
    let isBesideRun =
      right < list.count && list[right].run != nil
      && counted.contains {
        $0 != right && list[$0].run == list[right].run && list[$0].isCounted(since: operation.base)
      }
    guard isBesideRun else { return right }
    var spans: [Int: (first: Int, last: Int)] = [:]
    for index in counted {
      guard let run = list[index].run, fault != .noRuns else { continue }
      spans[run] = (spans[run]?.first ?? index, index)
    }
    var best = (index: right, runs: Int.max)
    for place in [right] + counted.reversed() where place != left {
      let runs = spans.values.count { $0.first < place && $0.last >= place }
      if runs < best.runs { best = (place, runs) }
    }
    return best.index
  }

  /// Inserts a block.
  mutating func insert(_ block: [ModelPosition], into collection: Int, at index: Int) {
    guard let first = block.first else { return }
    let list = collections[collection]
    let neighbors = [list[..<index].last, list[index...].first]
    let run = neighbors.lazy.compactMap { $0 }.first { $0.session == first.session && $0.run != nil }?.run ?? first.id
    collections[collection].insert(
      contentsOf: block.map { position in
        var position = position
        position.run = first.session == nil ? nil : run
        return position
      }, at: index)
  }

  mutating func makePosition(of item: Int, session: Int?, author: Int?) -> ModelPosition {
    lastID += 1
    return ModelPosition(id: lastID, item: item, session: session, author: author, placed: revision)
  }
}
