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
}
