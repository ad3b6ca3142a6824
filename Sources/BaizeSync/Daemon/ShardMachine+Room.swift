import BaizeTable

/// How much lies on all tables in memory. It is counted afresh at every tick, and what comes in between is added where it
/// may be much: a table that is made or read.
extension ShardMachine {
  /// Whether there is room for another table of so many bytes.
  func hasRoom(forTableOf bytes: Int) -> Bool { contentBytes + bytes <= limits.contentBytesPerShardMax }

  /// Counts what lies on the tables. Where that is too much, none of them grows beyond its share until it is less: small
  /// ones go on.
  mutating func takeStock() {
    contentBytes = waiting.values.reduce(0) { $0 + $1.contentBytes }
    for table in tables.indices { contentBytes += tables[table].table.state.contentBytes }
    let share =
      contentBytes > limits.contentBytesPerShardMax ? limits.contentBytesPerShardMax / max(1, tables.count) : .max
    for table in tables.indices { tables[table].table.contentBytesMax = min(share, limits.contentBytesPerTableMax) }
  }
}
