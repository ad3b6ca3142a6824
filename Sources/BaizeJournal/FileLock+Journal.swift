internal import BaizeSync
internal import BaizeSystem

extension FileLock {
  /// Locks a journal's file, apart from SQLite's own locks, which last only as long as a transaction.
  ///
  /// - Throws: ``JournalError`` of kind `unusable` if another one has the file locked.
  static func lockingJournal(_ path: String, _ kind: Kind) throws(JournalError) -> FileLock {
    do {
      return try FileLock(path, kind)
    } catch {
      switch error {
      case .inUse: throw Database.inUse(path)
      case .notOpened(let code):
        throw JournalError(.unusable, "the journal '\(path)' cannot be opened: \(String(cString: strerror(code)))")
      case .notLocked(let code):
        throw JournalError(.unusable, "the journal '\(path)' cannot be locked: \(String(cString: strerror(code)))")
      }
    }
  }
}
