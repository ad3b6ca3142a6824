/// What a drop comes to: the verdict of the rules with everything resolved.
struct Drop {
  var operation: DropOperation
  var collection: Int
  /// What the block comes to stand before, never one of the sources of a move; −1 for the end.
  var anchor: Int32
  var acceptedCount: Int
  var isRedirected = false
  /// The items stand where they would land.
  var isUnchanged = false
  /// Rules in code chose the place.
  var isElsewhere = false
}

extension TableState {
  /// Asks the rules of `destination` for their verdict on `slots`, which may leave their collections.
  ///
  /// - Parameters:
  ///   - anchor: Before which slot the author wants the block; −1 for the end.
  ///   - suggested: What the author's drag offers; empty for all that the collection offers.
  /// - Throws: The refusal of the first rule that does not hold.
  func drop(
    _ slots: SlotList, on destination: Int, before anchor: Int32, suggested: DropOperation.Set, seat: SeatNumber
  ) throws(Refusal) -> Drop {
    var collection = destination
    var anchor = anchor
    var isRedirected = false
    if let redirect = kind(of: collection).accept.redirect {
      collection = redirect.index
      anchor = -1
      isRedirected = collection != destination
    }
    let kind = self.kind(of: collection)
    var drop = Drop(
      operation: try negotiate(slots, kind, suggested), collection: collection, anchor: anchor,
      acceptedCount: slots.count, isRedirected: isRedirected)
    let leaving = SlotSet(drop.operation == .copy ? [] : slots)
    try land(&drop, kind, leaving)
    if drop.operation == .move, isInPlace(slots, before: drop.anchor, in: collection) {
      drop.isUnchanged = true
      return drop
    }
    try checkDrop(slots, &drop, kind, leaving, seat)
    if case .some = type.custom { try askCustomRules(slots, &drop, seat) }
    if !drop.isElsewhere { try landAgain(slots, before: anchor, &drop, kind, seat) }
    return drop
  }

  /// Which operation a drop of `slots` on `destination` would be; `nil` where the collections do not agree on one.
  func operation(of slots: SlotList, on destination: Int, suggested: DropOperation.Set) -> DropOperation? {
    let collection = kind(of: destination).accept.redirect?.index ?? destination
    do throws(Refusal) {
      return try negotiate(slots, kind(of: collection), suggested)
    } catch {
      return nil
    }
  }

  /// The destination's most preferred operation among those that the source and the author offer.
  private func negotiate(
    _ slots: SlotList, _ kind: CollectionKind, _ suggested: DropOperation.Set
  ) throws(Refusal) -> DropOperation {
    guard !kind.accept.operations.isEmpty else { throw Refusal(.destinationClosed, rule: kind.accept.path) }
    var offered = self.kind(of: Int(records[slots[0]].collection)).lift.offers
    for slot in slots.dropFirst() { offered.formIntersection(self.kind(of: Int(records[slot].collection)).lift.offers) }
    if !suggested.isEmpty { offered.formIntersection(suggested) }
    for operation in kind.accept.operations where operation != .alias && offered.contains(DropOperation.Set(operation))
    {
      return operation
    }
    throw Refusal(
      .operationNotSupported, rule: kind.accept.path,
      detail: "the collections do not agree on what to do with the items")
  }

  /// Decides where in the collection the block lands.
  func land(_ drop: inout Drop, _ kind: CollectionKind, _ leaving: SlotSet) throws(Refusal) {
    let asked = firstStaying(from: drop.anchor, leaving)
    if kind.accept.landing == .endOnly, asked >= 0 {
      throw Refusal(.positionNotAllowed, rule: kind.accept.path, detail: "items land only at the end here")
    }
    drop.anchor = landing(asked, in: drop.collection, kind, leaving)
    if drop.anchor != asked { drop.isRedirected = true }
    try checkPinned(drop, kind, leaving)
  }

