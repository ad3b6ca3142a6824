internal import BaizeSync
internal import BaizeSystem
internal import BaizeTable

/// Notices that a journal's files were deleted, replaced or truncated while they are in use: SQLite keeps writing to a file
/// that no one can find any more, or over the missing part.
struct FileWatch {
  private var database: WatchedFile
  private var log: WatchedFile

  /// - Parameter logBytesKept: The size to which SQLite itself may truncate the write-ahead log.
  init(_ path: String, logBytesKept: Int64) throws(JournalError) {
    database = WatchedFile(path, bytesKept: .max)
    log = WatchedFile(path + "-wal", bytesKept: logBytesKept)
    try check()
  }

  /// The size of the files at the last check.
  var bytes: Int { Int(database.bytes + log.bytes) }

  /// Returns whether the file system has as much free space as it should keep.
  ///
  /// - Parameter bytes: The free space in bytes; `nil` for the default.
  func hasReserve(_ bytes: Int?) -> Bool {
    // If the system does not say, that is no reason to stop.
    guard bytes != 0, let system = FileSystem(of: database.path) else { return true }
    let standard = min(UInt64(ServerLimits.journalReserveBytes), system.bytes / 100)
    return system.freeBytes >= bytes.map { UInt64($0) } ?? standard
  }

  /// - Throws: ``JournalError`` of kind `corrupt`.
  mutating func check() throws(JournalError) {
    try database.check()
    try log.check()
  }
}

/// The size of the file system that has a file.
struct FileSystem {
  let bytes: UInt64
  let freeBytes: UInt64

  /// - Returns: `nil` if the system does not say.
  init?(of path: String) {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    // Some file systems say that they have more than 64 bits can count.
    func size(ofBlocks blocks: fsblkcnt_t) -> UInt64 {
      let (bytes, isOverflow) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
      return isOverflow ? .max : bytes
    }
    bytes = size(ofBlocks: status.f_blocks)
    freeBytes = size(ofBlocks: status.f_bavail)
  }
}

private struct WatchedFile {
  let path: String
  /// The size down to which the file may shrink.
  private let bytesKept: Int64
  private var file: (device: dev_t, inode: ino_t, bytes: Int64)?

  var bytes: Int64 { file?.bytes ?? 0 }

  init(_ path: String, bytesKept: Int64) {
    self.path = path
    self.bytesKept = bytesKept
  }

  mutating func check() throws(JournalError) {
    var status = stat()
    let isThere = stat(path, &status) == 0
    guard let file else {
      // The write-ahead log is created by the first commit.
      if isThere { self.file = (status.st_dev, status.st_ino, Int64(status.st_size)) }
      return
    }
    guard isThere else { throw lost("deleted or cannot be looked up") }
    guard status.st_dev == file.device, status.st_ino == file.inode else { throw lost("replaced by another file") }
    guard Int64(status.st_size) >= min(file.bytes, bytesKept) else { throw lost("truncated") }
    self.file?.bytes = Int64(status.st_size)
  }

  private func lost(_ event: String) -> JournalError {
    JournalError(
      .corrupt,
      "the file '\(path)' was \(event) while the daemon uses it; what was there may still be read through /proc/\(getpid())/fd"
    )
  }
}
