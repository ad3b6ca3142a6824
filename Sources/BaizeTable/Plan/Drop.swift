/// G8: the effect of a drop, by the rules of its destination.
struct Drop {
  var operation: DropOperation
  var collection: Int
  /// The slot that the block will be before, never one of the sources of a move; −1 for the end.
  var anchor: Int32
  var acceptedCount: Int
  var isRedirected = false
  /// Whether the items already are where they would land, as far as the order of items shows.
  var isInPlace = false
  /// Whether nothing changes.
  var isUnchanged = false
}

extension TableState {
  /// Evaluates the rules of `destination` on a drop of `slots`, which may leave their collections.
  ///
  /// - Parameters:
  ///   - anchor: The slot that the author wants the block before; −1 for the end.
  ///   - suggested: The operations that the author's drag offers; empty for all that the collection offers.
  /// - Throws: The refusal of the first rule that does not hold.
  func drop(
    _ slots: SlotList, on destination: Int, before anchor: Int32, suggested: DropOperation.Set, seat: SeatNumber
  ) throws(Refusal) -> Drop {
    let target = redirectTarget(of: destination)
    let collection = target ?? destination
    let anchor = target == nil ? anchor : -1
    let traits = traits(of: collection)
    var drop = Drop(
      operation: try negotiate(slots, collection, suggested), collection: collection, anchor: anchor,
      acceptedCount: slots.count, isRedirected: collection != destination)
    if type.opensCollections, drop.operation == .move { try checkOpenings(of: slots, on: collection) }
    if !aliases.isEmpty, drop.operation == .move { try checkAliases(among: slots, on: collection) }
    let leaving = SlotSet(drop.operation.keepsSources ? [] : slots)
    try land(&drop, leaving, seat)
    if drop.operation == .move, isInPlace(slots, before: drop.anchor, in: collection) {
      drop.isInPlace = true
      return drop
    }
    if !traits.flags.isDisjoint(with: [.hasDropRules, .hasCapacity]) {
      try checkDrop(slots, &drop, kind(of: collection), leaving, seat)
    }
    if drop.operation == .move, drop.acceptedCount < slots.count {
      try landAgain(slots, before: anchor, &drop, kind(of: collection), seat)
    }
    return drop
  }

  /// Returns the collection that receives drops on this one; `nil` for itself.
  @inline(__always) func redirectTarget(of destination: Int) -> Int? {
    guard traits(of: destination).flags.contains(.redirects) else { return nil }
    return kind(of: destination).accept.redirect?.index
  }

  /// Returns the operation that a drop of `slots` on `destination` would perform; `nil` if the collections have none in
  /// common.
  func operation(of slots: SlotList, on destination: Int, suggested: DropOperation.Set) -> DropOperation? {
    do throws(Refusal) {
      return try negotiate(slots, redirectTarget(of: destination) ?? destination, suggested)
    } catch {
      return nil
    }
  }

  /// Returns the destination's most preferred operation among those that the sources and the author offer.
  @inline(__always) private func negotiate(
    _ slots: SlotList, _ destination: Int, _ suggested: DropOperation.Set
  ) throws(Refusal) -> DropOperation {
    var offered = suggested.isEmpty ? DropOperation.Set(rawValue: .max) : suggested
    for slot in slots { offered.formIntersection(traits(of: collection(slot)).offers) }
    if let operation = traits(of: destination).preferredOperation(among: offered) { return operation }
    throw disagreement(on: destination)
  }

  @inline(never) private func disagreement(on destination: Int) -> Refusal {
    let accept = kind(of: destination).accept
    guard !accept.operations.isEmpty else { return Refusal(.destinationClosed, rule: accept.path) }
    return Refusal(
      .operationNotSupported, rule: accept.path,
      detail: "the collections have no drop operation in common")
  }

