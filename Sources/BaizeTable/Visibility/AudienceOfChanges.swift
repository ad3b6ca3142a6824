/// Adds changes to a diff, each with its audience.
extension Table {
  /// Takes items out of their collections for good. Viewers that could see them receive their ids in ascending order:
  /// the order in which they were named may be their present order in a private collection.
  ///
  /// - Returns: The collections that they were in, each once.
  mutating func takeOut(_ slots: SlotList, _ builder: inout DiffBuilder) -> InlineList<Int> {
    let left = state.collections(of: slots)
    guard state.type.hasSecrets else {
      builder.add(.removed(ids(of: slots)))
      for slot in slots { state.take(slot) }
      return left
    }
    for audience in audiences(of: left) {
      let visible = slots.filter { viewers(of: state.collection($0)) == audience }
      builder.add(
        .removed(ItemList(visible.map(state.id).sorted { $0.rawValue < $1.rawValue })), for: audience)
    }
    for slot in slots { state.take(slot) }
    return left
  }

  /// Adds, for all but the owners, the number of items that private collections have now.
  mutating func addCounts(of collections: some Sequence<Int>, _ builder: inout DiffBuilder) {
    guard state.type.hasSecrets else { return }
    for collection in collections where state.kind(of: collection).isPrivate {
      builder.add(
        .counted(state.handle(collection), state.count(collection)),
        for: .except(state.owner(of: collection)))
    }
  }

  /// - Parameter isCounted: Whether the number of items in the collection has changed.
  mutating func addInserted(
    _ items: [Item], _ placement: Placement, isCounted: Bool = true, _ builder: inout DiffBuilder
  ) {
    let collection = state.index(of: placement.collection)
    builder.add(.inserted(items, placement), for: viewers(of: collection))
    if isCounted { addCounts(of: InlineList(collection), &builder) }
  }

  /// Adds new faces, for all viewers that may see the items.
  mutating func addFaced(_ items: [Item], _ builder: inout DiffBuilder) {
    guard state.type.hasSecrets else {
      builder.add(.faced(items))
      return
    }
    for audience in audiences(of: items.map { state.index(of: $0.collection) }) {
      builder.add(.faced(items.filter { viewers(of: state.index(of: $0.collection)) == audience }), for: audience)
    }
  }

  /// Adds a move in which all items keep their ids. For viewers that could not see some items, the others move first, as one
  /// block, so that every viewer records the same successors; then the former are inserted between them.
  mutating func addMoved(
    _ slots: SlotList, _ ids: [ItemID], from sources: [Int], _ placement: Placement, _ builder: inout DiffBuilder
  ) {
    let hidden = sources.first { state.kind(of: $0).isPrivate }
    guard let hidden else {
      builder.add(.moved(ItemList(ids), placement))
      return
    }
    let owner = state.owner(of: hidden)
    builder.add(.moved(ItemList(ids), placement), for: .only(owner))
    // A move within the collection is visible to its owner alone.
    guard state.index(of: placement.collection) != hidden else { return }
    let isHidden = sources.map { state.kind(of: $0).isPrivate }
    let seen = ids.indices.filter { !isHidden[$0] }
    if !seen.isEmpty { builder.add(.moved(ItemList(seen.map { ids[$0] }), placement), for: .except(owner)) }
    var first = 0
    while first < ids.count {
      var end = first + 1
      while end < ids.count, isHidden[end] == isHidden[first] { end += 1 }
      if isHidden[first] {
        let position = end < ids.count ? Position.before(ids[end]) : placement.position
        builder.add(
          .inserted(
            slots.indices[first..<end].map { state.item(slots[$0]) },
            Placement(collection: placement.collection, position: position)),
          for: .except(owner))
      }
      first = end
    }
  }

  /// Returns the audience that may see the items of a collection.
  private func viewers(of collection: Int) -> Audience {
    state.type.hasSecrets && state.kind(of: collection).isPrivate
      ? .only(state.owner(of: collection)) : .everyone
  }

  /// Returns the audiences of collections, each once.
  private func audiences(of collections: some Sequence<Int>) -> [Audience] {
    collections.reduce(into: []) { audiences, collection in
      let audience = viewers(of: collection)
      if !audiences.contains(audience) { audiences.append(audience) }
    }
  }
}
