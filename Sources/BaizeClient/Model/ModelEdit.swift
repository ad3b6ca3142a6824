import BaizeSync
import BaizeTable

/// The edit that one event makes to a model's arrays: removals from the highest offset down, then insertions upwards.
struct ModelEdit {
  private var removals: [TableChange.Location] = []
  private var insertions: [(position: TableChange.Location, item: ItemID)] = []

  init(_ changes: [TableChange]) {
    for change in changes {
      switch change {
      case .removed(_, let position): removals.append(position)
      case .inserted(let item, let position): insertions.append((position, item))
      case .moved(let item, let from, let to):
        removals.append(from)
        insertions.append((to, item))
      case .renamed, .renamedCollection, .updated, .status, .variables, .seats, .enabled, .counted, .opened, .closed,
        .reloaded:
        break
      }
    }
    removals.sort { $0.offset > $1.offset }
    insertions.sort { $0.position.offset < $1.position.offset }
  }

  /// The collections that the edit removes items from or inserts items into.
  var collections: Set<CollectionHandle> {
    Set(removals.map(\.collection)).union(insertions.map(\.position.collection))
  }

  /// Applies the edit to one collection. Inserted items have no face yet.
  ///
  /// - Returns: Whether the offsets were valid.
  func apply(to items: inout [Item], of collection: CollectionHandle) -> Bool {
    for position in removals where position.collection == collection {
      guard items.indices.contains(position.offset) else { return false }
      items.remove(at: position.offset)
    }
    for (position, item) in insertions where position.collection == collection {
      guard position.offset <= items.count else { return false }
      items.insert(Item(id: item, collection: collection), at: position.offset)
    }
    return true
  }
}
