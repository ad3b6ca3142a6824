import BaizeTable

/// How much lies on all tables in memory. It is counted afresh at every tick, and what comes in between is added where it
/// may be much: a table that is made or read.
extension ShardMachine {
  /// Whether there is room for another table of so many bytes.
  func hasRoom(forTableOf bytes: Int) -> Bool { contentBytes + bytes <= limits.contentBytesPerShardMax }

  /// Counts what lies on the tables. Where that is too much, none of them grows until it is less.
  mutating func takeStock() {
    contentBytes = tables.reduce(0) { $0 + $1.table.state.contentBytes }
    contentBytes += waiting.values.reduce(0) { $0 + $1.contentBytes }
    let isFull = contentBytes > limits.contentBytesPerShardMax
    for table in tables.indices { tables[table].table.contentBytesMax = isFull ? 0 : limits.contentBytesPerTableMax }
  }
}
