package import BaizeTable

/// Random items and positions, picked by their offset: a choice costs O(log n).
extension TableState {
  /// Returns a move of any item to any position, in a table type that allows that.
  ///
  /// - Parameter moved: The items of the author's last moves, which are no anchors: this state may have them where they were.
  package func anyMove(_ random: inout some DecisionSource, not moved: [ItemID]) -> TableOperation.Kind? {
    guard let item = anyItem(&random) else { return nil }
    let target = anyCollection(&random)
    var destination = anyDestination(in: target, &random)
    if case .before(let anchor) = destination.position, moved.contains(anchor) { destination.position = .end }
    return .move(ItemList(item), to: destination)
  }

  /// Returns an item, each as likely as the others of its collection.
  package func anyItem(_ random: inout some DecisionSource) -> ItemID? {
    let handles = handles
    let start = random.below(handles.count) + 1
    for step in handles.indices {
      let handle = handles[(start + step) % handles.count]
      let count = visibleCount(in: handle)
      if count > 0 { return item(at: random.below(count), in: handle) }
    }
    return nil
  }

  package func anyCollection(_ random: inout some DecisionSource) -> CollectionHandle {
    random.pick(handles)
  }

  /// Returns a position in a collection.
  package func anyDestination(in handle: CollectionHandle, _ random: inout some DecisionSource) -> Destination {
    let count = visibleCount(in: handle)
    let offset = random.below(count + 1)
    guard offset < count, let anchor = item(at: offset, in: handle) else { return .end(of: handle) }
    return .before(anchor, in: handle)
  }

  /// Returns the number of items of a collection whose ids this state has.
  package func visibleCount(in handle: CollectionHandle) -> Int { count(in: handle) - hiddenCount(in: handle) }
}
