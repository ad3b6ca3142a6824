/// Positions that are left and made (N1, N4, N5).
extension Table {
  /// Records that an item is about to be taken out: its position becomes the last of the chain that ends with the item behind.
  ///
  /// - Parameter next: The item behind it, −1 for none. It may be about to be taken out behind this one.
  /// - Returns: The number of the record.
  /// - Complexity: As `History.append(_:between:_:)`.
  @inline(__always) mutating func vacate(
    _ slot: Int32, before next: Int32, _ session: SessionID, _ revision: Revision
  ) -> Int {
    let record = state.forest.records.address(of: slot)
    let collection = Int(record.pointee.collection)
    let inFront = history.index(of: record.pointee.chain)
    let behind = history.index(of: chain(before: next, in: collection))
    if state.predictionLog != nil {
      noteSpine(inFront, isRight: true, revision)
      noteSpine(behind, isRight: false, revision)
    }
    let number = history.nextNumber
    let root = history.append(
      History.TakeOut(record.pointee, author: session, at: revision, before: next), between: inFront, behind)
    history.takeOuts[root].links.put(before: next)
    setChain(before: next, in: collection, to: history.link(root))
    if inFront >= 0 { setChain(before: slot, in: collection, to: .none) }
    return number
  }

  /// Puts items that are in no collection into one, as a block at a place, and returns the item behind it; −1 for none.
  ///
  /// - Complexity: O(k log n) for k items, and as `History.owner(_:)` for a place next to a vacant position.
  @discardableResult mutating func settle(
    _ slots: SlotList, in collection: Int, at place: Place, by session: SessionID, _ revision: Revision
  ) -> Int32 {
    let gap = open(place, in: collection)
    var run = Run.none
    if session != .daemon {
      let previous = gap.front >= 0 ? -1 : occupied(before: gap.anchor, in: collection)
      run = self.run(
        of: session, between: gap.front, gap.back, behind: previous, before: gap.anchor, count: slots.count, revision)
    }
    for slot in slots {
      state.put(slot, in: collection, before: gap.anchor)
      state.stamp(slot, at: revision, by: session, run: run)
    }
    close(gap, in: collection, behind: slots[0])
    return gap.anchor
  }

  /// A place that is opened for a block.
  struct OpenGap {
    /// The item behind it; −1 for none.
    var anchor: Int32
    /// The roots of the chains in front of the block and behind it, by their indices; −1 for none.
    var front: Int
    var back: Int
    /// Whether the chain of the anchor was divided, or goes to the block.
    var isChanged: Bool
  }

  /// Divides the chain at a place.
  mutating func open(_ place: Place, in collection: Int) -> OpenGap {
    switch place.position {
    case .boundary:
      guard place.isBehind else {
        let front = history.index(of: state.collections[collection].chain)
        return OpenGap(anchor: -1, front: front, back: -1, isChanged: front >= 0)
      }
      return undivided(before: state.forest.first(in: state.root(collection)), in: collection)
    case .item(let slot):
      // A source, which has left its position by now.
      if state.collection(slot) < 0 {
        return divide(state.forest.records.address(of: slot).pointee.lastTakeOut, place.isBehind, in: collection)
      }
      if place.isBehind { return undivided(before: state.forest.next(slot), in: collection) }
      let front = history.index(of: chain(before: slot, in: collection))
      return OpenGap(anchor: slot, front: front, back: -1, isChanged: front >= 0)
    case .vacancy(let number): return divide(number, place.isBehind, in: collection)
    }
  }

  private func undivided(before anchor: Int32, in collection: Int) -> OpenGap {
    OpenGap(anchor: anchor, front: -1, back: history.index(of: chain(before: anchor, in: collection)), isChanged: false)
  }

  /// Divides a chain behind, or before, one of its positions.
  private mutating func divide(_ number: Int, _ isBehind: Bool, in collection: Int) -> OpenGap {
    guard let index = history.index(of: number) else {
      return OpenGap(
        anchor: -1, front: history.index(of: state.collections[collection].chain), back: -1, isChanged: true)
    }
    if state.predictionLog != nil {
      note(isBehind ? history.right(index) : history.left(index))
      var above = index
      while above >= 0 {
        note(above)
        above = history.parent(above)
      }
    }
    let anchor = history.owner(index)
    let (front, back) = history.divide(index, isBehind: isBehind)
    return OpenGap(anchor: anchor, front: front, back: back, isChanged: true)
  }

  /// Gives the chains of a gap to the first item of the block and to the item behind it.
  mutating func close(_ gap: OpenGap, in collection: Int, behind first: Int32) {
    guard gap.isChanged else { return }
    setOwner(gap.front, first)
    setChain(before: first, in: collection, to: history.link(gap.front))
    setOwner(gap.back, gap.anchor)
    setChain(before: gap.anchor, in: collection, to: history.link(gap.back))
  }

