import BaizeTransport
import Foundation

/// A daemon of our own, its files, and what the system says of it.
final class DaemonProcess {
  let address: SocketAddress
  private let process = Process()
  private let folder: URL

  init(_ options: HostileOptions) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("hostile-client-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let log = folder.appendingPathComponent("log")
    try Data().write(to: log)
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    let output = Pipe()
    process.executableURL = (options.programs.map { URL(fileURLWithPath: $0) } ?? own).appendingPathComponent("baized")
    process.arguments = ["--listen", "127.0.0.1:0", "--handshake", "2", "--grace", "1", "--heartbeat", "20"]
    process.arguments? +=
      options.keepsJournal
      ? ["--journal", folder.appendingPathComponent("journal.sqlite").path] : ["--durability", "memory"]
    process.standardOutput = output
    process.standardError = FileHandle(forWritingAtPath: log.path)
    try process.run()
    let marker = "baized listening on "
    let line = try Self.firstLine(of: output.fileHandleForReading)
    guard line.hasPrefix(marker) else { throw HostileFailure(description: "the daemon did not start: \(line)") }
    address = try SocketAddress(parsing: String(line.dropFirst(marker.count)))
  }

  private static func firstLine(of output: FileHandle) throws -> String {
    var line = Data()
    while let byte = try output.read(upToCount: 1), let value = byte.first, value != 10 { line.append(value) }
    return String(decoding: line, as: UTF8.self)
  }

  var isRunning: Bool { process.isRunning }

  /// What it holds of the machine's memory, in bytes; 0 when it is gone.
  var residentBytes: Int {
    let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
  }

  var logText: String {
    (try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)) ?? ""
  }

  /// Asks it to stop.
  ///
  /// - Returns: Its exit code; where it was ended by a signal, that one's negative.
  func stop() -> Int32 {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  deinit {
    _ = stop()
    try? FileManager.default.removeItem(at: folder)
  }
}
