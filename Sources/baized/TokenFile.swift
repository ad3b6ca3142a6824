import BaizeSystem
import BaizeTable

/// The file of a token: of that which lets its holder create tables, or of the operator's.
enum TokenFile {
  /// The standard file of the token that lets its holder create tables.
  static let standard = "baize-create.token"
  private static let lengths = 16...WireLimits.inviteBytesMax

  /// Returns the token in a file. Creates a file with a random token, which only its owner can read, if it is missing.
  static func token(in path: String) throws(TokenFileError) -> String {
    let created = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if created >= 0 {
      defer { close(created) }
      return try store(randomToken(), in: created, path)
    }
    return try existingToken(in: path)
  }

  private static func randomToken() -> String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  private static func store(
    _ token: String, in descriptor: Int32, _ path: String
  ) throws(TokenFileError) -> String {
    let line = Array((token + "\n").utf8)
    guard write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
      throw TokenFileError("the token cannot be written to '\(path)'")
    }
    return token
  }

  /// Returns the token in a file that exists.
  static func existingToken(in path: String) throws(TokenFileError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw TokenFileError("the token in '\(path)' cannot be read") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw TokenFileError("'\(path)' is not a file")
    }
    guard status.st_mode & (S_IRWXG | S_IRWXO) == 0 else {
      throw TokenFileError("other users can use the token in '\(path)'; run: chmod 600 '\(path)'")
    }
    var bytes = [UInt8](repeating: 0, count: lengths.upperBound + 2)
    let count = read(descriptor, &bytes, bytes.count)
    var token = bytes.prefix(max(0, count))
    if token.last == UInt8(ascii: "\n") { token.removeLast() }
    guard lengths.contains(token.count), token.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw TokenFileError(
        "'\(path)' has no token: one line of \(lengths.lowerBound) to \(lengths.upperBound) letters and digits is needed"
      )
    }
    return String(decoding: token, as: UTF8.self)
  }
}

/// The reason why the token cannot be used, as one line.
struct TokenFileError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
