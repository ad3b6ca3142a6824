/// One thing done to a state, with what it takes to undo it.
enum UndoStep: Sendable {
  /// The item was taken out of its collection, where `next` followed it (−1: it was the last).
  case taken(slot: Int32, collection: Int32, next: Int32)
  case put(slot: Int32)
  case created(slot: Int32)
  case destroyed(slot: Int32, ItemRecord, Face)
  case recorded(slot: Int32, ItemRecord)
  case faced(slot: Int32, Face)
  case named(slot: Int32, ItemID)
  case status(String)
  case variables([Attribute])
  case seats([Seat])
  case enabled(collection: Int, Bool)
  case counted(collection: Int, Int)
}

/// The primitives that every change of a state is made of. Each keeps the face sum and, where one is kept, the undo log.
extension TableState {
  /// Takes an item out of its collection. It is in none until ``put(_:in:before:)``.
  mutating func take(_ slot: Int32) {
    let collection = records[slot].collection
    undoLog?.append(.taken(slot: slot, collection: collection, next: forest.next(slot)))
    forest.remove(slot, from: &collections[Int(collection)].root)
    setCollection(slot, -1)
  }

  /// Puts an item that is in no collection before `anchor`, or at the end where that is −1.
  mutating func put(_ slot: Int32, in collection: Int, before anchor: Int32) {
    undoLog?.append(.put(slot: slot))
    forest.insert(slot, before: anchor, in: &collections[collection].root)
    setCollection(slot, Int32(collection))
  }

  /// Notes where an item is: who sees it may hang on that.
  mutating func setCollection(_ slot: Int32, _ collection: Int32) {
    guard isSecret(records[slot].collection) || isSecret(collection) else {
      records[slot].collection = collection
      return
    }
    takeFromSums(slot)
    records[slot].collection = collection
    addToSums(slot)
  }

  private func isSecret(_ collection: Int32) -> Bool {
    type.hasSecrets && collection >= 0 && kind(of: Int(collection)).isSecret
  }

  /// Sets how many items lie in a collection that the viewer is not told of.
  mutating func setUntoldCount(_ collection: Int, _ count: Int) {
    undoLog?.append(.counted(collection: collection, collections[collection].untoldCount))
    collections[collection].untoldCount = count
  }

  /// Makes an item that is in no collection yet.
  mutating func create(_ id: ItemID, face: Face, record: ItemRecord) -> Int32 {
    let slot: Int32
    if let free = freeSlots.popLast() {
      slot = free
      records[slot] = record
      faces[slot] = face
    } else {
      slot = forest.appendSlot()
      _ = records.append(record)
      _ = faces.append(face)
    }
    faceBytes += face.contentBytes
    index.insert(id, slot: slot)
    addToSums(slot)
    undoLog?.append(.created(slot: slot))
    return slot
  }

  /// Ends an item that is in no collection.
  mutating func destroy(_ slot: Int32) {
    undoLog?.append(.destroyed(slot: slot, records[slot], faces[slot]))
    takeFromSums(slot)
    index.remove(records[slot].id)
    replaceFace(slot, by: Face())
    freeSlots.append(slot)
  }

  /// Changes how an item lies, whether its face is known, or its pin.
  mutating func setLie(_ slot: Int32, isUp: Bool, isFaceKnown: Bool, isPinned: Bool) {
    let old = records[slot]
    guard old.isUp != isUp || old.isFaceKnown != isFaceKnown || old.isPinned != isPinned else { return }
    undoLog?.append(.recorded(slot: slot, old))
    takeFromSums(slot)
    records[slot].isUp = isUp
    records[slot].isFaceKnown = isFaceKnown
    records[slot].isPinned = isPinned
    addToSums(slot)
  }

  mutating func setUp(_ slot: Int32, _ isUp: Bool) {
    setLie(slot, isUp: isUp, isFaceKnown: records[slot].isFaceKnown, isPinned: records[slot].isPinned)
  }

  mutating func setFace(_ slot: Int32, _ face: Face) {
    undoLog?.append(.faced(slot: slot, faces[slot]))
    takeFromSums(slot)
    replaceFace(slot, by: face)
    addToSums(slot)
  }

  private mutating func replaceFace(_ slot: Int32, by face: Face) {
    faceBytes += face.contentBytes - faces[slot].contentBytes
    faces[slot] = face
  }

  /// Gives an item another id.
  mutating func rename(_ slot: Int32, to id: ItemID) {
    undoLog?.append(.named(slot: slot, records[slot].id))
    setID(slot, id)
  }

  /// Notes which revision put an item where it lies, and who did.
  mutating func stamp(_ slot: Int32, at revision: Revision, by session: SessionID) {
    if undoLog != nil { undoLog?.append(.recorded(slot: slot, records[slot])) }
    records[slot].placed = revision
    records[slot].placedBy = session
  }

  mutating func setStatus(_ status: String) {
    undoLog?.append(.status(self.status))
    self.status = status
  }

  mutating func set(_ attribute: Attribute) {
    undoLog?.append(.variables(variables))
    variables.merge(attribute)
  }

  mutating func setSeats(_ seats: [Seat]) {
    undoLog?.append(.seats(self.seats))
    self.seats = seats.sorted { $0.number < $1.number }
  }

  mutating func setEnabled(_ collection: Int, _ isEnabled: Bool) {
    undoLog?.append(.enabled(collection: collection, collections[collection].isEnabled))
    collections[collection].isEnabled = isEnabled
  }

  private mutating func setID(_ slot: Int32, _ id: ItemID) {
    takeFromSums(slot)
    index.remove(records[slot].id)
    records[slot].id = id
    index.insert(id, slot: slot)
    forest.invalidateHash(of: slot)
    addToSums(slot)
  }

  // MARK: Taking back

  /// Takes back everything that was done since the undo log had `count` entries, the latest first.
  ///
  /// - Complexity: O(k log n) for k steps.
  mutating func takeBack(to count: Int = 0) {
    guard var steps = undoLog else { preconditionFailure("nothing was recorded to be taken back") }
    undoLog = nil
    while steps.count > count, let step = steps.popLast() { takeBack(step) }
    undoLog = steps
  }

  private mutating func takeBack(_ step: UndoStep) {
    switch step {
    case .taken(let slot, let collection, let next):
      forest.insert(slot, before: next, in: &collections[Int(collection)].root)
      setCollection(slot, collection)
    case .put(let slot):
      forest.remove(slot, from: &collections[Int(records[slot].collection)].root)
      setCollection(slot, -1)
    case .created(let slot):
      destroy(slot)
    case .destroyed(let slot, let record, let face):
      let reused = create(record.id, face: face, record: record)
      precondition(reused == slot, "slot \(reused) was free before slot \(slot)")
    case .recorded(let slot, let record):
      takeFromSums(slot)
      // Only what lies behind the step may have changed since; the place is the business of the steps around it.
      let collection = records[slot].collection
      records[slot] = record
      records[slot].collection = collection
      addToSums(slot)
    case .faced(let slot, let face):
      takeFromSums(slot)
      replaceFace(slot, by: face)
      addToSums(slot)
    case .named(let slot, let id): setID(slot, id)
    case .status(let status): self.status = status
    case .variables(let variables): self.variables = variables
    case .seats(let seats): self.seats = seats
    case .enabled(let collection, let isEnabled): collections[collection].isEnabled = isEnabled
    case .counted(let collection, let count): collections[collection].untoldCount = count
    }
  }
}
