/// What must be true of the result.
extension PositionWorld {
  mutating func checkConvergence() {
    let orders = table.collections.indices.map { table.items(in: $0) }
    for index in people.indices where shown(by: index) != orders { violations.insert(.convergence) }
  }

  mutating func checkOrder() {
    for drop in drops {
      for (item, position) in drop.items {
        guard let place = stands(item, at: position, in: drop.collection) else { continue }
        let isWrong =
          drop.inFront.contains { stands($0.item, at: $0.position, in: drop.collection) ?? -1 > place }
          || drop.behind.contains { stands($0.item, at: $0.position, in: drop.collection) ?? .max < place }
        if isWrong { violations.insert(.order) }
      }
    }
  }

  /// Returns the index of an item that still stands in a position, or in one that counts as one with it.
  func stands(_ item: Int, at position: Int, in collection: Int) -> Int? {
    guard let place = table.place(ofItem: item), place.collection == collection,
      table.collections[collection][place.index].id == table.standing(position)
    else { return nil }
    return place.index
  }

  mutating func checkRuns() {
    for (collection, list) in table.collections.enumerated() {
      let spans = indicesOfRuns(in: collection) { $0.vacated == nil }
      for (index, position) in list.enumerated() where position.vacated == nil {
        guard let drop = drops.last(where: { $0.items.contains { table.standing($0.position) == position.id } }) else {
          continue
        }
        for (run, span) in spans where span.first < index && index < span.last && runs[run].session != drop.author {
          guard position.session != runs[run].session, !drop.runsBeside.contains(run) else { continue }
          let items = Set(drops.filter { $0.run == run }.flatMap { $0.items.map(\.item) })
          func sees(_ names: [ModelOperation.Name]) -> Bool { names.contains { items.contains($0.item) } }
          if !sees(drop.view.inFront) || !sees(drop.view.behind) { violations.insert(.runs) }
        }
      }
    }
  }

  /// Exchanges two operations, one of which takes away what the other does not name, and plays all again.
  mutating func checkAway() {
    guard judged.count > 1, !settings.forgets, settings.capacity == nil else { return }
    let index = below(judged.count - 1)
    let (first, second) = (judged[index], judged[index + 1])
    let before = index == 0 ? 0 : judged[index - 1].revision
    guard first.operation.author != second.operation.author,
      Set(first.operation.items).isDisjoint(with: second.operation.items),
      first.takesAway != second.takesAway, first.operation.lands || second.operation.lands,
      first.verdict == .accepted, second.verdict == .accepted,
      // Nobody has seen one without the other.
      second.operation.base <= before,
      !judged[(index + 2)...].contains(where: { $0.operation.base > before && $0.operation.base < second.revision })
    else { return }
    let (away, drop) = first.takesAway ? (first, second) : (second, first)
    if case .move = away.operation.kind, settings.redirects || away.operation.collection == drop.operation.collection {
      return
    }
    var exchanged = judged
    exchanged.swapAt(index, index + 1)
    var again = start
    var memories: [Int: ModelMemory] = [:]
    for step in exchanged {
      again.redirects = step.redirects
      let verdict = again.judge(step.operation, &memories[step.operation.author, default: ModelMemory()]).verdict
      guard verdict == step.verdict else { return }
    }
    for collection in table.collections.indices where again.items(in: collection) != table.items(in: collection) {
      violations.insert(.away)
    }
  }
}
