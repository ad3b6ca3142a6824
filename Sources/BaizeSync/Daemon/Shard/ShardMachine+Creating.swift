import BaizeTable
import BaizeWire

/// Tables that are created by the host, outside of the shard's turns.
extension ShardMachine {
  /// Handles a table that the host has created at a turn's request. The first waiting connection with the same hello is its
  /// creator; without one, the table is discarded, and the next connection creates it again.
  ///
  /// A table with a large first snapshot is written first, over several turns.
  public mutating func made(_ name: String, _ table: MadeTable, at now: Instant) {
    guard let waiting = pending[name] else { return }
    if storage == nil, let creator = waiting.creator, !table.isWritten(exceptFor: limits.tables.newTableBytesPerTurnMax)
    {
      let type = table.table.state.type
      newTables.append(
        table,
        TableDefinition(name: name, typeText: creator.tableType, document: type.document, options: type.options))
    } else {
      admitCreator(of: name, table, at: now)
    }
  }

  /// Admits the connections that wait for tables of which all but the last piece is written.
  mutating func admitWrittenTables(at now: Instant) {
    let bytesMax = limits.tables.newTableBytesPerTurnMax
    while let table = newTables.takeWritten(bytesMax, committed: queue.committed) {
      admitCreator(of: table.name, table.made, at: now)
    }
  }

  private mutating func admitCreator(of name: String, _ table: MadeTable, at now: Instant) {
    releaseCharge(ofNew: name)
    if storage == nil, let (id, hello) = pending.takeCreator(of: name) {
      admitWaiting(id, at: now) { (shard) throws(Rejection) in
        try shard.join(hello, id, shard.insert(table, for: hello, by: id), at: now)
      }
      pending.setReady(name, .absent)
    } else {
      if table.writtenBytes > 0 { newTables.abandon(name) }
      discard(name, table)
    }
    admitWaiting(atLeast: 0, at: now)
  }

  /// Ends the charge for a table that is being created: it is charged like others now, or is discarded.
  private mutating func releaseCharge(ofNew name: String) {
    guard let (account, bytes) = pending.takeCharge(of: name) else { return }
    shares.add(ShareAmounts(memory: -2 * bytes, contents: -bytes), to: account)
  }

  /// Discards a created table that nobody waits for, or that cannot be written.
  mutating func discard(_ name: String, _ table: MadeTable) {
    releaseCharge(ofNew: name)
    accounts.removed(name)
    requests.retired.append(RetiredTable(table))
    pending.setReady(name, .absent)
  }
}
