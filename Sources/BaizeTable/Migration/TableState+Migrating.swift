/// Moving a table to another document of its type (rules M1 to M6).
///
/// ```
/// obstacles(to:) ─ none ─▶ carried(to:) ─▶ apply(migration diff)
///               └─ some: nothing changes
/// ```
extension TableState {
  /// Returns all reasons why the table does not fit a type; none if it does.
  ///
  /// No reason depends on a hidden face, so that whether a table moves reveals nothing.
  ///
  /// - Parameters:
  ///   - other: The type, made from another document with the table's options.
  ///   - hasSessions: Whether sessions are remembered that may have operations on their way.
  ///   - keepsSeats: Whether the taken seats stay taken.
  /// - Complexity: O(n) for n items.
  public func obstacles(to other: TableType, hasSessions: Bool, keepsSeats: Bool = true) -> [MigrationObstacle] {
    guard type.name.hasBytes(of: other.name) else { return [.otherType(other.name)] }
    var obstacles = handleObstacles(to: other, hasSessions: hasSessions)
    let targets = targets(in: other)
    for (index, target) in targets.enumerated() where count(index) > 0 {
      guard let target else {
        obstacles.append(.collectionGone(rules(of: handle(index)).id, items: count(index)))
        continue
      }
      obstacles += openingObstacles(of: index, to: target, in: other)
      obstacles += viewObstacles(of: index, to: target, in: other)
      obstacles += aliasObstacles(of: index, to: target, in: other)
    }
    obstacles += faceSizeObstacles(to: other)
    for seat in seats where keepsSeats && Int(seat.number.rawValue) > other.seatsMax {
      obstacles.append(.seatTaken(seat.number, seatsMax: other.seatsMax))
    }
    if !status.hasBytes(of: Self.open), !other.endings.contains(where: { $0.status.hasBytes(of: status) }) {
      obstacles.append(.status(status))
    }
    for variable in other.variables {
      if let value = self.variable(variable.name), let initial = variable.value, !value.isSameKind(as: initial) {
        obstacles.append(.variable(variable.name))
      }
    }
    return obstacles + itemObstacles(to: other)
  }

  /// Returns the state with another type: every collection by its name with its items, and all else as it is.
  ///
  /// - Parameters:
  ///   - other: The type.
  ///   - role: The role of the table whose state this is.
  /// - Throws: A ``DiffMismatch`` if the type has no collection for an item.
  /// - Complexity: O(n log n) for n items.
  package func carried(to other: TableType, for role: Table.Role = .authority) throws(DiffMismatch) -> TableState {
    var loader = StateLoader(type: other, for: role)
    let targets = targets(in: other)
    let shift = other.collections.count - type.collections.count
    for old in handlesFromTop {
      let index = old.index
      guard let target = targets[index] else {
        guard count(index) == 0 else { throw DiffMismatch("the collection \(rules(of: old).id) is gone") }
        continue
      }
      let new = CollectionHandle(index: target.index)
      try loader.describe(new, isEnabled: isEnabled(old), count: count(index))
      var items = items(in: old, from: 0, limit: count(index))
      for item in items.indices {
        items[item].collection = new
        if items[item].opens != .none { items[item].opens = CollectionHandle(index: items[item].opens.index + shift) }
      }
      try loader.add(items)
    }
    if openedHandlesEnd > 0 { try loader.reserve(UInt32(truncatingIfNeeded: Int(openedHandlesEnd) + shift)) }
    var state = loader.finish(revision: revision, status: status, variables: variables, seats: seats)
    state.nextID = max(state.nextID, nextID)
    return state
  }

