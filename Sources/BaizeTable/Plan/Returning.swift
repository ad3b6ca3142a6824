/// G13: the gaps to which an undo returns items.
extension Table {
  /// Returns the gaps to which the items of an inverse return, each with the item that they are now put back before. The
  /// items of one gap may be divided, if others dropped something between them meanwhile.
  ///
  /// - Complexity: O(k + s) for k items and s items that were placed next to them since, without those that name them.
  func returns(of inverse: Inverse, _ request: Request) throws(Refusal) -> [Inverse.Return] {
    var returns: [Inverse.Return] = []
    returns.reserveCapacity(inverse.returns.count)
    var leaving = inverse.made
    for back in inverse.returns {
      for item in back.items where state.index.slot(of: item) >= 0 { leaving.append(state.index.slot(of: item)) }
    }
    let absent = SlotSet(leaving)
    for back in inverse.returns {
      // An item that returns with it stands behind it again.
      if isExact(back, of: inverse) || inverse.items.contains(back.successor) {
        returns.append(back)
      } else {
        returns += try gaps(Returning(back: back, since: inverse.revision, absent: absent), request)
      }
    }
    return returns
  }

  /// Returns whether items return only to the exact order in which they were: where order is a rule, and what was taken out
  /// in several steps.
  func isExact(_ back: Inverse.Return, of inverse: Inverse) -> Bool {
    inverse.isRepeated || state.kind(of: back.collection).ordersItems
  }

  /// Items that return to one gap, and what they find there.
  private struct Returning {
    let back: Inverse.Return
    /// The revision at which they were taken out.
    let since: Revision
    /// The items that leave their present positions, or that are among those that return.
    let absent: SlotSet
    /// The items that were put into the gap since, in order, and the item behind them; −1 for the end.
    var newer: [Int32] = []
    var end: Int32 = -1
    /// Whether nothing was put between the former neighbors, and they stand there.
    var isAsItWas = false
  }

  /// Returns the gap to which items return, or the gaps if something was put between them.
  private func gaps(_ returning: Returning, _ request: Request) throws(Refusal) -> [Inverse.Return] {
    var returning = returning
    if findBehindPredecessor(&returning) { return try divided(returning) }
    try findBeforeSuccessor(&returning, request)
    return [try together(returning)]
  }

  /// Finds the gap directly behind the former predecessor, if it stands untouched, or if only what was placed since is
  /// between it and the former successor.
  private func findBehindPredecessor(_ returning: inout Returning) -> Bool {
    let (back, since) = (returning.back, returning.since)
    let successor = back.successor == .none ? -1 : state.index.slot(of: back.successor)
    var isUntouched = true
    var slot: Int32
    if back.predecessor == .none {
      slot = state.forest.first(in: state.root(back.collection))
    } else {
      let predecessor = state.index.slot(of: back.predecessor)
      guard predecessor >= 0, state.collection(predecessor) == back.collection, !returning.absent.contains(predecessor)
      else { return false }
      isUntouched = state.forest.records.address(of: predecessor).pointee.placed <= since
      slot = state.forest.next(predecessor)
    }
    while slot >= 0, slot != successor {
      if !returning.absent.contains(slot) {
        guard state.forest.records.address(of: slot).pointee.placed > since else { break }
        returning.newer.append(slot)
      }
      slot = state.forest.next(slot)
    }
    let reachesSuccessor = back.successor == .none ? slot < 0 : slot >= 0 && slot == successor
    guard isUntouched || reachesSuccessor else {
      returning.newer = []
      return false
    }
    returning.end = state.firstStaying(from: slot, returning.absent)
    returning.isAsItWas = reachesSuccessor && returning.newer.isEmpty
    return true
  }

  /// Finds the gap before the former successor, or before the item by which the rules R2 to R8 replace it.
  private func findBeforeSuccessor(_ returning: inout Returning, _ request: Request) throws(Refusal) {
    let (back, since) = (returning.back, returning.since)
    if back.successor != .none {
      do throws(Refusal) {
        let anchor = try carry(back.successor, since: since, to: back.collection, request.seat)
        returning.end = state.firstStaying(from: anchor, returning.absent)
      } catch {
        throw tooLate("nothing is left of the gap that its items came from")
      }
    }
    var slot = state.neighbor(before: returning.end, in: back.collection, excluding: returning.absent)
    while slot >= 0, state.forest.records.address(of: slot).pointee.placed > since {
      returning.newer.append(slot)
      slot = state.neighbor(before: slot, in: back.collection, excluding: returning.absent)
    }
    returning.newer.reverse()
    // A replica does not know which neighbors others named when they put something there.
    guard role == .replica else { return }
    for slot in returning.newer where state.forest.records[slot].placedBy != request.author.session {
      throw Refusal.unpredictable
    }
  }