  /// What a block comes to stand before that is to stand before `asked`.
  private func landing(_ asked: Int32, in collection: Int, _ kind: CollectionKind, _ leaving: SlotSet) -> Int32 {
    switch kind.accept.landing {
    case .anywhere: return asked
    case .end, .endOnly: return -1
    case .start:
      var first = forest.first(in: root(collection))
      while first >= 0, leaving.contains(first) || records[first].isPinned { first = forest.next(first) }
      return first
    }
  }

  /// Pinned items at the head of a collection stay its head.
  private func checkPinned(_ drop: Drop, _ kind: CollectionKind, _ leaving: SlotSet) throws(Refusal) {
    guard drop.anchor >= 0, records[drop.anchor].isPinned else { return }
    let before = landingPlace(before: drop.anchor, in: drop.collection, excluding: leaving)
    if before < 0 || records[before].isPinned {
      throw Refusal(.positionNotAllowed, rule: kind.accept.path, detail: "pinned items stand there")
    }
  }

  /// Finds the place again where less than the whole block leaves its place: only a part was accepted, or rules in code
  /// made a copy of a move. What stays may be what the whole block would not have stood before.
  private func landAgain(
    _ slots: SlotList, before asked: Int32, _ drop: inout Drop, _ kind: CollectionKind, _ seat: SeatNumber
  ) throws(Refusal) {
    let part = drop.acceptedCount == slots.count ? slots : SlotList(slots.prefix(drop.acceptedCount))
    switch drop.operation {
    case .move where drop.acceptedCount < slots.count, .copy where type.custom != nil: break
    case .move, .copy, .delete, .alias, .cancel, .forbidden: return
    }
    let leaving = SlotSet(drop.operation == .copy ? [] : part)
    let anchor = landing(firstStaying(from: asked, leaving), in: drop.collection, kind, leaving)
    drop.isUnchanged = drop.operation == .move && isInPlace(part, before: anchor, in: drop.collection)
    guard anchor != drop.anchor else { return }
    drop.anchor = anchor
    try checkPinned(drop, kind, leaving)
    var context = RuleContext(
      item: .slot(slots[0]), source: Int(records[slots[0]].collection), destination: drop.collection,
      sourcesCount: slots.count, seat: seat)
    context.returningCount = returningCount(part, drop)
    try checkLanding(before: drop.anchor, in: drop.collection, kind, leaving, &context)
    try checkNeighbours(part, drop, kind, leaving, context)
  }

  /// Lets rules in code have the last word.
  private func askCustomRules(_ slots: SlotList, _ drop: inout Drop, _ seat: SeatNumber) throws(Refusal) {
    guard let custom = type.custom else { return }
    let here = Destination(
      collection: CollectionHandle(index: drop.collection), position: Position(anchor: id(drop.anchor)))
    let proposed = DropConfiguration(operation: drop.operation, acceptedItemCount: drop.acceptedCount)
    let verdict = custom.dropConfiguration(
      for: proposed, of: ItemList(slots.map(id)), to: here, at: self, by: seat)
    switch verdict.operation {
    case .move, .copy, .delete: drop.operation = verdict.operation
    case .cancel, .forbidden, .alias: throw verdict.refusal ?? Refusal(.forbidden)
    }
    drop.acceptedCount = min(max(1, verdict.acceptedItemCount ?? slots.count), slots.count)
    guard let elsewhere = verdict.destination, elsewhere != here else { return }
    guard isKnown(elsewhere.collection) else { throw Refusal(.unknownCollection) }
    try checkEnabled(elsewhere.collection.index)
    drop.collection = elsewhere.collection.index
    let leaving = SlotSet(drop.operation == .copy ? [] : SlotList(slots.prefix(drop.acceptedCount)))
    let anchor = index.slot(of: elsewhere.position.anchor)
    let stands = anchor >= 0 && Int(records[anchor].collection) == drop.collection
    drop.anchor = stands ? firstStaying(from: anchor, leaving) : -1
    drop.isRedirected = true
    drop.isElsewhere = true
  }
}
