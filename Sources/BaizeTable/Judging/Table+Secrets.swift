/// What happens in collections that are seen differently by different seats, and what each is told of it.
///
/// | an item goes | the owner is told | all others |
/// |---|---|---|
/// | about in a private collection | Moved | nothing |
/// | from an open one into it | Removed, Inserted under a new id | Removed, Counted |
/// | out of it into an open one | Moved | Counted, Inserted |
/// | from one private one into another | the one Removed, the other Inserted under a new id | both Counted |
extension Table {
  /// Whether a move touches a collection in which not all see the same.
  func concernsSecrets(_ slots: SlotList, to collection: Int) -> Bool {
    guard state.type.hasSecrets else { return false }
    return state.kind(of: collection).isSecret
      || slots.contains { state.kind(of: Int(state.records[$0].collection)).isSecret }
  }

  /// Moves `slots` as one block, in this order, where not all see the same of it.
  ///
  /// All of them get new ids if someone loses one of them from sight, or if one of them comes into a private collection.
  mutating func moveInSecret(
    _ slots: SlotList, to collection: Int, before anchor: Int32, isAsAsked: Bool, _ judging: inout Judging
  ) throws(Refusal) {
    let viewer = judging.author.seat
    // A replica cannot foresee what becomes of items that it is not told of.
    if role == .replica, anchor >= 0, !state.isOpen(collection, to: viewer) { throw Judging.unpredictable }
    let sources = slots.map { Int(state.records[$0].collection) }
    let sights = slots.map { state.sight(of: $0) }
    let isRenamed =
      haveSeveralOwners(sources)
      || slots.indices.contains { loses(slots[$0], from: sources[$0], to: collection) }
    let newIDs = isRenamed ? try newNames(slots.count, in: collection, &judging) : []
    let oldIDs = slots.map(state.id)
    let destination = Destination(
      collection: CollectionHandle(index: collection), position: Position(anchor: state.id(anchor)))
    noteTakeOuts(slots, isAsAsked: isAsAsked, judging.author.session, judging.revision)

    let left: InlineList<Int>
    if isRenamed {
      left = takeOut(slots, &judging)
    } else {
      left = collections(of: slots)
      for slot in slots { state.take(slot) }
    }
    // Whatever comes into such a collection or leaves it shows something to someone, or hides it.
    if sources.contains(where: { $0 != collection }) { judging.isFinal = true }
    let faces = state.kind(of: collection).faces
    for (position, slot) in slots.enumerated() {
      state.put(slot, in: collection, before: anchor)
      state.stamp(slot, at: judging.revision, by: judging.author.session)
      state.setUp(slot, faces.lies(state.records[slot].isUp))
      if isRenamed {
        if !Mutation.name.isActive { state.rename(slot, to: newIDs[position]) }
        undos.note(.made(newIDs[position]), at: judging.revision)
      }
      forgetUnseen(slot, viewer)
    }
    if isRenamed {
      tellCounts(of: left.filter { $0 != collection }, &judging)
      tellInserted(slots.map(state.item), destination, &judging)
    } else {
      tellMoved(slots, oldIDs, from: sources, destination, &judging)
      tellCounts(of: left.filter { $0 != collection }, &judging)
      let seen = slots.indices.filter { isNews(slots[$0], sights[$0], from: sources[$0]) }.map { state.item(slots[$0]) }
      if !seen.isEmpty { tellFaced(seen, &judging) }
    }
    if role == .replica, !state.isOpen(collection, to: viewer) { vanish(slots, in: collection) }
  }

  /// Whether items come out of the private collections of more than one.
  private func haveSeveralOwners(_ sources: [Int]) -> Bool {
    let owners = sources.filter { state.kind(of: $0).isPrivate }.map { state.type.collections[$0].owner }
    return owners.contains { $0 != owners[0] }
  }

  /// Whether someone who sees an item, or is told of it, would lose it.
  private func loses(_ slot: Int32, from source: Int, to collection: Int) -> Bool {
    if source == collection { return false }
    if state.kind(of: collection).isPrivate { return true }
    let sight = state.sight(in: source, isUp: state.records[slot].isUp)
    let willSee = state.sight(in: collection, isUp: state.kind(of: collection).faces.lies(state.records[slot].isUp))
    return sight != willSee && sight != .nobody && willSee != .everyone
  }

  /// Whether a face is to be told: someone sees it now who did not, and who is not told of the item anew.
  private func isNews(_ slot: Int32, _ sight: Sight, from source: Int) -> Bool {
    guard state.sight(of: slot) != sight else { return false }
    return !state.kind(of: source).isPrivate || !sight.includes(state.type.collections[source].owner)
  }

