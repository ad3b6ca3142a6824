import BaizeSync
import BaizeTable

// From the client's events to what is shown.
extension TableModel {
  /// Shows what has happened up to now.
  ///
  /// - Returns: whether there may be more.
  @discardableResult
  func catchUp() -> Bool {
    guard let news = subscription.take(reading: { ModelNews($0, $1) }) else { return false }
    if show(news) { return true }
    // What does not fit is not mended by guessing: everything is read anew, with all that has happened meanwhile.
    guard let all = subscription.take(reading: { ModelNews($0, $1, isReload: true) }) else { return false }
    _ = show(all)
    return true
  }

  private func show(_ news: ModelNews) -> Bool {
    if let refusal = news.refusals.last { lastRefusal = refusal }
    if connection != news.connection { connection = news.connection }
    if seats != news.seats { seats = news.seats }
    if drags != news.drags { drags = news.drags }
    // A table that was made anew with other collections is for another model.
    guard let newStatus = news.status, news.counts.count == collections.count else { return true }
    if status != newStatus { status = newStatus }
    if variables != news.variables { variables = news.variables }
    for (collection, isEnabled) in zip(collections, news.enabled) where collection.isEnabled != isEnabled {
      collection.isEnabled = isEnabled
    }
    guard let everything = news.everything else { return apply(news) }
    for (collection, items) in zip(collections, everything) where collection.items != items { collection.items = items }
    return true
  }

  /// Applies changes to the arrays that they concern, and shows each of those once.
  ///
  /// - Returns: whether they fitted; if not, nothing is shown.
  private func apply(_ news: ModelNews) -> Bool {
    var touched: [Int: [Item]] = [:]
    for changes in news.changes {
      let edit = ModelEdit(changes)
      if edit.isRenaming { rename(edit, &touched) }
      for handle in edit.collections {
        guard let place = places[handle] else { return false }
        guard edit.apply(to: &touched[place, default: collections[place].items], of: handle) else { return false }
      }
    }
    for row in news.rows {
      guard let place = places[row.item.collection] else { return false }
      let isThere = touched[place, default: collections[place].items].has(row.item.id, at: row.offset)
      guard isThere else { return false }
      touched[place]?[row.offset] = row.item
    }
    guard touched.allSatisfy({ place, items in items.count == news.counts[place] }) else { return false }
    for (place, items) in touched { collections[place].items = items }
    return true
  }

  private func rename(_ edit: ModelEdit, _ touched: inout [Int: [Item]]) {
    for place in collections.indices {
      let items = touched[place] ?? collections[place].items
      if items.contains(where: \.id.isProvisional) { edit.rename(&touched[place, default: items]) }
    }
  }
}

extension [Item] {
  fileprivate func has(_ item: ItemID, at offset: Int) -> Bool { offset < count && self[offset].id == item }
}
