import BaizeTable

/// Items that a model has lifted, so that it recognizes them when they are dropped.
///
/// Ids are unique at one table only. An app that shows two tables cannot tell by its ids whether dragged items belong to the
/// table below, and must not: items of the other table would move here what has the same ids.
struct Lift {
  let model: ObjectIdentifier
  let items: [ItemID]
  /// The operations that the drag offered when it was last over its own table.
  var suggested: DropOperation.Set = []
}

/// The latest lifts of all models of the app, oldest first.
@MainActor
struct Lifts {
  private var lifts: [Lift] = []

  /// Adds a lift. It replaces one of the same ids, whatever its model: that drag is over.
  mutating func add(_ lift: Lift) {
    lifts.removeAll { $0.items == lift.items }
    if lifts.count >= ClientLimits.liftsMax { lifts.removeFirst() }
    lifts.append(lift)
  }

  subscript(items: [ItemID]) -> Lift? { lifts.last { $0.items == items } }

  mutating func hovered(_ items: [ItemID], _ suggested: DropOperation.Set) {
    guard let index = lifts.lastIndex(where: { $0.items == items }) else { return }
    lifts[index].suggested = suggested
  }
}

extension Lift {
  @MainActor static var latest = Lifts()
}
