import BaizeTable

extension TableState {
  /// The first thing in which two states are not alike; `nil` if there is none. It tells no face.
  ///
  /// - Complexity: O(number of items).
  func difference(from other: TableState) -> String? {
    guard revision == other.revision else {
      return "it is of revision \(revision.rawValue), not \(other.revision.rawValue)"
    }
    guard status == other.status else { return "its status is '\(status)', not '\(other.status)'" }
    guard variables == other.variables else { return "its variables are others" }
    guard seats.elementsEqual(other.seats, by: Self.isSame) else { return "its seats are others" }
    guard itemCount == other.itemCount else { return "it has \(itemCount) items, not \(other.itemCount)" }
    for collection in handles {
      if let difference = difference(in: collection, from: other) { return difference }
    }
    return nil
  }

  private func difference(in collection: CollectionHandle, from other: TableState) -> String? {
    let name = type.collections[Int(collection.rawValue) - 1].id
    guard isEnabled(collection) == other.isEnabled(collection) else {
      return "\(name) is \(isEnabled(collection) ? "in use" : "out of use")"
    }
    let ids = itemIDs(in: collection)
    guard ids == other.itemIDs(in: collection) else { return "\(name) has other items, or in another order" }
    for id in ids where item(id) != other.item(id) { return "item \(id.rawValue) in \(name) is another" }
    return nil
  }

  /// Whether somebody is connected is no part of the state.
  private static func isSame(_ left: Seat, _ right: Seat) -> Bool {
    left.number == right.number && left.session == right.session && left.name == right.name
  }
}
