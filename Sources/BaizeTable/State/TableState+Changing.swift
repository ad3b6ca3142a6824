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
}

/// The primitives that every change of a state is made of. Each keeps the face sum and, where one is kept, the undo log.
extension TableState {
  /// Takes an item out of its collection. It is in none until ``put(_:in:before:)``.
  mutating func take(_ slot: Int32) {
    let collection = records[slot].collection
    undoLog?.append(.taken(slot: slot, collection: collection, next: forest.next(slot)))
    forest.remove(slot, from: &collections[Int(collection)].root)
    records[slot].collection = -1
  }

  /// Puts an item that is in no collection before `anchor`, or at the end where that is −1.
  mutating func put(_ slot: Int32, in collection: Int, before anchor: Int32) {
    undoLog?.append(.put(slot: slot))
    forest.insert(slot, before: anchor, in: &collections[collection].root)
    records[slot].collection = Int32(collection)
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
    index.insert(id, slot: slot)
    faceSum &+= faceHash(slot)
    undoLog?.append(.created(slot: slot))
    return slot
  }

  /// Ends an item that is in no collection.
  mutating func destroy(_ slot: Int32) {
    undoLog?.append(.destroyed(slot: slot, records[slot], faces[slot]))
    faceSum &-= faceHash(slot)
    index.remove(records[slot].id)
    faces[slot] = Face()
    freeSlots.append(slot)
  }

  /// Changes how an item lies, whether its face is known, or its pin.
  mutating func setLie(_ slot: Int32, isUp: Bool, isFaceKnown: Bool, isPinned: Bool) {
    let old = records[slot]
    guard old.isUp != isUp || old.isFaceKnown != isFaceKnown || old.isPinned != isPinned else { return }
    undoLog?.append(.recorded(slot: slot, old))
    faceSum &-= faceHash(slot)
    records[slot].isUp = isUp
    records[slot].isFaceKnown = isFaceKnown
    records[slot].isPinned = isPinned
    faceSum &+= faceHash(slot)
  }

  mutating func setUp(_ slot: Int32, _ isUp: Bool) {
    setLie(slot, isUp: isUp, isFaceKnown: records[slot].isFaceKnown, isPinned: records[slot].isPinned)
  }

  mutating func setFace(_ slot: Int32, _ face: Face) {
    undoLog?.append(.faced(slot: slot, faces[slot]))
    faceSum &-= faceHash(slot)
    faces[slot] = face
    faceSum &+= faceHash(slot)
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
    faceSum &-= faceHash(slot)
    index.remove(records[slot].id)
    records[slot].id = id
    index.insert(id, slot: slot)
    forest.invalidateHash(of: slot)
    faceSum &+= faceHash(slot)
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
      records[slot].collection = collection
    case .put(let slot):
      forest.remove(slot, from: &collections[Int(records[slot].collection)].root)
      records[slot].collection = -1
    case .created(let slot):
      destroy(slot)
    case .destroyed(let slot, let record, let face):
      let reused = create(record.id, face: face, record: record)
      precondition(reused == slot, "slot \(reused) was free before slot \(slot)")
    case .recorded(let slot, let record):
      faceSum &-= faceHash(slot)
      // Only what lies behind the step may have changed since; the place is the business of the steps around it.
      let collection = records[slot].collection
      records[slot] = record
      records[slot].collection = collection
      faceSum &+= faceHash(slot)
    case .faced(let slot, let face):
      faceSum &-= faceHash(slot)
      faces[slot] = face
      faceSum &+= faceHash(slot)
    case .named(let slot, let id): setID(slot, id)
    case .status(let status): self.status = status
    case .variables(let variables): self.variables = variables
    case .seats(let seats): self.seats = seats
    case .enabled(let collection, let isEnabled): collections[collection].isEnabled = isEnabled
    }
  }
}
