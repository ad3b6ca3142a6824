import BaizeTable
import BaizeWire

/// The time of a turn and of the table, where the table type limits it.
extension TableMachine {
  /// Returns whether a time is up, by what was known at the end of the table's last turn.
  func isTimeUp(at now: Instant) -> Bool { clock?.due(at: now) != nil }

  /// Carries out what the table type says happens when the time is up, as the daemon's own operation.
  ///
  /// - Returns: The work that was done, in units of a turn's budget.
  mutating func expire(at now: Instant, into batch: FrameBatch) -> Int {
    // An operation of this turn may have come first.
    updateClock(at: now)
    guard isWritable, let kind = clock?.due(at: now) else { return 0 }
    let limits = table.state.type.timeLimits
    let limit =
      switch kind {
      case .turn: limits.turn
      case .table: limits.table
      }
    guard let limit else { return 0 }
    let before = batch.workUnits
    let (diff, tries) = table.expire(limit)
    clock?.expire(kind)
    if let diff { publish(diff, of: nil, into: batch) }
    return 1 + tries * (1 + table.state.type.ruleCost.units(items: 1)) + batch.workUnits - before
  }

  /// Starts, pauses and stops the time, by the present state of the table.
  private mutating func updateClock(at now: Instant) {
    guard clock != nil else { return }
    let (state, limits) = (table.state, table.state.type.timeLimits)
    let conditions = TableClock.Conditions(
      runsTurn: limits.turn.map(state.runs) ?? false, runsTable: limits.table.map(state.runs) ?? false,
      seat: state.seatToMove, hasPlayers: room.members.contains(where: \.keepsTime), isWritable: isWritable,
      limits: self.limits.tables)
    clock?.update(conditions, at: now)
  }

  /// Announces the time that is left: to everyone if it has changed, else to those who have become live.
  mutating func announceTime(at now: Instant, into batch: FrameBatch) {
    guard clock != nil else { return }
    // Another update follows what was up, so that its announcement has the time that begins then.
    updateClock(at: now)
    if clock?.hasChanged == true, let countdown = clock?.announce(at: now) {
      room.announce(countdown, into: batch)
    } else if let countdown = clock?.countdown(at: now) {
      room.announceToNew(countdown, into: batch)
    }
  }
}
