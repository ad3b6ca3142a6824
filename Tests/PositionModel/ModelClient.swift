/// What an author saw on both sides of a gap, from the start of the collection to its end.
struct ModelView: Sendable {
  var inFront: [ModelOperation.Name] = []
  var behind: [ModelOperation.Name] = []
  /// The numbers of the author's pending operations that were shown as refused.
  var refused: Set<Int> = []
}

/// A client that shows its operations before they are answered.
struct ModelClient: Sendable {
  let author: Int
  private(set) var confirmed: PositionTable
  private(set) var pending: [ModelOperation] = []
  private var memory = ModelMemory()
  private var lastNumber = 0
  private var retriedCount = 0
  private var shownBefore: Shown?

  private struct Shown {
    var table: PositionTable
    var memory: ModelMemory
    var refused: Set<Int> = []
  }

  init(author: Int, of table: PositionTable) {
    self.author = author
    confirmed = table
    confirmed.isReplica = true
  }

  /// The table as it is shown: the confirmed one, and on it what is pending.
  private mutating func shown() -> Shown {
    if let shownBefore { return shownBefore }
    var shown = Shown(table: confirmed, memory: memory)
    for operation in pending {
      if case .refused = shown.table.judge(operation, &shown.memory).verdict { shown.refused.insert(operation.number) }
    }
    shownBefore = shown
    return shown
  }

  /// The items of a collection, as they are shown.
  mutating func items(in collection: Int) -> [Int] { shown().table.items(in: collection) }

  /// The numbers of the pending operations that are shown as refused.
  mutating func refused() -> Set<Int> { shown().refused }

  /// Returns whether an answer to the first pending operation is the one that the client shows.
  func expects(_ answer: ModelAnswer) -> Bool {
    guard let first = pending.first, answer.verdict != .retry else { return false }
    var (table, memory) = (confirmed, memory)
    let expected = table.judge(first, &memory)
    return expected.verdict == answer.verdict && expected.diff?.blocks.map(\.items) == answer.diff?.blocks.map(\.items)
  }

  /// Sends an operation, if the client's own copy of the rules accepts it.
  ///
  /// - Parameter place: The number of items in front of the gap, of those that are shown; sources are no neighbors.
  mutating func submit(
    _ kind: ModelOperation.Kind, _ items: [Int], to collection: Int = 0, at place: Int = 0
  ) -> (operation: ModelOperation, view: ModelView)? {
    // After an answer that was `retry` nothing new, and nothing behind an undo: it may be too late.
    guard retriedCount == 0 else { return nil }
    if confirmed.fault != .sendsBehindUndo, pending.contains(where: \.isUndo) { return nil }
    var shown = shown()
    var operation = ModelOperation(
      author: author, number: lastNumber + 1, base: confirmed.revision, unanswered: pending.count, kind: kind,
      items: items, collection: collection)
    if case .insert = kind { operation.items = [ModelOperation.madeItem(by: author, number: operation.number)] }
    var view = ModelView()
    if operation.lands {
      let list = shown.table.items(in: collection)
      view = self.view(list[..<place], list[place...], of: operation, shown.table, shown.memory)
      view.refused = refused()
      operation.name(view)
    }
    let orders = shown.table.collections.indices.map { shown.table.items(in: $0) }
    if case .refused = shown.table.judge(operation, &shown.memory).verdict { return nil }
    // What would change nothing that is shown is not sent.
    if case .move = operation.kind,
      pending.allSatisfy({ Set($0.items).isDisjoint(with: items) }),
      orders == shown.table.collections.indices.map({ shown.table.items(in: $0) })
    {
      return nil
    }
    lastNumber += 1
    pending.append(operation)
    shownBefore = nil
    return (operation, view)
  }

  private func view(
    _ inFront: ArraySlice<Int>, _ behind: ArraySlice<Int>, of operation: ModelOperation, _ table: PositionTable,
    _ memory: ModelMemory
  ) -> ModelView {
    func names(_ items: ArraySlice<Int>) -> [ModelOperation.Name] {
      items.filter { !operation.sources.contains($0) }
        .map { ModelOperation.Name(item: $0, by: lastOperation(on: $0, table, memory)) }
    }
    return ModelView(inFront: names(inFront), behind: names(behind))
  }

  /// The number of the pending operation that put an item where it is shown; 0 for none.
  private func lastOperation(on item: Int, _ table: PositionTable, _ memory: ModelMemory) -> Int {
    guard let position = table.position(ofItem: item) else { return 0 }
    let entry = memory.entries.last { entry in
      guard pending.contains(where: { $0.number == entry.number }) else { return false }
      if case .put(position.id, _) = entry.outcomes[item] { return true }
      return false
    }
    return entry?.number ?? 0
  }

  /// Receives an answer to an operation, the client's own or, with its diff, another's.
  ///
  /// - Returns: The operations that are to be sent again, with what their author sees now.
  mutating func receive(
    _ answer: ModelAnswer, to operation: ModelOperation
  ) -> [(operation: ModelOperation, view: ModelView)] {
    shownBefore = nil
    guard operation.author == author else {
      if let diff = answer.diff { confirmed.apply(diff) }
      return []
    }
    guard answer.verdict == .retry else {
      confirmed.apply(answer, to: pending.removeFirst(), &memory)
      return []
    }
    retriedCount += 1
    return retriedCount == pending.count ? expressAgain() : []
  }

  /// Expresses the pending operations on what is shown. One that is shown as refused takes its number and does nothing.
  private mutating func expressAgain() -> [(operation: ModelOperation, view: ModelView)] {
    var (table, memory) = (confirmed, memory)
    var again: [(operation: ModelOperation, view: ModelView)] = []
    for (index, old) in pending.enumerated() {
      let verdict = table.judge(old, &memory).verdict
      var (operation, view) = (old, ModelView())
      operation.base = confirmed.revision
      operation.unanswered = index
      if case .refused = verdict {
        operation.kind = .remove
        operation.items = [-1]
      } else if operation.lands {
        let list = table.items(in: operation.collection)
        let block = list.indices.filter { old.items.contains(list[$0]) }
        if let first = block.first, let last = block.last {
          view = self.view(list[..<first], list[(last + 1)...], of: operation, table, memory)
          view.inFront.removeAll { old.items.contains($0.item) }
          view.behind.removeAll { old.items.contains($0.item) }
          operation.name(view)
        }
      }
      again.append((operation, view))
    }
    pending = again.map(\.operation)
    retriedCount = 0
    return again
  }
}

extension ModelOperation {
  var isUndo: Bool { if case .undo = kind { true } else { false } }

  /// Names the nearest neighbors of a gap.
  fileprivate mutating func name(_ view: ModelView) {
    after = view.inFront.last
    isAtStart = after == nil
    before = view.behind.first
  }
}
