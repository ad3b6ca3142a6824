import BaizeTable

/// A table to be created with so many items that no one else should wait for it.
public struct TableSetUp: Sendable {
  public let table: String
  let typeText: String
  let type: TableType
  let random: RandomSource
  let limits: SyncLimits
  let isJournalled: Bool

  /// Makes, shuffles and deals the items, and encodes what a journal gets of them. May be called on any thread.
  ///
  /// - Complexity: O(number of items).
  public func make() -> MadeTable {
    var made = Table(type: type, random: random)
    // The first hash costs time for all items; later ones only for what has changed.
    _ = made.viewHash()
    guard isJournalled else { return MadeTable(table: made, snapshot: []) }
    var machine = TableMachine(name: table, typeText: typeText, table: made, limits: limits, isJournalled: true)
    return MadeTable(table: made, snapshot: machine.journal?.takeParts(of: table) ?? [])
  }
}

/// A table that a ``TableSetUp`` has created.
public struct MadeTable: Sendable {
  let table: Table
  /// Its first snapshot for the journal.
  let snapshot: [JournalSnapshotPart]
}
