/// G13: whether an operation can be undone.
extension Table {
  func planUndo(
    _ target: SequenceNumber, _ request: Request, _ memory: AuthorMemory, _ claims: [ItemID: Claim]?
  ) throws(Refusal) -> Plan {
    guard state.type.allowsUndo else {
      throw Refusal(.operationNotSupported, rule: "undo", detail: "this table does not allow undo")
    }
    try state.checkParticipation(of: request.seat)
    var inverse = try inverse(of: target, request, memory)
    guard !isTouched(inverse) else { throw tooLate("its items, or gaps where order is a rule, were touched since") }
    guard !strandsAliases(inverse) else { throw tooLate("its items have aliases, or theirs are not there") }
    try checkGaps(of: inverse)
    if inverse.returns.contains(where: { state.isGone($0.collection) }) {
      // An item opens its collection before anything returns to that.
      inverse.returns = inverse.returns.enumerated().sorted { one, two in
        (state.depth(of: one.element.collection), one.offset) < (state.depth(of: two.element.collection), two.offset)
      }.map(\.element)
    }
    try checkUndoRights(inverse, request, claims)
    try checkUndoSize(inverse)
    guard role == .authority || inverse.moved.count <= ItemID.provisionalNumbersMax else {
      throw Refusal.unpredictable
    }
    return Plan(request, .undo(inverse))
  }

  /// Returns the refusal of an undo that comes too late. A replica does not know the operations before its snapshot,
  /// nor which received diffs were undos.
  func tooLate(_ detail: String) -> Refusal {
    guard role == .authority else { return Refusal.unpredictable }
    // The reason must not reveal what happened to items that the author no longer sees.
    return Refusal(
      .undoTooLate, detail: state.type.hasSecrets ? "what it changed has changed since, or cannot be undone" : detail)
  }

  /// Returns whether a later diff touched the operation's items, or the values that it set. A diff that was undone since does
  /// not count, nor does its undo.
  private func isTouched(_ inverse: Inverse) -> Bool {
    var watched = inverse.items
    for slots in [inverse.moved, inverse.made] {
      // Where lifting is restricted, nothing may have been put behind the item.
      for slot in slots where state.kind(of: state.collection(slot)).lift.shape != .any {
        watched.insert(state.id(state.forest.next(slot)))
      }
    }
    if state.type.opensCollections, wereUsed(inverse) { return true }
    watched.remove(.none)
    var filter = ItemFilter(watched, key: filterKey)
    filter.insert(.none)
    let base = inverse.revision
    for takeOut in history.takeOuts(since: base)
    where filter.mayContain(takeOut.item) && watched.contains(takeOut.item) {
      if !undos.isCancelled(takeOut.revision, since: base) { return true }
    }
    return undos.notes(since: base).contains { dated in
      let isConcerned =
        switch dated.note {
        case .made(let item): filter.mayContain(item) && watched.contains(item)
        case .ended(let item, _), .changed(let item, _): filter.mayContain(item) && inverse.items.contains(item)
        case .variable(let variable): inverse.variables.contains { $0.name == variable.name }
        case .status: inverse.status != nil
        }
      return isConcerned && !undos.isCancelled(dated.revision, since: base)
    }
  }

  /// Returns whether something else is, or was, in a collection that the operation opened.
  private func wereUsed(_ inverse: Inverse) -> Bool {
    let opened = Set(inverse.made.map(state.opens).filter { $0 >= 0 })
    guard !opened.isEmpty else { return false }
    let made = SlotSet(inverse.made)
    if opened.contains(where: { state.slots(in: $0).contains { !made.contains($0) } }) { return true }
    return history.takeOuts(since: inverse.revision).contains {
      opened.contains(Int($0.collection)) && !undos.isCancelled($0.revision, since: inverse.revision)
    }
  }

  // MARK: Gaps

  /// Refuses to return items to where order is a rule if something touched their gap since (R14), and in front of pinned items
  /// unless their gap is as they left it.
  private func checkGaps(of inverse: Inverse) throws(Refusal) {
    let absent = SlotSet(
      SlotList(Array(inverse.made) + inverse.items.map(state.index.slot(of:)).filter { $0 >= 0 }))
    for back in inverse.returns {
      let kind = state.kind(of: back.collection)
      for position in back.positions {
        if kind.ordersItems, !isAsLeft(position, of: inverse, absent, in: back.collection) {
          throw tooLate("a gap where order is a rule was touched since")
        }
        let behind = history.index(of: position).map(history.owner) ?? -1
        let anchor = state.firstStaying(from: behind, absent)
        guard anchor >= 0, state.forest.records[anchor].isPinned else { continue }
        let before = state.neighbor(before: anchor, in: back.collection, excluding: absent)
        guard before < 0 || state.forest.records[before].isPinned,
          !isAsLeft(position, of: inverse, absent, in: back.collection)
        else { continue }
        throw Refusal(
          .positionNotAllowed, rule: kind.accept.path, detail: "the position is occupied by pinned items")
      }
    }
  }