  /// Returns the diff with which the table continues: the variables that are new, with their initial values, and those that
  /// are gone.
  ///
  /// - Parameters:
  ///   - other: The type.
  ///   - keepsSeats: Whether the taken seats stay taken; else all become free.
  package func migrationDiff(to other: TableType, keepsSeats: Bool = true) -> Diff {
    let new = other.variables.filter { variable($0.name) == nil }
    let gone = variables.filter { old in !other.variables.contains { $0.name.hasBytes(of: old.name) } }
    let variables = new + gone.map { Attribute(name: $0.name, value: nil) }
    var diff = Diff(revision: revision.next, author: .daemon, sequence: .zero)
    if !variables.isEmpty {
      diff.append(
        .variables(variables.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }), for: .everyone)
    }
    if !keepsSeats, !seats.isEmpty { diff.append(.seats([]), for: .everyone) }
    return diff
  }

  /// The collection of another type that a collection becomes.
  private struct Target {
    let index: Int
    let traits: CollectionTraits
  }

  /// Returns, for each collection, that of the same name in another type; `nil` if it is gone. Collections that items open
  /// stay behind those of the type, in their order.
  private func targets(in other: TableType) -> [Target?] {
    let indices = Dictionary(other.collections.enumerated().map { (Array($1.id.utf8), $0) }) { first, _ in first }
    let kinds = Dictionary(other.kinds.enumerated().map { (Array($1.name.utf8), $0) }) { first, _ in first }
    let shift = other.collections.count - type.collections.count
    return collections.indices.map { index in
      guard index >= type.collections.count else {
        return indices[Array(type.collections[index].id.utf8)].map { Target(index: $0, traits: other.traits[$0]) }
      }
      guard !isGone(index) else { return nil }
      return kinds[Array(kind(of: index).name.utf8)].map { Target(index: index + shift, traits: other.kindTraits[$0]) }
    }
  }

  // MARK: Obstacles

  private func handleObstacles(to other: TableType, hasSessions: Bool) -> [MigrationObstacle] {
    guard hasSessions else { return [] }
    var obstacles = zip(type.collections, other.collections).enumerated().compactMap {
      (index, pair) -> MigrationObstacle? in
      pair.0.id.hasBytes(of: pair.1.id)
        ? nil : .handle(CollectionHandle(index: index), of: pair.0.id, names: pair.1.id)
    }
    // The handles of collections that items opened, open or gone, follow those of the type.
    if collections.count > type.collections.count, type.collections.count != other.collections.count {
      let first = CollectionHandle(index: type.collections.count)
      let name = other.collections.count > type.collections.count ? other.collections[first.index].id : ""
      obstacles.append(.handle(first, of: "the first collection that an item opened", names: name))
    }
    return obstacles
  }

  /// Compares the collections that the items of a collection open.
  private func openingObstacles(of index: Int, to target: Target, in other: TableType) -> [MigrationObstacle] {
    let old = kind(of: index).opens.map { type.kinds[$0.kind].name }
    let new = other.kinds[Int(target.traits.kind)].opens.map { other.kinds[$0.kind].name }
    let isSame = old == nil ? new == nil : new.map { $0.hasBytes(of: old ?? "") } ?? false
    return isSame ? [] : [.opening(rules(of: handle(index)).id, items: count(index))]
  }

  /// Compares who may see the items of a collection, and their faces.
  private func viewObstacles(of index: Int, to target: Target, in other: TableType) -> [MigrationObstacle] {
    let id = rules(of: handle(index)).id
    guard traits[index].audience == target.traits.audience else { return [.audience(id, items: count(index))] }
    var (shown, hidden) = (0, 0)
    let faces = other.kinds[Int(target.traits.kind)].faces
    forEachSlot(in: index) { slot in
      let old = visibility(of: slot)
      let new = target.traits.visibility(isFaceUp: faces.isFaceUp(forest.records[slot].isFaceUp))
      guard old != new else { return }
      if old == .everyone || new == .nobody { hidden += 1 } else { shown += 1 }
    }
    return (shown > 0 ? [.facesShown(id, items: shown)] : []) + (hidden > 0 ? [.facesHidden(id, items: hidden)] : [])
  }

  /// Finds the aliases of a collection, and the items that have some, if faces may be hidden there.
  private func aliasObstacles(of index: Int, to target: Target, in other: TableType) -> [MigrationObstacle] {
    guard !aliases.isEmpty, !other.kinds[Int(target.traits.kind)].isOpen else { return [] }
    var count = 0
    forEachSlot(in: index) { slot in if isAlias(slot) || !aliasSlots(of: slot).isEmpty { count += 1 } }
    return count > 0 ? [.aliases(rules(of: handle(index)).id, items: count)] : []
  }

  /// Compares the size that each face counts with those that faces may have.
  private func faceSizeObstacles(to other: TableType) -> [MigrationObstacle] {
    guard let allowed = other.faceBytes else { return [] }
    var bytes = type.makesFaces ? type.faceBytes ?? 0 : type.setUp.faceBytesMax
    if type.faceBytes == nil { forEachSlot { bytes = max(bytes, faces[$0].contentBytes) } }
    return bytes > allowed ? [.faceBytes(bytes, allowed: allowed)] : []
  }

  /// Returns the obstacles that are properties of items which everyone may know: keys, and pins.
  private func itemObstacles(to other: TableType) -> [MigrationObstacle] {
    var obstacles: [MigrationObstacle] = []
    if let key = other.key {
      var counts: [AttributeValue: Int] = [:]
      forEachSlot { slot in if !isAlias(slot), let value = faces[slot][key] { counts[value, default: 0] += 1 } }
      for (value, items) in counts.filter({ $0.value > 1 }).sorted(by: { $0.key.precedes($1.key) }) {
        obstacles.append(.keyTaken(key, value: value, items: items))
      }
    }
    if type.unpinsItems, !other.unpinsItems {
      var pinned = 0
      // Which items of a private collection are pinned is not for everyone to know: all of them count.
      forEachSlot { slot in if forest.records[slot].isPinned || kind(of: collection(slot)).isPrivate { pinned += 1 } }
      if pinned > 0 { obstacles.append(.pinned(items: pinned)) }
    }
    return obstacles
  }

  private func forEachSlot(_ body: (Int32) -> Void) {
    for index in collections.indices { forEachSlot(in: index, body) }
  }

  private func forEachSlot(in index: Int, _ body: (Int32) -> Void) {
    var slot = forest.first(in: root(index))
    while slot >= 0 {
      body(slot)
      slot = forest.next(slot)
    }
  }
}

extension CollectionTraits {
  /// The viewers that may see the items of the collection and their order: all, or one seat.
  fileprivate var audience: SeatNumber? { flags.contains(.isPrivate) ? owner : nil }
}

extension TableType {
  /// Whether an action unpins items.
  fileprivate var unpinsItems: Bool {
    actions.contains { action in action.cases.contains { $0.steps.contains(where: \.unpins) } }
  }
}

extension Action.Step {
  fileprivate var unpins: Bool {
    switch self {
    case .pin(let isPinned): !isPinned
    case .bySeat(let steps), .when(_, let steps), .acting(_, let steps): steps.contains(where: \.unpins)
    case .deal, .shuffle, .turn, .set, .passTurn: false
    }
  }
}

extension AttributeValue {
  fileprivate func isSameKind(as other: AttributeValue) -> Bool {
    switch (self, other) {
    case (.number, .number), (.text, .text): true
    case (.number, .text), (.text, .number): false
    }
  }

  /// Orders numbers before texts, and texts by their bytes.
  fileprivate func precedes(_ other: AttributeValue) -> Bool {
    switch (self, other) {
    case (.number(let one), .number(let two)): one < two
    case (.text(let one), .text(let two)): one.utf8.lexicographicallyPrecedes(two.utf8)
    case (.number, .text): true
    case (.text, .number): false
    }
  }
}
