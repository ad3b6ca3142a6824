/// N2: which gap an operation means.
extension PositionTable {
  /// A gap: between two positions, by their indices (−1 and the count for the ends), or directly behind one.
  enum Gap {
    case between(Int, Int)
    case behind(Int)
  }

  /// What a name names.
  enum Named {
    case position(Int)
    /// Nothing that the author can name.
    case nothing
    /// An own pending operation was to put the item there, and did not.
    case lost
  }

  func named(_ name: ModelOperation.Name, _ operation: ModelOperation, _ memory: ModelMemory) -> Named {
    if fault == .present {
      guard let id = position(ofItem: name.item)?.id, place(of: id)?.collection == operation.collection else {
        return .nothing
      }
      return .position(id)
    }
    if let by = name.by, by > 0, let entry = memory.entry(by, before: operation), entry.operation.lands,
      fault != .keepsLostNames
    {
      guard case .put(let id, operation.collection) = entry.outcomes[name.item], place(of: id) != nil else {
        return .lost
      }
      return .position(id)
    }
    if name.by != 0, let own = lastOwn(name.item, operation, memory) { return .position(own) }
    guard let id = positionAtBase(of: name.item, operation) else { return .nothing }
    // What the author took off the table it does not see.
    if let removal = removals[name.item], removal.author == operation.author, removal.revision > operation.base {
      return .nothing
    }
    return .position(id)
  }

  /// Returns the position that an item has from the author's last pending drop that put it into this collection, unless the
  /// author took it from there.
  private func lastOwn(_ item: Int, _ operation: ModelOperation, _ memory: ModelMemory) -> Int? {
    let puts = memory.outcomes(for: item, before: operation).compactMap { _, outcome -> Int? in
      guard case .put(let id, operation.collection) = outcome else { return nil }
      return id
    }
    guard let id = puts.last, let place = place(of: id),
      collections[place.collection][place.index].vacatedBy != operation.author
    else { return nil }
    return id
  }

  func positionAtBase(of item: Int, _ operation: ModelOperation) -> Int? {
    collections[operation.collection].first { $0.item == item && $0.isOccupied(at: operation.base) }?.id
  }

  /// Returns whether the author sees a position occupied: at the base, or from a pending drop of its own, unless it left by its own
  /// operation.
  func isSeen(_ position: ModelPosition, by operation: ModelOperation, _ memory: ModelMemory) -> Bool {
    guard position.isCounted(since: operation.base), !isAway(position, operation) else { return false }
    if position.placed <= operation.base { return true }
    return memory.outcomes(for: position.item, before: operation).contains { _, outcome in
      if case .put(position.id, _) = outcome { true } else { false }
    }
  }

  /// Returns whether an author's own operation took the item of a vacant position away, from there or from where others had put it.
  private func isAway(_ position: ModelPosition, _ operation: ModelOperation) -> Bool {
    guard let vacated = position.vacated else { return false }
    return collections.joined().contains {
      $0.item == position.item && $0.vacatedBy == operation.author && $0.vacated.map { $0 >= vacated } ?? false
    }
  }

  func gap(_ operation: ModelOperation, _ memory: ModelMemory) throws(ModelVerdict.Reason) -> Gap {
    let list = collections[operation.collection]
    func isFree(_ position: ModelPosition) -> Bool { !operation.sources.contains(position.item) }
    func index(_ id: Int) -> Int? { list.firstIndex { $0.id == (fault == .notOne ? id : standing(id)) } }
    func paired(_ index: Int) -> Int { list.indices.contains(index) ? self.index(list[index].id) : index }
    /// The nearest seen position in front of one, or the start.
    func front(_ index: Int) -> Int {
      paired(list[..<index].lastIndex { isSeen($0, by: operation, memory) && isFree($0) } ?? -1)
    }
    /// The nearest position behind one that was occupied at the base, or the end.
    func back(_ index: Int) -> Int {
      let next = list[(index + 1)...].firstIndex {
        $0.isOccupied(at: operation.base) && !isAway($0, operation) && isFree($0)
      }
      return paired(next ?? list.count)
    }
    var isLost = false
    func resolve(_ name: ModelOperation.Name?) -> Int? {
      switch name.map({ named($0, operation, memory) }) {
      case .position(let id): return index(id)
      case .lost: isLost = true
      case .nothing, nil: break
      }
      return nil
    }
    let left = operation.isAtStart ? -1 : resolve(operation.after)
    guard let before = operation.before else {
      guard let left else { return .between(front(list.count), list.count) }
      return .between(left, back(left))
    }
    guard let right = resolve(before) else {
      if let left { return isLost ? .between(left, back(left)) : .behind(left) }
      guard isLost else { throw missing(before.item, operation) }
      return try standIn(for: before, operation, memory)
    }
    guard let left, left < right else { return .between(front(right), right) }
    return .between(left, right)
  }

  private func index(_ id: Int) -> Int {
    guard let place = place(of: standing(id)) else { preconditionFailure("position \(id) is forgotten") }
    return place.index
  }

  /// Returns, in a client, the gap for a drop whose names are lost: the one that the lost operation named.
  private func standIn(
    for before: ModelOperation.Name, _ operation: ModelOperation, _ memory: ModelMemory
  ) throws(ModelVerdict.Reason) -> Gap {
    if let by = before.by, let lost = memory.entry(by, before: operation)?.operation,
      lost.collection == operation.collection
    {
      var earlier = operation
      (earlier.number, earlier.unanswered) = (by, by - (operation.number - operation.unanswered))
      (earlier.before, earlier.after, earlier.isAtStart) = (lost.before, lost.after, lost.isAtStart)
      return try gap(earlier, memory)
    }
    let count = collections[operation.collection].count
    return .between(count - 1, count)
  }

  func missing(_ item: Int, _ operation: ModelOperation) -> ModelVerdict.Reason {
    let wasEver = collections.joined().contains { $0.item == item }
    if let removal = removals[item] {
      return removal.author == operation.author || removal.revision <= operation.base ? .unknownItem : .anchorGone
    }
    return wasEver ? .anchorGone : .unknownItem
  }
}
