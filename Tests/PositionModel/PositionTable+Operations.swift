/// Drops and removals (P1).
extension PositionTable {
  mutating func land(
    _ operation: ModelOperation, _ memory: ModelMemory, _ entry: inout ModelMemory.Entry
  ) throws(ModelVerdict.Reason) -> ModelAnswer {
    for item in operation.items { entry.outcomes[item] = .notPut }
    let gap = try gap(operation, memory)
    let index = index(in: gap, operation)
    lastNeighbors = neighbors(of: gap, in: operation.collection)
    let accepted: [Int]
    do {
      accepted = try admitted(operation)
    } catch {
      keepUnused(operation, at: index, &entry)
      throw error
    }
    if redirects, let target = rules[operation.collection].redirect {
      keepUnused(operation, at: index, &entry)
      var entryThere = ModelMemory.Entry(number: operation.number)
      return put(accepted, of: operation, into: target, at: collections[target].count, isRedirected: true, &entryThere)
    }
    if isUnchanged(accepted, at: index, operation) {
      for item in accepted {
        guard let position = position(ofItem: item) else { continue }
        entry.outcomes[item] = .put(position: position.id, collection: operation.collection)
      }
      return ModelAnswer(verdict: .unchanged)
    }
    return put(accepted, of: operation, into: operation.collection, at: index, isRedirected: false, &entry)
  }

  func neighbors(of gap: Gap, in collection: Int) -> (after: Int?, before: Int?) {
    let list = collections[collection]
    func id(_ index: Int) -> Int? { list.indices.contains(index) ? list[index].id : nil }
    switch gap {
    case .between(let left, let right): return (id(left), id(right))
    case .behind(let left): return (id(left), id(left + 1))
    }
  }

  /// Leaves positions, in a client, for what was not put, so that what is shown beside them stays until it is sent again.
  mutating func keepUnused(_ operation: ModelOperation, at index: Int, _ entry: inout ModelMemory.Entry) {
    guard isReplica else { return }
    let block = operation.items.map {
      makePosition(of: $0, session: operation.author, author: operation.author, isUnused: true)
    }
    insert(block, into: operation.collection, at: index)
    for position in block {
      entry.outcomes[position.item] = .put(position: position.id, collection: operation.collection)
    }
  }

  /// Returns the items of an operation that are there and that may land.
  func admitted(_ operation: ModelOperation) throws(ModelVerdict.Reason) -> [Int] {
    var items = operation.items
    if case .move = operation.kind { items = try present(operation) }
    let target = redirects ? rules[operation.collection].redirect ?? operation.collection : operation.collection
    guard let capacity = rules[target].capacity else { return items }
    var room = max(0, capacity - self.items(in: target).count)
    let coming = items.filter { place(ofItem: $0)?.collection != target }
    guard coming.count > room else { return items }
    guard rules[target].acceptsPart, room > 0 else { throw .capacityExceeded }
    items.removeAll { item in
      guard coming.contains(item) else { return false }
      room -= 1
      return room < 0
    }
    return items
  }

  /// Returns the items of an operation, if they are on the table and nobody else may keep them.
  func present(_ operation: ModelOperation) throws(ModelVerdict.Reason) -> [Int] {
    for item in operation.items {
      guard let position = position(ofItem: item) else {
        guard let removal = removals[item], removal.author != operation.author, removal.revision > operation.base else {
          throw .unknownItem
        }
        throw .contended
      }
      if isFirstWins, position.placed > operation.base, position.author != operation.author { throw .contended }
    }
    return operation.items
  }

  /// P1: whether all items have positions of the author's already, at the place and in this order, with none between, vacant or
  /// not.
  func isUnchanged(_ items: [Int], at index: Int, _ operation: ModelOperation) -> Bool {
    guard case .move = operation.kind, items.count == operation.items.count else { return false }
    func isPart(_ position: Position) -> Bool {
      if fault == .looksUnchanged, position.vacated != nil { return true }
      return (position.vacated == nil && items.contains(position.item))
        || (position.isUnused && position.author != operation.author)
    }
    let list = collections[operation.collection]
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
      effect.taken = vacate(items)
      diff.taken = items
    }
    var block: [Position] = []
    for item in isRedirected ? items : operation.items {
      let isUnused = !items.contains(item)
      guard !isUnused || isReplica else { continue }
      block.append(
        makePosition(of: item, session: operation.author, author: operation.author, isUnused: isUnused))
    }
    insert(block, into: collection, at: index)
    for position in block {
      entry.outcomes[position.item] = .put(position: position.id, collection: collection)
      if position.isUnused { continue }
      if let moved = effect.taken.firstIndex(where: { $0.item == position.item }) {
        effect.taken[moved].to = position.id
      } else {
        effect.made.append((position.item, position.id))
      }
    }
    effects.append(effect)
    if let last = block.last(where: { !$0.isUnused }) {
      diff.blocks = [blockBehind(last.id, items, isReturn: false)]
    }
    return ModelAnswer(verdict: .accepted, diff: diff)
  }

  mutating func vacate(_ items: [Int]) -> [Effect.Taken] {
    var taken: [Effect.Taken] = []
    for item in items {
      guard let place = place(ofItem: item) else { continue }
      taken.append(Effect.Taken(item: item, from: collections[place.collection][place.index].id))
      collections[place.collection][place.index].vacated = revision
    }
    return taken
  }

  /// Describes a block whose last position is `id`.
  func blockBehind(_ id: Int, _ items: [Int], isReturn: Bool) -> ModelDiff.Block {
    guard let place = place(of: id) else { preconditionFailure("position \(id) was just made") }
    let behind = collections[place.collection][(place.index + 1)...].prefix { $0.vacated != nil }
    let gone = behind.first { !$0.isUnused }
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
    effects.append(Effect(author: operation.author, number: operation.number, taken: vacate(items)))
    for item in items { removals[item] = (operation.author, revision) }
    return ModelAnswer(
      verdict: .accepted, diff: ModelDiff(revision: revision, author: operation.author, taken: items))
  }
}
