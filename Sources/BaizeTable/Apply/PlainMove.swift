/// The short road of the most frequent operation: the move of one item that no rule concerns. Its verdict and its effect are those
/// of ``Table/judge(_:by:memory:claims:)``, which decides everything else.
///
/// Some functions here are mutating only so that they get the table in place: a copy of it takes a hundred instructions.
extension Table {
  /// Judges and applies a move that needs no look at a rule, as most moves.
  ///
  /// - Parameters: As those of ``judge(_:by:memory:claims:)``.
  /// - Returns: `nil` if this is not such a move, or if it is not accepted: the table is unchanged, and
  ///   ``judge(_:by:memory:claims:)`` decides.
  /// - Complexity: O(log n).
  @inline(never) package mutating func accept(
    _ move: SingleMove, by author: Author, memory: inout AuthorMemory
  ) -> SingleMoveDiff? {
    guard role == .authority, move.base <= state.revision, move.base >= oldestBase else { return nil }
    memory.advance(to: move.sequence, unanswered: move.unanswered)
    let slot = plainSource(of: move, by: author)
    guard slot >= 0,
      let place = plainPlace(for: slot, move, author.session, ownSince: memory.seatedAt)
        ?? contendedPlace(for: slot, move, by: author, memory)
    else { return nil }
    let diff = apply(move, slot, place, author.session)
    memory.note(move.sequence, .accepted, at: diff.revision, isDrop: true)
    return diff
  }

  /// Returns the slot of an item that may move to its destination, as far as can be seen from the traits of the collections; −1
  /// if that takes more.
  @inline(__always) private func plainSource(of move: SingleMove, by author: Author) -> Int32 {
    guard state.type.hasPlainMoves, author.seat != .spectator else { return -1 }
    let (slot, destination) = (state.index.slot(of: move.item), move.destination.collection.index)
    guard slot >= 0, state.collections.indices.contains(destination) else { return -1 }
    let record = state.forest.records.address(of: slot)
    let source = Int(record.pointee.collection)
    let (from, to) = (state.traits(of: source), state.traits(of: destination))
    guard record.pointee.isFaceUp, !record.pointee.isPinned, from.flags.isPlainSource, to.flags.isPlainDestination,
      state.collections[source].isEnabled, state.collections[destination].isEnabled,
      to.preferredOperation(among: move.suggested.isEmpty ? from.offers : move.suggested.intersection(from.offers))
        == .move,
      state.type.contention == .last || record.pointee.placed <= move.base || record.pointee.placedBy == author.session
    else { return -1 }
    return slot
  }

  /// Where the item lands.
  private struct PlainPlace {
    /// The item behind the place; −1 for the end.
    var anchor: Int32
    /// The item in front of the place; −1 for the start.
    var previous: Int32
    /// The vacant position that the place is beside; none for a place directly beside an item.
    var vacancy = ChainLink.none
    /// Whether the place is directly behind ``vacancy``, or ``previous``, and not directly before ``vacancy``, or ``anchor``.
    var isBehind: Bool
    /// Whether an item is in the gap that its author did not see.
    var isRebased: Bool
  }

  /// Returns the place of a move between the items that it names; `nil` if they do not stand where the author saw them, or if what
  /// is vacant between them may matter.
  @inline(__always) private mutating func plainPlace(
    for slot: Int32, _ move: SingleMove, _ session: SessionID, ownSince seatedAt: Revision
  ) -> PlainPlace? {
    let destination = move.destination
    guard !destination.namesOperations, !Mutation.anchor.isActive, !Mutation.after.isActive else { return nil }
    let collection = destination.collection.index
    let named = destination.position.anchor
    var right: Int32 = -1
    if named != .none {
      right = state.index.slot(of: named)
      guard right >= 0, right != slot, stands(right, in: collection, since: move.base),
        !state.forest.records.address(of: right).pointee.isPinned
      else { return nil }
    }
    let last = occupied(before: right, in: collection)
    let chain = history.index(of: chain(before: right, in: collection))
    let wasLeft = chain >= 0 && history.takeOuts[chain].revision > move.base
    var left = last
    switch destination.after {
    case .unspecified:
      guard !wasLeft, left < 0 || (left != slot && stands(left, in: collection, since: move.base)) else { return nil }
    case .start: left = -1
    case .item(let after):
      left = state.index.slot(of: after)
      guard left >= 0, left != slot, stands(left, in: collection, since: move.base) else { return nil }
    }
    let previous = last == slot ? state.forest.previous(slot) : last
    let isAdjacent = left == previous
    if !isAdjacent {
      guard right >= 0, left < 0 || state.forest.rank(of: left) < state.forest.rank(of: right) else { return nil }
    }
    if left >= 0, isOwn(left, session, ownSince: seatedAt) {
      let next = isAdjacent ? (last == slot ? slot : right) : state.forest.next(left)
      if next == slot, isOwn(slot, session, ownSince: seatedAt),
        history.index(of: self.chain(before: slot, in: collection)) < 0
      {
        return nil
      }
      let anchor = next != slot ? next : isAdjacent ? right : state.forest.next(slot)
      guard anchor == right || !state.forest.records.address(of: anchor).pointee.isPinned else { return nil }
      return PlainPlace(anchor: anchor, previous: left, isBehind: true, isRebased: anchor != right)
    }
    if right < 0 {
      guard !wasLeft else { return nil }
    } else if wasLeft || !isAdjacent || last == slot, state.forest.records.address(of: right).pointee.run.isShared,
      !isOwn(right, session, ownSince: seatedAt)
    {
      return nil
    }
    if last == slot, chain < 0, isOwn(slot, session, ownSince: seatedAt) { return nil }
    return PlainPlace(anchor: right, previous: previous, isBehind: false, isRebased: !isAdjacent)
  }

