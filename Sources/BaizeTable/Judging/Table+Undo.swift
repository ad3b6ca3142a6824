/// What takes back an operation: the inverse of what it did.
struct Inverse {
  /// Items that were taken out of one gap together, in the order in which they stood there.
  struct Return {
    var items: [ItemID]
    let collection: Int
    let successor: ItemID
  }

  let revision: Revision
  /// In the order in which they go back.
  var returns: [Return] = []
  /// What was taken off the table.
  var ended: [ItemID: UndoWindow.Appearance] = [:]
  /// What was made, and what was moved: they have to leave where they lie.
  var made = SlotList()
  var moved = SlotList()
  /// What looks or lies otherwise, the last change first.
  var changed: [(item: ItemID, appearance: UndoWindow.Appearance)] = []
  var variables: [Attribute] = []
  var status: String?
  /// All items that the operation touched.
  var items: Set<ItemID> = []
}

/// Undoing: `Protocol/README.md`, G13.
extension Table {
  mutating func undo(
    _ target: SequenceNumber, _ judging: inout Judging, _ memory: AuthorMemory
  ) throws(Refusal) -> Bool {
    guard state.type.allowsUndo else {
      throw Refusal(.operationNotSupported, rule: "undo", detail: "nothing is undone at this table")
    }
    try checkStanding(judging)
    let inverse = try inverse(of: target, judging, memory)
    guard !isTouched(inverse) else { throw tooLate("it was touched since") }
    try checkUndoRights(inverse, judging)
    try checkUndoRoom(inverse)
    judging.undoes = inverse.revision
    try carryOut(inverse, &judging)
    return true
  }

  /// A replica does not know of what came before its snapshot, nor which of the diffs it got were undos.
  private func tooLate(_ detail: String) -> Refusal {
    role == .replica ? Judging.unpredictable : Refusal(.undoTooLate, detail: detail)
  }

  // MARK: What is to be done

  private func inverse(
    of target: SequenceNumber, _ judging: Judging, _ memory: AuthorMemory
  ) throws(Refusal) -> Inverse {
    guard target > .zero, target < judging.sequence else {
      throw Refusal(.undoTooLate, detail: "there is no such operation yet")
    }
    guard !memory.isRefused(target) else {
      throw Refusal(.dependsOnRefused, detail: "the operation that was to be undone was refused")
    }
    guard let operation = undos.operation(target, of: judging.author.session) else {
      throw tooLate("the operation is not remembered, or has shown or hidden something")
    }
    guard !operation.isUndone else { throw tooLate("it is undone already") }
    guard history.takeOuts(since: operation.revision).count <= TableLimits.undoTakeOutsMax else {
      throw tooLate("too much has been moved since")
    }
    var inverse = Inverse(revision: operation.revision)
    let base = Revision(rawValue: operation.revision.rawValue - 1)
    let seat = judging.author.seat
    var made: [Int32] = []
    for (_, note) in undos.notes(since: base, through: operation.revision).reversed() {
      switch note {
      case .made(let item):
        inverse.items.insert(item)
        made.append(state.slot(of: item, for: seat))
      case .ended(let item, let appearance):
        inverse.items.insert(item)
        inverse.ended[item] = appearance
      case .changed(let item, let appearance):
        inverse.items.insert(item)
        inverse.changed.append((item, appearance))
      case .variable(let variable): inverse.variables.append(variable)
      case .status(let status): inverse.status = status
      }
    }
    inverse.made = SlotList(made.reversed())
    let takeOuts = history.takeOuts(since: base).prefix { $0.revision == operation.revision }
    for takeOut in takeOuts where inverse.items.insert(takeOut.item).inserted {
      inverse.moved.append(state.slot(of: takeOut.item, for: seat))
    }
    inverse.returns = returns(of: takeOuts)
    try checkPresence(of: inverse, seat)
    return inverse
  }

