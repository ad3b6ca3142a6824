/// N2h of `Protocol/README.md`: how far behind the item that stands in for a neighbor a drop lands.
///
/// Where items were taken out from between two gaps, both are the same gap now. What was dropped in the one in front stays in
/// front, so that the order in which authors see their drops is never inverted.
extension Table {
  /// The item that stands where one in front of a gap stood.
  struct StandIn {
    /// The slot; −1 for the start.
    var slot: Int32
    /// The items that were taken out from between it and the gap, the one in front of the gap first, with the numbers of the
    /// records.
    var takenOut: [(item: ItemID, number: Int)] = []
    /// The revision since which nothing has stood between it and the gap but what was dropped there.
    var since = Revision(rawValue: UInt64.max)
    /// The item in front of the gap, if the author's own operation did not put it there.
    var missing: ItemID?
  }

  /// How far the gap goes behind items that were put behind others in front of it, and perhaps not in front of what was taken
  /// out.
  enum Following {
    /// As far as they are own, or by the author of the item in front of them, so that an own run is not divided.
    case ownRun
    /// As far as they go, so that no other's run is divided.
    case anyRun
  }

  /// Returns the item that stands where one stood: that one, or if it was taken out the one in front of it then,
  /// repeatedly; `nil` if there is none in the collection.
  ///
  /// - Parameter isFound: Whether an item ends the search even if it was taken out and put there again.
  func standing(inFor named: ItemID, _ gap: NeighborGap, until isFound: (Int32) -> Bool = { _ in false }) -> StandIn? {
    let since = since(named, gap)
    var standIn = StandIn(slot: -1)
    var (item, last) = (named, History.none)
    while item != .none {
      let slot = state.slot(of: item, for: gap.request.seat)
      if slot < 0 || !isFound(slot), let (number, takeOut) = takeOut(of: item, after: last, since: since, gap) {
        standIn.takenOut.append((item, number))
        standIn.since = takeOut.revision
        (item, last) = (takeOut.predecessor, number)
      } else {
        standIn.slot = slot
        return slot >= 0 && state.collection(slot) == gap.collection ? standIn : nil
      }
    }
    return standIn
  }

  /// Returns the last of the newer items behind a stand-in that were dropped in front of the gap, or the stand-in if there is
  /// none; and whether one of these, or the stand-in, is own.
  ///
  /// Certainly in front of the gap is an item whose author named as `before` one that was taken out from between, or that stood
  /// in front of one of those. Items that follow were put behind the stand-in, or behind another that is in front; these are
  /// left behind the gap if they were put in front of one that does not follow.
  ///
  /// - Complexity: O(`TableLimits.itemsPerOperationMax` · log n), and once O(w) for the w records since the base.
  func passed(behind standIn: StandIn, in following: Following, _ gap: NeighborGap) -> (last: Int32, hasOwn: Bool) {
    let start = (last: standIn.slot, hasOwn: standIn.slot >= 0 && isOwn(standIn.slot, gap))
    guard !standIn.takenOut.isEmpty || standIn.missing != nil else { return start }
    let end = slotBehind(gap)
    var inFront: Set<ItemID>?
    func isInFront(_ aim: UndoWindow.Aim, isOwn: Bool) -> Bool {
      guard aim.before != .none else { return false }
      if isOwn, aim.before == standIn.missing { return true }
      let items = inFront ?? history.items(through: standIn.takenOut, of: gap.collection, since: gap.request.base)
      inFront = items
      return items.contains(aim.before)
    }
    // The items that were passed, up to the last that certainly belongs there, and up to those that follow it.
    var passed: Set<ItemID> = [standIn.slot < 0 ? .none : state.id(standIn.slot)]
    var (certain, last, seen) = (start, start, start)
    var block: (placed: Revision, isCertain: Bool)?
    var slot = next(standIn.slot, gap)
    var (lastAim, behindLast): (UndoWindow.Aim?, Int32) = (nil, slot)
    for _ in 0..<TableLimits.itemsPerOperationMax {
      guard slot >= 0, slot != end, slot != gap.before else { break }
      let record = state.forest.records[slot]
      guard record.placed > gap.request.base else { break }
      let isOwn = isOwn(slot, gap)
      // The items of a block belong together.
      let isBlock = record.placed == block?.placed
      let named = isBlock ? nil : undos.aim(at: record.placed)
      let aim = named.flatMap { $0 }
      let isCertain = isBlock ? block?.isCertain ?? false : aim.map { isInFront($0, isOwn: isOwn) } ?? false
      var follows = last.last == seen.last
      if follows, !isCertain, !isBlock {
        if case .some(nil) = named {
          follows = false
        } else {
          // What landed right between two items, before the last was taken out, stood behind that.
          follows = aim.map { passed.contains($0.after) } ?? (record.placed > standIn.since)
          follows = follows && (following == .anyRun || isOwn || isOfAuthor(record.placedBy, last.last))
        }
      }
      seen = (slot, seen.hasOwn || isOwn)
      passed.insert(record.id)
      if isCertain || follows {
        last = seen
        if !isBlock { lastAim = aim }
      }
      if isCertain { certain = seen }
      block = (record.placed, isCertain)
      slot = next(slot, gap)
      if last.last == seen.last { behindLast = slot }
    }
    guard certain.last != last.last, behindLast >= 0 else { return last }
    let isPutBefore =
      lastAim.map { $0.before == state.id(behindLast) }
      ?? isOfAuthor(state.forest.records[behindLast].placedBy, last.last)
    return isPutBefore ? certain : last
  }

  private func isOfAuthor(_ author: SessionID, _ slot: Int32) -> Bool {
    slot >= 0 && state.forest.records.address(of: slot).pointee.placedBy == author
  }

  /// Returns the slot of the item that the gap is in front of now, as far as it is known; −1 for none.
  func slotBehind(_ gap: NeighborGap) -> Int32 {
    guard let before = tableItem(gap.destination.position.anchor, gap.memory), before != .none else { return -1 }
    do throws(Refusal) {
      let slot = try carry(before, since: since(before, gap), to: gap.collection, gap.request.seat)
      return state.firstStaying(from: slot, gap.leaving)
    } catch {
      return -1
    }
  }
}
