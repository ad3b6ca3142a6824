import BaizeSync
import BaizeTable

extension ModelUpdate {
  /// Applies the changes to the arrays of the collections that they touch.
  ///
  /// - Parameters:
  ///   - indices: The index of each collection in the model.
  ///   - items: Returns the items that the model shows of a collection.
  /// - Returns: The new items by the collection's index; `nil` if the changes do not fit, so that everything must be read again.
  func edits(
    indices: [CollectionHandle: Int], of items: (_ collection: Int) -> [Item]
  ) -> [Int: [Item]]? {
    var edited: [Int: [Item]] = [:]
    for changes in changes {
      let edit = ModelEdit(changes)
      for handle in edit.collections {
        guard let index = indices[handle], edit.apply(to: &edited[index, default: items(index)], of: handle) else {
          return nil
        }
      }
    }
    for row in rows {
      guard let index = indices[row.item.collection] else { return nil }
      guard edited[index, default: items(index)].has(row.item.id, at: row.offset) else { return nil }
      edited[index, default: items(index)][row.offset] = row.item
    }
    guard edited.allSatisfy({ index, items in items.count == counts[index] }) else { return nil }
    return edited
  }
}

extension [Item] {
  fileprivate func has(_ item: ItemID, at offset: Int) -> Bool { offset < count && self[offset].id == item }
}
