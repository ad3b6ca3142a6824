import BaizeTable

/// The set-up of a table with so many items that it is done outside of the shard's turns.
public struct TableSetUp: Sendable {
  public let table: String
  let typeText: String
  let type: TableType
  let random: RandomSource
  let limits: SyncLimits
  let isJournalled: Bool

  /// The approximate size of the table's contents in bytes.
  public var contentBytes: Int { type.setUp.itemCount * TableLimits.itemContentBytes }

  /// Creates, shuffles and deals the items, and encodes the first snapshot. May be called on any thread.
  ///
  /// - Complexity: O(number of items).
  public func make() -> MadeTable {
    var made = Table(type: type, random: random)
    // The first hash visits all items; later ones only the changed ones.
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
