/// A client's table, which learns by diffs what the authority did.
extension PositionTable {
  /// Applies a diff of another's operation.
  mutating func apply(_ diff: ModelDiff) { _ = apply(diff, ownPlace: nil) }

  /// Applies the answer to the client's own first pending operation.
  mutating func apply(_ answer: ModelAnswer, to operation: ModelOperation, _ memory: inout ModelMemory) {
    forgetAnswered(by: operation, &memory)
    var entry = ModelMemory.Entry(number: operation.number)
    if case .undo(let target) = operation.kind {
      for item in concerned(by: target, operation, memory) { entry.outcomes[item] = .notPut }
    } else {
      for item in operation.items { entry.outcomes[item] = operation.lands ? .notPut : .tookAway }
    }
    // Where the client itself would put the block.
    var index: Int?
    if operation.lands, let gap = try? gap(operation, memory) { index = self.index(in: gap, operation) }
    let isElsewhere = answer.diff?.isRedirected ?? { if case .refused = answer.verdict { true } else { false } }()
    if isElsewhere, let index { keepUnused(operation, at: index, &entry) }
    if answer.verdict == .unchanged {
      for item in operation.items {
        guard let position = position(ofItem: item) else { continue }
        entry.outcomes[item] = .put(position: position.id, collection: operation.collection)
      }
    }
    if let diff = answer.diff {
      let list = collections[operation.collection]
      let next = index.map { $0 < list.count ? list[$0].id : nil }
      learn(diff, of: operation, ownPlace: diff.isRedirected ? nil : next, &entry)
    }
    memory.entries.append(entry)
  }

  mutating func learn(
    _ diff: ModelDiff, of operation: ModelOperation, ownPlace: Int??, _ entry: inout ModelMemory.Entry
  ) {
    let left = diff.taken.compactMap { item in position(ofItem: item).map { Effect.Taken(item: item, from: $0.id) } }
    let made = apply(diff, ownPlace: ownPlace)
    var effect = Effect(author: operation.author, number: operation.number, taken: left)
    for (item, id, collection) in made {
      if let index = effect.taken.firstIndex(where: { $0.item == item }) {
        effect.taken[index].to = id
      } else {
        effect.made.append((item, id))
      }
      if !diff.isRedirected { entry.outcomes[item] = .put(position: id, collection: collection) }
    }
    if case .undo(let target) = operation.kind {
      for item in diff.taken where !made.contains(where: { $0.item == item }) { entry.outcomes[item] = .tookAway }
      if let index = effects.firstIndex(where: { $0.author == operation.author && $0.number == target }) {
        effects[index].isUndone = true
      }
    }
    effects.append(effect)
    guard operation.lands, !diff.isRedirected, let first = made.first, var place = place(of: first.position) else {
      return
    }
    // What was left out has an unused position in its place in the block.
    for item in operation.items {
      if let put = made.first(where: { $0.item == item }), let there = self.place(of: put.position) {
        place = (there.collection, there.index + 1)
        continue
      }
      let unused = makePosition(of: item, session: operation.author, author: operation.author, isUnused: true)
      insert([unused], into: place.collection, at: place.index)
      entry.outcomes[item] = .put(position: unused.id, collection: place.collection)
      place.index += 1
    }
  }

  /// Applies a diff, and returns the positions that it made.
  ///
  /// - Parameter ownPlace: The position, `nil` for the end, before which the client would have put an own block: among unused
  ///   positions, at the place that the diff says, it stands there.
  mutating func apply(_ diff: ModelDiff, ownPlace: Int??) -> [(item: Int, position: Int, collection: Int)] {
    revision = diff.revision
    _ = vacate(diff.taken)
    for item in diff.taken { removals[item] = (diff.author, diff.revision) }
    var made: [(item: Int, position: Int, collection: Int)] = []
    for block in diff.blocks {
      let list = collections[block.collection]
      var index = block.anchor.flatMap { place(ofItem: $0)?.index } ?? list.count
      if let gone = block.gone,
        let vacant = list.firstIndex(where: { !$0.isUnused && $0.item == gone.item && $0.vacated == gone.revision })
      {
        index = vacant
      }
      if let ownPlace {
        let own = ownPlace.flatMap { id in list.firstIndex { $0.id == id } } ?? list.count
        if own < index, list[own..<index].allSatisfy(\.isUnused) { index = own }
      }
      for item in block.items { removals[item] = nil }
      if block.isReturn,
        let left = list[..<index].lastIndex(where: { !$0.isUnused && $0.vacated != nil && $0.item == block.items[0] })
      {
        let id = putBack(block.items[0], at: left, notBehind: index, diff.author, in: block.collection)
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

  /// Puts an item back behind the position at `left`: directly, if only unused positions are between that and `end`.
  mutating func putBack(
    _ item: Int, at left: Int, notBehind end: Int, _ author: Int, in collection: Int
  ) -> Int {
    let list = collections[collection]
    let index = list[(left + 1)..<end].allSatisfy(\.isUnused) ? left + 1 : end
    var position = makePosition(of: item, session: list[left].session, author: author)
    position.run = list[left].run
    collections[collection].insert(position, at: index)
    collections[collection][left].successor = position.id
    return position.id
  }
}
