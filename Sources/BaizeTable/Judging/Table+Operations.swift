/// The operations one by one. Each throws before it has changed anything.
extension Table {
  mutating func reorder(
    _ difference: ReorderDifference, _ suggested: DropOperation.Set, _ judging: inout Judging,
    _ memory: inout AuthorMemory
  ) throws(Refusal) -> Bool {
    let (slots, kept) = try resolve(difference.sources, judging, memory)
    let landing = try rebase(difference.destination, judging, memory)
    try checkStanding(judging)
    try checkEnabled(slots)
    try state.checkEnabled(landing.collection)
    let seat = judging.author.seat
    try state.checkLift(slots, base: judging.base, author: judging.author.session, seat: seat)
    let drop = try state.drop(
      slots, on: landing.collection, before: landing.anchor, suggested: suggested, seat: seat)
    if drop.operation != .copy { try checkContention(slots, judging) }
    guard !drop.isUnchanged else { return false }
    let accepted = drop.acceptedCount == slots.count ? slots : SlotList(slots.prefix(drop.acceptedCount))
    try checkRoom(for: drop.operation == .copy ? accepted.count : 0)

    judging.diff.operation = drop.operation
    judging.diff.isRebased = landing.isRebased && !drop.isRedirected
    judging.diff.isRedirected = drop.isRedirected
    switch drop.operation {
    case .copy:
      try copy(accepted, drop, asked: difference.sources.count, kept, &judging)
    case .delete:
      let left = collections(of: accepted)
      end(accepted, &judging)
      turnExposed(in: left, &judging)
    case .move, .alias, .cancel, .forbidden:
      let left = collections(of: accepted)
      let anchor = accepted.count == slots.count ? drop.anchor : anchorOfPart(accepted, drop, landing)
      try move(accepted, to: drop.collection, before: anchor, isAsAsked: !drop.isRedirected, &judging)
      turnExposed(in: left, &judging)
    }
    if drop.isRedirected || accepted.count < difference.sources.count {
      memory.displace(judging.operation, at: judging.revision)
    }
    return true
  }

  /// Where a part of a block lands: what was left out may be what the whole block would not have stood before.
  private func anchorOfPart(_ accepted: SlotList, _ drop: Drop, _ landing: Landing) -> Int32 {
    drop.isRedirected ? drop.anchor : state.firstStaying(from: landing.anchor, SlotSet(accepted))
  }

  private mutating func copy(
    _ slots: SlotList, _ drop: Drop, asked: Int, _ kept: [Int]?, _ judging: inout Judging
  ) throws(Refusal) {
    let ids = try newNames(role == .replica ? asked : slots.count, &judging)
    let types = state.kind(of: drop.collection).accept.contentTypes
    let records = slots.map { state.records[$0] }
    // In a replica the k-th id belongs to the k-th item asked for; the daemon's are in the order of those accepted.
    let places = slots.indices.map { kept?[$0] ?? $0 }
    let used = role == .replica ? places.map { ids[$0] } : ids
    var minted = Array(repeating: ItemID.none, count: asked)
    for (position, place) in places.enumerated() { minted[place] = used[position] }
    judging.diff.minted = minted
    make(
      slots.map { state.faces[$0].keeping(types) }, lyingUp: { records[$0].isUp }, known: { records[$0].isFaceKnown },
      ids: used, in: drop.collection, before: drop.anchor, &judging)
  }

  mutating func insert(
    _ items: [NewItem], _ destination: Destination, _ judging: inout Judging, _ memory: inout AuthorMemory
  ) throws(Refusal) -> Bool {
    guard !items.isEmpty else { throw Refusal(.emptySources, detail: "the operation brings no item") }
    guard items.count <= TableLimits.itemsPerOperationMax else {
      throw Refusal(.tooManyItems, detail: "an operation makes at most \(TableLimits.itemsPerOperationMax) items")
    }
    let landing = try rebase(destination, judging, memory)
    try checkStanding(judging)
    try state.checkEnabled(landing.collection)
    let rule = state.kind(of: landing.collection).accept
    guard rule.inserts else {
      throw Refusal(
        rule.operations.isEmpty ? .destinationClosed : .foreignItem, rule: rule.path,
        detail: "the collection takes no new items")
    }
    var drop = Drop(
      operation: .copy, collection: landing.collection, anchor: landing.anchor, acceptedCount: items.count)
    try state.checkInsert(items, &drop, rule, judging.author.seat)
    try checkRoom(for: drop.acceptedCount)

    let accepted = items.prefix(drop.acceptedCount)
    let ids = try newNames(role == .replica ? items.count : accepted.count, &judging)
    judging.diff.isRebased = landing.isRebased && !drop.isRedirected
    judging.diff.isRedirected = drop.isRedirected
    judging.diff.minted =
      Array(ids.prefix(accepted.count)) + Array(repeating: .none, count: items.count - accepted.count)
    make(
      accepted.map { $0.face.keeping(rule.contentTypes) }, lyingUp: { _ in true }, known: { _ in true }, ids: ids,
      in: drop.collection, before: drop.anchor, &judging)
    if drop.isRedirected {
      for id in judging.diff.minted { memory.displace(id, by: judging.operation.sequence, at: judging.revision) }
    }
    return true
  }

