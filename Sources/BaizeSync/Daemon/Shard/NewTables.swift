import BaizeTable

/// The created tables whose first snapshot is too large for one commit, in the order of their creation.
///
/// The snapshot of the first of them is written in pieces, each when the one before is durable, so that no other table waits
/// long for its commit. Until the last piece, which is left to the table itself, the journal has no such table, and the
/// connections that want to join it wait.
///
/// ```
/// made ─▶ append ─▶ write, committed, write, committed … ─▶ takeWritten ─▶ the first connection joins
/// ```
struct NewTables {
  struct NewTable {
    let definition: TableDefinition
    var made: MadeTable

    var name: String { definition.name }
  }

  private var tables = WaitingQueue<String, NewTable>()
  /// The turn of the last piece.
  private var turn = TurnNumber(rawValue: 0)
  /// Tables that were given up with a part of their snapshot written, each with the turn that writes its deletion, until that
  /// turn is durable.
  private var abandoned: [(name: String, turn: TurnNumber?)] = []
  /// The size in bytes of what is not written yet.
  private(set) var bytes = 0

  // MARK: The queue

  mutating func append(_ made: MadeTable, _ definition: TableDefinition) {
    tables.append(NewTable(definition: definition, made: made), for: definition.name)
    bytes += made.snapshotBytes
  }

  /// Removes and returns the first table if no more than a last piece is to be written.
  mutating func takeWritten(_ bytesMax: Int, committed: TurnNumber) -> NewTable? {
    guard let first = tables.first, turn <= committed, first.made.isWritten(exceptFor: bytesMax) else { return nil }
    tables.popFirst()
    bytes -= first.made.snapshotBytes
    return first
  }

  /// Removes and returns all tables, since the journal has failed.
  ///
  /// - Parameter isVoid: Whether the turns that are not durable are void, deletions included.
  mutating func removeAll(isVoid: Bool, committed: TurnNumber) -> [NewTable] {
    if isVoid {
      for index in abandoned.indices where abandoned[index].turn.map({ $0 > committed }) ?? false {
        abandoned[index].turn = nil
      }
    }
    var removed: [NewTable] = []
    while let (_, table) = tables.popFirst() {
      if table.made.writtenBytes > 0 { abandon(table.name) }
      removed.append(table)
    }
    bytes = 0
    // The next table waits for no turn that may never become durable.
    turn = TurnNumber(rawValue: 0)
    return removed
  }

  /// Has what is written of a table deleted, since nobody waits for it any more.
  mutating func abandon(_ name: String) { abandoned.append((name, turn: nil)) }

  // MARK: Writing

  /// Returns whether there is something to write, or a table is written, as soon as the journal has committed up to a turn.
  func wantsTurn(committed: TurnNumber) -> Bool {
    abandoned.contains { $0.turn == nil } || (!tables.isEmpty && turn <= committed)
  }

  /// Writes the next piece, if the last one is durable.
  mutating func write(
    _ bytesMax: Int, in turn: TurnNumber, committed: TurnNumber, into writes: inout [JournalWrite]
  ) {
    abandoned.removeAll { $0.turn.map { $0 <= committed } ?? false }
    for index in abandoned.indices where abandoned[index].turn == nil {
      writes.append(.deletion(abandoned[index].name))
      abandoned[index].turn = turn
    }
    guard var first = tables.first, self.turn <= committed, !first.made.isWritten(exceptFor: bytesMax) else { return }
    if first.made.writtenBytes == 0 { writes.append(.table(first.definition)) }
    let parts = first.made.takeParts(bytesMax)
    writes += parts.map { .snapshot($0) }
    bytes -= parts.reduce(0) { $0 + $1.bytes.count }
    tables.first = first
    self.turn = turn
  }
}
