/// The operations that move, make, remove and change items, each planned in the order of the rules. The parts of G9 on
/// insertions and updates are here.
extension Table {
  func planReorder(
    _ difference: ReorderDifference, _ suggested: DropOperation.Set, _ request: Request,
    _ memory: AuthorMemory, _ claims: [ItemID: Claim]?
  ) throws(Refusal) -> Plan {
    let items = try resolve(difference.sources, request, memory)
    let landing = try landing(difference.destination, of: items.slots, request, memory)
    if items.isIncomplete,
      let plan = try planCopyOfRemoved(difference, suggested, landing, request, memory, claims)
    {
      return plan
    }
    let (drop, effect) = try planDrop(
      of: items, on: landing, suggested, difference.sources.count, request, memory, claims)
    var plan = Plan(request, effect)
    plan.operation = drop.operation
    plan.isRedirected = drop.isRedirected
    plan.isRebased = landing.isRebased && !drop.isRedirected
    if items.positions != nil || drop.acceptedCount < difference.sources.count {
      plan.acceptedPositions = InlineList(
        (items.positions ?? InlineList(difference.sources.indices)).prefix(drop.acceptedCount))
    }
    return plan
  }

  /// Plans a drop of known items on a known gap: all that remains of a reorder, and that differs between the
  /// destinations that the items hover over.
  @inline(__always) func planDrop(
    of items: ResolvedItems, on landing: Landing, _ suggested: DropOperation.Set, _ namedCount: Int,
    _ request: Request, _ memory: AuthorMemory, _ claims: [ItemID: Claim]?
  ) throws(Refusal) -> (drop: Drop, effect: Plan.Effect) {
    try checkLift(of: items, to: landing.collection, request, claims)
    return try planLanding(of: items, on: landing, suggested, namedCount, request, memory, claims)
  }

  /// Refuses items that their author may not lift, or not for this destination.
  @inline(__always) func checkLift(
    of items: ResolvedItems, to destination: Int, _ request: Request, _ claims: [ItemID: Claim]?
  ) throws(Refusal) {
    let slots = items.slots
    try state.checkParticipation(of: request.seat)
    try state.checkRights(lifting: slots, droppingOn: destination, by: request.seat)
    try state.checkEnabled(slots)
    try state.checkEnabled(destination: destination)
    try checkClaims(slots, request, claims)
    try checkPresent(items)
    try state.checkLift(slots, base: request.base, author: request.author.session, seat: request.seat)
  }

  /// Plans the drop of items that may be lifted.
  @inline(__always) func planLanding(
    of items: ResolvedItems, on landing: Landing, _ suggested: DropOperation.Set, _ namedCount: Int,
    _ request: Request, _ memory: AuthorMemory, _ claims: [ItemID: Claim]?
  ) throws(Refusal) -> (drop: Drop, effect: Plan.Effect) {
    let slots = items.slots
    var drop = try state.drop(
      slots, on: landing.collection, before: landing.anchor, suggested: suggested, seat: request.seat)
    if !drop.operation.keepsSources { try checkContention(slots, request) }
    let accepted = drop.acceptedCount == slots.count ? slots : SlotList(slots.prefix(drop.acceptedCount))
    let place = place(of: drop, on: landing, accepted)
    if drop.isInPlace { drop.isUnchanged = isHeld(accepted, at: place, in: drop.collection, request, memory) }
    return (drop, try effect(of: drop, at: place, on: items, accepted, namedCount, request, claims))
  }

  /// Returns the place of a drop: the one in its author's gap, unless the rules chose another.
  @inline(__always) func place(of drop: Drop, on landing: Landing, _ leaving: SlotList) -> Place {
    let isAsAsked =
      drop.collection == landing.collection
      && drop.anchor
        == state.firstStaying(
          from: landing.anchor, SlotSet(drop.operation.keepsSources ? [] : leaving))
    if isAsAsked { return landing.place }
    // Behind the pinned items, which are all in front of it.
    guard drop.anchor >= 0, state.kind(of: drop.collection).accept.landing == .start else {
      return .before(drop.anchor)
    }
    let before = state.neighbor(before: drop.anchor, in: drop.collection, excluding: SlotSet(leaving))
    return .behind(before < 0 ? .boundary : .item(before))
  }

