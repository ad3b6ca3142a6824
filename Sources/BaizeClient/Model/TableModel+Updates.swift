import BaizeSync
import BaizeTable
import BaizeWire

// Follows the client's events.
extension TableModel {
  /// Applies all events up to now.
  ///
  /// - Returns: Whether more events may follow.
  @discardableResult
  func catchUp() -> Bool {
    guard let update = subscription.take(reading: { ModelUpdate($0, $1) }) else { return false }
    if show(update) { return true }
    // The changes do not fit the arrays: reload everything instead of guessing.
    guard let all = subscription.take(reading: { ModelUpdate($0, $1, isReload: true) }) else { return false }
    _ = show(all)
    return true
  }

  private func show(ends: [Instant?]) {
    let (now, shownNow) = (Instant.now, ContinuousClock.now)
    func shown(_ end: Instant?) -> ContinuousClock.Instant? { end.map { shownNow + $0.duration(since: now) } }
    self.ends = ends
    (turnEnd, tableEnd) = (shown(ends[0]), shown(ends[1]))
  }

  private func show(_ chat: Chat) {
    if let reason = chat.refusal {
      lastRefusal = Refusal(reason, detail: "nobody received the message")
    } else {
      chats.append(chat)
      if chats.count > ClientLimits.chatsMax { chats.removeFirst(chats.count - ClientLimits.chatsMax) }
    }
  }

  private func show(_ update: ModelUpdate) -> Bool {
    if let refusal = update.refusals.last { lastRefusal = refusal }
    if !update.withoutEffect.isEmpty { history.drop(update.withoutEffect) }
    if connection != update.connection { connection = update.connection }
    if seats != update.seats { seats = update.seats }
    if drags != update.drags { drags = update.drags }
    if presence != update.presence { presence = update.presence }
    for chat in update.chats { show(chat) }
    if watching != update.watching { watching = update.watching }
    if ends != update.ends { show(ends: update.ends) }
    if let known = update.collections { self.update(known) }
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
  /// - Returns: Whether the changes fitted. If not, the model is unchanged.
  private func apply(_ update: ModelUpdate) -> Bool {
    guard let edited = update.edits(indices: collectionIndices, of: { collections[$0].items }) else { return false }
    for (index, items) in edited { collections[index].items = items }
    return true
  }
}
