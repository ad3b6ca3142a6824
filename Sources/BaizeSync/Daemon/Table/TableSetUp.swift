import BaizeTable

/// The set-up of a table with so many items that it is done outside of the shard's turns.
public struct TableSetUp: Sendable {
  public let table: String
  let typeText: String
  let type: TableType
  let random: RandomSource
  let limits: SharedLimits
  let isJournalled: Bool

  /// The approximate size of the table's contents in bytes.
  public var contentBytes: Int { type.setUpBytes }

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
  /// Its first snapshot for the journal, as far as that is not written.
  private(set) var snapshot: [JournalSnapshotPart]
  /// The size in bytes of these parts.
  private(set) var snapshotBytes: Int
  /// The size in bytes of the parts that are written, with the table's definition.
  private(set) var writtenBytes = 0

  init(table: Table, snapshot: [JournalSnapshotPart]) {
    self.table = table
    self.snapshot = snapshot
    snapshotBytes = snapshot.reduce(0) { $0 + $1.bytes.count }
  }

  /// Returns whether a commit can write what is left of the snapshot.
  func isWritten(exceptFor bytesMax: Int) -> Bool { snapshot.count <= 1 || snapshotBytes <= bytesMax }

  /// Removes and returns the next parts to write, of at most a size, but at least one, and never the last one, with which the
  /// table exists.
  mutating func takeParts(_ bytesMax: Int) -> [JournalSnapshotPart] {
    var (count, bytes) = (0, 0)
    for part in snapshot.dropLast() where count == 0 || bytes + part.bytes.count <= bytesMax {
      bytes += part.bytes.count
      count += 1
    }
    defer { snapshot.removeFirst(count) }
    snapshotBytes -= bytes
    writtenBytes += bytes
    return Array(snapshot.prefix(count))
  }
}
