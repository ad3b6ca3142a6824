import Foundation

/// The log of one client of `baize-lab relaunch` over all its processes: a line for each thing that it did or learned, appended
/// at once, so that it survives a kill.
final class RelaunchLog {
  struct Line: Equatable {
    let event: Event
    /// The operation's number; the session of a process that has joined.
    let number: Int
    /// The operation's kind or status; the seat of a process that has joined.
    var detail = ""
  }

  enum Event: String {
    /// A process has joined, as this session in this seat.
    case joined = "J"
    /// The client is about to submit an operation.
    case intends = "I"
    /// The client itself refused the operation, and keeps nothing of it.
    case declined = "D"
    /// The store has everything up to this operation.
    case saved = "S"
    /// The operation's final status.
    case answered = "A"
    /// After a relaunch, the client does not know the operation.
    case forgotten = "F"
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

  func append(_ event: Event, _ number: Int, _ detail: String = "") throws {
    let line = Line(event: event, number: number, detail: detail)
    note(line)
    try file.write(contentsOf: Data("\(line.text)\n".utf8))
  }

  private func note(_ line: Line) {
    switch line.event {
    case .intends:
      open.insert(line.number)
      lastNumber = max(lastNumber, line.number)
    case .declined, .answered, .forgotten: open.remove(line.number)
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

extension RelaunchLog.Line {
  var text: String { "\(event.rawValue) \(number)" + (detail.isEmpty ? "" : " \(detail)") }

  init?(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    guard words.count >= 2, let event = RelaunchLog.Event(rawValue: words[0]), let number = Int(words[1]) else {
      return nil
    }
    self.init(event: event, number: number, detail: words.count > 2 ? words[2] : "")
  }
}
