public import BaizeTable
import BaizeWire

/// Moving a table to another document of its type (rules M1 to M7). The record of the move is one turn's: after a crash the
/// table has either document, and the history before it keeps the old one.
extension RestoredTable {
  /// Moves the table to the present document of its type. The move is recorded when the table continues, or by
  /// ``takeMigration()``.
  ///
  /// - Parameters:
  ///   - types: The present types.
  ///   - endsSessions: Whether all sessions are ended, and all seats are free.
  /// - Returns: Whether it has moved; false if it has the present document, or there is none.
  /// - Throws: All reasons why the table does not fit. Nothing has changed then.
  /// - Complexity: O(n log n) for n items.
  public mutating func migrate(
    to types: any TableTypeSource, endsSessions: Bool = false
  ) throws(MigrationObstacles) -> Bool {
    guard let present = types.presentType(for: state.type, named: definition.typeText) else { return false }
    let hasSessions = !sessions.isEmpty && !endsSessions
    let obstacles =
      present.obstacles + state.obstacles(to: present.type, hasSessions: hasSessions, keepsSeats: !endsSessions)
    guard obstacles.isEmpty else { throw MigrationObstacles(obstacles) }
    migrate(to: present, endsSessions: endsSessions)
    return true
  }

  private mutating func migrate(to present: PresentType, endsSessions: Bool) {
    var stored = StoredMigration(
      typeText: present.text, document: present.type.document, options: present.type.options)
    if present.type.hasPrivateCollections, privateIDs.key == (0, 0) {
      stored.idKey = StoredMigration.IDKey(first: random.next(), second: random.next())
    }
    let diff = state.migrationDiff(to: present.type, keepsSeats: !endsSessions)
    let ended = endsSessions ? sessions.keys.sorted() : []
    do throws(DiffMismatch) {
      try move(by: stored, to: present.type)
      try table.apply(diff)
    } catch {
      preconditionFailure("table \(definition.name) fits a document and cannot be moved to it: \(error.detail)")
    }
    for session in ended { sessions[session] = nil }
    newMigration = NewMigration(stored: stored, diff: diff, ended: ended)
  }

  /// Returns the record of a table that was moved and continues under the next epoch, to be appended to its journal; `nil` if
  /// it was not moved.
  public mutating func takeMigration() -> JournalRecord? {
    guard let migration = newMigration.take() else { return nil }
    epoch = Epoch(rawValue: epoch.rawValue + 1)
    record += 1
    var log = RecordLog(at: state.revision)
    for entry in [.opened(epoch)] + migration.entries { entry.append(to: &log) }
    return JournalRecord(table: definition.name, number: record, revision: state.revision, bytes: log.open)
  }

  /// Applies an entry of the journal, which the diff follows.
  mutating func apply(_ migration: StoredMigration) throws(JournalError) {
    var moved = definition
    moved.move(by: migration)
    let type = try Self.type(of: moved, types)
    do throws(DiffMismatch) {
      try move(by: migration, to: type)
    } catch {
      throw JournalError(.corrupt, "table \(definition.name): \(error.detail)")
    }
    guard !type.hasPrivateCollections || privateIDs.key != (0, 0) else {
      throw JournalError(.corrupt, "table \(definition.name) has no key for ids")
    }
  }

  private mutating func move(by migration: StoredMigration, to type: TableType) throws(DiffMismatch) {
    let key = migration.idKey.map { PrivateIDs(key: ($0.first, $0.second)) }
    table = Table(
      restoring: try state.carried(to: type), privateIDs: key ?? privateIDs, random: random.split())
    definition.move(by: migration)
    self.migration = migration
    // A snapshot has the key by itself.
    self.migration?.idKey = nil
  }
}

/// A table's move to another document that is not in the journal yet.
struct NewMigration: Sendable {
  let stored: StoredMigration
  /// The diff that completes it.
  let diff: Diff
  /// The sessions that it ended.
  let ended: [SessionID]

  /// The entries for the journal.
  var entries: [JournalEntry] { [.migrated(stored), .diff(diff)] + ended.map { .forgotten($0) } }
}
