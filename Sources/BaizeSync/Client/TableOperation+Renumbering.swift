package import BaizeTable

extension TableOperation.Kind {
  /// Returns the operation with provisional ids by the new sequence numbers of the operations that create the items.
  ///
  /// Other numbers after `last` are of operations that the daemon has lost, and are given again: their items are replaced by
  /// ids of operation 0, which made nothing.
  ///
  /// An operation of another epoch cannot be undone any more: its number may be another operation's by now.
  func renumbered(_ numbers: [SequenceNumber: SequenceNumber], after last: SequenceNumber) -> Self {
    if case .undo(let number) = self { return .undo(numbers[number] ?? .zero) }
    return renamed { item in
      guard item.isProvisional else { return item }
      let former = item.provisionalOperation
      let number = numbers[former] ?? (former > last ? .zero : former)
      return .provisional(operation: number, number: item.provisionalNumber)
    }
  }

  /// Returns the operation with final ids for the items that acknowledged operations have created: the operation is
  /// rewritten after their answers, which the daemon may no longer remember.
  func named(by memory: AuthorMemory) -> Self {
    renamed { item in item.isProvisional ? memory.resolve(item) ?? item : item }
  }

  /// Returns the operation with other ids for items.
  package func renamed(_ name: (ItemID) -> ItemID) -> Self {
    func renamed(_ items: ItemList) -> ItemList { ItemList(items.map(name)) }
    func renamed(_ destination: Destination) -> Destination { destination.renamed(name) }
    switch self {
    case .reorder(let difference, let suggested):
      return .reorder(
        ReorderDifference(sources: renamed(difference.sources), destination: renamed(difference.destination)),
        suggested: suggested)
    case .insert(let items, let destination): return .insert(items, renamed(destination))
    case .remove(let items): return .remove(renamed(items))
    case .update(let item, let attributes, let representations):
      return .update(name(item), attributes: attributes, representations: representations)
    case .perform(let action, let items, let destination):
      return .perform(action: action, items: renamed(items), destination.map(renamed))
    case .undo, .unknown, .invalid: return self
    }
  }
}

extension Destination {
  /// Returns the destination with other ids for items.
  package func renamed(_ name: (ItemID) -> ItemID) -> Destination {
    var renamed = self
    renamed.position = Position(anchor: name(position.anchor))
    if hasContainer { renamed.container = name(container) }
    if case .item(let item) = after { renamed.after = .item(name(item)) }
    return renamed
  }
}
