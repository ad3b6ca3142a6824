import BaizeSync
import BaizeTable

/// The edit that one event makes to a model's arrays: removals from the highest offset down, then insertions upwards.
struct ModelEdit {
  private var removals: [TableChange.Place] = []
  private var insertions: [(place: TableChange.Place, item: ItemID)] = []
  private var names: [ItemID: ItemID] = [:]

  init(_ changes: [TableChange]) {
    for change in changes {
      switch change {
      case .removed(_, let place): removals.append(place)
      case .inserted(let item, let place): insertions.append((place, item))
      case .moved(let item, let from, let to):
        removals.append(from)
        insertions.append((to, item))
      case .renamed(let old, let new): names[old] = new
      case .updated, .status, .variables, .seats, .enabled, .counted, .reloaded: break
      }
    }
    removals.sort { $0.offset > $1.offset }
    insertions.sort { $0.place.offset < $1.place.offset }
  }

  var isRenaming: Bool { !names.isEmpty }

  /// The collections that the edit removes items from or inserts items into.
  var collections: Set<CollectionHandle> {
    Set(removals.map(\.collection)).union(insertions.map(\.place.collection))
  }

  func rename(_ items: inout [Item]) {
    for place in items.indices where items[place].id.isProvisional {
      if let name = names[items[place].id] { items[place].id = name }
    }
  }

  /// Applies the edit to one collection. Inserted items have no face yet.
  ///
  /// - Returns: whether the offsets were valid.
  func apply(to items: inout [Item], of collection: CollectionHandle) -> Bool {
    for place in removals where place.collection == collection {
      guard items.indices.contains(place.offset) else { return false }
      items.remove(at: place.offset)
    }
    for (place, item) in insertions where place.collection == collection {
      guard place.offset <= items.count else { return false }
      items.insert(Item(id: item, collection: collection), at: place.offset)
    }
    return true
  }
}
