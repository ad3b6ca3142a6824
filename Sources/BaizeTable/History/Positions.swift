/// A position of a collection: one that an item occupies, or a vacant one.
enum PositionReference: Equatable, Sendable, BitwiseCopyable {
  case item(Int32)
  /// The number of the record of the item that left it.
  case vacancy(Int)
  /// The start of the collection where it is in front of something, the end where it is behind.
  case boundary
}

/// A place between two positions: directly behind one, or directly before one.
struct Place: Equatable, Sendable, BitwiseCopyable {
  var position: PositionReference
  var isBehind: Bool

  static func before(_ position: PositionReference) -> Place { Place(position: position, isBehind: false) }

  /// Returns the place directly before an item, or at the end for −1.
  @inline(__always) static func before(_ slot: Int32) -> Place { .before(slot < 0 ? .boundary : .item(slot)) }

  static func behind(_ position: PositionReference) -> Place { Place(position: position, isBehind: true) }
}

/// The positions of collections: the items in the order of their tree, and in front of each the chain of vacant positions.
extension Table {
  /// The link to the chain in front of an item, or at the end of a collection for −1.
  @inline(__always) func chain(before slot: Int32, in collection: Int) -> ChainLink {
    slot < 0 ? state.collections[collection].chain : state.forest.records.address(of: slot).pointee.chain
  }

  /// Returns the position behind one, or the first one behind the start, without those that were vacant at `base`.
  func next(
    _ position: PositionReference, in collection: Int, since base: Revision = .zero
  ) -> PositionReference {
    history.steps.add(1)
    let behind: Int32
    switch position {
    case .boundary: behind = state.forest.first(in: state.root(collection))
    case .item(let slot): behind = state.forest.next(slot)
    case .vacancy(let number):
      guard let index = history.index(of: number) else { return .boundary }
      let next = history.neighbor(index, isNext: true, since: base)
      if next >= 0 { return .vacancy(history.firstNumber + next) }
      return reference(history.owner(index))
    }
    let first = history.outermost(
      history.index(of: chain(before: behind, in: collection)), isFirst: true, since: base)
    return first >= 0 ? .vacancy(history.firstNumber + first) : reference(behind)
  }

  /// Returns the position in front of one, or the last one in front of the end.
  func previous(_ position: PositionReference, in collection: Int) -> PositionReference {
    guard var walk = walk(from: position, in: collection) else { return .boundary }
    goBack(&walk)
    return reference(walk)
  }

  /// A walk through the positions of a collection towards its start, without those that were vacant at a base.
  struct Walk: BitwiseCopyable {
    let collection: Int
    let base: Revision
    /// The item at the position, or behind it; −1 for the boundary.
    var owner: Int32
    /// The index of the vacant position's record; −1 if the item is at the position, or it is the boundary.
    var index: Int

    var isAtBoundary: Bool { owner < 0 && index < 0 }
  }

  /// Returns a walk that is at a position, the boundary being the end; `nil` if the position is forgotten.
  @inline(__always) func walk(
    from position: PositionReference, in collection: Int, since base: Revision = .zero
  ) -> Walk? {
    switch position {
    case .boundary: return Walk(collection: collection, base: base, owner: -1, index: -1)
    case .item(let slot): return Walk(collection: collection, base: base, owner: slot, index: -1)
    case .vacancy(let number):
      guard let index = history.index(of: number) else { return nil }
      return Walk(collection: collection, base: base, owner: history.owner(index), index: index)
    }
  }

  /// Goes to the position in front; from the first one to the boundary.
  ///
  /// - Complexity: O(1), amortized; O(log n) in front of all vacant positions in front of an item.
  @inline(__always) func goBack(_ walk: inout Walk) {
    history.steps.add(1)
    if walk.index >= 0 {
      walk.index = history.neighbor(walk.index, isNext: false, since: walk.base)
    } else {
      let chain = chain(before: walk.owner, in: walk.collection)
      walk.index = history.outermost(history.index(of: chain), isFirst: false, since: walk.base)
    }
    if walk.index < 0 { walk.owner = occupied(before: walk.owner, in: walk.collection) }
  }

  @inline(__always) func reference(_ walk: Walk) -> PositionReference {
    walk.index >= 0 ? .vacancy(history.firstNumber + walk.index) : reference(walk.owner)
  }

