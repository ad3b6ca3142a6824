/// A shard's turn, as it sends it to a ``Journal``.
public struct JournalTurn: Sendable {
  /// The index of the shard.
  public let shard: Int
  /// The last generation that the shard has received from the journal; 0 before.
  public let generation: Int
  /// The turn's number; `nil` if it writes nothing.
  public let number: TurnNumber?
  public let writes: [JournalWrite]
  /// The tables to load.
  public let loads: [JournalLoad]
  /// The size of the writes in bytes.
  public let bytes: Int

  public init(
    shard: Int, generation: Int = 0, number: TurnNumber?, writes: [JournalWrite], loads: [JournalLoad] = []
  ) {
    self.shard = shard
    self.generation = generation
    self.number = number
    self.writes = writes
    self.loads = loads
    bytes = writes.reduce(0) { $0 + $1.bytes }
  }

  /// Returns whether the turn changes the table.
  public func changes(_ table: String) -> Bool { writes.contains { $0.tableName == table } }
}

/// A table that a turn asks for.
public struct JournalLoad: Sendable {
  public let table: String
  /// Receives the reading, once it may begin, on a thread of the journal. It reads on another thread.
  public let answer: @Sendable (Result<TableReading, JournalError>) -> Void

  public init(_ table: String, answer: @escaping @Sendable (Result<TableReading, JournalError>) -> Void) {
    (self.table, self.answer) = (table, answer)
  }
}
