public import BaizeTable
public import BaizeWire

extension StateLoader {
  /// Adds the next part of a snapshot: its collections and its items.
  ///
  /// - Throws: `DiffMismatch` if the part names a collection that the table type does not have, or an item twice.
  public mutating func add(_ part: SnapshotPart) throws(DiffMismatch) {
    for collection in part.collections {
      try describe(collection.handle, isEnabled: collection.isEnabled, count: Int(collection.count))
    }
    try check(part.variables)
    try add(part.items)
  }
}
