/// The primitive changes of a state. Each maintains the sums of the view hash and the prediction log, if there is one.
extension TableState {
  /// Takes an item out of its collection. It is in none until ``put(_:in:before:)``.
  mutating func take(_ slot: Int32) {
    let collection = forest.records[slot].collection
    if predictionLog != nil {
      predictionLog?.append(.taken(slot: slot, collection: collection, next: forest.next(slot)))
    }
    forest.remove(slot, from: &collections[Int(collection)].root)
    setCollection(slot, -1)
  }

  /// Puts an item that is in no collection before `anchor`, or at the end for −1.
  mutating func put(_ slot: Int32, in collection: Int, before anchor: Int32) {
    if predictionLog != nil { predictionLog?.append(.put(slot: slot)) }
    forest.insert(slot, before: anchor, in: &collections[collection].root)
    setCollection(slot, Int32(truncatingIfNeeded: collection))
  }

  /// Takes an item out of one tree and puts it into another, or into the same, after `forest.makeUnique()`.
  ///
  /// - Parameters:
  ///   - leaf: Its leaf.
  ///   - position: Its position there.
  @inline(__always) mutating func relocateUnique(
    _ slot: Int32, in leaf: Int32, _ position: Int, from source: Int, to collection: Int, before anchor: Int32
  ) {
    // Most moves change no root, and then the array of collections is only read.
    var root = root(source)
    forest.removeUnique(slot, in: leaf, position, from: &root)
    setRoot(source, root)
    root = self.root(collection)
    forest.insertUnique(slot, before: anchor, in: &root)
    setRoot(collection, root)
  }

  @inline(__always) private mutating func setRoot(_ collection: Int, _ root: Int32) {
    if collections[collection].root != root { collections[collection].root = root }
  }

  /// Records the collection of an item and updates the sums, since visibility may depend on it.
  mutating func setCollection(_ slot: Int32, _ collection: Int32) {
    guard isSecret(forest.records[slot].collection) || isSecret(collection) else {
      forest.records[slot].collection = collection
      return
    }
    removeFromSums(slot)
    forest.records[slot].collection = collection
    addToSums(slot)
  }

  @inline(__always) private func isSecret(_ collection: Int32) -> Bool {
    type.hasSecrets && collection >= 0 && traits(of: Int(collection)).flags.contains(.isSecret)
  }

  /// Records the revision and the session that put an item where it is, and the run of its position.
  mutating func stamp(_ slot: Int32, at revision: Revision, by session: SessionID, run: Run) {
    if predictionLog != nil { predictionLog?.append(.recorded(slot: slot, forest.records[slot])) }
    forest.records.makeUnique()
    let record = forest.records.writableAddress(of: slot)
    record.pointee.placed = revision
    record.pointee.placedBy = session
    record.pointee.run = run
  }

  /// Makes the positions of all items nobody's, as those of a snapshot are.
  ///
  /// - Complexity: O(n).
  package mutating func forgetOrigins() {
    for slot in 0..<Int32(truncatingIfNeeded: forest.records.count)
    where forest.records.address(of: slot).pointee.placedBy != .daemon {
      forest.records[slot].placedBy = .daemon
      forest.records[slot].run = .none
    }
  }

  /// Records that other positions may belong to the run of an item's.
  mutating func shareRun(of slot: Int32) {
    if predictionLog != nil { predictionLog?.append(.recorded(slot: slot, forest.records[slot])) }
    forest.records[slot].run.isShared = true
  }

  /// Sets the chain of vacant positions in front of an item, or at the end of a collection for −1.
  @inline(__always) mutating func setChain(before slot: Int32, in collection: Int, to chain: ChainLink) {
    if slot < 0 { collections[collection].chain = chain } else { forest.records[slot].chain = chain }
  }

  /// Records the number of an item's latest record in the history.
  mutating func setLastTakeOut(_ slot: Int32, _ number: Int) {
    if predictionLog != nil { predictionLog?.append(.recorded(slot: slot, forest.records[slot])) }
    forest.records[slot].lastTakeOut = number
    nextTakeOut = max(nextTakeOut, number + 1)
  }

  /// Makes room for the first items of an empty state, in so many collections, and for no more: many tables get no others.
  mutating func reserve(items: Int, collections: Int) {
    forest.reserve(items: items, trees: collections)
    faces.reserve(items)
    index.reserve(items)
  }

  /// Creates an item that is in no collection yet.
  mutating func create(_ id: ItemID, face: Face, record: ItemRecord) -> Int32 {
    let slot: Int32
    if let free = freeSlots.popLast() {
      slot = free
      forest.records[slot] = record
      faces[slot] = face
    } else {
      slot = forest.append(record)
      _ = faces.append(face)
    }
    faceBytes += face.contentBytes
    faceParts += face.partCount
    index.insert(id, slot: slot)
    if record.aliasOf == .none {
      keys?.insert(face, slot: slot)
    } else {
      aliases.insert(id, of: record.aliasOf)
    }
    addToSums(slot)
    predictionLog?.append(.created(slot: slot))
    return slot
  }

