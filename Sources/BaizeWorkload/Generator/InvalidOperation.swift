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
    case .noSources: .move([], to: destination)
    case .sourceTwice: .move([item, item], to: destination)
    case .unknownCollection: .move([item], to: elsewhere)
    case .unknownItem: .move([unknown], to: destination)
    case .unknownAnchor: .move([item], to: .before(unknown, in: destination.collection))
    case .partlyUnknown: .remove([item, unknown])
    case .unknownAction: .perform(action: "no such action", items: [item], nil)
    case .nothingNew: .insert([], elsewhere)
    }
  }
}
