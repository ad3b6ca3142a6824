import BaizeSync
import BaizeTable

// Follows the client's events.
extension TableModel {
  /// Applies all events up to now.
  ///
  /// - Returns: whether more events may follow.
  @discardableResult
  func catchUp() -> Bool {
    guard let update = subscription.take(reading: { ModelUpdate($0, $1) }) else { return false }
    if show(update) { return true }
    // The changes do not fit the arrays: reload everything instead of guessing.
    guard let all = subscription.take(reading: { ModelUpdate($0, $1, isReload: true) }) else { return false }
    _ = show(all)
    return true
  }

  private func show(_ update: ModelUpdate) -> Bool {
    if let refusal = update.refusals.last { lastRefusal = refusal }
    if !update.withoutEffect.isEmpty { history.drop(update.withoutEffect) }
    if connection != update.connection { connection = update.connection }
    if seats != update.seats { seats = update.seats }
    if drags != update.drags { drags = update.drags }
    // A table recreated with other collections needs a new model.
    guard let newStatus = update.status, update.counts.count == collections.count else { return true }
    if let scope = update.undoScope, scope != history.scope { history.enter(scope) }
    if seat != update.seat { seat = update.seat }
    if isHost != update.isHost { isHost = update.isHost }
    let mayAct = update.mayAct && update.enabled.contains(true)
    if isEnabled != mayAct { isEnabled = mayAct }
    if status != newStatus { status = newStatus }
    if variables != update.variables { variables = update.variables }
    for (collection, isEnabled) in zip(collections, update.enabled) where collection.isEnabled != isEnabled {
      collection.isEnabled = isEnabled
    }
    guard let everything = update.everything else { return apply(update) }
    for (collection, items) in zip(collections, everything) where collection.items != items { collection.items = items }
    return true
  }

  /// Applies changes to the affected arrays and assigns each array once.
  ///
  /// - Returns: whether the changes fitted. If not, the model is unchanged.
  private func apply(_ update: ModelUpdate) -> Bool {
    var touched: [Int: [Item]] = [:]
    for changes in update.changes {
      let edit = ModelEdit(changes)
      for handle in edit.collections {
        guard let index = collectionIndices[handle] else { return false }
        guard edit.apply(to: &touched[index, default: collections[index].items], of: handle) else { return false }
      }
    }
    for row in update.rows {
      guard let index = collectionIndices[row.item.collection] else { return false }
      let isThere = touched[index, default: collections[index].items].has(row.item.id, at: row.offset)
      guard isThere else { return false }
      touched[index, default: collections[index].items][row.offset] = row.item
    }
    guard touched.allSatisfy({ index, items in items.count == update.counts[index] }) else { return false }
    for (index, items) in touched { collections[index].items = items }
    return true
  }

}

extension [Item] {
  fileprivate func has(_ item: ItemID, at offset: Int) -> Bool { offset < count && self[offset].id == item }
}
