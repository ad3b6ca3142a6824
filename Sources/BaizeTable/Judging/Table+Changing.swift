/// The changes that diffs are made of, each done to the state, noted for rebasing, and written into the diff.
extension Table {
  /// Moves `slots` as one block, in this order.
  ///
  /// What goes out of sight gets new ids, so that no one can follow it: then it is Removed and Inserted.
  mutating func move(
    _ slots: SlotList, to collection: Int, before anchor: Int32, isAsAsked: Bool, _ judging: inout Judging
  ) throws(Refusal) {
    guard !concernsSecrets(slots, to: collection) else {
      return try moveInSecret(slots, to: collection, before: anchor, isAsAsked: isAsAsked, &judging)
    }
    let faces = state.kind(of: collection).faces
    var becomesHidden = false
    for slot in slots where state.records[slot].isUp && !faces.lies(true) { becomesHidden = true }
    let newIDs = becomesHidden ? try newNames(slots.count, in: collection, &judging) : []
    let destination = Destination(
      collection: CollectionHandle(index: collection), position: Position(anchor: state.id(anchor)))
    noteTakeOuts(slots, isAsAsked: isAsAsked, judging.author.session, judging.revision)
    var ids = ItemList()
    var seen: [Item] = []
    for slot in slots {
      ids.append(state.id(slot))
      state.take(slot)
    }
    for (position, slot) in slots.enumerated() {
      let wasSeen = state.records[slot].isUp
      state.put(slot, in: collection, before: anchor)
      state.stamp(slot, at: judging.revision, by: judging.author.session)
      state.setUp(slot, faces.lies(wasSeen))
      if becomesHidden {
        hide(slot, as: newIDs[position])
        undos.note(.made(newIDs[position]), at: judging.revision)
      }
      if !wasSeen, state.records[slot].isUp { seen.append(state.item(slot)) }
    }
    if becomesHidden || !seen.isEmpty { judging.isFinal = true }
    if becomesHidden {
      judging.diff.changes.append(.removed(ids))
      judging.diff.changes.append(.inserted(slots.map(state.item), destination))
    } else {
      judging.diff.changes.append(.moved(ids, destination))
      if !seen.isEmpty { judging.diff.changes.append(.faced(seen)) }
    }
  }

  /// Puts new items as one block before `anchor`.
  mutating func make(
    _ newFaces: [Face], lyingUp: (Int) -> Bool, known: (Int) -> Bool, ids: [ItemID], in collection: Int,
    before anchor: Int32, _ judging: inout Judging
  ) {
    let rule = state.kind(of: collection).faces
    let destination = Destination(
      collection: CollectionHandle(index: collection), position: Position(anchor: state.id(anchor)))
    var items: [Item] = []
    items.reserveCapacity(newFaces.count)
    var slots = SlotList()
    for (position, face) in newFaces.enumerated() {
      let record = ItemRecord(
        id: ids[position], placed: judging.revision, placedBy: judging.author.session,
        isUp: rule.lies(lyingUp(position)), isFaceKnown: known(position))
      let slot = state.create(ids[position], face: face, record: record)
      undos.note(.made(ids[position]), at: judging.revision)
      state.put(slot, in: collection, before: anchor)
      forgetUnseen(slot, judging.author.seat)
      items.append(state.item(slot))
      slots.append(slot)
    }
    tellInserted(items, destination, &judging)
    if role == .replica, !state.isOpen(collection, to: judging.author.seat) { vanish(slots, in: collection) }
  }

  /// Takes items off the table.
  mutating func end(_ slots: SlotList, _ judging: inout Judging) {
    noteTakeOuts(slots, isAsAsked: true, judging.author.session, judging.revision)
    for slot in slots { undos.note(.ended(state.id(slot), state.appearance(slot)), at: judging.revision) }
    let left = takeOut(slots, &judging)
    for slot in slots { state.destroy(slot) }
    tellCounts(of: left, &judging)
  }

  /// Turns up what came to lie open in the collections that items left.
  mutating func turnExposed(in collections: InlineList<Int>, _ judging: inout Judging) {
    for collection in collections
    where state.kind(of: collection).turnsExposed && state.kind(of: collection).faces.lies(true) {
      let last = state.forest.last(in: state.root(collection))
      guard last >= 0, !state.records[last].isUp else { continue }
      noteAppearance(last, at: judging.revision)
      judging.isFinal = true
      state.setUp(last, true)
      tellFaced([state.item(last)], &judging)
    }
  }

  mutating func set(_ variable: Attribute, _ judging: inout Judging) {
    undos.note(.variable(Attribute(name: variable.name, value: state.variable(variable.name))), at: judging.revision)
    state.set(variable)
    judging.diff.changes.append(.variables([variable]))
  }

  mutating func set(_ status: String, _ judging: inout Judging) {
    undos.note(.status(state.status), at: judging.revision)
    state.setStatus(status)
    judging.diff.changes.append(.status(status))
  }

  /// The collections that `slots` lie in, each once; where there are secrets, in an order that tells nothing of that of
  /// the slots.
  func collections(of slots: SlotList) -> InlineList<Int> {
    var collections = InlineList<Int>()
    for slot in slots {
      let collection = Int(state.records[slot].collection)
      if !collections.contains(collection) { collections.append(collection) }
    }
    if state.type.hasSecrets, collections.count > 1 { return InlineList(collections.sorted()) }
    return collections
  }

  /// Ids for items that are made, or go out of sight, in `collection`.
  mutating func newNames(_ count: Int, in collection: Int, _ judging: inout Judging) throws(Refusal) -> [ItemID] {
    guard role == .replica else {
      return state.kind(of: collection).isPrivate ? mintUnordered(count) : mint(count, for: judging.sequence)
    }
    guard judging.provisionalCount + count <= ItemID.provisionalNumbersMax else { throw Judging.unpredictable }
    let ids = mint(count, for: judging.sequence, from: judging.provisionalCount)
    judging.provisionalCount += count
    return ids
  }

  /// Gives an item that went out of sight its new id; a replica forgets the face.
  mutating func hide(_ slot: Int32, as id: ItemID) {
    state.rename(slot, to: id)
    if role == .replica {
      state.setLie(slot, isUp: state.records[slot].isUp, isFaceKnown: false, isPinned: state.records[slot].isPinned)
    }
  }

  /// Writes into the history what is about to be taken out, and what follows it.
  mutating func noteTakeOuts(_ slots: SlotList, isAsAsked: Bool, _ author: SessionID, _ revision: Revision) {
    guard slots.count > 1 else {
      for slot in slots { noteTakeOut(slot, state.forest.next(slot), isAsAsked, isFirst: true, author, revision) }
      return
    }
    for (place, leaving) in state.withSuccessors(slots).enumerated() {
      noteTakeOut(leaving.slot, leaving.successor, isAsAsked, isFirst: place == 0, author, revision)
    }
  }

  private mutating func noteTakeOut(
    _ slot: Int32, _ successor: Int32, _ isAsAsked: Bool, isFirst: Bool, _ author: SessionID, _ revision: Revision
  ) {
    history.append(
      History.TakeOut(
        revision: revision, item: state.id(slot), successor: state.id(successor), author: author,
        collection: state.records[slot].collection, isAsAsked: isAsAsked, isFirst: isFirst))
  }

  /// Writes down how an item looks and lies before that changes, so that it can be undone.
  mutating func noteAppearance(_ slot: Int32, at revision: Revision) {
    undos.note(.changed(state.id(slot), state.appearance(slot)), at: revision)
  }
}
