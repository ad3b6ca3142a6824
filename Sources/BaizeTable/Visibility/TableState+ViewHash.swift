extension TableState {
  /// Returns the hash of a view, by which a replica detects that it has diverged.
  ///
  /// - Parameter viewer: The seat whose view is hashed; `nil` for everything here: a replica's own view, and the true
  ///   state in the daemon.
  /// - Complexity: O(number of collections + c log n) for c changes since the last computation.
  public mutating func viewHash(for viewer: SeatNumber? = nil) -> UInt64 {
    let viewer = Mutation.hash.isActive ? nil : viewer
    var hash = ByteHash()
    for position in collections.indices where !isGone(position) {
      let root = collections[position].root
      let isOpen = viewer.map { isVisible(position, to: $0) } ?? true
      let order = isOpen ? forest.hash(root) : 0
      hash.combine(collections[position].isEnabled ? 1 as UInt8 : 0)
      hash.combine(UInt64(count(position)))
      hash.combine(order)
      guard collections[position].opener >= 0 else { continue }
      hash.combine(UInt64(handle(position).rawValue))
      hash.combine(id(collections[position].opener).rawValue)
    }
    hash.combine(faceSum &+ ownerSum(of: viewer))
    hash.combine(status)
    hash.combine(UInt64(variables.count))
    for variable in variables { hash.combine(variable) }
    hash.combine(UInt64(seats.count))
    for seat in seats {
      hash.combine(UInt64(seat.number.rawValue) | (seat.isAbsent ? 1 << 32 : 0))
      hash.combine(seat.person.rawValue)
      hash.combine(seat.name)
    }
    return hash.value
  }

  /// The number of nodes of orders whose hashes were computed so far: a measure of the work of view hashes.
  package var nodesHashed: Int { forest.nodesHashed }

  private func ownerSum(of viewer: SeatNumber?) -> UInt64 {
    guard let viewer else { return ownerSums.reduce(0, &+) }
    let index = Int(viewer.rawValue)
    return ownerSums.indices.contains(index) ? ownerSums[index] : 0
  }

  // MARK: The sums

  /// Adds the visible parts of an item to the sums.
  mutating func addToSums(_ slot: Int32) {
    let share = share(of: slot)
    faceSum &+= share.everyone
    if share.owner != 0 { ownerSums[share.owner] &+= share.ofOwner }
  }

  /// Removes the visible parts of an item from the sums.
  mutating func removeFromSums(_ slot: Int32) {
    let share = share(of: slot)
    faceSum &-= share.everyone
    if share.owner != 0 { ownerSums[share.owner] &-= share.ofOwner }
  }

  /// Returns an item's share in the sum for all viewers, and in the additional sum of the collection's owner (0 for
  /// none).
  private mutating func share(of slot: Int32) -> (everyone: UInt64, owner: Int, ofOwner: UInt64) {
    let collection = Int(forest.records[slot].collection)
    guard type.hasSecrets, collection >= 0, kind(of: collection).isSecret else {
      return (faceHash(slot, isSeen: visibility(of: slot) == .everyone), 0, 0)
    }
    let everyone = kind(of: collection).isPrivate ? 0 : faceHash(slot, isSeen: false)
    let owner = owner(of: collection)
    guard owner != .spectator else { return (everyone, 0, 0) }
    return (everyone, Int(owner.rawValue), faceHash(slot, isSeen: canSee(slot, from: owner)) &- everyone)
  }

  /// Returns an item's contribution to a sum: its id, its flags, and its face if it is visible. That is kept with the
  /// item: to remove it, however large its face, costs nothing.
  private mutating func faceHash(_ slot: Int32, isSeen: Bool) -> UInt64 {
    guard isSeen else { return computedFaceHash(slot, isSeen: false) }
    let kept = forest.records.address(of: slot).pointee.faceHash
    if kept != 0 { return kept }
    let hash = computedFaceHash(slot, isSeen: true)
    forest.records[slot].faceHash = hash
    return hash
  }

  private func computedFaceHash(_ slot: Int32, isSeen: Bool) -> UInt64 {
    var hash = ByteHash()
    hash.combine(forest.records[slot].id.rawValue)
    hash.combine((isSeen ? 1 : 0) | (forest.records[slot].isPinned ? 2 : 0) as UInt8)
    guard isSeen else { return hash.value }
    let face = faces[slot]
    hash.combine(UInt64(face.attributes.count))
    for attribute in face.attributes { hash.combine(attribute) }
    hash.combine(UInt64(face.representations.count))
    for representation in face.representations {
      hash.combine(representation.contentType)
      hash.combine(representation.data)
    }
    return hash.value
  }
}
