import BaizeTransport
import Foundation

/// A program of ours that runs beside the harness and says on its first line where it listens.
final class ChildProcess {
  let address: SocketAddress
  private let process = Process()
  private let output = Pipe()
  /// Where its standard error goes; `nil` where that is the harness' own.
  private let log: TemporaryFolder?

  /// - Parameters:
  ///   - program: The name of a program that lies beside this one.
  ///   - marker: What its first line says before the address.
  ///   - core: The core that it is bound to with all its threads; `nil` for any.
  ///   - keepsLog: Whether what it says on standard error can be had from ``logText``.
  init(
    _ program: String, _ arguments: [String], marker: String, core: Int? = nil, keepsLog: Bool = false
  ) throws {
    let executable = try Self.executable(program)
    log = keepsLog ? try TemporaryFolder() : nil
    process.executableURL = core == nil ? executable : Affinity.executable
    process.arguments = (core.map { Affinity.arguments(core: $0) + [executable.path] } ?? []) + arguments
    process.standardOutput = output
    if let log {
      try Data().write(to: URL(fileURLWithPath: log.file(Self.logName)))
      process.standardError = FileHandle(forWritingAtPath: log.file(Self.logName))
    }
    try process.run()
    let text = try Self.firstLine(of: output.fileHandleForReading)
    guard text.hasPrefix(marker), let found = try? SocketAddress(parsing: String(text.dropFirst(marker.count))) else {
      process.terminate()
      process.waitUntilExit()
      throw LoadSession.Failure(description: "\(program) did not start: \(text)\(Self.text(of: log))")
    }
    address = found
  }

  private static let logName = "log"

  private static func executable(_ program: String) throws -> URL {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    let executable = folder.appendingPathComponent(program)
    guard FileManager.default.isExecutableFile(atPath: executable.path) else {
      throw LoadSession.Failure(description: "\(executable.path) is not there: build it first")
    }
    return executable
  }

  private static func firstLine(of output: FileHandle) throws -> String {
    var line = Data()
    while let byte = try output.read(upToCount: 1), let value = byte.first, value != 10 { line.append(value) }
    return String(decoding: line, as: UTF8.self)
  }

  var times: ProcessTimes { ProcessTimes(process: process.processIdentifier) }
  var memory: ProcessMemory { ProcessMemory(process: process.processIdentifier) }

  /// Waits until it has ended by itself.
  ///
  /// - Returns: What it said after its first line.
  func waitForOutput() throws -> String {
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
  }

  /// What it has said on standard error so far.
  var logText: String { Self.text(of: log) }

  private static func text(of log: TemporaryFolder?) -> String {
    log.flatMap { try? String(contentsOfFile: $0.file(logName), encoding: .utf8) } ?? ""
  }

  func stop() {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }

  deinit { stop() }
}

extension ChildProcess {
  /// A daemon for measurements: with no limit that a harness would run into.
  ///
  /// - Parameters:
  ///   - journal: Where it keeps its tables, strictly; `nil` for nowhere.
  ///   - shards: As many as there are cores unless given.
  ///   - flags: More of the daemon's own.
  static func daemon(
    journal: String? = nil, shards: Int? = nil, core: Int? = nil, logLevel: String = "error", flags: [String] = []
  ) throws -> ChildProcess {
    var arguments = [
      "--listen", "127.0.0.1:0", "--operations-per-second-max", "0", "--connections-per-address-max", "100000",
      "--log-level", logLevel,
    ]
    arguments += journal.map { ["--journal", $0, "--durability", "strict"] } ?? ["--durability", "memory"]
    arguments += shards.map { ["--shards", "\($0)"] } ?? []
    arguments += flags
    return try ChildProcess(
      "baized", arguments, marker: "baized listening on ", core: core, keepsLog: logLevel != "error")
  }
}
