internal import BaizeSync
internal import BaizeSystem

/// A lock on a journal's file among Baize's programs, apart from SQLite's own locks, which last only as long as a transaction.
/// It ends with the process, however that ends.
final class FileLock {
  private let descriptor: Int32

  enum Kind {
    /// Keeps everyone else out.
    case exclusive
    /// Keeps those out who want to write.
    case shared
  }

  /// - Throws: ``JournalError`` of kind `unusable` if another one has the file locked.
  init(_ path: String, _ kind: Kind) throws(JournalError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw JournalError(.unusable, "the journal '\(path)' cannot be opened: \(String(cString: strerror(errno)))")
    }
    guard flock(descriptor, (kind == .exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 else {
      let code = errno
      if code == EWOULDBLOCK { throw Database.inUse(path) }
      throw JournalError(.unusable, "the journal '\(path)' cannot be locked: \(String(cString: strerror(code)))")
    }
  }

  deinit {
    // Closing alone would leave the lock with a child process that is forked on another thread and has not executed yet.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
