/// Drops and removals (N1).
extension PositionTable {
  mutating func land(
    _ operation: ModelOperation, _ memory: ModelMemory, _ entry: inout ModelMemory.Entry
  ) throws(ModelVerdict.Reason) -> ModelAnswer {
    for item in operation.items { entry.outcomes[item] = .notPut }
    if case .move = operation.kind { try checkKnown(operation) }
    guard !namesLost(operation, memory) else { return ModelAnswer(verdict: .retry) }
    let index = try index(in: gap(operation, memory), operation)
    let accepted = try admitted(operation)
    let target = rules[operation.collection].redirect
    let (collection, place) = target.map { ($0, collections[$0].count) } ?? (operation.collection, index)
    if isUnchanged(accepted, in: collection, at: place, operation) {
      for item in accepted {
        guard let position = position(ofItem: item) else { continue }
        entry.outcomes[item] = .put(position: position.id, collection: collection)
      }
      return ModelAnswer(verdict: .unchanged)
    }
    return put(accepted, of: operation, into: collection, at: place, isRedirected: target != nil, &entry)
  }

  /// Returns the items of an operation that are there and that may land.
  func admitted(_ operation: ModelOperation) throws(ModelVerdict.Reason) -> [Int] {
    var items = operation.items
    if case .move = operation.kind { items = try present(operation) }
    let target = rules[operation.collection].redirect ?? operation.collection
    guard let capacity = rules[target].capacity else { return items }
    var room = max(0, capacity - self.items(in: target).count)
    let coming = items.filter { place(ofItem: $0)?.collection != target }
    guard coming.count > room else { return items }
    let fitting = items.prefix { item in
      guard coming.contains(item) else { return true }
      room -= 1
      return room >= 0
    }
    guard rules[target].acceptsPart, !fitting.isEmpty else { throw .capacityExceeded }
    return Array(fitting)
  }

  /// Refuses an operation with items that never were, or that its author can know to be gone.
  private func checkKnown(_ operation: ModelOperation) throws(ModelVerdict.Reason) {
    for item in operation.items where position(ofItem: item) == nil {
      guard let removal = removals[item], removal.author != operation.author, removal.revision > operation.base else {
        throw .unknownItem
      }
    }
  }

  /// Returns the items of an operation, if they are on the table and nobody else may keep them.
  func present(_ operation: ModelOperation) throws(ModelVerdict.Reason) -> [Int] {
    try checkKnown(operation)
    for item in operation.items {
      guard let position = position(ofItem: item) else { throw .contended }
      if isFirstWins, position.placed > operation.base, position.session != operation.author { throw .contended }
    }
    return operation.items
  }

  /// N1: whether all items have positions of the author's already, at the place and in this order, with none between, vacant or
  /// not.
  func isUnchanged(_ items: [Int], in collection: Int, at index: Int, _ operation: ModelOperation) -> Bool {
    guard case .move = operation.kind, items.count == operation.items.count else { return false }
    func isPart(_ position: ModelPosition) -> Bool {
      if fault == .looksUnchanged, position.vacated != nil { return true }
      return position.vacated == nil && items.contains(position.item)
    }
    let list = collections[collection]
    let around = list[..<index].reversed().prefix(while: isPart).reversed() + list[index...].prefix(while: isPart)
    let standing = around.filter { $0.vacated == nil }
    guard standing.map(\.item) == items else { return false }
    return fault == .looksUnchanged || standing.allSatisfy { $0.session == operation.author }
  }

  mutating func put(
    _ items: [Int], of operation: ModelOperation, into collection: Int, at index: Int, isRedirected: Bool,
    _ entry: inout ModelMemory.Entry
  ) -> ModelAnswer {
    revision += 1
    var effect = Effect(author: operation.author, number: operation.number)
    var diff = ModelDiff(revision: revision, author: operation.author, isRedirected: isRedirected)
    if case .move = operation.kind {
      effect.taken = vacate(items, by: operation.author)
      diff.taken = items
    }
    let block = items.map { makePosition(of: $0, session: operation.author, author: operation.author) }
    insert(block, into: collection, at: index)
    for position in block {
      entry.outcomes[position.item] = .put(position: position.id, collection: collection)
      if let moved = effect.taken.firstIndex(where: { $0.item == position.item }) {
        effect.taken[moved].to = position.id
      } else {
        effect.made.append((position.item, position.id))
      }
    }
    effects.append(effect)
    if let last = block.last {
      diff.blocks = [blockBehind(last.id, items, isReturn: false)]
    }
    return ModelAnswer(verdict: .accepted, diff: diff)
  }

  mutating func vacate(_ items: [Int], by author: Int) -> [Effect.Taken] {
    var taken: [Effect.Taken] = []
    for item in items {
      guard let place = place(ofItem: item) else { continue }
      taken.append(Effect.Taken(item: item, from: collections[place.collection][place.index].id))
      collections[place.collection][place.index].vacated = revision
      collections[place.collection][place.index].vacatedBy = author
    }
    return taken
  }

  /// Describes a block whose last position is `id`.
  func blockBehind(_ id: Int, _ items: [Int], isReturn: Bool) -> ModelDiff.Block {
    guard let place = place(of: id) else { preconditionFailure("position \(id) was just made") }
    let behind = collections[place.collection][(place.index + 1)...].prefix { $0.vacated != nil }
    let gone = behind.first
    let anchor = collections[place.collection][(place.index + 1)...].first { $0.vacated == nil }
    return ModelDiff.Block(
      items: items, collection: place.collection, anchor: anchor?.item,
      gone: gone.flatMap { gone in gone.vacated.map { ModelDiff.Gone(item: gone.item, revision: $0) } },
      isReturn: isReturn)
  }

  mutating func remove(
    _ operation: ModelOperation, _ entry: inout ModelMemory.Entry
  ) throws(ModelVerdict.Reason) -> ModelAnswer {
    for item in operation.items { entry.outcomes[item] = .tookAway }
    let items = try present(operation)
    revision += 1
    effects.append(
      Effect(author: operation.author, number: operation.number, taken: vacate(items, by: operation.author)))
    for item in items { removals[item] = (operation.author, revision) }
    return ModelAnswer(
      verdict: .accepted, diff: ModelDiff(revision: revision, author: operation.author, taken: items))
  }
}
