public import BaizeSync

/// A journal as tools read it: as it was when it was opened, and without changing it.
public protocol StoredJournal {
  /// Reads every table's history, and checks all that the engine can check.
  ///
  /// - Returns: The journal's contents, counted.
  /// - Throws: ``JournalError`` of kind `corrupt` for the first damage found.
  /// - Complexity: O(size of the journal).
  func check() throws(JournalError) -> JournalContents

  /// Returns the names of all tables, sorted.
  func names() throws(JournalError) -> [String]

  /// Returns a summary of every table, sorted by name.
  ///
  /// - Complexity: O(number of records in the journal).
  func tables() throws(JournalError) -> [TableSummary]

  /// Returns a table's name and present type; `nil` if there is no such table.
  ///
  /// - Complexity: O(size of the records since its last snapshot).
  func definition(ofTable name: String) throws(JournalError) -> TableDefinition?

  /// Returns what a table is restored from; `nil` if there is no such table.
  func table(named name: String) throws(JournalError) -> StoredTable?

  /// Returns the history of a table as far as it is kept; `nil` if there is no such table.
  func history(ofTable name: String) throws(JournalError) -> TableHistory?

  /// Returns the key that seals what tables give out; `nil` if there is none yet.
  func accessKey() throws(JournalError) -> AccessKey?

  /// Returns the document of what is revoked of signed tokens; `nil` if there is none.
  func revocations() throws(JournalError) -> [UInt8]?
}

extension StoredJournal {
  /// Reads every table's history, and counts what is in it.
  func countHistories() throws(JournalError) -> JournalContents {
    var contents = JournalContents()
    for table in try names() {
      guard let history = try history(ofTable: table) else {
        throw JournalError(.corrupt, "the journal is damaged: the table '\(table)' cannot be read")
      }
      contents.tables += 1
      while let step = try history.next() {
        switch step {
        case .snapshot: contents.snapshots += 1
        case .record: contents.records += 1
        }
      }
    }
    return contents
  }
}
