import BaizeTable

/// A table that is to be made, with so many items that nobody else should wait for it meanwhile.
public struct TableSetUp: Sendable {
  public let table: String
  let typeText: String
  let type: TableType
  let random: RandomSource
  let limits: SyncLimits
  let isJournalled: Bool

  /// Makes, shuffles and deals the items, and encodes what a journal gets of them. It may be done on any thread.
  ///
  /// - Complexity: O(number of items).
  public func make() -> MadeTable {
    var made = Table(type: type, random: random)
    // The first hash costs as much as all items; the next ones what has changed.
    _ = made.viewHash()
    guard isJournalled else { return MadeTable(table: made, snapshot: []) }
    var machine = TableMachine(name: table, typeText: typeText, table: made, limits: limits, isJournalled: true)
    return MadeTable(table: made, snapshot: machine.journal?.takeParts(of: table) ?? [])
  }
}

/// A table that was made as a ``TableSetUp`` says.
public struct MadeTable: Sendable {
  let table: Table
  /// What the journal gets of it.
  let snapshot: [JournalSnapshotPart]
}
