/// An advisory lock on a file among Baize's programs. It ends with the process, however that ends.
///
/// Two locks conflict even within one process, since each has a descriptor of its own.
package final class FileLock: Sendable {
  private let descriptor: Int32

  package enum Kind: Sendable {
    /// Keeps everyone else out.
    case exclusive
    /// Keeps those out who want to write.
    case shared
  }

  /// The reason why a file could not be locked.
  package enum Failure: Error {
    /// Another one has it locked.
    case inUse
    /// The file cannot be opened; the number is `errno`.
    case notOpened(Int32)
    /// The system cannot lock it; the number is `errno`.
    case notLocked(Int32)
  }

  /// Locks a file without waiting.
  ///
  /// - Parameter createsFile: Whether to create the file, readable and writable by its owner alone, if it does not exist.
  package init(_ path: String, _ kind: Kind, createsFile: Bool = false) throws(Failure) {
    let descriptor = open(path, (createsFile ? O_CREAT | O_RDWR : O_RDONLY) | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .notOpened(errno) }
    guard flock(descriptor, (kind == .exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      throw code == EWOULDBLOCK ? .inUse : .notLocked(code)
    }
    self.descriptor = descriptor
  }

  deinit {
    // Closing alone would leave the lock with a child process that is forked on another thread and has not executed yet.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
