import BaizeSystem
import BaizeTable

/// The file that keeps what is revoked. It is replaced as a whole: a crash leaves the old one or the new one.
struct RevocationFile: Sendable {
  let path: String

  /// Reads the file, without what has ended; there is nothing revoked without one.
  func read(at now: Int64) throws(RevocationError) -> RevocationList {
    guard let stream = fopen(path, "re") else {
      if errno == ENOENT { return RevocationList() }
      throw failure(errno)
    }
    defer { fclose(stream) }
    var bytes = [UInt8](repeating: 0, count: ServerLimits.revocationBytesMax + 1)
    let count = fread(&bytes, 1, bytes.count, stream)
    guard ferror(stream) == 0 else { throw failure(EIO) }
    guard count <= ServerLimits.revocationBytesMax else {
      throw RevocationError("the revocations in '\(path)' have more than \(ServerLimits.revocationBytesMax) bytes")
    }
    do throws(RevocationError) {
      return try RevocationList(parsing: Array(bytes.prefix(count)), at: now)
    } catch {
      throw RevocationError("the revocations in '\(path)' cannot be used: \(error)")
    }
  }

  /// Writes the file. It is durable when this returns.
  func write(_ list: RevocationList) throws(RevocationError) {
    let json = try list.document()
    let temporary = path + ".new"
    let descriptor = open(temporary, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(errno) }
    let error = write(json, to: descriptor)
    _ = close(descriptor)
    guard error == 0 else { throw failure(error) }
    guard rename(temporary, path) == 0 else { throw failure(errno) }
    try flushFolder()
  }

  /// - Returns: The error, or 0.
  private func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var used = 0
    while used < bytes.count {
      let count = bytes.withUnsafeBytes {
        BaizeSystem.write(descriptor, $0.baseAddress.map { $0 + used }, $0.count - used)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : ENOSPC }
      used += count
    }
    return fsync(descriptor) == 0 ? 0 : errno
  }

  /// Makes the new name durable: it could still be that of the old contents after a power failure.
  private func flushFolder() throws(RevocationError) {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(errno) }
    defer { _ = close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(errno) }
  }

  private func failure(_ error: Int32) -> RevocationError {
    RevocationError("'\(path)': \(strerror(error).map { String(cString: $0) } ?? "error \(error)")")
  }
}
