extension Table {
  /// Makes, shuffles and deals the items of the table type. Ids are a random permutation, so that none reveals a face.
  mutating func setUp() {
    var decks = state.type.setUp.decks.map { deck in
      var items = deck.makeItems()
      if deck.isShuffled { random.shuffle(&items) }
      return items
    }
    let ids = mint(decks.reduce(0) { $0 + $1.count })
    let collections = Set(state.type.setUp.decks.flatMap { $0.deals.map(\.collection) })
    state.reserve(items: ids.count, collections: collections.count)
    if state.type.hasPrivateCollections { privateIDs = PrivateIDs(key: (random.next(), random.next())) }
    var used = 0
    for (number, deck) in state.type.setUp.decks.enumerated() {
      var slots: [Int: [Int32]] = [:]
      var rest = decks[number][...]
      for deal in deck.deals {
        let dealt = rest.prefix(deal.count ?? rest.count)
        rest = rest.dropFirst(dealt.count)
        let collection = deal.collection.index
        for (position, item) in dealt.enumerated() {
          let isUp = Self.isDealtUp(deal.up, position: position, of: dealt.count)
          let id = state.kind(of: collection).isPrivate ? mintPrivate(1)[0] : ids[used]
          slots[collection, default: []].append(create(item.face, id, isUp: isUp, in: collection))
          used += 1
        }
      }
      decks[number] = []
      for (collection, slots) in slots.sorted(by: { $0.key < $1.key }) { place(slots, in: collection) }
    }
  }

  private static func isDealtUp(_ up: Deck.Deal.Up, position: Int, of count: Int) -> Bool {
    switch up {
    case .all: true
    case .none: false
    case .last: position == count - 1
    }
  }

  private mutating func create(_ face: Face, _ id: ItemID, isUp: Bool, in collection: Int) -> Int32 {
    let record = ItemRecord(
      id: id, placed: .zero, placedBy: .daemon, isFaceUp: state.kind(of: collection).faces.isFaceUp(isUp),
      isFaceKnown: true)
    let slot = state.create(id, face: face, record: record)
    if let opening = state.kind(of: collection).opens {
      state.open(state.collections.count, of: opening.kind, by: slot)
    }
    return slot
  }

  /// Puts many new items at the end of a collection.
  private mutating func place(_ slots: [Int32], in collection: Int) {
    if state.root(collection) < 0 {
      for slot in slots { state.setCollection(slot, Int32(collection)) }
      state.collections[collection].root = state.forest.build(slots[...])
    } else {
      for slot in slots { state.put(slot, in: collection, before: -1) }
    }
  }
}