  /// Puts each item behind everything in the gap whose author named it as `before`, and in front of everything whose author
  /// named it as `after`; otherwise directly behind what was in front of it.
  private func divided(_ returning: Returning) throws(Refusal) -> [Inverse.Return] {
    let aims = try aims(returning)
    guard !aims.isEmpty else { return [try returned(returning.back.items, to: 0, returning)] }
    var pieces: [(items: ItemList, position: Int)] = []
    var position = 0
    for item in returning.back.items {
      for (index, aim) in aims where index >= position {
        if aim.after == item { break }
        if aim.before == item { position = index + 1 }
      }
      if pieces.last?.position == position {
        pieces[pieces.count - 1].items.append(item)
      } else {
        pieces.append((.one(item), position))
      }
    }
    var returns: [Inverse.Return] = []
    for piece in pieces { returns.append(try returned(piece.items, to: piece.position, returning)) }
    return returns
  }

  /// Puts all items before the item that was behind them, in front of everything there whose author named one of them as
  /// `after`.
  private func together(_ returning: Returning) throws(Refusal) -> Inverse.Return {
    let items = Set(returning.back.items)
    var position = returning.newer.count
    for (index, aim) in try aims(returning).reversed() {
      if items.contains(aim.before) { break }
      if items.contains(aim.after) { position = index }
    }
    return try returned(returning.back.items, to: position, returning)
  }

  private func aims(_ returning: Returning) throws(Refusal) -> [(index: Int, aim: UndoWindow.Aim)] {
    var aims: [(index: Int, aim: UndoWindow.Aim)] = []
    for (index, slot) in returning.newer.enumerated() {
      guard let aim = undos.aim(at: state.forest.records[slot].placed) else { continue }
      guard let aim else { throw Refusal.unpredictable }
      aims.append((index, aim))
    }
    return aims
  }

  private func returned(_ items: ItemList, to position: Int, _ returning: Returning) throws(Refusal) -> Inverse.Return {
    var back = returning.back
    let anchor = position < returning.newer.count ? returning.newer[position] : returning.end
    if anchor >= 0, state.forest.records[anchor].isPinned, !returning.isAsItWas {
      let before = state.neighbor(before: anchor, in: back.collection, excluding: returning.absent)
      guard before >= 0, !state.forest.records[before].isPinned else {
        throw Refusal(
          .positionNotAllowed, rule: state.kind(of: back.collection).accept.path,
          detail: "the position is occupied by pinned items")
      }
    }
    back.items = items
    back.anchor = state.id(anchor)
    return back
  }

  // MARK: Aims

  /// Records the neighbors that the author named of the drop that led, or will lead, to `revision`.
  package mutating func noteAim(of operation: TableOperation, at revision: Revision, _ memory: AuthorMemory) {
    let destination: Destination
    switch operation.kind {
    case .reorder(let difference, _): destination = difference.destination
    case .insert(_, let gap): destination = gap
    case .remove, .update, .perform, .undo, .unknown, .invalid: return
    }
    var after = ItemID.none
    if case .item(let item) = destination.after { after = item }
    let aim = UndoWindow.Aim(
      before: tableID(of: destination.position.anchor, memory), after: tableID(of: after, memory))
    undos.note(.aimed(aim), at: revision)
  }

  /// Records that the drop that led to `revision` has no neighbors that matter, like one whose gap was not carried. Only if
  /// a diff has left open which neighbors its author named.
  package mutating func noteNoAim(at revision: Revision) {
    if hasAim(at: revision) { undos.note(.aimed(UndoWindow.Aim(before: .none, after: .none)), at: revision) }
  }

  /// Returns whether neighbors are recorded of the drop that led, or is predicted to lead, to `revision`: those of a gap
  /// that was carried.
  package func hasAim(at revision: Revision) -> Bool { undos.aim(at: revision) != nil }

  private func tableID(of item: ItemID, _ memory: AuthorMemory) -> ItemID {
    item.isProvisional && state.index.slot(of: item) < 0 ? memory.resolve(item) ?? item : item
  }
}

extension CollectionKind {
  /// Whether a rule depends on the order of the items.
  fileprivate var ordersItems: Bool {
    lift.shape != .any || accept.landing != .anywhere || !accept.pairs.isEmpty || !accept.onEmpty.isEmpty
      || !accept.onItem.isEmpty
  }
}
