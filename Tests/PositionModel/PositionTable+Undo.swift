/// N5 and N6: what returns, and what is forgotten.
extension PositionTable {
  // MARK: N5

  mutating func undo(
    _ target: Int, _ operation: ModelOperation, _ memory: ModelMemory, _ entry: inout ModelMemory.Entry
  ) throws(ModelVerdict.Reason) -> ModelAnswer {
    guard let index = effects.firstIndex(where: { $0.author == operation.author && $0.number == target }),
      !effects[index].isUndone, isAsItLeft(effects[index])
    else { throw .undoTooLate }
    let undone = effects[index]
    try checkRoom(for: undone)
    effects[index].isUndone = true
    revision += 1
    var effect = Effect(author: operation.author, number: operation.number)
    var diff = ModelDiff(revision: revision, author: operation.author)
    diff.taken = undone.made.map(\.item) + undone.taken.filter { $0.to != nil }.map(\.item)
    let left = vacate(diff.taken, by: operation.author)
    for (item, _) in undone.made {
      removals[item] = (operation.author, revision)
      entry.outcomes[item] = .tookAway
    }
    effect.taken = left.filter { taken in undone.made.contains { $0.item == taken.item } }
    var returned: [Int] = []
    for taken in undone.taken {
      let id = putBack(taken.item, behind: taken.from, author: operation.author)
      removals[taken.item] = nil
      returned.append(id)
      if let from = left.first(where: { $0.item == taken.item })?.from {
        effect.taken.append(Effect.Taken(item: taken.item, from: from, to: id))
      } else {
        effect.made.append((taken.item, id))
      }
    }
    effects.append(effect)
    // From behind, so that each has its anchor already.
    let places = returned.compactMap { id in place(of: id).map { (id, $0) } }
      .sorted { ($0.1.collection, $0.1.index) > ($1.1.collection, $1.1.index) }
    diff.blocks = places.map { id, place in
      blockBehind(id, [collections[place.collection][place.index].item], isReturn: true)
    }
    return ModelAnswer(verdict: .accepted, diff: diff)
  }

  /// Returns whether nothing has touched what an operation did since.
  func isAsItLeft(_ effect: Effect) -> Bool {
    effect.taken.allSatisfy { taken in
      place(of: taken.from) != nil && position(ofItem: taken.item)?.id == taken.to.map(standing)
    } && effect.made.allSatisfy { position(ofItem: $0.item)?.id == standing($0.position) }
  }

  /// Refuses an undo that puts back more than there is room for.
  private func checkRoom(for undone: Effect) throws(ModelVerdict.Reason) {
    for (collection, rules) in rules.enumerated() {
      guard let capacity = rules.capacity else { continue }
      let coming = undone.taken.count { place(of: $0.from)?.collection == collection }
      let leaving = (undone.taken.map(\.item) + undone.made.map(\.item)).count {
        place(ofItem: $0)?.collection == collection
      }
      guard coming <= leaving || items(in: collection).count + coming - leaving <= capacity else {
        throw .capacityExceeded
      }
    }
  }

  mutating func putBack(_ item: Int, behind left: Int, author: Int) -> Int {
    guard let place = place(of: standing(left)) else { preconditionFailure("position \(left) is forgotten") }
    let from = collections[place.collection][place.index]
    var position = makePosition(of: item, session: from.session, author: author)
    position.run = from.run
    collections[place.collection].insert(position, at: place.index + 1)
    collections[place.collection][place.index].successor = position.id
    return position.id
  }

  // MARK: N6

  /// Forgets what was vacated up to a revision that no base reaches back to. What named it names what counts as one with it.
  mutating func forget(through oldest: Int) {
    func isForgotten(_ position: ModelPosition) -> Bool { (position.vacated ?? .max) <= oldest }
    var successors: [Int: Int] = [:]
    for position in collections.joined() where isForgotten(position) && position.successor != nil {
      successors[position.id] = standing(position.id)
    }
    for effect in effects.indices {
      for index in effects[effect].taken.indices {
        let taken = effects[effect].taken[index]
        effects[effect].taken[index].from = successors[taken.from] ?? taken.from
        effects[effect].taken[index].to = taken.to.map { successors[$0] ?? $0 }
      }
      for index in effects[effect].made.indices {
        let made = effects[effect].made[index]
        effects[effect].made[index].position = successors[made.position] ?? made.position
      }
    }
    for collection in collections.indices { collections[collection].removeAll(where: isForgotten) }
  }
}
