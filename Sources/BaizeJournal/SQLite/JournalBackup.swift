public import BaizeSync
internal import BaizeSystem
internal import BaizeTable

/// Copies a journal to a new file, also while a daemon writes to it.
///
/// The copy is one read transaction of SQLite's write-ahead log: it has every commit before its start and nothing of later
/// ones, and no commit waits for it. The log grows meanwhile by what is committed. The copy has no free pages, and so nothing
/// of what was deleted.
public enum JournalBackup {
  /// Copies the journal at `path`, and checks the copy.
  ///
  /// The copy is written to `target` with the suffix `.partial`, which only its owner may read, and gets its own name when it
  /// is complete, checked and durable.
  ///
  /// - Returns: The contents of the copy.
  /// - Throws: ``JournalError``, of kind `unusable` if there is no such journal or `target` exists.
  public static func copy(_ path: String, to target: String) throws(JournalError) -> JournalContents {
    guard !exists(target) else {
      throw JournalError(.unusable, "'\(target)' exists, and a backup replaces nothing; name another file")
    }
    let source = try JournalFile.beside(path)
    try checkRoom(for: try source.usedBytes(), at: target)
    let partial = target + ".partial"
    let lock = try lockPartial(partial)
    defer { withExtendedLifetime(lock) {} }
    do {
      try source.copy(into: partial)
      try flush(partial)
      let contents = try JournalReader(JournalFile.copied(partial)).check()
      try publish(partial, as: target)
      return contents
    } catch {
      unlink(partial)
      throw error
    }
  }

  /// Creates the partial file, or takes over that of a backup whose process was killed.
  private static func lockPartial(_ partial: String) throws(JournalError) -> FileLock {
    do throws(FileLock.Failure) {
      let lock = try FileLock(partial, .exclusive, createsFile: true)
      guard truncate(partial, 0) == 0 else { throw .notOpened(errno) }
      return lock
    } catch {
      switch error {
      case .inUse: throw JournalError(.unusable, "another backup writes '\(partial)'")
      case .notOpened(let code), .notLocked(let code):
        throw JournalError(.unusable, "'\(partial)' cannot be created: \(String(cString: strerror(code)))")
      }
    }
  }

  private static func checkRoom(for bytes: Int, at target: String) throws(JournalError) {
    guard let free = FileSystem(of: folder(of: target))?.freeBytes else { return }
    guard free >= UInt64(bytes + ServerLimits.journalReserveBytes) else {
      throw JournalError(
        .storage,
        "the disk of '\(target)' has \(free >> 20) MiB free; the copy takes up to \(bytes >> 20) MiB, and "
          + "\(ServerLimits.journalReserveBytes >> 20) MiB are left free")
    }
  }

  /// Gives the partial file its name, unless another file has got that meanwhile.
  private static func publish(_ partial: String, as target: String) throws(JournalError) {
    guard link(partial, target) == 0 else { throw failure("get the name '\(target)'", partial) }
    unlink(partial)
    try flush(folder(of: target))
  }

  /// Makes a file or folder durable.
  private static func flush(_ path: String) throws(JournalError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("be opened", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("be made durable", path) }
  }

  private static func failure(_ action: String, _ path: String) -> JournalError {
    JournalError(.storage, "'\(path)' cannot \(action): \(String(cString: strerror(errno)))")
  }

  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// The contents of a journal, counted.
public struct JournalContents: Hashable, Sendable {
  /// The number of tables.
  public var tables = 0
  /// The number of records that the tables' histories have.
  public var records = 0
  /// The number of complete snapshots.
  public var snapshots = 0
  /// The size of the file in bytes.
  public var bytes = 0

  /// Creates the contents of an empty journal.
  public init() {}
}
