/// A client's table, which learns by diffs what the authority did.
extension PositionTable {
  /// Applies a diff of another's operation.
  mutating func apply(_ diff: ModelDiff) { _ = put(by: diff) }

  /// Applies the answer to the client's own first pending operation.
  mutating func apply(_ answer: ModelAnswer, to operation: ModelOperation, _ memory: inout ModelMemory) {
    forgetAnswered(by: operation, &memory)
    var entry = ModelMemory.Entry(operation)
    for item in operation.items { entry.outcomes[item] = operation.lands ? .notPut : .tookAway }
    if answer.verdict == .unchanged {
      for item in operation.items {
        guard let position = position(ofItem: item) else { continue }
        entry.outcomes[item] = .put(position: position.id, collection: operation.collection)
      }
    }
    if let diff = answer.diff { learn(diff, of: operation, &entry) }
    memory.entries.append(entry)
  }

  private mutating func learn(_ diff: ModelDiff, of operation: ModelOperation, _ entry: inout ModelMemory.Entry) {
    let left = diff.taken.compactMap { item in position(ofItem: item).map { Effect.Taken(item: item, from: $0.id) } }
    let made = put(by: diff)
    var effect = Effect(author: operation.author, number: operation.number, taken: left)
    for (item, id, collection) in made {
      if let index = effect.taken.firstIndex(where: { $0.item == item }) {
        effect.taken[index].to = id
      } else {
        effect.made.append((item, id))
      }
      if operation.lands { entry.outcomes[item] = .put(position: id, collection: collection) }
    }
    if case .undo(let target) = operation.kind {
      for item in diff.taken where !made.contains(where: { $0.item == item }) { entry.outcomes[item] = .tookAway }
      if let index = effects.firstIndex(where: { $0.author == operation.author && $0.number == target }) {
        effects[index].isUndone = true
      }
    }
    effects.append(effect)
  }

  /// Applies a diff, and returns the positions that it made.
  private mutating func put(by diff: ModelDiff) -> [(item: Int, position: Int, collection: Int)] {
    revision = diff.revision
    _ = vacate(diff.taken, by: diff.author)
    for item in diff.taken { removals[item] = (diff.author, diff.revision) }
    var made: [(item: Int, position: Int, collection: Int)] = []
    for block in diff.blocks {
      let list = collections[block.collection]
      var index = block.anchor.flatMap { place(ofItem: $0)?.index } ?? list.count
      if let gone = block.gone,
        let vacant = list.firstIndex(where: { $0.item == gone.item && $0.vacated == gone.revision })
      {
        index = vacant
      }
      for item in block.items { removals[item] = nil }
      if block.isReturn,
        let left = list[..<index].lastIndex(where: { $0.vacated != nil && $0.item == block.items[0] })
      {
        let id = putBack(block.items[0], at: left, before: index, diff.author, in: block.collection)
        made.append((block.items[0], id, block.collection))
        continue
      }
      let positions = block.items.map {
        makePosition(of: $0, session: block.isReturn ? nil : diff.author, author: diff.author)
      }
      insert(positions, into: block.collection, at: index)
      made += positions.map { ($0.item, $0.id, block.collection) }
    }
    return made
  }

  /// Puts an item back before the position at `end`, where it counts as one with the position at `left`.
  private mutating func putBack(
    _ item: Int, at left: Int, before end: Int, _ author: Int, in collection: Int
  ) -> Int {
    let from = collections[collection][left]
    var position = makePosition(of: item, session: from.session, author: author)
    position.run = from.run
    collections[collection].insert(position, at: end)
    collections[collection][left].successor = position.id
    return position.id
  }
}