  /// Destroys an item that is in no collection.
  mutating func destroy(_ slot: Int32) {
    predictionLog?.append(.destroyed(slot: slot, forest.records[slot], faces[slot]))
    if opens(slot) >= 0 { close(opens(slot)) }
    removeFromSums(slot)
    index.remove(forest.records[slot].id)
    replaceFace(slot, by: Face())
    let record = forest.records[slot]
    if record.aliasOf != .none { aliases.remove(record.id, of: record.aliasOf) }
    freeSlots.append(slot)
  }

  mutating func setAppearance(_ slot: Int32, isFaceUp: Bool, isFaceKnown: Bool, isPinned: Bool) {
    let old = forest.records[slot]
    guard old.isFaceUp != isFaceUp || old.isFaceKnown != isFaceKnown || old.isPinned != isPinned else { return }
    predictionLog?.append(.recorded(slot: slot, old))
    removeFromSums(slot)
    forest.records[slot].isFaceUp = isFaceUp
    forest.records[slot].isFaceKnown = isFaceKnown
    forest.records[slot].isPinned = isPinned
    if old.isPinned != isPinned { forest.records[slot].faceHash = 0 }
    addToSums(slot)
  }

  mutating func setFaceUp(_ slot: Int32, _ isFaceUp: Bool) {
    let record = forest.records[slot]
    setAppearance(slot, isFaceUp: isFaceUp, isFaceKnown: record.isFaceKnown, isPinned: record.isPinned)
  }

  mutating func setFace(_ slot: Int32, _ face: Face) {
    predictionLog?.append(.faced(slot: slot, faces[slot]))
    removeFromSums(slot)
    replaceFace(slot, by: face)
    addToSums(slot)
  }

  mutating func replaceFace(_ slot: Int32, by face: Face) {
    let (oldBytes, oldParts) = (faces[slot].contentBytes, faces[slot].partCount)
    faceBytes += face.contentBytes - oldBytes
    faceParts += face.partCount - oldParts
    replacedFaceMemory += Face.memoryBytes(contentBytes: oldBytes, parts: oldParts)
    if keys != nil, forest.records[slot].aliasOf == .none {
      keys?.remove(faces[slot], slot: slot)
      keys?.insert(face, slot: slot)
    }
    faces[slot] = face
    forest.records[slot].faceHash = 0
  }

  /// Indexes the items by their keys, if the type has keys and they are not indexed yet.
  ///
  /// - Complexity: O(n), and O(1) for a type without keys.
  mutating func indexKeys(seed: UInt64) {
    guard let attribute = type.key, keys == nil else { return }
    var keys = KeyIndex(of: attribute, seed: seed)
    for collection in collections {
      var slot = forest.first(in: collection.root)
      while slot >= 0 {
        if forest.records[slot].aliasOf == .none { keys.insert(faces[slot], slot: slot) }
        slot = forest.next(slot)
      }
    }
    self.keys = keys
  }

  /// Gives an item another id and detaches it from the history under the old one.
  mutating func rename(_ slot: Int32, to id: ItemID) {
    predictionLog?.append(.recorded(slot: slot, forest.records[slot]))
    predictionLog?.append(.named(slot: slot, forest.records[slot].id))
    forest.records[slot].lastTakeOut = History.none
    setID(slot, id)
  }

  mutating func setID(_ slot: Int32, _ id: ItemID) {
    removeFromSums(slot)
    let old = forest.records[slot]
    index.remove(old.id)
    if old.aliasOf != .none {
      aliases.remove(old.id, of: old.aliasOf)
      aliases.insert(id, of: old.aliasOf)
    }
    forest.records[slot].id = id
    forest.records[slot].faceHash = 0
    index.insert(id, slot: slot)
    forest.invalidateHash(of: slot)
    addToSums(slot)
  }

  /// Sets the number of items in a collection that the viewer may not see.
  mutating func setHiddenCount(_ collection: Int, _ count: Int) {
    predictionLog?.append(.counted(collection: collection, collections[collection].hiddenCount))
    collections[collection].hiddenCount = count
  }

  mutating func setStatus(_ status: String) {
    predictionLog?.append(.status(self.status))
    self.status = status
  }

  mutating func set(_ attribute: Attribute) {
    predictionLog?.append(.variables(variables))
    variables.merge(attribute)
  }

  mutating func setSeats(_ seats: [Seat]) {
    predictionLog?.append(.seats(self.seats))
    self.seats = seats.sorted { $0.number < $1.number }
  }

  mutating func setEnabled(_ collection: Int, _ isEnabled: Bool) {
    predictionLog?.append(.enabled(collection: collection, collections[collection].isEnabled))
    collections[collection].isEnabled = isEnabled
  }
}
