import Foundation

/// The log of one client of `baize-lab relaunch` over all its processes: a line for each thing that it did or learned, appended
/// at once, so that it survives a kill.
final class RelaunchLog {
  enum Line: Equatable {
    /// A process has joined, as this session in this seat.
    case joined(session: UInt64, seat: UInt32)
    /// The client is about to submit an operation.
    case intends(Int, RelaunchOperation)
    /// The client itself refused the operation, and keeps nothing of it.
    case declined(Int)
    /// The store has everything up to this operation.
    case saved(Int)
    /// The operation's final status.
    case answered(Int, RelaunchStatus)
    /// After a relaunch, the client does not know the operation.
    case forgotten(Int)
  }

  private let file: FileHandle
  /// The operations that are intended and of which nothing final is known.
  private(set) var open: Set<Int> = []
  /// The last operation that was intended.
  private(set) var lastNumber = 0

  /// Continues the log of a client, which is in its folder.
  init(folder: String) throws {
    let lines = try Self.lines(of: folder)
    let url = Self.url(folder)
    if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
    file = try FileHandle(forUpdating: url)
    try file.seekToEnd()
    for line in lines { note(line) }
  }

  /// Reads a log. A kill may have cut its last line in any process.
  static func lines(of folder: String) throws -> [Line] {
    String(decoding: try data(of: folder), as: UTF8.self).split(separator: "\n").compactMap { Line(String($0)) }
  }

  static func lineCount(of folder: String) throws -> Int { try data(of: folder).count { $0 == UInt8(ascii: "\n") } }

  private static func url(_ folder: String) -> URL { URL(fileURLWithPath: folder + "/log") }

  private static func data(of folder: String) throws -> Data {
    let url = url(folder)
    return FileManager.default.fileExists(atPath: url.path) ? try Data(contentsOf: url) : Data()
  }

  func append(_ line: Line) throws {
    note(line)
    try file.write(contentsOf: Data("\(line.text)\n".utf8))
  }

  private func note(_ line: Line) {
    switch line {
    case .intends(let number, _):
      open.insert(number)
      lastNumber = max(lastNumber, number)
    case .declined(let number), .answered(let number, _), .forgotten(let number): open.remove(number)
    case .joined, .saved: break
    }
  }
}

/// The kind of an operation of `baize-lab relaunch`.
enum RelaunchOperation: String {
  /// Inserts an item with the operation's mark.
  case insert
  /// Moves an item of the client's.
  case move
  /// Removes an item that never was: the daemon refuses it.
  case refused
}

/// The final status of an operation, as a client has it.
enum RelaunchStatus: String {
  case accepted, unchanged, refused, unknown
}

extension RelaunchLog.Line {
  var text: String {
    switch self {
    case .joined(let session, let seat): "J \(session) \(seat)"
    case .intends(let number, let kind): "I \(number) \(kind.rawValue)"
    case .declined(let number): "D \(number)"
    case .saved(let number): "S \(number)"
    case .answered(let number, let status): "A \(number) \(status.rawValue)"
    case .forgotten(let number): "F \(number)"
    }
  }

  init?(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    guard words.count >= 2, let number = Int(words[1]) else { return nil }
    let last = words.count == 3 ? words[2] : ""
    switch words[0] {
    case "J":
      guard let seat = UInt32(last) else { return nil }
      self = .joined(session: UInt64(number), seat: seat)
    case "I":
      guard let kind = RelaunchOperation(rawValue: last) else { return nil }
      self = .intends(number, kind)
    case "A":
      guard let status = RelaunchStatus(rawValue: last) else { return nil }
      self = .answered(number, status)
    case "D": self = .declined(number)
    case "S": self = .saved(number)
    case "F": self = .forgotten(number)
    default: return nil
    }
  }
}
