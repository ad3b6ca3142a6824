/// P2: which gap an operation means.
extension PositionTable {
  /// A gap: between two positions, by their indices (−1 and the count for the ends), or directly behind one.
  enum Gap {
    case between(Int, Int)
    case behind(Int)
  }

  /// Returns the position that a name names.
  func position(named name: ModelOperation.Name, _ operation: ModelOperation, _ memory: ModelMemory) -> Int? {
    if fault == .present {
      return position(ofItem: name.item).flatMap { place(of: $0.id)?.collection == operation.collection ? $0.id : nil }
    }
    if name.by != 0 {
      switch outcome(of: name, operation, memory) {
      case .put(let id, let collection) where collection == operation.collection && place(of: id) != nil: return id
      case .tookAway: return nil
      case .put, .notPut, nil: break
      }
    }
    return positionAtBase(of: name.item, operation)
  }

  func positionAtBase(of item: Int, _ operation: ModelOperation) -> Int? {
    collections[operation.collection].first { $0.item == item && $0.isOccupied(at: operation.base) }?.id
  }

  /// Returns whether the author sees a position occupied: by its last pending operation on the item, or else at the base.
  func isSeen(_ position: Position, by operation: ModelOperation, _ memory: ModelMemory) -> Bool {
    switch memory.outcomes(for: position.item, before: operation).last?.outcome {
    case .put(let id, _): id == position.id && !position.isUnused
    case .tookAway, .notPut: false
    case nil: position.isOccupied(at: operation.base)
    }
  }

  func gap(_ operation: ModelOperation, _ memory: ModelMemory) throws(ModelVerdict.Reason) -> Gap {
    let list = collections[operation.collection]
    let isFree = list.map { isSeen($0, by: operation, memory) && !operation.sources.contains($0.item) }
    func index(_ id: Int) -> Int? { list.firstIndex { $0.id == (fault == .notOne ? id : standing(id)) } }
    /// The nearest seen position in front of one, or the start.
    func front(_ index: Int) -> Int { list[..<index].indices.last { isFree[$0] } ?? -1 }
    /// The nearest seen position behind one, or the end.
    func back(_ index: Int) -> Int { list[(index + 1)...].indices.first { isFree[$0] } ?? list.count }
    func paired(_ index: Int) -> Int {
      list.indices.contains(index) ? self.place(of: standing(list[index].id))?.index ?? index : index
    }
    func named(_ name: ModelOperation.Name, isBehind: Bool) -> Int? {
      guard operation.sources.contains(name.item) else {
        return position(named: name, operation, memory).flatMap(index)
      }
      // The next that is no source takes its place.
      guard let id = positionAtBase(of: name.item, operation), let source = list.firstIndex(where: { $0.id == id })
      else { return nil }
      return isBehind ? back(source) : front(source)
    }
    let left = operation.isAtStart ? -1 : operation.after.flatMap { named($0, isBehind: false) }
    guard let before = operation.before else {
      guard let left else { return .between(paired(front(list.count)), list.count) }
      return .between(left, operation.isAtStart ? list.count : paired(back(left)))
    }
    guard let right = named(before, isBehind: true) else {
      if let left { return .behind(left) }
      throw missing(before.item, operation)
    }
    guard let left, left < right else { return .between(paired(front(right)), right) }
    return .between(left, right)
  }

  func missing(_ item: Int, _ operation: ModelOperation) -> ModelVerdict.Reason {
    let wasEver = collections.joined().contains { $0.item == item && !$0.isUnused }
    if let removal = removals[item] {
      return removal.author == operation.author || removal.revision <= operation.base ? .unknownItem : .anchorGone
    }
    return wasEver ? .anchorGone : .unknownItem
  }
}
