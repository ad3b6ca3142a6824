/// One change of a state, with the information that reverses it.
enum PredictionStep: Sendable {
  /// The item was taken out of its collection, where `next` followed it (−1 at the end).
  case taken(slot: Int32, collection: Int32, next: Int32)
  case put(slot: Int32)
  case created(slot: Int32)
  /// The item opened a collection, when there were so many.
  case opened(slot: Int32, count: Int)
  case destroyed(slot: Int32, ItemRecord, Face)
  case recorded(slot: Int32, ItemRecord)
  case faced(slot: Int32, Face)
  case named(slot: Int32, ItemID)
  case status(String)
  case variables([Attribute])
  case seats([Seat])
  case enabled(collection: Int, Bool)
  case counted(collection: Int, Int)
  /// The chain in front of an item, or at the end of a collection for −1, was another one.
  case chained(slot: Int32, collection: Int32, ChainLink)
  /// A vacant position was changed.
  case positioned(History.Step)
}

extension TableState {
  /// Reverses a recorded change of the state, while nothing is recorded.
  mutating func reverse(_ step: PredictionStep) {
    switch step {
    case .taken(let slot, let collection, let next):
      forest.insert(slot, before: next, in: &collections[Int(collection)].root)
      setCollection(slot, collection)
    case .put(let slot):
      forest.remove(slot, from: &collections[Int(forest.records[slot].collection)].root)
      setCollection(slot, -1)
    case .created(let slot):
      destroy(slot)
    case .destroyed(let slot, let record, let face):
      let reused = create(record.id, face: face, record: record)
      precondition(reused == slot, "slot \(reused) was free before slot \(slot)")
      if record.opens >= 0 { reopen(Int(record.opens), by: slot) }
    case .opened(let slot, let count): unopen(slot, count: count)
    case .recorded(let slot, let record):
      removeFromSums(slot)
      // The neighboring steps restore the position.
      let present = forest.records[slot]
      forest.records[slot] = record
      forest.records[slot].collection = present.collection
      forest.records[slot].leaf = present.leaf
      forest.records[slot].chain = present.chain
      addToSums(slot)
    case .faced(let slot, let face):
      removeFromSums(slot)
      replaceFace(slot, by: face)
      addToSums(slot)
    case .named(let slot, let id): setID(slot, id)
    case .status(let status): self.status = status
    case .variables(let variables): self.variables = variables
    case .seats(let seats): self.seats = seats
    case .enabled(let collection, let isEnabled): collections[collection].isEnabled = isEnabled
    case .counted(let collection, let count): collections[collection].hiddenCount = count
    case .chained(let slot, let collection, let chain): setChain(before: slot, in: Int(collection), to: chain)
    case .positioned: break
    }
  }
}
