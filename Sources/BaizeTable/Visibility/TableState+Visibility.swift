/// Visibility: the checks that every rule, diff and snapshot makes before it reveals something (I6).
extension TableState {
  /// Returns the viewers that may see the face of an item.
  func visibility(of slot: Int32) -> FaceVisibility {
    forest.records[slot].isFaceKnown
      ? visibility(in: Int(forest.records[slot].collection), isFaceUp: forest.records[slot].isFaceUp) : .nobody
  }

  func visibility(in collection: Int, isFaceUp: Bool) -> FaceVisibility {
    collection < 0 ? (isFaceUp ? .everyone : .nobody) : traits[collection].visibility(isFaceUp: isFaceUp)
  }

  /// Returns whether a rule may depend on the item's face if `seat` is the author.
  func canSee(_ slot: Int32, from seat: SeatNumber) -> Bool { visibility(of: slot).includes(seat) }

  @inline(__always) func isVisible(_ collection: Int, to viewer: SeatNumber) -> Bool {
    collection < 0 || traits[collection].isVisible(to: viewer)
  }

  /// Returns whether `viewer` may see the items of a collection and their order. Everyone may see their number.
  package func isVisible(_ collection: CollectionHandle, to viewer: SeatNumber) -> Bool {
    let index = index(of: collection)
    return index >= 0 && isVisible(index, to: viewer)
  }

  /// Returns the slot of an item; −1 if it does not exist or `viewer` may not see it, which must look the same to it.
  @inline(__always) func slot(of item: ItemID, for viewer: SeatNumber) -> Int32 {
    let slot = index.slot(of: item)
    guard slot >= 0, type.hasSecrets, !isVisible(Int(forest.records[slot].collection), to: viewer) else { return slot }
    return -1
  }

  /// Returns whether `viewer` may know that the item exists.
  package func isVisible(_ item: ItemID, to viewer: SeatNumber) -> Bool { slot(of: item, for: viewer) >= 0 }

  /// Returns the items of a list, and the destination, as `viewer` may see them: without hidden items and positions.
  package func visible(
    _ items: ItemList, over destination: Destination?, to viewer: SeatNumber
  ) -> (items: ItemList, destination: Destination?) {
    guard type.hasSecrets else { return (items, destination) }
    let shown = ItemList(items.filter { isVisible($0, to: viewer) })
    guard let destination, !isVisible(destination.collection, to: viewer) else { return (shown, destination) }
    return (shown, .end(of: destination.collection))
  }

  /// Returns the number of items in a collection that this replica's viewer may not see.
  package func hiddenCount(in collection: CollectionHandle) -> Int {
    let index = index(of: collection)
    return index < 0 ? 0 : collections[index].hiddenCount
  }

  // MARK: Rules

  /// G12: refuses a condition that would read a face hidden from the author.
  func checkVisibility(_ condition: Condition, _ context: RuleContext) throws(Refusal) {
    if condition.reads.contains(.item), case .slot(let slot) = context.item {
      try checkVisibility(of: slot, condition, context)
    }
    if condition.reads.contains(.below), context.below >= 0 {
      try checkVisibility(of: context.below, condition, context)
    }
    if condition.reads.contains(.counted) { try checkCounts(of: condition, context) }
  }

  private func checkVisibility(of slot: Int32, _ condition: Condition, _ context: RuleContext) throws(Refusal) {
    if condition.isBlind {
      // The authority knows every face. A replica does not, and then cannot predict a blind rule.
      guard forest.records[slot].isFaceKnown else { throw Refusal.unpredictable }
    } else if !canSee(slot, from: context.seat) {
      throw Refusal(.faceHidden, rule: condition.path, detail: "the rule depends on a hidden face")
    }
  }

  /// Returns the collections that `slots` are in, each once; if there are secrets, in an order that reveals nothing
  /// about the order of the slots.
  @inline(__always) func collections(of slots: SlotList) -> InlineList<Int> {
    if case .one(let slot) = slots { return .one(collection(slot)) }
    return collectionsOfSeveral(slots)
  }

  @inline(never) private func collectionsOfSeveral(_ slots: SlotList) -> InlineList<Int> {
    var collections = InlineList<Int>()
    // Not searched: there may be as many collections as items.
    var listed: Set<Int> = []
    for slot in slots where listed.insert(collection(slot)).inserted { collections.append(collection(slot)) }
    if type.hasSecrets, collections.count > 1 { return InlineList(collections.sorted()) }
    return collections
  }

  // MARK: Replicas

  /// Returns the state as a replica of `seat` has it.
  ///
  /// - Complexity: O(n).
  package func view(for seat: SeatNumber) throws(DiffMismatch) -> TableState {
    var loader = StateLoader(type: type)
    for handle in handlesFromTop {
      try loader.describe(handle, isEnabled: isEnabled(handle), count: count(in: handle))
      guard isVisible(handle, to: seat) else { continue }
      try loader.add(items(in: handle, from: 0, limit: count(in: handle)).map { $0.view(for: seat) })
    }
    return loader.finish(revision: revision, status: status, variables: variables, seats: seats)
  }
}

extension CollectionTraits {
  /// Returns the viewers that may see the face of an item, face up or not, in the collection.
  func visibility(isFaceUp: Bool) -> FaceVisibility {
    guard isFaceUp else { return .nobody }
    guard flags.contains(.isSecret) else { return .everyone }
    return owner == .spectator ? .nobody : .seat(owner)
  }

  /// Returns whether `viewer` may see the items of the collection and their order.
  @inline(__always) func isVisible(to viewer: SeatNumber) -> Bool {
    guard flags.contains(.isPrivate) else { return true }
    return owner != .spectator && owner == viewer
  }
}

/// Visibility that depends on the table type alone.
extension TableType {
  /// The differences between the views of a table.
  package enum Views: Sendable {
    /// Every viewer sees everything.
    case complete
    /// All viewers have the same view; some faces are hidden from all.
    case sameForAll
    case differ

    // Both without the call of a witness.
    @inlinable @inline(__always) package static func == (left: Self, right: Self) -> Bool {
      switch (left, right) {
      case (.complete, .complete), (.sameForAll, .sameForAll), (.differ, .differ): true
      default: false
      }
    }

    @inlinable @inline(__always) package static func != (left: Self, right: Self) -> Bool { !(left == right) }
  }

  package var views: Views {
    hasSecrets ? .differ : kinds.contains { $0.faces != .up } ? .sameForAll : .complete
  }
}