  @inline(__always) private func effect(
    of drop: Drop, at place: Place, on items: ResolvedItems, _ slots: SlotList, _ namedCount: Int, _ request: Request,
    _ claims: [ItemID: Claim]?
  ) throws(Refusal) -> Plan.Effect {
    if drop.isUnchanged, !state.isSilent(drop.collection) { return .nothing }
    switch drop.operation {
    case .copy:
      try checkCopyable(slots)
      try checkShowable(slots)
      try checkSize(
        items: slots.count, faceBytes: slots.reduce(0) { $0 + state.type.countedBytes(of: state.faces[$1]) })
      return .copy(
        Plan.Copy(
          originals: slots.map(state.original), collection: drop.collection, place: place,
          namedCount: namedCount, positions: items.positions))
    case .alias:
      return .copy(
        Plan.Copy(
          originals: try aliases(of: slots), collection: drop.collection, place: place, namedCount: namedCount,
          positions: items.positions))
    case .delete: return .remove(try leaving(slots, request, claims))
    case .move, .cancel, .forbidden:
      let move = Plan.Move(
        slots: slots, collection: Int32(truncatingIfNeeded: drop.collection), anchor: drop.anchor, place: place)
      // Each may be turned, or become visible or hidden, and expose another one.
      try checkContents(items: 2 * slots.count, faceBytes: 0)
      if !state.aliases.isEmpty { try checkAliases(of: slots, movedTo: drop.collection) }
      guard state.type.hasConsequences || state.type.hasSecrets else { return .move(move) }
      let stamped = try stampedFaces(of: move, request)
      let consequences = try consequences(of: move, request)
      try checkPredictable(move, request)
      return consequences.isEmpty && stamped.isEmpty ? .move(move) : .moveThen(move, consequences, stamped: stamped)
    }
  }