  /// A replica forgets the face of what its viewer does not see any more.
  mutating func forgetUnseen(_ slot: Int32, _ viewer: SeatNumber) {
    guard role == .replica, state.records[slot].isFaceKnown, !state.canSee(slot, from: viewer) else { return }
    let record = state.records[slot]
    state.setLie(slot, isUp: record.isUp, isFaceKnown: false, isPinned: record.isPinned)
  }

  /// In a replica: what comes into another's private collection is only counted.
  mutating func vanish(_ slots: SlotList, in collection: Int) {
    for slot in slots {
      state.take(slot)
      state.destroy(slot)
    }
    state.setUntoldCount(collection, state.collections[collection].untoldCount + slots.count)
  }

  // MARK: Telling

  /// Takes items out of their places for good, and tells of it all who knew of them, in the order of their ids: the order
  /// in which they were named may be the one that they have in a hand now.
  ///
  /// - Returns: The collections that they were in, each once.
  mutating func takeOut(_ slots: SlotList, _ judging: inout Judging) -> InlineList<Int> {
    let left = collections(of: slots)
    guard state.type.hasSecrets else {
      judging.diff.changes.append(.removed(ItemList(slots.map(state.id))))
      for slot in slots { state.take(slot) }
      return left
    }
    for audience in audiences(of: left) {
      let told = slots.filter { insiders(of: Int(state.records[$0].collection)) == audience }
      judging.diff.append(.removed(ItemList(told.map(state.id).sorted { $0.rawValue < $1.rawValue })), for: audience)
    }
    for slot in slots { state.take(slot) }
    return left
  }

  /// Tells all others how many items lie in private collections now.
  mutating func tellCounts(of collections: some Sequence<Int>, _ judging: inout Judging) {
    guard state.type.hasSecrets else { return }
    for collection in collections where state.kind(of: collection).isPrivate {
      let count = state.count(collection)
      judging.diff.append(
        .counted(CollectionHandle(index: collection), count), for: .except(state.type.collections[collection].owner))
    }
  }

  mutating func tellInserted(_ items: [Item], _ destination: Destination, _ judging: inout Judging) {
    let collection = destination.collection.index
    judging.diff.append(.inserted(items, destination), for: insiders(of: collection))
    tellCounts(of: InlineList(collection), &judging)
  }

  /// Tells of new faces all who are told of the items.
  mutating func tellFaced(_ items: [Item], _ judging: inout Judging) {
    guard state.type.hasSecrets else {
      judging.diff.changes.append(.faced(items))
      return
    }
    for audience in audiences(of: items.map(\.collection.index)) {
      judging.diff.append(
        .faced(items.filter { insiders(of: $0.collection.index) == audience }), for: audience)
    }
  }

  /// Tells of a move after which all have their ids. To those who were not told of some items, these come from nowhere.
  private mutating func tellMoved(
    _ slots: SlotList, _ ids: [ItemID], from sources: [Int], _ destination: Destination, _ judging: inout Judging
  ) {
    let hidden = sources.first { state.kind(of: $0).isPrivate }
    guard let hidden else {
      judging.diff.changes.append(.moved(ItemList(ids), destination))
      return
    }
    let owner = state.type.collections[hidden].owner
    judging.diff.append(.moved(ItemList(ids), destination), for: .only(owner))
    // Within the collection nobody else is told anything.
    guard destination.collection.index != hidden else { return }
    var first = 0
    while first < ids.count {
      let isHidden = state.kind(of: sources[first]).isPrivate
      var end = first + 1
      while end < ids.count, state.kind(of: sources[end]).isPrivate == isHidden { end += 1 }
      let run = first..<end
      let change: Change =
        isHidden
        ? .inserted(run.map { state.item(slots[$0]) }, destination) : .moved(ItemList(ids[run]), destination)
      judging.diff.append(change, for: .except(owner))
      first = end
    }
  }

  /// Who is told which items lie in a collection.
  private func insiders(of collection: Int) -> Audience {
    state.type.hasSecrets && state.kind(of: collection).isPrivate
      ? .only(state.type.collections[collection].owner) : .everyone
  }

  /// The audiences of collections, each once.
  private func audiences(of collections: some Sequence<Int>) -> [Audience] {
    collections.reduce(into: []) { audiences, collection in
      let audience = insiders(of: collection)
      if !audiences.contains(audience) { audiences.append(audience) }
    }
  }
}