  /// Refuses to move items between collections whose items open collections of different kinds, or where the items of
  /// only one of them open any.
  @inline(never) private func checkOpenings(of slots: SlotList, on destination: Int) throws(Refusal) {
    let opened = kind(of: destination).opens?.kind
    for slot in slots where kind(of: collection(slot)).opens?.kind != opened {
      throw Refusal(
        .foreignItem, rule: kind(of: destination).path, detail: "the items there open other collections, or none")
    }
  }

  // MARK: Landing

  /// Decides where in the collection the block lands.
  @inline(__always) func land(_ drop: inout Drop, _ leaving: SlotSet, _ seat: SeatNumber) throws(Refusal) {
    let asked = firstStaying(from: drop.anchor, leaving)
    drop.anchor = asked
    if traits(of: drop.collection).flags.contains(.hasLandingRule) { try applyLandingRule(&drop, leaving, seat) }
    try checkPinned(drop, leaving)
  }

  @inline(never) private func applyLandingRule(
    _ drop: inout Drop, _ leaving: SlotSet, _ seat: SeatNumber
  ) throws(Refusal) {
    let asked = drop.anchor
    let accept = kind(of: drop.collection).accept
    if accept.landing == .endOnly, asked >= 0 {
      throw Refusal(.positionNotAllowed, rule: accept.path, detail: "items are accepted only at the end here")
    }
    drop.anchor = landing(asked, in: drop.collection, accept, leaving)
    // An author who does not see the items there must not learn whether all of them are pinned.
    let isConcealed = accept.landing == .start && !isVisible(drop.collection, to: seat)
    if drop.anchor != asked || isConcealed { drop.isRedirected = true }
  }

  /// Returns the slot that the block is put before, if the request was before `asked`.
  private func landing(_ asked: Int32, in collection: Int, _ accept: AcceptRule, _ leaving: SlotSet) -> Int32 {
    switch accept.landing {
    case .anywhere: return asked
    case .end, .endOnly: return -1
    case .start:
      var first = forest.first(in: root(collection))
      while first >= 0, leaving.contains(first) || forest.records[first].isPinned { first = forest.next(first) }
      return first
    }
  }

  /// Refuses to divide the pinned items at the start of a collection.
  @inline(__always) private func checkPinned(_ drop: Drop, _ leaving: SlotSet) throws(Refusal) {
    guard drop.anchor >= 0, forest.records.address(of: drop.anchor).pointee.isPinned else { return }
    try checkBehindPinned(drop, leaving)
  }

  @inline(never) private func checkBehindPinned(_ drop: Drop, _ leaving: SlotSet) throws(Refusal) {
    let before = neighbor(before: drop.anchor, in: drop.collection, excluding: leaving)
    if before < 0 || forest.records[before].isPinned {
      throw Refusal(
        .positionNotAllowed, rule: kind(of: drop.collection).accept.path,
        detail: "the position is occupied by pinned items")
    }
  }

  /// Determines the landing again if only a part of the block moves: an item that now stays may become the anchor.
  private func landAgain(
    _ slots: SlotList, before asked: Int32, _ drop: inout Drop, _ kind: CollectionKind, _ seat: SeatNumber
  ) throws(Refusal) {
    let part = SlotList(slots.prefix(drop.acceptedCount))
    let leaving = SlotSet(part)
    let anchor = landing(firstStaying(from: asked, leaving), in: drop.collection, kind.accept, leaving)
    drop.isInPlace = isInPlace(part, before: anchor, in: drop.collection)
    guard anchor != drop.anchor else { return }
    drop.anchor = anchor
    try checkPinned(drop, leaving)
    var context = RuleContext(
      item: .slot(slots[0]), source: collection(slots[0]), destination: drop.collection,
      sourcesCount: slots.count, seat: seat)
    context.sources = slots
    context.returningCount = returningCount(part, drop)
    try checkLanding(before: drop.anchor, in: drop.collection, kind, leaving, &context)
    try checkNeighbors(part, drop, kind, leaving, context)
  }
}
