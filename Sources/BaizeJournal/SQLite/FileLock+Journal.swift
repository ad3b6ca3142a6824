internal import BaizeSync
internal import BaizeSystem

extension FileLock {
  /// Locks a journal's file, apart from SQLite's own locks, which last only as long as a transaction.
  ///
  /// - Throws: ``JournalError`` of kind `unusable` if another one has the file locked.
  static func lockingJournal(_ path: String, _ kind: Kind) throws(JournalError) -> FileLock {
    do throws(Failure) {
      return try FileLock(path, kind)
    } catch {
      throw error.journalError(path)
    }
  }

  /// Locks a journal's file against daemons that are started later.
  ///
  /// - Returns: The lock; `nil` if a daemon uses the file.
  /// - Throws: ``JournalError`` of kind `unusable`.
  static func sharingJournal(_ path: String) throws(JournalError) -> FileLock? {
    do throws(Failure) {
      return try FileLock(path, .shared)
    } catch {
      if case .inUse = error { return nil }
      throw error.journalError(path)
    }
  }
}

extension FileLock.Failure {
  fileprivate func journalError(_ path: String) -> JournalError {
    switch self {
    case .inUse: Database.inUse(path)
    case .notOpened(let code):
      JournalError(.unusable, "the journal '\(path)' cannot be opened: \(String(cString: strerror(code)))")
    case .notLocked(let code):
      JournalError(.unusable, "the journal '\(path)' cannot be locked: \(String(cString: strerror(code)))")
    }
  }
}
