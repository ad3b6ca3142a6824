/// The collections that items open.
///
/// ```
/// collections   those of the table type │ those that items opened, in the order in which they were opened first
/// index         0 1 2 …                 │ handle − 1, open or gone
/// ```
///
/// A collection is open as long as its item is on the table. A removed collection keeps its index, so that a gap in it is
/// never carried elsewhere, and an undo opens it again. In a replica, the collections of items that pending operations
/// make are behind all others, under handles of their own.
extension TableState {
  /// Returns the index of an open collection; −1 if there is none with this handle.
  @inline(__always) func index(of collection: CollectionHandle) -> Int {
    let index = collection.index
    return isOpen(index) ? index : provisionalIndex(of: collection)
  }

  /// Returns whether there is an open collection at an index, under the handle that this gives it.
  @inline(__always) func isOpen(_ index: Int) -> Bool {
    traits.indices.contains(index) && traits[index].flags.isDisjoint(with: [.isGone, .isProvisional])
  }

  @inline(never) private func provisionalIndex(of collection: CollectionHandle) -> Int {
    guard collection.isProvisional else { return -1 }
    var index = collections.count - 1
    while index >= 0, traits[index].flags.contains(.isProvisional) {
      if !isGone(index), handle(index) == collection { return index }
      index -= 1
    }
    return -1
  }

  /// Returns the index of the open collection that a destination names; −1 if there is none.
  func index(of destination: Destination) -> Int {
    guard destination.hasContainer else { return index(of: destination.collection) }
    let slot = index.slot(of: destination.container)
    return slot < 0 ? -1 : opens(slot)
  }

  /// Returns whether the table has the collection that a destination names.
  package func isKnown(_ destination: Destination) -> Bool { index(of: destination) >= 0 }

  /// Returns the handle of the collection at an index.
  func handle(_ index: Int) -> CollectionHandle {
    guard index >= 0, traits[index].flags.contains(.isProvisional), collections[index].opener >= 0 else {
      return CollectionHandle(index: index)
    }
    return .provisional(openedBy: id(collections[index].opener))
  }

  /// Returns whether the collection at an index was removed, or never opened here.
  func isGone(_ index: Int) -> Bool { traits[index].flags.contains(.isGone) }

  /// Returns whether a handle is one that an item's collection has, had or could have got, and no collection is open under it. A
  /// replica does not know the last handles that were given before its snapshot, nor a daemon those that a crash has lost.
  func isGone(_ collection: CollectionHandle) -> Bool {
    type.opensCollections && collection.index >= type.collections.count && index(of: collection) < 0
  }

  /// Returns the index of the collection that an item opens; −1 for none.
  func opens(_ slot: Int32) -> Int { Int(forest.records.address(of: slot).pointee.opens) }

  /// Returns the length of the longest chain of kinds that open one another and end with a collection's.
  func depth(of collection: Int) -> Int { type.depths[Int(traits[collection].kind)] }

  /// All collection handles in an order in which each comes behind the collection with the item that opens it.
  ///
  /// - Complexity: O(c) for c collections, gone ones included.
  public var handlesFromTop: [CollectionHandle] {
    guard type.opensCollections else { return handles }
    var levels = Array(repeating: [CollectionHandle](), count: (type.depths.max() ?? 0) + 1)
    for index in collections.indices where !isGone(index) { levels[depth(of: index)].append(handle(index)) }
    return Array(levels.joined())
  }

  /// One more than the highest handle ever given, which the journal keeps; 0 if no item ever opened a collection.
  package var openedHandlesEnd: UInt32 {
    openedHandlesCount == 0 ? 0 : UInt32(truncatingIfNeeded: collections.count + 1)
  }

  /// Returns the collections, of those that are open in an older state of the table, too, that were enabled or disabled since,
  /// and those in which another number of items is hidden from the viewer.
  ///
  /// - Complexity: O(c) for c collections, gone ones included.
  package func collectionsChanged(
    since old: TableState
  ) -> (enabled: [CollectionHandle], counted: [CollectionHandle]) {
    var (enabled, counted) = ([CollectionHandle](), [CollectionHandle]())
    for index in 0..<min(collections.count, old.collections.count) {
      let (before, after) = (old.collections[index], collections[index])
      guard before.isEnabled != after.isEnabled || before.hiddenCount != after.hiddenCount else { continue }
      let flags = old.traits[index].flags.union(traits[index].flags)
      guard flags.isDisjoint(with: [.isGone, .isProvisional]) else { continue }
      if before.isEnabled != after.isEnabled { enabled.append(handle(index)) }
      if before.hiddenCount != after.hiddenCount { counted.append(handle(index)) }
    }
    return (enabled, counted)
  }

  /// The work of a view hash for the collections that items opened, as a number of nodes of orders.
  package var openingsHashed: Int { openedCount / 2 + openedHandlesCount / 64 }

  /// The number of collections that were ever opened.
  var openedHandlesCount: Int { collections.count - type.collections.count }

  // MARK: Changing

  /// Opens the collection of a new item, which is in no collection of its own yet.
  ///
  /// - Parameters:
  ///   - index: The index of the collection: one that is gone, or at least the number of collections.
  ///   - kind: The index of its kind.
  mutating func open(_ index: Int, of kind: Int, by slot: Int32) {
    predictionLog?.append(.opened(slot: slot, count: collections.count))
    reserve(index + 1)
    precondition(isGone(index), "collection \(index) is open")
    traits[index] = type.kindTraits[kind]
    if id(slot).isProvisional { traits[index].flags.insert(.isProvisional) }
    // Its vacant positions stay: an undo may return items to them.
    let chain = collections[index].chain
    collections[index] = CollectionState(opener: slot)
    collections[index].chain = chain
    forest.records[slot].opens = Int32(truncatingIfNeeded: index)
    openedCount += 1
  }

  /// Makes sure that there are at least `count` collections, gone ones included.
  mutating func reserve(_ count: Int) {
    while collections.count < count {
      collections.append(CollectionState())
      traits.append(.gone(like: traits[0]))
    }
  }

  /// Closes the collection of an item that leaves the table.
  mutating func close(_ index: Int) {
    precondition(count(index) == 0, "collection \(index) is closed and has items")
    traits[index].flags.insert(.isGone)
    collections[index].opener = -1
    openedCount -= 1
  }

  /// Opens a collection again as it was when it was closed.
  mutating func reopen(_ index: Int, by slot: Int32) {
    traits[index].flags.remove(.isGone)
    collections[index].opener = slot
    openedCount += 1
  }

  /// Reverses ``open(_:of:by:)``.
  mutating func unopen(_ slot: Int32, count: Int) {
    close(opens(slot))
    forest.records[slot].opens = -1
    collections.removeLast(collections.count - count)
    traits.removeLast(traits.count - count)
  }
}
