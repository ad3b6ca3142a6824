/// The operations one by one. Each throws before it has changed anything.
extension Table {
  mutating func reorder(
    _ difference: ReorderDifference, _ suggested: DropOperation.Set, _ judging: inout Judging,
    _ memory: inout AuthorMemory
  ) throws(Refusal) -> Bool {
    let named = try resolve(difference.sources, judging, memory)
    let landing = try rebase(difference.destination, judging, memory)
    let slots = named.slots
    let seat = judging.author.seat
    try checkStanding(judging)
    try state.checkRights(lifting: slots, droppingOn: landing.collection, by: seat)
    try checkEnabled(slots)
    try state.checkEnabled(destination: landing.collection)
    try checkClaims(slots, judging)
    try checkPresent(named)
    try state.checkLift(slots, base: judging.base, author: judging.author.session, seat: seat)
    let drop = try state.drop(
      slots, on: landing.collection, before: landing.anchor, suggested: suggested, seat: seat)
    if drop.operation != .copy { try checkContention(slots, judging) }
    let accepted = drop.acceptedCount == slots.count ? slots : SlotList(slots.prefix(drop.acceptedCount))
    // Whether someone put private things in order or left them as they were is no one else's business.
    let isSilent = state.type.hasSecrets && state.kind(of: drop.collection).isPrivate && !Mutation.order.isActive
    guard !drop.isUnchanged || isSilent else {
      remember(drop, of: difference.sources, named.kept, judging, at: state.revision, &memory)
      return false
    }
    if drop.operation == .copy {
      try checkShowable(accepted)
      try checkRoom(items: accepted.count, faceBytes: accepted.reduce(0) { $0 + state.faces[$1].contentBytes })
    }

    judging.diff.operation = drop.operation
    judging.diff.isRebased = landing.isRebased && !drop.isRedirected
    judging.diff.isRedirected = drop.isRedirected
    switch drop.operation {
    case .copy:
      try copy(accepted, drop, asked: difference.sources.count, named.kept, &judging)
    case .delete:
      let left = collections(of: accepted)
      end(accepted, &judging)
      turnExposed(in: left, &judging)
    case .move, .alias, .cancel, .forbidden:
      let left = collections(of: accepted)
      let consequences = try consequences(of: accepted, from: left, to: drop.collection, judging)
      try move(accepted, to: drop.collection, before: drop.anchor, isAsAsked: !drop.isRedirected, &judging)
      turnExposed(in: left, &judging)
      for consequence in consequences { try carryOut(consequence.step, on: [], consequence.context, &judging) }
    }
    remember(drop, of: difference.sources, named.kept, judging, at: judging.revision, &memory)
    return true
  }

  /// Notes which items are not where their author sees them, and which stood there without a diff.
  private func remember(
    _ drop: Drop, of sources: ItemList, _ kept: [Int]?, _ judging: Judging, at revision: Revision,
    _ memory: inout AuthorMemory
  ) {
    let sequence = judging.sequence
    if drop.operation == .copy {
      // The sources stay where they are; the copies are what may have landed elsewhere.
      if drop.isRedirected { memory.displace(judging.diff.minted, by: sequence, at: revision) }
      return
    }
    if drop.isRedirected {
      memory.displace(sources, by: sequence, at: revision)
      return
    }
    if kept == nil, drop.acceptedCount == sources.count {
      if drop.isUnchanged { memory.settle(sources, by: sequence, at: revision) }
      return
    }
    let accepted = Set((kept ?? Array(sources.indices)).prefix(drop.acceptedCount))
    memory.displace(sources.indices.filter { !accepted.contains($0) }.map { sources[$0] }, by: sequence, at: revision)
    if drop.isUnchanged {
      memory.settle(sources.indices.filter(accepted.contains).map { sources[$0] }, by: sequence, at: revision)
    }
  }

