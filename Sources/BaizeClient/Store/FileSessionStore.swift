import BaizeSystem
import BaizeTable
import Synchronization

/// A ``SessionStore`` with one file for each key, in one folder.
///
/// The files have mode 0600, since they contain secrets. A file that other users may read or write, or that another user owns,
/// is refused. A write is atomic and durable: it goes to a temporary file beside, which is flushed and then renamed, and the
/// folder is flushed, too. Beside each file stands an empty one with the extension `lock`, which the client locks (`flock`)
/// for as long as it lives; the lock ends with the process.
///
/// Keep the folder out of backups that are restored elsewhere: two copies of a session displace each other.
public final class FileSessionStore: SessionStore {
  /// The path of the folder.
  public let folder: String

  /// Creates a store in a folder.
  ///
  /// - Parameter folder: The folder's path. It is created, for its owner alone, when an entry is opened; the folder that
  ///   contains it must exist.
  public init(folder: String) { self.folder = folder }

  /// Returns the path of the file of an entry.
  ///
  /// - Parameter key: The entry's key.
  public func path(of key: SessionKey) -> String {
    "\(folder)/\(Self.escaped(key.table))@\(Self.escaped(key.address)).session"
  }

  public func open(_ key: SessionKey) throws -> any SessionStoreEntry {
    let path = path(of: key)
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw SessionStoreError(path, errno) }
    do throws(FileLock.Failure) {
      return FileEntry(path, folder: folder, try FileLock(path + ".lock", .exclusive, createsFile: true))
    } catch {
      switch error {
      case .inUse: throw SessionStoreError.inUse(path)
      case .notOpened(let code), .notLocked(let code): throw SessionStoreError(path, code)
      }
    }
  }

  /// Returns a name that is another file for another text, also where file names ignore the case.
  private static func escaped(_ text: String) -> String {
    var name = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: "."):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default: name += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return name
  }
}

/// A file of a ``FileSessionStore``.
private final class FileEntry: SessionStoreEntry {
  private let path: String
  private let folder: String
  private let lock: Mutex<FileLock?>

  init(_ path: String, folder: String, _ lock: FileLock) {
    self.path = path
    self.folder = folder
    self.lock = Mutex(lock)
  }

  func close() { lock.withLock { $0 = nil } }

  // MARK: Reading

  func read() throws -> [UInt8]? {
    let descriptor = BaizeSystem.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw SessionStoreError(path, errno)
    }
    defer { _ = BaizeSystem.close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SessionStoreError(path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SessionStoreError.foreign(path) }
    guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else { throw SessionStoreError.notPrivate(path) }
    guard status.st_size <= ClientLimits.storedBytesMax else { throw SessionStoreError.foreign(path) }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var used = 0
    while used < bytes.count {
      let count = bytes.withUnsafeMutableBytes { BaizeSystem.read(descriptor, $0.baseAddress! + used, $0.count - used) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SessionStoreError(path, errno) }
      guard count > 0 else { throw SessionStoreError.damaged(path) }
      used += count
    }
    return bytes
  }

  // MARK: Writing

  func write(_ bytes: [UInt8]) throws {
    let temporary = path + ".new"
    let descriptor = BaizeSystem.open(temporary, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SessionStoreError(path, errno) }
    do {
      defer { _ = BaizeSystem.close(descriptor) }
      // One that a crash has left may have another mode.
      guard fchmod(descriptor, 0o600) == 0 else { throw SessionStoreError(path, errno) }
      try write(bytes, to: descriptor)
      try flush(descriptor)
    }
    guard rename(temporary, path) == 0 else { throw SessionStoreError(path, errno) }
    try flushFolder()
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    var used = 0
    while used < bytes.count {
      let count = bytes.withUnsafeBytes { BaizeSystem.write(descriptor, $0.baseAddress! + used, $0.count - used) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SessionStoreError(path, count < 0 ? errno : ENOSPC) }
      used += count
    }
  }

  /// Makes the folder durable. Without this, the name could still be that of the old contents after a power failure.
  private func flushFolder() throws {
    let descriptor = BaizeSystem.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SessionStoreError(path, errno) }
    defer { _ = BaizeSystem.close(descriptor) }
    try flush(descriptor)
  }

  private func flush(_ descriptor: Int32) throws {
    while true {
      #if canImport(Darwin)
        // `fsync` leaves the bytes in the disk's cache there.
        let result = fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor)
      #else
        let result = fsync(descriptor)
      #endif
      if result == 0 { return }
      guard errno == EINTR else { throw SessionStoreError(path, errno) }
    }
  }
}

extension SessionStoreError {
  fileprivate init(_ path: String, _ code: Int32) {
    self = .unusable(path, reason: String(cString: strerror(code)))
  }
}