  /// Returns the item before another one, or the last one for −1.
  @inline(__always) func occupied(before slot: Int32, in collection: Int) -> Int32 {
    slot < 0 ? state.forest.last(in: state.root(collection)) : state.forest.previous(slot)
  }

  func reference(_ slot: Int32) -> PositionReference { slot < 0 ? .boundary : .item(slot) }

  /// Returns the item behind a place, which may be one that is about to leave; −1 at the end.
  @inline(__always) func anchor(of place: Place, in collection: Int) -> Int32 {
    switch place.position {
    case .item(let slot): place.isBehind ? state.forest.next(slot) : slot
    case .boundary: place.isBehind ? state.forest.first(in: state.root(collection)) : -1
    case .vacancy(let number): history.index(of: number).map(history.owner) ?? -1
    }
  }

  /// Returns whether one position of a collection is in front of another one. The boundary is the end.
  ///
  /// - Complexity: O(log n).
  func isInFront(_ first: PositionReference, of second: PositionReference) -> Bool {
    func owner(_ position: PositionReference) -> Int32 {
      switch position {
      case .item(let slot): slot
      case .boundary: -1
      case .vacancy(let number): history.index(of: number).map(history.owner) ?? -1
      }
    }
    let (one, two) = (owner(first), owner(second))
    guard one == two else {
      return two < 0 || (one >= 0 && state.forest.rank(of: one) < state.forest.rank(of: two))
    }
    guard case .vacancy(let number) = first, let one = history.index(of: number) else { return false }
    guard case .vacancy(let number) = second, let two = history.index(of: number) else { return true }
    return history.isInFront(one, of: two)
  }

  // MARK: Finding

  /// Returns the position in a collection that an item had at a revision, or the one that counts as one with it (N5).
  ///
  /// - Returns: `nil` if the item was not there, or if its position is forgotten.
  /// - Complexity: O(t) for the t times that the item was moved since.
  func position(of item: ItemID, at revision: Revision, in collection: Int) -> PositionReference? {
    let slot = state.index.slot(of: item)
    if slot >= 0, case let record = state.forest.records.address(of: slot), record.pointee.placed <= revision {
      return Int(record.pointee.collection) == collection ? .item(slot) : nil
    }
    let latest = latestTakeOut(of: item, slot, since: revision)
    var number = latest
    while let takeOut = history[number], takeOut.revision > revision {
      guard takeOut.placed > revision else {
        guard Int(takeOut.collection) == collection else { return nil }
        return standing(number, slot, latest)
      }
      number = takeOut.previous
    }
    return nil
  }

  /// Returns the number of an item's latest record, of those since a base if it is not on the table; ``History/none`` if there is
  /// none.
  ///
  /// - Parameter slot: The slot of the item; −1 if it is not on the table.
  /// - Complexity: O(1) on the table, else O(w) for w records since the base.
  @inline(__always) func latestTakeOut(of item: ItemID, _ slot: Int32, since base: Revision) -> Int {
    slot >= 0 ? state.forest.records.address(of: slot).pointee.lastTakeOut : history.latest(of: item, since: base)
  }

  /// Returns the position that counts as one with a vacant one in the end.
  ///
  /// - Parameters:
  ///   - slot: The slot of its item; −1 if that is not on the table.
  ///   - latest: The number of the item's latest record.
  func standing(_ number: Int, _ slot: Int32, _ latest: Int) -> PositionReference {
    var number = number
    while let takeOut = history[number], takeOut.successor != .zero {
      if slot >= 0, state.forest.records.address(of: slot).pointee.placed == takeOut.successor { return .item(slot) }
      var other = latest
      while let later = history[other], later.placed > takeOut.successor { other = later.previous }
      guard let next = history[other], next.placed == takeOut.successor else { break }
      number = other
    }
    return .vacancy(number)
  }

  /// Returns the session whose position it is, the revision that made it, and its run.
  @inline(__always) func origin(of position: PositionReference) -> (session: SessionID, placed: Revision, run: Run) {
    switch position {
    case .item(let slot):
      let record = state.forest.records.address(of: slot)
      return (record.pointee.placedBy, record.pointee.placed, record.pointee.run)
    case .vacancy(let number):
      guard let index = history.index(of: number) else { return (.daemon, .zero, .none) }
      let takeOut = history.takeOuts[index]
      return (takeOut.placedBy, takeOut.placed, takeOut.run)
    case .boundary: return (.daemon, .zero, .none)
    }
  }
}
