/// The place of a drop in its collection.
struct Landing {
  var collection: Int
  var place: Place
  /// The item behind the place, which may be a source; −1 for the end.
  var anchor: Int32
  /// Whether an item around the place, sources aside, is not the one that its author named.
  var isRebased: Bool
}

/// G4: where a drop lands in the gap that its author saw (N3, N4).
extension Table {
  /// Returns the place of a drop.
  ///
  /// - Parameter sources: The items that the operation moves or copies there.
  func landing(
    _ destination: Destination, of sources: SlotList, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> Landing {
    let collection = try collection(of: destination, request, memory)
    guard state.isVisible(collection, to: request.seat) else {
      guard destination.position == .end else {
        throw Refusal(.unknownItem, detail: "the anchor \(destination.position.anchor.rawValue) is not on the table")
      }
      return Landing(collection: collection, place: .before(.boundary), anchor: -1, isRebased: false)
    }
    let request = state.type.hasSecrets ? seen(of: collection, request, memory) : request
    guard request.isCovered else { return landingAfterSnapshot(destination, in: collection, request, memory) }
    if Mutation.anchor.isActive, destination.position.anchor != .none, request.base < state.revision {
      return Landing(collection: collection, place: .before(.boundary), anchor: -1, isRebased: true)
    }
    var destination = destination
    if Mutation.after.isActive { destination.after = .unspecified }
    return try landing(destination, in: collection, of: sources, request, memory)
  }

  /// Returns the place of a drop in a collection that its author sees, on a state that the history covers.
  @inline(__always) func landing(
    _ destination: Destination, in collection: Int, of sources: SlotList, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> Landing {
    let gap = try gap(destination, in: collection, sources, request, memory)
    let place =
      state.kind(of: collection).accept.landing == .anywhere
      ? self.place(in: gap, request, memory) : Place.before(gap.right)
    var landing = Landing(
      collection: collection, place: place, anchor: anchor(of: place, in: collection), isRebased: false)
    landing.isRebased = isRebased(landing, destination, SlotSet(sources), request, memory)
    return landing
  }

  /// Returns a request with the base that counts in a collection whose items others may not see: not before its author took the
  /// seat, since what left it until then that author has not seen (I6).
  private func seen(of collection: Int, _ request: Request, _ memory: AuthorMemory) -> Request {
    guard state.traits(of: collection).flags.contains(.isPrivate), memory.seatedAt > request.base else {
      return request
    }
    return Request(
      author: request.author, sequence: request.sequence, base: min(memory.seatedAt, state.revision),
      isCovered: request.isCovered)
  }

  /// Returns the place of a drop that was made on a state that a replica does not know any more: before the item behind the gap if
  /// that is there, else behind the one in front, else at the end.
  private func landingAfterSnapshot(
    _ destination: Destination, in collection: Int, _ request: Request, _ memory: AuthorMemory
  ) -> Landing {
    func slot(_ named: ItemID) -> Int32? {
      self.slot(of: named, request, memory).flatMap { state.collection($0) == collection ? $0 : nil }
    }
    var place = Place.before(.boundary)
    if let before = slot(destination.position.anchor) {
      place = .before(.item(before))
    } else if destination.position != .end {
      switch destination.after {
      case .unspecified: break
      case .start: place = .behind(.boundary)
      case .item(let item): if let after = slot(item) { place = .behind(.item(after)) }
      }
    }
    return Landing(collection: collection, place: place, anchor: anchor(of: place, in: collection), isRebased: true)
  }

  /// N1: returns whether a block that would not move has positions of its author's already, at a place and with none between.
  @inline(never) func isHeld(
    _ slots: SlotList, at place: Place, in collection: Int, _ request: Request, _ memory: AuthorMemory
  ) -> Bool {
    guard slots.allSatisfy({ isOwn(.item($0), request, memory) }), let first = slots.first, let last = slots.last else {
      return false
    }
    for index in slots.indices.dropFirst()
    where previous(.item(slots[index]), in: collection) != .item(slots[index - 1]) { return false }
    if case .item(let slot) = place.position, slots.contains(slot) { return true }
    return place.isBehind
      ? place.position == .item(last) || next(place.position, in: collection) == .item(first)
      : place.position == .item(first) || previous(place.position, in: collection) == .item(last)
  }

  private func isOwn(_ position: PositionReference, _ request: Request, _ memory: AuthorMemory) -> Bool {
    let origin = origin(of: position)
    return origin.session == request.author.session && origin.session != .daemon && origin.placed > memory.seatedAt
  }

  /// N3, N4: returns where in a gap a block lands.
  private func place(in gap: Gap, _ request: Request, _ memory: AuthorMemory) -> Place {
    if isOwn(gap.left, request, memory) { return .behind(gap.left) }
    if isOwn(gap.right, request, memory) || !origin(of: gap.right).run.isShared { return .before(gap.right) }
    return placeBesideRuns(gap, since: request.base)
  }

  /// N4: returns the last place of a gap that is inside the fewest runs; the last one if nothing that was not vacant at the base
  /// shows that it is inside one, as mostly.
  ///
  /// - Complexity: O(p²) for p positions in the gap, at most ``TableLimits/positionsPerGapMax``; mostly O(p), since it ends at the
  ///   first place that is inside no run.
  @inline(never) private func placeBesideRuns(_ gap: Gap, since base: Revision) -> Place {
    // Only the run of the position behind the gap can be on both sides of the last place.
    let last = origin(of: gap.right).run.number
    var isInside = false
    visit(gap, since: base) { position, _ in
      isInside = position.reference != gap.right && position.run == last
      return !isInside
    }
    guard isInside else { return .before(gap.right) }
    var positions: [GapPosition] = []
    positions.reserveCapacity(32)
    // Of the positions to look at, which those that were vacant are among.
    isInside = false
    let isBounded = visit(gap, since: .zero) { position, vacated in
      positions.append(position)
      if position.run == last, vacated > base, positions.count > 1 { isInside = true }
      return true
    }
    guard isInside else { return .before(gap.right) }
    history.steps.add(positions.count * positions.count / History.comparisonsPerStep)
    // Place k is between positions k and k + 1: inside the runs with positions up to k and from k + 1 on.
    var (runs, best, fewest) = (0, 0, Int.max)
    for place in 0..<(isBounded ? positions.count - 1 : positions.count) where fewest > 0 {
      let run = positions[place].run
      if run != 0 {
        let begins = !positions[..<place].contains { $0.run == run }
        let ends = !positions[(place + 1)...].contains { $0.run == run }
        runs += begins ? (ends ? 0 : 1) : (ends ? -1 : 0)
      }
      if runs < fewest { (best, fewest) = (place, runs) }
    }
    return .before(positions[best].reference)
  }

  /// A position of a gap.
  private struct GapPosition: BitwiseCopyable {
    let reference: PositionReference
    /// The number of its run; 0 if that has no other position.
    let run: UInt32

    init(_ reference: PositionReference, _ run: Run) {
      self.reference = reference
      self.run = run.isShared ? run.number : 0
    }
  }

  /// Visits the positions of a gap from behind, the one behind it and the one in front of it included, without those that were
  /// vacant at `base`, until `body` returns false. It also gets the revision that vacated the position, the highest one if none has.
  ///
  /// - Returns: Whether the one in front of the gap was among them: not at the start, nor in a longer gap.
  @discardableResult @inline(__always) private func visit(
    _ gap: Gap, since base: Revision, _ body: (GapPosition, _ vacated: Revision) -> Bool
  ) -> Bool {
    let never = Revision(rawValue: .max)
    guard var walk = walk(from: gap.right, in: gap.collection, since: base) else { return false }
    guard body(GapPosition(gap.right, origin(of: gap.right).run), never) else { return false }
    for _ in 1..<TableLimits.positionsPerGapMax {
      goBack(&walk)
      if walk.isAtBoundary { return false }
      let isVacant = walk.index >= 0
      let run =
        isVacant ? history.takeOuts[walk.index].run : state.forest.records.address(of: walk.owner).pointee.run
      let position = GapPosition(reference(walk), run)
      guard body(position, isVacant ? history.takeOuts[walk.index].revision : never) else { return false }
      if position.reference == gap.left { return true }
    }
    return false
  }

  private func isRebased(
    _ landing: Landing, _ destination: Destination, _ leaving: SlotSet, _ request: Request, _ memory: AuthorMemory
  ) -> Bool {
    let anchor = state.firstStaying(from: landing.anchor, leaving)
    let named = destination.position.anchor
    let before = named == .none ? -1 : slot(of: named, request, memory)
    guard let before, before == anchor || leaving.contains(before) else { return true }
    let previous = state.neighbor(before: anchor, in: landing.collection, excluding: leaving)
    switch destination.after {
    case .unspecified: return false
    case .start: return previous >= 0
    case .item(let named):
      guard let after = slot(of: named, request, memory) else { return true }
      return after != previous && !leaving.contains(after)
    }
  }

  /// Returns the slot of an item that an author names and sees; `nil` if there is none.
  private func slot(of named: ItemID, _ request: Request, _ memory: AuthorMemory) -> Int32? {
    let item = named.isProvisional && state.index.slot(of: named) < 0 ? memory.resolve(named) : named
    let slot = item.map { state.slot(of: $0, for: request.seat) } ?? -1
    return slot < 0 ? nil : slot
  }
}
