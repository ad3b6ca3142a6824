import BaizeTable

extension TableOperation.Kind {
  /// The same with the items that other operations make named by those operations' new numbers.
  func renumbered(_ numbers: [SequenceNumber: SequenceNumber]) -> Self {
    func renamed(_ item: ItemID) -> ItemID {
      guard item.isProvisional, let number = numbers[item.provisionalOperation] else { return item }
      return .provisional(operation: number, number: item.provisionalNumber)
    }
    func renamed(_ items: ItemList) -> ItemList { ItemList(items.map(renamed)) }
    func renamed(_ destination: Destination) -> Destination {
      Destination(
        collection: destination.collection, position: Position(anchor: renamed(destination.position.anchor)),
        then: renamed(destination.then))
    }
    switch self {
    case .reorder(let difference, let suggested):
      return .reorder(
        ReorderDifference(sources: renamed(difference.sources), destination: renamed(difference.destination)),
        suggested: suggested)
    case .insert(let items, let destination): return .insert(items, renamed(destination))
    case .remove(let items): return .remove(renamed(items))
    case .update(let item, let attributes, let representations):
      return .update(renamed(item), attributes: attributes, representations: representations)
    case .perform(let action, let items, let destination):
      return .perform(action: action, items: renamed(items), destination.map(renamed))
    case .undo(let number): return .undo(numbers[number] ?? number)
    case .unknown: return self
    }
  }
}