  mutating func remove(
    _ items: ItemList, _ judging: inout Judging, _ memory: AuthorMemory
  ) throws(Refusal) -> Bool {
    let (slots, _) = try resolve(items, judging, memory)
    try checkStanding(judging)
    try checkEnabled(slots)
    try state.checkLift(slots, base: judging.base, author: judging.author.session, seat: judging.author.seat)
    for slot in slots {
      let rule = state.kind(of: Int(state.records[slot].collection)).lift
      guard rule.offers.contains(.delete) else {
        throw Refusal(.operationNotSupported, rule: rule.path, detail: "items are not deleted here")
      }
    }
    try checkContention(slots, judging)
    let left = collections(of: slots)
    judging.diff.operation = .delete
    end(slots, &judging)
    turnExposed(in: left, &judging)
    return true
  }

  mutating func update(
    _ item: ItemID, _ attributes: [Attribute], _ representations: [Representation], _ judging: inout Judging,
    _ memory: AuthorMemory
  ) throws(Refusal) -> Bool {
    let slot = try resolve([item], judging, memory).slots[0]
    try checkStanding(judging)
    try checkEnabled([slot])
    let kind = state.kind(of: Int(state.records[slot].collection))
    guard kind.allowsUpdate else {
      throw Refusal(.operationNotSupported, rule: kind.path, detail: "items are not updated here")
    }
    guard state.canSee(slot, from: judging.author.seat) else { throw Refusal(.faceHidden, rule: kind.path) }
    var face = state.faces[slot]
    for attribute in attributes { face.set(attribute) }
    if !representations.isEmpty { face.representations = representations }
    guard face.attributes.count <= TableLimits.attributesPerItemMax else {
      throw Refusal(.tableSize, detail: "an item has at most \(TableLimits.attributesPerItemMax) attributes")
    }
    guard face != state.faces[slot] else { return false }
    state.setFace(slot, face)
    judging.diff.changes.append(.faced([state.item(slot)]))
    return true
  }

  private func checkRoom(for count: Int) throws(Refusal) {
    guard state.itemCount + count <= TableLimits.itemsPerTableMax else {
      throw Refusal(.tableSize, detail: "a table holds at most \(TableLimits.itemsPerTableMax) items")
    }
  }
}

extension TableState {
  /// Asks the rules of a collection about items that are to be made, and where they land.
  func checkInsert(
    _ items: [NewItem], _ drop: inout Drop, _ rule: AcceptRule, _ seat: SeatNumber
  ) throws(Refusal) {
    switch rule.landing {
    case .anywhere: break
    case .end, .endOnly:
      guard drop.anchor < 0 || rule.landing == .end else { throw Refusal(.positionNotAllowed, rule: rule.path) }
      drop.isRedirected = drop.anchor >= 0
      drop.anchor = -1
    case .start:
      let first = forest.first(in: root(drop.collection))
      drop.isRedirected = drop.anchor != first
      drop.anchor = first
    }
    var context = RuleContext(destination: drop.collection, sourcesCount: items.count, seat: seat)
    for item in items {
      context.item = .face(item.face)
      try checkContentType(of: item.face, rule)
      try check(rule.each, context)
    }
    context.item = .face(items[0].face)
    try check(rule.conditions, context)
    try checkLanding(before: drop.anchor, in: drop.collection, rule, SlotSet([]), &context)
    if let capacity = rule.capacity {
      drop.acceptedCount = try accepted(items.count, by: capacity, holding: forest.count(root(drop.collection)))
    }
  }
}

extension Face {
  /// The face with only those representations that a collection takes; no types mean all.
  fileprivate func keeping(_ contentTypes: [String]) -> Face {
    guard !contentTypes.isEmpty else { return self }
    var kept = self
    kept.representations.removeAll { !contentTypes.contains($0.contentType) }
    return kept
  }
}
