import BaizeSync
import BaizeTable

/// A minimal user interface: arrays of ids and faces by id, updated only by the reported changes.
struct ShownTable: Equatable {
  private(set) var collections: [CollectionHandle: [ItemID]] = [:]
  private(set) var faces: [ItemID: Shown] = [:]
  private(set) var hiddenCounts: [CollectionHandle: Int] = [:]
  private(set) var status = ""
  private(set) var variables: [Attribute] = []
  private(set) var seats: [Seat] = []

  struct Shown: Equatable {
    var face: Face?
    var isUp: Bool
    var isPinned: Bool
  }

  init(_ state: TableState) {
    for handle in state.handles {
      let items = state.itemIDs(in: handle)
      collections[handle] = items
      hiddenCounts[handle] = state.count(in: handle) - items.count
      for item in items { faces[item] = Self.shown(item, state) }
    }
    status = state.status
    variables = state.variables
    seats = state.seats
  }

  private static func shown(_ item: ItemID, _ state: TableState) -> Shown {
    Shown(face: state.face(of: item), isUp: state.isFaceUp(item), isPinned: state.isPinned(item))
  }

  /// Removes from the highest offset down, then inserts from the lowest up.
  ///
  /// - Returns: The first mistake in the changes, if any.
  mutating func apply(_ changes: [TableChange], to state: TableState) -> String? {
    var outs: [(id: ItemID, location: TableChange.Location)] = []
    var ins: [(id: ItemID, location: TableChange.Location)] = []
    for change in changes {
      switch change {
      case .removed(let id, let location): outs.append((id, location))
      case .inserted(let id, let location): ins.append((id, location))
      case .moved(let id, let from, let to):
        outs.append((id, from))
        ins.append((id, to))
      case .renamed(let old, let new):
        guard outs.isEmpty, ins.isEmpty else { return "a rename follows other changes" }
        for (handle, items) in collections { collections[handle] = items.map { $0 == old ? new : $0 } }
        faces[new] = faces.removeValue(forKey: old)
      case .renamedCollection(let old, let new):
        guard outs.isEmpty, ins.isEmpty else { return "a rename follows other changes" }
        collections[new] = collections.removeValue(forKey: old)
        hiddenCounts[new] = hiddenCounts.removeValue(forKey: old)
      case .updated: break
      case .status(let status): self.status = status
      case .variables: variables = state.variables
      case .seats: seats = state.seats
      case .enabled: break
      case .counted(let handle, let count): hiddenCounts[handle] = count
      case .opened(let handle, _):
        collections[handle] = collections[handle] ?? []
        hiddenCounts[handle] = 0
      case .closed: break
      case .reloaded: self = ShownTable(state)
      }
    }
    for (id, location) in outs.sorted(by: { $0.location.offset > $1.location.offset }) {
      guard let items = collections[location.collection], items.indices.contains(location.offset),
        items[location.offset] == id
      else { return "item \(id.rawValue) is not at \(location.offset) of \(location.collection.rawValue)" }
      collections[location.collection]?.remove(at: location.offset)
    }
    for (id, location) in ins.sorted(by: { $0.location.offset < $1.location.offset }) {
      guard let count = collections[location.collection]?.count, location.offset <= count else {
        return "item \(id.rawValue) cannot go to \(location.offset) of \(location.collection.rawValue)"
      }
      collections[location.collection]?.insert(id, at: location.offset)
    }
    for change in changes {
      switch change {
      case .removed(let id, _): faces[id] = nil
      case .inserted(let id, _), .updated(let id): faces[id] = Self.shown(id, state)
      case .moved, .renamed, .renamedCollection, .status, .variables, .seats, .enabled, .counted, .opened, .reloaded:
        break
      case .closed(let handle):
        guard collections[handle]?.isEmpty ?? true else { return "\(handle) is closed and has items" }
        collections[handle] = nil
        hiddenCounts[handle] = nil
      }
    }
    return nil
  }

  /// Returns the first difference from a state, if any.
  func difference(from state: TableState) -> String? {
    let other = ShownTable(state)
    guard self != other else { return nil }
    for handle in state.handles where collections[handle] != other.collections[handle] {
      let shown = (collections[handle] ?? []).map(\.rawValue)
      return "collection \(handle.rawValue) shows \(shown), not \((other.collections[handle] ?? []).map(\.rawValue))"
    }
    if hiddenCounts != other.hiddenCounts { return "private collections are counted wrongly" }
    for (id, shown) in other.faces where faces[id] != shown { return "item \(id.rawValue) shows another face" }
    if status != other.status { return "the status is shown as \(status)" }
    return "variables, seats or stray faces differ"
  }
}
