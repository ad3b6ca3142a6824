public import BaizeTable

extension Diff {
  /// The items that the diff changes.
  public var items: Set<ItemID> {
    var items: Set<ItemID> = []
    for change in changes {
      switch change {
      case .moved(let moved, _), .removed(let moved): items.formUnion(moved)
      case .inserted(let inserted, _), .faced(let inserted): items.formUnion(inserted.map(\.id))
      case .status, .enabled, .counted, .variables, .seats: break
      }
    }
    return items
  }
}
