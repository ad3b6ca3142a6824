import BaizeWorkload
import Foundation

/// What a client of `baize-lab relaunch` did or learned. Operations have numbers, from 1, over all its processes.
enum RelaunchEvent: Codable, Equatable {
  /// A process has joined.
  case joined(session: UInt64, seat: UInt32)
  /// The client is about to submit an operation.
  case intends(Int, RelaunchOperation)
  /// The client itself refused the operation, and keeps nothing of it.
  case declined(Int)
  /// The store has everything up to this operation.
  case saved(Int)
  /// The operation's final status.
  case answered(Int, OperationLedger.Verdict)
  /// After a relaunch, the client does not know the operation.
  case forgotten(Int)
}

/// The kind of an operation of `baize-lab relaunch`.
enum RelaunchOperation: String, Codable {
  /// Inserts an item with the operation's mark.
  case insert
  /// Moves an item of the client's.
  case move
  /// Removes an item that never was: the daemon refuses it.
  case refused
}

/// The log of one client of `baize-lab relaunch` over all its processes: a line of JSON for each event, appended at once, so that
/// it survives a kill.
final class RelaunchLog {
  private let file: FileHandle
  /// The operations that are intended and of which nothing final is known.
  private(set) var open: Set<Int> = []
  /// The last operation that was intended.
  private(set) var lastNumber = 0

  /// Continues the log of a client, which is in its folder.
  init(folder: String) throws {
    let url = Self.url(folder)
    if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
    file = try FileHandle(forUpdating: url)
    try file.seekToEnd()
    for event in try Self.events(of: folder) { note(event) }
  }

  /// Reads a log. A kill may have cut the last line of any process.
  static func events(of folder: String) throws -> [RelaunchEvent] {
    let decoder = JSONDecoder()
    return try data(of: folder).split(separator: UInt8(ascii: "\n")).compactMap {
      try? decoder.decode(RelaunchEvent.self, from: $0)
    }
  }

  static func lineCount(of folder: String) throws -> Int { try data(of: folder).count { $0 == UInt8(ascii: "\n") } }

  private static func url(_ folder: String) -> URL { URL(fileURLWithPath: folder + "/log") }

  private static func data(of folder: String) throws -> Data {
    let url = url(folder)
    return FileManager.default.fileExists(atPath: url.path) ? try Data(contentsOf: url) : Data()
  }

  func append(_ event: RelaunchEvent) throws {
    note(event)
    try file.write(contentsOf: JSONEncoder().encode(event) + [UInt8(ascii: "\n")])
  }

  private func note(_ event: RelaunchEvent) {
    switch event {
    case .intends(let number, _):
      open.insert(number)
      lastNumber = max(lastNumber, number)
    case .declined(let number), .answered(let number, _), .forgotten(let number): open.remove(number)
    case .joined, .saved: break
    }
  }
}
