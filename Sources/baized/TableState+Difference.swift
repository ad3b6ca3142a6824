import BaizeTable

extension TableState {
  /// Describes the first difference between two states, without faces; `nil` if there is none.
  ///
  /// - Complexity: O(number of items).
  func difference(from other: TableState) -> String? {
    guard revision == other.revision else {
      return "it has revision \(revision.rawValue), not \(other.revision.rawValue)"
    }
    guard status == other.status else { return "its status is '\(status)', not '\(other.status)'" }
    guard variables == other.variables else { return "its variables differ" }
    guard seats.elementsEqual(other.seats, by: Self.isSame) else { return "its seats differ" }
    guard itemCount == other.itemCount else { return "it has \(itemCount) items, not \(other.itemCount)" }
    guard handles == other.handles else { return "its items open other collections" }
    for collection in handles {
      if let difference = difference(in: collection, from: other) { return difference }
    }
    return nil
  }

  private func difference(in collection: CollectionHandle, from other: TableState) -> String? {
    let name = rules(of: collection).id
    guard isEnabled(collection) == other.isEnabled(collection) else {
      return "\(name) is \(isEnabled(collection) ? "enabled" : "disabled")"
    }
    let ids = itemIDs(in: collection)
    guard ids == other.itemIDs(in: collection) else { return "\(name) has different items or a different order" }
    for id in ids where item(id) != other.item(id) { return "item \(id.rawValue) in \(name) differs" }
    return nil
  }

  /// Compares two seats. Whether a session is connected is not part of the state.
  private static func isSame(_ left: Seat, _ right: Seat) -> Bool {
    left.number == right.number && left.person == right.person && left.name == right.name
  }
}