  /// Where what was taken out goes back to: what was taken out last goes first.
  private func returns(of takeOuts: ArraySlice<History.TakeOut>) -> [Inverse.Return] {
    var batches: [[Inverse.Return]] = []
    for takeOut in takeOuts {
      if takeOut.isFirst || batches.isEmpty { batches.append([]) }
      let (batch, collection) = (batches.count - 1, Int(takeOut.collection))
      if let last = batches[batch].last, last.collection == collection, last.successor == takeOut.successor {
        batches[batch][batches[batch].count - 1].items.append(takeOut.item)
      } else {
        batches[batch].append(
          Inverse.Return(items: [takeOut.item], collection: collection, successor: takeOut.successor))
      }
    }
    return batches.reversed().flatMap(\.self)
  }

  /// Refuses to undo what the author is not told of any more, having another seat now.
  private func checkPresence(of inverse: Inverse, _ seat: SeatNumber) throws(Refusal) {
    let isThere =
      inverse.moved.allSatisfy { $0 >= 0 } && inverse.made.allSatisfy { $0 >= 0 }
      && inverse.changed.allSatisfy { inverse.ended[$0.item] != nil || state.slot(of: $0.item, for: seat) >= 0 }
      && inverse.returns.allSatisfy { state.isOpen($0.collection, to: seat) }
      && inverse.returns.allSatisfy { back in
        back.items.allSatisfy { inverse.ended[$0] == nil || state.index.slot(of: $0) < 0 }
      }
    guard isThere else { throw tooLate("what it touched is not there") }
  }

  // MARK: Whether it is too late

  private struct Gap: Hashable {
    let collection: Int32
    let successor: ItemID
  }

  /// Whether a later diff touched the operation's items, the gaps that they came from, or the values that it set. What was
  /// undone since does not count, nor what was undone with it.
  private func isTouched(_ inverse: Inverse) -> Bool {
    var watched = inverse.items
    var gaps: Set<Gap> = []
    for back in inverse.returns where !inverse.items.contains(back.successor) {
      gaps.insert(Gap(collection: Int32(back.collection), successor: back.successor))
      watched.insert(back.successor)
      watched.insert(state.id(neighbour(before: back.successor, in: back.collection, inverse.items)))
    }
    for slots in [inverse.moved, inverse.made] {
      // Nothing may have come to lie on what is taken from a pile.
      for slot in slots where state.kind(of: Int(state.records[slot].collection)).lift.shape != .any {
        watched.insert(state.id(state.forest.next(slot)))
      }
    }
    watched.remove(.none)
    let base = inverse.revision
    for takeOut in history.takeOuts(since: base)
    where watched.contains(takeOut.item)
      || gaps.contains(Gap(collection: takeOut.collection, successor: takeOut.successor))
    {
      if !undos.isCancelled(takeOut.revision, since: base) { return true }
    }
    return undos.notes(since: base).contains { revision, note in
      let isConcerned =
        switch note {
        case .made(let item): watched.contains(item)
        case .ended(let item, _), .changed(let item, _): inverse.items.contains(item)
        case .variable(let variable): inverse.variables.contains { $0.name == variable.name }
        case .status: inverse.status != nil
        }
      return isConcerned && !undos.isCancelled(revision, since: base)
    }
  }

  /// What stands before `successor`, or at the end, leaving out what the operation put there.
  private func neighbour(before successor: ItemID, in collection: Int, _ excluded: Set<ItemID>) -> Int32 {
    let anchor = successor == .none ? -1 : state.index.slot(of: successor)
    guard successor == .none || (anchor >= 0 && Int(state.records[anchor].collection) == collection) else { return -1 }
    var slot = anchor < 0 ? state.forest.last(in: state.root(collection)) : state.forest.previous(anchor)
    while slot >= 0, excluded.contains(state.id(slot)) { slot = state.forest.previous(slot) }
    return slot
  }

  // MARK: Whether it is allowed

  private func checkUndoRights(_ inverse: Inverse, _ judging: Judging) throws(Refusal) {
    let seat = judging.author.seat
    let changed = SlotList(inverse.changed.map { state.index.slot(of: $0.item) }.filter { $0 >= 0 })
    let inPlace = SlotList(Array(inverse.made) + Array(changed))
    if inverse.returns.isEmpty || !inPlace.isEmpty {
      try state.checkRights(lifting: inPlace, droppingOn: nil, by: seat)
    }
    for back in inverse.returns {
      let slots = SlotList(back.items.map { state.index.slot(of: $0) }.filter { $0 >= 0 })
      try state.checkRights(lifting: slots, droppingOn: back.collection, by: seat)
      try state.checkEnabled(back.collection)
    }
    for slots in [inverse.moved, inPlace] {
      try checkEnabled(slots)
      try checkClaims(slots, judging)
    }
  }

