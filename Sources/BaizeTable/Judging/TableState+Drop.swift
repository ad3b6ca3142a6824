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

  /// How many of `slots` lie in the destination already and leave it before they land.
  private func returningCount(_ slots: SlotList, _ drop: Drop) -> Int {
    drop.operation == .move ? slots.count { Int(records[$0].collection) == drop.collection } : 0
  }

  private func checkDrop(
    _ slots: SlotList, _ drop: inout Drop, _ kind: CollectionKind, _ leaving: SlotSet, _ seat: SeatNumber
  ) throws(Refusal) {
    if let from = kind.accept.from {
      for slot in slots where Int(records[slot].collection) != drop.collection {
        guard from.contains(CollectionHandle(index: Int(records[slot].collection))) else {
          throw Refusal(
            .foreignItem, rule: kind.accept.path + ".from", detail: "items from that collection are not taken here")
        }
      }
    }
    if !kind.accept.contentTypes.isEmpty {
      for slot in slots { try checkContentType(of: slot, kind, seat) }
    }
    var context = RuleContext(
      item: .slot(slots[0]), source: Int(records[slots[0]].collection), destination: drop.collection,
      sourcesCount: slots.count, seat: seat)
    context.returningCount = returningCount(slots, drop)
    if !kind.accept.conditions.isEmpty { try check(kind.accept.conditions, context) }
    if !kind.accept.each.isEmpty {
      for slot in slots {
        context.item = .slot(slot)
        try check(kind.accept.each, context)
      }
      context.item = .slot(slots[0])
    }
    try checkLanding(before: drop.anchor, in: drop.collection, kind, leaving, &context)
    try checkNeighbours(slots, drop, kind, leaving, context)
    if let capacity = kind.accept.capacity, drop.operation != .delete {
      let (collection, isMove) = (drop.collection, drop.operation == .move)
      drop.acceptedCount = try accepted(slots.count, by: capacity, in: collection) { position in
        !isMove || Int(records[slots[position]].collection) != collection
      }
    }
  }

  /// Asks what depends on what the block lands on.
  func checkLanding(
    before anchor: Int32, in collection: Int, _ kind: CollectionKind, _ leaving: SlotSet, _ context: inout RuleContext
  ) throws(Refusal) {
    guard !kind.accept.onEmpty.isEmpty || !kind.accept.onItem.isEmpty else { return }
    context.below = landingPlace(before: anchor, in: collection, excluding: leaving)
    try check(context.below < 0 ? kind.accept.onEmpty : kind.accept.onItem, context)
  }

  /// Asks about all neighbours that the block makes: those in it, and those with what stands before and behind it.
  private func checkNeighbours(
    _ slots: SlotList, _ drop: Drop, _ kind: CollectionKind, _ leaving: SlotSet, _ context: RuleContext
  ) throws(Refusal) {
    guard !kind.accept.pairs.isEmpty else { return }
    var pair = context
    pair.below = landingPlace(before: drop.anchor, in: drop.collection, excluding: leaving)
    for slot in slots {
      pair.item = .slot(slot)
      if pair.below >= 0 { try check(kind.accept.pairs, pair) }
      pair.below = slot
    }
    guard drop.anchor >= 0 else { return }
    pair.item = .slot(drop.anchor)
    try check(kind.accept.pairs, pair)
  }

  /// How many of `count` items, the first ones, a collection of limited capacity takes. What lies in it already needs
  /// no room.
  func accepted(
    _ count: Int, by capacity: Capacity, in collection: Int, isArriving: (Int) -> Bool
  ) throws(Refusal) -> Int {
    var room = capacity.itemsMax - self.count(collection)
    var accepted = 0
    while accepted < count {
      if isArriving(accepted) {
        guard room > 0 else { break }
        room -= 1
      }
      accepted += 1
    }
    guard accepted == count || (capacity.acceptsPart && accepted > 0) else {
      throw Refusal(
        .capacityExceeded, rule: capacity.path, detail: "the collection holds at most \(capacity.itemsMax) items")
    }
    return accepted
  }

  private func checkContentType(of slot: Int32, _ kind: CollectionKind, _ seat: SeatNumber) throws(Refusal) {
    guard canSee(slot, from: seat) else { throw Refusal(.faceHidden, rule: kind.accept.path + ".contentTypes") }
    try checkContentType(of: faces[slot], kind)
  }

  /// Asks whether a face has a representation that the collection takes.
  func checkContentType(of face: Face, _ kind: CollectionKind) throws(Refusal) {
    guard !kind.accept.contentTypes.isEmpty else { return }
    guard !face.representations.isEmpty else {
      throw Refusal(.noRepresentation, rule: kind.accept.path + ".contentTypes")
    }
    guard face.representations.contains(where: { kind.accept.contentTypes.contains($0.contentType) }) else {
      throw Refusal(.typeNotAccepted, rule: kind.accept.path + ".contentTypes")
    }
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

extension TableState {
  /// The rules' verdict on a drop, as `dropConfiguration` asks for it while the finger is still down. Nothing changes.
  ///
  /// - Parameters:
  ///   - difference: What would be asked; ids and anchors that are not on the table are refused.
  ///   - suggested: What the drag offers; empty for all that the collection offers.
  ///   - seat: Who asks; a rule that would read a face hidden from them is refused `FACE_HIDDEN`.
  /// - Complexity: O(k log n) for k sources, and what the rules cost.
  public func dropConfiguration(
    for difference: ReorderDifference, suggested: DropOperation.Set = [], by seat: SeatNumber
  ) -> DropConfiguration {
    do throws(Refusal) {
      let slots = try lifted(difference.sources, by: seat)
      return try dropConfiguration(of: slots, on: difference.destination, suggested: suggested, by: seat)
    } catch {
      return .forbidden(error)
    }
  }

  /// The verdict of every collection on a drop of `sources` at its end, in handle order.
  public func dropConfigurations(
    for sources: ItemList, suggested: DropOperation.Set = [], by seat: SeatNumber
  ) -> [(collection: CollectionHandle, configuration: DropConfiguration)] {
    do throws(Refusal) {
      let slots = try lifted(sources, by: seat)
      return handles.map { handle in
        do throws(Refusal) {
          return (handle, try dropConfiguration(of: slots, on: .end(of: handle), suggested: suggested, by: seat))
        } catch {
          return (handle, .forbidden(error))
        }
      }
    } catch {
      return handles.map { ($0, .forbidden(error)) }
    }
  }

  /// The slots of items that may leave together.
  func lifted(_ sources: ItemList, by seat: SeatNumber) throws(Refusal) -> SlotList {
    var slots = SlotList()
    for id in sources {
      let slot = slot(of: id, for: seat)
      guard slot >= 0 else { throw Refusal(.unknownItem) }
      slots.append(slot)
    }
    guard !slots.isEmpty else { throw Refusal(.emptySources) }
    guard Set(slots).count == slots.count else { throw Refusal(.duplicateSource) }
    for slot in slots { try checkEnabled(Int(records[slot].collection)) }
    try checkLift(slots, base: revision, author: .daemon, seat: seat)
    return slots
  }

  private func dropConfiguration(
    of slots: SlotList, on destination: Destination, suggested: DropOperation.Set, by seat: SeatNumber
  ) throws(Refusal) -> DropConfiguration {
    guard isKnown(destination.collection) else { throw Refusal(.unknownCollection) }
    try checkRights(lifting: slots, droppingOn: destination.collection.index, by: seat)
    try checkEnabled(destination: destination.collection.index)
    let anchor = index.slot(of: destination.position.anchor)
    if destination.position != .end {
      guard anchor >= 0 else { throw Refusal(.unknownItem) }
      guard Int(records[anchor].collection) == destination.collection.index else { throw Refusal(.anchorGone) }
    }
    let drop = try drop(slots, on: destination.collection.index, before: anchor, suggested: suggested, seat: seat)
    let landing = Destination(
      collection: CollectionHandle(index: drop.collection), position: Position(anchor: id(drop.anchor)))
    return DropConfiguration(
      operation: drop.operation, destination: drop.isRedirected ? landing : nil,
      acceptedItemCount: drop.acceptedCount < slots.count ? drop.acceptedCount : nil)
  }

  /// Refuses what would touch a collection that is out of use.
  func checkEnabled(_ collection: Int) throws(Refusal) {
    guard collections[collection].isEnabled else { throw Refusal(.containerDisabled) }
  }

  /// Refuses a drop on a collection that is out of use, or that sends drops on to one.
  func checkEnabled(destination: Int) throws(Refusal) {
    try checkEnabled(destination)
    if let redirect = kind(of: destination).accept.redirect { try checkEnabled(redirect.index) }
  }
}
