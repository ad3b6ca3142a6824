/// What people do.
extension PositionWorld {
  mutating func write(_ index: Int) {
    if people[index].dropsLeft == 0, people[index].runsLeft > 1 { beginRun(index) }
    guard people[index].dropsLeft > 0 else { return }
    var collection = people[index].collection
    let shown = system.shown(by: people[index].author)
    var place = below(shown[collection].count + 1)
    var isForwards = true
    if settings.redirects, below(4) == 0 {
      (collection, place) = (collections - 1, 0)
    } else if !settings.anyGap, let last = people[index].lastItem {
      guard let there = shown[collection].firstIndex(of: last) else { return }
      isForwards = people[index].direction == 0 || (people[index].direction == 2 && below(2) == 0)
      place = isForwards ? there + 1 : there
    }
    let last = people[index].lastItem
    let items: [Int]
    if settings.moves {
      let free = shown[below(settings.collections)].filter { $0 != last }
      guard !free.isEmpty else { return }
      items = block(of: free, at: below(free.count))
    } else {
      items = []
    }
    guard let operation = submit(settings.moves ? .move : .insert, items, to: collection, at: place, by: index) else {
      return
    }
    people[index].dropsLeft -= 1
    guard !settings.anyGap, collection == people[index].collection else { return }
    people[index].lastItem = operation.items.first
    guard operation.items.count == 1, let item = operation.items.first else { return }
    people[index].typed.removeAll { $0 == item }
    let next = last.flatMap { people[index].typed.firstIndex(of: $0) }
    people[index].typed.insert(item, at: next.map { isForwards ? $0 + 1 : $0 } ?? 0)
  }

  private mutating func beginRun(_ index: Int) {
    people[index].runs.append(people[index].typed)
    (people[index].typed, people[index].lastItem) = ([], nil)
    people[index].runsLeft -= 1
    people[index].dropsLeft = 2 + below(5)
    people[index].direction = below(3)
  }

  mutating func disturb(_ index: Int) {
    guard below(settings.calm) == 0 else { return }
    if settings.undoes, below(3) == 0, let target = people[index].undoable.popLast() {
      _ = submit(.undo(target), [], by: index)
      return
    }
    let shown = system.shown(by: people[index].author)
    let from = below(settings.collections)
    guard !shown[from].isEmpty else { return }
    if settings.returns { return takeOutOrReturn(index, shown[from], in: from) }
    let items = block(of: shown[from], at: below(shown[from].count))
    if settings.takesOut || (below(3) == 0 && shown[from].count > 3) {
      _ = submit(.remove, items, by: index)
      return
    }
    let to = below(settings.collections)
    _ = submit(.move, items, to: to, at: below(shown[to].count + 1), by: index)
  }

  /// Removes or moves something that a writer typed, or moves it back behind what it stood behind.
  private mutating func takeOutOrReturn(_ index: Int, _ shown: [Int], in collection: Int) {
    if below(2) == 0, let (item, behind) = people[index].away.popLast() {
      let place = behind.map { shown.firstIndex(of: $0).map { $0 + 1 } ?? shown.count } ?? 0
      if shown.contains(item) { _ = submit(.move, [item], to: collection, at: place, by: index) }
      return
    }
    let typed = shown.indices.filter { shown[$0] > 1 << 16 }
    guard !typed.isEmpty else { return }
    let place = typed[below(typed.count)]
    if below(2) == 0 {
      _ = submit(.remove, [shown[place]], by: index)
    } else if submit(.move, [shown[place]], to: collection, at: below(shown.count + 1), by: index) != nil {
      people[index].away.append((shown[place], place == 0 ? nil : shown[place - 1]))
    }
  }

  private mutating func block(of items: [Int], at first: Int) -> [Int] {
    let length = settings.blocks && below(3) == 0 ? 2 + below(2) : 1
    return Array(items[first..<min(items.count, first + length)])
  }

  private mutating func submit(
    _ kind: ModelOperation.Kind, _ items: [Int], to collection: Int = 0, at place: Int = 0, by index: Int
  ) -> ModelOperation? {
    guard let sent = system.submit(kind, items, to: collection, at: place, by: people[index].author) else { return nil }
    send(sent, by: index)
    people[index].lastNumber = sent.operation.number
    if index >= writers, !sent.operation.isUndo || below(3) == 0 {
      people[index].undoable.append(sent.operation.number)
    }
    return sent.operation
  }

  mutating func send(_ sent: Sent<System.Request>, by index: Int) {
    let operation = sent.operation
    people[index].sent.append(sent)
    // A drop of what an earlier one put, or its undo, hides where that one is.
    people[index].pendingDrops.removeAll { drop in
      if case .undo(drop.operation.number) = operation.kind { return true }
      return !Set(drop.operation.items).isDisjoint(with: operation.items)
    }
    people[index].flipped.remove(operation.number)
    if operation.lands { people[index].pendingDrops.append(PendingDrop(operation: operation, view: sent.view)) }
  }
}
