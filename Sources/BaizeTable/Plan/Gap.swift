/// N2: the gap that a destination names, as the author saw it.
struct Gap {
  let collection: Int
  /// The positions in front of it and behind it; the boundary for the start and for the end.
  var left: PositionReference
  var right: PositionReference
}

extension Table {
  /// What a name of a neighbor names.
  private enum Named {
    case position(PositionReference)
    /// Nothing that the author can name.
    case nothing
    /// An own pending operation was to put the item there, and did not.
    case lost

    var position: PositionReference? { if case .position(let position) = self { position } else { nil } }
    var isLost: Bool { if case .lost = self { true } else { false } }
  }

  /// Returns the gap between the positions that a destination names.
  ///
  /// - Parameter sources: The items that leave their positions for the gap.
  /// - Throws: `ANCHOR_GONE` or `UNKNOWN_ITEM` if it names none, ``Reason/notPlaced`` if an operation of the author's own did
  ///   not put an item where it is named.
  /// - Complexity: O(t) for the t times that others moved a neighbor since the base, O(log n) for n items.
  @inline(never) func gap(
    _ destination: Destination, in collection: Int, _ sources: SlotList, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> Gap {
    var seen = Seen(request: request, collection: collection, leaving: SlotSet(sources))
    let before = destination.position.anchor
    let inFront: Named =
      switch destination.after {
      case .unspecified: .nothing
      case .start: .position(.boundary)
      case .item(let item): named(item, destination.afterBy, seen, memory)
      }
    let behind = before == .none ? .position(.boundary) : named(before, destination.beforeBy, seen, memory)
    let isLost = inFront.isLost || behind.isLost
    if isLost, role == .authority {
      throw Refusal(.notPlaced, detail: "an operation of the author's did not put the item where it is named")
    }
    switch (inFront.position, behind.position) {
    case (let left?, let right?)
    where before != .none && (left == .boundary || (left != right && isInFront(left, of: right))):
      return Gap(collection: collection, left: left, right: right)
    case (let left?, let right) where before == .none || (isLost && right == nil):
      return Gap(collection: collection, left: left, right: nearestAtBase(behind: left, &seen, memory))
    case (_, let right?):
      return Gap(collection: collection, left: nearestSeen(inFrontOf: right, &seen, memory), right: right)
    case (let left?, nil):
      // Directly behind the item in front.
      return Gap(collection: collection, left: left, right: next(left, in: collection))
    case (nil, nil):
      if isLost { return try standIn(for: destination, in: collection, sources, request, memory) }
      throw missing(before, request, memory)
    }
  }

  /// Returns, in a replica, the gap for a drop both of whose names refer to what the author's own operations did not put there:
  /// where these were to put it.
  private func standIn(
    for destination: Destination, in collection: Int, _ sources: SlotList, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> Gap {
    let before = destination.position.anchor
    let number = destination.beforeBy ?? (before.isProvisional ? before.provisionalOperation : .zero)
    if number < request.sequence, let gap = memory.gap(of: number), state.index(of: gap) == collection {
      let earlier = Request(author: request.author, sequence: number, base: request.base)
      return try self.gap(gap, in: collection, sources, earlier, memory)
    }
    return Gap(collection: collection, left: previous(.boundary, in: collection), right: .boundary)
  }

  // MARK: Names

  private func named(
    _ named: ItemID, _ number: SequenceNumber?, _ seen: Seen, _ memory: AuthorMemory
  ) -> Named {
    let request = seen.request
    var item = named
    if named.isProvisional, state.index.slot(of: named) < 0 {
      do throws(Refusal) {
        guard let made = try memory.resolve(named, in: request.sequence) else {
          return memory.hasLost(named) ? .lost : .nothing
        }
        item = made
      } catch {
        return .nothing
      }
    }
    let slot = state.index.slot(of: item)
    if number == nil, slot >= 0, case let record = state.forest.records.address(of: slot),
      record.pointee.placed <= request.base, Int(record.pointee.collection) == seen.collection
    {
      return .position(.item(slot))
    }
    if let number, number > .zero, number < request.sequence, let entry = memory.entry(number), entry.isDrop {
      guard entry.outcome != .refused, let position = position(of: item, at: entry.revision, in: seen.collection) else {
        return .lost
      }
      let placed = placed(position, of: item, at: entry.revision)
      let isPut = entry.outcome == .unchanged || placed == entry.revision || (role == .replica && placed == .zero)
      return isPut ? .position(position) : .lost
    }
    if number != .zero, let own = lastOwn(item, seen, memory) { return .position(own) }
    guard let position = position(of: item, at: request.base, in: seen.collection) else { return .nothing }
    // What the author took off the table it does not see.
    if slot < 0, case let number = history.latest(of: item, since: request.base),
      history[number]?.author == request.author.session
    {
      return .nothing
    }
    return .position(position)
  }

  /// Returns the revision that made the position that an item had at a revision, whichever counts as one with it now.
  private func placed(_ position: PositionReference, of item: ItemID, at revision: Revision) -> Revision {
    let slot = state.index.slot(of: item)
    if slot >= 0, case let placed = state.forest.records[slot].placed, placed <= revision { return placed }
    var number = latestTakeOut(of: item, slot, since: revision)
    while let takeOut = history[number] {
      if takeOut.placed <= revision { return takeOut.placed }
      number = takeOut.previous
    }
    return .zero
  }

  /// Returns the last position in which the author itself has put an item since the base; `nil` if it has not.
  private func lastOwn(_ item: ItemID, _ seen: Seen, _ memory: AuthorMemory) -> PositionReference? {
    let slot = state.index.slot(of: item)
    let session = seen.request.author.session
    if slot >= 0, case let record = state.forest.records.address(of: slot), record.pointee.placed > seen.request.base,
      record.pointee.placedBy == session, memory.operation(at: record.pointee.placed) != nil,
      Int(record.pointee.collection) == seen.collection
    {
      return .item(slot)
    }
    let latest = latestTakeOut(of: item, slot, since: seen.request.base)
    var number = latest
    while let takeOut = history[number], takeOut.revision > seen.request.base {
      if takeOut.placed > seen.request.base, takeOut.placedBy == session, memory.operation(at: takeOut.placed) != nil {
        guard Int(takeOut.collection) == seen.collection, takeOut.author != session else { return nil }
        return standing(number, slot, latest)
      }
      number = takeOut.previous
    }
    return nil
  }

  /// Returns the refusal of a gap neither of whose sides is known.
  private func missing(_ named: ItemID, _ request: Request, _ memory: AuthorMemory) -> Refusal {
    var item = named
    if named.isProvisional, state.index.slot(of: named) < 0 {
      do throws(Refusal) {
        guard let made = try memory.resolve(named, in: request.sequence) else {
          return Refusal(.dependsOnRefused, detail: "the operation that creates the anchor was refused")
        }
        item = made
      } catch {
        return error
      }
    }
    if state.slot(of: item, for: request.seat) >= 0 {
      return Refusal(.anchorGone, detail: "the anchor is in another collection")
    }
    let traits = state.traits
    let wasTaken = history.othersTookOut(
      [item], since: request.base, not: request.author.session, key: filterKey,
      where: { traits[Int($0)].isVisible(to: request.seat) })
    return wasTaken
      ? Refusal(.anchorGone, detail: "the anchor was removed")
      : Refusal(.unknownItem, detail: "the anchor \(named.rawValue) is not on the table")
  }

  // MARK: What the author saw

  /// What an author saw of a collection: the base, and on it what its pending operations did.
  private struct Seen {
    let request: Request
    let collection: Int
    /// The sources of the operation, which are no neighbors of its gap.
    let leaving: SlotSet
    /// Whether only the base counts.
    var isBaseAlone = false
    /// The items that the author's own operations took away since the base, with the last revision at which one did; `nil` until one
    /// is looked for.
    private var takenAway: [ItemID: Revision]?

    init(request: Request, collection: Int, leaving: SlotSet) {
      self.request = request
      self.collection = collection
      self.leaving = leaving
    }

    /// Returns whether the author saw what a session put at a revision.
    @inline(__always) func isSeen(_ placed: Revision, by session: SessionID, _ memory: AuthorMemory) -> Bool {
      placed <= request.base
        || (session == request.author.session && !isBaseAlone && memory.operation(at: placed) != nil)
    }

    /// Returns whether the author's own operation took an item away after others had moved it from a position.
    ///
    /// - Parameter latest: The number of the item's latest record; `nil` if the item is not on the table.
    /// - Complexity: O(1); once O(w) for w records since the base.
    @inline(__always) mutating func isTakenAway(
      _ takeOut: History.TakeOut, _ latest: Int?, _ history: History, _ memory: AuthorMemory
    ) -> Bool {
      // Mostly the record is the latest one, or one of the last.
      if var number = latest {
        for _ in 0..<16 {
          guard let later = history[number], later.revision > takeOut.revision else { return false }
          if later.author == request.author.session { return true }
          number = later.previous
        }
      }
      return isTakenAwayLater(takeOut, history, memory)
    }

    @inline(never) private mutating func isTakenAwayLater(
      _ takeOut: History.TakeOut, _ history: History, _ memory: AuthorMemory
    ) -> Bool {
      let takenAway = self.takenAway ?? takenAway(history, memory)
      self.takenAway = takenAway
      return takenAway[takeOut.item].map { $0 > takeOut.revision } ?? false
    }

    private func takenAway(_ history: History, _ memory: AuthorMemory) -> [ItemID: Revision] {
      guard memory.lastAccepted > request.base else { return [:] }
      var takenAway: [ItemID: Revision] = [:]
      for takeOut in history.takeOuts(since: request.base) where takeOut.author == request.author.session {
        takenAway[takeOut.item] = takeOut.revision
      }
      return takenAway
    }
  }

  private func isSeen(_ position: PositionReference, _ seen: inout Seen, _ memory: AuthorMemory) -> Bool {
    switch position {
    case .boundary: true
    case .item(let slot): isSeen(slot, seen, memory)
    case .vacancy(let number): history[number].map { isSeen($0, &seen, memory) } ?? false
    }
  }

  @inline(__always) private func isSeen(_ slot: Int32, _ seen: Seen, _ memory: AuthorMemory) -> Bool {
    let record = state.forest.records.address(of: slot)
    return seen.isSeen(record.pointee.placed, by: record.pointee.placedBy, memory) && !seen.leaving.contains(slot)
  }

  @inline(__always) private func isSeen(_ takeOut: History.TakeOut, _ seen: inout Seen, _ memory: AuthorMemory) -> Bool
  {
    guard takeOut.revision > seen.request.base, takeOut.author != seen.request.author.session,
      seen.isSeen(takeOut.placed, by: takeOut.placedBy, memory)
    else { return false }
    let slot = state.index.slot(of: takeOut.item)
    if slot >= 0, seen.leaving.contains(slot) { return false }
    let latest = slot >= 0 ? state.forest.records.address(of: slot).pointee.lastTakeOut : nil
    return !seen.isTakenAway(takeOut, latest, history, memory)
  }

  /// Returns the nearest position in front of one that the author saw occupied by an item that is no source, of at most
  /// ``TableLimits/positionsPerGapMax``; the boundary if there is none.
  private func nearestSeen(
    inFrontOf position: PositionReference, _ seen: inout Seen, _ memory: AuthorMemory
  ) -> PositionReference {
    guard var walk = walk(from: position, in: seen.collection, since: seen.request.base) else { return .boundary }
    for _ in 0..<TableLimits.positionsPerGapMax {
      goBack(&walk)
      if walk.index >= 0 {
        if isSeen(history.takeOuts[walk.index], &seen, memory) { return paired(reference(walk)) }
      } else if walk.isAtBoundary || isSeen(walk.owner, seen, memory) {
        break
      }
    }
    return reference(walk)
  }

  /// Returns the nearest position behind one that an item which is no source occupied at the base; the boundary if there is none. An
  /// author that sees nothing behind names the end, and may not see what its pending operations put there.
  private func nearestAtBase(
    behind position: PositionReference, _ seen: inout Seen, _ memory: AuthorMemory
  ) -> PositionReference {
    var seen = seen
    seen.isBaseAlone = true
    var current = position
    for _ in 0..<TableLimits.positionsPerGapMax {
      current = next(current, in: seen.collection, since: seen.request.base)
      if isSeen(current, &seen, memory) { return paired(current) }
    }
    return current
  }

  private func paired(_ position: PositionReference) -> PositionReference {
    guard case .vacancy(let number) = position, let takeOut = history[number], takeOut.successor != .zero else {
      return position
    }
    let slot = state.index.slot(of: takeOut.item)
    return standing(number, slot, latestTakeOut(of: takeOut.item, slot, since: takeOut.successor))
  }
}