  private mutating func copy(
    _ slots: SlotList, _ drop: Drop, asked: Int, _ kept: [Int]?, _ judging: inout Judging
  ) throws(Refusal) {
    let ids = try newNames(role == .replica ? asked : slots.count, in: drop.collection, &judging)
    let types = state.kind(of: drop.collection).accept.contentTypes
    let records = slots.map { state.records[$0] }
    // In a replica the k-th id belongs to the k-th item asked for; the daemon's are in the order of those accepted.
    let places = slots.indices.map { kept?[$0] ?? $0 }
    let used = role == .replica ? places.map { ids[$0] } : ids
    var minted = Array(repeating: ItemID.none, count: asked)
    for (position, place) in places.enumerated() { minted[place] = used[position] }
    tell(minted, in: drop.collection, &judging)
    // A copy may lie open where what it was made from does not.
    for (slot, record) in zip(slots, records) {
      let sight = state.sight(of: slot)
      let willSee = state.sight(in: drop.collection, isUp: state.kind(of: drop.collection).faces.lies(record.isUp))
      if sight != .everyone, sight != willSee { judging.isFinal = true }
    }
    make(
      slots.map { state.faces[$0].keeping(types) }, lyingUp: { records[$0].isUp }, known: { records[$0].isFaceKnown },
      ids: used, in: drop.collection, before: drop.anchor, &judging)
  }

  mutating func insert(
    _ items: [NewItem], _ destination: Destination, _ judging: inout Judging, _ memory: inout AuthorMemory
  ) throws(Refusal) -> Bool {
    guard !items.isEmpty else { throw Refusal(.emptySources, detail: "the operation brings no item") }
    guard items.count <= itemsPerOperationMax else {
      throw Refusal(.tooManyItems, detail: "an operation makes at most \(itemsPerOperationMax) items")
    }
    for item in items { try checkAttributes(item.face.attributes.count) }
    let landing = try rebase(destination, judging, memory)
    try checkStanding(judging)
    try state.checkRights(lifting: [], droppingOn: landing.collection, by: judging.author.seat)
    try state.checkEnabled(destination: landing.collection)
    let redirect = state.kind(of: landing.collection).accept.redirect?.index
    let isElsewhere = redirect != nil && redirect != landing.collection
    let kind = state.kind(of: redirect ?? landing.collection)
    guard kind.accept.inserts else {
      throw Refusal(
        kind.accept.operations.isEmpty ? .destinationClosed : .foreignItem, rule: kind.accept.path,
        detail: "the collection takes no new items")
    }
    var drop = Drop(
      operation: .copy, collection: redirect ?? landing.collection, anchor: redirect == nil ? landing.anchor : -1,
      acceptedCount: items.count, isRedirected: isElsewhere)
    try state.checkInsert(items, &drop, kind, judging.author.seat)
    let accepted = items.prefix(drop.acceptedCount)
    try checkRoom(items: accepted.count, faceBytes: accepted.reduce(0) { $0 + $1.face.contentBytes })

    let ids = try newNames(role == .replica ? items.count : accepted.count, in: drop.collection, &judging)
    judging.diff.isRebased = landing.isRebased && !drop.isRedirected
    judging.diff.isRedirected = drop.isRedirected
    tell(
      Array(ids.prefix(accepted.count)) + Array(repeating: .none, count: items.count - accepted.count),
      in: drop.collection, &judging)
    make(
      accepted.map { $0.face.keeping(kind.accept.contentTypes) }, lyingUp: { _ in true }, known: { _ in true },
      ids: ids,
      in: drop.collection, before: drop.anchor, &judging)
    if drop.isRedirected {
      memory.displace(judging.diff.minted, by: judging.sequence, at: judging.revision)
    }
    return true
  }

