public import BaizeTable
public import BaizeWire

extension StateLoader {
  /// Adds the next part of a snapshot: its collections and its items.
  ///
  /// - Throws: `DiffMismatch` if the part names a collection that the table type does not have, or an item twice.
  public mutating func add(_ part: SnapshotPart) throws(DiffMismatch) {
    try check(part.variables)
    // They open some of the collections.
    try add(part.items)
    for collection in part.collections {
      try describe(collection.handle, isEnabled: collection.isEnabled, count: Int(collection.count))
    }
  }
}