  @inline(__always) private func stands(_ slot: Int32, in collection: Int, since base: Revision) -> Bool {
    let record = state.forest.records.address(of: slot)
    return Int(record.pointee.collection) == collection && record.pointee.placed <= base
  }

  @inline(__always) private func isOwn(_ slot: Int32, _ session: SessionID, ownSince seatedAt: Revision) -> Bool {
    let record = state.forest.records.address(of: slot)
    return record.pointee.placedBy == session && record.pointee.placed > seatedAt
  }

  /// Returns the place of a move in any other gap; `nil` if it is refused, or changes nothing.
  @inline(never) private mutating func contendedPlace(
    for slot: Int32, _ move: SingleMove, by author: Author, _ memory: AuthorMemory
  ) -> PlainPlace? {
    guard !Mutation.anchor.isActive, !Mutation.after.isActive else { return nil }
    defer { searchSteps += history.steps.take() }
    let request = Request(author: author, sequence: move.sequence, base: move.base)
    let sources = SlotList.one(slot)
    guard
      let landing = try? landing(
        move.destination, in: move.destination.collection.index, of: sources, request, memory)
    else { return nil }
    let anchor = landing.anchor == slot ? state.forest.next(slot) : landing.anchor
    guard anchor < 0 || !state.forest.records.address(of: anchor).pointee.isPinned else { return nil }
    let previous = occupied(before: anchor, in: landing.collection)
    var place = PlainPlace(
      anchor: anchor, previous: previous == slot ? state.forest.previous(slot) : previous,
      isBehind: landing.place.isBehind, isRebased: landing.isRebased)
    switch landing.place.position {
    // Its own position, which it has left by then.
    case .item(slot): place.vacancy = history.link(history.takeOuts.count)
    case .item, .boundary: break
    case .vacancy(let number): place.vacancy = history.link(number - history.firstNumber)
    }
    let isInPlace = previous == slot
    return isInPlace && isHeld(sources, at: landing.place, in: landing.collection, request, memory) ? nil : place
  }

  // MARK: Effect

  /// Carries out a move.
  ///
  /// - Returns: Its diff, which raises the revision by one.
  @inline(__always) private mutating func apply(
    _ move: SingleMove, _ slot: Int32, _ place: PlainPlace, _ session: SessionID
  ) -> SingleMoveDiff {
    let revision = state.revision.next
    let collection = move.destination.collection.index
    state.forest.makeUnique()
    let record = state.forest.records.writableAddress(of: slot)
    let source = Int(record.pointee.collection)
    // The position that it leaves becomes the last of the chain of the item behind it.
    let (leaf, position) = state.forest.spot(of: slot)
    let next = state.forest.next(leaf, position)
    let behind = history.index(of: chain(before: next, in: source))
    let number = history.nextNumber
    let root = history.append(
      History.TakeOut(record.pointee, author: session, at: revision, before: next),
      between: history.index(of: record.pointee.chain), behind)
    setChainUnique(before: next, in: source, to: history.link(root))
    // All that is vacant in the gap is now in front of the item, or behind it.
    let chain = history.index(of: chain(before: place.anchor, in: collection))
    var (front, back) = place.isBehind ? (-1, chain) : (chain, -1)
    if place.vacancy != .none {
      (front, back) = history.divide(history.index(of: place.vacancy), isBehind: place.isBehind)
    }
    let run = run(
      of: session, between: front, back, behind: place.previous, before: place.anchor, count: 1, revision)
    record.pointee.chain = history.link(front)
    if front >= 0 { history.takeOuts[front].links.put(before: slot) }
    if back != chain {
      if back >= 0 { history.takeOuts[back].links.put(before: place.anchor) }
      setChainUnique(before: place.anchor, in: collection, to: history.link(back))
    }
    state.relocateUnique(slot, in: leaf, position, from: source, to: collection, before: place.anchor)
    record.pointee.placed = revision
    record.pointee.placedBy = session
    record.pointee.run = run
    record.pointee.lastTakeOut = number
    record.pointee.collection = Int32(truncatingIfNeeded: collection)
    state.nextTakeOut = number + 1
    var placement = Placement(
      collection: move.destination.collection, position: Position(anchor: state.id(place.anchor)))
    if back >= 0 { placement.gone = history.vacancy(history.outermost(back, isFirst: true)) }
    state.revision = revision
    undos.append(UndoWindow.Operation(revision: revision, author: session, sequence: move.sequence, undoes: .zero))
    trimHistory()
    return SingleMoveDiff(
      revision: revision, author: session, sequence: move.sequence, item: record.pointee.id, placement: placement,
      operation: .move, isRebased: place.isRebased, isRedirected: false)
  }

  @inline(__always) private mutating func setChainUnique(before slot: Int32, in collection: Int, to chain: ChainLink) {
    if slot < 0 {
      state.collections[collection].chain = chain
    } else {
      state.forest.records.writableAddress(of: slot).pointee.chain = chain
    }
  }
}
