/// What people do.
extension PositionWorld {
  mutating func write(_ index: Int) {
    guard people[index].dropsLeft > 0 else { return }
    let collection = people[index].collection
    let shown = people[index].client.items(in: collection)
    var place = below(shown.count + 1)
    if !settings.anyGap, let last = people[index].lastItem {
      guard let there = shown.firstIndex(of: last) else { return }
      let isForwards = people[index].direction == 0 || (people[index].direction == 2 && below(2) == 0)
      place = isForwards ? there + 1 : there
    }
    guard settings.moves else { return submit(.insert, [], to: collection, at: place, by: index) }
    let from = below(settings.collections)
    let free = people[index].client.items(in: from).filter { $0 != people[index].lastItem }
    guard !free.isEmpty else { return }
    submit(.move, block(of: free, at: below(free.count)), to: collection, at: place, by: index)
  }

  mutating func disturb(_ index: Int) {
    guard below(settings.calm) == 0 else { return }
    if settings.undoes, below(3) == 0, let target = people[index].undoable.popLast() {
      return submit(.undo(target), [], by: index)
    }
    let from = below(settings.collections)
    let shown = people[index].client.items(in: from)
    guard !shown.isEmpty else { return }
    let items = block(of: shown, at: below(shown.count))
    guard below(3) > 0 || shown.count < 4 else { return submit(.remove, items, by: index) }
    let to = below(settings.collections)
    submit(.move, items, to: to, at: below(people[index].client.items(in: to).count + 1), by: index)
  }

  mutating func block(of items: [Int], at first: Int) -> [Int] {
    let length = settings.blocks && below(3) == 0 ? 2 + below(2) : 1
    return Array(items[first..<min(items.count, first + length)])
  }

  mutating func submit(
    _ kind: ModelOperation.Kind, _ items: [Int], to collection: Int = 0, at place: Int = 0, by index: Int
  ) {
    guard let (operation, view) = people[index].client.submit(kind, items, to: collection, at: place) else { return }
    send(operation, view, by: index)
    guard index < settings.writers else {
      if !operation.isUndo || below(3) == 0 { people[index].undoable.append(operation.number) }
      return
    }
    people[index].dropsLeft -= 1
    people[index].lastItem = operation.items.first
  }

  mutating func send(_ operation: ModelOperation, _ view: ModelView, by index: Int) {
    people[index].views[operation.number] = view
    people[index].sent.append(operation)
  }
}
