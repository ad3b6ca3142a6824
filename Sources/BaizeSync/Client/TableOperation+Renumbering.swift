import BaizeTable

extension TableOperation.Kind {
  /// The same with the items that other operations make named by those operations' new numbers.
  ///
  /// What was judged under another epoch is not undone any more, and its number may be another operation's by now.
  func renumbered(_ numbers: [SequenceNumber: SequenceNumber]) -> Self {
    if case .undo(let number) = self { return .undo(numbers[number] ?? .zero) }
    return renamed { item in
      guard item.isProvisional, let number = numbers[item.provisionalOperation] else { return item }
      return .provisional(operation: number, number: item.provisionalNumber)
    }
  }

  /// The same with the daemon's names for what answered operations have made: said anew, it is of a time when those were
  /// answered, and the daemon remembers no longer what they were called before.
  func named(by memory: AuthorMemory) -> Self {
    renamed { item in item.isProvisional ? memory.resolve(item) ?? item : item }
  }

  /// The same with other names for items.
  private func renamed(_ name: (ItemID) -> ItemID) -> Self {
    func renamed(_ items: ItemList) -> ItemList { ItemList(items.map(name)) }
    func renamed(_ destination: Destination) -> Destination {
      Destination(
        collection: destination.collection, position: Position(anchor: name(destination.position.anchor)),
        then: name(destination.then))
    }
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
    case .undo, .unknown: return self
    }
  }
}
