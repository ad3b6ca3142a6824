import BaizeTransport
import Foundation

/// Binds processes to cores by the system's own `taskset`: one core for all threads of the daemon, another for the
/// harness.
package enum Affinity {
  /// The prefix of a command that binds it to a core.
  static func command(core: Int) -> [String] { ["/usr/bin/env", "taskset", "--cpu-list", "\(core)"] }

  /// Binds this thread, and those that it will start.
  ///
  /// - Throws: ``RunFailure`` if there is no such core, or no `taskset`.
  static func bind(toCore core: Int) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "taskset", "--cpu-list", "--pid", "\(core)", "\(ProcessInfo.processInfo.processIdentifier)",
    ]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw RunFailure("cannot bind to core \(core): taskset ended with \(process.terminationStatus)")
    }
  }

  /// Binds the harness to the last core, and leaves the one before it to the daemon.
  ///
  /// - Returns: The daemon's core; `nil` if there is only one core.
  package static func divide(_ report: (String) -> Void) throws -> Int? {
    guard ProcessorCount.online > 1 else {
      report("there is only one core: the daemon and the harness share it, and the figures mean little")
      return nil
    }
    try bind(toCore: ProcessorCount.online - 1)
    return ProcessorCount.online - 2
  }
}
