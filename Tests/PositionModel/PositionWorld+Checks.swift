/// What must be true of the result.
extension PositionWorld {
  mutating func checkConvergence() {
    let orders = (0..<collections).map { system.items(in: $0) }
    for person in people where system.shown(by: person.author) != orders { violations.insert(.convergence) }
    if (0..<collections).contains(where: { ledger.items(in: $0) != orders[$0] }) { violations.insert(.diffs) }
  }

  /// Looks for what stands on the other side of a drop than where its author saw it, of what still stands there.
  mutating func checkOrder(_ drop: Drop) {
    var indices: [Int: Int] = [:]
    for (index, item) in system.items(in: drop.collection).enumerated() { indices[item] = index }
    func index(_ seen: (item: Int, place: Int)) -> Int? {
      ledger.stands(seen.item, in: seen.place) ? indices[seen.item] : nil
    }
    let own = drop.items.compactMap(index)
    guard let first = own.min(), let last = own.max() else { return }
    let isWrong =
      drop.inFront.contains { index($0) ?? -1 > first } || drop.behind.contains { index($0) ?? .max < last }
    if isWrong { violations.insert(drop.isAsShown ? .order : .orderBehindOther) }
  }

  /// Looks for items that stand inside runs of which their authors did not see both sides.
  mutating func checkRuns(in collection: Int) {
    let spans = ledger.spans(in: collection) { $0.vacated == nil }
    for (index, place) in ledger.collections[collection].enumerated() where place.vacated == nil {
      let around = spans.filter { run, span in
        span.first < index && index < span.last && ledger.runs[run] != place.session
      }
      guard !around.isEmpty,
        let drop = drops.last(where: { $0.items.contains { ledger.standing($0.place) == place.id } })
      else { continue }
      for run in around.keys where ledger.runs[run] != drop.author && !drop.runsBeside.contains(run) {
        let items = Set(drops.filter { $0.run == run }.flatMap { $0.items.map(\.item) })
        func sees(_ names: [ModelOperation.Name]) -> Bool { names.contains { items.contains($0.item) } }
        guard !sees(drop.view.inFront) || !sees(drop.view.behind) else { continue }
        let span = ledger.spans(in: collection) { $0.vacated == nil && !($0.isReturn && $0.placed > place.placed) }[run]
        let isInside = span.map { $0.first < index && index < $0.last } ?? false
        violations.insert(isInside ? .runs : .returnedRuns)
      }
    }
  }

  /// Exchanges two operations, one of which takes away what the other does not name, and plays all again.
  mutating func checkAway() {
    guard judged.count > 1, !settings.forgets, settings.capacity == nil else { return }
    let from = below(judged.count - 1)
    let pairs = Array(from..<(judged.count - 1)) + Array(0..<from)
    guard let index = pairs.first(where: canBeExchanged) else { return }
    var exchanged = judged
    exchanged.swapAt(index, index + 1)
    var again = start
    for step in exchanged {
      guard again.judge(step.sent.request).answer.verdict == step.verdict else { return }
    }
    counts.exchanged += 1
    for collection in 0..<collections where again.items(in: collection) != system.items(in: collection) {
      violations.insert(.away)
    }
  }

  /// Returns whether an operation and the next one can be exchanged: nobody has seen one without the other.
  private func canBeExchanged(_ index: Int) -> Bool {
    let (first, second) = (judged[index], judged[index + 1])
    let (one, other) = (first.sent.operation, second.sent.operation)
    let before = index == 0 ? 0 : judged[index - 1].revision
    guard first.takesAway != second.takesAway, one.author != other.author,
      Set(one.items).isDisjoint(with: other.items), one.lands || other.lands,
      first.verdict == .accepted, second.verdict == .accepted, other.base <= before,
      !judged[(index + 2)...].contains(where: {
        $0.sent.operation.base > before && $0.sent.operation.base < second.revision
      })
    else { return false }
    let (away, drop) = first.takesAway ? (one, other) : (other, one)
    guard case .move = away.kind else { return true }
    return !settings.redirects && away.collection != drop.collection
  }

  /// Counts the runs that stand as they were typed, of the items that nobody has moved.
  mutating func countRuns() {
    var places: [Int: Int] = [:]
    for drop in drops { for (item, place) in drop.items { places[item] = places[item] ?? place } }
    for index in 0..<writers {
      let list = system.items(in: people[index].collection)
      for run in people[index].runs + [people[index].typed] {
        let left = run.filter { item in places[item].map { ledger.stands(item, in: $0) } ?? false }
        let standing = list.indices.filter { left.contains(list[$0]) }
        guard standing.count > 1, let first = standing.first, let last = standing.last else { continue }
        counts.runs += 1
        if standing.map({ list[$0] }) != left.filter(list.contains) {
          counts.runsOutOfOrder += 1
        } else if last - first + 1 == standing.count {
          counts.runsAsIntended += 1
        }
      }
    }
  }
}