  private func checkUndoRoom(_ inverse: Inverse) throws(Refusal) {
    var gains: [Int: Int] = [:]
    var counted: Set<ItemID> = []
    for back in inverse.returns.reversed() {
      // An item that was taken out twice ends where it was taken out first.
      gains[back.collection, default: 0] += back.items.count { counted.insert($0).inserted }
    }
    for slots in [inverse.moved, inverse.made] {
      for slot in slots { gains[Int(state.records[slot].collection), default: 0] -= 1 }
    }
    for back in inverse.returns {
      guard let capacity = state.kind(of: back.collection).accept.capacity, let gain = gains[back.collection], gain > 0
      else { continue }
      guard state.count(back.collection) + gain <= capacity.itemsMax else {
        throw Refusal(
          .capacityExceeded, rule: capacity.path, detail: "the collection holds at most \(capacity.itemsMax) items")
      }
    }
    let made = Set(inverse.made)
    let changed = inverse.changed.filter {
      inverse.ended[$0.item] == nil && !made.contains(state.index.slot(of: $0.item))
    }
    let comes = (Array(inverse.ended.values) + changed.map(\.appearance)).reduce(0) { $0 + $1.face.contentBytes }
    let goes = Array(inverse.made) + changed.map { state.index.slot(of: $0.item) }.filter { $0 >= 0 }
    try checkRoom(
      items: inverse.ended.count - inverse.made.count,
      faceBytes: comes - goes.reduce(0) { $0 + state.faces[$1].contentBytes })
  }

  // MARK: Doing it

  private mutating func carryOut(_ inverse: Inverse, _ judging: inout Judging) throws(Refusal) {
    if !inverse.made.isEmpty { end(inverse.made, &judging) }
    for back in inverse.returns {
      let anchor = back.successor == .none ? -1 : state.index.slot(of: back.successor)
      if inverse.ended[back.items[0]] != nil {
        bringBack(back, inverse.ended, before: anchor, &judging)
      } else {
        let slots = SlotList(back.items.map { state.index.slot(of: $0) })
        try move(slots, to: back.collection, before: anchor, isAsAsked: true, &judging)
      }
    }
    for (item, appearance) in inverse.changed where inverse.ended[item] == nil {
      let slot = state.index.slot(of: item)
      guard slot >= 0 else { continue }
      noteAppearance(slot, at: judging.revision)
      if state.faces[slot] != appearance.face { state.setFace(slot, appearance.face) }
      state.setLie(
        slot, isUp: appearance.isUp, isFaceKnown: appearance.isFaceKnown, isPinned: appearance.isPinned)
      tellFaced([state.item(slot)], &judging)
    }
    for variable in inverse.variables { set(variable, &judging) }
    if let status = inverse.status { set(status, &judging) }
  }

  /// Puts items on the table again that were taken off it, as they were.
  private mutating func bringBack(
    _ back: Inverse.Return, _ ended: [ItemID: UndoWindow.Appearance], before anchor: Int32, _ judging: inout Judging
  ) {
    let destination = Destination(
      collection: CollectionHandle(index: back.collection), position: Position(anchor: state.id(anchor)))
    var items: [Item] = []
    for id in back.items {
      guard let appearance = ended[id] else { continue }
      let record = ItemRecord(
        id: id, placed: judging.revision, placedBy: judging.author.session, isUp: appearance.isUp,
        isFaceKnown: appearance.isFaceKnown, isPinned: appearance.isPinned)
      let slot = state.create(id, face: appearance.face, record: record)
      undos.note(.made(id), at: judging.revision)
      state.put(slot, in: back.collection, before: anchor)
      items.append(state.item(slot))
    }
    tellInserted(items, destination, &judging)
  }
}

extension TableState {
  /// How an item looks and lies.
  func appearance(_ slot: Int32) -> UndoWindow.Appearance {
    let record = records[slot]
    return UndoWindow.Appearance(
      face: faces[slot], isUp: record.isUp, isFaceKnown: record.isFaceKnown, isPinned: record.isPinned)
  }
}
