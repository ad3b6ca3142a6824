package import BaizeTable

/// An operation that the rules of no table allow.
public enum InvalidOperation: Hashable, Sendable, CaseIterable {
  case noSources
  case sourceTwice
  case unknownCollection
  case unknownItem
  case unknownAnchor
  case partlyUnknown
  case unknownAction
  case nothingNew

  package func operation(_ item: ItemID, _ destination: Destination) -> TableOperation.Kind {
    let unknown = ItemID(rawValue: 1 << 40)
    let elsewhere = Destination.end(of: CollectionHandle(rawValue: .max))
    return switch self {
    case .noSources: Self.reorder([], destination)
    case .sourceTwice: Self.reorder([item, item], destination)
    case .unknownCollection: Self.reorder([item], elsewhere)
    case .unknownItem: Self.reorder([unknown], destination)
    case .unknownAnchor: Self.reorder([item], .before(unknown, in: destination.collection))
    case .partlyUnknown: .remove([item, unknown])
    case .unknownAction: .perform(action: "no such action", items: [item], nil)
    case .nothingNew: .insert([], elsewhere)
    }
  }

  private static func reorder(_ sources: ItemList, _ destination: Destination) -> TableOperation.Kind {
    .reorder(ReorderDifference(sources: sources, destination: destination), suggested: [])
  }
}
