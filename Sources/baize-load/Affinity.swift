import BaizeTransport
import Foundation

/// Which core a process runs on, by the system's own `taskset`: one core for all threads of the daemon, another for the
/// harness.
enum Affinity {
  /// Looks `taskset` up where the system keeps its programs.
  static let executable = URL(fileURLWithPath: "/usr/bin/env")

  static func arguments(core: Int) -> [String] { ["taskset", "--cpu-list", "\(core)"] }

  /// Binds this thread, and those that it will start.
  ///
  /// - Throws: Where there is no such core, or no `taskset`.
  static func bind(toCore core: Int) throws {
    let process = Process()
    process.executableURL = executable
    process.arguments = [
      "taskset", "--cpu-list", "--pid", "\(core)", "\(ProcessInfo.processInfo.processIdentifier)",
    ]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw LoadSession.Failure(description: "cannot bind to core \(core): taskset says \(process.terminationStatus)")
    }
  }

  /// Binds the harness to the last core, and leaves the one before it to the daemon.
  ///
  /// - Returns: The daemon's core; `nil` where there is only one, and nothing to divide.
  static func divide(_ report: (String) -> Void) throws -> Int? {
    guard ProcessorCount.online > 1 else {
      report("there is only one core: the daemon and the harness share it, and the figures say little")
      return nil
    }
    try bind(toCore: ProcessorCount.online - 1)
    return ProcessorCount.online - 2
  }
}