  mutating func remove(
    _ items: ItemList, _ judging: inout Judging, _ memory: AuthorMemory
  ) throws(Refusal) -> Bool {
    let named = try resolve(items, judging, memory)
    let slots = named.slots
    try checkStanding(judging)
    try state.checkRights(lifting: slots, droppingOn: nil, by: judging.author.seat)
    try checkEnabled(slots)
    try checkClaims(slots, judging)
    try checkPresent(named)
    try state.checkLift(slots, base: judging.base, author: judging.author.session, seat: judging.author.seat)
    for slot in slots {
      let kind = state.kind(of: Int(state.records[slot].collection))
      guard kind.lift.offers.contains(.delete) else {
        throw Refusal(.operationNotSupported, rule: kind.lift.path, detail: "items are not deleted here")
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
    // An update names each attribute once, so that merging them costs its sender no more than it costs the table.
    try checkAttributes(attributes.count)
    let named = try resolve([item], judging, memory)
    try checkStanding(judging)
    try state.checkRights(lifting: named.slots, droppingOn: nil, by: judging.author.seat)
    try checkEnabled(named.slots)
    try checkClaims(named.slots, judging)
    try checkPresent(named)
    let slot = named.slots[0]
    let kind = state.kind(of: Int(state.records[slot].collection))
    guard kind.allowsUpdate else {
      throw Refusal(.operationNotSupported, rule: kind.path, detail: "items are not updated here")
    }
    guard state.canSee(slot, from: judging.author.seat) else { throw Refusal(.faceHidden, rule: kind.path) }
    var face = state.faces[slot]
    for attribute in attributes { face.set(attribute) }
    if !representations.isEmpty { face.representations = representations }
    try checkAttributes(face.attributes.count)
    // Whether a face that others do not see is another now is not theirs to know.
    guard face != state.faces[slot] || kind.isSecret else { return false }
    try checkRoom(items: 0, faceBytes: face.contentBytes - state.faces[slot].contentBytes)
    noteAppearance(slot, at: judging.revision)
    state.setFace(slot, face)
    tellFaced([state.item(slot)], &judging)
    return true
  }

  /// Tells the author the ids of what it made, where it may know them.
  private func tell(_ minted: [ItemID], in collection: Int, _ judging: inout Judging) {
    judging.diff.minted =
      state.isOpen(collection, to: judging.author.seat) ? minted : Array(repeating: .none, count: minted.count)
  }

  private func checkAttributes(_ count: Int) throws(Refusal) {
    guard count <= TableLimits.attributesPerItemMax else {
      throw Refusal(.tableSize, detail: "an item has at most \(TableLimits.attributesPerItemMax) attributes")
    }
  }

  /// Refuses an operation whose diff would repeat more of what is on its items than a frame holds: it costs next to
  /// nothing to ask for.
  func checkShowable(_ slots: SlotList) throws(Refusal) {
    guard state.faceBytes > TableLimits.operationFaceBytesMax else { return }
    let bytes = slots.reduce(0) { $0 + state.faces[$1].contentBytes + TableLimits.itemContentBytes }
    guard bytes <= TableLimits.operationFaceBytesMax else {
      throw Refusal(.tooManyItems, detail: "there is too much on these items to name all of them at once")
    }
  }

  /// Refuses so many items, and so many bytes on their faces, more than there are, if there is no room for them. What
  /// makes the table smaller is never refused.
  func checkRoom(items: Int, faceBytes: Int) throws(Refusal) {
    guard items <= 0 || state.itemCount + items <= itemsMax else {
      throw Refusal(.tableSize, detail: "a table holds at most \(itemsMax) items")
    }
    let added = items * TableLimits.itemContentBytes + faceBytes
    guard added <= 0 || state.contentBytes + added <= contentBytesMax else {
      throw Refusal(.tableSize, detail: "there is no room for so much")
    }
  }
}

extension TableState {
  /// Asks the rules of a collection about items that are to be made, and where they land.
  func checkInsert(
    _ items: [NewItem], _ drop: inout Drop, _ kind: CollectionKind, _ seat: SeatNumber
  ) throws(Refusal) {
    let nothing = SlotSet([])
    try land(&drop, kind, nothing)
    var context = RuleContext(
      item: .face(items[0].face), destination: drop.collection, sourcesCount: items.count, seat: seat)
    for item in items { try checkContentType(of: item.face, kind) }
    try check(kind.accept.conditions, context)
    if !kind.accept.each.isEmpty {
      for item in items {
        context.item = .face(item.face)
        try check(kind.accept.each, context)
      }
      context.item = .face(items[0].face)
    }
    try checkLanding(before: drop.anchor, in: drop.collection, kind, nothing, &context)
    if let capacity = kind.accept.capacity {
      drop.acceptedCount = try accepted(items.count, by: capacity, in: drop.collection) { _ in true }
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