  func planInsertion(
    _ items: [NewItem], _ destination: Destination, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> Plan {
    guard !items.isEmpty else { throw Refusal(.emptySources, detail: "the operation inserts no item") }
    guard items.count <= itemsPerOperationMax else {
      throw Refusal(.tooManyItems, detail: "an operation creates at most \(itemsPerOperationMax) items")
    }
    for item in items { try checkAttributes(item.face.attributes.count) }
    var (drop, landing) = try arrive(items.count, at: destination, request, memory)
    let accept = state.kind(of: drop.collection).accept
    try state.checkInsertion(items, &drop, request.seat)
    let accepted = items.prefix(drop.acceptedCount)
    let faceBytes = accepted.reduce(0) { $0 + $1.face.contentBytes }
    try checkInsertable(items: accepted.count, faceBytes: faceBytes)
    for item in accepted { try checkFace(item.face) }
    let openedCount = state.kind(of: drop.collection).opens == nil ? 0 : accepted.count
    if openedCount > 0 { try checkOpenable(openedCount) }
    try checkSize(
      items: accepted.count,
      faceBytes: accepted.reduce(openedCount * TableLimits.collectionContentBytes) {
        $0 + state.type.countedBytes(of: $1.face)
      })
    try checkKeys(accepted.lazy.map(\.face))
    var plan = Plan(
      request,
      .insert(
        Plan.Insertion(
          faces: accepted.map { $0.face.keeping(accept.contentTypes) }, collection: drop.collection,
          place: place(of: drop, on: landing, []), namedCount: items.count)))
    plan.isRedirected = drop.isRedirected
    plan.isRebased = landing.isRebased && !drop.isRedirected
    return plan
  }

  /// Returns the drop of `count` new items on a collection that accepts insertions, before the rules on their contents.
  func arrive(
    _ count: Int, at destination: Destination, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> (drop: Drop, landing: Landing) {
    let landing = try landing(destination, of: [], request, memory)
    try state.checkParticipation(of: request.seat)
    try state.checkRights(lifting: [], droppingOn: landing.collection, by: request.seat)
    try state.checkEnabled(destination: landing.collection)
    let target = state.redirectTarget(of: landing.collection)
    let collection = target ?? landing.collection
    let accept = state.kind(of: collection).accept
    guard accept.inserts else {
      throw Refusal(
        accept.operations.isEmpty ? .destinationClosed : .foreignItem, rule: accept.path,
        detail: "the collection accepts no new items")
    }
    let drop = Drop(
      operation: .copy, collection: collection, anchor: target == nil ? landing.anchor : -1, acceptedCount: count,
      isRedirected: collection != landing.collection)
    return (drop, landing)
  }

  func planRemoval(
    _ items: ItemList, _ request: Request, _ memory: AuthorMemory, _ claims: [ItemID: Claim]?
  ) throws(Refusal) -> Plan {
    let items = try resolve(items, request, memory)
    let slots = items.slots
    try state.checkParticipation(of: request.seat)
    try state.checkRights(lifting: slots, droppingOn: nil, by: request.seat)
    try state.checkEnabled(slots)
    try checkClaims(slots, request, claims)
    try checkPresent(items)
    try state.checkLift(slots, base: request.base, author: request.author.session, seat: request.seat)
    for slot in slots where !state.traits(of: state.collection(slot)).offers.contains(.delete) {
      throw Refusal(
        .operationNotSupported, rule: state.kind(of: state.collection(slot)).lift.path,
        detail: "items are not deleted here")
    }
    try checkContention(slots, request)
    var plan = Plan(request, .remove(try leaving(slots, request, claims)))
    plan.operation = .delete
    return plan
  }

  func planUpdate(
    _ item: ItemID, _ attributes: [Attribute], _ representations: [Representation], _ request: Request,
    _ memory: AuthorMemory, _ claims: [ItemID: Claim]?
  ) throws(Refusal) -> Plan {
    // Limits the update too, so that merging cannot cost the table more than sending costs the author.
    try checkAttributes(attributes.count)
    var items = try resolve(.one(item), request, memory)
    // An update of an alias is one of its item.
    if !state.aliases.isEmpty { items.slots = SlotList(items.slots.map(state.originalSlot)) }
    try state.checkParticipation(of: request.seat)
    try state.checkRights(lifting: items.slots, droppingOn: nil, by: request.seat)
    try state.checkEnabled(items.slots)
    try checkClaims(items.slots, request, claims)
    try checkPresent(items)
    let slot = items.slots[0]
    let kind = state.kind(of: state.collection(slot))
    guard kind.allowsUpdate else {
      throw Refusal(.operationNotSupported, rule: kind.path, detail: "items are not updated here")
    }
    guard state.canSee(slot, from: request.seat) else { throw Refusal(.faceHidden, rule: kind.path) }
    var face = state.faces[slot]
    for attribute in attributes { face.set(attribute) }
    if !representations.isEmpty { face.representations = representations }
    try checkAttributes(face.attributes.count)
    // Others must not learn whether a face that they may not see has changed.
    guard face != state.faces[slot] || kind.isSecret else { return Plan(request, .nothing) }
    if !kind.updateConditions.isEmpty {
      var context = RuleContext(
        item: .slot(slot), source: state.collection(slot), sourcesCount: 1, seat: request.seat)
      (context.updated, context.sources) = (face, items.slots)
      try state.check(kind.updateConditions, context)
    }
    let faces = 1 + state.aliases(of: state.id(slot)).count
    try checkContents(items: faces, faceBytes: faces * face.contentBytes)
    try checkFace(face)
    try checkSize(
      items: 0, faceBytes: faces * (state.type.countedBytes(of: face) - state.type.countedBytes(of: state.faces[slot])))
    try checkKeys(CollectionOfOne(face), replacing: CollectionOfOne(slot))
    return Plan(request, .update(slot: slot, face))
  }
}

extension TableState {
  /// Refuses new items that a collection does not accept, and decides where they land.
  fileprivate func checkInsertion(
    _ items: [NewItem], _ drop: inout Drop, _ seat: SeatNumber
  ) throws(Refusal) {
    let kind = kind(of: drop.collection)
    let nothing = SlotSet([])
    try land(&drop, nothing, seat)
    var context = RuleContext(
      item: .face(items[0].face), destination: drop.collection, sourcesCount: items.count, seat: seat)
    if !kind.accept.conditions.isEmpty || !kind.accept.each.isEmpty { context.newFaces = items.map(\.face) }
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
  /// Returns the face with only the representations of these content types; no types mean all.
  func keeping(_ contentTypes: [String]) -> Face {
    guard !contentTypes.isEmpty else { return self }
    var kept = self
    kept.representations.removeAll { !$0.contentType.isAmong(contentTypes) }
    return kept
  }
}
