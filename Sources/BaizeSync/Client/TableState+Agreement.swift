import BaizeTable

extension TableState {
  /// Returns whether what an operation is about stands here as in the older state that its author saw, so that it would be made again
  /// here: its items, with their contents, in the same collections and beside a neighbor as there; and where there are turns, the
  /// status and the variables. What only its author has made, and is in neither, agrees.
  ///
  /// - Parameters:
  ///   - seen: The older state; `nil` if it is not known.
  ///   - kind: What the operation does.
  /// - Complexity: O(k log n) for k items, and the number of variables.
  func agrees(with seen: TableState?, about kind: TableOperation.Kind) -> Bool {
    let (hasTurns, subjects) = (type.turns != .free, kind.subjects)
    guard let seen else { return !hasTurns && subjects.isEmpty }
    if hasTurns, status != seen.status || variables != seen.variables { return false }
    return subjects.allSatisfy { item($0) == seen.item($0) && standsBesideTheSame($0, as: seen) }
  }

  private func standsBesideTheSame(_ item: ItemID, as seen: TableState) -> Bool {
    let (here, there) = (neighbors(of: item), seen.neighbors(of: item))
    return here?.before == there?.before || here?.after == there?.after
  }

  private func neighbors(of item: ItemID) -> (before: ItemID?, after: ItemID?)? {
    guard let collection = collection(of: item), let offset = offset(of: item) else { return nil }
    return (offset > 0 ? self.item(at: offset - 1, in: collection) : nil, self.item(at: offset + 1, in: collection))
  }
}

extension TableOperation.Kind {
  /// The items that it is about: those that it moves, takes off the table, or changes.
  fileprivate var subjects: ItemList {
    switch self {
    case .reorder(let difference, _): difference.sources
    case .remove(let items), .perform(_, let items, _): items
    case .update(let item, _, _): [item]
    case .insert, .undo, .unknown, .invalid: []
    }
  }
}