  /// Returns whether the nearest items around a vacant position, without those that leave, are those that were there when it
  /// was vacated, and nothing was between them since. What was undone does not count.
  private func isAsLeft(_ number: Int, of inverse: Inverse, _ absent: SlotSet, in collection: Int) -> Bool {
    isClear(number, inverse.revision, absent) { previous($0, in: collection) }
      && isClear(number, inverse.revision, absent) { next($0, in: collection) }
  }

  private func isClear(
    _ number: Int, _ base: Revision, _ absent: SlotSet, _ neighbor: (PositionReference) -> PositionReference
  ) -> Bool {
    var position = PositionReference.vacancy(number)
    while true {
      position = neighbor(position)
      switch position {
      case .boundary: return true
      case .item(let slot):
        if absent.contains(slot) { continue }
        let placed = state.forest.records[slot].placed
        return placed <= base || undos.isCancelled(placed, since: base)
      case .vacancy(let number):
        guard let takeOut = history[number], takeOut.revision > base else { continue }
        if !undos.isCancelled(takeOut.revision, since: base) { return false }
      }
    }
  }

  // MARK: Present rules

  private func checkUndoRights(
    _ inverse: Inverse, _ request: Request, _ claims: [ItemID: Claim]?
  ) throws(Refusal) {
    let seat = request.seat
    let changed = SlotList(inverse.changed.map { state.index.slot(of: $0.item) }.filter { $0 >= 0 })
    let inPlace = SlotList(Array(inverse.made) + Array(changed))
    if inverse.returns.isEmpty || !inPlace.isEmpty {
      try state.checkRights(lifting: inPlace, droppingOn: nil, by: seat)
    }
    for back in inverse.returns {
      if state.type.hasRights {
        let slots = SlotList(back.items.map { state.index.slot(of: $0) }.filter { $0 >= 0 })
        try state.checkRights(lifting: slots, droppingOn: back.collection, by: seat)
      }
      try state.checkEnabled(back.collection)
    }
    for slots in [inverse.moved, inPlace] {
      try state.checkEnabled(slots)
      try checkClaims(slots, request, claims)
    }
  }

  private func checkUndoSize(_ inverse: Inverse) throws(Refusal) {
    if inverse.returns.contains(where: { state.traits(of: $0.collection).flags.contains(.hasCapacity) }) {
      try checkCapacities(inverse)
    }
    if state.type.opensCollections {
      try checkOpen(inverse.ended.values.count { $0.opens >= 0 } - inverse.made.count { state.opens($0) >= 0 })
    }
    let made = Set(inverse.made)
    let changed = inverse.changed.filter {
      inverse.ended[$0.item] == nil && !made.contains(state.index.slot(of: $0.item))
    }
    let appearances = Array(inverse.ended.values) + changed.map(\.appearance)
    let shown = appearances.reduce(0) { $0 + state.type.countedBytes(of: $1.face) }
    let aliases = try aliasBytes(of: inverse, changed)
    try checkContents(items: appearances.count + aliases.count, faceBytes: shown + aliases.shown)
    let goes = Array(inverse.made) + changed.map { state.index.slot(of: $0.item) }.filter { $0 >= 0 }
    try checkSize(
      items: inverse.ended.count - inverse.made.count,
      faceBytes: shown + aliases.growth - goes.reduce(0) { $0 + state.type.countedBytes(of: state.faces[$1]) })
    guard state.keys != nil else { return }
    // Of several changes of one item, the first one's appearance returns: it is the last here.
    let returning = changed.reduce(into: inverse.ended) { $0[$1.item] = $1.appearance }
      .filter { $0.value.aliasOf == .none }
    try checkKeys(returning.values.lazy.map(\.face), replacing: goes)
  }

  private func checkCapacities(_ inverse: Inverse) throws(Refusal) {
    var gains: [Int: Int] = [:]
    var counted: Set<ItemID> = []
    for back in inverse.returns.reversed() {
      // An item that was taken out twice returns to where it was taken out first.
      gains[back.collection, default: 0] += back.items.count { counted.insert($0).inserted }
    }
    for slots in [inverse.moved, inverse.made] {
      for slot in slots { gains[state.collection(slot), default: 0] -= 1 }
    }
    for back in inverse.returns {
      guard let capacity = state.kind(of: back.collection).accept.capacity, let gain = gains[back.collection], gain > 0
      else { continue }
      let itemsMax = state.itemsMax(capacity, in: back.collection)
      guard state.count(back.collection) + gain <= itemsMax else {
        throw Refusal(
          .capacityExceeded, rule: capacity.path, detail: "the collection holds at most \(itemsMax) items")
      }
    }
  }
}

extension CollectionKind {
  /// Whether a rule depends on the order of the items.
  fileprivate var ordersItems: Bool {
    lift.shape != .any || accept.landing != .anywhere || !accept.pairs.isEmpty || !accept.onEmpty.isEmpty
      || !accept.onItem.isEmpty
  }
}