  /// Returns the run of a block (N4): that of the position in front if it is of the same session, else that of the one behind,
  /// else a new one.
  ///
  /// - Parameters:
  ///   - front: The root of the chain in front of the block, by its index; −1 for none.
  ///   - back: That of the chain behind it.
  ///   - previous: The item in front of both; −1 for none. It does not matter if there is a chain in front.
  ///   - anchor: The item behind both; −1 for none.
  @inline(__always) mutating func run(
    of session: SessionID, between front: Int, _ back: Int, behind previous: Int32, before anchor: Int32, count: Int,
    _ revision: Revision
  ) -> Run {
    let inFront: PositionReference =
      front >= 0 ? .vacancy(history.firstNumber + history.outermost(front, isFirst: false)) : reference(previous)
    if let run = joined(inFront, session) { return run }
    let behind: PositionReference =
      back >= 0 ? .vacancy(history.firstNumber + history.outermost(back, isFirst: true)) : reference(anchor)
    if let run = joined(behind, session) { return run }
    return Run(begunAt: revision, isShared: count > 1)
  }

  /// Returns the run of a session's position, which is shared from now on; `nil` if it is another's.
  @inline(__always) private mutating func joined(_ position: PositionReference, _ session: SessionID) -> Run? {
    let origin = origin(of: position)
    guard origin.session == session, origin.run.number != 0 else { return nil }
    if !origin.run.isShared { share(position) }
    return origin.run.shared
  }

  @inline(never) private mutating func share(_ position: PositionReference) {
    switch position {
    case .boundary: break
    case .item(let slot): state.shareRun(of: slot)
    case .vacancy(let number):
      guard let index = history.index(of: number) else { return }
      state.predictionLog?.append(.positioned(.shared(number)))
      history.takeOuts[index].run.isShared = true
    }
  }

  /// Puts an item back directly behind the position that it had left, with which its new one counts as one (N5).
  mutating func settle(_ slot: Int32, behind number: Int, in collection: Int, _ revision: Revision) {
    guard let index = history.index(of: number) else { preconditionFailure("position \(number) is forgotten") }
    let (session, run) = (history.takeOuts[index].placedBy, history.takeOuts[index].run)
    state.predictionLog?.append(.positioned(.successor(number, history.takeOuts[index].successor)))
    history.takeOuts[index].successor = revision
    if run.number != 0, !run.isShared { share(.vacancy(number)) }
    let gap = open(.behind(.vacancy(number)), in: collection)
    state.put(slot, in: collection, before: gap.anchor)
    state.stamp(slot, at: revision, by: session, run: run.shared)
    close(gap, in: collection, behind: slot)
  }

  // MARK: Links

  @inline(__always) private mutating func setChain(before slot: Int32, in collection: Int, to chain: ChainLink) {
    if state.predictionLog != nil {
      let former = self.chain(before: slot, in: collection)
      state.predictionLog?.append(.chained(slot: slot, collection: Int32(truncatingIfNeeded: collection), former))
    }
    state.setChain(before: slot, in: collection, to: chain)
  }

  private mutating func setOwner(_ index: Int, _ slot: Int32) {
    guard index >= 0 else { return }
    note(index)
    history.takeOuts[index].links.put(before: slot)
  }

  /// Records the links that a position of the same diff may change: those of a root, and on one side of those of the same diff.
  private mutating func noteSpine(_ root: Int, isRight: Bool, _ revision: Revision) {
    var index = root
    while index >= 0 {
      note(index)
      guard history.takeOuts[index].revision == revision else { return }
      index = isRight ? history.right(index) : history.left(index)
    }
  }

  /// Records the links of a position before they change, so that a prediction can be rolled back.
  @inline(__always) private mutating func note(_ index: Int) {
    guard state.predictionLog != nil, index >= 0 else { return }
    state.predictionLog?.append(.positioned(.links(history.firstNumber + index, history.takeOuts[index].links)))
  }
}

extension History {
  /// A change of a vacant position, with what reverses it.
  enum Step: Sendable {
    case links(Int, Links)
    case successor(Int, Revision)
    case shared(Int)
  }

  mutating func reverse(_ step: Step) {
    switch step {
    case .links(let number, let links): if let index = index(of: number) { takeOuts[index].links = links }
    case .successor(let number, let revision): if let index = index(of: number) { takeOuts[index].successor = revision }
    case .shared(let number): if let index = index(of: number) { takeOuts[index].run.isShared = false }
    }
  }
}
